package fold

import (
	"strings"

	"informerscope/core/log/facts"
)

// State is what the panels show: the fold of a prefix of the log. Its JSON is what informerscope.state() returns. Long lists are cut; their full length is in
// a member beside them.
type State struct {
	Seq       uint64     `json:"seq"`
	AtMillis  float64    `json:"atMillis"`
	Source    Source     `json:"source"`
	Release   string     `json:"era"`
	Running   bool       `json:"running"` // the informer runs
	Synced    bool       `json:"synced"`  // the informer's HasSynced lamp
	Resource  Resource   `json:"resource"`
	API       API        `json:"api"`
	World     World      `json:"world"`
	Reflector Reflector  `json:"reflector"`
	Queue     Queue      `json:"queue"`
	Indexer   Indexer    `json:"indexer"`
	Listeners []Listener `json:"listeners"`
	Workqueue *Workqueue `json:"workqueue"`
	Holds     []Hold     `json:"holds"`
	Faults    []Fault    `json:"faults"`
	// Fidelity maps paths of State's members to how they are known, if the informer is in another program. A member without an entry has its parent's. An
	// empty map means that everything is exact.
	Fidelity map[string]Fidelity `json:"fidelity"`
	Recent   *Recent             `json:"recent,omitempty"`   // only in a log's KindRestored
	Unshared bool                `json:"unshared,omitempty"` // the informer does not belong to its factory
	Shard    string              `json:"shard,omitempty"`    // the part of the objects that the informer asks for, such as "1/2"
	Stage    string              `json:"stage,omitempty"`    // of the factory, if reported: started, synced, stopping, stopped
	Lanes    []*State            `json:"lanes,omitempty"`    // with several informers: every lane, including the one at the top
	// Fork is how the lanes of a fork differ; only in a log's KindRestored.
	Fork *facts.Fork `json:"fork,omitempty"`
}

// Fidelity is how a member of the State is known.
type Fidelity struct {
	How string `json:"how"` // exact, derived (from exact members), sampled (now and then) or unseen
	Why string `json:"why,omitempty"`
}

// FidelityOf returns how a member of State is known: by its own entry, or by that of its nearest parent. It is empty if there is none.
func FidelityOf(known map[string]Fidelity, member string) Fidelity {
	for path := member; path != ""; path = path[:max(0, strings.LastIndexByte(path, '.'))] {
		if f, ok := known[path]; ok {
			return f
		}
	}
	return Fidelity{}
}

// Source is where the objects come from.
type Source struct {
	Kind    string `json:"kind"` // "sim", "live", "probe", "file", "broadcast"
	Context string `json:"context,omitempty"`
	// Cluster, User, Server (host and port) and Namespace (the context's default) come from a live context's kubeconfig, as known when the log began.
	Cluster   string  `json:"cluster,omitempty"`
	User      string  `json:"user,omitempty"`
	Server    string  `json:"server,omitempty"`
	Namespace string  `json:"namespace,omitempty"`
	Simulated bool    `json:"simulated,omitempty"` // the live context is the simulated cluster in the server's process
	Seed      uint64  `json:"seed,omitempty"`
	Objects   int     `json:"objects,omitempty"`
	Rate      float64 `json:"rate,omitempty"`
	Trouble   string  `json:"trouble,omitempty"` // whole sentences for the user; empty when all is well
	Cause     string  `json:"cause,omitempty"`   // of the trouble, in one word; see docs/dev/protocol.md
	Offer     *Offer  `json:"offer,omitempty"`   // what can be tried instead
}

// Offer is what a user in trouble can choose with one click.
type Offer struct {
	Namespace string `json:"namespace,omitempty"`
}

// Resource is the watched resource.
type Resource struct {
	Group     string `json:"group"`
	Version   string `json:"version"`
	Resource  string `json:"resource"`
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace"`
}

