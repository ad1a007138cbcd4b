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

	"informerscope/core/informer"
	"informerscope/core/trace"
)

// CutterOptions set a Cutter up; the zero value is usable.
type CutterOptions struct {
	// First is the number of the first segment, 1 when 0.
	First uint64
	// Bodies lets whole objects through; without it they are stripped (see Strip).
	Bodies bool
	// CheckpointEvery and CheckpointBytes say when a checkpoint is due: after that time, 30 s when 0, or that many bytes,
	// unpacked, 2 MiB when 0. A large checkpoint comes more rarely, so that checkpoints stay the smaller part of what is sent.
	CheckpointEvery time.Duration
	CheckpointBytes int
	// Heartbeat is after what time a segment is cut although nothing is new, 10 s when 0.
	Heartbeat time.Duration
	// History is how many events from before the beginning are sent, 16,384 when 0.
	History int
	// Clock is the real one when nil.
	Clock clock.PassiveClock
}

const (
	// lineChunk is the length beyond which a line gets no more items, cutAt the one beyond which a segment gets no more
	// lines. With the largest line, of two objects, both stay below MaxUnpacked.
	lineChunk = 256 << 10
	cutAt     = 1 << 20
	// maxBody is the length beyond which an object goes without its body: etcd takes none that is much longer.
	maxBody = 1 << 20
	// maxText bounds an event's text; a State that is restored goes in parts instead.
	maxText = 256 << 10
	// maxSegments is after how many segments a checkpoint is due: a late follower fetches no more than that many.
	maxSegments = 240
	// maxPositions bounds the positions that wait to be cut; the older ones go.
	maxPositions = 256
)

// place is a position in one generation of the log.
type place struct {
	Position
	gen uint64
}

// Cutter follows a Recorder and cuts it into segments. Safe for concurrent use, but only one goroutine should cut.
type Cutter struct {
	rec *trace.Recorder
	o   CutterOptions

	mu        sync.Mutex
	enc       *trace.LineEncoder
	begun     bool
	ended     bool
	gen       uint64
	n         uint64        // of the next segment
	next      uint64        // the first event that is not sent whole
	partial   bool          // lines of it are
	baseline  []trace.Event // what is left to be sent of a checkpoint
	positions []place
	last      *place // the newest that was sent or waits

	cut      time.Time // the last segment
	checked  time.Time // the last checkpoint
	size     int       // of the last checkpoint, unpacked
	since    int       // bytes after it
	segments int

	stripped, before map[any][]byte // what Strip made of objects since the last checkpoint, and since the one before it
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
	c.enc = trace.NewLineEncoder(lineChunk, c.toJSON)
	return c
}

// Position notes where the speaker stands now; it goes out with the next segment. body is a JSON object of at most MaxPosition bytes.
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

// Cut makes the next segment, if there is anything new. When it says More, call it again at once.
func (c *Cutter) Cut() (Segment, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.make(false)
}

// End makes the last segment: what is new, or nothing. While it says More there are others before it: call it again.
func (c *Cutter) End() (Segment, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.make(true)
}

func (c *Cutter) make(end bool) (Segment, bool, error) {
	if c.ended {
		return Segment{}, false, errors.New("the broadcast has ended: a new one needs a new Cutter")
	}
	for range 8 {
		s, ok, err := c.try(end)
		if err == nil {
			return s, ok, nil
		}
		c.begun = false // what was read is not sent: the next segment begins again
		if !errors.Is(err, errMoved) {
			return Segment{}, false, err
		}
	}
	return Segment{}, false, errors.New("the log started over several times while it was being cut: try again")
}

// errMoved says that the log was replaced while it was read.
var errMoved = errors.New("the log started over")

func (c *Cutter) try(end bool) (Segment, bool, error) {
	now := c.o.Clock.Now()
	h := Head{Format: Format, Version: Version, N: c.n, At: now.UnixMilli()}
	var skipped uint64
	midway := c.partial || len(c.baseline) > 0 || c.enc.Pending()
	switch first := c.rec.First(); {
	case !c.begun || c.rec.Generation() != c.gen:
		c.start()
		h.Checkpoint, h.Fresh = true, true
	case !midway && c.next < first:
		was := c.next
		c.from(first)
		skipped = c.next - was
		h.Checkpoint, h.Fresh = true, true
	case !midway && c.due(now):
		h.Checkpoint = true
		if f := c.rec.FoldAt(c.next - 1); f.Seq() == c.next-1 {
			c.restore(f)
		} else {
			was := c.next
			c.from(first)
			skipped = max(c.next, was) - was
			h.Fresh = true
		}
	}
	head, _ := c.rec.Head()
	if !h.Checkpoint && !end && len(c.baseline) == 0 && !c.enc.Pending() && c.next > head && !c.ready() && now.Sub(c.cut) < c.o.Heartbeat {
		return Segment{}, false, nil
	}
	h.Seq = c.next
	var lines bytes.Buffer
	restored, err := c.restored(&lines)
	if err == nil && len(c.baseline) == 0 && lines.Len() < cutAt {
		err = c.fill(&lines, head)
	}
	if err != nil {
		return Segment{}, false, err
	}
	if c.rec.Generation() != c.gen {
		return Segment{}, false, errMoved
	}
	h.LastSeq = c.next - 1
	more := len(c.baseline) > 0 || c.enc.Pending() || c.next <= head
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
		c.checked, c.size, c.since, c.segments = now, 0, 0, 0
	}
	c.size += restored
	c.since += lines.Len() - restored
	c.segments++
	c.n++
	c.cut = now
	c.ended = h.End
	return Segment{N: h.N, Checkpoint: h.Checkpoint, End: h.End, More: more, Skipped: skipped, Bytes: packed}, true, nil
}

