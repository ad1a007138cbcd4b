package analysis

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"informerscope/core/event"
	"informerscope/core/fold"
	"informerscope/core/lens"
)

// Reconciles are the newest runs of the reconciler for one key, and how often the key has woken itself.
type Reconciles struct {
	Newest []Reconcile `json:"newest"` // newest first, at most 8
	Runs   int         `json:"runs"`   // that began in the last minute
	Woken  int         `json:"woken"`  // of these, how many have a cause that an own write of the same key made
}

// Reconcile is one run of the reconciler for a key: from the moment when a worker took the key until it was done with it.
type Reconcile struct {
	Seq        uint64  `json:"seq"` // of the event with which a worker took the key
	AtMillis   float64 `json:"atMillis"`
	TookMillis float64 `json:"tookMillis"` // so far, if it still runs
	Running    bool    `json:"running"`
	Worker     int32   `json:"worker"`
	Priority   int     `json:"priority"`
	Attempt    int     `json:"attempt"` // 1, or one more than the failures since the last success
	Error      string  `json:"error,omitempty"`
	// AgainMillis is the time after which it asked to run again; Retry says that its rate limiter chose that time.
	AgainMillis float64   `json:"againMillis"`
	Retry       bool      `json:"retry,omitempty"`
	Merged      int       `json:"merged"` // how many entries of the key it is the answer to
	Causes      []Cause   `json:"causes"` // oldest first, at most 16 of those merged
	Reads       []GotRead `json:"reads"`  // at most 16, as are Writes
	Writes      []Made    `json:"writes"`
	Older       int       `json:"older"` // reads that were older than an own write
	// Chain is how many runs before it, one after the other, woke the key again by a write.
	Chain int `json:"chain"`
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
	Name     string `json:"name,omitempty"`     // of the listener; view.View adds the names
	Resource string `json:"resource,omitempty"` // of the object
	Key      string `json:"key,omitempty"`      // of the object
	RV       string `json:"rv,omitempty"`
	// WaitMillis is how long the entry waited for the worker.
	WaitMillis float64 `json:"waitMillis"`
	Derived    bool    `json:"derived,omitempty"` // the handler's call is the only one that was open for the key; the log does not name it
	// By is the key whose reconcile wrote this version, through the same work queue; empty for none. Loop says that it is the cause's own key.
	By   string `json:"by,omitempty"`
	Loop bool   `json:"loop,omitempty"`

	uid string
	at  time.Duration
}

