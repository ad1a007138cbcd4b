package workqueue

import (
	"sync"

	"informerscope/core/words/event"

	"k8s.io/utils/clock"
)

// TypedRateLimitingInterface is a work queue that delays keys that fail. It has the methods of client-go's interface of that name. All methods are safe
// for concurrent use.
type TypedRateLimitingInterface[T comparable] interface {
	TypedDelayingInterface[T]
	// AddRateLimited adds item after the delay that the rate limiter returns.
	AddRateLimited(item T)
	// Forget clears the rate limiter's count of item's failures. It does not replace Done.
	Forget(item T)
	// NumRequeues returns how many failures of item the rate limiter counts.
	NumRequeues(item T) int
}

// TypedRateLimitingQueueConfig configures a rate-limited queue. Its fields are those of TypedQueueConfig.
type TypedRateLimitingQueueConfig[T comparable] struct {
	Name     string
	Clock    clock.WithTicker
	Observer event.Observer
	Gate     Gate
}

// TypedRateLimitingQueue is the work queue of a controller: a delaying queue with a rate limiter.
type TypedRateLimitingQueue[T comparable] struct {
	*TypedDelayingQueue[T]

	limiter TypedRateLimiter[T]
	// limiterMu keeps the limiter's answers and their events in the same order, if there is an observer. It is locked before the queue's lock. The
	// limiter is called without the queue's lock, so that it may call the queue's Len.
	limiterMu sync.Mutex
}

// NewTypedRateLimitingQueue returns a rate-limited queue with the default config.
func NewTypedRateLimitingQueue[T comparable](rateLimiter TypedRateLimiter[T]) *TypedRateLimitingQueue[T] {
	return NewTypedRateLimitingQueueWithConfig(rateLimiter, TypedRateLimitingQueueConfig[T]{})
}

// NewTypedRateLimitingQueueWithConfig returns a rate-limited queue and starts its goroutine. A nil rateLimiter means DefaultTypedControllerRateLimiter
// on the queue's clock. The rate limiter must serve this queue alone; otherwise the failure counts in events are not exact.
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

// AddRateLimited asks the rate limiter for a delay, which counts as a failure of item, and adds item after it. The limiter is asked even if the queue
// is shutting down and will ignore item.
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
	q.emitLocked(event.KindWorkRateLimited, item, false, 0, failures, delay)
	q.addAfterLocked(item, delay)
}

// Forget clears the rate limiter's count of item's failures. It changes nothing in the queue: Done must be called as well.
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
	q.emitLocked(event.KindWorkForgotten, item, false, 0, failures, 0)
}

// NumRequeues returns how many failures of item the rate limiter counts.
func (q *TypedRateLimitingQueue[T]) NumRequeues(item T) int {
	return q.limiter.NumRequeues(item)
}
