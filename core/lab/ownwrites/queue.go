package ownwrites

import (
	"sync"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/client/workqueue"
)

// queue is the work queue of a lane.
type queue interface {
	Add(key string)
	AddRateLimited(key string)
	Forget(key string)
	Get() (key string, shutdown bool)
	Done(key string)
	ShutDown()
	// isIdle reports whether no key is queued, due later, or with the worker.
	isIdle() bool
}

// plainQueue is client-go's work queue, as kube-controller-manager uses it. Its default limiter is exponential per key, with a bucket for all keys.
type plainQueue struct {
	*workqueue.TypedDelayingQueue[string]
	clock   clock.WithTicker
	limiter workqueue.TypedRateLimiter[string]

	mu     sync.Mutex
	isBusy bool
	due    map[string]time.Time // of each key's next retry; past ones are over
}

func newPlainQueue(c clock.WithTicker) *plainQueue {
	return &plainQueue{TypedDelayingQueue: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[string]{Clock: c}), clock: c,
		due: map[string]time.Time{}, limiter: workqueue.DefaultTypedControllerRateLimiterWithClock[string](c)}
}

func (q *plainQueue) AddRateLimited(key string) {
	delay := q.limiter.When(key)
	q.mu.Lock()
	// As the delaying queue does: of two retries that are not due, the earlier one counts.
	if now, old := q.clock.Now(), q.due[key]; !old.After(now) || now.Add(delay).Before(old) {
		q.due[key] = now.Add(delay)
	}
	q.mu.Unlock()
	q.AddAfter(key, delay)
}

func (q *plainQueue) Forget(key string) { q.limiter.Forget(key) }

func (q *plainQueue) Get() (key string, shutdown bool) {
	key, shutdown = q.TypedDelayingQueue.Get()
	q.setBusy(true)
	return key, shutdown
}

func (q *plainQueue) Done(key string) {
	q.TypedDelayingQueue.Done(key)
	q.setBusy(false)
}

func (q *plainQueue) setBusy(busy bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.isBusy = busy
}

func (q *plainQueue) isIdle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	//maporder:free it only matters whether there is one
	for _, due := range q.due {
		if !due.Before(q.clock.Now()) {
			return false
		}
	}
	return q.Len() == 0 && !q.isBusy
}

// mergingQueue has a key only once, due now or later: a key that is added while its retry is not due yet is due at once, and its retry is gone. Due keys
// come in the order in which they were first added. It serves one worker.
//
// Mirrors sigs.k8s.io/controller-runtime pkg/controller/priorityqueue (v0.25.2), where all keys have the same priority, with its default rate limiter, which
// has no bucket.
type mergingQueue struct {
	clock   clock.WithTicker
	limiter workqueue.TypedRateLimiter[string]

	mu        sync.Mutex
	entries   []entry // in the order in which they were added
	workerKey string  // the key that the worker has; empty for none
	closed    bool
	changed   chan struct{} // signals the worker
}

type entry struct {
	key string
	due time.Time // zero is now
}

func newMergingQueue(c clock.WithTicker) *mergingQueue {
	return &mergingQueue{clock: c, changed: make(chan struct{}, 1),
		limiter: workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, 1000*time.Second)}
}

func (q *mergingQueue) Add(key string) { q.add(entry{key: key}) }

func (q *mergingQueue) AddRateLimited(key string) {
	q.add(entry{key, q.clock.Now().Add(q.limiter.When(key))})
}

func (q *mergingQueue) add(e entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.notify()
	for i := range q.entries {
		if queued := &q.entries[i]; queued.key == e.key {
			if e.due.Before(queued.due) { // the zero time is before all others
				queued.due = e.due
			}
			return
		}
	}
	q.entries = append(q.entries, e)
}

func (q *mergingQueue) notify() {
	select {
	case q.changed <- struct{}{}:
	default:
	}
}

func (q *mergingQueue) Forget(key string) { q.limiter.Forget(key) }

func (q *mergingQueue) Get() (key string, shutdown bool) {
	for {
		key, wait, shutdown := q.take()
		if key != "" || shutdown {
			return key, shutdown
		}
		t := q.clock.NewTimer(wait)
		select {
		case <-t.C():
		case <-q.changed:
		}
		t.Stop()
	}
}

// take takes the first due key, or returns how long to wait for one.
func (q *mergingQueue) take() (key string, wait time.Duration, shutdown bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	wait = time.Hour
	for i, e := range q.entries {
		if d := e.due.Sub(q.clock.Now()); d > 0 {
			wait = min(wait, d)
			continue
		}
		q.entries, q.workerKey = append(q.entries[:i], q.entries[i+1:]...), e.key
		return e.key, 0, q.closed
	}
	return "", wait, q.closed
}

func (q *mergingQueue) Done(string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.workerKey = ""
}

func (q *mergingQueue) ShutDown() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.notify()
}

func (q *mergingQueue) isIdle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.entries) == 0 && q.workerKey == ""
}
