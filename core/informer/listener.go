package informer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// initialBufferSize is the capacity with which the ring of a listener starts in client-go.
const initialBufferSize = 1024

// notification is what a listener gets: an add (obj), an update (old, obj) or
// a delete (obj, perhaps a tombstone).
type notification struct {
	op              Op
	isInInitialList bool
	// sync: an update that changed nothing, for syncing listeners only.
	sync bool
	// key and rv are for an Observer; rv may be empty without one.
	key, rv  string
	old, obj any
}

// initialAdd: the registration is not synced before the handler has returned from it.
func (n *notification) initialAdd() bool { return n.op == OpAdded && n.isInInitialList }

// syncTracker says when a listener has handled all of the initial list: when
// the informer has synced and no initial add is outstanding.
// Mirrors client-go tools/cache/synctrack.SingleFileTracker (v0.37.2).
type syncTracker struct {
	name     string
	count    atomic.Int64
	upstream atomic.Bool
	once     sync.Once
	done     chan struct{}
	// onSynced closes done; it may do so under a lock.
	onSynced func()
}

func (t *syncTracker) start() { t.count.Add(1) }

func (t *syncTracker) finished() {
	if t.count.Add(-1) == 0 && t.upstream.Load() {
		t.once.Do(t.onSynced)
	}
}

func (t *syncTracker) upstreamHasSynced() {
	t.upstream.Store(true)
	if t.count.Load() == 0 {
		t.once.Do(t.onSynced)
	}
}

// Name implements DoneChecker.
func (t *syncTracker) Name() string { return t.name }

// Done implements DoneChecker.
func (t *syncTracker) Done() <-chan struct{} { return t.done }

// chunkNotifications is how many notifications a listener hands to its handler's
// goroutine under one lock, at most, and the unit in which memory is taken for them.
const chunkNotifications = 128

// notifications is a chunk of a listener's queue.
type notifications struct {
	next  *notifications
	n     int
	items [chunkNotifications]notification
}

// processorListener is between a sharedProcessor and one handler.
//
// In client-go add hands a notification to the channel addCh, a goroutine,
// pop, takes it from there and hands it to the channel nextCh, keeping what
// nextCh does not take yet in a ring that only grows, and run takes it from
// nextCh and calls the handler. With an Observer, each of these steps is taken
// and reported, one notification at a time (handover.go).
//
// Without an Observer nobody can see the steps: pop is always ready to take
// and waits for nothing but run. So run takes all that is queued at once. The
// conformance tests run both ways.
type processorListener struct {
	logger  klog.Logger
	clock   clock.Clock
	id      int32
	name    string
	handler ResourceEventHandler

	// done is closed when the listener is stopped, runFinished when run ends.
	done        chan struct{}
	runFinished chan struct{}

	tracker  syncTracker
	upstream DoneChecker
	// informerSynced, if set, is asked by HasSynced: the informer tells tracker
	// itself when it has synced, and watchSynced is not run.
	informerSynced func() bool
	pauseAtOnce    bool

	// requestedResyncPeriod is what the handler asked for, resyncPeriod what it
	// gets: zero if the informer does no resyncs.
	requestedResyncPeriod time.Duration
	resyncLock            sync.Mutex
	resyncPeriod          time.Duration
	nextResync            time.Time
	// syncing: same-version updates go to this listener. It is guarded by the processor's listenersLock.
	syncing bool

	gates    Gates
	gateCtx  context.Context
	gateDone context.CancelFunc

	observer Observer
	// timed is observer with a clock.
	timed TimedObserver
	// handover is what stands between add and run with an Observer, nil without one. Lock guards what is in it.
	handover *handover

	// lock guards everything below. run waits at cond for something queued or the end.
	lock sync.Mutex
	cond sync.Cond
	// idle: run waits at cond.
	idle bool
	// closed is written under lock: what is queued will not be delivered any more.
	closed atomic.Bool
	// head and tail are the queue without an Observer, free is a chunk to be used again.
	head, tail, free *notifications
}

type listenerOptions struct {
	logger                  klog.Logger
	clock                   clock.Clock
	id                      int32
	name                    string
	requested, resyncPeriod time.Duration
	upstream                DoneChecker
	synced                  func() bool
	pauseAtOnce             bool
	observer                Observer
	gates                   Gates
}

func newProcessorListener(handler ResourceEventHandler, o listenerOptions) *processorListener {
	p := &processorListener{
		logger:                o.logger,
		clock:                 o.clock,
		id:                    o.id,
		name:                  o.name,
		handler:               handler,
		done:                  make(chan struct{}),
		runFinished:           make(chan struct{}),
		upstream:              o.upstream,
		informerSynced:        o.synced,
		pauseAtOnce:           o.pauseAtOnce,
		requestedResyncPeriod: o.requested,
		resyncPeriod:          o.resyncPeriod,
		syncing:               true,
		gates:                 o.gates,
		observer:              o.observer,
	}
	if p.name == "" {
		p.name = nameForHandler(handler)
	}
	p.tracker.name = fmt.Sprintf("%s + event handler %s", o.upstream.Name(), p.name)
	p.tracker.done = make(chan struct{})
	p.tracker.onSynced = p.lightSynced
	if p.gates != nil {
		p.gateCtx, p.gateDone = context.WithCancel(context.Background())
	}
	if p.observer != nil {
		p.timed = timedObserver(p.observer, p.clock)
		p.handover = newHandover(p.id)
	}
	p.cond.L = &p.lock
	p.determineNextResync(p.clock.Now())
	return p
}

// HasSynced implements ResourceEventHandlerRegistration. Before 0.36 it asks
// anew every time, so that it is right for a handler that was removed too.
// Mirrors client-go tools/cache/synctrack.(*SingleFileTracker).HasSynced (v0.35.10 and v0.37.2).
func (p *processorListener) HasSynced() bool {
	if p.informerSynced == nil {
		return IsDone(&p.tracker)
	}
	return p.informerSynced() && p.tracker.count.Load() <= 0
}

