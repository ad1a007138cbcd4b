package trace

// Facts are what is true of a lane at the moment shown, beside its State: all that a panel shows and a sentence says and that is not a
// member of State as it is. The viewer computes them from the Fold and the moment alone (see core/view), so that they are the same at a
// moment whichever way one came there: live, back and forth, after a jump, on a recording.
type Facts struct {
	// Sure: news would come if there were any, so what agrees may be said to agree and what is newest to be current.
	Sure bool `json:"sure"`
	// UpToDate: all that is known of the objects in the cluster is in the store, so what a lister reads now is the newest: nothing is on the
	// wire, held before the queue, in it, or being processed.
	UpToDate bool `json:"upToDate"`
	// Unlisted: the first list has not come. The store never held what the cluster has, so nothing in it is old.
	Unlisted bool `json:"unlisted"`
	// StaleSince is since when the store has had no news and can have had none, in ms of the log; 0 while it can.
	StaleSince float64 `json:"staleSince"`
	// Trouble is what stands between the informer and its cluster.
	Trouble TroubleFacts `json:"trouble"`
	// Fresh are the ages in ms at which an object of the store counts as less fresh, in rising order.
	Fresh []float64 `json:"fresh"`

	// NextBatch is how many deltas the next Pop takes, of the queue as it is.
	NextBatch int `json:"nextBatch"`
	// NextRequest is what the Reflector sends when its present wait is over; nil while it does not wait.
	NextRequest *NextRequest `json:"nextRequest"`
	// Depths is the curve of the queue's depth.
	Depths Depths `json:"depths"`

	// Growing is by how many deltas (keys, of a DeltaFIFO) a second the queue grew, over the two seconds before the moment shown and since
	// Pop was held; 0 while it is not held.
	Growing float64 `json:"growing"`
	// WireMicros is how long the newest change took from the wire into the queue, in µs of the log's clock; nil where none came in the last
	// two seconds. What travels over the rail is a replay that takes longer.
	WireMicros *float64 `json:"wireMicros"`

	// Deltas is how many deltas the queue holds: of a DeltaFIFO those of all its keys.
	Deltas int `json:"deltas"`
	// Pending is how many notifications wait in the rings of all listeners that are there.
	Pending int `json:"pending"`
	// Ledger is how far the newest changes have come.
	Ledger Ledger `json:"ledger"`
	// Requests are those that the informer has sent.
	Requests Requests `json:"requests"`
	// Focus are the stations to look at: those where something is the matter, or was within the last three seconds.
	Focus []string `json:"focus"`

	// Listener is the number of the listener that has most to tell, 0 when there is none.
	Listener int32 `json:"listener"`
	// Listeners has the facts of each listener that is there, in State's order.
	Listeners []ListenerFacts `json:"listeners"`
	// WritesPerSecond is that of the API server, over the two seconds before the moment shown.
	WritesPerSecond float64 `json:"writesPerSecond"`
	// Versions compares the three resourceVersions.
	Versions Versions `json:"versions"`

	// Sentence is what is to be said of the moment.
	Sentence Sentence `json:"sentence"`
}

// TroubleFacts say what stands between the informer and its cluster; its zero value: nothing.
type TroubleFacts struct {
	// Cause is the trouble's cause in one word (see docs/protocol.md), or that of the error for which the Reflector waits; empty when
	// all is well, and for an error that is none of the known ones.
	Cause string `json:"cause,omitempty"`
	// Down: the cluster does not answer, nothing can be asked of it now.
	Down bool `json:"down"`
	// Answer is what stands in the place of an answer: "unreached" when the cause lies before the cluster, the cause when the
	// cluster or the server before it said no, "none" when nothing answers; empty while nothing is wrong.
	Answer string `json:"answer,omitempty"`
}

// NextRequest is a request that will be sent.
type NextRequest struct {
	Verb            string `json:"verb"` // LIST, WATCH or WATCHLIST
	Path            string `json:"path"`
	ResourceVersion string `json:"resourceVersion"`
	// Relist: it asks for everything again, though a list had been taken over.
	Relist bool `json:"relist"`
}

