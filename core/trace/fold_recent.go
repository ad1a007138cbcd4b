package trace

import (
	"slices"
	"time"

	"informerscope/core/informer"
)

// Recent is what a Fold remembers of a lane's last moments beside its State: what a curve, a rate and a sentence about this moment
// are made of. It is part of the fold, so it is the same at a seq whichever way one came there. A log that begins later than its
// experiment brings it in its KindRestored.
type Recent struct {
	Depths DepthHistory `json:"depths"`
	// Rates of the listeners that took or handled something, by their number. In a Fold they stand with the listeners.
	Rates []ListenerRate `json:"rates,omitempty"`
	// Writes of the newest bins of time, and the number of the newest one. They belong to all lanes; in a Fold they stand with the world.
	Writes    []int `json:"writes,omitempty"`
	WritesBin int64 `json:"writesBin,omitempty"`

	// Main is the number of the listener that has most to tell, 0 while none has had anything to tell, and MainAt when it became that.
	Main   int32         `json:"main,omitempty"`
	MainAt time.Duration `json:"mainAt,omitempty"`

	// Silent says that nothing can come from the cluster: a request failed or ended with an error, and none was answered
	// since. SilentAt is when it began.
	Silent   bool          `json:"silent,omitempty"`
	SilentAt time.Duration `json:"silentAt,omitempty"`
	// Passed is when a change was queued that had come in a frame of the wire, and Passage how long that took.
	Passed  Happening     `json:"passed"`
	Passage time.Duration `json:"passage,omitempty"`
	// Cause is ErrorCause of the error for which the Reflector waited last.
	Cause string `json:"cause,omitempty"`

	// Relisting says that a relist began whose list the informer has not taken over, when the store had been replaced RelistReplaces times.
	Relisting      bool `json:"relisting,omitempty"`
	RelistReplaces int  `json:"relistReplaces,omitempty"`
	// Relisted is the last relist that was taken over. A Happening with a negative time has not happened.
	Relisted Happening `json:"relisted"`
	Batch    Batch     `json:"batch"`
	// Grew is a ring that was made larger: From and To are its capacities.
	Grew Happening `json:"grew"`
	// Panicked is a handler that panicked, Left a listener that was removed.
	Panicked Happening `json:"panicked"`
	Left     Happening `json:"left"`
}

// Happening is something that happened once, to a listener or to the lane as a whole.
type Happening struct {
	At       time.Duration `json:"at"`
	Listener int32         `json:"listener,omitempty"`
	From     int           `json:"from,omitempty"`
	To       int           `json:"to,omitempty"`
}

// Batch is what left the queue in one go.
type Batch struct {
	At time.Duration `json:"at"`
	N  int           `json:"n,omitempty"` // deltas in it
	// Ends is the type of the delta behind it, where that one is why the batch ended: it cannot be in one.
	Ends informer.Op `json:"ends,omitempty"`
}

// never is the time of what has not happened.
const never = time.Duration(-1 << 62)

// The depth of a queue is kept in steps for half a minute.
const (
	DepthStep  = 400 * time.Millisecond
	DepthSteps = 76 // 30 s, and the step that is not over
)

const (
	// batchStays is how long a large batch stays the one to tell of, against smaller ones.
	batchStays = 2600 * time.Millisecond
	// mainStays is how long a listener stays the one that has most to tell, at least.
	mainStays = 4 * time.Second
	// mainTells is how many notifications a listener has at least to hold back to have something to tell.
	mainTells = 4
)

func newRecent() Recent {
	h := Happening{At: never}
	return Recent{Passed: h, Relisted: h, Batch: Batch{At: never}, Grew: h, Panicked: h, Left: h, MainAt: never}
}

// Recent is what a lane's last moments brought, nil when there is no such lane. It must not be changed, and is valid until the Fold is.
func (f *Fold) Recent(lane int) *Recent {
	if lane < 0 || lane >= len(f.lanes) {
		return nil
	}
	return &f.lanes[lane].recent
}

