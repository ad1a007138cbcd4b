package informer

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgo "k8s.io/client-go/tools/cache"

	"informerscope/core/words/releases"
)

// metricLog records the published values. Latencies are counted, not compared.
type metricLog struct {
	lock      sync.Mutex
	made      []string
	queued    []string
	versions  []string
	latencies int
}

type gaugeFunc func(float64)

func (f gaugeFunc) Set(v float64) { f(v) }

type observeFunc func(float64)

func (f observeFunc) Observe(v float64) { f(v) }

func (l *metricLog) gauge(what string, to *[]string, id identity) gaugeFunc {
	l.made = append(l.made, fmt.Sprintf("%s of %s %v %v", what, id.Name(), id.GroupVersionResource(), id.Reserved()))
	return func(v float64) {
		l.lock.Lock()
		defer l.lock.Unlock()
		*to = append(*to, fmt.Sprintf("%.0f", v))
	}
}

func (l *metricLog) histogram(id identity) observeFunc {
	l.made = append(l.made, fmt.Sprintf("latency of %s", id.Name()))
	return func(v float64) {
		l.lock.Lock()
		defer l.lock.Unlock()
		if v >= 0 {
			l.latencies++
		}
	}
}

type ourMetrics struct{ *metricLog }

func (m ourMetrics) NewQueuedItemMetric(id InformerNameAndResource) GaugeMetric {
	return m.gauge("queued", &m.queued, id)
}
func (m ourMetrics) NewProcessingLatencyMetric(id InformerNameAndResource) HistogramMetric {
	return m.histogram(id)
}
func (m ourMetrics) NewStoreResourceVersionMetric(id InformerNameAndResource) GaugeMetric {
	return m.gauge("version", &m.versions, id)
}

type theirMetrics struct{ *metricLog }

func (m theirMetrics) NewQueuedItemMetric(id clientgo.InformerNameAndResource) clientgo.GaugeMetric {
	return m.gauge("queued", &m.queued, id)
}
func (m theirMetrics) NewProcessingLatencyMetric(id clientgo.InformerNameAndResource) clientgo.HistogramMetric {
	return m.histogram(id)
}
func (m theirMetrics) NewStoreResourceVersionMetric(id clientgo.InformerNameAndResource) clientgo.GaugeMetric {
	return m.gauge("version", &m.versions, id)
}

var podGVR = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// TestInformerMetrics runs an informer of each library on the same script and compares every value of every gauge.
func TestInformerMetrics(t *testing.T) {
	forReleasesBoth(t, func(t *testing.T, release releases.Release, judge bool, l *metricLog) {
		// Both have the same version: client-go takes a WatchList's objects from a map, and in release 1.35 the version of the last one counts.
		srv := serve(release, "5", obj("a", "2"), obj("b", "2"))
		defer ResetInformerNamesForTesting()
		defer clientgo.ResetInformerNamesForTesting()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		if judge {
			n, err := clientgo.NewInformerName("metrics")
			if err != nil {
				t.Fatal(err)
			}
			lw := &clientgo.ListWatch{ListWithContextFunc: srv.listWithContext, WatchFuncWithContext: srv.watchWithContext}
			inf := clientgo.NewSharedIndexInformerWithOptions(lw, &object{}, clientgo.SharedIndexInformerOptions{
				Identifier: n.WithResource(podGVR), InformerMetricsProvider: theirMetrics{l}})
			go func() { defer close(done); inf.RunWithContext(ctx) }()
		} else {
			n, err := NewInformerName("metrics")
			if err != nil {
				t.Fatal(err)
			}
			inf := NewSharedIndexInformerWithOptions(srv.lw(), &object{}, SharedIndexInformerOptions{
				Release: release, Identifier: n.WithResource(podGVR), InformerMetricsProvider: ourMetrics{l}})
			go func() { defer close(done); inf.RunWithContext(ctx) }()
		}
		synctest.Wait()
		// One at a time, so that both queues have the same length.
		for _, e := range []struct{ name, rv string }{{"a", "6"}, {"c", "9007199254740993123456"}, {"d", "x"}, {"e", ""}} {
			srv.send(modifiedEvent(obj(e.name, e.rv)))
			synctest.Wait()
		}
		srv.send(deletedEvent(obj("a", "11")))
		synctest.Wait()
		srv.send(bookmark("12"))
		synctest.Wait()
		srv.send(addedEvent(obj("f", "13")))
		synctest.Wait()
		cancel()
		<-done
	})
}

