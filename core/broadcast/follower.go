package broadcast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"informerscope/core/trace"
)

// maxSince bounds what a Follower takes between two checkpoints, unpacked: a Cutter makes a checkpoint long before.
const maxSince = 512 << 20

// Source is what a Follower writes into Selection.Source: where its log comes from.
const Source = "broadcast"

// Follower applies segments, in order, to a Recorder. A segment that cannot be applied changes nothing. Safe for concurrent use.
type Follower struct {
	rec *trace.Recorder

	mu       sync.Mutex
	dec      *trace.LineDecoder
	next     uint64 // 0: any checkpoint
	ended    bool
	seq      uint64 // of the newest event that was applied
	begun    bool   // the Recorder holds the log
	since    int    // bytes since the last checkpoint
	baseline *baseline
}

// baseline is what came so far of a checkpoint's restored events.
type baseline struct {
	seq    uint64 // of the first event after it
	events []trace.Event
	left   int  // how many are to come; -1: not known
	needed bool // the log starts with it
}

// NewFollower returns a Follower that begins with the first checkpoint it is given. The Recorder is its own to write; decode
// makes objects, as in trace.ReadOptions.
func NewFollower(rec *trace.Recorder, decode func([]byte) (any, error)) *Follower {
	return &Follower{rec: rec, dec: trace.NewLineDecoder(decode)}
}

// Next is the number of the segment that is applied next; 0 before the first.
func (f *Follower) Next() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.next
}

// Ended says whether the talk ended with the segment that was applied last.
func (f *Follower) Ended() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended
}

// SkipTo leaves out what lies between: the next segment is number n, a checkpoint, and the log begins again there.
func (f *Follower) SkipTo(n uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next, f.begun, f.ended = n, false, false
}

// step is a segment that was read and not yet applied.
type step struct {
	h         Head
	dec       *trace.LineDecoder
	baseline  *baseline
	begin     *trace.Fold // the log starts here
	events    []trace.Event
	positions []Position
	begun     bool
	size      int
}

// Apply reads a segment and appends what it holds to the Recorder. It returns the speaker's positions, in order.
func (f *Follower) Apply(segment []byte) ([]Position, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.read(segment)
	if err != nil {
		return nil, err
	}
	if s.begin != nil {
		f.rec.Begin(s.begin)
	}
	if err := f.rec.Extend(s.events); err != nil {
		return nil, err // somebody else wrote to the Recorder
	}
	s.dec.Keep()
	s.dec.Known = nil
	f.dec, f.baseline, f.begun = s.dec, s.baseline, s.begun
	f.next, f.ended, f.seq = s.h.N+1, s.h.End, s.h.LastSeq
	if f.since += s.size; s.h.Checkpoint {
		f.since = s.size
	}
	return s.positions, nil
}

func (f *Follower) read(segment []byte) (*step, error) {
	h, _, lines, err := unpack(segment)
	if err != nil {
		return nil, err
	}
	switch {
	case f.next != 0 && h.N != f.next:
		return nil, fmt.Errorf("segment %d came where %d follows", h.N, f.next)
	case !h.Checkpoint && !f.begun && f.baseline == nil:
		return nil, fmt.Errorf("segment %d is no checkpoint: nothing can begin with it", h.N)
	case !h.Checkpoint && h.Seq != f.seq+1:
		return nil, fmt.Errorf("segment %d begins with event %d where %d follows", h.N, h.Seq, f.seq+1)
	case !h.Checkpoint && f.since+len(lines) > maxSince:
		return nil, fmt.Errorf("more than %d bytes came since the last checkpoint", maxSince)
	}
	s := &step{h: h, dec: f.dec.Clone(), begun: f.begun, size: len(lines)}
	if h.Checkpoint {
		s.baseline = &baseline{seq: h.Seq, left: -1, needed: h.Fresh || !f.begun || h.Seq != f.seq+1}
		s.begun = f.begun && !s.baseline.needed
		s.dec.Renumber()
	} else if f.baseline != nil {
		b := *f.baseline
		b.events = b.events[:len(b.events):len(b.events)]
		s.baseline = &b
	}
	if b := s.baseline; b != nil && !b.needed {
		s.dec.Known = f.known()
	}
	next := h.Seq
	for n := 2; len(lines) > 0; n++ {
		var line []byte
		line, lines, _ = bytes.Cut(lines, []byte("\n"))
		if err := s.line(line, &next); err != nil {
			return nil, fmt.Errorf("segment %d, line %d: %w", h.N, n, err)
		}
	}
	if next != h.LastSeq+1 {
		return nil, fmt.Errorf("segment %d ends with event %d where its first line says %d", h.N, next-1, h.LastSeq)
	}
	return s, nil
}

// known finds the objects of a checkpoint that is not needed in the log that is here, so that they are not held twice.
func (f *Follower) known() func(lane uint8, key, rv string) any {
	var fold *trace.Fold
	return func(lane uint8, key, rv string) any {
		if fold == nil {
			fold = f.rec.FoldAt(f.seq)
		}
		if int(lane) >= fold.Lanes() {
			return nil
		}
		if c, ok := fold.Objects(int(lane)).Get(key); ok && c.RV == rv {
			return c.Obj
		}
		return nil
	}
}

func (s *step) line(line []byte, next *uint64) error {
	p, is, err := position(line)
	if err != nil {
		return err
	}
	if is {
		s.positions = append(s.positions, Position{p.Seq, time.Duration(p.At), p.Body})
		return nil
	}
	e, err := s.dec.Line(line)
	if err != nil {
		return err
	}
	if e != nil && e.Kind == trace.KindSelected {
		e.Text = elsewhere(e.Text)
	}
	if s.baseline != nil {
		return s.restore(e)
	}
	if e == nil {
		return nil
	}
	if e.Seq != *next {
		return fmt.Errorf("event %d where %d follows", e.Seq, *next)
	}
	*next++
	s.events = append(s.events, *e)
	return nil
}

// restore takes an event of the checkpoint; nil when it has more lines.
func (s *step) restore(e *trace.Event) error {
	if e == nil {
		return nil
	}
	b := s.baseline
	want := trace.KindRestored
	if b.left < 0 {
		want = trace.KindSelected
	}
	if e.Kind != want || e.Seq != b.seq-1 {
		return fmt.Errorf("event %d, %s, where %s of event %d is to be restored", e.Seq, trace.KindName(e.Kind), trace.KindName(want), b.seq-1)
	}
	b.events = append(b.events, *e)
	if b.left < 0 {
		begin := trace.NewFold()
		begin.Apply(e)
		b.left = begin.Lanes()
		return nil
	}
	if b.left--; b.left > 0 {
		return nil
	}
	s.baseline = nil
	if !b.needed {
		return nil
	}
	s.begin, s.begun = trace.NewFold(), true
	if b.seq > 1 { // before a log's first event there is nothing to restore
		for i := range b.events {
			s.begin.Apply(&b.events[i])
		}
	}
	return nil
}

// elsewhere is a selection's JSON that says that the log came by broadcast; words that are no selection stay.
func elsewhere(text string) string {
	var sel trace.Selection
	if json.Unmarshal([]byte(text), &sel) != nil {
		return text
	}
	sel.Source = Source
	b, err := json.Marshal(sel)
	if err != nil {
		return text
	}
	return string(b)
}
