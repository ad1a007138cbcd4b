package vclock

import (
	"context"
	"math"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// maxLag is how far virtual time may fall behind before it stops trying to catch up: a tab that was hidden for an hour must not play an hour at once.
const maxLag = 250 * time.Millisecond

// Precision is the granularity of action times: each is a whole multiple of it.
const Precision = time.Millisecond

// Action is a function to call at a moment, after all timers that were due by then.
type Action struct {
	At time.Duration // since the clock's start
	Do func()
	// Finished, if it is not nil, is closed when everything that follows from Do is done.
	Finished chan struct{}
}

// Driver moves a Clock. Its methods may be called from any goroutine.
type Driver struct {
	idle func()
	real clock.WithTicker
	poke chan struct{}

	mu          sync.Mutex
	clock       *Clock // nil: there is nothing to drive, and actions run at once
	start       time.Time
	last        time.Duration // time of the last action; -1 if there was none
	turns       []*turn       // calls of Do that wait
	script      []Action
	endReached  func() bool   // play as fast as possible until it returns true.
	arrival     chan struct{} // closed when Play reaches its end or is given up; nil if nothing plays
	goesOn      bool          // at that end time goes on at the usual pace
	standsStill bool
	watch       Watch
	leap        time.Duration // real time between two moves of time, at least
	slack       time.Duration // the same, until time has caught up with the last leap
	movedAt     time.Time     // when a timer fired last, in real time
	speed       float64       // virtual time per real time; 0 is 1
	anchor      time.Time     // real time at which virtual time was at base
	base        time.Time
}

// Watch is called whenever all is quiet, before time moves on from now. next is when the first timer is due, or the largest Duration if there is none.
// Watch returns the ratio of virtual time to real time from now on; 0 makes time stand still at now. It must not call the Driver.
type Watch func(now, next time.Duration) (pace float64)

// turn is one action, from its request until everything that follows from it is done.
type turn struct {
	at       time.Duration      // -1 until it is known
	begin    chan time.Duration // receives the action's time when it may run
	finished bool
	done     chan struct{}
}

// NewDriver returns a Driver without a clock. idle returns when nothing else can run; real paces virtual time.
func NewDriver(idle func(), real clock.WithTicker) *Driver {
	return &Driver{idle: idle, real: real, poke: make(chan struct{}, 1)}
}

// Drive moves c from now on, or nothing if c is nil. It drops what was planned on the previous clock.
func (d *Driver) Drive(c *Clock) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range d.script {
		if a.Finished != nil {
			close(a.Finished) // the action will not run
		}
	}
	d.clock, d.last, d.script, d.endReached, d.standsStill = c, -1, nil, nil, false
	d.arriveLocked()
	if c != nil {
		d.start = c.Now()
		d.paceLocked(d.start)
	}
	d.notify()
}

func (d *Driver) notify() {
	select {
	case d.poke <- struct{}{}:
	default:
	}
}

// paceLocked makes virtual time run with real time from t on.
func (d *Driver) paceLocked(t time.Time) {
	d.anchor, d.base = d.real.Now(), t
	if d.clock != nil {
		d.clock.run(t, d.factorLocked())
	}
}

// Do calls do at the next whole moment, which it passes to do, and returns when everything that follows is done. It drops the rest of a script, because
// the action changes what follows. Do not call it from code that the Driver drives.
func (d *Driver) Do(act func(at time.Duration)) {
	d.mu.Lock()
	if d.clock == nil {
		d.mu.Unlock()
		act(0)
		return
	}
	t := &turn{at: -1, begin: make(chan time.Duration, 1), done: make(chan struct{})}
	d.turns = append(d.turns, t)
	d.notify()
	d.mu.Unlock()
	at := <-t.begin
	act(at)
	d.mu.Lock()
	t.finished = true
	d.mu.Unlock()
	<-t.done
}

