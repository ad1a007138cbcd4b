package laboratory

import (
	"sync"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/workqueue"
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

// plainQueue is client-go's work queue, as kube-controller-manager uses it.
type plainQueue struct {
	*workqueue.TypedRateLimitingQueue[string]
}

func newPlainQueue(c clock.WithTicker) plainQueue {
	config := workqueue.TypedRateLimitingQueueConfig[string]{Clock: c}
	return plainQueue{workqueue.NewTypedRateLimitingQueueWithConfig(nil, config)} // nil: exponential per key, and a bucket for all keys
}

func (q plainQueue) isIdle() bool {
	s := q.Snapshot()
	return len(s.Queue)+len(s.Processing)+len(s.Waiting) == 0
}

// mergingQueue has a key only once, due now or later: a key that is added while its retry is not due yet is due at once, and its retry is gone. Due keys
// come in the order in which they were first added. It serves one worker.
//
// Mirrors sigs.k8s.io/controller-runtime pkg/controller/priorityqueue (v0.25.2), where all keys have the same priority, with its default rate limiter, which
// has no bucket.
type mergingQueue struct {
	clock   clock.WithTicker
	limiter workqueue.TypedRateLimiter[string]

	mu      sync.Mutex
	entries []entry // in the order in which they were added
	taken   string  // the key that the worker has; empty for none
	closed  bool
	changed chan struct{} // signals the worker
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
		if is := &q.entries[i]; is.key == e.key {
			if e.due.Before(is.due) { // the zero time is before all others
				is.due = e.due
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
		q.entries, q.taken = append(q.entries[:i], q.entries[i+1:]...), e.key
		return e.key, 0, q.closed
	}
	return "", wait, q.closed
}

func (q *mergingQueue) Done(string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken = ""
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
	return len(q.entries) == 0 && q.taken == ""
}
