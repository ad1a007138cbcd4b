package vclock

import (
	"container/heap"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Clock is a clock.WithTicker whose time moves only when its Driver moves it. Timers due at the same time fire in the order in which they were made,
// each in a turn of its own. No timer fires before the Driver's next turn, however short it is.
type Clock struct {
	real clock.PassiveClock

	mu         sync.Mutex
	now        time.Time
	seq        uint64
	timers     timerHeap
	ended      bool
	timerAdded chan struct{} // signals a new timer to a waiting Driver

	// For stamps.
	instantStart time.Time     // the real time at which this instant began
	end          time.Time     // the stamp at which the work of the last instant ended.
	lead         time.Duration // how far stamps run ahead of the clock, because work took longer than the time it had
	isIdle       bool          // the work of this instant has ended
	stampsFrozen bool
	anchor       time.Time // the real time at which virtual time was at base; from there it runs speed times as fast
	base         time.Time
	speed        float64
}

var _ clock.WithTicker = (*Clock)(nil)

// New returns a Clock that stands at start. real measures the durations in stamps.
func New(start time.Time, real clock.PassiveClock) *Clock {
	return &Clock{real: real, now: start, timerAdded: make(chan struct{}, 1), instantStart: real.Now(), end: start, anchor: real.Now(), base: start, speed: 1}
}

// Now returns the current virtual time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Since returns the virtual time since t.
func (c *Clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// After returns the channel of a new timer.
func (c *Clock) After(d time.Duration) <-chan time.Time { return c.NewTimer(d).C() }

// Sleep waits for d of virtual time.
func (c *Clock) Sleep(d time.Duration) { <-c.After(d) }

// Yield waits for a turn at the current instant, after everything that follows from the work so far.
func (c *Clock) Yield() { c.Sleep(0) }

// Tick returns the channel of a new ticker that is never stopped.
func (c *Clock) Tick(d time.Duration) <-chan time.Time { return c.NewTicker(d).C() }

// NewTimer returns a timer that fires once, d from now.
func (c *Clock) NewTimer(d time.Duration) clock.Timer {
	t := &timer{clock: c, c: make(chan time.Time, 1), index: -1}
	t.Reset(d)
	return t
}

// NewTicker returns a ticker that fires every d, which must be positive.
func (c *Clock) NewTicker(d time.Duration) clock.Ticker {
	if d <= 0 {
		panic("vclock: a ticker's period must be positive")
	}
	t := &timer{clock: c, c: make(chan time.Time, 1), index: -1, period: d}
	t.Reset(d)
	return ticker{t}
}

// End fires every pending timer, and every later one at once, because the clock no longer moves. Cancel the goroutines that wait before you call it.
func (c *Clock) End() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for len(c.timers) > 0 {
		t := heap.Pop(&c.timers).(*timer)
		select {
		case t.c <- c.now:
		default:
		}
	}
}

// next returns when the first timer is due; ok is false if there is none.
func (c *Clock) next() (due time.Time, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.timers) == 0 {
		return time.Time{}, false
	}
	return c.timers[0].due, true
}

// fire moves time to the first timer and fires it.
func (c *Clock) fire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.timers[0]
	c.beginLocked(t.due)
	if t.period > 0 {
		c.seq++
		t.due, t.seq = t.due.Add(t.period), c.seq
		heap.Fix(&c.timers, 0)
	} else {
		heap.Pop(&c.timers)
	}
	select {
	case t.c <- c.now:
	default: // a ticker drops a tick that its reader is too late for, as with the real clock
	}
}

// advance moves time to t without firing anything.
func (c *Clock) advance(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.beginLocked(t)
}

// beginLocked starts a new instant at t.
func (c *Clock) beginLocked(t time.Time) {
	if t.After(c.now) {
		c.now = t
	}
	c.stampsFrozen, c.isIdle = false, false
	c.instantStart = c.real.Now()
	// Work that ran past this instant makes the stamps run ahead; the following instants catch up.
	c.lead = max(0, c.end.Sub(c.now))
}

// finishInstant records that the work of this instant is over.
func (c *Clock) finishInstant() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end, c.isIdle = c.stamp(), true
}

// run makes the stamps of idle time run from t on, speed times as fast as real time. Work takes the real time that it takes.
func (c *Clock) run(t time.Time, speed float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.anchor, c.base, c.speed = c.real.Now(), t, speed
}

// freeze stops the stamps until the next instant begins.
func (c *Clock) freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stampsFrozen = true
}

func (c *Clock) stamp() time.Time {
	if c.stampsFrozen {
		return c.end
	}
	if c.isIdle {
		paced := c.base.Add(time.Duration(float64(c.real.Since(c.anchor)) * c.speed))
		if len(c.timers) > 0 && paced.After(c.timers[0].due) {
			paced = c.timers[0].due // what is due then has not happened yet
		}
		return later(c.end, paced)
	}
	return c.now.Add(c.lead + c.real.Since(c.instantStart))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Stamps returns a clock for display: virtual time plus the real time that the work of the current instant has taken, and then virtual time at the Driver's
// pace. It never goes back. No decision may depend on it.
func (c *Clock) Stamps() clock.PassiveClock { return stamps{c} }

type stamps struct{ c *Clock }

func (s stamps) Now() time.Time {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	return s.c.stamp()
}

func (s stamps) Since(t time.Time) time.Duration { return s.Now().Sub(t) }

// timer is a timer, or a ticker if period is positive. The clock's lock guards it.
type timer struct {
	clock  *Clock
	c      chan time.Time
	due    time.Time
	seq    uint64
	index  int // in the heap; -1 if the timer is not in it
	period time.Duration
}

// C implements clock.Timer.
func (t *timer) C() <-chan time.Time { return t.c }

// Stop implements clock.Timer. As with the real clock, nothing can be received afterwards.
func (t *timer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	return t.stop()
}

func (t *timer) stop() (active bool) {
	if active = t.index >= 0; active {
		heap.Remove(&t.clock.timers, t.index)
	}
	select {
	case <-t.c:
	default:
	}
	return active
}

// Reset implements clock.Timer.
func (t *timer) Reset(d time.Duration) bool {
	c := t.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	active := t.stop()
	c.seq++
	t.due, t.seq = c.now.Add(max(d, 0)), c.seq
	if c.ended {
		t.c <- c.now
		return active
	}
	heap.Push(&c.timers, t)
	select {
	case c.timerAdded <- struct{}{}:
	default:
	}
	return active
}

type ticker struct{ t *timer }

func (t ticker) C() <-chan time.Time { return t.t.c }
func (t ticker) Stop()               { t.t.Stop() }

type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	if h[i].due.Equal(h[j].due) {
		return h[i].seq < h[j].seq
	}
	return h[i].due.Before(h[j].due)
}
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	t.index = len(*h)
	*h = append(*h, t)
}
func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	t.index = -1
	return t
}
