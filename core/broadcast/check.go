package broadcast

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"

	"informerscope/core/event"
	"informerscope/core/tracefile"
)

// Checks are what Check does to a segment.
type Checks struct {
	// Text is asked for every string of a segment, those within objects included.
	Text func(string) string
	// Object is asked for the JSON of every whole object, before Text; nil: it stays as it is. Not asked of objects that are stripped.
	Object func([]byte) []byte
	// Bodies lets objects through whole, those that may be (see whole); without it all are stripped.
	Bodies bool
}

// maxSeen bounds how many texts Check remembers, to ask for each only once: names and words come again and again.
const maxSeen = 1 << 14

// Check reads a segment that comes from elsewhere, every line of it, refuses what it does not understand, and packs what it understood, changed
// as c says. What goes out holds nothing of the segment but that. What it makes of a segment is bounded before it is made.
func Check(segment []byte, c Checks) ([]byte, Head, error) {
	h, first, lines, err := unpack(segment)
	if err != nil {
		return nil, h, err
	}
	seen := map[string]string{}
	text := func(s string) string {
		if s == "" {
			return s
		}
		t, ok := seen[s]
		if !ok {
			if t = c.Text(s); len(seen) < maxSeen {
				seen[s] = t
			}
		}
		return t
	}
	rewriter := tracefile.LineRewriter{Text: text, Bodies: c.Bodies, Object: func(raw json.RawMessage) (json.RawMessage, error) {
		b := []byte(raw)
		var err error
		if !c.Bodies || !isPublic(raw) {
			b, err = Strip(raw)
		} else if c.Object != nil {
			b = c.Object(b)
		}
		if err != nil {
			return nil, err
		}
		return tracefile.MapStrings(b, text)
	}}
	if err := rewriter.Check(first); err != nil {
		return nil, h, err
	}
	if first, err = json.Marshal(h); err != nil {
		return nil, h, err
	}
	out := append(make([]byte, 0, len(lines)+len(first)+1), first...)
	out = append(out, '\n')
	next := h.Seq
	for n := 2; len(lines) > 0; n++ {
		var line []byte
		line, lines, _ = bytes.Cut(lines, []byte("\n"))
		line, err := checkLine(line, &rewriter, &next)
		if err != nil {
			return nil, h, fmt.Errorf("line %d: %w", n, err)
		}
		out = append(out, line...)
		out = append(out, '\n')
		if len(out) > MaxUnpacked {
			return nil, h, fmt.Errorf("the segment has more than %d bytes, checked", MaxUnpacked)
		}
	}
	if next != h.LastSeq+1 {
		return nil, h, fmt.Errorf("the last event is %d, and the first line says %d", next-1, h.LastSeq)
	}
	packed, err := pack(out, gzip.DefaultCompression)
	return packed, h, err
}

func checkLine(line []byte, rewriter *tracefile.LineRewriter, next *uint64) ([]byte, error) {
	if err := rewriter.Check(line); err != nil {
		return nil, err
	}
	p, is, err := position(line)
	if err != nil {
		return nil, err
	}
	if is {
		body, err := tracefile.MapStrings(p.Body, rewriter.Text)
		if err != nil {
			return nil, err
		}
		return json.Marshal(positionLine{p.Seq, p.At, body})
	}
	out, at, err := rewriter.Line(line)
	if err != nil {
		return nil, err
	}
	switch restored := at.Kind == event.KindSelected || at.Kind == event.KindRestored; {
	case restored && at.Seq == *next-1: // of a checkpoint
	case at.Seq != *next:
		return nil, fmt.Errorf("event %d where %d follows", at.Seq, *next)
	case at.Complete:
		*next++
	}
	return out, nil
}
