package informer

import (
	"context"
	"runtime"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"
)

// eventPool holds the Events that are lent to Observers. An Observer may not
// keep the pointer, so one Event serves again as soon as Observe returned.
var eventPool = sync.Pool{New: func() any { return new([1]Event) }}

// send tells o of e. Callers check o for nil first, so that an informer
// without an Observer does not even build the event.
//
// What is reported for every object is written into an Event that belongs to
// the reporter, under its lock, and not sent this way: to build, copy and clear
// 200 bytes takes longer than all the rest.
func send(o Observer, e Event) {
	p := eventPool.Get().(*[1]Event)
	p[0] = e
	o.Observe(&p[0])
	eventPool.Put(p) // what it refers to is let go with the next event
}

// withClock makes a TimedObserver of an Observer that is none.
type withClock struct {
	Observer
	clock clock.PassiveClock
	start time.Time
}

// Now implements TimedObserver.
func (o withClock) Now() time.Duration { return o.clock.Since(o.start) }

// ObserveAt implements TimedObserver.
func (o withClock) ObserveAt(_ time.Duration, es []Event) {
	for i := range es {
		o.Observe(&es[i])
	}
}

func timedObserver(o Observer, c clock.PassiveClock) TimedObserver {
	if t, ok := o.(TimedObserver); ok {
		return t
	}
	return withClock{o, c, c.Now()}
}

// clockIsCoarse: to read a browser's clock takes a quarter of a microsecond, longer than the way from most steps of an informer to the next, and it
// moves in steps of 5 to 100 µs. What a goroutine does without waiting for anybody in between is one moment there.
const clockIsCoarse = runtime.GOARCH == "wasm"

// unread is the time of a moment for which the clock is still to be read.
const unread time.Duration = -1

// observeAt tells o of transitions at a time, for which it reads the clock if nobody has yet, and returns it.
func observeAt(o TimedObserver, at time.Duration, es []Event) time.Duration {
	if at == unread {
		at = o.Now()
	}
	o.ObserveAt(at, es)
	return at
}

// lasting is a time that may be that of the next step too.
func lasting(at time.Duration) time.Duration {
	if clockIsCoarse {
		return at
	}
	return unread
}

// yieldEvery is after how many events a Reflector that reads without waiting lets others run.
const yieldEvery = 64

// yield lets the stages behind run, where one would go on for as long as there is something to do: on one processor a burst would else lie in
// the queue as a whole before the first of it is processed, and in the rings as a whole before the first handler is called. With Gates time may
// be virtual, and what happens must not depend on where the scheduler puts who yields; a burst is short there.
func yield(g Gates) {
	if g == nil {
		runtime.Gosched()
	}
}

// rvOf returns the resourceVersion of an object, of the last known object for
// a tombstone, and "" for anything without metadata.
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

// opOfWatch gives the Op under which a watch event is reported.
func opOfWatch(t watch.EventType) Op {
	switch t {
	case watch.Added:
		return OpAdded
	case watch.Modified:
		return OpUpdated
	case watch.Deleted:
		return OpDeleted
	case watch.Bookmark:
		return OpBookmark
	}
	return OpNone
}

// queueGate is a queue's side of StagePop: the Gates together with a context
// that ends when the queue is closed, so that a hold never outlives its queue.
type queueGate struct {
	gates  Gates
	ctx    context.Context
	cancel context.CancelFunc
}

func newQueueGate(g Gates) queueGate {
	if g == nil {
		return queueGate{}
	}
	ctx, cancel := context.WithCancel(context.Background())
	return queueGate{gates: g, ctx: ctx, cancel: cancel}
}

// wait holds at StagePop with lock released, as a wait on the queue's
// condition would release it.
func (g *queueGate) wait(lock sync.Locker) {
	lock.Unlock()
	defer lock.Lock()
	g.gates.Wait(g.ctx, StagePop, 0)
}

// index holds at StageIndex, once for each of n objects, with whatever lock the caller holds.
func (g *queueGate) index(n int) {
	for range n {
		g.gates.Wait(g.ctx, StageIndex, 0)
	}
}

// queueLock is the lock of a queue. With Gates, whoever processes may wait for time to pass while it is held; who waits for the lock then
// waits in a channel, so that a virtual clock can tell that nobody runs. Without them it is a plain mutex.
type queueLock struct {
	mu   sync.Mutex
	turn chan struct{} // has one element while the lock is held; nil without Gates
}

func newQueueLock(g Gates) queueLock {
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

// TryLock takes the lock if nobody holds it.
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
