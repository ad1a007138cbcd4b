package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/core/client/restwatch"
	"informerscope/core/client/workqueue"
	"informerscope/core/cluster/simcluster"
	"informerscope/core/lab/action"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
	"informerscope/core/words/vclock"
)

const (
	// workerCount is the number of a controller's workers.
	workerCount = 2
	// reconcilePace is the time of a reconcile; a real one waits for the API server.
	reconcilePace = 4 * time.Millisecond
)

// controller is a work queue with workers behind one listener of a lane. Its reconcile reads through the lister, as every controller does, and keeps an
// annotation of the object in line with what it read. It fails when that write fails, and for a pod that crash-loops, so that keys return through the rate
// limiter.
type controller struct {
	x      *experiment
	lane   *lane
	writer *writer // nil on a live cluster
	queue  *workqueue.TypedRateLimitingQueue[string]
}

func (x *experiment) newController(ln *lane) *controller {
	return &controller{x: x, lane: ln, writer: x.lab.src.writer(ln.gvr, ln.client), queue: workqueue.NewTypedRateLimitingQueueWithConfig(
		nil, // the default: exponential per key, and a bucket for all keys
		workqueue.TypedRateLimitingQueueConfig[string]{
			Name:     "controller",
			Clock:    x.clock,
			Observer: workTap{x, x.lab.rec.Lane(x.lab.base + ln.index)},
			Gate:     takeGate{x.gates(ln)},
		},
	)}
}

// workTap forwards the work queue's events until the experiment is over.
type workTap struct {
	x    *experiment
	next event.Observer
}

// Observe implements event.Observer.
func (t workTap) Observe(e *event.Event) {
	if !t.x.isOver.Load() {
		t.next.Observe(e)
	}
}

// enqueue is what the handler does with a key. While the fault "ratelimit" is on, each call counts as a failure of the key and takes a token of the bucket.
func (c *controller) enqueue(key string) {
	if c.x.lab.rateLimits.Load() {
		c.queue.AddRateLimited(key)
		return
	}
	c.queue.Add(key)
}

// run runs the workers until ctx is done.
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
	start := c.x.clock.Now()
	err := c.reconcile(ctx, worker, key)
	c.x.emit(c.lane.index, event.Reconciled{
		Key: key, Worker: worker, Took: c.x.clock.Since(start), Err: err,
	}.Event())
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

func (c *controller) reconcile(ctx context.Context, worker int32, key string) error {
	obj, exists, err := c.lane.informer.GetIndexer().GetByKey(key)
	if err != nil {
		return err
	}
	o, _ := obj.(*object.Object)
	rv := ""
	if exists && o != nil {
		rv = o.GetResourceVersion()
	}
	latest, behind := c.lane.versions.lag(key, rv)
	c.x.emit(c.lane.index, event.ListerRead{Key: key, RV: rv, Latest: latest, Behind: behind, Mutated: o.Now() != o.Original(), Worker: worker}.Event())
	if err := vclock.Sleep(ctx, c.x.clock, reconcilePace); err != nil {
		return err
	}
	if o == nil {
		return nil
	}
	if err := c.write(ctx, worker, key, o); err != nil {
		return err
	}
	if o.Get("status.containerStatuses.0.state.waiting.reason").String() == "CrashLoopBackOff" {
		return errCrashLoop
	}
	return nil
}

// write sets the annotation of o to what was read. It sends the resourceVersion that was read, so a stale read causes a 409 Conflict. It writes nothing if
// the annotation is up to date, so the watch event of a write does not cause another write. While the fault "rewrite" is on, it also writes the time: every
// write differs then, and causes the next one.
func (c *controller) write(ctx context.Context, worker int32, key string, o *object.Object) error {
	if c.writer == nil || c.x.lab.readOnly.Load() || o.GetDeletionTimestamp() != nil {
		return nil
	}
	start := c.x.clock.Now()
	name, value := c.writer.observation(o)
	set, err := c.makeChild(ctx, worker, key, o)
	if err != nil {
		return err
	}
	if value != "" && o.GetAnnotations()[name] != value {
		set[name] = value
	}
	if c.x.lab.rewrites.Load() {
		set[simcluster.ObservedTime] = start.UTC().Format(time.RFC3339Nano)
	}
	if len(set) == 0 {
		return nil
	}
	sent := o.GetResourceVersion()
	c.x.emit(c.lane.index, event.ClusterWrite{Key: key, Verb: http.MethodPatch, RV: sent, Worker: worker}.Event())
	rv, err := c.writer.annotate(ctx, o, set)
	c.x.emit(c.lane.index, event.ClusterWritten{
		Key: key, Verb: http.MethodPatch, Worker: worker, Sent: sent, RV: rv, Took: c.x.clock.Since(start), Err: err}.Event())
	if apierrors.IsNotFound(err) {
		return nil // the object is gone, and so is the work
	}
	return err
}

