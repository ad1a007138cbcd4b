package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"informerscope/core/lab/action"
	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/words/event"
	"informerscope/core/words/vclock"
)

// maxForked bounds the objects of a fork, which runs two clusters.
const maxForked = 10_000

var (
	errNoFork = errors.New("only a simulated cluster of the page forks: a live cluster, a probe and a recording cannot be played again. " +
		"Choose the simulated cluster")
	errForkAhead = errors.New("the lanes part later: what would be done now would be done before that. Let time go on to there, or end the fork")
)

// withTwinLocked calls do with the twin and its lock, if there is one.
func (l *Lab) withTwinLocked(do func(twin *Lab)) {
	if l.twin != nil {
		l.twin.mu.Lock()
		defer l.twin.mu.Unlock()
		do(l.twin)
	}
}

// Fork plays the running experiment again, up to a moment of its log: after event seq, at a time. From there a second lane is beside it: the same experiment on
// a cluster of its own, with the same seed, in which something else is done. do says what, as in a link and without times: "fault:cut",
// "shutdown,start::1.31". What is done later is done to both. An empty do ends a fork: the first lane goes on alone.
func (l *Lab) Fork(ctx context.Context, seq uint64, at time.Duration, do string) (event.Selection, error) {
	change, err := l.forkChange(seq, at, do)
	if err != nil {
		return l.Selection(), err
	}
	sel, err := l.Select(ctx, change)
	if err == nil {
		l.driver.WaitEnd(ctx)
	}
	return sel, err
}

// forkChange returns the change of the selection with which a fork begins or ends.
func (l *Lab) forkChange(seq uint64, at time.Duration, do string) (c selection.Change, err error) {
	if l.o.Audience {
		return c, ErrAudience
	}
	story, err := l.Story(seq)
	if err != nil {
		return c, errNoFork
	}
	if do == "" && story.Fork == "" {
		return c, errors.New("there is no fork that could end")
	}
	if do != "" && story.Fork != "" {
		return c, errors.New("the experiment is forked already: end that fork first")
	}
	source := "sim"
	c = selection.Change{Source: &source, Selector: &story.Selector, Rate: &story.Rate, Do: &story.Do, From: story.From}
	done, err := action.Read(story.Do)
	if err != nil {
		return c, fmt.Errorf("the moment cannot be played again: %w", err)
	}
	when := (time.Duration(story.From)*time.Millisecond + at + vclock.Precision - 1).Truncate(vclock.Precision)
	if n := len(done); n > 0 {
		when = max(when, done[n-1].At+vclock.Precision)
	}
	c.Until = when.Milliseconds()
	if do == "" {
		return c, nil
	}
	words := strings.Split(do, ",")
	for i := range words {
		words[i] = fmt.Sprintf("%d:%s", c.Until+int64(i), words[i])
	}
	c.Fork = strings.Join(words, ",")
	return c, nil
}

// readFork reads the actions of a twin.
func (p *replayPlan) readFork(text string) (err error) {
	if p.fork, err = action.Read(text); err != nil || p.fork == nil {
		return err
	}
	p.until = max(p.until, p.fork[len(p.fork)-1].At)
	for _, s := range p.fork {
		if s.Verb == "watch" || s.Verb == "halt" || s.Verb == "unshared" {
			return fmt.Errorf("lanes cannot differ by %s: choose a fault, a hold, a handler, a release or a change of the cluster", s.Verb)
		}
	}
	if p.fork[0].At < p.start {
		return errors.New("a fork is later than the beginning of its experiment")
	}
	if slices.ContainsFunc(p.steps, func(s action.Step) bool { return s.Verb == "unshared" }) {
		return errors.New("an informer ran outside the factory, and such an experiment does not fork")
	}
	return nil
}

// forkSelection returns the selection of a fork. l.mu is not held.
func (l *Lab) forkSelection(sel event.Selection, text string, plan *replayPlan) (event.Selection, error) {
	switch {
	case sel.Source != "sim" || l.o.Idle == nil:
		return sel, errNoFork
	case len(sel.Lanes()) > 1:
		return sel, errors.New("a fork has one resource in one release: choose those first")
	case sel.Objects > maxForked:
		return sel, fmt.Errorf("a fork runs two clusters, of at most %d objects each: choose fewer objects first", maxForked)
	}
	sel.Fork, sel.ForkMillis = text, fold.Millis(plan.fork[0].At-plan.start)
	return sel, nil
}

// playFork carries out an action of the twin alone.
func (l *Lab) playFork(s action.Step) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.withTwinLocked(func(twin *Lab) { twin.repeatLocked(s) })
	l.ahead.Add(-1)
}
