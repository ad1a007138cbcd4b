package probe

import (
	"sync"
	"sync/atomic"
	"time"
)

// Options of a Probe. The zero value is usable.
type Options struct {
	// Token lets requests in that do not come from this machine: "Authorization: Bearer TOKEN". Without one they are refused.
	Token string
	// Events is how many of the newest events are kept while a viewer is attached; 32,768 when 0. One costs 88 bytes.
	Events int
	// Objects names the informers whose objects are recorded whole, as JSON: "pods", "deployments.apps". No other body is recorded, and never that of
	// a Secret. Annotations that are copies of a manifest are left out. The goroutine of the reader reads and encodes the objects, without a copy. If
	// your program mutates objects of a store, against the rules of client-go, the runtime may end it for that.
	Objects []string
	// Viewers is how many may be attached at the same time; 4 when 0.
	Viewers int
}

// Probe is what is known of one process's informers. Its methods are safe for concurrent use.
type Probe struct {
	opts      Options
	start     time.Time
	attached  atomic.Bool // somebody is attached
	measuring atomic.Bool // Measure was called

	attachment    atomic.Uint64 // the number of the first viewer's coming
	replaceSignal chan struct{}

	mu   sync.Mutex // a leaf: held for an append or a copy only, whatever other lock is held
	ring []event    // nil while no viewer is attached
	next uint64
	// newestTime is the time of the newest event.
	newestTime time.Duration
	pins       []pin // objects that have changed lately, if their bodies are told
	// nextPin is how many were pinned so far.
	nextPin int

	wire wire

	attachMu       sync.Mutex // attaching and detaching
	viewers        int
	stop           chan struct{}
	stopped        chan struct{}
	refusedViewers atomic.Uint64 // how many found no place
	stallTimeout   time.Duration // how long a write may take before the viewer loses its connection

	lanesMu sync.Mutex
	lanes   []*lane
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
	return &Probe{opts: o, start: time.Now(), replaceSignal: make(chan struct{}, 1), stallTimeout: stallTimeout}
}

// Note puts a mark with this text into the log of every viewer that is attached.
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
	evStoreReplacing // an item of a Replace; evStoreSettled ends it
	evStoreSettled
	evStoreEmptied // a Replace with nothing
	evHandling
	evHandled
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
	evReconciled
	evListerRead
	evWireRequest
	evWireResponse
	evWireBytes
	evWireFrame
	evWireDone
	evNote
	evQueueGiven // a work queue was made while somebody is attached
)

// event is one fact, small enough to keep many.
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
	sample   *sample
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

// emit appends to the log. What is emitted under a lock of the informer stands in the order of that lock. An event that has no time yet is of
// this moment.
func (p *Probe) emit(e event) {
	if e.at == 0 {
		e.at = time.Since(p.start)
	}
	p.mu.Lock()
	if p.ring != nil {
		if e.at < p.newestTime { // another one came between, which read the clock later
			e.at = p.newestTime
		}
		p.newestTime = e.at
		p.next++
		p.ring[p.next%uint64(len(p.ring))] = e
	}
	p.mu.Unlock()
}

// head is the number of the newest event.
func (p *Probe) head() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next
}

// maxCopy is how many events are copied while the hooks have to wait for it.
const maxCopy = 1024

// eventsSince copies what came after seq, up to now; lost says that some of it is gone.
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

// attach begins to log, unless an earlier viewer made it begin. It returns false when too many are attached.
func (p *Probe) attach() bool {
	p.attachMu.Lock()
	defer p.attachMu.Unlock()
	if p.viewers >= p.opts.Viewers {
		p.refusedViewers.Add(1)
		return false
	}
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
	p.attached.Store(true)
	p.stop, p.stopped = make(chan struct{}), make(chan struct{})
	go p.sampler(p.stop, p.stopped)
	return true
}

// detach ends what attach began. When the last one is gone there is no goroutine and no buffer left, and nothing is logged any more.
func (p *Probe) detach() {
	p.attachMu.Lock()
	defer p.attachMu.Unlock()
	if p.viewers--; p.viewers > 0 {
		return
	}
	p.attached.Store(false)
	close(p.stop)
	<-p.stopped
	p.mu.Lock()
	p.ring, p.pins, p.nextPin = nil, nil, 0
	p.mu.Unlock()
	for _, l := range p.informers() {
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

// samplePeriod is how often the probe looks at what client-go does not report.
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

// takeSample looks at one informer. A failure in it ends in it: nothing else runs in this goroutine.
func (l *lane) takeSample() {
	var broken atomic.Bool
	defer l.contain("samples", &broken)
	l.barrier()
	if s := l.sample(); s != nil {
		l.p.emit(event{kind: evSampled, lane: l.id, sample: s})
	}
}