// forReleasesBoth runs f for each release with client-go and with this package, and compares the logs.
func forReleasesBoth(t *testing.T, f func(t *testing.T, release releases.Release, judge bool, l *metricLog)) {
	for _, release := range everyRelease {
		t.Run(release.String(), func(t *testing.T) {
			setRelease(t, release)
			var logs [2]metricLog
			for i := range logs {
				synctest.Test(t, func(t *testing.T) { f(t, release, i == 1, &logs[i]) })
			}
			ours, theirs := &logs[0], &logs[1]
			equal(t, "made", sortNames(ours.made), sortNames(theirs.made))
			equal(t, "queued", ours.queued, theirs.queued)
			equal(t, "versions", ours.versions, theirs.versions)
			if ours.latencies != theirs.latencies {
				t.Errorf("%d latencies, client-go has %d", ours.latencies, theirs.latencies)
			}
			if len(theirs.versions) < 5 || release != releases.V131 && (len(theirs.queued) < 5 || theirs.latencies < 5) {
				t.Errorf("client-go published too little to compare: %+v", theirs)
			}
		})
	}
}

// TestUnreservedPublishesNothing covers the second informer of a resource under one name, and NewInformerWithOptions with the first identity.
func TestUnreservedPublishesNothing(t *testing.T) {
	defer ResetInformerNamesForTesting()
	n, err := NewInformerName("twice")
	if err != nil {
		t.Fatal(err)
	}
	var l metricLog
	first, second := n.WithResource(podGVR), n.WithResource(podGVR)
	store := NewStore(MetaNamespaceKeyFunc, WithStoreMetrics(second, ourMetrics{&l}))
	if err := store.Add(obj("a", "7")); err != nil {
		t.Fatal(err)
	}
	NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true, Identifier: second, MetricsProvider: ourMetrics{&l}})
	if len(l.made) != 0 || len(l.versions) != 0 {
		t.Errorf("published: %+v", &l)
	}
	synctest.Test(t, func(t *testing.T) {
		srv := serve(releases.V137, "5", obj("a", "1"))
		_, ctl := NewInformerWithOptions(InformerOptions{ListerWatcher: srv.lw(), ObjectType: &object{}, Handler: &calls{},
			Identifier: first, InformerMetricsProvider: ourMetrics{&l}})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); ctl.RunWithContext(ctx) }()
		synctest.Wait()
		cancel()
		<-done
		equal(t, "versions", l.versions, []string{"5"})
		equal(t, "queued", l.queued, []string{"1", "0", "1", "0"}[:len(l.queued)])
	})
	s := NewThreadSafeStore(nil, nil, WithThreadSafeStoreMetrics(first, ourMetrics{&l}))
	s.Bookmark("123456789012345678")
	if got := l.versions[len(l.versions)-1]; got != "456789012345678" {
		t.Errorf("the last 15 digits are %s", got)
	}
	if name := NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true, Name: "mine", Identifier: first}).Name(); name != "twice" {
		t.Errorf("the queue has the name %q", name)
	}
}

// globalMetrics is the provider for the rest of the process once it is set.
var globalMetrics metricLog

