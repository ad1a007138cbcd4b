package informer

import (
	"errors"
	"time"
)

// ErrFIFOClosed is returned by Pop when the queue is closed and empty.
var ErrFIFOClosed = errors.New("DeltaFIFO: manipulating with closed queue")

// ErrZeroLengthDeltasObject is in the KeyError for Deltas without a delta.
var ErrZeroLengthDeltasObject = errors.New("0 length Deltas object; can't get key")

// PopProcessFunc processes what Pop took from a queue: Deltas.
type PopProcessFunc func(obj interface{}, isInInitialList bool) error

// ProcessFunc processes one popped Deltas.
type ProcessFunc func(obj interface{}, isInInitialList bool) error

// ProcessBatchFunc processes several deltas, no two of them with the same key.
type ProcessBatchFunc func(deltas []Delta, isInInitialList bool) error

// ReflectorStore is what a Reflector writes to: a Queue or a Store.
type ReflectorStore interface {
	// Add takes an object that was added.
	Add(obj interface{}) error
	// Update takes an object that was changed.
	Update(obj interface{}) error
	// Delete takes an object that was deleted.
	Delete(obj interface{}) error
	// Replace takes the result of a list, and ownership of the slice.
	Replace([]interface{}, string) error
	// Resync asks for every known object to be offered again, where that means something.
	Resync() error
}

// keySharer is a ReflectorStore that can be given the key of an object, if it makes the same one as MetaObjectToName: a Reflector that has told
// an Observer of the object has made it already.
type keySharer interface {
	sharesKeys() bool
	// addKeyed is Add, Update or Delete. At is the time on the Observer's clock, if it is known; when it has passed meanwhile, or was not known, the
	// clock is read. It returns the time at which obj was queued, if that is still now.
	addKeyed(op Op, obj interface{}, key string, at time.Duration) (time.Duration, error)
}

// ReflectorBookmarkStore is a ReflectorStore that wants to hear of bookmarks.
type ReflectorBookmarkStore interface {
	Bookmark(resourceVersion string) error
}

// TransformingStore is a ReflectorStore that transforms what it is given; the
// Reflector then transforms in its temporary store too, which saves memory.
type TransformingStore interface {
	ReflectorStore
	Transformer() TransformFunc
}

// Queue is a ReflectorStore whose changes are consumed by Pop, in order. It
// may be used from many goroutines, but Pop is meant for one.
type Queue interface {
	ReflectorStore

	// Pop waits until there is something or the queue is closed, takes the
	// oldest and processes it. It returns what was processed (Deltas) and the
	// process function's error, or ErrFIFOClosed.
	Pop(PopProcessFunc) (interface{}, error)
	// HasSynced says whether what the first Replace brought has been popped. It
	// is true at once if an Add, Update or Delete came first.
	HasSynced() bool
	// HasSyncedChecker allows waiting for HasSynced without polling.
	HasSyncedChecker() DoneChecker
	// Close ends Pop once the queue is empty.
	Close()
}

// QueueWithBatch is a Queue that can pop several deltas at once.
type QueueWithBatch interface {
	Queue
	// PopBatch is Pop for as many deltas as may go together; a delta that must
	// go alone is given to processSingle. Both must do the same to a delta.
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

// KeyListerGetter is what a queue needs to know of the store behind it.
type KeyListerGetter interface {
	KeyLister
	KeyGetter
}

// keyedQueue is a queue that can hand its deltas over with their keys. The
// slice is the queue's and is valid until process returns. single says that
// the deltas must not be processed as one transaction: they are one RealFIFO
// delta, or all the Deltas of one key of a DeltaFIFO.
type keyedQueue interface {
	popKeyed(batch bool, process keyedProcessFunc) error
}

type keyedProcessFunc func(items []queued, single, isInInitialList bool) error

var (
	_ keyedQueue = &RealFIFO{}
	_ keyedQueue = &DeltaFIFO{}
)

// queueKeyOf makes the key of anything that may be in a queue: Deltas, a
// Delta, a tombstone or an object.
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
