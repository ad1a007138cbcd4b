package lens

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"informerscope/core/words/event"
	"informerscope/core/words/persistent"
)

// Bounds of what a Lens keeps.
const (
	maxKeys    = 1 << 14 // of all work queues
	maxMade    = 1 << 12 // newest own writes
	maxPending = 64      // own writes to objects of one informer that its store does not have
	maxOfRun   = 16      // causes, reads and writes of a run, each
	maxRuns    = 8       // newest ones of the key that a Lens is asked for
	maxLanes   = 64
)

// Run is one run of the reconciler for a key: from the moment when a worker took the key until it was done with it. Causes, Reads and Writes have at most 16
// each. A Lens keeps them of runs that go on, of the one of each work queue that began last, and of the key that it is asked for.
type Run struct {
	Lane     int // of the work queue
	Key      string
	Seq      uint64 // of the event with which a worker took the key
	At, Took time.Duration
	Running  bool
	Worker   int32
	Priority int
	Attempt  int // 1, or one more than the failures since the last success
	Error    string
	// Again is the time after which it asked to run again; Retry says that its rate limiter chose that time.
	Again  time.Duration
	Retry  bool
	Merged int     // how many entries of the key it is the answer to
	Causes []Cause // oldest first, the first of those merged
	// Woken says that an own write of the key woke it. Chain is how many runs up to this one had no other cause, each woken by the one before. A run with other
	// causes too does not end a chain, and does not count.
	Woken bool
	Chain int
	Since time.Duration // when the chain began
	By    Write         // the own write that woke it

	Reads      []Read  // the newest, oldest first
	Writes     []Write // the newest, oldest first
	ReadCount  int
	Older      int // reads that were older than an own write
	WriteCount int // writes that were answered

	epoch        uint64
	missedWrites []*own // the newest own object of each resource that a read did not show
}

// Cause is an entry of a key into the work queue.
type Cause struct {
	Seq uint64
	At  time.Duration
	// Why is "event", a notification that a handler got; "again" or "retry", what a run asked for; "delay", an entry whose time was set before the log began; or
	// "", not known.
	Why      string
	Op       event.Op // of the notification
	Lane     int      // of the listener's informer, -1 if it is not in the log
	Listener int32
	Key, RV  string // of the object
	Derived  bool   // the handler's call is the only one that was open for the key; the log does not name it
	// By is the key whose run wrote this version, through the same work queue; empty for none. Loop says that it is the cause's own key.
	By   string
	Loop bool

	uid string
}

// Read is a read through the lister.
type Read struct {
	Seq     uint64
	Lane    int    // of the informer
	Key, RV string // of the object; RV is empty if it was not found, both of a list
	Behind  int    // versions, as far as known
	Objects int    // how many a list got
	Index   string
	// Own is the version of the last own write to the object, if the read is older. Of a list it is the version of an own write that the store lacked, and
	// OwnKey is that object's key.
	Own, OwnKey string
}

// Write is a write of a run.
type Write struct {
	Seq                                  uint64
	Verb, Resource, Subresource, Key, RV string
	Lane                                 int // of an informer of the object's resource; -1: none in the log
	Took                                 time.Duration
	Open                                 bool // not answered yet
	Same                                 bool // it returned a version that was there before, so it changed nothing
	Code                                 int  // of an error from the API server
	Error                                string
	// Duplicate is the key of an object of the same resource that an earlier run of the key had created, and that this one's reads did not show.
	Duplicate string

	newest string // the newest version of the resource that the log knew when it was sent
}

// Duplicate is an object that a run created although an earlier one had created such an object. Made is empty for none.
type Duplicate struct{ Earlier, Made string }

// own is what an own write made.
type own struct {
	Write
	runKey  string // the key of the run, with its lane
	creates bool
	run     uint64 // its Seq
	chain   int    // of the run
	since   time.Duration
}

// key is a key of a work queue. A key whose epoch is another one is shared and is copied before it changes.
type key struct {
	epoch        uint64
	waits        []Cause // entries that no worker has taken yet
	mergeCount   int
	delayedCause *Cause // its entry in the waiting heap
	isDue        bool   // its time came: its next entry is that of the heap
	limited      bool   // the rate limiter has just set a time
	failures     int    // since its last success
	run          *Run   // the newest
	older        []*Run // only of the key that the Lens is asked for
	wakes        wakes

	isReady     bool // it waits for a worker
	readyAt     time.Duration
	takesBefore int // how many keys had been taken when it came
	turn        int // after how many it would have its turn, if the queue were a FIFO
}

