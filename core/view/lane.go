package view

import (
	"cmp"
	"slices"

	"informerscope/core/informer"
	"informerscope/core/object"
	"informerscope/core/trace"
)

// maxCells bounds the cells of one frame; the rest comes with the next ones.
const maxCells = 20_000

// noGroup is the group of an object without a value in the index.
const noGroup = "(none)"

// cellSlot is a place on the page that an object keeps while it is in the store.
type cellSlot struct {
	id  int
	seq uint64 // of the change that the page knows
}

// laneView is what the page knows of one lane.
type laneView struct {
	moves    moves
	touched  map[string]struct{} // keys whose cells may have changed
	all      bool                // any cell may have changed
	regroup  bool                // the groups are by another index: send all cells anew
	slots    map[string]*cellSlot
	free     []int
	next     int
	groups   []string
	groupIDs map[string]int
	counts   []int // as sent
	sections map[string]string
}

func newLaneView(follow string) *laneView {
	return &laneView{
		moves:   moves{follow: follow},
		touched: map[string]struct{}{}, slots: map[string]*cellSlot{}, groupIDs: map[string]int{},
		sections: map[string]string{}, regroup: true,
	}
}

func (l *laneView) watch(e *trace.Event) {
	l.moves.watch(e)
	switch e.Kind {
	case informer.KindStoreAdded, informer.KindStoreUpdated, informer.KindStoreDeleted:
		if !l.all {
			l.touched[e.Key] = struct{}{}
		}
	case informer.KindStoreReplaced:
		l.all = true
		clear(l.touched)
	case informer.KindIndexersAdded:
		l.regroup = true
	}
}

// cell is one changed cell.
type cell struct {
	slot  int
	key   string
	group int
	at    float64
	op    informer.Op
	phase string
}

// cells compares what the page knows with the fold. Reset: the page forgets all it has first.
func (l *laneView) cells(fold *trace.Fold, lane int, index string, jumped bool) (reset bool, set []cell, del []int) {
	objects := fold.Objects(lane)
	if l.regroup {
		l.regroup, l.all, reset = false, true, true
		clear(l.slots)
		clear(l.groupIDs)
		l.free, l.next, l.groups, l.counts = nil, 0, nil, nil
		// The largest groups first, so that the page's first picture is in its order.
		values := fold.Index(lane, index)
		names := make([]string, 0, values.Len())
		values.Range(func(name string, _ int) bool {
			names = append(names, name)
			return true
		})
		slices.SortFunc(names, func(a, b string) int {
			return cmp.Or(cmp.Compare(values.Count(b), values.Count(a)), cmp.Compare(a, b))
		})
		for _, name := range names {
			l.group(name)
		}
	}
	if !l.all && !jumped {
		for key := range l.touched {
			delete(l.touched, key)
			if c, ok := objects.Get(key); ok {
				l.set(&set, &c, index)
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
		l.set(&set, c, index)
		if len(set) >= maxCells {
			l.all = true // the rest with the next frame
			return false
		}
		return true
	})
	return reset, set, del
}

func (l *laneView) set(set *[]cell, c *trace.Cell, index string) {
	s := l.slots[c.Key]
	if s == nil {
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
	*set = append(*set, cell{slot: s.id, key: c.Key, group: l.group(name), at: millis(c.At), op: c.Op, phase: phase(c.Obj)})
}

func (l *laneView) del(del *[]int, key string) {
	if s := l.slots[key]; s != nil {
		delete(l.slots, key)
		l.free = append(l.free, s.id)
		*del = append(*del, s.id)
	}
}

func (l *laneView) group(name string) int {
	id, ok := l.groupIDs[name]
	if !ok {
		id = len(l.groups)
		l.groups = append(l.groups, name)
		l.groupIDs[name] = id
	}
	return id
}

// groupCounts are the objects of each group, and whether they differ from what was sent.
func (l *laneView) groupCounts(fold *trace.Fold, lane int, index string) ([]int, bool) {
	values := fold.Index(lane, index)
	values.Range(func(name string, _ int) bool {
		l.group(name)
		return true
	})
	counts := make([]int, len(l.groups))
	for i, name := range l.groups {
		counts[i] = values.Count(name)
	}
	changed := len(counts) != len(l.counts)
	for i := range counts {
		changed = changed || counts[i] != l.counts[i]
	}
	l.counts = counts
	return counts, changed
}

// phase is an object's status.phase, where it has one.
func phase(obj any) string {
	if o, ok := obj.(*object.Object); ok && o != nil {
		return o.Get("status.phase").String()
	}
	return ""
}
