package fold

import (
	"time"

	"informerscope/core/log/facts"
	"informerscope/core/log/lens"
	"informerscope/core/words/event"
)

// LensFacts returns what the log says of the newest reconcile of a lane's controller, without its LastReads and LastWrites. It is nil if the log names no
// causes, or no worker has taken a key. at is the moment that is shown.
func (f *Fold) LensFacts(lane int, at time.Duration) *facts.Lens {
	r := f.lens.Last(lane)
	if r == nil || f.lanes[lane].work == nil {
		return nil
	}
	out := &facts.Lens{Key: r.Key, Merged: r.Merged, Reads: r.ReadCount, Older: r.Older, Writes: r.WriteCount, Woken: r.Woken}
	if key, d := f.lens.NewestDuplicate(lane, at); key != "" {
		out.Twice, out.Duplicate, out.Had = key, d.Made, d.Had
	}
	if c := causeOf(r); c != nil {
		out.Why, out.Object, out.Source = c.Why, c.Key, f.ListenerName(c.Lane, c.Listener)
		if c.Op != event.OpNone {
			out.Op = c.Op.String()
		}
		out.WaitMillis = Millis(max(0, r.At-r.Causes[0].At))
	}
	if loop, aMinute := f.lens.Loop(lane, at); loop != nil {
		out.Loop, out.Chain, out.AMinute = loop.Key, loop.Chain, aMinute
	}
	f.lanes[lane].work.fifo.Each(func(first string, _ struct{}) bool {
		if s, starves := f.lens.Starves(lane, first, at); starves {
			out.Starved, out.StarvedMillis, out.Overtaken = s.Key, Millis(s.Wait), s.Overtaken
		}
		return false
	})
	return out
}

// causeOf returns the cause to name: an own write, or else the first one; nil for none.
func causeOf(r *lens.Run) *lens.Cause {
	for i := range r.Causes {
		if r.Causes[i].Loop {
			return &r.Causes[i]
		}
	}
	if len(r.Causes) == 0 {
		return nil
	}
	return &r.Causes[0]
}
