package informer

// DeltaType is the type of a change.
type DeltaType string

// The delta types. Replaced and Sync come from queues that report a relist or
// a resync object by object, ReplacedAll and SyncAll from those that report it whole.
const (
	Added   DeltaType = "Added"
	Updated DeltaType = "Updated"
	Deleted DeltaType = "Deleted"
	// Replaced is one object of a relist, which may or may not have changed.
	Replaced DeltaType = "Replaced"
	// ReplacedAll is a relist as a whole; the object is a ReplacedAllInfo.
	ReplacedAll DeltaType = "ReplacedAll"
	// Sync is one stored object, offered again by a resync.
	Sync DeltaType = "Sync"
	// SyncAll asks for every stored object to be offered again; the object is a SyncAllInfo.
	SyncAll DeltaType = "SyncAll"
	// Bookmark moves the resourceVersion without an object; the object is a BookmarkInfo.
	Bookmark DeltaType = "Bookmark"
)

// deltaTypes gives the DeltaType of an Op.
var deltaTypes = [...]DeltaType{
	OpAdded:       Added,
	OpUpdated:     Updated,
	OpDeleted:     Deleted,
	OpReplaced:    Replaced,
	OpSync:        Sync,
	OpReplacedAll: ReplacedAll,
	OpSyncAll:     SyncAll,
	OpBookmark:    Bookmark,
}

// Delta is one change and the state of the object after it; for Deleted the
// last known state, perhaps in a DeletedFinalStateUnknown.
type Delta struct {
	Type   DeltaType
	Object interface{}
}

// Deltas are the changes to one object, oldest first.
type Deltas []Delta

// Oldest returns the first delta, nil if there is none.
func (d Deltas) Oldest() *Delta {
	if len(d) == 0 {
		return nil
	}
	return &d[0]
}

// Newest returns the last delta, nil if there is none.
func (d Deltas) Newest() *Delta {
	if len(d) == 0 {
		return nil
	}
	return &d[len(d)-1]
}

// ReplacedAllInfo is the object of a ReplacedAll delta.
type ReplacedAllInfo struct {
	// ResourceVersion was given to Replace.
	ResourceVersion string
	// Objects was given to Replace, transformed already.
	Objects []interface{}
}

// SyncAllInfo is the object of a SyncAll delta.
type SyncAllInfo struct{}

// BookmarkInfo is the object of a Bookmark delta.
type BookmarkInfo struct {
	// ResourceVersion was given to Bookmark.
	ResourceVersion string
}

// DeletedFinalStateUnknown is the tombstone of an object whose deletion was
// not seen: a relist no longer had it. Obj is the last known state, which may
// be stale, or nil if none was known.
type DeletedFinalStateUnknown struct {
	Key string
	Obj interface{}
}

// TransformFunc changes an object before anything else sees it; it may do so
// in place. It should be idempotent: a WatchList's initial objects pass through
// it twice. It runs with the queue locked, so it must be quick.
type TransformFunc func(interface{}) (interface{}, error)

// queued is a delta in a queue, with the key that was made when it entered.
// Carrying the key saves making it again at every later step.
type queued struct {
	op  Op
	key string
	obj any
	// rv is for an Observer: the object's, where it was made already.
	rv string
	// keyErr is why key could not be made; nearly always nil.
	keyErr error
}

func (q *queued) delta() Delta { return Delta{Type: deltaTypes[q.op], Object: q.obj} }

// observedRV returns the resourceVersion as KindQueued reports it.
func (q *queued) observedRV() string {
	switch q.op {
	case OpReplacedAll, OpBookmark, OpSyncAll:
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

// observed returns object and flag as KindQueued reports them.
func (q *queued) observed() (obj any, tombstone bool) {
	if d, ok := q.obj.(DeletedFinalStateUnknown); ok {
		return d.Obj, true
	}
	return q.obj, false
}
