package facts

import (
	"informerscope/core/words/releases"
)

// Facts are what is true of a lane at the moment shown, beside its State. They hold everything that a panel or a sentence shows and that is not a plain
// member of State. The viewer computes them from the Fold and the moment alone (see core/page/view). So they do not depend on how the viewer got to the moment:
// live, by steps, by a jump, or on a recording.
type Facts struct {
	// Sure: an update would arrive if there were one, so what agrees is known to agree, and the newest version is known to be current.
	Sure bool `json:"sure"`
	// UpToDate: everything known about the objects in the cluster is in the store, so a lister reads the newest version. Nothing is on the wire, held
	// before the queue, in it, or being processed.
	UpToDate bool `json:"upToDate"`
	// Unlisted: the first list has not arrived. The store never held the cluster's objects, so nothing in it is stale.
	Unlisted bool `json:"unlisted"`
	// StaleSince is when the store stopped being able to receive updates, in ms of the log; 0 while it can receive them.
	StaleSince float64 `json:"staleSince"`
	// Trouble is what is wrong between the informer and its cluster.
	Trouble TroubleFacts `json:"trouble"`
	// Fresh are the ages in ms at which an object of the store counts as less fresh, ascending.
	Fresh []float64 `json:"fresh"`

	// NextBatch is how many deltas the next Pop would take from the queue as it is.
	NextBatch int `json:"nextBatch"`
	// NextRequest is what the Reflector sends when its current wait ends; nil while it does not wait.
	NextRequest *NextRequest `json:"nextRequest"`
	// NextWaits are the waits of the Reflector's backoff that follow the present one while nothing answers, each as long as it is at least, in ms. The last is
	// that of the longest. It is empty while the Reflector does not wait.
	NextWaits []float64 `json:"nextWaits"`
	// MarkSince is since when a WatchList has waited for its end mark, in ms of the log, once client-go warns of that; 0 while it does not.
	MarkSince float64 `json:"markSince"`
	// Depths is the curve of the queue's depth.
	Depths Depths `json:"depths"`

	// Growing is by how many deltas (keys, for a DeltaFIFO) a second the queue grew: over the last two seconds, or since Pop was held if that is shorter.
	// It is 0 while Pop is not held.
	Growing float64 `json:"growing"`
	// WireMicros is how long the newest change took from the wire into the queue, in µs of the log's clock; nil if none arrived in the last two seconds.
	// The chips on the rail replay it more slowly.
	WireMicros *float64 `json:"wireMicros"`

	// Deltas is how many deltas the queue holds; for a DeltaFIFO, those of all its keys.
	Deltas int `json:"deltas"`
	// Pending is how many notifications wait in the rings of all listeners.
	Pending int `json:"pending"`
	// Ledger is how far the newest changes have come.
	Ledger Ledger `json:"ledger"`
	// Unstored is the newest change of each object that has left the cluster and has not reached the store, oldest first. Only frames and deltas that
	// State lists are in it.
	Unstored []LedgerEntry `json:"unstored"`
	// Held are the changes that wait at held stages outside the queues: one before the queue, and one before each held handler.
	Held []HeldChange `json:"held"`
	// Requests summarises the informer's requests.
	Requests Requests `json:"requests"`
	// Focus are the stations to look at: those with a problem now or within the last three seconds.
	Focus []string `json:"focus"`

	// Selected is how far the object has come that the page has selected; nil for none.
	Selected *SelectedObject `json:"selected"`

	// Listener is the id of the listener that is most worth a look, 0 without listeners.
	Listener int32 `json:"listener"`
	// KeyListener is the listener whose handler adds keys to the controller's queue, also after it was removed. It is 0 without a controller, and for an
	// informer in another program, where that is not known.
	KeyListener int32 `json:"keyListener"`
	// Listeners has the facts of each listener, in State's order.
	Listeners []ListenerFacts `json:"listeners"`
	// Due counts all keys that wait for their time in the controller's heap, by when that is; nil if none does.
	Due *DueTimes `json:"due"`
	// Lens is what woke the controller last, and what its reconciles did; nil if the log does not name the causes of keys.
	Lens *Lens `json:"lens"`
	// WritesPerSecond is the API server's rate of writes over the last two seconds.
	WritesPerSecond float64 `json:"writesPerSecond"`
	// Features are what the release does that others do not.
	Features releases.Features `json:"features"`
	// Versions compares the three resourceVersions.
	Versions Versions `json:"versions"`
	// Lag is how much the store and the Reflector lack.
	Lag Lag `json:"lag"`

	// Sentence is the caption for the moment.
	Sentence Sentence `json:"sentence"`
	// Headline is what the picture is about.
	Headline Sentence `json:"headline"`
}

