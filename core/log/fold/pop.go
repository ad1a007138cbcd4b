package fold

import "informerscope/core/words/event"

// popLimit is the most deltas that a RealFIFO pops in one batch.
const popLimit = 1000

// batchable reports whether a delta can be in a batch with others.
func batchable(op event.Op) bool {
	switch op {
	case event.OpReplacedAll, event.OpSyncAll, event.OpBookmark:
		return false
	}
	return true
}

// NextPop returns how many deltas the process loop of a lane would take from the queue as it is now. A DeltaFIFO pops one key with all its deltas. A RealFIFO
// pops one delta before 1.35, and a batch since. NextPop clears and uses seen, so that a frequent caller allocates nothing.
//
// Mirrors client-go tools/cache.(*RealFIFO).PopBatch (v0.37.2).
func (f *Fold) NextPop(lane int, seen map[string]struct{}) int {
	if lane < 0 || lane >= len(f.lanes) {
		return 0
	}
	l := &f.lanes[lane]
	q := &l.queue
	if q.delta {
		n := 0
		q.keys.Each(func(_ string, d deltas) bool {
			n = len(d.list)
			return false
		})
		return n
	}
	if !l.release.Features().PopsBatches {
		return min(q.line.Len(), 1)
	}
	limit := min(q.line.Len(), popLimit)
	population := q.population
	if population > 0 && q.processing {
		population = max(population-len(q.batch), 0) // the count goes down when the batch has been processed, which is before the next Pop
	}
	if population > 0 {
		limit = min(limit, population)
	}
	if limit == 1 {
		return 1
	}
	clear(seen)
	for i := range limit {
		item := q.line.At(i)
		if !batchable(item.op) {
			return max(i, 1)
		}
		if _, again := seen[item.key]; again {
			return i
		}
		seen[item.key] = struct{}{}
	}
	return limit
}
