package lab

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/utils/clock"

	"informerscope/core/client/factory"
	"informerscope/core/client/restwatch"
	"informerscope/core/cluster/simcluster"
	"informerscope/core/informer"
	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/wire/relayclient"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
	"informerscope/core/words/releases"
	"informerscope/core/words/vclock"
)

// metricsResync is the resync period of the `metrics` handler, and the informer's resync check period: once the informer runs, no listener can have a shorter
// one.
const metricsResync = 30 * time.Second

// statsPeriod is how often the simulated cluster's counters are polled, and sharedPeriod how often those of one in the server's process.
const (
	statsPeriod  = 250 * time.Millisecond
	sharedPeriod = time.Second
)

// stopPatience is how long stop waits for an experiment. As in client-go, the backoff of an informer whose WatchList was refused ignores its context, so it
// can end a minute later; its events are dropped by then.
const stopPatience = 250 * time.Millisecond

// experiment is one run: a lane for each resource in each release, and one for each unshared informer.
type experiment struct {
	lab        *Lab
	selection  event.Selection
	clock      clock.WithTicker
	connect    func(hooks restwatch.Hooks, sel event.Selection, report func(relayclient.Trouble)) *restwatch.Client
	disconnect func() // from the source
	ctx        context.Context
	cancel     context.CancelFunc
	wg         sync.WaitGroup
	factories  []*releaseFactory
	shard      string      // of the informers that begin from now on
	isOver     atomic.Bool // its events are dropped from now on

	generation uint64 // of its log

	unfollow map[uint8]func() // by lane: ends what followCluster began. Guarded by lab.mu

	mu    sync.Mutex // guards lanes, which change only with lab.mu held too
	lanes []*lane
}

// tap forwards a lane's events until its experiment is over.
type tap struct {
	x      *experiment
	target *lane
	next   event.TimedObserver
}

// Now implements event.TimedObserver.
func (t tap) Now() time.Duration { return t.next.Now() }

// ObserveAt implements event.TimedObserver.
func (t tap) ObserveAt(now time.Duration, es []event.Event) {
	if t.x.isOver.Load() {
		return
	}
	for i := range es {
		t.target.follow(&es[i])
	}
	if t.target.open.Load() {
		es = slices.Clone(es)
		for i := range es {
			es[i] = *freeze(&es[i])
		}
	}
	t.next.ObserveAt(now, es)
}

// follow notes the version that the Reflector has reached.
func (ln *lane) follow(e *event.Event) {
	if e.Kind == event.KindReflectorRV {
		if rv, err := strconv.ParseUint(e.RV(), 10, 64); err == nil {
			ln.reached.Store(rv)
		}
	}
}

// Observe implements event.Observer.
func (t tap) Observe(e *event.Event) {
	if t.x.isOver.Load() {
		return
	}
	t.target.follow(e)
	if t.target.open.Load() {
		e = freeze(e)
	}
	t.next.Observe(e)
}

// emit logs an event of a lane, until the experiment is over.
func (x *experiment) emit(lane uint8, e event.Event) {
	if !x.isOver.Load() {
		x.lab.emit(lane, e)
	}
}

// report returns a function that notes the trouble of a lane's requests, until another log begins.
func (x *experiment) report(lane uint8) func(relayclient.Trouble) {
	return func(trouble relayclient.Trouble) {
		if !x.isOver.Load() {
			x.lab.troubles.noteRequests(x.generation, lane, trouble)
		}
	}
}

// lane is an informer with its handlers and its controller.
type lane struct {
	index     uint8
	target    event.LaneOf
	gvr       schema.GroupVersionResource
	client    *restwatch.Client
	versions  *versions
	informer  informer.SharedIndexInformer
	control   *controller // nil for an unshared informer
	listeners map[int32]*listener
	open      atomic.Bool   // objects that arrive now can be mutated: see mutate
	selector  string        // the label selector of its requests, if it is another than that of the experiment
	reached   atomic.Uint64 // the version of its Reflector, 0 for none

	// Only for an unshared informer:
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // closed when its informer has ended
}

type listener struct {
	handler      *handler
	registration informer.ResourceEventHandlerRegistration
}

