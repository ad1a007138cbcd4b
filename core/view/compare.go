package view

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"informerscope/core/analysis"
	"informerscope/core/event"
	"informerscope/core/facts"
	"informerscope/core/fold"
	"informerscope/core/informer"
	"informerscope/core/trace"
)

const (
	// maxCompared is how many changes a Comparison names, at most.
	maxCompared = 6
	// maxFlow is how many changes a Comparison names without a burst. flowEvery is the interval at which it names other ones.
	maxFlow   = 4
	flowEvery = 2500 * time.Millisecond
	// burstTime is how long a burst is compared after its release.
	burstTime = 180 * time.Second
	// compareReach bounds the events that a comparison reads: so many while Pop was held, and as many again after its release.
	compareReach = 1 << 16
	// compareEdge is the step, in events, by which the start of the range moves, so that a live comparison seldom reads the log again.
	compareEdge = 1 << 13
	// comparePrelude is how many events a comparison reads before the first that counts: it finds the changes that another watch had already sent.
	comparePrelude = 2048
)

// burst is a hold of Pop and its release. The changes that the API server sends meanwhile are compared.
type burst struct {
	holdSeq, releaseSeq uint64 // releaseSeq is 0 while Pop is held
	isHeld              bool
	expiry              time.Duration // when its comparison ends, on the log's clock
	readFrom            uint64        // the first event that its comparison reads
	floor               uint64        // the event after which changes count
	isCut               bool          // the hold lies further back than the comparison reads
}

// comparer keeps the Comparison of a view up to date. It reads the log for a new burst or listener and after a jump; from then on it follows the events that
// the view folds.
type comparer struct {
	seq     uint64 // of the last event that it followed; if the view's differs, it reads the log again
	changes changes
	burst   burst
	isFlow  bool // there is no burst: it compares the newest few changes
	paused  bool
	lanes   int
	// emptyRelease is the seq of a release before which the API server sent nothing.
	emptyRelease uint64
	sentText     []byte // as the page has it
}

// watch follows an event that the view has folded.
func (c *comparer) watch(e *event.Entry) {
	if c.lanes == 0 || e.Seq != c.seq+1 {
		return
	}
	if e.Kind == event.KindSelected || e.Kind == event.KindLane || e.Kind == event.KindHold && informer.Stage(e.Hold().Stage) == informer.StagePop {
		c.seq = 0
		return
	}
	c.seq = e.Seq
	c.changes.see(e)
}

// compareAt returns the comparison at the fold's position, nil if there is nothing to compare. state is the fold's. If the view is paused, the newest changes
// are named at once: otherwise a reader needs each choice to stay for flowEvery.
func (c *comparer) compareAt(rec *trace.Recorder, fold *fold.Fold, state *fold.State, marks []analysis.Mark, at time.Duration, paused bool) *facts.Comparison {
	if !fold.Compares() {
		*c = comparer{sentText: c.sentText}
		return nil
	}
	pos := fold.Seq()
	listener := firstListener(state)
	fresh := c.seq != pos || c.lanes != fold.Lanes() || c.changes.listener != listener || c.paused != paused
	if fresh {
		c.lanes, c.paused, c.emptyRelease = fold.Lanes(), paused, 0
	}
	b, ok := lastBurst(marks, state, pos, rec.First())
	ok = ok && (b.isHeld || at < b.expiry && b.releaseSeq != c.emptyRelease)
	if ok {
		if fresh || c.isFlow || b != c.burst {
			c.isFlow, c.burst, c.seq = false, b, pos
			c.changes = readBurst(rec, b, pos, fold, listener)
		}
		if b.isHeld || c.changes.total > 0 {
			return c.describe(fold, c.changes.burstHead(maxCompared), listener)
		}
		c.emptyRelease, fresh = b.releaseSeq, true
	}
	if fresh || !c.isFlow {
		c.isFlow, c.burst, c.seq = true, burst{}, pos
		c.changes = readFlow(rec, pos, fold, listener, at, paused)
	}
	chosen := c.changes.newestChanges(at, paused)
	c.changes.forget(chosen)
	return c.describe(fold, chosen, listener)
}