// Lens is the newest reconcile of a controller, and what is wrong with its reconciles at the moment.
type Lens struct {
	Key string `json:"key"`
	// Why says what woke it: "event", a notification that the handler Source got, of Op and Object; "again" or "retry", what a run asked for; "delay"; or "".
	Why    string `json:"why" web:"event|again|retry|delay|"`
	Source string `json:"source,omitempty"`
	Op     string `json:"op,omitempty"`
	Object string `json:"object,omitempty"`
	// Merged is how many entries of the key it is the answer to, WaitMillis how long the first of them waited.
	Merged     int     `json:"merged"`
	WaitMillis float64 `json:"waitMillis"`
	Reads      int     `json:"reads"`
	Older      int     `json:"older"` // of Reads, those that were older than an own write
	Writes     int     `json:"writes"`
	Woken      bool    `json:"woken"` // an own write woke it
	// LastReads and LastWrites are the newest three of each, oldest first.
	LastReads  []CacheRead `json:"lastReads,omitempty"`
	LastWrites []OwnWrite  `json:"lastWrites,omitempty"`

	// Loop is the key that its own writes wake most often, Chain how often they did so in a row, and AMinute how often in the last minute. It is empty for none.
	Loop    string `json:"loop,omitempty"`
	Chain   int    `json:"chain,omitempty"`
	AMinute int    `json:"aMinute,omitempty"`
	// Twice is a key that created Duplicate within the last minute although it had created Had before.
	Twice     string `json:"twice,omitempty"`
	Duplicate string `json:"duplicate,omitempty"`
	Had       string `json:"had,omitempty"`
	// Starved is the key that has waited longest, if at least Overtaken keys that came later were taken before it, and StarvedMillis how long it has waited.
	Starved       string  `json:"starved,omitempty"`
	StarvedMillis float64 `json:"starvedMillis,omitempty"`
	Overtaken     int     `json:"overtaken,omitempty"`
}

// SelectedObject is how far an object has come.
type SelectedObject struct {
	Key string `json:"key"`
	// At is where it is. queue: it waits there. popped: it was popped, and is processed. store: it only rests there. handler: a handler has it. work: it waits
	// for a worker, or one has it. The queue and what was popped count first: a change there is newer. It is empty if the object is nowhere.
	At string `json:"at" web:"|queue|popped|store|handler|work"`
}

// HeldChange is a change that waits at a held stage.
type HeldChange struct {
	Stage    string `json:"stage" web:"store|deliver"`
	Listener int32  `json:"listener,omitempty"`
	Op       string `json:"op"`
	Key      string `json:"key"`
	RV       string `json:"rv"`
}

// TroubleFacts describe what is wrong between the informer and its cluster; the zero value: nothing.
type TroubleFacts struct {
	// Cause is the trouble's cause in one word (see docs/protocol.md), or that of the error behind the Reflector's backoff. It is empty when all is well,
	// and for an unknown error.
	Cause string `json:"cause,omitempty"`
	// Down: the cluster does not answer.
	Down bool `json:"down"`
	// Answer is what came instead of an answer: "unreached" when the cause lies before the cluster, "none" when nothing answers, the cause itself when
	// the cluster or its proxy refused. It is empty while nothing is wrong.
	Answer string `json:"answer,omitempty"`
}

// NextRequest is a request that will be sent.
type NextRequest struct {
	Verb            string `json:"verb"` // LIST, WATCH or WATCHLIST
	Path            string `json:"path"`
	ResourceVersion string `json:"resourceVersion"`
	// Relist: it asks for everything again, although a list had been taken over.
	Relist bool `json:"relist"`
}

// Depths is the greatest depth of a queue in each step of time, oldest first. The newest step ends with the queue's last change; from then on the depth is
// State's.
type Depths struct {
	FromMillis float64 `json:"fromMillis"` // when the first step began
	StepMillis float64 `json:"stepMillis"`
	Max        []int   `json:"max"`
}

// DueTimes counts keys by when they are due, in steps of time. The last step that there can be, number 40, has all later ones, too.
type DueTimes struct {
	FromMillis float64 `json:"fromMillis"` // when the first step begins
	StepMillis float64 `json:"stepMillis"`
	Keys       []int   `json:"keys"`
	Failed     []bool  `json:"failed"` // whether a key of the step has failed
}

// ListenerFacts are what is true of a listener beside its State.
type ListenerFacts struct {
	ID int32 `json:"id"`
	// In and Out count what it took and what its handler finished in the last whole second of the log.
	In  int `json:"in"`
	Out int `json:"out"`
	// Slow: its handler takes long, or was slowed down.
	Slow bool `json:"slow"`
	// Behind: more than a few changes wait for it.
	Behind bool `json:"behind"`
	// DrainMillis is how long its handler will need for what waits, if its calls take as long as before. It is 0 if that is no time at all, if it cannot
	// be known, or if the handler is held.
	DrainMillis float64 `json:"drainMillis"`
}

