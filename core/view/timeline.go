package view

import (
	"encoding/json"
	"strconv"
	"time"

	"informerscope/core/trace"
)

// maxMarks bounds the marks that are kept; the oldest are dropped first.
const maxMarks = 4096

// timeline follows the end of the log, wherever the view is: the events of each bin, the marks, and the oldest moment that can still be shown. It is bounded,
// as the log is: bins by trace.Density, marks by the log's oldest event and maxMarks.
type timeline struct {
	reset   bool
	density trace.Density
	changed time.Duration // bins from here on have not been sent; negative when all were
	marks   []trace.Mark
	fresh   int    // marks from here on have not been sent
	first   uint64 // oldest event that the log keeps
	firstAt time.Duration
	moved   bool // first has not been sent
}

func newTimeline() timeline { return timeline{reset: true, changed: -1} }

func (t *timeline) follow(rec *trace.Recorder) {
	t.forget(rec)
	head, _ := rec.Head()
	if head <= t.density.Seq() {
		return
	}
	// Events that were evicted before they could be counted are missing in their bins.
	rec.Read(max(t.density.Seq()+1, rec.First()), head, func(e *trace.Event) bool {
		t.density.Add(e)
		if t.changed < 0 || e.At < t.changed {
			t.changed = e.At
		}
		if m, ok := trace.Marks(e); ok {
			t.marks = append(t.marks, m)
		}
		return true
	})
	if over := len(t.marks) - maxMarks; over > 0 {
		t.drop(over)
	}
}

// forget drops what the log has evicted and a view cannot show any more.
func (t *timeline) forget(rec *trace.Recorder) {
	first := rec.First()
	if first == t.first {
		return
	}
	t.first, t.moved = first, true
	rec.Read(first, first, func(e *trace.Event) bool {
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
	t.fresh = max(0, t.fresh-n)
}

// beside finds the nearest mark after seq, or before it, that the log still holds.
func (t *timeline) beside(seq uint64, direction int, first uint64) (uint64, bool) {
	if direction >= 0 {
		for i := range t.marks {
			if m := &t.marks[i]; m.Seq > seq && m.Seq >= first && halt(m) {
				return m.Seq, true
			}
		}
		return 0, false
	}
	for i := len(t.marks) - 1; i >= 0; i-- {
		if m := &t.marks[i]; m.Seq < seq && m.Seq >= first && halt(m) {
			return m.Seq, true
		}
	}
	return 0, false
}

// halt reports whether a mark is worth going to. The waits of an outage are not, and neither is the end of a hold or of a trouble.
func halt(m *trace.Mark) bool {
	switch m.Kind {
	case "backoff", "selected":
		return false
	case "hold", "trouble":
		return m.On
	}
	return true
}

// news reports whether there is something to send.
func (t *timeline) news() bool {
	return t.reset || t.moved || t.changed >= 0 || t.fresh < len(t.marks)
}

// append writes what is new, or everything.
func (t *timeline) append(b []byte, all bool) []byte {
	all = all || t.reset
	b = append(b, `{"reset":`...)
	b = strconv.AppendBool(b, all)
	b = append(b, `,"binMillis":`...)
	b = strconv.AppendInt(b, trace.DensityBin.Milliseconds(), 10)
	b = append(b, `,"firstMillis":`...)
	b = strconv.AppendFloat(b, millis(t.firstAt), 'f', -1, 64)
	b = append(b, `,"bins":[`...)
	if all {
		t.changed, t.fresh = 0, 0
	}
	if t.changed >= 0 {
		start, bins := t.density.From(t.changed)
		first, n := int64(start/trace.DensityBin), 0
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
	marks := t.marks[t.fresh:]
	if marks == nil {
		marks = []trace.Mark{}
	}
	text, err := json.Marshal(marks)
	if err != nil { // a Mark always marshals
		panic(err)
	}
	b = append(b, text...)
	t.fresh, t.changed, t.reset, t.moved = len(t.marks), -1, false, false
	return append(b, '}')
}
