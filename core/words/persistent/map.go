// Package persistent has a map and two queues whose copies share what they have in common. Each owner has an epoch. A node with that epoch belongs to the owner
// alone and is changed in place; any other node may be shared and is copied first. So cloning means giving both sides a new epoch, and a write copies only the
// path that it touches. One goroutine at a time uses the structures of one owner.
package persistent

import "sync/atomic"

var epochs atomic.Uint64

// NewEpoch returns an epoch that no owner has yet.
func NewEpoch() uint64 { return epochs.Add(1) }

const (
	fanBits = 4
	fan     = 1 << fanBits
	leafMax = 8
)

const (
	// MaxKept is how many keys a map has at most, and how many entries of a queue its user should keep: far above what a real log needs.
	MaxKept = 1 << 19
	// maxAlike is how many keys of one hash a map has at most.
	maxAlike = 64
)

// Map is a map from strings: a hash trie with small leaves. Its order is that of the keys' hashes, the same in every process.
type Map[V any] struct {
	root *pnode[V]
	n    int
}

// Len returns how many keys the map has.
func (m *Map[V]) Len() int { return m.n }

type pnode[V any] struct {
	epoch uint64
	kids  []*pnode[V] // fan of them, or nil in a leaf
	ents  []pent[V]
}

type pent[V any] struct {
	hash uint32
	key  string
	val  V
}

// hashKey is FNV-1a with a final mix. Unlike maphash it is the same in every process, so a replay lists objects in the same order.
func hashKey(key string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(key); i++ {
		h = (h ^ uint32(key[i])) * 16777619
	}
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	h ^= h >> 16
	return h
}

func (n *pnode[V]) ownedBy(epoch uint64) *pnode[V] {
	if n.epoch == epoch {
		return n
	}
	c := &pnode[V]{epoch: epoch}
	if n.kids != nil {
		c.kids = make([]*pnode[V], fan)
		copy(c.kids, n.kids)
		return c
	}
	c.ents = make([]pent[V], len(n.ents), len(n.ents)+1)
	copy(c.ents, n.ents)
	return c
}

func (m *Map[V]) Find(key string) *V {
	h := hashKey(key)
	n := m.root
	for shift := 0; n != nil; shift += fanBits {
		if n.kids != nil {
			n = n.kids[(h>>shift)&(fan-1)]
			continue
		}
		for i := range n.ents {
			if n.ents[i].hash == h && n.ents[i].key == key {
				return &n.ents[i].val
			}
		}
		return nil
	}
	return nil
}

func (m *Map[V]) Get(key string) (v V, ok bool) {
	if p := m.Find(key); p != nil {
		return *p, true
	}
	return v, false
}

func (m *Map[V]) Has(key string) bool { return m.Find(key) != nil }

func (m *Map[V]) Set(epoch uint64, key string, v V) { m.Swap(epoch, key, v) }

// Swap sets a value and returns the previous one. A map that is full, or has too many keys of one hash, accepts no new key.
func (m *Map[V]) Swap(epoch uint64, key string, v V) (old V, found bool) {
	if m.n >= MaxKept && !m.Has(key) {
		return old, false
	}
	h := hashKey(key)
	slot := &m.root
	shift := 0
	for {
		n := *slot
		if n == nil {
			*slot = &pnode[V]{epoch: epoch, ents: []pent[V]{{h, key, v}}}
			m.n++
			return old, false
		}
		n = n.ownedBy(epoch)
		*slot = n
		if n.kids != nil {
			slot = &n.kids[(h>>shift)&(fan-1)]
			shift += fanBits
			continue
		}
		for i := range n.ents {
			if n.ents[i].hash == h && n.ents[i].key == key {
				old, n.ents[i].val = n.ents[i].val, v
				return old, true
			}
		}
		if shift >= 32 && len(n.ents) >= maxAlike {
			return old, false
		}
		if len(n.ents) < leafMax || shift >= 32 {
			n.ents = append(n.ents, pent[V]{h, key, v})
			m.n++
			return old, false
		}
		kids := make([]*pnode[V], fan)
		for _, e := range n.ents {
			k := &kids[(e.hash>>shift)&(fan-1)]
			if *k == nil {
				*k = &pnode[V]{epoch: epoch}
			}
			(*k).ents = append((*k).ents, e)
		}
		n.ents, n.kids = nil, kids
	}
}

// Delete reports whether key was there.
func (m *Map[V]) Delete(epoch uint64, key string) bool {
	if m.Find(key) == nil {
		return false
	}
	h := hashKey(key)
	slot := &m.root
	for shift := 0; ; shift += fanBits {
		n := (*slot).ownedBy(epoch)
		*slot = n
		if n.kids != nil {
			slot = &n.kids[(h>>shift)&(fan-1)]
			continue
		}
		for i := range n.ents {
			if n.ents[i].hash == h && n.ents[i].key == key {
				last := len(n.ents) - 1
				n.ents[i] = n.ents[last]
				n.ents[last] = pent[V]{}
				n.ents = n.ents[:last]
				break
			}
		}
		if len(n.ents) == 0 {
			*slot = nil
		}
		break
	}
	m.n--
	if m.n == 0 {
		m.root = nil
	}
	return true
}

// Each calls fn for every entry until it returns false.
func (m *Map[V]) Each(fn func(key string, v V) bool) { m.root.each(fn) }

func (n *pnode[V]) each(fn func(string, V) bool) bool {
	if n == nil {
		return true
	}
	for _, k := range n.kids {
		if !k.each(fn) {
			return false
		}
	}
	for i := range n.ents {
		if !fn(n.ents[i].key, n.ents[i].val) {
			return false
		}
	}
	return true
}
