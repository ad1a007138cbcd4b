package probe

import (
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// Options of a Probe. The zero value is usable.
type Options struct {
	// Token admits requests from other machines: "Authorization: Bearer TOKEN". Without one they are refused.
	Token string
	// Events is how many of the newest events are kept while a viewer is attached; 32,768 when 0. One takes 96 bytes.
	Events int
	// Objects are the resources whose objects are recorded whole, as JSON. Their versions do not matter. No other body is recorded, and never that of a Secret.
	// Annotations that are copies of a manifest are left out. The reader's goroutine reads and encodes the objects without a copy. If your program mutates
	// objects of a store, against the rules of client-go, the runtime may end it for that.
	Objects []schema.GroupVersionResource
	// Viewers bounds the viewers that are attached at the same time; 4 when 0.
	Viewers int
}

// Probe observes the informers and work queues of one process. Its methods are safe for concurrent use.
type Probe struct {
	opts      Options
	start     time.Time
	attached  atomic.Bool // a viewer is attached
	measuring atomic.Bool // Measure was called

	attachment    atomic.Uint64 // counts the times that a first viewer attached
	replaceSignal chan struct{}

	mu   sync.Mutex // a leaf lock, held only for an append or a copy
	ring []event    // nil while no viewer is attached
	next uint64
	// newestTime is the time of the newest event.
	newestTime time.Duration
	pins       []pin // recently changed objects, if their bodies are recorded
	// nextPin counts the objects pinned so far.
	nextPin int

	wire   wire
	scenes atomic.Pointer[scenes] // nil while no viewer is attached

	isWired      atomic.Bool // WrapConfig or Transport was called
	writesBroken atomic.Bool

	attachMu       sync.Mutex // serializes attach and detach
	viewers        int
	viewing        sync.WaitGroup // one for each viewer
	recordings     sync.Map       // the *viewers that write
	closed         chan struct{}
	stop           chan struct{}
	stopped        chan struct{}
	refusedViewers atomic.Uint64 // viewers that found no place
	stallTimeout   time.Duration // how long a write may take before the viewer loses its connection

	lanesMu sync.Mutex
	lanes   []*lane
	leftOut int        // informers beyond maxLanes
	queues  []workView // at most as many as lanes
}

// New returns a Probe.
func New(o Options) *Probe {
	if o.Events <= 0 {
		o.Events = 1 << 15
	}
	if o.Viewers <= 0 {
		o.Viewers = 4
	}
	return &Probe{opts: o, start: time.Now(), replaceSignal: make(chan struct{}, 1), closed: make(chan struct{}), stallTimeout: stallTimeout}
}

// Close ends all recordings and the counting for metrics, and returns when no goroutine of the probe is left; a client that reads nothing delays it by up to
// ten seconds. Later requests are refused. The informers and work queues go on, with hooks that do nothing.
func (p *Probe) Close() {
	p.attachMu.Lock()
	if !p.isClosed() {
		close(p.closed)
	}
	p.attachMu.Unlock()
	p.measuring.Store(false)
	p.viewing.Wait()
}

func (p *Probe) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}

// panicPatience is how long a panic waits for the recordings to have it.
const panicPatience = time.Second

func (p *Probe) addViewer(v *viewer)    { p.recordings.Store(v, nil) }
func (p *Probe) removeViewer(v *viewer) { p.recordings.Delete(v) }

// hurry returns when each recording has what happened so far, or after panicPatience: the process may end next.
func (p *Probe) hurry() {
	limit := time.NewTimer(panicPatience)
	defer limit.Stop()
	p.recordings.Range(func(v, _ interface{}) bool {
		done := make(chan struct{})
		select {
		case v.(*viewer).hurry <- done:
		case <-limit.C:
			return false
		}
		select {
		case <-done:
			return true
		case <-limit.C:
			return false
		}
	})
}

// Note adds a mark with this text to the log of every attached viewer.
func (p *Probe) Note(text string) {
	if p.attached.Load() {
		p.emit(event{kind: evNote, text: text})
	}
}

type kind uint8

const (
	evQueued kind = iota + 1
	evStoreAdded
	evStoreUpdated
	evStoreDeleted
	evStoreReplacing // one object of a Replace; evStoreSettled ends the Replace
	evStoreSettled
	evStoreEmptied // a Replace with an empty list
	evHandling
	evHandled
	evDropped
	evMutated
	evSampled
	evWorkAdded
	evWorkDeduplicated
	evWorkMarkedDirty
	evWorkTaken
	evWorkDone
	evWorkWaiting
	evWorkWaitingSooner
	evWorkWaitingUnchanged
	evWorkDue
	evWorkRateLimited
	evWorkForgotten
	evWorkShuttingDown
	evWorkPaused
	evWorkResumed
	evReconciled
	evListerRead
	evListerList
	evWrite
	evWritten
	evWireRequest
	evWireResponse
	evWireBytes
	evWireFrame
	evWireDone
	evNote
	evBaselineStale // what a baseline says of an informer has changed: a new one must follow
)

