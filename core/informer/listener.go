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
	"k8s.io/utils/buffer"
	"k8s.io/utils/clock"
)

// initialBufferSize is the capacity with which a listener's ring starts.
const initialBufferSize = 1024

// notification is what a listener gets: an add (obj), an update (old, obj) or
// a delete (obj, perhaps a tombstone).
type notification struct {
	op              Op
	isInInitialList bool
	key             string
	old, obj        any
}

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

// processorListener is between a sharedProcessor and one handler. add hands a
// notification to addCh; pop takes it from there and hands it to nextCh,
// keeping what nextCh does not take yet in a ring that only grows; run takes it
// from nextCh and calls the handler.
type processorListener struct {
	logger  klog.Logger
	clock   clock.Clock
	id      int32
	name    string
	handler ResourceEventHandler

	addCh  chan notification
	nextCh chan notification
	// done is closed when pop ends, runFinished when run does.
	done        chan struct{}
	runFinished chan struct{}

	tracker  syncTracker
	upstream DoneChecker

	// ring belongs to pop; it is read elsewhere only under observedLock.
	ring *buffer.TypedRingGrowing[notification]

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

	// With an Observer, everything below and the ring change only under
	// observedLock, together with the event that says so, and run waits for pop
	// to have reported a delivery before it reports the handling.
	observer     Observer
	observedLock sync.Mutex
	reported     chan struct{}
	waiting      bool // something waits at nextCh
	delivered    int
	handled      int
	handling     bool
	discarded    int
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
		addCh:                 make(chan notification),
		nextCh:                make(chan notification),
		done:                  make(chan struct{}),
		runFinished:           make(chan struct{}),
		upstream:              o.upstream,
		ring:                  buffer.NewTypedRingGrowing[notification](buffer.RingGrowingOptions{InitialSize: initialBufferSize}),
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
		p.reported = make(chan struct{}, 1)
	}
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
	p.observedLock.Lock()
	defer p.observedLock.Unlock()
	close(p.tracker.done)
	send(p.observer, Event{Kind: KindListenerSynced, Listener: p.id})
}

// add hands n to pop, which is always quick to take it.
func (p *processorListener) add(n notification) {
	if n.op == OpAdded && n.isInInitialList {
		p.tracker.start()
	}
	p.addCh <- n
}

// observe emits an event about n. The caller holds observedLock.
func (p *processorListener) observe(kind Kind, n *notification, e Event) {
	e.Kind, e.Listener, e.Op, e.Key, e.RV = kind, p.id, n.op, n.key, rvOf(n.obj)
	send(p.observer, e)
}

// pop moves notifications from addCh to nextCh until addCh is closed; what has
// not been taken from nextCh by then is thrown away.
// Mirrors client-go tools/cache.(*processorListener).pop (v0.37.2).
func (p *processorListener) pop() {
	defer utilruntime.HandleCrashWithLogger(p.logger)
	defer close(p.nextCh)
	defer close(p.done)
	if p.gateDone != nil {
		defer p.gateDone()
	}

	var nextCh chan<- notification // nil while there is nothing to deliver
	var next notification
	for {
		select {
		case nextCh <- next:
			if p.observer != nil {
				next = p.deliveredObserved(next)
				if !p.waiting {
					nextCh = nil
				}
				continue
			}
			var ok bool
			if next, ok = p.ring.ReadOne(); !ok {
				nextCh = nil
			}
		case n, ok := <-p.addCh:
			if !ok {
				p.discard()
				return
			}
			if p.observer != nil {
				p.acceptedObserved(n)
			} else if nextCh != nil {
				p.ring.WriteOne(n)
			}
			if nextCh == nil {
				next, nextCh = n, p.nextCh
			}
		}
	}
}

// acceptedObserved notes that pop took n: into the ring, or to wait at nextCh.
func (p *processorListener) acceptedObserved(n notification) {
	p.observedLock.Lock()
	defer p.observedLock.Unlock()
	intoRing := p.waiting
	if intoRing {
		p.ring.WriteOne(n)
	}
	p.waiting = true
	p.observe(KindAccepted, &n, Event{N: p.ring.Len(), M: p.ring.Cap(), Flag: intoRing})
}

// deliveredObserved notes that run took n, reads the next one from the ring
// and lets run go on.
func (p *processorListener) deliveredObserved(n notification) notification {
	p.observedLock.Lock()
	defer p.observedLock.Unlock()
	var next notification
	next, p.waiting = p.ring.ReadOne()
	p.delivered++
	p.observe(KindDelivered, &n, Event{N: p.ring.Len(), Flag: p.waiting})
	p.reported <- struct{}{}
	return next
}

// discard counts what is thrown away at the end.
func (p *processorListener) discard() {
	if p.observer == nil {
		return
	}
	p.observedLock.Lock()
	defer p.observedLock.Unlock()
	p.discarded = p.ring.Len()
	if p.waiting {
		p.discarded++
	}
}

// run calls the handler until nextCh is closed. A panic of the handler ends
// the process, unless utilruntime.ReallyCrash is off: then the notification is
// skipped, and the next one comes after a second.
// Mirrors client-go tools/cache.(*processorListener).run (v0.37.2).
func (p *processorListener) run() {
	defer close(p.runFinished)
	if p.observer != nil {
		defer func() {
			p.observedLock.Lock()
			defer p.observedLock.Unlock()
			send(p.observer, Event{Kind: KindListenerStopped, Listener: p.id, N: p.discarded})
		}()
	}
	crashed := false
	for n := range p.nextCh {
		if p.observer != nil {
			<-p.reported
		}
		if crashed {
			p.clock.Sleep(time.Second)
		}
		if p.gates != nil {
			p.gates.Wait(p.gateCtx, StageDeliver, p.id)
		}
		crashed = !p.handle(&n)
	}
}

// handle calls the handler, and says whether it returned.
func (p *processorListener) handle(n *notification) (returned bool) {
	if p.observer == nil {
		defer utilruntime.HandleCrashWithLogger(p.logger)
		p.call(n)
		return true
	}
	start := time.Now()
	p.observedLock.Lock()
	p.handling = true
	p.observe(KindHandling, n, Event{Flag: n.isInInitialList})
	p.observedLock.Unlock()
	handled := func(err error) {
		p.observedLock.Lock()
		defer p.observedLock.Unlock()
		p.handling = false
		p.handled++
		p.observe(KindHandled, n, Event{Dur: time.Since(start), Err: err})
	}
	defer utilruntime.HandleCrashWithLogger(p.logger, func(_ context.Context, r any) {
		err, ok := r.(error)
		if !ok {
			err = fmt.Errorf("%v", r)
		}
		handled(fmt.Errorf("%w: %w", errHandlerPanicked, err))
	})
	p.callHandler(n)
	handled(nil)
	p.finish(n)
	return true
}

// errHandlerPanicked is in the error that KindHandled reports of a panic.
var errHandlerPanicked = errors.New("the handler panicked")

func (p *processorListener) call(n *notification) {
	p.callHandler(n)
	p.finish(n)
}

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

func (p *processorListener) finish(n *notification) {
	if n.op == OpAdded && n.isInInitialList {
		p.tracker.finished()
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
