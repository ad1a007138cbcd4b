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
	// key and rv are for an Observer; rv is empty without one.
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

// processorListener is between a sharedProcessor and one handler. In client-go
// a goroutine, pop, takes a notification from the channel addCh and hands it to
// the channel nextCh, keeping what nextCh does not take yet in a ring that only
// grows; run takes it from nextCh and calls the handler. pop is always ready to
// take and waits for nothing but run, so a queue under a lock does the same
// without two goroutine switches a notification: its head is what waits at
// nextCh, the rest is the ring.
//
// Without an Observer run takes all that is queued at once. With one it takes
// notification after notification, and every step is reported under the lock.
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

	// lock guards everything below. run waits at cond for something queued or the end.
	lock sync.Mutex
	cond sync.Cond
	// idle: run waits at cond.
	idle bool
	// closed is written under lock: what is queued will not be delivered any more.
	closed atomic.Bool

	// Without an Observer: the queue, and a chunk to be used again.
	head, tail, free *notifications

	// With an Observer: the queue, the capacity that client-go's ring would have, and what is counted for Snapshots.
	observer  Observer
	queue     ring[notification]
	capacity  int
	delivered int
	handled   int
	handling  bool
	discarded int
	// started is when the handler was called last; it is run's.
	started time.Time
	// events are reported before lock is released; see report.
	events []Event
}

type listenerOptions struct {
	logger                  klog.Logger
	clock                   clock.Clock
	id                      int32
	name                    string
	requested, resyncPeriod time.Duration
	upstream                DoneChecker
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
		capacity:              initialBufferSize,
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
	p.cond.L = &p.lock
	p.determineNextResync(p.clock.Now())
	return p
}

// HasSynced implements ResourceEventHandlerRegistration.
func (p *processorListener) HasSynced() bool { return IsDone(&p.tracker) }

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

// ringLen is how many notifications are in what would be client-go's ring.
func (p *processorListener) ringLen() int { return max(p.queue.len()-1, 0) }

// event makes an event about n.
func (p *processorListener) event(kind Kind, n *notification) Event {
	return Event{Kind: kind, Op: n.op, Listener: p.id, Key: n.key, RV: n.rv}
}

// tellLocked reports p.events. Whoever adds to them must call it before lock is released.
func (p *processorListener) tellLocked() {
	if len(p.events) > 0 {
		sendAll(p.observer, p.events)
		p.events = p.events[:0]
	}
}

// acceptLocked queues n, with an Observer, and returns the event that says so.
func (p *processorListener) acceptLocked(n *notification) Event {
	if n.initialAdd() {
		p.tracker.start()
	}
	p.queue.push(*n)
	if p.ringLen() > p.capacity {
		p.capacity *= 2
	}
	e := p.event(KindAccepted, n)
	e.N, e.M, e.Flag = p.ringLen(), p.capacity, p.queue.len() > 1
	return e
}

// wakeLocked lets run go on if it waits for something queued.
func (p *processorListener) wakeLocked() {
	if p.idle {
		p.idle = false
		p.cond.Signal()
	}
}

// add queues ns. It never waits for the handler.
func (p *processorListener) add(ns ...notification) {
	if len(ns) == 0 {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.closed.Load() {
		return
	}
	for i := range ns {
		n := &ns[i]
		if p.observer != nil {
			p.events = append(p.events, p.acceptLocked(n))
			continue
		}
		if n.initialAdd() {
			p.tracker.start()
		}
		if p.tail == nil || p.tail.n == chunkNotifications {
			p.extend()
		}
		p.tail.items[p.tail.n] = *n
		p.tail.n++
	}
	p.tellLocked()
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
	p.discarded = p.queue.len()
	p.head, p.tail, p.free, p.queue = nil, nil, nil, ring[notification]{}
	if p.gateDone != nil {
		p.gateDone()
	}
	close(p.done)
	p.cond.Signal()
}

// waitLocked waits until something is queued, and returns false at the end.
func (p *processorListener) waitLocked() bool {
	for p.head == nil && p.queue.len() == 0 && !p.closed.Load() {
		p.tellLocked()
		p.idle = true
		p.cond.Wait()
	}
	p.idle = false
	return !p.closed.Load()
}

// run calls the handler until the listener is stopped. A panic of the handler
// ends the process, unless utilruntime.ReallyCrash is off: then the notification
// is skipped, and the next one comes after a second.
// Mirrors client-go tools/cache.(*processorListener).run (v0.37.2).
func (p *processorListener) run() {
	defer close(p.runFinished)
	if p.observer != nil {
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

// runObserved is run with an Observer.
func (p *processorListener) runObserved() {
	crashed := false
	p.lock.Lock()
	for p.waitLocked() {
		n := p.queue.pop()
		p.delivered++
		e := p.event(KindDelivered, &n)
		e.N, e.Flag = p.ringLen(), p.queue.len() > 0
		p.events = append(p.events, e)
		if crashed || p.gates != nil {
			p.tellLocked()
			p.lock.Unlock()
			if crashed {
				p.clock.Sleep(time.Second)
			}
			if p.gates != nil {
				p.gates.Wait(p.gateCtx, StageDeliver, p.id)
			}
			p.lock.Lock()
		}
		p.handling = true
		e = p.event(KindHandling, &n)
		e.Flag = n.isInInitialList
		p.events = append(p.events, e)
		p.tellLocked()
		p.lock.Unlock()
		crashed = !p.handleObserved(&n)
		p.lock.Lock()
		if !crashed && !n.initialAdd() {
			// Reported together with what follows at once.
			p.handledLocked(&n, nil)
		}
	}
	p.events = append(p.events, Event{Kind: KindListenerStopped, Listener: p.id, N: p.discarded})
	p.tellLocked()
	p.lock.Unlock()
}

// handleObserved calls the handler, and says whether it returned. That it did is
// reported here only if somebody waits for it.
func (p *processorListener) handleObserved(n *notification) (returned bool) {
	p.started = time.Now()
	handled := func(err error) {
		p.lock.Lock()
		defer p.lock.Unlock()
		p.handledLocked(n, err)
		p.tellLocked()
	}
	defer utilruntime.HandleCrashWithLogger(p.logger, func(_ context.Context, r any) {
		err, ok := r.(error)
		if !ok {
			err = fmt.Errorf("%v", r)
		}
		handled(fmt.Errorf("%w: %w", errHandlerPanicked, err))
	})
	p.callHandler(n)
	if n.initialAdd() {
		handled(nil)
		p.tracker.finished()
	}
	return true
}

// handledLocked notes that the handler returned from n, or panicked with err.
func (p *processorListener) handledLocked(n *notification, err error) {
	p.handling = false
	p.handled++
	e := p.event(KindHandled, n)
	e.Dur, e.Err = time.Since(p.started), err
	p.events = append(p.events, e)
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