// Depths is the greatest depth of a queue in each step of time, the oldest first. The newest step ends with the last change of
// the queue: from there on it is as deep as State says.
type Depths struct {
	FromMillis float64 `json:"fromMillis"` // when the first step began
	StepMillis float64 `json:"stepMillis"`
	Max        []int   `json:"max"`
}

// ListenerFacts are what is true of a listener beside its State.
type ListenerFacts struct {
	ID int32 `json:"id"`
	// In and Out are what it took and what its handler handled in the last whole second of the log.
	In  int `json:"in"`
	Out int `json:"out"`
	// Slow: its handler takes long, or was made to.
	Slow bool `json:"slow"`
	// DrainMillis is how long its handler has to do with what waits, as long as its calls take as they did; 0 where that is over at once,
	// cannot be known, or its handler is held.
	DrainMillis float64 `json:"drainMillis"`
}

// Ledger has the newest changes by how far they have come.
type Ledger struct {
	Wire  LedgerPart `json:"wire"`  // said by the cluster, not taken by the Reflector yet
	Queue LedgerPart `json:"queue"` // being popped, and behind that waiting: the head first
	Store LedgerPart `json:"store"` // through the queue, the newest first
}

// LedgerPart is one part of a Ledger. Of the wire and of what is through the queue it counts the newest frames alone, those that State has.
type LedgerPart struct {
	Count int            `json:"count"`
	Mix   map[string]int `json:"mix"`   // by delta type
	Total int            `json:"total"` // of Mix
	First []LedgerEntry  `json:"first"` // the first few
}

// LedgerEntry is a change in a Ledger. What has no object has no key, what has no version (a resync) no rv.
type LedgerEntry struct {
	Op    string `json:"op,omitempty"`
	Key   string `json:"key,omitempty"`
	RV    string `json:"rv,omitempty"`
	Bytes int    `json:"bytes,omitempty"` // of a frame
}

// Requests say which of API.Requests there are.
type Requests struct {
	Open int `json:"open"` // how many are open
	// Foremost is the ID of the one to tell of: one that is open, or the last one; 0 before the first.
	Foremost uint32 `json:"foremost"`
}

// Versions are how far the resourceVersions of the store, of the Reflector and of the cluster are apart, as the numbers that they are in
// etcd; nil where one is not known or is no number.
type Versions struct {
	Queued *float64 `json:"queued"` // the Reflector before the store
	Behind *float64 `json:"behind"` // the cluster before the Reflector
	Total  *float64 `json:"total"`  // the cluster before the store
}

// Sentences are the ids that a Sentence can have, beside the empty one.
var Sentences = []string{
	"backoff", "backoffFirst", "backoffPlain", "refused", "refusedFirst", "panic", "left", "leftEmpty",
	"holdPop", "holdPopNoRv", "holdPopQuiet", "hold.store", "hold.deliver", "hold.take",
	"list", "listAgain", "relist", "relistPlain", "watchlist", "rewatchlist", "stopped", "start", "relisted", "relistedPlain", "relistedKeys",
	"relistedKeysPlain", "filling", "fillingLast", "grew", "slow",
	"batch", "batchEnds", "deltas", "retry", "behind", "idle", "idleDelayed", "idleBehind", "idleComing", "idleUnseen", "flow", "flowDelta",
}

// Sentence is a sentence about a moment: which one, and what it speaks of. The page has the words.
type Sentence struct {
	// ID is one of Sentences; empty when the trouble that the State tells of is the sentence.
	ID string `json:"id"`
	// N and M are counts, Name a listener, Key an object, RV a resourceVersion, Op the type of a delta, Why an error or a reason.
	N    int    `json:"n,omitempty"`
	M    int    `json:"m,omitempty"`
	Name string `json:"name,omitempty"`
	Key  string `json:"key,omitempty"`
	RV   string `json:"rv,omitempty"`
	Op   string `json:"op,omitempty"`
	Why  string `json:"why,omitempty"`
	// Until is when the wait ends, Since when what it tells began, in ms of the log.
	Until float64 `json:"until,omitempty"`
	Since float64 `json:"since,omitempty"`
}