// lane has what is known of a work queue and of an informer.
type lane struct {
	Totals
	takes         int
	last          string   // the key that a worker took last
	workers       []string // the key that each worker took last
	loop          string   // the key that wakes itself most often
	newest        string   // the newest version of an object that the log knows
	storedVersion string   // the newest version that the store has got

	pending []*own
	calls   map[int32]event.Handling // calls of handlers that have not returned; only with Derive
}

// Lens sees the events of a log in order. The zero value has seen nothing. One goroutine at a time uses a Lens and its clones.
type Lens struct {
	// Derive also finds the causes of entries that do not name them, by the handlers' calls. Without it a Lens sees nothing until an entry has named its cause.
	Derive bool
	// Key is the one that the Lens is asked for, of the work queue of Lane; empty for none. Of other keys such a Lens has no causes.
	Key  string
	Lane int

	epoch  uint64
	active bool
	now    time.Duration
	keys   persistent.KeyQueue[*key]
	writes persistent.KeyQueue[*own] // by object and version; deletes by UID
	last   persistent.KeyQueue[*own] // the last own write to each object, by the informer's lane
	lanes  []lane
}

// Clone returns an independent copy, which shares what neither side changes.
func (l *Lens) Clone() Lens {
	c := *l
	l.epoch, c.epoch = persistent.NewEpoch(), persistent.NewEpoch()
	c.keys, c.writes, c.last = l.keys.Clone(), l.writes.Clone(), l.last.Clone()
	c.lanes = slices.Clone(l.lanes)
	for i := range c.lanes {
		c.lanes[i].workers, c.lanes[i].calls = slices.Clone(c.lanes[i].workers), maps.Clone(c.lanes[i].calls)
		c.lanes[i].pending = slices.Clip(c.lanes[i].pending)
		l.lanes[i].pending = slices.Clip(l.lanes[i].pending)
	}
	return c
}

// asksFor reports whether the Lens is asked for a key.
func (l *Lens) asksFor(lane int, key string) bool { return l.Key == key && l.Lane == lane && key != "" }

// id names a key of a lane.
func id(lane int, key string) string { return string([]byte{byte(lane)}) + key }

func versionOf(key, rv string) string { return key + "\x00" + rv }

// put adds to a queue of bounded length.
func put[V any](q *persistent.KeyQueue[V], epoch uint64, most int, key string, v V) {
	q.Set(epoch, key, v)
	for q.Len() > most {
		q.Each(func(oldest string, _ V) bool {
			q.Take(epoch, oldest)
			return false
		})
	}
}

// lane returns what is known of a lane; nil for one that cannot be.
func (l *Lens) lane(i int) *lane {
	if i < 0 || i >= maxLanes {
		return nil
	}
	for len(l.lanes) <= i {
		l.lanes = append(l.lanes, lane{})
	}
	return &l.lanes[i]
}

// key returns a key to be changed.
func (l *Lens) key(name string) *key {
	k, ok := l.keys.Get(name)
	switch {
	case !ok:
		k = &key{epoch: l.epoch}
	case k.epoch == l.epoch:
		return k
	default:
		c := *k
		c.epoch, c.waits, c.older = l.epoch, slices.Clip(c.waits), slices.Clip(c.older)
		if c.run != nil {
			r := *c.run
			r.epoch, r.Reads, r.Writes, r.missedWrites = l.epoch, slices.Clone(r.Reads), slices.Clone(r.Writes), slices.Clone(r.missedWrites)
			c.run = &r
		}
		k = &c
	}
	put(&l.keys, l.epoch, maxKeys, name, k)
	return k
}

// open returns the run of a key, to be changed; nil if no worker has the key.
func (l *Lens) open(lane int, name string) *Run {
	if k, ok := l.keys.Get(id(lane, name)); !ok || k.run == nil || !k.run.Running {
		return nil
	}
	return l.key(id(lane, name)).run
}