// makeChild creates the child of a pod if the store has none, and returns the annotation that names it. A store may lack the child that was made a moment ago.
// With a generated name that causes a second child. A fixed name exists by then, and nothing is made.
func (c *controller) makeChild(ctx context.Context, worker int32, key string, o *object.Object) (set map[string]string, err error) {
	how := childNames[c.x.lab.children.Load()]
	set = map[string]string{}
	if how == "none" || !c.writer.writesPods() || o.GetLabels()[simcluster.ChildOf] != "" {
		return set, nil
	}
	name := ""
	all := c.lane.informer.GetIndexer().List()
	c.x.emit(c.lane.index, event.ListerList{Worker: worker, Objects: len(all)}.Event())
	for _, x := range all {
		if child, ok := x.(*object.Object); ok && child.GetLabels()[simcluster.ChildOf] == string(o.GetUID()) && (name == "" || child.GetName() < name) {
			name = child.GetName()
		}
	}
	if name == "" {
		start := c.x.clock.Now()
		number := int(c.lane.index) + 1
		c.x.emit(c.lane.index, event.ClusterWrite{Key: key, Verb: http.MethodPost, Worker: worker, Lane: number, Objects: aPod("")}.Event())
		var rv string
		name, rv, err = c.writer.create(ctx, o, how == "generated")
		c.x.emit(c.lane.index, event.ClusterWritten{Key: key, Verb: http.MethodPost, Worker: worker, RV: rv, Took: c.x.clock.Since(start), Err: err, Lane: number,
			Objects: aPod(o.GetNamespace() + "/" + name)}.Event())
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return nil, err
		}
	}
	if o.GetAnnotations()[simcluster.Child] != name {
		set[simcluster.Child] = name
	}
	return set, nil
}

// aPod names a pod in an event; without a key, the API server has not named it yet.
func aPod(key string) []event.Item {
	return []event.Item{{Key: key, Indexed: []event.IndexValues{{Index: "resource", Values: []string{"pods"}}}}}
}

// create creates a child of o, and returns its name and resourceVersion.
func (w *writer) create(ctx context.Context, o *object.Object, generate bool) (name, rv string, err error) {
	meta := map[string]any{"labels": map[string]string{simcluster.ChildOf: string(o.GetUID())}}
	name = o.GetName() + "-child"
	if generate {
		meta["generateName"] = name + "-"
	} else {
		meta["name"] = name
	}
	spec := map[string]any{"containers": []any{map[string]string{"name": "child", "image": "child:1.0.0"}}}
	body, err := json.Marshal(map[string]any{"metadata": meta, "spec": spec})
	if err != nil {
		return "", "", err
	}
	answer, err := w.client.Do(ctx, http.MethodPost, "/api/v1/namespaces/"+o.GetNamespace()+"/pods", "application/json", body)
	if err != nil {
		return name, "", err
	}
	made, err := object.Parse(answer)
	if err != nil {
		return name, "", err
	}
	return made.GetName(), made.GetResourceVersion(), nil
}

// writer writes what a controller observed into annotations of the simulated cluster's objects. Only (*source).writer creates one, and never for a live
// cluster. No other code writes.
type writer struct {
	client *restwatch.Client
	gvr    schema.GroupVersionResource
}

// writer returns a writer that uses the informers' client, without its hooks; nil for a live source.
func (s *source) writer(gvr schema.GroupVersionResource, client *restwatch.Client) *writer {
	if s.cluster == nil {
		return nil
	}
	// Without hooks: writes have events of their own.
	return &writer{client: &restwatch.Client{HTTP: client.HTTP, Base: client.Base, UserAgent: client.UserAgent}, gvr: gvr}
}

func (w *writer) writesPods() bool { return w.gvr.Group == "" && w.gvr.Resource == "pods" }

