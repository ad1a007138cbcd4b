package fold

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"informerscope/core/words/event"
)

// world is the informers' surroundings: writes, faults, holds and other clients. It belongs to all lanes.
type world struct {
	writes  int
	cluster bool // KindCluster reports the writes
	// rv is the version up to which they have been counted: that of the last report, or of a frame that came after it.
	rv string

	bins [rateBins]int // writes or frames, by time
	bin  int64         // the newest

	holds  []hold
	faults []Fault
	crowd  crowd
	person *PersonWrite // the newest, never changed
	act    *Act         // as person
}

// wire is the API server as the requests of one lane show it, or those of several lanes of one resource.
type wire struct {
	rv, oldest string
	objects    int // -1: unknown
	trouble    trouble

	open         []WireRequest
	endedRequest WireRequest
	hasEnd       bool
	bytes        int
	frames       [keptFrames]Frame
	nframes      int
	refusals     int // requests that were answered 429
}

// trouble is why the source does not work; the zero value means that it works.
type trouble struct {
	words, cause, namespace string
}

// offer returns what the trouble offers, nil for nothing.
func (t trouble) offer() *Offer {
	if t.namespace == "" {
		return nil
	}
	return &Offer{Namespace: t.namespace}
}

func (t *trouble) apply(e *event.Entry) {
	reported := e.Trouble()
	*t = trouble{words: reported.Explanation, cause: reported.Cause}
	if t.words == "" && reported.Err != nil {
		t.words = reported.Err.Error()
	}
	for _, x := range reported.Offers {
		if x.Index == "namespace" && len(x.Values) > 0 {
			t.namespace = x.Values[0]
		}
	}
}

type hold struct {
	lane     uint8 // the first of the lanes that it holds
	stage    event.Stage
	listener int32
	waiting  int
	since    time.Duration
	releases int
}

// Rates are counted over the last two seconds of the log, in bins.
const (
	rateBins = 8
	rateBin  = 250 * time.Millisecond
)

// hasRequests reports whether the log has what passes on the wire.
func (w *wire) hasRequests() bool { return w.hasEnd || len(w.open) > 0 }

func (w *wire) raiseRV(rv string) {
	if event.IsNewer(rv, w.rv) {
		w.rv = rv
	}
}

func (w *world) advance(at time.Duration) {
	b := int64(at / rateBin)
	if b <= w.bin {
		return
	}
	if b-w.bin >= rateBins || w.bin < 0 {
		w.bins = [rateBins]int{}
	} else {
		for i := w.bin + 1; i <= b; i++ {
			w.bins[i%rateBins] = 0
		}
	}
	w.bin = b
}

func (w *world) hit(at time.Duration, n int) {
	w.advance(at)
	if w.bin >= 0 {
		w.bins[w.bin%rateBins] += n
	}
}

func (w *world) rate(at time.Duration) float64 {
	w.advance(at)
	sum := 0
	for _, n := range w.bins {
		sum += n
	}
	// The newest bin is not full yet; a log younger than the window has fewer bins.
	span := time.Duration(min(w.bin, rateBins-1)) * rateBin
	span += at - time.Duration(w.bin)*rateBin
	if span < rateBin {
		span = rateBin
	}
	return float64(sum) / span.Seconds()
}

// WritesPerSecond returns the rate of writes around a lane over the two seconds before at, or of watch frames if writes are unknown. A time before the fold's
// last event counts as that event's.
func (f *Fold) WritesPerSecond(lane int, at time.Duration) float64 {
	rate := *f.worldOf(uint8(lane)) // a copy: reading the rate must not advance the fold's bins
	return rate.rate(max(at, f.at))
}

// applyWorld folds an event from outside the informers.
func (f *Fold) applyWorld(e *event.Entry) {
	switch e.Kind {
	case event.KindWireRequest, event.KindWireResponse, event.KindWireBytes, event.KindWireFrame, event.KindWireAhead,
		event.KindWireDone, event.KindTrouble, event.KindCluster:
		if int(e.Lane) < len(f.lanes) {
			f.seeFrame(e)
			f.applyWire(f.worldOf(e.Lane), &f.wires[f.lanes[e.Lane].wire], e)
		}
	case event.KindClusterObjects, event.KindClusterChange:
		f.applyCluster(e)
	case event.KindFault:
		f.worldOf(e.Lane).fault(e)
	case event.KindAudit:
		if w := ReadPersonWrite(e); w != nil {
			f.world.person = w
		}
	case event.KindAct:
		f.world.act = &Act{Step: e.Act().Step, At: e.At}
	case event.KindCrowd:
		f.worldOf(e.Lane).crowd.apply(e)
	case event.KindHold:
		f.worldOf(e.Lane).hold(e)
	case event.KindReleased:
		f.worldOf(e.Lane).release(e)
	case event.KindGateWaiting:
		f.worldOf(e.Lane).wait(e)
	}
}

