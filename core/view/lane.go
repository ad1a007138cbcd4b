package view

import (
	"time"

	"informerscope/core/informer"
	"informerscope/core/object"
	"informerscope/core/trace"
)

// maxCells bounds the cells of one frame; the rest comes in the next ones.
const maxCells = 20_000

// noGroup is the group of an object without a value in the index.
const noGroup = "(none)"

// cellSlot is a place on the page, which an object keeps while it is in the store.
type cellSlot struct {
	id  int
	seq uint64 // of the change that the page has
	// group is the number of the group it is in.
	group int
}

// laneView is what the page has of one lane.
type laneView struct {
	moves    moves
	touched  map[string]struct{} // keys whose cells may have changed
	all      bool                // any cell may have changed
	regroup  bool                // the cells are grouped by another index: send all cells again
	slots    map[string]*cellSlot
	free     []int
	next     int
	groups   groups
	renamed  bool // a number has another group since the groups were sent
	sections map[string]string
	facts    map[string]string // as sent
	factsAt  time.Duration     // the moment they describe
}

func newLaneView(follow string) *laneView {
	return &laneView{
		moves:   moves{follow: follow},
		touched: map[string]struct{}{}, slots: map[string]*cellSlot{},
		sections: map[string]string{}, facts: map[string]string{}, regroup: true,
	}
}

func (l *laneView) watch(e *trace.Event) {
	l.moves.watch(e)
	switch e.Kind {
	case informer.KindStoreAdded, informer.KindStoreUpdated, informer.KindStoreDeleted, trace.KindMutated:
		if !l.all {
			l.touched[e.Key] = struct{}{}
		}
	case informer.KindStoreReplaced:
		l.all = true
		clear(l.touched)
	case informer.KindIndexersAdded:
		l.regroup = true
	case trace.KindLane:
		l.all, l.regroup = true, true
		clear(l.touched)
	}
}

// cell is a cell to send.
type cell struct {
	slot  int
	key   string
	group int
	at    float64
	op    informer.Op
	phase string
	// mutated: a handler mutated it since it arrived.
	mutated bool
}

// cells compares what the page has with the fold. reset: the page must first drop all its cells.
func (l *laneView) cells(fold *trace.Fold, lane int, index string, jumped bool) (reset bool, set []cell, del []int) {
	objects, values := fold.Objects(lane), fold.Index(lane, index)
	if l.regroup {
		l.regroup, l.all, reset = false, true, true
		clear(l.slots)
		l.free, l.next = nil, 0
		l.groups.reset(values)
	}
	if !l.all && !jumped {
		//maporder:free what of them does not fit into a frame comes with the next; the log knows nothing of frames
		for key := range l.touched {
			delete(l.touched, key)
			if c, ok := objects.Get(key); ok {
				l.set(&set, &c, index, values)
			} else {
				l.del(&del, key)
			}
			if len(set) >= maxCells {
				return reset, set, del
			}
		}
		return reset, set, del
	}
	clear(l.touched)
	//maporder:free the page takes away what a frame names, in any order
	for key := range l.slots {
		if _, ok := objects.Get(key); !ok {
			l.del(&del, key)
		}
	}
	l.all = false
	objects.Range(func(c *trace.Cell) bool {
		if s := l.slots[c.Key]; s != nil && s.seq == c.Seq {
			return true
		}
		l.set(&set, c, index, values)
		if len(set) >= maxCells {
			l.all = true // the rest comes in the next frame
			return false
		}
		return true
	})
	return reset, set, del
}

func (l *laneView) set(set *[]cell, c *trace.Cell, index string, values trace.Index) {
	s := l.slots[c.Key]
	if s != nil {
		l.groups.leave(s.group)
	} else {
		s = &cellSlot{}
		if n := len(l.free); n > 0 {
			s.id, l.free = l.free[n-1], l.free[:n-1]
		} else {
			s.id = l.next
			l.next++
		}
		l.slots[c.Key] = s
	}
	s.seq = c.Seq
	name := noGroup
	for _, in := range c.Indexed {
		if in.Index == index && len(in.Values) > 0 {
			name = in.Values[0]
		}
	}
	_, known := l.groups.ids[name]
	l.renamed = l.renamed || !known
	s.group = l.groups.id(name, values)
	l.groups.enter(s.group)
	*set = append(*set, cell{slot: s.id, key: c.Key, group: s.group, at: millis(c.At), op: c.Op, phase: phase(c.Obj), mutated: c.Mutation != nil})
}

func (l *laneView) del(del *[]int, key string) {
	if s := l.slots[key]; s != nil {
		delete(l.slots, key)
		l.groups.leave(s.group)
		l.free = append(l.free, s.id)
		*del = append(*del, s.id)
	}
}

// groupCounts returns the objects of each group, and whether groups or counts differ from what was sent.
func (l *laneView) groupCounts(fold *trace.Fold, lane int, index string) ([]int, bool) {
	changed, gaps := l.groups.count(fold.Index(lane, index))
	changed, l.renamed = changed || l.renamed, false
	l.regroup = l.regroup || gaps
	return l.groups.counts, changed
}

// phase returns an object's status.phase, if it has one.
func phase(obj any) string {
	if o, ok := obj.(*object.Object); ok && o != nil {
		return o.Get("status.phase").String()
	}
	return ""
}
