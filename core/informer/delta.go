package informer

import "informerscope/core/words/event"

// DeltaType is the type of a change.
type DeltaType string

// The delta types. Replaced and Sync come from queues that report a relist or a resync object by object. ReplacedAll and SyncAll come from queues that
// report it as a whole.
const (
	Added   DeltaType = "Added"
	Updated DeltaType = "Updated"
	Deleted DeltaType = "Deleted"
	// Replaced is one object of a relist, which may or may not have changed.
	Replaced DeltaType = "Replaced"
	// ReplacedAll is a relist as a whole; the object is a ReplacedAllInfo.
	ReplacedAll DeltaType = "ReplacedAll"
	// Sync is one stored object that a resync reports again.
	Sync DeltaType = "Sync"
	// SyncAll makes every stored object be reported again; the object is a SyncAllInfo.
	SyncAll DeltaType = "SyncAll"
	// Bookmark advances the resourceVersion without an object; the object is a BookmarkInfo.
	Bookmark DeltaType = "Bookmark"
)

// deltaTypes maps an Op to its DeltaType.
var deltaTypes = [...]DeltaType{
	event.OpAdded:       Added,
	event.OpUpdated:     Updated,
	event.OpDeleted:     Deleted,
	event.OpReplaced:    Replaced,
	event.OpSync:        Sync,
	event.OpReplacedAll: ReplacedAll,
	event.OpSyncAll:     SyncAll,
	event.OpBookmark:    Bookmark,
}

// Delta is one change and the state of the object after it. For Deleted it is the last known state, perhaps in a DeletedFinalStateUnknown.
type Delta struct {
	Type   DeltaType
	Object interface{}
}

// Deltas are the changes to one object, oldest first.
type Deltas []Delta

// Oldest returns the first delta, or nil if there is none.
func (d Deltas) Oldest() *Delta {
	if len(d) == 0 {
		return nil
	}
	return &d[0]
}

// Newest returns the last delta, or nil if there is none.
func (d Deltas) Newest() *Delta {
	if len(d) == 0 {
		return nil
	}
	return &d[len(d)-1]
}

// ReplacedAllInfo is the object of a ReplacedAll delta.
type ReplacedAllInfo struct {
	// ResourceVersion is the version that was passed to Replace.
	ResourceVersion string
	// Objects is the list that was passed to Replace, already transformed.
	Objects []interface{}
}

// SyncAllInfo is the object of a SyncAll delta.
type SyncAllInfo struct{}

// BookmarkInfo is the object of a Bookmark delta.
type BookmarkInfo struct {
	// ResourceVersion is the version that was passed to Bookmark.
	ResourceVersion string
}

// DeletedFinalStateUnknown is the tombstone of an object whose deletion was missed: a relist no longer contained it. Obj is the last known state, which
// may be stale, or nil if none was known.
type DeletedFinalStateUnknown struct {
	Key string
	Obj interface{}
}

// TransformFunc transforms an object before it is queued; it may change the object in place. It should be idempotent: a WatchList's initial objects
// pass through it twice. It runs with the queue locked, so it must be quick.
type TransformFunc func(interface{}) (interface{}, error)

// queueItem is a delta in a queue, with the key that was computed when it entered. Keeping the key saves computing it again at every later step.
type queueItem struct {
	op  event.Op
	key string
	obj any
	// rv is for an Observer: the object's resourceVersion, if it is known already.
	rv string
	// keyErr is the error of computing key; nearly always nil.
	keyErr error
}

func (q *queueItem) delta() Delta { return Delta{Type: deltaTypes[q.op], Object: q.obj} }

// reportedRV returns the resourceVersion that KindQueued reports.
func (q *queueItem) reportedRV() string {
	switch q.op {
	case event.OpReplacedAll, event.OpBookmark, event.OpSyncAll:
		switch info := q.obj.(type) {
		case ReplacedAllInfo:
			return info.ResourceVersion
		case BookmarkInfo:
			return info.ResourceVersion
		}
		return ""
	}
	return rvOf(q.obj)
}

// reportedObject returns the object and the flag that KindQueued reports.
func (q *queueItem) reportedObject() (obj any, tombstone bool) {
	if d, ok := q.obj.(DeletedFinalStateUnknown); ok {
		return d.Obj, true
	}
	return q.obj, false
}
