package doctor

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// Thresholds of the rules about handlers; see rule.go for what they mean.
const (
	windowLength  = 10 * time.Second
	growingRounds = 2  // windows in a row
	growingRing   = 16 // notifications
	busyShare     = 0.8
	stuckCall     = 10 * time.Second
	occasionGap   = 5 * time.Second
	leakOccasions = 3
	leakMany      = 50                     // handlers of one name
	processEnd    = 100 * time.Millisecond // a recording that breaks off so soon after a panic had no time to go on
)

// hand is a handler and its ring.
type hand struct {
	ring           int
	call           moment // when its call began; zero: none runs
	window         window
	growingWindows int // in a row
	growth         struct {
		since        time.Duration
		at           moment
		ring, before int
		each         time.Duration // a call
	}
	longest struct {
		took time.Duration
		at   moment
	}
	panics struct {
		count int
		first moment
		last  moment
		words string
	}
}

// window is a stretch of time in which a ring is watched.
type window struct {
	start moment
	ring  int // when it began
	calls int
	took  time.Duration // of these calls
	busy  time.Duration
}

// group are the handlers of one name, apart from its digits.
type group struct {
	occasions int
	occasion  time.Duration // when the last one began
	additions int
	removals  int
	first     moment
	last      moment
}

// hand returns a handler; nil if there are too many.
func (l *lane) hand(id int32) *hand {
	h := l.hands[id]
	if h == nil && len(l.hands) < maxListeners {
		h = &hand{}
		l.hands[id] = h
	}
	return h
}

func (l *lane) seeHandler(e *event.Entry) {
	switch e.Kind {
	case event.KindSampled:
		var s fold.Sampled
		if json.Unmarshal([]byte(e.Sampled().Sample), &s) == nil {
			for _, x := range s.Listeners {
				if h := l.hand(x.ID); h != nil {
					h.setRing(x.Ring, e)
				}
			}
		}
		return
	case event.KindListenerAdded, event.KindAccepted, event.KindDelivered, event.KindHandling, event.KindHandled, event.KindListenerRemoved,
		event.KindListenerStopped:
	default:
		return
	}
	h := l.hand(e.Listener())
	if h == nil {
		return
	}
	switch e.Kind {
	case event.KindListenerAdded:
		l.add(e)
	case event.KindListenerRemoved, event.KindListenerStopped:
		l.remove(e)
		h.call = moment{}
	case event.KindAccepted:
		if x := e.Accepted(); x.InRing {
			h.setRing(x.Ring, e)
		}
	case event.KindDelivered:
		h.setRing(e.Delivered().Ring, e)
	case event.KindHandling:
		h.advance(e.At, e.Seq)
		h.call = moment{e.Seq, e.At}
	case event.KindHandled:
		h.finish(e)
	}
}

func (h *hand) setRing(n int, e *event.Entry) {
	h.advance(e.At, e.Seq)
	if h.ring == 0 && n > 0 && h.growingWindows == 0 {
		h.window = window{start: moment{e.Seq, e.At}}
	}
	h.ring = n
}

// finish notes that a call has returned.
func (h *hand) finish(e *event.Entry) {
	h.advance(e.At, e.Seq)
	x := e.Handled()
	began := max(e.At-x.Took, h.window.start.at)
	if h.call.seq > 0 {
		began = max(h.call.at, h.window.start.at)
	}
	h.window.busy += e.At - began
	h.window.calls++
	h.window.took += x.Took
	h.call = moment{}
	if x.Took > h.longest.took {
		h.longest.took, h.longest.at = x.Took, moment{e.Seq, e.At}
	}
	if x.Err != nil {
		h.panics.last = moment{e.Seq, e.At}
		if h.panics.count++; h.panics.count == 1 {
			h.panics.first, h.panics.words = moment{e.Seq, e.At}, fold.Shorten(x.Err.Error())
		}
	}
}

// advance ends the window if it is over. What happens at once after a long silence ends one window, whatever its length.
func (h *hand) advance(at time.Duration, seq uint64) {
	if at-h.window.start.at < windowLength {
		return
	}
	w := h.window
	if h.call.seq > 0 {
		w.busy += at - max(h.call.at, w.start.at)
	}
	grows := h.ring >= growingRing && h.ring >= w.ring && float64(w.busy) >= busyShare*float64(at-w.start.at)
	if !grows {
		h.growingWindows = 0
	} else if h.growingWindows++; h.growingWindows == 1 && h.growth.at.seq == 0 {
		h.growth.since, h.growth.before = w.start.at, w.ring
	}
	if grows && h.ring > h.growth.ring && h.growingWindows >= growingRounds {
		h.growth.at, h.growth.ring, h.growth.each = moment{seq, at}, h.ring, w.busy
		if w.calls > 0 {
			h.growth.each = w.took / time.Duration(w.calls)
		}
	}
	if h.growingWindows == 0 && h.growth.at.seq == 0 {
		h.growth.since = 0
	}
	h.window = window{start: moment{seq, at}, ring: h.ring}
}

