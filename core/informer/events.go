package informer

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kind names a transition inside the informer. Each Kind documents what the fields of its Event mean; fields that are not mentioned are zero.
type Kind uint8

// The transitions of a running informer, in the order in which the data flows. Unless stated otherwise, an event is emitted after the change that it
// names, by the goroutine that made it, while that goroutine still holds the lock of the changed state. That makes the fold of the events exact.
const (
	// KindNone is the zero Kind; it is never emitted.
	KindNone Kind = iota

	// KindInformerStarted: RunWithContext began. Text: the type description, Release: the release.
	KindInformerStarted
	// KindInformerStopped: RunWithContext is about to return; every goroutine of the informer has ended.
	KindInformerStopped
	// KindInformerSynced: the informer's HasSynced became true: before 1.37 together with the queue's, under its lock; since then a goroutine does it
	// later.
	KindInformerSynced

	// KindReflectorStarted: the Reflector's loop began. Text: its name.
	KindReflectorStarted
	// KindReflectorStopped: the Reflector's loop ended.
	KindReflectorStopped
	// KindListWatchStarted: one round of ListAndWatch began. RV: the resourceVersion it starts from, Text: why it runs ("first list", or why it
	// relists). Flag: no list has been stored yet, so this is still the first.
	KindListWatchStarted
	// KindRequestSent: the ListerWatcher was called. Req: its number, counted from 1; Verb: the kind of request; Options: a copy of the options, owned
	// by the receiver.
	KindRequestSent
	// KindRequestAnswered: the ListerWatcher returned. Req. If a LIST page succeeded, N: its items, RV: the list's resourceVersion, Text: the continue
	// token. If a request failed, Err.
	KindRequestAnswered
	// KindWatchEvent: the Reflector received an event from the watch; it is not stored yet. Req, Op, Key, RV, Obj. N: objects in the temporary store
	// after this event during a WatchList, before its end mark. A bookmark has OpBookmark, no Key and no Obj; Flag: it is the end mark of the initial
	// events.
	KindWatchEvent
	// KindWatchClosed: the watch ended. Req, N: its events, Dur: how long it was open, Text: why it ended, Err: the error frame or error that ended it,
	// nil for a clean close.
	KindWatchClosed
	// KindEventDropped: the Reflector ignored an event (wrong type, no metadata). Req, Op, Text: why.
	KindEventDropped
	// KindReflectorRV: the Reflector's last sync resourceVersion changed. RV.
	KindReflectorRV
	// KindUnavailable: the Reflector's "last sync resourceVersion unavailable" flag changed. Flag.
	KindUnavailable
	// KindBackoff: the Reflector begins to wait. Dur: for how long, Text: what it does afterwards, Err: the cause (nil after a clean return).
	KindBackoff
	// KindBackoffEnded: the wait is over.
	KindBackoffEnded
	// KindResyncDue: the resync timer fired and a listener wants a resync; the queue's Resync is called next.
	KindResyncDue
	// KindReflectorError: the WatchErrorHandler was called with an error. Err.
	KindReflectorError

	// KindQueued: a delta entered the queue. Op, Key, RV, Obj. If it is a tombstone, Flag is set and Obj is the last known object. N: length of the
	// queue after it (RealFIFO: deltas; DeltaFIFO: keys). For OpReplacedAll, Items holds the list and RV its version; OpSyncAll has neither; OpBookmark
	// has RV.
	KindQueued
	// KindMerged: DeltaFIFO merged the two newest deltas of Key into one (two Deleted). M: deltas left for the key. Flag: the older one was kept, which
	// was not a tombstone.
	KindMerged
	// KindPopulated: the first Replace (or an event before it) populated the queue. N: initialPopulationCount.
	KindPopulated
	// KindPopped: N deltas (RealFIFO), or one key with its N deltas (DeltaFIFO: Key), left the queue's head and are being processed. Flag: the queue's
	// lock stays held meanwhile. M: length of the queue after it. Text: "batch" if they are processed in one transaction, otherwise "single".
	KindPopped
	// KindProcessed: processing of the popped deltas ended. N: their number, Dur: how long it took, M: initialPopulationCount after it, Err: the error
	// of the process function.
	KindProcessed
	// KindQueueSynced: the queue's HasSynced became true.
	KindQueueSynced
	// KindQueueClosed: the queue was closed.
	KindQueueClosed

	// KindStoreAdded, KindStoreUpdated and KindStoreDeleted: the Indexer changed. Op: the type of the delta that caused it, for a write that came
	// through the queue (not for a delete, which only a Deleted causes). Key, RV: of Obj, Obj, Old: the object stored before, Indexed: the object's
	// values in every index (not for a delete). StoreRV: the store's own resourceVersion after it, always empty in releases without one. For a delete,
	// Obj is the final state from the delta, or else the stored object.
	KindStoreAdded
	// KindStoreUpdated: see KindStoreAdded.
	KindStoreUpdated
	// KindStoreDeleted: see KindStoreAdded. A delete of a key that was not there is not reported.
	KindStoreDeleted
	// KindStoreReplaced: the Indexer's contents were replaced. Items: the new contents, each with its index values. N: how many, StoreRV: the store's
	// resourceVersion.
	KindStoreReplaced
	// KindStoreBookmark: the store's resourceVersion advanced without an object. StoreRV.
	KindStoreBookmark
	// KindIndexersAdded: indexers were added, including those with which the store is created. Items: every object with its Key and values in *all*
	// indices; Text: the new names, comma-separated.
	KindIndexersAdded

	// KindListenerAdded: a handler was registered. Listener: its number, counted from 1; Text: the handler's name, Dur: its resync period; M: capacity
	// of its ring; Flag: the informer was already running.
	KindListenerAdded
	// KindListenerRemoved: a handler was removed. Listener.
	KindListenerRemoved
	// KindListenerStopped: the listener's run loop ended. Listener, N: notifications discarded.
	KindListenerStopped
	// KindListenerSyncing: shouldResync decided whether the listener takes part in resyncs now. Listener, Flag. Emitted on change only.
	KindListenerSyncing
	// KindDistributed: a notification is about to go to the listeners' addCh. Op (OpAdded, OpUpdated or OpDeleted), Key, RV, Flag: it is in the initial
	// list, N: listeners that get it, Text: "sync" if only syncing listeners get it. Obj, Old. Listener is set if only that one gets it: the replay of
	// the store for a handler that was added late.
	KindDistributed
	// KindAccepted: pop received a notification from addCh. Listener, Op, Key, RV. N: length of the ring after it, M: its capacity; Flag: it went into
	// the ring (otherwise it alone waits at nextCh).
	KindAccepted
	// KindDelivered: pop sent its notification to nextCh. Listener, Op, Key, RV, N: length of the ring after the next one was read, Flag: another one
	// waits at nextCh.
	KindDelivered
	// KindHandling: the handler is about to be called. Listener, Op, Key, RV, Flag: in the initial list.
	KindHandling
	// KindHandled: the handler returned. Listener, Op, Key, RV, Dur; Err: a panic that was recovered.
	KindHandled
	// KindListenerSynced: the registration's HasSynced became true. Listener. Before 1.37 also that of a handler that was removed with nothing
	// outstanding.
	KindListenerSynced

	// KindExternal is the first Kind that the informer never emits. Packages that write other transitions into the same log number theirs from here.
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

// Verb is the kind of a Reflector's request to its ListerWatcher.
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

// Item is one object in an event about several objects.
type Item struct {
	Key     string
	RV      string
	Obj     any
	Indexed []IndexValues
}

// IndexValues are the values that one index function returned for one object.
type IndexValues struct {
	Index  string
	Values []string
}

// Event is one transition inside the informer. It is flat, so that emitting one allocates nothing; its Kind documents which fields have a meaning.
// Objects are shared with the informer and must not be changed. Receivers may keep strings and slices.
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
