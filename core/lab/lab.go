package lab

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/cluster/simcluster"
	"informerscope/core/lab/action"
	"informerscope/core/lab/selection"
	"informerscope/core/log/trace"
	"informerscope/core/wire/attached"
	"informerscope/core/wire/faults"
	"informerscope/core/wire/relayclient"
	"informerscope/core/words/event"
	"informerscope/core/words/vclock"
)

// Options configure a Lab.
type Options struct {
	// Recorder receives the log; required.
	Recorder *trace.Recorder
	// Clock is the time of the simulated cluster, of handlers and of faults; nil is real time.
	Clock clock.WithTicker
	// Idle, if set, puts simulated experiments on virtual time. It returns when nothing else in the program can run. Then the same seed plays the same
	// events, and a Story can be replayed. Only one goroutine calls it.
	Idle func()
	// Progress is called while a simulated cluster is created ("first", in objects) or a file is read ("file", in bytes). It may be nil.
	Progress func(what string, done, total int)
	// Yield, if set, lets the program's other work run: long computations call it now and then. It is for a program whose goroutines share one thread
	// with the page's calls.
	Yield func()
	// Dial opens a connection to the relay; nil without one.
	Dial func(context.Context) (net.Conn, error)
	// Audience: the log is a speaker's (see Following). The lab selects, changes and loads nothing; such calls return ErrAudience.
	Audience bool
}

const (
	maxUnshared = 4 // informers beside those of the factories
	// MaxLanes is the greatest number of informers.
	MaxLanes = selection.MaxResources*selection.MaxReleases + maxUnshared
)

// Lab runs one experiment at a time. Its methods are safe for concurrent use.
type Lab struct {
	o        Options // Idle and Dial may be nil, the other functions are set
	rec      *trace.Recorder
	driver   *vclock.Driver
	end      context.CancelFunc // of the driver
	turn     chan struct{}      // one Select or Load at a time, except while a Select waits for a cluster
	faults   *faults.Faults
	holds    *holds
	readOnly atomic.Bool // the controllers do not write
	acts     atomic.Int64

	// The bugs of the controllers, which outlive an experiment like other faults.
	rewrites   atomic.Bool // each reconcile writes the time, and so a difference
	rateLimits atomic.Bool // the handler calls AddRateLimited

	children atomic.Int32 // how the controllers name the children that they create: an index of childNames

	mu        sync.Mutex
	closed    bool
	selection event.Selection
	namesOnly bool // the newest recording has no bodies of objects
	// recordingEnd is when the newest recording ended, on its clock.
	recordingEnd time.Duration
	src          *source
	attached     *attached.Follower // the probe that is followed instead of a source of the lab's own
	exp          *experiment
	indices      map[string]string // added by the user: name to expression
	history      action.History
	twin         *Lab         // runs the second lane of a fork, on the same Driver and log; nil without a fork.
	base         uint8        // the lane in the log of its first informer: 1 for a twin
	ahead        atomic.Int32 // actions of the twin alone that are still to come
	goal         uint64       // the event to which a link plays
	request      *asking      // the newest selection, while it waits for a cluster, or the file being read

	scopes   selection.Scopes
	troubles *troubles
}

// New returns a Lab that runs nothing yet.
func New(o Options) *Lab {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	if o.Yield == nil {
		o.Yield = func() {}
	}
	l := &Lab{o: o, rec: o.Recorder, driver: vclock.NewDriver(o.Idle, o.Clock), end: func() {}, turn: make(chan struct{}, 1)}
	if o.Idle != nil {
		var ctx context.Context
		ctx, l.end = context.WithCancel(context.Background())
		go l.driver.Run(ctx)
	}
	l.selection = selection.Default()
	return l.equip()
}

// equip gives a Lab what outlives its experiments.
func (l *Lab) equip() *Lab {
	l.troubles = &troubles{emit: l.emit}
	l.faults = faults.New(l.o.Clock, l.emitFault)
	l.holds = newHolds(l.emit)
	return l
}

// emit logs an event of a lane.
func (l *Lab) emit(lane uint8, e event.Event) { l.rec.Emit(l.base+lane, e) }

// Close ends the experiment and the source. The Lab cannot be used again.
func (l *Lab) Close() {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	l.halt()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.supersedeLocked()
	l.closed = true
	l.stopSource()
	l.end()
}

// halt ends the experiment, on virtual time in a turn of its own, and waits for its end.
func (l *Lab) halt() (at time.Duration) {
	l.driver.Do(func(now time.Duration) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.stopExperiment()
		l.withTwinLocked((*Lab).stopExperiment)
		at = now
	})
	return at
}

// ErrAudience is returned for actions on an experiment that belongs to a speaker.
var ErrAudience = errors.New("this page follows a speaker: only the speaker acts; " +
	"you can pause it, step through it and inspect it")

var errClosed = errors.New("this experiment has been closed")

