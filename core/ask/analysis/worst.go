package analysis

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// WorstSpan is the length of the stretch that Worst looks for.
const WorstSpan = time.Minute

// Points weigh stretches against one another: ten for a relist, one for a second of waiting.
const (
	pointsRelist   = 10.0
	pointsDoubling = 10.0
	pointsRing     = 0.01 // for each notification that a ring gained
)

// WorstMinute is the stretch of a log in which most went wrong.
type WorstMinute struct {
	// From is when it starts, since the log began, in whole seconds. To is its end, or the log's if that is earlier.
	From, To time.Duration
	Points   float64
	// Reasons are what went wrong, sorted by weight, heaviest first.
	Reasons []WorstReason
}

// WorstReason is something that went wrong, and the event at which it showed.
type WorstReason struct {
	// Kind is ring, stale, relist or handler.
	Kind     string
	Seq      uint64
	At       time.Duration
	Lane     uint8
	Listener int32 // of a ring or a handler
	// Before and After are a ring's length when the stretch began and its greatest length in the stretch. Capacity is the ring's capacity at that length,
	// Doubled how often it grew in the stretch.
	Before, After, Capacity, Doubled int
	// Took is how long an object took from the watch to the store, or how long a handler call took.
	Took time.Duration
	Text string // the cause of a relist
	Open bool   // the handler's call had not returned when the log ended
	// Points are its share of the minute's.
	Points float64
}

// ringSecond is the state of a ring in one second.
type ringSecond struct {
	second           int64
	longest, last    int
	capacity, double int
	seq              uint64
	at               time.Duration
}

// listenerKey identifies a listener of an informer.
type listenerKey struct {
	lane uint8
	id   int32
}

// frameKey identifies a version of an object on a lane's wire.
type frameKey struct {
	lane    uint8
	key, rv string
}

type frameSeen struct {
	at           time.Duration
	writtenLanes [256 / 64]uint64 // lanes whose store has it
}

// worst is what Worst collects from a log.
type worst struct {
	rings    map[listenerKey][]ringSecond
	capacity map[listenerKey]int
	frames   map[frameKey]*frameSeen
	calls    map[listenerKey]*event.Entry // not returned yet
	singles  map[int64][]WorstReason
}

// Worst finds the minute of a log in which most went wrong: rings that grew, objects that reached the store late, relists, and slow handlers. It uses only
// the events, in order, and returns false if nothing went wrong. Of equally bad minutes it returns the first. An object that never reached the store does not
// count as late.
func Worst(log []event.Entry) (WorstMinute, bool) {
	w := &worst{map[listenerKey][]ringSecond{}, map[listenerKey]int{}, map[frameKey]*frameSeen{}, map[listenerKey]*event.Entry{}, map[int64][]WorstReason{}}
	for i := range log {
		w.see(&log[i])
	}
	if len(log) == 0 {
		return WorstMinute{}, false
	}
	end := &log[len(log)-1]
	//maporder:free each is of a listener of its own, and minute sorts them
	for id, call := range w.calls {
		w.single(WorstReason{Kind: "handler", Seq: end.Seq, At: end.At, Lane: id.lane, Listener: id.id, Took: end.At - call.At, Open: true})
	}
	var best WorstMinute
	for _, from := range w.seconds() {
		if candidate := w.minute(from); candidate.Points > best.Points {
			best = candidate
		}
	}
	best.To = min(best.From+WorstSpan, end.At)
	return best, best.Points > 0
}

// see takes in one event.
func (w *worst) see(e *event.Entry) {
	id := listenerKey{e.Lane, e.Listener()}
	switch e.Kind {
	case event.KindListenerAdded:
		w.capacity[id] = e.ListenerAdded().Capacity
	case event.KindAccepted:
		accepted := e.Accepted()
		if accepted.InRing {
			w.ring(id, accepted.Ring, accepted.Capacity, e)
		}
	case event.KindDelivered:
		w.ring(id, e.Delivered().Ring, w.capacity[id], e)
	case event.KindSampled:
		var s fold.Sampled
		if json.Unmarshal([]byte(e.Sampled().Sample), &s) == nil {
			for _, l := range s.Listeners {
				w.ring(listenerKey{e.Lane, l.ID}, l.Ring, l.Capacity, e)
			}
		}
	case event.KindRestored:
		var s fold.State
		if json.Unmarshal([]byte(e.Restored().State), &s) == nil {
			for i := range s.Listeners {
				l := &s.Listeners[i]
				w.begin(listenerKey{e.Lane, l.ID}, l.Ring, l.Capacity, e)
			}
		}
	case event.KindWatchEvent:
		watchEvent := e.WatchEvent()
		if watchEvent.Key != "" {
			w.frames[frameKey{e.Lane, watchEvent.Key, watchEvent.RV}] = &frameSeen{at: e.At}
		}
	case event.KindStoreAdded, event.KindStoreUpdated, event.KindStoreDeleted:
		w.noteStored(e)
	case event.KindListWatchStarted:
		if m, ok := Marks(e); ok && m.Kind == "relist" {
			w.single(WorstReason{Kind: "relist", Seq: e.Seq, At: e.At, Lane: e.Lane, Text: e.ListWatchStarted().Why, Points: pointsRelist})
		}
	case event.KindHandling:
		w.calls[id] = e
	case event.KindHandled:
		handled := e.Handled()
		delete(w.calls, id)
		w.single(WorstReason{Kind: "handler", Seq: e.Seq, At: e.At, Lane: e.Lane, Listener: handled.Listener, Took: handled.Took})
	case event.KindListenerStopped, event.KindListenerRemoved:
		delete(w.calls, id)
	}
}

