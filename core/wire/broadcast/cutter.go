package broadcast

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/log/tracefile"
	"informerscope/core/words/event"
)

// CutterOptions configure a Cutter. The zero value is usable.
type CutterOptions struct {
	// First is the number of the first segment, 1 when 0.
	First uint64
	// Bodies keeps whole objects; without it they are stripped (see Strip).
	Bodies bool
	// CheckpointEvery and CheckpointBytes are the time and the unpacked bytes after which a checkpoint is due: 30 s and 2 MiB when 0. Large checkpoints come
	// more rarely, so that they stay the smaller part of the bytes sent.
	CheckpointEvery time.Duration
	CheckpointBytes int
	// Heartbeat is the time after which a segment is cut although the log has no new event, 10 s when 0.
	Heartbeat time.Duration
	// History is how many events from before the beginning the first segments carry, 16,384 when 0.
	History int
	// Clock is the real one when nil.
	Clock clock.PassiveClock
}

const (
	// A line longer than lineChunk bytes gets no more items, and a segment longer than cutAt bytes no more lines. With the largest line, of two objects,
	// both stay below MaxUnpacked.
	lineChunk = 256 << 10
	cutAt     = 1 << 20
	// maxBody bounds a body, in bytes; a longer one is stripped. etcd accepts none that is much longer.
	maxBody = 1 << 20
	// maxText bounds an event's text, in bytes. The State of a checkpoint is not cut, but split into parts.
	maxText = 256 << 10
	// maxSegments bounds the segments that a late follower must fetch: after that many a checkpoint is due.
	maxSegments = 240
	// maxPositions bounds the positions that wait for a segment; the oldest are dropped.
	maxPositions = 256
)

// place is a position in one generation of the log.
type place struct {
	Position
	gen uint64
}

// Cutter follows a Recorder and cuts its log into segments. Its methods are safe for concurrent use, but only one goroutine should call Cut and End.
type Cutter struct {
	rec *trace.Recorder
	o   CutterOptions

	mu           sync.Mutex
	enc          *tracefile.LineEncoder
	hasBegun     bool
	hasEnded     bool
	gen          uint64
	n            uint64        // the number of the next segment
	nextSeq      uint64        // the first event that no segment has whole
	isPartial    bool          // a segment has some of its lines
	baseline     []event.Entry // the events of a checkpoint that no segment has yet
	positions    []place
	lastPosition *place // the newest one that a segment has, in this generation

	cutTime        time.Time // of the last segment
	checkpointTime time.Time // of the last checkpoint
	checkpointSize int       // of the last checkpoint, unpacked
	sentBytes      int       // after it, unpacked too
	segments       int

	newStrips, oldStrips map[any][]byte // the results of Strip since the last checkpoint, and since the one before it
}

