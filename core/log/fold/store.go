package fold

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"informerscope/core/words/event"
	"informerscope/core/words/persistent"
)

// Cell is one object in the store.
type Cell struct {
	Key string
	RV  string
	Obj any // shared with the informer: do not change
	// Op is how the object got here last: OpAdded, OpUpdated, or OpReplaced by a list, or OpSync by a resync.
	Op event.Op
	// Seq and At are those of the event that put it here last; after a mutation, Seq is the mutation's.
	Seq uint64
	At  time.Duration
	// Indexed holds its values in every index; do not change.
	Indexed []event.IndexValues
	// Mutation is what a handler changed in Obj since it arrived; nil for nothing.
	Mutation *Mutation

	epoch uint64 // of the fold that made it
	// uid is Obj's UID, if its type has one.
	uid    types.UID
	hasUID bool
}

// store is the informer's store and its indices.
type store struct {
	objects        persistent.Map[*Cell] // cells never change once they are in, except in a fold of which others only see clones (see Fold.alone)
	indices        []index               // by name
	rv             string
	replaces       int
	reborn         int          // updates that replaced an object by one with another UID
	weight         event.Weight // of all objects
	mutatedObjects persistent.Map[*Mutation]
	strays         persistent.Map[*Stray] // by their ids
}

type index struct {
	name   string
	values persistent.Map[*indexValue]
}

type indexValue struct {
	epoch uint64
	keys  persistent.Map[struct{}]
}

func (s *store) apply(epoch uint64, alone bool, e *event.Entry) {
	switch e.Kind {
	case event.KindStoreAdded, event.KindStoreUpdated:
		stored := e.Stored()
		op := event.OpAdded
		switch {
		case stored.Op == event.OpReplaced || stored.Op == event.OpSync:
			op = stored.Op
		case e.Kind == event.KindStoreUpdated:
			op = event.OpUpdated
		}
		s.rv = stored.StoreRV
		if at := s.objects.Find(stored.Key); alone && at != nil && (*at).epoch == epoch && (*at).Mutation == nil {
			c := *at
			before := Cell{Key: c.Key, Obj: c.Obj, Indexed: c.Indexed, uid: c.uid, hasUID: c.hasUID}
			c.RV, c.Obj, c.Op, c.Seq, c.At, c.Indexed = stored.RV, stored.Obj, op, e.Seq, e.At, stored.Indexed
			c.identify()
			s.weight.Add(event.Weigh(c.Obj))
			s.noteReplaced(epoch, &before, c)
			return
		}
		c := &Cell{Key: stored.Key, RV: stored.RV, Obj: stored.Obj, Op: op, Seq: e.Seq, At: e.At, Indexed: stored.Indexed, epoch: epoch}
		if old, found := s.objects.Get(stored.Key); found && stored.Op == event.OpSync && old.Mutation != nil {
			c.Mutation, c.Indexed = old.Mutation, old.Indexed // the store received the object that it already had
		}
		s.put(epoch, c)
	case event.KindStoreDeleted:
		storeDeleted := e.StoreDeleted()
		if old, ok := s.objects.Get(storeDeleted.Key); ok {
			s.objects.Delete(epoch, storeDeleted.Key)
			s.mutatedObjects.Delete(epoch, storeDeleted.Key)
			s.weight.Sub(event.Weigh(old.Obj))
			s.leaveIndices(epoch, old, e.At)
		}
		s.rv = storeDeleted.StoreRV
	case event.KindStoreReplaced:
		s.replaces++
		s.fill(epoch, e, e.StoreReplaced().Items)
		s.rv = e.StoreReplaced().StoreRV
	case event.KindStoreBookmark:
		s.rv = e.StoreBookmark().StoreRV
	case event.KindIndexersAdded:
		s.reindex(epoch, e.IndexersAdded())
	}
}

// fill replaces the store's contents with the items that event e carries.
func (s *store) fill(epoch uint64, e *event.Entry, items []event.Item) {
	before := s.objects
	s.objects, s.mutatedObjects, s.weight = persistent.Map[*Cell]{}, persistent.Map[*Mutation]{}, event.Weight{}
	s.strays = persistent.Map[*Stray]{}
	s.indices = slices.Clone(s.indices)
	for i := range s.indices {
		s.indices[i].values = persistent.Map[*indexValue]{}
	}
	cells := make([]Cell, len(items))
	for i := range items {
		item := &items[i]
		cells[i] = Cell{Key: item.Key, RV: item.RV, Obj: item.Obj, Op: event.OpReplaced, Seq: e.Seq, At: e.At, Indexed: item.Indexed, epoch: epoch}
		s.put(epoch, &cells[i])
		if old, found := before.Get(item.Key); found {
			s.compareUID(old, &cells[i])
		}
	}
}

