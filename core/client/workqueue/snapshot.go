package workqueue

import (
	"cmp"
	"slices"
	"time"
)

// Snapshot is the state of a queue at one moment, with its keys named as in events. It is a copy that the caller owns. It exists for tests, which
// compare it with the fold of the events.
type Snapshot struct {
	// Name is the queue's name, from its config.
	Name string
	// Queue is the FIFO, head first.
	Queue []string
	// Dirty holds the keys that need work, sorted.
	Dirty []string
	// Processing holds the keys that workers have, sorted by key.
	Processing []Processing
	// Waiting holds the keys that are not due yet, sorted by due time, then by key.
	Waiting []Waiting
	// ShuttingDown is true if ShutDown or ShutDownWithDrain has been called.
	ShuttingDown bool
	// Drain is true if the last of these calls was ShutDownWithDrain.
	Drain bool
}

// Processing is a key that a worker has.
type Processing struct {
	Key string
	// Worker is the number given to GetFor, or NoWorker.
	Worker int32
	// Since is when the worker took it; zero if the queue has no Observer.
	Since time.Time
}

// Waiting is a key that is not due yet.
type Waiting struct {
	Key string
	Due time.Time
}

// Snapshot returns a consistent copy of the queue's state.
func (q *Typed[T]) Snapshot() Snapshot {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.snapshotLocked()
}

func (q *Typed[T]) snapshotLocked() Snapshot {
	s := Snapshot{Name: q.name, ShuttingDown: q.isShuttingDown, Drain: q.drains}
	for _, item := range q.queue.slice() {
		s.Queue = append(s.Queue, keyOf(item))
	}
	//maporder:free sorted below
	for item := range q.dirty {
		s.Dirty = append(s.Dirty, keyOf(item))
	}
	slices.Sort(s.Dirty)
	//maporder:free sorted below
	for item, t := range q.processing {
		s.Processing = append(s.Processing, Processing{Key: keyOf(item), Worker: t.worker, Since: t.start})
	}
	slices.SortFunc(s.Processing, func(a, b Processing) int { return cmp.Compare(a.Key, b.Key) })
	return s
}

// Snapshot returns a consistent copy of the queue's state, including the keys that are not due yet.
func (q *TypedDelayingQueue[T]) Snapshot() Snapshot {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.snapshotLocked()
}

func (q *TypedDelayingQueue[T]) snapshotLocked() Snapshot {
	s := q.Typed.snapshotLocked()
	for _, w := range q.waitingItems {
		s.Waiting = append(s.Waiting, Waiting{Key: keyOf(w.item), Due: w.due})
	}
	slices.SortFunc(s.Waiting, func(a, b Waiting) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Key, b.Key))
	})
	return s
}
