package simcluster

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// maxBatch is how many events a watch takes from the history in one hold of the lock.
	maxBatch = 256
	// keepBuffer is the largest buffer that a watch keeps between batches, in bytes.
	keepBuffer = 256 << 10
	// minWatch is the shortest time that a watch without timeoutSeconds stays open; the longest is twice that.
	minWatch = 30 * time.Minute
)

// watcher is one open watch, with its position in the resource's history.
type watcher struct {
	sel    selector
	from   uint64 // skip events up to this version
	cursor uint64 // sequence number of the next event
	sent   uint64 // version up to which the client has everything
	behind bool   // it reads the cache of a server that may be behind
	rows   int    // rows sent; a Table's first has the columns
}

func (c *Cluster) serveWatch(req *request) *apierrors.StatusError {
	r, q := req.res, req.query
	sel, e := r.parseSelector(req.namespace, req.name, q)
	if e != nil {
		return e
	}
	if e := validateListOptions(q, true); e != nil {
		return e
	}
	bookmarks, e := boolParam(q, "allowWatchBookmarks")
	if e != nil {
		return e
	}
	sendInitial, e := boolParam(q, "sendInitialEvents")
	if e != nil {
		return e
	}
	rvText := q.Get("resourceVersion")
	rv, err := parseRV(rvText)
	if err != nil {
		_, numErr := strconv.ParseUint(rvText, 10, 64)
		return invalid(r.group, r.plural, req.name, invalidValue("resourceVersion", rvText, fmt.Sprint(numErr)))
	}
	var timeout time.Duration
	if text := q.Get("timeoutSeconds"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return badRequest("strconv.ParseInt: parsing %q: invalid syntax", text)
		}
		timeout = time.Duration(max(0, min(n, 1<<31))) * time.Second
	}

	c.mu.Lock()
	if timeout == 0 {
		timeout = minWatch + time.Duration(c.watchRng.Int64N(int64(minWatch)))
	}
	period := c.bookmarkPeriod + time.Duration(c.watchRng.Float64()*float64(c.bookmarkPeriod)/4)
	drop, down := c.dropCh, c.downCh
	var expire <-chan struct{}
	if r == c.pods {
		expire = c.expireCh
	}
	known := c.known(r, rvText)
	w := watcher{sel: sel, from: rv, sent: rv, behind: known < c.rev}
	var initial []*object
	var refusal *apierrors.StatusError
	switch {
	case sendInitial && rv > known:
		refusal = tooLarge(rv, known)
	case sendInitial || rv == 0 && !q.Has("sendInitialEvents"):
		for _, o := range r.at(known, sel.namespace) {
			if sel.matches(o) {
				initial = append(initial, o)
			}
		}
		w.from = known
	case rv == 0:
		w.from = known
	case rv < r.floor:
		refusal = tooOld(rv, r.floor)
	}
	w.cursor = r.seqAfter(w.from)
	w.sent = w.from
	c.watches++
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.watches--
		c.mu.Unlock()
	}()

	req.w.Header().Set("Content-Type", "application/json")
	req.w.Header().Set("Cache-Control", "no-cache, private")
	req.w.WriteHeader(http.StatusOK)
	ctl := http.NewResponseController(req.w)
	var buf []byte
	// send reports whether the client is still connected. A writer without Flush decides itself when it delivers.
	send := func() bool {
		if len(buf) > 0 {
			if _, err := req.w.Write(buf); err != nil {
				return false
			}
		}
		if cap(buf) > keepBuffer {
			buf = nil
		}
		buf = buf[:0]
		_ = ctl.Flush()
		return req.r.Context().Err() == nil
	}

	if refusal != nil {
		// As in a real API server, errors are frames with status 200 once a watch is accepted.
		buf = appendError(buf, refusal)
		send()
		return nil
	}
	for _, o := range initial {
		buf = w.appendEvent(buf, req, added, o)
		if len(buf) >= 64<<10 {
			c.breathe()
			if !send() {
				return nil
			}
		}
	}
	initial = nil
	if sendInitial && bookmarks {
		buf = appendBookmark(buf, req, w.from, true)
	}
	if !send() {
		return nil
	}

	// expired ends the watch with 410 Expired.
	expired := func() *apierrors.StatusError {
		c.mu.Lock()
		e := tooOld(w.sent, r.floor)
		c.mu.Unlock()
		buf = appendError(buf, e)
		send()
		return nil
	}
	start := c.clock.Now()
	end := c.clock.NewTimer(timeout)
	defer end.Stop()
	// The times of bookmarks mirror k8s.io/apiserver/pkg/storage/cacher.cacheWatcher.nextBookmarkTime (v0.36.3): one each period, and one two seconds
	// before the end.
	lastCall := timeout - 2*time.Second
	nextBookmark := func() time.Duration {
		elapsed := c.clock.Since(start)
		if lastCall > elapsed && lastCall < elapsed+period {
			return lastCall - elapsed
		}
		return period
	}
	var bookmarkTimer <-chan time.Time
	var timer interface{ Reset(time.Duration) bool }
	if bookmarks {
		t := c.clock.NewTimer(nextBookmark())
		defer t.Stop()
		bookmarkTimer, timer = t.C(), t
	}
	bookmarkDue := false
	var batch []event
	for {
		c.mu.Lock()
		fellOff := w.cursor < r.start
		floor := r.floor
		batch = batch[:0]
		known := c.rev
		if w.behind {
			known = c.known(r, rvText)
		}
		for ; !fellOff && w.cursor < r.end && len(batch) < maxBatch && r.event(w.cursor).rev <= known; w.cursor++ {
			batch = append(batch, *r.event(w.cursor))
		}
		if len(batch) == maxBatch && w.cursor < r.end {
			w.sent = batch[len(batch)-1].rev
		} else if !fellOff {
			w.sent = max(w.sent, known)
		}
		var changed <-chan struct{}
		gone := r.removed
		if len(batch) == 0 && !gone {
			changed = r.wait()
		}
		c.mu.Unlock()

		switch {
		case fellOff:
			// A client this slow has missed events. As a real API server does, send an error and end; never skip events silently.
			buf = appendError(buf, tooOld(w.sent, floor))
			send()
			return nil
		case len(batch) > 0:
			for i := range batch {
				buf = w.transform(buf, req, &batch[i])
			}
			if len(batch) == maxBatch { // there is probably more
				c.breathe()
			}
			clear(batch) // release the old versions
			if len(buf) > 0 && !send() {
				return nil
			}
			// A busy watch must end in time, too, and send its bookmarks.
			select {
			case <-end.C():
				return nil
			case <-drop:
				return nil
			case <-expire:
				return expired()
			case <-down:
				panic(http.ErrAbortHandler)
			case <-req.r.Context().Done():
				return nil
			case <-bookmarkTimer:
				bookmarkDue = true
			default:
			}
		case gone:
			return nil
		}
		if bookmarkDue {
			bookmarkDue = false
			if w.sent >= rv {
				buf = appendBookmark(buf, req, w.sent, false)
				if !send() {
					return nil
				}
			}
			timer.Reset(nextBookmark())
		}
		if changed == nil {
			continue
		}
		select {
		case <-changed:
		case <-bookmarkTimer:
			bookmarkDue = true
		case <-end.C():
			return nil
		case <-drop:
			return nil
		case <-expire:
			return expired()
		case <-down:
			panic(http.ErrAbortHandler)
		case <-req.r.Context().Done():
			return nil
		}
	}
}

