package trace

import (
	"encoding/json"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/informer"
)

// Bounds of what a Fold keeps. They are far above what a real experiment reaches, and keep a damaged file from costing more than its size.
const (
	maxLanes     = 20 // eight resources in two releases, and four unshared informers
	maxListeners = 1024
	keptRemoved  = 4 // removed listeners that are still shown
	maxIndices   = 64
	maxOpen      = 256 // open requests
	maxFaults    = 64
	maxHolds     = 1024
	maxWorkers   = 1024
	maxBackoffs  = 16
	maxCaps      = 32 // capacities that a ring has had
	maxFidelity  = 64 // members of a State
	keptFrames   = 24
	meanOver     = 16 // handler calls
)

// Fold is the state after a prefix of a log. The zero value is not usable; see NewFold. A Fold belongs to one goroutine at a time; Clone makes a copy for
// another. Events that make no sense in their place, as in a damaged file, change as little as possible and never panic.
type Fold struct {
	epoch uint64
	seq   uint64
	at    time.Duration
	sel   Selection
	world world
	wires []wire // as many as lanes; see lane.wire
	lanes []lane
	alone bool // others only ever see clones of this Fold, so whatever has its epoch may be changed in place
}

// lane is one informer and its surroundings.
type lane struct {
	of         LaneOf
	stage      string // of its factory
	wire       int    // index of the wire for its requests: lanes of one resource that a selection began with share one
	release    informer.Release
	releaseSet bool
	running    bool
	synced     bool
	refl       reflector
	queue      queue
	store      store
	listeners  []listener // by id
	work       *workq
	recent     Recent
	fidelity   map[string]Fidelity // never changed once set
}

type reflector struct {
	Reflector // counters and strings that go into the State unchanged

	req      uint32
	verb     informer.Verb
	options  *metav1.ListOptions
	wire     string // the URL as sent on the wire
	wireOpen bool   // the wire has not reported the request yet
}

// NewFold returns the Fold of the empty log: one empty lane.
func NewFold() *Fold {
	f := &Fold{epoch: newEpoch()}
	f.reset(1)
	return f
}

func (f *Fold) reset(lanes int) {
	f.world = world{bin: -1}
	f.wires = make([]wire, lanes)
	f.lanes = make([]lane, lanes)
	for i := range f.lanes {
		f.wires[i] = newWire()
		f.lanes[i] = newLane()
	}
}

func newWire() wire { return wire{objects: -1} }

func newLane() lane {
	var l lane
	l.refl.Phase = "idle"
	l.recent = newRecent()
	return l
}

// Seq returns the number of the last event applied, 0 for none.
func (f *Fold) Seq() uint64 { return f.seq }

// At returns the time of the last event applied.
func (f *Fold) At() time.Duration { return f.at }

// Selection returns what the experiment watches; the zero value before KindSelected.
func (f *Fold) Selection() Selection { return f.sel }

// Lanes returns how many informers run side by side, at least 1.
func (f *Fold) Lanes() int { return len(f.lanes) }

// Clone returns an independent copy. Shared data is copied on the first write, so cloning costs microseconds however many objects there are. Clone must not
// run concurrently with any other call on f.
func (f *Fold) Clone() *Fold {
	c := *f
	f.epoch, c.epoch = newEpoch(), newEpoch()
	c.alone = false
	c.wires = slices.Clone(f.wires)
	for i := range c.wires {
		c.wires[i].open = slices.Clone(f.wires[i].open)
	}
	c.world.holds = slices.Clone(f.world.holds)
	c.world.faults = slices.Clone(f.world.faults)
	c.lanes = slices.Clone(f.lanes)
	for i := range c.lanes {
		l := &c.lanes[i]
		l.refl.Backoffs = slices.Clone(l.refl.Backoffs)
		l.listeners = slices.Clone(l.listeners)
		for j := range l.listeners {
			l.listeners[j].caps = slices.Clip(l.listeners[j].caps)
			f.lanes[i].listeners[j].caps = slices.Clip(f.lanes[i].listeners[j].caps)
		}
		l.store.indices = slices.Clone(l.store.indices)
		l.queue = l.queue.clone()
		l.work = l.work.clone()
	}
	return &c
}

