package informer

import (
	"errors"

	"informerscope/core/words/event"
)

// ErrFIFOClosed is returned by Pop when the queue is closed and empty.
var ErrFIFOClosed = errors.New("DeltaFIFO: manipulating with closed queue")

// ErrZeroLengthDeltasObject is wrapped by the KeyError for Deltas without a delta.
var ErrZeroLengthDeltasObject = errors.New("0 length Deltas object; can't get key")

// PopProcessFunc processes the Deltas that Pop took from a queue.
type PopProcessFunc func(obj interface{}, isInInitialList bool) error

// ProcessFunc processes one popped Deltas.
type ProcessFunc func(obj interface{}, isInInitialList bool) error

// ProcessBatchFunc processes several deltas, the oldest first. Before 1.38 no two of them have the same key.
type ProcessBatchFunc func(deltas []Delta, isInInitialList bool) error

// ReflectorStore is what a Reflector writes to: a Queue or a Store.
type ReflectorStore interface {
	// Add stores an object that was added.
	Add(obj interface{}) error
	// Update stores an object that was changed.
	Update(obj interface{}) error
	// Delete removes an object that was deleted.
	Delete(obj interface{}) error
	// Replace stores the result of a list, and takes ownership of the slice.
	Replace([]interface{}, string) error
	// Resync makes every known object be reported again, if the store has anyone to report to.
	Resync() error
}

// keySharer is a ReflectorStore that accepts the key of an object if it computes the same one as MetaObjectToName. A Reflector that has reported the
// object to an Observer has already computed the key.
type keySharer interface {
	sharesKeys() bool
	// addKeyed is Add, Update or Delete.
	addKeyed(op event.Op, obj interface{}, key string) error
}

// ReflectorBookmarkStore is a ReflectorStore that also receives bookmarks.
type ReflectorBookmarkStore interface {
	Bookmark(resourceVersion string) error
}

// TransformingStore is a ReflectorStore that transforms its objects; the Reflector then also transforms in its temporary store, which saves memory.
type TransformingStore interface {
	ReflectorStore
	Transformer() TransformFunc
}

// Queue is a ReflectorStore whose changes are consumed by Pop, in order. It is safe for concurrent use, but Pop is meant for one goroutine.
type Queue interface {
	ReflectorStore

	// Pop waits until the queue is not empty or closed, takes the oldest entry and processes it. It returns what was processed (Deltas) and the process
	// function's error, or ErrFIFOClosed.
	Pop(PopProcessFunc) (interface{}, error)
	// HasSynced reports whether the contents of the first Replace have been popped. It is true at once if an Add, Update or Delete came first.
	HasSynced() bool
	// HasSyncedChecker allows waiting for HasSynced without polling.
	HasSyncedChecker() DoneChecker
	// Close ends Pop once the queue is empty.
	Close()
}

// QueueWithBatch is a Queue that can pop several deltas at once.
type QueueWithBatch interface {
	Queue
	// PopBatch is Pop for as many deltas as can go together; a delta that must go alone is passed to processSingle. Both must have the same effect on a
	// delta.
	PopBatch(processBatch ProcessBatchFunc, processSingle PopProcessFunc) error
}

// KeyLister lists keys.
type KeyLister interface {
	ListKeys() []string
}

// KeyGetter looks up by key.
type KeyGetter interface {
	// GetByKey returns the value stored under key; exists is false if there is none.
	GetByKey(key string) (value interface{}, exists bool, err error)
}

// KeyListerGetter is what a queue needs of the store that it feeds.
type KeyListerGetter interface {
	KeyLister
	KeyGetter
}

// keyedQueue is a queue that passes its deltas on with their keys. The slice belongs to the queue and is valid until process returns. If single is set,
// the deltas must not be processed as one transaction: they are one RealFIFO delta, or all Deltas of one key of a DeltaFIFO.
type keyedQueue interface {
	popKeyed(batch bool, process keyedProcessFunc) error
}

type keyedProcessFunc func(items []queueItem, single, isInInitialList bool) error

var (
	_ keyedQueue = &RealFIFO{}
	_ keyedQueue = &DeltaFIFO{}
)

// queueKeyOf returns the key of anything that can be in a queue: Deltas, a Delta, a tombstone or an object.
func queueKeyOf(keyFunc KeyFunc, obj interface{}) (string, error) {
	if d, ok := obj.(Deltas); ok {
		if len(d) == 0 {
			return "", KeyError{obj, ErrZeroLengthDeltasObject}
		}
		obj = d.Newest().Object
	}
	if d, ok := obj.(Delta); ok {
		obj = d.Object
	}
	if d, ok := obj.(DeletedFinalStateUnknown); ok {
		return d.Key, nil
	}
	return keyFunc(obj)
}
