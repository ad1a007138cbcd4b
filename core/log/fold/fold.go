package fold

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/log/lens"
	"informerscope/core/words/event"
	"informerscope/core/words/persistent"
	"informerscope/core/words/releases"
)

// Bounds of what a Fold keeps. They are far above what a real experiment reaches, and keep a damaged file from costing more than its size.
const (
	maxDeltas    = 1 << 10 // of a key
	maxWords     = 1 << 10 // bytes of a mark's text, or of a listener's name
	MaxLanes     = 20      // eight resources in two releases, and four unshared informers
	MaxListeners = 1024
	keptRemoved  = 4 // removed listeners that are still shown
	maxIndices   = 64
	maxOpen      = 256 // open requests
	maxFaults    = 64
	maxHolds     = 1024
	maxWorkers   = 1024
	maxBackoffs  = 16
	maxCaps      = 32 // capacities that a ring has had
	maxDrops     = 16 // predicates of a handler
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
	sel   event.Selection
	world world
	twin  world // of the second lane of a fork
	fork  fork
	wires []wire // as many as lanes; see lane.wire
	lanes []lane
	lens  lens.Lens
	alone bool // others only ever see clones of this Fold, so whatever has its epoch may be changed in place
}

// lane is one informer and its surroundings.
type lane struct {
	identity   event.LaneOf
	stage      string // of its factory
	wire       int    // index of the wire for its requests: lanes of one resource that a selection began with share one
	release    releases.Release
	releaseSet bool
	// newerRelease is the name of a release that is newer than those that are known; release is then the newest of them.
	newerRelease string
	running      bool
	synced       bool
	cluster      cluster
	refl         reflector
	queue        queue
	store        store
	listeners    []listener // by id
	work         *workq
	recent       Recent
	fidelity     map[string]Fidelity // never changed once set
}

type reflector struct {
	Reflector // counters and strings that go into the State unchanged

	req      uint32
	verb     event.Verb
	options  *metav1.ListOptions
	wire     string // the URL as sent on the wire
	wireOpen bool   // the wire has not reported the request yet
	asking   string // the phase before a wait
}

// NewFold returns the Fold of the empty log: one empty lane.
func NewFold() *Fold {
	f := &Fold{epoch: persistent.NewEpoch()}
	f.reset(1)
	return f
}

func (f *Fold) reset(lanes int) {
	f.world, f.twin, f.fork = world{bin: -1}, world{bin: -1}, fork{since: duration(f.sel.ForkMillis), from: duration(f.sel.ForkMillis)}
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
	l.cluster.came = clusterNever
	return l
}

// Seq returns the number of the last event applied, 0 for none.
func (f *Fold) Seq() uint64 { return f.seq }

// At returns the time of the last event applied.
func (f *Fold) At() time.Duration { return f.at }

// Selection returns what the experiment watches; the zero value before KindSelected.
func (f *Fold) Selection() event.Selection { return f.sel }

// Lanes returns how many informers run side by side, at least 1.
func (f *Fold) Lanes() int { return len(f.lanes) }

// Lens returns what woke the controllers' keys, and what their reconciles did, as far as the log names it. It must not be changed, and is valid as long as the
// Fold is unchanged.
func (f *Fold) Lens() *lens.Lens { return &f.lens }

