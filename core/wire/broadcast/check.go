package broadcast

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"

	"informerscope/core/log/tracefile"
	"informerscope/core/words/event"
)

// Checks configure how Check changes a segment.
type Checks struct {
	// Text returns the replacement of each string of a segment, those within objects included.
	Text func(string) string
	// Object returns the replacement of the JSON of each whole object, before Text; nil leaves objects as they are. Check does not call it for objects
	// that are stripped.
	Object func([]byte) []byte
	// Bodies keeps those objects whole that a segment may carry (see isPublic); without it all are stripped.
	Bodies bool
}

// maxSeen bounds the texts whose replacement Check remembers, because names and words recur.
const maxSeen = 1 << 14

// Check reads every line of a segment from another program, and refuses what it does not understand. It decodes the lines, changes them as c says, and
// packs the result, which contains nothing else of the segment. Sizes are checked before memory is allocated for them.
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
	p, isPosition, err := position(line)
	if err != nil {
		return nil, err
	}
	if isPosition {
		body, err := tracefile.MapStrings(p.Body, rewriter.Text)
		if err != nil {
			return nil, err
		}
		return json.Marshal(positionLine{p.Seq, p.At, body})
	}
	out, place, err := rewriter.Line(line)
	if err != nil {
		return nil, err
	}
	switch restored := place.Kind == event.KindSelected || place.Kind == event.KindRestored; {
	case restored && place.Seq == *next-1: // an event of a checkpoint
	case place.Seq != *next:
		return nil, fmt.Errorf("event %d where %d follows", place.Seq, *next)
	case place.Complete:
		*next++
	}
	return out, nil
}
