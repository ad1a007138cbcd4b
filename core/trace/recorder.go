package trace

import (
	"context"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/informer"
	"informerscope/core/workqueue"
)

// RecorderOptions set a Recorder up; the zero value is usable.
type RecorderOptions struct {
	// Clock gives the events their times; the real one when nil.
	Clock clock.PassiveClock
	// MaxEvents is how many events are kept, 262,144 when 0. The oldest go first, a thousand or so at a time.
	MaxEvents int
	// MaxBytes bounds what the kept events and the objects that they brought take, about; 96 MiB when 0. Objects count with what
	// their Weight() says is held, and with 1 KiB when they have none.
	MaxBytes int
	// CheckpointEvery is the distance of the folds that are kept for going back, 4,096 events when 0.
	CheckpointEvery int
}

// maxPending is how many evicted chunks may wait for a reader to fold them before the writer does it.
const maxPending = 8

// mostOfChunk is how many times what a log may take one piece of it takes at most, for a log keeps its newest piece whatever that takes.
const mostOfChunk = 4

// maxSpare is how many chunks are kept to be written again: as many as a writer who was interrupted while it folded has to catch up with.
const maxSpare = 96

// Recorder keeps the newest events of a log, and the folds needed to show any
// moment of it. All its methods may be called at any time from any goroutine.
type Recorder struct {
	opts RecorderOptions

	mu      sync.Mutex
	timer   atomic.Pointer[timer] // written with mu held
	chunks  []*chunk
	last    *chunk   // of chunks
	gone    []*chunk // evicted, not in base yet
	folding bool     // catchUp runs
	spare   []*chunk // evicted, in base, and never seen by a reader: written again
	seq     uint64
	at      time.Duration
	bytes   int
	read    uint64 // highest seq a reader may have seen
	wake    chan struct{}
	gen     uint64

	origin *Fold // what stands before the log's first event; nil: nothing

	foldMu sync.Mutex // taken before mu
	base   *Fold      // at or before the oldest event kept
	points []*Fold    // checkpoints by seq, all after base
	foldOf uint64     // the gen that base belongs to
}

// timer is what the times of a log are read from.
type timer struct {
	clock clock.PassiveClock
	start time.Time // of the log
}

func (t *timer) now() time.Duration { return t.clock.Since(t.start) }

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
	r := &Recorder{opts: o, base: NewFold()}
	r.timer.Store(&timer{o.Clock, o.Clock.Now()})
	return r
}

type laneObserver struct {
	r    *Recorder
	lane uint8
}

// Observe implements informer.Observer.
func (o *laneObserver) Observe(e *informer.Event) { o.r.append(o.lane, e) }

// Now implements informer.TimedObserver.
func (o *laneObserver) Now() time.Duration { return o.r.timer.Load().now() }

// ObserveAt implements informer.TimedObserver.
func (o *laneObserver) ObserveAt(now time.Duration, es []informer.Event) {
	o.r.appendAt(now, o.lane, es)
}

// Lane returns the Observer for the informer of a lane.
func (r *Recorder) Lane(i uint8) informer.TimedObserver { return &laneObserver{r, i} }

type workObserver struct {
	r    *Recorder
	lane uint8
}

// Observe implements workqueue.Observer.
func (o *workObserver) Observe(e *workqueue.Event) {
	if e.Kind < workqueue.KindAdded || e.Kind > workqueue.KindShuttingDown {
		return
	}
	o.r.append(o.lane, &informer.Event{
		Kind:     KindWorkAdded + informer.Kind(e.Kind-workqueue.KindAdded),
		Flag:     e.Flag,
		Listener: e.Worker,
		N:        e.N,
		Key:      e.Key,
		Dur:      e.Dur,
	})
}

// WorkLane returns the Observer for the work queue behind the informer of a lane.
func (r *Recorder) WorkLane(i uint8) workqueue.Observer { return &workObserver{r, i} }

// Emit appends an event and returns its seq.
func (r *Recorder) Emit(lane uint8, e informer.Event) uint64 { return r.append(lane, &e) }

// unweighed is what an object counts for that does not say how large it is.
const unweighed = 1024

// size is how much memory an object takes that came from outside, about.
func size(obj any) int {
	if o, ok := asWeigher(obj); ok {
		held, _ := o.Weight()
		return held
	}
	if obj == nil {
		return 0
	}
	return unweighed
}