// See takes in the next event.
func (l *Lens) See(e *event.Entry) {
	l.now = max(l.now, e.At)
	at := int(e.Lane)
	switch event.SubjectOf(e.Kind) {
	case event.AboutSelection:
		switch {
		case e.Kind == event.KindSelected:
			*l = Lens{Derive: l.Derive, Key: l.Key, Lane: l.Lane, epoch: l.epoch}
		case e.Kind == event.KindLane && at < len(l.lanes):
			l.Restore(at, e.At, nil)
			l.lanes[at] = lane{}
		}
		return
	case event.AboutWork:
		if work := e.Work(); isEntry(e.Kind) && work.Op != event.OpNone {
			l.active = true
		}
	case event.AboutStore, event.AboutListener:
		if !l.Derive && !l.active {
			return
		}
	default:
		return
	}
	if !l.active && !l.Derive || l.lane(at) == nil {
		return
	}
	switch e.Kind {
	case event.KindStoreAdded, event.KindStoreUpdated:
		l.store(at, e.RV())
	case event.KindStoreReplaced:
		l.store(at, e.StoreReplaced().StoreRV)
	case event.KindHandling, event.KindHandled:
		l.call(at, e)
	case event.KindWorkTaken:
		l.take(e)
	case event.KindWorkDone:
		l.finish(e)
	case event.KindReconciled:
		if r := l.open(at, e.Key()); r != nil && e.Err() != nil {
			r.Error = e.Err().Error()
		}
	case event.KindListerRead:
		l.read(e)
	case event.KindListerList:
		l.list(e)
	case event.KindClusterWrite:
		l.write(e)
	case event.KindClusterWritten:
		l.answer(e)
	default:
		if event.SubjectOf(e.Kind) == event.AboutWork {
			l.enter(e)
		}
	}
}

func isEntry(k event.Kind) bool {
	switch k {
	case event.KindWorkAdded, event.KindWorkDeduplicated, event.KindWorkMarkedDirty, event.KindWorkWaiting, event.KindWorkWaitingSooner,
		event.KindWorkWaitingUnchanged:
		return true
	}
	return false
}

func (l *Lens) store(lane int, rv string) {
	x := l.lane(lane)
	if event.IsNewer(rv, x.storedVersion) {
		x.storedVersion = rv
	}
	l.note(lane, rv)
}

// note remembers the newest version of a resource's objects.
func (l *Lens) note(lane int, rv string) {
	if x := l.lane(lane); x != nil && event.IsNewer(rv, x.newest) {
		x.newest = rv
	}
}

// call notes which calls of handlers run.
func (l *Lens) call(lane int, e *event.Entry) {
	if !l.Derive {
		return
	}
	x := l.lane(lane)
	if x.calls == nil {
		x.calls = map[int32]event.Handling{}
	}
	if e.Kind == event.KindHandling {
		x.calls[e.Listener()] = e.Handling()
		return
	}
	delete(x.calls, e.Listener())
}

// derive finds the cause of an entry that does not name it: the handler's call that is open for the key, if only one is. Of several with the same change, the
// listener is not known.
func (l *Lens) derive(lane int, key string, c *Cause) {
	var open *event.Handling
	calls := 0
	for _, call := range l.lanes[lane].calls { //maporder:free what is kept is the same in all of them
		if call.Key != key {
			continue
		}
		if open != nil && (open.Op != call.Op || open.RV != call.RV) {
			return
		}
		open = &call
		calls++
	}
	if open == nil {
		return
	}
	c.Why, c.Derived, c.Op, c.Key, c.RV, c.Lane = "event", true, open.Op, key, open.RV, lane
	if calls == 1 {
		c.Listener = open.Listener
	}
}

// enter notes how a key came into a queue.
func (l *Lens) enter(e *event.Entry) {
	work, at := e.Work(), int(e.Lane)
	if work.Key == "" || l.Key != "" && !l.asksFor(at, work.Key) {
		return
	}
	k := l.key(id(at, work.Key))
	c := Cause{Seq: e.Seq, At: e.At, Lane: -1}
	switch {
	case work.Flag:
		if c.Why = "again"; k.limited {
			c.Why = "retry"
		}
	case work.Op != event.OpNone:
		c.Why, c.Op, c.Key, c.RV, c.uid, c.Listener, c.Lane = "event", work.Op, work.Object, work.RV, work.UID, work.Worker, work.Lane-1
		l.note(c.Lane, c.RV)
	case isEntry(e.Kind):
		l.derive(at, work.Key, &c)
	}
	switch e.Kind {
	case event.KindWorkAdded:
		l.ready(k, at, e.At, work.N)
		k.add(c)
	case event.KindWorkDeduplicated, event.KindWorkMarkedDirty:
		k.add(c)
	case event.KindWorkWaiting, event.KindWorkWaitingSooner:
		if r := k.run; r != nil && r.Running && (k.limited || c.Why == "again") {
			r.Again, r.Retry = work.Dur, k.limited
		}
		if k.limited && c.Why == "" {
			c.Why = "retry"
		}
		k.limited, k.delayedCause = false, &c
	case event.KindWorkWaitingUnchanged:
		k.limited = false
		k.add(c)
	case event.KindWorkDue:
		if c.Why = "delay"; k.delayedCause != nil {
			c = *k.delayedCause
		}
		k.add(c)
		k.isDue, k.delayedCause = true, nil
	case event.KindWorkRateLimited:
		k.limited, k.failures = true, work.N
	case event.KindWorkForgotten:
		k.failures = 0
	}
}

