package trace

// Comparison is what the informers of several releases made of the same changes, at the position of a view. It is a function
// of the log up to there, of the moment shown, and of whether the view stands still: the same live, after a seek, and on a recording.
//
// What is compared is a burst: the changes that were sent while Pop was held last, until three minutes after its release.
// Where there is none, it is the newest few changes that every informer has taken, a new few every two and a half seconds.
type Comparison struct {
	// Burst: the changes are those that came while Pop was held. Held: it is held still.
	Burst bool `json:"burst"`
	Held  bool `json:"held"`
	// From and To are the seqs of the hold and of its release; 0: before the log's first event, and not released.
	From uint64 `json:"from,omitempty"`
	To   uint64 `json:"to,omitempty"`
	// Cut: the log reaches back, or is read back, to a moment after From only; what came before is not counted.
	Cut bool `json:"cut"`
	// Total and Keys count every change and every key, More the changes beyond those in Changes.
	Total int `json:"total"`
	Keys  int `json:"keys"`
	More  int `json:"more"`
	// Listener is whose handler's calls are compared, 0 for nobody's: the first that is not removed.
	Listener int32 `json:"listener"`
	// Changes are the first of them, in the order in which they were sent; at most 6.
	Changes []SentChange `json:"changes"`
	// Lanes say what each informer made of them. Lists name the changes in Changes only, counts count all.
	Lanes []LaneComparison `json:"lanes"`
}

// SentChange is a change as the API server sent it.
type SentChange struct {
	N        int     `json:"n"`   // its place in the order sent, from 1
	Seq      uint64  `json:"seq"` // of the event that first brought it, over whichever watch
	AtMillis float64 `json:"atMillis"`
	Key      string  `json:"key"`
	RV       string  `json:"rv"`
	Op       string  `json:"op"`
	Letter   string  `json:"letter"` // names its key, in the order of the keys' first changes
	Label    string  `json:"label"`  // names the change: the letter and N
}

// LaneComparison is what one informer made of the changes.
type LaneComparison struct {
	// Waits are those in the queue now, as the queue has them: a DeltaFIFO's by key, a RealFIFO's in one line.
	Waits []WaitingChanges `json:"waits"`
	// Waiting counts all that wait, Taken all that Pop took, Pops in how many pops.
	Waiting int `json:"waiting"`
	Taken   int `json:"taken"`
	Pops    int `json:"pops"`
	// Took says which of Changes were taken together, in the order of the pops.
	Took []TakenChanges `json:"took"`
	// Stored is the order in which the store went through them; StoredCount counts all, StoredLate those that came into the store
	// after one that was sent later. Newest is what came last of each key in Changes, be it one of them or not.
	Stored      []ChangeStep   `json:"stored"`
	StoredCount int            `json:"storedCount"`
	StoredLate  int            `json:"storedLate"`
	Newest      []StoredChange `json:"newest"`
	// Overtaking is the first time that the store held one of Changes while it was without one that had been sent before.
	Overtaking *Overtaking `json:"overtaking"`
	// Given is the order in which the handler was given them, with the counts as those of Stored.
	Given      []ChangeStep `json:"given"`
	GivenCount int          `json:"givenCount"`
	GivenLate  int          `json:"givenLate"`
}

// WaitingChanges stand together in a queue: those of one key, or a line (then Letter is empty).
type WaitingChanges struct {
	Letter  string `json:"letter,omitempty"`
	Changes []int  `json:"changes"` // N of each
}

// TakenChanges left the queue in one pop.
type TakenChanges struct {
	N       int    `json:"n"` // which of the pops that took compared changes, from 1
	Seq     uint64 `json:"seq"`
	Deltas  int    `json:"deltas"`  // all that it took
	Batch   bool   `json:"batch"`   // they are processed in one transaction
	Changes []int  `json:"changes"` // N of each
}

// ChangeStep is a change that reached the store or the handler.
type ChangeStep struct {
	N        int     `json:"n"`
	Position int     `json:"position"` // which of all the compared changes it was there, from 1
	Seq      uint64  `json:"seq"`
	AtMillis float64 `json:"atMillis"`
	Op       string  `json:"op"`
	// Was is the label of the change whose state it took the place of in the store; empty when that is none of those compared.
	Was string `json:"was,omitempty"`
}

// StoredChange is the change whose state a store holds of a key, or which took the key out of it.
type StoredChange struct {
	N      int    `json:"n"`
	Letter string `json:"letter"`
	Label  string `json:"label"`
	Key    string `json:"key"`
	RV     string `json:"rv"`
	Op     string `json:"op"`
}

// Overtaking says for how long a store held the change Later without Earlier, which had been sent before it.
type Overtaking struct {
	Later   int     `json:"later"`
	Earlier int     `json:"earlier"`
	Millis  float64 `json:"millis"`
}
