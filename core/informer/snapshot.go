package informer

import (
	"k8s.io/apimachinery/pkg/util/sets"

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// Snapshotter is implemented by the SharedIndexInformer that NewSharedIndexInformerWithOptions returns. It is for tests that compare the informer's
// state with the fold of the events; a display must use only the events.
type Snapshotter interface {
	// Snapshot returns a copy of the state at one moment. It waits for the informer's locks, so an Observer, a transform, an index function or a
	// queue's process function must not call it.
	Snapshot() Snapshot
	// SnapshotAt is Snapshot that calls during at that moment, with all locks held: no transition can be reported before it returns. So a recorder can
	// determine which events the Snapshot includes. during must not call the informer.
	SnapshotAt(during func()) Snapshot
}

// Snapshot is the state of an informer at one moment. It shares only the objects with the informer.
type Snapshot struct {
	Release   releases.Release
	Started   bool
	Stopped   bool
	Synced    bool
	Reflector ReflectorSnapshot
	Queue     QueueSnapshot
	Store     StoreSnapshot
	// Listeners are in the order in which they were added. Removed ones are not included, and after the informer has stopped there are none.
	Listeners []ListenerSnapshot
}

// ReflectorSnapshot is the state of a Reflector.
type ReflectorSnapshot struct {
	// Phase is one of the Phase constants. It changes with these events:
	// KindRequestSent (listing, watch-listing, watching), KindWatchEvent with the
	// end mark of a WatchList (watching), KindBackoff (backoff) and
	// KindReflectorStopped (stopped). Without an Observer it stays idle.
	Phase           string
	ResourceVersion string
	// Unavailable is set if the server last refused ResourceVersion as expired or too large.
	Unavailable bool
}

// QueueSnapshot is the state of a queue.
type QueueSnapshot struct {
	// Kind is RealFIFO or DeltaFIFO; empty before the informer was started.
	Kind string
	// Items are the deltas of a RealFIFO, oldest first.
	Items []DeltaSnapshot
	// Keys are the keys of a DeltaFIFO, oldest first, and Deltas the deltas of each.
	Keys   []string
	Deltas map[string][]DeltaSnapshot
	// Populated is set once the first Replace, or an event before it, has come.
	Populated bool
	// InitialPopulation is how much of the first Replace is not processed yet.
	InitialPopulation int
	Synced            bool
	Closed            bool
}

// DeltaSnapshot is a delta in a queue. Its fields are as in KindQueued.
type DeltaSnapshot struct {
	Op        event.Op
	Key       string
	RV        string
	Obj       any
	Tombstone bool
	// Objects is the list of a ReplacedAll.
	Objects []any
}

// StoreSnapshot is the state of the Indexer.
type StoreSnapshot struct {
	// ResourceVersion is the store's own; always empty in releases without one.
	ResourceVersion string
	// Objects are the stored objects by key.
	Objects map[string]any
	// Indices maps the name of each index to its values, and these to keys.
	Indices map[string]map[string]sets.Set[string]
}

// ListenerSnapshot is the state of a listener.
type ListenerSnapshot struct {
	ID   int32
	Name string
	// Pending and Capacity are the ring's length and capacity.
	Pending, Capacity int
	// Waiting is set if another notification waits at nextCh.
	Waiting bool
	// Delivered counts the notifications that the handler's goroutine took, Handled those from which the handler returned.
	Delivered, Handled int
	// Handling is set while the handler is called.
	Handling bool
	Synced   bool
	Syncing  bool
}

var _ Snapshotter = &sharedIndexInformer{}

// Snapshot implements Snapshotter.
func (s *sharedIndexInformer) Snapshot() Snapshot { return s.SnapshotAt(func() {}) }

// SnapshotAt implements Snapshotter. It takes the locks in the order in which the informer takes them.
func (s *sharedIndexInformer) SnapshotAt(during func()) Snapshot {
	s.startedLock.Lock()
	defer s.startedLock.Unlock()
	out := Snapshot{Release: s.Release, Started: s.started, Stopped: s.stopped}
	if out.Release == releases.Default {
		out.Release = releases.Standard
	}
	switch q := s.queue.(type) {
	case *RealFIFO:
		q.lock.Lock()
		defer q.lock.Unlock()
	case *DeltaFIFO:
		q.lock.Lock()
		defer q.lock.Unlock()
	}
	s.blockDeltas.Lock()
	defer s.blockDeltas.Unlock()
	s.syncedLock.Lock()
	defer s.syncedLock.Unlock()
	store := s.indexer
	store.lock.Lock()
	defer store.lock.Unlock()
	s.processor.listenersLock.Lock()
	defer s.processor.listenersLock.Unlock()
	for _, l := range s.processor.listeners {
		l.lock.Lock()
		defer l.lock.Unlock()
	}
	var r *Reflector
	if s.controller != nil {
		r = s.controller.currentReflector()
	}
	if r != nil {
		r.rvLock.Lock()
		defer r.rvLock.Unlock()
	}
	during()

	out.Synced = IsDone(informerDone{s})
	out.Reflector = snapshotReflector(r)
	out.Queue = snapshotQueue(s.queue)
	out.Store = store.snapshotLocked()
	for _, l := range s.processor.listeners {
		out.Listeners = append(out.Listeners, l.snapshotLocked())
	}
	return out
}

func snapshotReflector(r *Reflector) ReflectorSnapshot {
	if r == nil {
		return ReflectorSnapshot{Phase: PhaseIdle}
	}
	return ReflectorSnapshot{Phase: r.phase, ResourceVersion: r.lastSyncRV, Unavailable: r.lastSyncRVUnavailable}
}

func snapshotQueue(queue Queue) QueueSnapshot {
	switch q := queue.(type) {
	case *RealFIFO:
		out := QueueSnapshot{Kind: "RealFIFO", Populated: q.populated, InitialPopulation: q.initialPopulationCount, Synced: q.syncedClosed, Closed: q.closed}
		for i := range q.items.len() {
			out.Items = append(out.Items, q.items.at(i).snapshot())
		}
		return out
	case *DeltaFIFO:
		out := QueueSnapshot{Kind: "DeltaFIFO", Populated: q.populated, InitialPopulation: q.initialPopulationCount, Synced: q.syncedClosed, Closed: q.closed,
			Deltas: map[string][]DeltaSnapshot{}}
		for i := range q.queue.len() {
			key := *q.queue.at(i)
			out.Keys = append(out.Keys, key)
			for j := range q.items[key] {
				out.Deltas[key] = append(out.Deltas[key], q.items[key][j].snapshot())
			}
		}
		return out
	}
	return QueueSnapshot{}
}

func (q *queueItem) snapshot() DeltaSnapshot {
	d := DeltaSnapshot{Op: q.op, Key: q.key}
	switch info := q.obj.(type) {
	case ReplacedAllInfo:
		d.RV = info.ResourceVersion
		d.Objects = append([]any(nil), info.Objects...)
	case BookmarkInfo:
		d.RV = info.ResourceVersion
	case SyncAllInfo:
	default:
		d.Obj, d.Tombstone = q.reportedObject()
		d.RV = rvOf(d.Obj)
	}
	return d
}

func (c *threadSafeMap) snapshotLocked() StoreSnapshot {
	out := StoreSnapshot{ResourceVersion: c.visibleRVLocked(), Objects: make(map[string]any, len(c.items)), Indices: map[string]map[string]sets.Set[string]{}}
	//maporder:free copied into a map
	for key, item := range c.items {
		out.Objects[key] = item.obj
	}
	for _, x := range c.indices {
		values := make(map[string]sets.Set[string], len(x.keys))
		//maporder:free copied into a map
		for v, keys := range x.keys {
			values[v] = keys.Clone()
		}
		out.Indices[x.name] = values
	}
	return out
}

func (p *processorListener) snapshotLocked() ListenerSnapshot {
	out := ListenerSnapshot{ID: p.id, Name: p.name, Synced: IsDone(&p.tracker), Syncing: p.syncing}
	h := &p.handover
	out.Pending, out.Capacity, out.Waiting = h.ring.Len(), h.ring.Cap(), h.waiting
	out.Delivered, out.Handled, out.Handling = h.delivered, h.handled, h.handling
	return out
}
