package view

import (
	"informerscope/core/event"
	"informerscope/core/facts"
	"informerscope/core/fold"
	"informerscope/core/lens"
)

// lens returns what the log says of the controller's newest reconcile; nil if it names no causes, or no worker has taken a key.
func (x *factInputs) lens() *facts.Lens {
	of := x.shown[atController].Lens()
	r := of.Last(x.lane)
	if r == nil || x.state.Workqueue == nil {
		return nil
	}
	out := &facts.Lens{Key: r.Key, Merged: r.Merged, Reads: r.Reads, Older: r.Older, Writes: r.Writes, Woken: r.Woken}
	if key, d := of.NewestDuplicate(x.lane, x.moment); key != "" {
		out.Twice, out.Duplicate, out.Had = key, d.Made, d.Had
	}
	if len(r.Causes) > 0 {
		c := causeOf(r)
		out.Why, out.Object, out.Source = c.Why, c.Key, x.shown[atController].ListenerName(c.Lane, c.Listener)
		if c.Op != event.OpNone {
			out.Op = c.Op.String()
		}
		out.WaitMillis = fold.Millis(max(0, r.At-r.Causes[0].At))
	}
	if loop, aMinute := of.Loop(x.lane, x.moment); loop != nil {
		out.Loop, out.Chain, out.AMinute = loop.Key, loop.Chain, aMinute
	}
	if waits := x.state.Workqueue.Queue; len(waits) > 0 {
		if s, is := of.Starves(x.lane, waits[0], x.moment); is {
			out.Starved, out.StarvedMillis, out.Overtaken = s.Key, fold.Millis(s.Wait), s.Overtaken
		}
	}
	return out
}

// causeOf returns the cause to name: an own write, or else the first one.
func causeOf(r *lens.Run) *lens.Cause {
	for i := range r.Causes {
		if r.Causes[i].Loop {
			return &r.Causes[i]
		}
	}
	return &r.Causes[0]
}
