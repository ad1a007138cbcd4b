package view

import (
	"cmp"
	"slices"
	"strconv"

	"informerscope/core/trace"
)

// describer names the changes of one Comparison.
type describer struct {
	f       *changes
	fold    *trace.Fold
	flow    bool
	shown   []*change
	places  map[int]int       // in shown, from 1, by the change's order
	letters map[string]string // by key
}

// describe returns the Comparison of the followed changes; it names those in shown.
func (c *comparing) describe(fold *trace.Fold, shown []*change, listener int32) *trace.Comparison {
	f := &c.follow
	f.number()
	d := &describer{f: f, fold: fold, flow: c.flow, shown: shown, places: map[int]int{}, letters: map[string]string{}}
	out := &trace.Comparison{
		Burst: !c.flow, Held: c.burst.held, From: c.burst.from, To: c.burst.to, Cut: c.burst.cut,
		Listener: listener, Changes: []trace.SentChange{}, Lanes: make([]trace.LaneComparison, len(f.lanes)),
	}
	for i, ch := range shown {
		d.places[ch.order] = i + 1
		if d.letters[ch.key] == "" {
			d.letters[ch.key] = string(rune('A' + len(d.letters)))
		}
		out.Changes = append(out.Changes, trace.SentChange{N: i + 1, Seq: ch.seq, AtMillis: millis(ch.at), Key: ch.key, RV: ch.rv,
			Op: ch.op.String(), Letter: d.letters[ch.key], Label: d.label(ch)})
	}
	out.Total, out.Keys = f.total, len(f.keys)
	if c.flow {
		out.Total, out.Keys = len(shown), len(d.letters)
	}
	out.More = out.Total - len(shown)
	for i := range out.Lanes {
		out.Lanes[i] = d.lane(i)
	}
	return out
}

// place returns a change's place in the order sent, 0 if it is not compared.
func (d *describer) place(c *change) int {
	if d.flow {
		return d.places[c.order]
	}
	return c.n
}

// label returns the name of a change whose key has a letter; "" if the change is not compared.
func (d *describer) label(c *change) string {
	if n := d.place(c); n > 0 {
		return d.letters[c.key] + strconv.Itoa(n)
	}
	return ""
}

func (d *describer) lane(i int) trace.LaneComparison {
	l := &d.f.lanes[i]
	out := trace.LaneComparison{Waits: d.waits(i), Waiting: l.waiting, Took: d.took(i), Taken: l.taken, Pops: l.pops,
		StoredCount: l.stored, StoredLate: l.storedLate, Newest: []trace.StoredChange{}, GivenCount: l.given, GivenLate: l.givenLate}
	out.Stored = d.steps(i, func(x *changeInLane) *trace.ChangeStep {
		return &trace.ChangeStep{Position: x.storedPosition, Seq: x.stored, AtMillis: millis(x.storedAt), Op: x.storedOp.String()}
	})
	out.Given = d.steps(i, func(x *changeInLane) *trace.ChangeStep {
		return &trace.ChangeStep{Position: x.givenPosition, Seq: x.given, AtMillis: millis(x.givenAt), Op: x.givenOp.String()}
	})
	if d.flow { // only the shown changes are compared
		for _, w := range out.Waits {
			out.Waiting += len(w.Changes)
		}
		for _, p := range out.Took {
			out.Taken += len(p.Changes)
		}
		out.Pops = len(out.Took)
		out.StoredCount, out.StoredLate = len(out.Stored), late(out.Stored)
		out.GivenCount, out.GivenLate = len(out.Given), late(out.Given)
	}
	out.Overtaking = overtaking(out.Stored)
	out.Newest = d.newest(i, out.Stored)
	return out
}

