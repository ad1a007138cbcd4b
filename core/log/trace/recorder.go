package trace

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// RecorderOptions configure a Recorder; the zero value is usable.
type RecorderOptions struct {
	// Clock gives the events their times; the real clock when nil.
	Clock clock.PassiveClock
	// MaxEvents is how many events are kept, 262,144 when 0. The oldest are evicted first, about a thousand at a time.
	MaxEvents int
	// MaxBytes roughly bounds the memory of the kept events and the objects that they brought; 96 MiB when 0. An object counts with the bytes held by its
	// Weight(), and with 1 KiB if it has no Weight.
	MaxBytes int
	// CheckpointEvery is the distance in events between the folds that are kept for going back, 4,096 when 0.
	CheckpointEvery int
}

// maxPending is how many evicted chunks may wait for a reader to fold them; beyond that the writer has them folded.
const maxPending = 8

// mostOfChunk bounds one chunk, as a multiple of MaxBytes: the newest chunk is kept whatever its size.
const mostOfChunk = 4

// maxSpare is how many chunks are kept for reuse: as many as a writer that was interrupted while folding has to catch up with.
const maxSpare = 96

// Recorder keeps the newest events of a log, and the folds needed to show any moment of it. Its methods are safe for concurrent use.
type Recorder struct {
	opts RecorderOptions

	mu      sync.Mutex
	timer   atomic.Pointer[timer] // written with mu held
	chunks  []*event.Chunk
	last    *event.Chunk   // of chunks
	evicted []*event.Chunk // evicted, not in base yet
	folding bool           // catchUp runs
	spare   []*event.Chunk // evicted, in base, and never seen by a reader: for reuse
	seq     uint64
	at      time.Duration
	bytes   int
	read    uint64 // highest seq a reader may have seen
	wake    chan struct{}
	gen     uint64

	origin *fold.Fold // the state before the log's first event; nil: empty

	foldMu sync.Mutex   // taken before mu
	base   *fold.Fold   // at or before the oldest kept event
	points []*fold.Fold // checkpoints by seq, all after base
	foldOf uint64       // the gen of base
}

// timer is the source of a log's times.
type timer struct {
	clock clock.PassiveClock
	start time.Time // of the log
}

func (t *timer) now() time.Duration { return t.clock.Since(t.start) }

// standing is the clock of a log that has ended.
type standing struct{}

func (standing) Now() time.Time                  { return time.Time{} }
func (standing) Since(t time.Time) time.Duration { return time.Time{}.Sub(t) }

// NewRecorder returns an empty Recorder whose log begins now.
func NewRecorder(o RecorderOptions) *Recorder {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.MaxEvents <= 0 {
		o.MaxEvents = 262144
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 96 << 20
	}
	if o.CheckpointEvery <= 0 {
		o.CheckpointEvery = 4096
	}
	r := &Recorder{opts: o, base: fold.NewFold()}
	r.timer.Store(&timer{o.Clock, o.Clock.Now()})
	return r
}

type laneObserver struct {
	r    *Recorder
	lane uint8
}

// Observe implements event.Observer.
func (o *laneObserver) Observe(e *event.Event) { o.r.append(o.lane, e) }

// Now implements event.TimedObserver.
func (o *laneObserver) Now() time.Duration { return o.r.timer.Load().now() }

// ObserveAt implements event.TimedObserver.
func (o *laneObserver) ObserveAt(now time.Duration, es []event.Event) {
	o.r.appendAt(now, o.lane, es)
}

// Lane returns the Observer for the informer of a lane, and for the work queue behind it.
func (r *Recorder) Lane(i uint8) event.TimedObserver { return &laneObserver{r, i} }

// Emit appends an event and returns its seq.
func (r *Recorder) Emit(lane uint8, e event.Event) uint64 { return r.append(lane, &e) }

// append is on the informer's hot path, and runs with its locks held.
func (r *Recorder) append(lane uint8, e *event.Event) uint64 {
	brings := e.NewBytes()
	at := r.timer.Load().now()
	r.mu.Lock()
	r.put(r.eventTime(at), lane, e, brings)
	return r.finishAppend()
}

// appendAt is append for several events at one time.
func (r *Recorder) appendAt(at time.Duration, lane uint8, es []event.Event) {
	r.mu.Lock()
	at = r.eventTime(at)
	for i := range es {
		r.put(at, lane, &es[i], es[i].NewBytes())
	}
	r.finishAppend()
}

