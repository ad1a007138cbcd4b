package informer

import (
	"fmt"
	"sync"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"

	"informerscope/core/words/event"
)

// DeltaFIFOOptions configures a DeltaFIFO. All fields are optional.
type DeltaFIFOOptions struct {
	// Logger replaces klog.Background().
	Logger *klog.Logger
	// Name replaces "DeltaFIFO" in logs and as the name of the DoneChecker.
	Name string
	// KeyFunction computes the keys; default MetaNamespaceKeyFunc.
	KeyFunction KeyFunc
	// KnownObjects is the store that the queue feeds: Delete, Replace and Resync look up there which objects exist.
	KnownObjects KeyListerGetter
	// EmitDeltaTypeReplaced makes Replace queue Replaced deltas; without it they are Sync deltas, as before client-go had Replaced.
	EmitDeltaTypeReplaced bool
	// Transformer is applied to every object that enters, except tombstones and resynced objects.
	Transformer TransformFunc

	// Observer receives every transition of the queue.
	Observer event.Observer
	// Gates can hold Pop at StagePop.
	Gates event.Gates
}

// DeltaFIFO is a Queue that groups deltas by key. A key's place is that of its first delta; Pop returns all deltas of the key since then. Two Deleted
// deltas in a row become one. The deletion of an object that is neither queued nor known is dropped.
type DeltaFIFO struct {
	logger klog.Logger
	name   string

	lock queueLock
	cond sync.Cond

	// A key is in queue exactly once if it is in items, and otherwise not at all.
	items map[string][]queueItem
	queue ring[string]

	synced       chan struct{}
	syncedClosed bool
	populated    bool
	// initialPopulationCount is how many keys of the first Replace are not processed yet.
	initialPopulationCount int
	closed                 bool
	// onSynced is called with the lock held when HasSynced becomes true.
	onSynced func()

	keyFunc               KeyFunc
	knownObjects          KeyListerGetter
	emitDeltaTypeReplaced bool
	transformer           TransformFunc

	observer event.Observer
	gate     queueGate
}

var (
	_ Queue             = &DeltaFIFO{}
	_ TransformingStore = &DeltaFIFO{}
	_ DoneChecker       = &DeltaFIFO{}
)

// NewDeltaFIFO returns a DeltaFIFO that reports relisted objects as Sync.
//
// Deprecated: use NewDeltaFIFOWithOptions.
func NewDeltaFIFO(keyFunc KeyFunc, knownObjects KeyListerGetter) *DeltaFIFO {
	return NewDeltaFIFOWithOptions(DeltaFIFOOptions{KeyFunction: keyFunc, KnownObjects: knownObjects})
}

// NewDeltaFIFOWithOptions returns a DeltaFIFO.
func NewDeltaFIFOWithOptions(opts DeltaFIFOOptions) *DeltaFIFO {
	f := &DeltaFIFO{
		logger:                klog.Background(),
		name:                  "DeltaFIFO",
		items:                 map[string][]queueItem{},
		synced:                make(chan struct{}),
		keyFunc:               opts.KeyFunction,
		knownObjects:          opts.KnownObjects,
		emitDeltaTypeReplaced: opts.EmitDeltaTypeReplaced,
		transformer:           opts.Transformer,
		observer:              opts.Observer,
		gate:                  newQueueGate(opts.Gates),
		lock:                  newQueueLock(opts.Gates),
	}
	if f.keyFunc == nil {
		f.keyFunc = MetaNamespaceKeyFunc
	}
	if opts.Logger != nil {
		f.logger = *opts.Logger
	}
	if opts.Name != "" {
		f.name = opts.Name
	}
	f.logger = klog.LoggerWithName(f.logger, f.name)
	f.cond.L = &f.lock
	return f
}

// KeyOf returns the key of an object, a tombstone or Deltas.
func (f *DeltaFIFO) KeyOf(obj interface{}) (string, error) {
	if d, ok := obj.(Delta); ok {
		return f.keyFunc(d)
	}
	return queueKeyOf(f.keyFunc, obj)
}

// Close implements Queue.
func (f *DeltaFIFO) Close() {
	f.lock.Lock()
	defer f.lock.Unlock()
	if !f.closed && f.observer != nil {
		send(f.observer, event.Event{Kind: event.KindQueueClosed})
	}
	f.closed = true
	f.gate.close()
	f.cond.Broadcast()
}

// IsClosed reports whether Close was called.
func (f *DeltaFIFO) IsClosed() bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.closed
}

// HasSynced implements Queue.
func (f *DeltaFIFO) HasSynced() bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.syncedClosed
}

