package lab

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/informer"
	"informerscope/core/simcluster"
	"informerscope/core/trace"
	"informerscope/core/vclock"
)

// Options configure a Lab.
type Options struct {
	// Recorder takes the log; required.
	Recorder *trace.Recorder
	// Clock is the time of the simulated cluster, of handlers and of faults; nil is real time.
	Clock clock.WithTicker
	// Idle, if it is set, puts simulated experiments on virtual time: it returns when nothing else in the program can run. The
	// same seed then plays the same story to the event, and a Story plays it again. Only one goroutine calls it.
	Idle func()
	// Progress is told how far a simulated cluster is that is being made; nil when nobody wants to know. See simcluster.Options.
	Progress func(made, of int)
	// Dial opens a connection to the relay; nil when there is none.
	Dial func(context.Context) (net.Conn, error)
}

// Defaults of a simulated cluster.
const (
	DefaultSeed    = 7
	DefaultObjects = 240
	DefaultRate    = 6.0
	maxObjects     = 100_000
	maxRate        = 10_000
)

// restartTime is how long the simulated API server stays away when it restarts.
const restartTime = 3 * time.Second

// Lab runs one experiment at a time. Its methods are safe for concurrent use.
type Lab struct {
	rec      *trace.Recorder
	clock    clock.WithTicker
	dial     func(context.Context) (net.Conn, error)
	progress func(made, of int)
	virtual  bool
	driver   *vclock.Driver
	end      context.CancelFunc // of the driver
	turn     chan struct{}      // one Select or Load at a time
	faults   *faults
	holds    *holds
	versions versions
	readOnly atomic.Bool // the controllers do not write

	mu        sync.Mutex
	closed    bool
	selection trace.Selection
	src       *source
	exp       *experiment
	indices   map[string]string // added by hand: name to expression
	told      told
	wanted    uint64 // the event that a link asked for

	troubleMu sync.Mutex
	troubled  string
}

// New returns a Lab that runs nothing yet.
func New(o Options) *Lab {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	l := &Lab{rec: o.Recorder, clock: o.Clock, dial: o.Dial, progress: o.Progress, virtual: o.Idle != nil, end: func() {}, turn: make(chan struct{}, 1)}
	l.driver = vclock.NewDriver(o.Idle, o.Clock)
	if l.virtual {
		var ctx context.Context
		ctx, l.end = context.WithCancel(context.Background())
		go l.driver.Run(ctx)
	}
	emit := func(e informer.Event) { l.rec.Emit(0, e) }
	l.faults = newFaults(o.Clock, emit)
	l.holds = newHolds(emit)
	l.selection = trace.Selection{
		Source: "sim", Version: "v1", Resource: "pods", Eras: []string{informer.Era137.String()},
		Seed: DefaultSeed, Objects: DefaultObjects, Rate: DefaultRate,
	}
	return l
}

// Close ends the experiment and the source. The Lab cannot be used again.
func (l *Lab) Close() {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	l.halt()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.stopSource()
	l.end()
}

// halt ends the experiment, on virtual time in a turn of its own, and returns when that has ended.
func (l *Lab) halt() (at time.Duration) {
	l.driver.Do(func(now time.Duration) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.stopExperiment()
		at = now
	})
	return at
}

var errClosed = errors.New("this experiment has been closed")

// Select changes what is watched; what change leaves out stays as it is. The
// running experiment ends, and a new one begins with an empty log. A selection
// that cannot be is refused with words that say why, and changes nothing.
func (l *Lab) Select(ctx context.Context, change Change) (trace.Selection, error) {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	next, again, err := l.chosen(ctx, change)
	if err != nil {
		return l.Selection(), err
	}
	halted := l.halt()
	l.mu.Lock()
	same := again == nil && l.src != nil && sameSource(l.selection, next)
	if !same {
		l.stopSource()
		l.told = told{rate: next.Rate}
		if again == nil {
			l.told.steps = l.force()
			l.told.first = len(l.told.steps)
		} else {
			l.clean()
		}
	}
	l.wanted = 0
	if again != nil {
		l.wanted = again.at
	}
	l.mu.Unlock()
	switch {
	case same:
		l.driver.Do(func(at time.Duration) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.carry(halted, at)
			if l.src.cluster != nil && l.selection.Rate != next.Rate {
				l.src.cluster.SetRate(next.Rate)
				l.told.steps = append(l.told.steps, step{at: at, verb: "rate", args: []string{fmt.Sprint(next.Rate)}})
				l.told.first++
			}
			l.start(next)
		})
	case next.Source == "sim" && l.virtual:
		if again == nil {
			again = &encore{}
		}
		l.replay(next, *again)
	default:
		l.mu.Lock()
		defer l.mu.Unlock()
		if next.Source == "live" {
			l.src = liveSource(l.dial, next.Context, l.clock, l.faults)
		} else {
			l.openSim(next, nil)
		}
		l.start(next)
		return l.selection, nil
	}
	return l.Selection(), nil
}