// NewCutter returns a Cutter whose first segment is a checkpoint.
func NewCutter(rec *trace.Recorder, o CutterOptions) *Cutter {
	if o.First == 0 {
		o.First = 1
	}
	if o.CheckpointEvery <= 0 {
		o.CheckpointEvery = 30 * time.Second
	}
	if o.CheckpointBytes <= 0 {
		o.CheckpointBytes = 2 << 20
	}
	if o.Heartbeat <= 0 {
		o.Heartbeat = 10 * time.Second
	}
	if o.History <= 0 {
		o.History = 16384
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	c := &Cutter{rec: rec, o: o, n: o.First}
	c.enc = tracefile.NewLineEncoder(lineChunk, c.toJSON)
	return c
}

// Position notes the speaker's position at this moment; the next segment carries it. body is a JSON object of at most MaxPosition bytes.
func (c *Cutter) Position(body json.RawMessage) error {
	if err := checkPosition(body); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, body); err != nil { // a line has no line ends within
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	gen := c.rec.Generation()
	seq, _ := c.rec.Head()
	p := place{Position{seq, c.rec.Now(), b.Bytes()}, gen}
	if len(c.positions) >= maxPositions {
		c.positions = c.positions[1:]
	}
	c.positions = append(c.positions, p)
	return nil
}

// Cut makes the next segment, and reports whether there is one: the log has news, or the heartbeat is due. If its More is true, call Cut again at once.
func (c *Cutter) Cut() (Segment, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.make(false)
}

// End makes the last segment, with the log's news or without. If its More is true, this is not the last one yet: call End again.
func (c *Cutter) End() (Segment, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.make(true)
}

func (c *Cutter) make(end bool) (Segment, bool, error) {
	if c.hasEnded {
		return Segment{}, false, errors.New("the broadcast has ended: a new one needs a new Cutter")
	}
	for range 8 {
		s, ok, err := c.try(end)
		if err == nil {
			return s, ok, nil
		}
		c.hasBegun = false // no segment has the events that were read: the next one begins again
		if !errors.Is(err, errMoved) {
			return Segment{}, false, err
		}
	}
	return Segment{}, false, errors.New("the log started over several times while it was being cut: try again")
}

// errMoved reports that the log was replaced while a segment was made.
var errMoved = errors.New("the log started over")

func (c *Cutter) try(end bool) (Segment, bool, error) {
	now := c.o.Clock.Now()
	h := Head{Format: Format, Version: Version, N: c.n, At: now.UnixMilli()}
	var skipped uint64
	midway := c.isPartial || len(c.baseline) > 0 || c.enc.Pending()
	switch first := c.rec.First(); {
	case !c.hasBegun || c.rec.Generation() != c.gen:
		c.start()
		h.Checkpoint, h.Fresh = true, true
	case !midway && c.nextSeq < first:
		old := c.nextSeq
		c.goTo(first)
		skipped = c.nextSeq - old
		h.Checkpoint, h.Fresh = true, true
	case !midway && c.isDue(now):
		h.Checkpoint = true
		if f := c.rec.FoldAt(c.nextSeq - 1); f.Seq() == c.nextSeq-1 {
			c.restore(f)
		} else {
			old := c.nextSeq
			c.goTo(first)
			skipped = max(c.nextSeq, old) - old
			h.Fresh = true
		}
	}
	head, _ := c.rec.Head()
	if !h.Checkpoint && !end && len(c.baseline) == 0 && !c.enc.Pending() && c.nextSeq > head && !c.hasPosition() && now.Sub(c.cutTime) < c.o.Heartbeat {
		return Segment{}, false, nil
	}
	h.Seq = c.nextSeq
	var lines bytes.Buffer
	restored, err := c.writeBaseline(&lines)
	if err == nil && len(c.baseline) == 0 && lines.Len() < cutAt {
		err = c.fill(&lines, head)
	}
	if err != nil {
		return Segment{}, false, err
	}
	if c.rec.Generation() != c.gen {
		return Segment{}, false, errMoved
	}
	h.LastSeq = c.nextSeq - 1
	more := len(c.baseline) > 0 || c.enc.Pending() || c.nextSeq <= head
	h.End = end && !more
	first, err := json.Marshal(h)
	if err != nil {
		return Segment{}, false, err
	}
	packed, err := pack(append(append(first, '\n'), lines.Bytes()...), gzip.BestSpeed)
	if err != nil {
		return Segment{}, false, err
	}
	if n := len(first) + 1 + lines.Len(); n > MaxUnpacked {
		return Segment{}, false, fmt.Errorf("the segment has %d bytes, more than %d: an event of it is too large", n, MaxUnpacked)
	}
	if h.Checkpoint {
		c.checkpointTime, c.checkpointSize, c.sentBytes, c.segments = now, 0, 0, 0
	}
	c.checkpointSize += restored
	c.sentBytes += lines.Len() - restored
	c.segments++
	c.n++
	c.cutTime = now
	c.hasEnded = h.End
	return Segment{N: h.N, Checkpoint: h.Checkpoint, End: h.End, More: more, Skipped: skipped, Bytes: packed}, true, nil
}

// start begins a new log. If the log already runs when the broadcast begins, the segments carry only its newest part; otherwise they carry all of it.
func (c *Cutter) start() {
	hadOther := c.gen != 0 || c.cutTime != (time.Time{})
	c.gen, c.hasBegun = c.rec.Generation(), true
	from := c.rec.First()
	if head, _ := c.rec.Head(); !hadOther && head > uint64(c.o.History) {
		from = max(from, head-uint64(c.o.History)+1)
		for _, p := range c.positions { // the speaker's position must be in that part
			if p.gen == c.gen {
				from = max(c.rec.First(), min(from, shownSeq(&p.Position)))
			}
		}
	}
	kept := c.positions[:0]
	for _, p := range c.positions {
		if p.gen == c.gen {
			kept = append(kept, p)
		}
	}
	c.positions = kept
	if c.lastPosition != nil && c.lastPosition.gen != c.gen {
		c.lastPosition = nil
	}
	c.goTo(from)
}

// goTo continues with the event of a seq, or with the first later one that the log has.
func (c *Cutter) goTo(seq uint64) {
	f := c.rec.FoldAt(seq - 1)
	c.nextSeq = f.Seq() + 1
	c.restore(f)
}

// restore makes the segment begin with a checkpoint of f.
func (c *Cutter) restore(f *fold.Fold) {
	c.baseline = f.Baseline()
	c.isPartial = false
	c.enc.Renumber()
	c.oldStrips, c.newStrips = c.newStrips, map[any][]byte{}
}

// isDue reports whether a checkpoint is due. It is due if many bytes follow the last one, so that a large checkpoint is not sent for a few events. It is
// also due if a late follower would have to fetch many segments.
func (c *Cutter) isDue(now time.Time) bool {
	return c.sentBytes >= max(c.o.CheckpointBytes, c.checkpointSize) || c.segments >= maxSegments ||
		now.Sub(c.checkpointTime) >= c.o.CheckpointEvery && c.sentBytes > c.checkpointSize/4 && c.sentBytes > 0
}

// hasPosition reports whether the next segment can carry a position that waits.
func (c *Cutter) hasPosition() bool {
	for i := range c.positions {
		if p := &c.positions[i]; p.gen != c.gen || p.Seq < c.nextSeq {
			return true
		}
	}
	return false
}

// writeBaseline writes the rest of a checkpoint, until the segment is long enough, and returns the number of bytes.
func (c *Cutter) writeBaseline(w *bytes.Buffer) (int, error) {
	for len(c.baseline) > 0 && w.Len() < cutAt {
		whole, err := c.write(w, &c.baseline[0])
		if err != nil || !whole {
			return w.Len(), err
		}
		if c.baseline = c.baseline[1:]; len(c.baseline) == 0 {
			c.oldStrips = nil
			if c.lastPosition != nil && c.lastPosition.Seq < c.nextSeq {
				if err := writePosition(w, &c.lastPosition.Position); err != nil {
					return w.Len(), err
				}
			}
		}
	}
	return w.Len(), nil
}

// fill writes lines until the segment is long enough or the log is at its end.
func (c *Cutter) fill(w *bytes.Buffer, head uint64) error {
	if c.isPartial {
		whole, err := c.write(w, nil)
		if err != nil || !whole {
			return err
		}
		c.isPartial = false
		c.nextSeq++
	}
	var failed error
	c.rec.Read(c.nextSeq, head, func(e *event.Entry) bool {
		if e.Seq != c.nextSeq {
			return false // the log has just evicted some: the next segment reports them
		}
		if failed = c.writePositions(w); failed != nil {
			return false
		}
		whole, err := c.write(w, e)
		if err != nil {
			failed = err
			return false
		}
		if c.isPartial = !whole; whole {
			c.nextSeq++
		}
		return whole && w.Len() < cutAt
	})
	if failed == nil && !c.isPartial {
		failed = c.writePositions(w)
	}
	return failed
}

// writePositions writes the positions from before the next event.
func (c *Cutter) writePositions(w *bytes.Buffer) error {
	for len(c.positions) > 0 && (c.positions[0].gen != c.gen || c.positions[0].Seq < c.nextSeq) {
		p := c.positions[0]
		c.positions = c.positions[1:]
		if p.gen != c.gen {
			continue
		}
		c.lastPosition = &p
		if err := writePosition(w, &p.Position); err != nil {
			return err
		}
	}
	return nil
}

func writePosition(w *bytes.Buffer, p *Position) error {
	line, err := json.Marshal(positionLine{p.Seq, int64(p.At), p.Body})
	if err != nil {
		return err
	}
	w.Write(line)
	w.WriteByte('\n')
	return nil
}

// shownSeq returns the event that the speaker's page shows: the member "seq" of the position, or else the position's own seq.
func shownSeq(p *Position) uint64 {
	var words struct {
		Seq uint64 `json:"seq"`
	}
	if json.Unmarshal(p.Body, &words) != nil || words.Seq == 0 {
		return p.Seq
	}
	return min(words.Seq, p.Seq)
}

// write writes an event's lines, or the rest of those of the event before, and reports whether all are written.
func (c *Cutter) write(w *bytes.Buffer, e *event.Entry) (whole bool, err error) {
	if !c.enc.Pending() {
		if m := e.Members(); len(m.Text) > maxText && e.Kind != event.KindRestored && e.Kind != event.KindSelected {
			m.Text = m.Text[:maxText]
			if tracefile.TextIsJSON(e.Kind) {
				m.Text = ""
			}
			short := *e
			short.Event = event.New(e.Kind, m)
			e = &short
		}
		if err := c.enc.Start(e); err != nil {
			// A fold ignores a kind that no file has. An empty note keeps the seq.
			blank := event.Entry{Seq: e.Seq, At: e.At, Lane: e.Lane, Event: event.Event{Kind: event.KindNote}}
			if err := c.enc.Start(&blank); err != nil {
				return false, err
			}
		}
	}
	for {
		line, err := c.enc.Next()
		if err != nil {
			return false, err
		}
		w.Write(line)
		if !c.enc.Pending() {
			return true, nil
		}
		if w.Len() >= cutAt {
			return false, nil
		}
	}
}

// toJSON returns the JSON of an object that a segment carries.
func (c *Cutter) toJSON(o any) ([]byte, error) {
	if c.o.Bodies {
		raw, err := tracefile.MarshalObject(o)
		if err != nil || len(raw) <= maxBody {
			return raw, err
		}
		return Strip(raw)
	}
	if raw, ok := c.oldStrips[o]; ok {
		c.newStrips[o] = raw
		return raw, nil
	}
	raw, err := tracefile.MarshalObject(o)
	if err != nil {
		return nil, err
	}
	if raw, err = Strip(raw); err == nil {
		c.newStrips[o] = raw
	}
	return raw, err
}
