package workqueue

// fifo is an unbounded first-in, first-out list. Unlike a slice that is only ever re-sliced, it keeps its array when it
// runs empty, so a queue that hovers around a few keys stops allocating.
type fifo[T any] struct {
	items []T
	head  int
}

func (f *fifo[T]) len() int { return len(f.items) - f.head }

func (f *fifo[T]) push(item T) {
	// Moving the rest to the front when at least half the array is spent keeps push amortised O(1) and the array bounded
	// by the greatest length it had.
	if len(f.items) == cap(f.items) && f.head > 0 && f.head >= len(f.items)/2 {
		n := copy(f.items, f.items[f.head:])
		clear(f.items[n:])
		f.items, f.head = f.items[:n], 0
	}
	f.items = append(f.items, item)
}

// pop must not be called on an empty list.
func (f *fifo[T]) pop() T {
	var zero T
	item := f.items[f.head]
	f.items[f.head] = zero // let go of what the item refers to
	f.head++
	if f.head == len(f.items) {
		f.items, f.head = f.items[:0], 0
	}
	return item
}

// all is the list from its head to its tail, valid until the next call.
func (f *fifo[T]) all() []T { return f.items[f.head:] }
