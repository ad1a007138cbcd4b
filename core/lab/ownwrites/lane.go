package ownwrites

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/core/client/factory"
	"informerscope/core/client/restwatch"
	"informerscope/core/informer"
	"informerscope/core/words/object"
	"informerscope/core/words/releases"
	"informerscope/core/words/vclock"
)

// byOwner is the index of children by the uid of their parent.
const byOwner = "owner"

var resources = [kinds]schema.GroupVersionResource{
	children: {Version: "v1", Resource: "pods"},
	parents:  {Group: "apps", Version: "v1", Resource: "replicasets"},
}

// lane is a controller with its stores, its work queue and its one worker, behind a guard.
type lane struct {
	cluster   *Cluster
	clock     *vclock.Clock
	start     time.Time
	client    *restwatch.Client
	guard     guard
	informers [kinds]informer.SharedIndexInformer
	queue     queue

	mu       sync.Mutex
	result   Lane
	own      map[string]*[kinds]uint64 // the newest versions of own writes, by owner
	heldAt   map[string]time.Time      // when an owner's key was first sent back, until its reconcile begins
	waitTime time.Duration
	worst    time.Duration
}

// newLane returns a lane; run starts it.
func newLane(name Guard, clock *vclock.Clock, o Options) *lane {
	l := &lane{cluster: NewCluster(clock, o.Seed, o.Lag), clock: clock, start: begin.Add(SettleTime), own: map[string]*[kinds]uint64{},
		heldAt: map[string]time.Time{}, result: Lane{Guard: name, Timeline: []Reconcile{}}}
	l.client = &restwatch.Client{HTTP: &http.Client{Transport: l.cluster}, Base: &url.URL{Scheme: "http", Host: "simulated.cluster"}}
	for k, gvr := range resources {
		lw := factory.NewListWatch(l.client, gvr, namespace, nil, releases.Standard)
		l.informers[k] = informer.NewSharedIndexInformerWithOptions(lw, &object.Object{}, informer.SharedIndexInformerOptions{
			Indexers: informer.Indexers{byOwner: func(obj any) ([]string, error) { return []string{ownerOf(obj).uid}, nil }},
			Clock:    clock, Random: func() float64 { return 0 }, ObjectDescription: gvr.Resource})
	}
	switch name {
	case Store:
		s := &consistencyStore{records: map[string]*ownerRecord{}}
		for k := range s.stores {
			s.stores[k] = l.informers[k].GetStore()
		}
		l.guard = s
	case Reads:
		l.guard, l.queue = newConsistentReads(), newMergingQueue(clock)
	default:
		l.guard = unguarded{}
	}
	if l.queue == nil {
		l.queue = newPlainQueue(clock)
	}
	for k := range l.informers {
		handler := informer.ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { l.handle(kind(k), obj, false) },
			UpdateFunc: func(_, obj any) { l.handle(kind(k), obj, false) },
			DeleteFunc: func(obj any) { l.handle(kind(k), obj, true) },
		}
		if _, err := l.informers[k].AddEventHandler(handler); err != nil { // it has not started
			panic(err)
		}
	}
	return l
}

// owner is the parent of an object: for a parent, itself.
type owner struct{ key, uid string }

func ownerOf(obj any) owner {
	o, ok := obj.(*object.Object)
	if !ok {
		return owner{}
	}
	if ref := metav1.GetControllerOf(o); ref != nil {
		return owner{o.GetNamespace() + "/" + ref.Name, string(ref.UID)}
	}
	return owner{o.GetNamespace() + "/" + o.GetName(), string(o.GetUID())}
}

// handle is what a handler does: it tells the guard, and adds the parent's key.
func (l *lane) handle(k kind, obj any, deleted bool) {
	if lost, ok := obj.(informer.DeletedFinalStateUnknown); ok {
		obj = lost.Obj
	}
	o, ok := obj.(*object.Object)
	if !ok {
		return
	}
	owner, gone := ownerOf(o), ""
	if deleted {
		gone = string(o.GetUID())
		if k == parents {
			l.guard.forget(owner.key, owner.uid)
		}
	}
	l.guard.observe(k, o.GetResourceVersion(), gone)
	l.queue.Add(owner.key)
}

