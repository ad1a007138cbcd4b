package broadcast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/log/tracefile"
	"informerscope/core/words/event"
)

// maxSince bounds the unpacked bytes that a Follower accepts between two checkpoints: a Cutter makes a checkpoint long before.
const maxSince = 512 << 20

// Source is the value of Selection.Source that a Follower writes: the log comes from a broadcast.
const Source = "broadcast"

// Follower applies segments, in order, to a Recorder. A segment that cannot be applied changes nothing. Safe for concurrent use.
type Follower struct {
	rec *trace.Recorder

	mu          sync.Mutex
	dec         *tracefile.LineDecoder
	nextSegment uint64 // 0: any checkpoint
	hasEnded    bool
	seq         uint64 // of the newest event that was applied
	hasBegun    bool   // the Recorder has the log
	size        int    // bytes since the last checkpoint
	baseline    *baseline
}

// baseline collects the events of a checkpoint, which may take several segments.
type baseline struct {
	seq       uint64 // of the first event after it
	events    []event.Entry
	remainder int  // the number of events to come; -1: unknown
	isNeeded  bool // the log starts with it
}

// NewFollower returns a Follower that begins with the first checkpoint that Apply gets. Only the Follower may write to the Recorder. decode makes objects,
// as in trace.ReadOptions.
func NewFollower(rec *trace.Recorder, decode func([]byte) (any, error)) *Follower {
	return &Follower{rec: rec, dec: tracefile.NewLineDecoder(decode)}
}

// Next is the number of the segment that is applied next; 0 before the first.
func (f *Follower) Next() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.nextSegment
}

// HasEnded reports whether the broadcast ended with the segment that was applied last.
func (f *Follower) HasEnded() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hasEnded
}

// SkipTo skips the segments before number n, which must be a checkpoint. The log begins again there.
func (f *Follower) SkipTo(n uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nextSegment, f.hasBegun, f.hasEnded = n, false, false
}

// step is a decoded segment before it is applied.
type step struct {
	h         Head
	dec       *tracefile.LineDecoder
	baseline  *baseline
	begin     *fold.Fold // the log starts here
	events    []event.Entry
	positions []Position
	hasBegun  bool
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
		return nil, err // another writer changed the Recorder
	}
	s.dec.Keep()
	s.dec.Known = nil
	f.dec, f.baseline, f.hasBegun = s.dec, s.baseline, s.hasBegun
	f.nextSegment, f.hasEnded, f.seq = s.h.N+1, s.h.End, s.h.LastSeq
	if f.size += s.size; s.h.Checkpoint {
		f.size = s.size
	}
	return s.positions, nil
}

func (f *Follower) read(segment []byte) (*step, error) {
	h, _, lines, err := unpack(segment)
	if err != nil {
		return nil, err
	}
	switch {
	case f.nextSegment != 0 && h.N != f.nextSegment:
		return nil, fmt.Errorf("segment %d came where %d follows", h.N, f.nextSegment)
	case !h.Checkpoint && !f.hasBegun && f.baseline == nil:
		return nil, fmt.Errorf("segment %d is no checkpoint: nothing can begin with it", h.N)
	case !h.Checkpoint && h.Seq != f.seq+1:
		return nil, fmt.Errorf("segment %d begins with event %d where %d follows", h.N, h.Seq, f.seq+1)
	case !h.Checkpoint && f.size+len(lines) > maxSince:
		return nil, fmt.Errorf("more than %d bytes came since the last checkpoint", maxSince)
	}
	s := &step{h: h, dec: f.dec.Clone(), hasBegun: f.hasBegun, size: len(lines)}
	if h.Checkpoint {
		s.baseline = &baseline{seq: h.Seq, remainder: -1, isNeeded: h.Fresh || !f.hasBegun || h.Seq != f.seq+1}
		s.hasBegun = f.hasBegun && !s.baseline.isNeeded
		s.dec.Renumber()
	} else if f.baseline != nil {
		b := *f.baseline
		b.events = b.events[:len(b.events):len(b.events)]
		s.baseline = &b
	}
	if b := s.baseline; b != nil && !b.isNeeded {
		s.dec.Known = f.objectFinder()
	}
	next := h.Seq
	for n := 2; len(lines) > 0; n++ {
		var line []byte
		line, lines, _ = bytes.Cut(lines, []byte("\n"))
		if err := s.readLine(line, &next); err != nil {
			return nil, fmt.Errorf("segment %d, line %d: %w", h.N, n, err)
		}
	}
	if next != h.LastSeq+1 {
		return nil, fmt.Errorf("segment %d ends with event %d where its first line says %d", h.N, next-1, h.LastSeq)
	}
	return s, nil
}

// objectFinder returns a function that finds an object in the Recorder's log. The objects of a checkpoint that is not needed come from there, so that memory
// does not hold them twice.
func (f *Follower) objectFinder() func(lane uint8, key, rv string) any {
	var fold *fold.Fold
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

func (s *step) readLine(line []byte, next *uint64) error {
	p, isPosition, err := position(line)
	if err != nil {
		return err
	}
	if isPosition {
		s.positions = append(s.positions, Position{p.Seq, time.Duration(p.At), p.Body})
		return nil
	}
	e, err := s.dec.Line(line)
	if err != nil {
		return err
	}
	if e != nil && e.Kind == event.KindSelected {
		e.Event = event.Selected{Selection: withSource(e.Selected().Selection)}.Event()
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

// restore adds an event of the checkpoint; e is nil while it has more lines.
func (s *step) restore(e *event.Entry) error {
	if e == nil {
		return nil
	}
	b := s.baseline
	want := event.KindRestored
	if b.remainder < 0 {
		want = event.KindSelected
	}
	if e.Kind != want || e.Seq != b.seq-1 {
		return fmt.Errorf("event %d, %s, where %s of event %d is to be restored", e.Seq, event.KindName(e.Kind), event.KindName(want), b.seq-1)
	}
	b.events = append(b.events, *e)
	if b.remainder < 0 {
		begin := fold.NewFold()
		begin.Apply(e)
		b.remainder = begin.Lanes()
		return nil
	}
	if b.remainder--; b.remainder > 0 {
		return nil
	}
	s.baseline = nil
	if !b.isNeeded {
		return nil
	}
	s.begin, s.hasBegun = fold.NewFold(), true
	if b.seq > 1 { // before a log's first event there is nothing to restore
		for i := range b.events {
			s.begin.Apply(&b.events[i])
		}
	}
	return nil
}

// withSource returns a selection's JSON with the source of a broadcast. It returns a text that is no selection unchanged.
func withSource(text string) string {
	var sel event.Selection
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
