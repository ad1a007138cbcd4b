package tracks

import (
	"slices"
	"time"

	"informerscope/core/log/fold"
)

// span is a Span as it is kept. What is known at its end only is not told before.
type span struct {
	kind     SpanKind
	from, to stamp
	n        int // known at the end: of a pile, a list, a burst and a hold
	merged   int // known at the end
	code     int
	length   time.Duration
	key      string
	words    string
	pops     int   // of a hold: how many took what had waited
	gone     stamp // when the last of these took the rest
}

// isSeen reports whether the span lies in a window that begins at from, at the moment now, and lasts for at least long. What happens at one moment always does.
func (s *span) isSeen(from time.Duration, now stamp, long time.Duration) bool {
	if s.from.seq > now.seq || s.to.seq <= now.seq && s.to.at < from {
		return false
	}
	if s.to == s.from || s.kind == Tombstone {
		return true
	}
	return min(s.to.at, now.at)-s.from.at >= long
}

// span returns the Span at a moment.
func (s *span) span(now stamp) Span {
	out := Span{Kind: s.kind, FromMillis: fold.Millis(s.from.at), Code: s.code, Millis: fold.Millis(s.length), Key: s.key, Words: s.words}
	ended := s.to.seq <= now.seq
	if ended {
		to := fold.Millis(s.to.at)
		out.ToMillis = &to
	}
	if ended || s.kind != Pile && s.kind != Listing && s.kind != Burst && s.kind != Hold && s.kind != Tombstone {
		out.N, out.Merged = s.n, s.merged
	}
	if s.gone.seq > 0 && s.gone.seq <= now.seq {
		out.Pops = s.pops
	}
	return out
}

// causes are the spans of a row, in order of their begin.
type causes struct {
	spans   []*span
	lasting map[lastingKey]*span // those that have not ended
}

// lastingKey tells the spans apart that can last at the same time.
type lastingKey struct {
	kind SpanKind
	key  string
}

// open returns the span of a kind that has not ended, nil if there is none.
func (c *causes) open(kind SpanKind, key string) *span { return c.lasting[lastingKey{kind, key}] }

// lasts reports whether the last span of a kind that had begun at an event had not ended there. For the newest events it looks at few spans.
func (c *causes) lasts(kind SpanKind, seq uint64) bool {
	for _, x := range slices.Backward(c.spans) {
		if x.kind == kind && x.from.seq <= seq {
			return x.to.seq > seq
		}
	}
	return false
}

// begin adds a span that lasts, and ends one that still does. It returns it, for what else is known of it.
func (c *causes) begin(s stamp, kind SpanKind, key string) *span {
	c.end(s, kind, key)
	if c.lasting == nil {
		c.lasting = map[lastingKey]*span{}
	}
	x := &span{kind: kind, from: s, to: never, key: key}
	c.spans, c.lasting[lastingKey{kind, key}] = append(c.spans, x), x
	return x
}

// end ends a span of a kind, if one lasts, and returns it.
func (c *causes) end(s stamp, kind SpanKind, key string) *span {
	x := c.open(kind, key)
	if x != nil {
		x.to = s
		delete(c.lasting, lastingKey{kind, key})
	}
	return x
}

// mark adds what happens at one moment, and returns it.
func (c *causes) mark(s stamp, kind SpanKind, n int, words string) *span {
	x := &span{kind: kind, from: s, to: s, n: n, words: words}
	c.spans = append(c.spans, x)
	return x
}

// forget drops the spans that ended before a moment.
func (c *causes) forget(before time.Duration) { c.spans = forgetSpans(c.spans, before) }

// forgetSpans returns the spans that had not ended before a moment.
func forgetSpans(spans []*span, before time.Duration) []*span {
	return slices.DeleteFunc(spans, func(s *span) bool { return s.to.at < before })
}