// waits returns the shown changes that are in the queue, in its order.
func (d *describer) waits(i int) []trace.WaitingChanges {
	out := []trace.WaitingChanges{}
	l := &d.f.lanes[i]
	in := func(c *change) *changeInLane { return &c.lanes[i] }
	var waiting []*change
	for _, c := range d.shown {
		if in(c).queued > 0 && in(c).pop == nil {
			waiting = append(waiting, c)
		}
	}
	line := map[string]int{} // the places of a DeltaFIFO's keys
	if l.delta {
		for _, c := range waiting {
			line[c.key] = 0
		}
		n, left := 0, len(line)
		if left > 0 {
			d.fold.RangeQueue(i, func(q trace.QueueItem) bool {
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
		return cmp.Or(cmp.Compare(line[a.key], line[b.key]), cmp.Compare(in(a).queued, in(b).queued))
	})
	for j, c := range waiting {
		if j == 0 || l.delta && waiting[j-1].key != c.key {
			w := trace.WaitingChanges{}
			if l.delta {
				w.Letter = d.letters[c.key]
			}
			out = append(out, w)
		}
		w := &out[len(out)-1]
		w.Changes = append(w.Changes, d.place(c))
	}
	return out
}

// took returns the shown changes that Pop took, by pop.
func (d *describer) took(i int) []trace.TakenChanges {
	out := []trace.TakenChanges{}
	var taken []*change
	for _, c := range d.shown {
		if c.lanes[i].pop != nil {
			taken = append(taken, c)
		}
	}
	slices.SortStableFunc(taken, func(a, b *change) int {
		return cmp.Or(cmp.Compare(a.lanes[i].pop.seq, b.lanes[i].pop.seq), cmp.Compare(a.lanes[i].queued, b.lanes[i].queued))
	})
	for j, c := range taken {
		p := c.lanes[i].pop
		if j == 0 || taken[j-1].lanes[i].pop != p {
			n := p.n
			if d.flow {
				n = len(out) + 1
			}
			out = append(out, trace.TakenChanges{N: n, Seq: p.seq, Deltas: p.deltas, Batch: p.batch})
		}
		t := &out[len(out)-1]
		t.Changes = append(t.Changes, d.place(c))
	}
	return out
}

// steps returns the shown changes that reached a place, in the order in which they did.
func (d *describer) steps(i int, at func(*changeInLane) *trace.ChangeStep) []trace.ChangeStep {
	out := []trace.ChangeStep{}
	for _, c := range d.shown {
		x := &c.lanes[i]
		step := at(x)
		if step.Seq == 0 {
			continue
		}
		step.N = d.place(c)
		if x.was > 0 {
			step.Was = d.was(x.was)
		}
		out = append(out, *step)
	}
	slices.SortFunc(out, func(a, b trace.ChangeStep) int { return cmp.Compare(a.Seq, b.Seq) })
	if d.flow {
		for j := range out {
			out[j].Position = j + 1
		}
	}
	return out
}

// was returns the label of a change by its order.
func (d *describer) was(order int) string {
	i, ok := slices.BinarySearchFunc(d.f.all, order, func(c *change, order int) int { return cmp.Compare(c.order, order) })
	if !ok {
		return ""
	}
	return d.label(d.f.all[i])
}

// newest returns what reached the store last for each shown key.
func (d *describer) newest(i int, stored []trace.ChangeStep) []trace.StoredChange {
	out := []trace.StoredChange{}
	at := map[string]int{}
	for _, step := range stored {
		var c *change
		op := step.Op
		if d.flow {
			c = d.shown[step.N-1]
		} else {
			c = d.f.lanes[i].last[d.shown[step.N-1].key]
			op = c.lanes[i].storedOp.String()
		}
		s := trace.StoredChange{N: d.place(c), Letter: d.letters[c.key], Label: d.label(c), Key: c.key, RV: c.rv, Op: op}
		if j, ok := at[c.key]; ok {
			out[j] = s
			continue
		}
		at[c.key] = len(out)
		out = append(out, s)
	}
	return out
}

// late counts the steps that came after one whose change was sent later.
func late(steps []trace.ChangeStep) (n int) {
	newest := 0
	for _, s := range steps {
		if s.N < newest {
			n++
		}
		newest = max(newest, s.N)
	}
	return n
}

// overtaking returns the first step that came before one whose change was sent earlier.
func overtaking(steps []trace.ChangeStep) *trace.Overtaking {
	for i, later := range steps {
		for _, earlier := range steps[i+1:] {
			if later.N > earlier.N {
				return &trace.Overtaking{Later: later.N, Earlier: earlier.N, Millis: earlier.AtMillis - later.AtMillis}
			}
		}
	}
	return nil
}
