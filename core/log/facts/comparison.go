package facts

// Comparison is what the informers of several releases made of the same changes, at the position of a view. It depends only on the log up to there, the
// moment shown, and whether the view stands still. So it is the same live, after a seek, and on a recording.
//
// It compares a burst: the changes that were sent during the last hold of Pop, until three minutes after its release. Without a burst, it compares the newest
// few changes that every informer has taken, and moves on every two and a half seconds.
type Comparison struct {
	// Burst: the changes were sent while Pop was held. Held: it still is.
	Burst bool `json:"burst"`
	Held  bool `json:"held"`
	// From and To are the seqs of the hold and of its release; 0: before the log's first event, and not released.
	From uint64 `json:"from,omitempty"`
	To   uint64 `json:"to,omitempty"`
	// Cut: the log does not reach back to From, or is not read that far; earlier changes are not counted.
	Cut bool `json:"cut"`
	// Total and Keys count all changes and all keys. More counts the changes beyond those in Changes.
	Total int `json:"total"`
	Keys  int `json:"keys"`
	More  int `json:"more"`
	// Listener is the listener whose handler calls are compared: the first one that is not removed, 0 without one.
	Listener int32 `json:"listener"`
	// Changes are the first of them, in the order in which they were sent; at most 6.
	Changes []SentChange `json:"changes"`
	// Lanes are what each informer made of the changes. Lists name only those in Changes; counts cover all.
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
	// Waits are the changes in the queue now, grouped as the queue keeps them: a DeltaFIFO by key, a RealFIFO in one line.
	Waits []WaitingChanges `json:"waits"`
	// Waiting counts the changes that wait, Taken those that were popped, and Pops the pops that took them.
	Waiting int `json:"waiting"`
	Taken   int `json:"taken"`
	Pops    int `json:"pops"`
	// Took groups Changes by the pop that took them, in the order of the pops.
	Took []TakenChanges `json:"took"`
	// Stored is the order in which Changes reached the store. StoredCount counts all changes there; StoredLate counts those that arrived after one that
	// was sent later. Newest is the change that arrived last for each key in Changes; it need not be in Changes.
	Stored      []ChangeStep   `json:"stored"`
	StoredCount int            `json:"storedCount"`
	StoredLate  int            `json:"storedLate"`
	Newest      []StoredChange `json:"newest"`
	// Overtaking is the first time that the store held one of Changes but not one that was sent before it.
	Overtaking *Overtaking `json:"overtaking"`
	// Given is the order in which the handler received Changes; its counts are like those of Stored.
	Given      []ChangeStep `json:"given"`
	GivenCount int          `json:"givenCount"`
	GivenLate  int          `json:"givenLate"`
}

// WaitingChanges are changes that a queue keeps together: those of one key, or one line (then Letter is empty).
type WaitingChanges struct {
	Letter  string `json:"letter,omitempty"`
	Changes []int  `json:"changes"` // N of each
}

// TakenChanges left the queue in one pop.
type TakenChanges struct {
	N       int    `json:"n"` // number of this pop among those that took compared changes, from 1
	Seq     uint64 `json:"seq"`
	Deltas  int    `json:"deltas"`  // all deltas of the pop
	Batch   bool   `json:"batch"`   // they are processed in one transaction
	Changes []int  `json:"changes"` // N of each
}

// ChangeStep is a change that reached the store or the handler.
type ChangeStep struct {
	N        int     `json:"n"`
	Position int     `json:"position"` // its place among all compared changes there, from 1
	Seq      uint64  `json:"seq"`
	AtMillis float64 `json:"atMillis"`
	Op       string  `json:"op"`
	// Was is the label of the change whose state it replaced in the store; empty if that is not one of those compared.
	Was string `json:"was,omitempty"`
}

// StoredChange is the newest change of a key in the store, or the deletion that removed the key.
type StoredChange struct {
	N      int    `json:"n"`
	Letter string `json:"letter"`
	Label  string `json:"label"`
	Key    string `json:"key"`
	RV     string `json:"rv"`
	Op     string `json:"op"`
}

// Overtaking is how long a store held the change Later without Earlier, which was sent before it.
type Overtaking struct {
	Later   int     `json:"later"`
	Earlier int     `json:"earlier"`
	Millis  float64 `json:"millis"`
}
