package conformance

import (
	"context"
	"fmt"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sort"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
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
	"informerscope/internal/play"
)

var (
	pods        = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	nodes       = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
)

// gauges stores the last value of every metric and the number of times it was set.
type gauges struct {
	mu   sync.Mutex
	last map[string]float64
	sets map[string]int
}

// gauge is a metric of either library.
type gauge struct {
	g    *gauges
	name string
}

func (m gauge) Set(v float64)     { m.g.set(m.name, v) }
func (m gauge) Observe(v float64) { m.g.set(m.name, 0) }

func (g *gauges) set(name string, v float64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last[name] = v
	g.sets[name]++
}

type ourMetrics struct{ *gauges }

func (g ourMetrics) NewQueuedItemMetric(id informer.InformerNameAndResource) informer.GaugeMetric {
	return gauge{g.gauges, "queued " + id.Name()}
}
func (g ourMetrics) NewProcessingLatencyMetric(id informer.InformerNameAndResource) informer.HistogramMetric {
	return gauge{g.gauges, "latency " + id.Name()}
}
func (g ourMetrics) NewStoreResourceVersionMetric(id informer.InformerNameAndResource) informer.GaugeMetric {
	return gauge{g.gauges, "rv " + id.Name()}
}

type theirMetrics struct{ *gauges }

func (g theirMetrics) NewQueuedItemMetric(id clientgo.InformerNameAndResource) clientgo.GaugeMetric {
	return gauge{g.gauges, "queued " + id.Name()}
}
func (g theirMetrics) NewProcessingLatencyMetric(id clientgo.InformerNameAndResource) clientgo.HistogramMetric {
	return gauge{g.gauges, "latency " + id.Name()}
}
func (g theirMetrics) NewStoreResourceVersionMetric(id clientgo.InformerNameAndResource) clientgo.GaugeMetric {
	return gauge{g.gauges, "rv " + id.Name()}
}

// identified is an InformerName of either library.
type identified struct {
	name     string
	register func(schema.GroupVersionResource) func() bool
	release  func()
}

func newName(mine bool, s string) (identified, error) {
	if mine {
		n, err := informer.NewInformerName(s)
		if err != nil {
			return identified{}, err
		}
		return identified{n.Name(), func(gvr schema.GroupVersionResource) func() bool { return n.WithResource(gvr).Reserved }, n.Release}, nil
	}
	n, err := clientgo.NewInformerName(s)
	if err != nil {
		return identified{}, err
	}
	return identified{n.Name(), func(gvr schema.GroupVersionResource) func() bool { return n.WithResource(gvr).Reserved }, n.Release}, nil
}

func testNames(t *testing.T, _ releases.Release) {
	text := bubbles(t, func(mine bool) string {
		var b strings.Builder
		_, err := newName(mine, "")
		line(&b, "no name: failed=%v", err != nil)
		one, err := newName(mine, "conformance")
		line(&b, "a name: %v failed=%v", one.name, err != nil)
		_, err = newName(mine, "conformance")
		line(&b, "the name again: failed=%v", err != nil)
		first, second, other := one.register(pods), one.register(pods), one.register(nodes)
		line(&b, "first %v second %v other %v", first(), second(), other())
		one.release()
		line(&b, "released: first %v second %v other %v, registered after it %v", first(), second(), other(), one.register(deployments)())
		again, err := newName(mine, "conformance")
		line(&b, "after the release: failed=%v", err != nil)
		again.release()
		one.release()
		return b.String()
	})
	wantText(t, text, "the name again: failed=true", "first true second false other true", "released: first false second false other false",
		"after the release: failed=false")
}

// testMetrics runs a named informer and compares the values of its metrics.
func testMetrics(t *testing.T, release releases.Release) {
	text := bubbles(t, func(mine bool) string {
		rand.Seed(83)
		c := play.NewServer(3)
		lw := c.Source()
		g := &gauges{last: map[string]float64{}, sets: map[string]int{}}
		var run func(context.Context)
		var freeName func()
		if mine {
			n, err := informer.NewInformerName("metrics")
			if err != nil {
				return err.Error()
			}
			first, second := n.WithResource(pods), n.WithResource(pods)
			inf := informer.NewSharedIndexInformerWithOptions(lw, &object{}, informer.SharedIndexInformerOptions{Release: release, Identifier: first,
				InformerMetricsProvider: ourMetrics{g}})
			other := informer.NewSharedIndexInformerWithOptions(lw, &object{},
				informer.SharedIndexInformerOptions{Release: release, Identifier: second, InformerMetricsProvider: ourMetrics{g}})
			_ = other
			run, freeName = inf.RunWithContext, n.Release
		} else {
			n, err := clientgo.NewInformerName("metrics")
			if err != nil {
				return err.Error()
			}
			first, second := n.WithResource(pods), n.WithResource(pods)
			inf := clientgo.NewSharedIndexInformerWithOptions(lw, &object{}, clientgo.SharedIndexInformerOptions{Identifier: first,
				InformerMetricsProvider: theirMetrics{g}})
			other := clientgo.NewSharedIndexInformerWithOptions(lw, &object{},
				clientgo.SharedIndexInformerOptions{Identifier: second, InformerMetricsProvider: theirMetrics{g}})
			_ = other
			run, freeName = inf.RunWithContext, n.Release
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); run(ctx) }()
		var b strings.Builder
		look := func(what string) {
			time.Sleep(50 * time.Millisecond)
			synctest.Wait()
			g.mu.Lock()
			defer g.mu.Unlock()
			var names []string
			for n := range g.last {
				// The number of times that a gauge is set is not guaranteed, but its value is.
				names = append(names, fmt.Sprintf("%s=%.0f", n, g.last[n]))
			}
			sort.Strings(names)
			line(&b, "%s: %v", what, names)
		}
		look("start")
		c.Put("ns/o0", "b")
		look("put")
		c.Skip(7)
		c.Bookmark()
		look("bookmark")
		c.Skip(999999999999999990)
		c.Put("ns/o1", "c")
		look("a version of more than 15 digits")
		c.Remove("ns/o2")
		look("delete")
		cancel()
		<-done
		c.Shutdown()
		freeName()
		return b.String()
	})
	if release == releases.V137 {
		wantText(t, text, `put: .*rv metrics=8`, `bookmark: .*rv metrics=15`)
	}
}

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
			f := factory.NewSharedInformerFactoryWithOptions(&restwatch.Client{Base: u}, time.Minute,
				factory.WithInformerOptions(func(_ schema.GroupVersionResource, o *informer.SharedIndexInformerOptions) { o.Release = release }))
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
			by := func(n int) informer.SharedIndexInformer {
				return f.InformerFor(pods, func(_ *restwatch.Client, period time.Duration) informer.SharedIndexInformer {
					made(n, period)
					return informer.NewSharedIndexInformer(&informer.ListWatch{}, &object{}, period, nil)
				})
			}
			line(&b, "the same: %v", by(1) == by(2))
		} else {
			f := informers.NewSharedInformerFactory(nil, time.Minute)
			by := func(n int) clientgo.SharedIndexInformer {
				return f.InformerFor(&object{}, func(_ kubernetes.Interface, period time.Duration) clientgo.SharedIndexInformer {
					made(n, period)
					return clientgo.NewSharedIndexInformer(&clientgo.ListWatch{}, &object{}, period, clientgo.Indexers{})
				})
			}
			line(&b, "the same: %v", by(1) == by(2))
		}
		return b.String()
	})
	wantText(t, text, "constructor 1 with 1m0s", "the same: true")
}
