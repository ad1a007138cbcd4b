package compare

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// change is one version of one object as the API server sent it, and what each lane made of it.
type change struct {
	changeID
	op         event.Op
	seq        uint64 // of the first event that mentions it
	sentAt     time.Duration
	order      int  // its number among all changes, from 1
	inBurst    bool // it was sent during the burst
	burstPlace int  // its number among the changes of the burst, from 1
	// isInitial: it came as an initial event of a WatchList, and no Reflector took it as a change.
	isInitial bool
	isEcho    bool          // another watch sent it earlier, before the range that was read
	takers    int           // the number of Reflectors that took it
	takenAt   time.Duration // when the last Reflector took it
	lanes     []changeInLane
}

// changeID identifies a change.
type changeID struct{ key, rv string }

// changeInLane is how far a change has come in a lane. A seq is 0 for what has not happened.
type changeInLane struct {
	reflectorSeq, queueSeq, storeSeq, handlerSeq uint64
	place                                        int64 // in the line of a RealFIFO; the first delta that was read has 0
	pop                                          *pop
	storeAt, handlerAt                           time.Duration
	storeOp, handlerOp                           event.Op
	storePosition, handlerPosition               int
	storeLate, handlerLate                       int // laneChanges' counts when it came
	predecessor                                  int // order of the change that it replaced in the store; 0 if unknown
}

// pop is one Pop that took compared changes.
type pop struct {
	n, deltas int // its number among the pops of the burst, from 1; the deltas that it took
	seq       uint64
	isBatch   bool
}

// laneChanges has the changes that move through one lane.
type laneChanges struct {
	hasDeltaFIFO bool
	line         []*change            // in a RealFIFO, head first
	tail         int64                // place of the next delta in the line
	keyQueues    map[string][]*change // in a DeltaFIFO, by key
	storeChanges map[string]*change   // by key: the change whose state the store holds, if known
	burstChanges map[string]*change   // by key: the change of the burst that the store took last
	// These count changes of the burst. storeLate and handlerLate count those that came after a newer one; storeNewest and handlerNewest are the orders of the
	// newest ones.
	waitCount, takeCount, popCount           int
	storeCount, storeLate, storeNewest       int
	handlerCount, handlerLate, handlerNewest int
}

// changes follows changes through all lanes.
type changes struct {
	listener     int32
	hasBurst     bool // changes count if they were sent after the event burstAfter, up to burstEnd
	burstAfter   uint64
	burstEnd     uint64 // 0: no end
	readEnd      uint64 // later events are ignored; 0: no end
	items        []*change
	arrivals     []*change // the changes that all Reflectors have taken, in the order of takenAt
	byID         map[changeID]*change
	deletes      map[string][]*change // by key
	keys         map[string]int       // the number of each key's changes in the burst
	lists        map[uint32]bool      // requests whose frames are still those of a list
	total        int                  // the number of changes in the burst
	order        int                  // of the newest change
	newestRV     string
	needsNumbers bool // a change has left the burst: burstPlace of the later ones is wrong
	lanes        []laneChanges
	slab         []change // allocated changes that are not used yet
}

// slab is how many changes one allocation makes.
const slab = 64

// newChanges returns empty changes for the fold's lanes. They follow one listener's handler.
func newChanges(fold *fold.Fold, listener int32) changes {
	f := changes{listener: listener, lanes: make([]laneChanges, fold.Lanes())}
	for i := range f.lanes {
		f.lanes[i].hasDeltaFIFO = fold.QueueKind(i) == "DeltaFIFO"
	}
	f.reset()
	return f
}

// reset drops all changes.
func (f *changes) reset() {
	f.items, f.arrivals, f.total, f.order, f.newestRV, f.needsNumbers = nil, nil, 0, 0, "", false
	f.byID, f.deletes, f.keys = map[changeID]*change{}, map[string][]*change{}, map[string]int{}
	f.lists = map[uint32]bool{}
	for i := range f.lanes {
		f.lanes[i] = laneChanges{hasDeltaFIFO: f.lanes[i].hasDeltaFIFO,
			keyQueues: map[string][]*change{}, storeChanges: map[string]*change{}, burstChanges: map[string]*change{}}
	}
}

