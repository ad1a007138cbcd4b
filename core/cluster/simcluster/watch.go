package simcluster

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
)

const (
	// maxBatch is how many events a watch takes from the history in one hold of the lock.
	maxBatch = 256
	// sendSize is how many bytes a watch collects before it sends them, at least.
	sendSize = 64 << 10
	// keepBuffer is the largest buffer that a watch keeps between batches, in bytes.
	keepBuffer = 256 << 10
	// maxWrite is how long a client may keep a watch in Write that has missed events. It would get an error, if it read.
	maxWrite = time.Minute
	// minWatch is the shortest time that a watch without timeoutSeconds stays open; the longest is twice that.
	minWatch = 30 * time.Minute
)

// watchOptions are what a request asks of its watch.
type watchOptions struct {
	sel            selector
	rv             uint64
	rvText         string
	initial        bool // sendInitialEvents
	wantsBookmarks bool
	timeout        time.Duration // 0 if the cluster chooses
}

func parseWatchOptions(req *request) (o watchOptions, e *apierrors.StatusError) {
	r, q := req.res, req.query
	if o.sel, e = r.parseSelector(req.namespace, req.name, q); e != nil {
		return o, e
	}
	if e = validateListOptions(q, true); e != nil {
		return o, e
	}
	if o.wantsBookmarks, e = boolParam(q, "allowWatchBookmarks"); e != nil {
		return o, e
	}
	if o.initial, e = boolParam(q, "sendInitialEvents"); e != nil {
		return o, e
	}
	o.rvText = q.Get("resourceVersion")
	var err error
	if o.rv, err = parseRV(o.rvText); err != nil {
		_, numErr := strconv.ParseUint(o.rvText, 10, 64)
		return o, statusError(http.StatusInternalServerError, "", "resourceVersion: %s", invalidValue("resourceVersion", o.rvText, fmt.Sprint(numErr)).detail)
	}
	if text := q.Get("timeoutSeconds"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return o, badRequest("strconv.ParseInt: parsing %q: invalid syntax", text)
		}
		o.timeout = time.Duration(max(0, min(n, 1<<31))) * time.Second
	}
	return o, nil
}

// watcher is one open watch, with its position in the resource's history.
type watcher struct {
	watchOptions
	cluster *Cluster
	req     *request
	ctl     *http.ResponseController
	buf     []byte // what send sends

	startRev uint64 // skip events up to this version
	cursor   uint64 // sequence number of the next event
	sentRev  uint64 // version up to which the client has everything
	// writesSince is when it began to write, in nanoseconds of the cluster's clock; 0 if it does not.
	writesSince atomic.Int64
	isBehind    bool // it reads the cache of a server that may be behind
	batch       []event

	drop, down, expire <-chan struct{}

	start        time.Time
	end          clock.Timer
	period       time.Duration    // between bookmarks
	bookmark     clock.Timer      // nil without bookmarks
	bookmarks    <-chan time.Time // of bookmark
	owesBookmark bool
}

func (c *Cluster) serveWatch(req *request) *apierrors.StatusError {
	o, e := parseWatchOptions(req)
	if e != nil {
		return e
	}
	w := &watcher{watchOptions: o, cluster: c, req: req, ctl: http.NewResponseController(req.w)}
	initial, refusal := w.open()
	defer w.close()

	req.w.Header().Set("Content-Type", "application/json")
	req.w.Header().Set("Cache-Control", "no-cache, private")
	req.w.WriteHeader(http.StatusOK)
	if refusal != nil {
		// As in a real API server, errors are frames with status 200 once a watch is accepted.
		w.sendError(refusal)
	} else if w.sendInitial(initial) {
		w.run()
	}
	return nil
}

// open counts the watch, and finds its place in the history. It returns the objects with which the watch begins, or why there is no such place.
func (w *watcher) open() (initial []*object, refusal *apierrors.StatusError) {
	c, r := w.cluster, w.req.res
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.timeout == 0 {
		w.timeout = minWatch + time.Duration(c.watchRng.Int64N(int64(minWatch)))
	}
	w.period = c.bookmarkPeriod + time.Duration(c.watchRng.Float64()*float64(c.bookmarkPeriod)/4)
	w.drop, w.down = c.dropCh, c.downCh
	if r == c.pods {
		w.expire = c.expireCh
	}
	known := c.knownVersion(r, w.rvText)
	w.startRev, w.isBehind = w.rv, known < c.rev
	switch {
	case w.initial && w.rv > known:
		refusal = tooLarge(w.rv, known)
	case w.initial || w.rv == 0 && !w.req.query.Has("sendInitialEvents"):
		for _, o := range r.objectsAt(known, w.sel.namespace) {
			if w.sel.matches(o) {
				initial = append(initial, o)
			}
		}
		w.startRev = known
	case w.rv == 0:
		w.startRev = known
	case w.rv < r.floor:
		refusal = tooOld(w.rv, r.floor)
	}
	w.cursor = r.seqAfter(w.startRev)
	w.sentRev = w.startRev
	c.watches++
	r.watchers[w] = true
	return initial, refusal
}

