package fold

import (
	"cmp"
	"slices"
	"time"

	"informerscope/core/words/event"
	"informerscope/core/words/persistent"
)

// The ways in which a cluster is known.
const (
	clusterWritten = "written" // the log has each write
	clusterSeen    = "seen"    // the log has what came over the wire
)

// Bounds of the changes that are kept for each object. The oldest ones share an entry beyond them: they then count as arrived together.
const (
	maxChanges   = 256
	maxShort     = 16      // while many are kept
	manyChanges  = 1 << 16 // of all objects
	clusterNever = time.Duration(-1)
)

// cluster is what the cluster holds of a lane's resource, and what of it the lane's store does not have yet.
type cluster struct {
	known   string // "": nothing is known
	objects persistent.Map[*Held]
	unsent  int // of the objects
	apart   persistent.Map[*lag]
	changes int // of all lags
	entries int // of all lags
	// tombstones are the deletions on their way to the store that only a list has shown, by key.
	tombstones persistent.Map[tombstone]
	came       time.Duration // when the wire last brought something; clusterNever: not yet
	listSeq    uint64        // the request of the list under way, 0 for none
	listRV     string        // of the newest list
	isPaged    bool          // the list's objects come in a body, and not as frames
}

// Held is an object in the cluster. It never changes.
type Held struct {
	RV     string
	At     time.Duration // when this version was written, or came; 0 if it was there when the log began
	Unsent bool          // the informer's selectors do not select it

	seq uint64 // of the event that showed it last
}

// lag has the changes of an object that the store does not have, the oldest first.
type lag struct {
	epoch uint64 // of the fold that may append
	list  []change
}

// change is a change that the store does not have, or n of them that share an entry: at is that of the oldest, rv and op are the newest's.
type change struct {
	rv string
	at time.Duration
	op event.Op
	n  int
}

// tombstone is a deletion without a version: rv is the last known one, list that of the list without the object.
type tombstone struct{ rv, list string }

// Cluster is a read-only view of what the cluster holds of a lane's resource, under the same rules as Objects.
type Cluster struct{ c *cluster }

// Cluster returns what the cluster holds of a lane's resource.
func (f *Fold) Cluster(lane int) Cluster {
	if lane < 0 || lane >= len(f.lanes) {
		return Cluster{&cluster{}}
	}
	return Cluster{&f.lanes[lane].cluster}
}

// Get returns the object with a key.
func (c Cluster) Get(key string) (Held, bool) {
	if o := c.c.objects.Find(key); o != nil {
		return **o, true
	}
	return Held{}, false
}

// Len returns the number of objects.
func (c Cluster) Len() int { return c.c.objects.Len() }

// Range calls fn for every object until it returns false, in the order of the keys' hashes.
func (c Cluster) Range(fn func(key string, o Held) bool) {
	c.c.objects.Each(func(key string, o *Held) bool { return fn(key, *o) })
}

// Apart returns how many changes of an object the store does not have yet.
func (c Cluster) Apart(key string) (n int) {
	if x, ok := c.c.apart.Get(key); ok {
		for i := range x.list {
			n += x.list[i].n
		}
	}
	return n
}

// SharesRequests reports whether what comes over the wire of one lane is also another one's.
func (f *Fold) SharesRequests(a, b int) bool {
	return max(a, b) < len(f.lanes) && f.lanes[a].wire == f.lanes[b].wire
}

// applyCluster folds an event of the cluster for the lanes that share the requests of the event's lane.
func (f *Fold) applyCluster(e *event.Entry) {
	for i := range f.lanes {
		l := &f.lanes[i]
		switch {
		case int(e.Lane) >= len(f.lanes) || l.wire != f.lanes[e.Lane].wire:
		case e.Kind == event.KindClusterObjects:
			l.fillCluster(f.epoch, e)
		case e.Kind == event.KindClusterChange:
			l.applyWrite(f.epoch, e)
		}
	}
}

// seeFrame folds a frame of a watch likewise.
func (f *Fold) seeFrame(e *event.Entry) {
	if e.Kind != event.KindWireFrame {
		return
	}
	x := e.WireFrame()
	for i := range f.lanes {
		if l := &f.lanes[i]; l.wire == f.lanes[e.Lane].wire {
			l.cluster.came = e.At
			if x.Op != event.OpBookmark {
				l.see(f.epoch, e, x.Op, x.Key, x.RV)
			}
		}
	}
}