// see follows one event.
func (f *changes) see(e *event.Entry) {
	if f.readEnd > 0 && e.Seq > f.readEnd {
		return
	}
	if e.Kind == event.KindSelected || e.Kind == event.KindLane && int(e.Lane) < len(f.lanes) { // another experiment, or another factory
		f.reset()
		return
	}
	switch e.Kind {
	case event.KindWireRequest:
		if strings.Contains(e.WireRequest().URL, "sendInitialEvents=true") {
			f.lists[e.Req()] = true
		}
	case event.KindWireDone:
		delete(f.lists, e.Req())
	case event.KindWireFrame:
		if e.Key() == "" { // a bookmark: the list is complete
			delete(f.lists, e.Req())
		} else if !f.lists[e.Req()] {
			f.change(e)
		}
	}
	if int(e.Lane) >= len(f.lanes) {
		return
	}
	l := &f.lanes[e.Lane]
	switch e.Kind {
	case event.KindWatchEvent:
		if e.Key() == "" {
			break
		}
		if e.WatchEvent().TempStore == 0 {
			f.noteReflected(f.change(e), e)
		} else if c := f.byID[changeID{e.Key(), e.RV()}]; c != nil {
			f.noteListed(c)
		}
	case event.KindQueued:
		f.noteQueued(l, e)
	case event.KindPopped:
		f.notePopped(l, e)
	case event.KindStoreAdded, event.KindStoreUpdated, event.KindStoreDeleted:
		f.noteStored(l, e)
	case event.KindStoreReplaced:
		clear(l.storeChanges)
	case event.KindHandling:
		if e.Listener() == f.listener {
			f.noteHandled(l, e)
		}
	}
}

// change returns the change of an event of the wire or of a Reflector.
func (f *changes) change(e *event.Entry) *change {
	id := changeID{e.Key(), e.RV()}
	if c := f.byID[id]; c != nil {
		return c
	}
	f.order++
	c := f.make()
	c.changeID, c.op, c.seq, c.sentAt, c.order = id, e.Op(), e.Seq, e.At, f.order
	f.byID[id] = c
	f.items = append(f.items, c)
	if c.op == event.OpDeleted {
		f.deletes[c.key] = append(f.deletes[c.key], c)
	}
	// Each watch sends the changes in the order of their versions: one that is older than the newest seen had been sent before.
	if c.isEcho = isLater(f.newestRV, c.rv); !c.isEcho {
		f.newestRV = c.rv
		f.enter(c)
	}
	return c
}

// isLater reports whether a is later than b, compared as numbers; false if they are not numbers.
func isLater(a, b string) bool {
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
	if f.hasBurst && c.seq > f.burstAfter && (f.burstEnd == 0 || c.seq <= f.burstEnd) {
		f.total++
		f.keys[c.key]++
		c.inBurst, c.burstPlace = true, f.total
	}
}

// leave removes a change from the burst.
func (f *changes) leave(c *change) {
	f.total--
	f.needsNumbers = true
	c.inBurst, c.burstPlace = false, 0
	if f.keys[c.key]--; f.keys[c.key] == 0 {
		delete(f.keys, c.key)
	}
}

// number updates each change's burstPlace.
func (f *changes) number() {
	if !f.needsNumbers {
		return
	}
	n := 0
	for _, c := range f.items {
		if c.inBurst {
			n++
			c.burstPlace = n
		}
	}
	f.needsNumbers = false
}

// noteListed takes a change that came in a list out of the burst. If the log was not read back to the list's request, the list's frames look like changes.
func (f *changes) noteListed(c *change) {
	if c.takers == 0 && !c.isInitial {
		c.isInitial = true
		if c.inBurst {
			f.leave(c)
		}
	}
}

// noteReflected notes that a Reflector took a change.
func (f *changes) noteReflected(c *change, e *event.Entry) {
	x := &c.lanes[e.Lane]
	if x.reflectorSeq != 0 {
		return
	}
	x.reflectorSeq = e.Seq
	if c.isInitial {
		if c.isInitial = false; !c.isEcho {
			f.needsNumbers = true
			f.enter(c)
		}
	}
	if c.takers++; c.takers == len(f.lanes) {
		c.takenAt = e.At
		f.arrivals = append(f.arrivals, c)
	}
}

// find returns the change of an event in a lane, nil if came is true of it already. A delete may arrive with another version than the one sent; find then
// returns the oldest delete of its key for which came is false.
func (f *changes) find(e *event.Entry, deleted bool, came func(*changeInLane) bool) *change {
	if c := f.byID[changeID{e.Key(), e.RV()}]; c != nil && (c.op == event.OpDeleted) == deleted {
		if came(&c.lanes[e.Lane]) {
			return nil
		}
		return c
	}
	if deleted {
		for _, c := range f.deletes[e.Key()] {
			if !came(&c.lanes[e.Lane]) {
				return c
			}
		}
	}
	return nil
}

// noteQueued notes that a change entered the lane's queue.
func (f *changes) noteQueued(l *laneChanges, e *event.Entry) {
	place := l.tail
	l.tail++
	if e.Key() == "" || e.Op() == event.OpSync {
		return
	}
	c := f.find(e, e.Op() == event.OpDeleted, func(x *changeInLane) bool { return x.queueSeq > 0 })
	if c == nil {
		return
	}
	x := &c.lanes[e.Lane]
	x.queueSeq, x.place = e.Seq, place
	if l.hasDeltaFIFO {
		l.keyQueues[c.key] = append(l.keyQueues[c.key], c)
	} else {
		l.line = append(l.line, c)
	}
	if c.inBurst {
		l.waitCount++
	}
}

