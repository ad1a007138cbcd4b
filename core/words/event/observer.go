package event

import (
	"context"
	"time"
)

// Observer receives every transition. Observe is called synchronously, often with locks of the informer held: it must return quickly, must not call the
// informer, and must not keep the pointer. Many goroutines call it at once. Without an Observer, each transition costs one nil check.
type Observer interface {
	Observe(*Event)
}

// TimedObserver is an Observer with a clock that accepts several transitions in one call. If an Observer implements it, listeners report their steps,
// which are most of all events, with ObserveAt.
type TimedObserver interface {
	Observer
	// Now returns the time on the Observer's clock. Its zero is the Observer's choice.
	Now() time.Duration
	// ObserveAt is Observe for transitions that one goroutine made at the same moment, in order. now comes from Now. Like Observe, it must not keep the
	// events.
	ObserveAt(now time.Duration, es []Event)
}

// Stage is a point where Gates can make the informer wait.
type Stage uint8

// The stages of an informer that can be held. Values from StageExternal on are free for other packages.
const (
	// StageStore is before the Reflector stores what it received (an event, a list, a bookmark).
	StageStore Stage = iota
	// StagePop is before the process loop pops from a queue that is not empty.
	StagePop
	// StageDeliver is before a listener's run loop calls its handler.
	StageDeliver
	// StageExternal is the first Stage that the informer does not use.
	StageExternal
	// StageIndex is before a popped object is stored and its index functions run, once for each object. The queue's lock is held if client-go of that
	// release holds it while it processes. Then a wait here makes the Reflector wait, too.
	StageIndex Stage = 255
)

// Gates hold stages. Wait returns when the stage may go on, at the latest when ctx is done. It is called with a lock held only where client-go holds
// that lock, too. listener is the listener's number for StageDeliver, otherwise 0.
type Gates interface {
	Wait(ctx context.Context, stage Stage, listener int32)
}
