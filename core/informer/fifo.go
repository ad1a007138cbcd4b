package informer

import (
	"maps"
	"slices"
	"sync"
)

// FIFO is a Queue of the newest state of each object, in the order in which the keys came. An object that changes while it is queued is popped once,
// with its newest state. One that is deleted while it is queued is not popped. Pop passes the object itself to the process function.
type FIFO struct {
	lock sync.Mutex
	cond sync.Cond

	items map[string]interface{}
	// queue contains every key of items, and keys that were deleted meanwhile.
	queue []string

	synced       chan struct{}
	syncedClosed bool
	populated    bool
	// initialPopulationCount is how many keys of the first Replace are not popped yet.
	initialPopulationCount int
	closed                 bool

	keyFunc KeyFunc
}

var (
	_ Queue       = &FIFO{}
	_ DoneChecker = &FIFO{}
)

// NewFIFO returns an empty FIFO.
func NewFIFO(keyFunc KeyFunc) *FIFO {
	f := &FIFO{synced: make(chan struct{}), items: map[string]interface{}{}, keyFunc: keyFunc}
	f.cond.L = &f.lock
	return f
}

// Close implements Queue.
func (f *FIFO) Close() {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.closed = true
	f.cond.Broadcast()
}

// IsClosed reports whether Close was called.
func (f *FIFO) IsClosed() bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.closed
}

// HasSynced implements Queue.
func (f *FIFO) HasSynced() bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.syncedClosed
}

// HasSyncedChecker implements Queue.
func (f *FIFO) HasSyncedChecker() DoneChecker { return f }

// Name implements DoneChecker.
func (f *FIFO) Name() string { return "FIFO" }

// Done implements DoneChecker.
func (f *FIFO) Done() <-chan struct{} { return f.synced }

// checkSyncedLocked must follow every change of populated and initialPopulationCount.
func (f *FIFO) checkSyncedLocked() {
	if f.populated && f.initialPopulationCount == 0 && !f.syncedClosed {
		f.syncedClosed = true
		close(f.synced)
	}
}

// Add queues obj, or replaces an older state of it.
func (f *FIFO) Add(obj interface{}) error {
	key, err := f.keyFunc(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	f.populated = true
	f.checkSyncedLocked()
	if _, queued := f.items[key]; !queued {
		f.queue = append(f.queue, key)
	}
	f.items[key] = obj
	f.cond.Broadcast()
	return nil
}

// Update is Add.
func (f *FIFO) Update(obj interface{}) error { return f.Add(obj) }

// Delete removes obj from the queue.
func (f *FIFO) Delete(obj interface{}) error {
	key, err := f.keyFunc(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	f.populated = true
	f.checkSyncedLocked()
	delete(f.items, key)
	return nil
}

// Pop implements Queue. The process function runs with the queue locked.
// Mirrors client-go tools/cache.(*FIFO).Pop (v0.37.2).
func (f *FIFO) Pop(process PopProcessFunc) (interface{}, error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	// HasSynced must stay false until the last of the population has been processed.
	defer f.checkSyncedLocked()
	for {
		for len(f.queue) == 0 {
			if f.closed {
				return nil, ErrFIFOClosed
			}
			// The deferred check comes too late if the population ends with deleted keys. It does in client-go, too, so nothing is signalled here.
			f.cond.Wait()
		}
		isInInitialList := !f.syncedClosed
		key := f.queue[0]
		f.queue[0] = ""
		f.queue = f.queue[1:]
		if f.initialPopulationCount > 0 {
			f.initialPopulationCount--
		}
		obj, ok := f.items[key]
		if !ok {
			continue
		}
		delete(f.items, key)
		return obj, process(obj, isInInitialList)
	}
}

// Replace replaces the queue's contents by list, in no particular order.
func (f *FIFO) Replace(list []interface{}, _ string) error {
	items := make(map[string]interface{}, len(list))
	for _, obj := range list {
		key, err := f.keyFunc(obj)
		if err != nil {
			return KeyError{obj, err}
		}
		items[key] = obj
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	if !f.populated {
		f.populated = true
		f.initialPopulationCount = len(items)
		f.checkSyncedLocked()
	}
	f.items = items
	f.queue = slices.Sorted(maps.Keys(items)) // client-go's order is random
	f.cond.Broadcast()
	return nil
}

// Resync queues every key that has an object and is not queued; no other operation leaves such a key.
func (f *FIFO) Resync() error {
	f.lock.Lock()
	defer f.lock.Unlock()
	queued := make(map[string]struct{}, len(f.queue))
	for _, key := range f.queue {
		queued[key] = struct{}{}
	}
	for _, key := range slices.Sorted(maps.Keys(f.items)) {
		if _, ok := queued[key]; !ok {
			f.queue = append(f.queue, key)
		}
	}
	f.cond.Broadcast()
	return nil
}