// reindex takes each object's index values from the event.
func (s *store) reindex(epoch uint64, added event.IndexersAdded) {
	s.indices = slices.Clone(s.indices)
	for i := range s.indices {
		s.indices[i].values = persistent.Map[*indexValue]{}
	}
	for name := range strings.SplitSeq(added.Names, ",") {
		if name = strings.TrimSpace(name); name != "" {
			s.index(name)
		}
	}
	for i := range added.Items {
		item := &added.Items[i]
		old, ok := s.objects.Get(item.Key)
		if !ok {
			continue
		}
		c := *old
		c.Indexed = item.Indexed
		if c.Mutation != nil { // its other indices have what they had
			c.Indexed = keepStale(c.Mutation.Stale, old.Indexed, item.Indexed)
		}
		s.objects.Set(epoch, item.Key, &c)
		s.enter(epoch, item.Key, c.Indexed)
	}
	s.reenterStrays(epoch)
}

func (s *store) put(epoch uint64, c *Cell) {
	c.identify()
	n := s.objects.Len()
	old, found := s.objects.Swap(epoch, c.Key, c)
	if !found && s.objects.Len() == n {
		return // it is full
	}
	if c.Mutation == nil && s.mutatedObjects.Len() > 0 {
		s.mutatedObjects.Delete(epoch, c.Key)
	}
	s.weight.Add(event.Weigh(c.Obj))
	if found {
		s.noteReplaced(epoch, old, c)
		return
	}
	s.enter(epoch, c.Key, c.Indexed)
}

// noteReplaced updates the sums and the indices after c has replaced old.
func (s *store) noteReplaced(epoch uint64, old, c *Cell) {
	s.weight.Sub(event.Weigh(old.Obj))
	s.compareUID(old, c)
	if sameValues(old.Indexed, c.Indexed) {
		return
	}
	s.leaveIndices(epoch, old, c.At)
	s.enter(epoch, c.Key, c.Indexed)
}

// identify notes the object's UID, if it has one.
func (c *Cell) identify() {
	if o, ok := c.Obj.(interface{ GetUID() types.UID }); ok {
		c.uid, c.hasUID = o.GetUID(), true
	} else {
		c.uid, c.hasUID = "", false
	}
}

// compareUID counts an object that replaced one with another UID.
func (s *store) compareUID(old, stored *Cell) {
	if old.hasUID && stored.hasUID && old.uid != stored.uid {
		s.reborn++
	}
}

func sameValues(a, b []event.IndexValues) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) > 0 && &a[0] == &b[0] {
		return true
	}
	for i := range a {
		if a[i].Index != b[i].Index || !slices.Equal(a[i].Values, b[i].Values) {
			return false
		}
	}
	return true
}

func (s *store) index(name string) *index {
	i, ok := slices.BinarySearchFunc(s.indices, name, func(x index, n string) int { return strings.Compare(x.name, n) })
	if !ok {
		if len(s.indices) >= maxIndices {
			return nil
		}
		s.indices = slices.Insert(s.indices, i, index{name: name})
	}
	return &s.indices[i]
}

func (s *store) enter(epoch uint64, key string, in []event.IndexValues) {
	for i := range in {
		x := s.index(in[i].Index)
		if x == nil {
			continue
		}
		for _, v := range in[i].Values {
			iv, ok := x.values.Get(v)
			if !ok || iv.epoch != epoch {
				c := &indexValue{epoch: epoch}
				if ok {
					c.keys = iv.keys
				}
				iv = c
				x.values.Set(epoch, v, iv)
			}
			iv.keys.Set(epoch, key, struct{}{})
			s.settleStray(epoch, in[i].Index, v, key)
		}
	}
}

func (s *store) unindex(epoch uint64, key string, in []event.IndexValues) {
	for i := range in {
		x := s.index(in[i].Index)
		if x == nil {
			continue
		}
		for _, v := range in[i].Values {
			iv, ok := x.values.Get(v)
			if !ok || !iv.keys.Has(key) {
				continue
			}
			s.settleStray(epoch, in[i].Index, v, key)
			if iv.keys.Len() == 1 {
				x.values.Delete(epoch, v)
				continue
			}
			if iv.epoch != epoch {
				iv = &indexValue{epoch: epoch, keys: iv.keys}
				x.values.Set(epoch, v, iv)
			}
			iv.keys.Delete(epoch, key)
		}
	}
}