// applyWire applies an event of a lane's wire, or of the API server behind it.
func (f *Fold) applyWire(around *world, w *wire, e *event.Entry) {
	switch e.Kind {
	case event.KindWireRequest:
		wireRequest := e.WireRequest()
		if len(w.open) >= maxOpen {
			w.open = slices.Delete(w.open, 0, 1)
		}
		w.open = append(w.open, WireRequest{ID: wireRequest.Req, URL: wireRequest.URL, Open: true, Unowned: wireRequest.Unowned, SentMillis: Millis(e.At)})
		if !wireRequest.Unowned {
			f.wireURL(e)
		}
	case event.KindWireResponse:
		wireResponse := e.WireResponse()
		if r := w.request(wireResponse.Req); r != nil {
			r.Status = wireResponse.Status
			if wireResponse.Status == http.StatusTooManyRequests {
				w.refusals++
			}
			if wireResponse.Err != nil {
				r.Error = wireResponse.Err.Error()
				w.end(wireResponse.Req)
			}
		}
	case event.KindWireBytes:
		wireBytes := e.WireBytes()
		w.bytes += max(wireBytes.Bytes, 0)
		if r := w.request(wireBytes.Req); r != nil {
			r.Bytes += max(wireBytes.Bytes, 0)
		}
	case event.KindWireFrame:
		wireFrame := e.WireFrame()
		if r := w.request(wireFrame.Req); r != nil {
			r.Frames++
			w.count(wireFrame, r)
		}
		around.count(e.At, wireFrame)
		if wireFrame.Op != event.OpBookmark && event.IsNewer(wireFrame.RV, w.rv) {
			f.countUnread(w)
		}
		w.frames[w.nframes%keptFrames] = Frame{
			Seq: e.Seq, Op: wireFrame.Op.String(), Key: wireFrame.Key, RV: wireFrame.RV, Bytes: wireFrame.Bytes, AtMillis: Millis(e.At)}
		w.nframes++
		w.raiseRV(wireFrame.RV)
	case event.KindWireAhead:
		wireAhead := e.WireAhead()
		if r := w.request(wireAhead.Req); r != nil {
			r.Ahead = max(wireAhead.Frames, 0)
		}
	case event.KindWireDone:
		wireDone := e.WireDone()
		if r := w.request(wireDone.Req); r != nil {
			if wireDone.Err != nil {
				r.Error = wireDone.Err.Error()
			}
			w.end(wireDone.Req)
		}
	case event.KindCluster:
		x := e.Cluster()
		if around.cluster {
			around.hit(e.At, max(x.Writes-around.writes, 0))
		} else {
			around.cluster = true
			around.bins = [rateBins]int{}
		}
		around.writes, around.rv = x.Writes, x.RV
		w.raiseRV(x.RV)
		w.oldest, w.objects = x.Oldest, x.Objects
		f.lanes[e.Lane].refl.Unread = nil
		if n, err := strconv.Atoi(x.Unread); err == nil {
			f.lanes[e.Lane].refl.Unread = &n
		}
	case event.KindTrouble:
		w.trouble.apply(e)
	}
}

// countUnread counts a change that a wire brought before the cluster has counted it.
func (f *Fold) countUnread(w *wire) {
	for i := range f.lanes {
		if l := &f.lanes[i]; &f.wires[l.wire] == w {
			l.refl.addUnread(1)
		}
	}
}

// count counts the write that a frame shows. Of a cluster that reports its writes, only those after the last report are counted: the next one may come after
// the moment that somebody looks at.
func (w *world) count(at time.Duration, frame event.WireFrame) {
	switch {
	case !w.cluster:
		w.hit(at, 1)
	case frame.Op != event.OpBookmark && event.IsNewer(frame.RV, w.rv):
		w.writes++
		w.rv = frame.RV
		w.hit(at, 1)
	}
}

