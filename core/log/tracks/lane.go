package tracks

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
	"informerscope/core/words/persistent"
	"informerscope/core/words/releases"
)

// lane has the rows of one informer.
type lane struct {
	identity event.LaneOf
	// ownWire: the frames of the lane's wire are all of this informer.
	ownWire bool
	cluster *cluster // of the lane's wire: lanes of one resource in several releases share it

	reflector line   // from the wire to the queue
	causes    causes // of the Reflector
	verb      event.Verb
	listing   bool // a list, or a watch's initial events, are under way

	queue       line
	queueCauses causes
	lastHold    *span // the hold of Pop after which some that had waited still do, nil for none; and how many do
	leftovers   int
	tombstones  map[string]bool // the keys of which a tombstone waits
	takenStones map[string]bool // those of which Pop has taken one
	takesList   bool            // Pop has taken a list: what it lacks is deleted by a tombstone

	stored  passes
	objects int // in the store

	handlers []*handler
	syncing  bool // the newest notification goes to syncing listeners alone: the object's version is the old one
	resyncs  bool // what is being processed is of a resync, and not of a list

	work       line
	workRow    bool // a work queue was seen
	feeder     int32
	workCauses causes
	failures   map[string]int // of a key that fails
	reads      reads          // through the lister
}

// handler has the row of a handler.
type handler struct {
	id      int32
	name    string
	added   stamp
	removed stamp
	line    line
	causes  causes
	calls   causes
	current string // the key of the call that runs
	begun   passes // calls of what was not seen to wait
	resync  *span  // the newest one, nil for none
	stone   *span  // the newest tombstones, nil for none
}

// markTombstone marks that the handler gets a tombstone. Those of one moment have one mark.
func (h *handler) markTombstone(s stamp) {
	if h.stone == nil || s.at-h.stone.from.at > time.Millisecond {
		h.stone = h.causes.mark(s, Tombstone, 0, "")
	}
	h.stone.n++
	h.stone.to = s
}

func newLane(identity event.LaneOf, ownWire bool) *lane {
	l := &lane{ownWire: ownWire, work: line{keyed: true}, failures: map[string]int{}, tombstones: map[string]bool{}, takenStones: map[string]bool{}}
	l.setIdentity(identity)
	return l
}

func (l *lane) setIdentity(identity event.LaneOf) {
	l.identity = identity
	if r, err := releases.Parse(identity.Release); err == nil && identity.Release != "" {
		l.queue.keyed = !r.Features().KeepsOrder
	}
}

// awaitStart notes that the informer has not started: until its first request it has no watch.
func (l *lane) awaitStart(s stamp) { l.causes.begin(s, Stopped, "").words = Unstarted }

// apply takes an event of the lane in.
func (l *lane) apply(s stamp, e *event.Entry) {
	if e.Kind == event.KindSampled {
		l.sample(s, e.Sampled().Sample)
		return
	}
	switch event.SubjectOf(e.Kind) {
	case event.AboutReflector:
		l.applyReflector(s, e)
	case event.AboutQueue:
		l.applyQueue(s, e)
	case event.AboutStore:
		l.applyStore(s, e)
	case event.AboutListener:
		l.applyListener(s, e)
	case event.AboutWork:
		l.applyWork(s, e)
	case event.AboutWorld:
		l.applyWire(s, e)
	}
}

// applyWire takes an event of the lane's wire in.
func (l *lane) applyWire(s stamp, e *event.Entry) {
	if e.Kind == event.KindWireFrame && l.ownWire && e.Op() != event.OpBookmark && !l.listing {
		l.reflector.enter(s, e.Op(), e.Key(), e.RV(), 1)
	}
}

func (l *lane) applyReflector(s stamp, e *event.Entry) {
	switch e.Kind {
	case event.KindInformerStarted:
		if r, err := releases.Parse(e.InformerStarted().Release); err == nil && l.queue.depth() == 0 {
			l.queue.keyed = !r.Features().KeepsOrder
		}
	case event.KindRequestSent:
		l.causes.end(s, Stopped, "")
		l.verb = e.RequestSent().Verb
		if l.verb != event.VerbWatch {
			l.listing = true
			if l.causes.open(Listing, "") == nil {
				l.causes.begin(s, Listing, "")
			}
		}
	case event.KindRequestAnswered:
		l.answer(s, e.RequestAnswered())
	case event.KindWatchEvent:
		l.receive(s, e.WatchEvent())
	case event.KindWatchClosed:
		x := e.WatchClosed()
		l.reflector.clear(s)
		l.causes.end(s, Silent, "")
		l.failList(s)
		l.breakOff(s, x.Err, x.Why)
	case event.KindBackoff:
		x := e.Backoff()
		l.causes.begin(s, Backoff, "").length = x.Wait
		if x.Err != nil {
			l.breakOff(s, x.Err, "")
		}
	case event.KindBackoffEnded:
		l.causes.end(s, Backoff, "")
	case event.KindReflectorStopped:
		for _, kind := range []SpanKind{Gap, Backoff, Silent} {
			l.causes.end(s, kind, "")
		}
		l.causes.begin(s, Stopped, "")
		l.reflector.clear(s)
		l.failList(s)
	}
}

