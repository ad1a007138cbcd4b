package probe

import (
	"encoding/json"
	"sort"
	"strings"
	"time"

	"k8s.io/client-go/tools/cache"
)

// laneView is the state of one informer that a viewer has written so far.
type laneView struct {
	v *viewer
	l *lane
	i uint8
	// isRepeat is true if an earlier lane is an informer of the same resource.
	isRepeat bool
	cut      uint64 // the baseline contains the log up to this event
	// workCut is the same for the work queue, if hasQueue.
	workCut   uint64
	hasQueue  bool
	offLayers map[string]string // the layers that were off at the baseline
	release   string

	namespaced bool                    // it has the index by namespace
	namespaces map[string][]indexEntry // the index entries of all objects in a namespace, of at most maxNamespaces
	storeRV    string

	// The queue as written so far. All deltas of a key leave a DeltaFIFO together; unstored counts those of poppedKey that the store has not received.
	delta          bool
	pending        []queueEntry
	keyCounts      map[string]int // of a DeltaFIFO: the number of each key's entries in pending
	sampledPending int            // how many of pending were there at the last sample
	atomic         []lineItem
	poppedKey      string
	unstored       int

	replacing  []lineItem // the new content while the store is being replaced, otherwise nil
	replacedAt int64

	listeners      []listenerView // by number
	last           *sample
	lastSampled    string // the text of the last Sampled
	reported       struct{ synced, stopped bool }
	hasListed      bool   // the trace has a list request
	relistReason   string // the reason of the next list
	isWaiting      bool   // the Reflector waits after a request that failed
	initialObjects int    // the number of objects that a WatchList has sent
}

// listenerView is what a viewer has written of a listener.
type listenerView struct {
	isAdded, isSynced bool
	ring              int
}

// listener returns what was written of a listener. Its number is at most that of the handlers added so far.
func (lv *laneView) listener(id int32) *listenerView {
	for int(id) >= len(lv.listeners) {
		lv.listeners = append(lv.listeners, listenerView{})
	}
	return &lv.listeners[id]
}

// maxNamespaces bounds the namespaces whose index entries are kept for the next object.
const maxNamespaces = 256

// maxPending bounds the entries of a queue that are remembered.
const maxPending = 1 << 16

func (lv *laneView) put(x *line) {
	x.Lane = lv.i
	lv.v.put(x)
}

func (lv *laneView) indexEntries(key string) []indexEntry {
	if !lv.namespaced {
		return nil
	}
	ns, _, ok := strings.Cut(key, "/")
	if !ok {
		ns = ""
	}
	in := lv.namespaces[ns]
	if in == nil {
		if len(lv.namespaces) >= maxNamespaces || lv.namespaces == nil {
			lv.namespaces = map[string][]indexEntry{}
		}
		in = []indexEntry{{cache.NamespaceIndex, []string{ns}}}
		lv.namespaces[ns] = in
	}
	return in
}

func (lv *laneView) item(key, rv string) lineItem {
	return lineItem{Key: key, RV: rv, Indexed: lv.indexEntries(key)}
}

// restore writes the baseline of one informer: the store exactly, the rest as sampled.
func (lv *laneView) restore(moment int64, c content) {
	l, v := lv.l, lv.v
	*lv = laneView{v: v, l: l, i: lv.i, isRepeat: lv.isRepeat, release: lv.release, cut: c.seq, offLayers: l.offLayers()}
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
		lv.pending = append(lv.pending, s.entries...)
	}
	lv.countKeys()
	if len(lv.pending) > 0 {
		var byKey map[string]interface{}
		for _, w := range s.entries {
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
		*lv.listener(x.id) = listenerView{true, x.synced, max(x.ring, 0)}
		listeners = append(listeners, map[string]interface{}{"id": x.id, "name": x.name, "ring": max(x.ring, 0), "capacity": x.capacity,
			"synced": x.synced, "syncing": true})
	}
	sort.Slice(listeners, func(i, j int) bool { return listeners[i]["id"].(int32) < listeners[j]["id"].(int32) })
	lv.reported.synced, lv.reported.stopped = s.synced, s.stopped
	api, refl, wired, waits := lv.restoreWire(s)
	state := map[string]interface{}{
		"era": lv.release, "atMillis": float64(moment) / float64(time.Millisecond),
		"running": (s.queueKind != "" || s.synced || s.rv != "") && !s.stopped, "synced": s.synced, "api": api, "reflector": refl,
		"queue":     map[string]interface{}{"kind": kind, "depth": len(queueItems), "items": queueItems, "synced": s.synced},
		"indexer":   map[string]interface{}{"indices": indices, "resourceVersion": s.rv},
		"listeners": listeners, "fidelity": l.fidelities(wired),
	}
	if w := l.workqueue(); w != nil {
		c := w.content(v.p.start.Add(v.start))
		lv.hasQueue, lv.workCut, state["workqueue"] = true, c.cut, c.state
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
		lv.addBody(&items[i])
	}
	lv.put(&line{At: moment, Kind: "Restored", Text: string(text), Items: items, StoreRV: s.rv})
	for i, t := range l.timedHandlers() {
		if id := int32(i + 1); t.isInside.Load() {
			lv.addListener(moment, id)
			lv.put(&line{At: moment, Kind: "Handling", Listener: id})
		}
	}
	if waits != nil {
		waits.At = moment
		lv.beginWait(waits)
	}
	lv.writeSample(moment, s)
}