// API is the API server as the wire (and a simulated cluster) shows it.
type API struct {
	ResourceVersion string        `json:"resourceVersion"`  // the highest known
	Oldest          string        `json:"oldest,omitempty"` // the oldest version in the history; simulated cluster only
	Objects         int           `json:"objects"`          // of the resource in the cluster, of every namespace and label; -1 when unknown
	Writes          int           `json:"writes"`           // so far; simulated cluster only
	WritesPerSecond float64       `json:"writesPerSecond"`  // over the last seconds of the log: writes, or frames where writes are unknown
	Requests        []WireRequest `json:"requests"`         // open now, and the last one that ended
	Wire            []Frame       `json:"wire"`             // newest first
	Refused         int           `json:"refused"`          // requests of this informer that were answered 429
	// Crowd is a simulated cluster's other clients, and the load they cause; absent while there are none.
	Crowd *Crowd `json:"crowd,omitempty"`
}

// World is what the cluster holds of the resource in the watched namespace, and how far the store is apart from it.
type World struct {
	// Known is how: "written", the log has each write at its time, or "seen", it has what came over the wire, so what did not come is not known. Empty:
	// nothing is known yet.
	Known   string `json:"known" web:"written|seen|"`
	Objects int    `json:"objects"`
	Unsent  int    `json:"unsent"` // of them, not asked for by this informer: another shard has them, or its selector does not select them
	// Apart is how many changes the store does not have yet, of ApartObjects objects; the oldest of them was written, or seen, at OldestMillis. A change
	// counts until the store has that version of the object or a newer one, a deletion until the object is gone.
	// An object that a server with older data took back to an earlier version counts as one change.
	Apart        int      `json:"apart"`
	ApartObjects int      `json:"apartObjects"`
	OldestMillis *float64 `json:"oldestMillis,omitempty"` // missing: they are the same
	// CameMillis is when something last came over the wire; missing if nothing has, or if each write is known. What is seen is no newer than that.
	CameMillis *float64 `json:"cameMillis,omitempty"`
	Watched    bool     `json:"watched"` // the Reflector has a watch, as far as it knows
	// Differences are the objects that are not in the store as the cluster has them, and those that changed; only in a log's KindRestored.
	Differences []WorldObject `json:"differences,omitempty"`
}

// WorldObject is an object of the cluster, or one that is gone from there and still in the store.
type WorldObject struct {
	Key      string        `json:"key"`
	RV       string        `json:"rv,omitempty"` // empty: it is gone
	Unsent   bool          `json:"unsent,omitempty"`
	AtMillis float64       `json:"atMillis,omitempty"` // of this version
	Changes  []WorldChange `json:"changes,omitempty"`  // that the store does not have
}

// WorldChange is a change that the store does not have, or N that are counted together.
type WorldChange struct {
	Op       string  `json:"op"`
	RV       string  `json:"rv"`
	AtMillis float64 `json:"atMillis"`
	N        int     `json:"n"`
}

// WireRequest is one HTTP request.
type WireRequest struct {
	ID         uint32  `json:"id"`
	URL        string  `json:"url"`
	Verb       string  `json:"verb" web:"LIST|WATCH|WatchList"`
	Continues  bool    `json:"continues,omitempty"` // it asks for a further page of a LIST
	Unowned    bool    `json:"unowned,omitempty"`   // a watch of a client that the log does not have
	Status     int     `json:"status"`              // 0 while unanswered
	Open       bool    `json:"open"`
	SentMillis float64 `json:"sentMillis"`
	Bytes      int     `json:"bytes"`
	Frames     int     `json:"frames"`
	Ahead      int     `json:"ahead,omitempty"` // of a WatchList: frames that its client has read ahead, and not delivered yet
	Error      string  `json:"error,omitempty"`
}

// Frame is one watch frame.
type Frame struct {
	Seq   uint64 `json:"seq"`
	Op    string `json:"op"`
	Key   string `json:"key,omitempty"`
	RV    string `json:"rv"`
	Bytes int    `json:"bytes"`
	// AtMillis is when it arrived over the wire.
	AtMillis float64 `json:"atMillis"`
}