func (l *Lab) newExperiment(sel event.Selection, generation uint64) *experiment {
	ctx, cancel := context.WithCancel(context.Background())
	x := &experiment{lab: l, selection: sel, clock: l.src.clock, ctx: ctx, cancel: cancel, generation: generation,
		unfollow: map[uint8]func(){}}
	x.connect, x.disconnect = l.src.informers()
	targets := map[event.Target]*versions{}
	clients := map[event.Target]*restwatch.Client{}
	for i, target := range sel.Lanes() {
		ln := &lane{index: uint8(i), target: target, gvr: gvrOf(target.Target), versions: targets[target.Target], client: clients[target.Target]}
		if ln.versions == nil {
			ln.versions = newVersions()
			targets[target.Target] = ln.versions
		}
		// For one resource, the lanes of the releases share a client, whose requests are logged in lane 0. For several, each informer has its own.
		if ln.client == nil || len(sel.Resources) > 0 {
			ln.client = x.newClient(ln)
			clients[target.Target] = ln.client
		}
		x.lanes = append(x.lanes, ln)
	}
	x.followClusterLocked(x.wires()...)
	x.makeFactoriesLocked(x.lanes, "")
	x.startFactories(len(sel.Resources) > 0)
	if src := l.src; src.cluster == nil && sel.AnyWatched() != "" {
		x.wg.Go(func() { x.lookForNamespace(src, sel.AnyWatched()) })
	}
	switch {
	case l.src.cluster != nil:
		cluster := l.src.cluster
		x.wg.Go(func() {
			x.watchCluster(statsPeriod, cluster, func() (simcluster.Stats, error) { return cluster.Stats(), nil })
		})
	case l.src.shared != nil:
		shared := *l.src.shared
		x.wg.Go(func() {
			x.watchCluster(sharedPeriod, nil, func() (simcluster.Stats, error) { return shared.Stats(ctx) })
		})
		x.wg.Go(func() { x.followWrites(shared) })
	}
	return x
}

func gvrOf(t event.Target) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: t.Group, Version: t.Version, Resource: t.Resource}
}

// newClient returns the REST client of a lane's informer.
func (x *experiment) newClient(ln *lane) *restwatch.Client {
	return x.connect(x.hooks(ln), x.selection.ForTarget(ln.target.Target), x.report(ln.index))
}

// newInformerLocked creates the informer of a lane.
func (x *experiment) newInformerLocked(ln *lane) informer.SharedIndexInformer {
	release, err := releases.Parse(ln.target.Release)
	if err != nil { // Change.apply has parsed it
		panic(err)
	}
	labels, shard := x.selectors(ln)
	own, tweaked := shard, "" // before 0.38 a program could only add the selector to its requests
	if !release.Behaviour().Shards {
		own, tweaked = nil, shard.String()
	}
	lw := factory.NewListWatch(ln.client, ln.gvr, x.selection.ForTarget(ln.target.Target).WatchedNamespace(), func(o *metav1.ListOptions) {
		o.LabelSelector, o.ShardSelector = labels, cmp.Or(o.ShardSelector, tweaked)
	}, release)
	inf := informer.NewSharedIndexInformerWithOptions(lw, &object.Object{}, informer.SharedIndexInformerOptions{
		ResyncPeriod:      metricsResync,
		Indexers:          x.lab.indexersLocked(ln.gvr),
		ObjectDescription: ln.gvr.GroupResource().String(), // for messages: all objects here have one Go type
		Release:           release,
		Observer:          tap{x, ln, x.lab.rec.Lane(x.lab.base + ln.index)},
		Gates:             x.gates(ln),
		Clock:             x.clock,
		Random:            x.lab.randomLocked(int(ln.index)),
		ShardSelector:     own,
	})
	if err := inf.SetTransform(ln.openTransform(selection.TransformFunc(x.selection.Transform))); err != nil { // it has not started
		panic(err)
	}
	return inf
}

// selectors returns the selectors of a lane's requests.
func (x *experiment) selectors(ln *lane) (labels string, shard sharding.Selector) {
	shard, err := selection.ShardSelector(ln.target.Shard)
	if err != nil { // setShard has parsed it
		panic(err)
	}
	return cmp.Or(ln.selector, x.selection.Selector), shard
}

