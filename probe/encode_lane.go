package probe

import (
	"encoding/json"
	"sort"
	"strings"

	"k8s.io/client-go/tools/cache"
)

// laneView is one informer as far as a viewer has reported it.
type laneView struct {
	v *viewer
	l *lane
	i uint8
	// again says that another informer of the same resource stands before it.
	again bool
	cut   uint64 // the log up to here is in the baseline
	// workCut is so of the work queue; works says that there is one.
	workCut uint64
	works   bool
	offs    map[string]string // the layers that were off at the baseline
	release string

	namespaced bool // it has the index by namespace
	ixOf       string
	ixLast     []indexed // what is reported for the objects of that namespace
	storeRV    string

	// The queue, as far as it was told. Of a DeltaFIFO all deltas of a key leave together; left is how many of those the store has not had.
	delta    bool
	pending  []waiting
	waits    map[string]int // of a DeltaFIFO: how many of pending each key has
	sampled0 int            // how many of pending stood there at the last sample
	atomic   []lineItem
	leftKey  string
	left     int

	replacing []lineItem // the store is being replaced; not nil then
	replaced  int64

	known   map[int32]bool
	synced  map[int32]bool
	rings   map[int32]int
	last    *sample
	was     string // the last Sampled
	told    struct{ synced, stopped bool }
	listed  bool   // a list was asked for in this trace
	relist  string // why the next list is asked for
	watch   uint32 // the open watch
	initial int    // objects of a WatchList so far
}

// maxPending bounds what is remembered of a queue.
const maxPending = 1 << 16

func (lv *laneView) put(x line) {
	x.Lane = lv.i
	lv.v.put(x)
}

func (lv *laneView) ix(key string) []indexed {
	if !lv.namespaced {
		return nil
	}
	ns, _, ok := strings.Cut(key, "/")
	if !ok {
		ns = ""
	}
	if lv.ixLast == nil || lv.ixOf != ns {
		lv.ixOf, lv.ixLast = ns, []indexed{{cache.NamespaceIndex, []string{ns}}}
	}
	return lv.ixLast
}

func (lv *laneView) item(key, rv string) lineItem {
	return lineItem{Key: key, RV: rv, Indexed: lv.ix(key)}
}