// eventTime returns the time of an event. The clock was read before mu was taken, so that no other writer waits for it. Meanwhile others may have appended
// later events, and then this one gets their time; or the log may have been reset.
func (r *Recorder) eventTime(at time.Duration) time.Duration {
	if at > r.at+time.Millisecond {
		at = min(at, r.timer.Load().now())
	}
	return max(at, r.at)
}

// finishAppend ends an append that holds mu, and releases it. It returns the newest event's seq.
func (r *Recorder) finishAppend() uint64 {
	r.wakeLocked()
	seq, gone := r.seq, len(r.evicted)
	start := threads && gone > maxPending && !r.folding
	if start {
		r.folding = true
	}
	r.mu.Unlock()
	switch {
	case start:
		go r.catchUp()
	case gone > maxSpare, !threads && gone > maxPending:
		r.foldOneChunk()
	}
	return seq
}

// threads: goroutines can run in parallel. Where they cannot, a further goroutine would only reorder the others.
const threads = runtime.GOARCH != "wasm"

// wakeLocked wakes those that wait for an event or a Reset.
func (r *Recorder) wakeLocked() {
	if r.wake != nil {
		close(r.wake)
		r.wake = nil
	}
}

// catchUp folds evicted chunks until none is left, when no reader does. It runs in a goroutine of its own, started when too much is evicted: a writer holds
// the informer's locks, and others wait for them.
func (r *Recorder) catchUp() {
	for {
		r.foldMu.Lock()
		r.advanceBase(1)
		r.foldMu.Unlock()
		r.mu.Lock()
		if len(r.evicted) == 0 {
			r.folding = false
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
	}
}

// foldOneChunk folds one chunk in the caller's goroutine: where there are no threads, or where events arrive faster than catchUp folds them.
func (r *Recorder) foldOneChunk() {
	if r.foldMu.TryLock() {
		r.advanceBase(1)
		r.foldMu.Unlock()
	}
}

// put appends an event, with mu held. At must not be before the last event's; brings is brought(e).
func (r *Recorder) put(at time.Duration, lane uint8, e *event.Event, brings int) {
	r.at = at
	r.seq++
	c := r.last
	if c == nil || c.Len == event.ChunkEvents || c.Bytes > mostOfChunk*r.opts.MaxBytes {
		c = r.nextChunk()
	}
	brings += c.Add(at, lane, e)
	c.Bytes += brings
	r.bytes += brings
	if c.Len == 1 || r.bytes > r.opts.MaxBytes {
		for len(r.chunks) > 1 && (r.bytes > r.opts.MaxBytes || r.count() > r.opts.MaxEvents) {
			old := r.chunks[0]
			r.chunks[0] = nil
			r.chunks = r.chunks[1:]
			r.bytes -= old.Bytes
			r.evicted = append(r.evicted, old)
		}
	}
}

// nextChunk begins a chunk with the event r.seq.
func (r *Recorder) nextChunk() *event.Chunk {
	var c *event.Chunk
	if n := len(r.spare); n > 0 {
		c = r.spare[n-1]
		r.spare[n-1] = nil
		r.spare = r.spare[:n-1]
	} else {
		c = event.NewChunk(r.last)
	}
	c.First = r.seq
	r.chunks = append(r.chunks, c)
	r.last = c
	return c
}

func (r *Recorder) count() int {
	if len(r.chunks) == 0 {
		return 0
	}
	return int(r.seq - r.chunks[0].First + 1)
}

// Head returns the newest event's seq and time; 0, 0 for an empty log.
func (r *Recorder) Head() (seq uint64, at time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seq, r.at
}

// Now returns the time on the log's clock.
func (r *Recorder) Now() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(r.timer.Load().now(), r.at)
}

// First returns the seq of the oldest kept event; one more than Head's if there is none.
func (r *Recorder) First() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first()
}

func (r *Recorder) first() uint64 {
	if len(r.chunks) == 0 {
		return r.seq + 1
	}
	return r.chunks[0].First
}