// chosen is what a change selects, and the story that it asks to be played, if it does.
func (l *Lab) chosen(ctx context.Context, change Change) (next trace.Selection, again *encore, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.selection, nil, errClosed
	}
	if next, err = change.apply(l.selection); err != nil {
		return next, nil, err
	}
	if again, err = change.replay(); err != nil {
		return next, nil, err
	}
	if next.Source == "live" && l.dial == nil {
		return next, nil, errors.New("there is no relay behind this page, so no live cluster can be watched; start informerscope's server and open the address it prints")
	}
	if next.Version == "" {
		next, err = l.resolve(ctx, next)
	}
	return next, again, err
}

// Selection is what is watched now.
func (l *Lab) Selection() trace.Selection {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.selection
}

// start starts next on the source in force. l.mu is held.
func (l *Lab) start(next trace.Selection) {
	l.selection = next
	l.versions.reset()
	l.forgetTrouble()
	if v := l.src.virtual; v != nil {
		l.src.cluster.ReseedWatches()
		l.rec.ResetOn(v.Stamps())
	} else {
		l.rec.Reset()
	}
	l.faults.begin(l.src.clock)
	text, err := json.Marshal(next)
	if err != nil { // strings and numbers only
		panic(err)
	}
	l.rec.Emit(0, informer.Event{Kind: trace.KindSelected, Text: string(text)})
	l.holds.restate()
	l.faults.restate()
	l.exp = l.newExperiment(next)
}

// openSim starts the simulated cluster of a selection, on v if that is not nil. l.mu is held.
func (l *Lab) openSim(sel trace.Selection, v *vclock.Clock) {
	o := simcluster.Options{Clock: l.clock, Seed: sel.Seed, Objects: sel.Objects, Rate: sel.Rate, Progress: l.progress}
	if o.Objects == 0 {
		o.Objects = -1 // none; zero would mean simcluster's own default
	}
	if v != nil {
		o.Clock, o.Breathe = v, v.Yield
	}
	l.selection = sel
	l.src = simSource(simcluster.New(o), o.Clock, v, l.faults)
}

func (l *Lab) stopExperiment() {
	if l.exp != nil {
		l.exp.stop()
		l.exp = nil
	}
}

func (l *Lab) stopSource() {
	if l.src == nil {
		return
	}
	l.src.stop()
	if l.src.virtual != nil {
		l.driver.Drive(nil)
		l.src.virtual.End()
	}
	l.src = nil
}

func (l *Lab) current() (*source, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.src == nil {
		return nil, errors.New("nothing is selected yet")
	}
	return l.src, nil
}

