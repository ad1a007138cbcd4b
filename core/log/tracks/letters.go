package tracks

import (
	"slices"
	"time"
)

// mostLetters is how many letters a row has: the newest, of objects that change all the time.
const mostLetters = 64

// addLetters adds where the objects that have letters waited, and when they passed: what waited in a line, or passed by itself.
func (r *Row) addLetters(w *Window, l *line, own passes) {
	if len(w.Letters) == 0 {
		return
	}
	var found []Span
	add := func(key string, from, to stamp, place int) {
		if letter := w.Letters[key]; letter != "" && len(found) < mostLetters {
			x := span{kind: Letter, from: from, to: to, n: place, words: letter}
			found = append(found, x.span(w.now()))
		}
	}
	for _, p := range slices.Backward(own.since(w.start())) {
		if p.seq <= w.Seq {
			add(p.key, p.stamp, p.stamp, 0)
		}
	}
	if l != nil {
		first := l.first(w.start(), w.Seq)
		for i := l.end() - 1; i >= first && len(found) < mostLetters; i-- {
			x := l.at(i)
			hasLeft := x.left.seq <= w.Seq
			switch {
			case w.Letters[x.key] == "", x.entered.seq > w.Seq, hasLeft && x.left.at < w.start():
			case x.spent(w.now()) >= barSteps*w.Step:
				add(x.key, x.entered, x.left, l.below(i, w, w.endOf(x.entered.at)))
			case hasLeft:
				add(x.key, x.left, x.left, 0)
			}
		}
	}
	slices.Reverse(found)
	r.Spans = append(r.Spans, found...)
}

// endOf is when the column of a moment ends, as far as it has passed.
func (w *Window) endOf(at time.Duration) time.Duration { return min((at/w.Step+1)*w.Step, w.Now) }

// below returns how many bars stand below that of an entry at a moment.
func (l *line) below(i int, w *Window, at time.Duration) (n int) {
	for j := l.first(at, w.Seq); j < i; j++ {
		x := l.at(j)
		isIn := x.entered.at <= at && (x.left.at > at || x.left.seq > w.Seq)
		if isIn && x.counts() && x.spent(w.now()) >= barSteps*w.Step {
			n++
		}
	}
	return n
}
