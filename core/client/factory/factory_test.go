package factory

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"

	"informerscope/core/client/restwatch"
	"informerscope/core/cluster/simcluster"
	"informerscope/core/informer"
	"informerscope/core/words/object"
	"informerscope/core/words/releases"
)

var (
	pods        = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	nodes       = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	nothing     = schema.GroupVersionResource{Group: "none", Version: "v1", Resource: "nothings"}
)

// world is a simulated cluster behind a real HTTP server that notes the requests.
type world struct {
	cluster *simcluster.Cluster
	url     string
	lock    sync.Mutex
	log     []string
}

func newWorld(t *testing.T, objects int) *world {
	w := &world{cluster: simcluster.New(simcluster.Options{Objects: objects, Seed: 3, Still: true})}
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.lock.Lock()
		w.log = append(w.log, request(r))
		w.lock.Unlock()
		w.cluster.ServeHTTP(rw, r)
	}))
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	w.url = srv.URL
	return w
}

// request is path and parameters. timeoutSeconds is random. timeout repeats it in
// the requests of client-go's typed clients and in ours, and its dynamic client
// leaves it out; API servers ignore it for watches.
func request(r *http.Request) string {
	q := r.URL.Query()
	q.Del("timeout")
	if q.Has("timeoutSeconds") {
		q.Set("timeoutSeconds", "random")
	}
	return r.URL.Path + "?" + q.Encode()
}

// requests are those so far, sorted: informers of several resources run at once.
func (w *world) requests() []string {
	w.lock.Lock()
	defer w.lock.Unlock()
	all := slices.Clone(w.log)
	slices.Sort(all)
	return all
}

func (w *world) client(t *testing.T) *restwatch.Client {
	u, err := url.Parse(w.url)
	if err != nil {
		t.Fatal(err)
	}
	return &restwatch.Client{Base: u}
}

// informerOf returns a constructor of informers like those of client-go's dynamic factory.
func informerOf(gvr schema.GroupVersionResource, namespace string, tweak TweakListOptionsFunc) NewInformerFunc {
	return func(client *restwatch.Client, period time.Duration) informer.SharedIndexInformer {
		return informer.NewSharedIndexInformer(NewListWatch(client, gvr, namespace, tweak, releases.Standard), &object.Object{}, period,
			informer.Indexers{informer.NamespaceIndex: informer.MetaNamespaceIndexFunc})
	}
}

func states(t *testing.T, objs []any) []string {
	var all []string
	for _, o := range objs {
		m, err := meta.Accessor(o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m.GetNamespace()+"/"+m.GetName()+"@"+m.GetResourceVersion())
	}
	slices.Sort(all)
	return all
}

// TestShardSelector checks that two factories with the two halves of a shard selector share the objects, and that the server is asked for each half.
func TestShardSelector(t *testing.T) {
	w := newWorld(t, 80)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	const middle = "0x8000000000000000"
	count := map[string]int{}
	for _, ends := range [][2]string{{"0x0000000000000000", middle}, {middle, "0x10000000000000000"}} {
		r := sharding.ShardRangeRequirement{Key: "object.metadata.uid", Start: ends[0], End: ends[1]}
		f := NewSharedInformerFactory(w.client(t), 0, WithShardSelector(sharding.NewSelector(r)))
		inf := f.InformerFor(pods, informerOf(pods, "", nil))
		runCtx, stop := context.WithCancel(ctx)
		f.StartWithContext(runCtx)
		if err := f.WaitForCacheSyncWithContext(ctx).Err; err != nil {
			t.Fatal(err)
		}
		keys := inf.GetStore().ListKeys()
		if len(keys) == 0 {
			t.Errorf("the shard of %v is empty", ends)
		}
		for _, key := range keys {
			count[key]++
		}
		stop()
		f.Shutdown()
	}
	for _, line := range w.requests() {
		if !strings.Contains(line, "shardSelector=") {
			t.Errorf("a request without the selector: %s", line)
		}
	}
	all, err := w.client(t).List(ctx, pods, "", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all.Items {
		if key := o.GetNamespace() + "/" + o.GetName(); count[key] != 1 {
			t.Errorf("%s is in %d shards", key, count[key])
		}
	}
	if len(count) != len(all.Items) {
		t.Errorf("%d objects of %d", len(count), len(all.Items))
	}
}

func apps(o *metav1.ListOptions) { o.LabelSelector = "app" }

// TestAgainstDynamicInformer asks client-go's dynamic factory and this one for
// the same of the same cluster: requests, stores and listers must agree.
func TestAgainstDynamicInformer(t *testing.T) {
	for _, c := range []struct {
		name, namespace string
		tweak           func(*metav1.ListOptions)
		resources       []schema.GroupVersionResource
	}{
		{"everything", "", nil, []schema.GroupVersionResource{pods, nodes, deployments}},
		{"a namespace, and labels", "shop", apps, []schema.GroupVersionResource{pods, deployments}},
		{"a namespace that is not", "nowhere", nil, []schema.GroupVersionResource{pods}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, 80)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			ours := NewSharedInformerFactory(w.client(t), 0)
			forResource := func(gvr schema.GroupVersionResource) informer.SharedIndexInformer {
				return ours.InformerFor(gvr, informerOf(gvr, c.namespace, c.tweak))
			}
			for _, gvr := range c.resources {
				forResource(gvr)
			}
			ours.StartWithContext(ctx)
			if err := ours.WaitForCacheSyncWithContext(ctx).Err; err != nil {
				t.Fatal(err)
			}
			got := w.requests()
			w.lock.Lock()
			w.log = nil
			w.lock.Unlock()

			dyn, err := dynamic.NewForConfig(&rest.Config{Host: w.url, QPS: -1})
			if err != nil {
				t.Fatal(err)
			}
			judge := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dyn, 0, c.namespace, c.tweak)
			for _, gvr := range c.resources {
				judge.ForResource(gvr)
			}
			judge.Start(ctx.Done())
			for gvr, synced := range judge.WaitForCacheSync(ctx.Done()) {
				if !synced {
					t.Fatal(gvr)
				}
			}
			if want := w.requests(); !slices.Equal(got, want) {
				t.Errorf("requests:\n %s\nclient-go:\n %s", strings.Join(got, "\n "), strings.Join(want, "\n "))
			}
			total := 0
			for _, gvr := range c.resources {
				mine, theirs := informer.NewGenericLister(forResource(gvr).GetIndexer(), gvr.GroupResource()), judge.ForResource(gvr)
				if got, want := states(t, forResource(gvr).GetStore().List()), states(t, theirs.Informer().GetStore().List()); !slices.Equal(got, want) {
					t.Errorf("%v: %d objects, client-go %d", gvr, len(got), len(want))
				} else {
					total += len(got)
				}
				for _, ns := range []string{"", "shop", "nowhere"} {
					a, err := mine.ByNamespace(ns).List(labels.Everything())
					b, err2 := theirs.Lister().ByNamespace(ns).List(labels.Everything())
					if len(a) != len(b) || fmt.Sprint(err) != fmt.Sprint(err2) {
						t.Errorf("%v in %q: %d objects, %v; client-go %d, %v", gvr, ns, len(a), err, len(b), err2)
					}
				}
				_, err := mine.Get("zz")
				_, err2 := theirs.Lister().Get("zz")
				if err == nil || err.Error() != err2.Error() {
					t.Errorf("%v, client-go %v", err, err2)
				}
			}
			if total == 0 && c.namespace != "nowhere" {
				t.Error("there was nothing to compare")
			}
			cancel()
			ours.Shutdown()
			judge.Shutdown()
		})
	}
}

