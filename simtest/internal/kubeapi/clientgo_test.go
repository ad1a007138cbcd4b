package kubeapi

import (
	"context"

	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	clientfeatures "k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
)

// patience is how long these tests wait for what must come.
const patience = time.Minute

// TestInformersOfClientGo fills client-go's typed, dynamic and metadata informers, with LIST and with WatchList, and changes objects: each informer's
// handlers see the same additions, updates and deletions, and its store equals a list.
func TestInformersOfClientGo(t *testing.T) {
	configMaps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	for _, watchList := range []bool{false, true} {
		t.Run(fmt.Sprintf("WatchList %v", watchList), func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, clientfeatures.WatchListClient, watchList)
			_, config := start(t)
			client := kubernetes.NewForConfigOrDie(config)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			objects := client.CoreV1().ConfigMaps("shop")
			if _, err := objects.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "early"}}, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			stop := make(chan struct{})
			typed := informers.NewSharedInformerFactory(client, 0)
			untyped := dynamicinformer.NewDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(config), 0)
			meta := metadatainformer.NewSharedInformerFactory(metadata.NewForConfigOrDie(config), 0)
			all := map[string]cache.SharedIndexInformer{"typed": typed.Core().V1().ConfigMaps().Informer(), "dynamic": untyped.ForResource(configMaps).Informer(),
				"metadata": meta.ForResource(configMaps).Informer()}
			defer func() {
				close(stop)
				typed.Shutdown()
				untyped.Shutdown()
				meta.Shutdown()
			}()
			calls := map[string]*calls{}
			for name, inf := range all {
				calls[name] = newCalls()
				if _, err := inf.AddEventHandler(calls[name]); err != nil {
					t.Fatal(err)
				}
			}
			typed.Start(stop)
			untyped.Start(stop)
			meta.Start(stop)
			for name, inf := range all {
				if !cache.WaitForCacheSync(ctx.Done(), inf.HasSynced) {
					t.Fatalf("%s: never synced", name)
				}
			}
			made, err := objects.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "late"}}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			made.Data = map[string]string{"a": "b"}
			if _, err := objects.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"early", "late"} {
				if err := objects.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			want := []string{"+shop/early", "+shop/late", "~shop/late", "-shop/early", "-shop/late"}
			left, err := client.CoreV1().ConfigMaps("").List(ctx, metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for name, inf := range all {
				if got := calls[name].await(ctx, len(want)); !slices.Equal(got, want) {
					t.Errorf("%s: the handler was called with %v, want %v", name, got, want)
				}
				if n := len(inf.GetStore().ListKeys()); n != len(left.Items) {
					t.Errorf("%s: the store has %d objects, a list has %d", name, n, len(left.Items))
				}
			}
		})
	}
}

// calls are the calls of a handler about the objects of this test, in order.
type calls struct {
	mu   sync.Mutex
	all  []string
	more chan struct{}
}

func newCalls() *calls { return &calls{more: make(chan struct{}, 1)} }

func (c *calls) add(op string, obj any) {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil || key != "shop/early" && key != "shop/late" {
		return
	}
	c.mu.Lock()
	c.all = append(c.all, op+key)
	c.mu.Unlock()
	select {
	case c.more <- struct{}{}:
	default:
	}
}

func (c *calls) OnAdd(obj any, _ bool) { c.add("+", obj) }
func (c *calls) OnUpdate(_, obj any)   { c.add("~", obj) }
func (c *calls) OnDelete(obj any)      { c.add("-", obj) }

// await returns the calls as soon as there are n, or when ctx ends.
func (c *calls) await(ctx context.Context, n int) []string {
	for {
		c.mu.Lock()
		got := slices.Clone(c.all)
		c.mu.Unlock()
		if len(got) >= n || ctx.Err() != nil {
			return got
		}
		select {
		case <-c.more:
		case <-ctx.Done():
		}
	}
}