// Reflector is the Reflector's state.
type Reflector struct {
	Phase           string    `json:"phase"` // idle, listing, watch-listing, watching, backoff, stopped
	ResourceVersion string    `json:"resourceVersion"`
	Lists           int       `json:"lists"`   // LIST requests sent, including pages
	Watches         int       `json:"watches"` // WATCH requests sent, including WatchLists
	Relists         int       `json:"relists"` // rounds of ListAndWatch that began after a list had been taken over
	Events          int       `json:"events"`
	Bookmarks       int       `json:"bookmarks"`
	Dropped         int       `json:"dropped"`
	Bytes           int       `json:"bytes"`
	LastRequest     string    `json:"lastRequest"`    // URL as sent
	Verb            string    `json:"verb"`           // of the last request: LIST, WATCH, WATCHLIST
	RequestMillis   float64   `json:"requestMillis"`  // when it was sent
	TimeoutSeconds  int64     `json:"timeoutSeconds"` // of an open watch
	LastError       string    `json:"lastError"`
	LastErrorMillis float64   `json:"lastErrorMillis"`
	Why             string    `json:"why"`           // why the current round of ListAndWatch runs
	BackoffMillis   float64   `json:"backoffMillis"` // length of the current wait, 0 when there is none
	BackoffSince    float64   `json:"backoffSince"`  // when it began
	BackoffCause    string    `json:"backoffCause"`
	BackoffThen     string    `json:"backoffThen"` // what follows: "watch again", "list and watch again" or "send the request again".
	Backoffs        []float64 `json:"backoffs"`    // the waits of the current outage, in ms, oldest first (at most 16)
	TempStore       int       `json:"tempStore"`   // objects in the WatchList's temporary store
	Resyncs         int       `json:"resyncs"`
	Unavailable     bool      `json:"unavailable"`
	// Unread is how many changes of what it watches it has not read. Absent where that is unknown: only the page's own simulated cluster counts them.
	Unread *int `json:"unread,omitempty"`
}

// Queue is the DeltaFIFO or the RealFIFO.
type Queue struct {
	Kind              string         `json:"kind"`    // RealFIFO or DeltaFIFO
	Depth             int            `json:"depth"`   // deltas (RealFIFO) or keys (DeltaFIFO)
	Waiting           int            `json:"waiting"` // Depth without bookmarks, which are about no object
	Synced            bool           `json:"synced"`
	Locked            bool           `json:"locked"` // held while popped deltas are processed
	Closed            bool           `json:"closed"`
	InitialPopulation int            `json:"initialPopulation"`
	Items             []QueueItem    `json:"items"` // the head of the queue, in order, at most 48
	Batch             []QueueItem    `json:"batch"` // popped and being processed, at most 24
	BatchSize         int            `json:"batchSize"`
	LastBatchSize     int            `json:"lastBatchSize"`       // popped last
	LastBatch         []QueueItem    `json:"lastBatch,omitempty"` // its items; only in a log's KindRestored
	Mix               map[string]int `json:"mix"`                 // deltas in the queue by type
	Pops              int            `json:"pops"`
	RunPops           int            `json:"runPops"` // since the queue was last empty
}

// QueueItem is a delta in a RealFIFO, or a key with its Deltas in a DeltaFIFO.
type QueueItem struct {
	Seq       uint64      `json:"seq"` // of the event that queued it, or its newest delta
	Op        string      `json:"op,omitempty"`
	Key       string      `json:"key,omitempty"`
	RV        string      `json:"rv,omitempty"`
	Count     int         `json:"count,omitempty"` // objects in a ReplacedAll
	Tombstone bool        `json:"tombstone,omitempty"`
	Deltas    []QueueItem `json:"deltas,omitempty"`
}

