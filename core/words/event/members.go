package event

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

//go:generate go run ../../../tools/eventkinds

// Each struct below is what the events of a kind carry: the kind with its name, or those that its directive names. A field is kept in the member of Members
// that has its name, or that its tag names. tools/eventkinds writes from these structs how an event is made and read, and which members each kind has. A kind
// without a struct carries nothing. An event of a reused kind is reported for every object, and written into an Event that the reporter keeps.

// InformerStarted carries the type of the objects and the release.
type InformerStarted struct {
	Type    string `member:"Text"`
	Release string
}

// ReflectorStarted carries the Reflector's name.
type ReflectorStarted struct {
	Name string `member:"Text"`
}

// ListWatchStarted carries how a round of ListAndWatch begins.
type ListWatchStarted struct {
	RV    string // the version it starts from
	Why   string `member:"Text"` // "first list", or why it relists
	First bool   `member:"Flag"` // no list has been stored yet
}

// RequestSent carries a request of the Reflector.
type RequestSent struct {
	Req     uint32 // its number, from 1
	Verb    Verb
	Options *metav1.ListOptions // a copy, owned by the receiver
}

// RequestAnswered carries what the ListerWatcher returned. Items, RV and Continue are those of a page of a LIST.
type RequestAnswered struct {
	Req      uint32
	Items    int `member:"N"`
	RV       string
	Continue string `member:"Text"`
	Err      error
}

// WatchEvent carries an event of the watch.
//
//event:reused
type WatchEvent struct {
	Req       uint32
	Op        Op
	Key, RV   string // no Key for a bookmark
	Obj       any    // nil for a bookmark
	TempStore int    `member:"N"`    // objects in the temporary store of a WatchList before its end mark
	EndMark   bool   `member:"Flag"` // a bookmark that ends the initial events
}

// WatchClosed carries how a watch ended.
type WatchClosed struct {
	Req    uint32
	Events int           `member:"N"`
	Open   time.Duration `member:"Dur"` // how long it was open
	Why    string        `member:"Text"`
	Err    error         // nil for a clean close
}

// EventDropped carries why the Reflector ignored an event.
type EventDropped struct {
	Req uint32
	Op  Op
	Why string `member:"Text"`
}

// ReflectorRV carries the Reflector's last sync resourceVersion.
//
//event:reused
type ReflectorRV struct{ RV string }

// Unavailable carries whether the last sync resourceVersion is unavailable.
type Unavailable struct {
	Unavailable bool `member:"Flag"`
}

// ThenSendAgain is the Then of a wait inside one request: client-go's REST client sends it again, and the Reflector above does not know.
const ThenSendAgain = "send the request again"

// Backoff carries a wait of the Reflector, or of the client that sends its request.
type Backoff struct {
	Wait time.Duration `member:"Dur"`
	Then string        `member:"Text"` // what it does afterwards
	Err  error         // the cause; nil after a clean return
}

// ReflectorError carries the error that the WatchErrorHandler got.
type ReflectorError struct{ Err error }

// Queued carries a delta. For OpReplacedAll, Items holds the list and RV its version; OpSyncAll has neither; OpBookmark has RV.
//
//event:reused
type Queued struct {
	Op        Op
	Key, RV   string
	Obj       any  // of a tombstone, the last known object
	Tombstone bool `member:"Flag"`
	Length    int  `member:"N"` // of the queue after it: deltas of a RealFIFO, keys of a DeltaFIFO
	Items     []Item
}

// Merged carries which delta of a key is left.
type Merged struct {
	Key       string
	Deltas    int  `member:"M"`    // left for the key
	KeptOlder bool `member:"Flag"` // the older delta was kept, because it was not a tombstone
}

// Populated carries initialPopulationCount.
type Populated struct {
	Count int `member:"N"`
}

// Popped carries what left the queue's head.
type Popped struct {
	Deltas int    `member:"N"`
	Key    string // of a DeltaFIFO
	Locked bool   `member:"Flag"` // the queue's lock stays held while they are processed
	Length int    `member:"M"`    // of the queue after it
	Mode   string `member:"Text"` // "batch" if they are processed in one transaction, otherwise "single"
}

// Processed carries how processing ended.
type Processed struct {
	Deltas     int           `member:"N"`
	Took       time.Duration `member:"Dur"`
	Population int           `member:"M"` // initialPopulationCount after it
	Err        error         // of the process function
}

// Stored carries an object that was added to the Indexer, or updated in it. Op is the type of the delta, for a write that came through the queue.
//
//event:kinds StoreAdded StoreUpdated
//event:reused
type Stored struct {
	Kind     Kind
	Op       Op
	Key, RV  string
	Obj, Old any // Old was stored before
	Indexed  []IndexValues
	StoreRV  string // the store's own version after it; empty in releases without one
}

