package workqueue

// fifo is an unbounded first-in, first-out list. It keeps its array when it is empty, so a queue that hovers around a few keys stops allocating.
type fifo[T any] struct {
	items []T
	head  int
}

func (f *fifo[T]) len() int { return len(f.items) - f.head }

func (f *fifo[T]) push(item T) {
	// Moving the rest to the front once at least half the array is spent keeps push amortised O(1), and the array's size within a constant factor of
	// the greatest length.
	if len(f.items) == cap(f.items) && f.head > 0 && f.head >= len(f.items)/2 {
		n := copy(f.items, f.items[f.head:])
		clear(f.items[n:])
		f.items, f.head = f.items[:n], 0
	}
	f.items = append(f.items, item)
}

// pop removes and returns the head. It must not be called on an empty list.
func (f *fifo[T]) pop() T {
	var zero T
	item := f.items[f.head]
	f.items[f.head] = zero // drop the reference to the item
	f.head++
	if f.head == len(f.items) {
		f.items, f.head = f.items[:0], 0
	}
	return item
}

// slice returns the items from head to tail. The slice is valid until the next push or pop.
func (f *fifo[T]) slice() []T { return f.items[f.head:] }
