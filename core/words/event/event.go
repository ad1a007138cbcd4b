package event

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kind names a transition. members.go says what the events of each kind carry.
type Kind uint8

// The transitions of a running informer, in the order in which the data flows. Unless stated otherwise, an event is emitted after the change that it
// names, by the goroutine that made it, while that goroutine still holds the lock of the changed state. That makes the fold of the events exact.
const (
	// KindNone is the zero Kind; it is never emitted.
	KindNone Kind = iota

	// KindInformerStarted: RunWithContext began.
	KindInformerStarted
	// KindInformerStopped: RunWithContext is about to return; every goroutine of the informer has ended.
	KindInformerStopped
	// KindInformerSynced: the informer's HasSynced became true: before 1.37 together with the queue's, under its lock; since then a goroutine does it later.
	KindInformerSynced

	// KindReflectorStarted: the Reflector's loop began.
	KindReflectorStarted
	// KindReflectorStopped: the Reflector's loop ended.
	KindReflectorStopped
	// KindListWatchStarted: one round of ListAndWatch began.
	KindListWatchStarted
	// KindRequestSent: the ListerWatcher was called.
	KindRequestSent
	// KindRequestAnswered: the ListerWatcher returned.
	KindRequestAnswered
	// KindWatchEvent: the Reflector received an event from the watch; it is not stored yet.
	KindWatchEvent
	// KindWatchClosed: the watch ended.
	KindWatchClosed
	// KindEventDropped: the Reflector ignored an event (wrong type, no metadata).
	KindEventDropped
	// KindReflectorRV: the Reflector's last sync resourceVersion changed.
	KindReflectorRV
	// KindUnavailable: the Reflector's "last sync resourceVersion unavailable" flag changed.
	KindUnavailable
	// KindBackoff: the Reflector begins to wait.
	KindBackoff
	// KindBackoffEnded: the wait is over.
	KindBackoffEnded
	// KindResyncDue: the resync timer fired and a listener wants a resync; the queue's Resync is called next.
	KindResyncDue
	// KindReflectorError: the WatchErrorHandler was called with an error.
	KindReflectorError

	// KindQueued: a delta entered the queue.
	KindQueued
	// KindMerged: DeltaFIFO merged the two newest deltas of a key, both Deleted, into one.
	KindMerged
	// KindPopulated: the first Replace (or an event before it) populated the queue.
	KindPopulated
	// KindPopped: deltas (RealFIFO), or one key with its deltas (DeltaFIFO), left the queue's head and are being processed.
	KindPopped
	// KindProcessed: processing of the popped deltas ended.
	KindProcessed
	// KindQueueSynced: the queue's HasSynced became true.
	KindQueueSynced
	// KindQueueClosed: the queue was closed.
	KindQueueClosed

	// KindStoreAdded: the Indexer has a new object.
	KindStoreAdded
	// KindStoreUpdated: the Indexer has a new version of an object, or the same one again.
	KindStoreUpdated
	// KindStoreDeleted: an object left the Indexer. A delete of a key that was not there is not reported.
	KindStoreDeleted
	// KindStoreReplaced: the Indexer's contents were replaced.
	KindStoreReplaced
	// KindStoreBookmark: the store's resourceVersion advanced without an object.
	KindStoreBookmark
	// KindIndexersAdded: indexers were added, including those with which the store is created.
	KindIndexersAdded

	// KindListenerAdded: a handler was registered.
	KindListenerAdded
	// KindListenerRemoved: a handler was removed.
	KindListenerRemoved
	// KindListenerStopped: the listener's run loop ended.
	KindListenerStopped
	// KindListenerSyncing: shouldResync decided whether the listener takes part in resyncs now. Emitted on change only.
	KindListenerSyncing
	// KindDistributed: a notification is about to go to the listeners' addCh.
	KindDistributed
	// KindAccepted: pop received a notification from addCh.
	KindAccepted
	// KindDelivered: pop sent its notification to nextCh.
	KindDelivered
	// KindHandling: the handler is about to be called.
	KindHandling
	// KindHandled: the handler returned.
	KindHandled
	// KindListenerSynced: the registration's HasSynced became true. Before 1.37 also that of a handler that was removed with nothing outstanding.
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

// StoreOp returns what an event of the store did with one object: OpAdded, OpUpdated, OpDeleted; OpNone if its kind is another.
func StoreOp(k Kind) Op {
	switch k {
	case KindStoreAdded:
		return OpAdded
	case KindStoreUpdated:
		return OpUpdated
	case KindStoreDeleted:
		return OpDeleted
	}
	return OpNone
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

// IndexValue returns the first value that the first item has in an index, "" for none.
func IndexValue(items []Item, index string) string {
	if len(items) == 0 {
		return ""
	}
	for _, x := range items[0].Indexed {
		if x.Index == index && len(x.Values) > 0 {
			return x.Values[0]
		}
	}
	return ""
}

// Event is one transition inside an informer, of a work queue, or of their surroundings. It is flat, so that making one allocates nothing. The accessor of its
// kind returns what it carries: see members.go. Objects are shared with the informer and must not be changed. Receivers may keep strings and slices.
type Event struct {
	Kind Kind
	raw  Members
}

// Members are all that events of any kind carry; members.go says which of them a kind has, and what they mean in it. Only what treats all kinds alike, as a
// file does, needs them.
type Members struct {
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
	Release  string
	Obj, Old any
	Err      error
	Options  *metav1.ListOptions
	Items    []Item
	Indexed  []IndexValues
}

// New returns an event of a kind. Members that the kind does not have must be zero.
func New(kind Kind, m Members) Event { return Event{kind, m} }

// Members returns a copy of all members.
func (e *Event) Members() Members { return e.raw }

// The following members mean the same in every kind that has them; they are zero in the others.

// Key returns the key of the event's object.
func (e *Event) Key() string { return e.raw.Key }

// RV returns the resourceVersion of the event's object, list or store.
func (e *Event) RV() string { return e.raw.RV }

// Op returns the event's operation.
func (e *Event) Op() Op { return e.raw.Op }

// Listener returns the number of the event's listener or worker.
func (e *Event) Listener() int32 { return e.raw.Listener }

// Req returns the number of the event's request.
func (e *Event) Req() uint32 { return e.raw.Req }

// Err returns the event's error.
func (e *Event) Err() error { return e.raw.Err }
