package workqueue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	clientgo "k8s.io/client-go/util/workqueue"
	clocktesting "k8s.io/utils/clock/testing"
)

func TestExponentialSameAsClientGo(t *testing.T) {
	for _, c := range []struct{ base, max time.Duration }{
		{5 * time.Millisecond, 1000 * time.Second},
		{time.Millisecond, time.Millisecond},
		{time.Second, time.Millisecond},
		{3, math.MaxInt64},
		{7 * time.Microsecond, 12345 * time.Second},
		{0, time.Second},
		{time.Second, 0},
	} {
		ours := NewTypedItemExponentialFailureRateLimiter[string](c.base, c.max)
		theirs := clientgo.NewTypedItemExponentialFailureRateLimiter[string](c.base, c.max)
		for i := range 1100 {
			// client-go's product of 0 and 2^1024 is NaN; the delay that comes of it counts as none.
			if o, th := ours.When("a"), max(0, theirs.When("a")); o != th {
				t.Fatalf("base %v, max %v, failure %d: ours %v, client-go's %v", c.base, c.max, i, o, th)
			}
		}
		if o, th := ours.When("b"), theirs.When("b"); o != th {
			t.Errorf("base %v, max %v, another key: ours %v, client-go's %v", c.base, c.max, o, th)
		}
		ours.Forget("a")
		if n := ours.NumRequeues("a"); n != 0 {
			t.Errorf("%d failures remembered after Forget", n)
		}
		if n := ours.NumRequeues("b"); n != 1 {
			t.Errorf("%d failures of another key remembered, want 1", n)
		}
	}
}

func TestExponentialNeverOverflows(t *testing.T) {
	for _, base := range []time.Duration{1, 1 << 40, math.MaxInt64, -5} {
		l := NewTypedItemExponentialFailureRateLimiter[string](base, math.MaxInt64)
		last := time.Duration(0)
		for i := range 200 {
			d := l.When("a")
			if d < last {
				t.Fatalf("base %d: delay %d after failure %d is less than the one before, %d", base, d, i, last)
			}
			last = d
		}
		if want := max(0, min(base, 1)) * math.MaxInt64; last != want {
			t.Errorf("base %d: the delay ends at %d, want %d", base, last, want)
		}
	}
}

// TestDefaultSameAsClientGo compares the default limiters while (fake) time passes, so that the bucket empties and refills.
func TestDefaultSameAsClientGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		ours, theirs := DefaultTypedControllerRateLimiter[string](), clientgo.DefaultTypedControllerRateLimiter[string]()
		bucket := 0
		for i := range 3000 {
			key := keyNumber(r.IntN(2000)) // mostly first failures, so that the bucket decides
			o, th := ours.When(key), theirs.When(key)
			if o != th || ours.NumRequeues(key) != theirs.NumRequeues(key) {
				t.Fatalf("step %d, %s: ours %v (%d), client-go's %v (%d)", i, key, o, ours.NumRequeues(key), th, theirs.NumRequeues(key))
			}
			if o > 5*time.Millisecond {
				bucket++
			}
			if r.IntN(4) == 0 {
				ours.Forget(key)
				theirs.Forget(key)
			}
			if r.IntN(2) == 0 {
				advance(time.Duration(r.Int64N(int64(400 * time.Millisecond))))
			}
			if r.IntN(500) == 0 {
				advance(time.Minute)
			}
		}
		if bucket < 100 {
			t.Errorf("the bucket was empty only %d times: the test covers less than it should", bucket)
		}
	})
}

func TestTokenBucket(t *testing.T) {
	type step struct {
		after time.Duration
		want  time.Duration
	}
	for _, c := range []struct {
		qps   float64
		burst int
		steps []step
	}{
		{10, 2, []step{{0, 0}, {0, 0}, {0, 100 * time.Millisecond}, {0, 200 * time.Millisecond},
			{50 * time.Millisecond, 250 * time.Millisecond}, {time.Hour, 0}, {0, 0}, {0, 100 * time.Millisecond}}},
		{0.5, 1, []step{{0, 0}, {0, 2 * time.Second}, {-time.Hour, 4 * time.Second}, {2 * time.Second, 4 * time.Second}}},
		{0, 1, []step{{0, 0}, {time.Hour, noToken}}},
		{-1, 1, []step{{0, 0}, {time.Hour, noToken}}},
		{math.NaN(), 1, []step{{0, 0}, {time.Hour, noToken}}},
		{1e-12, 1, []step{{0, 0}, {time.Hour, noToken}}},
		{10, 0, []step{{0, noToken}, {time.Hour, noToken}}},
		{10, -3, []step{{0, noToken}, {time.Hour, noToken}}},
		{math.Inf(1), 0, []step{{0, 0}, {0, 0}}},
	} {
		t.Run(fmt.Sprintf("%v per second, burst %d", c.qps, c.burst), func(t *testing.T) {
			fake := clocktesting.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
			b := NewTokenBucketWithClock(c.qps, c.burst, fake)
			for i, s := range c.steps {
				fake.SetTime(fake.Now().Add(s.after))
				if got := b.Reserve(); got != s.want {
					t.Fatalf("step %d: %v, want %v", i, got, s.want)
				}
			}
		})
	}
}

func TestMaxOf(t *testing.T) {
	fast := NewTypedItemExponentialFailureRateLimiter[string](time.Second, time.Hour)
	slow := NewTypedItemExponentialFailureRateLimiter[string](3*time.Second, 5*time.Second)
	slow.When("a")
	l := NewTypedMaxOfRateLimiter(fast, slow, &TypedBucketRateLimiter[string]{TokenBucket: NewTokenBucket(1, 1000)})
	for i, want := range []time.Duration{5 * time.Second, 5 * time.Second, 5 * time.Second, 8 * time.Second} {
		if got := l.When("a"); got != want {
			t.Errorf("failure %d: %v, want %v", i, got, want)
		}
	}
	if n := l.NumRequeues("a"); n != 5 {
		t.Errorf("NumRequeues is %d, want the most of all, 5", n)
	}
	l.Forget("a")
	if f, s := fast.NumRequeues("a"), slow.NumRequeues("a"); f != 0 || s != 0 {
		t.Errorf("after Forget the limiters remember %d and %d", f, s)
	}
	if d := NewTypedMaxOfRateLimiter[string]().When("a"); d != 0 {
		t.Errorf("no limiters at all delay by %v", d)
	}
}