// run runs the lane until ctx is done.
func (l *lane) run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, inf := range l.informers {
		wg.Go(func() { inf.RunWithContext(ctx) })
	}
	wg.Go(func() {
		for l.next(ctx) {
		}
	})
	<-ctx.Done()
	l.queue.ShutDown()
	wg.Wait()
	l.cluster.serving.Wait()
}

// quiet reports whether nothing is under way.
func (l *lane) quiet() bool {
	return l.cluster.IsQuiet() && l.queue.isIdle() && l.informers[children].HasSynced() && l.informers[parents].HasSynced()
}

func (l *lane) next(ctx context.Context) bool {
	key, shutdown := l.queue.Get()
	if shutdown {
		return false
	}
	defer l.queue.Done(key)
	l.clock.Yield() // the informers finish what they are at first, so chance does not decide what is read
	if ctx.Err() != nil {
		return false
	}
	start := l.clock.Now()
	r := Reconcile{Key: key, At: millis(start.Sub(l.start))}
	l.compare(&r)
	err := l.reconcile(ctx, key, &r)
	if ctx.Err() != nil {
		return false
	}
	if r.Took = millis(l.clock.Since(start)); err != nil {
		r.Error = err.Error()
	}
	l.note(r, err)
	if err != nil {
		l.queue.AddRateLimited(key)
	} else {
		l.queue.Forget(key)
	}
	return true
}

// compare notes which own write for the key the stores lack; children come first, because a read without them makes duplicates.
func (l *lane) compare(r *Reconcile) {
	own := l.own[r.Key]
	if own == nil {
		return
	}
	for k, wrote := range own {
		if read := number(l.informers[k].GetStore().LastStoreSyncResourceVersion()); wrote > read {
			r.Wrote, r.Read, r.Resource = wrote, read, kind(k).String()
			return
		}
	}
}

// note adds a reconcile to the result.
func (l *lane) note(r Reconcile, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	result := &l.result
	if r.Held || r.Waited > 0 {
		result.Held++
	}
	if !r.Held {
		result.Reconciles++
	}
	if err != nil {
		result.Requeued++
	}
	if len(result.Timeline) < maxTimeline {
		result.Timeline = append(result.Timeline, r)
	}
	result.EndMillis = r.At + r.Took
}

// addWait counts time for which a reconcile was held back.
func (l *lane) addWait(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waitTime += d
	l.worst = max(l.worst, d)
}

// reconcile gives a parent as many children as it wants, and notes in its status how many there were. It reads the stores alone.
//
// The order of its steps mirrors k8s.io/kubernetes pkg/controller/replicaset.(*ReplicaSetController).syncReplicaSet (v1.36.3), without the expectations that
// are there a second guard.
func (l *lane) reconcile(ctx context.Context, key string, r *Reconcile) error {
	if err := l.guard.begin(key); err != nil {
		r.Held = true
		if l.heldAt[key].IsZero() {
			l.heldAt[key] = l.clock.Now()
		}
		return err
	}
	if at, held := l.heldAt[key]; held {
		delete(l.heldAt, key)
		r.After = millis(l.clock.Since(at))
		l.addWait(l.clock.Since(at))
	}
	if err := l.wait(r, func() error { return l.guard.get(ctx, key) }); err != nil {
		return err
	}
	obj, exists, err := l.informers[parents].GetIndexer().GetByKey(key)
	parent, ok := obj.(*object.Object)
	if err != nil || !exists || !ok {
		l.guard.forget(key, "")
		return err
	}
	if err := l.wait(r, func() error { return l.guard.list(ctx) }); err != nil {
		return err
	}
	found, err := l.informers[children].GetIndexer().ByIndex(byOwner, string(parent.GetUID()))
	if err != nil {
		return err
	}
	if err := l.adjust(ctx, parent, found, r); err != nil {
		return err
	}
	return l.report(ctx, key, parent, len(found))
}

