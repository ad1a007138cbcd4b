package view

import (
	"slices"

	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// ledgerRows is how many changes each part of a ledger names.
const ledgerRows = 3

// ledgerOf returns the newest changes by the part of the way that they have reached: wire, queue or store. deltas is the number of deltas in the queue.
// It also returns those that State lists.
func ledgerOf(s *fold.State, deltas int) (l facts.Ledger, listed []facts.LedgerEntry) {
	q := &s.Queue
	batch := entriesOf(q.Batch)
	listed = slices.Concat(batch, entriesOf(q.Items))
	for _, e := range listed {
		add(&l.Queue, e)
	}
	// State lists only the first items.
	l.Queue.Count = deltas + max(q.BatchSize, len(batch))
	queued := make(map[string]bool, len(listed)+len(q.Items))
	for _, list := range [][]fold.QueueItem{q.Batch, q.Items} {
		for i := range list {
			queued[list[i].RV] = true
		}
	}
	for _, e := range listed {
		queued[e.RV] = true
	}
	cut := lastListedVersion(q)
	for i := range s.API.Wire {
		f := &s.API.Wire[i]
		if f.RV == "" {
			continue // an ERROR: it has no version, and ends at the Reflector
		}
		e := facts.LedgerEntry{Op: f.Op, Key: f.Key, RV: f.RV, Bytes: f.Bytes}
		switch {
		case isBehind(s.Reflector.ResourceVersion, f.RV):
			add(&l.Wire, e)
		case isBehind(s.Indexer.ResourceVersion, f.RV) && !queued[f.RV]:
			// Its chip is between the stations.
		case !queued[f.RV] && !isBehind(cut, f.RV):
			add(&l.Store, e)
		}
	}
	for _, p := range []*facts.LedgerPart{&l.Wire, &l.Queue, &l.Store} {
		if p.First == nil {
			p.First, p.Mix = []facts.LedgerEntry{}, map[string]int{}
		}
	}
	return l, listed
}

// unstoredOf returns the newest change of each object that the store does not have yet, oldest first: the queued ones, and the frames that are newer than the
// store. Where the store has no version, frames count only until the Reflector has read them. A frame that was never read, since its watch broke, does not
// count once a list has brought the object.
func unstoredOf(s *fold.State, queued []facts.LedgerEntry, objects fold.Objects) []facts.LedgerEntry {
	changes := slices.Clip(queued)
	stored := s.Indexer.ResourceVersion
	if stored == "" {
		stored = s.Reflector.ResourceVersion
	}
	for i := range slices.Backward(s.API.Wire) { // newest first
		f := &s.API.Wire[i]
		if !isBehind(stored, f.RV) {
			continue
		}
		if held, ok := objects.Get(f.Key); ok && f.Op != "Deleted" && !event.IsNewer(f.RV, held.RV) {
			continue
		}
		changes = append(changes, facts.LedgerEntry{Op: f.Op, Key: f.Key, RV: f.RV, Bytes: f.Bytes})
	}
	newest := make(map[string]int, len(changes))
	for i := range changes {
		e := &changes[i]
		if j, ok := newest[e.Key]; !ok || !isBehind(e.RV, changes[j].RV) {
			newest[e.Key] = i
		}
	}
	out := []facts.LedgerEntry{}
	for i := range changes {
		e := &changes[i]
		// A list or a resync queues objects that have not changed, too.
		if e.Key != "" && newest[e.Key] == i && (e.Op == "Added" || e.Op == "Updated" || e.Op == "Deleted") {
			out = append(out, *e)
		}
	}
	return out
}

// add counts a change, and lists it while there is room.
func add(p *facts.LedgerPart, e facts.LedgerEntry) {
	p.Count++
	if p.Mix == nil {
		p.Mix = map[string]int{}
	}
	if e.Op != "" {
		p.Mix[e.Op]++
		p.Total++
	}
	if len(p.First) < ledgerRows {
		p.First = append(p.First, e)
	}
}

// entriesOf returns the deltas of a queue's items, one by one.
func entriesOf(items []fold.QueueItem) []facts.LedgerEntry {
	out := make([]facts.LedgerEntry, 0, len(items))
	for i := range items {
		item := &items[i]
		if len(item.Deltas) == 0 {
			out = append(out, facts.LedgerEntry{Op: item.Op, Key: item.Key, RV: item.RV})
		}
		for j := range item.Deltas {
			d := &item.Deltas[j]
			key := d.Key
			if key == "" {
				key = item.Key
			}
			out = append(out, facts.LedgerEntry{Op: d.Op, Key: key, RV: d.RV})
		}
	}
	return out
}

// lastListedVersion returns the version of the last item that State lists of a longer queue: newer changes come after it. It returns "" if State lists all.
func lastListedVersion(q *fold.Queue) string {
	if q.Depth <= len(q.Items) || len(q.Items) == 0 {
		return ""
	}
	last := &q.Items[len(q.Items)-1]
	if last.RV == "" && len(last.Deltas) > 0 {
		return last.Deltas[len(last.Deltas)-1].RV
	}
	return last.RV
}

// isBehind reports whether resourceVersion a is known and older than b.
func isBehind(a, b string) bool { return a != "" && event.IsNewer(b, a) }

// requestsOf counts the open requests, says how the Reflector has listed, and chooses the one that the page shows: the first open one, or else the first.
func requestsOf(s *fold.State) facts.Requests {
	var r facts.Requests
	for i := range s.API.Requests {
		q := &s.API.Requests[i]
		if q.Open {
			r.Open++
		}
		if r.Foremost == 0 || q.Open && r.Open == 1 {
			r.Foremost = q.ID
		}
	}
	switch {
	case s.Reflector.Lists > 0:
		r.Lists = "LIST"
	case s.Reflector.Watches > 0:
		r.Lists = "WatchList"
	}
	return r
}