// Ledger lists the newest changes by how far they have come.
type Ledger struct {
	Wire  LedgerPart `json:"wire"`  // sent by the cluster, not yet taken by the Reflector
	Queue LedgerPart `json:"queue"` // being popped, then waiting: the head first
	Store LedgerPart `json:"store"` // through the queue, the newest first
}

// LedgerPart is one part of a Ledger. On the wire and after the queue it counts only the newest frames, those in State.
type LedgerPart struct {
	Count int            `json:"count"`
	Mix   map[string]int `json:"mix"`   // by delta type
	Total int            `json:"total"` // of Mix
	First []LedgerEntry  `json:"first"` // the first few
}

// LedgerEntry is a change in a Ledger. Without an object it has no key; without a version (a resync) it has no rv.
type LedgerEntry struct {
	Op    string `json:"op,omitempty"`
	Key   string `json:"key,omitempty"`
	RV    string `json:"rv,omitempty"`
	Bytes int    `json:"bytes,omitempty"` // of a frame
}

// Requests summarises API.Requests.
type Requests struct {
	Open int `json:"open"` // how many are open
	// Foremost is the ID of the request to show: an open one, else the last one; 0 before the first.
	Foremost uint32 `json:"foremost"`
	// Lists is how the Reflector has listed; empty before its first request.
	Lists string `json:"lists" web:"|LIST|WatchList"`
}

// Lag counts changes of what the informer watches. A number is nil where it is unknown.
type Lag struct {
	Queued *int `json:"queued"` // read by the Reflector, and not in the store
	Behind *int `json:"behind"` // not read by the Reflector: of a cluster that does not count them, those that have arrived
	Total  *int `json:"total"`  // not in the store
}

// Versions are the distances between the resourceVersions of the store, the Reflector and the cluster, as etcd's numbers. They count the writes of the whole
// cluster, whatever is watched: see Lag. A distance is nil if a version is unknown or not a number.
type Versions struct {
	Queued *float64 `json:"queued"` // the Reflector ahead of the store
	Behind *float64 `json:"behind"` // the cluster ahead of the Reflector
	Total  *float64 `json:"total"`  // the cluster ahead of the store
}

// Sentences are the ids that a Sentence can have, beside the empty one.
var Sentences = []string{
	"backoff", "backoffFirst", "backoffPlain", "refused", "refusedFirst", "panic", "left", "leftEmpty",
	"holdPop", "holdPopNoRv", "holdPopQuiet", "hold.store", "hold.deliver", "hold.take",
	"list", "listAgain", "relist", "relistPlain", "watchlist", "rewatchlist", "stopped", "start", "relisted", "relistedPlain", "relistedKeys",
	"relistedKeysPlain", "filling", "fillingLast", "grew", "slow",
	"batch", "batchEnds", "deltas", "retry", "behind", "idle", "idleDelayed", "idleBehind", "idleComing", "idleUnseen", "idleHalfOpen",
	"flow", "flowDelta", "wrote", "person", "personRequest", "personRefused",
}

// Headlines are the ids that a headline can have, beside the empty one.
var Headlines = []string{
	"held.store", "held.pop", "held.popKeys", "held.deliver", "held.take",
	"gap", "gapPlain", "gapFirst", "gapFirstPlain", "refused", "refusedFirst", "stopped", "halfOpen",
	"slow", "keys", "retry", "list", "relist", "relistPlain", "start", "relisted", "relistedPlain", "filling", "unseen", "flow", "coming", "idle",
}

// Sentence is a caption about a moment: which one, and its values. The page has the words.
type Sentence struct {
	// ID is one of Sentences; empty when State's trouble is the caption.
	ID string `json:"id"`
	// N and M are counts; of a refused write N is the status. Name is a listener, or who wrote. Op is the type of a delta, a subresource, or what a person's
	// write did. Key is an object, RV a resourceVersion, Why an error or a reason.
	N    int    `json:"n,omitempty"`
	M    int    `json:"m,omitempty"`
	Name string `json:"name,omitempty"`
	Key  string `json:"key,omitempty"`
	RV   string `json:"rv,omitempty"`
	Op   string `json:"op,omitempty"`
	Why  string `json:"why,omitempty"`
	// Until is when the wait ends, Since when what it describes began, in ms of the log.
	Until float64 `json:"until,omitempty"`
	Since float64 `json:"since,omitempty"`
}
