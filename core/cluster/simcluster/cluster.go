package simcluster

import (
	"cmp"
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
)

// The greatest number of a cluster's objects of a kind, and of its background events in a second.
const (
	MaxObjects = 100_000
	MaxRate    = 10_000
)

const (
	defaultObjects        = 60
	maxNodes              = 1000
	podHistorySize        = 8192 // larger, because pods change most
	defaultHistorySize    = 2048
	defaultBookmarkPeriod = 10 * time.Second
	// tasksPerSlice limits the work that Run does in one hold of the lock, so that requests, and everything else in a page with a single thread, get
	// their turn.
	tasksPerSlice = 16
)

// Options configure the cluster that New returns. The zero value is a still cluster of about 60 pods on the real clock.
type Options struct {
	// Clock is the time source of the simulation. Nil means the real clock.
	Clock clock.WithTicker
	// Seed determines names, uids, placements and the background events.
	Seed uint64
	// Objects is the approximate number of pods at the start, 0 to 100,000. Zero means 60. A negative number means no pods, but namespaces and nodes.
	Objects int
	// Nodes is the number of nodes at the start, up to 1,000. Zero means one for 60 pods, and three at least. A negative number means none.
	Nodes int
	// Rate is the number of background pod events per second, 0 to 10,000. If it is zero, only node heartbeats happen, and the controllers' reactions
	// to callers.
	Rate float64
	// Profile is what the cluster does by itself again and again, one of Profiles. Empty means "steady": nothing but the events of Rate.
	Profile string
	// Speed is how many times as fast as the clock controllers, scheduler, kubelets and profiles act, 0.01 to 100. Timestamps, and what the API server
	// itself does, stay on the clock. Zero means 1.
	Speed float64
	// HistorySize is how many events are kept for each resource; a watch from an older version is answered with 410. Zero means 8192 for pods, and 2048
	// for each other resource. Each kept event holds one version of one object.
	HistorySize int
	// BookmarkPeriod is the time between bookmarks on a watch that allows them; each watch lengthens it by up to a quarter at random. Zero means 10 s,
	// so that a viewer sees some; a real API server's period is one minute.
	BookmarkPeriod time.Duration
	// Still turns off controllers, scheduler, kubelet and heartbeats: only callers write, and deleted pods are removed at once. It is for tests and
	// experiments that want a bare API.
	Still bool
	// Breathe, if not nil, is called between pieces of work of a few milliseconds, from the goroutines of New, Run, Burst, lists and watches. When it
	// is called depends only on the work. It may block: a page with a single thread lets everything else run, and the cluster makes no more than the
	// page can take.
	Breathe func()
	// Events makes the controllers write Events. A page does without, because each is a write of its own.
	Events bool
	// Types, if not nil, make the cluster like kube-apiserver.
	Types Types
	// Progress, if not nil, is called by New now and then: how many pods it has made, and of how many.
	Progress func(made, total int)
}

// Cluster is the simulated cluster. It is an http.Handler; all methods are safe for concurrent use.
type Cluster struct {
	clock          clock.WithTicker
	historySize    int // for each resource; 0 for the defaults
	bookmarkPeriod time.Duration
	isStill        bool
	breathe        func()
	progress       func(made, total int)
	types          Types     // nil for a page's cluster
	events         *resource // nil without Events
	eventKeys      []string  // of the Events that the controllers have written, oldest first

	ignoresShards atomic.Bool // see IgnoreShards

	mu           sync.Mutex
	seed1        uint64     // Options.Seed
	rng          *rand.Rand // for writes
	watchRng     *rand.Rand // for bookmark jitter; separate, so that the number of watches cannot change the writes
	rev          uint64
	writes       uint64
	watches      int
	resources    map[groupResource]*resource
	order        []*resource
	slotsByOwner map[string][]*slot // by the uid of the owner that manages the object
	secondOwners map[string]int     // how many objects an owner has that it does not manage, by its uid
	snapshots    []*snapshot
	followers    []*follower
	cache        uint64 // the version of the answering server's cache; 0 if it is up to date

	pods, nodes, namespaces, deployments, replicaSets, leases, crds *resource

	tasks     taskHeap
	taskSeq   uint64
	syncKeys  map[string]bool // keys of queued controller syncs
	kick      chan struct{}   // wakes Run for an earlier task
	rate      float64
	credit    float64
	bgSeq     uint64
	nodeList  []*slot
	awayNodes map[string]bool // whose kubelets do nothing
	speed     float64
	now       time.Time // the time being simulated; tasks run at the time they were due
	ipSeq     uint32
	isSeeding bool // while New makes the initial state

	crowd      *crowd
	unjittered *crowd        // the same clients without jitter, for comparison
	dropCh     chan struct{} // closed to end all open watches
	expireCh   chan struct{} // closed to end all open watches of pods with 410
	downCh     chan struct{} // closed to abort all open requests
	downUntil  time.Time
}

