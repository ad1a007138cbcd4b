package informer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

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
	// key and rv are for an Observer.
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

// processorListener connects a sharedProcessor to one handler.
//
// In client-go, add sends a notification to the channel addCh. A goroutine, pop, receives it there and sends it to the channel nextCh; what nextCh does
// not accept yet goes into a ring that only grows. run receives from nextCh and calls the handler. Here each of these steps is done and reported, one
// notification at a time, without pop and the channels (handover.go).
type processorListener struct {
	listenerOptions
	handler  ResourceEventHandler
	observer event.TimedObserver

	// done is closed when the listener is stopped, runFinished when run ends.
	done        chan struct{}
	runFinished chan struct{}
	tracker     syncTracker

	// resyncLock guards resyncPeriod and nextResync.
	resyncLock sync.Mutex
	nextResync time.Time
	// syncing is set if same-version updates go to this listener. The processor's listenersLock guards it.
	syncing bool

	gateCtx  context.Context
	gateDone context.CancelFunc

	// lock guards everything below. run waits at cond until something is queued or the listener is stopped.
	lock     sync.Mutex
	cond     sync.Cond
	handover handover
	// idle is set while run waits at cond.
	idle bool
	// closed is set once queued notifications are no longer delivered.
	closed bool
}

type listenerOptions struct {
	logger klog.Logger
	clock  clock.Clock
	id     int32
	name   string
	// requestedResyncPeriod is the handler's request; resyncPeriod is what it gets, zero if the informer does no resyncs.
	requestedResyncPeriod, resyncPeriod time.Duration
	upstream                            DoneChecker
	// informerSynced, if set, is called by HasSynced. The informer then reports to tracker itself that it has synced, and watchSynced does not run.
	informerSynced func() bool
	pauseAtOnce    bool
	gates          event.Gates
}

func newProcessorListener(handler ResourceEventHandler, observer event.TimedObserver, options listenerOptions) *processorListener {
	p := &processorListener{
		listenerOptions: options,
		handler:         handler,
		observer:        observer,
		done:            make(chan struct{}),
		runFinished:     make(chan struct{}),
		syncing:         true,
		handover:        newHandover(),
	}
	if p.name == "" {
		p.name = nameForHandler(handler)
	}
	p.tracker.name = fmt.Sprintf("%s + event handler %s", p.upstream.Name(), p.name)
	p.tracker.done = make(chan struct{})
	p.tracker.onSynced = p.markSynced
	if p.gates != nil {
		p.gateCtx, p.gateDone = context.WithCancel(context.Background())
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

// stop ends the listener: queued notifications are discarded. It does not wait for a running call of the handler.
func (p *processorListener) stop() {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.closed = true
	p.handover.discard()
	if p.gateDone != nil {
		p.gateDone()
	}
	close(p.done)
	p.cond.Signal()
}

// waitLocked waits until something is queued. It returns false if the listener was stopped.
func (p *processorListener) waitLocked() bool {
	for !p.handover.waiting && !p.closed {
		p.idle = true
		p.cond.Wait()
	}
	p.idle = false
	return !p.closed
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
