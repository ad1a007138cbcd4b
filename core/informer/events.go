package informer

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kind names a transition inside the informer. What the fields of an Event
// mean is said at each Kind; fields that are not mentioned are zero.
type Kind uint8

// The transitions of a running informer, in the order in which the data
// flows. Unless a line says otherwise an event is emitted after the change it
// names, by the goroutine that made it, while it still holds the lock that
// guards what changed. That is what makes the fold of the events exact.
const (
	// KindNone is the zero Kind; it is never emitted.
	KindNone Kind = iota

	// KindInformerStarted: RunWithContext began. Text: the type description, Release: the release.
	KindInformerStarted
	// KindInformerStopped: RunWithContext is about to return; every goroutine of the informer has ended.
	KindInformerStopped
	// KindInformerSynced: the informer's HasSynced lamp went on: before 1.37 with the queue's, under its lock, and since then a goroutine later.
	KindInformerSynced

	// KindReflectorStarted: the Reflector's loop began. Text: its name.
	KindReflectorStarted
	// KindReflectorStopped: the Reflector's loop ended.
	KindReflectorStopped
	// KindListWatchStarted: one round of ListAndWatch began. RV: the resourceVersion it starts from, Text: why
	// it runs ("first list", or why it relists). Flag: no list was ever taken over, so that it is the first one still.
	KindListWatchStarted
	// KindRequestSent: the ListerWatcher was called. Req: its number, counted from 1; Verb: what was asked; Options: a
	// copy of the options, owned by the receiver.
	KindRequestSent
	// KindRequestAnswered: the ListerWatcher returned. Req. On success of a LIST page N: items in it, RV: the list's
	// resourceVersion, Text: the continue token. On failure Err.
	KindRequestAnswered
	// KindWatchEvent: the Reflector took an event from the watch, before it reaches any store. Req, Op, Key, RV,
	// Obj. N: objects in the temporary store after this event during a WatchList, before its end mark.
	// A bookmark has OpBookmark, no Key and no Obj; Flag: it is the end mark of the initial events.
	KindWatchEvent
	// KindWatchClosed: the watch ended. Req, N: events it brought, Dur: how long it was open, Text: why, Err: the
	// error frame or error that ended it, nil for a clean close.
	KindWatchClosed
	// KindEventDropped: the Reflector ignored an event (wrong type, no metadata). Req, Op, Text: why.
	KindEventDropped
	// KindReflectorRV: the Reflector's last sync resourceVersion moved. RV.
	KindReflectorRV
	// KindUnavailable: the Reflector's "last sync resourceVersion unavailable" flag changed. Flag.
	KindUnavailable
	// KindBackoff: the Reflector begins to wait. Dur: for how long, Text: what it will do then, Err: the cause (nil after a clean return).
	KindBackoff
	// KindBackoffEnded: the wait is over.
	KindBackoffEnded
	// KindResyncDue: the resync timer fired and a listener wants a resync; the queue's Resync is called next.
	KindResyncDue
	// KindReflectorError: an error went to the WatchErrorHandler. Err.
	KindReflectorError

	// KindQueued: a delta entered the queue. Op, Key, RV, Obj. A tombstone's last known object is in Obj and
	// Flag is set. N: length of the queue after it (RealFIFO: deltas; DeltaFIFO: keys). For
	// OpReplacedAll Items holds the list and RV its version; OpSyncAll has neither; OpBookmark has RV.
	KindQueued
	// KindMerged: DeltaFIFO merged the two newest deltas of Key into one (two Deleted). M: deltas left for the key.
	// Flag: the older one was kept (the newer was the tombstone).
	KindMerged
	// KindPopulated: the first Replace (or an event before it) populated the queue. N: initialPopulationCount.
	KindPopulated
	// KindPopped: N deltas (RealFIFO) or one key with its N deltas (DeltaFIFO: Key) left the queue's head and are
	// being processed. Flag: the queue's lock stays held meanwhile. M: length of the queue after it.
	// Text: "batch" when they are processed in one transaction, else "single".
	KindPopped
	// KindProcessed: processing of what was popped ended. N: how many deltas it was, Dur: how long it took,
	// M: initialPopulationCount after it, Err: what the process function returned.
	KindProcessed
	// KindQueueSynced: the queue's HasSynced lamp went on.
	KindQueueSynced
	// KindQueueClosed: the queue was closed.
	KindQueueClosed

	// KindStoreAdded, KindStoreUpdated and KindStoreDeleted: the Indexer changed. Op: the type of the delta that did it, for a write
	// that came through the queue (not for a delete, which only a Deleted does). Key, RV: of Obj, Obj, Old: what was stored
	// before, Indexed: the object's values in every index (not for a delete), StoreRV: the store's own resourceVersion after it
	// (always empty in releases without one). Obj of a delete is the final state it came with, or else what was stored.
	KindStoreAdded
	// KindStoreUpdated: see KindStoreAdded.
	KindStoreUpdated
	// KindStoreDeleted: see KindStoreAdded. A delete of a key that was not there is not reported.
	KindStoreDeleted
	// KindStoreReplaced: the Indexer's contents were replaced. Items: what it holds now, each with its index
	// values. N: how many, StoreRV: the store's resourceVersion.
	KindStoreReplaced
	// KindStoreBookmark: the store's resourceVersion moved without an object. StoreRV.
	KindStoreBookmark
	// KindIndexersAdded: indexers were added, also those that the store is made with. Items: every object with its Key and
	// values in *all* indices; Text: the new names, comma-separated.
	KindIndexersAdded

	// KindListenerAdded: a handler was registered. Listener: its number, counted from 1; Text: the handler's name,
	// Dur: its resync period; M: capacity of its ring; Flag: the informer was running already.
	KindListenerAdded
	// KindListenerRemoved: a handler was removed. Listener.
	KindListenerRemoved
	// KindListenerStopped: the listener's run loop ended. Listener, N: notifications thrown away.
	KindListenerStopped
	// KindListenerSyncing: shouldResync decided whether the listener takes part in resyncs now. Listener, Flag. Emitted on change only.
	KindListenerSyncing
	// KindDistributed: a notification is about to be handed to the listeners' addCh. Op (OpAdded, OpUpdated or OpDeleted), Key, RV, Flag: it is
	// in the initial list, N: listeners that get it, Text: "sync" when it only goes to syncing listeners. Obj, Old. Listener is
	// set when it goes to that one alone: the replay of the store for a handler added late.
	KindDistributed
	// KindAccepted: pop took a notification from addCh. Listener, Op, Key, RV. N: length of the ring after it, M: its
	// capacity; Flag: it went into the ring (else it waits at nextCh alone).
	KindAccepted
	// KindDelivered: pop handed its notification to nextCh. Listener, Op, Key, RV, N: length of the ring after the next one was read, Flag:
	// another one waits at nextCh.
	KindDelivered
	// KindHandling: the handler is about to be called. Listener, Op, Key, RV, Flag: in the initial list.
	KindHandling
	// KindHandled: the handler returned. Listener, Op, Key, RV, Dur; Err: a panic it recovered from.
	KindHandled
	// KindListenerSynced: the registration's HasSynced lamp went on. Listener. Before 1.37 that of a handler that was removed with nothing outstanding too.
	KindListenerSynced

	// KindExternal is the first Kind that the informer never emits. Packages that log other transitions into the
	// same log number theirs from here.
	KindExternal Kind = 128
)

