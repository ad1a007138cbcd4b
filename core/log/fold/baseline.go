package fold

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"informerscope/core/words/event"
)

// Baseline returns events that bring the Fold of an empty log to f's state: KindSelected, then a KindRestored for each lane. They carry f's Seq and At. A log
// whose beginning was evicted is written with them in front. What a State does not hold is lost: the times of single handler calls, and when and by which
// event an object entered.
func (f *Fold) Baseline() []event.Entry {
	s := f.sel
	s.Unshared = nil
	for i := range f.lanes {
		if f.lanes[i].identity.Unshared {
			s.Unshared = append(s.Unshared, f.lanes[i].identity)
		}
	}
	if shared := len(f.lanes) - len(s.Unshared); len(s.Resources) == 0 && !f.IsFork() && len(s.Releases) != shared {
		s.Releases = nil
		for i := range shared {
			s.Releases = append(s.Releases, f.lanes[i].release.String())
		}
	}
	sel, _ := json.Marshal(s) // a struct of strings and numbers
	out := []event.Entry{{Seq: f.seq, At: f.at, Event: event.Selected{Selection: string(sel)}.Event()}}
	for i := range f.lanes {
		l := &f.lanes[i]
		s := f.WholeState(i)
		s.Recent, s.Queue.LastBatch = l.keptRecent(f.worldOf(uint8(i))), l.queue.lastBatch(noLimits.batch)
		if i == 0 {
			s.Fork = f.Fork()
		}
		if l.work != nil {
			s.Workqueue.Failing, s.Workqueue.Whys = map[string]int{}, map[string]string{}
			l.work.fails.Each(func(k string, n int) bool {
				s.Workqueue.Failing[k] = n
				return true
			})
			l.work.whys.Each(func(k, why string) bool {
				s.Workqueue.Whys[k] = why
				return true
			})
		}
		text, _ := json.Marshal(s)
		e := event.Restored{State: string(text), StoreRV: l.store.rv, Items: make([]event.Item, 0, l.store.objects.Len())}
		f.Objects(i).Range(func(c *Cell) bool {
			e.Items = append(e.Items, event.Item{Key: c.Key, RV: c.RV, Obj: c.Obj, Indexed: c.Indexed})
			return true
		})
		out = append(out, event.Entry{Seq: f.seq, At: f.at, Lane: uint8(i), Event: e.Event()})
	}
	return out
}

func duration(ms float64) time.Duration {
	return time.Duration(ms*1000+0.5) * time.Microsecond
}

func restoreItem(item QueueItem) qitem {
	return qitem{seq: item.Seq, op: event.ParseOp(item.Op), key: item.Key, rv: item.RV, count: int32(item.Count), tombstone: item.Tombstone}
}

