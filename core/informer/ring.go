package informer

// ringKeep is the capacity up to which an empty ring keeps its array. A larger array was needed for a burst, such as a first list, and is freed.
const ringKeep = 4096

// ring is a queue in a circular array that doubles when it is full. Unlike a slice that is appended to and resliced, it need not be copied as it
// advances. It is not safe for concurrent use.
type ring[T any] struct {
	data []T // length is zero or a power of two
	head int
	n    int
}

func (r *ring[T]) len() int { return r.n }

// at returns the i-th oldest element.
func (r *ring[T]) at(i int) *T { return &r.data[(r.head+i)&(len(r.data)-1)] }

func (r *ring[T]) push(v T) {
	if r.n == len(r.data) {
		data := make([]T, max(16, 2*len(r.data)))
		k := copy(data, r.data[r.head:])
		copy(data[k:], r.data[:r.head])
		r.data, r.head = data, 0
	}
	r.n++
	*r.at(r.n - 1) = v
}

func (r *ring[T]) pop() T {
	var zero T
	p := r.at(0)
	v := *p
	*p = zero // drop the references of the popped element
	r.head = (r.head + 1) & (len(r.data) - 1)
	r.n--
	if r.n == 0 && len(r.data) > ringKeep {
		r.data, r.head = nil, 0
	}
	return v
}
