package fold

import "informerscope/core/log/facts"

// lensFacts returns what the log says is wrong with the reconciles of a lane's controller. It is nil if the log names no causes, or no worker has taken a key.
func (f *Fold) lensFacts(lane int) *facts.Lens {
	if f.lens.Last(lane) == nil || f.lanes[lane].work == nil {
		return nil
	}
	out := &facts.Lens{}
	if key, d := f.lens.NewestDuplicate(lane, f.at); key != "" {
		out.Twice, out.Duplicate, out.Earlier = key, d.Made, d.Earlier
	}
	if loop, aMinute := f.lens.Loop(lane, f.at); loop != nil {
		out.Loop, out.AMinute = loop.Key, aMinute
	}
	f.lanes[lane].work.fifo.Each(func(first string, _ struct{}) bool {
		if s, starves := f.lens.Starves(lane, first, f.at); starves {
			out.Starved, out.Overtaken = s.Key, s.Overtaken
		}
		return false
	})
	return out
}