// add adds an entry of the key, for the next worker.
func (k *key) add(c Cause) {
	wasDue := k.isDue
	if k.isDue = false; wasDue && c.Why == "" {
		return // its cause came with the delay
	}
	if k.mergeCount++; len(k.waits) < maxOfRun {
		k.waits = append(k.waits, c)
	}
}

// ready notes that a key waits for a worker, in a queue of this length.
func (l *Lens) ready(k *key, lane int, at time.Duration, length int) {
	if k.isReady {
		return
	}
	x := l.lane(lane)
	k.isReady, k.readyAt, k.takesBefore, k.turn = true, at, x.takes, x.takes+max(0, length-1)
}

func (l *Lens) take(e *event.Entry) {
	work, at := e.Work(), int(e.Lane)
	x, k := l.lane(at), l.key(id(at, work.Key))
	r := &Run{Lane: at, Key: work.Key, Seq: e.Seq, At: e.At, Running: true, Worker: work.Worker, Priority: work.Lane, Attempt: k.failures + 1,
		Merged: k.mergeCount, Causes: k.waits, epoch: l.epoch}
	isAlone := len(r.Causes) > 0 && k.mergeCount == len(r.Causes)
	for i := range r.Causes {
		c := &r.Causes[i]
		w := l.nameWriter(r, c)
		if !c.Loop {
			isAlone = false
			continue
		}
		if r.Woken = true; w.chain >= r.Chain {
			r.Chain, r.Since, r.By = w.chain, w.since, w.Write
		}
	}
	if r.Woken {
		k.wakes.add(e.At)
	}
	switch {
	case isAlone:
		r.Chain++
	case r.Chain == 0:
		r.Since = e.At
	}
	x.seeRun(r)
	if k.isReady {
		x.seeWait(work.Key, e.At-k.readyAt, x.takes-k.turn, x.takes-k.takesBefore, Moment{e.Seq, e.At})
	}
	if k.run != nil && l.asksFor(at, work.Key) {
		for k.older = append(k.older, k.run); len(k.older) > maxRuns && k.older[0].At < e.At-time.Minute; {
			k.older = k.older[1:]
		}
	}
	before := x.last
	x.takes++
	x.last = work.Key
	x.setWorker(work.Worker, work.Key)
	if r.Chain >= shownChain {
		l.rankLoop(at, work.Key, k)
	}
	k.run, k.waits, k.mergeCount, k.isDue, k.isReady = r, nil, 0, false, false
	l.trim(at, before)
}

// trim drops the details of a run that is over, unless it began last.
func (l *Lens) trim(lane int, name string) {
	if r := l.Run(lane, name); r == nil || r.Running || name == l.lanes[lane].last || l.asksFor(lane, name) {
		return
	}
	r := l.key(id(lane, name)).run
	r.Causes, r.Reads, r.Writes, r.missedWrites = nil, nil, nil, nil
}

// nameWriter says whose write made the version of a run's cause, and returns the write; nil for none of this work queue.
func (l *Lens) nameWriter(r *Run, c *Cause) *own {
	w := l.madeBy(c)
	if w == nil || w.runKey[:1] != id(r.Lane, "") {
		return nil
	}
	c.By = w.runKey[1:]
	c.Loop = c.By == r.Key
	return w
}

// madeBy returns the own write that made the version of an entry's cause; nil for none.
func (l *Lens) madeBy(c *Cause) *own {
	switch {
	case c.Why != "event" || c.Op == event.OpSync:
		return nil
	case c.Op == event.OpDeleted:
		w, _ := l.writes.Get("\x00" + c.uid)
		return w
	}
	w, _ := l.writes.Get(versionOf(c.Key, c.RV))
	return w
}

// rankLoop makes the key the lane's loop if it wakes itself more often than the present one.
func (l *Lens) rankLoop(lane int, name string, k *key) {
	x := l.lane(lane)
	if x.loop == name {
		return
	}
	if named, ok := l.keys.Get(id(lane, x.loop)); !ok || named.wakes.count(l.now) < k.wakes.count(l.now) {
		x.loop = name
	}
}