// fillCluster takes what the cluster holds when the lane begins.
func (l *lane) fillCluster(epoch uint64, e *event.Entry) {
	x := e.ClusterObjects()
	l.cluster = cluster{known: clusterWritten, came: clusterNever}
	for i := range x.Items {
		l.setHeld(epoch, x.Items[i].Key, &Held{RV: x.Items[i].RV, Unsent: i >= x.Sent, seq: e.Seq})
	}
	l.compareAll(epoch, e.At)
}

// applyWrite folds a write.
func (l *lane) applyWrite(epoch uint64, e *event.Entry) {
	x := e.ClusterChange()
	if l.cluster.known != clusterWritten {
		return // the log does not have what was there before
	}
	var now *Held
	if x.Op != event.OpDeleted {
		now = &Held{RV: x.RV, At: e.At, Unsent: x.Unsent, seq: e.Seq}
	}
	l.change(epoch, x.Key, x.RV, now, e.At)
}

// see folds an object that came over the wire.
func (l *lane) see(epoch uint64, e *event.Entry, op event.Op, key, rv string) {
	c := &l.cluster
	if c.known == clusterWritten || key == "" {
		return
	}
	c.known = clusterSeen
	before, found := c.objects.Get(key)
	if found && (rv == before.RV || event.IsNewer(before.RV, rv)) { // a request of another informer, or a later station, brings what came already
		if op != event.OpDeleted && before.seq < c.listSeq {
			c.objects.Set(epoch, key, &Held{RV: before.RV, At: before.At, Unsent: before.Unsent, seq: e.Seq})
		}
		return
	}
	switch {
	case op != event.OpDeleted:
		l.change(epoch, key, rv, &Held{RV: rv, At: e.At, seq: e.Seq}, e.At)
	case found:
		l.change(epoch, key, rv, nil, e.At)
	}
}

// change puts a new version of an object into the cluster, nil for its deletion, and counts it if it is to come to the store.
func (l *lane) change(epoch uint64, key, rv string, now *Held, at time.Duration) {
	before := l.setHeld(epoch, key, now)
	wasSent, isSent := before != nil && !before.Unsent, now != nil && !now.Unsent
	x := change{rv: rv, at: at, op: event.OpUpdated, n: 1}
	switch {
	case isSent && !wasSent:
		x.op = event.OpAdded
	case wasSent && !isSent:
		x.op = event.OpDeleted
	case !isSent:
		return
	}
	if stored, here := l.store.objects.Get(key); isSent && here && stored.RV == now.RV { // it came by another way
		l.cluster.arrive(epoch, key, always)
		return
	}
	l.cluster.add(epoch, key, x)
	l.compare(epoch, key, at)
}

// setHeld sets or, for nil, deletes an object of the cluster, and returns what was there.
func (l *lane) setHeld(epoch uint64, key string, now *Held) (before *Held) {
	c := &l.cluster
	before, _ = c.objects.Get(key)
	if before != nil && before.Unsent {
		c.unsent--
	}
	if now == nil {
		c.objects.Delete(epoch, key)
		return before
	}
	n := c.objects.Len()
	if c.objects.Set(epoch, key, now); now.Unsent && (before != nil || c.objects.Len() > n) {
		c.unsent++
	}
	return before
}

// add adds a change that the store does not have.
func (c *cluster) add(epoch uint64, key string, x change) {
	old, found := c.apart.Get(key)
	var list []change
	if found {
		list = old.list
		if old.epoch != epoch { // it may be shared with a clone
			list = slices.Clip(list)
		}
	}
	limit := maxChanges
	if c.entries >= manyChanges {
		limit = maxShort
	}
	if len(list) >= limit { // two of the older half share an entry each
		short := make([]change, 0, len(list))
		for i := 0; i < len(list); i++ {
			y := list[i]
			if i+1 < len(list)/2 {
				i++
				y = change{rv: list[i].rv, at: y.at, op: list[i].op, n: y.n + list[i].n}
			}
			short = append(short, y)
		}
		c.entries -= len(list) - len(short)
		list = short
	}
	n := c.apart.Len()
	c.apart.Set(epoch, key, &lag{epoch, append(list, x)})
	if found || c.apart.Len() > n {
		c.changes += x.n
		c.entries++
	}
}

