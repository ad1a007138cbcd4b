package view

import (
	"encoding/json"
	"strconv"
	"time"

	"informerscope/core/ask/analysis"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
)

// maxMarks bounds the marks of a timeline, which drops the oldest first.
const maxMarks = 4096

// timeline follows the end of the log, wherever the view is: the number of events in each bin, the marks, and the oldest moment that a view can show. It is
// bounded, as the log is: bins by trace.Density, marks by the log's oldest event and maxMarks.
type timeline struct {
	needsReset  bool
	density     analysis.Density
	unsentTime  time.Duration // bins from this moment on have not been sent; negative when all were
	marks       []analysis.Mark
	unsentMark  int    // marks from this index on have not been sent
	firstSeq    uint64 // the oldest event that the log has
	firstAt     time.Duration
	hasNewFirst bool // firstAt has not been sent
}

func newTimeline() timeline { return timeline{needsReset: true, unsentTime: -1} }

// follow adds the log's new events.
func (t *timeline) follow(rec *trace.Recorder) {
	t.forget(rec)
	head, _ := rec.Head()
	if head <= t.density.Seq() {
		return
	}
	// Events that were evicted before they could be counted are missing in their bins.
	rec.Read(max(t.density.Seq()+1, rec.First()), head, func(e *event.Entry) bool {
		t.density.Add(e)
		if t.unsentTime < 0 || e.At < t.unsentTime {
			t.unsentTime = e.At
		}
		if m, ok := analysis.Marks(e); ok {
			t.marks = append(t.marks, m)
		}
		return true
	})
	if over := len(t.marks) - maxMarks; over > 0 {
		t.drop(over)
	}
}

// forget drops the marks of events that the log has evicted.
func (t *timeline) forget(rec *trace.Recorder) {
	first := rec.First()
	if first == t.firstSeq {
		return
	}
	t.firstSeq, t.hasNewFirst = first, true
	rec.Read(first, first, func(e *event.Entry) bool {
		t.firstAt = e.At
		return true
	})
	n := 0
	for n < len(t.marks) && t.marks[n].Seq < first {
		n++
	}
	t.drop(n)
}

// drop drops the n oldest marks.
func (t *timeline) drop(n int) {
	if n <= 0 {
		return
	}
	t.marks = append(t.marks[:0], t.marks[n:]...)
	t.unsentMark = max(0, t.unsentMark-n)
}

// findMark returns the nearest stop after seq, or before it if direction is negative. first is the oldest event that the log has.
func (t *timeline) findMark(seq uint64, direction int, first uint64) (uint64, bool) {
	if direction >= 0 {
		for i := range t.marks {
			if m := &t.marks[i]; m.Seq > seq && m.Seq >= first && isStop(m) {
				return m.Seq, true
			}
		}
		return 0, false
	}
	for i := len(t.marks) - 1; i >= 0; i-- {
		if m := &t.marks[i]; m.Seq < seq && m.Seq >= first && isStop(m) {
			return m.Seq, true
		}
	}
	return 0, false
}

// isStop reports whether View.Mark goes to a mark. It passes the waits of an outage, and the end of a hold or of a trouble.
func isStop(m *analysis.Mark) bool {
	switch m.Kind {
	case "backoff", "selected":
		return false
	case "hold", "trouble":
		return m.On
	}
	return true
}

// hasNews reports whether append has changes to write.
func (t *timeline) hasNews() bool {
	return t.needsReset || t.hasNewFirst || t.unsentTime >= 0 || t.unsentMark < len(t.marks)
}

// append writes the changes since the last call, or everything.
func (t *timeline) append(b []byte, all bool) []byte {
	all = all || t.needsReset
	b = append(b, `{"reset":`...)
	b = strconv.AppendBool(b, all)
	b = append(b, `,"binMillis":`...)
	b = strconv.AppendInt(b, analysis.DensityBin.Milliseconds(), 10)
	b = append(b, `,"firstMillis":`...)
	b = strconv.AppendFloat(b, fold.Millis(t.firstAt), 'f', -1, 64)
	b = append(b, `,"bins":[`...)
	if all {
		t.unsentTime, t.unsentMark = 0, 0
	}
	if t.unsentTime >= 0 {
		start, bins := t.density.From(t.unsentTime)
		first, n := int64(start/analysis.DensityBin), 0
		for i, count := range bins {
			if count == 0 {
				continue
			}
			if n++; n > 1 {
				b = append(b, ',')
			}
			b = append(b, '[')
			b = strconv.AppendInt(b, first+int64(i), 10)
			b = append(b, ',')
			b = strconv.AppendUint(b, uint64(count), 10)
			b = append(b, ']')
		}
	}
	b = append(b, `],"marks":`...)
	marks := t.marks[t.unsentMark:]
	if marks == nil {
		marks = []analysis.Mark{}
	}
	text, err := json.Marshal(marks)
	if err != nil { // a Mark always marshals
		panic(err)
	}
	b = append(b, text...)
	t.unsentMark, t.unsentTime, t.needsReset, t.hasNewFirst = len(t.marks), -1, false, false
	return append(b, '}')
}
