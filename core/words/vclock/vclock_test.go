package vclock

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// startDriver returns a Driver that runs in a synctest bubble.
func startDriver(t *testing.T) (*Driver, *Clock) {
	t.Helper()
	real := clock.RealClock{}
	c := New(start, real)
	d := NewDriver(synctest.Wait, real)
	d.Drive(c)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return d, c
}

func TestTimersFireInOrderEachInItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startDriver(t)
		var mu sync.Mutex
		var got []string
		note := func(s string) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, fmt.Sprintf("%s@%v", s, c.Since(start)))
		}
		hop := make(chan string)
		go func() {
			for s := range hop {
				note(s)
			}
		}()
		defer close(hop)
		wait := func(name string, d time.Duration) {
			timer := c.NewTimer(d)
			go func() {
				<-timer.C()
				hop <- name // unbuffered: another goroutine does what follows
			}()
		}
		wait("c", 20*time.Millisecond)
		wait("a", 10*time.Millisecond)
		wait("b", 10*time.Millisecond)
		wait("now", 0)
		stopped := c.NewTimer(15 * time.Millisecond)
		if !stopped.Stop() || stopped.Stop() {
			t.Error("Stop must report an active timer once, and only once")
		}
		time.Sleep(25 * time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		if want := []string{"now@0s", "a@10ms", "b@10ms", "c@20ms"}; !slices.Equal(got, want) {
			t.Errorf("fired %v, want %v", got, want)
		}
	})
}

func TestTimeStandsStillWithinAnInstantButStampsDoNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		real := clock.RealClock{}
		c := New(start, real)
		stamps := c.Stamps()
		c.advance(start.Add(time.Second))
		time.Sleep(3 * time.Second) // the work of this instant
		if got := c.Since(start); got != time.Second {
			t.Errorf("virtual time is %v, want 1s", got)
		}
		if got := stamps.Since(start); got != 4*time.Second {
			t.Errorf("the stamp is %v, want 4s", got)
		}
		c.finishInstant()
		time.Sleep(time.Minute)
		c.advance(start.Add(2 * time.Second))
		if got := stamps.Since(start); got != 4*time.Second {
			t.Errorf("the next instant's first stamp is %v, want 4s: stamps never go back, and waiting does not count", got)
		}
		c.finishInstant()
		for i := range 100 { // work that takes exactly as long as it has must not leave a lag
			c.advance(start.Add(time.Duration(5+i) * time.Second))
			if got, want := stamps.Since(start), time.Duration(5+i)*time.Second; got != want {
				t.Fatalf("%d instants later the stamp is %v, want %v", i, got, want)
			}
			time.Sleep(time.Second)
			c.finishInstant()
		}
	})
}

func TestNeverAheadOfTheWallAndNoFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := startDriver(t)
		began := time.Now()
		var ticks atomic.Int32
		tick := c.NewTicker(10 * time.Millisecond)
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			for {
				select {
				case <-tick.C():
				case <-stop:
					return
				}
				n := ticks.Add(1)
				if ahead := c.Since(start) - time.Since(began); ahead > 0 {
					t.Errorf("virtual time is ahead by %v", ahead)
				}
				if n == 50 {
					time.Sleep(time.Minute) // as if the machine slept
				}
			}
		}()
		time.Sleep(time.Minute + time.Second)
		// 50 before the sleep; after it, what maxLag leaves, and half a second.
		if most := 50 + int32((maxLag+500*time.Millisecond)/(10*time.Millisecond)) + 2; ticks.Load() <= 100 || ticks.Load() > most {
			t.Errorf("%d ticks, want 101 to %d", ticks.Load(), most)
		}
		tick.Stop()
		d.Drive(nil)
	})
}

func TestActionsAreDoneAtTheMomentTheyWereDoneAtBefore(t *testing.T) {
	play := func(t *testing.T, live bool, script []time.Duration) (log []string, at []time.Duration) {
		d, c := startDriver(t)
		var mu sync.Mutex
		write := func(s string) {
			mu.Lock()
			defer mu.Unlock()
			log = append(log, fmt.Sprint(s, c.Since(start)))
		}
		tick := c.NewTicker(7 * time.Millisecond)
		defer tick.Stop()
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			for {
				select {
				case <-tick.C():
				case <-stop:
					return
				}
				write("tick ")
			}
		}()
		act := func() { write("act ") }
		if live {
			for _, w := range []time.Duration{0, 13 * time.Millisecond, 7500 * time.Microsecond, 0, 0} {
				time.Sleep(w)
				d.Do(func(when time.Duration) { act(); at = append(at, when) })
			}
			time.Sleep(50 * time.Millisecond)
			d.Drive(nil)
			mu.Lock()
			defer mu.Unlock()
			return log, at
		}
		var actions []Action
		for _, when := range script {
			actions = append(actions, Action{At: when, Do: act})
		}
		began := time.Now()
		d.Play(actions, func() bool { return c.Since(start) >= 60*time.Millisecond }, false)
		d.WaitEnd(t.Context())
		if time.Since(began) != 0 {
			t.Errorf("playing as fast as possible took %v", time.Since(began))
		}
		stood := c.Now()
		time.Sleep(time.Minute)
		if c.Now() != stood {
			t.Error("time did not stand still after Play had reached its end")
		}
		d.Go()
		time.Sleep(20 * time.Millisecond)
		if moved := c.Now().Sub(stood); moved <= 0 || moved > 20*time.Millisecond {
			t.Errorf("time moved by %v in 20ms", moved)
		}
		d.Drive(nil)
		mu.Lock()
		defer mu.Unlock()
		return log, nil
	}
	var first []string
	var at []time.Duration
	synctest.Test(t, func(t *testing.T) { first, at = play(t, true, nil) })
	if !slices.IsSorted(at) || len(slices.Compact(slices.Clone(at))) != 5 {
		t.Errorf("the actions were done at %v, want five moments in order", at)
	}
	var again []string
	synctest.Test(t, func(t *testing.T) { again, _ = play(t, false, at) })
	if n := min(len(first), len(again)); n < 10 || !slices.Equal(first[:n], again[:n]) {
		t.Errorf("first\n%v\nthen\n%v", first, again)
	}
}