// Apply advances the fold by one event. It keeps what the event points to, not the event itself.
func (f *Fold) Apply(e *Event) {
	f.seq = e.Seq
	if e.At > f.at {
		f.at = e.At
	}
	switch kinds[e.Kind].about {
	case aboutSelection:
		f.applySelection(e)
	case aboutWorld:
		f.applyWorld(e)
	default:
		if int(e.Lane) < len(f.lanes) {
			f.applyLane(&f.lanes[e.Lane], e)
		}
	}
}

// applySelection folds an event that begins informers, or moves their factory to another stage.
func (f *Fold) applySelection(e *Event) {
	switch e.Kind {
	case KindSelected:
		f.selected(e)
	case KindRestored:
		f.restore(e)
	case KindLane:
		f.laneBegins(e)
	case KindFactory:
		for i := range f.lanes {
			if l := &f.lanes[i]; !l.of.Unshared && l.of.Release == e.Key {
				l.stage = e.Text
			}
		}
	}
}

// applyLane folds an event of one informer.
func (f *Fold) applyLane(l *lane, e *Event) {
	switch kinds[e.Kind].about {
	case aboutReflector:
		f.applyReflector(l, e)
	case aboutQueue:
		l.queue.apply(f.epoch, e)
	case aboutStore:
		l.store.apply(f.epoch, f.alone, e)
	case aboutListener:
		l.applyListener(e)
	case aboutWork:
		if l.work == nil {
			l.work = &workq{}
		}
		l.work.apply(f.epoch, e)
	case aboutLane:
		switch e.Kind {
		case KindSampled:
			l.sampled(e)
		case KindMutated, KindMet:
			l.changed(f.epoch, e)
		}
	}
	l.remember(&f.wires[l.wire], e)
}

func (f *Fold) selected(e *Event) {
	var sel Selection
	if json.Unmarshal([]byte(e.Text), &sel) != nil {
		sel = Selection{}
	}
	f.sel = sel
	lanes := sel.Lanes()
	f.reset(min(len(lanes), maxLanes))
	for i := range f.lanes {
		f.lanes[i].is(lanes[i])
		if len(sel.Resources) > 0 || lanes[i].Unshared {
			f.lanes[i].wire = i
		}
	}
}

// is sets what the informer of a lane watches.
func (l *lane) is(of LaneOf) {
	l.of = of
	if release, err := informer.ParseRelease(of.Release); err == nil && of.Release != "" {
		l.setRelease(release)
	}
}

// laneBegins puts an informer into a lane: after the last one, or in place of one that has ended.
func (f *Fold) laneBegins(e *Event) {
	var of LaneOf
	i := int(e.Lane)
	if json.Unmarshal([]byte(e.Text), &of) != nil || i > len(f.lanes) || i >= maxLanes {
		return
	}
	l := newLane()
	if i == len(f.lanes) {
		l.wire = i
		f.lanes, f.wires = append(f.lanes, l), append(f.wires, newWire())
	}
	l.wire, l.stage = f.lanes[i].wire, f.lanes[i].stage
	l.is(of)
	f.lanes[i] = l
}

func (l *lane) setRelease(release informer.Release) {
	if release == informer.ReleaseDefault {
		release = informer.Release137
	}
	l.release, l.releaseSet = release, true
	delta := release == informer.Release131
	if l.queue.delta != delta && l.queue.len() == 0 {
		l.queue.delta = delta
	}
}

