package fold

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/words/event"
)

// limits bound the lists of a State.
type limits struct{ items, batch, keys, values int }

var (
	pageLimits = limits{items: 48, batch: 24, keys: 24, values: 512}
	noLimits   = limits{items: 1 << 30, batch: 1 << 30, keys: 1 << 30, values: 1 << 30}
)

// State returns the fold's State for the panels, with long lists cut. The caller owns it. Live and View are left zero.
func (f *Fold) State() *State { return f.StateOf(0) }

// StateOf is like State, but with the given lane at its top.
func (f *Fold) StateOf(lane int) *State {
	if lane < 0 || lane >= len(f.lanes) {
		lane = 0
	}
	if len(f.lanes) == 1 {
		return f.laneState(0, pageLimits)
	}
	lanes := make([]*State, len(f.lanes))
	for i := range lanes {
		lanes[i] = f.laneState(i, pageLimits)
	}
	top := *lanes[lane]
	top.Lanes = lanes
	return &top
}

// LaneState returns the State of one lane alone; of the first if there is no such lane.
func (f *Fold) LaneState(lane int) *State {
	if lane < 0 || lane >= len(f.lanes) {
		lane = 0
	}
	return f.laneState(lane, pageLimits)
}

// WholeState is LaneState with its lists uncut.
func (f *Fold) WholeState(lane int) *State { return f.laneState(lane, noLimits) }

func (f *Fold) laneState(i int, lim limits) *State {
	l := &f.lanes[i]
	w := &f.wires[l.wire]
	sel := f.sel.ForTarget(l.identity.Target)
	s := &State{
		Seq:      f.seq,
		AtMillis: Millis(f.at),
		Source: Source{Kind: f.sel.Source, Context: f.sel.Context, Cluster: f.sel.Cluster, User: f.sel.User, Server: f.sel.Server,
			Namespace: f.sel.ContextNamespace, Simulated: f.sel.Simulated, Seed: f.sel.Seed, Objects: f.sel.Objects, Rate: f.sel.Rate,
			Trouble: w.trouble.words, Cause: w.trouble.cause, Offer: w.trouble.offer()},
		Resource:  Resource{Group: sel.Group, Version: sel.Version, Resource: sel.Resource, Kind: sel.Kind, Namespace: sel.WatchedNamespace()},
		Unshared:  l.identity.Unshared,
		Shard:     l.identity.Shard,
		Stage:     l.stage,
		Running:   l.running,
		Synced:    l.synced,
		API:       w.state(f.worldOf(uint8(i)).state(f.at)),
		World:     l.cluster.state(lim, l.refl.Phase),
		Reflector: l.refl.state(sel, w),
		Queue:     l.queue.state(lim),
		Indexer:   l.store.state(lim),
		Listeners: make([]Listener, len(l.listeners)),
		Workqueue: l.work.state(lim),
		Holds:     f.worldOf(uint8(i)).holdStates(f.holdsOf(i)),
		Faults:    append([]Fault{}, f.worldOf(uint8(i)).faults...),
		Fidelity:  map[string]Fidelity{},
	}
	maps.Copy(s.Fidelity, l.fidelity)
	s.Indexer.Transform = f.sel.Transform
	if l.releaseSet {
		s.Release = l.releaseName()
	}
	for j := range l.listeners {
		s.Listeners[j] = l.listeners[j].state()
	}
	return s
}

// state returns what is true of the API server for every lane.
func (w *world) state(at time.Duration) API {
	a := API{Writes: w.writes, Crowd: w.crowd.state(at)}
	rate := *w // a copy: reading the rate must not advance the fold's bins
	a.WritesPerSecond = rate.rate(at)
	return a
}

// state adds what one wire shows of the API server.
func (w *wire) state(a API) API {
	a.ResourceVersion, a.Oldest, a.Objects, a.Refused = w.rv, w.oldest, w.objects, w.refusals
	a.Requests = append(make([]WireRequest, 0, len(w.open)+1), w.open...)
	if w.hasEnd {
		a.Requests = append(a.Requests, w.endedRequest)
	}
	for i := range a.Requests {
		r := &a.Requests[i]
		r.Verb, r.Continues = verbOf(r.URL)
	}
	n := min(w.nframes, keptFrames)
	a.Wire = make([]Frame, 0, n)
	for i := 1; i <= n; i++ {
		a.Wire = append(a.Wire, w.frames[(w.nframes-i)%keptFrames])
	}
	return a
}

// holdsOf returns the lane under whose number a lane's holds are kept: lanes of one resource are held together.
func (f *Fold) holdsOf(lane int) uint8 {
	if f.IsFork() {
		return uint8(lane)
	}
	identity := f.lanes[lane].identity
	for i := range lane {
		if x := f.lanes[i].identity; x.Target == identity.Target && x.Unshared == identity.Unshared {
			return uint8(i)
		}
	}
	return uint8(lane)
}

var stageNames = [...]string{"store", "pop", "deliver", "take"}

// StageName returns a stage's name on the page and in the automation API: store, pop, deliver or take.
func StageName(s event.Stage) string {
	if int(s) < len(stageNames) {
		return stageNames[s]
	}
	return "stage " + strconv.Itoa(int(s))
}