// StoreDeleted carries an object that was deleted: its final state from the delta, or else the stored object.
type StoreDeleted struct {
	Key, RV  string
	Obj, Old any
	StoreRV  string
}

// StoreReplaced carries the new contents of the Indexer.
type StoreReplaced struct {
	Items   []Item // with their index values
	Count   int    `member:"N"`
	StoreRV string
}

// StoreBookmark carries the store's resourceVersion.
type StoreBookmark struct{ StoreRV string }

// IndexersAdded carries every object, each with its values in all indices.
type IndexersAdded struct {
	Items []Item
	Names string `member:"Text"` // of the new ones, comma-separated
}

// ListenerAdded carries a new handler's listener.
type ListenerAdded struct {
	Listener int32         // its number, from 1
	Name     string        `member:"Text"`
	Resync   time.Duration `member:"Dur"`
	Capacity int           `member:"M"`    // of its ring
	Late     bool          `member:"Flag"` // the informer was already running
}

// ListenerRemoved carries which listener was removed.
type ListenerRemoved struct{ Listener int32 }

// ListenerStopped carries how many notifications were discarded.
type ListenerStopped struct {
	Listener  int32
	Discarded int `member:"N"`
}

// ListenerSyncing carries whether the listener takes part in resyncs.
type ListenerSyncing struct {
	Listener int32
	Syncing  bool `member:"Flag"`
}

// Distributed carries a notification for the listeners. Listener is set if only that one gets it: the replay of the store for a late handler.
//
//event:reused
type Distributed struct {
	Op          Op
	Key, RV     string
	InitialList bool   `member:"Flag"`
	Listeners   int    `member:"N"`    // how many get it
	Only        string `member:"Text"` // "sync" if only syncing listeners get it
	Obj, Old    any
	Listener    int32
}

// Accepted carries a notification that pop received from addCh.
//
//event:reused
type Accepted struct {
	Listener int32
	Op       Op
	Key, RV  string
	Ring     int  `member:"N"`    // length of the ring after it
	Capacity int  `member:"M"`    // of the ring
	InRing   bool `member:"Flag"` // otherwise it alone waits at nextCh
}

// Delivered carries a notification that pop sent to nextCh.
//
//event:reused
type Delivered struct {
	Listener int32
	Op       Op
	Key, RV  string
	Ring     int  `member:"N"`    // length of the ring after the next one was read
	Waiting  bool `member:"Flag"` // another one waits at nextCh
}

// Handling carries the notification with which a handler is about to be called.
//
//event:reused
type Handling struct {
	Listener    int32
	Op          Op
	Key, RV     string
	InitialList bool `member:"Flag"`
}

// Handled carries a handler's call that has returned.
//
//event:reused
type Handled struct {
	Listener int32
	Op       Op
	Key, RV  string
	Took     time.Duration `member:"Dur"`
	Err      error         // a panic that was recovered
}

// ListenerSynced carries which registration's HasSynced became true.
type ListenerSynced struct{ Listener int32 }

// WireRequest carries an HTTP request. Its number counts requests on the wire, not the Reflector's. An Unowned one is a watch of the lane's resource by a
// client that the log does not have.
type WireRequest struct {
	Req     uint32
	URL     string `member:"Text"` // path and query
	Unowned bool   `member:"Flag"`
}

// WireResponse carries the status of a response, or why there is none.
type WireResponse struct {
	Req    uint32
	Status int `member:"N"`
	Err    error
}

// WireBytes carries how many bytes of a body arrived.
type WireBytes struct {
	Req   uint32
	Bytes int `member:"N"`
}

// WireFrame carries a frame of a watch.
type WireFrame struct {
	Req     uint32
	Op      Op
	Key, RV string
	Bytes   int `member:"N"`
	Obj     any
}

// WireAhead carries how many frames of a WatchList its client has read and decoded that wait to be delivered to the Reflector. Only since 1.38.
type WireAhead struct {
	Req    uint32
	Frames int `member:"N"`
}

// WireDone carries how a body ended.
type WireDone struct {
	Req uint32
	Err error // nil after a clean end
}

// Selected carries a Selection as JSON.
type Selected struct {
	Selection string `member:"Text"`
}

// Cluster carries the simulated cluster's counters.
type Cluster struct {
	RV      string // the latest
	Oldest  string `member:"StoreRV"` // from which a watch can start
	Objects int    `member:"N"`       // of the watched resource
	Writes  int    `member:"M"`       // so far
	// Unread is how many changes of what it watches the lane's Reflector has not read, in decimal; empty if that is not known.
	Unread string `member:"Text"`
}

