package fold

import (
	"slices"
	"time"
)

// InQueue reports whether a key waits in a lane's queue, and whether it was popped and is still processed.
func (f *Fold) InQueue(lane int, key string) (waits, popped bool) {
	if lane < 0 || lane >= len(f.lanes) {
		return false, false
	}
	q := &f.lanes[lane].queue
	popped = q.processing && slices.ContainsFunc(q.batch, func(item qitem) bool { return item.key == key })
	if q.delta {
		_, waits = q.keys.Get(key)
		return waits, popped
	}
	for i := 0; i < q.line.Len() && !waits; i++ {
		waits = q.line.At(i).key == key
	}
	return waits, popped
}

// HasWork reports whether a key waits for a worker of a lane's controller, or a worker has it.
func (f *Fold) HasWork(lane int, key string) bool {
	w := f.work(lane)
	if w == nil {
		return false
	}
	_, waits := w.fifo.Get(key)
	return waits || w.processing.Has(key)
}

// HasController reports whether a controller takes keys from a work queue of a lane.
func (f *Fold) HasController(lane int) bool { return f.work(lane) != nil }

// EachDue calls fn with when each key in the waiting heap of a lane's controller is due, in no order. failed tells whether the key has failures; it is a
// function because a caller seldom needs it.
func (f *Fold) EachDue(lane int, fn func(due time.Duration, failed func() bool)) {
	w := f.work(lane)
	if w == nil {
		return
	}
	w.waiting.Each(func(key string, d due) bool {
		fn(d.due, func() bool { return w.fails.Has(key) })
		return true
	})
}

// work returns the work queue of a lane, nil if it has none.
func (f *Fold) work(lane int) *workq {
	if lane < 0 || lane >= len(f.lanes) {
		return nil
	}
	return f.lanes[lane].work
}