// lastBurst returns the newest hold of Pop at pos, from the log's marks.
func lastBurst(marks []analysis.Mark, state *fold.State, pos, first uint64) (b burst, ok bool) {
	held := slices.IndexFunc(state.Holds, func(h fold.Hold) bool { return h.Stage == "pop" })
	b.isHeld = held >= 0
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
			b.holdSeq, ok = m.Seq, true
		case b.releaseSeq == 0:
			b.releaseSeq = m.Seq
			b.expiry = time.Duration(m.AtMillis*float64(time.Millisecond)) + burstTime
		}
	}
	if !ok && !b.isHeld && b.releaseSeq == 0 {
		return b, false
	}
	if b.isHeld {
		b.releaseSeq = 0
	}
	end := b.releaseSeq
	if b.isHeld {
		end = pos
	}
	// The beginning of the log, or as far back as is read.
	lower := first - 1
	if end > compareReach {
		lower = max(lower, end-compareReach)
	}
	if b.holdSeq > 0 && (lower == 0 || lower+comparePrelude <= b.holdSeq) {
		b.readFrom, b.floor = 1, b.holdSeq
		if b.holdSeq > comparePrelude {
			b.readFrom = b.holdSeq - comparePrelude
		}
		return b, true
	}
	b.isCut = true
	if rounded := (lower + compareEdge - 1) / compareEdge * compareEdge; rounded+2*comparePrelude < end {
		lower = rounded
	}
	b.readFrom, b.floor = lower+1, lower+comparePrelude
	return b, true
}

// firstListener returns the listener whose handler a Comparison follows: the first one of the first lane that is not removed.
func firstListener(state *fold.State) int32 {
	for i := range state.Listeners {
		if !state.Listeners[i].Removed {
			return state.Listeners[i].ID
		}
	}
	return 0
}

// readBurst reads the changes that were sent while Pop was held, and how far each has come.
func readBurst(rec *trace.Recorder, b burst, pos uint64, fold *fold.Fold, listener int32) changes {
	f := newChanges(fold, listener)
	f.hasBurst, f.burstAfter, f.burstEnd = true, b.floor, b.releaseSeq
	if b.releaseSeq > 0 {
		f.readEnd = b.releaseSeq + compareReach
	}
	rec.Read(b.readFrom, pos, func(e *event.Entry) bool {
		f.see(e)
		return f.readEnd == 0 || e.Seq < f.readEnd
	})
	return f
}

// readFlow reads the newest changes. It reads more and more of the log, until it finds maxFlow of them or reaches compareReach.
func readFlow(rec *trace.Recorder, pos uint64, fold *fold.Fold, listener int32, at time.Duration, paused bool) changes {
	for reach := uint64(compareReach / 16); ; reach *= 4 {
		begin := uint64(1)
		if pos > reach {
			begin = pos - reach + 1
		}
		f := newChanges(fold, listener)
		rec.Read(begin, pos, func(e *event.Entry) bool {
			f.see(e)
			return true
		})
		if reach >= compareReach || begin <= rec.First() || len(f.newestChanges(at, paused)) == maxFlow {
			return f
		}
	}
}

// Comparison returns what the releases that run side by side made of the same changes, at the view's position; nil for a single release.
func (v *View) Comparison() *facts.Comparison {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.mode == live {
		v.advance()
	}
	v.timeline.follow(v.rec)
	return v.comparison(v.fold.State())
}

// comparison returns the Comparison at the view's position. v.mu is held.
func (v *View) comparison(state *fold.State) *facts.Comparison {
	return v.comparer.compareAt(v.rec, v.fold, state, v.timeline.marks, v.moment(), v.mode == paused)
}

// append writes the comparison if the page has another one.
func (c *comparer) append(b []byte, x *facts.Comparison, all bool) []byte {
	text, err := json.Marshal(x) // null if there is nothing to compare
	if err != nil {              // a Comparison always marshals
		panic(err)
	}
	if !all && bytes.Equal(text, c.sentText) || x == nil && c.sentText == nil {
		return b
	}
	c.sentText = text
	if x == nil {
		c.sentText = nil
	}
	b = append(b, `,"compare":`...)
	return append(b, text...)
}