// RestartIfTroubled restarts the watch of a live cluster that is in trouble, after the cause may have been removed. It reports whether it did.
func (l *Lab) RestartIfTroubled(ctx context.Context) (bool, error) {
	if l.Selection().Source != "live" || !l.troubles.hasTrouble() {
		return false, nil
	}
	_, err := l.Select(ctx, selection.Change{})
	return err == nil, err
}

// Selection returns what is watched now.
func (l *Lab) Selection() event.Selection {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.selection
}

// startLocked starts next on the current source.
func (l *Lab) startLocked(next event.Selection) {
	l.selection = next
	text, err := json.Marshal(next)
	if err != nil { // strings and numbers only
		panic(err)
	}
	generation := l.troubles.begin(func() {
		v := l.src.virtual
		if v != nil {
			l.src.cluster.ReseedWatches()
		}
		switch {
		case l.base > 0: // the log has begun
		case next.Fork != "":
			l.rec.ResetOn(v) // both lanes have the same times
		case v != nil:
			l.rec.ResetOn(v.Stamps())
		default:
			l.rec.Reset()
		}
		l.faults.Begin(l.src.clock)
		if l.base == 0 {
			l.rec.Emit(0, event.Selected{Selection: string(text)}.Event())
		}
	})
	l.missingNamespaceLocked(generation)
	next = next.WithoutFork()
	l.holds.restate(next.Lanes())
	for _, f := range l.faultsOn() { // a log begins with the faults that are on
		if f.OwnCluster && l.src.cluster == nil {
			continue // a live cluster is never written to
		}
		l.emitFault(faults.Strike{Name: f.Name, On: true, Delay: f.length})
	}
	if l.src.cluster != nil && l.src.cluster.IsBehind() {
		l.emitFault(faults.Strike{Name: "failover", On: true})
	}
	l.exp = l.newExperiment(next, generation)
}

// missingNamespaceLocked reports whether a simulated cluster lacks the watched namespace.
func (l *Lab) missingNamespaceLocked(generation uint64) {
	if l.src.cluster == nil {
		return
	}
	trouble := relayclient.Trouble{}
	if name := l.selection.AnyWatched(); name != "" && !l.src.cluster.HasNamespace(name) {
		trouble = noNamespace(name, "the simulated cluster")
	}
	l.troubles.noteNamespace(generation, namespacedLanes(l.selection), trouble)
}

// namespacedLanes returns the lanes that report a missing namespace: for several resources, each one with namespaces.
func namespacedLanes(sel event.Selection) []uint8 {
	if len(sel.Resources) == 0 {
		return []uint8{0}
	}
	var all []uint8
	for i, target := range sel.Lanes() {
		if !target.ClusterScoped {
			all = append(all, uint8(i))
		}
	}
	return all
}

// openSimLocked creates the simulated cluster of a selection, on v if that is not nil.
func (l *Lab) openSimLocked(sel event.Selection, v *vclock.Clock) {
	o := simcluster.Options{Clock: l.o.Clock, Seed: sel.Seed, Objects: sel.Objects, Rate: sel.Rate,
		Progress: func(made, total int) { l.o.Progress("first", made, total) }}
	if o.Objects == 0 {
		o.Objects = -1 // none; zero would mean simcluster's own default
	}
	if v != nil {
		o.Clock, o.Breathe = v, v.Yield
	}
	l.selection = sel
	l.src = simSource(simcluster.New(o), o.Clock, v, l.faults)
	if sel.Fork != "" {
		l.twin = (&Lab{o: l.o, rec: l.rec, driver: l.driver, base: 1}).equip()
		l.withTwinLocked(func(twin *Lab) { twin.openSimLocked(sel.WithoutFork(), v) })
	}
}

func (l *Lab) stopExperiment() {
	if l.exp != nil {
		l.exp.stop()
		l.exp = nil
	}
}

func (l *Lab) stopSource() {
	if l.attached != nil {
		l.attached.Stop()
		l.attached = nil
	}
	if l.src == nil {
		return
	}
	l.withTwinLocked(func(twin *Lab) { twin.src.stop() })
	l.twin = nil
	l.ahead.Store(0)
	l.src.stop()
	if l.src.virtual != nil {
		l.driver.Drive(nil)
		l.src.virtual.End()
	}
	l.src = nil
}

func (l *Lab) current() (*source, error) {
	if l.o.Audience {
		return nil, ErrAudience
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.attached != nil {
		return nil, selection.ErrAttached
	}
	if l.src == nil {
		return nil, errors.New("nothing is selected yet")
	}
	return l.src, nil
}

// Sources returns what can be watched. It asks the relay each time, because a kubeconfig can change.
func (l *Lab) Sources(ctx context.Context) Sources {
	if l.o.Audience {
		return Sources{Live: relayclient.LiveSources{Contexts: []relayclient.Context{}, Error: ErrAudience.Error()}}
	}
	return Sources{Sim: true, Live: relayclient.AskContexts(ctx, l.o.Dial)}
}