// answer takes the answer to a request in.
func (l *lane) answer(s stamp, x event.RequestAnswered) {
	switch {
	case x.Err != nil:
		l.failList(s)
		l.breakOff(s, x.Err, "")
	case l.verb == event.VerbList:
		if list := l.causes.open(Listing, ""); list != nil {
			if list.n += x.Items; x.Continue == "" {
				l.causes.end(s, Listing, "")
				l.listing = false
			}
		}
	default:
		l.causes.end(s, Gap, "")
	}
}

// failList ends a list that brought nothing.
func (l *lane) failList(s stamp) {
	l.listing = false
	if list := l.causes.end(s, Listing, ""); list != nil {
		list.n = 0
	}
}

// breakOff notes that there is no watch, and the newest reason.
func (l *lane) breakOff(s stamp, err error, why string) {
	gap := l.causes.open(Gap, "")
	if gap == nil {
		gap = l.causes.begin(s, Gap, "")
	}
	if err != nil {
		why = err.Error()
		gap.code = event.StatusCode(err)
	}
	if why != "" {
		gap.words = fold.Shorten(why)
	}
}

func (l *lane) receive(s stamp, x event.WatchEvent) {
	switch {
	case x.Op == event.OpBookmark && x.EndMark:
		if list := l.causes.end(s, Listing, ""); list != nil {
			list.n = max(list.n, x.TempStore)
		}
		l.listing = false
	case x.Op == event.OpBookmark || l.listing:
		if list := l.causes.open(Listing, ""); list != nil {
			list.n = x.TempStore
		}
	case !l.ownWire:
		l.reflector.enter(s, x.Op, x.Key, x.RV, 1)
	}
}

func (l *lane) applyQueue(s stamp, e *event.Entry) {
	switch e.Kind {
	case event.KindQueued:
		x := e.Queued()
		l.reflector.leaveUpTo(s, x.Key, x.RV)
		l.queue.enter(s, x.Op, x.Key, x.RV, len(x.Items))
		if x.Op == event.OpDeleted && x.Tombstone {
			l.tombstones[x.Key] = true
		}
	case event.KindPopped:
		x := e.Popped()
		depth := l.queue.pile.depth
		l.takeTombstones(x)
		if l.queue.keyed {
			l.queue.leaveKey(s, x.Key)
		} else {
			if l.queue.head < l.queue.end() {
				l.resyncs = isSync(l.queue.at(l.queue.head).op)
			}
			l.queue.leaveFirst(s, x.Deltas)
		}
		l.countPop(s, depth-l.queue.pile.depth)
	}
}

// takeTombstones notes which of what a Pop takes are tombstones, before it leaves the queue.
func (l *lane) takeTombstones(x event.Popped) {
	clear(l.takenStones)
	l.takesList = false
	take := func(key string) {
		if l.tombstones[key] {
			l.takenStones[key] = true
			delete(l.tombstones, key)
		}
	}
	if l.queue.keyed {
		take(x.Key)
		return
	}
	for i := l.queue.head; i < min(l.queue.head+x.Deltas, l.queue.end()); i++ {
		switch w := l.queue.at(i); w.op {
		case event.OpDeleted:
			take(w.key)
		case event.OpReplacedAll:
			l.takesList = true
		}
	}
}

// countPop counts a Pop that took so many, until all that waited during a hold are gone.
func (l *lane) countPop(s stamp, n int) {
	if l.lastHold == nil {
		return
	}
	l.lastHold.pops++
	if l.leftovers -= n; l.leftovers <= 0 {
		l.lastHold.gone = s
		l.lastHold = nil
	}
}

func (l *lane) applyStore(s stamp, e *event.Entry) {
	switch op := event.StoreOp(e.Kind); {
	case e.Kind == event.KindStoreReplaced:
		l.objects = e.StoreReplaced().Count
		l.stored.add(s, event.OpReplaced, l.objects, "")
	case op != event.OpNone:
		l.resyncs = isSync(e.Op())
		switch op {
		case event.OpAdded:
			l.objects++
		case event.OpDeleted:
			l.objects--
		}
		l.stored.add(s, op, 1, e.Key())
	}
}

// isSync reports whether a delta is of a resync.
func isSync(op event.Op) bool { return op == event.OpSync || op == event.OpSyncAll }

