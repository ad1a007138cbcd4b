package persistent

const dequeChunk = 64

// Deque is a queue in chunks that may be shared with other folds' deques.
type Deque[T any] struct {
	spine []*dequePart[T]
	off   int // of the head in spine[0]
	n     int
}

// Len returns how many elements the queue has.
func (d *Deque[T]) Len() int { return d.n }

type dequePart[T any] struct {
	epoch uint64
	v     [dequeChunk]T
}

func (d *Deque[T]) Push(epoch uint64, v T) {
	end := d.off + d.n
	ci := end / dequeChunk
	if ci == len(d.spine) {
		d.spine = append(d.spine, &dequePart[T]{epoch: epoch})
	}
	c := d.spine[ci]
	if c.epoch != epoch {
		c = &dequePart[T]{epoch: epoch, v: c.v}
		d.spine[ci] = c
	}
	c.v[end%dequeChunk] = v
	d.n++
}

// At returns the i-th element from the head; it must not be changed.
func (d *Deque[T]) At(i int) *T {
	i += d.off
	return &d.spine[i/dequeChunk].v[i%dequeChunk]
}

// Drop removes the first k elements, or all when there are fewer.
func (d *Deque[T]) Drop(k int) {
	if k >= d.n {
		// Keep one part, so that a queue that runs empty all the time allocates nothing.
		if len(d.spine) > 1 {
			clear(d.spine[:len(d.spine)-1])
			d.spine = d.spine[len(d.spine)-1:]
		}
		d.off, d.n = 0, 0
		return
	}
	d.off += k
	d.n -= k
	for d.off >= dequeChunk {
		d.spine[0] = nil
		d.spine = d.spine[1:]
		d.off -= dequeChunk
	}
}

// Clone shares the parts. Both sides need a new epoch.
func (d *Deque[T]) Clone() Deque[T] {
	c := *d
	if d.spine != nil {
		c.spine = make([]*dequePart[T], len(d.spine), len(d.spine)+1)
		copy(c.spine, d.spine)
	}
	return c
}

// KeyQueue is a queue of unique keys, each with a value. Removing a key that is not the head leaves a stale entry in the order; stale entries are skipped.
type KeyQueue[V any] struct {
	order Deque[keyRef]
	items Map[keyItem[V]]
	next  uint64
}

type keyRef struct {
	id  uint64
	key string
}

type keyItem[V any] struct {
	id  uint64
	val V
}

func (q *KeyQueue[V]) Len() int { return q.items.n }

// Set changes the value of a key in place, or appends the key at the tail.
func (q *KeyQueue[V]) Set(epoch uint64, key string, v V) {
	if element, ok := q.items.Get(key); ok {
		element.val = v
		q.items.Set(epoch, key, element)
		return
	}
	n := q.items.n
	if q.items.Set(epoch, key, keyItem[V]{q.next + 1, v}); q.items.n == n {
		return // it is full
	}
	q.next++
	if q.order.n > 2*q.items.n+dequeChunk { // most of it is stale
		var order Deque[keyRef]
		for i := range q.order.n {
			if r := q.order.At(i); !q.stale(r) {
				order.Push(epoch, *r)
			}
		}
		q.order = order
	}
	q.order.Push(epoch, keyRef{q.next, key})
}

func (q *KeyQueue[V]) Get(key string) (v V, ok bool) {
	element, ok := q.items.Get(key)
	return element.val, ok
}

func (q *KeyQueue[V]) Take(epoch uint64, key string) (v V, ok bool) {
	element, ok := q.items.Get(key)
	if !ok {
		return v, false
	}
	q.items.Delete(epoch, key)
	if q.items.n == 0 {
		q.order.Drop(q.order.n)
		return element.val, true
	}
	for q.order.n > 0 && q.stale(q.order.At(0)) {
		q.order.Drop(1)
	}
	return element.val, true
}

func (q *KeyQueue[V]) stale(r *keyRef) bool {
	element, ok := q.items.Get(r.key)
	return !ok || element.id != r.id
}

func (q *KeyQueue[V]) head() (string, bool) {
	if q.items.n == 0 {
		return "", false
	}
	return q.order.At(0).key, true
}

// Each calls fn from the head on until it returns false.
func (q *KeyQueue[V]) Each(fn func(key string, v V) bool) {
	for i := 0; i < q.order.n; i++ {
		r := q.order.At(i)
		element, ok := q.items.Get(r.key)
		if !ok || element.id != r.id {
			continue
		}
		if !fn(r.key, element.val) {
			return
		}
	}
}

func (q *KeyQueue[V]) Clone() KeyQueue[V] {
	c := *q
	c.order = q.order.Clone()
	return c
}
