package view

import (
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// maxCells bounds the cells of one frame; the next frames carry the rest.
const maxCells = 20_000

// The bits of a cell's places.
const (
	inCluster = 1 << iota // the cluster has the object
	inStore               // the store has it
	isApart               // both have it, and their versions differ
	isUnsent              // this informer does not ask for it
	isReduced             // members of the stored object were dropped since it arrived
)

// cellSlot is a place on the page, which an object keeps while it is in the cluster or the store.
type cellSlot struct {
	id      int
	seq     uint64 // of the change that the page has
	places  int
	written time.Duration // when the cluster's version was written
}

// laneView has the cells, State and facts of one lane as the page has them, and what changed since.
type laneView struct {
	dirtyKeys  map[string]struct{} // keys of objects whose cells may have changed
	allDirty   bool                // every cell may have changed
	isListing  bool                // the Reflector's last request was for a list
	needsReset bool                // the page must drop its cells and get all again
	slots      map[string]*cellSlot
	freeSlots  []int
	nextSlot   int
	sections   map[string]string
	facts      map[string]string // as sent
	factsAt    time.Duration     // the moment they describe
}

func newLaneView() *laneView {
	return &laneView{
		dirtyKeys: map[string]struct{}{}, slots: map[string]*cellSlot{},
		sections: map[string]string{}, facts: map[string]string{}, needsReset: true,
	}
}

// watch notes which cells an event may have changed.
func (l *laneView) watch(e *event.Entry) {
	switch e.Kind {
	case event.KindStoreAdded, event.KindStoreUpdated, event.KindStoreDeleted, event.KindMutated:
		if !l.allDirty {
			l.dirtyKeys[e.Key()] = struct{}{}
		}
	case event.KindStoreReplaced, event.KindClusterObjects:
		l.allDirty = true
		clear(l.dirtyKeys)
	case event.KindLane:
		l.allDirty, l.needsReset = true, true
		clear(l.dirtyKeys)
	}
}

// watchCluster notes which cells an event of the cluster may have changed, or one of a wire that shows the cluster. Lanes that share their requests share it.
func (l *laneView) watchCluster(e *event.Entry) {
	switch e.Kind {
	case event.KindClusterChange, event.KindWireFrame, event.KindWatchEvent, event.KindQueued:
		if key := e.Key(); key != "" && !l.allDirty {
			l.dirtyKeys[key] = struct{}{}
		} else if e.Kind == event.KindQueued {
			l.allDirty = true
		}
	case event.KindClusterObjects:
		l.allDirty = true
	case event.KindRequestSent:
		l.isListing = e.RequestSent().Verb != event.VerbWatch
	case event.KindReflectorRV: // a list shows what is gone
		l.allDirty, l.isListing = l.allDirty || l.isListing, false
	}
}

// cell is a cell to send.
type cell struct {
	slot     int
	key      string
	atMillis float64
	places   int
	written  float64 // when the cluster's version was written, or seen; 0 if it was there when the log began
	// The versions of the cluster and of the store, empty where it lacks the object.
	clusterRV, storeRV string
}

// cells returns the cells to set and the slots to empty, so that the page's cells become the fold's; at most maxCells are set. reset: the page must first drop
// all its cells.
func (l *laneView) cells(f *fold.Fold, lane int, jumped bool) (reset bool, set []cell, del []int) {
	objects, cluster := f.Objects(lane), f.Cluster(lane)
	if l.needsReset {
		l.needsReset, l.allDirty, reset = false, true, true
		clear(l.slots)
		l.freeSlots, l.nextSlot = nil, 0
	}
	// send sends what the page does not have of an object, nil where the store or the cluster lacks it.
	send := func(key string, c *fold.Cell, held *fold.Held) {
		if places := placesOf(c, held); places == 0 {
			l.del(&del, key)
		} else if !l.isSent(key, c, held, places) {
			l.set(&set, key, c, held, places)
		}
	}
	if !l.allDirty && !jumped {
		//maporder:free what of them does not fit into a frame comes with the next; the log knows nothing of frames
		for key := range l.dirtyKeys {
			delete(l.dirtyKeys, key)
			send(key, pointer(objects.Get(key)), pointer(cluster.Get(key)))
			if len(set) >= maxCells {
				return reset, set, del
			}
		}
		return reset, set, del
	}
	clear(l.dirtyKeys)
	//maporder:free the page takes away what a frame names, in any order
	for key := range l.slots {
		if _, here := objects.Get(key); !here {
			if _, there := cluster.Get(key); !there {
				l.del(&del, key)
			}
		}
	}
	l.allDirty = false
	hasRoom := func() bool {
		if len(set) < maxCells {
			return true
		}
		l.allDirty = true // the next frame carries the rest
		return false
	}
	objects.Range(func(c *fold.Cell) bool {
		send(c.Key, c, pointer(cluster.Get(c.Key)))
		return hasRoom()
	})
	if len(set) >= maxCells {
		return reset, set, del
	}
	cluster.Range(func(key string, held fold.Held) bool {
		if _, here := objects.Get(key); !here {
			send(key, nil, &held)
		}
		return hasRoom()
	})
	return reset, set, del
}

// pointer returns nil for what is not there.
func pointer[T any](x T, ok bool) *T {
	if !ok {
		return nil
	}
	return &x
}

// placesOf returns where an object is.
func placesOf(c *fold.Cell, held *fold.Held) (places int) {
	if held != nil {
		places |= inCluster
		if held.Unsent {
			places |= isUnsent
		}
	}
	if c != nil {
		places |= inStore
		if event.Weigh(c.Obj).IsReduced() {
			places |= isReduced
		}
	}
	if c != nil && held != nil && c.RV != held.RV && c.RV != "" {
		places |= isApart
	}
	return places
}

// isSent reports whether the page has the cell.
func (l *laneView) isSent(key string, c *fold.Cell, held *fold.Held, places int) bool {
	s := l.slots[key]
	return s != nil && s.places == places && (c == nil || s.seq == c.Seq) && (held == nil || s.written == held.At)
}

// set adds the cell of an object. The object keeps its slot, or gets a free one.
func (l *laneView) set(set *[]cell, key string, c *fold.Cell, held *fold.Held, places int) {
	s := l.slots[key]
	if s == nil {
		s = &cellSlot{}
		if n := len(l.freeSlots); n > 0 {
			s.id, l.freeSlots = l.freeSlots[n-1], l.freeSlots[:n-1]
		} else {
			s.id = l.nextSlot
			l.nextSlot++
		}
		l.slots[key] = s
	}
	*s = cellSlot{id: s.id, places: places}
	x := cell{slot: s.id, key: key, places: places}
	if held != nil {
		s.written, x.written, x.clusterRV = held.At, fold.Millis(held.At), held.RV
	}
	if c != nil {
		s.seq, x.atMillis, x.storeRV = c.Seq, fold.Millis(c.At), c.RV
	}
	*set = append(*set, x)
}

// del adds the slot of an object that left both, and frees it.
func (l *laneView) del(del *[]int, key string) {
	if s := l.slots[key]; s != nil {
		delete(l.slots, key)
		l.freeSlots = append(l.freeSlots, s.id)
		*del = append(*del, s.id)
	}
}