var digits = regexp.MustCompile(`[0-9]+`)

// groupOf returns a handler's name without the digits that number its owners.
func groupOf(name string) string { return digits.ReplaceAllString(fold.Shorten(name), "#") }

func (l *lane) add(e *event.Entry) {
	x := e.ListenerAdded()
	if x.Name == "" {
		return
	}
	name := groupOf(x.Name)
	g := l.group(name, e)
	if g == nil {
		return
	}
	if x.Late && (g.occasions == 0 || e.At-g.occasion >= occasionGap) {
		g.occasions++
		g.occasion = e.At
	}
	g.additions++
	g.last = moment{e.Seq, e.At}
	l.hands[x.Listener] = &hand{}
	l.groupNames[x.Listener] = name
}

// group returns the handlers of a name; nil if there are too many names.
func (l *lane) group(name string, e *event.Entry) *group {
	g := l.groups[name]
	if g == nil && len(l.groups) < maxListeners {
		g = &group{first: moment{e.Seq, e.At}}
		l.groups[name] = g
	}
	return g
}

// restoreGroups counts the handlers that an informer has when the log begins, or goes on.
func (l *lane) restoreGroups(listeners []fold.Listener, e *event.Entry) {
	counts := map[string]int{}
	for i := range listeners {
		if x := &listeners[i]; !x.Removed && x.Name != "" {
			counts[groupOf(x.Name)]++
			l.groupNames[x.ID] = groupOf(x.Name)
		}
	}
	for name, n := range counts { //maporder:free each name is counted by itself
		if g := l.group(name, e); g != nil && n > g.additions {
			g.additions, g.last = n, moment{e.Seq, e.At}
		}
	}
}

func (l *lane) remove(e *event.Entry) {
	if g := l.groups[l.groupNames[e.Listener()]]; g != nil && e.Kind == event.KindListenerRemoved {
		g.removals++
	}
}

// reportHandlers reports what is wrong with the handlers of a lane.
func (r *report) reportHandlers() {
	ids := slices.Sorted(maps.Keys(r.lane.hands))
	for _, id := range ids {
		h, name := r.lane.hands[id], r.listenerName(id)
		if h.advance(r.end.at, r.end.seq); h.growth.at.seq > 0 {
			weight := Warning
			if h.growingWindows > 0 {
				weight = Critical
			}
			r.find(slowHandler, weight, h.growth.since, h.growth.at, say("%[1]s takes %[2]s for a call, and its ring went from %[3]d to %[4]d notifications.",
				"%[1]s 每次调用 %[2]s，环形缓冲从 %[3]d 涨到 %[4]d 个通知。", name, seconds(h.growth.each), h.growth.before, h.growth.ring), Words{})
		}
	}
	for _, id := range ids {
		h, name := r.lane.hands[id], r.listenerName(id)
		switch running := r.end.at - h.call.at; {
		case h.call.seq > 0 && running >= stuckCall:
			r.find(stuckHandler, Critical, h.call.at, h.call, say("A call of %[1]s has run for %[2]s, and %[3]d notifications wait behind it.",
				"%[1]s 的一次调用已运行 %[2]s，后面有 %[3]d 个通知在等。", name, seconds(running), h.ring), Words{})
		case h.longest.took >= stuckCall:
			r.find(stuckHandler, Warning, h.longest.at.at-h.longest.took, h.longest.at, say("A call of %[1]s took %[2]s.",
				"%[1]s 的一次调用用了 %[2]s。", name,
				seconds(h.longest.took)), Words{})
		}
	}
	for _, id := range ids {
		if h := r.lane.hands[id]; h.panics.count > 0 {
			what := say("Panics of %[1]s: %[2]d. The first: %[3]s", "%[1]s panic 了 %[2]d 次，第一次：%[3]s", r.listenerName(id), h.panics.count, h.panics.words)
			if r.doctor.breaksOff && r.state.Fidelity["listeners"].How != "" && r.end.at-h.panics.last.at < processEnd {
				what.EN, what.ZH = what.EN+". The process ended here: the recording breaks off.", what.ZH+"。进程在此结束：录制中断了。"
			}
			r.find(handlerPanic, Critical, h.panics.first.at, h.panics.first, what, Words{})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.lane.groups)) {
		switch g := r.lane.groups[name]; {
		case g.removals > 0:
		case g.additions >= leakMany:
			r.find(leakedHandlers, Warning, g.first.at, g.last, say("The informer has %[1]d handlers named %[2]s, and none was removed. Each change goes to all.",
				"informer 有 %[1]d 个名为 %[2]s 的 handler，一个也没移除。每次变更都发给它们全部。", g.additions, name), Words{})
		case g.occasions >= leakOccasions:
			r.find(leakedHandlers, Warning, g.first.at, g.last, say("%[1]d handlers named %[2]s were added on %[3]d occasions, and none was removed.",
				"分 %[3]d 次添加了 %[1]d 个名为 %[2]s 的 handler，一个也没移除。", g.additions, name, g.occasions), Words{})
		}
	}
}