// arrive takes away the oldest changes of an object, as many as have arrived.
func (c *cluster) arrive(epoch uint64, key string, hasArrived func(change) bool) {
	x, ok := c.apart.Get(key)
	if !ok {
		return
	}
	n := 0
	for n < len(x.list) && hasArrived(x.list[n]) {
		c.changes -= x.list[n].n
		n++
	}
	c.entries -= n
	switch {
	case n == len(x.list):
		c.apart.Delete(epoch, key)
	case n > 0:
		c.apart.Set(epoch, key, &lag{x.epoch, x.list[n:]})
	}
}

func upTo(rv string) func(change) bool {
	return func(x change) bool { return !event.IsNewer(x.rv, rv) }
}

func always(change) bool { return true }

// compare makes the changes of an object agree with what cluster and store hold. There are none if both hold the same version, and at least one if they
// differ: an API server may have answered with an older state.
func (l *lane) compare(epoch uint64, key string, at time.Duration) {
	c := &l.cluster
	held, there := c.objects.Get(key)
	there = there && !held.Unsent
	stored, here := l.store.objects.Get(key)
	if there && here && (held.RV == stored.RV || stored.RV == "") {
		c.arrive(epoch, key, always)
		return
	}
	if !there && !here || c.apart.Has(key) {
		return
	}
	x := change{at: at, op: event.OpDeleted, n: 1}
	if there {
		x.rv, x.op = held.RV, event.OpUpdated
		if !here {
			x.op = event.OpAdded
		}
		if held.At > 0 {
			x.at = held.At
		}
	}
	c.add(epoch, key, x)
}

// compareAll compares all objects.
func (l *lane) compareAll(epoch uint64, at time.Duration) {
	l.cluster.objects.Each(func(key string, _ *Held) bool {
		l.compare(epoch, key, at)
		return true
	})
	l.store.objects.Each(func(key string, _ *Cell) bool {
		if !l.cluster.objects.Has(key) {
			l.compare(epoch, key, at)
		}
		return true
	})
}

// arriveInStore takes away what the store has after an event.
func (l *lane) arriveInStore(epoch uint64, e *event.Entry) {
	c := &l.cluster
	if e.Kind != event.KindStoreReplaced && e.Kind != event.KindStoreDeleted && c.apart.Len() == 0 {
		if o := c.objects.Find(e.Key()); o != nil && (*o).RV == e.RV() && !(*o).Unsent {
			return // as nearly always
		}
	}
	if c.known != clusterWritten {
		l.seeStored(epoch, e)
	}
	switch e.Kind {
	case event.KindStoreAdded, event.KindStoreUpdated:
		c.arrive(epoch, e.Key(), upTo(e.RV()))
		l.compare(epoch, e.Key(), e.At)
	case event.KindStoreDeleted:
		key, rv := e.Key(), e.RV()
		if x, ok := c.tombstones.Get(key); ok && x.rv == rv {
			c.tombstones.Delete(epoch, key)
			rv = x.list
		}
		if l.queue.sampled && !c.objects.Has(key) { // no list is known
			c.arrive(epoch, key, always)
		}
		if x, ok := c.apart.Get(key); ok && l.fidelity["queue"].How == "derived" {
			// A probe tells which version the store had, and not that of the deletion.
			if i := slices.IndexFunc(x.list, func(x change) bool { return x.op == event.OpDeleted }); i >= 0 {
				rv = x.list[i].rv
			}
		}
		c.arrive(epoch, key, upTo(rv))
		l.compare(epoch, key, e.At)
	case event.KindStoreReplaced:
		if rv := cmp.Or(e.StoreReplaced().StoreRV, c.listRV); rv != "" {
			l.listArrives(epoch, rv, func(string) bool { return true })
		}
		l.compareAll(epoch, e.At)
	}
}

// seeStored folds that what is in the store has come, for a log that lacks what brought it.
func (l *lane) seeStored(epoch uint64, e *event.Entry) {
	c := &l.cluster
	isOver := func(key, rv string) bool {
		held, ok := c.objects.Get(key)
		return ok && !l.store.objects.Has(key) && !event.IsNewer(held.RV, rv)
	}
	switch e.Kind {
	case event.KindStoreAdded, event.KindStoreUpdated:
		if x, ok := c.apart.Get(e.Key()); !ok || event.IsNewer(e.RV(), x.list[len(x.list)-1].rv) {
			l.see(epoch, e, event.OpUpdated, e.Key(), e.RV())
		}
	case event.KindStoreDeleted:
		if isOver(e.Key(), e.RV()) {
			l.setHeld(epoch, e.Key(), nil)
		}
	case event.KindStoreReplaced:
		x := e.StoreReplaced()
		for i := range x.Items {
			if key := x.Items[i].Key; !c.apart.Has(key) {
				l.see(epoch, e, event.OpUpdated, key, x.Items[i].RV)
			}
		}
		var gone []string
		c.objects.Each(func(key string, _ *Held) bool {
			if x.StoreRV != "" && isOver(key, x.StoreRV) {
				gone = append(gone, key)
			}
			return true
		})
		for _, key := range gone {
			l.setHeld(epoch, key, nil)
		}
	}
}

