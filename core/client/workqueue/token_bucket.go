package workqueue

import (
	"math"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// noToken is the delay until a token that will not come.
const noToken = time.Duration(math.MaxInt64)

// TokenBucket fills with tokens at a steady rate up to a limit, and lends tokens that it does not have yet. Reserve takes one token and returns how
// long to wait for it. Its delays are those of golang.org/x/time/rate's Reserve().Delay(), but on a clock that the caller chooses. It is safe for
// concurrent use.
type TokenBucket struct {
	clock clock.PassiveClock
	qps   float64
	burst int

	mu sync.Mutex
	// tokens is the number at the time last; if negative, that many are lent.
	tokens float64
	last   time.Time
}

// NewTokenBucket returns a full bucket on the real clock: qps tokens per second, at most burst tokens. If qps is +Inf, no call has to wait. If qps is
// not positive, the bucket is never refilled. If burst is not positive, there is never a token, and every delay is the longest Duration.
func NewTokenBucket(qps float64, burst int) *TokenBucket {
	return NewTokenBucketWithClock(qps, burst, clock.RealClock{})
}

// NewTokenBucketWithClock is NewTokenBucket on the clock c.
func NewTokenBucketWithClock(qps float64, burst int, c clock.PassiveClock) *TokenBucket {
	return &TokenBucket{clock: c, qps: qps, burst: burst, tokens: float64(burst), last: c.Now()}
}

// Reserve takes a token and returns how long to wait before acting on it, at least 0.
func (b *TokenBucket) Reserve() time.Duration {
	if math.IsInf(b.qps, 1) {
		return 0
	}
	if b.burst <= 0 {
		return noToken
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
	if !(b.qps > 0) { // also true of NaN
		return noToken
	}
	wait := -b.tokens / b.qps * float64(time.Second)
	if wait >= math.MaxInt64 {
		return noToken
	}
	return time.Duration(wait)
}