func (l *Lens) finish(e *event.Entry) {
	work, at := e.Work(), int(e.Lane)
	if r := l.open(at, work.Key); r != nil {
		r.Running, r.Took = false, e.At-r.At
		l.trim(at, work.Key)
	}
	if work.Flag {
		l.ready(l.key(id(at, work.Key)), at, e.At, work.N)
	}
}

// runOf returns the open run to which a read of a worker belongs, to be changed; nil for none. Without a worker it is that of the key which is read.
func (l *Lens) runOf(lane int, worker int32, name string) *Run {
	if worker == 0 {
		return l.open(lane, name)
	}
	if w := l.lanes[lane].workers; int(worker) < len(w) && worker > 0 {
		if r := l.open(lane, w[worker]); r != nil && r.Worker == worker {
			return r
		}
	}
	return nil
}

// InformerOf returns the lane of the informer that an event names, from 1; 0 is the event's own.
func InformerOf(e *event.Entry, lane int) int {
	if lane == 0 {
		return int(e.Lane)
	}
	return max(lane-1, -1)
}

func (l *Lens) read(e *event.Entry) {
	read := e.ListerRead()
	from := InformerOf(e, read.Lane)
	l.note(from, read.RV)
	r := l.runOf(int(e.Lane), read.Worker, read.Key)
	if r == nil || l.lane(from) == nil {
		return
	}
	got := Read{Seq: e.Seq, Lane: from, Key: read.Key, RV: read.RV, Behind: read.Behind}
	w, _ := l.last.Get(id(from, read.Key))
	if w != nil && (read.RV != "" && event.IsNewer(w.RV, read.RV) || read.RV == "" && event.IsNewer(w.RV, l.lanes[from].storedVersion)) {
		r.miss(w)
		got.Own = w.RV
	}
	l.addRead(r, got, e)
}

func (l *Lens) list(e *event.Entry) {
	list := e.ListerList()
	from := InformerOf(e, list.Lane)
	r := l.runOf(int(e.Lane), list.Worker, "")
	if r == nil || l.lane(from) == nil {
		return
	}
	x := l.lane(from)
	x.pending = slices.DeleteFunc(slices.Clone(x.pending), func(w *own) bool { return !event.IsNewer(w.RV, x.storedVersion) })
	ns, inNamespace := strings.CutPrefix(list.Index, "namespace=")
	var newest *own
	for _, w := range x.pending {
		if inNamespace && !strings.HasPrefix(w.Key, ns+"/") {
			continue
		}
		r.miss(w)
		if newest == nil || event.IsNewer(w.RV, newest.RV) {
			newest = w
		}
	}
	got := Read{Seq: e.Seq, Lane: from, Objects: list.Objects, Index: list.Index}
	if newest != nil {
		got.Own, got.OwnKey = newest.RV, newest.Key
	}
	l.addRead(r, got, e)
}

func (l *Lens) addRead(r *Run, got Read, e *event.Entry) {
	x := l.lane(r.Lane)
	r.ReadCount++
	x.Reads++
	if got.Own != "" {
		r.Older++
		if x.Older++; x.Older == 1 {
			x.FirstOlder = Moment{e.Seq, e.At}
		}
		x.LastOlder = Moment{e.Seq, e.At}
	}
	if len(r.Reads) == maxOfRun { // those that are older than an own write stay
		i := slices.IndexFunc(r.Reads, func(x Read) bool { return x.Own == "" })
		if i < 0 && got.Own == "" {
			return
		}
		r.Reads = slices.Delete(r.Reads, max(i, 0), max(i, 0)+1)
	}
	r.Reads = append(r.Reads, got)
}

// miss notes that a read did not show an own write of an earlier run.
func (r *Run) miss(w *own) {
	if !w.creates || w.runKey != id(r.Lane, r.Key) || w.run == r.Seq {
		return
	}
	switch i := slices.IndexFunc(r.missedWrites, func(x *own) bool { return x.Resource == w.Resource }); {
	case i < 0:
		r.missedWrites = append(r.missedWrites, w)
	case event.IsNewer(w.RV, r.missedWrites[i].RV):
		r.missedWrites[i] = w
	}
}

// ObjectOf returns the object of a write, and the lane of an informer of its resource, -1 for none.
func ObjectOf(e *event.Entry, lane int, objects []event.Item) (key string, object int) {
	switch {
	case len(objects) > 0:
		return objects[0].Key, lane - 1
	case lane == 0:
		return e.Key(), int(e.Lane)
	}
	return e.Key(), lane - 1
}

