package broadcast

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Format and Version are in the first line of every segment.
const (
	Format  = "informerscope-segment"
	Version = 1
)

const (
	// MaxUnpacked bounds a segment's lines.
	MaxUnpacked = 4 << 20
	// MaxPacked bounds a segment as it is sent.
	MaxPacked = MaxUnpacked + 64<<10
	// MaxPosition bounds the JSON of a position.
	MaxPosition = 8 << 10
)

// Head is a segment's first line.
type Head struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// N is the segment's number; it rises by one.
	N uint64 `json:"n"`
	// Checkpoint is true if the segment begins with events that restore the state before Seq. If they do not fit, they continue in the next segments.
	Checkpoint bool `json:"checkpoint"`
	// Fresh is true if the restored state does not continue the segments before it: a talk or an experiment began, or events were skipped.
	Fresh bool `json:"fresh,omitempty"`
	// End is true for the last segment of a talk.
	End bool `json:"end"`
	// Seq is the number of the first event that the segment completes, or would complete if it has none; LastSeq that of the last one.
	Seq     uint64 `json:"seq"`
	LastSeq uint64 `json:"head"`
	// At is when the segment was cut, in milliseconds since 1970, on the cutter's clock.
	At int64 `json:"at"`
}

// Segment is a piece of a log, packed.
type Segment struct {
	N          uint64
	Checkpoint bool
	End        bool
	// More is true if the next segment can be cut at once.
	More bool
	// Skipped is how many events before the segment are missing, because the Recorder evicted them before they were cut.
	Skipped uint64
	Bytes   []byte
}

// Position is the speaker's position, as JSON that only the pages understand.
type Position struct {
	// Seq is the number of the newest event at that moment, At the time on the log's clock.
	Seq  uint64
	At   time.Duration
	Body json.RawMessage
}

// positionLine is a position in a segment.
type positionLine struct {
	Seq  uint64          `json:"s"`
	At   int64           `json:"t"`
	Body json.RawMessage `json:"pos"`
}

// checkPosition returns an error if body cannot be a position.
func checkPosition(body []byte) error {
	if len(body) > MaxPosition {
		return fmt.Errorf("a position of %d bytes: at most %d are carried", len(body), MaxPosition)
	}
	if b := bytes.TrimSpace(body); len(b) == 0 || b[0] != '{' || !json.Valid(b) {
		return errors.New("a position must be a JSON object")
	}
	return nil
}

// pack compresses lines.
func pack(lines []byte, level int) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(lines); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// unpack reads a segment's head, and returns its line and those after it.
func unpack(segment []byte) (h Head, first, lines []byte, err error) {
	if len(segment) > MaxPacked {
		return h, nil, nil, fmt.Errorf("the segment has %d bytes, more than %d", len(segment), MaxPacked)
	}
	zr, err := gzip.NewReader(bytes.NewReader(segment))
	if err != nil {
		return h, nil, nil, fmt.Errorf("not a segment: %w", err)
	}
	all, err := io.ReadAll(io.LimitReader(zr, MaxUnpacked+1))
	if err != nil {
		return h, nil, nil, fmt.Errorf("the segment is damaged: %w", err)
	}
	if len(all) > MaxUnpacked {
		return h, nil, nil, fmt.Errorf("the segment has more than %d bytes, unpacked", MaxUnpacked)
	}
	first, lines, ended := bytes.Cut(all, []byte("\n"))
	if err := json.Unmarshal(first, &h); err != nil || h.Format != Format {
		return h, nil, nil, fmt.Errorf("not a segment: its first line must be a JSON object with \"format\":%q", Format)
	}
	switch {
	case h.Version != Version:
		return h, nil, nil, fmt.Errorf("a segment of version %d: this program reads version %d; load the page again", h.Version, Version)
	case !ended || len(lines) > 0 && lines[len(lines)-1] != '\n':
		return h, nil, nil, errors.New("the segment is cut off: its last line has no end")
	case h.N == 0 || h.Seq == 0 || h.LastSeq < h.Seq-1 || h.LastSeq-(h.Seq-1) > MaxUnpacked:
		return h, nil, nil, fmt.Errorf("the segment contradicts itself: number %d, events %d to %d", h.N, h.Seq, h.LastSeq)
	case h.Fresh && !h.Checkpoint:
		return h, nil, nil, errors.New("the segment contradicts itself: it continues nothing, and is no checkpoint")
	}
	return h, first, lines, nil
}

// position reads a line's position, and reports whether it has one.
func position(line []byte) (p positionLine, isPosition bool, err error) {
	if !bytes.Contains(line, []byte(`"pos"`)) {
		return p, false, nil
	}
	if err := json.Unmarshal(line, &p); err != nil {
		return p, false, err
	}
	if p.Body == nil {
		return p, false, nil // the word occurs elsewhere in the line
	}
	return p, true, checkPosition(p.Body)
}

// EndSegment returns an empty last segment, for a talk whose speaker sent none. after is the Head before it.
func EndSegment(after Head, now time.Time) (Segment, error) {
	h := Head{Format: Format, Version: Version, N: after.N + 1, End: true, Seq: after.LastSeq + 1, LastSeq: after.LastSeq, At: now.UnixMilli()}
	line, err := json.Marshal(h)
	if err != nil {
		return Segment{}, err
	}
	packed, err := pack(append(line, '\n'), gzip.BestCompression)
	return Segment{N: h.N, End: true, Bytes: packed}, err
}

// ReadHead reads a segment's first line.
func ReadHead(segment []byte) (Head, error) {
	h, _, _, err := unpack(segment)
	return h, err
}
