package view

import (
	"informerscope/core/trace"
	"time"
)

// binWidth is the width of a bar of the timeline.
const binWidth = 250 * time.Millisecond

// timeline follows the end of the log, wherever the view stands: the events of each
// bin, and the marks.
type timeline struct {
	reset bool
	seq   uint64 // up to here it has counted
	bins  []int
	dirty map[int]struct{}
	marks []trace.Mark
	fresh int // marks from here on have not been sent
}

func (t *timeline) follow(rec *trace.Recorder) {
	head, _ := rec.Head()
	if head <= t.seq {
		return
	}
	if t.dirty == nil {
		t.dirty = map[int]struct{}{}
	}
	// Events that were forgotten before they could be counted leave their bins low.
	rec.Read(max(t.seq+1, rec.First()), head, func(e *trace.Event) bool {
		bin := int(e.At / binWidth)
		for len(t.bins) <= bin {
			t.bins = append(t.bins, 0)
		}
		t.bins[bin]++
		t.dirty[bin] = struct{}{}
		if m, ok := trace.Marks(e); ok {
			t.marks = append(t.marks, m)
		}
		return true
	})
	t.seq = head
}

// beside finds the nearest mark after seq, or before it, that the log still holds.
func (t *timeline) beside(seq uint64, direction int, first uint64) (uint64, bool) {
	if direction >= 0 {
		for _, m := range t.marks {
			if m.Seq > seq && m.Seq >= first {
				return m.Seq, true
			}
		}
		return 0, false
	}
	for i := len(t.marks) - 1; i >= 0; i-- {
		if m := t.marks[i]; m.Seq < seq && m.Seq >= first {
			return m.Seq, true
		}
	}
	return 0, false
}
