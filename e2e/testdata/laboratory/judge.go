// Package judge plays the laboratory's load to the released code: the consistency store of kube-controller-manager, and controller-runtime's client, cache
// and controller. It reports what they did as lines of JSON, in the form of the laboratory's result.
package judge

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubernetes/pkg/controller/util/consistency"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"informerscope/core/lab/ownwrites"
)

var (
	pods        = schema.GroupResource{Resource: "pods"}
	replicaSets = schema.GroupResource{Group: "apps", Resource: "replicasets"}
)

// byOwner is the index of pods by the uid of their owner.
const byOwner = "owner"

// lane is the laboratory's reconciler, written with the released code.
type lane struct {
	cluster *ownwrites.Cluster
	client  client.Client
	store   consistency.ConsistencyStore // nil but in that lane

	mu     sync.Mutex
	result ownwrites.Lane
	waited time.Duration
	worst  time.Duration
	heldAt map[types.NamespacedName]time.Time
}

// Reconcile implements reconcile.Reconciler.
func (l *lane) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, l.reconcile(ctx, req.NamespacedName)
}

func (l *lane) reconcile(ctx context.Context, key types.NamespacedName) (err error) {
	r := ownwrites.Reconcile{Key: key.String()}
	defer func() { l.note(r, err) }()
	if l.store != nil {
		if err := l.store.EnsureReady(key); err != nil {
			r.Held = true
			if l.heldAt[key].IsZero() {
				l.heldAt[key] = time.Now()
			}
			return err
		}
		if at, held := l.heldAt[key]; held {
			delete(l.heldAt, key)
			l.addWait(time.Since(at))
		}
	}
	parent := &appsv1.ReplicaSet{}
	if err := l.wait(&r, func() error { return l.client.Get(ctx, key, parent) }); err != nil {
		if l.store != nil && apierrors.IsNotFound(err) {
			l.store.Clear(key, "")
		}
		return client.IgnoreNotFound(err)
	}
	found := &corev1.PodList{}
	list := func() error { return l.client.List(ctx, found, client.MatchingFields{byOwner: string(parent.UID)}) }
	if err := l.wait(&r, list); err != nil {
		return err
	}
	want := int(*parent.Spec.Replicas)
	for range want - len(found.Items) {
		child := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{GenerateName: parent.Name + "-", Namespace: parent.Namespace,
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(parent, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))}},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1.0.0"}}}}
		if err := l.client.Create(ctx, child); err != nil {
			return err
		}
		l.noteWrite(key, parent, pods, child)
	}
	slices.SortFunc(found.Items, func(a, b corev1.Pod) int { return cmp.Compare(a.Name, b.Name) })
	for i := want; i < len(found.Items); i++ {
		if err := client.IgnoreNotFound(l.client.Delete(ctx, &found.Items[i])); err != nil {
			return err
		}
	}
	seen := int32(len(found.Items))
	if parent.Status.Replicas == seen && parent.Status.ObservedGeneration == parent.Generation {
		return nil
	}
	parent = parent.DeepCopy()
	parent.Status.Replicas, parent.Status.ObservedGeneration = seen, parent.Generation
	if err := l.client.Status().Update(ctx, parent); err != nil {
		return client.IgnoreNotFound(err)
	}
	l.noteWrite(key, parent, replicaSets, parent)
	return nil
}

func (l *lane) noteWrite(key types.NamespacedName, parent *appsv1.ReplicaSet, resource schema.GroupResource, child client.Object) {
	if l.store != nil {
		l.store.WroteAt(key, parent.UID, resource, child.GetResourceVersion())
	}
}

// wait lets a read wait, and counts the time. A read that does not wait takes no time here: the time of a bubble stands still meanwhile.
func (l *lane) wait(r *ownwrites.Reconcile, read func() error) error {
	start := time.Now()
	err := read()
	if d := time.Since(start); d > 0 {
		r.Waited++
		l.addWait(d)
	}
	return err
}

func (l *lane) addWait(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waited += d
	l.worst = max(l.worst, d)
}

func (l *lane) note(r ownwrites.Reconcile, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Held || r.Waited > 0 {
		l.result.Held++
	}
	if !r.Held {
		l.result.Reconciles++
	}
	if err != nil {
		l.result.Requeued++
	}
}

// work is a worker as in kube-controller-manager.
func (l *lane) work(ctx context.Context, queue workqueue.TypedRateLimitingInterface[types.NamespacedName]) {
	for {
		key, shutdown := queue.Get()
		if shutdown {
			return
		}
		if err := l.reconcile(ctx, key); err != nil {
			queue.AddRateLimited(key)
		} else {
			queue.Forget(key)
		}
		queue.Done(key)
	}
}

