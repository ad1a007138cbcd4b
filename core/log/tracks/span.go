package tracks

import (
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
}

// isSeen reports whether the span lies in a window that begins at from, at the moment now, and lasts for at least long. What happens at one moment always does.
func (s *span) isSeen(from time.Duration, now stamp, long time.Duration) bool {
	if s.from.seq > now.seq || s.to.seq <= now.seq && s.to.at < from {
		return false
	}
	if s.to == s.from {
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
	if ended || s.kind != Pile && s.kind != Listing && s.kind != Burst && s.kind != Hold {
		out.N, out.Merged = s.n, s.merged
	}
	return out
}

// causes are the spans of a row, in order of their begin.
type causes []span

// open returns the newest span of a kind that has not ended, nil if there is none.
func (c causes) open(kind SpanKind, key string) *span {
	for i := len(c) - 1; i >= 0; i-- {
		if s := &c[i]; s.kind == kind && s.key == key && s.to == never {
			return s
		}
	}
	return nil
}

// begin adds a span that lasts. It returns it, for what else is known of it.
func (c *causes) begin(s stamp, kind SpanKind, key string) *span {
	*c = append(*c, span{kind: kind, from: s, to: never, key: key})
	return &(*c)[len(*c)-1]
}

// end ends a span of a kind, if one lasts, and returns it.
func (c causes) end(s stamp, kind SpanKind, key string) *span {
	x := c.open(kind, key)
	if x != nil {
		x.to = s
	}
	return x
}

// mark adds what happens at one moment.
func (c *causes) mark(s stamp, kind SpanKind, n int, words string) {
	*c = append(*c, span{kind: kind, from: s, to: s, n: n, words: words})
}

// forgetSpans drops the spans that ended before a moment.
func forgetSpans(spans []span, before time.Duration) []span {
	kept := spans[:0]
	for _, s := range spans {
		if s.to.at >= before {
			kept = append(kept, s)
		}
	}
	clear(spans[len(kept):])
	return kept
}
