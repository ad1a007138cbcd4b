package view

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"informerscope/core/log/trace"
	"informerscope/core/log/tracks"
	"informerscope/core/words/event"
)

// Bounds of a window of the past.
const (
	MinWindow  = time.Millisecond
	MaxWindow  = 10 * time.Minute
	MaxColumns = 4096
)

// past sends the rows of the stage: once all columns of a window, then what is new. It follows the log's end, wherever the view is. A page that has not asked
// for a window gets none, and nothing is kept for it.
type past struct {
	tracks  tracks.Tracks
	first   uint64 // the oldest event that the log has
	step    time.Duration
	columns int64

	// What the page has: columns up to last, as of a moment.
	hasWindow bool
	last      int64
	seq       uint64
	lane      int
	sent      map[string][]tracks.Span // of a row, by its ID
	heights   map[string][]int         // of the piles of a row, by column modulo columns
}

// Window asks for the past of so many milliseconds in so many columns. Each frame then has what is new of it. No columns end that.
func (v *View) Window(millis float64, columns int) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	window := time.Duration(millis * float64(time.Millisecond))
	if columns != 0 && (window < MinWindow || window > MaxWindow || columns < 0 || columns > MaxColumns) {
		return fmt.Errorf("a window has 1 to %d ms and 1 to %d columns, not %g and %d", MaxWindow.Milliseconds(), MaxColumns, millis, columns)
	}
	if columns == 0 {
		v.past = past{}
		return nil
	}
	v.past.hasWindow, v.past.columns, v.past.step = false, int64(columns), max(window/time.Duration(columns), 1)
	return nil
}

// follow takes the log's new events in.
func (p *past) follow(rec *trace.Recorder) {
	if first := rec.First(); first != p.first {
		p.first = first
		rec.Read(first, first, func(e *event.Entry) bool {
			p.tracks.Forget(e.At)
			return true
		})
	}
	head, _ := rec.Head()
	if head < p.tracks.Seq() {
		p.tracks, p.hasWindow = tracks.Tracks{}, false
	}
	rec.Read(max(p.tracks.Seq()+1, p.first), head, func(e *event.Entry) bool {
		p.tracks.Add(e)
		return true
	})
}

// take returns what the page lacks of the window that ends at a moment, and notes that it has it.
func (p *past) take(w tracks.Window) *tracks.Past {
	w.Step, w.Last = p.step, int64(w.Now/p.step)
	w.First = w.Last - p.columns + 1
	out := &tracks.Past{StepMillis: float64(p.step) / float64(time.Millisecond), First: p.tracks.First(p.step)}
	// The entries of a bar are known only once they have waited for some columns.
	w.From = max(w.First, p.last-3)
	if out.Reset = !p.hasWindow || w.Last < p.last || w.Seq < p.seq || w.Lane != p.lane || w.From > p.last; out.Reset {
		w.From = w.First
		p.sent, p.heights = map[string][]tracks.Span{}, map[string][]int{}
	}
	out.From, out.Last = w.From, w.Last
	out.Rows = p.tracks.Rows(&w)
	if w.Followed != "" {
		out.Journey = p.tracks.Journey(&w)
	}
	for i := range out.Rows {
		p.compare(&out.Rows[i], &w)
	}
	p.hasWindow, p.last, p.seq, p.lane = true, w.Last, w.Seq, w.Lane
	return out
}

// compare leaves out the spans that the page has, and finds the highest pile of the row.
func (p *past) compare(row *tracks.Row, w *tracks.Window) {
	before := p.sent[row.ID]
	p.sent[row.ID] = row.Spans
	if slices.EqualFunc(before, row.Spans, tracks.Span.Equal) {
		row.Spans = nil
	}
	row.Closed = len(before) > 0 && len(p.sent[row.ID]) == 0
	heights := p.heights[row.ID]
	if heights == nil {
		heights = make([]int, p.columns)
		p.heights[row.ID] = heights
	}
	for number := max(w.From, 0); number <= w.Last; number++ {
		heights[number%p.columns] = 0
	}
	for i := range row.Columns {
		if c := &row.Columns[i]; c.Number >= 0 {
			heights[c.Number%p.columns] = c.Pile.Sum()
		}
	}
	row.Highest = slices.Max(heights)
}

// mostEntries is how many changes of a column Entries returns.
const mostEntries = 100

// Entries returns what passed or waited in a row of the past during a column, at the view's moment. The page must have asked for a window.
func (v *View) Entries(row string, column int64) ([]tracks.Entry, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	p := &v.past
	if p.columns == 0 {
		return nil, errors.New("ask for a window of the past first")
	}
	w := tracks.Window{Step: p.step, From: column, Seq: v.fold.Seq(), Now: v.moment(), Lane: v.stageLaneLocked()}
	return append([]tracks.Entry{}, p.tracks.Entries(&w, row, mostEntries)...), nil
}

// appendPast writes the past of a frame, if the page has asked for it.
func (v *View) appendPast(b []byte) []byte {
	p := &v.past
	if p.columns == 0 {
		return b
	}
	if v.hasJumped || v.sendsAll {
		p.hasWindow = false
	}
	b = append(b, `,"past":`...)
	w := tracks.Window{
		Seq: v.fold.Seq(), Now: v.moment(), Followed: v.followKey, Version: v.followRV, Lane: v.stageLaneLocked(), Folds: v.fold.HasFactory(), Letters: v.letters,
	}
	return append(b, marshal(p.take(w))...)
}
