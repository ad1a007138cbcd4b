package compare

import (
	"cmp"
	"slices"
	"strconv"

	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
)

// describer names the changes of one Comparison.
type describer struct {
	changes   *changes
	moment    Moment
	isFlow    bool
	selection []*change
	places    map[int]int       // by a change's order: its number in selection, from 1
	letters   map[string]string // by key
}

// describe returns the Comparison of all followed changes. It names those in shown.
func (c *Comparer) describe(m Moment, shown []*change, listener int32) *facts.Comparison {
	f := &c.changes
	f.number()
	d := &describer{changes: f, moment: m, isFlow: c.isFlow, selection: shown, places: map[int]int{}, letters: map[string]string{}}
	out := &facts.Comparison{
		Burst: !c.isFlow, Held: c.burst.isHeld, From: c.burst.holdSeq, To: c.burst.releaseSeq, Cut: c.burst.isCut,
		Listener: listener, Changes: []facts.SentChange{}, Lanes: make([]facts.LaneComparison, len(f.lanes)),
	}
	for i, ch := range shown {
		d.places[ch.order] = i + 1
		if d.letters[ch.key] == "" {
			d.letters[ch.key] = string(rune('A' + len(d.letters)))
		}
		out.Changes = append(out.Changes, facts.SentChange{N: i + 1, Seq: ch.seq, AtMillis: fold.Millis(ch.sentAt), Key: ch.key, RV: ch.rv,
			Op: ch.op.String(), Letter: d.letters[ch.key], Label: d.label(ch)})
	}
	out.Total, out.Keys = f.total, len(f.keys)
	if c.isFlow {
		out.Total, out.Keys = len(shown), len(d.letters)
	}
	out.More = out.Total - len(shown)
	for i := range out.Lanes {
		out.Lanes[i] = d.lane(i)
	}
	return out
}

// place returns a change's number in the order in which the API server sent the changes, 0 if the Comparison leaves it out.
func (d *describer) place(c *change) int {
	if d.isFlow {
		return d.places[c.order]
	}
	return c.burstPlace
}

// label returns the name of a change: its key's letter and its number, "A2". It returns "" if the Comparison leaves the change out.
func (d *describer) label(c *change) string {
	if n := d.place(c); n > 0 {
		return d.letters[c.key] + strconv.Itoa(n)
	}
	return ""
}

// changeIn returns how far a change has come in a lane, as the lane's stations show it.
func (d *describer) changeIn(i int, c *change) changeInLane {
	x := c.lanes[i]
	later := func(seq, shown uint64) bool { return shown > 0 && seq > shown }
	if later(x.queueSeq, d.moment.Queue) {
		x.queueSeq = 0
	}
	if x.pop != nil && later(x.pop.seq, d.moment.Queue) {
		x.pop = nil
	}
	if later(x.storeSeq, d.moment.Indexer) {
		x.storeSeq = 0
	}
	if later(x.handlerSeq, d.moment.Listeners) {
		x.handlerSeq = 0
	}
	return x
}

// counts returns a lane's counts of the burst and, by key, the change that its store took last, as the lane's stations show them.
func (d *describer) counts(i int) laneChanges {
	m := d.moment
	if least := min(m.Queue, m.Indexer, m.Listeners); least == 0 || least >= m.Fold.Seq() {
		return d.changes.lanes[i]
	}
	out := laneChanges{burstChanges: map[string]*change{}}
	for _, c := range d.changes.items {
		if !c.inBurst {
			continue
		}
		x := d.changeIn(i, c)
		switch {
		case x.pop != nil:
			out.takeCount++
			out.popCount = max(out.popCount, x.pop.n)
		case x.queueSeq > 0:
			out.waitCount++
		}
		if x.storeSeq > 0 {
			if last := out.burstChanges[c.key]; last == nil || last.lanes[i].storeSeq < x.storeSeq {
				out.burstChanges[c.key] = c
			}
			if x.storePosition > out.storeCount {
				out.storeCount, out.storeLate = x.storePosition, x.storeLate
			}
		}
		if x.handlerSeq > 0 && x.handlerPosition > out.handlerCount {
			out.handlerCount, out.handlerLate = x.handlerPosition, x.handlerLate
		}
	}
	return out
}

func (d *describer) lane(i int) facts.LaneComparison {
	l := d.counts(i)
	out := facts.LaneComparison{Waits: d.waitingChanges(i), Waiting: l.waitCount, Took: d.takenChanges(i), Taken: l.takeCount, Pops: l.popCount,
		StoredCount: l.storeCount, StoredLate: l.storeLate, Newest: []facts.StoredChange{}, GivenCount: l.handlerCount, GivenLate: l.handlerLate}
	out.Stored = d.steps(i, func(x *changeInLane) *facts.ChangeStep {
		return &facts.ChangeStep{Position: x.storePosition, Seq: x.storeSeq, AtMillis: fold.Millis(x.storeAt), Op: x.storeOp.String()}
	})
	out.Given = d.steps(i, func(x *changeInLane) *facts.ChangeStep {
		return &facts.ChangeStep{Position: x.handlerPosition, Seq: x.handlerSeq, AtMillis: fold.Millis(x.handlerAt), Op: x.handlerOp.String()}
	})
	if d.isFlow { // only the shown changes are compared
		for _, w := range out.Waits {
			out.Waiting += len(w.Changes)
		}
		for _, p := range out.Took {
			out.Taken += len(p.Changes)
		}
		out.Pops = len(out.Took)
		out.StoredCount, out.StoredLate = len(out.Stored), countLate(out.Stored)
		out.GivenCount, out.GivenLate = len(out.Given), countLate(out.Given)
	}
	out.Overtaking = findOvertaking(out.Stored)
	out.Newest = d.newestChanges(i, out.Stored, l.burstChanges)
	return out
}

