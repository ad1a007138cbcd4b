package view

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"informerscope/core/informer"
	"informerscope/core/trace"
)

const (
	// maxCompared is how many changes a Comparison names, at most.
	maxCompared = 6
	// maxFlow is how many changes are compared without a burst, and flowEvery how often they are chosen.
	maxFlow   = 4
	flowEvery = 2500 * time.Millisecond
	// burstStays is how long a burst is compared after its release.
	burstStays = 180 * time.Second
	// compareReach bounds the events that are read for a comparison: so many while Pop was held, and as many again for what became of the changes.
	compareReach = 1 << 16
	// compareEdge is the step, in events, by which the start of the range moves, so that a live comparison seldom has to be read again.
	compareEdge = 1 << 13
	// comparePrelude is how many events are read before the first that counts, to find the changes that were sent before over another watch.
	comparePrelude = 2048
)

// burst is a hold of Pop, and its release.
type burst struct {
	from, to uint64 // to is 0 while it is held
	held     bool
	until    time.Duration // when it is no longer compared, on the log's clock
	begin    uint64        // the log is read from this event on
	lower    uint64        // changes after this event count
	cut      bool
}

// comparing keeps the Comparison of a view up to date. A new question is answered from the log; from then on it follows the events that the view folds, until
// the question changes.
type comparing struct {
	seq    uint64 // of the last event seen; if it differs from the view's, the log is read again
	follow changes
	burst  burst
	flow   bool // no burst: compare the newest few
	paused bool
	lanes  int
	// noBurst is the seq of a release before which nothing was sent.
	noBurst uint64
	sent    []byte // as the page has it
}

// watch follows an event that the view has folded.
func (c *comparing) watch(e *trace.Event) {
	if c.lanes == 0 || e.Seq != c.seq+1 {
		return
	}
	if e.Kind == trace.KindSelected || e.Kind == trace.KindLane || e.Kind == trace.KindHold && informer.Stage(e.N) == informer.StagePop {
		c.seq = 0
		return
	}
	c.seq = e.Seq
	c.follow.see(e)
}

// at returns the comparison at the fold's position, nil if there is nothing to compare. paused: the view stands still, so changes that flow by need not be
// slowed for the eye. state is the fold's.
func (c *comparing) at(rec *trace.Recorder, fold *trace.Fold, state *trace.State, marks []trace.Mark, at time.Duration, paused bool) *trace.Comparison {
	if !fold.Compares() {
		*c = comparing{sent: c.sent}
		return nil
	}
	pos := fold.Seq()
	listener := firstListener(state)
	fresh := c.seq != pos || c.lanes != fold.Lanes() || c.follow.listener != listener || c.paused != paused
	if fresh {
		c.lanes, c.paused, c.noBurst = fold.Lanes(), paused, 0
	}
	b, ok := lastBurst(marks, state, pos, rec.First())
	ok = ok && (b.held || at < b.until && b.to != c.noBurst)
	if ok {
		if fresh || c.flow || b != c.burst {
			c.flow, c.burst, c.seq = false, b, pos
			c.follow = readBurst(rec, b, pos, fold, listener)
		}
		if b.held || c.follow.total > 0 {
			return c.describe(fold, c.follow.first(maxCompared), listener)
		}
		c.noBurst, fresh = b.to, true
	}
	if fresh || !c.flow {
		c.flow, c.burst, c.seq = true, burst{}, pos
		c.follow = readFlow(rec, pos, fold, listener, at, paused)
	}
	chosen := c.follow.newest(at, paused)
	c.follow.forget(chosen)
	return c.describe(fold, chosen, listener)
}