// timedHandlers returns the handlers that are measured, by their numbers from 1.
func (l *lane) timedHandlers() []*timedHandler {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]*timedHandler(nil), l.timers...)
}

// writeQueued reports an entry into the queue.
func (lv *laneView) writeQueued(moment int64, e *event) {
	if e.op == opReplacedAll { // one entry for all objects of a list; nothing marks the last of them
		lv.atomic = append(lv.atomic, lv.item(e.key, e.rv))
		lv.replacedAt = moment
		return
	}
	lv.flushAtomic(moment)
	lv.writeEntry(moment, queueEntry{e.op, e.key, e.rv}, nil)
}

func (lv *laneView) writeEntry(moment int64, w queueEntry, items []lineItem) {
	if len(lv.pending) >= maxPending {
		lv.writePopped(moment, len(lv.pending))
	}
	lv.pending = append(lv.pending, w)
	if lv.delta {
		lv.keyCounts[w.key]++
	}
	lv.put(&line{At: moment, Kind: "Queued", Op: opNames[w.op], Key: w.key, RV: w.rv, N: len(lv.pending), Items: items})
}

func (lv *laneView) flushAtomic(moment int64) {
	if lv.atomic != nil {
		items := lv.atomic
		lv.atomic = nil
		lv.writeEntry(moment, queueEntry{op: opReplacedAll}, items)
	}
}

// writePopped reports that the first n entries have left the queue.
func (lv *laneView) writePopped(moment int64, n int) {
	if n <= 0 {
		return
	}
	lv.pending = lv.pending[n:] // append frees the array of the popped entries when it grows the slice
	if lv.delta {
		lv.countKeys()
	}
	lv.sampledPending = max(lv.sampledPending-n, 0)
	lv.put(&line{At: moment, Kind: "Popped", N: n, M: len(lv.pending), Text: "single"})
}

// popKey removes an object's entry from the queue, because the store has changed. It returns the entry's resourceVersion.
func (lv *laneView) popKey(moment int64, key string) (rv string) {
	if lv.delta {
		return lv.popDeltas(moment, key)
	}
	for i := range lv.pending {
		if w := lv.pending[i]; w.key == key {
			lv.writePopped(moment, i+1)
			return w.rv
		}
	}
	return ""
}

