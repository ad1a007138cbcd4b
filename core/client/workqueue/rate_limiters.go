package workqueue

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// TypedRateLimiter decides how long a failed key waits. It has the methods of client-go's interface of that name. Implementations must be safe for
// concurrent use, and must not add keys to the queue that calls them.
type TypedRateLimiter[T comparable] interface {
	// When counts a failure of item and returns how long it has to wait.
	When(item T) time.Duration
	// Forget clears item's failures, whether it succeeded or was given up.
	Forget(item T)
	// NumRequeues returns how many failures of item are counted.
	NumRequeues(item T) int
}

// The default limits of a controller, as in client-go util/workqueue.DefaultTypedControllerRateLimiter (v0.37.2).
const (
	defaultBaseDelay = 5 * time.Millisecond
	defaultMaxDelay  = 1000 * time.Second
	defaultQPS       = 10
	defaultBurst     = 100
)

// DefaultTypedControllerRateLimiter returns the limiter that controllers use by default. The delay is the longer of two. One starts at 5 ms and doubles
// with each failure of the key, up to 1000 s. The other comes from a token bucket that all keys share: 10 tokens per second, at most 100.
func DefaultTypedControllerRateLimiter[T comparable]() TypedRateLimiter[T] {
	return DefaultTypedControllerRateLimiterWithClock[T](clock.RealClock{})
}

// DefaultTypedControllerRateLimiterWithClock is DefaultTypedControllerRateLimiter with its token bucket on the clock c.
func DefaultTypedControllerRateLimiterWithClock[T comparable](c clock.PassiveClock) TypedRateLimiter[T] {
	return NewTypedMaxOfRateLimiter(
		NewTypedItemExponentialFailureRateLimiter[T](defaultBaseDelay, defaultMaxDelay),
		&TypedBucketRateLimiter[T]{TokenBucket: NewTokenBucketWithClock(defaultQPS, defaultBurst, c)},
	)
}

// TypedBucketRateLimiter takes one token for each failure of any key. It counts no failures.
type TypedBucketRateLimiter[T comparable] struct {
	*TokenBucket
}

// When implements TypedRateLimiter.
func (r *TypedBucketRateLimiter[T]) When(T) time.Duration { return r.Reserve() }

// Forget implements TypedRateLimiter. It does nothing: tokens are not returned.
func (r *TypedBucketRateLimiter[T]) Forget(T) {}

// NumRequeues implements TypedRateLimiter. It is always 0.
func (r *TypedBucketRateLimiter[T]) NumRequeues(T) int { return 0 }

// TypedItemExponentialFailureRateLimiter doubles a key's delay with each failure, up to a maximum. It counts a key's failures until Forget. Create it
// with NewTypedItemExponentialFailureRateLimiter.
type TypedItemExponentialFailureRateLimiter[T comparable] struct {
	mu       sync.Mutex
	failures map[T]int

	baseDelay time.Duration
	maxDelay  time.Duration
}

// NewTypedItemExponentialFailureRateLimiter returns a limiter whose delay is baseDelay after a key's first failure, twice that after the second, and so
// on, up to maxDelay. A baseDelay that is not positive means no delay.
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
	// Dividing the maximum by 2^n cannot overflow, unlike multiplying the delay by it; for a large n the quotient is 0.
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

// TypedMaxOfRateLimiter returns the longest delay of several limiters. All of them count the failure.
type TypedMaxOfRateLimiter[T comparable] struct {
	limiters []TypedRateLimiter[T]
}

// NewTypedMaxOfRateLimiter returns a limiter that combines limiters. Without any, nothing is delayed.
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

// Forget implements TypedRateLimiter: it calls Forget of every limiter.
func (r *TypedMaxOfRateLimiter[T]) Forget(item T) {
	for _, l := range r.limiters {
		l.Forget(item)
	}
}

// NumRequeues implements TypedRateLimiter: it returns the highest count of any limiter.
func (r *TypedMaxOfRateLimiter[T]) NumRequeues(item T) int {
	most := 0
	for _, l := range r.limiters {
		most = max(most, l.NumRequeues(item))
	}
	return most
}