// restore takes a lane's state from a KindRestored.
func (f *Fold) restore(e *event.Entry) {
	restored := e.Restored()
	var s State
	if json.Unmarshal([]byte(restored.State), &s) != nil || int(e.Lane) >= len(f.lanes) {
		return
	}
	if s.AtMillis != 0 {
		s.shift(Millis(e.At) - s.AtMillis)
	}
	if len(s.Fidelity) > 0 {
		f.lens.Restore(int(e.Lane), e.At, s.WaitingKeys())
	}
	l := &f.lanes[e.Lane]
	n := newLane()
	n.identity, n.wire, n.stage, n.running, n.synced = l.identity, l.wire, s.Stage, s.Running, s.Synced
	n.identity.Shard = s.Shard
	*l = n
	around := f.worldOf(e.Lane)
	around.writes, around.cluster = s.API.Writes, s.API.Oldest != ""
	if event.IsNewer(s.API.ResourceVersion, around.rv) {
		around.rv = s.API.ResourceVersion
	}
	around.faults = slices.Clone(s.Faults[:min(len(s.Faults), maxFaults)])
	around.crowd.restore(s.API.Crowd, e.At)
	f.restoreHolds(e.Lane, s.Holds)
	w := &f.wires[l.wire]
	w.rv, w.oldest, w.objects, w.refusals = s.API.ResourceVersion, s.API.Oldest, s.API.Objects, s.API.Refused
	w.trouble = trouble{words: s.Source.Trouble, cause: s.Source.Cause}
	if s.Source.Offer != nil {
		w.trouble.namespace = s.Source.Offer.Namespace
	}
	w.bytes = s.Reflector.Bytes
	w.open, w.hasEnd = nil, false
	for _, r := range s.API.Requests {
		if !r.Open {
			w.endedRequest, w.hasEnd = r, true
		} else if len(w.open) < maxOpen {
			w.open = append(w.open, r)
		}
	}
	w.nframes = 0
	for _, x := range slices.Backward(s.API.Wire[:min(len(s.API.Wire), keptFrames)]) {
		w.frames[w.nframes%keptFrames] = x
		w.nframes++
	}

	l.queue.delta = s.Queue.Kind == "DeltaFIFO"
	if s.Release != "" {
		delta := l.queue.delta
		l.nameRelease(s.Release)
		l.queue.delta = delta
	}
	l.refl = reflector{Reflector: s.Reflector, wire: s.Reflector.LastRequest}
	l.refl.Backoffs = l.refl.Backoffs[:min(len(l.refl.Backoffs), maxBackoffs)]
	for v := event.VerbList; v <= event.VerbWatchList; v++ {
		if v.String() == s.Reflector.Verb {
			l.refl.verb = v
		}
	}
	for _, item := range s.Queue.Items {
		if !l.queue.delta {
			l.queue.push(f.epoch, restoreItem(item))
			continue
		}
		for _, d := range item.Deltas {
			l.queue.push(f.epoch, restoreItem(d))
		}
	}
	q := &l.queue
	q.synced, q.locked, q.closed = s.Queue.Synced, s.Queue.Locked, s.Queue.Closed
	q.population, q.pops, q.runPops, q.runEnds = s.Queue.InitialPopulation, s.Queue.Pops, s.Queue.RunPops, s.Queue.Depth == 0
	for _, item := range s.Queue.LastBatch {
		q.batch = append(q.batch, restoreItem(item))
	}
	q.batchEpoch = f.epoch
	q.processing = s.Queue.BatchSize > 0

	for _, name := range slices.Sorted(maps.Keys(s.Indexer.Indices)) { // at most maxIndices of them are kept, so in a fixed order
		l.store.index(name)
	}
	l.store.fill(f.epoch, e, restored.Items)
	l.store.restoreMutations(f.epoch, s.Indexer.Mutations)
	l.store.restoreStrays(f.epoch, s.Indexer.Strays)
	l.store.rv, l.store.replaces, l.store.reborn = s.Indexer.ResourceVersion, s.Indexer.Replaces, s.Indexer.Reborn
	l.restoreCluster(f.epoch, &s, e.At)
	for _, x := range s.Listeners {
		l.restoreListener(x)
	}
	if s.Workqueue != nil {
		l.work = restoreWork(f.epoch, s.Workqueue)
	}
	if len(s.Fidelity) <= maxFidelity {
		l.fidelity = s.Fidelity
	}
	if q.sampled = s.Fidelity["queue"].How == "sampled"; q.sampled {
		q.depth = max(s.Queue.Depth, 0)
	}
	l.restoreRecent(around, s.Recent)
	f.restoreFork(e.Lane, s.Fork, e.At)
}

// shift moves the times of another program's informer, in ms: its stream may continue a log with another clock.
func (s *State) shift(by float64) {
	for i := range s.API.Requests {
		s.API.Requests[i].SentMillis += by
	}
	s.Reflector.RequestMillis += by
	s.World.shift(by)
	for i := range s.Listeners {
		s.Listeners[i].HandlingSince += by
	}
	w := s.Workqueue
	if w == nil {
		return
	}
	for _, workers := range [][]Worker{w.Workers, w.Processing} {
		for i := range workers {
			workers[i].SinceMillis += by
		}
	}
	for i := range w.Waiting {
		w.Waiting[i].SetMillis += by
		w.Waiting[i].DueMillis += by
	}
}