// Play plans the actions of script, which are sorted by time. It plays as fast as possible until the function until, which must not call the Driver,
// returns true. With goesOn, time then goes on at the usual pace; otherwise it stands still until Go or Do. If until is nil, it plays at the usual pace.
func (d *Driver) Play(script []Action, until func() bool, goesOn bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.script, d.endReached, d.goesOn, d.standsStill = script, until, goesOn, false
	d.arriveLocked()
	if until != nil {
		d.arrival = make(chan struct{})
	}
	d.notify()
}

// arriveLocked wakes the callers of Arrived.
func (d *Driver) arriveLocked() {
	if d.arrival != nil {
		close(d.arrival)
		d.arrival = nil
	}
}

// WaitEnd returns when Play has reached its end, when Play is given up, or when ctx is done.
func (d *Driver) WaitEnd(ctx context.Context) {
	d.mu.Lock()
	arrival := d.arrival
	d.mu.Unlock()
	if arrival != nil {
		select {
		case <-arrival:
		case <-ctx.Done():
		}
	}
}

// Playing reports whether the Driver plays as fast as possible.
func (d *Driver) Playing() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.endReached != nil
}

// Go makes time run at the usual pace.
func (d *Driver) Go() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.standsStill || d.endReached != nil {
		d.resumeUsualPaceLocked()
		d.notify()
	}
}

// Watch sets the function that decides how fast time runs; nil removes it, and time runs at the usual pace. While w returns 0, only actions of Do happen:
// each at a moment of its own, after which w is called again.
func (d *Driver) Watch(w Watch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watch = w
	if w == nil {
		d.changeSpeedLocked(1)
	}
	if d.standsStill {
		d.resumeUsualPaceLocked()
	}
	d.notify()
}

// changeSpeedLocked changes the ratio of virtual time to real time.
func (d *Driver) changeSpeedLocked(speed float64) {
	if speed == d.factorLocked() {
		return
	}
	if d.clock == nil {
		d.speed = speed
		return
	}
	at := d.timeLimitLocked()
	if due, any := d.clock.next(); any && at.After(due) {
		at = due
	}
	if now := d.clock.Now(); at.Before(now) {
		at = now
	}
	d.speed = speed
	d.paceLocked(at)
}

// Leap has time move on in leaps of at least so much real time, so that a hidden page's program wakes seldom; 0 ends that. Everything happens at the virtual
// time at which it would have, and no action waits for the end of a leap.
func (d *Driver) Leap(least time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.leap != least {
		d.leap = least
		d.notify()
	}
}

// Look makes the Driver call its Watch again.
func (d *Driver) Look() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.standsStill {
		d.resumeUsualPaceLocked()
	}
	d.notify()
}

// noTimer is the due time that Watch gets when no timer waits.
const noTimer = time.Duration(math.MaxInt64)

// callWatchLocked has the Watch function, if there is one, decide how fast time runs, and reports whether time stands still.
func (d *Driver) callWatchLocked(now, due time.Time, any bool) (stand bool) {
	if d.watch == nil {
		return false
	}
	next := noTimer
	if any {
		next = due.Sub(d.start)
	}
	speed := d.watch(now.Sub(d.start), next)
	if speed > 0 {
		d.changeSpeedLocked(speed)
	}
	return speed == 0
}

// resumeUsualPaceLocked returns to the usual pace, after playing fast or standing still.
func (d *Driver) resumeUsualPaceLocked() {
	d.endReached, d.standsStill = nil, false
	d.arriveLocked()
	if d.clock != nil {
		d.paceLocked(d.clock.Now())
	}
}

// Run drives the clock until ctx is done.
func (d *Driver) Run(ctx context.Context) {
	var current *turn
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.clock = nil
		d.arriveLocked()
		for _, t := range d.turns {
			t.begin <- 0
			close(t.done)
		}
		d.turns = nil
		if current != nil {
			close(current.done)
		}
	}()
	for ctx.Err() == nil {
		d.idle()
		wait := d.turn(&current)
		if wait == 0 {
			continue
		}
		d.mu.Lock()
		var added chan struct{}
		if d.clock != nil {
			added = d.clock.timerAdded
		}
		d.mu.Unlock()
		t := d.real.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-d.poke:
		case <-added:
		case <-t.C():
		}
		t.Stop()
	}
}