// notePopped notes which changes a Pop took.
func (f *changes) notePopped(l *laneChanges, e *event.Entry) {
	popped := e.Popped()
	p := &pop{seq: e.Seq, deltas: popped.Deltas, isBatch: popped.Mode == "batch"}
	take := func(c *change) {
		c.lanes[e.Lane].pop = p
		if c.inBurst {
			l.waitCount--
			l.takeCount++
			if p.n == 0 {
				l.popCount++
				p.n = l.popCount
			}
		}
	}
	if l.hasDeltaFIFO { // one key with all its deltas
		for _, c := range l.keyQueues[popped.Key] {
			take(c)
		}
		delete(l.keyQueues, popped.Key)
		return
	}
	n := 0
	for n < len(l.line) && l.line[n].lanes[e.Lane].place < l.tail-int64(popped.Length) {
		take(l.line[n])
		n++
	}
	l.line = slices.Delete(l.line, 0, n)
}

// noteStored notes that a change reached the lane's store.
func (f *changes) noteStored(l *laneChanges, e *event.Entry) {
	deleted := e.Kind == event.KindStoreDeleted
	c := f.find(e, deleted, func(x *changeInLane) bool { return x.storeSeq > 0 })
	was := l.storeChanges[e.Key()]
	delete(l.storeChanges, e.Key())
	if c == nil {
		return
	}
	if !deleted {
		l.storeChanges[e.Key()] = c
	}
	x := &c.lanes[e.Lane]
	x.storeSeq, x.storeAt, x.storeOp = e.Seq, e.At, event.StoreOp(e.Kind)
	if was != nil {
		x.predecessor = was.order
	}
	if !c.inBurst {
		return
	}
	l.burstChanges[c.key] = c
	l.storeCount++
	x.storePosition = l.storeCount
	if c.order < l.storeNewest {
		l.storeLate++
	}
	x.storeLate = l.storeLate
	l.storeNewest = max(l.storeNewest, c.order)
}

// noteHandled notes that the lane's handler was called with a change.
func (f *changes) noteHandled(l *laneChanges, e *event.Entry) {
	c := f.find(e, e.Op() == event.OpDeleted, func(x *changeInLane) bool { return x.handlerSeq > 0 })
	if c == nil {
		return
	}
	x := &c.lanes[e.Lane]
	x.handlerSeq, x.handlerAt, x.handlerOp = e.Seq, e.At, e.Op()
	if !c.inBurst {
		return
	}
	l.handlerCount++
	x.handlerPosition = l.handlerCount
	if c.order < l.handlerNewest {
		l.handlerLate++
	}
	x.handlerLate = l.handlerLate
	l.handlerNewest = max(l.handlerNewest, c.order)
}

// burstHead returns the first n changes of the burst.
func (f *changes) burstHead(n int) (out []*change) {
	for _, c := range f.items {
		if len(out) == n {
			break
		}
		if c.inBurst {
			out = append(out, c)
		}
	}
	return out
}

// newestChanges returns the newest changes that all Reflectors have taken. Unless the view is paused, it returns the same ones for flowEvery, so that they can
// be read: the first change that was taken in the current interval, and those before it.
func (f *changes) newestChanges(at time.Duration, paused bool) []*change {
	n := len(f.arrivals)
	if !paused {
		start := at / flowEvery * flowEvery
		n, _ = slices.BinarySearchFunc(f.arrivals, start, func(c *change, start time.Duration) int { return cmp.Compare(c.takenAt, start) })
		if n < len(f.arrivals) {
			n++
		}
	}
	return slices.Clone(f.arrivals[max(n-maxFlow, 0):n])
}

// forget drops the changes that are older than the shown ones. It keeps all if there are fewer than maxFlow.
func (f *changes) forget(shown []*change) {
	if len(shown) < maxFlow {
		return
	}
	first := shown[0].order
	for _, c := range shown {
		first = min(first, c.order)
	}
	n := 0
	for n < len(f.items) && f.items[n].order < first {
		n++
	}
	if n == 0 {
		return
	}
	gone := func(c *change) bool { return c.order < first }
	for _, c := range f.items[:n] {
		delete(f.byID, c.changeID)
		if c.op == event.OpDeleted {
			drop(f.deletes, c.key, gone)
		}
		for i := range f.lanes {
			l := &f.lanes[i]
			drop(l.keyQueues, c.key, gone)
			if l.storeChanges[c.key] == c {
				delete(l.storeChanges, c.key)
			}
		}
	}
	f.items = slices.Delete(f.items, 0, n)
	f.arrivals = slices.DeleteFunc(f.arrivals, gone)
	for i := range f.lanes {
		f.lanes[i].line = slices.DeleteFunc(f.lanes[i].line, gone)
	}
}

// drop removes the changes for which gone is true from a key's list, and the list when it is empty.
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
