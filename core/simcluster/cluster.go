package simcluster

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	defaultObjects        = 60
	maxObjects            = 100_000
	maxRate               = 10_000
	podHistorySize        = 8192 // pods are what comes and goes
	defaultHistorySize    = 2048
	defaultBookmarkPeriod = 10 * time.Second
	// tasksPerSlice bounds the work done in one hold of the lock by Run, so that requests and, in a page with its single
	// thread, everything else get their turn.
	tasksPerSlice = 16
)

// Options says what cluster New makes. The zero value is a still cluster of about 60 pods on the real clock.
type Options struct {
	// Clock drives everything that happens by time. Nil means the real clock.
	Clock clock.WithTicker
	// Seed chooses names, uids, placements and the background story.
	Seed uint64
	// Objects is the approximate number of pods at the start, 0 to 100,000. Zero means 60; negative means none, with
	// the namespaces and nodes still there.
	Objects int
	// Rate is the number of pod events a second that happen of themselves, 0 to 10,000. Zero is a still cluster: only
	// node heartbeats, and the controllers' answers to what callers do.
	Rate float64
	// HistorySize is how many events are kept for each resource; a watch from before them is answered with 410.
	// Zero means 8192 of pods, and 2048 of each other resource. Each kept event holds one version of one object.
	HistorySize int
	// BookmarkPeriod is the time between bookmarks on a watch that allows them, stretched by up to a quarter at
	// random for each watch. Zero means 10 s, so that one sees them; a real API server's is one minute.
	BookmarkPeriod time.Duration
	// Still leaves the controllers, scheduler, kubelet and heartbeats out: nothing but callers writes, and deleted
	// pods go at once. It is for tests and experiments that want a bare API.
	Still bool
	// Breathe, if it is not nil, is called between pieces of work of a few milliseconds, from the goroutines of New, Run,
	// Burst, lists and watches, and when depends on the work alone. It may block: a page with its one thread lets
	// everything else have its turn, and the cluster makes no more than the page can take.
	Breathe func()
	// Progress, when not nil, is called by New now and then while it makes the first state: how many pods there are, and will be.
	Progress func(made, of int)
}

// Cluster is the simulated cluster. It is an http.Handler; all methods may be called from any goroutine.
type Cluster struct {
	clock          clock.WithTicker
	historySize    int // of each resource, 0 for the defaults
	bookmarkPeriod time.Duration
	still          bool
	breathe        func()
	progress       func(made, of int)

	mu        sync.Mutex
	seed1     uint64     // as Options has it
	rng       *rand.Rand // for what is written
	watchRng  *rand.Rand // for bookmark jitter, apart, so that the number of watchers cannot change the story
	rev       uint64
	writes    uint64
	watches   int
	resources map[groupResource]*resource
	order     []*resource
	owned     map[string][]*slot // by the uid of the owner that manages the object
	snapshots []*snapshot
	cache     uint64 // the version at which the answering server's cache stands; 0 while it has everything

	pods, nodes, namespaces, deployments, replicaSets, leases, crds *resource

	tasks    taskHeap
	taskSeq  uint64
	pending  map[string]bool // keys of queued controller syncs
	kick     chan struct{}   // tells Run that an earlier task has come
	rate     float64
	credit   float64
	bgSeq    uint64
	nodeList []*slot
	now      time.Time // the moment being played; tasks run at the time they were due
	ipSeq    uint32
	seeding  bool // while New makes the first state

	crowd     crowd
	dropCh    chan struct{} // closed to end all open watches
	expireCh  chan struct{} // closed to end all open watches of pods with 410
	downCh    chan struct{} // closed to abort all open requests
	downUntil time.Time
}