// observation returns the annotation for what was seen of o: a pod's phase, or the generation of an object that has one.
func (w *writer) observation(o *object.Object) (name, value string) {
	if w.writesPods() {
		return simcluster.ObservedPhase, o.Get("status.phase").String()
	}
	if n := o.GetGeneration(); n > 0 {
		value = strconv.FormatInt(n, 10)
	}
	return simcluster.ObservedGeneration, value
}

// annotate sets annotations on the version of o, and returns the new resourceVersion.
func (w *writer) annotate(ctx context.Context, o *object.Object, set map[string]string) (string, error) {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": o.GetResourceVersion(), "annotations": set}})
	if err != nil {
		return "", err
	}
	next, err := w.client.Patch(ctx, w.gvr, o.GetNamespace(), o.GetName(), patch)
	if err != nil {
		return "", err
	}
	return next.GetResourceVersion(), nil
}

// childNames are how the controllers name the children that they create; with "none" they create none.
var childNames = []string{"none", "generated", "fixed"}

// ChildNames returns how controllers can name the children that they create. The caller owns the list.
func ChildNames() []string { return slices.Clone(childNames) }

// Writes switches whether the controllers write to the simulated cluster; nil toggles. It returns whether they write now. When they begin to write, or to
// create children, every key is reconciled again, as after a controller's start. An empty children keeps how these are named.
func (l *Lab) Writes(on *bool, children string) (now bool, err error) {
	err = l.act(func() (action.Step, error) {
		if l.exp == nil || l.src.cluster == nil {
			return action.Step{}, errors.New("only the simulated cluster is written to: a live one is only read")
		}
		if now = l.readOnly.Load(); on != nil {
			now = *on
		}
		if children != "" && !slices.Contains(childNames, children) {
			return action.Step{}, fmt.Errorf("children are named %s", strings.Join(childNames, ", "))
		}
		l.writeLocked(now, children)
		return action.New("writes", onOff(now), children), nil
	})
	return now, err
}

// writeLocked carries out Writes.
func (l *Lab) writeLocked(on bool, children string) {
	how := int32(slices.Index(childNames, children))
	same := how < 0 || l.children.Swap(how) == how
	if l.readOnly.Swap(!on) == !on && same || l.exp == nil {
		return
	}
	for _, ln := range l.exp.lanes {
		if ln.control == nil {
			continue
		}
		ln.control.tellWrites()
		if on {
			keys := ln.informer.GetIndexer().ListKeys()
			slices.Sort(keys)
			for _, key := range keys {
				ln.control.queue.Add(key)
			}
		}
	}
}

// tellWrites logs whether the controller writes.
func (c *controller) tellWrites() {
	c.x.emit(c.lane.index, event.Writes{On: c.writer != nil && !c.x.lab.readOnly.Load(), Workers: workerCount}.Event())
}

// versions keeps, for each key of a resource, the newest resourceVersions seen on the wire, so that a lister read can be compared with them.
type versions struct {
	mu    sync.Mutex
	keys  map[string]*[8]string // newest first
	order []string              // of keys, oldest first
}

// maxVersions bounds the number of keys.
const maxVersions = 20_000

func newVersions() *versions { return &versions{keys: map[string]*[8]string{}} }

// absent stands for a version in which there is no object: it was deleted, or matches the informer's selector no longer.
const absent = "absent"

func (v *versions) note(key, rv string, isDeleted bool) {
	if isDeleted {
		rv = absent
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	seen := v.keys[key]
	if seen == nil {
		if len(v.keys) >= maxVersions {
			delete(v.keys, v.order[0]) // a key that is dropped only counts as up to date
			v.order = v.order[1:]
		}
		v.order = append(v.order, key)
		seen = &[8]string{}
		v.keys[key] = seen
	}
	if seen[0] == rv {
		return // a second lane's stream brought it too
	}
	copy(seen[1:], seen[:])
	seen[0] = rv
}

// lag returns the newest version of key on the wire, "" after a deletion, and how many versions rv is behind it, as far back as versions are kept. An empty
// rv is that of a read that found no object.
func (v *versions) lag(key, rv string) (latest string, behind int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	seen := v.keys[key]
	if seen == nil {
		return rv, 0
	}
	if seen[0] != absent {
		latest = seen[0]
	}
	if rv == "" { // a key comes to the workers when the store had it: if no deletion was seen, a later list lacked it
		return latest, max(slices.Index(seen[:], absent), 0)
	}
	for i, s := range seen {
		if s == rv || s == "" { // not among those seen: it came with the list, before all of them
			return latest, i
		}
	}
	return latest, len(seen)
}