// brought is how many bytes of objects an event brings that no event before it did, about.
//
//eventmembers:any a text takes memory whatever it says
func brought(e *informer.Event) int {
	n := len(e.Text)
	switch e.Kind {
	case informer.KindWatchEvent, KindWireFrame:
		n += size(e.Obj)
	case informer.KindQueued:
		if e.Op == informer.OpReplaced || weigh(e.Obj).dropped() { // what a transform made is an object of its own
			n += size(e.Obj)
		}
		fallthrough
	case KindRestored:
		for i := range e.Items {
			n += size(e.Items[i].Obj)
		}
		n += len(e.Items) * itemBytes
	case informer.KindStoreReplaced, informer.KindIndexersAdded:
		n += len(e.Items) * itemBytes
	}
	return n
}

// append is on the informer's hot path, with its locks held.
func (r *Recorder) append(lane uint8, e *informer.Event) uint64 {
	brings := brought(e)
	at := r.timer.Load().now()
	r.mu.Lock()
	r.put(r.checked(at), lane, e, brings)
	return r.appended()
}

// appendAt is append for events of one moment.
func (r *Recorder) appendAt(at time.Duration, lane uint8, es []informer.Event) {
	r.mu.Lock()
	at = r.checked(at)
	for i := range es {
		r.put(at, lane, &es[i], brought(&es[i]))
	}
	r.appended()
}

// checked gives an event its time, which was read before mu was held, so that nobody waits for the clock: others may have appended events since
// that are later, and then this one is as late; or the log began anew.
func (r *Recorder) checked(at time.Duration) time.Duration {
	if at > r.at+time.Millisecond {
		at = min(at, r.timer.Load().now())
	}
	return max(at, r.at)
}

// appended is what follows puts with mu held, which it releases. It returns the newest event's seq.
func (r *Recorder) appended() uint64 {
	r.wakeLocked()
	seq, gone := r.seq, len(r.gone)
	start := threads && gone > maxPending && !r.folding
	if start {
		r.folding = true
	}
	r.mu.Unlock()
	switch {
	case start:
		go r.catchUp()
	case gone > maxSpare, !threads && gone > maxPending:
		r.help()
	}
	return seq
}

// threads: goroutines can run at the same time. Where they cannot, another one would only change the order in which the others run.
const threads = runtime.GOARCH != "wasm"

// wakeLocked tells those who wait for an event or a Reset.
func (r *Recorder) wakeLocked() {
	if r.wake != nil {
		close(r.wake)
		r.wake = nil
	}
}

// catchUp folds for want of a reader who would, until there is nothing left to fold. It has a goroutine of its own, which is started when too
// much is evicted: who appends holds locks of the informer, and others wait for them.
func (r *Recorder) catchUp() {
	for {
		r.foldMu.Lock()
		r.settle(1)
		r.foldMu.Unlock()
		r.mu.Lock()
		if len(r.gone) == 0 {
			r.folding = false
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
	}
}

// help folds where events come faster than catchUp folds them: a chunk's worth for a chunk's worth.
func (r *Recorder) help() {
	if r.foldMu.TryLock() {
		r.settle(1)
		r.foldMu.Unlock()
	}
}

// put appends with mu held. At is not before that of the event before it; brings is what the event brought.
func (r *Recorder) put(at time.Duration, lane uint8, e *informer.Event, brings int) {
	r.at = at
	r.seq++
	c := r.last
	if c == nil || c.n == chunkEvents || c.bytes > mostOfChunk*r.opts.MaxBytes {
		c = r.nextChunk()
	}
	brings += c.add(at, lane, e)
	c.bytes += brings
	r.bytes += brings
	if c.n == 1 || r.bytes > r.opts.MaxBytes {
		for len(r.chunks) > 1 && (r.bytes > r.opts.MaxBytes || r.count() > r.opts.MaxEvents) {
			old := r.chunks[0]
			r.chunks[0] = nil
			r.chunks = r.chunks[1:]
			r.bytes -= old.bytes
			r.gone = append(r.gone, old)
		}
	}
}

// nextChunk begins a chunk with the event r.seq.
func (r *Recorder) nextChunk() *chunk {
	var c *chunk
	if n := len(r.spare); n > 0 {
		c = r.spare[n-1]
		r.spare[n-1] = nil
		r.spare = r.spare[:n-1]
	} else {
		c = newChunk(r.last)
	}
	c.first = r.seq
	r.chunks = append(r.chunks, c)
	r.last = c
	return c
}

func (r *Recorder) count() int {
	if len(r.chunks) == 0 {
		return 0
	}
	return int(r.seq - r.chunks[0].first + 1)
}

// Head returns the newest event's seq and time; 0, 0 of an empty log.
func (r *Recorder) Head() (seq uint64, at time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seq, r.at
}

// Now is the time on the log's clock.
func (r *Recorder) Now() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(r.timer.Load().now(), r.at)
}