func (l *Lens) write(e *event.Entry) {
	x := e.ClusterWrite()
	r := l.open(int(e.Lane), x.Key)
	if r == nil {
		return
	}
	name, object := ObjectOf(e, x.Lane, x.Objects)
	newest := x.RV
	if in := l.lane(object); in != nil && event.IsNewer(in.newest, newest) {
		newest = in.newest
	}
	if len(r.Writes) == maxOfRun {
		i := slices.IndexFunc(r.Writes, func(w Write) bool { return !w.Open })
		if i < 0 {
			return
		}
		r.Writes = slices.Delete(r.Writes, i, i+1)
	}
	r.Writes = append(r.Writes, Write{Seq: e.Seq, Verb: x.Verb, Resource: event.IndexValue(x.Objects, "resource"),
		Subresource: event.IndexValue(x.Objects, "subresource"), Key: name, Lane: object, Open: true, newest: newest})
}

func (l *Lens) answer(e *event.Entry) {
	x := e.ClusterWritten()
	r := l.open(int(e.Lane), x.Key)
	if r == nil {
		return
	}
	name, object := ObjectOf(e, x.Lane, x.Objects)
	w := &own{Write: Write{Seq: e.Seq, Verb: x.Verb, Resource: event.IndexValue(x.Objects, "resource"), Subresource: event.IndexValue(x.Objects, "subresource"),
		Key: name, RV: x.RV, Lane: object, Took: x.Took, Code: event.StatusCode(x.Err)}, runKey: id(r.Lane, r.Key), run: r.Seq, chain: r.Chain, since: r.Since}
	if x.Err != nil {
		w.Error = x.Err.Error()
	}
	w.creates = x.Verb == http.MethodPost && w.Subresource == ""
	sent := slices.IndexFunc(r.Writes, func(s Write) bool {
		return s.Open && s.Verb == x.Verb && (s.Key == name || w.creates && s.Key == "") // the server may have named the object
	})
	if sent >= 0 {
		newest := r.Writes[sent].newest
		w.Seq, w.Same = r.Writes[sent].Seq, x.RV != "" && newest != "" && !event.IsNewer(x.RV, newest)
	}
	if _, isMade := l.writes.Get(versionOf(name, x.RV)); isMade {
		w.Same = true
	}
	r.WriteCount++
	uid := event.IndexValue(x.Objects, "uid")
	switch {
	case x.Err != nil:
		if w.Code == http.StatusConflict && r.Older > 0 {
			l.lane(r.Lane).Conflicts++
		}
	case w.Same:
	case x.Verb == http.MethodDelete && uid != "":
		put(&l.writes, l.epoch, maxMade, "\x00"+uid, w)
		if object >= 0 {
			l.last.Take(l.epoch, id(object, name))
			l.forget(object, name)
		}
	case x.RV != "":
		l.keep(r, w, object, e)
	}
	if sent >= 0 {
		r.Writes[sent] = w.Write
	}
}

// keep remembers what a write made.
func (l *Lens) keep(r *Run, w *own, object int, e *event.Entry) {
	put(&l.writes, l.epoch, maxMade, versionOf(w.Key, w.RV), w)
	if i := slices.IndexFunc(r.missedWrites, func(x *own) bool { return x.Resource == w.Resource && x.Key != w.Key }); w.creates && i >= 0 {
		w.Duplicate = r.missedWrites[i].Key
		l.lane(r.Lane).seeDuplicate(Duplicate{Earlier: w.Duplicate, Made: w.Key}, r.Key, Moment{e.Seq, e.At})
	}
	x := l.lane(object)
	if x == nil {
		return
	}
	l.note(object, w.RV)
	put(&l.last, l.epoch, maxMade, id(object, w.Key), w)
	l.forget(object, w.Key)
	if event.IsNewer(w.RV, x.storedVersion) {
		if len(x.pending) == maxPending {
			x.pending = x.pending[1:]
		}
		x.pending = append(x.pending, w)
	}
}

// forget drops the writes to an object that its informer's store does not have yet.
func (l *Lens) forget(object int, key string) {
	if x := l.lane(object); x != nil && slices.ContainsFunc(x.pending, func(w *own) bool { return w.Key == key }) {
		x.pending = slices.DeleteFunc(slices.Clone(x.pending), func(w *own) bool { return w.Key == key })
	}
}
