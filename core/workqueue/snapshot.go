package workqueue

import (
	"cmp"
	"slices"
	"time"
)

// Snapshot is what is inside a queue at one moment, its keys named as in events. It is a copy, and the caller's own. Tests
// compare it with the fold of the events; nothing else should need it.
type Snapshot struct {
	// Name is the queue's, from its config.
	Name string
	// Queue is the FIFO, head first.
	Queue []string
	// Dirty holds the keys that need work, sorted.
	Dirty []string
	// Processing holds the keys that workers have, sorted by key.
	Processing []Processing
	// Waiting holds the keys that wait for their time, the earliest first, and by key where times are equal.
	Waiting []Waiting
	// ShuttingDown is whether ShutDown or ShutDownWithDrain has been called.
	ShuttingDown bool
	// Drain is whether the last of these calls was ShutDownWithDrain.
	Drain bool
}

// Processing is a key that a worker has.
type Processing struct {
	Key string
	// Worker is the number given to GetFor, or NoWorker.
	Worker int32
	// Since is when it was taken; zero when the queue has no Observer.
	Since time.Time
}

// Waiting is a key that waits for its time.
type Waiting struct {
	Key string
	Due time.Time
}

// Snapshot returns a consistent copy of what is inside the queue.
func (q *Typed[T]) Snapshot() Snapshot {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.snapshotLocked()
}

func (q *Typed[T]) snapshotLocked() Snapshot {
	s := Snapshot{Name: q.name, ShuttingDown: q.shuttingDown, Drain: q.drain}
	for _, item := range q.queue.all() {
		s.Queue = append(s.Queue, keyOf(item))
	}
	//maporder:free sorted below
	for item := range q.dirty {
		s.Dirty = append(s.Dirty, keyOf(item))
	}
	slices.Sort(s.Dirty)
	//maporder:free sorted below
	for item, t := range q.processing {
		s.Processing = append(s.Processing, Processing{Key: keyOf(item), Worker: t.worker, Since: t.since})
	}
	slices.SortFunc(s.Processing, func(a, b Processing) int { return cmp.Compare(a.Key, b.Key) })
	return s
}

// Snapshot returns a consistent copy of what is inside the queue, with the keys that wait.
func (q *TypedDelayingQueue[T]) Snapshot() Snapshot {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.snapshotLocked()
}

func (q *TypedDelayingQueue[T]) snapshotLocked() Snapshot {
	s := q.Typed.snapshotLocked()
	for _, w := range q.waiting {
		s.Waiting = append(s.Waiting, Waiting{Key: keyOf(w.item), Due: w.due})
	}
	slices.SortFunc(s.Waiting, func(a, b Waiting) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Key, b.Key))
	})
	return s
}