// count corrects the number of objects likewise. A watch with a selector does not see every object.
func (w *wire) count(frame event.WireFrame, r *WireRequest) {
	if w.objects < 0 || !event.IsNewer(frame.RV, w.rv) || strings.Contains(r.URL, "Selector=") {
		return
	}
	switch frame.Op {
	case event.OpAdded:
		w.objects++
	case event.OpDeleted:
		w.objects = max(w.objects-1, 0)
	}
}

// hasFrame reports whether one of the newest frames has this version of an object.
func (w *wire) hasFrame(key, rv string) bool {
	for i := 1; rv != "" && i <= min(w.nframes, keptFrames); i++ {
		if f := &w.frames[(w.nframes-i)%keptFrames]; f.RV == rv && f.Key == key {
			return true
		}
	}
	return false
}

func (w *wire) request(id uint32) *WireRequest {
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i].ID == id {
			return &w.open[i]
		}
	}
	return nil
}

func (w *wire) end(id uint32) {
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i].ID == id {
			w.endedRequest, w.hasEnd = w.open[i], true
			w.endedRequest.Open = false
			w.open = slices.Delete(w.open, i, i+1)
			return
		}
	}
}

// wireURL assigns the URL to the Reflector that asked for it. Lanes of one resource share a wire, so it picks the first that waits for a request of this
// shape.
func (f *Fold) wireURL(e *event.Entry) {
	url := e.WireRequest().URL
	path, _, _ := strings.Cut(url, "?")
	verb, _ := verbOf(url)
	for i := int(e.Lane); i < len(f.lanes); i++ {
		l := &f.lanes[i]
		if l.wire != f.lanes[e.Lane].wire || l.identity.Resource != "" && !strings.HasSuffix(path, "/"+l.identity.Resource) {
			continue
		}
		if r := &l.refl; r.wireOpen && (r.verb != event.VerbList) == (verb != "LIST") {
			r.wire, r.wireOpen = url, false
			return
		}
	}
}

func (w *world) fault(e *event.Entry) {
	fault := e.Fault()
	i := slices.IndexFunc(w.faults, func(x Fault) bool { return x.Name == fault.Name })
	if i < 0 {
		if len(w.faults) >= maxFaults {
			w.faults = slices.Delete(w.faults, 0, 1)
		}
		w.faults = append(w.faults, Fault{Name: fault.Name})
		i = len(w.faults) - 1
	}
	x := &w.faults[i]
	x.On = fault.On
	x.AtMillis = Millis(e.At)
	x.Struck += max(fault.Struck, 0)
}

func (w *world) findHold(lane uint8, stage event.Stage, listener int32) int {
	return slices.IndexFunc(w.holds, func(h hold) bool { return h.lane == lane && h.stage == stage && h.listener == listener })
}

// hold begins or ends a hold.
func (w *world) hold(e *event.Entry) {
	x := e.Hold()
	stage := event.Stage(x.Stage)
	switch i := w.findHold(e.Lane, stage, x.Listener); {
	case x.Held && i < 0 && len(w.holds) < maxHolds:
		w.holds = append(w.holds, hold{lane: e.Lane, stage: stage, listener: x.Listener, since: e.At})
	case !x.Held && i >= 0:
		w.holds = slices.Delete(w.holds, i, i+1)
	}
}

// findHolder returns the hold that holds a stage, nil for none. A hold of listener 0 holds all listeners.
func (w *world) findHolder(lane uint8, stage int, listener int32) *hold {
	for _, id := range []int32{listener, 0} {
		if i := w.findHold(lane, event.Stage(stage), id); i >= 0 {
			return &w.holds[i]
		}
	}
	return nil
}

// release counts an item that a held stage let through.
func (w *world) release(e *event.Entry) {
	x := e.Released()
	if h := w.findHolder(e.Lane, x.Stage, x.Listener); h != nil {
		h.releases++
	}
}

// wait counts what waits at a held stage.
func (w *world) wait(e *event.Entry) {
	x := e.GateWaiting()
	switch h := w.findHolder(e.Lane, x.Stage, x.Listener); {
	case h == nil:
	case x.Waiting:
		h.waiting++
	default:
		h.waiting = max(h.waiting-1, 0)
	}
}
