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

	"informerscope/core/words/event"
)

// initialBufferSize is the initial capacity of a listener's ring in client-go.
const initialBufferSize = 1024

// notification is what a listener gets: an add (obj), an update (old, obj) or a delete (obj, perhaps a tombstone).
type notification struct {
	op              event.Op
	isInInitialList bool
	// sync is set for an update that changed nothing, for syncing listeners only.
	sync bool
	// key and rv are for an Observer; rv may be empty without one.
	key, rv  string
	old, obj any
}

// initialAdd reports whether the registration cannot sync before the handler has returned from n.
func (n *notification) initialAdd() bool { return n.op == event.OpAdded && n.isInInitialList }

// syncTracker determines when a listener has handled the initial list: when the informer has synced and no initial add is outstanding.
// Mirrors client-go tools/cache/synctrack.SingleFileTracker (v0.37.2).
type syncTracker struct {
	name     string
	count    atomic.Int64
	upstream atomic.Bool
	once     sync.Once
	done     chan struct{}
	// onSynced closes done; it may lock.
	onSynced func()
}

func (t *syncTracker) start() { t.count.Add(1) }

func (t *syncTracker) finish() {
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

// chunkNotifications is at most how many notifications the handler's goroutine takes under one lock, and how many are allocated together.
const chunkNotifications = 128

// notifications is a chunk of a listener's queue.
type notifications struct {
	next  *notifications
	n     int
	items [chunkNotifications]notification
}

// processorListener connects a sharedProcessor to one handler.
//
// In client-go, add sends a notification to the channel addCh. A goroutine, pop, receives it there and sends it to the channel nextCh; what nextCh does
// not accept yet goes into a ring that only grows. run receives from nextCh and calls the handler. With an Observer, each of these steps is done and
// reported, one notification at a time (handover.go).
//
// Without an Observer the steps are invisible: pop is always ready to receive and waits for nothing but run. So run takes everything that is queued at
// once. The conformance tests run both ways.
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
	// informerSynced, if set, is called by HasSynced. The informer then reports to tracker itself that it has synced, and watchSynced does not run.
	informerSynced func() bool
	pauseAtOnce    bool

	// requestedResyncPeriod is the handler's request; resyncPeriod is what it gets, zero if the informer does no resyncs.
	requestedResyncPeriod time.Duration
	resyncLock            sync.Mutex
	resyncPeriod          time.Duration
	nextResync            time.Time
	// syncing is set if same-version updates go to this listener. The processor's listenersLock guards it.
	syncing bool

	gates    event.Gates
	gateCtx  context.Context
	gateDone context.CancelFunc

	observer event.Observer
	// timed is observer with a clock.
	timedObserver event.TimedObserver
	// handover connects add and run with an Observer; without one it is nil. lock guards its contents.
	handover *handover

	// lock guards everything below. run waits at cond until something is queued or the listener is stopped.
	lock sync.Mutex
	cond sync.Cond
	// idle is set while run waits at cond.
	idle bool
	// closed is written under lock; once it is set, queued notifications are no longer delivered.
	closed atomic.Bool
	// head and tail are the queue without an Observer; free is a chunk for reuse.
	head, tail, free *notifications
}

type listenerOptions struct {
	logger                              klog.Logger
	clock                               clock.Clock
	id                                  int32
	name                                string
	requestedResyncPeriod, resyncPeriod time.Duration
	upstream                            DoneChecker
	synced                              func() bool
	pauseAtOnce                         bool
	observer                            event.Observer
	gates                               event.Gates
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
		requestedResyncPeriod: o.requestedResyncPeriod,
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
	p.tracker.onSynced = p.markSynced
	if p.gates != nil {
		p.gateCtx, p.gateDone = context.WithCancel(context.Background())
	}
	if p.observer != nil {
		p.timedObserver = timedObserver(p.observer, p.clock)
		p.handover = newHandover()
	}
	p.cond.L = &p.lock
	p.determineNextResync(p.clock.Now())
	return p
}

// HasSynced implements ResourceEventHandlerRegistration. Before 0.36 it checks again on each call, so that it is right for a removed handler, too.
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

func (p *processorListener) markSynced() {
	if p.observer == nil {
		close(p.tracker.done)
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	close(p.tracker.done)
	send(p.observer, event.ListenerSynced{Listener: p.id}.Event())
}

// wakeLocked wakes run if it waits for a notification.
func (p *processorListener) wakeLocked() {
	if p.idle {
		p.idle = false
		p.cond.Signal()
	}
}

// add queues ns. It never waits for the handler.
func (p *processorListener) add(ns ...notification) {
	if p.handover != nil {
		for i := range ns {
			p.accept(&ns[i], p.timedObserver.Now())
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

// stop ends the listener: queued notifications are discarded. It does not wait for a running call of the handler.
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

// queuedLocked reports whether run has something to take.
func (p *processorListener) queuedLocked() bool {
	return p.head != nil || p.handover != nil && p.handover.waiting
}

// waitLocked waits until something is queued. It returns false if the listener was stopped.
func (p *processorListener) waitLocked() bool {
	for !p.queuedLocked() && !p.closed.Load() {
		p.idle = true
		p.cond.Wait()
	}
	p.idle = false
	return !p.closed.Load()
}

// run calls the handler until the listener is stopped. A panic of the handler ends the process, unless utilruntime.ReallyCrash is off. Then run skips
// the notification and waits a second before the next one. In 0.31 the second begins with the panic, in later releases when the next notification is
// there.
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

// deliver calls the handler for the notifications of c from *at on. It returns true unless the last call panicked.
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
			p.gates.Wait(p.gateCtx, event.StageDeliver, p.id)
		}
		p.callHandler(n)
		if n.initialAdd() {
			p.tracker.finish()
		}
		*n = notification{} // release its objects
	}
	return true
}

// errHandlerPanicked is wrapped by the error with which KindHandled reports a panic.
var errHandlerPanicked = errors.New("the handler panicked")

func (p *processorListener) callHandler(n *notification) {
	switch n.op {
	case event.OpUpdated:
		p.handler.OnUpdate(n.old, n.obj)
	case event.OpAdded:
		p.handler.OnAdd(n.obj, n.isInInitialList)
	case event.OpDeleted:
		p.handler.OnDelete(n.obj)
	}
}

// watchSynced waits until the informer has synced, and notifies the tracker.
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