func TestWhatIsAskedForWithoutAClockIsDoneAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := startDriver(t)
		d.Drive(nil)
		done := false
		d.Do(func(time.Duration) { done = true })
		if !done {
			t.Error("not done")
		}
	})
}

// TestTimeStandsStillWhileTheWatchReturnsZero stops time before the next timer, does an action of Do, and stops it again.
func TestTimeStandsStillWhileTheWatchReturnsZero(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := startDriver(t)
		var limit atomic.Int64
		limit.Store(int64(35 * time.Millisecond))
		var pace atomic.Int64
		pace.Store(1)
		d.Watch(func(_, next time.Duration) float64 {
			if next > time.Duration(limit.Load()) {
				return 0
			}
			return float64(pace.Load())
		})
		var ticks atomic.Int32
		tick := c.NewTicker(10 * time.Millisecond)
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			for {
				select {
				case <-tick.C():
					ticks.Add(1)
				case <-stop:
					return
				}
			}
		}()
		time.Sleep(time.Minute)
		if n := ticks.Load(); n != 3 {
			t.Errorf("%d ticks before the fourth was held, want 3", n)
		}
		d.Go() // the Watch is called again
		time.Sleep(time.Minute)
		var at time.Duration
		d.Do(func(now time.Duration) { at = now })
		time.Sleep(time.Minute)
		if n := ticks.Load(); n != 3 || at < 30*time.Millisecond || at > 35*time.Millisecond {
			t.Errorf("%d ticks, and the action ran at %v; want 3, and a time from 30 to 35 ms", n, at)
		}
		pace.Store(10)
		limit.Store(int64(time.Hour))
		d.Look()
		time.Sleep(time.Second + time.Millisecond) // ten seconds of the clock
		if n := ticks.Load(); n < 1000 || n > 1010 {
			t.Errorf("%d ticks in a second that counts for ten, want 1003", n)
		}
		d.Watch(nil)
		d.Drive(nil)
	})
}

// TestStampsOfIdleTimeKeepThePace slows time down to a tenth between two timers: the stamps go as slowly, and not past the timer that is due.
func TestStampsOfIdleTimeKeepThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := startDriver(t)
		began := c.Now()
		d.Watch(func(time.Duration, time.Duration) float64 { return 0.1 })
		timer := c.NewTimer(time.Second)
		for i := 1; i < 10; i++ {
			time.Sleep(time.Second)
			if got, want := c.Stamps().Since(began), time.Duration(i)*100*time.Millisecond; got != want {
				t.Errorf("after %d s the stamp is %v, want %v", i, got, want)
			}
		}
		<-timer.C()
		if got := c.Stamps().Since(began); got != time.Second {
			t.Errorf("when the timer fires the stamp is %v, want 1s", got)
		}
		d.Watch(nil)
		d.Drive(nil)
	})
}

// TestALeapChangesNoTime has timers of 100 ms in leaps of a second: nothing happens within a leap, and then all at its own time. When leaps end, what is due
// happens at once, and an action does not wait for the end of a leap.
func TestALeapChangesNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := startDriver(t)
		var fired []time.Duration
		var mu sync.Mutex
		take := func() (out []time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			out, fired = fired, nil
			return out
		}
		go func() {
			for range 20 {
				c.Sleep(100 * time.Millisecond)
				mu.Lock()
				fired = append(fired, c.Since(start))
				mu.Unlock()
			}
		}()
		expect := func(when string, from, to int) {
			t.Helper()
			got := take()
			if len(got) != to-from+1 {
				t.Fatalf("%s: %v", when, got)
			}
			for i, at := range got {
				if at != time.Duration(from+i)*100*time.Millisecond {
					t.Errorf("%s: %v", when, got)
				}
			}
		}
		time.Sleep(150 * time.Millisecond)
		expect("before leaps", 1, 1)
		d.Leap(time.Second)
		time.Sleep(900 * time.Millisecond)
		expect("within a leap", 2, 1)
		time.Sleep(150 * time.Millisecond)
		expect("after a leap", 2, 11)
		time.Sleep(500 * time.Millisecond)
		d.Leap(0)
		time.Sleep(time.Millisecond)
		expect("when leaps end", 12, 17)
		time.Sleep(100 * time.Millisecond)
		expect("after leaps", 18, 18)
		d.Leap(time.Second)
		time.Sleep(350 * time.Millisecond)
		var at time.Duration
		d.Do(func(now time.Duration) { at = now })
		if at < 2100*time.Millisecond || at > 2160*time.Millisecond {
			t.Errorf("an action in a leap, 2.151 s after the start, has the time %v", at)
		}
	})
}