// applyReflector folds the events of the informer as a whole and of its Reflector. The phase changes with the same events as informer.ReflectorSnapshot's.
func (f *Fold) applyReflector(l *lane, e *Event) {
	r := &l.refl
	switch e.Kind {
	case informer.KindInformerStarted:
		l.running = true
		l.setRelease(e.Release)
	case informer.KindInformerStopped:
		l.running = false
	case informer.KindInformerSynced:
		l.synced = true
	case informer.KindReflectorStarted:
		r.Phase = "idle"
	case informer.KindReflectorStopped:
		r.Phase = "stopped"
		r.BackoffMillis, r.TimeoutSeconds, r.TempStore = 0, 0, 0
	case informer.KindListWatchStarted:
		if r.ResourceVersion != "" { // retrying a first list is not a relist
			r.Relists++
		}
		r.Why = e.Text
	case informer.KindRequestSent:
		r.send(e)
	case informer.KindRequestAnswered:
		r.takeAnswer(e)
		if e.Err == nil {
			f.wires[l.wire].sawRV(e.RV)
		}
	case informer.KindWatchEvent:
		f.wires[l.wire].sawRV(e.RV)
		r.receive(e)
	case informer.KindWatchClosed:
		r.noteError(e)
		r.TempStore, r.TimeoutSeconds = 0, 0
	case informer.KindEventDropped:
		r.Dropped++
	case informer.KindReflectorRV:
		r.ResourceVersion = e.RV
		f.wires[l.wire].sawRV(e.RV)
	case informer.KindUnavailable:
		r.Unavailable = e.Flag
	case informer.KindBackoff:
		r.backOff(e)
	case informer.KindBackoffEnded:
		r.BackoffMillis = 0
	case informer.KindResyncDue:
		r.Resyncs++
	case informer.KindReflectorError:
		r.noteError(e)
	}
}

// send notes a request.
func (r *reflector) send(e *Event) {
	r.req, r.verb, r.options = e.Req, e.Verb, e.Options
	r.wire, r.wireOpen = "", true
	r.Verb = e.Verb.String()
	r.RequestMillis = millis(e.At)
	r.TimeoutSeconds = 0
	r.TempStore = 0
	switch e.Verb {
	case informer.VerbList:
		r.Lists++
		r.Phase = "listing"
	case informer.VerbWatchList:
		r.Watches++
		r.Phase = "watch-listing"
	default:
		r.Watches++
		r.Phase = "watching"
	}
	if e.Verb != informer.VerbList && e.Options != nil && e.Options.TimeoutSeconds != nil {
		r.TimeoutSeconds = *e.Options.TimeoutSeconds
	}
}

// takeAnswer notes the answer to a request, or its failure.
func (r *reflector) takeAnswer(e *Event) {
	r.noteError(e)
	switch {
	case e.Req != r.req:
	case e.Err != nil:
		r.TimeoutSeconds = 0
	case r.verb == informer.VerbList:
		r.Backoffs = r.Backoffs[:0]
	}
}

// receive notes an event of the watch.
func (r *reflector) receive(e *Event) {
	r.Backoffs = r.Backoffs[:0]
	if e.Op != informer.OpBookmark {
		r.Events++
		if r.Phase == "watch-listing" {
			r.TempStore = e.N
		}
		return
	}
	r.Bookmarks++
	if e.Flag {
		r.TempStore = 0
		if r.Phase == "watch-listing" {
			r.Phase = "watching"
		}
	}
}

// backOff notes that a wait begins.
func (r *reflector) backOff(e *Event) {
	r.Phase = "backoff"
	r.BackoffMillis = millis(e.Dur)
	r.BackoffSince = millis(e.At)
	r.BackoffCause, r.BackoffThen = "", e.Text
	if e.Err != nil {
		r.BackoffCause = e.Err.Error()
		r.noteError(e)
	}
	if len(r.Backoffs) >= maxBackoffs {
		copy(r.Backoffs, r.Backoffs[1:])
		r.Backoffs = r.Backoffs[:maxBackoffs-1]
	}
	r.Backoffs = append(r.Backoffs, r.BackoffMillis)
}

// noteError keeps an event's error as the last one, if it has one.
func (r *reflector) noteError(e *Event) {
	if e.Err != nil {
		r.LastError = e.Err.Error()
		r.LastErrorMillis = millis(e.At)
	}
}

func millis(d time.Duration) float64 { return float64(d/time.Microsecond) / 1000 }