// noteStored notes how long an object took from the watch to the store.
func (w *worst) noteStored(e *event.Entry) {
	if e.Op() != event.OpAdded && e.Op() != event.OpUpdated && e.Op() != event.OpDeleted {
		return // it came by a list or a resync, not by the watch event
	}
	frame := w.frames[frameKey{e.Lane, e.Key(), e.RV()}]
	if frame == nil { // lanes of one resource share the first one's wire
		frame = w.frames[frameKey{0, e.Key(), e.RV()}]
	}
	if bit := uint64(1) << (e.Lane % 64); frame != nil && frame.writtenLanes[e.Lane/64]&bit == 0 {
		frame.writtenLanes[e.Lane/64] |= bit
		w.single(WorstReason{Kind: "stale", Seq: e.Seq, At: e.At, Lane: e.Lane, Took: e.At - frame.at})
	}
}

// single notes a reason that stands alone. Of objects and handler calls, it keeps the longest of each second, for each lane and listener.
func (w *worst) single(r WorstReason) {
	second := int64(r.At / time.Second)
	if r.Kind == "relist" {
		w.singles[second] = append(w.singles[second], r)
		return
	}
	r.Points = r.Took.Seconds()
	for i := range w.singles[second] {
		if single := &w.singles[second][i]; single.Kind == r.Kind && single.Lane == r.Lane && single.Listener == r.Listener {
			if r.Took > single.Took {
				*single = r
			}
			return
		}
	}
	w.singles[second] = append(w.singles[second], r)
}

// begin notes a ring's length where a log begins: it did not grow to that in the log.
func (w *worst) begin(id listenerKey, length, capacity int, e *event.Entry) {
	if len(w.rings[id]) > 0 {
		w.ring(id, length, capacity, e) // after a gap in the log
		return
	}
	w.capacity[id] = capacity
	w.rings[id] = append(w.rings[id], ringSecond{second: int64(e.At/time.Second) - 1, longest: length, last: length, capacity: capacity, seq: e.Seq, at: e.At})
}

// ring notes a ring's length and capacity.
func (w *worst) ring(id listenerKey, length, capacity int, e *event.Entry) {
	second := int64(e.At / time.Second)
	all := w.rings[id]
	if n := len(all); n == 0 || all[n-1].second < second {
		all = append(all, ringSecond{second: second, longest: -1})
	}
	newest := &all[len(all)-1]
	if length > newest.longest {
		newest.longest, newest.capacity, newest.seq, newest.at = length, capacity, e.Seq, e.At
	}
	if before := w.capacity[id]; before > 0 && capacity > before {
		newest.double++
	}
	if capacity > 0 {
		w.capacity[id] = capacity
	}
	newest.last = length
	w.rings[id] = all
}

// seconds returns the seconds at which a minute can begin: those in which something was noted.
func (w *worst) seconds() []int64 {
	all := make([]int64, 0, len(w.singles))
	//maporder:free they are sorted
	for second := range w.singles {
		all = append(all, second)
	}
	//maporder:free they are sorted
	for _, ring := range w.rings {
		for i := range ring {
			all = append(all, max(ring[i].second, 0))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// minute returns what went wrong in the minute that begins at a second.
func (w *worst) minute(from int64) WorstMinute {
	to := from + int64(WorstSpan/time.Second)
	m := WorstMinute{From: time.Duration(from) * time.Second}
	longest := map[string]map[listenerKey]WorstReason{"stale": {}, "handler": {}}
	for second := from; second < to; second++ {
		for _, r := range w.singles[second] {
			if r.Kind == "relist" {
				m.Reasons = append(m.Reasons, r)
			} else if id := (listenerKey{r.Lane, r.Listener}); r.Took > longest[r.Kind][id].Took {
				longest[r.Kind][id] = r
			}
		}
	}
	//maporder:free they are sorted below, no two as equal
	for _, reasons := range longest {
		//maporder:free they are sorted below, no two as equal
		for _, r := range reasons {
			m.Reasons = append(m.Reasons, r)
		}
	}
	//maporder:free they are sorted below, no two as equal
	for id, ring := range w.rings {
		if r, grew := growth(id, ring, from, to); grew {
			m.Reasons = append(m.Reasons, r)
		}
	}
	slices.SortFunc(m.Reasons, func(a, b WorstReason) int {
		return cmp.Or(cmp.Compare(b.Points, a.Points), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Lane, b.Lane),
			cmp.Compare(a.Listener, b.Listener))
	})
	for i := range m.Reasons {
		m.Points += m.Reasons[i].Points
	}
	return m
}

// growth returns how a ring grew between two seconds.
func growth(id listenerKey, ring []ringSecond, from, to int64) (WorstReason, bool) {
	at, _ := slices.BinarySearchFunc(ring, from, func(r ringSecond, second int64) int { return cmp.Compare(r.second, second) })
	reason := WorstReason{Kind: "ring", Lane: id.lane, Listener: id.id}
	if at > 0 {
		reason.Before = ring[at-1].last
	}
	reason.After = reason.Before
	for _, r := range ring[at:] {
		if r.second >= to {
			break
		}
		reason.Doubled += r.double
		if r.longest > reason.After {
			reason.After, reason.Capacity, reason.Seq, reason.At = r.longest, r.capacity, r.seq, r.at
		}
	}
	reason.Points = pointsRing*float64(reason.After-reason.Before) + pointsDoubling*float64(reason.Doubled)
	return reason, reason.After > reason.Before
}