// waitingChanges returns the shown changes that are in a lane's queue, in its order.
func (d *describer) waitingChanges(i int) []facts.WaitingChanges {
	out := []facts.WaitingChanges{}
	l := &d.changes.lanes[i]
	in := func(c *change) changeInLane { return d.changeIn(i, c) }
	var waiting []*change
	for _, c := range d.selection {
		if in(c).queueSeq > 0 && in(c).pop == nil {
			waiting = append(waiting, c)
		}
	}
	line := map[string]int{} // the places of a DeltaFIFO's keys
	if l.hasDeltaFIFO {
		for _, c := range waiting {
			line[c.key] = 0
		}
		n, left := 0, len(line)
		if left > 0 {
			d.moment.Fold.RangeQueue(i, func(q fold.QueueItem) bool {
				n++
				if _, ours := line[q.Key]; ours {
					line[q.Key] = n
					left--
				}
				return left > 0
			})
		}
	}
	slices.SortStableFunc(waiting, func(a, b *change) int {
		return cmp.Or(cmp.Compare(line[a.key], line[b.key]), cmp.Compare(in(a).queueSeq, in(b).queueSeq))
	})
	for j, c := range waiting {
		if j == 0 || l.hasDeltaFIFO && waiting[j-1].key != c.key {
			w := facts.WaitingChanges{}
			if l.hasDeltaFIFO {
				w.Letter = d.letters[c.key]
			}
			out = append(out, w)
		}
		w := &out[len(out)-1]
		w.Changes = append(w.Changes, d.place(c))
	}
	return out
}

// takenChanges returns the shown changes that a lane's Pop has taken, by pop.
func (d *describer) takenChanges(i int) []facts.TakenChanges {
	out := []facts.TakenChanges{}
	var taken []*change
	for _, c := range d.selection {
		if d.changeIn(i, c).pop != nil {
			taken = append(taken, c)
		}
	}
	slices.SortStableFunc(taken, func(a, b *change) int {
		return cmp.Or(cmp.Compare(a.lanes[i].pop.seq, b.lanes[i].pop.seq), cmp.Compare(a.lanes[i].queueSeq, b.lanes[i].queueSeq))
	})
	for j, c := range taken {
		p := c.lanes[i].pop
		if j == 0 || taken[j-1].lanes[i].pop != p {
			n := p.n
			if d.isFlow {
				n = len(out) + 1
			}
			out = append(out, facts.TakenChanges{N: n, Seq: p.seq, Deltas: p.deltas, Batch: p.isBatch})
		}
		t := &out[len(out)-1]
		t.Changes = append(t.Changes, d.place(c))
	}
	return out
}

// steps returns the shown changes that reached a lane's store or handler, in the order of their arrival there. at returns a change's step, with Seq 0 if it
// has not arrived.
func (d *describer) steps(i int, at func(*changeInLane) *facts.ChangeStep) []facts.ChangeStep {
	out := []facts.ChangeStep{}
	for _, c := range d.selection {
		x := d.changeIn(i, c)
		step := at(&x)
		if step.Seq == 0 {
			continue
		}
		step.N = d.place(c)
		if x.predecessor > 0 {
			step.Was = d.labelOf(x.predecessor)
		}
		out = append(out, *step)
	}
	slices.SortFunc(out, func(a, b facts.ChangeStep) int { return cmp.Compare(a.Seq, b.Seq) })
	if d.isFlow {
		for j := range out {
			out[j].Position = j + 1
		}
	}
	return out
}

// labelOf returns the label of the change with an order, "" if it was forgotten.
func (d *describer) labelOf(order int) string {
	i, ok := slices.BinarySearchFunc(d.changes.items, order, func(c *change, order int) int { return cmp.Compare(c.order, order) })
	if !ok {
		return ""
	}
	return d.label(d.changes.items[i])
}

// newestChanges returns, for each key in stored, the change that the store took last: in a burst one of last, by key.
func (d *describer) newestChanges(i int, stored []facts.ChangeStep, last map[string]*change) []facts.StoredChange {
	out := []facts.StoredChange{}
	at := map[string]int{}
	for _, step := range stored {
		var c *change
		op := step.Op
		if d.isFlow {
			c = d.selection[step.N-1]
		} else {
			c = last[d.selection[step.N-1].key]
			op = c.lanes[i].storeOp.String()
		}
		s := facts.StoredChange{N: d.place(c), Letter: d.letters[c.key], Label: d.label(c), Key: c.key, RV: c.rv, Op: op}
		if j, ok := at[c.key]; ok {
			out[j] = s
			continue
		}
		at[c.key] = len(out)
		out = append(out, s)
	}
	return out
}

// countLate counts the steps that follow a step whose change was sent later.
func countLate(steps []facts.ChangeStep) (n int) {
	newest := 0
	for _, s := range steps {
		if s.N < newest {
			n++
		}
		newest = max(newest, s.N)
	}
	return n
}

// findOvertaking returns the first step that precedes a step whose change was sent earlier, nil for none.
func findOvertaking(steps []facts.ChangeStep) *facts.Overtaking {
	for i, later := range steps {
		for _, earlier := range steps[i+1:] {
			if later.N > earlier.N {
				return &facts.Overtaking{Later: later.N, Earlier: earlier.N, Millis: earlier.AtMillis - later.AtMillis}
			}
		}
	}
	return nil
}