// GotRead is what a reconcile read through the lister.
type GotRead struct {
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

// Made is a write of a reconcile.
type Made struct {
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

const (
	maxReconciles = 8
	maxOfRun      = 16 // causes, reads and writes that a Reconcile keeps, each
)

// object names an object by the lane of an informer of its resource.
type object struct {
	lane int
	key  string
}

// version is one version of an object.
type version struct{ key, rv string }

// write is an own write: what it made, and the key whose reconcile made it.
type write struct {
	by, resource, key, rv string
	run                   *Reconcile // nil if it was for another key
	creates               bool
}

// CauseFinder finds the newest reconciles of a key in the work queue of a lane, from events that it sees in order. Objects are compared by key and version: in
// one cluster no two have both. What it keeps is bounded by the events that it sees.
type CauseFinder struct {
	key  string
	lane int

	now      time.Duration
	runs     []*Reconcile // of the key, oldest first
	open     *Reconcile
	taken    time.Duration // when it began
	waits    []Cause       // entries of the key that no worker has taken yet
	merged   int
	delayed  *Cause // the key's entry in the waiting heap
	isDue    bool   // its time came: the key's next entry is that of the heap
	limited  bool   // the rate limiter has just set a time
	failures int

	newest  map[string]string        // the newest version that was seen of each object
	sent    map[version]string       // of writes that are not answered, by the keys of the reconcile and the object: the newest version then
	last    map[object]*write        // the last own write to each object
	stored  map[object]string        // the version that the store got last
	pending map[object]*write        // own writes that the store does not have
	made    map[version]*write       // own writes by what they made
	deleted map[string]*write        // own deletes by UID
	missed  map[string]*write        // of the open run: by resource, the newest own object that a read did not show
	calls   map[int32]event.Handling // calls of this lane's handlers that have not returned
}

// NewCauseFinder returns a CauseFinder that has seen nothing.
func NewCauseFinder(key string, lane int) *CauseFinder {
	c := &CauseFinder{key: key, lane: lane}
	c.forget()
	return c
}

// forget starts from nothing: the log begins here, or another experiment does.
func (c *CauseFinder) forget() {
	*c = CauseFinder{key: c.key, lane: c.lane, newest: map[string]string{}, sent: map[version]string{}, last: map[object]*write{},
		stored: map[object]string{}, pending: map[object]*write{}, made: map[version]*write{}, deleted: map[string]*write{}, missed: map[string]*write{},
		calls: map[int32]event.Handling{}}
}

// See takes in the next event.
func (c *CauseFinder) See(e *event.Entry) {
	c.now = e.At
	switch e.Kind {
	case event.KindSelected:
		c.forget()
		return
	case event.KindStoreAdded, event.KindStoreUpdated, event.KindStoreDeleted:
		c.seeStored(e)
		return
	case event.KindStoreReplaced:
		maps.DeleteFunc(c.pending, func(of object, _ *write) bool { return of.lane == int(e.Lane) })
		return
	}
	if int(e.Lane) != c.lane {
		return
	}
	switch e.Kind {
	case event.KindHandling:
		c.calls[e.Listener()] = e.Handling()
	case event.KindHandled:
		delete(c.calls, e.Listener())
	case event.KindListerRead:
		c.seeRead(e)
	case event.KindListerList:
		c.seeList(e)
	case event.KindClusterWrite:
		c.seeWrite(e)
	case event.KindClusterWritten:
		c.seeWritten(e)
	case event.KindWorkTaken:
		c.seeTaken(e)
	case event.KindWorkDone:
		if c.open != nil && e.Key() == c.key {
			c.endRun(e.At)
		}
	case event.KindReconciled:
		if c.open != nil && e.Key() == c.key && e.Err() != nil {
			c.open.Error = e.Err().Error()
		}
	default:
		if e.Key() == c.key && event.SubjectOf(e.Kind) == event.AboutWork {
			c.seeEntry(e)
		}
	}
}

func (c *CauseFinder) seeStored(e *event.Entry) {
	of := object{int(e.Lane), e.Key()}
	if e.Kind == event.KindStoreDeleted {
		delete(c.pending, of)
		delete(c.stored, of)
		return
	}
	c.note(of.key, e.RV())
	c.stored[of] = e.RV()
	if w := c.pending[of]; w != nil && !lens.IsNewer(w.rv, e.RV()) {
		delete(c.pending, of)
	}
}

// note remembers the newest version of an object.
func (c *CauseFinder) note(key, rv string) {
	if was, ok := c.newest[key]; rv != "" && (!ok || lens.IsNewer(rv, was)) {
		c.newest[key] = rv
	}
}

// seeEntry notes how the key came into the queue.
func (c *CauseFinder) seeEntry(e *event.Entry) {
	work := e.Work()
	cause := Cause{Seq: e.Seq, Lane: -1, at: e.At}
	switch {
	case work.Flag:
		if cause.Why = "again"; c.limited {
			cause.Why = "retry"
		}
	case work.Op != event.OpNone:
		cause.Why, cause.Op, cause.Key, cause.RV, cause.uid = "event", work.Op.String(), work.Object, work.RV, work.UID
		cause.Listener, cause.Lane = work.Worker, work.Lane-1
		c.note(work.Object, work.RV)
	default:
		c.derive(&cause)
	}
	switch e.Kind {
	case event.KindWorkAdded, event.KindWorkDeduplicated, event.KindWorkMarkedDirty:
		wasDue := c.isDue
		if c.isDue = false; wasDue && cause.Why == "" {
			return // its cause came with the delay
		}
		c.wait(cause)
	case event.KindWorkWaiting, event.KindWorkWaitingSooner:
		if c.open != nil && (cause.Why == "again" || cause.Why == "retry" || c.limited) {
			c.open.AgainMillis, c.open.Retry = fold.Millis(work.Dur), c.limited
		}
		if c.limited && cause.Why == "" {
			cause.Why = "retry"
		}
		c.limited = false
		c.delayed = &cause
	case event.KindWorkWaitingUnchanged:
		c.limited = false
		c.wait(cause)
	case event.KindWorkDue:
		if c.isDue = true; c.delayed != nil {
			c.wait(*c.delayed)
			c.delayed = nil
		} else {
			cause.Why = "delay"
			c.wait(cause)
		}
	case event.KindWorkRateLimited:
		c.limited, c.failures = true, work.N
	case event.KindWorkForgotten:
		c.failures = 0
	}
}

// derive finds the cause of an entry that does not name it: the handler's call that is open for this key, if only one is. Of several with the same change, the
// listener is not known.
func (c *CauseFinder) derive(cause *Cause) {
	var open []event.Handling
	for _, id := range slices.Sorted(maps.Keys(c.calls)) {
		if call := c.calls[id]; call.Key == c.key {
			open = append(open, call)
		}
	}
	if len(open) == 0 || slices.ContainsFunc(open, func(x event.Handling) bool { return x.Op != open[0].Op || x.RV != open[0].RV }) {
		return
	}
	cause.Why, cause.Derived, cause.Lane, cause.Key, cause.Op, cause.RV = "event", true, c.lane, c.key, open[0].Op.String(), open[0].RV
	if len(open) == 1 {
		cause.Listener = open[0].Listener
	}
}

// wait adds an entry of the key, for the next worker.
func (c *CauseFinder) wait(cause Cause) {
	c.merged++
	if len(c.waits) < maxOfRun {
		c.waits = append(c.waits, cause)
	}
}

func (c *CauseFinder) seeTaken(e *event.Entry) {
	work := e.Work()
	if work.Key != c.key {
		return
	}
	r := &Reconcile{Seq: e.Seq, AtMillis: fold.Millis(e.At), Running: true, Worker: work.Worker, Priority: work.Lane, Attempt: c.failures + 1,
		Merged: c.merged, Causes: c.waits, Reads: []GotRead{}, Writes: []Made{}}
	for i := range r.Causes {
		r.Causes[i].WaitMillis = fold.Millis(max(0, e.At-r.Causes[i].at))
	}
	if r.Causes == nil {
		r.Causes = []Cause{}
	}
	c.waits, c.merged, c.isDue = nil, 0, false
	c.open, c.taken, c.runs = r, e.At, append(c.runs, r)
	clear(c.missed)
}

func (c *CauseFinder) endRun(at time.Duration) {
	c.open.Running, c.open.TookMillis = false, fold.Millis(at-c.taken)
	c.open = nil
}

// runOf returns the open run if this worker has the key. A read without a worker is the run's if it is of the key itself.
func (c *CauseFinder) runOf(worker int32, key string) *Reconcile {
	if r := c.open; r != nil && (worker == r.Worker || worker == 0 && key == c.key) {
		return r
	}
	return nil
}

func (c *CauseFinder) seeRead(e *event.Entry) {
	read := e.ListerRead()
	c.note(read.Key, read.RV)
	r := c.runOf(read.Worker, read.Key)
	if r == nil {
		return
	}
	of := object{lens.InformerOf(e, read.Lane), read.Key}
	got := GotRead{Seq: e.Seq, Lane: of.lane, Key: read.Key, RV: read.RV, Behind: read.Behind}
	if w := c.last[of]; w != nil && (read.RV != "" && lens.IsNewer(w.rv, read.RV) || read.RV == "" && c.pending[of] == w) {
		got.Own = w.rv
		c.miss(r, w)
	}
	c.addRead(r, got)
}

func (c *CauseFinder) seeList(e *event.Entry) {
	list := e.ListerList()
	r := c.runOf(list.Worker, "")
	if r == nil {
		return
	}
	got := GotRead{Seq: e.Seq, Lane: lens.InformerOf(e, list.Lane), Objects: list.Objects, Index: list.Index}
	ns, inNamespace := strings.CutPrefix(list.Index, "namespace=")
	var newest *write
	for of, w := range c.pending { //maporder:free the newest ones are the same in any order
		if of.lane != got.Lane || inNamespace && !strings.HasPrefix(of.key, ns+"/") {
			continue
		}
		c.miss(r, w)
		if newest == nil || lens.IsNewer(w.rv, newest.rv) {
			newest = w
		}
	}
	if newest != nil {
		got.Own, got.OwnKey = newest.rv, newest.key
	}
	c.addRead(r, got)
}

// miss notes that a read did not show an own write.
func (c *CauseFinder) miss(r *Reconcile, w *write) {
	if w.creates && w.by == c.key && w.run != r && (c.missed[w.resource] == nil || lens.IsNewer(w.rv, c.missed[w.resource].rv)) {
		c.missed[w.resource] = w
	}
}

func (c *CauseFinder) addRead(r *Reconcile, got GotRead) {
	if got.Own != "" {
		r.Older++
	}
	if len(r.Reads) == maxOfRun && got.Own != "" { // what matters stays
		if i := slices.IndexFunc(r.Reads, func(x GotRead) bool { return x.Own == "" }); i >= 0 {
			r.Reads = slices.Delete(r.Reads, i, i+1)
		}
	}
	if len(r.Reads) < maxOfRun {
		r.Reads = append(r.Reads, got)
	}
}

// writtenObject returns the object of a write.
func writtenObject(e *event.Entry, lane int, objects []event.Item) object {
	key, of := lens.ObjectOf(e, lane, objects)
	return object{of, key}
}

func (c *CauseFinder) seeWrite(e *event.Entry) {
	sent := e.ClusterWrite()
	of := writtenObject(e, sent.Lane, sent.Objects)
	newest := c.newest[of.key]
	if newest == "" || lens.IsNewer(sent.RV, newest) {
		newest = sent.RV
	}
	c.sent[version{sent.Key, of.key}] = newest
	if r := c.open; r != nil && sent.Key == c.key && len(r.Writes) < maxOfRun {
		r.Writes = append(r.Writes, Made{Seq: e.Seq, Lane: of.lane, Verb: sent.Verb, Resource: event.IndexValue(sent.Objects, "resource"),
			Subresource: event.IndexValue(sent.Objects, "subresource"), Key: of.key, Open: true})
	}
}

func (c *CauseFinder) seeWritten(e *event.Entry) {
	answer := e.ClusterWritten()
	of, uid := writtenObject(e, answer.Lane, answer.Objects), event.IndexValue(answer.Objects, "uid")
	w := &write{by: answer.Key, resource: event.IndexValue(answer.Objects, "resource"), key: of.key, rv: answer.RV,
		creates: answer.Verb == http.MethodPost && event.IndexValue(answer.Objects, "subresource") == ""}
	newest, ok := c.sent[version{answer.Key, of.key}]
	if !ok && w.creates { // the server has named the object
		newest, ok = c.sent[version{answer.Key, ""}]
		delete(c.sent, version{answer.Key, ""})
	}
	delete(c.sent, version{answer.Key, of.key})
	isSame := ok && answer.RV != "" && newest != "" && !lens.IsNewer(answer.RV, newest)
	if answer.Key == c.key && c.open != nil {
		w.run = c.open
		c.answerRun(answer, w, isSame)
	}
	switch {
	case answer.Err != nil || isSame:
	case answer.Verb == http.MethodDelete && uid != "":
		c.deleted[uid] = w
		delete(c.last, of)
		delete(c.pending, of)
	case answer.RV != "":
		c.made[version{of.key, answer.RV}] = w
		c.note(of.key, answer.RV)
		if of.lane < 0 {
			return
		}
		c.last[of] = w
		if got, ok := c.stored[of]; !ok || lens.IsNewer(w.rv, got) { // otherwise the watch was faster than the answer
			c.pending[of] = w
		}
	}
}

// answerRun adds the answer to the open run's write.
func (c *CauseFinder) answerRun(answer event.ClusterWritten, w *write, isSame bool) {
	writes := c.open.Writes
	for i := range writes {
		m := &writes[i]
		if !m.Open || m.Verb != answer.Verb || m.Key != w.key && !(w.creates && m.Key == "") {
			continue
		}
		m.Open, m.Key, m.RV, m.Same, m.TookMillis = false, w.key, answer.RV, isSame, fold.Millis(answer.Took)
		if answer.Err != nil {
			m.Code, m.Error = event.StatusCode(answer.Err), answer.Err.Error()
		} else if missed := c.missed[w.resource]; w.creates && missed != nil {
			m.Duplicate = missed.key
		}
		return
	}
}

// Reconciles decides which causes an own write made, and which of them are loops: at the end, because the event of a write often comes before its answer. It
// ends the search.
func (c *CauseFinder) Reconciles() Reconciles {
	out := Reconciles{Newest: []Reconcile{}}
	for _, r := range c.runs {
		woken := false
		for i := range r.Causes {
			x := &r.Causes[i]
			w := c.made[version{x.Key, x.RV}]
			if x.Op == event.OpDeleted.String() {
				w = c.deleted[x.uid]
			}
			if x.Why != "event" || x.Op == event.OpSync.String() || w == nil {
				continue
			}
			x.By, x.Loop = w.by, w.by == c.key
			woken = woken || x.Loop
			if x.Loop && w.run != nil {
				r.Chain = max(r.Chain, w.run.Chain+1)
			}
		}
		if r.AtMillis >= fold.Millis(c.now-time.Minute) {
			if out.Runs++; woken {
				out.Woken++
			}
		}
	}
	if r := c.open; r != nil {
		r.TookMillis = fold.Millis(c.now - c.taken)
	}
	for _, r := range slices.Backward(c.runs) {
		if len(out.Newest) == maxReconciles {
			break
		}
		out.Newest = append(out.Newest, *r)
	}
	return out
}
