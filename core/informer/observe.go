package informer

import (
	"context"
	"runtime"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"

	"informerscope/core/words/event"
)

// eventPool holds Events for send. An Observer must not keep the pointer, so an Event can be reused as soon as Observe has returned.
var eventPool = sync.Pool{New: func() any { return new([1]event.Event) }}

// send reports e to o. Callers check o for nil first, so that an informer without an Observer does not even build the event.
//
// What is reported for every object does not go this way. It is written into an Event that the reporter owns, under its lock: building, copying and
// clearing 200 bytes takes longer than all the rest.
func send(o event.Observer, e event.Event) {
	p := eventPool.Get().(*[1]event.Event)
	p[0] = e
	o.Observe(&p[0])
	eventPool.Put(p) // the next event replaces its references
}

// withClock makes a TimedObserver of an Observer without a clock.
type withClock struct {
	event.Observer
	clock clock.PassiveClock
	start time.Time
}

// Now implements TimedObserver.
func (o withClock) Now() time.Duration { return o.clock.Since(o.start) }

// ObserveAt implements TimedObserver.
func (o withClock) ObserveAt(_ time.Duration, es []event.Event) {
	for i := range es {
		o.Observe(&es[i])
	}
}

func timedObserver(o event.Observer, c clock.PassiveClock) event.TimedObserver {
	if t, ok := o.(event.TimedObserver); ok {
		return t
	}
	return withClock{o, c, c.Now()}
}

// clockIsCoarse is set for browsers. Reading their clock takes a quarter of a microsecond, which is longer than most steps of an informer, and the
// clock advances by 5 to 100 µs at a time. So what a goroutine does without waiting counts as one moment there.
const clockIsCoarse = runtime.GOARCH == "wasm"

// unknownTime stands for a moment whose time has not been read yet.
const unknownTime time.Duration = -1

// observeAt reports transitions at the time at, which it reads from the clock if it is unknownTime. It returns the time.
func observeAt(o event.TimedObserver, at time.Duration, es []event.Event) time.Duration {
	if at == unknownTime {
		at = o.Now()
	}
	o.ObserveAt(at, es)
	return at
}

// keepTime returns the time for the next step: the same if the clock is coarse, otherwise unknownTime.
func keepTime(at time.Duration) time.Duration {
	if clockIsCoarse {
		return at
	}
	return unknownTime
}

// yieldEvery is how many events a Reflector reads, while it does not wait, before it yields.
const yieldEvery = 64

// yield lets the later stages run when a goroutine would work on without a pause. Otherwise, on one processor, a whole burst would enter the queue
// before the first delta is processed, and enter the rings before the first handler is called. With Gates time may be virtual: then the order must not
// depend on where the scheduler puts a goroutine that yields. A burst is short there.
func yield(g event.Gates) {
	if g == nil {
		runtime.Gosched()
	}
}

// rvOf returns the resourceVersion of an object; for a tombstone, that of its last known object. It returns "" for anything without metadata.
func rvOf(obj any) string {
	if d, ok := obj.(DeletedFinalStateUnknown); ok {
		obj = d.Obj
	}
	if obj == nil {
		return ""
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return ""
	}
	return m.GetResourceVersion()
}

// opOfWatch returns the Op under which a watch event is reported.
func opOfWatch(t watch.EventType) event.Op {
	switch t {
	case watch.Added:
		return event.OpAdded
	case watch.Modified:
		return event.OpUpdated
	case watch.Deleted:
		return event.OpDeleted
	case watch.Bookmark:
		return event.OpBookmark
	}
	return event.OpNone
}

// queueGate is a queue's access to StagePop and StageIndex: the Gates, and a context that ends when the queue is closed, so that a hold never outlives
// its queue.
type queueGate struct {
	gates  event.Gates
	ctx    context.Context
	cancel context.CancelFunc
}

func newQueueGate(g event.Gates) queueGate {
	if g == nil {
		return queueGate{}
	}
	ctx, cancel := context.WithCancel(context.Background())
	return queueGate{gates: g, ctx: ctx, cancel: cancel}
}

// wait holds at StagePop. It releases lock meanwhile, as a wait on the queue's condition would.
func (g *queueGate) wait(lock sync.Locker) {
	lock.Unlock()
	defer lock.Lock()
	g.gates.Wait(g.ctx, event.StagePop, 0)
}

// index holds at StageIndex, once for each of n objects, with whatever lock the caller holds.
func (g *queueGate) index(n int) {
	for range n {
		g.gates.Wait(g.ctx, event.StageIndex, 0)
	}
}

// queueLock is the lock of a queue. With Gates, a goroutine that processes may wait for time to pass while it holds the lock. Others then wait for the
// lock at a channel, so that a virtual clock can detect that no goroutine runs. Without Gates it is a plain mutex.
type queueLock struct {
	mu   sync.Mutex
	turn chan struct{} // has one element while the lock is held; nil without Gates
}

func newQueueLock(g event.Gates) queueLock {
	if g == nil {
		return queueLock{}
	}
	return queueLock{turn: make(chan struct{}, 1)}
}

// Lock implements sync.Locker.
func (l *queueLock) Lock() {
	if l.turn != nil {
		l.turn <- struct{}{}
		return
	}
	l.mu.Lock()
}

// TryLock takes the lock if it is free.
func (l *queueLock) TryLock() bool {
	if l.turn == nil {
		return l.mu.TryLock()
	}
	select {
	case l.turn <- struct{}{}:
		return true
	default:
		return false
	}
}

// Unlock implements sync.Locker.
func (l *queueLock) Unlock() {
	if l.turn != nil {
		<-l.turn
		return
	}
	l.mu.Unlock()
}

func (g *queueGate) close() {
	if g.cancel != nil {
		g.cancel()
	}
}