// transform appends what an event means for this watch. An object that comes to match the selector is added. One that no longer matches is deleted,
// with its last matching state and the version of the event.
//
// Mirrors k8s.io/apiserver/pkg/storage/cacher.cacheWatcher.convertToWatchEvent (v0.36.3).
func (w *watcher) transform(buf []byte, req *request, e *event) []byte {
	if e.rev <= w.from {
		return buf
	}
	isIn := e.typ != deleted && w.sel.matches(e.obj)
	wasIn := e.prev != nil && w.sel.matches(e.prev)
	switch {
	case isIn && wasIn:
		return w.appendEvent(buf, req, modified, e.obj)
	case isIn:
		return w.appendEvent(buf, req, added, e.obj)
	case wasIn && e.typ == deleted:
		return w.appendEvent(buf, req, deleted, e.obj)
	case wasIn:
		return w.appendEvent(buf, req, deleted, withRevision(e.prev, e.rev))
	}
	return buf
}

func (w *watcher) appendEvent(buf []byte, req *request, typ eventType, o *object) []byte {
	buf = append(buf, eventPrefix[typ]...)
	buf = req.res.appendShaped(buf, o, req.shape, w.rows == 0)
	w.rows++
	return append(buf, '}', '\n')
}

func appendBookmark(buf []byte, req *request, rev uint64, initialEnd bool) []byte {
	buf = append(buf, `{"type":"BOOKMARK","object":`...)
	switch req.shape {
	case shapePartial:
		buf = append(buf, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",`...)
	case shapeTable:
		buf = append(buf, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"`...)
		buf = strconv.AppendUint(buf, rev, 10)
		buf = append(buf, `"},"columnDefinitions":null,"rows":[{"cells":[],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",`...)
	default:
		buf = append(buf, req.res.head...)
	}
	buf = append(buf, `"metadata":{"resourceVersion":"`...)
	buf = strconv.AppendUint(buf, rev, 10)
	buf = append(buf, '"')
	if initialEnd {
		buf = append(buf, `,"annotations":{"`+metav1.InitialEventsAnnotationKey+`":"true"}`...)
	}
	buf = append(buf, '}')
	switch {
	case req.shape == shapeTable:
		buf = append(buf, "}}]"...)
	case req.shape == shapeObject && req.res.plural == "pods" && !req.res.custom:
		buf = append(buf, `,"spec":{"containers":null},"status":{}`...)
	}
	return append(buf, "}}\n"...)
}

func appendError(buf []byte, e *apierrors.StatusError) []byte {
	buf = append(buf, `{"type":"ERROR","object":`...)
	return append(append(buf, statusJSON(e)...), '}', '\n')
}