// listArrives takes away the changes up to a list's version, of the keys that are asked for.
func (l *lane) listArrives(epoch uint64, rv string, concerns func(key string) bool) {
	var keys []string
	l.cluster.apart.Each(func(key string, x *lag) bool {
		if !event.IsNewer(x.list[0].rv, rv) && concerns(key) {
			keys = append(keys, key)
		}
		return true
	})
	for _, key := range keys {
		l.cluster.arrive(epoch, key, upTo(rv))
	}
}

// followList folds what the Reflector's requests show of the cluster.
func (l *lane) followList(epoch uint64, hasWire bool, e *event.Entry) {
	c := &l.cluster
	switch e.Kind {
	case event.KindRequestSent:
		switch x := e.RequestSent(); {
		case x.Verb == event.VerbWatch:
			c.listSeq = 0
		case x.Options == nil || x.Options.Continue == "":
			c.listSeq, c.isPaged = e.Seq, x.Verb == event.VerbList
		}
	case event.KindRequestAnswered:
		if x := e.RequestAnswered(); x.Err == nil {
			c.came = e.At
			if x.Continue == "" && x.RV != "" {
				c.listRV = x.RV
			}
		}
	case event.KindWatchEvent:
		x := e.WatchEvent()
		if x.EndMark {
			c.listRV = x.RV
		}
		if !hasWire {
			c.came = e.At
			if x.Op != event.OpBookmark {
				l.see(epoch, e, x.Op, x.Key, x.RV)
			}
		}
	case event.KindReflectorRV:
		if c.listSeq > 0 && e.RV() == c.listRV {
			l.endList(epoch, e)
			c.listSeq = 0
		}
	}
}

// followQueue notes what a list brings to the queue.
func (l *lane) followQueue(epoch uint64, hasWire bool, e *event.Entry) {
	x := e.Queued()
	if x.Op == event.OpDeleted && x.Tombstone {
		l.cluster.tombstones.Set(epoch, x.Key, tombstone{x.RV, l.cluster.listRV})
	}
	if l.cluster.listSeq == 0 || hasWire && !l.cluster.isPaged {
		return
	}
	switch x.Op {
	case event.OpReplaced:
		l.see(epoch, e, event.OpUpdated, x.Key, x.RV)
	case event.OpReplacedAll:
		for i := range x.Items {
			l.see(epoch, e, event.OpUpdated, x.Items[i].Key, x.Items[i].RV)
		}
	}
}

// endList ends a list that has come as a whole: what it lacks is gone. Of an object that came and went before it, the store gets nothing any more.
func (l *lane) endList(epoch uint64, e *event.Entry) {
	c := &l.cluster
	if c.known == clusterSeen {
		var gone []string
		c.objects.Each(func(key string, o *Held) bool {
			if o.seq < c.listSeq {
				gone = append(gone, key)
			}
			return true
		})
		for _, key := range gone {
			l.change(epoch, key, c.listRV, nil, e.At)
		}
	}
	if c.apart.Len() == 0 {
		return
	}
	var queued map[string]bool
	l.listArrives(epoch, c.listRV, func(key string) bool {
		if l.store.objects.Has(key) {
			return false
		}
		if x, _ := c.apart.Get(key); findNewest(x.list, c.listRV).op != event.OpDeleted {
			return false
		}
		if queued == nil {
			queued = l.queue.allKeys()
		}
		return !queued[key]
	})
}

// findNewest returns the newest change up to a version. The list has such a change.
func findNewest(list []change, rv string) (x change) {
	for _, y := range list {
		if event.IsNewer(y.rv, rv) {
			break
		}
		x = y
	}
	return x
}

// allKeys returns the keys of what waits in the queue or has just left it.
func (q *queue) allKeys() map[string]bool {
	keys := map[string]bool{}
	q.each(func(item QueueItem) bool {
		keys[item.Key] = true
		return true
	})
	if q.processing {
		for i := range q.batch {
			keys[q.batch[i].key] = true
		}
	}
	return keys
}