// New makes a cluster in its first state: namespaces, nodes, and deployments with their pods running. It costs a few
// microseconds an object. Nothing moves by itself until Run is called.
func New(o Options) *Cluster {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.BookmarkPeriod <= 0 {
		o.BookmarkPeriod = defaultBookmarkPeriod
	}
	switch {
	case o.Objects == 0:
		o.Objects = defaultObjects
	case o.Objects < 0:
		o.Objects = 0
	case o.Objects > maxObjects:
		o.Objects = maxObjects
	}
	c := &Cluster{
		clock:          o.Clock,
		historySize:    max(0, o.HistorySize),
		bookmarkPeriod: o.BookmarkPeriod,
		still:          o.Still,
		breathe:        o.Breathe,
		progress:       o.Progress,
		rng:            rand.New(rand.NewPCG(o.Seed, 0x696e666f726d6572)),
		seed1:          o.Seed,
		resources:      map[groupResource]*resource{},
		owned:          map[string][]*slot{},
		pending:        map[string]bool{},
		kick:           make(chan struct{}, 1),
		dropCh:         make(chan struct{}),
		expireCh:       make(chan struct{}),
		downCh:         make(chan struct{}),
		now:            o.Clock.Now(),
	}
	if c.breathe == nil {
		c.breathe = runtime.Gosched
	}
	c.ReseedWatches()
	c.registerBuiltins()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seeding = true
	c.seed(o.Objects)
	c.seeding = false
	c.writes = 0
	for _, r := range c.order {
		r.floor = c.rev
		r.clearHistory()
	}
	c.setRate(o.Rate)
	return c
}

// Run plays the cluster forward by its clock until ctx is done: controllers, scheduler, kubelets, heartbeats and the
// background rate. At most one Run should be active. When time jumps (a hidden tab, a suspended machine), queued work is
// caught up with, but the background rate makes at most one second's worth of events for the gap.
func (c *Cluster) Run(ctx context.Context) {
	for ctx.Err() == nil {
		c.mu.Lock()
		more := c.advance(tasksPerSlice)
		var next time.Time
		if len(c.tasks) > 0 {
			next = c.tasks[0].due
		}
		c.mu.Unlock()
		if more {
			c.breathe()
			continue
		}
		var timerC <-chan time.Time
		var timer clock.Timer
		if !next.IsZero() {
			timer = c.clock.NewTimer(max(0, next.Sub(c.clock.Now())))
			timerC = timer.C()
		}
		select {
		case <-ctx.Done():
		case <-c.kick:
		case <-timerC:
		}
		if timer != nil {
			timer.Stop()
		}
	}
}

// lock takes the lock and brings the moment up to the clock. Work that is due but not yet played by Run stays due: it
// happens at its own time, in its own order, so that when a request comes in cannot change the story.
func (c *Cluster) lock() {
	c.mu.Lock()
	if now := c.clock.Now(); now.After(c.now) {
		c.now = now
	}
}

// ReseedWatches begins the random timeouts and bookmarks of watches anew, so that those to come do not depend on the
// watches that were there before.
func (c *Cluster) ReseedWatches() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchRng = rand.New(rand.NewPCG(c.seed1, 0x7761746368))
}

// Stats is a count of what the cluster holds and has done.
type Stats struct {
	// ResourceVersion is the latest one.
	ResourceVersion uint64
	// Objects counts objects by resource, as "pods" or "deployments.apps".
	Objects map[string]int
	// OldestResourceVersion is, by resource, the oldest version that a watch can still start from.
	OldestResourceVersion map[string]uint64
	// Writes is the number of writes since New returned its first state; it only grows.
	Writes uint64
	// Watches is the number of open watches.
	Watches int
	// Rate is the background rate in events a second.
	Rate float64
	// Crowd is what the other clients do.
	Crowd CrowdStats
}

// Stats returns a consistent count.
func (c *Cluster) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Stats{
		ResourceVersion:       c.rev,
		Objects:               map[string]int{},
		OldestResourceVersion: map[string]uint64{},
		Writes:                c.writes,
		Watches:               c.watches,
		Rate:                  c.rate,
		Crowd:                 c.crowd.stats(),
	}
	for _, r := range c.order {
		s.Objects[r.gr().String()] = len(r.byKey)
		s.OldestResourceVersion[r.gr().String()] = r.floor
	}
	return s
}
