package tracks

import (
	"math"
	"slices"
	"sort"
	"time"

	"informerscope/core/words/event"
)

// stamp is an event's place in the log.
type stamp struct {
	seq uint64
	at  time.Duration
}

// never is the stamp of what has not happened.
var never = stamp{math.MaxUint64, math.MaxInt64}

// wait is one that waits, or waited, in a line.
type wait struct {
	entered, left stamp
	key, rv       string
	op            event.Op
	n             int32 // objects
}

// isOpen reports whether the entry waits at a moment.
func (w *wait) isOpen(now stamp) bool { return w.entered.seq <= now.seq && w.left.seq > now.seq }

// counts reports whether the entry is one that waits: a bookmark is about no object.
func (w *wait) counts() bool { return w.op != event.OpBookmark }

// spent is how long the entry has waited at a moment.
func (w *wait) spent(now stamp) time.Duration {
	if w.left.seq > now.seq {
		return now.at - w.entered.at
	}
	return w.left.at - w.entered.at
}

// notch is a further change of a key that waited already.
type notch struct {
	stamp
	wait int // its index
}

// line has what waited in a station. Indices count from the first one ever; base is that of waits[0].
type line struct {
	keyed   bool
	waits   []wait
	base    int
	head    int   // no entry before it waits
	leaves  []int // indices in the order in which they left
	notches []notch
	keys    map[string]int // of a keyed line: the index of a key that waits
	pile    pile
	// samples are how many waited, where that is looked at now and then, and what comes and leaves is not seen.
	samples []sample
}

// sample is how many waited at a moment, and since then as far as is known.
type sample struct {
	stamp
	n int
}

// look notes how many wait.
func (l *line) look(s stamp, n int) {
	n = max(n, 0)
	if k := len(l.samples); k == 0 || l.samples[k-1].n != n {
		l.samples = append(l.samples, sample{s, n})
	}
}

// sampled returns how many waited at a moment, by the last sample before it.
func (l *line) sampled(at time.Duration, seq uint64) int {
	i := sort.Search(len(l.samples), func(i int) bool { return l.samples[i].at > at || l.samples[i].seq > seq })
	if i == 0 {
		return 0
	}
	return l.samples[i-1].n
}

// pile counts what waits in a line. It has a span from the moment at which a second one waits to that at which none does.
type pile struct {
	depth  int
	most   int
	merged int
	spans  []*span
}

func (l *line) at(i int) *wait { return &l.waits[i-l.base] }

func (l *line) end() int { return l.base + len(l.waits) }

// enter adds an entry at the end. In a keyed line a key that waits already gets a notch.
func (l *line) enter(s stamp, op event.Op, key, rv string, n int) {
	if l.keyed {
		if i, ok := l.keys[key]; ok {
			l.touch(s, i)
			return
		}
		if l.keys == nil {
			l.keys = map[string]int{}
		}
		l.keys[key] = l.end()
	}
	w := wait{entered: s, left: never, op: op, key: key, rv: rv, n: int32(max(n, 1))}
	l.waits = append(l.waits, w)
	if w.counts() {
		l.pile.grow(s)
	}
}

// merge notes a further change of a key, if it waits.
func (l *line) merge(s stamp, key string) {
	if i, ok := l.keys[key]; ok {
		l.touch(s, i)
	}
}

func (l *line) touch(s stamp, i int) {
	l.notches = append(l.notches, notch{s, i})
	l.pile.merged++
}

func (p *pile) grow(s stamp) {
	switch p.depth++; p.depth {
	case 1:
		p.most, p.merged = 0, 0
	case 2:
		if n := len(p.spans); n == 0 || p.spans[n-1].to != never {
			p.spans = append(p.spans, &span{kind: Pile, from: s, to: never})
		}
	}
	p.most = max(p.most, p.depth)
}

func (p *pile) shrink(s stamp) {
	if p.depth--; p.depth == 0 && p.most > 1 {
		last := p.spans[len(p.spans)-1]
		last.to, last.n, last.merged = s, p.most, p.merged
	}
}

// leave ends the waiting of the entry with an index.
func (l *line) leave(s stamp, i int) {
	w := l.at(i)
	w.left = s
	l.leaves = append(l.leaves, i)
	if l.keyed {
		delete(l.keys, w.key)
	}
	if w.counts() {
		l.pile.shrink(s)
	}
	for l.head < l.end() && l.at(l.head).left != never {
		l.head++
	}
}

// leaveFirst has the first n entries leave.
func (l *line) leaveFirst(s stamp, n int) {
	for ; n > 0 && l.head < l.end(); n-- {
		l.leave(s, l.head)
	}
}

// leaveKey has a key leave a keyed line.
func (l *line) leaveKey(s stamp, key string) {
	if i, ok := l.keys[key]; ok {
		l.leave(s, i)
	}
}

// leaveUpTo has everything leave up to the first entry of a version of an object, or nothing if it does not wait.
func (l *line) leaveUpTo(s stamp, key, rv string) {
	for i := l.head; i < l.end(); i++ {
		if w := l.at(i); w.key == key && w.rv == rv {
			l.leaveFirst(s, i-l.head+1)
			return
		}
	}
}

// clear has everything leave.
func (l *line) clear(s stamp) { l.leaveFirst(s, l.end()-l.head) }

// first returns an index before which no entry waited at a moment of time, nor after an event. An event may be older than the moment at which it is looked at.
func (l *line) first(from time.Duration, seq uint64) int {
	lo := l.head
	j := sort.Search(len(l.leaves), func(j int) bool { left := l.at(l.leaves[j]).left; return left.at >= from || left.seq > seq })
	for _, i := range l.leaves[j:] {
		lo = min(lo, i)
	}
	return lo
}

// leavesFrom returns the indices of what left from a moment on, in that order.
func (l *line) leavesFrom(from time.Duration) []int {
	return l.leaves[sort.Search(len(l.leaves), func(j int) bool { return l.at(l.leaves[j]).left.at >= from }):]
}

// waiting calls fn with each entry that waits at a moment, the next to leave first.
func (l *line) waiting(now stamp, fn func(i int, w *wait)) {
	for i := l.first(now.at, now.seq); i < l.end(); i++ {
		w := l.at(i)
		if w.entered.seq > now.seq {
			return
		}
		if w.left.seq > now.seq && w.counts() {
			fn(i, w)
		}
	}
}

// forget drops what left before a moment.
func (l *line) forget(before time.Duration) {
	if i := sort.Search(len(l.samples), func(i int) bool { return l.samples[i].at >= before }); i > 1024 {
		l.samples = append([]sample(nil), l.samples[i-1:]...)
	}
	gone := len(l.leaves) - len(l.leavesFrom(before))
	if gone < 1024 && gone < len(l.leaves) || gone == 0 {
		return // each time it copies what is left
	}
	keep := l.first(before, math.MaxUint64)
	l.leaves = append([]int(nil), l.leaves[gone:]...)
	l.waits = append([]wait(nil), l.waits[keep-l.base:]...)
	l.base = keep
	l.notches = slices.DeleteFunc(l.notches, func(x notch) bool { return x.wait < keep })
	l.pile.spans = forgetSpans(l.pile.spans, before)
}
