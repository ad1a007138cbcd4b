package relay

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"informerscope/server/internal/clusters"
	"informerscope/server/internal/guard"
	"informerscope/server/internal/metadata"
	"informerscope/server/internal/redact"
)

// cluster passes one request on to an API server. It makes a request of its own and copies the answer itself, instead of
// having httputil.ReverseProxy do so: that one carries more across than is wanted here (informational responses, trailers,
// upgrades), and each of those would be a way around the list of headers.
func (r *Relay) cluster(w http.ResponseWriter, req *http.Request) {
	request, refusal := r.config.Rules.Check(req)
	describe(w, request)
	if refusal != nil {
		r.refused(w, refusal)
		return
	}
	if refusal := r.notServed(request.Context); refusal != nil {
		r.refused(w, refusal)
		return
	}
	if !r.budget.take() {
		r.noRoom(w)
		return
	}
	defer r.budget.give()
	log := r.config.Log.With("context", request.Context, "resource", request.Resource, "group", request.Group, "watch", request.Watch)
	upstream, err := r.config.Clusters.Upstream(request.Context)
	if err != nil {
		cause, words := r.config.Clusters.Explain(err)
		r.unanswered(w, request.Context, cause, words, err)
		return
	}
	target := *upstream.Base
	target.Path, target.RawPath = strings.TrimSuffix(target.Path, "/")+request.Path, ""
	target.RawQuery, target.Fragment, target.User = request.Query, "", nil
	out, err := http.NewRequestWithContext(req.Context(), http.MethodGet, target.String(), nil)
	if err != nil {
		cause, words := upstream.Explain(err)
		r.unanswered(w, request.Context, cause, words, err)
		return
	}
	out.Header = http.Header{
		"Accept":          {request.Accept},
		"Accept-Encoding": {"identity"}, // what is packed cannot be redacted
		"User-Agent":      {request.UserAgent},
	}
	began := time.Now()
	response, err := upstream.RoundTrip(out)
	if err != nil {
		if canceled(req.Context(), err) {
			panic(http.ErrAbortHandler)
		}
		log.Warn("no answer from the API server", "error", r.plain(redactURL(err)))
		cause, words := upstream.Explain(err)
		r.unanswered(w, request.Context, cause, words, err)
		return
	}
	r.config.Metrics.Answered(request.Verb(), response.StatusCode, time.Since(began))
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= 400 {
		if err := r.passError(w, response, upstream); err != nil {
			cause, words := upstream.Explain(err)
			r.unanswered(w, request.Context, cause, words, err)
		}
		return
	}
	if problem := unreadable(response); problem != "" {
		r.config.Metrics.UpstreamError("answer")
		writeStatus(w, failure{code: http.StatusBadGateway, message: fmt.Sprintf("%s (%s): %s", request.Context, upstream.Base.Host, problem)})
		return
	}
	body := response.Body
	if request.MetadataOnly {
		verified := metadata.NewReader(body, form(request))
		// What is no metadata from its beginning on is told with a status; else there is only the breaking off.
		if err := verified.Verify(); errors.Is(err, metadata.ErrNotMetadata) {
			r.refused(w, &guard.Refusal{Rule: "secrets", Message: err.Error()})
			return
		} else if canceled(req.Context(), err) {
			panic(http.ErrAbortHandler)
		} else if err != nil {
			cause, words := upstream.Explain(err)
			r.unanswered(w, request.Context, cause, words, err)
			return
		}
		defer func() { r.config.Metrics.Redactions.Add(verified.Changed()) }()
		body = struct {
			io.Reader
			io.Closer
		}{verified, response.Body}
	}
	if request.Watch {
		body = &watchBody{ReadCloser: body, passStatus: r.passStatus}
	}
	r.passHeaders(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
	sent, err := r.send(w, body)
	log.Debug("request served", "status", response.StatusCode, "bytes", sent, "took", time.Since(began).Round(time.Millisecond))
	if err != nil {
		if errors.Is(err, metadata.ErrNotMetadata) {
			r.config.Metrics.Refused("secrets")
			log.Warn("the answer is cut off: there is more than metadata in it")
		} else if !canceled(req.Context(), err) {
			if viewer := (*viewerError)(nil); errors.As(err, &viewer) {
				log.Info("the answer ends early", "cause", "viewer", "error", err, "bytes", sent)
			} else {
				cause, words := upstream.Explain(err)
				r.config.Metrics.UpstreamError(string(cause))
				r.board.note(request.Context, cause, words, r.plain(err))
				log.Info("the answer ends early", "cause", cause, "bytes", sent)
			}
		}
		// The viewer must see a broken stream, not one that ends well.
		panic(http.ErrAbortHandler)
	}
}

// send is the one way out for bodies from a cluster: everything is redacted, and everything is flushed as it comes. A
// write waits for the viewer as long as the viewer takes something now and then.
func (r *Relay) send(w http.ResponseWriter, body io.ReadCloser) (int64, error) {
	to := outlet(w)
	reader := redact.NewReader(r.config.Clusters.Scrubber().Body(body))
	defer func() { r.config.Metrics.Redactions.Add(reader.Count()) }()
	var sent int64
	if err := to.FlushError(); err != nil { // the headers: a watch may have nothing to say for long
		return 0, err
	}
	stall := newStallTimer(to, r.config.StallTimeout)
	for {
		chunk, err := reader.Next()
		if len(chunk) > 0 {
			stall.start()
			written, err := w.Write(chunk)
			sent += int64(written)
			r.config.Metrics.Bytes.Add(int64(written))
			if err == nil {
				err = to.FlushError()
			}
			if stall.stop() {
				r.config.Metrics.Stalls.Add(1)
			}
			if err != nil {
				return sent, &viewerError{err}
			}
		}
		if err == io.EOF {
			return sent, nil
		}
		if err != nil {
			return sent, err
		}
	}
}

// flusher is what send needs of a ResponseWriter.
type flusher interface {
	FlushError() error
	SetWriteDeadline(time.Time) error
}

// outlet finds it once, where http.ResponseController would look for it with every event. A writer that has none of it (in a test) does
// without.
func outlet(w http.ResponseWriter) flusher {
	for inner := w; ; {
		if found, ok := inner.(flusher); ok {
			return found
		}
		wrapper, ok := inner.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return unflushed{http.NewResponseController(w)}
		}
		inner = wrapper.Unwrap()
	}
}