// HasSyncedChecker implements ResourceEventHandlerRegistration.
func (p *processorListener) HasSyncedChecker() DoneChecker { return &p.tracker }

// ShutdownChan returns a channel that is closed when the handler will not be called any more.
func (p *processorListener) ShutdownChan() <-chan struct{} { return p.runFinished }

func (p *processorListener) lightSynced() {
	if p.observer == nil {
		close(p.tracker.done)
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	close(p.tracker.done)
	send(p.observer, Event{Kind: KindListenerSynced, Listener: p.id})
}

// wakeLocked lets run go on if it waits for something queued.
func (p *processorListener) wakeLocked() {
	if p.idle {
		p.idle = false
		p.cond.Signal()
	}
}

// add hands ns on. It never waits for the handler.
func (p *processorListener) add(ns ...notification) {
	if p.handover != nil {
		for i := range ns {
			p.accept(&ns[i], p.timed.Now())
		}
		return
	}
	if len(ns) == 0 {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.closed.Load() {
		return
	}
	for i := range ns {
		if ns[i].initialAdd() {
			p.tracker.start()
		}
		if p.tail == nil || p.tail.n == chunkNotifications {
			p.extend()
		}
		p.tail.items[p.tail.n] = ns[i]
		p.tail.n++
	}
	p.wakeLocked()
}

// extend appends an empty chunk to the queue.
func (p *processorListener) extend() {
	c := p.free
	if c != nil {
		p.free = nil
	} else {
		c = &notifications{}
	}
	if p.tail == nil {
		p.head = c
	} else {
		p.tail.next = c
	}
	p.tail = c
}

// stop ends the listener: what is queued is thrown away, what the handler has begun is not waited for.
func (p *processorListener) stop() {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.closed.Store(true)
	if p.handover != nil {
		p.handover.discard()
	}
	p.head, p.tail, p.free = nil, nil, nil
	if p.gateDone != nil {
		p.gateDone()
	}
	close(p.done)
	p.cond.Signal()
}

// queuedLocked: there is something for run to take.
func (p *processorListener) queuedLocked() bool {
	return p.head != nil || p.handover != nil && p.handover.waiting
}

// waitLocked waits until something is queued, and returns false at the end.
func (p *processorListener) waitLocked() bool {
	for !p.queuedLocked() && !p.closed.Load() {
		p.idle = true
		p.cond.Wait()
	}
	p.idle = false
	return !p.closed.Load()
}

// run calls the handler until the listener is stopped. A panic of the handler
// ends the process, unless utilruntime.ReallyCrash is off: then the notification
// is skipped, and a second passes before the next one: from the panic on in 0.31, since then
// from when the next one is there.
// Mirrors client-go tools/cache.(*processorListener).run (v0.37.2).
func (p *processorListener) run() {
	defer close(p.runFinished)
	if p.handover != nil {
		p.runObserved()
		return
	}
	crashed := false
	var used *notifications
	for {
		p.lock.Lock()
		if p.free == nil {
			p.free = used
		}
		used = nil
		if !p.waitLocked() {
			p.lock.Unlock()
			return
		}
		c := p.head
		p.head, p.tail = nil, nil
		p.lock.Unlock()
		for c != nil {
			for at := 0; at < c.n; {
				crashed = !p.deliver(c, &at, crashed)
				if crashed && p.pauseAtOnce {
					p.clock.Sleep(time.Second)
					crashed = false
				}
				if p.closed.Load() {
					return
				}
			}
			next := c.next
			c.next, c.n = nil, 0
			used, c = c, next
		}
	}
}

// deliver calls the handler for the notifications of c from *at on, and says
// whether it returned from the last call.
func (p *processorListener) deliver(c *notifications, at *int, crashed bool) (returned bool) {
	defer utilruntime.HandleCrashWithLogger(p.logger)
	for *at < c.n && !p.closed.Load() {
		n := &c.items[*at]
		*at++
		if crashed {
			p.clock.Sleep(time.Second)
			crashed = false
		}
		if p.gates != nil {
			p.gates.Wait(p.gateCtx, StageDeliver, p.id)
		}
		p.callHandler(n)
		if n.initialAdd() {
			p.tracker.finished()
		}
		*n = notification{} // let go of what it referred to
	}
	return true
}

// errHandlerPanicked is in the error that KindHandled reports of a panic.
var errHandlerPanicked = errors.New("the handler panicked")

func (p *processorListener) callHandler(n *notification) {
	switch n.op {
	case OpUpdated:
		p.handler.OnUpdate(n.old, n.obj)
	case OpAdded:
		p.handler.OnAdd(n.obj, n.isInInitialList)
	case OpDeleted:
		p.handler.OnDelete(n.obj)
	}
}

// watchSynced tells the tracker when the informer has synced.
func (p *processorListener) watchSynced() {
	select {
	case <-p.upstream.Done():
		p.tracker.upstreamHasSynced()
	case <-p.done:
	}
}

func (p *processorListener) shouldResync(now time.Time) bool {
	p.resyncLock.Lock()
	defer p.resyncLock.Unlock()
	return p.resyncPeriod != 0 && !now.Before(p.nextResync)
}

func (p *processorListener) determineNextResync(now time.Time) {
	p.resyncLock.Lock()
	defer p.resyncLock.Unlock()
	p.nextResync = now.Add(p.resyncPeriod)
}

func (p *processorListener) setResyncPeriod(d time.Duration) {
	p.resyncLock.Lock()
	defer p.resyncLock.Unlock()
	p.resyncPeriod = d
}
