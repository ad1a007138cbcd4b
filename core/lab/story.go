package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"informerscope/core/lab/action"
	"informerscope/core/lab/selection"
	"informerscope/core/words/event"
	"informerscope/core/words/vclock"
)

// epoch is when every simulated cluster begins: the times in its objects must not differ between replays of a seed.
var epoch = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

// Story returns the story of the running experiment up to event seq.
func (l *Lab) Story(seq uint64) (action.Story, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.src == nil || l.src.virtual == nil || l.exp == nil {
		return action.Story{}, errors.New("only an experiment on the simulated cluster can be played again")
	}
	return l.history.Story(l.selection, seq), nil
}

// act carries out an action of the user and keeps it as a step of the story. On virtual time the action has a moment of its own, and its consequences have
// happened when act returns.
func (l *Lab) act(do func() (action.Step, error)) error {
	if l.o.Audience {
		return ErrAudience
	}
	if l.ahead.Load() > 0 {
		return errForkAhead
	}
	var err error
	l.driver.Do(func(at time.Duration) {
		l.mu.Lock()
		defer l.mu.Unlock()
		seq, _ := l.rec.Head()
		var s action.Step
		if s, err = do(); s.Verb != "" && l.src != nil {
			l.note(s)
			if l.src.virtual != nil {
				s.At, s.Seq = at, seq
				l.history.Add(s)
				l.withTwinLocked(func(twin *Lab) { twin.repeatLocked(s) })
			}
		}
		if err == nil {
			l.acts.Add(1)
		}
	})
	return err
}

// Acts counts the user's actions.
func (l *Lab) Acts() int64 { return l.acts.Load() }

// Driver returns what moves virtual time: it plays towards a link's moment, stands still there, and goes on. On real time it does nothing.
func (l *Lab) Driver() *vclock.Driver { return l.driver }

// Arrive waits until the replay that Select started has reached its moment, and reports whether the log has that moment.
func (l *Lab) Arrive(ctx context.Context) (there bool) {
	l.driver.WaitEnd(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	head, _ := l.rec.Head()
	return l.rec.First() <= l.goal && l.goal <= head
}

// replay plays a story on a new cluster. Earlier experiments run again, then the selected one begins. Time passes as fast as it can until the log has reached
// the moment, if there is one.
func (l *Lab) replay(next event.Selection, plan replayPlan) {
	began := make(chan struct{})
	var started atomic.Bool
	v := vclock.New(epoch, l.o.Clock)
	l.driver.Drive(v)
	script := []vclock.Action{{Do: func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.openSimLocked(next, v)
		l.ahead.Store(int32(len(plan.fork)))
	}}}
	begin := vclock.Action{At: plan.start, Finished: began, Do: func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		next.Rate = l.selection.Rate // an earlier step may have changed it
		l.history.Begin(plan.start)
		l.startLocked(next)
		l.withTwinLocked(func(twin *Lab) { twin.startLocked(next.WithoutFork()) })
		started.Store(true)
	}}
	for _, earlier := range plan.steps {
		if earlier.At > plan.start && begin.Do != nil {
			script = append(script, begin)
			begin.Do = nil
		}
		script = append(script, vclock.Action{At: earlier.At, Do: func() { l.playStep(earlier) }})
	}
	if begin.Do != nil {
		script = append(script, begin)
	}
	for _, s := range plan.fork {
		script = append(script, vclock.Action{})
		i := len(script) - 1
		for ; script[i-1].At > s.At; i-- { // the cluster begins at 0
			script[i] = script[i-1]
		}
		script[i] = vclock.Action{At: s.At, Do: func() { l.playFork(s) }}
	}
	var until func() bool
	if plan.start > 0 || plan.seq > 0 || plan.until > 0 {
		until = func() bool {
			if !started.Load() {
				return false
			}
			head, _ := l.rec.Head()
			now := v.Since(epoch)
			return head >= plan.seq && now >= plan.until && l.ahead.Load() == 0 || now > plan.start+action.Farthest
		}
	}
	l.driver.Play(script, until, plan.until > 0 && plan.seq == 0)
	<-began
	if plan.seq == 0 && plan.until == 0 {
		l.driver.Go()
	}
}

// replayPlan is what a link asks to replay.
type replayPlan struct {
	start time.Duration
	steps []action.Step
	seq   uint64 // 0: just continue
	until time.Duration
	fork  []action.Step // of the twin alone
}

// readPlan returns the story that a change asks for, nil for none.
func readPlan(c selection.Change) (*replayPlan, error) {
	if c.Do == nil {
		if c.Fork != "" {
			return nil, errors.New("a fork needs the actions before it: give do, which may be empty")
		}
		return nil, nil
	}
	steps, err := action.Read(*c.Do)
	if err != nil {
		return nil, err
	}
	from := time.Duration(c.From) * time.Millisecond
	if from < 0 || c.From > action.Farthest.Milliseconds() {
		return nil, fmt.Errorf("an experiment begins from 0 to %d ms after its cluster", action.Farthest.Milliseconds())
	}
	plan := &replayPlan{start: from, steps: steps, seq: c.At, until: time.Duration(c.Until) * time.Millisecond}
	if plan.until < 0 || plan.until > from+action.Farthest {
		return nil, fmt.Errorf("an experiment is played for 0 to %d ms", action.Farthest.Milliseconds())
	}
	return plan, plan.readFork(c.Fork)
}

// playStep carries out a step of a story.
func (l *Lab) playStep(s action.Step) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Seq, _ = l.rec.Head()
	l.history.Add(s)
	l.repeatLocked(s)
	l.withTwinLocked(func(twin *Lab) { twin.repeatLocked(s) })
}

// standingSteps returns what outlives a cluster, as steps of a story: faults, holds and indices, and whether the controllers write.
func (l *Lab) standingSteps() (steps []action.Step) {
	for _, f := range l.faultsOn() {
		steps = append(steps, f.step(true, FaultArgs{Millis: int(f.length.Milliseconds())}, 0))
	}
	steps = append(steps, l.holds.steps()...)
	for _, name := range slices.Sorted(maps.Keys(l.indices)) {
		steps = append(steps, action.New("index", name, l.indices[name]))
	}
	if how := l.children.Load(); l.readOnly.Load() || how > 0 {
		steps = append(steps, action.New("writes", onOff(!l.readOnly.Load()), childNames[how]))
	}
	return steps
}

// endStandingLocked ends what would outlive the cluster: a link's story begins with only its own steps.
func (l *Lab) endStandingLocked() {
	off := false
	for _, f := range l.faultsOn() {
		_, _ = f.carryOut(l, FaultArgs{On: &off}, 0)
	}
	for _, s := range l.holds.steps() {
		_ = l.release(s.Arg(0), 0, int32(s.Int(1)), s.Int(2))
	}
	l.indices = nil
	l.readOnly.Store(false)
	l.children.Store(0)
}
