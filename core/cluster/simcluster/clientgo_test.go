package simcluster

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	clientfeatures "k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

var podGVR = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

func serve(t *testing.T, c *Cluster) (*rest.Config, *atomic.Int64, *atomic.Int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan struct{})
	go func() { defer close(ran); c.Run(ctx) }()
	lists, streams := &atomic.Int64{}, &atomic.Int64{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/pods") {
			switch q := r.URL.Query(); {
			case q.Get("sendInitialEvents") == "true":
				streams.Add(1)
			case q.Get("watch") == "":
				lists.Add(1)
			}
		}
		c.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		cancel()
		srv.CloseClientConnections()
		srv.Close()
		<-ran
	})
	return &rest.Config{Host: srv.URL, QPS: -1}, lists, streams
}

// eventually polls until ok returns true, on the real clock, which client-go's own timers need. It has no timeout: after refused connections client-go
// waits up to a minute before it retries, and how often it is refused depends on the machine. If ok never returns true, go test ends the test, with
// every goroutine's stack.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	err := wait.PollUntilContextCancel(t.Context(), 20*time.Millisecond, true,
		func(context.Context) (bool, error) { return ok(), nil })
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// sameAs reports whether an informer's store has exactly the cluster's pods.
func sameAs(c *Cluster, store cache.Store) bool {
	c.mu.Lock()
	want := map[string]string{}
	for _, s := range c.pods.pool {
		want[s.key] = string(s.cur.raw[s.cur.rvOff:s.cur.rvEnd])
	}
	c.mu.Unlock()
	items := store.List()
	if len(items) != len(want) {
		return false
	}
	for _, x := range items {
		u := x.(*unstructured.Unstructured)
		if want[u.GetNamespace()+"/"+u.GetName()] != u.GetResourceVersion() {
			return false
		}
	}
	return true
}

func TestClientGoInformer(t *testing.T) {
	for name, watchList := range map[string]bool{"WatchList": true, "LIST and WATCH": false} {
		t.Run(name, func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, clientfeatures.WatchListClient, watchList)
			c := New(Options{Objects: 600, Seed: 4, Rate: 50})
			cfg, lists, streams := serve(t, c)
			dyn, err := dynamic.NewForConfig(cfg)
			if err != nil {
				t.Fatal(err)
			}
			inf := dynamicinformer.NewDynamicSharedInformerFactory(dyn, 0).ForResource(podGVR).Informer()
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); inf.Run(ctx.Done()) }()
			defer func() { cancel(); <-done }()
			if !cache.WaitForCacheSync(ctx.Done(), inf.HasSynced) {
				t.Fatal("no sync")
			}
			if watchList && (streams.Load() != 1 || lists.Load() != 0) || !watchList && (streams.Load() != 0 || lists.Load() == 0) {
				t.Errorf("%d streaming lists, %d lists", streams.Load(), lists.Load())
			}
			if err := c.CreateDeployment("shop", "judged", 5); err != nil {
				t.Fatal(err)
			}
			eventually(t, "new pods", func() bool {
				n := 0
				for _, x := range inf.GetStore().List() {
					if x.(*unstructured.Unstructured).GetLabels()["app"] == "judged" {
						n++
					}
				}
				return n == 5
			})
			c.SetRate(0)
			eventually(t, "agreement", func() bool { return sameAs(c, inf.GetStore()) })

			// The history is compacted while the connection is down: the watch gets 410, and client-go lists again.
			before := lists.Load() + streams.Load()
			c.Restart(300 * time.Millisecond)
			if err := c.Burst(50); err != nil {
				t.Fatal(err)
			}
			c.Compact()
			eventually(t, "relist", func() bool { return lists.Load()+streams.Load() > before })
			eventually(t, "agreement after the relist", func() bool { return sameAs(c, inf.GetStore()) })
		})
	}
}

func TestClientGoDynamic(t *testing.T) {
	c := New(Options{Objects: 50, Still: true})
	cfg, _, _ := serve(t, c)
	ctx := t.Context()
	dyn, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	disco, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	_, lists, err := disco.ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, l := range lists {
		for _, r := range l.APIResources {
			if !strings.Contains(r.Name, "/") {
				kinds = append(kinds, r.Name)
			}
		}
	}
	sort.Strings(kinds)
	if got := strings.Join(kinds, " "); got != "configmaps customresourcedefinitions deployments leases namespaces nodes pods replicasets services" {
		t.Errorf("discovered %s", got)
	}
	if v, err := disco.ServerVersion(); err != nil || v.Minor != "36" {
		t.Errorf("version %v, %v", v, err)
	}

	cms := dyn.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace("shop")
	obj := &unstructured.Unstructured{Object: map[string]any{"kind": "ConfigMap", "apiVersion": "v1", "metadata": map[string]any{"name": "a"}}}
	created, err := cms.Create(ctx, obj, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first := created.DeepCopy()
	created.SetLabels(map[string]string{"v": "1"})
	if _, err = cms.Update(ctx, created, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	first.SetLabels(map[string]string{"v": "2"})
	if _, err = cms.Update(ctx, first, metav1.UpdateOptions{}); !isReason(err, metav1.StatusReasonConflict) {
		t.Errorf("a stale update: %v", err)
	}
	if _, err = cms.Create(ctx, obj, metav1.CreateOptions{}); !isReason(err, metav1.StatusReasonAlreadyExists) {
		t.Errorf("a second creation: %v", err)
	}
	if err = cms.Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if _, err = cms.Get(ctx, "a", metav1.GetOptions{}); !isReason(err, metav1.StatusReasonNotFound) {
		t.Errorf("after deletion: %v", err)
	}

	list, err := dyn.Resource(podGVR).List(ctx, metav1.ListOptions{Limit: 20})
	if err != nil || len(list.Items) != 20 || list.GetRemainingItemCount() == nil || *list.GetRemainingItemCount() != 30 {
		t.Fatalf("a page: %v", err)
	}
	if _, err := meta.Accessor(list.Items[0].DeepCopy()); err != nil {
		t.Error(err)
	}
	mc, err := metadata.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	pm, err := mc.Resource(podGVR).List(ctx, metav1.ListOptions{})
	if err != nil || len(pm.Items) != 50 || pm.Items[0].Name == "" || pm.Items[0].Kind != "PartialObjectMetadata" {
		t.Errorf("metadata only: %v", err)
	}
}

func isReason(err error, reason metav1.StatusReason) bool {
	type statuser interface{ Status() metav1.Status }
	s, ok := err.(statuser)
	return ok && s.Status().Reason == reason
}
