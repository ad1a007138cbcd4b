package workqueue

import (
	"context"
	"fmt"
	"sync"
	"time"

	"informerscope/core/words/event"

	"k8s.io/utils/clock"
)

// NoWorker is the worker in the events of keys taken with Get, and in a Done event of a key that no worker had.
const NoWorker int32 = -1

// TypedInterface is the plain work queue. It has the methods of client-go's interface of that name, so that either can be used for the other. All
// methods are safe for concurrent use.
type TypedInterface[T comparable] interface {
	Add(item T)
	Len() int
	Get() (item T, shutdown bool)
	Done(item T)
	ShutDown()
	ShutDownWithDrain()
	ShuttingDown() bool
}

// TypedQueueConfig configures a plain queue. Its zero value is usable.
type TypedQueueConfig[T comparable] struct {
	// Name is the queue's name in Snapshot; it may be empty.
	Name string
	// Clock is the only source of time. Default: the real clock.
	Clock clock.WithTicker
	// Observer, if not nil, receives every transition. Keys in events are strings as they are, and other items as fmt.Sprint prints them. That happens
	// under the queue's lock: a String method of T must not call the queue.
	Observer event.Observer
	// Gate, if not nil, holds workers back before they take a key.
	Gate Gate
}

// Typed is the plain work queue. Create it with NewTyped or NewTypedWithConfig, and end it with ShutDown or ShutDownWithDrain.
type Typed[T comparable] struct {
	name     string
	clock    clock.WithTicker
	observer event.Observer
	gate     Gate

	// ctx is done when the queue starts to shut down.
	ctx    context.Context
	cancel context.CancelFunc
	// wg counts the queue's own goroutines; ShutDown waits for them.
	wg sync.WaitGroup

	// mu guards everything below, and the waiting heap of a delaying queue.
	mu   sync.Mutex
	cond *sync.Cond

	// queue holds the keys for Get, each of them dirty.
	queue fifo[T]
	// dirty holds the keys that need work, including those that are queued again only at Done.
	dirty map[T]struct{}
	// processing holds the keys that workers have.
	processing map[T]holder
	// claims counts the workers at the gate. Each of them reserves one key of the FIFO, though no particular one. So a worker that passes the gate
	// always finds a key, and no release of the gate is lost.
	claims int

	isShuttingDown bool
	drains         bool

	// event is what the observer receives. Reusing it saves an allocation per transition.
	event event.Event
}

// holder records which worker has a key, and since when. The time is set only if there is an observer.
type holder struct {
	worker int32
	start  time.Time
}

// NewTyped returns a plain work queue with the default config.
func NewTyped[T comparable]() *Typed[T] {
	return NewTypedWithConfig(TypedQueueConfig[T]{})
}

// NewTypedWithConfig returns a plain work queue.
func NewTypedWithConfig[T comparable](config TypedQueueConfig[T]) *Typed[T] {
	if config.Clock == nil {
		config.Clock = clock.RealClock{}
	}
	q := &Typed[T]{
		name:       config.Name,
		clock:      config.Clock,
		observer:   config.Observer,
		gate:       config.Gate,
		dirty:      map[T]struct{}{},
		processing: map[T]holder{},
	}
	q.cond = sync.NewCond(&q.mu)
	q.ctx, q.cancel = context.WithCancel(context.Background())
	return q
}

// Add marks item as needing work. It does nothing if item is already dirty or the queue is shutting down. If item is being processed, it is queued at
// Done.
//
// Mirrors client-go util/workqueue.(*Typed).Add (v0.37.2).
func (q *Typed[T]) Add(item T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.addLocked(item)
}

func (q *Typed[T]) addLocked(item T) {
	if q.isShuttingDown {
		return
	}
	if _, ok := q.dirty[item]; ok {
		q.emitLocked(event.KindWorkDeduplicated, item, false, 0, 0, 0)
		return
	}
	q.dirty[item] = struct{}{}
	if _, ok := q.processing[item]; ok {
		q.emitLocked(event.KindWorkMarkedDirty, item, false, 0, 0, 0)
		return
	}
	q.queue.push(item)
	q.emitLocked(event.KindWorkAdded, item, false, 0, q.queue.len(), 0)
	q.cond.Signal()
}

