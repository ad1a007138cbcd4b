package lab

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"informerscope/core/client/factory"
	"informerscope/core/client/restwatch"
	"informerscope/core/informer"
	"informerscope/core/lab/action"
	"informerscope/core/lab/selection"
	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// releaseFactory is the SharedInformerFactory of one release: a program is built with one release of client-go.
type releaseFactory struct {
	release string
	lanes   []*lane
	factory *factory.SharedInformerFactory
	ctx     context.Context // of its informers
	cancel  context.CancelFunc
	// unstarted are the lanes whose informers were requested after the start.
	unstarted []*lane

	mu    sync.Mutex
	stage string // started, stopping, stopped
}

func (f *releaseFactory) hasStage(stage string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stage == stage
}

func (f *releaseFactory) setStage(stage string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stage = stage
}

// makeFactoriesLocked makes a new factory for each release, and requests the lanes' informers from it, except those of the resource late.
func (x *experiment) makeFactoriesLocked(lanes []*lane, late string) {
	x.factories = nil
	releases := max(len(x.selection.Releases), 1)
	factories := make([]*releaseFactory, releases)
	for _, ln := range lanes {
		release := int(ln.index) % releases // by its place: the same release may run twice
		f := factories[release]
		if f == nil {
			f = &releaseFactory{release: ln.target.Release, factory: factory.NewSharedInformerFactory(ln.client, metricsResync)}
			f.ctx, f.cancel = context.WithCancel(x.ctx)
			factories[release] = f
			x.factories = append(x.factories, f)
		}
		if ln.target.Name() == late {
			f.unstarted = append(f.unstarted, ln)
			continue
		}
		f.lanes = append(f.lanes, ln)
		x.request(f, ln)
	}
}

// request requests a lane's informer from its factory, and adds its handlers.
func (x *experiment) request(f *releaseFactory, ln *lane) {
	ln.informer = f.factory.InformerFor(ln.gvr, func(*restwatch.Client, time.Duration) informer.SharedIndexInformer {
		return x.newInformerLocked(ln)
	})
	x.handle(ln)
}

// requestLate requests the informers that were left out before the start. Their workers run, as WaitForCacheSync does not wait for such informers.
func (x *experiment) requestLate() {
	for _, f := range x.factories {
		for _, ln := range f.unstarted {
			x.request(f, ln)
			x.place(ln)
			x.wg.Go(func() { ln.control.run(f.ctx) })
		}
	}
}

// startLate starts the informers that were requested after the start: the factory starts those that do not run.
func (x *experiment) startLate() {
	for _, f := range x.factories {
		if len(f.unstarted) == 0 {
			continue
		}
		f.lanes, f.unstarted = append(f.lanes, f.unstarted...), nil
		x.tell(f, "started")
		f.factory.StartWithContext(f.ctx)
		x.wg.Go(func() { x.waitForSync(f) })
	}
}

// waitForSync logs when WaitForCacheSync has returned.
func (x *experiment) waitForSync(f *releaseFactory) {
	if f.factory.WaitForCacheSyncWithContext(f.ctx).Err == nil && f.ctx.Err() == nil {
		x.tell(f, "synced")
	}
}

// startFactories starts the factories. With records, the log records how far they come. That is not needed for one resource alone, whose informer has all the
// events.
func (x *experiment) startFactories(records bool) {
	for _, f := range x.factories {
		f.setStage("started")
		if records {
			x.tell(f, "started")
		}
		f.factory.StartWithContext(f.ctx)
		for _, ln := range f.lanes {
			x.wg.Go(func() { ln.control.run(f.ctx) })
		}
		if records {
			x.wg.Go(func() { x.waitForSync(f) })
		}
		x.wg.Go(func() {
			<-f.ctx.Done()
			f.factory.Shutdown()
			if f.hasStage("stopping") {
				f.setStage("stopped")
				x.tell(f, "stopped")
			}
		})
	}
}

// tell logs how far a factory has come.
func (x *experiment) tell(f *releaseFactory, stage string) {
	x.emit(0, event.Factory{Stage: stage, Release: f.release}.Event())
}