// First returns the seq of the oldest event kept; one more than Head's when there is none.
func (r *Recorder) First() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first()
}

func (r *Recorder) first() uint64 {
	if len(r.chunks) == 0 {
		return r.seq + 1
	}
	return r.chunks[0].first
}

// span returns the pieces that hold from..to, as far as they are kept.
// Afterwards they may be read without the lock: what is packed is final once r.read covers it.
func (r *Recorder) span(from, to uint64, evicted bool) (parts []part) {
	r.mu.Lock()
	defer r.mu.Unlock()
	to = min(to, r.seq)
	r.read = max(r.read, to)
	add := func(c *chunk) {
		lo, hi := uint64(0), uint64(c.n)
		if from > c.first {
			lo = from - c.first
		}
		if c.first > to {
			return
		}
		hi = min(hi, to-c.first+1)
		if lo < hi {
			parts = append(parts, part{c.packed, int(lo), int(hi)})
		}
	}
	if evicted {
		for _, c := range r.gone {
			add(c)
		}
	}
	i := sort.Search(len(r.chunks), func(i int) bool { return r.chunks[i].first+uint64(r.chunks[i].n) > from })
	for ; i < len(r.chunks) && r.chunks[i].first <= to; i++ {
		add(r.chunks[i])
	}
	return parts
}

// Read calls fn for the kept events from..to, both included, in order, until
// it returns false. No lock is held meanwhile. Each event is made for fn,
// which may keep it; what it refers to must not be changed. A follower whose next event is
// before First has fallen behind by more than is kept: it goes on from FoldAt.
func (r *Recorder) Read(from, to uint64, fn func(*Event) bool) {
	for _, p := range r.span(from, to, false) {
		if !p.each(fn) {
			return
		}
	}
}

// Event returns one event, nil when it is not kept.
func (r *Recorder) Event(seq uint64) *Event {
	for _, p := range r.span(seq, seq, false) {
		e := new(Event)
		u := p.from(p.lo)
		u.next(e)
		return e
	}
	return nil
}

// SeqAt returns the seq of the last event at or before a time; when all kept
// ones are later, one less than First.
func (r *Recorder) SeqAt(at time.Duration) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := sort.Search(len(r.chunks), func(i int) bool { return r.chunks[i].began() > at })
	if i == 0 {
		return r.first() - 1
	}
	c := r.chunks[i-1]
	return c.first + uint64(c.until(at)) - 1
}

// FoldAt returns the fold of the log up to and including seq. Seqs that are
// not kept any more give the oldest fold that can be had, seqs after the head
// the head's; Fold.Seq says which. The Fold is the caller's.
func (r *Recorder) FoldAt(seq uint64) *Fold {
	r.foldMu.Lock()
	defer r.foldMu.Unlock()
	r.settle(0)
	if first := r.First(); seq+1 < first {
		seq = first - 1
	}
	i := sort.Search(len(r.points), func(i int) bool { return r.points[i].seq > seq })
	near := r.base
	if i > 0 {
		near = r.points[i-1]
	}
	f := near.Clone()
	every := uint64(r.opts.CheckpointEvery)
	if seq > f.seq {
		next := f.seq + every
		for _, p := range r.span(f.seq+1, seq, true) {
			p.lend(func(e *Event) {
				f.Apply(e)
				if f.seq >= next {
					r.offer(f)
					next = f.seq + every
				}
			})
		}
	}
	return f
}

