package workqueue

import (
	"math"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// never is the delay until a token that will not come.
const never = time.Duration(math.MaxInt64)

// TokenBucket fills with tokens at a steady rate up to a limit, and lends what it does not have yet: each Reserve takes one
// token and says how long to wait until it is there. It gives the delays that golang.org/x/time/rate gives to
// Reserve().Delay(), but on a clock of the caller's choice. It is safe for concurrent use.
type TokenBucket struct {
	clock clock.PassiveClock
	qps   float64
	burst int

	mu sync.Mutex
	// tokens is how many there were at last; below zero, how many are lent.
	tokens float64
	last   time.Time
}

// NewTokenBucket makes a full bucket on the real clock: qps tokens a second, burst tokens at most. With an infinite qps
// nobody ever waits; without a positive one, the bucket is never refilled; without a positive burst, nobody ever gets a
// token, and every delay is the longest a Duration can hold.
func NewTokenBucket(qps float64, burst int) *TokenBucket {
	return NewTokenBucketWithClock(qps, burst, clock.RealClock{})
}

// NewTokenBucketWithClock is NewTokenBucket on the given clock.
func NewTokenBucketWithClock(qps float64, burst int, c clock.PassiveClock) *TokenBucket {
	return &TokenBucket{clock: c, qps: qps, burst: burst, tokens: float64(burst), last: c.Now()}
}

// Reserve takes a token and returns how long to wait before acting on it, at least 0.
func (b *TokenBucket) Reserve() time.Duration {
	if math.IsInf(b.qps, 1) {
		return 0
	}
	if b.burst <= 0 {
		return never
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.Now()
	if elapsed := now.Sub(b.last); elapsed > 0 && b.qps > 0 {
		b.tokens = min(b.tokens+elapsed.Seconds()*b.qps, float64(b.burst))
	}
	b.last = now
	b.tokens--
	if b.tokens >= 0 {
		return 0
	}
	if !(b.qps > 0) { // so that NaN is no rate either
		return never
	}
	wait := -b.tokens / b.qps * float64(time.Second)
	if wait >= math.MaxInt64 {
		return never
	}
	return time.Duration(wait)
}
