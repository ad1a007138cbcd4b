package lab

import (
	"context"
	"errors"
	"sync"
	"time"

	"informerscope/core/informer"
	"informerscope/core/object"
	"informerscope/core/trace"
	"informerscope/core/workqueue"
)

const (
	// workerCount is how many workers a controller has.
	workerCount = 2
	// reconcilePace is what a reconcile takes; a real one waits for the API server.
	reconcilePace = 4 * time.Millisecond
)

// controller is a work queue with workers behind one listener of a lane. Its
// reconcile reads through the lister, as every controller does, and fails for
// a pod that crash-loops, so that keys come back through the rate limiter.
type controller struct {
	x     *experiment
	lane  *lane
	queue *workqueue.TypedRateLimitingQueue[string]
}

func (x *experiment) newController(ln *lane) *controller {
	return &controller{x: x, lane: ln, queue: workqueue.NewTypedRateLimitingQueueWithConfig(
		nil, // the default of every controller: exponential per key, and a bucket for all
		workqueue.TypedRateLimitingQueueConfig[string]{
			Name:     "controller",
			Clock:    x.lab.clock,
			Observer: workTap{x, x.lab.rec.WorkLane(ln.index)},
			Gate:     takeGate{x.lab.holds},
		},
	)}
}

// workTap passes the work queue's events on until the experiment is over.
type workTap struct {
	x    *experiment
	next workqueue.Observer
}

// Observe implements workqueue.Observer.
func (t workTap) Observe(e *workqueue.Event) {
	if !t.x.over.Load() {
		t.next.Observe(e)
	}
}

func (c *controller) enqueue(key string) { c.queue.Add(key) }

// run works until ctx is done.
func (c *controller) run(ctx context.Context) {
	var wg sync.WaitGroup
	for worker := int32(1); worker <= workerCount; worker++ {
		wg.Go(func() {
			for c.next(ctx, worker) {
			}
		})
	}
	<-ctx.Done()
	c.queue.ShutDown()
	wg.Wait()
}

func (c *controller) next(ctx context.Context, worker int32) bool {
	key, shutdown := c.queue.GetFor(worker)
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	start := c.x.lab.clock.Now()
	err := c.reconcile(ctx, key)
	c.x.emit(c.lane.index, informer.Event{
		Kind: trace.KindReconciled, Key: key, Listener: worker, Dur: c.x.lab.clock.Since(start), Err: err,
	})
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		c.queue.AddRateLimited(key)
	} else {
		c.queue.Forget(key)
	}
	return true
}

var errCrashLoop = errors.New("the pod crash-loops: look again later")

func (c *controller) reconcile(ctx context.Context, key string) error {
	obj, exists, err := c.lane.informer.GetIndexer().GetByKey(key)
	if err != nil {
		return err
	}
	o, _ := obj.(*object.Object)
	rv := ""
	if exists && o != nil {
		rv = o.GetResourceVersion()
	}
	latest, behind := c.x.lab.versions.behind(key, rv)
	c.x.emit(c.lane.index, informer.Event{Kind: trace.KindListerRead, Key: key, RV: rv, StoreRV: latest, N: behind})
	if err := sleep(ctx, c.x.lab.clock, reconcilePace); err != nil {
		return err
	}
	if o != nil && o.Get("status.containerStatuses.0.state.waiting.reason").String() == "CrashLoopBackOff" {
		return errCrashLoop
	}
	return nil
}

// versions remembers the newest resourceVersions that the wire brought for
// each key, so that a lister read can be compared with what is known already.
type versions struct {
	mu   sync.Mutex
	keys map[string]*[8]string // newest first
}

// maxVersions bounds how many keys are remembered.
const maxVersions = 20_000

func (v *versions) reset() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.keys = map[string]*[8]string{}
}

func (v *versions) saw(key, rv string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	seen := v.keys[key]
	if seen == nil {
		if len(v.keys) >= maxVersions {
			for k := range v.keys { // any one will do: what is forgotten only counts as up to date
				delete(v.keys, k)
				break
			}
		}
		seen = &[8]string{}
		v.keys[key] = seen
	}
	if seen[0] == rv {
		return // a second lane's stream brought it too
	}
	copy(seen[1:], seen[:])
	seen[0] = rv
}

// behind returns the newest version of key on the wire, and how many versions
// rv is behind it, as far back as is remembered.
func (v *versions) behind(key, rv string) (string, int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	seen := v.keys[key]
	if seen == nil {
		return rv, 0
	}
	for i, s := range seen {
		if s == rv {
			return seen[0], i
		}
		if s == "" {
			// Not among those seen: it came with the list, before all of them. A
			// key that is gone from the store has read the deletion already.
			if rv == "" {
				return seen[0], 0
			}
			return seen[0], i
		}
	}
	return seen[0], len(seen)
}