// lastBurst returns the newest hold of Pop at pos, from the log's marks.
func lastBurst(marks []trace.Mark, state *trace.State, pos, first uint64) (b burst, ok bool) {
	held := slices.IndexFunc(state.Holds, func(h trace.Hold) bool { return h.Stage == "pop" })
	b.held = held >= 0
	for i := len(marks) - 1; i >= 0 && !ok; i-- {
		m := &marks[i]
		if m.Seq > pos {
			continue
		}
		if m.Kind == "selected" {
			break
		}
		if m.Kind != "hold" || m.Text != "pop" {
			continue
		}
		switch {
		case m.On:
			b.from, ok = m.Seq, true
		case b.to == 0:
			b.to = m.Seq
			b.until = time.Duration(m.AtMillis*float64(time.Millisecond)) + burstStays
		}
	}
	if !ok && !b.held && b.to == 0 {
		return b, false
	}
	if b.held {
		b.to = 0
	}
	end := b.to
	if b.held {
		end = pos
	}
	// The beginning of the log, or as far back as is read.
	lower := first - 1
	if end > compareReach {
		lower = max(lower, end-compareReach)
	}
	if b.from > 0 && (lower == 0 || lower+comparePrelude <= b.from) {
		b.begin, b.lower = 1, b.from
		if b.from > comparePrelude {
			b.begin = b.from - comparePrelude
		}
		return b, true
	}
	b.cut = true
	if rounded := (lower + compareEdge - 1) / compareEdge * compareEdge; rounded+2*comparePrelude < end {
		lower = rounded
	}
	b.begin, b.lower = lower+1, lower+comparePrelude
	return b, true
}

// firstListener returns the listener whose handler is compared: the first lane's first one that is not removed.
func firstListener(state *trace.State) int32 {
	for i := range state.Listeners {
		if !state.Listeners[i].Removed {
			return state.Listeners[i].ID
		}
	}
	return 0
}

// readBurst reads what was sent while Pop was held, and what became of it.
func readBurst(rec *trace.Recorder, b burst, pos uint64, fold *trace.Fold, listener int32) changes {
	f := newChanges(fold, listener)
	f.counts, f.after, f.upTo = true, b.lower, b.to
	if b.to > 0 {
		f.ends = b.to + compareReach
	}
	rec.Read(b.begin, pos, func(e *trace.Event) bool {
		f.see(e)
		return f.ends == 0 || e.Seq < f.ends
	})
	return f
}

// readFlow reads back until it finds the newest changes, or until compareReach.
func readFlow(rec *trace.Recorder, pos uint64, fold *trace.Fold, listener int32, at time.Duration, paused bool) changes {
	for reach := uint64(compareReach / 16); ; reach *= 4 {
		begin := uint64(1)
		if pos > reach {
			begin = pos - reach + 1
		}
		f := newChanges(fold, listener)
		rec.Read(begin, pos, func(e *trace.Event) bool {
			f.see(e)
			return true
		})
		if reach >= compareReach || begin <= rec.First() || len(f.newest(at, paused)) == maxFlow {
			return f
		}
	}
}

// Comparison returns what the releases that run side by side made of the same changes, at the view's position; nil for a single release.
func (v *View) Comparison() *trace.Comparison {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.mode == live {
		v.advance()
	}
	v.timeline.follow(v.rec)
	return v.comparison(v.fold.State())
}

// comparison returns the Comparison at the view's position. v.mu is held.
func (v *View) comparison(state *trace.State) *trace.Comparison {
	return v.compare.at(v.rec, v.fold, state, v.timeline.marks, v.at(), v.mode == paused)
}

// append writes the comparison, if it differs from what the page has.
func (c *comparing) append(b []byte, x *trace.Comparison, all bool) []byte {
	text, err := json.Marshal(x) // null if there is nothing to compare
	if err != nil {              // a Comparison always marshals
		panic(err)
	}
	if !all && bytes.Equal(text, c.sent) || x == nil && c.sent == nil {
		return b
	}
	c.sent = text
	if x == nil {
		c.sent = nil
	}
	b = append(b, `,"compare":`...)
	return append(b, text...)
}