func TestGlobalMetricsProvider(t *testing.T) {
	defer ResetInformerNamesForTesting()
	l, late := &globalMetrics, metricLog{}
	l.versions = nil
	SetInformerMetricsProvider(ourMetrics{l})
	SetInformerMetricsProvider(ourMetrics{&late})
	n, err := NewInformerName("global")
	if err != nil {
		t.Fatal(err)
	}
	store := NewStore(MetaNamespaceKeyFunc, WithStoreMetrics(n.WithResource(podGVR), nil))
	if err := store.Replace(nil, "42"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(l.versions, " "); got != "42" || len(late.made) != 0 {
		t.Errorf("published %q; the second provider was asked for %v", got, late.made)
	}
}

func sortNames(s []string) []string {
	slices.Sort(s)
	return s
}

// anyRealFIFO is a RealFIFO of either library, without the methods whose signatures differ.
type anyRealFIFO interface {
	Add(any) error
	Update(any) error
	Delete(any) error
	Replace([]any, string) error
	Resync() error
	Bookmark(string) error
}

// TestQueueGauge applies the same random operations to both queues and compares every value of the gauge, including those within Replace and between
// batches.
func TestQueueGauge(t *testing.T) {
	defer ResetInformerNamesForTesting()
	defer clientgo.ResetInformerNamesForTesting()
	for seed := range int64(60) {
		ResetInformerNamesForTesting()
		clientgo.ResetInformerNamesForTesting()
		n, err := NewInformerName("queue")
		if err != nil {
			t.Fatal(err)
		}
		judgeName, err := clientgo.NewInformerName("queue")
		if err != nil {
			t.Fatal(err)
		}
		var got, want metricLog
		options := RealFIFOOptions{KeyFunction: thingKey, Identifier: n.WithResource(podGVR), MetricsProvider: ourMetrics{&got}}
		judgeOptions := clientgo.RealFIFOOptions{KeyFunction: thingKey, Identifier: judgeName.WithResource(podGVR), MetricsProvider: theirMetrics{&want}}
		if seed%2 == 0 {
			options.AtomicEvents, options.EmitDeltaTypeBookmark, options.UnlockWhileProcessing = true, true, true
			judgeOptions.AtomicEvents, judgeOptions.EmitDeltaTypeBookmark, judgeOptions.UnlockWhileProcessing = true, true, true
		} else {
			known := NewStore(thingKey)
			_ = known.Replace([]any{thing{"a", 0}, thing{"x", 0}, thing{"y", 0}}, "")
			options.KnownObjects, judgeOptions.KnownObjects = known, known
		}
		f, judge := NewRealFIFOWithOptions(options), clientgo.NewRealFIFOWithOptions(judgeOptions)
		play := func(f anyRealFIFO, pop func(batch bool)) {
			randomThings(seed, 150, func(r *rand.Rand, x thing) {
				switch r.Intn(9) {
				case 0, 1, 2:
					_ = f.Add(x)
				case 3:
					_ = f.Update(x)
				case 4:
					_ = f.Delete(x)
				case 5:
					if r.Intn(4) == 0 {
						_ = f.Replace([]any{thing{"a", 1}, x}, "1")
					}
				case 6:
					if r.Intn(4) == 0 {
						_ = f.Resync()
					}
				case 7:
					_ = f.Bookmark("7")
				default:
					// Add something first, so that Pop does not block.
					_ = f.Add(thing{"p", 0})
					pop(r.Intn(2) == 0)
				}
			})
		}
		play(f, func(batch bool) {
			if batch {
				_ = f.PopBatch(func([]Delta, bool) error { return nil }, func(any, bool) error { return nil })
			} else {
				_, _ = f.Pop(func(any, bool) error { return nil })
			}
		})
		play(judge, func(batch bool) {
			if batch {
				_ = judge.PopBatch(func([]clientgo.Delta, bool) error { return nil }, func(any, bool) error { return nil })
			} else {
				_, _ = judge.Pop(func(any, bool) error { return nil })
			}
		})
		differ(t, seed, got.queued, want.queued)
		if got.latencies != want.latencies || want.latencies == 0 {
			t.Errorf("seed %d: %d latencies, client-go %d", seed, got.latencies, want.latencies)
		}
	}
}
