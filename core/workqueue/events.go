package workqueue

import (
	"context"
	"time"
)

// Kind names a transition inside the work queue.
type Kind uint8

// The transitions. Each is emitted after the change it names, while the lock that guards what changed is held.
const (
	// KindNone is never emitted.
	KindNone Kind = iota
	// KindAdded: Add put Key at the tail of the FIFO (and into dirty). N: length of the FIFO after it.
	KindAdded
	// KindDeduplicated: Add found Key dirty already; nothing changed.
	KindDeduplicated
	// KindMarkedDirty: Add found Key being processed; it is dirty now and will be queued again at Done.
	KindMarkedDirty
	// KindTaken: Get handed Key to Worker; it left the FIFO and dirty, and is being processed. N: length of the FIFO after it.
	KindTaken
	// KindDone: Done was called for Key. Flag: it was dirty and went back to the FIFO's tail. Worker. Dur: since it was taken. N: length of the FIFO after it.
	KindDone
	// KindWaiting: AddAfter put Key into the waiting heap. Dur: until it is due. N: length of the heap after it.
	KindWaiting
	// KindWaitingSooner: AddAfter moved a waiting Key to an earlier time. Dur: until it is due.
	KindWaitingSooner
	// KindWaitingUnchanged: AddAfter found Key waiting with an earlier time; nothing changed.
	KindWaitingUnchanged
	// KindDue: Key's time has come; it leaves the heap, Add follows. N: length of the heap after it.
	KindDue
	// KindRateLimited: AddRateLimited asked the limiter. Key, Dur: the delay it gave, N: NumRequeues after it.
	KindRateLimited
	// KindForgotten: Forget cleared Key's failures. N: how many there were.
	KindForgotten
	// KindShuttingDown: ShutDown or ShutDownWithDrain was called. Flag: with drain.
	KindShuttingDown
)

// Event is one transition of the work queue. It is flat, so that emitting one allocates nothing.
type Event struct {
	Kind   Kind
	Flag   bool
	Worker int32
	N      int
	Key    string
	Dur    time.Duration
}

// Observer is told of every transition, synchronously and under the queue's lock: it must return quickly, must not call
// back and must not keep the pointer.
type Observer interface {
	Observe(*Event)
}

// Gate is the hold before a worker takes a key. Wait returns when it may, at the latest when ctx is done or the queue shuts down.
type Gate interface {
	Wait(ctx context.Context)
}