func (w *watcher) close() {
	w.cluster.mu.Lock()
	defer w.cluster.mu.Unlock()
	w.cluster.watches--
	delete(w.req.res.watchers, w)
}

// send reports whether the client is still connected. A writer without Flush decides itself when it delivers.
func (w *watcher) send() bool {
	w.writesSince.Store(w.cluster.clock.Now().UnixNano())
	defer w.writesSince.Store(0)
	if len(w.buf) > 0 {
		if _, err := w.req.w.Write(w.buf); err != nil {
			return false
		}
	}
	if cap(w.buf) > keepBuffer {
		w.buf = nil
	}
	w.buf = w.buf[:0]
	_ = w.ctl.Flush()
	return w.req.r.Context().Err() == nil
}

func (w *watcher) sendError(e *apierrors.StatusError) {
	w.buf = appendError(w.buf, e)
	w.send()
}

// sendInitial sends the objects with which the watch begins, and reports whether the client is still connected.
func (w *watcher) sendInitial(objects []*object) bool {
	for _, o := range objects {
		w.append(added, o)
		if len(w.buf) >= sendSize {
			w.cluster.breathe()
			if !w.send() {
				return false
			}
		}
	}
	if w.initial && w.wantsBookmarks {
		w.buf = appendBookmark(w.buf, w.req, w.startRev, true)
	}
	return w.send()
}

// run sends events and bookmarks until the watch ends.
func (w *watcher) run() {
	w.start = w.cluster.clock.Now()
	w.end = w.cluster.clock.NewTimer(w.timeout)
	defer w.end.Stop()
	if w.wantsBookmarks {
		w.bookmark = w.cluster.clock.NewTimer(w.nextBookmark())
		defer w.bookmark.Stop()
		w.bookmarks = w.bookmark.C()
	}
	for {
		changed, refusal := w.take()
		switch {
		case refusal != nil:
			w.sendError(refusal)
			return
		case len(w.batch) > 0:
			// A busy watch must end in time, too, and send its bookmarks.
			if !w.sendBatch() || !w.poll() {
				return
			}
		case changed == nil:
			return // the resource is gone
		}
		if w.owesBookmark && !w.sendBookmark() {
			return
		}
		if changed != nil && !w.wait(changed) {
			return
		}
	}
}

// take takes the next events from the history. If there are none, changed is closed when there are; it is nil if there never will be.
func (w *watcher) take() (changed <-chan struct{}, refusal *apierrors.StatusError) {
	c, r := w.cluster, w.req.res
	c.mu.Lock()
	defer c.mu.Unlock()
	w.batch = w.batch[:0]
	if w.cursor < r.start {
		// A client this slow has missed events. As a real API server does, send an error and end; never skip events silently.
		return nil, tooOld(w.sentRev, r.floor)
	}
	known := c.rev
	if w.isBehind {
		known = c.knownVersion(r, w.rvText)
	}
	for ; w.cursor < r.end && len(w.batch) < maxBatch && r.event(w.cursor).rev <= known; w.cursor++ {
		w.batch = append(w.batch, *r.event(w.cursor))
	}
	if len(w.batch) == maxBatch && w.cursor < r.end {
		w.sentRev = w.batch[len(w.batch)-1].rev
	} else {
		w.sentRev = max(w.sentRev, known)
	}
	if len(w.batch) == 0 && !r.isRemoved {
		changed = r.wait()
	}
	return changed, nil
}

// sendBatch sends the events that take took, and reports whether the client is still connected.
func (w *watcher) sendBatch() bool {
	for i := range w.batch {
		w.transform(&w.batch[i])
		if len(w.buf) >= sendSize && !w.send() {
			return false
		}
	}
	if len(w.batch) == maxBatch { // there is probably more
		w.cluster.breathe()
	}
	clear(w.batch) // release the old versions
	return len(w.buf) == 0 || w.send()
}

// sendBookmark sends a bookmark, unless the client has asked for a later version, and reports whether the client is still connected.
func (w *watcher) sendBookmark() bool {
	w.owesBookmark = false
	if w.sentRev >= w.rv {
		w.buf = appendBookmark(w.buf, w.req, w.sentRev, false)
		if !w.send() {
			return false
		}
	}
	w.bookmark.Reset(w.nextBookmark())
	return true
}