// Clone returns an independent copy. Shared data is copied on the first write, so cloning costs microseconds however many objects there are. Clone must not
// run concurrently with any other call on f.
func (f *Fold) Clone() *Fold {
	c := *f
	f.epoch, c.epoch = persistent.NewEpoch(), persistent.NewEpoch()
	c.alone = false
	c.lens = f.lens.Clone()
	c.wires = slices.Clone(f.wires)
	for i := range c.wires {
		c.wires[i].open = slices.Clone(f.wires[i].open)
	}
	c.world.holds = slices.Clone(f.world.holds)
	c.world.faults = slices.Clone(f.world.faults)
	c.twin.holds, c.twin.faults = slices.Clone(f.twin.holds), slices.Clone(f.twin.faults)
	c.fork.unpairedCounts = maps.Clone(f.fork.unpairedCounts)
	c.lanes = slices.Clone(f.lanes)
	for i := range c.lanes {
		l := &c.lanes[i]
		l.refl.Backoffs = slices.Clone(l.refl.Backoffs)
		l.listeners = slices.Clone(l.listeners)
		for j := range l.listeners {
			l.listeners[j].caps = slices.Clip(l.listeners[j].caps)
			f.lanes[i].listeners[j].caps = slices.Clip(f.lanes[i].listeners[j].caps)
			l.listeners[j].drops = slices.Clone(l.listeners[j].drops)
		}
		l.store.indices = slices.Clone(l.store.indices)
		l.queue = l.queue.clone()
		l.work = l.work.clone()
	}
	return &c
}

// ChangeInPlace says that others only ever see clones of the Fold, so that Apply may change what the Fold made.
func (f *Fold) ChangeInPlace() { f.alone = true }

// Apply advances the fold by one event. It keeps what the event points to, not the event itself.
func (f *Fold) Apply(e *event.Entry) {
	f.seq = e.Seq
	if e.At > f.at {
		f.at = e.At
	}
	f.compareLanes(e)
	f.lens.See(e)
	switch event.SubjectOf(e.Kind) {
	case event.AboutSelection:
		f.applySelection(e)
	case event.AboutWorld:
		f.applyWorld(e)
	default:
		if int(e.Lane) < len(f.lanes) {
			f.applyLane(&f.lanes[e.Lane], e)
		}
	}
}

// applySelection folds an event that begins informers, or moves their factory to another stage.
func (f *Fold) applySelection(e *event.Entry) {
	switch e.Kind {
	case event.KindSelected:
		f.beginSelection(e)
	case event.KindRestored:
		f.restore(e)
	case event.KindLane:
		f.laneBegins(e)
	case event.KindFactory:
		x := e.Factory()
		for i := range f.lanes {
			l := &f.lanes[i]
			if !l.identity.Unshared && l.identity.Release == x.Release && (!f.IsFork() || i == int(e.Lane)) {
				l.stage = x.Stage
			}
		}
	}
}

// applyLane folds an event of one informer.
func (f *Fold) applyLane(l *lane, e *event.Entry) {
	switch event.SubjectOf(e.Kind) {
	case event.AboutReflector:
		f.applyReflector(l, e)
		l.followList(f.epoch, f.wires[l.wire].hasRequests(), e)
	case event.AboutQueue:
		l.queue.apply(f.epoch, e)
		if e.Kind == event.KindQueued {
			l.followQueue(f.epoch, f.wires[l.wire].hasRequests(), e)
		}
	case event.AboutStore:
		l.store.apply(f.epoch, f.alone, e)
		l.arriveInStore(f.epoch, e)
	case event.AboutListener:
		l.applyListener(e)
		if e.Kind == event.KindHandling && f.IsFork() && e.At >= f.fork.since {
			if li := l.listener(e.Listener()); li != nil {
				li.noteCall(e.Op())
			}
		}
	case event.AboutWork:
		if l.work == nil {
			l.work = &workq{}
		}
		if e.Kind == event.KindListerRead && l.fidelity["workqueue.lastRead"].How == "unseen" { // a probe sees reads from here on
			l.fidelity = maps.Clone(l.fidelity)
			l.fidelity["workqueue.lastRead"] = Fidelity{"derived", "reads of single objects by listers that the probe sees; others are not seen"}
		}
		l.work.apply(f.epoch, e)
	case event.AboutLane:
		switch e.Kind {
		case event.KindSampled:
			l.applySample(e)
		case event.KindMutated, event.KindMet:
			l.applyChange(f.epoch, e)
		}
	}
	l.remember(&f.wires[l.wire], e)
}

