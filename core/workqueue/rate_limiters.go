package workqueue

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// TypedRateLimiter decides how long a failed key waits. It has the methods of client-go's interface of that name.
// Implementations are safe for concurrent use, and must not add to the queue that asks them.
type TypedRateLimiter[T comparable] interface {
	// When counts a failure of item and says how long it has to wait.
	When(item T) time.Duration
	// Forget clears item's failures, whether it succeeded or is given up.
	Forget(item T)
	// NumRequeues is how many failures of item are remembered.
	NumRequeues(item T) int
}

// The default limits of a controller, as in client-go util/workqueue.DefaultTypedControllerRateLimiter (v0.37.2).
const (
	defaultBaseDelay = 5 * time.Millisecond
	defaultMaxDelay  = 1000 * time.Second
	defaultQPS       = 10
	defaultBurst     = 100
)

// DefaultTypedControllerRateLimiter is the limiter that controllers use unless told otherwise: the longer of 5 ms doubled
// with each failure of the key, at most 1000 s, and what a token bucket of 10 per second and bursts of 100, shared by all
// keys, demands.
func DefaultTypedControllerRateLimiter[T comparable]() TypedRateLimiter[T] {
	return DefaultTypedControllerRateLimiterWithClock[T](clock.RealClock{})
}

// DefaultTypedControllerRateLimiterWithClock is DefaultTypedControllerRateLimiter with its token bucket on the given clock.
func DefaultTypedControllerRateLimiterWithClock[T comparable](c clock.PassiveClock) TypedRateLimiter[T] {
	return NewTypedMaxOfRateLimiter(
		NewTypedItemExponentialFailureRateLimiter[T](defaultBaseDelay, defaultMaxDelay),
		&TypedBucketRateLimiter[T]{TokenBucket: NewTokenBucketWithClock(defaultQPS, defaultBurst, c)},
	)
}

// TypedBucketRateLimiter takes one token for each failure of any key. It remembers no failures.
type TypedBucketRateLimiter[T comparable] struct {
	*TokenBucket
}

// When implements TypedRateLimiter.
func (r *TypedBucketRateLimiter[T]) When(T) time.Duration { return r.Reserve() }

// Forget implements TypedRateLimiter. It does nothing: tokens are not given back.
func (r *TypedBucketRateLimiter[T]) Forget(T) {}

// NumRequeues implements TypedRateLimiter. It is always 0.
func (r *TypedBucketRateLimiter[T]) NumRequeues(T) int { return 0 }

// TypedItemExponentialFailureRateLimiter doubles a key's delay with each of its failures, up to a maximum. It remembers a
// key until Forget. Make one with NewTypedItemExponentialFailureRateLimiter.
type TypedItemExponentialFailureRateLimiter[T comparable] struct {
	mu       sync.Mutex
	failures map[T]int

	baseDelay time.Duration
	maxDelay  time.Duration
}

// NewTypedItemExponentialFailureRateLimiter makes a limiter whose delay is baseDelay after a key's first failure, twice that
// after the second, and so on, but never more than maxDelay. A baseDelay that is not positive means no delay.
func NewTypedItemExponentialFailureRateLimiter[T comparable](baseDelay, maxDelay time.Duration) TypedRateLimiter[T] {
	return &TypedItemExponentialFailureRateLimiter[T]{
		failures:  map[T]int{},
		baseDelay: max(baseDelay, 0),
		maxDelay:  maxDelay,
	}
}

// When implements TypedRateLimiter.
//
// Mirrors client-go util/workqueue.(*TypedItemExponentialFailureRateLimiter).When (v0.37.2).
func (r *TypedItemExponentialFailureRateLimiter[T]) When(item T) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.failures[item]
	r.failures[item] = n + 1
	// Comparing with the maximum divided by 2^n, instead of multiplying the delay by it, cannot overflow; for a large n the
	// quotient is 0.
	if r.baseDelay > 0 && r.baseDelay > r.maxDelay>>n {
		return r.maxDelay
	}
	return min(r.baseDelay<<n, r.maxDelay)
}

// Forget implements TypedRateLimiter.
func (r *TypedItemExponentialFailureRateLimiter[T]) Forget(item T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.failures, item)
}

// NumRequeues implements TypedRateLimiter.
func (r *TypedItemExponentialFailureRateLimiter[T]) NumRequeues(item T) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failures[item]
}

// TypedMaxOfRateLimiter asks several limiters and heeds the one with the longest delay. All of them count the failure.
type TypedMaxOfRateLimiter[T comparable] struct {
	limiters []TypedRateLimiter[T]
}

// NewTypedMaxOfRateLimiter makes a limiter of limiters. Without any, nothing is delayed.
func NewTypedMaxOfRateLimiter[T comparable](limiters ...TypedRateLimiter[T]) TypedRateLimiter[T] {
	return &TypedMaxOfRateLimiter[T]{limiters: limiters}
}

// When implements TypedRateLimiter.
func (r *TypedMaxOfRateLimiter[T]) When(item T) time.Duration {
	var longest time.Duration
	for _, l := range r.limiters {
		longest = max(longest, l.When(item))
	}
	return longest
}

// Forget implements TypedRateLimiter: every limiter forgets item.
func (r *TypedMaxOfRateLimiter[T]) Forget(item T) {
	for _, l := range r.limiters {
		l.Forget(item)
	}
}

// NumRequeues implements TypedRateLimiter: the most that any limiter remembers.
func (r *TypedMaxOfRateLimiter[T]) NumRequeues(item T) int {
	most := 0
	for _, l := range r.limiters {
		most = max(most, l.NumRequeues(item))
	}
	return most
}