// resolve finds the version of a resource by asking the source of sel. l.mu is held.
func (l *Lab) resolve(ctx context.Context, sel trace.Selection) (trace.Selection, error) {
	src := l.src
	if src == nil || !sameSource(l.selection, sel) {
		if sel.Source == "live" {
			src = liveSource(l.dial, sel.Context, l.clock, l.faults)
		} else { // what a cluster serves does not depend on what is in it
			src = simSource(simcluster.New(simcluster.Options{Clock: l.clock, Objects: -1}), l.clock, nil, l.faults)
		}
		defer src.stop()
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	found, err := src.client(func(string, error) {}).Discover(ctx)
	for _, preferred := range []bool{true, false} {
		for _, r := range found {
			if r.Resource == sel.Resource && r.Group == sel.Group && (r.Preferred || !preferred) {
				sel.Version, sel.Kind = r.Version, r.Kind
				return sel, nil
			}
		}
	}
	name := strings.TrimSuffix(sel.Resource+"."+sel.Group, ".")
	if err != nil {
		return sel, fmt.Errorf("cannot find out the version of %s: %w", name, err)
	}
	return sel, fmt.Errorf("the cluster has no resource %s that can be listed and watched", name)
}

// trouble notes how the source is; empty words mean that all is well.
func (l *Lab) trouble(words string, err error) {
	l.troubleMu.Lock()
	defer l.troubleMu.Unlock()
	if l.troubled == words {
		return
	}
	l.troubled = words
	l.rec.Emit(0, informer.Event{Kind: trace.KindTrouble, Text: words, Err: err})
}

// forgetTrouble begins a new log without trouble; the log's own beginning says so.
func (l *Lab) forgetTrouble() {
	l.troubleMu.Lock()
	defer l.troubleMu.Unlock()
	l.troubled = ""
}

// Sources are what can be watched. The relay is asked each time, since a kubeconfig changes.
func (l *Lab) Sources(ctx context.Context) Sources {
	return Sources{Sim: true, Live: liveSources(ctx, l.dial)}
}

// Fault makes a fault happen or switches a held one, and reports whether it
// is on now. The names are in docs/protocol.md.
func (l *Lab) Fault(name string, args FaultArgs) (on bool, err error) {
	err = l.act(func() (s step, err error) {
		if l.exp == nil {
			return s, errors.New("nothing is running that could have a fault")
		}
		if on, err = l.fault(name, args); err != nil {
			return s, err
		}
		switch name {
		case "compact":
			return newStep("compact"), nil
		case "restart":
			return newStep("reboot"), nil
		case "slow", "refuse", "nobookmarks", "noendmark", "delay":
			return newStep("fault", name, map[bool]string{true: "on", false: "off"}[on], max(args.Millis, 0)), nil
		}
		return newStep("fault", name, "", "", max(args.Count, 0)), nil
	})
	return on, err
}

// fault does what Fault says. l.mu is held.
func (l *Lab) fault(name string, args FaultArgs) (bool, error) {
	switch name {
	case "slow":
		if l.exp == nil {
			return false, nil
		}
		return l.exp.slow(args)
	case "compact", "restart":
		if l.src.cluster == nil {
			return false, fmt.Errorf("%q is for the simulated cluster: a live cluster is never written to", name)
		}
		if name == "restart" {
			l.reboot()
			return false, nil
		}
		_, err := l.change(name, ClusterArgs{})
		return false, err
	}
	return l.faults.strike(name, args)
}

// reboot restarts the simulated API server. l.mu is held.
func (l *Lab) reboot() {
	l.faults.tell("restart", false, 0, 1)
	l.src.cluster.Restart(restartTime)
}

// Hold holds a stage: store, pop, deliver (of one listener) or take.
func (l *Lab) Hold(stage string, listener int32) error {
	return l.act(func() (step, error) { return newStep("hold", stage, listener), l.hold(stage, listener) })
}

func (l *Lab) hold(stage string, listener int32) error {
	s, err := parseStage(stage)
	if err != nil {
		return err
	}
	if s == informer.StageDeliver && listener == 0 {
		return errors.New("say which listener to hold: hold(\"deliver\", id)")
	}
	l.holds.hold(s, listener)
	return nil
}

// Release lets n through a held stage; 0 ends the hold.
func (l *Lab) Release(stage string, n int, listener int32) error {
	return l.act(func() (step, error) {
		return newStep("release", stage, max(n, 0), listener), l.release(stage, n, listener)
	})
}

func (l *Lab) release(stage string, n int, listener int32) error {
	s, err := parseStage(stage)
	if err != nil {
		return err
	}
	if !l.holds.release(s, listener, n) {
		return fmt.Errorf("stage %q is not held", stage)
	}
	return nil
}

// running does something to the experiment that runs, and keeps it as a step.
func (l *Lab) running(s step, do func(x *experiment) error) error {
	return l.act(func() (step, error) {
		if l.exp == nil {
			return s, errors.New("nothing is running")
		}
		return s, do(l.exp)
	})
}

// AddListener registers one more handler with every lane and returns its number.
func (l *Lab) AddListener(spec ListenerSpec) (id int32, err error) {
	err = l.running(newStep("listen", spec.Name, spec.PaceMillis, spec.ResyncMillis), func(x *experiment) (err error) {
		id, err = x.addListener(spec)
		return err
	})
	return id, err
}

// RemoveListener removes a handler from every lane.
func (l *Lab) RemoveListener(id int32) error {
	return l.running(newStep("unlisten", id), func(x *experiment) error { return x.removeListener(id) })
}

// Pace sets the extra time that a handler takes for a call, from 0 to a minute.
func (l *Lab) Pace(id int32, millis float64) error {
	return l.running(newStep("pace", id, millis), func(x *experiment) error { return x.pace(id, millis) })
}

// Panic makes the next call of a handler panic.
func (l *Lab) Panic(id int32) error {
	return l.running(newStep("panic", id), func(x *experiment) error { return x.panicNext(id) })
}

// ClusterArgs are the arguments of Cluster; which are needed depends on the verb.
type ClusterArgs struct {
	Namespace string  `json:"namespace"`
	Name      string  `json:"name"`
	Key       string  `json:"key"`
	Replicas  int     `json:"replicas"`
	N         int     `json:"n"`
	PerSecond float64 `json:"perSecond"`
}

// Cluster changes the simulated cluster and says in words what it did.
func (l *Lab) Cluster(verb string, a ClusterArgs) (words string, err error) {
	err = l.act(func() (s step, err error) {
		if words, err = l.change(verb, a); l.src == nil || l.src.cluster == nil {
			return s, err
		}
		name := cmp.Or(a.Namespace, "default") + "/" + a.Name
		switch verb { // what failed may have changed something too
		case "create", "scale":
			return newStep(verb, name, max(a.Replicas, 0)), err
		case "restart":
			return newStep(verb, name), err
		case "deleteDeployment":
			return newStep("drop", name), err
		case "delete":
			if a.Key == "" && a.Name != "" {
				a.Key = name
			}
			return newStep(verb, a.Key), err
		case "burst":
			return newStep(verb, max(a.N, 0)), err
		case "compact":
			return newStep(verb), err
		case "rate":
			if err == nil {
				return newStep(verb, a.PerSecond), nil
			}
		}
		return s, err
	})
	return words, err
}

// change does what Cluster says. l.mu is held.
func (l *Lab) change(verb string, a ClusterArgs) (string, error) {
	if l.src == nil || l.src.cluster == nil {
		return "", errors.New("only the simulated cluster can be changed from here: a live cluster is never written to")
	}
	c := l.src.cluster
	if a.Namespace == "" {
		a.Namespace = "default"
	}
	name := a.Namespace + "/" + a.Name
	switch verb {
	case "create":
		if a.Name == "" {
			return "", errors.New("give the deployment a name")
		}
		if a.Replicas == 0 {
			a.Replicas = 3
		}
		return fmt.Sprintf("created deployment %s with %d replicas", name, a.Replicas), c.CreateDeployment(a.Namespace, a.Name, a.Replicas)
	case "scale":
		return fmt.Sprintf("scaled deployment %s to %d", name, a.Replicas), c.Scale(a.Namespace, a.Name, a.Replicas)
	case "restart":
		return fmt.Sprintf("restarted deployment %s", name), c.RestartDeployment(a.Namespace, a.Name)
	case "delete":
		if a.Key == "" && a.Name == "" {
			ns, pod, err := c.DeleteRandomPod()
			return fmt.Sprintf("deleted pod %s/%s", ns, pod), err
		}
		ns, pod := a.Namespace, a.Name
		if a.Key != "" {
			var ok bool
			if ns, pod, ok = strings.Cut(a.Key, "/"); !ok {
				return "", fmt.Errorf("%q is not namespace/name", a.Key)
			}
		}
		return fmt.Sprintf("deleted pod %s/%s", ns, pod), c.DeletePod(ns, pod)
	case "deleteDeployment":
		return fmt.Sprintf("deleted deployment %s", name), c.DeleteDeployment(a.Namespace, a.Name)
	case "burst":
		n := min(max(a.N, 1), maxRate)
		return fmt.Sprintf("updated %d pods at once", n), c.Burst(n)
	case "compact":
		l.faults.tell("compact", false, 0, 1)
		c.Compact()
		return "forgot the watch history", nil
	case "rate":
		if a.PerSecond < 0 || a.PerSecond > maxRate {
			return "", fmt.Errorf("the rate must be from 0 to %d events a second", maxRate)
		}
		c.SetRate(a.PerSecond)
		l.selection.Rate = a.PerSecond
		return fmt.Sprintf("%g events a second", a.PerSecond), nil
	}
	return "", fmt.Errorf("unknown verb %q: choose create, scale, restart, delete, deleteDeployment, burst, compact or rate", verb)
}