// Fault carries a fault that was switched, or took effect.
type Fault struct {
	Name     string        `member:"Text"`
	On       bool          `member:"Flag"` // for a fault that stays on
	Argument time.Duration `member:"Dur"`
	Struck   int           `member:"N"` // requests or connections that it hit just now
}

// Hold carries whether a stage is held.
type Hold struct {
	Stage    int `member:"N"`
	Listener int32
	Held     bool `member:"Flag"`
}

// Released carries how many items a held stage may still let through.
type Released struct {
	Stage    int `member:"N"`
	Listener int32
	Left     int `member:"M"`
}

// GateWaiting carries whether something waits at a held stage.
type GateWaiting struct {
	Stage    int `member:"N"`
	Listener int32
	Waiting  bool `member:"Flag"`
}

// HandlerSpeed carries the pace of a listener's handler.
type HandlerSpeed struct {
	Listener int32
	Extra    time.Duration `member:"Dur"` // for each call
}

// Trouble carries what is wrong with the source.
type Trouble struct {
	Explanation string        `member:"Text"`    // empty when all is well
	Cause       string        `member:"Key"`     // in one word
	Offers      []IndexValues `member:"Indexed"` // what can be tried instead, under "namespace"
	Err         error
}

// Note carries the text of a mark.
type Note struct {
	Text string
}

// Work carries a transition of the work queue, which happened under the queue's lock. N, Flag and Dur by kind:
//
//   - WorkAdded: Add put Key at the tail of the FIFO, and into dirty. N: length of the FIFO after it.
//   - WorkDeduplicated: Add found that Key is already dirty; nothing changed.
//   - WorkMarkedDirty: Add found that Key is being processed; it is dirty now and will be queued again at Done.
//   - WorkTaken: Get gave Key to Worker; it left the FIFO and dirty, and is being processed. N: length of the FIFO after it.
//   - WorkDone: Worker called Done for Key. Flag: it was dirty and went back to the FIFO's tail. Dur: since it was taken. N: as above.
//   - WorkWaiting: AddAfter put Key into the waiting heap. Dur: until it is due. N: length of the heap after it.
//   - WorkWaitingSooner: AddAfter moved a waiting Key to an earlier time. Dur: until it is due.
//   - WorkWaitingUnchanged: AddAfter found that Key already waits, and is due no later; nothing changed.
//   - WorkDue: Key fell due and left the heap; an Add follows. N: length of the heap after it.
//   - WorkRateLimited: AddRateLimited called the limiter. Dur: the delay it returned. N: NumRequeues after it.
//   - WorkForgotten: Forget cleared Key's failures. N: how many there were.
//   - WorkShuttingDown: ShutDown or ShutDownWithDrain was called. Flag: with drain.
//   - WorkPaused, WorkResumed: Pause or Resume was called. Between them Get gives nothing to a worker.
//
// An entry is a key that was added or delayed: WorkAdded, WorkDeduplicated, WorkMarkedDirty and the three WorkWaiting kinds. If it is known in which handler's
// call the entry was made, Op is the call's (OpSync for an update with equal versions), and RV, Object and UID are of its object. UID is that of a deleted
// object only. Worker is then the listener, and Lane its informer's lane, from 1; both are 0 if the log does not have that informer. Flag of an entry says
// that the worker that has the key made it: a requeue.
//
//event:kinds WorkAdded WorkDeduplicated WorkMarkedDirty WorkTaken WorkDone WorkWaiting WorkWaitingSooner WorkWaitingUnchanged
//event:kinds WorkDue WorkRateLimited WorkForgotten WorkShuttingDown WorkPaused WorkResumed
type Work struct {
	Kind   Kind
	Key    string
	N      int
	Flag   bool
	Dur    time.Duration
	Worker int32 `member:"Listener"`
	Op     Op
	RV     string
	Object string `member:"Text"`    // its key
	UID    string `member:"StoreRV"` // of a deleted object
	Lane   int    `member:"M"`       // of WorkTaken: the key's priority
}

// Reconciled carries how a reconcile ended.
type Reconciled struct {
	Key     string
	Worker  int32         `member:"Listener"`
	Took    time.Duration `member:"Dur"`
	Err     error         // when it failed
	Outcome string        `member:"Text"` // what it did
}

