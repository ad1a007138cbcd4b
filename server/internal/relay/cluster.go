package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"informerscope/core/words/cause"
	"informerscope/server/internal/clusters"
	"informerscope/server/internal/guard"
	"informerscope/server/internal/metadata"
	"informerscope/server/internal/redact"
)

// cluster forwards one request to an API server. It makes the request and copies the answer itself. httputil.ReverseProxy would also forward
// informational responses, trailers and upgrades, each of which would bypass the list of headers.
func (r *Relay) cluster(w http.ResponseWriter, req *http.Request) {
	request, refusal := r.config.Rules.Check(req)
	describe(w, request)
	if refusal != nil {
		r.refuse(w, refusal)
		return
	}
	if refusal := r.notServed(request.Context); refusal != nil {
		r.refuse(w, refusal)
		return
	}
	if !r.budget.reserve() {
		r.refuseForMemory(w)
		return
	}
	defer r.budget.release()
	log := r.config.Log.With("context", request.Context, "resource", request.Resource, "group", request.Group, "watch", request.Watch)
	upstream, err := r.config.Clusters.Upstream(request.Context)
	if err != nil {
		id, words := r.config.Clusters.Explain(err)
		r.answerFailure(w, request.Context, id, words, err)
		return
	}
	answerFailure := func(err error) {
		id, words := upstream.Explain(err)
		r.answerFailure(w, request.Context, id, words, err)
	}
	out, err := newRequest(req.Context(), upstream, request)
	if err != nil {
		answerFailure(err)
		return
	}
	began := time.Now()
	response, err := upstream.RoundTrip(out)
	if err != nil {
		if isCanceled(req.Context(), err) {
			panic(http.ErrAbortHandler)
		}
		log.Warn("no answer from the API server", "error", r.plainText(redactURL(err)))
		answerFailure(err)
		return
	}
	r.config.Metrics.ObserveAnswer(request.Verb(), response.StatusCode, time.Since(began))
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= 400 {
		if err := r.passError(w, response, upstream); err != nil {
			answerFailure(err)
		}
		return
	}
	if problem := explainUnreadable(response); problem != "" {
		r.config.Metrics.CountUpstreamError("answer")
		writeStatus(w, failure{code: http.StatusBadGateway, message: fmt.Sprintf("%s (%s): %s", request.Context, upstream.Base.Host, problem)})
		return
	}
	body := response.Body
	if request.MetadataOnly {
		verified := metadata.NewReader(body, form(request))
		// An answer that is not metadata from its first bytes is refused with a status. Later the relay can only break it off.
		if err := verified.Verify(); errors.Is(err, metadata.ErrNotMetadata) {
			r.refuse(w, &guard.Refusal{Rule: "secrets", Message: err.Error()})
			return
		} else if isCanceled(req.Context(), err) {
			panic(http.ErrAbortHandler)
		} else if err != nil {
			answerFailure(err)
			return
		}
		defer func() { r.config.Metrics.Redactions.Add(verified.Count()) }()
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
		if !isCanceled(req.Context(), err) || errors.Is(err, metadata.ErrNotMetadata) {
			r.noteEarlyEnd(request, upstream, log, sent, err)
		}
		// The viewer must see a broken stream, not a normal end.
		panic(http.ErrAbortHandler)
	}
}

// newRequest makes the request to the API server.
func newRequest(ctx context.Context, upstream *clusters.Upstream, request guard.Request) (*http.Request, error) {
	target := *upstream.Base
	target.Path, target.RawPath = strings.TrimSuffix(target.Path, "/")+request.Path, ""
	target.RawQuery, target.Fragment, target.User = request.Query, "", nil
	out, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, err
	}
	out.Header = http.Header{
		"Accept":          {request.Accept},
		"Accept-Encoding": {"identity"}, // a compressed body cannot be redacted
		"User-Agent":      {request.UserAgent},
	}
	return out, nil
}

