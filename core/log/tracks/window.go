package tracks

import (
	"slices"
	"strconv"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// Window is a stretch of the past, seen from a moment of the log.
type Window struct {
	Step time.Duration // of a column
	// First and Last are the columns of the window; the moment lies in Last.
	First, Last int64
	// From is the first column that is wanted.
	From int64
	// Seq and Now are the moment: what a later event tells is not known yet.
	Seq uint64
	Now time.Duration
	// Followed is the key of the followed object, empty for none. Version is that of its followed change, empty for the newest.
	Followed, Version string
	// Lane is the informer that has all its rows; of a factory (Folds) the others have one row each.
	Lane  int
	Folds bool
	// Letters are those of objects, by key.
	Letters map[string]string
}

func (w *Window) now() stamp { return stamp{w.Seq, w.Now} }

// start is when the window begins, and from when its first wanted column does.
func (w *Window) start() time.Duration { return time.Duration(w.First) * w.Step }
func (w *Window) from() time.Duration  { return time.Duration(w.From) * w.Step }

// barSteps is for how many steps an entry waits that is drawn as a bar.
const barSteps = 2

// callSteps is for how many steps a call lasts that is drawn.
const callSteps = 3

// First returns the oldest column of which everything is known.
func (t *Tracks) First(step time.Duration) int64 { return int64((t.start + step - 1) / step) }

// Rows returns the rows of a window.
func (t *Tracks) Rows(w *Window) []Row {
	rows := []Row{t.clusterRow(w, w.Lane)}
	for i, l := range t.lanes {
		switch {
		case w.Folds && i != w.Lane:
			rows = append(rows, l.foldedRow(w, i))
			continue
		case i > 0 && t.sel.Fork != "":
			rows = append(rows, t.clusterRow(w, i))
		}
		rows = append(rows, l.rows(w, i)...)
	}
	return rows
}

// clusterRow is the row of a lane's resource in the cluster. What somebody did is in the first one.
func (t *Tracks) clusterRow(w *Window, number int) Row {
	row := Row{ID: "cluster", Station: "cluster", Lane: number}
	if t.sel.Fork == "" || number == 0 {
		row.addSpans(w, cutSpans(w, t.acts.spans), 0)
	} else {
		row.ID = strconv.Itoa(number) + ".cluster"
	}
	if number < len(t.lanes) {
		c := t.lanes[number].cluster
		row.Columns = columns(w, nil, c.changes)
		row.addLetters(w, nil, c.changes)
		row.addSpans(w, c.bursts.spans, 0)
		row.addSpans(w, c.unseen(w, t.head, !t.lanes[number].causes.lasts(Gap, w.Seq)), 0)
	}
	row.sortSpans()
	return row
}

func (l *lane) rows(w *Window, number int) []Row {
	long := barSteps * w.Step
	row := func(station string, li *line, own passes, spans ...[]*span) Row {
		r := Row{ID: strconv.Itoa(number) + "." + station, Station: station, Lane: number, Columns: columns(w, li, own)}
		if li != nil {
			r.count(w, li)
			r.addSpans(w, li.pile.spans, long)
		}
		for _, s := range spans {
			r.addSpans(w, s, long)
		}
		r.addLetters(w, li, own)
		r.sortSpans()
		return r
	}
	out := []Row{row("reflector", &l.reflector, nil, l.causes.spans), row("queue", &l.queue, nil, l.queueCauses.spans), row("indexer", nil, l.stored)}
	for _, h := range l.handlers {
		if h.added.seq > w.Seq || h.removed.seq <= w.Seq && h.removed.at < w.start() {
			continue
		}
		r := row("handler", &h.line, h.begun, h.causes.spans, cutSpans(w, h.calls.spans))
		r.ID, r.Listener, r.Name = r.ID+"."+strconv.Itoa(int(h.id)), h.id, h.name
		out = append(out, r)
	}
	if l.workRow {
		r := row("work", &l.work, nil, l.workCauses.spans)
		r.addReads(w, l.reads)
		r.sortSpans()
		r.Listener = l.feeder
		out = append(out, r)
	}
	return out
}

// cutSpans returns those of spans that lie in the window. They follow one another.
func cutSpans(w *Window, spans []*span) []*span {
	i := len(spans)
	for i > 0 && spans[i-1].to.at >= w.start() {
		i--
	}
	return spans[i:]
}

// count counts what waits.
func (r *Row) count(w *Window, l *line) {
	r.Keyed = l.keyed
	now := w.now()
	if len(l.samples) > 0 {
		r.Sampled, r.Waiting = true, l.sampled(now.at, now.seq)
		return
	}
	first := -1
	l.waiting(now, func(i int, x *wait) {
		if first < 0 {
			first = i
			at := fold.Millis(x.entered.at)
			r.OldestMillis = &at
		}
		r.Waiting++
	})
	if !l.keyed {
		return
	}
	r.Changes = r.Waiting
	for i := len(l.notches) - 1; i >= 0 && first >= 0; i-- {
		x := &l.notches[i]
		if x.seq < l.at(first).entered.seq {
			break
		}
		if x.seq <= now.seq && x.wait >= l.base && l.at(x.wait).isOpen(now) {
			r.Changes++
		}
	}
}

// addSpans adds the spans that are seen. Of those of one kind that have no length, it adds the newest of each column.
func (r *Row) addSpans(w *Window, spans []*span, long time.Duration) {
	var last *span
	for _, s := range spans {
		least := long
		switch {
		case s.kind == Listing, s.kind == Gap && s.words != "": // why so many pass each row at once, and why a watch broke
			least = 0
		case s.kind == Call:
			least = callSteps * w.Step
		}
		if !s.isSeen(w.start(), w.now(), least) {
			continue
		}
		if last != nil && s.from == s.to && last.from == last.to && s.kind == last.kind && s.from.at/w.Step == last.from.at/w.Step {
			r.Spans = r.Spans[:len(r.Spans)-1]
		}
		r.Spans, last = append(r.Spans, s.span(w.now())), s
	}
}

func (r *Row) sortSpans() {
	slices.SortStableFunc(r.Spans, func(a, b Span) int {
		switch {
		case a.FromMillis < b.FromMillis:
			return -1
		case a.FromMillis > b.FromMillis:
			return 1
		}
		return 0
	})
}

// columns returns the columns of a row from w.From on, those in which something is.
func columns(w *Window, l *line, own passes) []Column {
	c := make([]Column, w.Last-w.From+1)
	for i := range c {
		c[i] = Column{Number: w.From + int64(i), Followed: -1}
	}
	at := func(t time.Duration) *Column {
		if i := int64(t/w.Step) - w.From; i >= 0 && i < int64(len(c)) {
			return &c[i]
		}
		return nil
	}
	for _, p := range own.since(w.from()) {
		if p.seq > w.Seq {
			break
		}
		if x := at(p.at); x != nil {
			x.Passes = x.Passes.add(p.op, int(p.n))
		}
	}
	if l != nil {
		for _, i := range l.leavesFrom(w.from()) {
			p := l.at(i)
			if p.left.seq > w.Seq {
				break
			}
			if x := at(p.left.at); x != nil && p.counts() && p.spent(w.now()) < barSteps*w.Step {
				x.Passes = x.Passes.add(p.op, int(p.n))
			}
		}
		if len(l.samples) > 0 {
			bands(w, l, c)
		} else {
			piles(w, l, c)
		}
		for _, n := range l.notches {
			if n.seq > w.Seq || n.at < w.from() {
				continue
			}
			if x := at(n.at); x != nil {
				x.notch(l, n.wait, w, l.at(n.wait))
			}
		}
	}
	return slices.DeleteFunc(c, func(x Column) bool { return len(x.Passes)+len(x.Pile)+len(x.Notches) == 0 })
}

// piles fills in what waited at the end of each column.
func piles(w *Window, l *line, c []Column) {
	now := w.now()
	lo := l.first(w.from(), w.Seq)
	var ops []event.Op
	for j := range c {
		end := min(time.Duration(c[j].Number+1)*w.Step, w.Now)
		ops = ops[:0]
		for ; lo < l.end() && l.at(lo).left.at <= end && l.at(lo).left.seq <= now.seq; lo++ {
		}
		for i := lo; i < l.end(); i++ {
			x := l.at(i)
			if x.entered.at > end || x.entered.seq > now.seq {
				break
			}
			if !x.counts() || x.left.at <= end && x.left.seq <= now.seq || x.spent(now) < barSteps*w.Step {
				continue
			}
			if x.key == w.Followed && w.Followed != "" && c[j].Followed < 0 && (w.Version == "" || x.rv == "" || x.rv == w.Version) {
				c[j].Followed = len(ops)
			}
			ops = append(ops, x.op)
		}
		c[j].Pile = runs(ops)
	}
}

// bands fills in how many waited at the end of each column, where that is sampled.
func bands(w *Window, l *line, c []Column) {
	for j := range c {
		end := min(time.Duration(c[j].Number+1)*w.Step, w.Now)
		if n := l.sampled(end, w.Seq); n > 0 {
			c[j].Pile = Counts{int(event.OpNone), n}
		}
	}
}

// notch notes the place in the pile of a key that got a further change.
func (c *Column) notch(l *line, i int, w *Window, x *wait) {
	end := min(time.Duration(c.Number+1)*w.Step, w.Now)
	if x.left.at > end && len(c.Notches) < maxNotches {
		c.Notches = append(c.Notches, l.below(i, w, end))
	}
}

// maxNotches bounds the notches of a column, and maxRuns the runs of its pile.
const (
	maxNotches = 16
	maxRuns    = 128
)

// runs returns a pile as runs of one type. Of more than maxRuns it has samples.
func runs(ops []event.Op) Counts {
	out := joinRuns(ops, 1)
	if len(out) > 2*maxRuns {
		out = joinRuns(ops, (len(ops)+maxRuns-1)/maxRuns)
	}
	return out
}

// joinRuns has every nth type stand for n of them.
func joinRuns(ops []event.Op, every int) (out Counts) {
	for i := 0; i < len(ops); i += every {
		n := min(every, len(ops)-i)
		if k := len(out); k > 0 && out[k-2] == int(ops[i]) {
			out[k-1] += n
			continue
		}
		out = append(out, int(ops[i]), n)
	}
	return out
}

// MarshalJSON writes a column as a list of its members.
func (c Column) MarshalJSON() ([]byte, error) {
	b := strconv.AppendInt([]byte{'['}, c.Number, 10)
	b = appendList(append(b, ','), c.Passes)
	b = appendList(append(b, ','), c.Pile)
	b = strconv.AppendInt(append(b, ','), int64(c.Followed), 10)
	b = appendList(append(b, ','), c.Notches)
	return append(b, ']'), nil
}

func appendList(b []byte, list []int) []byte {
	b = append(b, '[')
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return append(b, ']')
}