func (f *Fold) beginSelection(e *event.Entry) {
	var sel event.Selection
	if json.Unmarshal([]byte(e.Selected().Selection), &sel) != nil {
		sel = event.Selection{}
	}
	f.sel = sel
	lanes := sel.Lanes()
	f.reset(min(len(lanes), MaxLanes))
	for i := range f.lanes {
		f.lanes[i].setIdentity(lanes[i])
		if len(sel.Resources) > 0 || lanes[i].Unshared || sel.Fork != "" {
			f.lanes[i].wire = i
		}
	}
}

// setIdentity sets what the informer of a lane watches.
func (l *lane) setIdentity(identity event.LaneOf) {
	l.identity = identity
	if identity.Release != "" {
		l.nameRelease(identity.Release)
	}
}

// laneBegins puts an informer into a lane: after the last one, or in place of one that has ended.
func (f *Fold) laneBegins(e *event.Entry) {
	var identity event.LaneOf
	i := int(e.Lane)
	if json.Unmarshal([]byte(e.LaneBegun().Informer), &identity) != nil || i > len(f.lanes) || i >= MaxLanes {
		return
	}
	l := newLane()
	if i == len(f.lanes) {
		l.wire = i
		f.lanes, f.wires = append(f.lanes, l), append(f.wires, newWire())
	}
	l.wire, l.stage = f.lanes[i].wire, f.lanes[i].stage
	l.setIdentity(identity)
	f.lanes[i] = l
}

// nameRelease sets the release that a log names. One that is newer than those that are known is taken for the newest of them, and keeps its name.
func (l *lane) nameRelease(name string) {
	if release, err := releases.Parse(name); err == nil {
		l.setRelease(release)
		l.newerRelease = ""
	} else if releases.IsNewer(name) {
		l.setRelease(releases.All()[0])
		l.newerRelease = name
	}
}

// releaseName returns the name of the release.
func (l *lane) releaseName() string { return cmp.Or(l.newerRelease, l.release.String()) }

func (l *lane) setRelease(release releases.Release) {
	l.release, l.releaseSet = release, true
	delta := !release.Features().KeepsOrder
	if l.queue.delta != delta && l.queue.len() == 0 {
		l.queue.delta = delta
	}
}

// applyReflector folds the events of the informer as a whole and of its Reflector. The phase changes with the same events as informer.ReflectorSnapshot's.
func (f *Fold) applyReflector(l *lane, e *event.Entry) {
	r := &l.refl
	switch e.Kind {
	case event.KindInformerStarted:
		l.running = true
		l.nameRelease(e.InformerStarted().Release)
	case event.KindInformerStopped:
		l.running = false
	case event.KindInformerSynced:
		l.synced = true
	case event.KindReflectorStarted:
		r.Phase = "idle"
	case event.KindReflectorStopped:
		r.Phase = "stopped"
		r.BackoffMillis, r.TimeoutSeconds, r.TempStore = 0, 0, 0
	case event.KindListWatchStarted:
		if r.ResourceVersion != "" { // retrying a first list is not a relist
			r.Relists++
		}
		r.Why = e.ListWatchStarted().Why
	case event.KindRequestSent:
		r.send(e)
	case event.KindRequestAnswered:
		r.takeAnswer(e)
		if e.Err() == nil {
			f.wires[l.wire].raiseRV(e.RV())
		}
	case event.KindWatchEvent:
		f.wires[l.wire].raiseRV(e.RV())
		r.receive(e)
	case event.KindWatchClosed:
		r.noteError(e)
		r.TempStore, r.TimeoutSeconds = 0, 0
	case event.KindEventDropped:
		r.Dropped++
	case event.KindReflectorRV:
		r.ResourceVersion = e.RV()
		f.wires[l.wire].raiseRV(e.RV())
		if r.Unread != nil && !event.IsNewer(f.wires[l.wire].rv, r.ResourceVersion) {
			r.Unread = new(int)
		}
	case event.KindUnavailable:
		r.Unavailable = e.Unavailable().Unavailable
	case event.KindBackoff:
		r.backOff(e)
	case event.KindBackoffEnded:
		r.BackoffMillis = 0
		if r.BackoffThen == event.ThenSendAgain { // the Reflector has not noticed
			r.Phase = r.asking
		}
	case event.KindResyncDue:
		r.Resyncs++
	case event.KindReflectorError:
		r.noteError(e)
	}
}