// noteEarlyEnd records why an answer ends early: its content, the viewer, or the API server.
func (r *Relay) noteEarlyEnd(request guard.Request, upstream *clusters.Upstream, log *slog.Logger, sent int64, err error) {
	if errors.Is(err, metadata.ErrNotMetadata) {
		r.config.Metrics.CountRefusal("secrets")
		log.Warn("the answer is cut off: it contains more than metadata")
		return
	}
	if viewer := (*viewerError)(nil); errors.As(err, &viewer) {
		log.Info("the answer ends early", "cause", "viewer", "error", err, "bytes", sent)
		return
	}
	id, words := upstream.Explain(err)
	r.config.Metrics.CountUpstreamError(id)
	r.board.note(request.Context, id, words, r.plainText(err))
	log.Info("the answer ends early", "cause", id, "bytes", sent)
}

// send redacts a body from a cluster and writes it to the viewer; every such body leaves through it. It flushes each chunk as it arrives. A write may
// wait as long as the viewer reads something within the StallTimeout.
func (r *Relay) send(w http.ResponseWriter, body io.ReadCloser) (int64, error) {
	to := outlet(w)
	reader := redact.NewReader(r.config.Clusters.Scrubber().Body(body))
	defer func() { r.config.Metrics.Redactions.Add(reader.Count()) }()
	var sent int64
	if err := to.FlushError(); err != nil { // send the headers now: the first event of a watch may take long
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

// outlet unwraps w once, where http.ResponseController would do so for each event. For a test's writer without these methods it returns an
// optionalFlusher.
func outlet(w http.ResponseWriter) flusher {
	for inner := w; ; {
		if found, ok := inner.(flusher); ok {
			return found
		}
		wrapper, ok := inner.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return optionalFlusher{http.NewResponseController(w)}
		}
		inner = wrapper.Unwrap()
	}
}

// optionalFlusher is the flusher of a writer that may support neither flushing nor deadlines.
type optionalFlusher struct{ *http.ResponseController }

// FlushError flushes the writer if it supports that.
func (u optionalFlusher) FlushError() error {
	if err := u.Flush(); !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// viewerError is a failed write to the viewer, for which no API server is to blame.
type viewerError struct{ error }

func (e *viewerError) Error() string { return "to the viewer: " + e.error.Error() }
func (e *viewerError) Unwrap() error { return e.error }

// answerFailure answers with the reason why an API server gave no answer, and keeps it for /trouble.
func (r *Relay) answerFailure(w http.ResponseWriter, contextName, id, words string, err error) {
	r.config.Metrics.CountUpstreamError(id)
	code := http.StatusBadGateway
	switch {
	case id == cause.NoContext:
		code = http.StatusNotFound
	case cause.Find(id).Retries:
		code = http.StatusServiceUnavailable // may recover without the user
	}
	if id != cause.NoContext {
		r.board.note(contextName, id, words, r.plainText(err))
	}
	writeStatus(w, failure{code: code, cause: id, message: r.cleanText(words)})
}

// cleanText removes credentials from a text that leaves the server.
func (r *Relay) cleanText(text string) string { return r.config.Clusters.Scrubber().Text(text) }

// plainText returns the text of an error that may quote what an API server sent, such as a damaged header. It has no credentials and ends where a
// manifest may begin.
func (r *Relay) plainText(err error) string { return r.config.Clusters.Scrubber().Plain(err.Error()) }

// redactURL strips the URL from an error for the log, because it has selectors and names.
func redactURL(err error) error {
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// explainUnreadable describes why a successful answer cannot be redacted, or is not an API server's; "" if neither holds.
func explainUnreadable(response *http.Response) string {
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return "the API server compressed its answer although the request ruled that out, so the relay cannot redact it"
	}
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case response.StatusCode >= 300:
		return fmt.Sprintf("the answer is a redirect (%d); does an API server answer there, or a login page in front of it?", response.StatusCode)
	case mediaType == "application/json":
		return ""
	}
	return fmt.Sprintf("the answer is not JSON but %.60q (status %d); does an API server answer there, or a login page in front of it?", mediaType,
		response.StatusCode)
}

// form is what a request for metadata must be answered with.
func form(request guard.Request) metadata.Form {
	switch {
	case request.Watch:
		return metadata.Watch
	case request.Name != "":
		return metadata.Object
	}
	return metadata.List
}

// passHeaders copies only the headers that Kubernetes clients read.
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