// idleWait is how long Run waits if nothing is due.
const idleWait = time.Hour

// turn does one thing if one is due; otherwise it returns how long to wait. All is quiet when it is called.
func (d *Driver) turn(current **turn) (wait time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t := *current; t != nil && t.finished {
		*current = nil
		close(t.done)
		if d.clock != nil {
			d.clock.finishInstant()
		}
		return 0 // the caller of Do continues first
	}
	c := d.clock
	if c == nil {
		for _, t := range d.turns { // requested while there was a clock
			t.begin <- 0
			close(t.done)
		}
		d.turns = nil
		return idleWait
	}
	select {
	case <-c.timerAdded: // the timer that was added in the last turn is seen below
	default:
	}
	c.finishInstant()
	switch ends := d.endReached != nil && *current == nil && d.endReached(); {
	case ends && d.goesOn:
		d.resumeUsualPaceLocked()
	case ends:
		d.endReached, d.standsStill = nil, true
		c.freeze()
		d.arriveLocked()
	}
	due, any := c.next()
	now := c.Now()
	free := *current == nil
	if free && !d.standsStill && d.callWatchLocked(now, due, any) {
		d.endReached, d.standsStill = nil, true
		c.freeze()
		d.arriveLocked()
	}
	if free && len(d.turns) > 0 {
		t := d.turns[0]
		if t.at < 0 {
			t.at = d.momentLocked(now, due, any)
		}
		if any && !due.After(d.start.Add(t.at)) {
			c.fire()
			return 0
		}
		d.last = t.at
		d.turns = d.turns[1:]
		c.advance(d.start.Add(t.at))
		*current = t
		t.begin <- t.at
		return 0
	}
	if d.standsStill && free {
		return idleWait
	}
	target, scripted := due, false
	if free && len(d.script) > 0 {
		if at := d.start.Add(d.script[0].At); !any || at.Before(due) {
			target, any, scripted = at, true, true
		}
	}
	if !any {
		return idleWait
	}
	if d.endReached == nil && target.After(now) {
		if wait := target.Sub(d.timeLimitLocked()); wait > 0 {
			d.slack = d.leap
			return max(time.Duration(float64(wait)/d.factorLocked()), d.leap-d.real.Since(d.movedAt), 1)
		} else if lag := time.Duration(float64(maxLag+2*d.slack) * d.factorLocked()); -wait > lag {
			d.paceLocked(target.Add(lag))
		}
	}
	if !scripted {
		c.fire()
		d.movedAt = d.real.Now()
		return 0
	}
	a := d.script[0]
	d.script = d.script[1:]
	d.last = max(d.last, a.At)
	c.advance(target)
	t := &turn{done: a.Finished}
	if t.done == nil {
		t.done = make(chan struct{})
	}
	*current = t
	go func() {
		a.Do()
		d.mu.Lock()
		defer d.mu.Unlock()
		t.finished = true
	}()
	return 0
}

// momentLocked returns the time for an action that was just requested: now, rounded up to a whole moment that no other action has. What is due in a leap comes
// before it. It drops the script.
func (d *Driver) momentLocked(now, due time.Time, any bool) time.Duration {
	if d.endReached != nil || d.standsStill {
		d.resumeUsualPaceLocked()
	}
	d.script = nil
	if limit := d.timeLimitLocked(); limit.After(now) && (d.slack > 0 || !any || !due.Before(limit)) {
		now = limit
	}
	at := max(now.Sub(d.start), d.last+1)
	return (at + Precision - 1) / Precision * Precision
}

// timeLimitLocked returns how far virtual time may have run by now.
func (d *Driver) timeLimitLocked() time.Time {
	return d.base.Add(time.Duration(float64(d.real.Since(d.anchor)) * d.factorLocked()))
}

// factorLocked returns the ratio of virtual time to real time.
func (d *Driver) factorLocked() float64 {
	if d.speed == 0 {
		return 1
	}
	return d.speed
}