// New returns a cluster in its initial state: namespaces, nodes, and deployments with their pods running. It takes a few microseconds per object.
// Nothing happens in the background until Run is called.
func New(o Options) *Cluster {
	c := newCluster(o)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isSeeding = true
	c.seed(min(max(cmp.Or(o.Objects, defaultObjects), 0), MaxObjects), o.Nodes)
	c.isSeeding = false
	if !c.isStill {
		for i, s := range c.nodeList {
			c.heartbeat(s, time.Duration(i)*leasePeriod/time.Duration(len(c.nodeList)))
		}
	}
	c.writes = 0
	for _, r := range c.order { // its history begins here
		r.floor = c.rev
		r.clearHistory()
	}
	c.setRate(o.Rate)
	if profile := profiles[o.Profile]; profile != nil && !c.isStill {
		profile(c)
	}
	return c
}

// newCluster returns a cluster without objects.
func newCluster(o Options) *Cluster {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.BookmarkPeriod <= 0 {
		o.BookmarkPeriod = defaultBookmarkPeriod
	}
	c := &Cluster{
		clock:          o.Clock,
		historySize:    max(0, o.HistorySize),
		bookmarkPeriod: o.BookmarkPeriod,
		isStill:        o.Still,
		breathe:        o.Breathe,
		progress:       o.Progress,
		types:          o.Types,
		rng:            rand.New(rand.NewPCG(o.Seed, 0x696e666f726d6572)),
		seed1:          o.Seed,
		resources:      map[groupResource]*resource{},
		slotsByOwner:   map[string][]*slot{},
		secondOwners:   map[string]int{},
		syncKeys:       map[string]bool{},
		kick:           make(chan struct{}, 1),
		dropCh:         make(chan struct{}),
		expireCh:       make(chan struct{}),
		downCh:         make(chan struct{}),
		crowd:          &crowd{},
		unjittered:     &crowd{},
		now:            o.Clock.Now(),
		speed:          min(max(cmp.Or(o.Speed, 1), 0.01), 100),
		awayNodes:      map[string]bool{},
	}
	if c.breathe == nil {
		c.breathe = runtime.Gosched
	}
	c.ReseedWatches()
	c.registerBuiltins()
	if o.Events {
		c.registerEvents()
	}
	if o.Types != nil {
		c.registerKinds(o.Types.Kinds())
	}
	return c
}

// Run simulates the cluster by its clock until ctx is done: controllers, scheduler, kubelets, heartbeats and background events. Only one Run may be
// active. When time jumps (a hidden tab, a suspended machine), Run catches up with scheduled tasks, but with at most one second of background events.
func (c *Cluster) Run(ctx context.Context) {
	for ctx.Err() == nil {
		c.mu.Lock()
		more := c.advance(tasksPerSlice)
		var next time.Time
		if len(c.tasks) > 0 {
			next = c.tasks[0].dueTime
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

// lock takes the lock and advances c.now to the clock. Tasks that are due but that Run has not run yet stay due: each runs at its own time and in
// order. So the time at which a request arrives cannot change the sequence of writes.
func (c *Cluster) lock() {
	c.mu.Lock()
	if now := c.clock.Now(); now.After(c.now) {
		c.now = now
	}
}

// ReseedWatches restarts the random numbers for timeouts and bookmarks of watches, so that later watches do not depend on earlier ones.
func (c *Cluster) ReseedWatches() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchRng = rand.New(rand.NewPCG(c.seed1, 0x7761746368))
}

// Stats are counts of what the cluster holds and has done.
type Stats struct {
	// ResourceVersion is the latest resourceVersion.
	ResourceVersion uint64
	// Objects is the number of objects by resource, named as "pods" or "deployments.apps".
	Objects map[string]int
	// OldestResourceVersion is, by resource, the oldest version from which a watch can start.
	OldestResourceVersion map[string]uint64
	// Writes is the number of writes since New returned.
	Writes uint64
	// Watches is the number of open watches.
	Watches int
	// Rate is the background rate in events per second.
	Rate float64
	// Crowd describes the other clients.
	Crowd CrowdStats
}

// Stats returns consistent counts.
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
		Crowd:                 c.crowdStats(),
	}
	for _, r := range c.order {
		s.Objects[r.gr().String()] = len(r.byKey)
		s.OldestResourceVersion[r.gr().String()] = r.floor
	}
	return s
}