func (l *lane) handler(id int32) *handler {
	for _, h := range l.handlers {
		if h.id == id {
			return h
		}
	}
	return nil
}

func (l *lane) applyListener(s stamp, e *event.Entry) {
	switch e.Kind {
	case event.KindListenerAdded:
		x := e.ListenerAdded()
		h := &handler{id: x.Listener, name: fold.Shorten(x.Name), added: s, removed: never}
		if x.Late {
			h.causes.mark(s, Added, l.objects, "")
		}
		if len(l.handlers) < fold.MaxListeners {
			l.handlers = append(l.handlers, h)
		}
		return
	case event.KindDistributed:
		l.syncing = e.Distributed().Only == "sync"
		return
	}
	h := l.handler(e.Listener())
	if h == nil {
		return
	}
	switch e.Kind {
	case event.KindListenerRemoved:
		h.removed = s
		h.causes.mark(s, Removed, 0, "")
	case event.KindListenerStopped:
		h.line.clear(s)
		h.endCall(s)
	case event.KindAccepted:
		x := e.Accepted()
		op := x.Op
		if l.syncing {
			op = event.OpSync
		}
		if l.syncing && l.resyncs {
			if h.resync == nil || s.at-h.resync.to.at > time.Second {
				h.resync = h.causes.mark(s, Resync, 0, "")
			}
			h.resync.n++
		}
		if x.Op == event.OpDeleted && (l.takesList || l.takenStones[x.Key]) {
			h.markTombstone(s)
		}
		h.line.enter(s, op, x.Key, x.RV, 1)
	case event.KindHandling:
		if h.line.head < h.line.end() {
			h.line.leaveFirst(s, 1)
		} else if len(h.line.samples) > 0 {
			h.begun.add(s, e.Op(), 1, e.Key())
		}
		h.current = e.Key()
		h.calls.begin(s, Call, "").key = h.current
	case event.KindHandled:
		h.endCall(s)
		if err := e.Err(); err != nil {
			h.causes.mark(s, Failed, 0, fold.Shorten(err.Error()))
		}
	}
}

// endCall ends the call that runs.
func (h *handler) endCall(s stamp) {
	h.current = ""
	h.calls.end(s, Call, "")
}

func (l *lane) applyWork(s stamp, e *event.Entry) {
	l.workRow = true
	switch e.Kind {
	case event.KindWorkAdded:
		l.feed(e.Work())
		l.work.enter(s, event.OpNone, e.Key(), "", 1)
	case event.KindWorkDeduplicated:
		l.work.merge(s, e.Key())
	case event.KindWorkTaken:
		x := e.Work()
		l.work.leaveKey(s, x.Key)
		call := l.workCauses.begin(s, Call, x.Key)
		call.n = int(x.Worker)
	case event.KindWorkDone:
		x := e.Work()
		l.workCauses.end(s, Call, x.Key)
		if x.Flag {
			l.work.enter(s, event.OpNone, x.Key, "", 1)
		}
	case event.KindListerRead:
		l.addRead(s, e.Lane, e.ListerRead())
	case event.KindReconciled:
		if err := e.Err(); err != nil {
			l.workCauses.mark(s, Failed, 0, fold.Shorten(strings.TrimSpace(err.Error()))).key = e.Key()
		}
	case event.KindWorkRateLimited:
		if x := e.Work(); x.N > 0 {
			l.failures[x.Key] = x.N
		}
	case event.KindWorkForgotten:
		delete(l.failures, e.Key())
	case event.KindWorkWaiting:
		x := e.Work()
		retry := l.workCauses.begin(s, Retry, x.Key)
		retry.length, retry.n = x.Dur, l.failures[x.Key]
	case event.KindWorkDue:
		l.workCauses.end(s, Retry, e.Key())
	}
}

// feed notes which handler adds keys.
func (l *lane) feed(x event.Work) {
	if x.Lane > 0 && x.Worker > 0 {
		l.feeder = x.Worker
		return
	}
	for _, h := range l.handlers {
		if h.current == x.Key {
			l.feeder = h.id
			return
		}
	}
}

// hold begins or ends a hold in the row of the station behind which it lies.
func (l *lane) hold(s stamp, x event.Hold) {
	for _, row := range l.heldRows(x) {
		switch {
		case !x.Held:
			ended := row.causes.end(s, Hold, "")
			if ended == nil {
				break
			}
			ended.n = row.line.pile.depth
			if row.line == &l.queue && ended.n > 0 {
				l.lastHold, l.leftovers = ended, ended.n
			}
		case row.causes.open(Hold, "") == nil:
			if row.line == &l.queue {
				l.lastHold = nil
			}
			row.causes.begin(s, Hold, "").words = fold.StageName(event.Stage(x.Stage))
		}
	}
}