// Indexer is the store and its indices.
type Indexer struct {
	Count int `json:"count"`
	// Bytes is the size of all objects in JSON bytes, as the store holds them; CameBytes is their size on arrival, before the Transform.
	Bytes           int64                     `json:"bytes"`
	CameBytes       int64                     `json:"cameBytes"`
	Transform       string                    `json:"transform"` // managedFields or metadata; empty: objects are stored unchanged
	ResourceVersion string                    `json:"resourceVersion"`
	Indices         map[string]map[string]int `json:"indices"`    // index → value → objects, at most 512 values of each
	IndexSizes      map[string]int            `json:"indexSizes"` // index → number of its values
	Replaces        int                       `json:"replaces"`
	// Reborn counts updates that replaced an object by one with the same key and another UID.
	Reborn int `json:"reborn"`
	// Mutated counts the objects that a handler mutated since they arrived; Mutations are the newest mutations, at most 24.
	Mutated   int        `json:"mutated"`
	Mutations []Mutation `json:"mutations"`
	// StrayCount counts the index entries that mutated objects left behind; Strays are the newest ones, at most 24.
	StrayCount int     `json:"strayCount"`
	Strays     []Stray `json:"strays"`
}

// Listener is one processorListener with its handler.
type Listener struct {
	ID            int32      `json:"id"`
	Name          string     `json:"name"`
	Pending       int        `json:"pending"`    // accepted, not yet sent to nextCh: the ring and the one that waits
	Ring          int        `json:"ring"`       // in the ring
	Capacity      int        `json:"capacity"`   // of the ring
	Capacities    []int      `json:"capacities"` // earlier ones, oldest first
	Waiting       bool       `json:"waiting"`    // one notification waits at nextCh
	Distributed   int        `json:"distributed"`
	Delivered     int        `json:"delivered"`
	Given         *QueueItem `json:"given,omitempty"` // the one delivered last
	Handled       int        `json:"handled"`
	Panics        int        `json:"panics"`
	LastPanic     string     `json:"lastPanic,omitempty"`
	Handling      *QueueItem `json:"handling"` // what the handler is handling
	HandlingSince float64    `json:"handlingSince"`
	MeanMicros    float64    `json:"meanMicros"` // over the last calls, at most 16
	PaceMillis    float64    `json:"paceMillis"` // extra time per call, set by the user
	ResyncMillis  float64    `json:"resyncMillis"`
	Syncing       bool       `json:"syncing"`
	Synced        bool       `json:"synced"`
	Removed       bool       `json:"removed"`
	Discarded     int        `json:"discarded"` // notifications thrown away when it stopped
	Mutations     int        `json:"mutations"` // shared objects that its handler mutated
	Met           int        `json:"met"`       // calls of its handler with an object that another handler had mutated
	MetOld        int        `json:"metOld"`    // calls of OnUpdate whose old object was such a one
	LastMet       *Met       `json:"lastMet,omitempty"`
	// Drops are what each predicate of the handler threw away, in order of the first one, at most 16. Drops of further predicates are in the last one.
	Drops []Drop `json:"drops,omitempty"`
}

// Drop is what one predicate threw away of what a handler was called with.
type Drop struct {
	Predicate string    `json:"predicate"` // its name; "…" for several
	Added     int       `json:"added,omitempty"`
	Updated   int       `json:"updated,omitempty"`
	Deleted   int       `json:"deleted,omitempty"`
	Synced    int       `json:"synced,omitempty"` // updates with equal versions
	Last      QueueItem `json:"last"`             // the newest that it threw away
}

