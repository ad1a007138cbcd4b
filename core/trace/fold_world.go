package trace

import (
	"slices"
	"strings"
	"time"

	"informerscope/core/informer"
)

// world is what stands around the informers: the API server as the wire shows
// it, the faults and the holds. It belongs to all lanes.
type world struct {
	rv, oldest string
	objects    int // -1: unknown
	writes     int
	cluster    bool // the simulated cluster speaks for itself
	trouble    string

	open    []WireRequest
	ended   WireRequest
	hasEnd  bool
	bytes   int
	frames  [keptFrames]Frame
	nframes int

	bins [rateBins]int // writes or frames, by time
	bin  int64         // the newest

	holds  []hold
	faults []Fault
}

type hold struct {
	stage    informer.Stage
	listener int32
	waiting  int
	since    time.Duration
	releases int
}

// The rate is counted over the last two seconds of the log, in bins.
const (
	rateBins = 8
	rateBin  = 250 * time.Millisecond
)

func (w *world) sawRV(rv string) {
	if laterRV(rv, w.rv) {
		w.rv = rv
	}
}

// laterRV compares resourceVersions as the numbers they are in etcd.
func laterRV(a, b string) bool {
	if a == "" {
		return false
	}
	for i := 0; i < len(a); i++ {
		if a[i] < '0' || a[i] > '9' {
			return b == ""
		}
	}
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
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

// applyWorld reports whether the event was one of the world's.
func (f *Fold) applyWorld(e *Event) bool {
	w := &f.world
	switch e.Kind {
	case KindWireRequest:
		if len(w.open) >= maxOpen {
			w.open = slices.Delete(w.open, 0, 1)
		}
		w.open = append(w.open, WireRequest{ID: e.Req, URL: e.Text, Open: true, SentMillis: millis(e.At)})
		f.wireURL(e)
	case KindWireResponse:
		if r := w.request(e.Req); r != nil {
			r.Status = e.N
			if e.Err != nil {
				r.Error = e.Err.Error()
				w.end(e.Req)
			}
		}
	case KindWireBytes:
		w.bytes += max(e.N, 0)
		if r := w.request(e.Req); r != nil {
			r.Bytes += max(e.N, 0)
		}
	case KindWireFrame:
		if r := w.request(e.Req); r != nil {
			r.Frames++
		}
		w.frames[w.nframes%keptFrames] = Frame{Seq: e.Seq, Op: e.Op.String(), Key: e.Key, RV: e.RV, Bytes: e.N}
		w.nframes++
		w.sawRV(e.RV)
		if !w.cluster {
			w.hit(e.At, 1)
		}
	case KindWireDone:
		if r := w.request(e.Req); r != nil {
			if e.Err != nil {
				r.Error = e.Err.Error()
			}
			w.end(e.Req)
		}
	case KindCluster:
		if w.cluster {
			w.hit(e.At, max(e.M-w.writes, 0))
		} else {
			w.cluster = true
			w.bins = [rateBins]int{}
		}
		w.sawRV(e.RV)
		w.oldest, w.objects, w.writes = e.StoreRV, e.N, e.M
	case KindTrouble:
		w.trouble = e.Text
		if w.trouble == "" && e.Err != nil {
			w.trouble = e.Err.Error()
		}
	case KindFault:
		w.fault(e)
	case KindHold, KindReleased, KindGateWaiting:
		w.hold(e)
	case KindNote:
	default:
		return false
	}
	return true
}

func (w *world) request(id uint32) *WireRequest {
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i].ID == id {
			return &w.open[i]
		}
	}
	return nil
}

func (w *world) end(id uint32) {
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i].ID == id {
			w.ended, w.hasEnd = w.open[i], true
			w.ended.Open = false
			w.open = slices.Delete(w.open, i, i+1)
			return
		}
	}
}

// wireURL gives the URL to the lane whose Reflector asked for it: the wire
// knows no lanes, so it is the first that waits for one of this shape.
func (f *Fold) wireURL(e *Event) {
	path, query, _ := strings.Cut(e.Text, "?")
	if f.sel.Resource != "" && !strings.HasSuffix(path, "/"+f.sel.Resource) {
		return
	}
	watch := false
	for p := range strings.SplitSeq(query, "&") {
		if p == "watch=true" || p == "watch=1" {
			watch = true
		}
	}
	for i := int(e.Lane); i < len(f.lanes); i++ {
		r := &f.lanes[i].refl
		if r.wireOpen && (r.verb != informer.VerbList) == watch {
			r.wire, r.wireOpen = e.Text, false
			return
		}
	}
}

func (w *world) fault(e *Event) {
	i := slices.IndexFunc(w.faults, func(x Fault) bool { return x.Name == e.Text })
	if i < 0 {
		if len(w.faults) >= maxFaults {
			w.faults = slices.Delete(w.faults, 0, 1)
		}
		w.faults = append(w.faults, Fault{Name: e.Text})
		i = len(w.faults) - 1
	}
	x := &w.faults[i]
	x.On = e.Flag
	x.AtMillis = millis(e.At)
	x.Struck += max(e.N, 0)
}

func (w *world) findHold(stage informer.Stage, listener int32) int {
	return slices.IndexFunc(w.holds, func(h hold) bool { return h.stage == stage && h.listener == listener })
}

func (w *world) hold(e *Event) {
	stage := informer.Stage(e.N)
	i := w.findHold(stage, e.Listener)
	if e.Kind == KindHold {
		switch {
		case e.Flag && i < 0 && len(w.holds) < maxHolds:
			w.holds = append(w.holds, hold{stage: stage, listener: e.Listener, since: e.At})
		case !e.Flag && i >= 0:
			w.holds = slices.Delete(w.holds, i, i+1)
		}
		return
	}
	if i < 0 {
		// A hold of listener 0 holds them all.
		if i = w.findHold(stage, 0); i < 0 {
			return
		}
	}
	h := &w.holds[i]
	switch {
	case e.Kind == KindReleased:
		h.releases++
	case e.Flag:
		h.waiting++
	default:
		h.waiting = max(h.waiting-1, 0)
	}
}