// DepthHistory is the greatest depth of a queue in each step of the log's time, for the newest DepthSteps of them.
type DepthHistory struct {
	// Begun says that there is one. First and Last are the numbers of the oldest and the newest step, Depth is how deep the queue is now.
	Begun bool  `json:"begun,omitempty"`
	First int64 `json:"first,omitempty"`
	Last  int64 `json:"last,omitempty"`
	Depth int   `json:"depth,omitempty"`
	// Max of step i stands at i modulo DepthSteps.
	Max [DepthSteps]int32 `json:"max"`
}

func (h *DepthHistory) note(at time.Duration, depth int) {
	step := int64(max(at, 0) / DepthStep)
	if !h.Begun {
		*h = DepthHistory{Begun: true, First: step, Last: step}
	}
	step = max(step, h.Last)
	for i := max(h.Last+1, step-DepthSteps+1); i <= step; i++ {
		h.Max[i%DepthSteps] = int32(h.Depth) // it was so deep when the step began
	}
	h.Last = step
	h.First = max(h.First, step-DepthSteps+1)
	h.Depth = depth
	h.Max[step%DepthSteps] = max(h.Max[step%DepthSteps], int32(depth))
}

// Range calls fn with the greatest depth of each step, the oldest first.
func (h *DepthHistory) Range(fn func(step int64, depth int)) {
	if !h.Begun {
		return
	}
	for i := h.First; i <= h.Last; i++ {
		fn(i, int(h.Max[i%DepthSteps]))
	}
}

// ListenerRate counts what a listener took and what its handler handled in a whole second of the log, and in the one before it.
type ListenerRate struct {
	ID      int32 `json:"id"`
	Second  int64 `json:"second"`
	In      int   `json:"in,omitempty"`
	Out     int   `json:"out,omitempty"`
	LastIn  int   `json:"lastIn,omitempty"`
	LastOut int   `json:"lastOut,omitempty"`
}

func (r *ListenerRate) advance(at time.Duration) {
	second := int64(at / time.Second)
	switch {
	case second <= r.Second:
		return
	case second == r.Second+1:
		r.LastIn, r.LastOut = r.In, r.Out
	default:
		r.LastIn, r.LastOut = 0, 0
	}
	r.Second, r.In, r.Out = second, 0, 0
}

// At is what came in and went out in the last whole second before a moment.
func (r ListenerRate) At(at time.Duration) (in, out int) {
	r.advance(at)
	return r.LastIn, r.LastOut
}

// Rate is what a listener of a lane took and handled lately; the zero value when there is no such listener.
func (f *Fold) Rate(lane int, listener int32) ListenerRate {
	if lane >= 0 && lane < len(f.lanes) {
		if li := f.lanes[lane].listener(listener); li != nil {
			return li.rate
		}
	}
	return ListenerRate{}
}

// remember notes what an event that was just applied to the lane is for its last moments.
func (l *lane) remember(w *wire, e *Event) {
	r := &l.recent
	switch k := e.Kind; {
	case k <= informer.KindReflectorError:
		l.rememberReflector(e)
	case k <= informer.KindQueueClosed:
		r.Depths.note(e.At, l.queue.len())
		switch k {
		case informer.KindPopped:
			l.rememberBatch(e)
		case informer.KindQueued:
			if at, ok := w.came(e.Key, e.RV); ok {
				r.Passed, r.Passage = Happening{At: e.At}, e.At-at
			}
		}
	case k == informer.KindStoreReplaced:
		l.relistTaken(e)
	case k == informer.KindListenerRemoved:
		l.rememberRemoved(e)
	}
}