// Op is the type of a delta, of a watch event, or of a notification.
type Op uint8

// The delta types of both queues. Watch events use OpAdded, OpUpdated (MODIFIED), OpDeleted and OpBookmark.
const (
	OpNone Op = iota
	OpAdded
	OpUpdated
	OpDeleted
	OpReplaced
	OpSync
	OpReplacedAll
	OpSyncAll
	OpBookmark
)

var opNames = [...]string{"", "Added", "Updated", "Deleted", "Replaced", "Sync", "ReplacedAll", "SyncAll", "Bookmark"}

// String returns the name of the delta type as client-go writes it.
func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return "Unknown"
}

// Verb is what a Reflector asks of its ListerWatcher.
type Verb uint8

// The requests of a Reflector. VerbWatchList is a WATCH with SendInitialEvents.
const (
	VerbNone Verb = iota
	VerbList
	VerbWatch
	VerbWatchList
)

var verbNames = [...]string{"", "LIST", "WATCH", "WATCHLIST"}

// String returns LIST, WATCH or WATCHLIST.
func (v Verb) String() string {
	if int(v) < len(verbNames) {
		return verbNames[v]
	}
	return "UNKNOWN"
}

// Item is one object in an event that speaks of many.
type Item struct {
	Key     string
	RV      string
	Obj     any
	Indexed []IndexValues
}

// IndexValues are the values that one index function gave for one object.
type IndexValues struct {
	Index  string
	Values []string
}

// Event is one transition inside the informer. It is flat, so that emitting
// one allocates nothing; Kind says which fields mean something. Objects are
// shared with the informer and must not be changed. Strings and slices may be
// kept.
type Event struct {
	Kind     Kind
	Op       Op
	Verb     Verb
	Flag     bool
	Listener int32
	Req      uint32
	N, M     int
	Dur      time.Duration
	Key      string
	RV       string
	StoreRV  string
	Text     string
	Release  Release
	Obj, Old any
	Err      error
	Options  *metav1.ListOptions
	Items    []Item
	Indexed  []IndexValues
}

// Observer is told of every transition. Observe is called synchronously, often
// with locks of the informer held: it must return quickly, must not call back
// into the informer and must not keep the pointer. It is called from many
// goroutines at once. An informer without an Observer pays one nil check a transition.
type Observer interface {
	Observe(*Event)
}

// TimedObserver is an Observer with a clock, which can be told of several
// transitions at once. The steps of a listener, most of all events, are
// reported so to an Observer that is one.
type TimedObserver interface {
	Observer
	// Now is the time on the Observer's clock, since whenever it likes.
	Now() time.Duration
	// ObserveAt is Observe for transitions which one goroutine made at the same
	// moment, in order, at a time that Now gave. They are lent as in Observe.
	ObserveAt(now time.Duration, es []Event)
}

// Stage is a point where Gates may make the informer wait.
type Stage uint8

// The stages of an informer that can be held. Values from StageExternal on are free for others.
const (
	// StageStore is before the Reflector stores what it received (an event, a list, a bookmark).
	StageStore Stage = iota
	// StagePop is before the process loop takes something from a queue that is not empty.
	StagePop
	// StageDeliver is before a listener's run loop calls its handler.
	StageDeliver
	// StageExternal is the first Stage the informer does not use.
	StageExternal
	// StageIndex is before a popped object is stored and its index functions run, once for each object. The queue's lock is held wherever
	// client-go of that release holds it while it processes, so that who waits here makes the Reflector wait there too.
	StageIndex Stage = 255
)

// Gates are the holds. Wait returns when the stage may go on, at the latest
// when ctx is done. It is never called with a lock held that would not be held
// there anyway. Listener is the listener's number for StageDeliver, else 0.
type Gates interface {
	Wait(ctx context.Context, stage Stage, listener int32)
}
