package informer

import "hash/maphash"

// Objects are in numbered slots, in chunks of chunkSize. List copies the chunk pointers under the lock and the objects after it, so a reader holds the
// lock for N/64 steps. A writer that writes to a chunk that a List uses copies the chunk first.
const (
	chunkBits = 6
	chunkSize = 1 << chunkBits
	chunkMask = chunkSize - 1
)

type slot struct {
	key string
	// obj is noObject in a slot that is free. It is also noObject if the key is not stored any more but still is in an index: client-go's indices keep
	// such a key, too, if an object was changed in place.
	obj any
}

// noObject is the obj of slots without an object; nil is an object that can be stored.
var noObject any = new(struct{ _ byte })

func (s *slot) hasObject() bool { return s.obj != noObject }

type chunk struct {
	// generation is the generation in which the chunk was made. List starts a new generation, and chunks of older generations are never written again.
	generation uint64
	slots      [chunkSize]slot
}

// view is the contents at one moment. It never changes.
type view struct {
	chunks []*chunk
	// slots is the number of slots, objects the number of those with an object.
	slots, objects int
}

// each calls fn for every object.
func (v *view) each(fn func(s *slot)) {
	for i := range v.slots {
		if s := &v.chunks[i>>chunkBits].slots[i&chunkMask]; s.hasObject() {
			fn(s)
		}
	}
}

//maporder:free the hashes are only for lookups; their order is never used
var keySeed = maphash.MakeSeed()

func hashKey(key string) uint32 {
	h := maphash.String(keySeed, key)
	return uint32(h ^ h>>32)
}

// slotTable finds slots by key: open addressing with linear probing. An entry has the hash of a key in its upper half and the slot's number plus one in
// its lower half. So a lookup rarely compares a key that is not the right one, growing hashes no keys, and an entry takes half the memory of a string.
type slotTable struct {
	entries []uint64 // length is zero or a power of two
	n       int
}

// tableSize returns the length of a table for n entries: at most three quarters of it are used.
func tableSize(n int) int {
	size := 8
	for size*3 < n*4 {
		size *= 2
	}
	return size
}

func (t *slotTable) put(hash uint32, id int) {
	if (t.n+1)*4 > len(t.entries)*3 {
		old := t.entries
		t.entries = make([]uint64, tableSize(t.n+1))
		for _, e := range old {
			if e != 0 {
				t.place(e)
			}
		}
	}
	t.place(uint64(hash)<<32 | uint64(id+1))
	t.n++
}

func (t *slotTable) place(e uint64) {
	mask := len(t.entries) - 1
	i := int(e>>32) & mask
	for t.entries[i] != 0 {
		i = (i + 1) & mask
	}
	t.entries[i] = e
}

// remove removes the entry of slot id.
func (t *slotTable) remove(hash uint32, id int) {
	mask := len(t.entries) - 1
	e := uint64(hash)<<32 | uint64(id+1)
	i := int(hash) & mask
	for t.entries[i] != e {
		i = (i + 1) & mask
	}
	t.n--
	// Move later entries into the gap, unless that would put them before their home position.
	for j := i; ; {
		j = (j + 1) & mask
		next := t.entries[j]
		if next == 0 {
			break
		}
		if home := int(next>>32) & mask; (j-home)&mask >= (j-i)&mask {
			t.entries[i] = next
			i = j
		}
	}
	t.entries[i] = 0
}

// idSet is a set of slot numbers, in the same kind of table without hashes.
type idSet struct {
	entries []uint32 // number plus one; length is zero or a power of two
	n       int
}

// spread hashes a slot number.
func spread(id uint32) uint32 {
	h := id * 0x9E3779B1
	return h ^ h>>15
}

// add adds id, and reports whether it was not in the set.
func (s *idSet) add(id int) bool {
	if (s.n+1)*4 > len(s.entries)*3 {
		old := s.entries
		s.entries = make([]uint32, max(4, 2*len(old)))
		for _, e := range old {
			if e != 0 {
				s.place(e)
			}
		}
	}
	if !s.place(uint32(id + 1)) {
		return false
	}
	s.n++
	return true
}

// place stores e, and reports whether it was not in the table.
func (s *idSet) place(e uint32) bool {
	mask := uint32(len(s.entries) - 1)
	i := spread(e) & mask
	for s.entries[i] != 0 {
		if s.entries[i] == e {
			return false
		}
		i = (i + 1) & mask
	}
	s.entries[i] = e
	return true
}

// remove removes id, and reports whether it was in the set.
func (s *idSet) remove(id int) bool {
	if s.n == 0 {
		return false
	}
	mask := uint32(len(s.entries) - 1)
	e := uint32(id + 1)
	i := spread(e) & mask
	for s.entries[i] != e {
		if s.entries[i] == 0 {
			return false
		}
		i = (i + 1) & mask
	}
	s.n--
	for j := i; ; {
		j = (j + 1) & mask
		next := s.entries[j]
		if next == 0 {
			break
		}
		if home := spread(next) & mask; (j-home)&mask >= (j-i)&mask {
			s.entries[i] = next
			i = j
		}
	}
	s.entries[i] = 0
	if len(s.entries) > 64 && s.n*8 < len(s.entries) {
		old := s.entries
		s.entries = make([]uint32, len(old)/4)
		for _, e := range old {
			if e != 0 {
				s.place(e)
			}
		}
	}
	return true
}

func (s *idSet) each(fn func(id int)) {
	if s == nil {
		return
	}
	for _, e := range s.entries {
		if e != 0 {
			fn(int(e - 1))
		}
	}
}

func (s *idSet) len() int {
	if s == nil {
		return 0
	}
	return s.n
}