// heldRow is a row in which a hold is drawn.
type heldRow struct {
	causes *causes
	line   *line
}

func (l *lane) heldRows(x event.Hold) (rows []heldRow) {
	switch fold.StageName(event.Stage(x.Stage)) {
	case "store":
		return []heldRow{{&l.causes, &l.reflector}}
	case "pop":
		return []heldRow{{&l.queueCauses, &l.queue}}
	case "take":
		return []heldRow{{&l.workCauses, &l.work}}
	}
	for _, h := range l.handlers {
		if x.Listener == 0 || x.Listener == h.id {
			rows = append(rows, heldRow{&h.causes, &h.line})
		}
	}
	return rows
}

// silence begins or ends a watch that looks open and brings nothing.
func (l *lane) silence(s stamp, on bool) {
	switch {
	case !on:
		l.causes.end(s, Silent, "")
	case l.causes.open(Gap, "") == nil && l.causes.open(Silent, "") == nil:
		l.causes.begin(s, Silent, "")
	}
}

// sample takes in how many wait where no event says what comes and what leaves.
func (l *lane) sample(s stamp, text string) {
	var x fold.Sampled
	if json.Unmarshal([]byte(text), &x) != nil {
		return
	}
	if x.Queue != nil {
		l.queue.look(s, x.Queue.Depth)
	}
	for _, listener := range x.Listeners {
		if h := l.handler(listener.ID); h != nil && listener.Ring >= 0 {
			h.line.look(s, listener.Ring)
		}
	}
}

// restore begins the lane with a State, of a log whose beginning was not kept.
func (l *lane) restore(s stamp, st *fold.State) {
	l.queue.keyed = st.Queue.Kind == "DeltaFIFO"
	l.objects = st.Indexer.Count
	switch st.Reflector.Phase {
	case "idle":
		l.awaitStart(s)
	case "stopped":
		l.causes.begin(s, Stopped, "")
	}
	if st.Fidelity["queue"].How == "sampled" {
		l.queue.look(s, st.Queue.Depth)
	}
	for _, item := range st.Queue.Items {
		l.queue.enter(s, event.ParseOp(item.Op), item.Key, item.RV, item.Count)
		if item.Tombstone || slices.ContainsFunc(item.Deltas, func(d fold.QueueItem) bool { return d.Tombstone }) {
			l.tombstones[item.Key] = true
		}
		for range max(len(item.Deltas)-1, 0) {
			l.queue.merge(s, item.Key)
		}
	}
	for _, x := range st.Listeners {
		h := &handler{id: x.ID, name: x.Name, added: s, removed: never}
		if x.Removed {
			h.removed = s
		}
		if st.Fidelity["listeners.ring"].How == "sampled" {
			h.line.look(s, x.Ring)
		}
		waits := x.Distributed - x.Handled
		if x.Handling != nil {
			waits--
			h.current = x.Handling.Key
			h.calls.begin(s, Call, "").key = h.current
		}
		for range min(waits-x.Discarded, persistent.MaxKept) { // the log may say anything
			h.line.enter(s, event.OpNone, "", "", 1)
		}
		if len(l.handlers) < fold.MaxListeners {
			l.handlers = append(l.handlers, h)
		}
	}
	for _, x := range st.Holds {
		for stage := range event.Stage(8) {
			if fold.StageName(stage) == x.Stage {
				l.hold(s, event.Hold{Stage: int(stage), Listener: x.Listener, Held: true})
			}
		}
	}
	if st.Workqueue == nil {
		return
	}
	l.workRow = true
	for _, key := range st.Workqueue.Queue {
		l.work.enter(s, event.OpNone, key, "", 1)
	}
	for _, w := range st.Workqueue.Processing {
		l.workCauses.begin(s, Call, w.Key).n = int(w.ID)
	}
	for _, x := range st.Workqueue.Waiting {
		l.workCauses.begin(s, Retry, x.Key).n = x.Failures
		l.failures[x.Key] = x.Failures
	}
}

func (l *lane) forget(before time.Duration) {
	for _, x := range l.lines() {
		x.forget(before)
	}
	for _, c := range []*causes{&l.causes, &l.queueCauses, &l.workCauses} {
		c.forget(before)
	}
	l.stored.forget(before)
	l.reads.forget(before)
	for _, h := range l.handlers {
		h.causes.forget(before)
		h.calls.forget(before)
		h.begun.forget(before)
	}
	l.handlers = slices.DeleteFunc(l.handlers, func(h *handler) bool { return h.removed.at < before })
}

func (l *lane) lines() []*line {
	all := []*line{&l.reflector, &l.queue, &l.work}
	for _, h := range l.handlers {
		all = append(all, &h.line)
	}
	return all
}

func (l *line) depth() int { return l.pile.depth }