// Shutdown ends the factories. Their informers stop, and each factory's Shutdown waits for its own, which can take as long as a backoff that ignores its
// context.
func (l *Lab) Shutdown() error {
	return l.Informer(0).running(action.New("shutdown"), func(x *experiment) error { return x.shutdown() })
}

func (x *experiment) shutdown() error {
	for _, f := range x.factories {
		if !f.hasStage("started") {
			return errors.New("the factory was shut down already; start begins a new one")
		}
	}
	for _, f := range x.factories {
		f.setStage("stopping")
		x.tell(f, "stopping")
		f.cancel()
	}
	return nil
}

// Start begins new factories after Shutdown, with informers of the same resources. Start on a factory that was shut down does nothing, so a program that
// wants to continue creates another one. The informer of the resource late, such as "nodes", is requested only after the start, so it does not run; late may be
// empty. selector, if not empty, is the label selector of that informer alone. The new program is built with client-go release; "" keeps that of the last
// one. While factories run, Start starts the informers that do not run yet.
func (l *Lab) Start(late, release, selector string) error {
	return l.Informer(0).running(action.New("start", late, release, selector), func(x *experiment) error { return x.start(late, release, selector) })
}

func (x *experiment) start(late, release, selector string) error {
	if late == "" && selector != "" {
		return errors.New("a selector is for the informer that is requested late, and none is named")
	}
	if err := selection.CheckSelector(selector); err != nil {
		return err
	}
	if release != "" {
		if _, err := releases.Parse(release); err != nil {
			return err
		}
		if len(x.selection.Releases) > 1 {
			return errors.New("two releases run side by side; choose one of them first")
		}
	}
	for _, f := range x.factories {
		switch {
		case f.hasStage("stopping"):
			return errors.New("the factory still waits for its informers to end, so a new one cannot begin yet; try again in a moment")
		case f.hasStage("started"):
			if late != "" {
				return fmt.Errorf("the factory runs, and has requested the informer of %s already; shut it down first", late)
			}
			if release != "" {
				return errors.New("a program cannot change its client-go while it runs; shut it down first")
			}
			x.startLate()
			return nil
		}
	}
	if late != "" && !slices.ContainsFunc(x.lanes, func(ln *lane) bool { return ln.target.Name() == late }) {
		return fmt.Errorf("the factory has no informer of %s", late)
	}
	var fresh []*lane
	for _, ln := range x.lanes {
		if !ln.target.Unshared {
			ln = &lane{index: ln.index, target: ln.target, gvr: ln.gvr, versions: ln.versions, client: ln.client}
			ln.target.Release = cmp.Or(release, ln.target.Release)
			ln.target.Shard = x.shard
			if ln.target.Name() == late {
				ln.selector = selector
			}
			x.announce(ln)
			fresh = append(fresh, ln)
		}
	}
	x.followClusterLocked(x.wiresOf(fresh)...)
	x.makeFactoriesLocked(fresh, late)
	for _, f := range x.factories {
		for _, ln := range f.lanes {
			x.place(ln)
		}
	}
	x.startFactories(true)
	x.requestLate()
	return nil
}

// announce logs that a lane gets a new informer; its later events are of that one.
func (x *experiment) announce(ln *lane) {
	text, err := json.Marshal(ln.target)
	if err != nil { // strings and bools always marshal
		panic(err)
	}
	x.emit(ln.index, event.LaneBegun{Informer: string(text)}.Event())
}

// place puts a complete informer into its lane.
func (x *experiment) place(ln *lane) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if int(ln.index) == len(x.lanes) {
		x.lanes = append(x.lanes, ln)
	} else {
		x.lanes[ln.index] = ln
	}
}

// currentLanes returns a copy of the current lanes.
func (x *experiment) currentLanes() []*lane {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]*lane(nil), x.lanes...)
}

// wires returns the lanes that have requests of their own, in order.
func (x *experiment) wires() []*lane { return x.wiresOf(x.currentLanes()) }