// HasSyncedChecker implements Queue.
func (f *DeltaFIFO) HasSyncedChecker() DoneChecker { return f }

// Name implements DoneChecker.
func (f *DeltaFIFO) Name() string { return f.name }

// Done implements DoneChecker.
func (f *DeltaFIFO) Done() <-chan struct{} { return f.synced }

// Transformer implements TransformingStore.
func (f *DeltaFIFO) Transformer() TransformFunc { return f.transformer }

func (f *DeltaFIFO) checkSyncedLocked() {
	if f.populated && f.initialPopulationCount == 0 && !f.syncedClosed {
		f.syncedClosed = true
		// Before the channel is closed: a goroutine that waits for it has events of its own, which must come later.
		if f.observer != nil {
			send(f.observer, event.Event{Kind: event.KindQueueSynced})
		}
		close(f.synced)
		if f.onSynced != nil {
			f.onSynced()
		}
	}
}

func (f *DeltaFIFO) populateLocked(count int) {
	if f.populated {
		return
	}
	f.populated = true
	f.initialPopulationCount = count
	if f.observer != nil {
		send(f.observer, event.Populated{Count: count}.Event())
	}
	f.checkSyncedLocked()
}

// Add queues an Added delta.
func (f *DeltaFIFO) Add(obj interface{}) error {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.populateLocked(0)
	return f.queueLocked(event.OpAdded, false, obj)
}

// Update queues an Updated delta.
func (f *DeltaFIFO) Update(obj interface{}) error {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.populateLocked(0)
	return f.queueLocked(event.OpUpdated, false, obj)
}