// start begins with a log that nothing was sent of: with the newest part of one that runs already, with the whole of one that came since.
func (c *Cutter) start() {
	again := c.gen != 0 || c.cut != (time.Time{})
	c.gen, c.begun = c.rec.Generation(), true
	from := c.rec.First()
	if head, _ := c.rec.Head(); !again && head > uint64(c.o.History) {
		from = max(from, head-uint64(c.o.History)+1)
		for _, p := range c.positions { // what the speaker looks at is part of it
			if p.gen == c.gen {
				from = max(c.rec.First(), min(from, shownAt(&p.Position)))
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
	if c.last != nil && c.last.gen != c.gen {
		c.last = nil
	}
	c.from(from)
}

// from goes on with the event of a seq, or with the first after it that can be had.
func (c *Cutter) from(seq uint64) {
	f := c.rec.FoldAt(seq - 1)
	c.next = f.Seq() + 1
	c.restore(f)
}

// restore puts what f holds before what comes next.
func (c *Cutter) restore(f *trace.Fold) {
	c.baseline = f.Baseline()
	c.partial = false
	c.enc.Renumber()
	c.before, c.stripped = c.stripped, map[any][]byte{}
}

// due says whether it is time for a checkpoint. One reason is that enough was sent since the last one, so that no large checkpoint is sent for a few
// events. The other is that a late follower would have many segments to fetch.
func (c *Cutter) due(now time.Time) bool {
	return c.since >= max(c.o.CheckpointBytes, c.size) || c.segments >= maxSegments ||
		now.Sub(c.checked) >= c.o.CheckpointEvery && c.since > c.size/4 && c.since > 0
}

// ready says whether a position waits that can go out now.
func (c *Cutter) ready() bool {
	for i := range c.positions {
		if p := &c.positions[i]; p.gen != c.gen || p.Seq < c.next {
			return true
		}
	}
	return false
}

// restored writes what is left of a checkpoint, until the segment is long enough, and says how many bytes that is.
func (c *Cutter) restored(w *bytes.Buffer) (int, error) {
	for len(c.baseline) > 0 && w.Len() < cutAt {
		whole, err := c.write(w, &c.baseline[0])
		if err != nil || !whole {
			return w.Len(), err
		}
		if c.baseline = c.baseline[1:]; len(c.baseline) == 0 {
			c.before = nil
			if c.last != nil && c.last.Seq < c.next {
				if err := writePosition(w, &c.last.Position); err != nil {
					return w.Len(), err
				}
			}
		}
	}
	return w.Len(), nil
}

// fill writes lines until the segment is long enough or the log is at its end.
func (c *Cutter) fill(w *bytes.Buffer, head uint64) error {
	if c.partial {
		whole, err := c.write(w, nil)
		if err != nil || !whole {
			return err
		}
		c.partial = false
		c.next++
	}
	var failed error
	c.rec.Read(c.next, head, func(e *trace.Event) bool {
		if e.Seq != c.next {
			return false // some were forgotten just now: the next segment says so
		}
		if failed = c.place(w); failed != nil {
			return false
		}
		whole, err := c.write(w, e)
		if err != nil {
			failed = err
			return false
		}
		if c.partial = !whole; whole {
			c.next++
		}
		return whole && w.Len() < cutAt
	})
	if failed == nil && !c.partial {
		failed = c.place(w)
	}
	return failed
}

// place writes the positions that the speaker had before the next event came.
func (c *Cutter) place(w *bytes.Buffer) error {
	for len(c.positions) > 0 && (c.positions[0].gen != c.gen || c.positions[0].Seq < c.next) {
		p := c.positions[0]
		c.positions = c.positions[1:]
		if p.gen != c.gen {
			continue
		}
		c.last = &p
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

// shownAt is the seq that a position speaks of, if it says one: pages put it under "seq".
func shownAt(p *Position) uint64 {
	var words struct {
		Seq uint64 `json:"seq"`
	}
	if json.Unmarshal(p.Body, &words) != nil || words.Seq == 0 {
		return p.Seq
	}
	return min(words.Seq, p.Seq)
}

// write writes an event's lines, or those that are left of the one before, and says whether they are all written.
//
//eventmembers:any a text is cut whatever it says
func (c *Cutter) write(w *bytes.Buffer, e *trace.Event) (whole bool, err error) {
	if !c.enc.Pending() {
		if len(e.Text) > maxText && e.Kind != trace.KindRestored && e.Kind != trace.KindSelected {
			short := *e
			if short.Text = ""; !trace.TextIsJSON(e.Kind) {
				short.Text = e.Text[:maxText]
			}
			e = &short
		}
		if err := c.enc.Start(e); err != nil {
			// A kind that no file has says nothing to a fold either; the seq is kept by a note without words.
			blank := trace.Event{Seq: e.Seq, At: e.At, Lane: e.Lane, Event: informer.Event{Kind: trace.KindNote}}
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

// toJSON is what goes out of an object.
func (c *Cutter) toJSON(o any) ([]byte, error) {
	if c.o.Bodies {
		raw, err := trace.MarshalObject(o)
		if err != nil || len(raw) <= maxBody {
			return raw, err
		}
		return Strip(raw)
	}
	if raw, ok := c.before[o]; ok {
		c.stripped[o] = raw
		return raw, nil
	}
	raw, err := trace.MarshalObject(o)
	if err != nil {
		return nil, err
	}
	if raw, err = Strip(raw); err == nil {
		c.stripped[o] = raw
	}
	return raw, err
}