// event is one fact, small because many are kept.
type event struct {
	at       time.Duration
	dur      time.Duration
	kind     kind
	op       op
	lane     uint8
	flag     bool
	listener int32
	req      uint32
	n        int32
	key, rv  string
	text     string
	// more is what few events have: a *sample, a *lineError, a *written, or the UID of a deleted object.
	more interface{}
}

type op uint8

const (
	opNone op = iota
	opAdded
	opUpdated
	opDeleted
	opReplaced
	opSync
	opReplacedAll
	opBookmark
)

var opNames = [...]string{"", "Added", "Updated", "Deleted", "Replaced", "Sync", "ReplacedAll", "Bookmark"}

// opOf returns the op of an entry of client-go's queue, opNone for another type.
func opOf(d cache.DeltaType) op {
	for o, name := range opNames {
		if name == string(d) {
			return op(o)
		}
	}
	return opNone
}

// emit appends to the log. Events emitted under a lock of the informer are in the order of that lock. An event without a time gets the present one.
func (p *Probe) emit(e event) {
	if e.at == 0 {
		e.at = time.Since(p.start)
	}
	p.mu.Lock()
	if p.ring != nil {
		if e.at < p.newestTime { // another goroutine read the clock later and appended first
			e.at = p.newestTime
		}
		p.newestTime = e.at
		p.next++
		p.ring[p.next%uint64(len(p.ring))] = e
	}
	p.mu.Unlock()
}

// head returns the number of the newest event.
func (p *Probe) head() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next
}

// maxCopy is how many events are copied at once, while hooks wait.
const maxCopy = 1024

// eventsSince copies the events after seq to the end of the log; lost is true if some of them are gone.
func (p *Probe) eventsSince(seq uint64, into []event) (out []event, head uint64, lost bool) {
	head = p.head()
	for out = into; seq < head && !lost; {
		out, seq, lost = p.copyEvents(seq, head, out)
	}
	return out, head, lost
}

func (p *Probe) copyEvents(seq, head uint64, into []event) (out []event, to uint64, lost bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := uint64(len(p.ring))
	if p.next > n && seq < p.next-n {
		return into, head, true
	}
	for to = seq; to < head && to < seq+maxCopy; {
		to++
		into = append(into, p.ring[to%n])
	}
	return into, to, false
}

// attach adds a viewer, and starts the log for the first one. It returns false if there are too many.
func (p *Probe) attach() bool {
	p.attachMu.Lock()
	defer p.attachMu.Unlock()
	if p.isClosed() {
		return false
	}
	if p.viewers >= p.opts.Viewers {
		p.refusedViewers.Add(1)
		return false
	}
	p.viewing.Add(1)
	if p.viewers++; p.viewers > 1 {
		return true
	}
	p.mu.Lock()
	p.ring = make([]event, p.opts.Events)
	p.mu.Unlock()
	for _, l := range p.informers() {
		l.isCounted.Store(false)
		l.unread.reset()
	}
	p.attachment.Add(1)
	p.scenes.Store(new(scenes))
	p.attached.Store(true)
	p.stop, p.stopped = make(chan struct{}), make(chan struct{})
	go p.sampler(p.stop, p.stopped)
	p.followStores()
	return true
}

// detach removes a viewer. After the last one there is no goroutine and no buffer left, and nothing is logged.
func (p *Probe) detach() {
	defer p.viewing.Done()
	p.attachMu.Lock()
	defer p.attachMu.Unlock()
	if p.viewers--; p.viewers > 0 {
		return
	}
	p.attached.Store(false)
	p.scenes.Store(nil)
	close(p.stop)
	<-p.stopped
	p.mu.Lock()
	p.ring, p.pins, p.nextPin = nil, nil, 0
	p.mu.Unlock()
	for _, l := range p.informers() {
		l.unfollow()
		for i := range l.identities {
			l.identities[i].Store(nil)
		}
	}
}

func (p *Probe) informers() []*lane {
	p.lanesMu.Lock()
	defer p.lanesMu.Unlock()
	return append([]*lane(nil), p.lanes...)
}

// samplePeriod is how often the probe reads what client-go does not report.
const samplePeriod = 50 * time.Millisecond

func (p *Probe) sampler(stop <-chan struct{}, stopped chan<- struct{}) {
	defer close(stopped)
	t := time.NewTicker(samplePeriod)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-p.replaceSignal:
			for _, l := range p.informers() {
				if l.isReplacing.Load() {
					l.barrier()
				}
			}
			continue
		case <-t.C:
		}
		for _, l := range p.informers() {
			l.takeSample()
		}
	}
}

// takeSample samples one informer. It recovers from a panic, because the goroutine of the sampler is the probe's own.
func (l *lane) takeSample() {
	var broken atomic.Bool
	defer l.contain("samples", &broken)
	l.barrier()
	if s := l.sample(); s != nil {
		l.p.emit(event{kind: evSampled, lane: l.id, more: s})
	}
}