// span returns the pieces that hold from..to, as far as they are kept. They may then be read without the lock: packed data is final once r.read covers it.
func (r *Recorder) span(from, to uint64, evicted bool) (parts []event.Part) {
	r.mu.Lock()
	defer r.mu.Unlock()
	to = min(to, r.seq)
	r.read = max(r.read, to)
	add := func(c *event.Chunk) {
		lo, hi := uint64(0), uint64(c.Len)
		if from > c.First {
			lo = from - c.First
		}
		if c.First > to {
			return
		}
		hi = min(hi, to-c.First+1)
		if lo < hi {
			parts = append(parts, c.Part(int(lo), int(hi)))
		}
	}
	if evicted {
		for _, c := range r.evicted {
			add(c)
		}
	}
	i := sort.Search(len(r.chunks), func(i int) bool { return r.chunks[i].First+uint64(r.chunks[i].Len) > from })
	for ; i < len(r.chunks) && r.chunks[i].First <= to; i++ {
		add(r.chunks[i])
	}
	return parts
}

// Retain returns the kept events from..to and the seq of the first. Unlike Read's, they stay even if the log evicts them meanwhile.
func (r *Recorder) Retain(from, to uint64) (first uint64, events iter.Seq[*event.Entry]) {
	parts := r.span(from, to, false)
	if len(parts) > 0 {
		first = parts[0].FirstSeq()
	}
	return first, func(yield func(*event.Entry) bool) {
		for _, p := range parts {
			if !p.Each(yield) {
				return
			}
		}
	}
}

// Read calls fn for the kept events from..to, inclusive and in order, until it returns false. It holds no lock meanwhile. The events are allocated for fn,
// which may keep them but must not change what they refer to. A reader whose next event is before First has fallen too far behind: it continues from FoldAt.
func (r *Recorder) Read(from, to uint64, fn func(*event.Entry) bool) {
	for _, p := range r.span(from, to, false) {
		if !p.Each(fn) {
			return
		}
	}
}

// Events is Read as an iterator.
func (r *Recorder) Events(from, to uint64) iter.Seq[*event.Entry] {
	return func(yield func(*event.Entry) bool) { r.Read(from, to, yield) }
}

// Event returns one event, nil if it is not kept.
func (r *Recorder) Event(seq uint64) *event.Entry {
	for _, p := range r.span(seq, seq, false) {
		e := new(event.Entry)
		reader := p.Reader()
		reader.Read(e)
		return e
	}
	return nil
}

// SeqAt returns the seq of the last event at or before a time; one less than First if all kept events are later.
func (r *Recorder) SeqAt(at time.Duration) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := sort.Search(len(r.chunks), func(i int) bool { return r.chunks[i].Start() > at })
	if i == 0 {
		return r.first() - 1
	}
	c := r.chunks[i-1]
	return c.First + uint64(c.CountUntil(at)) - 1
}

// FoldAt returns the fold of the log up to and including seq. For a seq that is no longer kept it returns the oldest possible fold, and for one after the
// head the head's; Fold.Seq tells them apart. The caller owns the Fold.
func (r *Recorder) FoldAt(seq uint64) *fold.Fold {
	r.foldMu.Lock()
	defer r.foldMu.Unlock()
	r.advanceBase(0)
	if first := r.First(); seq+1 < first {
		seq = first - 1
	}
	i := sort.Search(len(r.points), func(i int) bool { return r.points[i].Seq() > seq })
	near := r.base
	if i > 0 {
		near = r.points[i-1]
	}
	f := near.Clone()
	every := uint64(r.opts.CheckpointEvery)
	if seq > f.Seq() {
		next := f.Seq() + every
		for _, p := range r.span(f.Seq()+1, seq, true) {
			p.Lend(func(e *event.Entry) {
				f.Apply(e)
				if f.Seq() >= next {
					r.offer(f)
					next = f.Seq() + every
				}
			})
		}
	}
	return f
}

// Offer lets the Recorder keep a clone of a Fold of this log as a checkpoint, if none is near. A reader that folds the log should call it now and then after
// Apply, which saves FoldAt the work.
func (r *Recorder) Offer(f *fold.Fold) {
	r.foldMu.Lock()
	defer r.foldMu.Unlock()
	r.advanceBase(0)
	if head, _ := r.Head(); f.Seq() > head || f.Seq() < r.base.Seq() {
		return
	}
	r.offer(f)
}

// offer keeps a clone of f if no checkpoint is near before it. It needs foldMu.
func (r *Recorder) offer(f *fold.Fold) {
	every := uint64(r.opts.CheckpointEvery)
	i := sort.Search(len(r.points), func(i int) bool { return r.points[i].Seq() > f.Seq() })
	before := r.base.Seq()
	if i > 0 {
		before = r.points[i-1].Seq()
	}
	if f.Seq() < before+every || i < len(r.points) && r.points[i].Seq() < f.Seq()+every/2 {
		return
	}
	r.points = append(r.points, nil)
	copy(r.points[i+1:], r.points[i:])
	r.points[i] = f.Clone()
}

