package conformance

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	clientgo "k8s.io/client-go/tools/cache"

	"informerscope/core/client/factory"
	"informerscope/core/client/restwatch"
	"informerscope/core/cluster/simcluster"
	"informerscope/core/informer"
	"informerscope/core/words/releases"
)

var (
	pods        = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	nodes       = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
)

// testFactory compares the life cycle of our factory with that of client-go's dynamic factory, over a simulated cluster. Both are keyed by resource.
func testFactory(t *testing.T, release releases.Release) {
	text := map[bool]string{}
	for _, mine := range []bool{false, true} {
		sim := simcluster.New(simcluster.Options{Objects: 10, Seed: 3, Still: true})
		var mu sync.Mutex
		var asked []string
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			// Whether a WATCH comes before the end is a race. The requests for the first objects are not.
			if q := r.URL.Query(); q.Get("watch") == "" || q.Get("sendInitialEvents") != "" {
				mu.Lock()
				asked = append(asked, fmt.Sprintf("%s initial=%s", r.URL.Path, q.Get("sendInitialEvents")))
				mu.Unlock()
			}
			sim.ServeHTTP(w, r)
		}))
		requests := func() string {
			mu.Lock()
			defer mu.Unlock()
			sort.Strings(asked)
			return strings.Join(asked, "; ")
		}
		var b strings.Builder
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		report := func(what string, synced map[schema.GroupVersionResource]bool) {
			var names []string
			for gvr, ok := range synced {
				names = append(names, fmt.Sprint(gvr.Resource, "=", ok))
			}
			sort.Strings(names)
			line(&b, "%s: %v", what, names)
		}
		if mine {
			u, err := url.Parse(srv.URL)
			if err != nil {
				t.Fatal(err)
			}
			f := factory.NewSharedInformerFactory(&restwatch.Client{Base: u}, time.Minute)
			forResource := func(gvr schema.GroupVersionResource) informer.SharedIndexInformer {
				return f.InformerFor(gvr, func(client *restwatch.Client, period time.Duration) informer.SharedIndexInformer {
					return informer.NewSharedIndexInformerWithOptions(factory.NewListWatch(client, gvr, "", nil, releases.Standard), nil,
						informer.SharedIndexInformerOptions{ResyncPeriod: period, Release: release})
				})
			}
			line(&b, "the same informer: %v", forResource(pods) == forResource(pods))
			report("before a start", f.WaitForCacheSyncWithContext(ctx).Synced)
			f.StartWithContext(ctx)
			forResource(nodes)
			report("started", f.WaitForCacheSyncWithContext(ctx).Synced)
			f.StartWithContext(ctx)
			f.StartWithContext(ctx)
			report("started again", f.WaitForCacheSyncWithContext(ctx).Synced)
			late := forResource(deployments)
			cancel()
			f.Shutdown()
			f.StartWithContext(t.Context())
			line(&b, "stopped %v %v, started after it %v", forResource(pods).IsStopped(), forResource(nodes).IsStopped(), late.HasSynced())
		} else {
			dyn, err := dynamic.NewForConfig(&rest.Config{Host: srv.URL, QPS: -1})
			if err != nil {
				t.Fatal(err)
			}
			f := dynamicinformer.NewDynamicSharedInformerFactory(dyn, time.Minute)
			line(&b, "the same informer: %v", f.ForResource(pods).Informer() == f.ForResource(pods).Informer())
			report("before a start", f.WaitForCacheSync(ctx.Done()))
			f.Start(ctx.Done())
			f.ForResource(nodes)
			report("started", f.WaitForCacheSync(ctx.Done()))
			f.Start(ctx.Done())
			f.Start(ctx.Done())
			report("started again", f.WaitForCacheSync(ctx.Done()))
			late := f.ForResource(deployments).Informer()
			cancel()
			f.Shutdown()
			f.Start(t.Context().Done())
			line(&b, "stopped %v %v, started after it %v", f.ForResource(pods).Informer().IsStopped(), f.ForResource(nodes).Informer().IsStopped(), late.HasSynced())
		}
		line(&b, "%s", requests())
		srv.CloseClientConnections()
		srv.Close()
		text[mine] = b.String()
	}
	if text[true] != text[false] {
		t.Fatalf("ours:\n%s\nclient-go:\n%s", text[true], text[false])
	}
	wantText(t, text[false], "the same informer: true", `before a start: \[\]`, `started: \[pods=true\]`, `started again: \[nodes=true pods=true\]`,
		"stopped true true, started after it false")
}

// testFirstConstructor checks that the first InformerFor call of a resource decides how the informer is made. It compares with client-go's typed
// factory, which is keyed by Go type.
func testFirstConstructor(t *testing.T, _ releases.Release) {
	text := bubbles(t, func(mine bool) string {
		var b strings.Builder
		made := func(n int, period time.Duration) { line(&b, "constructor %d with %v", n, period) }
		if mine {
			f := factory.NewSharedInformerFactory(&restwatch.Client{}, time.Minute)
			request := func(n int) informer.SharedIndexInformer {
				return f.InformerFor(pods, func(_ *restwatch.Client, period time.Duration) informer.SharedIndexInformer {
					made(n, period)
					return informer.NewSharedIndexInformer(&informer.ListWatch{}, &object{}, period, nil)
				})
			}
			line(&b, "the same: %v", request(1) == request(2))
		} else {
			f := informers.NewSharedInformerFactory(nil, time.Minute)
			request := func(n int) clientgo.SharedIndexInformer {
				return f.InformerFor(&object{}, func(_ kubernetes.Interface, period time.Duration) clientgo.SharedIndexInformer {
					made(n, period)
					return clientgo.NewSharedIndexInformer(&clientgo.ListWatch{}, &object{}, period, clientgo.Indexers{})
				})
			}
			line(&b, "the same: %v", request(1) == request(2))
		}
		return b.String()
	})
	wantText(t, text, "constructor 1 with 1m0s", "the same: true")
}
