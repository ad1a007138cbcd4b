package probe

import (
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"time"
)

// requestView is the state of one request that a viewer has written so far.
type requestView struct {
	lv     *laneView // the informer whose Reflector sent it
	verb   string
	frames int
	sent   int64
	reason string // of an ERROR frame
	failed bool
	// A watch beside the informer's own has its request, its answer and its end in the log, and no frames.
	beside bool
}

type listOpts struct {
	LabelSelector        string `json:"labelSelector,omitempty"`
	FieldSelector        string `json:"fieldSelector,omitempty"`
	Watch                bool   `json:"watch,omitempty"`
	AllowWatchBookmarks  bool   `json:"allowWatchBookmarks,omitempty"`
	ResourceVersion      string `json:"resourceVersion,omitempty"`
	ResourceVersionMatch string `json:"resourceVersionMatch,omitempty"`
	TimeoutSeconds       *int64 `json:"timeoutSeconds,omitempty"`
	Limit                int64  `json:"limit,omitempty"`
	SendInitialEvents    *bool  `json:"sendInitialEvents,omitempty"`
}

// resourcePath returns the resource that a path lists, such as /api/v1/pods or /apis/apps/v1/namespaces/x/deployments; otherwise the zero target.
func resourcePath(path string) (t target) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for len(parts) > 0 { // the API server's URL may have a path of its own
		first := parts[0]
		parts = parts[1:]
		if first == "api" && len(parts) >= 2 {
			t.Version, parts = parts[0], parts[1:]
			break
		}
		if first == "apis" && len(parts) >= 3 {
			t.Group, t.Version, parts = parts[0], parts[1], parts[2:]
			break
		}
	}
	if len(parts) == 3 && parts[0] == "namespaces" {
		parts = parts[2:]
	}
	if len(parts) != 1 || parts[0] == "" {
		return target{}
	}
	t.Resource = parts[0]
	return t
}

// name returns the resource's name in the form of informers' names: "pods", "deployments.apps".
func (t target) name() string {
	if t.Group == "" {
		return t.Resource
	}
	return t.Resource + "." + t.Group
}

func verbOf(u *url.URL) string {
	q := u.Query()
	switch {
	case q.Get("watch") == "":
		return "LIST"
	case q.Get("sendInitialEvents") == "true":
		return "WATCHLIST"
	}
	return "WATCH"
}

func optionsOf(q url.Values) *listOpts {
	o := &listOpts{LabelSelector: q.Get("labelSelector"), FieldSelector: q.Get("fieldSelector"), Watch: q.Get("watch") != "",
		AllowWatchBookmarks: q.Get("allowWatchBookmarks") == "true", ResourceVersion: q.Get("resourceVersion"), ResourceVersionMatch: q.Get("resourceVersionMatch")}
	o.Limit, _ = strconv.ParseInt(q.Get("limit"), 10, 64)
	if n, err := strconv.ParseInt(q.Get("timeoutSeconds"), 10, 64); err == nil {
		o.TimeoutSeconds = &n
	}
	if b, err := strconv.ParseBool(q.Get("sendInitialEvents")); err == nil {
		o.SendInitialEvents = &b
	}
	return o
}