func (l *lane) rememberReflector(e *Event) {
	r := &l.recent
	switch e.Kind {
	case informer.KindListWatchStarted:
		if l.refl.ResourceVersion != "" {
			r.Relisting, r.RelistReplaces = true, l.store.replaces
		}
	case informer.KindBackoff:
		r.Cause = ErrorCause(e.Err)
		if !r.Silent {
			r.Silent, r.SilentAt = true, e.At
		}
	case informer.KindRequestAnswered:
		if e.Err == nil {
			r.Silent, r.SilentAt = false, 0
		}
	case informer.KindWatchEvent:
		r.Silent, r.SilentAt = false, 0
	}
	l.relistTaken(e)
}

// relistTaken notes that a relist is over: its watch is open, and in the release that replaces the store in one go, it was.
func (l *lane) relistTaken(e *Event) {
	r := &l.recent
	if r.Relisting && l.refl.Phase == "watching" && (l.release != informer.Release137 || l.store.replaces > r.RelistReplaces) {
		r.Relisting, r.Relisted = false, Happening{At: e.At}
	}
}

func (l *lane) rememberBatch(e *Event) {
	b := &l.recent.Batch
	q := &l.queue
	n := len(q.batch)
	if n < 2 || n <= b.N && e.At-b.At <= batchStays {
		return
	}
	*b = Batch{At: e.At, N: n}
	if !q.delta && q.line.n > 0 && n < popLimit && (q.population == 0 || n < q.population) {
		if op := q.line.at(0).op; !batchable(op) {
			b.Ends = op
		}
	}
}

func (l *lane) rememberRemoved(e *Event) {
	r := &l.recent
	r.Left = Happening{At: e.At, Listener: e.Listener}
	if e.Listener == r.Main {
		r.Main, r.MainAt = 0, never
		l.choose(e)
	}
}

// challenge makes a listener the one that has most to tell, if it has more to tell than the one that was, which had its time.
func (l *lane) challenge(li *listener, e *Event) {
	r := &l.recent
	if li.id == r.Main || li.removed || li.pending() < mainTells || e.At-r.MainAt < mainStays {
		return
	}
	if was := l.listener(r.Main); was == nil || was.removed || was.pending() < li.pending() {
		r.Main, r.MainAt = li.id, e.At
	}
}

// choose finds the listener that has most to tell among all, if any has something.
func (l *lane) choose(e *Event) {
	var most *listener
	for i := range l.listeners {
		if li := &l.listeners[i]; !li.removed && li.pending() >= mainTells && (most == nil || li.pending() > most.pending()) {
			most = li
		}
	}
	if most != nil {
		l.recent.Main, l.recent.MainAt = most.id, e.At
	}
}

// restoreRecent takes a lane's last moments from a KindRestored, which has none in a log of an older program.
func (l *lane) restoreRecent(w *world, s *Recent, at time.Duration) {
	l.recent = newRecent()
	if s == nil {
		l.recent.Depths.note(at, l.queue.len())
		return
	}
	l.recent = *s
	if s.Passed == (Happening{}) { // of a program that did not know of it
		l.recent.Passed.At = never
	}
	l.recent.Rates, l.recent.Writes = nil, nil
	if w.bins, w.bin = [rateBins]int{}, -1; len(s.Writes) == rateBins && s.WritesBin >= 0 {
		copy(w.bins[:], s.Writes)
		w.bin = s.WritesBin
	}
	d := &l.recent.Depths
	d.Last = max(d.Last, 0)
	d.First = min(max(d.First, d.Last-DepthSteps+1, 0), d.Last)
	for _, x := range s.Rates {
		if li := l.listener(x.ID); li != nil {
			li.rate = x
		}
	}
}

// keptRecent is a lane's last moments for a KindRestored.
func (l *lane) keptRecent(w *world) *Recent {
	r := l.recent
	r.Rates = nil
	r.Writes, r.WritesBin = slices.Clone(w.bins[:]), w.bin
	for i := range l.listeners {
		if x := l.listeners[i].rate; x != (ListenerRate{}) {
			x.ID = l.listeners[i].id
			r.Rates = append(r.Rates, x)
		}
	}
	return &r
}
