package informer

import (
	"container/heap"
	"errors"
	"sync"
)

// LessFunc reports whether the first object comes before the second. It must be a strict weak order, and its result must not change for objects in a
// Heap.
type LessFunc func(interface{}, interface{}) bool

// Heap is a priority queue of objects with keys. It is safe for concurrent use.
type Heap struct {
	lock   sync.RWMutex
	cond   sync.Cond
	data   heapData
	closed bool
}

var errHeapClosed = errors.New("heap is closed")

// heapItem is an object in a Heap and its index in order.
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

// Close ends waiting Pops once the Heap is empty. Later adds fail.
func (h *Heap) Close() {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.closed = true
	h.cond.Broadcast()
}

// IsClosed reports whether Close was called.
func (h *Heap) IsClosed() bool {
	h.lock.RLock()
	defer h.lock.RUnlock()
	return h.closed
}

// addLocked stores obj under key; if keep is set, it does not replace an older object.
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

// Add stores obj in the Heap and replaces an object with the same key. It returns an error if the Heap is closed.
func (h *Heap) Add(obj interface{}) error { return h.add(obj, false) }

// Update is Add.
func (h *Heap) Update(obj interface{}) error { return h.Add(obj) }

// BulkAdd adds all of list before any of it can be popped. At an object without a key it stops with an error; the objects before it stay, but a waiting
// Pop is not woken.
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

// AddIfNotPresent is Add, but does not replace an object with the same key, so that a retry does not overwrite newer state.
func (h *Heap) AddIfNotPresent(obj interface{}) error { return h.add(obj, true) }

// Delete removes the object with the key of obj; it returns an error if there is none.
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

// Pop waits for an object, and removes and returns the first. It returns an error once the Heap is closed and empty.
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