func (x *experiment) wiresOf(lanes []*lane) []*lane {
	if len(x.selection.Resources) > 0 {
		return lanes
	}
	var all []*lane
	for _, ln := range lanes {
		if ln.index == 0 || ln.target.Unshared {
			all = append(all, ln)
		}
	}
	return all
}

// SetShard chooses the part of the objects for which the informers ask that begin from now on, such as "1/2"; "" is all. One that runs keeps its own: its
// store has the objects of that.
func (l *Lab) SetShard(shard string) error {
	return l.Informer(0).running(action.New("shard", shard), func(x *experiment) error { return x.setShard(shard) })
}

func (x *experiment) setShard(shard string) error {
	if x.lab.src.cluster == nil {
		return errors.New("a shard needs the simulated cluster: an API server without the feature gate ShardedListAndWatch ignores it and sends all objects")
	}
	if _, err := selection.ShardSelector(shard); err != nil {
		return err
	}
	x.shard = shard
	return nil
}

// SetUnshared runs a second informer of the informer's resource and release beside the factory, like a part of a program that creates its own, or ends it; nil
// toggles. It returns whether one runs.
func (i Informer) SetUnshared(on *bool) (now bool, err error) {
	err = i.lab.act(func() (action.Step, error) {
		if i.lab.exp == nil {
			return action.Step{}, errors.New("nothing is running")
		}
		if i.lab.twin != nil {
			return action.Step{}, errors.New("in a fork no informer runs outside the factory; end the fork first")
		}
		if err := i.lab.exp.checkLane(i.lane); err != nil {
			return action.Step{}, err
		}
		now = i.lab.exp.findUnshared(i.lane) == nil
		if on != nil {
			now = *on
		}
		return action.New("unshared", i.lane, onOff(now)), i.lab.exp.setUnsharedLocked(i.lane, now)
	})
	return now && err == nil, err
}

// findUnshared returns the running unshared informer beside that of a lane; nil if there is none.
func (x *experiment) findUnshared(at int) *lane {
	target := x.lanes[at].target
	for _, ln := range x.lanes {
		if ln.target.Unshared && ln.target.Target == target.Target && ln.target.Release == target.Release && ln.running() {
			return ln
		}
	}
	return nil
}

// running reports whether an unshared informer has not been cancelled.
func (ln *lane) running() bool { return ln.ctx.Err() == nil }

// setUnsharedLocked begins or ends an informer beside the factory.
func (x *experiment) setUnsharedLocked(at int, on bool) error {
	if err := x.checkLane(at); err != nil {
		return err
	}
	there := x.findUnshared(at)
	if !on {
		if there == nil {
			return fmt.Errorf("%s has no unshared informer", x.lanes[at].target.Name())
		}
		there.cancel()
		return nil
	}
	if there != nil {
		return fmt.Errorf("%s already has an unshared informer; end that one first", x.lanes[at].target.Name())
	}
	target := x.lanes[at].target
	target.Unshared, target.Shard = true, x.shard
	free, count := len(x.lanes), 0
	for i, ln := range x.lanes {
		if !ln.target.Unshared {
			continue
		}
		count++
		select {
		case <-ln.done:
			if free == len(x.lanes) || ln.target == target {
				free = i
			}
		default:
		}
	}
	if free == len(x.lanes) && count >= maxUnshared {
		return fmt.Errorf("at most %d unshared informers can run; end one, and wait until it has ended", maxUnshared)
	}
	ln := &lane{
		index: uint8(free), target: target, gvr: gvrOf(target.Target), versions: newVersions(), listeners: map[int32]*listener{}, done: make(chan struct{}),
	}
	ln.ctx, ln.cancel = context.WithCancel(x.ctx)
	ln.client = x.newClient(ln)
	x.announce(ln)
	x.followClusterLocked(ln)
	ln.informer = x.newInformerLocked(ln)
	x.mustAdd(ln, "own", 0, nil)
	x.place(ln)
	x.wg.Go(func() {
		defer close(ln.done)
		ln.informer.RunWithContext(ln.ctx)
	})
	return nil
}
