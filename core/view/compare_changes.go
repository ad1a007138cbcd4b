package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"informerscope/core/informer"
	"informerscope/core/trace"
)

// change is one version of one object as the API server sent it, and what each lane made of it.
type change struct {
	changeID
	op    informer.Op
	seq   uint64 // of the event that first brought it
	at    time.Duration
	order int  // in which the changes were seen, from 1
	count bool // it belongs to the burst
	n     int  // its place among those that belong to the burst, from 1
	// initial: it came in a list, as an initial event of a WatchList, and no lane took it as a change.
	initial bool
	echo    bool          // it was sent before the range that was read
	taken   int           // lanes whose Reflector took it
	takenAt time.Duration // when the last of them did
	lanes   []changeInLane
}

// changeID identifies a change.
type changeID struct{ key, rv string }

// changeInLane is how far a change has come in a lane. A seq is 0 for what has not happened.
type changeInLane struct {
	reflector, queued, stored, given uint64
	place                            int64 // in the line of a RealFIFO, counted since the log was read
	pop                              *pop
	storedAt, givenAt                time.Duration
	storedOp, givenOp                informer.Op
	storedPosition, givenPosition    int
	was                              int // order of the change that it replaced in the store, 0: unknown
}

// pop is one Pop that took compared changes.
type pop struct {
	n, deltas int
	seq       uint64
	batch     bool
}

// laneChanges are the changes on their way through one lane.
type laneChanges struct {
	delta bool                 // it has a DeltaFIFO
	line  []*change            // in a RealFIFO, head first
	tail  int64                // place of the next delta in the line
	filed map[string][]*change // in a DeltaFIFO, by key
	held  map[string]*change   // by key: the change whose state the store holds, if known
	last  map[string]*change   // by key: the change of the burst that reached the store last
	// Counts within the burst, and the orders of the newest changes that the store and the handler have seen.
	waiting, taken, pops              int
	stored, storedLate, storedNewest  int
	given, givenLate, givenNewestSeen int
}

// changes follows changes through all lanes.
type changes struct {
	listener int32
	counts   bool   // changes count if they are sent after the event `after`, up to `upTo`
	after    uint64 // see counts
	upTo     uint64 // 0: no end
	ends     uint64 // no event after this one is considered; 0: no end
	all      []*change
	done     []*change // taken by the Reflectors of all lanes, in that order
	byID     map[changeID]*change
	deletes  map[string][]*change // by key
	keys     map[string]int       // counted changes of each key
	lists    map[uint32]bool      // requests on the wire whose frames still are a list
	total    int
	order    int
	newestRV string
	renumber bool // a change left the burst: n of the later ones is wrong
	lanes    []laneChanges
	slab     []change // allocated, and not used yet
}

// slab is how many changes are allocated at a time.
const slab = 64

// newChanges returns changes for the fold's lanes, which follow the handler of one listener.
func newChanges(fold *trace.Fold, listener int32) changes {
	f := changes{listener: listener, lanes: make([]laneChanges, fold.Lanes())}
	for i := range f.lanes {
		f.lanes[i].delta = fold.QueueKind(i) == "DeltaFIFO"
	}
	f.reset()
	return f
}

// reset drops all changes.
func (f *changes) reset() {
	f.all, f.done, f.total, f.order, f.newestRV, f.renumber = nil, nil, 0, 0, "", false
	f.byID, f.deletes, f.keys = map[changeID]*change{}, map[string][]*change{}, map[string]int{}
	f.lists = map[uint32]bool{}
	for i := range f.lanes {
		f.lanes[i] = laneChanges{delta: f.lanes[i].delta,
			filed: map[string][]*change{}, held: map[string]*change{}, last: map[string]*change{}}
	}
}

// see follows one event.
func (f *changes) see(e *trace.Event) {
	if f.ends > 0 && e.Seq > f.ends {
		return
	}
	if e.Kind == trace.KindSelected || e.Kind == trace.KindLane && int(e.Lane) < len(f.lanes) { // another experiment, or another factory
		f.reset()
		return
	}
	switch e.Kind {
	case trace.KindWireRequest:
		if strings.Contains(e.Text, "sendInitialEvents=true") {
			f.lists[e.Req] = true
		}
	case trace.KindWireDone:
		delete(f.lists, e.Req)
	case trace.KindWireFrame:
		if e.Key == "" { // a bookmark: the list is complete
			delete(f.lists, e.Req)
		} else if !f.lists[e.Req] {
			f.change(e)
		}
	}
	if int(e.Lane) >= len(f.lanes) {
		return
	}
	l := &f.lanes[e.Lane]
	switch e.Kind {
	case informer.KindWatchEvent:
		if e.Key == "" {
			break
		}
		if e.N == 0 {
			f.reflected(f.change(e), e)
		} else if c := f.byID[changeID{e.Key, e.RV}]; c != nil {
			f.listed(c)
		}
	case informer.KindQueued:
		f.queued(l, e)
	case informer.KindPopped:
		f.popped(l, e)
	case informer.KindStoreAdded, informer.KindStoreUpdated, informer.KindStoreDeleted:
		f.stored(l, e)
	case informer.KindStoreReplaced:
		clear(l.held)
	case informer.KindHandling:
		if e.Listener == f.listener {
			f.given(l, e)
		}
	}
}

