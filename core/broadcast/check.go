package broadcast

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"

	"informerscope/core/trace"
)

// Checks are what Check does to a segment.
type Checks struct {
	// Text is asked for every string of a segment, those within objects included.
	Text func(string) string
	// Object is asked for the JSON of every whole object, before Text; nil: it stays as it is. Not asked of objects that are stripped.
	Object func([]byte) []byte
	// Bodies lets whole objects through; without it all are stripped.
	Bodies bool
}

// Check reads a segment that comes from elsewhere, every line of it, refuses what it does not understand, and packs anew what
// it understood, changed as c says. What goes out holds nothing of the segment but that.
func Check(segment []byte, c Checks) ([]byte, Head, error) {
	h, lines, err := unpack(segment)
	if err != nil {
		return nil, h, err
	}
	seen := map[string]string{} // names and words come again and again
	text := func(s string) string {
		if s == "" {
			return s
		}
		t, ok := seen[s]
		if !ok {
			t = c.Text(s)
			seen[s] = t
		}
		return t
	}
	rewriter := trace.LineRewriter{Text: text, Object: func(raw json.RawMessage) (json.RawMessage, error) {
		if !c.Bodies {
			b, err := Strip(raw)
			if err != nil {
				return nil, err
			}
			return trace.MapStrings(b, text)
		}
		b := []byte(raw)
		if c.Object != nil {
			b = c.Object(b)
		}
		return trace.MapStrings(b, text)
	}}
	first, err := json.Marshal(h)
	if err != nil {
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
	}
	if next != h.LastSeq+1 {
		return nil, h, fmt.Errorf("the last event is %d, and the first line says %d", next-1, h.LastSeq)
	}
	if len(out) > MaxUnpacked {
		return nil, h, fmt.Errorf("the segment has %d bytes, more than %d", len(out), MaxUnpacked)
	}
	packed, err := pack(out, gzip.DefaultCompression)
	return packed, h, err
}

func checkLine(line []byte, rewriter *trace.LineRewriter, next *uint64) ([]byte, error) {
	p, is, err := position(line)
	if err != nil {
		return nil, err
	}
	if is {
		body, err := trace.MapStrings(p.Body, rewriter.Text)
		if err != nil {
			return nil, err
		}
		return json.Marshal(positionLine{p.Seq, p.At, body})
	}
	seq, kind, complete, err := trace.Place(line)
	if err != nil {
		return nil, err
	}
	switch restored := kind == trace.KindSelected || kind == trace.KindRestored; {
	case restored && seq == *next-1: // of a checkpoint
	case seq != *next:
		return nil, fmt.Errorf("event %d where %d follows", seq, *next)
	case complete:
		*next++
	}
	return rewriter.Line(line)
}