// advanceBase moves the base over the evicted chunks, at most limit of them if limit is not 0. After a Reset it starts again from an empty base. It needs
// foldMu.
func (r *Recorder) advanceBase(limit int) {
	r.mu.Lock()
	gone, gen, origin := r.evicted, r.gen, r.origin
	r.mu.Unlock()
	if gen != r.foldOf {
		r.base, r.points, r.foldOf = fold.NewFold(), nil, gen
		if origin != nil {
			r.base = origin.Clone()
		}
	}
	if len(gone) == 0 {
		return
	}
	if limit > 0 && len(gone) > limit {
		gone = gone[:limit]
	}
	last := gone[len(gone)-1]
	end := last.First + uint64(last.Len) - 1
	i := sort.Search(len(r.points), func(i int) bool { return r.points[i].Seq() > end })
	if i > 0 {
		r.base = r.points[i-1]
		clear(r.points[:i])
		r.points = r.points[i:]
	}
	r.base.ChangeInPlace()
	for _, c := range gone {
		if next := r.base.Seq() + 1; next < c.First+uint64(c.Len) {
			p := c.Part(int(max(next, c.First)-c.First), c.Len)
			var e event.Entry
			for reader := p.Reader(); reader.Read(&e); { // lend, inlined to save a call for each event
				r.base.Apply(&e)
			}
		}
	}
	r.mu.Lock()
	if r.gen == gen {
		for _, c := range gone {
			if c.First > r.read && len(r.spare) < maxSpare { // no reader ever got a piece of it
				c.Empty()
				r.spare = append(r.spare, c)
			}
		}
		r.evicted = slices.Delete(r.evicted, 0, len(gone))
	}
	r.mu.Unlock()
}

// Changed returns a channel that is closed at the next event or Reset.
func (r *Recorder) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.wake == nil {
		r.wake = make(chan struct{})
	}
	return r.wake
}

// Wait returns nil when the log's head is beyond after, or ctx's error.
func (r *Recorder) Wait(ctx context.Context, after uint64) error {
	for {
		r.mu.Lock()
		if r.seq > after {
			r.mu.Unlock()
			return nil
		}
		if r.wake == nil {
			r.wake = make(chan struct{})
		}
		ch := r.wake
		r.mu.Unlock()
		select {
		case <-ch:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Generation counts the Resets, Loads and Begins; seqs of different generations are unrelated.
func (r *Recorder) Generation() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gen
}

// Reset drops all events; the log begins again now with seq 1, on the Recorder's own clock. Observers stay connected: to keep an informer's last events out
// of the new log, stop it first.
func (r *Recorder) Reset() { r.ResetOn(r.opts.Clock) }

// ResetOn is Reset, with the new log's times from c.
func (r *Recorder) ResetOn(c clock.PassiveClock) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reset(c)
}

func (r *Recorder) reset(c clock.PassiveClock) {
	r.chunks, r.last, r.evicted, r.spare, r.origin = nil, nil, nil, nil, nil
	r.seq, r.at, r.bytes, r.read = 0, 0, 0, 0
	r.timer.Store(&timer{c, c.Now()})
	r.gen++
	r.wakeLocked()
}

// endsNow sets the log's clock so that its newest event is now. It needs mu.
func (r *Recorder) endsNow() { r.endsAfter(0) }

// endsAfter sets the log's clock so that it goes on from the newest event after a delay. It needs mu.
func (r *Recorder) endsAfter(delay time.Duration) {
	c := r.timer.Load().clock
	r.timer.Store(&timer{c, c.Now().Add(delay - r.at)})
}

// Empty returns an empty Recorder with the same options, for loading a log.
func (r *Recorder) Empty() *Recorder { return NewRecorder(r.opts) }

// Load replaces the log by another Recorder's, which must not be used any more. That log has ended: Now is the time of its newest event from then on.
func (r *Recorder) Load(log *Recorder) {
	log.foldMu.Lock()
	log.advanceBase(0)
	base := log.base
	log.foldMu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reset(r.opts.Clock)
	r.origin = base
	r.chunks, r.last, r.seq, r.at, r.bytes, r.read = log.chunks, log.last, log.seq, log.at, log.bytes, log.read
	r.timer.Store(&timer{standing{}, time.Time{}})
}
