package trace

const dequeChunk = 64

// deque is a queue in chunks that may be shared with other folds' deques.
type deque[T any] struct {
	spine []*dequePart[T]
	off   int // of the head in spine[0]
	n     int
}

type dequePart[T any] struct {
	epoch uint64
	v     [dequeChunk]T
}

func (d *deque[T]) push(epoch uint64, v T) {
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

// at returns the i-th element from the head; it must not be changed.
func (d *deque[T]) at(i int) *T {
	i += d.off
	return &d.spine[i/dequeChunk].v[i%dequeChunk]
}

// drop removes the first k elements, or all when there are fewer.
func (d *deque[T]) drop(k int) {
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

// clone shares the parts. Both sides need a new epoch.
func (d *deque[T]) clone() deque[T] {
	c := *d
	if d.spine != nil {
		c.spine = make([]*dequePart[T], len(d.spine), len(d.spine)+1)
		copy(c.spine, d.spine)
	}
	return c
}

// keyQueue is a queue of unique keys, each with a value. Removing a key that is not the head leaves a stale entry in the order; stale entries are skipped.
type keyQueue[V any] struct {
	order deque[keyRef]
	items pmap[keyItem[V]]
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

func (q *keyQueue[V]) len() int { return q.items.n }

// set changes the value of a key in place, or appends the key at the tail.
func (q *keyQueue[V]) set(epoch uint64, key string, v V) {
	if it, ok := q.items.get(key); ok {
		it.val = v
		q.items.set(epoch, key, it)
		return
	}
	n := q.items.n
	if q.items.set(epoch, key, keyItem[V]{q.next + 1, v}); q.items.n == n {
		return // it is full
	}
	q.next++
	if q.order.n > 2*q.items.n+dequeChunk { // most of it is stale
		var order deque[keyRef]
		for i := range q.order.n {
			if r := q.order.at(i); !q.stale(r) {
				order.push(epoch, *r)
			}
		}
		q.order = order
	}
	q.order.push(epoch, keyRef{q.next, key})
}

func (q *keyQueue[V]) get(key string) (v V, ok bool) {
	it, ok := q.items.get(key)
	return it.val, ok
}

func (q *keyQueue[V]) take(epoch uint64, key string) (v V, ok bool) {
	it, ok := q.items.get(key)
	if !ok {
		return v, false
	}
	q.items.delete(epoch, key)
	if q.items.n == 0 {
		q.order.drop(q.order.n)
		return it.val, true
	}
	for q.order.n > 0 && q.stale(q.order.at(0)) {
		q.order.drop(1)
	}
	return it.val, true
}

func (q *keyQueue[V]) stale(r *keyRef) bool {
	it, ok := q.items.get(r.key)
	return !ok || it.id != r.id
}

func (q *keyQueue[V]) head() (string, bool) {
	if q.items.n == 0 {
		return "", false
	}
	return q.order.at(0).key, true
}

// each calls fn from the head on until it returns false.
func (q *keyQueue[V]) each(fn func(key string, v V) bool) {
	for i := 0; i < q.order.n; i++ {
		r := q.order.at(i)
		it, ok := q.items.get(r.key)
		if !ok || it.id != r.id {
			continue
		}
		if !fn(r.key, it.val) {
			return
		}
	}
}

func (q *keyQueue[V]) clone() keyQueue[V] {
	c := *q
	c.order = q.order.clone()
	return c
}