// nextBookmark returns the time until the next bookmark. It mirrors k8s.io/apiserver/pkg/storage/cacher.cacheWatcher.nextBookmarkTime (v0.36.3): one each
// period, and one two seconds before the end.
func (w *watcher) nextBookmark() time.Duration {
	lastCall, elapsed := w.timeout-2*time.Second, w.cluster.clock.Since(w.start)
	if lastCall > elapsed && lastCall < elapsed+w.period {
		return lastCall - elapsed
	}
	return w.period
}

// poll reports whether the watch continues.
func (w *watcher) poll() bool {
	select {
	case <-w.end.C():
	case <-w.drop:
	case <-w.expire:
		w.sendExpired()
	case <-w.down:
		panic(http.ErrAbortHandler)
	case <-w.req.r.Context().Done():
	case <-w.bookmarks:
		w.owesBookmark = true
		return true
	default:
		return true
	}
	return false
}

// wait waits until the history has changed or a bookmark is due, and reports whether the watch continues.
func (w *watcher) wait(changed <-chan struct{}) bool {
	select {
	case <-changed:
		return true
	case <-w.end.C():
	case <-w.drop:
	case <-w.expire:
		w.sendExpired()
	case <-w.down:
		panic(http.ErrAbortHandler)
	case <-w.req.r.Context().Done():
	case <-w.bookmarks:
		w.owesBookmark = true
		return true
	}
	return false
}

// sendExpired ends the watch with 410 Expired.
func (w *watcher) sendExpired() {
	w.cluster.mu.Lock()
	e := tooOld(w.sentRev, w.req.res.floor)
	w.cluster.mu.Unlock()
	w.sendError(e)
}

// CountChanges returns how many changes after a version a watch of a resource brings, with the selectors of a query. ok is false where that cannot be known:
// some of them are in the compacted history, or there is no such resource or selector.
func (c *Cluster) CountChanges(gr schema.GroupResource, namespace string, q url.Values, after uint64) (n int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.resources[groupResource{gr.Group, gr.Resource}]
	if r == nil {
		return 0, false
	}
	sel, e := r.parseSelector(namespace, "", q)
	seq := r.seqAfter(after)
	if e != nil || seq == r.start && after < r.floor {
		return 0, false
	}
	for ; seq < r.end; seq++ {
		if isIn, wasIn := sel.matchesEvent(r.event(seq)); isIn || wasIn {
			n++
		}
	}
	return n, true
}

// matchesEvent reports whether the object of an event is selected, and whether it was.
func (s *selector) matchesEvent(e *event) (isIn, wasIn bool) {
	return e.typ != deleted && s.matches(e.obj), e.prev != nil && s.matches(e.prev)
}

// transform appends what an event means for this watch. An object that comes to match the selector is added. One that no longer matches is deleted,
// with its last matching state and the version of the event.
//
// Mirrors k8s.io/apiserver/pkg/storage/cacher.cacheWatcher.convertToWatchEvent (v0.36.3).
func (w *watcher) transform(e *event) {
	if e.rev <= w.startRev {
		return
	}
	switch isIn, wasIn := w.sel.matchesEvent(e); {
	case isIn && wasIn:
		w.append(modified, e.obj)
	case isIn:
		w.append(added, e.obj)
	case wasIn && e.typ == deleted:
		w.append(deleted, e.obj)
	case wasIn:
		w.append(deleted, withRevision(e.prev, e.rev))
	}
}

func (w *watcher) append(typ eventType, o *object) {
	w.buf = append(w.buf, eventPrefix[typ]...)
	w.buf = w.req.res.appendShaped(w.buf, o, w.req.shape)
	w.buf = append(w.buf, '}', '\n')
}

func appendBookmark(buf []byte, req *request, rev uint64, initialEnd bool) []byte {
	buf = append(buf, `{"type":"BOOKMARK","object":`...)
	if req.shape == shapePartial {
		buf = append(buf, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",`...)
	} else {
		buf = append(buf, req.res.head...)
	}
	buf = append(buf, `"metadata":{"resourceVersion":"`...)
	buf = strconv.AppendUint(buf, rev, 10)
	buf = append(buf, '"')
	if initialEnd {
		buf = append(buf, `,"annotations":{"`+metav1.InitialEventsAnnotationKey+`":"true"}`...)
	}
	buf = append(buf, '}')
	if req.shape == shapeObject && req.res.plural == "pods" && !req.res.custom {
		buf = append(buf, `,"spec":{"containers":null},"status":{}`...)
	}
	return append(buf, "}}\n"...)
}

func appendError(buf []byte, e *apierrors.StatusError) []byte {
	buf = append(buf, `{"type":"ERROR","object":`...)
	return append(append(buf, statusJSON(e)...), '}', '\n')
}
