package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/core/restwatch"
	"informerscope/core/simcluster"
	"informerscope/core/trace"
)

// ErrSuperseded is the answer to a selection whose cluster had not answered yet, or a recording that was not read yet, when another one was made.
var ErrSuperseded = errors.New("another selection was made before this one could begin")

// asking is a selection that waits for what the relay or a cluster says, or a file that is read. No lock is held meanwhile, and it is no
// selection's turn.
type asking struct{ cancel context.CancelFunc }

// supersede gives up the selection that is still asking: what happens now is later. l.mu is held.
func (l *Lab) supersede() {
	if l.asks != nil {
		l.asks.cancel()
		l.asks = nil
	}
}

// Select changes what is watched; what change leaves out stays as it is. The
// running experiment ends, and a new one begins with an empty log. A selection
// that cannot be is refused with words that say why, and changes nothing. While
// it asks a cluster for what it must know everything else goes on, and another
// selection, or a recording that is loaded, takes its place: ErrSuperseded.
func (l *Lab) Select(ctx context.Context, change Change) (trace.Selection, error) {
	if l.audience {
		return l.Selection(), ErrAudience
	}
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	next, plan, err := l.chosen(ctx, change)
	if err != nil {
		return l.Selection(), err
	}
	halted := l.halt()
	l.mu.Lock()
	same := plan == nil && l.src != nil && sameSource(l.selection, next)
	if !same {
		l.stopSource()
		l.history = history{rate: next.Rate}
		if plan == nil {
			l.history.steps = l.standing()
			l.history.first = len(l.history.steps)
		} else {
			l.endStanding()
		}
	}
	l.wanted = 0
	if plan != nil {
		l.wanted = plan.at
	}
	l.mu.Unlock()
	switch {
	case same:
		l.driver.Do(func(at time.Duration) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.keepEnded(halted, at)
			if l.src.cluster != nil && l.selection.Rate != next.Rate {
				l.src.cluster.SetRate(next.Rate)
				l.history.steps = append(l.history.steps, step{at: at, verb: "rate", args: []string{fmt.Sprint(next.Rate)}})
				l.history.first++
			}
			l.start(next)
		})
	case next.Source == "sim" && l.virtual:
		if plan == nil {
			plan = &replayPlan{}
		}
		l.replay(next, *plan)
	default:
		l.mu.Lock()
		defer l.mu.Unlock()
		if next.Source == "live" {
			l.src = liveSource(l.dial, next.Context, l.clock, l.faults)
		} else {
			l.openSim(next, nil)
		}
		l.start(next)
		return l.selection, nil
	}
	return l.Selection(), nil
}

// chosen is what a change selects, and the story that it asks to be played, if it does. It has the turn, and gives it away while it asks.
func (l *Lab) chosen(ctx context.Context, change Change) (next trace.Selection, plan *replayPlan, err error) {
	l.mu.Lock()
	l.supersede()
	was, src, closed := l.selection, l.src, l.closed
	l.mu.Unlock()
	if closed {
		return was, nil, errClosed
	}
	if next, err = change.apply(was); err != nil {
		return next, nil, err
	}
	if plan, err = change.replay(); err != nil {
		return next, nil, err
	}
	if next.Source == "live" && l.dial == nil {
		return next, nil, errors.New("there is no relay behind this page, so no live cluster can be watched; " +
			"start informerscope's server and open the address it prints")
	}
	asksContext := next.Source == "live" && next.Context != "" && (was.Source != "live" || was.Context != next.Context || was.Cluster == "")
	if !asksContext {
		change.settle(was, &next, Context{})
		if !l.asksScope(&next) {
			return next, plan, nil
		}
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	mine := &asking{cancel: cancel}
	l.mu.Lock()
	l.asks = mine
	l.mu.Unlock()
	<-l.turn
	if asksContext {
		change.settle(was, &next, l.about(ctx, next.Context))
	}
	if l.asksScope(&next) {
		next, err = l.resolve(ctx, next, was, src)
	}
	l.turn <- struct{}{}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asks != mine {
		return next, nil, ErrSuperseded
	}
	l.asks = nil
	if change.Rate == nil {
		next.Rate = l.selection.Rate // it may have been changed meanwhile
	}
	return next, plan, err
}

// aboutPatience is how long a selection waits for what the kubeconfig says of its context. Without it the selection goes on: the trouble of
// the informers says what is wrong.
const aboutPatience = 5 * time.Second

// about asks the relay what the kubeconfig says of a context; it is empty when the relay does not answer, or does not know it.
func (l *Lab) about(ctx context.Context, name string) Context {
	ctx, cancel := context.WithTimeout(ctx, aboutPatience)
	defer cancel()
	for _, c := range liveSources(ctx, l.dial).Contexts {
		if c.Name == name {
			return c
		}
	}
	return Context{}
}

// asksScope reports whether the cluster must be asked for the version of a resource, or for whether it has namespaces, and notes the
// latter in sel where it is known. Of several resources it is asked whether it has them.
func (l *Lab) asksScope(sel *trace.Selection) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	unknown := slices.ContainsFunc(sel.Resources, func(t trace.Target) bool { return t.Kind == "" })
	return sel.Version == "" || unknown || sel.Namespace != "" && !l.knownScope(sel)
}