// Offer lets the Recorder keep a clone of a Fold of this very log as a checkpoint, when none
// is near. Who follows the log anyway saves FoldAt the work: call it now and then, after Apply.
func (r *Recorder) Offer(f *Fold) {
	r.foldMu.Lock()
	defer r.foldMu.Unlock()
	r.settle(0)
	if head, _ := r.Head(); f.seq > head || f.seq < r.base.seq {
		return
	}
	r.offer(f)
}

// offer keeps a clone of f when no checkpoint is near before it. With foldMu held.
func (r *Recorder) offer(f *Fold) {
	every := uint64(r.opts.CheckpointEvery)
	i := sort.Search(len(r.points), func(i int) bool { return r.points[i].seq > f.seq })
	before := r.base.seq
	if i > 0 {
		before = r.points[i-1].seq
	}
	if f.seq < before+every || i < len(r.points) && r.points[i].seq < f.seq+every/2 {
		return
	}
	r.points = append(r.points, nil)
	copy(r.points[i+1:], r.points[i:])
	r.points[i] = f.Clone()
}

// settle moves the base over the evicted chunks, at most so many when limit is
// not 0, and starts anew after a Reset. With foldMu held.
func (r *Recorder) settle(limit int) {
	r.mu.Lock()
	gone, gen, origin := r.gone, r.gen, r.origin
	r.mu.Unlock()
	if gen != r.foldOf {
		r.base, r.points, r.foldOf = NewFold(), nil, gen
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
	end := last.first + uint64(last.n) - 1
	i := sort.Search(len(r.points), func(i int) bool { return r.points[i].seq > end })
	if i > 0 {
		r.base = r.points[i-1]
		clear(r.points[:i])
		r.points = r.points[i:]
	}
	r.base.alone = true
	for _, c := range gone {
		if next := r.base.seq + 1; next < c.first+uint64(c.n) {
			p := part{c.packed, int(max(next, c.first) - c.first), c.n}
			var e Event
			for u := p.from(p.lo); u.i < p.hi; { // lend, but for a call less an event
				u.next(&e)
				r.base.Apply(&e)
			}
		}
	}
	r.mu.Lock()
	if r.gen == gen {
		for _, c := range gone {
			if c.first > r.read && len(r.spare) < maxSpare { // nobody was ever given a piece of it
				c.empty()
				r.spare = append(r.spare, c)
			}
		}
		r.gone = slices.Delete(r.gone, 0, len(gone))
	}
	r.mu.Unlock()
}

// Changed returns a channel that is closed when the next event comes, or at a Reset.
func (r *Recorder) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.wake == nil {
		r.wake = make(chan struct{})
	}
	return r.wake
}

// Wait returns when the log's head is beyond after, or with ctx's error.
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

// Generation counts the Resets, Loads and Begins; seqs of different generations have nothing in common.
func (r *Recorder) Generation() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gen
}

// Reset forgets everything; the log begins anew, now, with seq 1, on the Recorder's own clock. Observers
// stay connected: stop the informers first whose last events should not be in it.
func (r *Recorder) Reset() { r.ResetOn(r.opts.Clock) }

// ResetOn is Reset, but the new log's times are those of c.
func (r *Recorder) ResetOn(c clock.PassiveClock) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reset(c)
}

func (r *Recorder) reset(c clock.PassiveClock) {
	r.chunks, r.last, r.gone, r.spare, r.origin = nil, nil, nil, nil, nil
	r.seq, r.at, r.bytes, r.read = 0, 0, 0, 0
	r.timer.Store(&timer{c, c.Now()})
	r.gen++
	r.wakeLocked()
}

// endsNow makes the log's newest event one of this moment. With mu held.
func (r *Recorder) endsNow() {
	c := r.timer.Load().clock
	r.timer.Store(&timer{c, c.Now().Add(-r.at)})
}

// Empty returns an empty Recorder with the same bounds, for a log that is to be loaded.
func (r *Recorder) Empty() *Recorder { return NewRecorder(r.opts) }

// Load replaces the log by that of another Recorder, which must not be used any more.
func (r *Recorder) Load(log *Recorder) {
	log.foldMu.Lock()
	log.settle(0)
	base := log.base
	log.foldMu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reset(r.opts.Clock)
	r.origin = base
	r.chunks, r.last, r.seq, r.at, r.bytes, r.read = log.chunks, log.last, log.seq, log.at, log.bytes, log.read
	r.endsNow()
}