// keeps returns, as a query, which objects of what it asks for a lane's informer keeps: before 1.38 all that come, if the API server does not know shards.
func (x *experiment) keeps(ln *lane, cluster *simcluster.Cluster) url.Values {
	labels, shard := x.selectors(ln)
	release, err := releases.Parse(ln.target.Release)
	if err == nil && !release.Behaviour().Shards && cluster.IgnoresShards() {
		shard = sharding.Everything()
	}
	return url.Values{"labelSelector": {labels}, "shardSelector": {shard.String()}}
}

// unread returns how many changes of what it watches a lane's Reflector has not read, for its KindCluster. The cluster is nil if it cannot count them.
func (x *experiment) unread(ln *lane, cluster *simcluster.Cluster) string {
	after := ln.reached.Load()
	if cluster == nil || after == 0 {
		return ""
	}
	n, ok := cluster.CountChanges(ln.gvr.GroupResource(), x.selection.ForTarget(ln.target.Target).WatchedNamespace(), x.keeps(ln, cluster), after)
	if !ok {
		return ""
	}
	return strconv.Itoa(n)
}

// handle adds the handlers to a lane's shared informer, and a controller behind the first.
func (x *experiment) handle(ln *lane) {
	ln.listeners = map[int32]*listener{}
	ln.control = x.newController(ln)
	ln.control.tellWrites()
	x.mustAdd(ln, "printer", 0, ln.control.enqueue)
	x.mustAdd(ln, "metrics", metricsResync, nil)
	x.mustAdd(ln, "mailer", 0, nil)
}

// laneGroup returns the lanes that an action applies to: those of one resource in all releases, so that they can be compared. An unshared informer is alone.
func (x *experiment) laneGroup(at int) []*lane {
	if at < 0 || at >= len(x.lanes) {
		return nil
	}
	target := x.lanes[at].target
	if target.Unshared {
		return x.lanes[at : at+1]
	}
	var all []*lane
	for _, ln := range x.lanes {
		if ln.target.Target == target.Target && !ln.target.Unshared {
			all = append(all, ln)
		}
	}
	return all
}

// gates returns the holds of a lane's informer.
func (x *experiment) gates(ln *lane) gates {
	if ln.target.Unshared {
		return x.lab.holds.newGates(ln.index, ln.index, x)
	}
	return x.lab.holds.newGates(x.leader(int(ln.index)).index, ln.index, x)
}

// leader returns the first of the lanes that are together with a lane.
func (x *experiment) leader(at int) *lane { return x.laneGroup(at)[0] }

// namespacePeriod is how often the lab checks whether an empty namespace exists.
const namespacePeriod = 10 * time.Second

// lookForNamespace reports when the watched namespace of a live cluster does not exist, from the beginning or since it was deleted: its LIST and WATCH are
// empty then, without an error. A namespace whose objects are in a store exists, and is not requested. The loop ends when the namespace must not be read.
func (x *experiment) lookForNamespace(src *source, name string) {
	lanes := namespacedLanes(x.selection) // without the lab's lock: a goroutine that stops the experiment holds it, and waits for this one
	for known := false; ; {
		if known && x.holdsAny() {
			x.lab.troubles.noteNamespace(x.generation, lanes, relayclient.Trouble{})
			if vclock.Sleep(x.ctx, x.clock, namespacePeriod) != nil {
				return
			}
			continue
		}
		ctx, cancel := context.WithTimeout(x.ctx, namespacePeriod)
		_, err := src.client().Get(ctx, namespacesGVR, "", name)
		cancel()
		switch {
		case apierrors.IsNotFound(err):
			x.lab.troubles.noteNamespace(x.generation, lanes, noNamespace(name, "this cluster"))
		case err == nil:
			x.lab.troubles.noteNamespace(x.generation, lanes, relayclient.Trouble{})
		case apierrors.IsForbidden(err):
			x.lab.troubles.noteNamespace(x.generation, lanes, relayclient.Trouble{})
			return
		}
		known = known || err == nil || apierrors.IsNotFound(err)
		if vclock.Sleep(x.ctx, x.clock, namespacePeriod) != nil {
			return
		}
	}
}