// send notes a request.
func (r *reflector) send(e *event.Entry) {
	sent := e.RequestSent()
	r.req, r.verb, r.options = sent.Req, sent.Verb, sent.Options
	r.wire, r.wireOpen = "", true
	r.Verb = sent.Verb.String()
	r.RequestMillis = Millis(e.At)
	r.TimeoutSeconds = 0
	r.TempStore = 0
	switch sent.Verb {
	case event.VerbList:
		r.Lists++
		r.Phase = "listing"
	case event.VerbWatchList:
		r.Watches++
		r.Phase = "watch-listing"
	default:
		r.Watches++
		r.Phase = "watching"
	}
	if sent.Verb != event.VerbList && sent.Options != nil && sent.Options.TimeoutSeconds != nil {
		r.TimeoutSeconds = *sent.Options.TimeoutSeconds
	}
}

// takeAnswer notes the answer to a request, or its failure.
func (r *reflector) takeAnswer(e *event.Entry) {
	r.noteError(e)
	switch {
	case e.Req() != r.req:
	case e.Err() != nil:
		r.TimeoutSeconds = 0
	case r.verb == event.VerbList:
		r.Backoffs = r.Backoffs[:0]
	}
}

// receive notes an event of the watch.
func (r *reflector) receive(e *event.Entry) {
	r.Backoffs = r.Backoffs[:0]
	received := e.WatchEvent()
	if received.Op != event.OpBookmark {
		r.Events++
		r.addUnread(-1)
		if r.Phase == "watch-listing" {
			r.TempStore = received.TempStore
		}
		return
	}
	r.Bookmarks++
	if received.EndMark {
		r.TempStore = 0
		if r.Phase == "watch-listing" {
			r.Phase = "watching"
		}
	}
}

// addUnread corrects a number that is known. A State and a copy of the Fold may have the old one.
func (r *reflector) addUnread(n int) {
	if r.Unread != nil {
		n = max(*r.Unread+n, 0)
		r.Unread = &n
	}
}

// backOff notes that a wait begins.
func (r *reflector) backOff(e *event.Entry) {
	r.asking, r.Phase = r.Phase, "backoff"
	backoff := e.Backoff()
	r.BackoffMillis = Millis(backoff.Wait)
	r.BackoffSince = Millis(e.At)
	r.BackoffCause, r.BackoffThen = "", backoff.Then
	if backoff.Err != nil {
		r.BackoffCause = backoff.Err.Error()
		r.noteError(e)
	}
	if len(r.Backoffs) >= maxBackoffs {
		copy(r.Backoffs, r.Backoffs[1:])
		r.Backoffs = r.Backoffs[:maxBackoffs-1]
	}
	r.Backoffs = append(r.Backoffs, r.BackoffMillis)
}

// noteError keeps an event's error as the last one, if it has one.
func (r *reflector) noteError(e *event.Entry) {
	if e.Err() != nil {
		r.LastError = e.Err().Error()
		r.LastErrorMillis = Millis(e.At)
	}
}

// Millis returns a duration, or a time of the log, as State has it.
func Millis(d time.Duration) float64 { return float64(d/time.Microsecond) / 1000 }

// Micros returns a duration in microseconds.
func Micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// Shorten cuts a text that is too long to be shown.
func Shorten(text string) string {
	if len(text) <= maxWords {
		return text
	}
	return strings.ToValidUTF8(text[:maxWords], "") + "…"
}
