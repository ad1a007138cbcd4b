package lens

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"informerscope/core/event"
	"informerscope/core/persistent"
)

// Bounds of what a Lens keeps.
const (
	maxKeys    = 1 << 14 // of all work queues
	maxMade    = 1 << 12 // newest own writes
	maxPending = 64      // own writes to objects of one informer that its store does not have
	maxCauses  = 8       // of a run
	maxSent    = 16      // writes of a run that are not answered
	maxLanes   = 64
)

// Run is one run of the reconciler for a key: from the moment when a worker took the key until it was done with it.
type Run struct {
	Lane     int // of the work queue
	Key      string
	Seq      uint64 // of the event with which a worker took the key
	At, Took time.Duration
	Running  bool
	Worker   int32
	Failed   bool
	Merged   int     // how many entries of the key it is the answer to
	Causes   []Cause // oldest first, at most 8
	// Woken says that an own write of the key woke it. Chain is how many runs up to this one had no other cause, each woken by the one before. A run with other
	// causes too does not end a chain, and does not count.
	Woken bool
	Chain int
	Since time.Duration // when the chain began
	By    Write         // the own write that woke it

	Reads, Older int // reads, and those of them that were older than an own write
	Old          Read
	Writes       int
	Last         Write // the newest one
	Duplicate    Duplicate

	epoch  uint64
	sent   []sent
	missed *own // the newest own object that a read did not show
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
	Loop     bool   // an own write of the key made this version

	uid string
}

// Read is a read that was older than an own write.
type Read struct {
	Seq     uint64
	Lane    int    // of the informer
	Key, RV string // of a list, the object that was missing; RV is then empty
	Own     string // the version that the own write had made
}

// Write is a write of a run.
type Write struct {
	Verb, Resource, Subresource, Key, RV string
	Lane                                 int // of an informer of the object's resource; -1: none in the log
	Same                                 bool
	Code                                 int
}

// Duplicate is an object that a run created although an earlier one had created such an object. Made is empty for none.
type Duplicate struct{ Had, Made string }

// own is what an own write made.
type own struct {
	Write
	by      string // the key of the run, with its lane
	creates bool
	run     uint64 // its Seq
	chain   int    // of the run
	since   time.Duration
}

// sent is a write that is not answered. newest is the newest version of the resource that the log knew.
type sent struct{ key, newest string }

// key is a key of a work queue. A key whose epoch is another one is shared and is copied before it changes.
type key struct {
	epoch   uint64
	waits   []Cause // entries that no worker has taken yet
	merged  int
	delayed string // why it is in the waiting heap
	isDue   bool   // its time came: its next entry is that of the heap
	limited bool   // the rate limiter has just set a time
	run     *Run   // the newest
	wakes   wakes

	isReady bool // it waits for a worker
	readyAt time.Duration
	from    int // how many keys had been taken when it came
	turn    int // after how many it would have its turn, if the queue were a FIFO
}

// lane has what is known of a work queue and of an informer.
type lane struct {
	Totals
	takes   int
	last    string   // the key that a worker took last
	workers []string // the key that each worker took last
	loop    string   // the key that wakes itself most often
	newest  string   // the newest version of an object that the log knows
	stored  string   // the newest version that the store has got

	pending []*own
	calls   map[int32]event.Handling // calls of handlers that have not returned; only with Derive
}

// Lens sees the events of a log in order. The zero value has seen nothing. One goroutine at a time uses a Lens and its clones.
type Lens struct {
	// Derive also finds the causes of entries that do not name them, by the handlers' calls. Without it a Lens sees nothing until an entry has named its cause.
	Derive bool

	epoch  uint64
	active bool
	now    time.Duration
	keys   persistent.KeyQueue[*key]
	made   persistent.KeyQueue[*own] // by object and version; deletes by UID
	last   persistent.KeyQueue[*own] // the last own write to each object, by the informer's lane
	lanes  []lane
}

// Clone returns an independent copy, which shares what neither side changes.
func (l *Lens) Clone() Lens {
	c := *l
	l.epoch, c.epoch = persistent.NewEpoch(), persistent.NewEpoch()
	c.keys, c.made, c.last = l.keys.Clone(), l.made.Clone(), l.last.Clone()
	c.lanes = slices.Clone(l.lanes)
	for i := range c.lanes {
		c.lanes[i].workers, c.lanes[i].calls = slices.Clone(c.lanes[i].workers), maps.Clone(c.lanes[i].calls)
		c.lanes[i].pending = slices.Clip(c.lanes[i].pending)
		l.lanes[i].pending = slices.Clip(l.lanes[i].pending)
	}
	return c
}