// restoreHolds takes over the holds of a lane's State. Lanes that are held together have the same holds.
func (f *Fold) restoreHolds(lane uint8, holds []Hold) {
	w, first := f.worldOf(lane), f.holdsOf(int(lane))
	w.holds = slices.DeleteFunc(slices.Clone(w.holds), func(h hold) bool { return h.lane == first })
	for _, h := range holds[:min(len(holds), maxHolds)] {
		x := hold{lane: first, listener: h.Listener, since: duration(h.SinceMillis), releases: h.Releases}
		x.stage = event.Stage(max(slices.Index(stageNames[:], h.Stage), 0))
		if h.Waiting {
			x.waiting = 1
		}
		w.holds = append(w.holds, x)
	}
}

func (l *lane) restoreListener(x Listener) {
	i, ok := l.listenerIndex(x.ID)
	if ok || len(l.listeners) >= MaxListeners {
		return
	}
	n := listener{id: x.ID, name: Shorten(x.Name), ring: x.Ring, capacity: x.Capacity, caps: slices.Clone(x.Capacities[:min(len(x.Capacities), maxCaps)]),
		waiting: x.Waiting, acceptCount: x.Distributed, deliveryCount: x.Delivered, callCount: max(x.Handled, 0), panics: x.Panics, lastPanic: x.LastPanic,
		pace: duration(x.PaceMillis), resync: duration(x.ResyncMillis), syncing: x.Syncing, synced: x.Synced,
		removed: x.Removed, discardCount: x.Discarded, mutations: x.Mutations, metCount: x.Met, metOld: x.MetOld}
	if x.LastMet != nil {
		n.lastMet = *x.LastMet
	}
	for _, d := range x.Drops[:min(len(x.Drops), maxDrops)] {
		y := drop{predicate: Shorten(d.Predicate), last: restoreItem(d.Last)}
		y.counts[event.OpAdded], y.counts[event.OpUpdated], y.counts[event.OpDeleted], y.counts[event.OpSync] = d.Added, d.Updated, d.Deleted, d.Synced
		n.drops = append(n.drops, y)
	}
	if x.Given != nil {
		n.lastDelivery = restoreItem(*x.Given)
	}
	if x.Handling != nil {
		n.handling, n.current, n.handlingSince = true, restoreItem(*x.Handling), duration(x.HandlingSince)
	}
	mean := time.Duration(x.MeanMicros * float64(time.Microsecond))
	for j := range min(n.callCount, meanOver) {
		n.recent[j] = mean
		n.recentSum += mean
	}
	l.listeners = slices.Insert(l.listeners, i, n)
}

func restoreWork(epoch uint64, s *Workqueue) *workq {
	w := &workq{reconciles: s.Reconciles, failures: s.Failures, lastRead: s.LastRead, shutting: s.ShuttingDown, paused: s.Paused,
		writing: s.Writing, writes: s.Writes, conflicts: s.Conflicts, writeFails: s.WriteFails, creates: s.Creates, takeCount: s.Taken,
		lastWrite: s.LastWrite}
	for _, x := range s.Workers {
		if y := w.worker(x.ID); y != nil {
			*y = x
		}
	}
	for _, k := range s.Queue {
		w.fifo.Set(epoch, k, struct{}{})
	}
	for _, x := range s.Processing {
		w.processing.Set(epoch, x.Key, assignment{x.ID, duration(x.SinceMillis)})
	}
	for _, k := range s.Dirty {
		w.dirty.Set(epoch, k, struct{}{})
	}
	for _, x := range s.Waiting {
		w.waiting.Set(epoch, x.Key, due{duration(x.DueMillis), duration(x.SetMillis)})
	}
	//maporder:free each is put under its own key
	for k, n := range s.Failing {
		w.fails.Set(epoch, k, n)
	}
	//maporder:free each is put under its own key
	for k, why := range s.Whys {
		w.whys.Set(epoch, k, Shorten(why))
	}
	return w
}
