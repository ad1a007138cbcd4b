package fold

import "informerscope/core/words/persistent"

// Objects is a read-only view of one lane's store. It reads the Fold it came from, and is valid until that Fold changes.
type Objects struct{ m *persistent.Map[*Cell] }

// Objects returns a lane's store; an empty one if there is no such lane.
func (f *Fold) Objects(lane int) Objects {
	if lane < 0 || lane >= len(f.lanes) {
		return Objects{&persistent.Map[*Cell]{}}
	}
	return Objects{&f.lanes[lane].store.objects}
}

// Len returns the number of objects.
func (o Objects) Len() int { return o.m.Len() }

// Get returns the object with a key.
func (o Objects) Get(key string) (Cell, bool) {
	c, ok := o.m.Get(key)
	if !ok {
		return Cell{}, false
	}
	return *c, true
}

// Range calls fn for every object until it returns false. The order is that of the keys' hashes: the same objects, added in the same order, come in the same
// order. The Cell must not be changed or kept beyond the call: copy it.
func (o Objects) Range(fn func(*Cell) bool) {
	o.m.Each(func(_ string, c *Cell) bool { return fn(c) })
}

// QueueKind returns "RealFIFO" or "DeltaFIFO".
func (f *Fold) QueueKind(lane int) string {
	if lane >= 0 && lane < len(f.lanes) && f.lanes[lane].queue.delta {
		return "DeltaFIFO"
	}
	return "RealFIFO"
}

// QueueLen returns the length of a lane's queue: deltas of a RealFIFO, keys of a DeltaFIFO.
func (f *Fold) QueueLen(lane int) int {
	if lane < 0 || lane >= len(f.lanes) {
		return 0
	}
	return f.lanes[lane].queue.len()
}

// RangeQueue calls fn for each entry of a lane's queue, from the head, until it returns false. An entry of a DeltaFIFO is a key with its deltas.
func (f *Fold) RangeQueue(lane int, fn func(QueueItem) bool) {
	if lane >= 0 && lane < len(f.lanes) {
		f.lanes[lane].queue.each(fn)
	}
}

// IndexNames returns the names of a lane's indices, sorted.
func (f *Fold) IndexNames(lane int) []string {
	if lane < 0 || lane >= len(f.lanes) {
		return nil
	}
	var out []string
	for i := range f.lanes[lane].store.indices {
		out = append(out, f.lanes[lane].store.indices[i].name)
	}
	return out
}

// Index is a view of one index, under the same rules as Objects.
type Index struct{ m *persistent.Map[*indexValue] }

// Index returns an index of a lane, an empty one if there is none of that name.
func (f *Fold) Index(lane int, name string) Index {
	if lane >= 0 && lane < len(f.lanes) {
		xs := f.lanes[lane].store.indices
		for i := range xs {
			if xs[i].name == name {
				return Index{&xs[i].values}
			}
		}
	}
	return Index{&persistent.Map[*indexValue]{}}
}

// Len returns the number of values.
func (x Index) Len() int { return x.m.Len() }

// Range calls fn for every value with the number of objects that have it.
func (x Index) Range(fn func(value string, objects int) bool) {
	x.m.Each(func(v string, iv *indexValue) bool { return fn(v, iv.keys.Len()) })
}

// Count returns the number of objects that have a value.
func (x Index) Count(value string) int {
	if iv, ok := x.m.Get(value); ok {
		return iv.keys.Len()
	}
	return 0
}

// Keys calls fn for the key of every object that has a value.
func (x Index) Keys(value string, fn func(key string) bool) {
	if iv, ok := x.m.Get(value); ok {
		iv.keys.Each(func(k string, _ struct{}) bool { return fn(k) })
	}
}
