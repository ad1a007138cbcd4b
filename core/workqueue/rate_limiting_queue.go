package workqueue

import (
	"sync"

	"k8s.io/utils/clock"
)

// TypedRateLimitingInterface is a work queue that slows down keys that fail. It has the methods of client-go's interface of
// that name. All methods are safe for concurrent use.
type TypedRateLimitingInterface[T comparable] interface {
	TypedDelayingInterface[T]
	// AddRateLimited adds item when the rate limiter says so.
	AddRateLimited(item T)
	// Forget makes the rate limiter forget item's failures. It is no substitute for Done.
	Forget(item T)
	// NumRequeues is how many failures of item the rate limiter remembers.
	NumRequeues(item T) int
}

// TypedRateLimitingQueueConfig says how a rate-limited queue is built. Its fields are those of TypedQueueConfig.
type TypedRateLimitingQueueConfig[T comparable] struct {
	Name     string
	Clock    clock.WithTicker
	Observer Observer
	Gate     Gate
}

// TypedRateLimitingQueue is the work queue of a controller: a delaying queue with a rate limiter.
type TypedRateLimitingQueue[T comparable] struct {
	*TypedDelayingQueue[T]

	limiter TypedRateLimiter[T]
	// limiterMu keeps the limiter's answers and the events that tell of them in one order, when somebody observes. It is
	// taken before the queue's lock, and the limiter is asked without the queue's lock, so that a limiter may look at the
	// queue's Len.
	limiterMu sync.Mutex
}

// NewTypedRateLimitingQueue is NewTypedRateLimitingQueueWithConfig with the defaults.
func NewTypedRateLimitingQueue[T comparable](rateLimiter TypedRateLimiter[T]) *TypedRateLimitingQueue[T] {
	return NewTypedRateLimitingQueueWithConfig(rateLimiter, TypedRateLimitingQueueConfig[T]{})
}

// NewTypedRateLimitingQueueWithConfig makes a rate-limited queue and starts its goroutine. A nil rateLimiter means
// DefaultTypedControllerRateLimiter on the queue's clock. For the events about failures to be exact, the rate limiter must
// serve this queue alone.
func NewTypedRateLimitingQueueWithConfig[T comparable](rateLimiter TypedRateLimiter[T], config TypedRateLimitingQueueConfig[T]) *TypedRateLimitingQueue[T] {
	q := &TypedRateLimitingQueue[T]{
		TypedDelayingQueue: NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[T](config)),
		limiter:            rateLimiter,
	}
	if q.limiter == nil {
		q.limiter = DefaultTypedControllerRateLimiterWithClock[T](q.clock)
	}
	return q
}

// AddRateLimited asks the rate limiter, which counts it as a failure of item, and adds item after the delay it gives. The
// limiter is asked even if the queue is shutting down and will ignore item.
//
// Mirrors client-go util/workqueue.(*rateLimitingType).AddRateLimited (v0.37.2).
func (q *TypedRateLimitingQueue[T]) AddRateLimited(item T) {
	if q.observer == nil {
		q.AddAfter(item, q.limiter.When(item))
		return
	}
	q.limiterMu.Lock()
	defer q.limiterMu.Unlock()
	delay := q.limiter.When(item)
	failures := q.limiter.NumRequeues(item)

	q.mu.Lock()
	defer q.mu.Unlock()
	q.emit(KindRateLimited, item, false, 0, failures, delay)
	q.addAfterLocked(item, delay)
}

// Forget makes the rate limiter forget item's failures. It changes nothing in the queue: Done must be called as well.
func (q *TypedRateLimitingQueue[T]) Forget(item T) {
	if q.observer == nil {
		q.limiter.Forget(item)
		return
	}
	q.limiterMu.Lock()
	defer q.limiterMu.Unlock()
	failures := q.limiter.NumRequeues(item)
	q.limiter.Forget(item)

	q.mu.Lock()
	defer q.mu.Unlock()
	q.emit(KindForgotten, item, false, 0, failures, 0)
}

// NumRequeues is how many failures of item the rate limiter remembers.
func (q *TypedRateLimitingQueue[T]) NumRequeues(item T) int {
	return q.limiter.NumRequeues(item)
}
