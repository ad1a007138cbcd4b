// Package compare tells what the informers of several releases made of the same changes: which of them wait, which pop took which, and in which order they
// reached store and handler.
package compare

import (
	"slices"
	"time"

	"informerscope/core/ask/analysis"
	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
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

// Comparer keeps the Comparison of a view up to date. It reads the log for a new burst or listener and after a jump; from then on it follows the events that
// the view folds. The zero value is ready for use, by one goroutine at a time.
type Comparer struct {
	seq     uint64 // of the last event that it followed; if the view's differs, it reads the log again
	changes changes
	burst   burst
	isFlow  bool // there is no burst: it compares the newest few changes
	paused  bool
	lanes   int
	// emptyRelease is the seq of a release before which the API server sent nothing.
	emptyRelease uint64
}

// Follow follows an event that the view has folded.
func (c *Comparer) Follow(e *event.Entry) {
	if c.lanes == 0 || e.Seq != c.seq+1 {
		return
	}
	if e.Kind == event.KindSelected || e.Kind == event.KindLane || e.Kind == event.KindHold && event.Stage(e.Hold().Stage) == event.StagePop {
		c.seq = 0
		return
	}
	c.seq = e.Seq
	c.changes.see(e)
}

// Moment is what a Comparison is computed from: a log, its fold and State at a position, and its marks up to there. At is the moment shown, which may be later
// than that of the newest event. Queue, Indexer and Listeners are the newest events that these stations show, as their chips may not have come yet; 0 is all.
type Moment struct {
	Log    *trace.Recorder
	Fold   *fold.Fold
	State  *fold.State
	Marks  []analysis.Mark
	At     time.Duration
	Paused bool

	Queue, Indexer, Listeners uint64
}

// Compare returns the comparison at a moment, nil if there is nothing to compare. If the view is paused, the newest changes are named at once: otherwise a
// reader needs each choice to stay for flowEvery.
func (c *Comparer) Compare(m Moment) *facts.Comparison {
	if !m.Fold.Compares() {
		*c = Comparer{}
		return nil
	}
	pos := m.Fold.Seq()
	listener := firstListener(m.State)
	fresh := c.seq != pos || c.lanes != m.Fold.Lanes() || c.changes.listener != listener || c.paused != m.Paused
	if fresh {
		c.lanes, c.paused, c.emptyRelease = m.Fold.Lanes(), m.Paused, 0
	}
	b, ok := lastBurst(m.Marks, m.State, pos, m.Log.First())
	ok = ok && (b.isHeld || m.At < b.expiry && b.releaseSeq != c.emptyRelease)
	if ok {
		if fresh || c.isFlow || b != c.burst {
			c.isFlow, c.burst, c.seq = false, b, pos
			c.changes = readBurst(m.Log, b, pos, m.Fold, listener)
		}
		if b.isHeld || c.changes.total > 0 {
			return c.describe(m, c.changes.burstHead(maxCompared), listener)
		}
		c.emptyRelease, fresh = b.releaseSeq, true
	}
	if fresh || !c.isFlow {
		c.isFlow, c.burst, c.seq = true, burst{}, pos
		c.changes = readFlow(m.Log, pos, m.Fold, listener, m.At, m.Paused)
	}
	chosen := c.changes.newestChanges(m.At, m.Paused)
	c.changes.forget(chosen)
	return c.describe(m, chosen, listener)
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