// restoreWire returns the open requests for a Restored, as the API server's and the Reflector's members of the State. waits is the Reflector's wait after a
// request that failed, nil for none.
func (lv *laneView) restoreWire(s *sample) (api, refl map[string]interface{}, wired bool, waits *line) {
	v := lv.v
	refl = map[string]interface{}{"phase": "idle", "resourceVersion": s.rv}
	if s.stopped {
		refl["phase"] = "stopped"
	}
	type openRequest struct {
		*request
		status int
	}
	var all []openRequest
	w := &v.p.wire
	w.mu.Lock()
	for _, r := range w.openRequests {
		if r.lane == lv.l || r.beside == lv.l {
			all = append(all, openRequest{r, r.status})
		}
	}
	wired = lv.l.requests.scope != ""
	lv.hasListed = wired
	if x := lv.l.requests; x.failure != nil {
		waits = &line{Kind: "Backoff", Dur: int64(max(0, x.wait-time.Since(x.begin))), Text: x.failure.then, Err: x.failure.error()}
		lv.relistReason = waits.Err.Message
	}
	w.mu.Unlock()
	sort.Slice(all, func(i, j int) bool { return all[i].id < all[j].id })
	requests := []map[string]interface{}{}
	for _, r := range all {
		u, err := url.Parse(r.url)
		if err != nil {
			continue
		}
		sent := float64(r.sent.Sub(v.p.start)-v.start) / float64(time.Millisecond)
		frames, verb := r.frames.Load(), r.verb
		isBeside := r.lane != lv.l
		v.reqs[r.id] = &requestView{lv: lv, verb: verb, frames: int(frames), sent: int64(r.sent.Sub(v.p.start) - v.start), beside: isBeside}
		requests = append(requests, map[string]interface{}{"id": r.id, "url": r.url, "status": r.status, "open": true, "sentMillis": sent,
			"bytes": r.bytes.Load(), "frames": frames, "unowned": isBeside})
		if isBeside {
			continue
		}
		refl["verb"], refl["lastRequest"], refl["requestMillis"] = verb, r.url, sent
		switch {
		case !r.watch:
			refl["phase"] = "listing"
		case verb == "WATCHLIST" && !s.synced:
			refl["phase"] = "watch-listing"
		default:
			refl["phase"] = "watching"
		}
		if o := optionsOf(u.Query()); o.TimeoutSeconds != nil {
			refl["timeoutSeconds"] = *o.TimeoutSeconds
		}
	}
	return map[string]interface{}{"resourceVersion": s.rv, "objects": -1, "requests": requests, "wire": []int{}}, refl, wired || !s.synced, waits
}

func (v *viewer) writeWire(e *event) {
	moment := v.timeOf(e)
	if e.kind == evWireRequest {
		v.writeRequest(moment, e)
		return
	}
	r := v.reqs[e.req]
	if r == nil {
		return // it belongs to no informer of this trace
	}
	if r.beside {
		v.writeBeside(moment, e, r.lv)
		return
	}
	switch e.kind {
	case evWireResponse:
		v.writeResponse(moment, e, r)
	case evWireBytes:
		r.lv.put(&line{At: moment, Kind: "WireBytes", Req: e.req, N: int(e.n)})
	case evWireFrame:
		v.writeFrame(moment, e, r)
	case evWireDone:
		v.writeDone(moment, e, r)
	}
}

func (v *viewer) writeRequest(moment int64, e *event) {
	u, err := url.Parse(e.text)
	if err != nil {
		return
	}
	lv := v.lane(e.lane)
	if !e.flag || lv == nil {
		return
	}
	if e.n != 0 {
		v.reqs[e.req] = &requestView{lv: lv, beside: true}
		lv.put(&line{At: moment, Kind: "WireRequest", Req: e.req, Text: e.text, Flag: true})
		return
	}
	lv.endWait(moment)
	r := &requestView{lv: lv, verb: verbOf(u), sent: moment}
	v.reqs[e.req] = r
	o := optionsOf(u.Query())
	if r.verb != "WATCH" && !u.Query().Has("continue") {
		why := lv.relistReason
		switch {
		case why != "":
		case lv.hasListed:
			why = "a list again"
		default:
			why = "first list"
		}
		lv.put(&line{At: moment, Kind: "ListWatchStarted", RV: o.ResourceVersion, Text: why, Flag: !lv.hasListed})
		lv.hasListed, lv.initialObjects, lv.relistReason = true, 0, ""
	}
	lv.put(&line{At: moment, Kind: "RequestSent", Req: e.req, Verb: r.verb, Options: o})
	lv.put(&line{At: moment, Kind: "WireRequest", Req: e.req, Text: e.text})
}

// writeBeside writes what becomes of a watch beside the informer's own.
func (v *viewer) writeBeside(moment int64, e *event, lv *laneView) {
	switch e.kind {
	case evWireResponse:
		x := responseLine(moment, e)
		if x.Err != nil {
			delete(v.reqs, e.req)
		}
		lv.put(x)
	case evWireDone:
		lv.put(&line{At: moment, Kind: "WireDone", Req: e.req})
		delete(v.reqs, e.req)
	}
}