// Delete queues a Deleted delta, unless the object is neither queued nor known: then its deletion was reported already, or it never existed.
func (f *DeltaFIFO) Delete(obj interface{}) error {
	key, err := f.KeyOf(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	f.populateLocked(0)
	if _, inQueue := f.items[key]; !inQueue {
		if f.knownObjects == nil {
			return nil
		}
		if _, exists, err := f.knownObjects.GetByKey(key); err == nil && !exists {
			return nil
		}
	}
	return f.queueLocked(event.OpDeleted, false, obj)
}

// queueLocked appends a delta to those of its key. transformed is true if obj has already passed through the transformer.
// Mirrors client-go tools/cache.(*DeltaFIFO).queueActionInternalLocked (v0.37.2).
func (f *DeltaFIFO) queueLocked(op event.Op, transformed bool, obj interface{}) error {
	key, err := f.KeyOf(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	if f.transformer != nil && !transformed {
		if _, tombstone := obj.(DeletedFinalStateUnknown); !tombstone {
			if obj, err = f.transformer(obj); err != nil {
				return err
			}
		}
	}
	deltas, exists := f.items[key]
	q := queueItem{op: op, key: key, obj: obj}
	if f.transformer != nil {
		// The store computes the key from the transformed object.
		q.key, q.keyErr = queueKeyOf(f.keyFunc, obj)
	}
	deltas = append(deltas, q)
	if !exists {
		f.queue.push(key)
	}
	if f.observer != nil {
		e := event.Queued{Op: op, Key: key, Length: f.queue.len()}
		e.Obj, e.Tombstone = q.reportedObject()
		e.RV = rvOf(e.Obj)
		send(f.observer, e.Event())
	}
	// Of two deletions in a row, keep the one that has the final state.
	if n := len(deltas); n >= 2 && deltas[n-1].op == event.OpDeleted && deltas[n-2].op == event.OpDeleted {
		_, olderIsTombstone := deltas[n-2].obj.(DeletedFinalStateUnknown)
		if olderIsTombstone {
			deltas[n-2] = deltas[n-1]
		}
		deltas[n-1] = queueItem{}
		deltas = deltas[:n-1]
		if f.observer != nil {
			send(f.observer, event.Merged{Key: key, Deltas: len(deltas), KeptOlder: !olderIsTombstone}.Event())
		}
	}
	f.items[key] = deltas
	f.cond.Broadcast()
	return nil
}

// Replace queues a delta for every object of the list, and then tombstones for everything queued or known that is not in the list.
// Mirrors client-go tools/cache.(*DeltaFIFO).Replace (v0.37.2).
func (f *DeltaFIFO) Replace(list []interface{}, _ string) error {
	f.lock.Lock()
	defer f.lock.Unlock()
	op := event.OpSync
	if f.emitDeltaTypeReplaced {
		op = event.OpReplaced
	}
	keys := make(sets.Set[string], len(list))
	for _, obj := range list {
		key, err := f.KeyOf(obj)
		if err != nil {
			return KeyError{obj, err}
		}
		keys.Insert(key)
		if err := f.queueLocked(op, false, obj); err != nil {
			return fmt.Errorf("couldn't enqueue object: %v", err)
		}
	}

	deletions := 0
	// client-go iterates over its map in random order; here the order is always the same.
	for i := range f.queue.len() {
		key := *f.queue.at(i)
		if keys.Has(key) {
			continue
		}
		deltas := f.items[key]
		last := deltas[len(deltas)-1].obj
		if d, ok := last.(DeletedFinalStateUnknown); ok {
			last = d.Obj
		}
		deletions++
		if err := f.queueLocked(event.OpDeleted, true, DeletedFinalStateUnknown{Key: key, Obj: last}); err != nil {
			return err
		}
	}
	if f.knownObjects != nil {
		for _, key := range f.knownObjects.ListKeys() {
			if keys.Has(key) || len(f.items[key]) > 0 {
				continue
			}
			last, exists, err := f.knownObjects.GetByKey(key)
			if err != nil || !exists {
				last = nil
				utilruntime.HandleErrorWithLogger(f.logger, err, "A known object is missing from its store, its tombstone has no object", "key", key)
			}
			deletions++
			if err := f.queueLocked(event.OpDeleted, true, DeletedFinalStateUnknown{Key: key, Obj: last}); err != nil {
				return err
			}
		}
	}
	f.populateLocked(keys.Len() + deletions)
	return nil
}

// Resync queues a Sync delta for every known object that has no delta queued.
func (f *DeltaFIFO) Resync() error {
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.knownObjects == nil {
		return nil
	}
	for _, known := range f.knownObjects.ListKeys() {
		obj, exists, err := f.knownObjects.GetByKey(known)
		if err != nil || !exists {
			utilruntime.HandleErrorWithLogger(f.logger, err, "A known object is missing from its store, it is not resynced", "key", known)
			continue
		}
		key, err := f.KeyOf(obj)
		if err != nil {
			return KeyError{obj, err}
		}
		// An older state must not be queued after a newer one.
		if len(f.items[key]) > 0 {
			continue
		}
		if err := f.queueLocked(event.OpSync, true, obj); err != nil {
			return fmt.Errorf("couldn't queue object: %v", err)
		}
	}
	return nil
}

// Pop implements Queue. It processes all Deltas of the oldest key, with the queue locked.
func (f *DeltaFIFO) Pop(process PopProcessFunc) (interface{}, error) {
	var popped Deltas
	err := f.popKeyed(false, func(items []queueItem, _, isInInitialList bool) error {
		popped = make(Deltas, len(items))
		for i := range items {
			popped[i] = items[i].delta()
		}
		return process(popped, isInInitialList)
	})
	if popped == nil {
		return nil, err
	}
	return popped, err
}

// waitLocked waits until there is something to pop and the gate is open. It returns ErrFIFOClosed if the queue is closed and empty.
func (f *DeltaFIFO) waitLocked() error {
	for {
		for f.queue.len() == 0 {
			if f.closed {
				return ErrFIFOClosed
			}
			f.cond.Wait()
		}
		if f.gate.gates == nil {
			return nil
		}
		f.gate.wait(&f.lock)
		if f.queue.len() > 0 {
			return nil
		}
	}
}

// popKeyed is Pop with the keys of the deltas. There are no batches of several keys.
//
// The population count is decremented after processing. client-go does it before, but HasSynced waits for the lock meanwhile. Only the DoneChecker
// could show the difference, and the release that uses DeltaFIFO does not have it.
// Mirrors client-go tools/cache.(*DeltaFIFO).Pop (v0.31.14).
func (f *DeltaFIFO) popKeyed(_ bool, process keyedProcessFunc) (err error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if err := f.waitLocked(); err != nil {
		return err
	}
	isInInitialList := !f.syncedClosed
	key := f.queue.pop()
	deltas := f.items[key]
	delete(f.items, key)
	n := len(deltas)
	var start time.Time
	if f.observer != nil {
		send(f.observer, event.Popped{Key: key, Deltas: n, Length: f.queue.len(), Locked: true, Mode: "single"}.Event())
		start = time.Now()
		err = errPanicked // stays if process does not return
	}
	defer func() {
		counted := f.initialPopulationCount > 0
		if counted {
			f.initialPopulationCount--
		}
		if f.observer != nil {
			send(f.observer, event.Processed{Deltas: n, Population: f.initialPopulationCount, Took: time.Since(start), Err: err}.Event())
		}
		if counted {
			f.checkSyncedLocked()
		}
	}()
	if f.gate.gates != nil {
		for i := range deltas {
			f.gate.index(deltas[i].objects())
		}
	}
	err = process(deltas, true, isInInitialList)
	return err
}