// ListerRead carries a read through the lister. Worker is the one that read, 0 if that is not known. Lane is that of the informer, from 1; 0 stands for the
// event's own, which is that of the work queue.
type ListerRead struct {
	Worker  int32 `member:"Listener"`
	Lane    int   `member:"M"`
	Key     string
	RV      string // the version it got; empty: not found
	Latest  string `member:"StoreRV"` // that the cluster is known to hold
	Behind  int    `member:"N"`       // how many versions, when known
	Mutated bool   `member:"Flag"`    // a handler had mutated the object
}

// ListerList carries a read of several objects through the lister, with a Worker and a Lane as ListerRead has them.
type ListerList struct {
	Worker  int32  `member:"Listener"`
	Lane    int    `member:"M"`
	Objects int    `member:"N"`    // how many it got
	Index   string `member:"Text"` // "namespace=default", or an index's name; empty: all objects
}

// ClusterWrite carries a write that a reconciler sends. Key is the one that it reconciles. Objects are what it writes, at most one object, as far as known:
// its key, and among Indexed its "resource", and its "subresource" if that is written. Without Objects it writes the object with that key. Lane is that of an
// informer of the object's resource, from 1; 0 for none.
type ClusterWrite struct {
	Key    string
	Verb   string `member:"Text"`
	RV     string // the version it read and sends
	Worker int32  `member:"Listener"`
	Lane   int    `member:"M"`

	Objects []Item `member:"Items"`
}

// ClusterWritten carries the answer to a write, with Objects and a Lane as ClusterWrite has them. An object's "uid" is among its Indexed too.
type ClusterWritten struct {
	Key    string
	Verb   string        `member:"Text"`
	Worker int32         `member:"Listener"`
	Sent   string        `member:"StoreRV"` // the version that it sent
	RV     string        // the new version
	Took   time.Duration `member:"Dur"`
	Err    error         // a conflict, or why it failed
	Lane   int           `member:"M"`

	Objects []Item `member:"Items"`
}

// Writes carries whether the controller writes, and its workers.
type Writes struct {
	On      bool `member:"Flag"`
	Workers int  `member:"N"`
}

// PredicateDropped carries a notification that a predicate threw away during the handler's call. Op is OpSync for an update with equal versions.
type PredicateDropped struct {
	Listener  int32
	Op        Op
	Key, RV   string
	Predicate string `member:"Text"` // its name
}

// Restored carries the state of a lane from which the log goes on.
type Restored struct {
	State   string `member:"Text"` // as JSON, with its lists uncut
	Items   []Item // what the store holds
	StoreRV string
}

// LaneBegun carries a LaneOf as JSON.
//
//event:kinds Lane
type LaneBegun struct {
	Informer string `member:"Text"`
}

// Factory carries the stage of a factory: started, synced, stopping or stopped.
type Factory struct {
	Stage   string `member:"Text"`
	Release string `member:"Key"` // of its informers
}

// Sampled carries a sample of a probe as JSON.
type Sampled struct {
	Sample string `member:"Text"`
}

// Mutated carries an object that a handler mutated.
type Mutated struct {
	Key, RV  string
	Listener int32
	Stored   bool   `member:"Flag"` // the store holds this object
	Obj, Old any    // now, and before the mutation
	Change   string `member:"Text"` // as JSON
	Indexed  []IndexValues
}

// Met carries a call with an object that another handler had mutated.
type Met struct {
	Key, RV  string
	Listener int32
	AsOld    bool   `member:"Flag"` // as the old object of an update
	Change   string `member:"Text"` // as JSON
}

// Crowd carries a CrowdCount as JSON.
type Crowd struct {
	Count string `member:"Text"`
}

// Audit carries a write as the API server answered it, and the object's new version, if the answer had one. An event of a write to a watched resource is of the
// first lane that watches it.
type Audit struct {
	Key, RV string
	Status  int    `member:"N"`    // of the answer
	Mark    bool   `member:"Flag"` // a person wrote this while the log was written
	Write   string `member:"Text"` // as JSON
}

// Act carries an action as a link has it, without its time: "burst:1000".
type Act struct {
	Step string `member:"Text"`
}

// ClusterObjects carries what the cluster holds of the lane's resource in the namespace that the lane watches: keys and versions alone.
type ClusterObjects struct {
	Items []Item
	// Sent is how many of the items the lane's selectors select; the others follow, and are not asked for.
	Sent int `member:"N"`
}

// ClusterChange carries a write to an object of the lane's resource in the namespace that the lane watches. RV is the new version, or that of the deletion.
type ClusterChange struct {
	Op      Op // OpAdded, OpUpdated or OpDeleted
	Key, RV string
	Unsent  bool `member:"Flag"` // the lane's selectors do not select the object, or a deleted one's last version
}