// unflushed is the outlet of a writer that may have neither a flush nor a deadline.
type unflushed struct{ *http.ResponseController }

// FlushError flushes where that can be done.
func (u unflushed) FlushError() error {
	if err := u.Flush(); !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// viewerError says that it was the viewer to whom an answer could not be sent; no API server is to blame.
type viewerError struct{ error }

func (e *viewerError) Error() string { return "to the viewer: " + e.error.Error() }
func (e *viewerError) Unwrap() error { return e.error }

// unanswered tells the viewer why an API server gave no answer, and keeps it for who asks later.
func (r *Relay) unanswered(w http.ResponseWriter, contextName string, cause clusters.Cause, words string, err error) {
	r.config.Metrics.UpstreamError(string(cause))
	code := http.StatusBadGateway
	switch cause {
	case clusters.NoContext:
		code = http.StatusNotFound
	case clusters.Refused, clusters.DNS, clusters.Timeout, clusters.Reset, clusters.Frozen, clusters.Proxy, clusters.ExecWaiting:
		code = http.StatusServiceUnavailable // it may come back by itself
	}
	if cause != clusters.NoContext {
		r.board.note(contextName, cause, words, r.plain(err))
	}
	writeStatus(w, failure{code: code, cause: cause, message: r.clean(words)})
}

// clean takes credentials out of a text that is to leave the server.
func (r *Relay) clean(text string) string { return r.config.Clusters.Scrubber().Text(text) }

// plain is an error in which what answered may have written, such as a damaged header.
func (r *Relay) plain(err error) string { return r.config.Clusters.Scrubber().Plain(err.Error()) }

// redactURL leaves the URL out of an error for the log: selectors and names are none of its business.
func redactURL(err error) error {
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// unreadable says what is wrong with an answer of success that cannot be redacted, or is not an API server's.
func unreadable(response *http.Response) string {
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return "the API server packed its answer though it was asked not to, so it cannot be redacted"
	}
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case response.StatusCode >= 300:
		return fmt.Sprintf("what answered redirects elsewhere (%d); is it an API server, or a login page before one?", response.StatusCode)
	case mediaType == "application/json":
		return ""
	}
	return fmt.Sprintf("what answered did not answer in JSON but in %.60q (status %d); is it an API server, or a login page before one?", mediaType,
		response.StatusCode)
}

// form is what the API server was asked for where metadata is all that may come.
func form(request guard.Request) metadata.Form {
	switch {
	case request.Watch:
		return metadata.Watch
	case request.Name != "":
		return metadata.Object
	}
	return metadata.List
}

// passHeaders copies the headers that clients of Kubernetes look at, and no others.
func (r *Relay) passHeaders(to, from http.Header) {
	for name, values := range from {
		switch {
		case name == "Content-Type", name == "Retry-After", name == "Audit-Id", name == "Warning", strings.HasPrefix(name, "X-Kubernetes-"):
			for _, value := range values {
				to.Add(name, r.words(value))
			}
		}
	}
}