// holdsAny reports whether a store holds an object of the watched namespace.
func (x *experiment) holdsAny() bool {
	for _, ln := range x.currentLanes() {
		if !ln.target.ClusterScoped && len(ln.informer.GetStore().ListKeys()) > 0 {
			return true
		}
	}
	return false
}

func noNamespace(name, where string) relayclient.Trouble {
	return relayclient.Trouble{Cause: "namespace-missing", Words: fmt.Sprintf("The namespace %q does not exist in %s, so there is nothing to see. "+
		"Choose another one, or create it; its objects then appear here.", name, where)}
}

// randomLocked returns the source of a lane's random numbers; nil on real time, where nothing can be repeated.
func (l *Lab) randomLocked(lane int) func() float64 {
	if l.src.virtual == nil {
		return nil
	}
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(l.selection.Seed, uint64(lane)))
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return r.Float64()
	}
}

// stop ends the run, and waits for it for at most stopPatience. Afterwards its events are dropped.
func (x *experiment) stop() {
	x.isOver.Store(true)
	x.cancel()
	//maporder:free each ends by itself
	for _, end := range x.unfollow {
		end()
	}
	ended := make(chan struct{})
	go func() {
		x.wg.Wait()
		close(ended)
	}()
	x.disconnect()
	if x.lab.src.virtual != nil {
		return // what can end, ends in this turn
	}
	timer := x.clock.NewTimer(stopPatience)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C():
	}
}

// crowdRests is how many polls keep reporting an idle crowd, so that its rate can decay to zero.
const crowdRests = int(time.Second/statsPeriod) + 2

func crowdEvent(s simcluster.CrowdStats) event.Event {
	text, err := json.Marshal(fold.CrowdCount{Clients: s.Clients, Watching: s.Watching, Waiting: s.Waiting, Listing: s.Listing, Retrying: s.Retrying,
		Seats: s.Seats, Busy: s.Busy, Requests: int(s.Requests), Refused: int(s.Refused),
		Unjittered: fold.UnjitteredCount{Watching: s.Unjittered.Watching, Requests: int(s.Unjittered.Requests)}})
	if err != nil { // numbers always marshal
		panic(err)
	}
	return event.Crowd{Count: string(text)}.Event()
}

// clusterStats are the simulated cluster's counters for one resource.
type clusterStats struct {
	latest, oldest  uint64 // versions
	objects, writes int
	unread          string
}

// watchCluster polls the simulated cluster's counters, and logs them when they change, in each lane. A poll that fails
// changes nothing: what cannot be reached shows in the informers' own requests.
func (x *experiment) watchCluster(period time.Duration, cluster *simcluster.Cluster, poll func() (simcluster.Stats, error)) {
	ticker := x.clock.NewTicker(period)
	defer ticker.Stop()
	var last [MaxLanes]clusterStats
	var crowd simcluster.CrowdStats
	quiet := crowdRests // polls since the last change
	var s simcluster.Stats
	for {
		if next, err := poll(); err == nil {
			s = next
		}
		if quiet++; s.Crowd != crowd {
			crowd, quiet = s.Crowd, 0
		}
		if quiet < crowdRests {
			x.emit(0, crowdEvent(crowd))
		}
		wires := x.wires()
		for _, ln := range x.currentLanes() {
			name := ln.gvr.GroupResource().String()
			stats := clusterStats{s.ResourceVersion, s.OldestResourceVersion[name], s.Objects[name], int(s.Writes), x.unread(ln, cluster)}
			// Lanes that share their requests differ only in what they have not read.
			if before := last[ln.index]; stats == before || stats.unread == before.unread && !slices.Contains(wires, ln) { // also while none has been polled
				continue
			}
			last[ln.index] = stats
			x.emit(ln.index, event.Cluster{
				RV: strconv.FormatUint(stats.latest, 10), Oldest: strconv.FormatUint(stats.oldest, 10), Objects: stats.objects, Writes: stats.writes,
				Unread: stats.unread,
			}.Event())
		}
		select {
		case <-ticker.C():
		case <-x.ctx.Done():
			return
		}
	}
}