// knownScope finds out without asking whether the resource of sel has namespaces. l.mu is held.
func (l *Lab) knownScope(sel *trace.Selection) bool {
	if _, builtin := builtinVersions[sel.Group]; builtin || sel.Source != "live" {
		return true // settled already
	}
	namespaced, ok := l.scopes[scopeKey{sel.Context, schema.GroupResource{Group: sel.Group, Resource: sel.Resource}}]
	sel.ClusterScoped = ok && !namespaced
	return ok
}

// resolve finds the version of a resource by asking the source of sel, which is src if that is the source of was too.
func (l *Lab) resolve(ctx context.Context, sel, was trace.Selection, src *source) (trace.Selection, error) {
	if src == nil || !sameSource(was, sel) {
		if sel.Source == "live" {
			src = liveSource(l.dial, sel.Context, l.clock, l.faults)
		} else { // what a cluster serves does not depend on what is in it
			src = simSource(simcluster.New(simcluster.Options{Clock: l.clock, Objects: -1}), l.clock, nil, l.faults)
		}
		defer src.stop()
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	found, err := src.client().Survey(ctx)
	if len(sel.Resources) == 0 {
		return choose(sel, found, err)
	}
	all := slices.Clone(sel.Resources)
	for i := range all {
		one, wrong := choose(sel.Of(all[i]), found, err)
		if wrong == nil && err == nil {
			wrong = unserved(found, all[i])
		}
		if wrong != nil {
			return sel, fmt.Errorf("%w; take it out of %s, or choose among those that it has", wrong, names(all))
		}
		all[i] = one.Targets()[0]
	}
	sel = sel.Of(all[0])
	sel.Resources = all
	return sel, nil
}

// names are resources as a person writes several.
func names(all []trace.Target) string {
	list := make([]string, len(all))
	for i, t := range all {
		list[i] = t.Name()
	}
	return strings.Join(list, ",")
}

// unserved says why a resource cannot be watched in any version, as far as a survey knows.
func unserved(found []restwatch.Resource, t trace.Target) error {
	why := "the cluster has no resource " + t.Name() + " that can be listed and watched"
	for _, r := range found {
		switch {
		case r.Group != t.Group || r.Resource != t.Resource && r.Resource != "":
		case r.Unwatchable == "":
			return nil
		default:
			why = t.Name() + " cannot be watched: " + r.Unwatchable
		}
	}
	return errors.New(why)
}

// choose takes the version of a resource, and whether it has namespaces, from what a survey found.
func choose(sel trace.Selection, found []restwatch.Resource, err error) (trace.Selection, error) {
	why := ""
	for _, preferred := range []bool{true, false} {
		for _, r := range found {
			if r.Group != sel.Group || r.Resource != sel.Resource && r.Resource != "" || sel.Version != "" && r.Version != sel.Version {
				continue
			}
			if r.Unwatchable != "" {
				why = r.Unwatchable
			} else if r.Preferred || !preferred || sel.Version != "" {
				sel.Version, sel.Kind, sel.ClusterScoped = r.Version, r.Kind, !r.Namespaced
				return sel, nil
			}
		}
	}
	name := strings.TrimSuffix(sel.Resource+"."+sel.Group, ".")
	if sel.Version != "" {
		// Only whether it has namespaces was asked: the informer will say what it finds.
		return sel, nil
	}
	if why != "" {
		return sel, fmt.Errorf("%s cannot be watched: %s", name, why)
	}
	if err != nil {
		return sel, fmt.Errorf("cannot find out the version of %s: %w", name, err)
	}
	return sel, fmt.Errorf("the cluster has no resource %s that can be listed and watched", name)
}
