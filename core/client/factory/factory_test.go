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
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	clientgo "k8s.io/client-go/tools/cache"

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
			ours := NewFilteredSharedInformerFactory(w.client(t), 0, c.namespace, c.tweak)
			for _, gvr := range c.resources {
				ours.ForResource(gvr)
			}
			ours.StartWithContext(ctx)
			if err := ours.WaitForCacheSyncWithContext(ctx).AsError(); err != nil {
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
				mine, theirs := ours.ForResource(gvr), judge.ForResource(gvr)
				if got, want := states(t, mine.Informer().GetStore().List()), states(t, theirs.Informer().GetStore().List()); !slices.Equal(got, want) {
					t.Errorf("%v: %d objects, client-go %d", gvr, len(got), len(want))
				} else {
					total += len(got)
				}
				for _, ns := range []string{"", "shop", "nowhere"} {
					a, err := mine.Lister().ByNamespace(ns).List(labels.Everything())
					b, err2 := theirs.Lister().ByNamespace(ns).List(labels.Everything())
					if len(a) != len(b) || fmt.Sprint(err) != fmt.Sprint(err2) {
						t.Errorf("%v in %q: %d objects, %v; client-go %d, %v", gvr, ns, len(a), err, len(b), err2)
					}
				}
				_, err := mine.Lister().Get("zz")
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
	resync := map[schema.GroupVersionResource]time.Duration{nodes: time.Hour}
	f := NewSharedInformerFactoryWithOptions(&restwatch.Client{}, time.Minute, WithCustomResyncConfig(resync))
	var periods []time.Duration
	made := func(client *restwatch.Client, period time.Duration) informer.SharedIndexInformer {
		periods = append(periods, period)
		return informer.NewSharedIndexInformer(NewListWatch(client, pods, "", nil), &object.Object{}, period, nil)
	}
	first := f.InformerFor(pods, made)
	if f.InformerFor(pods, made) != first || f.ForResource(pods).Informer() != first {
		t.Error("a second informer of pods")
	}
	other := f.ForResource(deployments).Informer()
	if f.InformerFor(deployments, made) != other || other == first {
		t.Error("ForResource came first")
	}
	f.InformerFor(nodes, made)
	if want := []time.Duration{time.Minute, time.Hour}; !slices.Equal(periods, want) {
		t.Errorf("resync periods %v, want %v", periods, want)
	}
	if _, ok := first.GetIndexer().GetIndexers()[informer.NamespaceIndex]; ok {
		t.Error("not the constructor's indexers")
	}
}

// TestLifecycle: Start is idempotent and starts what is new, WaitForCacheSync
// covers what was started, Shutdown waits and ends it all.
func TestLifecycle(t *testing.T) {
	w := newWorld(t, 20)
	name, err := informer.NewInformerName("factory-test")
	if err != nil {
		t.Fatal(err)
	}
	var configured []schema.GroupVersionResource
	f := NewSharedInformerFactoryWithOptions(w.client(t), 0, WithInformerName(name), WithNamespace(""),
		WithTransform(func(o any) (any, error) {
			if x, ok := o.(*object.Object); ok {
				x.SetAnnotations(map[string]string{"seen": "yes"})
			}
			return o, nil
		}),
		WithInformerOptions(func(gvr schema.GroupVersionResource, o *informer.SharedIndexInformerOptions) {
			configured = append(configured, gvr)
			if !o.Identifier.Reserved() {
				t.Errorf("%v has no identity", gvr)
			}
			o.Release = releases.V131
		}))
	if f.InformerName() != name {
		t.Error("another name")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	f.StartWithContext(ctx) // nothing to start
	if r := f.WaitForCacheSyncWithContext(ctx); r.AsError() != nil || len(r.Synced) != 0 {
		t.Errorf("%+v", r)
	}
	f.ForResource(pods)
	f.StartWithContext(ctx)
	f.StartWithContext(ctx)
	f.ForResource(nothing) // asked for, not started
	if r := f.WaitForCacheSync(ctx.Done()); !reflect.DeepEqual(r, map[schema.GroupVersionResource]bool{pods: true}) {
		t.Errorf("%v", r)
	}
	objs := f.ForResource(pods).Informer().GetStore().List()
	if len(objs) == 0 || objs[0].(*object.Object).GetAnnotations()["seen"] != "yes" {
		t.Errorf("%d pods, transformed: %v", len(objs), len(objs) > 0)
	}
	lists := 0
	for _, r := range w.requests() {
		if strings.Contains(r, "limit=500") {
			lists++
		}
	}
	if lists != 1 {
		t.Errorf("%d lists in release 1.31, want 1: %q", lists, w.requests())
	}
	f.Start(ctx.Done())
	cause := errors.New("enough")
	waited := make(chan SyncResult)
	go func() { waited <- f.WaitForCacheSyncWithContext(ctx) }()
	cancel(cause)
	r := <-waited
	if err := r.AsError(); !errors.Is(err, cause) || !strings.Contains(err.Error(), nothing.String()) || strings.Contains(err.Error(), pods.String()) {
		t.Errorf("%v", err)
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(f.Shutdown)
	}
	wg.Wait()
	if !f.ForResource(pods).Informer().IsStopped() {
		t.Error("Shutdown did not wait")
	}
	if again, err := informer.NewInformerName("factory-test"); err != nil {
		t.Error(err)
	} else {
		again.Release()
	}
	if !slices.Equal(configured, []schema.GroupVersionResource{pods, nothing}) {
		t.Errorf("configured %v", configured)
	}
}

// TestNothingStartsAfterShutdown: and Shutdown without a start returns at once.
func TestNothingStartsAfterShutdown(t *testing.T) {
	w := newWorld(t, 5)
	f := NewSharedInformerFactory(w.client(t), 0)
	inf := f.ForResource(pods).Informer()
	f.Shutdown()
	f.Start(t.Context().Done())
	if inf.(interface{ HasStarted() bool }).HasStarted() || len(w.requests()) != 0 {
		t.Error("started after Shutdown")
	}
}

// TestErrorsAreNotObjects: a LIST that fails gives no typed nil.
func TestErrorsAreNotObjects(t *testing.T) {
	lw := NewListWatch(newWorld(t, 5).client(t), nothing, "", nil)
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

// TestSyncResultText compares the text with client-go's, whose keys are Go types.
func TestSyncResultText(t *testing.T) {
	mine := SyncResult{context.Canceled, map[schema.GroupVersionResource]bool{pods: false, nodes: true}}.AsError()
	theirs := clientgo.SyncResult{Err: context.Canceled, Synced: map[reflect.Type]bool{reflect.TypeFor[metav1.Status](): false}}.AsError()
	if got, want := mine.Error(), strings.Replace(theirs.Error(), "v1.Status", pods.String(), 1); got != want || !errors.Is(mine, context.Canceled) {
		t.Errorf("%s, want %s", got, want)
	}
}
