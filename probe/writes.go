package probe

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// written is a write of a reconcile, or the answer to it.
type written struct {
	verb, resource, subresource string
	key, uid                    string     // of the object; empty as long as the API server has not named it
	failure                     *lineError // nil if it succeeded
}

// writePath returns the resource, object and subresource of a path such as /apis/apps/v1/namespaces/x/deployments/web/status; ok is false for another path.
func writePath(path string) (resource target, ns, name, subresource string, ok bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for len(parts) > 0 && !ok { // the API server's URL may have a path of its own
		switch {
		case parts[0] == "api" && len(parts) >= 3:
			resource.Version, parts, ok = parts[1], parts[2:], true
		case parts[0] == "apis" && len(parts) >= 4:
			resource.Group, resource.Version, parts, ok = parts[1], parts[2], parts[3:], true
		default:
			parts = parts[1:]
		}
	}
	if ok && len(parts) >= 3 && parts[0] == "namespaces" {
		ns, parts = parts[1], parts[2:]
	}
	if !ok || parts[0] == "" || len(parts) > 3 {
		return target{}, "", "", "", false
	}
	resource.Resource = parts[0]
	if len(parts) > 1 {
		name = parts[1]
	}
	if len(parts) > 2 {
		subresource = parts[2]
	}
	return resource, ns, name, subresource, true
}

// write passes a write on, and logs it and its answer if a reconcile sent it. A failure of the probe never reaches the request.
func (t *trip) write(r *http.Request) (*http.Response, error) {
	w := t.p.beginWrite(r)
	resp, err := t.next.RoundTrip(r)
	if w == nil {
		return resp, err
	}
	if err != nil || resp == nil || resp.Body == nil {
		w.end(&lineError{Message: "no answer: " + causeOf(err), Cause: causeOf(err)})
		return resp, err
	}
	if w.status = resp.StatusCode; w.status == http.StatusSwitchingProtocols {
		return resp, err // its body may be written to
	}
	w.ReadCloser, resp.Body = resp.Body, w
	switch kind := resp.Header.Get("Content-Type"); {
	case strings.Contains(kind, "protobuf"):
		w.scan = &protoAnswer{}
	case strings.Contains(kind, "json"):
		w.scan = newJSONAnswer()
	}
	return resp, err
}

// writing is the body of an answer to a reconcile's write.
type writing struct {
	io.ReadCloser
	p      *Probe
	run    *reconcile
	sent   time.Time
	write  written
	ns     string
	lane   uint32 // of an informer of the resource, from 1; 0 for none
	status int
	scan   answerScanner
	isOver atomic.Bool
}

// beginWrite logs that a reconcile sends a write; it returns nil for another request.
func (p *Probe) beginWrite(r *http.Request) (w *writing) {
	if !p.attached.Load() || p.writesBroken.Load() || r.URL == nil {
		return nil
	}
	defer p.containWrites(func() { w = nil })
	run := p.presentIn(r.Context())
	if run == nil {
		return nil
	}
	resource, ns, name, subresource, ok := writePath(r.URL.Path)
	if !ok || r.URL.Query().Get("dryRun") != "" {
		return nil
	}
	w = &writing{p: p, run: run, sent: time.Now(), ns: ns, write: written{verb: r.Method, resource: cut(resource.name()), subresource: cut(subresource)}}
	if name != "" {
		w.write.key = cut(join(ns, name))
	}
	for _, l := range p.informers() {
		if l.isOf(resource) {
			w.lane = uint32(l.id) + 1
			break
		}
	}
	w.emit(evWrite, w.write, "")
	return w
}

func (w *writing) emit(k kind, x written, rv string) {
	e := event{kind: k, lane: w.run.lane, key: w.run.key, listener: w.run.worker, req: w.lane, rv: rv, more: &x}
	if k == evWritten {
		e.dur = time.Since(w.sent)
	}
	w.p.emit(e)
}

// Read may be called by one goroutine at a time, like the body's own.
func (w *writing) Read(b []byte) (int, error) {
	n, err := w.ReadCloser.Read(b)
	if w.scan != nil && n > 0 {
		func() {
			defer w.p.containWrites(func() { w.scan = nil })
			w.scan.feed(b[:n])
		}()
	}
	if err != nil {
		why := (*lineError)(nil)
		if !errors.Is(err, io.EOF) {
			why = &lineError{Message: "no answer: " + causeOf(err), Cause: causeOf(err)}
		}
		w.end(why)
	}
	return n, err
}

func (w *writing) Close() error {
	w.end(nil)
	return w.ReadCloser.Close()
}

// end logs the answer. failure says why there is none.
func (w *writing) end(failure *lineError) {
	if !w.isOver.CompareAndSwap(false, true) || !w.p.attached.Load() {
		return
	}
	defer w.p.containWrites(func() {})
	var a answer
	if w.scan != nil {
		a = w.scan.answer()
	}
	x := w.write
	if x.failure = failure; failure == nil && w.status >= 400 {
		x.failure = statusError(w.status)
		x.failure.Reason = cut(a.reason)
	}
	if x.failure != nil || x.key == "" && x.verb != http.MethodPost { // of many objects no version is that of one
		w.emit(evWritten, x, "")
		return
	}
	if x.key == "" && a.key != "" {
		x.key = cut(a.key)
	}
	x.uid = cut(a.uid)
	w.emit(evWritten, x, cut(a.rv))
}

// containWrites recovers from a panic in a hook of writes, and switches them off.
func (p *Probe) containWrites(failed func()) {
	if r := recover(); r != nil {
		p.writesBroken.Store(true)
		for _, l := range p.informers() {
			l.disable("writes", "the probe's own hook failed and was switched off")
		}
		failed()
	}
}