// restore tells what stands: the store exactly, the rest as it was sampled.
func (lv *laneView) restore(at int64, c content) {
	l, v := lv.l, lv.v
	*lv = laneView{v: v, l: l, i: lv.i, again: lv.again, watch: lv.watch, release: lv.release, cut: c.seq, offs: l.offs(),
		known: map[int32]bool{}, synced: map[int32]bool{}, rings: map[int32]int{}}
	indices := map[string]interface{}{}
	for name := range l.inf.GetIndexer().GetIndexers() {
		if name != indexName {
			indices[name] = map[string]int{}
		}
		lv.namespaced = lv.namespaced || name == cache.NamespaceIndex
	}
	s := c.s
	lv.delta = s.queueKind == "DeltaFIFO" || s.queueKind == "" && lv.release == "1.31"
	kind := "RealFIFO"
	if lv.delta {
		kind = "DeltaFIFO"
	}
	queueItems := []map[string]interface{}{}
	if !l.isOff("queued") && s.depth >= 0 {
		lv.pending = append(lv.pending, s.waiting...)
	}
	lv.count()
	if len(lv.pending) > 0 {
		var byKey map[string]interface{}
		for _, w := range s.waiting {
			item := map[string]interface{}{"op": opNames[w.op], "key": w.key, "rv": w.rv}
			switch {
			case !lv.delta:
				queueItems = append(queueItems, item)
			case byKey != nil && byKey["key"] == w.key:
				byKey["deltas"] = append(byKey["deltas"].([]map[string]interface{}), item)
			default:
				byKey = map[string]interface{}{"key": w.key, "deltas": []map[string]interface{}{item}}
				queueItems = append(queueItems, byKey)
			}
		}
	}
	var listeners []map[string]interface{}
	for _, x := range s.listeners {
		lv.known[x.id], lv.synced[x.id], lv.rings[x.id] = true, x.synced, max(x.ring, 0)
		listeners = append(listeners, map[string]interface{}{"id": x.id, "name": x.name, "ring": max(x.ring, 0), "capacity": x.capacity,
			"synced": x.synced, "syncing": true})
	}
	sort.Slice(listeners, func(i, j int) bool { return listeners[i]["id"].(int32) < listeners[j]["id"].(int32) })
	lv.told.synced, lv.told.stopped = s.synced, s.stopped
	api, refl, wired := lv.restoreWire(s)
	state := map[string]interface{}{
		"era": lv.release, "running": (s.queueKind != "" || s.synced || s.rv != "") && !s.stopped, "synced": s.synced, "api": api, "reflector": refl,
		"queue":     map[string]interface{}{"kind": kind, "depth": len(queueItems), "items": queueItems, "synced": s.synced},
		"indexer":   map[string]interface{}{"indices": indices, "resourceVersion": s.rv},
		"listeners": listeners, "fidelity": l.fidelities(wired),
	}
	if w := l.workqueue(); w != nil {
		c := w.content(v.p.start.Add(v.start))
		lv.works, lv.workCut, state["workqueue"] = true, c.cut, c.state
	}
	lv.storeRV = s.rv
	text, _ := json.Marshal(state)
	keys := make([]string, 0, len(c.items))
	for key := range c.items {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	items := make([]lineItem, len(keys))
	for i, key := range keys {
		items[i] = lv.item(key, c.items[key])
		lv.withBody(&items[i])
	}
	lv.put(line{At: at, Kind: "Restored", Text: string(text), Items: items, StoreRV: s.rv})
	lv.sampled(at, s)
}

// queued reports an entry into the queue.
func (lv *laneView) queued(at int64, e *event) {
	if e.op == opReplacedAll { // one entry for all objects of a list, of which the last is not known for the last
		lv.atomic = append(lv.atomic, lv.item(e.key, e.rv))
		lv.replaced = at
		return
	}
	lv.flushAtomic(at)
	lv.enter(at, waiting{e.op, e.key, e.rv}, nil)
}

func (lv *laneView) enter(at int64, w waiting, items []lineItem) {
	if len(lv.pending) >= maxPending {
		lv.pop(at, len(lv.pending))
	}
	lv.pending = append(lv.pending, w)
	if lv.delta {
		lv.waits[w.key]++
	}
	lv.put(line{At: at, Kind: "Queued", Op: opNames[w.op], Key: w.key, RV: w.rv, N: len(lv.pending), Items: items})
}

func (lv *laneView) flushAtomic(at int64) {
	if lv.atomic != nil {
		items := lv.atomic
		lv.atomic = nil
		lv.enter(at, waiting{op: opReplacedAll}, items)
	}
}

// pop tells that the first n have left a RealFIFO.
func (lv *laneView) pop(at int64, n int) {
	if n <= 0 {
		return
	}
	lv.pending = lv.pending[n:] // what has left goes when the rest is copied to make room
	if lv.delta {
		lv.count()
	}
	lv.sampled0 = max(lv.sampled0-n, 0)
	lv.put(line{At: at, Kind: "Popped", N: n, M: len(lv.pending), Text: "single"})
}

// leave tells that an object's entry has left the queue, because the store has changed; it returns the entry's resourceVersion.
func (lv *laneView) leave(at int64, key string) (rv string) {
	if lv.delta {
		return lv.leaveDelta(at, key)
	}
	for i := range lv.pending {
		if w := lv.pending[i]; w.key == key {
			lv.pop(at, i+1)
			return w.rv
		}
	}
	return ""
}

func (lv *laneView) leaveDelta(at int64, key string) (rv string) {
	if lv.left > 0 && lv.leftKey == key {
		lv.left--
		return ""
	}
	all := lv.waits[key]
	delete(lv.waits, key)
	n := 0
	for n < all && lv.pending[0].key == key { // nearly always all of them
		rv = lv.pending[0].rv
		lv.pending = lv.pending[1:]
		n++
	}
	if n < all {
		kept := lv.pending[:0]
		for _, w := range lv.pending {
			if w.key == key {
				rv = w.rv
				n++
			} else {
				kept = append(kept, w)
			}
		}
		lv.pending = kept
	}
	lv.sampled0 = min(lv.sampled0, len(lv.pending))
	if n > 0 {
		lv.put(line{At: at, Kind: "Popped", N: n, M: len(lv.pending), Key: key, Text: "single"})
	}
	lv.leftKey, lv.left = key, max(n-1, 0)
	return rv
}

// count counts the entries of each key of a DeltaFIFO again, because those of one key leave together.
func (lv *laneView) count() {
	lv.waits = nil
	if !lv.delta {
		return
	}
	lv.waits = map[string]int{}
	for i := range lv.pending {
		lv.waits[lv.pending[i].key]++
	}
}

func (lv *laneView) stored(at int64, e *event) {
	lv.flushAtomic(at)
	before := len(lv.pending)
	rv := lv.leave(at, e.key)
	x := line{At: at, Key: e.key, RV: e.rv}
	switch e.kind {
	case evStoreAdded:
		x.Kind = "StoreAdded"
	case evStoreUpdated:
		x.Kind = "StoreUpdated"
	case evStoreDeleted:
		x.Kind = "StoreDeleted"
	}
	if e.kind != evStoreDeleted {
		lv.storeRV, x.Indexed, x.Body = e.rv, lv.ix(e.key), lv.body(e.key, e.rv)
	} else if rv != "" {
		lv.storeRV = rv
	}
	x.StoreRV = lv.storeRV
	lv.put(x)
	if len(lv.pending) != before {
		lv.put(line{At: at, Kind: "Processed", N: before - len(lv.pending)})
	}
}

// settle reports that the store was replaced.
func (lv *laneView) settle() {
	items := lv.replacing
	lv.replacing = nil
	at := lv.replaced
	lv.v.bodies.room = maxBaseline
	for i := range items {
		lv.withBody(&items[i])
	}
	lv.flushAtomic(at)
	popped := false
	for i := range lv.pending {
		if lv.pending[i].op == opReplacedAll {
			lv.pop(at, i+1)
			popped = true
			break
		}
	}
	lv.put(line{At: at, Kind: "StoreReplaced", N: len(items), Items: items, StoreRV: lv.storeRV})
	if popped {
		lv.put(line{At: at, Kind: "Processed", N: 1})
	}
}

// know reports a listener that the viewer does not know yet.
func (lv *laneView) know(at int64, id int32) {
	if lv.known[id] {
		return
	}
	lv.known[id] = true
	name, capacity := "", 0
	lv.l.mu.Lock()
	if int(id) <= len(lv.l.timers) {
		name = lv.l.timers[id-1].name
	}
	lv.l.mu.Unlock()
	if lv.last != nil {
		for _, x := range lv.last.listeners {
			if x.id == id {
				capacity = x.capacity
			}
		}
	}
	lv.put(line{At: at, Kind: "ListenerAdded", Listener: id, Text: name, M: capacity})
}

// sampledLine is the text of a Sampled.
type sampledLine struct {
	RV        string            `json:"resourceVersion,omitempty"`
	Queue     *sampledQueue     `json:"queue,omitempty"`
	Listeners []sampledListener `json:"listeners,omitempty"`
}

type sampledQueue struct {
	Depth int `json:"depth"`
}

type sampledListener struct {
	ID       int32 `json:"id"`
	Ring     int   `json:"ring"`
	Capacity int   `json:"capacity"`
}

func (lv *laneView) sampled(at int64, s *sample) {
	lv.last = s
	if s.release != "" && s.release != lv.release {
		lv.release = s.release
		lv.delta = s.queueKind == "DeltaFIFO"
		lv.count()
		lv.put(line{At: at, Kind: "InformerStarted", Release: s.release})
	}
	if s.depth >= 0 {
		lv.flushAtomic(at)
		if s.depth == 0 && !lv.delta { // what stood there at the last sample has left, and the store did not change for it
			lv.pop(at, lv.sampled0)
		}
		lv.sampled0 = len(lv.pending)
	}
	x := sampledLine{RV: s.rv}
	if lv.l.isOff("queued") && s.depth >= 0 {
		x.Queue = &sampledQueue{s.depth}
	}
	seen := map[int32]bool{}
	for _, li := range s.listeners {
		seen[li.id] = true
		lv.know(at, li.id)
		if li.synced && !lv.synced[li.id] {
			lv.synced[li.id] = true
			lv.put(line{At: at, Kind: "ListenerSynced", Listener: li.id})
		}
		if li.ring >= 0 {
			lv.rings[li.id] = li.ring
			x.Listeners = append(x.Listeners, sampledListener{li.id, li.ring, li.capacity})
		}
	}
	sort.Slice(x.Listeners, func(i, j int) bool { return x.Listeners[i].ID < x.Listeners[j].ID })
	if s.listenersSeen {
		for id := range lv.known {
			if !seen[id] {
				delete(lv.known, id)
				lv.put(line{At: at, Kind: "ListenerRemoved", Listener: id})
			}
		}
	}
	if s.synced && !lv.told.synced {
		lv.told.synced = true
		lv.put(line{At: at, Kind: "QueueSynced"})
		lv.put(line{At: at, Kind: "InformerSynced"})
	}
	if s.stopped && !lv.told.stopped {
		lv.told.stopped = true
		lv.put(line{At: at, Kind: "ReflectorStopped"})
		lv.put(line{At: at, Kind: "InformerStopped"})
	}
	if text, _ := json.Marshal(x); string(text) != lv.was {
		lv.was = string(text)
		lv.put(line{At: at, Kind: "Sampled", Text: lv.was})
	}
}