// Len returns the number of keys in the FIFO. It counts neither keys being processed nor keys that are not due.
func (q *Typed[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.queue.len()
}

// Get is GetFor with NoWorker.
func (q *Typed[T]) Get() (item T, shutdown bool) {
	return q.GetFor(NoWorker)
}

// GetFor waits for a key and hands it to worker, whose number appears in the events. The worker must call Done when it has finished. If shutdown is
// true, there is no item, and the worker should end.
//
// Mirrors client-go util/workqueue.(*Typed).Get (v0.37.2), except for the gate. If there is a key and the queue is not shutting down, the worker waits
// at the gate without the lock, and then takes the head of the FIFO.
func (q *Typed[T]) GetFor(worker int32) (item T, shutdown bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.queue.len() <= q.claims && !q.isShuttingDown {
		q.cond.Wait()
	}
	if q.queue.len() <= q.claims {
		return item, true
	}
	if q.gate != nil && !q.isShuttingDown {
		q.waitAtGateLocked()
	}

	item = q.queue.pop()
	t := holder{worker: worker}
	if q.observer != nil {
		t.start = q.clock.Now()
	}
	q.processing[item] = t
	delete(q.dirty, item)
	q.emitLocked(event.KindWorkTaken, item, false, worker, q.queue.len(), 0)
	return item, false
}

// waitAtGateLocked waits at the gate without the lock, and takes it again.
func (q *Typed[T]) waitAtGateLocked() {
	q.claims++
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		q.claims--
	}()
	q.gate.Wait(q.ctx)
}

// Done marks item as finished. If item was added meanwhile, it goes to the FIFO's tail, even while the queue is shutting down.
//
// Mirrors client-go util/workqueue.(*Typed).Done (v0.37.2), including this: Done of a key that is still in the FIFO puts it there a second time.
func (q *Typed[T]) Done(item T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t, isProcessing := q.processing[item]
	delete(q.processing, item)
	_, again := q.dirty[item]
	if again {
		q.queue.push(item)
	}
	if q.observer != nil {
		var took time.Duration
		if isProcessing {
			took = q.clock.Since(t.start)
		} else {
			t.worker = NoWorker
		}
		q.emitLocked(event.KindWorkDone, item, again, t.worker, q.queue.len(), took)
	}
	switch {
	case q.isShuttingDown:
		// No worker waits any more, but several callers of ShutDownWithDrain may.
		q.cond.Broadcast()
	case again:
		q.cond.Signal()
	}
}

// ShutDown makes the queue ignore later adds. Workers still get the keys in the FIFO; once it is empty, Get returns shutdown. Keys that are not due
// stay in the heap. ShutDown ends every wait of ShutDownWithDrain, and returns when the queue's own goroutines have ended. It may be called more than
// once.
//
// Mirrors client-go util/workqueue.(*Typed).ShutDown (v0.37.2). There, a delaying queue obeys only the first call; here the last call counts for every
// kind of queue.
func (q *Typed[T]) ShutDown() {
	q.mu.Lock()
	q.shutDownLocked(false)
	q.mu.Unlock()
	q.wg.Wait()
}

// ShutDownWithDrain does what ShutDown does, and waits until no key is being processed, or until ShutDown is called. It does not wait for keys in the
// FIFO once none is being processed.
//
// Mirrors client-go util/workqueue.(*Typed).ShutDownWithDrain (v0.37.2). There, only one of several concurrent callers is sure to return; here all do.
func (q *Typed[T]) ShutDownWithDrain() {
	q.mu.Lock()
	q.shutDownLocked(true)
	for len(q.processing) != 0 && q.drains {
		q.cond.Wait()
	}
	q.mu.Unlock()
	q.wg.Wait()
}

func (q *Typed[T]) shutDownLocked(drain bool) {
	q.drains = drain
	q.isShuttingDown = true
	if q.observer != nil {
		q.event = event.Work{Kind: event.KindWorkShuttingDown, Flag: drain}.Event()
		q.observer.Observe(&q.event)
	}
	q.cancel()
	q.cond.Broadcast()
}

// ShuttingDown reports whether ShutDown or ShutDownWithDrain has been called.
func (q *Typed[T]) ShuttingDown() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.isShuttingDown
}

// emitLocked reports a transition to the observer, if there is one.
func (q *Typed[T]) emitLocked(kind event.Kind, item T, flag bool, worker int32, n int, dur time.Duration) {
	if q.observer == nil {
		return
	}
	q.event = event.Work{Kind: kind, Flag: flag, Worker: worker, N: n, Key: keyOf(item), Dur: dur}.Event()
	q.observer.Observe(&q.event)
}

// keyOf returns the name of an item in events and snapshots.
func keyOf[T comparable](item T) string {
	if s, ok := any(item).(string); ok {
		return s
	}
	return fmt.Sprint(item)
}
