package relay

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"informerscope/server/internal/clusters"
	"informerscope/server/internal/guard"
	"informerscope/server/internal/redact"
)

// chunks are the buffers that bodies are copied through.
var chunks = sync.Pool{New: func() any { chunk := make([]byte, 64<<10); return &chunk }}

// cluster passes one request on to an API server. It makes a request of its own and copies the answer itself, instead of
// having httputil.ReverseProxy do so: that one carries more across than is wanted here (informational responses, trailers,
// upgrades), and each of those would be a way around the list of headers.
func (r *Relay) cluster(w http.ResponseWriter, req *http.Request) {
	request, refusal := r.config.Rules.Check(req)
	if refusal != nil {
		r.refused(w, refusal)
		return
	}
	log := r.config.Log.With("context", request.Context, "resource", request.Resource, "group", request.Group, "watch", request.Watch)
	upstream, err := r.config.Clusters.Upstream(request.Context)
	if err != nil {
		if unknown := (*clusters.UnknownContextError)(nil); errors.As(err, &unknown) {
			writeStatus(w, failure{code: http.StatusNotFound, message: unknown.Error(), cause: clusters.NoContext})
			return
		}
		r.unanswered(w, err, "")
		return
	}
	target := *upstream.Base
	target.Path, target.RawPath = strings.TrimSuffix(target.Path, "/")+request.Path, ""
	target.RawQuery, target.Fragment, target.User = request.Query, "", nil
	out, err := http.NewRequestWithContext(req.Context(), http.MethodGet, target.String(), nil)
	if err != nil {
		r.unanswered(w, err, upstream.Base.Host)
		return
	}
	out.Header = http.Header{
		"Accept":          {request.Accept},
		"Accept-Encoding": {"identity"}, // what is packed cannot be redacted
		"User-Agent":      {request.UserAgent},
	}
	began := time.Now()
	response, err := upstream.Transport.RoundTrip(out)
	if err != nil {
		if canceled(req.Context(), err) {
			panic(http.ErrAbortHandler)
		}
		log.Warn("no answer from the API server", "error", redactURL(err))
		r.unanswered(w, err, upstream.Base.Host)
		return
	}
	defer func() { _ = response.Body.Close() }()
	body := response.Body
	if problem := unreadable(response); problem != "" {
		r.config.Metrics.UpstreamError("answer")
		writeStatus(w, failure{code: http.StatusBadGateway, message: fmt.Sprintf("%s (%s): %s", request.Context, upstream.Base.Host, problem)})
		return
	}
	if request.MetadataOnly {
		if response.StatusCode == http.StatusOK {
			body, err = metadataOnly(body, request)
		} else {
			body, err = statusOnly(body)
		}
		if err != nil {
			r.refused(w, &guard.Refusal{Rule: "secrets", Message: err.Error()})
			return
		}
	}
	passHeaders(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
	sent, err := r.send(w, body)
	log.Debug("request served", "status", response.StatusCode, "bytes", sent, "took", time.Since(began).Round(time.Millisecond))
	if err != nil {
		if errors.Is(err, errNotMetadata) {
			r.config.Metrics.Refused("secrets")
			log.Warn("the watch is cut off: its events are more than metadata")
		} else if !canceled(req.Context(), err) {
			cause, _ := clusters.Explain(err, upstream.Base.Host)
			r.config.Metrics.UpstreamError(string(cause))
			log.Info("the answer ends early", "cause", cause, "bytes", sent)
		}
		// The viewer must see a broken stream, not one that ends well.
		panic(http.ErrAbortHandler)
	}
}

// send is the one way out for bodies from a cluster: everything is redacted, and everything is flushed as it comes. A
// write waits for the viewer as long as the viewer takes something now and then.
func (r *Relay) send(w http.ResponseWriter, body io.ReadCloser) (int64, error) {
	chunk := chunks.Get().(*[]byte)
	defer chunks.Put(chunk)
	control := http.NewResponseController(w)
	reader := redact.NewReader(body)
	defer func() { r.config.Metrics.Redactions.Add(reader.Count()) }()
	var sent int64
	if err := flush(control); err != nil { // the headers: a watch may have nothing to say for long
		return 0, err
	}
	for {
		n, err := reader.Read(*chunk)
		if n > 0 {
			deadline(control, time.Now().Add(r.config.StallTimeout))
			written, err := w.Write((*chunk)[:n])
			sent += int64(written)
			r.config.Metrics.Bytes.Add(int64(written))
			if err == nil {
				err = flush(control)
			}
			if err != nil {
				return sent, fmt.Errorf("to the viewer: %w", err)
			}
			deadline(control, time.Time{})
		}
		if err == io.EOF {
			return sent, nil
		}
		if err != nil {
			return sent, err
		}
	}
}

// deadline sets the stream's write deadline; a writer that has none (in a test) does without.
func deadline(control *http.ResponseController, t time.Time) { _ = control.SetWriteDeadline(t) }

func flush(control *http.ResponseController) error {
	if err := control.Flush(); !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// unanswered tells the viewer why an API server gave no answer.
func (r *Relay) unanswered(w http.ResponseWriter, err error, host string) {
	cause, message := clusters.Explain(err, host)
	r.config.Metrics.UpstreamError(string(cause))
	code := http.StatusBadGateway
	switch cause {
	case clusters.Refused, clusters.DNS, clusters.Timeout, clusters.Reset:
		code = http.StatusServiceUnavailable // it may come back by itself
	}
	writeStatus(w, failure{code: code, cause: cause, message: message})
}

// redactURL leaves the URL out of an error for the log: selectors and names are none of its business.
func redactURL(err error) error {
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// unreadable says what is wrong with an answer that cannot be redacted, or is not an API server's.
func unreadable(response *http.Response) string {
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return "the API server packed its answer though it was asked not to, so it cannot be redacted"
	}
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case response.StatusCode >= 300 && response.StatusCode < 400:
		return fmt.Sprintf("what answered redirects elsewhere (%d); is it an API server, or a login page before one?", response.StatusCode)
	case mediaType == "application/json":
		return ""
	case response.StatusCode >= 400 && (mediaType == "text/plain" || mediaType == ""):
		return "" // the API server's own errors, before it knows the client's format
	}
	return fmt.Sprintf("what answered did not answer in JSON but in %.60q (status %d); is it an API server, or a login page before one?", mediaType, response.StatusCode)
}

// passHeaders copies the headers that clients of Kubernetes look at, and no others.
func passHeaders(to, from http.Header) {
	for name, values := range from {
		switch {
		case name == "Content-Type", name == "Retry-After", name == "Audit-Id", name == "Warning", strings.HasPrefix(name, "X-Kubernetes-"):
			to[name] = append([]string(nil), values...)
		}
	}
}