func (w *world) holdStates(lane uint8) []Hold {
	out := make([]Hold, 0, len(w.holds))
	for _, h := range w.holds {
		if h.lane == lane {
			out = append(out, Hold{Stage: StageName(h.stage), Listener: h.listener, Waiting: h.waiting > 0,
				SinceMillis: Millis(h.since), Releases: h.releases})
		}
	}
	return out
}

func (r *reflector) state(sel event.Selection, w *wire) Reflector {
	s := r.Reflector
	s.Backoffs = append([]float64{}, r.Backoffs...)
	s.Bytes, s.LastRequest = w.bytes, r.lastRequest(sel)
	return s
}

// lastRequest returns the URL of the last request; "" before the first.
func (r *reflector) lastRequest(sel event.Selection) string {
	switch {
	case r.wire != "":
		return r.wire
	case r.options != nil:
		return requestURL(sel, r.verb, r.options)
	}
	return r.LastRequest
}

// requestURL returns the URL of a Reflector's request as client-go would send it, for logs without wire events.
func requestURL(sel event.Selection, verb event.Verb, o *metav1.ListOptions) string {
	path := "/api/" + sel.Version
	if sel.Group != "" {
		path = "/apis/" + sel.Group + "/" + sel.Version
	}
	if sel.WatchedNamespace() != "" {
		path += "/namespaces/" + sel.Namespace
	}
	path += "/" + sel.Resource
	q := url.Values{}
	set := func(k, v string) {
		if v != "" {
			q.Set(k, v)
		}
	}
	if verb != event.VerbList {
		q.Set("watch", "true")
	}
	if o.AllowWatchBookmarks {
		q.Set("allowWatchBookmarks", "true")
	}
	if o.SendInitialEvents != nil {
		q.Set("sendInitialEvents", strconv.FormatBool(*o.SendInitialEvents))
	}
	if o.TimeoutSeconds != nil {
		q.Set("timeoutSeconds", strconv.FormatInt(*o.TimeoutSeconds, 10))
	}
	if o.Limit != 0 {
		q.Set("limit", strconv.FormatInt(o.Limit, 10))
	}
	set("continue", o.Continue)
	set("resourceVersion", o.ResourceVersion)
	set("resourceVersionMatch", string(o.ResourceVersionMatch))
	set("labelSelector", o.LabelSelector)
	set("fieldSelector", o.FieldSelector)
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

func (item *qitem) state() QueueItem {
	return QueueItem{Seq: item.seq, Op: item.op.String(), Key: item.key, RV: item.rv, Count: int(item.count), Tombstone: item.tombstone}
}

// deltasState returns a key of a DeltaFIFO with its deltas.
func deltasState(key string, d []qitem) QueueItem {
	out := QueueItem{Key: key, Deltas: make([]QueueItem, len(d))}
	for i := range d {
		out.Deltas[i] = d[i].state()
	}
	if len(d) > 0 {
		newest := &d[len(d)-1]
		out.Seq, out.Op, out.RV, out.Tombstone = newest.seq, newest.op.String(), newest.rv, newest.tombstone
	}
	return out
}

func (q *queue) state(lim limits) Queue {
	s := Queue{Kind: "RealFIFO", Depth: q.len(), Synced: q.synced, Locked: q.locked, Closed: q.closed,
		InitialPopulation: q.population, Pops: q.pops, RunPops: q.runPops,
		Items: []QueueItem{}, Batch: []QueueItem{}, Mix: map[string]int{}}
	if q.delta {
		s.Kind = "DeltaFIFO"
	}
	q.each(func(item QueueItem) bool {
		if len(s.Items) >= lim.items {
			return false
		}
		s.Items = append(s.Items, item)
		return true
	})
	s.Waiting = s.Depth - q.mix[event.OpBookmark]
	for op, n := range q.mix {
		if n > 0 {
			s.Mix[event.Op(op).String()] = n
		}
	}
	s.LastBatchSize = len(q.batch)
	if q.processing {
		s.Batch, s.BatchSize = q.lastBatch(lim.batch), s.LastBatchSize
	}
	return s
}

// lastBatch returns the first n items of those popped last.
func (q *queue) lastBatch(n int) []QueueItem {
	out := make([]QueueItem, 0, min(n, len(q.batch)))
	for i := range cap(out) {
		out = append(out, q.batch[i].state())
	}
	return out
}

func (q *queue) each(fn func(QueueItem) bool) {
	if q.delta {
		q.keys.Each(func(key string, d deltas) bool { return fn(deltasState(key, d.list)) })
		return
	}
	for i := range q.line.Len() {
		if !fn(q.line.At(i).state()) {
			return
		}
	}
}

func (s *store) state(lim limits) Indexer {
	out := Indexer{Count: s.objects.Len(), ResourceVersion: s.rv, Replaces: s.replaces, Reborn: s.reborn, Bytes: s.weight.Held, CameBytes: s.weight.Came,
		Mutated: s.mutatedObjects.Len(), Mutations: s.mutations(lim.keys),
		StrayCount: s.strays.Len(), Strays: s.strayList(lim.keys),
		Indices: make(map[string]map[string]int, len(s.indices)), IndexSizes: make(map[string]int, len(s.indices))}
	for i := range s.indices {
		x := &s.indices[i]
		m := make(map[string]int, min(x.values.Len(), lim.values))
		x.values.Each(func(v string, iv *indexValue) bool {
			if len(m) >= lim.values {
				return false
			}
			m[v] = iv.keys.Len()
			return true
		})
		out.Indices[x.name] = m
		out.IndexSizes[x.name] = x.values.Len()
	}
	return out
}

func (li *listener) state() Listener {
	s := Listener{ID: li.id, Name: li.name, Ring: li.ring, Pending: li.pending(), Capacity: li.capacity,
		Capacities: append([]int{}, li.caps...), Waiting: li.waiting, Distributed: li.acceptCount, Delivered: li.deliveryCount,
		Handled: li.callCount, Panics: li.panics, LastPanic: li.lastPanic, PaceMillis: Millis(li.pace),
		ResyncMillis: Millis(li.resync), Syncing: li.syncing, Synced: li.synced, Removed: li.removed,
		Discarded: li.discardCount, Mutations: li.mutations, Met: li.metCount, MetOld: li.metOld}
	if li.metCount+li.metOld > 0 {
		met := li.lastMet
		s.LastMet = &met
	}
	for _, d := range li.drops {
		s.Drops = append(s.Drops, Drop{Predicate: d.predicate, Added: d.counts[event.OpAdded], Updated: d.counts[event.OpUpdated],
			Deleted: d.counts[event.OpDeleted], Synced: d.counts[event.OpSync], Last: d.last.state()})
	}
	if n := min(li.callCount, meanOver); n > 0 {
		s.MeanMicros = float64(li.recentSum) / float64(n) / float64(time.Microsecond)
	}
	if li.lastDelivery.seq > 0 {
		delivery := li.lastDelivery.state()
		s.Given = &delivery
	}
	if li.handling {
		delivery := li.current.state()
		s.Handling = &delivery
		s.HandlingSince = Millis(li.handlingSince)
	}
	return s
}

func (w *workq) state(lim limits) *Workqueue {
	if w == nil {
		return nil
	}
	s := &Workqueue{Workers: append([]Worker{}, w.workers...), Depth: w.fifo.Len(), Queue: []string{}, Processing: []Worker{},
		DirtyCount: w.fifo.Len() + w.dirty.Len(), ReAdded: w.dirty.Len(), Dirty: []string{}, WaitingCount: w.waiting.Len(),
		Waiting: []WaitingKey{}, Retries: w.fails.Len(), Reconciles: w.reconciles, Failures: w.failures,
		Writing: w.writing, Writes: w.writes, Conflicts: w.conflicts, WriteFails: w.writeFails,
		Creates: w.creates, Taken: w.takeCount, ShuttingDown: w.shutting, Paused: w.paused}
	if w.lastWrite != nil {
		x := *w.lastWrite
		s.LastWrite = &x
	}
	if w.lastRead != nil {
		r := *w.lastRead
		s.LastRead = &r
	}
	w.fifo.Each(func(key string, _ struct{}) bool {
		if len(s.Queue) >= lim.keys {
			return false
		}
		s.Queue = append(s.Queue, key)
		return true
	})
	w.dirty.Each(func(key string, _ struct{}) bool {
		if len(s.Dirty) >= lim.keys {
			return false
		}
		s.Dirty = append(s.Dirty, key)
		return true
	})
	w.processing.Each(func(key string, t assignment) bool {
		s.Processing = append(s.Processing, Worker{ID: t.worker, Key: key, SinceMillis: Millis(t.at)})
		return true
	})
	slices.SortFunc(s.Processing, func(a, b Worker) int {
		return cmp.Or(cmp.Compare(a.SinceMillis, b.SinceMillis), cmp.Compare(a.Key, b.Key))
	})
	s.Processing = s.Processing[:min(len(s.Processing), lim.keys)]
	s.Waiting = w.soonest(lim.keys)
	return s
}

// soonest returns the k waiting keys that are due first, in order. It makes one pass with a bounded sorted buffer: a busy controller's heap is long, and
// States are computed sixty times a second.
func (w *workq) soonest(k int) []WaitingKey {
	type entry struct {
		key string
		due
	}
	order := func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.due.due, b.due.due), cmp.Compare(a.key, b.key))
	}
	var best []entry
	w.waiting.Each(func(key string, d due) bool {
		best = append(best, entry{key, d})
		if len(best) >= 2*k && 2*k > 0 {
			slices.SortFunc(best, order)
			best = best[:k]
		}
		return true
	})
	slices.SortFunc(best, order)
	best = best[:min(len(best), k)]
	out := make([]WaitingKey, len(best))
	for i, x := range best {
		n, _ := w.fails.Get(x.key)
		why, _ := w.whys.Get(x.key)
		out[i] = WaitingKey{Key: x.key, DueMillis: Millis(x.due.due), SetMillis: Millis(x.due.set), Failures: n, Why: why}
	}
	return out
}
