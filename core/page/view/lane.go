package view

import (
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
)

// maxCells bounds the cells of one frame; the next frames carry the rest.
const maxCells = 20_000

// noGroup is the group of an object without a value in the index.
const noGroup = "(none)"

// cellSlot is a place on the page, which an object keeps while it is in the store.
type cellSlot struct {
	id    int
	seq   uint64 // of the change that the page has
	group int    // the number of its group
	phase string
}

// laneView has the cells, groups, State and facts of one lane as the page has them, and what changed since.
type laneView struct {
	moves        moves
	dirtyKeys    map[string]struct{} // keys of objects whose cells may have changed
	allDirty     bool                // every cell may have changed
	needsRegroup bool                // the groups are those of another index: send all cells again
	slots        map[string]*cellSlot
	freeSlots    []int
	nextSlot     int
	groups       groups
	phases       phases
	hasNewNames  bool // a number has stood for another group since the groups were sent
	sections     map[string]string
	facts        map[string]string // as sent
	factsAt      time.Duration     // the moment they describe
}

func newLaneView(follow string) *laneView {
	return &laneView{
		moves:     moves{followKey: follow},
		dirtyKeys: map[string]struct{}{}, slots: map[string]*cellSlot{},
		sections: map[string]string{}, facts: map[string]string{}, needsRegroup: true,
	}
}

// watch notes which cells an event may have changed, and its move.
func (l *laneView) watch(e *event.Entry) {
	l.moves.watch(e)
	switch e.Kind {
	case event.KindStoreAdded, event.KindStoreUpdated, event.KindStoreDeleted, event.KindMutated:
		if !l.allDirty {
			l.dirtyKeys[e.Key()] = struct{}{}
		}
	case event.KindStoreReplaced:
		l.allDirty = true
		clear(l.dirtyKeys)
	case event.KindIndexersAdded:
		l.needsRegroup = true
	case event.KindLane:
		l.allDirty, l.needsRegroup = true, true
		clear(l.dirtyKeys)
	}
}

// cell is a cell to send.
type cell struct {
	slot     int
	key      string
	group    int
	atMillis float64
	op       event.Op
	phase    string
	// isMutated: a handler has mutated the object since the store got it.
	isMutated bool
}

// cells returns the cells to set and the slots to empty, so that the page's cells become the fold's; at most maxCells are set. reset: the page must first drop
// all its cells. While chips are on their way (flying) to the Indexer, the fold does not have all changes yet, so the keys are looked at again.
func (l *laneView) cells(f *fold.Fold, lane int, index string, jumped, flying bool) (reset bool, set []cell, del []int) {
	objects, values := f.Objects(lane), f.Index(lane, index)
	if l.needsRegroup {
		l.needsRegroup, l.allDirty, reset = false, true, true
		clear(l.slots)
		l.freeSlots, l.nextSlot = nil, 0
		l.groups.reset(values)
		l.phases.reset()
	}
	if !l.allDirty && !jumped {
		//maporder:free what of them does not fit into a frame comes with the next; the log knows nothing of frames
		for key := range l.dirtyKeys {
			if !flying {
				delete(l.dirtyKeys, key)
			}
			if c, ok := objects.Get(key); !ok {
				l.del(&del, key)
			} else if !l.isSent(&c) {
				l.set(&set, &c, index, values)
			}
			if len(set) >= maxCells {
				return reset, set, del
			}
		}
		return reset, set, del
	}
	clear(l.dirtyKeys)
	//maporder:free the page takes away what a frame names, in any order
	for key := range l.slots {
		if _, ok := objects.Get(key); !ok {
			l.del(&del, key)
		}
	}
	l.allDirty = flying
	objects.Range(func(c *fold.Cell) bool {
		if l.isSent(c) {
			return true
		}
		l.set(&set, c, index, values)
		if len(set) >= maxCells {
			l.allDirty = true // the next frame carries the rest
			return false
		}
		return true
	})
	return reset, set, del
}

// isSent reports whether the page has the cell.
func (l *laneView) isSent(c *fold.Cell) bool {
	s := l.slots[c.Key]
	return s != nil && s.seq == c.Seq
}

// set adds the cell of an object. The object keeps its slot, or gets a free one.
func (l *laneView) set(set *[]cell, c *fold.Cell, index string, values fold.Index) {
	s := l.slots[c.Key]
	if s != nil {
		l.groups.leave(s.group)
		l.phases.leave(s.phase)
	} else {
		s = &cellSlot{}
		if n := len(l.freeSlots); n > 0 {
			s.id, l.freeSlots = l.freeSlots[n-1], l.freeSlots[:n-1]
		} else {
			s.id = l.nextSlot
			l.nextSlot++
		}
		l.slots[c.Key] = s
	}
	s.seq, s.phase = c.Seq, phase(c.Obj)
	l.phases.enter(s.phase)
	name := noGroup
	for _, in := range c.Indexed {
		if in.Index == index && len(in.Values) > 0 {
			name = in.Values[0]
		}
	}
	_, known := l.groups.ids[name]
	l.hasNewNames = l.hasNewNames || !known
	s.group = l.groups.id(name, values)
	l.groups.enter(s.group)
	*set = append(*set, cell{slot: s.id, key: c.Key, group: s.group, atMillis: fold.Millis(c.At), op: c.Op, phase: s.phase, isMutated: c.Mutation != nil})
}

// del adds the slot of an object that left the store, and frees it.
func (l *laneView) del(del *[]int, key string) {
	if s := l.slots[key]; s != nil {
		delete(l.slots, key)
		l.groups.leave(s.group)
		l.phases.leave(s.phase)
		l.freeSlots = append(l.freeSlots, s.id)
		*del = append(*del, s.id)
	}
}

// groupCounts returns the number of objects of each group, and whether groups or counts differ from those sent.
func (l *laneView) groupCounts(fold *fold.Fold, lane int, index string) ([]int, bool) {
	changed, gaps := l.groups.count(fold.Index(lane, index))
	changed, l.hasNewNames = changed || l.hasNewNames, false
	l.needsRegroup = l.needsRegroup || gaps
	return l.groups.counts, changed
}

// phase returns an object's status.phase, "" if it has none.
func phase(obj any) string {
	if o, ok := obj.(*object.Object); ok && o != nil {
		return o.Get("status.phase").String()
	}
	return ""
}