// responseLine returns the line of an answer, or of why there is none.
func responseLine(moment int64, e *event) *line {
	x := &line{At: moment, Kind: "WireResponse", Req: e.req, N: int(e.n)}
	if e.text != "" || e.n >= 400 {
		x.Err = (&failure{cause: e.text, code: int(e.n)}).error()
	}
	return x
}

func (v *viewer) writeResponse(moment int64, e *event, r *requestView) {
	x := responseLine(moment, e)
	r.lv.put(x)
	if x.Err == nil {
		if r.verb != "LIST" { // a list is answered when all of it has arrived
			r.lv.put(&line{At: moment, Kind: "RequestAnswered", Req: e.req})
		}
		return
	}
	r.failed = true
	r.lv.relistReason = x.Err.Message
	r.lv.put(&line{At: moment, Kind: "RequestAnswered", Req: e.req, Err: x.Err})
	if e.dur > 0 {
		r.lv.beginWait(&line{At: moment, Kind: "Backoff", Dur: int64(e.dur), Text: e.key, Err: x.Err})
	}
	if e.text != "" {
		delete(v.reqs, e.req)
	}
}

func (v *viewer) writeFrame(moment int64, e *event, r *requestView) {
	if e.text == "REASON" {
		r.reason = e.key
		return
	}
	r.frames++
	r.lv.put(&line{At: moment, Kind: "WireFrame", Req: e.req, Op: opNames[e.op], Key: e.key, RV: e.rv, N: int(e.n)})
	r.lv.put(&line{At: moment, Kind: "WireBytes", Req: e.req, N: int(e.n)})
	if e.op == opNone {
		return
	}
	x := line{At: moment, Kind: "WatchEvent", Req: e.req, Op: opNames[e.op], RV: e.rv}
	if e.op == opBookmark {
		x.Flag = e.flag
	} else {
		x.Key = e.key
	}
	if r.verb == "WATCHLIST" && r.lv.initialObjects >= 0 {
		if e.op == opAdded {
			r.lv.initialObjects++
		}
		x.N = r.lv.initialObjects
		if e.flag {
			r.lv.initialObjects = -1
		}
	}
	r.lv.put(&x)
}

func (v *viewer) writeDone(moment int64, e *event, r *requestView) {
	x := line{At: moment, Kind: "WireDone", Req: e.req}
	if e.text != "" {
		x.Err = &lineError{Message: "cut off: " + e.text, Cause: e.text}
		if e.text == connectionLost {
			x.Err.Cause = "timeout"
		}
	}
	lv := r.lv
	lv.put(&x)
	delete(v.reqs, e.req)
	if r.failed {
		return
	}
	if r.verb == "LIST" {
		lv.put(&line{At: moment, Kind: "RequestAnswered", Req: e.req, Err: x.Err})
		if e.dur > 0 {
			lv.beginWait(&line{At: moment, Kind: "Backoff", Dur: int64(e.dur), Text: e.key, Err: x.Err})
		}
		return
	}
	c := line{At: moment, Kind: "WatchClosed", Req: e.req, N: r.frames, Dur: moment - r.sent, Text: "the stream ended", Err: x.Err}
	if r.reason != "" {
		c.Text = "an ERROR event: " + r.reason
		c.Err = &lineError{Message: c.Text, Reason: r.reason}
		if r.reason == "Expired" || r.reason == "Gone" {
			c.Err.Code = http.StatusGone
		}
	}
	if c.Err != nil {
		lv.relistReason = c.Err.Message
	}
	lv.put(&c)
	if e.dur > 0 {
		why := c.Err
		if why == nil {
			why = &lineError{Message: "very short watch: no event within a second"}
		}
		lv.beginWait(&line{At: moment, Kind: "Backoff", Dur: int64(e.dur), Text: e.key, Err: why})
	}
}

// shortWatch is the time within which client-go takes a watch without an event for a failed one.
const shortWatch = time.Second

// beginWait reports that the Reflector waits.
func (lv *laneView) beginWait(x *line) {
	lv.isWaiting = true
	lv.put(x)
}

func (lv *laneView) endWait(moment int64) {
	if lv.isWaiting {
		lv.isWaiting = false
		lv.put(&line{At: moment, Kind: "BackoffEnded"})
	}
}