// play plays the load to a lane.
func play(t *testing.T, guard ownwrites.Guard, seed uint64, lag time.Duration) ownwrites.Lane {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := &lane{cluster: ownwrites.NewCluster(clock.RealClock{}, seed, lag), heldAt: map[types.NamespacedName]time.Time{}, result: ownwrites.Lane{Guard: guard}}
	config := &rest.Config{Host: "http://simulated.cluster", Transport: l.cluster, QPS: -1,
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeJSON}}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Pod"), meta.RESTScopeNamespace)
	mapper.Add(appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), meta.RESTScopeNamespace)
	httpClient, err := rest.HTTPClientFor(config)
	must(t, err)
	objects, err := cache.New(config, cache.Options{HTTPClient: httpClient, Scheme: scheme.Scheme, Mapper: mapper})
	must(t, err)
	must(t, objects.IndexField(ctx, &corev1.Pod{}, byOwner, func(o client.Object) []string {
		if ref := metav1.GetControllerOf(o); ref != nil {
			return []string{string(ref.UID)}
		}
		return nil
	}))
	consistent := guard == ownwrites.Reads
	l.client, err = client.New(config, client.Options{HTTPClient: httpClient, Scheme: scheme.Scheme, Mapper: mapper,
		Cache: &client.CacheOptions{Reader: objects, EnableReadYourWritesConsistency: &consistent}})
	must(t, err)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { must(t, objects.Start(ctx)) })
	if consistent {
		byController(t, ctx, l, objects, mapper, &wg)
	} else {
		byWorkQueue(t, ctx, l, objects, &wg)
	}
	start := time.Now()
	for _, w := range ownwrites.Load(seed) {
		time.Sleep(time.Until(start.Add(ownwrites.SettleTime + w.At)))
		must(t, l.cluster.Apply(w))
	}
	time.Sleep(5 * time.Minute)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.result.Counts = l.cluster.Counts()
	l.result.WaitedMillis, l.result.WorstMillis = int(l.waited.Round(time.Millisecond).Milliseconds()), int(l.worst.Round(time.Millisecond).Milliseconds())
	return l.result
}

// byController runs a controller of controller-runtime.
func byController(t *testing.T, ctx context.Context, l *lane, objects cache.Cache, mapper meta.RESTMapper, wg *sync.WaitGroup) {
	skip := true
	c, err := controller.NewUnmanaged("lane", controller.Options{Reconciler: l, SkipNameValidation: &skip,
		LogConstructor: func(*reconcile.Request) logr.Logger { return logr.Discard() }})
	must(t, err)
	must(t, c.Watch(source.Kind(objects, &appsv1.ReplicaSet{}, &handler.TypedEnqueueRequestForObject[*appsv1.ReplicaSet]{})))
	must(t, c.Watch(source.Kind(objects, &corev1.Pod{},
		handler.TypedEnqueueRequestForOwner[*corev1.Pod](scheme.Scheme, mapper, &appsv1.ReplicaSet{}, handler.OnlyControllerOwner()))))
	wg.Go(func() { must(t, c.Start(ctx)) })
}

// byWorkQueue runs a worker with the work queue that kube-controller-manager's controllers have, and its consistency store in that lane.
func byWorkQueue(t *testing.T, ctx context.Context, l *lane, objects cache.Cache, wg *sync.WaitGroup) {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[types.NamespacedName]())
	stores := map[schema.GroupResource]consistency.LastSyncRVGetter{}
	for resource, example := range map[schema.GroupResource]client.Object{pods: &corev1.Pod{}, replicaSets: &appsv1.ReplicaSet{}} {
		informer, err := objects.GetInformer(ctx, example)
		must(t, err)
		stores[resource] = informer.(toolscache.SharedIndexInformer).GetStore()
		add := func(obj any) {
			if lost, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
				obj = lost.Obj
			}
			o := obj.(client.Object)
			if ref := metav1.GetControllerOf(o); ref != nil {
				queue.Add(types.NamespacedName{Namespace: o.GetNamespace(), Name: ref.Name})
			} else {
				queue.Add(client.ObjectKeyFromObject(o))
			}
		}
		_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, obj any) { add(obj) }, DeleteFunc: func(obj any) {
			if parent, ok := obj.(*appsv1.ReplicaSet); ok && l.store != nil {
				l.store.Clear(client.ObjectKeyFromObject(parent), parent.UID)
			}
			add(obj)
		}})
		must(t, err)
	}
	if l.result.Guard == ownwrites.Store {
		l.store = consistency.NewConsistencyStore(stores)
	}
	wg.Go(func() { l.work(ctx, queue) })
	wg.Go(func() {
		<-ctx.Done()
		queue.ShutDown()
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// TestReleasedCode prints a line for each seed, lag and lane.
func TestReleasedCode(t *testing.T) {
	var seeds []uint64
	var lags []int
	if err := json.Unmarshal([]byte(os.Getenv("SEEDS")), &seeds); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(os.Getenv("LAGS")), &lags); err != nil {
		t.Fatal(err)
	}
	for _, seed := range seeds {
		for _, lag := range lags {
			for _, guard := range []ownwrites.Guard{ownwrites.Unguarded, ownwrites.Store, ownwrites.Reads} {
				synctest.Test(t, func(t *testing.T) {
					line, err := json.Marshal(play(t, guard, seed, time.Duration(lag)*time.Millisecond))
					must(t, err)
					fmt.Printf("lane %d %d %s\n", seed, lag, line)
				})
			}
		}
	}
}