// change returns the change of an event of the wire or of a Reflector.
func (f *changes) change(e *trace.Event) *change {
	id := changeID{e.Key, e.RV}
	if c := f.byID[id]; c != nil {
		return c
	}
	f.order++
	c := f.make()
	c.changeID, c.op, c.seq, c.at, c.order = id, e.Op, e.Seq, e.At, f.order
	f.byID[id] = c
	f.all = append(f.all, c)
	if c.op == informer.OpDeleted {
		f.deletes[c.key] = append(f.deletes[c.key], c)
	}
	// Each watch sends the changes in the order of their versions: one that is older than the newest seen had been sent before.
	if c.echo = laterVersion(f.newestRV, c.rv); !c.echo {
		f.newestRV = c.rv
		f.enter(c)
	}
	return c
}

// laterVersion reports whether a is later than b, compared as numbers; false if they are not numbers.
func laterVersion(a, b string) bool {
	number := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if !number(a) || !number(b) {
		return false
	}
	return len(a) > len(b) || len(a) == len(b) && a > b
}

// make allocates a change, a slab at a time.
func (f *changes) make() *change {
	if len(f.slab) == 0 {
		f.slab = make([]change, slab)
		lanes := make([]changeInLane, slab*len(f.lanes))
		for i := range f.slab {
			f.slab[i].lanes = lanes[i*len(f.lanes):][:len(f.lanes):len(f.lanes)]
		}
	}
	c := &f.slab[0]
	f.slab = f.slab[1:]
	return c
}

// enter adds a change to the burst, if it was sent during the burst.
func (f *changes) enter(c *change) {
	if f.counts && c.seq > f.after && (f.upTo == 0 || c.seq <= f.upTo) {
		f.total++
		f.keys[c.key]++
		c.count, c.n = true, f.total
	}
}

// leave removes a change from the burst.
func (f *changes) leave(c *change) {
	f.total--
	f.renumber = true
	c.count, c.n = false, 0
	if f.keys[c.key]--; f.keys[c.key] == 0 {
		delete(f.keys, c.key)
	}
}

// number updates the changes' places in the burst.
func (f *changes) number() {
	if !f.renumber {
		return
	}
	n := 0
	for _, c := range f.all {
		if c.count {
			n++
			c.n = n
		}
	}
	f.renumber = false
}

// listed notes that a change came in a list. If the log is not read back to the list's request, its frames look like changes.
func (f *changes) listed(c *change) {
	if c.taken == 0 && !c.initial {
		c.initial = true
		if c.count {
			f.leave(c)
		}
	}
}

func (f *changes) reflected(c *change, e *trace.Event) {
	x := &c.lanes[e.Lane]
	if x.reflector != 0 {
		return
	}
	x.reflector = e.Seq
	if c.initial {
		if c.initial = false; !c.echo {
			f.renumber = true
			f.enter(c)
		}
	}
	if c.taken++; c.taken == len(f.lanes) {
		c.takenAt = e.At
		f.done = append(f.done, c)
	}
}

// find returns the change of a later event. A delete may arrive with another version than the one sent: it is then the oldest delete of its key that has not
// come so far in this lane.
func (f *changes) find(e *trace.Event, deleted bool, came func(*changeInLane) bool) *change {
	if c := f.byID[changeID{e.Key, e.RV}]; c != nil && (c.op == informer.OpDeleted) == deleted {
		if came(&c.lanes[e.Lane]) {
			return nil
		}
		return c
	}
	if deleted {
		for _, c := range f.deletes[e.Key] {
			if !came(&c.lanes[e.Lane]) {
				return c
			}
		}
	}
	return nil
}

func (f *changes) queued(l *laneChanges, e *trace.Event) {
	place := l.tail
	l.tail++
	if e.Key == "" || e.Op == informer.OpSync {
		return
	}
	c := f.find(e, e.Op == informer.OpDeleted, func(x *changeInLane) bool { return x.queued > 0 })
	if c == nil {
		return
	}
	x := &c.lanes[e.Lane]
	x.queued, x.place = e.Seq, place
	if l.delta {
		l.filed[c.key] = append(l.filed[c.key], c)
	} else {
		l.line = append(l.line, c)
	}
	if c.count {
		l.waiting++
	}
}

