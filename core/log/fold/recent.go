package fold

import (
	"slices"
	"time"

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// Recent is what a Fold keeps about a lane's last moments beside its State: the source of curves, rates and sentences about the present. It is part of the
// fold, so it is the same at a seq however a viewer got there. A log that begins after its experiment has it in its KindRestored.
type Recent struct {
	Depths DepthHistory `json:"depths"`
	// Rates of the listeners that accepted or handled something, by their id. A Fold keeps them with its listeners.
	Rates []ListenerRate `json:"rates,omitempty"`
	// Writes of the newest bins of time, and the number of the newest bin. They belong to all lanes; a Fold keeps them with its world.
	Writes    []int `json:"writes,omitempty"`
	WritesBin int64 `json:"writesBin,omitempty"`

	// Main is the id of the listener that is most worth a look, 0 until one has a backlog. MainAt is when it became that.
	Main   int32         `json:"main,omitempty"`
	MainAt time.Duration `json:"mainAt,omitempty"`

	// Silent: nothing arrives from the cluster, because a request failed or ended with an error and none was answered since. SilentAt is when that began.
	Silent   bool          `json:"silent,omitempty"`
	SilentAt time.Duration `json:"silentAt,omitempty"`
	// Passed is when a change was queued that had arrived in a wire frame, and Passage how long it took to get there.
	Passed  Happening     `json:"passed"`
	Passage time.Duration `json:"passage,omitempty"`
	// Cause is the ErrorCause of the error behind the last backoff.
	Cause string `json:"cause,omitempty"`

	// Relisting: a relist began that the informer has not completed. RelistReplaces is how often the store had been replaced at its start.
	Relisting      bool `json:"relisting,omitempty"`
	RelistReplaces int  `json:"relistReplaces,omitempty"`
	// Relisted is the last completed relist. A Happening with a negative time has not happened.
	Relisted Happening `json:"relisted"`
	Batch    Batch     `json:"batch"`
	// Grew is a ring that grew: From and To are its capacities.
	Grew Happening `json:"grew"`
	// Panicked is a handler that panicked, Left a listener that was removed.
	Panicked Happening `json:"panicked"`
	Left     Happening `json:"left"`
	// Arrivals are the newest changes of objects that the watch of a live cluster brought into the store. A restored log does not have them.
	Arrivals Arrivals `json:"-"`
}

// Happening is a single event, of a listener or of the lane as a whole.
type Happening struct {
	At       time.Duration `json:"at"`
	Listener int32         `json:"listener,omitempty"`
	From     int           `json:"from,omitempty"`
	To       int           `json:"to,omitempty"`
}

// Batch is what was popped in one go.
type Batch struct {
	At time.Duration `json:"at"`
	N  int           `json:"n,omitempty"` // deltas in it
	// Ends is the type of the delta after the batch, if that delta cannot be in a batch and so ended it.
	Ends event.Op `json:"ends,omitempty"`
}

// never is the time of a Happening that has not happened.
const never = time.Duration(-1 << 62)

// The depth of a queue is kept in steps, for half a minute.
const (
	DepthStep  = 400 * time.Millisecond
	DepthSteps = 76 // 30 s, and the step that is under way
)

const (
	// batchStays is how long a large batch is shown in preference to later, smaller ones.
	batchStays = 2600 * time.Millisecond
	// mainStays is how long a listener stays Main, at least.
	mainStays = 4 * time.Second
	// mainTells is the smallest backlog, in notifications, that can make a listener Main.
	mainTells = 4
)

func newRecent() Recent {
	h := Happening{At: never}
	return Recent{Passed: h, Relisted: h, Batch: Batch{At: never}, Grew: h, Panicked: h, Left: h, MainAt: never}
}

// Recent returns a lane's last moments; nil if there is no such lane. It must not be changed, and is valid as long as the Fold is unchanged.
func (f *Fold) Recent(lane int) *Recent {
	if lane < 0 || lane >= len(f.lanes) {
		return nil
	}
	return &f.lanes[lane].recent
}

// DepthHistory is the greatest depth of a queue in each step of the log's time, for the newest DepthSteps of them.
type DepthHistory struct {
	// Begun: something was noted. First and Last are the numbers of the oldest and the newest step, Depth is the depth now.
	Begun bool  `json:"begun,omitempty"`
	First int64 `json:"first,omitempty"`
	Last  int64 `json:"last,omitempty"`
	Depth int   `json:"depth,omitempty"`
	// The entry of step i is at index i modulo DepthSteps.
	Max [DepthSteps]int32 `json:"max"`
}

func (h *DepthHistory) note(at time.Duration, depth int) {
	step := int64(max(at, 0) / DepthStep)
	if !h.Begun {
		*h = DepthHistory{Begun: true, First: step, Last: step}
	}
	step = max(step, h.Last)
	for i := max(h.Last+1, step-DepthSteps+1); i <= step; i++ {
		h.Max[i%DepthSteps] = int32(h.Depth) // the depth when the step began
	}
	h.Last = step
	h.First = max(h.First, step-DepthSteps+1)
	h.Depth = depth
	h.Max[step%DepthSteps] = max(h.Max[step%DepthSteps], int32(depth))
}

// Range calls fn with the greatest depth of each step, oldest first.
func (h *DepthHistory) Range(fn func(step int64, depth int)) {
	if !h.Begun {
		return
	}
	for i := h.First; i <= h.Last; i++ {
		fn(i, int(h.Max[i%DepthSteps]))
	}
}

// ListenerRate counts what a listener accepted and its handler handled in one whole second of the log, and in the second before.
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

// At returns what came in and went out in the last whole second before at.
func (r ListenerRate) At(at time.Duration) (in, out int) {
	r.advance(at)
	return r.LastIn, r.LastOut
}

// Rate returns the recent rate of a listener; the zero value if there is no such listener.
func (f *Fold) Rate(lane int, listener int32) ListenerRate {
	if lane >= 0 && lane < len(f.lanes) {
		if li := f.lanes[lane].listener(listener); li != nil {
			return li.rate
		}
	}
	return ListenerRate{}
}

// remember updates a lane's last moments after an event was applied to it.
func (l *lane) remember(w *wire, isLive bool, e *event.Entry) {
	r := &l.recent
	switch event.SubjectOf(e.Kind) {
	case event.AboutReflector:
		l.rememberReflector(e)
	case event.AboutQueue:
		r.Depths.note(e.At, l.queue.len())
	}
	switch e.Kind {
	case event.KindPopped:
		l.rememberBatch(e)
	case event.KindQueued:
		if at, ok := w.arrivalOf(e.Key(), e.RV()); ok {
			r.Passed, r.Passage = Happening{At: e.At}, e.At-at
		}
	case event.KindStoreReplaced:
		l.relistTaken(e)
	case event.KindStoreAdded, event.KindStoreUpdated:
		if isLive {
			r.Arrivals.note(e.At, e.Stored())
		}
	case event.KindListenerRemoved:
		l.rememberRemoved(e)
	}
}

func (l *lane) rememberReflector(e *event.Entry) {
	r := &l.recent
	switch e.Kind {
	case event.KindListWatchStarted:
		if l.refl.ResourceVersion != "" {
			r.Relisting, r.RelistReplaces = true, l.store.replaces
		}
	case event.KindBackoff:
		r.Cause = event.ErrorCause(e.Err())
		if !r.Silent {
			r.Silent, r.SilentAt = true, e.At
		}
	case event.KindRequestAnswered:
		if e.Err() == nil {
			r.Silent, r.SilentAt = false, 0
		}
	case event.KindWatchEvent:
		r.Silent, r.SilentAt = false, 0
	}
	l.relistTaken(e)
}

// relistTaken notes that a relist is complete: its watch is open and, in 1.37, which replaces the store in one go, the store was replaced.
func (l *lane) relistTaken(e *event.Entry) {
	r := &l.recent
	if r.Relisting && l.refl.Phase == "watching" && (l.release != releases.V137 || l.store.replaces > r.RelistReplaces) {
		r.Relisting, r.Relisted = false, Happening{At: e.At}
	}
}

func (l *lane) rememberBatch(e *event.Entry) {
	b := &l.recent.Batch
	q := &l.queue
	n := len(q.batch)
	if n < 2 || n <= b.N && e.At-b.At <= batchStays {
		return
	}
	*b = Batch{At: e.At, N: n}
	if !q.delta && q.line.Len() > 0 && n < popLimit && (q.population == 0 || n < q.population) {
		if op := q.line.At(0).op; !batchable(op) {
			b.Ends = op
		}
	}
}

func (l *lane) rememberRemoved(e *event.Entry) {
	r := &l.recent
	r.Left = Happening{At: e.At, Listener: e.Listener()}
	if e.Listener() == r.Main {
		r.Main, r.MainAt = 0, never
		l.choose(e)
	}
}

// challenge makes li Main if it has a larger backlog than the current one, whose minimum time is over.
func (l *lane) challenge(li *listener, e *event.Entry) {
	r := &l.recent
	if li.id == r.Main || li.removed || li.pending() < mainTells || e.At-r.MainAt < mainStays {
		return
	}
	if was := l.listener(r.Main); was == nil || was.removed || was.pending() < li.pending() {
		r.Main, r.MainAt = li.id, e.At
	}
}

// choose makes the listener with the largest backlog Main, if any has one.
func (l *lane) choose(e *event.Entry) {
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

// restoreRecent takes over a lane's last moments from a KindRestored; an older program's log has none.
func (l *lane) restoreRecent(w *world, s *Recent, at time.Duration) {
	l.recent = newRecent()
	if s == nil {
		l.recent.Depths.note(at, l.queue.len())
		return
	}
	l.recent = *s
	if s.Passed == (Happening{}) { // written by a program without this member
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

// keptRecent returns a lane's last moments for a KindRestored.
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
