package workqueue

import (
	"context"
	"time"
)

// Kind names a transition inside the work queue.
type Kind uint8

// The transitions. Each is emitted after the change, while the lock that guards the changed state is held.
const (
	// KindNone is never emitted.
	KindNone Kind = iota
	// KindAdded: Add put Key at the tail of the FIFO (and into dirty). N: length of the FIFO after it.
	KindAdded
	// KindDeduplicated: Add found that Key is already dirty; nothing changed.
	KindDeduplicated
	// KindMarkedDirty: Add found that Key is being processed; it is dirty now and will be queued again at Done.
	KindMarkedDirty
	// KindTaken: Get handed Key to Worker; it left the FIFO and dirty, and is being processed. N: length of the FIFO after it.
	KindTaken
	// KindDone: Done was called for Key. Flag: it was dirty and went back to the FIFO's tail. Worker. Dur: since it was taken. N: length of the FIFO after it.
	KindDone
	// KindWaiting: AddAfter put Key into the waiting heap. Dur: until it is due. N: length of the heap after it.
	KindWaiting
	// KindWaitingSooner: AddAfter moved a waiting Key to an earlier time. Dur: until it is due.
	KindWaitingSooner
	// KindWaitingUnchanged: AddAfter found that Key already waits, and is due no later; nothing changed.
	KindWaitingUnchanged
	// KindDue: Key fell due and left the heap; an Add follows. N: length of the heap after it.
	KindDue
	// KindRateLimited: AddRateLimited called the limiter. Key, Dur: the delay it returned, N: NumRequeues after it.
	KindRateLimited
	// KindForgotten: Forget cleared Key's failures. N: how many there were.
	KindForgotten
	// KindShuttingDown: ShutDown or ShutDownWithDrain was called. Flag: with drain.
	KindShuttingDown
)

// Event is one transition of the work queue. It contains no pointers but Key's, so that emitting one allocates nothing.
type Event struct {
	Kind   Kind
	Flag   bool
	Worker int32
	N      int
	Key    string
	Dur    time.Duration
}

// Observer receives every transition, synchronously and under the queue's lock. It must return quickly, must not call the queue, and must not keep the
// pointer.
type Observer interface {
	Observe(*Event)
}

// Gate holds a worker before it takes a key. Wait returns when the worker may go on, at the latest when ctx is done, which happens when the queue shuts
// down.
type Gate interface {
	Wait(ctx context.Context)
}