// IsNewer reports whether version a is newer than b. Each is newer than none; one that is no number is newer than none else.
func IsNewer(a, b string) bool {
	if b == "" {
		return a != ""
	}
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order > 0
}

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
		c.epoch, c.waits = l.epoch, slices.Clip(c.waits)
		if c.run != nil {
			r := *c.run
			r.epoch, r.sent, r.Causes = l.epoch, slices.Clone(r.sent), slices.Clip(r.Causes)
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
			*l = Lens{Derive: l.Derive, epoch: l.epoch}
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
		if r := l.open(at, e.Key()); r != nil {
			r.Failed = e.Err() != nil
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
	if IsNewer(rv, x.stored) {
		x.stored = rv
	}
	l.note(lane, rv)
}

// note remembers the newest version of a resource's objects.
func (l *Lens) note(lane int, rv string) {
	if x := l.lane(lane); x != nil && IsNewer(rv, x.newest) {
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

// derive finds the cause of an entry that does not name it: the call that is open for the key.
func (l *Lens) derive(lane int, key string, c *Cause) {
	var open *event.Handling
	for _, call := range l.lanes[lane].calls { //maporder:free what is kept is the same in all of them
		if call.Key != key {
			continue
		}
		if open != nil && (open.Op != call.Op || open.RV != call.RV) {
			return
		}
		open = &call
	}
	if open != nil {
		c.Why, c.Op, c.Key, c.RV, c.Lane = "event", open.Op, key, open.RV, lane
	}
}

// enter notes how a key came into a queue.
func (l *Lens) enter(e *event.Entry) {
	work, at := e.Work(), int(e.Lane)
	if work.Key == "" {
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
		if k.limited && c.Why == "" {
			c.Why = "retry"
		}
		k.limited, k.delayed = false, c.Why
	case event.KindWorkWaitingUnchanged:
		k.limited = false
		k.add(c)
	case event.KindWorkDue:
		if c.Why = k.delayed; c.Why == "" || c.Why == "event" {
			c.Why = "delay"
		}
		k.add(c)
		k.isDue, k.delayed = true, ""
	case event.KindWorkRateLimited:
		k.limited = true
	}
}

// add adds an entry of the key, for the next worker.
func (k *key) add(c Cause) {
	wasDue := k.isDue
	if k.isDue = false; wasDue && c.Why == "" {
		return // its cause came with the delay
	}
	if k.merged++; len(k.waits) < maxCauses {
		k.waits = append(k.waits, c)
	}
}

// ready notes that a key waits for a worker, in a queue of this length.
func (l *Lens) ready(k *key, lane int, at time.Duration, length int) {
	if k.isReady {
		return
	}
	x := l.lane(lane)
	k.isReady, k.readyAt, k.from, k.turn = true, at, x.takes, x.takes+max(0, length-1)
}

func (l *Lens) take(e *event.Entry) {
	work, at := e.Work(), int(e.Lane)
	x, k := l.lane(at), l.key(id(at, work.Key))
	r := &Run{Lane: at, Key: work.Key, Seq: e.Seq, At: e.At, Running: true, Worker: work.Worker, Merged: k.merged, Causes: k.waits, epoch: l.epoch}
	isAlone := len(r.Causes) > 0 && k.merged == len(r.Causes)
	for i := range r.Causes {
		c := &r.Causes[i]
		w := l.madeBy(c)
		if c.Loop = w != nil && w.by == id(at, work.Key); !c.Loop {
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
		x.seeWait(work.Key, e.At-k.readyAt, x.takes-k.turn, x.takes-k.from, Moment{e.Seq, e.At})
	}
	x.takes++
	x.last = work.Key
	x.setWorker(work.Worker, work.Key)
	if r.Chain >= shownChain {
		l.rankLoop(at, work.Key, k)
	}
	k.run, k.waits, k.merged, k.isDue, k.isReady = r, nil, 0, false, false
}

// madeBy returns the own write that made the version of an entry's cause; nil for none.
func (l *Lens) madeBy(c *Cause) *own {
	switch {
	case c.Why != "event" || c.Op == event.OpSync:
		return nil
	case c.Op == event.OpDeleted:
		w, _ := l.made.Get("\x00" + c.uid)
		return w
	}
	w, _ := l.made.Get(versionOf(c.Key, c.RV))
	return w
}

// rankLoop makes the key the lane's loop if it wakes itself more often than the present one.
func (l *Lens) rankLoop(lane int, name string, k *key) {
	x := l.lane(lane)
	if x.loop == name {
		return
	}
	if was, ok := l.keys.Get(id(lane, x.loop)); !ok || was.wakes.count(l.now) < k.wakes.count(l.now) {
		x.loop = name
	}
}

func (l *Lens) finish(e *event.Entry) {
	work, at := e.Work(), int(e.Lane)
	if r := l.open(at, work.Key); r != nil {
		r.Running, r.Took = false, e.At-r.At
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
	w, _ := l.last.Get(id(from, read.Key))
	isOld := w != nil && (read.RV != "" && IsNewer(w.RV, read.RV) || read.RV == "" && IsNewer(w.RV, l.lanes[from].stored))
	if isOld {
		r.miss(w)
		r.Old = Read{Seq: e.Seq, Lane: from, Key: read.Key, RV: read.RV, Own: w.RV}
	}
	l.countRead(r, e, isOld)
}

func (l *Lens) list(e *event.Entry) {
	list := e.ListerList()
	from := InformerOf(e, list.Lane)
	r := l.runOf(int(e.Lane), list.Worker, "")
	if r == nil || l.lane(from) == nil {
		return
	}
	x := l.lane(from)
	x.pending = slices.DeleteFunc(slices.Clone(x.pending), func(w *own) bool { return !IsNewer(w.RV, x.stored) })
	ns, inNamespace := strings.CutPrefix(list.Index, "namespace=")
	var newest *own
	for _, w := range x.pending {
		if inNamespace && !strings.HasPrefix(w.Key, ns+"/") {
			continue
		}
		r.miss(w)
		if newest == nil || IsNewer(w.RV, newest.RV) {
			newest = w
		}
	}
	if newest != nil {
		r.Old = Read{Seq: e.Seq, Lane: from, Key: newest.Key, Own: newest.RV}
	}
	l.countRead(r, e, newest != nil)
}

func (l *Lens) countRead(r *Run, e *event.Entry, isOld bool) {
	x := l.lane(r.Lane)
	r.Reads++
	x.Reads++
	if !isOld {
		return
	}
	r.Older++
	if x.Older++; x.Older == 1 {
		x.FirstOlder = Moment{e.Seq, e.At}
	}
	x.LastOlder, x.Old, x.OldKey = Moment{e.Seq, e.At}, r.Old, r.Key
}

// miss notes that a read did not show an own write of an earlier run.
func (r *Run) miss(w *own) {
	if w.creates && w.by == id(r.Lane, r.Key) && (r.missed == nil || IsNewer(w.RV, r.missed.RV)) && w.run != r.Seq {
		r.missed = w
	}
}

// ObjectOf returns the object of a write, and the lane of an informer of its resource, -1 for none.
func ObjectOf(e *event.Entry, lane int, objects []event.Item) (key string, of int) {
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
	name, of := ObjectOf(e, x.Lane, x.Objects)
	newest := x.RV
	if in := l.lane(of); in != nil && IsNewer(in.newest, newest) {
		newest = in.newest
	}
	if len(r.sent) < maxSent {
		r.sent = append(r.sent, sent{name, newest})
	}
}

func (l *Lens) answer(e *event.Entry) {
	x := e.ClusterWritten()
	r := l.open(int(e.Lane), x.Key)
	if r == nil {
		return
	}
	name, of := ObjectOf(e, x.Lane, x.Objects)
	w := &own{Write: Write{Verb: x.Verb, Resource: event.IndexValue(x.Objects, "resource"), Subresource: event.IndexValue(x.Objects, "subresource"), Key: name,
		RV: x.RV, Lane: of, Code: event.StatusCode(x.Err)}, by: id(r.Lane, r.Key), run: r.Seq, chain: r.Chain, since: r.Since}
	w.creates = x.Verb == http.MethodPost && w.Subresource == ""
	newest, asked := "", false
	if i := slices.IndexFunc(r.sent, func(s sent) bool { return s.key == name || w.creates && s.key == "" }); i >= 0 {
		newest, asked = r.sent[i].newest, true
		r.sent = slices.Delete(r.sent, i, i+1)
	}
	r.Writes++
	w.Same = asked && x.RV != "" && newest != "" && !IsNewer(x.RV, newest)
	r.Last = w.Write
	uid := event.IndexValue(x.Objects, "uid")
	switch {
	case x.Err != nil:
		if r.Last.Code == http.StatusConflict && r.Older > 0 {
			l.lane(r.Lane).Conflicts++
		}
	case r.Last.Same:
	case x.Verb == http.MethodDelete && uid != "":
		put(&l.made, l.epoch, maxMade, "\x00"+uid, w)
		if of >= 0 {
			l.last.Take(l.epoch, id(of, name))
			l.forget(of, name)
		}
	case x.RV != "":
		l.keep(r, w, of, e)
	}
}

// keep remembers what a write made.
func (l *Lens) keep(r *Run, w *own, of int, e *event.Entry) {
	put(&l.made, l.epoch, maxMade, versionOf(w.Key, w.RV), w)
	if w.creates && r.missed != nil && r.missed.Resource == w.Resource && r.missed.Key != w.Key {
		r.Duplicate = Duplicate{Had: r.missed.Key, Made: w.Key}
		l.lane(r.Lane).seeDuplicate(r, Moment{e.Seq, e.At})
	}
	x := l.lane(of)
	if x == nil {
		return
	}
	l.note(of, w.RV)
	put(&l.last, l.epoch, maxMade, id(of, w.Key), w)
	l.forget(of, w.Key)
	if IsNewer(w.RV, x.stored) {
		if len(x.pending) == maxPending {
			x.pending = x.pending[1:]
		}
		x.pending = append(x.pending, w)
	}
}

// forget drops the writes to an object that its informer's store does not have yet.
func (l *Lens) forget(of int, key string) {
	if x := l.lane(of); x != nil && slices.ContainsFunc(x.pending, func(w *own) bool { return w.Key == key }) {
		x.pending = slices.DeleteFunc(slices.Clone(x.pending), func(w *own) bool { return w.Key == key })
	}
}