// wait lets a read wait, and counts the time.
func (l *lane) wait(r *Reconcile, read func() error) error {
	start := l.clock.Now()
	err := read()
	if d := l.clock.Since(start); d > 0 {
		r.Waited += max(1, millis(d))
		l.addWait(d)
		l.clock.Yield()
	}
	return err
}

// adjust creates the children that are missing, or deletes the last by name of those that are too many.
func (l *lane) adjust(ctx context.Context, parent *object.Object, found []any, r *Reconcile) error {
	want := int(parent.Get("spec.replicas").Int())
	for range want - len(found) {
		before := l.cluster.Counts().Duplicates
		if err := l.create(ctx, parent); err != nil {
			return err
		}
		r.Created++
		r.Duplicates += l.cluster.Counts().Duplicates - before
	}
	if len(found) <= want {
		return nil
	}
	sort.Slice(found, func(i, j int) bool { return found[i].(*object.Object).GetName() < found[j].(*object.Object).GetName() })
	for _, x := range found[want:] {
		child := x.(*object.Object)
		undo := l.guard.deleting(string(child.GetUID()))
		_, err := l.client.Do(ctx, http.MethodDelete, childrenPath+"/"+child.GetName(), "", nil)
		switch {
		case err == nil:
			r.Deleted++
		case apierrors.IsNotFound(err): // the store still had it
			undo()
		default:
			undo()
			return err
		}
	}
	return nil
}

// create creates a child with a generated name.
func (l *lane) create(ctx context.Context, parent *object.Object) error {
	isController := true
	body, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"generateName": parent.GetName() + "-", "ownerReferences": []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet",
			Name: parent.GetName(), UID: parent.GetUID(), Controller: &isController}}},
		"spec": map[string]any{"containers": []any{map[string]string{"name": "web", "image": "web:1.0.0"}}}})
	if err != nil {
		return err
	}
	made, err := l.write(ctx, http.MethodPost, childrenPath, "application/json", body)
	if err != nil {
		return err
	}
	l.noteWrite(parent, children, made)
	return nil
}

// report writes the status of a parent, if it differs. It sends the version that it has read, so another's newer write makes a conflict.
func (l *lane) report(ctx context.Context, key string, parent *object.Object, seen int) error {
	status := parent.Get("status")
	if int(status.Get("replicas").Int()) == seen && status.Get("observedGeneration").Int() == parent.GetGeneration() {
		return nil
	}
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": parent.GetResourceVersion()},
		"status": map[string]any{"replicas": seen, "observedGeneration": parent.GetGeneration()}})
	if err != nil {
		return err
	}
	updated, err := l.write(ctx, http.MethodPatch, parentsPath+"/"+parent.GetName()+"/status", "application/merge-patch+json", body)
	if apierrors.IsNotFound(err) {
		return nil // it is gone, and so is the work
	}
	if err != nil {
		return err
	}
	l.noteWrite(parent, parents, updated)
	return nil
}

func (l *lane) write(ctx context.Context, method, path, contentType string, body []byte) (*object.Object, error) {
	answer, err := l.client.Do(ctx, method, path, contentType, body)
	if err != nil {
		return nil, err
	}
	return object.Parse(answer)
}

// noteWrite tells the guard of a write for a parent, and keeps it for compare.
func (l *lane) noteWrite(parent *object.Object, k kind, child *object.Object) {
	owner := ownerOf(parent)
	l.guard.noteWrite(owner.key, owner.uid, k, child.GetNamespace()+"/"+child.GetName(), child.GetResourceVersion())
	if l.own[owner.key] == nil {
		l.own[owner.key] = &[kinds]uint64{}
	}
	l.own[owner.key][k] = max(l.own[owner.key][k], number(child.GetResourceVersion()))
}

// number returns a version of the simulated cluster as a number; 0 for none.
func number(version string) uint64 {
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func millis(d time.Duration) int { return int(d.Round(time.Millisecond) / time.Millisecond) }

// finish returns what the lane did. The lane has ended.
func (l *lane) finish() Lane {
	result := l.result
	result.Counts, result.WaitedMillis, result.WorstMillis = l.cluster.Counts(), millis(l.waitTime), millis(l.worst)
	result.First = firstMoment(result.Timeline)
	return result
}