// state returns the State's World.
func (c *cluster) state(lim limits, phase string) World {
	s := World{Known: c.known, Objects: c.objects.Len(), Unsent: c.unsent, Apart: c.changes, ApartObjects: c.apart.Len(),
		Watched: phase == "watching" || phase == "watch-listing"}
	if c.came >= 0 && c.known == clusterSeen {
		came := Millis(c.came)
		s.CameMillis = &came
	}
	oldest := clusterNever
	c.apart.Each(func(_ string, x *lag) bool {
		if at := x.list[0].at; oldest < 0 || at < oldest {
			oldest = at
		}
		return true
	})
	if oldest >= 0 {
		at := Millis(oldest)
		s.OldestMillis = &at
	}
	if lim == noLimits && c.known != "" {
		s.Differences = c.differences()
	}
	return s
}

// differences returns the objects that cluster and store do not hold alike, and those that came after the log began, by key.
func (c *cluster) differences() (all []WorldObject) {
	c.objects.Each(func(key string, o *Held) bool {
		if o.Unsent || o.At > 0 || c.apart.Has(key) {
			all = append(all, WorldObject{Key: key, RV: o.RV, Unsent: o.Unsent, AtMillis: Millis(o.At)})
		}
		return true
	})
	c.apart.Each(func(key string, x *lag) bool {
		if !c.objects.Has(key) {
			all = append(all, WorldObject{Key: key})
		}
		return true
	})
	slices.SortFunc(all, func(a, b WorldObject) int { return cmp.Compare(a.Key, b.Key) })
	for i := range all {
		if x, ok := c.apart.Get(all[i].Key); ok {
			for _, y := range x.list {
				all[i].Changes = append(all[i].Changes, WorldChange{Op: y.op.String(), RV: y.rv, AtMillis: Millis(y.at), N: y.n})
			}
		}
	}
	return all
}

// restoreCluster takes over the State's World. The store has its objects.
func (l *lane) restoreCluster(epoch uint64, s *State, at time.Duration) {
	w := &s.World
	c := &l.cluster
	*c = cluster{known: w.Known, came: clusterNever, listRV: s.Reflector.ResourceVersion}
	if w.CameMillis != nil {
		c.came = duration(*w.CameMillis)
	}
	if c.known == "" && l.store.objects.Len() > 0 {
		c.known = clusterSeen
	}
	l.store.objects.Each(func(key string, o *Cell) bool {
		c.objects.Set(epoch, key, &Held{RV: o.RV})
		return true
	})
	for _, x := range w.Differences {
		if x.RV == "" {
			l.setHeld(epoch, x.Key, nil)
		} else {
			l.setHeld(epoch, x.Key, &Held{RV: x.RV, At: duration(x.AtMillis), Unsent: x.Unsent})
		}
		for _, y := range x.Changes {
			c.add(epoch, x.Key, change{rv: y.RV, at: duration(y.AtMillis), op: event.ParseOp(y.Op), n: max(y.N, 1)})
		}
	}
	for _, item := range s.Queue.Items {
		for _, d := range append(item.Deltas, item)[:max(len(item.Deltas), 1)] {
			l.restoreDelta(epoch, d, at)
		}
	}
}

// restoreDelta notes a delta of the queue. Of another program's informer, or in the log of an older program, what is in store and queue has come.
func (l *lane) restoreDelta(epoch uint64, d QueueItem, at time.Duration) {
	c := &l.cluster
	if d.Tombstone {
		c.tombstones.Set(epoch, d.Key, tombstone{d.RV, c.listRV})
	}
	if c.known == clusterWritten || c.came >= 0 {
		return
	}
	switch d.Op {
	case "Added", "Updated", "Replaced":
		c.known = clusterSeen
		if held, ok := c.objects.Get(d.Key); !ok || event.IsNewer(d.RV, held.RV) {
			l.change(epoch, d.Key, d.RV, &Held{RV: d.RV, At: at}, at)
		}
	case "Deleted":
		if c.objects.Has(d.Key) {
			l.change(epoch, d.Key, d.RV, nil, at)
		}
	}
}

// shift moves its times, in ms.
func (w *World) shift(by float64) {
	if w.CameMillis != nil {
		*w.CameMillis += by
	}
	for i := range w.Differences {
		x := &w.Differences[i]
		if x.AtMillis > 0 {
			x.AtMillis += by
		}
		for j := range x.Changes {
			x.Changes[j].AtMillis += by
		}
	}
}