func (f *changes) popped(l *laneChanges, e *trace.Event) {
	p := &pop{seq: e.Seq, deltas: e.N, batch: e.Text == "batch"}
	take := func(c *change) {
		c.lanes[e.Lane].pop = p
		if c.count {
			l.waiting--
			l.taken++
			if p.n == 0 {
				l.pops++
				p.n = l.pops
			}
		}
	}
	if l.delta { // one key with all its deltas
		for _, c := range l.filed[e.Key] {
			take(c)
		}
		delete(l.filed, e.Key)
		return
	}
	n := 0
	for n < len(l.line) && l.line[n].lanes[e.Lane].place < l.tail-int64(e.M) { // M are left
		take(l.line[n])
		n++
	}
	l.line = slices.Delete(l.line, 0, n)
}

func (f *changes) stored(l *laneChanges, e *trace.Event) {
	deleted := e.Kind == informer.KindStoreDeleted
	c := f.find(e, deleted, func(x *changeInLane) bool { return x.stored > 0 })
	was := l.held[e.Key]
	delete(l.held, e.Key)
	if c == nil {
		return
	}
	if !deleted {
		l.held[e.Key] = c
	}
	x := &c.lanes[e.Lane]
	x.stored, x.storedAt, x.storedOp = e.Seq, e.At, storeOps[e.Kind]
	if was != nil {
		x.was = was.order
	}
	if !c.count {
		return
	}
	l.last[c.key] = c
	l.stored++
	x.storedPosition = l.stored
	if c.order < l.storedNewest {
		l.storedLate++
	}
	l.storedNewest = max(l.storedNewest, c.order)
}

func (f *changes) given(l *laneChanges, e *trace.Event) {
	c := f.find(e, e.Op == informer.OpDeleted, func(x *changeInLane) bool { return x.given > 0 })
	if c == nil {
		return
	}
	x := &c.lanes[e.Lane]
	x.given, x.givenAt, x.givenOp = e.Seq, e.At, e.Op
	if !c.count {
		return
	}
	l.given++
	x.givenPosition = l.given
	if c.order < l.givenNewestSeen {
		l.givenLate++
	}
	l.givenNewestSeen = max(l.givenNewestSeen, c.order)
}

// first returns the first n changes of the burst.
func (f *changes) first(n int) (out []*change) {
	for _, c := range f.all {
		if len(out) == n {
			break
		}
		if c.count {
			out = append(out, c)
		}
	}
	return out
}

// newest returns the newest changes that all lanes have taken. Unless the view is paused, the choice changes only once per flowEvery, so that it can be read:
// the first change that was taken in the current interval, and those before it.
func (f *changes) newest(at time.Duration, paused bool) []*change {
	n := len(f.done)
	if !paused {
		start := at / flowEvery * flowEvery
		n, _ = slices.BinarySearchFunc(f.done, start, func(c *change, start time.Duration) int { return cmp.Compare(c.takenAt, start) })
		if n < len(f.done) {
			n++
		}
	}
	return slices.Clone(f.done[max(n-maxFlow, 0):n])
}

// forget drops the changes before the shown ones, which are not needed any more.
func (f *changes) forget(shown []*change) {
	if len(shown) < maxFlow {
		return
	}
	first := shown[0].order
	for _, c := range shown {
		first = min(first, c.order)
	}
	n := 0
	for n < len(f.all) && f.all[n].order < first {
		n++
	}
	if n == 0 {
		return
	}
	gone := func(c *change) bool { return c.order < first }
	for _, c := range f.all[:n] {
		delete(f.byID, c.changeID)
		if c.op == informer.OpDeleted {
			drop(f.deletes, c.key, gone)
		}
		for i := range f.lanes {
			l := &f.lanes[i]
			drop(l.filed, c.key, gone)
			if l.held[c.key] == c {
				delete(l.held, c.key)
			}
		}
	}
	f.all = slices.Delete(f.all, 0, n)
	f.done = slices.DeleteFunc(f.done, gone)
	for i := range f.lanes {
		f.lanes[i].line = slices.DeleteFunc(f.lanes[i].line, gone)
	}
}

// drop removes what is gone from the list of a key, and the list when it is empty.
func drop(lists map[string][]*change, key string, gone func(*change) bool) {
	list, ok := lists[key]
	if !ok {
		return
	}
	if list = slices.DeleteFunc(list, gone); len(list) > 0 {
		lists[key] = list
	} else {
		delete(lists, key)
	}
}
