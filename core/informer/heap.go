package informer

import (
	"container/heap"
	"errors"
	"sync"
)

// LessFunc says whether the first object comes before the second. It must be a
// strict weak order and must not change for an object that is in a Heap.
type LessFunc func(interface{}, interface{}) bool

// Heap is a priority queue of objects with keys, for any number of producers
// and consumers.
type Heap struct {
	lock   sync.RWMutex
	cond   sync.Cond
	data   heapData
	closed bool
}

var errHeapClosed = errors.New("heap is closed")

// heapItem is an object in a Heap and where in the order it is.
type heapItem struct {
	key string
	obj interface{}
	at  int
}

// heapData implements heap.Interface.
type heapData struct {
	items map[string]*heapItem
	order []*heapItem
	key   KeyFunc
	less  LessFunc
}

func (h *heapData) Len() int           { return len(h.order) }
func (h *heapData) Less(i, j int) bool { return h.less(h.order[i].obj, h.order[j].obj) }
func (h *heapData) Swap(i, j int) {
	h.order[i], h.order[j] = h.order[j], h.order[i]
	h.order[i].at, h.order[j].at = i, j
}

// Push implements heap.Interface.
func (h *heapData) Push(x any) {
	item := x.(*heapItem)
	item.at = len(h.order)
	h.order = append(h.order, item)
	h.items[item.key] = item
}

// Pop implements heap.Interface.
func (h *heapData) Pop() any {
	last := len(h.order) - 1
	item := h.order[last]
	h.order[last] = nil
	h.order = h.order[:last]
	delete(h.items, item.key)
	return item
}

// NewHeap returns an empty Heap.
func NewHeap(keyFn KeyFunc, lessFn LessFunc) *Heap {
	h := &Heap{data: heapData{items: map[string]*heapItem{}, key: keyFn, less: lessFn}}
	h.cond.L = &h.lock
	return h
}

// Close ends waiting Pops once the Heap is empty, and lets nothing be added any more.
func (h *Heap) Close() {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.closed = true
	h.cond.Broadcast()
}

// IsClosed says whether Close was called.
func (h *Heap) IsClosed() bool {
	h.lock.RLock()
	defer h.lock.RUnlock()
	return h.closed
}

// addLocked stores obj under key, or leaves an older object there if keep.
func (h *Heap) addLocked(key string, obj interface{}, keep bool) {
	if item, ok := h.data.items[key]; !ok {
		heap.Push(&h.data, &heapItem{key: key, obj: obj})
	} else if !keep {
		item.obj = obj
		heap.Fix(&h.data, item.at)
	}
}

func (h *Heap) add(obj interface{}, keep bool) error {
	key, err := h.data.key(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.closed {
		return errHeapClosed
	}
	h.addLocked(key, obj, keep)
	h.cond.Broadcast()
	return nil
}

// Add puts obj in the Heap, in place of one with the same key. It is an error
// once the Heap is closed.
func (h *Heap) Add(obj interface{}) error { return h.add(obj, false) }

// Update is Add.
func (h *Heap) Update(obj interface{}) error { return h.Add(obj) }

// BulkAdd adds all of list before any of it can be popped. At an object
// without a key it stops with an error; those before it stay, but a waiting Pop
// is not woken for them.
func (h *Heap) BulkAdd(list []interface{}) error {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.closed {
		return errHeapClosed
	}
	for _, obj := range list {
		key, err := h.data.key(obj)
		if err != nil {
			return KeyError{obj, err}
		}
		h.addLocked(key, obj, false)
	}
	h.cond.Broadcast()
	return nil
}

// AddIfNotPresent is Add that leaves an object with the same key alone, so
// that a retry does not overwrite what is newer.
func (h *Heap) AddIfNotPresent(obj interface{}) error { return h.add(obj, true) }

// Delete takes the object with the key of obj out; it is an error if there is none.
func (h *Heap) Delete(obj interface{}) error {
	key, err := h.data.key(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	h.lock.Lock()
	defer h.lock.Unlock()
	item, ok := h.data.items[key]
	if !ok {
		return errors.New("object not found")
	}
	heap.Remove(&h.data, item.at)
	return nil
}

// Pop waits for an object and takes out the first. Once the Heap is closed and
// empty it returns an error.
func (h *Heap) Pop() (interface{}, error) {
	h.lock.Lock()
	defer h.lock.Unlock()
	for len(h.data.order) == 0 {
		if h.closed {
			return nil, errHeapClosed
		}
		h.cond.Wait()
	}
	return heap.Pop(&h.data).(*heapItem).obj, nil
}

// List returns all objects in no particular order.
func (h *Heap) List() []interface{} {
	h.lock.RLock()
	defer h.lock.RUnlock()
	list := make([]interface{}, len(h.data.order))
	for i, item := range h.data.order {
		list[i] = item.obj
	}
	return list
}

// ListKeys returns all keys in no particular order.
func (h *Heap) ListKeys() []string {
	h.lock.RLock()
	defer h.lock.RUnlock()
	list := make([]string, len(h.data.order))
	for i, item := range h.data.order {
		list[i] = item.key
	}
	return list
}

// Get returns the object with the key of obj.
func (h *Heap) Get(obj interface{}) (interface{}, bool, error) {
	key, err := h.data.key(obj)
	if err != nil {
		return nil, false, KeyError{obj, err}
	}
	return h.GetByKey(key)
}

// GetByKey returns the object with this key; the error is always nil.
func (h *Heap) GetByKey(key string) (interface{}, bool, error) {
	h.lock.RLock()
	defer h.lock.RUnlock()
	item, ok := h.data.items[key]
	if !ok {
		return nil, false, nil
	}
	return item.obj, true, nil
}
