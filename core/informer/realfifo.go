package informer

import (
	"errors"
	"fmt"
	"sync"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// RealFIFOOptions configures a RealFIFO.
type RealFIFOOptions struct {
	// Logger replaces klog.Background().
	Logger *klog.Logger
	// Name replaces "RealFIFO" in logs and as the name of the DoneChecker.
	Name string
	// KeyFunction computes the keys; default MetaNamespaceKeyFunc.
	KeyFunction KeyFunc
	// KnownObjects is the store that the queue feeds: Replace looks up there which objects are missing from a list, and Resync which to report again.
	// Required without AtomicEvents, forbidden with it.
	KnownObjects KeyListerGetter
	// Transformer is applied to every object that enters, except tombstones and resynced objects.
	Transformer TransformFunc
	// AtomicEvents makes Replace and Resync queue one delta each: ReplacedAll, SyncAll.
	AtomicEvents bool
	// UnlockWhileProcessing lets the queue grow while popped deltas are processed, unless it is longer than two batches. Requires AtomicEvents.
	UnlockWhileProcessing bool
	// EmitDeltaTypeBookmark makes Bookmark queue a delta. Requires AtomicEvents.
	EmitDeltaTypeBookmark bool
	// Release decides what client-go has no option for: whether a batch may have several deltas of a key, and the text of Resync's error.
	Release releases.Release

	// Observer receives every transition of the queue.
	Observer event.Observer
	// Gates can hold Pop and PopBatch at StagePop.
	Gates event.Gates
}

// defaultBatchSize is the most deltas that PopBatch pops. If twice as many are waiting, the queue stays locked during processing.
const defaultBatchSize = 1000

// RealFIFO is a Queue of deltas in the order in which they came. Nothing is merged, and the deletion of an unknown object is delivered, too.
type RealFIFO struct {
	logger klog.Logger
	name   string

	lock queueLock
	cond sync.Cond

	items ring[queueItem]

	synced       chan struct{}
	syncedClosed bool
	// populated is set once the first Replace succeeded, or an Add, Update or Delete came before it.
	populated bool
	// initialPopulationCount is how many of the first Replace's deltas are not processed yet.
	initialPopulationCount int
	closed                 bool
	// onSynced is called with the lock held when HasSynced becomes true.
	onSynced func()

	keyFunc               KeyFunc
	namespaceKeys         bool // keyFunc is MetaNamespaceKeyFunc
	knownObjects          KeyListerGetter
	transformer           TransformFunc
	batchSize             int
	emitAtomicEvents      bool
	unlockWhileProcessing bool
	emitDeltaTypeBookmark bool
	behaviour             releases.Behaviour

	observer    event.Observer
	queuedEvent event.Event // reused for observer
	gate        queueGate

	// scratch and seen are reused by pops; scratch is nil while a pop uses it.
	scratch []queueItem
	seen    map[string]struct{}
}

var (
	_ QueueWithBatch         = &RealFIFO{}
	_ TransformingStore      = &RealFIFO{}
	_ ReflectorBookmarkStore = &RealFIFO{}
	_ DoneChecker            = &RealFIFO{}
)

// NewRealFIFO returns a RealFIFO that reports Replace and Resync object by object.
//
// Deprecated: use NewRealFIFOWithOptions.
func NewRealFIFO(keyFunc KeyFunc, knownObjects KeyListerGetter, transformer TransformFunc) *RealFIFO {
	return NewRealFIFOWithOptions(RealFIFOOptions{KeyFunction: keyFunc, KnownObjects: knownObjects, Transformer: transformer})
}

// NewRealFIFOWithOptions returns a RealFIFO. It panics if the options contradict each other.
func NewRealFIFOWithOptions(opts RealFIFOOptions) *RealFIFO {
	switch {
	case opts.AtomicEvents && opts.KnownObjects != nil:
		panic("coding error: a RealFIFO with AtomicEvents must not have KnownObjects")
	case !opts.AtomicEvents && opts.UnlockWhileProcessing:
		panic("coding error: a RealFIFO with UnlockWhileProcessing needs AtomicEvents")
	case !opts.AtomicEvents && opts.KnownObjects == nil:
		panic("coding error: a RealFIFO without AtomicEvents needs KnownObjects")
	case !opts.AtomicEvents && opts.EmitDeltaTypeBookmark:
		panic("coding error: a RealFIFO with EmitDeltaTypeBookmark needs AtomicEvents")
	}
	f := &RealFIFO{
		logger:                klog.Background(),
		name:                  "RealFIFO",
		synced:                make(chan struct{}),
		keyFunc:               opts.KeyFunction,
		knownObjects:          opts.KnownObjects,
		transformer:           opts.Transformer,
		batchSize:             defaultBatchSize,
		emitAtomicEvents:      opts.AtomicEvents,
		unlockWhileProcessing: opts.UnlockWhileProcessing,
		emitDeltaTypeBookmark: opts.EmitDeltaTypeBookmark,
		behaviour:             opts.Release.Behaviour(),
		observer:              opts.Observer,
		gate:                  newQueueGate(opts.Gates),
		lock:                  newQueueLock(opts.Gates),
		seen:                  map[string]struct{}{},
	}
	if f.keyFunc == nil {
		f.keyFunc, f.namespaceKeys = MetaNamespaceKeyFunc, true
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

// Close implements Queue.
func (f *RealFIFO) Close() {
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
func (f *RealFIFO) IsClosed() bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.closed
}

// HasSynced implements Queue.
func (f *RealFIFO) HasSynced() bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.syncedClosed
}

// HasSyncedChecker implements Queue.
func (f *RealFIFO) HasSyncedChecker() DoneChecker { return f }

// Name implements DoneChecker.
func (f *RealFIFO) Name() string { return f.name }

// Done implements DoneChecker.
func (f *RealFIFO) Done() <-chan struct{} { return f.synced }

// Transformer implements TransformingStore.
func (f *RealFIFO) Transformer() TransformFunc { return f.transformer }

// checkSyncedLocked sets HasSynced if it is due. It must follow every change of populated and initialPopulationCount.
func (f *RealFIFO) checkSyncedLocked() {
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

// populateLocked records the first population; HasSynced becomes true once count deltas have been processed.
func (f *RealFIFO) populateLocked(count int) {
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

func (f *RealFIFO) pushLocked(q queueItem) {
	if f.observer != nil {
		q.rv = q.reportedRV()
	}
	f.items.push(q)
	f.cond.Broadcast()
	if f.observer == nil {
		return
	}
	e := event.Queued{Op: q.op, Key: q.key, RV: q.rv, Length: f.items.len()}
	switch info := q.obj.(type) {
	case ReplacedAllInfo:
		e.Items = make([]event.Item, len(info.Objects))
		for i, obj := range info.Objects {
			key, _ := queueKeyOf(f.keyFunc, obj) // an object without a key is listed with an empty one
			e.Items[i] = event.Item{Key: key, RV: rvOf(obj), Obj: obj}
		}
	case BookmarkInfo, SyncAllInfo:
	default:
		e.Obj, e.Tombstone = q.reportedObject()
	}
	f.queuedEvent.SetQueued(e)
	f.observer.Observe(&f.queuedEvent)
}

// addLocked queues one delta. Mirrors client-go tools/cache.(*RealFIFO).addToItems_locked (v0.37.2).
func (f *RealFIFO) addLocked(op event.Op, transformed bool, obj interface{}) error {
	key, keyErr := queueKeyOf(f.keyFunc, obj)
	if keyErr != nil {
		return KeyError{obj, keyErr}
	}
	return f.addKeyLocked(op, transformed, obj, key)
}

// addKeyLocked is addLocked for an object whose key is known.
func (f *RealFIFO) addKeyLocked(op event.Op, transformed bool, obj interface{}, key string) error {
	var keyErr error
	if f.transformer != nil && !transformed {
		if _, tombstone := obj.(DeletedFinalStateUnknown); !tombstone {
			var err error
			if obj, err = f.transformer(obj); err != nil {
				return err
			}
			// Later steps need the key of the transformed object.
			key, keyErr = queueKeyOf(f.keyFunc, obj)
		}
	}
	f.pushLocked(queueItem{op: op, key: key, obj: obj, keyErr: keyErr})
	return nil
}

func (f *RealFIFO) add(op event.Op, obj interface{}) error {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.populateLocked(0)
	return f.addLocked(op, false, obj)
}

// sharesKeys implements keySharer.
func (f *RealFIFO) sharesKeys() bool { return f.namespaceKeys }

// addKeyed implements keySharer.
func (f *RealFIFO) addKeyed(op event.Op, obj interface{}, key string) error {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.populateLocked(0)
	return f.addKeyLocked(op, false, obj, key)
}

// Add queues an Added delta.
func (f *RealFIFO) Add(obj interface{}) error { return f.add(event.OpAdded, obj) }

// Update queues an Updated delta.
func (f *RealFIFO) Update(obj interface{}) error { return f.add(event.OpUpdated, obj) }

// Delete queues a Deleted delta, whether or not the object is known.
func (f *RealFIFO) Delete(obj interface{}) error { return f.add(event.OpDeleted, obj) }

// Bookmark queues a Bookmark delta if the queue has EmitDeltaTypeBookmark.
func (f *RealFIFO) Bookmark(resourceVersion string) error {
	if !f.emitDeltaTypeBookmark {
		return nil
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	f.pushLocked(queueItem{op: event.OpBookmark, obj: BookmarkInfo{ResourceVersion: resourceVersion}})
	return nil
}

// Replace queues the result of a list. It is one ReplacedAll delta, or tombstones for objects that are not in the list (first queued ones, then known
// ones) followed by Replaced deltas.
// Mirrors client-go tools/cache.(*RealFIFO).Replace (v0.37.2).
func (f *RealFIFO) Replace(newItems []interface{}, resourceVersion string) error {
	f.lock.Lock()
	defer f.lock.Unlock()
	var err error
	if f.emitAtomicEvents {
		err = f.replaceAtomicLocked(newItems, resourceVersion)
	} else {
		err = f.replaceEachLocked(newItems)
	}
	if err != nil {
		return err
	}
	f.populateLocked(f.items.len())
	return nil
}

func (f *RealFIFO) replaceAtomicLocked(objs []interface{}, resourceVersion string) error {
	if f.transformer != nil {
		transformed := make([]interface{}, len(objs))
		for i, obj := range objs {
			var err error
			if transformed[i], err = f.transformer(obj); err != nil {
				return err
			}
		}
		objs = transformed
	}
	f.pushLocked(queueItem{op: event.OpReplacedAll, obj: ReplacedAllInfo{ResourceVersion: resourceVersion, Objects: objs}})
	return nil
}

// replaceEachLocked mirrors client-go tools/cache.reconcileReplacement (v0.37.2).
func (f *RealFIFO) replaceEachLocked(newItems []interface{}) error {
	newKeys := make(sets.Set[string], len(newItems))
	for _, obj := range newItems {
		key, err := queueKeyOf(f.keyFunc, obj)
		if err != nil {
			return KeyError{obj, err}
		}
		newKeys.Insert(key)
	}

	// The last queued delta of every key decides whether a tombstone is due.
	var order []string
	lastOf := make(map[string]queueItem, f.items.len())
	for i := range f.items.len() {
		q := f.items.at(i)
		if q.keyErr != nil {
			return KeyError{q.obj, q.keyErr}
		}
		if _, seen := lastOf[q.key]; !seen {
			order = append(order, q.key)
		}
		lastOf[q.key] = *q
	}
	bury := func(key string, last interface{}) error {
		if err := f.addLocked(event.OpDeleted, true, DeletedFinalStateUnknown{Key: key, Obj: last}); err != nil {
			return fmt.Errorf("couldn't enqueue object: %w", err)
		}
		return nil
	}
	for _, key := range order {
		if last := lastOf[key]; !newKeys.Has(key) && last.op != event.OpDeleted {
			if err := bury(key, last.obj); err != nil {
				return err
			}
		}
	}
	for _, key := range f.knownObjects.ListKeys() {
		if newKeys.Has(key) {
			continue
		}
		if _, inQueue := lastOf[key]; inQueue {
			continue
		}
		last, exists, err := f.knownObjects.GetByKey(key)
		if err != nil || !exists {
			last = nil
			utilruntime.HandleErrorWithLogger(f.logger, err, "A known object is missing from its store, its tombstone has no object", "key", key)
		}
		if err := bury(key, last); err != nil {
			return err
		}
	}
	for _, obj := range newItems {
		if err := f.addLocked(event.OpReplaced, false, obj); err != nil {
			return fmt.Errorf("couldn't enqueue object: %w", err)
		}
	}
	return nil
}

// Resync queues one SyncAll delta, or a Sync delta for every known object that has no delta in the queue.
func (f *RealFIFO) Resync() error {
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.emitAtomicEvents {
		f.pushLocked(queueItem{op: event.OpSyncAll, obj: SyncAllInfo{}})
		return nil
	}
	inQueue := make(sets.Set[string], f.items.len())
	for i := range f.items.len() {
		q := f.items.at(i)
		if q.keyErr != nil {
			return KeyError{q.delta(), q.keyErr}
		}
		inQueue.Insert(q.key)
	}
	for _, key := range f.knownObjects.ListKeys() {
		// An older state must not be queued after a newer one.
		if inQueue.Has(key) {
			continue
		}
		obj, exists, err := f.knownObjects.GetByKey(key)
		if err != nil || !exists {
			utilruntime.HandleErrorWithLogger(f.logger, err, "A known object is missing from its store, it is not resynced", "key", key)
			continue
		}
		if err := f.addLocked(event.OpSync, true, obj); err != nil {
			if f.behaviour.LosesResyncError {
				return errors.New("couldn't queue object: %!w(<nil>)")
			}
			return fmt.Errorf("couldn't queue object: %w", err)
		}
	}
	return nil
}

// Pop implements Queue. The process function runs with the queue locked, except as UnlockWhileProcessing allows.
func (f *RealFIFO) Pop(process PopProcessFunc) (interface{}, error) {
	var popped Deltas
	err := f.pop(false, func(items []queueItem, _, isInInitialList bool) error {
		popped = Deltas{items[0].delta()}
		return process(popped, isInInitialList)
	})
	if popped == nil {
		return nil, err
	}
	return popped, err
}

// PopBatch implements QueueWithBatch. A batch has up to 1,000 deltas, and does not cross the end of the initial population. Before 1.38 its keys are
// different. ReplacedAll, SyncAll and Bookmark go alone.
func (f *RealFIFO) PopBatch(processBatch ProcessBatchFunc, processSingle PopProcessFunc) error {
	return f.pop(true, func(items []queueItem, single, isInInitialList bool) error {
		if single {
			return processSingle(Deltas{items[0].delta()}, isInInitialList)
		}
		deltas := make([]Delta, len(items))
		for i := range items {
			deltas[i] = items[i].delta()
		}
		return processBatch(deltas, isInInitialList)
	})
}

func (f *RealFIFO) popKeyed(batch bool, process keyedProcessFunc) error {
	return f.pop(batch, process)
}

// waitLocked waits until there is something to pop and the gate is open. It returns ErrFIFOClosed if the queue is closed and empty.
func (f *RealFIFO) waitLocked() error {
	for {
		for f.items.len() == 0 {
			if f.closed {
				return ErrFIFOClosed
			}
			f.cond.Wait()
		}
		if f.gate.gates == nil {
			return nil
		}
		f.gate.wait(&f.lock)
		if f.items.len() > 0 {
			return nil
		}
	}
}

// batchLocked returns how many deltas go together.
// Mirrors client-go tools/cache.(*RealFIFO).PopBatch (v0.37.2 and v0.38.0-beta.0).
func (f *RealFIFO) batchLocked() int {
	limit := min(f.items.len(), f.batchSize)
	if f.initialPopulationCount > 0 {
		limit = min(limit, f.initialPopulationCount)
	}
	if limit == 1 {
		return 1
	}
	clear(f.seen)
	for i := range limit {
		q := f.items.at(i)
		switch q.op {
		case event.OpReplacedAll, event.OpSyncAll, event.OpBookmark:
			return max(i, 1)
		}
		if f.behaviour.RepeatsKeys {
			continue
		}
		if q.keyErr != nil {
			return i + 1
		}
		if _, dup := f.seen[q.key]; dup {
			return i
		}
		f.seen[q.key] = struct{}{}
	}
	return limit
}

// pop is Pop and PopBatch. Mirrors client-go tools/cache.(*RealFIFO).Pop and PopBatch (v0.37.2).
func (f *RealFIFO) pop(batch bool, process keyedProcessFunc) (err error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if err := f.waitLocked(); err != nil {
		return err
	}
	isInInitialList := !f.syncedClosed
	n := 1
	if batch {
		n = f.batchLocked()
	}
	items := f.scratch[:0]
	f.scratch = nil
	for range n {
		items = append(items, f.items.pop())
	}
	unlock := f.unlockWhileProcessing && f.items.len() < 2*f.batchSize
	single := n == 1

	var start time.Time
	if f.observer != nil {
		text := "batch"
		if single {
			text = "single"
		}
		send(f.observer, event.Popped{Deltas: n, Length: f.items.len(), Locked: !unlock, Mode: text}.Event())
		start = time.Now()
		err = errPanicked // stays if process does not return
	}
	defer func() {
		// The population count is decremented only now, so that HasSynced stays false while its last deltas are being processed.
		counted := f.initialPopulationCount > 0
		if counted {
			f.initialPopulationCount -= n
		}
		if f.observer != nil {
			send(f.observer, event.Processed{Deltas: n, Population: f.initialPopulationCount, Took: time.Since(start), Err: err}.Event())
		}
		if counted {
			f.checkSyncedLocked()
		}
		clear(items)
		f.scratch = items
	}()
	if unlock {
		f.lock.Unlock()
		defer f.lock.Lock()
	}
	if f.gate.gates != nil {
		for i := range items {
			f.gate.index(items[i].objects())
		}
	}
	err = process(items, single, isInInitialList)
	return err
}

// objects returns how many objects the store adds or updates for q.
func (q *queueItem) objects() int {
	switch q.op {
	case event.OpReplacedAll:
		info, _ := q.obj.(ReplacedAllInfo)
		return len(info.Objects)
	case event.OpSyncAll, event.OpBookmark, event.OpDeleted:
		return 0
	}
	return 1
}

// errPanicked is the error with which KindProcessed reports a panic of the process function.
var errPanicked = errors.New("the process function panicked")