// TestRetryOnConflict has five writers count in one object with client-go's RetryOnConflict: no count is lost. An old version is refused.
func TestRetryOnConflict(t *testing.T) {
	_, config := start(t)
	config.QPS = -1
	objects := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("shop")
	if _, err := objects.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "count"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for w := range 5 {
		writers.Go(func() {
			for i := range 4 {
				err := retry.RetryOnConflict(wait.Backoff{Steps: 100, Duration: time.Millisecond, Jitter: 1}, func() error {
					o, err := objects.Get(t.Context(), "count", metav1.GetOptions{})
					if err != nil {
						return err
					}
					if o.Data == nil {
						o.Data = map[string]string{}
					}
					o.Data[fmt.Sprintf("%d-%d", w, i)] = ""
					_, err = objects.Update(t.Context(), o, metav1.UpdateOptions{})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	o, err := objects.Get(t.Context(), "count", metav1.GetOptions{})
	if err != nil || len(o.Data) != 20 {
		t.Errorf("%d of 20 counts are there, %v", len(o.Data), err)
	}
	old := o.DeepCopy()
	o.Data["x"] = ""
	if _, err := objects.Update(t.Context(), o, metav1.UpdateOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := objects.Update(t.Context(), old, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("an old version was written: %v", err)
	}
}

// TestLeaderElection has two candidates for one Lease: the second leads when the first releases it.
func TestLeaderElection(t *testing.T) {
	_, config := start(t)
	client := kubernetes.NewForConfigOrDie(config)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	leads := make(chan string, 2)
	var running sync.WaitGroup
	defer running.Wait()
	candidate := func(name string) context.CancelFunc {
		own, end := context.WithCancel(ctx)
		running.Go(func() {
			leaderelection.RunOrDie(own, leaderelection.LeaderElectionConfig{
				Lock: &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Namespace: "shop", Name: "leader"}, Client: client.CoordinationV1(),
					LockConfig: resourcelock.ResourceLockConfig{Identity: name}},
				LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 100 * time.Millisecond, ReleaseOnCancel: true,
				Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { leads <- name }, OnStoppedLeading: func() {}},
			})
		})
		return end
	}
	expect := func(name string) {
		t.Helper()
		select {
		case got := <-leads:
			if got != name {
				t.Errorf("%s leads, want %s", got, name)
			}
		case <-ctx.Done():
			t.Fatalf("%s does not lead", name)
		}
	}
	endFirst := candidate("first")
	expect("first")
	endSecond := candidate("second")
	defer endSecond()
	endFirst()
	expect("second")
	lease, err := client.CoordinationV1().Leases("shop").Get(ctx, "leader", metav1.GetOptions{})
	if err != nil || *lease.Spec.HolderIdentity != "second" || *lease.Spec.LeaseTransitions == 0 {
		t.Errorf("the lease is %+v, %v", (*coordinationv1.Lease)(lease), err)
	}
}

// TestDynamicClient creates, applies, patches and deletes with client-go's dynamic client.
func TestDynamicClient(t *testing.T) {
	_, config := start(t)
	objects := dynamic.NewForConfigOrDie(config).Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace("shop")
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "d"},
		"data": map[string]any{"a": "1"}}}
	applied, err := objects.Apply(t.Context(), "d", o, metav1.ApplyOptions{FieldManager: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := objects.Apply(t.Context(), "d", o, metav1.ApplyOptions{FieldManager: "other", Force: false}); err != nil {
		t.Errorf("another manager applies the same: %v", err)
	}
	o.Object["data"] = map[string]any{"a": "2"}
	if _, err := objects.Apply(t.Context(), "d", o, metav1.ApplyOptions{FieldManager: "other"}); !apierrors.IsConflict(err) {
		t.Errorf("another manager applies another value: %v", err)
	}
	if err := objects.Delete(t.Context(), "d", metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(applied.GetUID()))}); err != nil {
		t.Error(err)
	}
	if _, err := objects.Get(t.Context(), "d", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("it is still there: %v", err)
	}
}