func (lv *laneView) popDeltas(moment int64, key string) (rv string) {
	if lv.unstored > 0 && lv.poppedKey == key {
		lv.unstored--
		return ""
	}
	all := lv.keyCounts[key]
	delete(lv.keyCounts, key)
	n := 0
	for n < all && lv.pending[0].key == key { // nearly always these are all of the key's entries
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
	lv.sampledPending = min(lv.sampledPending, len(lv.pending))
	if n > 0 {
		lv.put(&line{At: moment, Kind: "Popped", N: n, M: len(lv.pending), Key: key, Text: "single"})
	}
	lv.poppedKey, lv.unstored = key, max(n-1, 0)
	return rv
}

// countKeys counts the entries of each key of a DeltaFIFO, because those of one key leave together.
func (lv *laneView) countKeys() {
	lv.keyCounts = nil
	if !lv.delta {
		return
	}
	lv.keyCounts = map[string]int{}
	for i := range lv.pending {
		lv.keyCounts[lv.pending[i].key]++
	}
}

func (lv *laneView) writeStored(moment int64, e *event) {
	lv.flushAtomic(moment)
	before := len(lv.pending)
	rv := lv.popKey(moment, e.key)
	x := line{At: moment, Key: e.key, RV: e.rv}
	switch e.kind {
	case evStoreAdded:
		x.Kind = "StoreAdded"
	case evStoreUpdated:
		x.Kind = "StoreUpdated"
	case evStoreDeleted:
		x.Kind = "StoreDeleted"
	}
	if e.kind != evStoreDeleted {
		lv.storeRV, x.Indexed, x.Body = e.rv, lv.indexEntries(e.key), lv.body(e.key, e.rv)
	} else if rv != "" {
		lv.storeRV = rv
	}
	x.StoreRV = lv.storeRV
	lv.put(&x)
	if len(lv.pending) != before {
		lv.put(&line{At: moment, Kind: "Processed", N: before - len(lv.pending)})
	}
}

// writeReplaced reports that the store was replaced.
func (lv *laneView) writeReplaced() {
	items := lv.replacing
	lv.replacing = nil
	moment := lv.replacedAt
	lv.v.bodies.room = maxBaseline
	for i := range items {
		lv.addBody(&items[i])
	}
	lv.flushAtomic(moment)
	popped := false
	for i := range lv.pending {
		if lv.pending[i].op == opReplacedAll {
			lv.writePopped(moment, i+1)
			popped = true
			break
		}
	}
	lv.put(&line{At: moment, Kind: "StoreReplaced", N: len(items), Items: items, StoreRV: lv.storeRV})
	if popped {
		lv.put(&line{At: moment, Kind: "Processed", N: 1})
	}
}

// addListener reports a listener that is new to the viewer.
func (lv *laneView) addListener(moment int64, id int32) {
	if lv.listener(id).isAdded {
		return
	}
	lv.listener(id).isAdded = true
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
	lv.put(&line{At: moment, Kind: "ListenerAdded", Listener: id, Text: name, M: capacity})
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

func (lv *laneView) writeSample(moment int64, s *sample) {
	lv.last = s
	if s.release != "" && s.release != lv.release {
		lv.release = s.release
		lv.delta = s.queueKind == "DeltaFIFO"
		lv.countKeys()
		lv.put(&line{At: moment, Kind: "InformerStarted", Release: s.release})
	}
	if s.depth >= 0 {
		lv.flushAtomic(moment)
		if s.depth == 0 && !lv.delta { // the entries of the last sample have left without a change of the store
			lv.writePopped(moment, lv.sampledPending)
		}
		lv.sampledPending = len(lv.pending)
	}
	x := sampledLine{RV: s.rv}
	if lv.l.isOff("queued") && s.depth >= 0 {
		x.Queue = &sampledQueue{s.depth}
	}
	seen := map[int32]bool{}
	for _, li := range s.listeners {
		seen[li.id] = true
		lv.addListener(moment, li.id)
		if x := lv.listener(li.id); li.synced && !x.isSynced {
			x.isSynced = true
			lv.put(&line{At: moment, Kind: "ListenerSynced", Listener: li.id})
		}
		if li.ring >= 0 {
			lv.listener(li.id).ring = li.ring
			x.Listeners = append(x.Listeners, sampledListener{li.id, li.ring, li.capacity})
		}
	}
	sort.Slice(x.Listeners, func(i, j int) bool { return x.Listeners[i].ID < x.Listeners[j].ID })
	if s.hasListeners {
		for i := range lv.listeners {
			if id := int32(i); lv.listeners[i].isAdded && !seen[id] {
				lv.listeners[i].isAdded = false
				lv.put(&line{At: moment, Kind: "ListenerRemoved", Listener: id})
			}
		}
	}
	if s.synced && !lv.reported.synced {
		lv.reported.synced = true
		lv.put(&line{At: moment, Kind: "QueueSynced"})
		lv.put(&line{At: moment, Kind: "InformerSynced"})
	}
	if s.stopped && !lv.reported.stopped {
		lv.reported.stopped = true
		lv.put(&line{At: moment, Kind: "ReflectorStopped"})
		lv.put(&line{At: moment, Kind: "InformerStopped"})
	}
	if text, _ := json.Marshal(x); string(text) != lv.lastSampled {
		lv.lastSampled = string(text)
		lv.put(&line{At: moment, Kind: "Sampled", Text: lv.lastSampled})
	}
}