// TestFirstConstructorWins: the first call decides how the informer is made.
func TestFirstConstructorWins(t *testing.T) {
	f := NewSharedInformerFactory(&restwatch.Client{}, time.Minute)
	var periods []time.Duration
	made := func(client *restwatch.Client, period time.Duration) informer.SharedIndexInformer {
		periods = append(periods, period)
		return informer.NewSharedIndexInformer(NewListWatch(client, pods, "", nil, releases.Standard), &object.Object{}, period, nil)
	}
	first := f.InformerFor(pods, made)
	if f.InformerFor(pods, made) != first || f.InformerFor(pods, informerOf(pods, "", nil)) != first {
		t.Error("a second informer of pods")
	}
	f.InformerFor(nodes, made)
	if want := []time.Duration{time.Minute, time.Minute}; !slices.Equal(periods, want) {
		t.Errorf("resync periods %v, want %v", periods, want)
	}
}

// TestLifecycle: Start is idempotent and starts what is new, WaitForCacheSyncWithContext covers what was started, Shutdown waits and ends it all.
func TestLifecycle(t *testing.T) {
	w := newWorld(t, 20)
	f := NewSharedInformerFactory(w.client(t), 0)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	f.StartWithContext(ctx) // nothing to start
	if r := f.WaitForCacheSyncWithContext(ctx); r.Err != nil || len(r.Synced) != 0 {
		t.Errorf("%+v", r)
	}
	inf := f.InformerFor(pods, informerOf(pods, "", nil))
	f.StartWithContext(ctx)
	f.StartWithContext(ctx)
	f.InformerFor(nothing, informerOf(nothing, "", nil)) // asked for, not started
	if r := f.WaitForCacheSyncWithContext(ctx); !reflect.DeepEqual(r.Synced, map[schema.GroupVersionResource]bool{pods: true}) {
		t.Errorf("%v", r)
	}
	if len(inf.GetStore().List()) == 0 {
		t.Error("no pods")
	}
	f.StartWithContext(ctx)
	cause := errors.New("enough")
	waited := make(chan SyncResult)
	go func() { waited <- f.WaitForCacheSyncWithContext(ctx) }()
	cancel(cause)
	if r := <-waited; !errors.Is(r.Err, cause) || r.Synced[nothing] || !r.Synced[pods] {
		t.Errorf("%+v", r)
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(f.Shutdown)
	}
	wg.Wait()
	if !inf.IsStopped() {
		t.Error("Shutdown did not wait")
	}
}

// TestNothingStartsAfterShutdown: and Shutdown without a start returns at once.
func TestNothingStartsAfterShutdown(t *testing.T) {
	w := newWorld(t, 5)
	f := NewSharedInformerFactory(w.client(t), 0)
	inf := f.InformerFor(pods, informerOf(pods, "", nil))
	f.Shutdown()
	f.StartWithContext(t.Context())
	if inf.(interface{ HasStarted() bool }).HasStarted() || len(w.requests()) != 0 {
		t.Error("started after Shutdown")
	}
}

// TestErrorsAreNotObjects: a LIST that fails gives no typed nil.
func TestErrorsAreNotObjects(t *testing.T) {
	lw := NewListWatch(newWorld(t, 5).client(t), nothing, "", nil, releases.Standard)
	var list runtime.Object
	list, err := lw.ListWithContext(t.Context(), metav1.ListOptions{})
	if list != nil || err == nil {
		t.Errorf("%v, %v", list, err)
	}
	stream, err := lw.WatchWithContext(t.Context(), metav1.ListOptions{})
	if stream != nil || err == nil {
		t.Errorf("%v, %v", stream, err)
	}
}
