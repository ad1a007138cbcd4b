package view

import (
	"time"

	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/log/lens"
	"informerscope/core/words/event"
)

// reconcilesOf returns the newest reconciles of the key that a Lens was asked for, with the names that a fold knows.
func reconcilesOf(log *lens.Lens, f *fold.Fold) *facts.Reconciles {
	runs, aMinute, woken := log.Runs()
	out := &facts.Reconciles{Newest: []facts.Reconcile{}, Runs: aMinute, Woken: woken}
	for _, r := range runs {
		out.Newest = append(out.Newest, *reconcileOf(r, f))
	}
	return out
}

// lastRunOf returns the reconcile of a lane's controller that began last, with one cause, one read and one write. It is nil if the log names no causes, or no
// worker has taken a key.
func lastRunOf(f *fold.Fold, lane int, at time.Duration) *facts.Reconcile {
	r := f.Lens().Last(lane)
	if r == nil {
		return nil
	}
	out := reconcileOf(r, f)
	if r.Running {
		out.TookMillis = fold.Millis(at - r.At)
	}
	out.Causes = chooseOne(out.Causes, func(c *facts.Cause) bool { return c.Loop })
	out.Reads = chooseOne(out.Reads, func(r *facts.CacheRead) bool { return r.Own != "" })
	out.Writes = chooseOne(out.Writes, func(w *facts.OwnWrite) bool { return w.Duplicate != "" })
	return out
}

// chooseOne returns the newest that deserves a look, or else the newest, alone. It returns all of none.
func chooseOne[T any](all []T, deserves func(*T) bool) []T {
	for i := len(all) - 1; i >= 0; i-- {
		if deserves(&all[i]) {
			return all[i : i+1]
		}
	}
	return all[max(0, len(all)-1):]
}

// reconcileOf returns a run with the names that a fold knows.
func reconcileOf(r *lens.Run, f *fold.Fold) *facts.Reconcile {
	x := &facts.Reconcile{Key: r.Key, Seq: r.Seq, AtMillis: fold.Millis(r.At), TookMillis: fold.Millis(r.Took), Running: r.Running, Worker: r.Worker,
		Priority: r.Priority, Attempt: r.Attempt, Error: r.Error, AgainMillis: fold.Millis(r.Again), Retry: r.Retry, Merged: r.Merged,
		Causes: []facts.Cause{}, Reads: readsOf(r.Reads, f), Writes: writesOf(r.Writes), Older: r.Older}
	for _, c := range r.Causes {
		y := facts.Cause{Seq: c.Seq, Why: c.Why, Lane: c.Lane, Listener: c.Listener, Name: f.ListenerName(c.Lane, c.Listener), Resource: f.ResourceName(c.Lane),
			Key: c.Key, RV: c.RV, WaitMillis: fold.Millis(max(0, r.At-c.At)), Derived: c.Derived, By: c.By,
			Loop: c.Loop || r.Woken && c.Key == r.By.Key && c.RV == r.By.RV}
		if c.Op != event.OpNone {
			y.Op = c.Op.String()
		}
		x.Causes = append(x.Causes, y)
	}
	return x
}

func readsOf(all []lens.Read, f *fold.Fold) []facts.CacheRead {
	out := make([]facts.CacheRead, 0, len(all))
	for _, r := range all {
		out = append(out, facts.CacheRead{Seq: r.Seq, Lane: r.Lane, Resource: f.ResourceName(r.Lane), Key: r.Key, RV: r.RV, Behind: r.Behind, Objects: r.Objects,
			Index: r.Index, Own: r.Own, OwnKey: r.OwnKey})
	}
	return out
}

func writesOf(all []lens.Write) []facts.OwnWrite {
	out := make([]facts.OwnWrite, 0, len(all))
	for _, w := range all {
		out = append(out, facts.OwnWrite{Seq: w.Seq, Lane: w.Lane, Verb: w.Verb, Resource: w.Resource, Subresource: w.Subresource, Key: w.Key, RV: w.RV,
			TookMillis: fold.Millis(w.Took), Open: w.Open, Same: w.Same, Code: w.Code, Error: w.Error, Duplicate: w.Duplicate})
	}
	return out
}