// Workqueue is the controller behind one listener.
type Workqueue struct {
	Workers      []Worker          `json:"workers"`
	Depth        int               `json:"depth"`
	Queue        []string          `json:"queue"` // head first, at most 24
	Processing   []Worker          `json:"processing"`
	DirtyCount   int               `json:"dirtyCount"`
	ReAdded      int               `json:"reAdded"` // added again while being processed
	WaitingCount int               `json:"waitingCount"`
	Waiting      []WaitingKey      `json:"waiting"`           // soonest first, at most 24
	Retries      int               `json:"retries"`           // keys with failures
	Failing      map[string]int    `json:"failing,omitempty"` // keys with failures, and how many; only in a log's KindRestored
	Whys         map[string]string `json:"whys,omitempty"`    // the errors of their last reconciles, by key; only there
	Dirty        []string          `json:"dirty"`             // keys added again while being processed, at most 24
	Reconciles   int               `json:"reconciles"`
	Failures     int               `json:"failures"`
	LastRead     *Read             `json:"lastRead"`
	Writing      bool              `json:"writing"`    // it writes to the cluster: on the simulated one, unless switched off
	Writes       int               `json:"writes"`     // writes that made a new version
	Conflicts    int               `json:"conflicts"`  // writes refused because the version read was stale
	WriteFails   int               `json:"writeFails"` // writes that failed for another reason
	Creates      int               `json:"creates"`    // objects that it created, which are not among the writes
	Taken        int               `json:"taken"`      // creates refused because an object has the name: AlreadyExists
	LastWrite    *Write            `json:"lastWrite,omitempty"`
	ShuttingDown bool              `json:"shuttingDown"`
	Paused       bool              `json:"paused,omitempty"` // Get gives nothing to a worker until Resume: of a probe's queue, since client-go 0.38
}

// WaitingKeys returns the keys that wait for a worker, the oldest first.
func (s *State) WaitingKeys() []string {
	if s.Workqueue == nil {
		return nil
	}
	return s.Workqueue.Queue
}

// Worker is a worker and the key it works on.
type Worker struct {
	ID          int32   `json:"id"`
	Key         string  `json:"key,omitempty"`
	SinceMillis float64 `json:"sinceMillis"`
}

// WaitingKey is a key in the waiting heap.
type WaitingKey struct {
	Key       string  `json:"key"`
	DueMillis float64 `json:"dueMillis"` // on the log's clock
	SetMillis float64 `json:"setMillis"`
	Failures  int     `json:"failures"`
	Why       string  `json:"why,omitempty"` // the error of its last reconcile
}

// Read is a lister read.
type Read struct {
	Key      string  `json:"key"`
	RV       string  `json:"rv"`
	Latest   string  `json:"latest,omitempty"`
	Behind   int     `json:"behind"`
	Mutated  bool    `json:"mutated,omitempty"` // a handler had mutated the object
	AtMillis float64 `json:"atMillis"`
}

// Write is a write of a worker. Until it is answered, Open is true.
type Write struct {
	Key      string  `json:"key"`              // that it reconciles
	Object   string  `json:"object,omitempty"` // the key of what it writes, if that is known to be another
	Verb     string  `json:"verb"`
	Worker   int32   `json:"worker"`
	RV       string  `json:"rv"`              // the version that was read and sent
	NewRV    string  `json:"newRV,omitempty"` // the version that the write made
	Open     bool    `json:"open,omitempty"`
	Code     int     `json:"code,omitempty"` // of an error from the API server: 409 is a conflict
	Error    string  `json:"error,omitempty"`
	AtMillis float64 `json:"atMillis"` // when it was sent, or answered
}

// Hold is a stage on hold.
type Hold struct {
	Stage       string  `json:"stage" web:"store|pop|deliver|take"`
	Listener    int32   `json:"listener,omitempty"`
	Waiting     bool    `json:"waiting"`
	SinceMillis float64 `json:"sinceMillis"`
	Releases    int     `json:"releases"` // released while held
}

// Fault is a fault that is on, or was.
type Fault struct {
	Name     string  `json:"name"`
	On       bool    `json:"on"`
	Struck   int     `json:"struck"`
	AtMillis float64 `json:"atMillis"`
}
