package tracks

import "strconv"

// foldedRow is the one row of an informer that is not open. What waits for a handler leaves before what waits in the queue.
func (l *lane) foldedRow(w *Window, number int) Row {
	r := Row{ID: strconv.Itoa(number) + ".informer", Station: "informer", Lane: number, Columns: columns(w, nil, l.stored)}
	held := [][]*span{l.causes.spans, l.queueCauses.spans}
	lines := []*line{}
	for _, h := range l.handlers {
		if h.added.seq <= w.Seq {
			lines, held = append(lines, &h.line), append(held, holdsOf(h.causes.spans))
		}
	}
	for _, x := range append(lines, &l.queue) {
		var one Row
		one.count(w, x)
		r.Waiting += one.Waiting
		if o := one.OldestMillis; o != nil && (r.OldestMillis == nil || *o < *r.OldestMillis) {
			r.OldestMillis = o
		}
		r.pile(w, x)
	}
	for _, s := range held {
		r.addSpans(w, s, barSteps*w.Step)
	}
	r.sortSpans()
	return r
}

// holdsOf returns those of the causes that are holds.
func holdsOf(all []*span) (out []*span) {
	for _, s := range all {
		if s.kind == Hold {
			out = append(out, s)
		}
	}
	return out
}

// pile puts what waited in a line on top of the row's columns.
func (r *Row) pile(w *Window, l *line) {
	added := columns(w, l, nil)
	out := make([]Column, 0, len(r.Columns)+len(added))
	for len(r.Columns)+len(added) > 0 {
		switch {
		case len(added) == 0 || len(r.Columns) > 0 && r.Columns[0].Number < added[0].Number:
			out, r.Columns = append(out, r.Columns[0]), r.Columns[1:]
			continue
		case len(r.Columns) == 0 || added[0].Number < r.Columns[0].Number:
			out = append(out, Column{Number: added[0].Number, Followed: -1})
		default:
			out, r.Columns = append(out, r.Columns[0]), r.Columns[1:]
		}
		c := &out[len(out)-1]
		if f := added[0].Followed; f >= 0 && c.Followed < 0 {
			c.Followed = c.Pile.Sum() + f
		}
		c.Pile = append(c.Pile, added[0].Pile...)
		if added = added[1:]; len(c.Passes)+len(c.Pile) == 0 {
			out = out[:len(out)-1]
		}
	}
	r.Columns = out
}
