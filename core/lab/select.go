package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"informerscope/core/cluster/levers"
	"informerscope/core/cluster/simcluster"
	"informerscope/core/lab/action"
	"informerscope/core/lab/selection"
	"informerscope/core/wire/relayclient"
	"informerscope/core/words/event"
)

// ErrSuperseded is returned for a selection, or a recording, that was replaced by a later one before it could begin.
var ErrSuperseded = errors.New("another selection was made before this one could begin")

// asking is a selection that waits for the relay or a cluster, or a file that is being read. It holds neither a lock nor the turn meanwhile.
type asking struct{ cancel context.CancelFunc }

// supersedeLocked cancels the selection that still waits.
func (l *Lab) supersedeLocked() {
	if l.request != nil {
		l.request.cancel()
		l.request = nil
	}
}

// Select changes what is watched; what change omits stays as it is. The running experiment ends, and a new one begins with an empty log. An impossible
// selection is refused with an error, and changes nothing. Select may have to ask a cluster first. Everything else continues meanwhile, and a later selection
// or a recording replaces this one: ErrSuperseded.
func (l *Lab) Select(ctx context.Context, change selection.Change) (event.Selection, error) {
	if l.o.Audience {
		return l.Selection(), ErrAudience
	}
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	next, plan, err := l.choose(ctx, change)
	if err != nil {
		return l.Selection(), err
	}
	halted := l.halt()
	l.mu.Lock()
	same := plan == nil && l.src != nil && l.twin == nil && selection.SameSource(l.selection, next)
	if !same {
		l.stopSource()
		if plan == nil {
			l.history = action.NewHistory(next.Rate, l.standingSteps())
		} else {
			l.history = action.NewHistory(next.Rate, nil)
			l.endStandingLocked()
		}
	}
	l.goal = 0
	if plan != nil {
		l.goal = plan.seq
	}
	l.mu.Unlock()
	switch {
	case same:
		l.driver.Do(func(at time.Duration) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.history.End(l.selection, halted)
			if l.src.cluster != nil && l.selection.Rate != next.Rate {
				l.src.cluster.SetRate(next.Rate)
				l.history.Add(action.Step{At: at, Verb: "rate", Args: []string{fmt.Sprint(next.Rate)}})
			}
			l.history.Begin(at)
			l.startLocked(next)
		})
	case next.Source == "sim" && l.o.Idle != nil:
		if plan == nil {
			plan = &replayPlan{}
		}
		l.replay(next, *plan)
	default:
		l.mu.Lock()
		defer l.mu.Unlock()
		if next.Source == "live" {
			l.src = liveSource(l.o.Dial, next.Context, l.o.Clock, l.faults)
			if next.Simulated {
				l.src.shared = &levers.Shared{Transport: l.src.transport}
			}
		} else {
			l.openSimLocked(next, nil)
		}
		l.startLocked(next)
		return l.selection, nil
	}
	return l.Selection(), nil
}

// choose returns the selection after a change, and the story to play, if any. It is called with the turn, and gives the turn away while it asks.
func (l *Lab) choose(ctx context.Context, change selection.Change) (next event.Selection, plan *replayPlan, err error) {
	l.mu.Lock()
	l.supersedeLocked()
	before, src, closed := l.selection, l.src, l.closed
	l.mu.Unlock()
	if closed {
		return before, nil, errClosed
	}
	if next, err = change.Apply(before); err != nil {
		return next, nil, err
	}
	if plan, err = readPlan(change); err != nil {
		return next, nil, err
	}
	if plan != nil && plan.fork != nil {
		if next, err = l.forkSelection(next, change.Fork, plan); err != nil {
			return next, nil, err
		}
	}
	if next.Source == "live" && l.o.Dial == nil {
		return next, nil, errors.New("there is no relay behind this page, so no live cluster can be watched; " +
			"start informerscope's server and open the address it prints")
	}
	newContext := next.Source == "live" && next.Context != "" && (before.Source != "live" || before.Context != next.Context || before.Cluster == "")
	if !newContext {
		change.Complete(before, &next, relayclient.Context{})
		if l.scopes.Complete(&next) {
			return next, plan, nil
		}
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	mine := &asking{cancel: cancel}
	l.mu.Lock()
	l.request = mine
	l.mu.Unlock()
	<-l.turn
	if newContext {
		change.Complete(before, &next, relayclient.AskContext(ctx, l.o.Dial, next.Context))
	}
	if !l.scopes.Complete(&next) {
		next, err = l.resolve(ctx, next, before, src)
	}
	l.turn <- struct{}{}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.request != mine {
		return next, nil, ErrSuperseded
	}
	l.request = nil
	if change.Rate == nil {
		next.Rate = l.selection.Rate // the rate may have been changed meanwhile
	}
	return next, plan, err
}

// resolve finds the version of a resource by asking the source of sel. That is src, if was has the same source.
func (l *Lab) resolve(ctx context.Context, sel, before event.Selection, src *source) (event.Selection, error) {
	if src == nil || !selection.SameSource(before, sel) {
		if sel.Source == "live" {
			src = liveSource(l.o.Dial, sel.Context, l.o.Clock, l.faults)
		} else { // what a cluster serves does not depend on its objects
			src = simSource(simcluster.New(simcluster.Options{Clock: l.o.Clock, Objects: -1}), l.o.Clock, nil, l.faults)
		}
		defer src.stop()
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	found, err := src.client().Survey(ctx)
	return selection.Resolve(sel, found, err)
}
