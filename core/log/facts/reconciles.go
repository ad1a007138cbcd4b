package facts

// Reconciles are the newest runs of the reconciler for one key, and how often the key has woken itself.
type Reconciles struct {
	Newest []Reconcile `json:"newest"` // newest first, at most 8
	Runs   int         `json:"runs"`   // that began in the last minute
	Woken  int         `json:"woken"`  // of these, how many have a cause that an own write of the same key made
}

// Reconcile is one run of the reconciler for a key: from the moment when a worker took the key until it was done with it.
type Reconcile struct {
	Key        string  `json:"key"`
	Seq        uint64  `json:"seq"` // of the event with which a worker took the key
	AtMillis   float64 `json:"atMillis"`
	TookMillis float64 `json:"tookMillis"` // so far, if it still runs
	Running    bool    `json:"running"`
	Worker     int32   `json:"worker"`
	Priority   int     `json:"priority"`
	Attempt    int     `json:"attempt"` // 1, or one more than the failures since the last success
	Error      string  `json:"error,omitempty"`
	// AgainMillis is the time after which it asked to run again; Retry says that its rate limiter chose that time.
	AgainMillis float64     `json:"againMillis"`
	Retry       bool        `json:"retry,omitempty"`
	Merged      int         `json:"merged"` // how many entries of the key it is the answer to
	Causes      []Cause     `json:"causes"` // oldest first, at most 16 of those merged
	Reads       []CacheRead `json:"reads"`  // at most 16, as are Writes
	Writes      []OwnWrite  `json:"writes"`
	Older       int         `json:"older"` // reads that were older than an own write
}

// Cause is an entry of a key into the work queue.
type Cause struct {
	Seq uint64 `json:"seq"`
	// Why is "event", a notification that a handler got; "again" or "retry", what a run asked for; "delay", an entry whose time was set before the log begins;
	// or "", not known.
	Why      string `json:"why" web:"event|again|retry|delay|"`
	Op       string `json:"op,omitempty"` // of the notification; Sync for an update with equal versions
	Lane     int    `json:"lane"`         // of the listener's informer; -1: not in the log
	Listener int32  `json:"listener,omitempty"`
	Name     string `json:"name,omitempty"`     // of the listener
	Resource string `json:"resource,omitempty"` // of the object
	Key      string `json:"key,omitempty"`      // of the object
	RV       string `json:"rv,omitempty"`
	// WaitMillis is how long the entry waited for the worker.
	WaitMillis float64 `json:"waitMillis"`
	Derived    bool    `json:"derived,omitempty"` // the handler's call is the only one that was open for the key; the log does not name it
	// By is the key whose reconcile wrote this version, through the same work queue; empty for none. Loop says that it is the cause's own key.
	By   string `json:"by,omitempty"`
	Loop bool   `json:"loop,omitempty"`
}

// CacheRead is what a reconcile read through the lister.
type CacheRead struct {
	Seq      uint64 `json:"seq"`
	Lane     int    `json:"lane"` // of the informer
	Resource string `json:"resource,omitempty"`
	Key      string `json:"key,omitempty"`
	RV       string `json:"rv,omitempty"`      // empty: not found
	Behind   int    `json:"behind"`            // versions, as far as known
	Objects  int    `json:"objects,omitempty"` // how many a list got; its Key is empty
	Index    string `json:"index,omitempty"`
	// Own is the version of the last own write to the object if the read is older; of a list, that of an own write that the store did not have.
	Own    string `json:"own,omitempty"`
	OwnKey string `json:"ownKey,omitempty"` // of a list: the key of that object
}

// OwnWrite is a write of a reconcile.
type OwnWrite struct {
	Seq         uint64  `json:"seq"`
	Lane        int     `json:"lane"` // of an informer of the object's resource; -1: none in the log
	Verb        string  `json:"verb"`
	Resource    string  `json:"resource,omitempty"`
	Subresource string  `json:"subresource,omitempty"`
	Key         string  `json:"key"` // of the object
	RV          string  `json:"rv,omitempty"`
	TookMillis  float64 `json:"tookMillis"`
	Open        bool    `json:"open,omitempty"` // not answered yet
	Same        bool    `json:"same,omitempty"` // it returned a version that was there before, so it changed nothing
	Code        int     `json:"code,omitempty"` // of an error from the API server
	Error       string  `json:"error,omitempty"`
	// Duplicate is the key of an object of the same resource that an earlier reconcile of the key had created, and that this one's read did not show.
	Duplicate string `json:"duplicate,omitempty"`
}
