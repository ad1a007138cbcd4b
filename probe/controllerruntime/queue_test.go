package controllerruntime

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.org/informerscope/probe"
)

// It fits where controller-runtime wants it.
var _ = controller.Options{NewQueue: NewQueue(probe.New(probe.Options{}), QueueOptions{})}

func TestDefaultOfARelease(t *testing.T) {
	for release, want := range map[string]bool{"v0.20.4": false, "v0.22.4": false, "v0.23.0": true, "v0.25.2": true, "(devel)": true} {
		if hasPriorityDefault(release) != want {
			t.Error(release)
		}
	}
}

// TestQueueOptions: a queue is what the controller's own options say, with its log and without a limit on the rate of all keys together.
func TestQueueOptions(t *testing.T) {
	p := probe.New(probe.Options{})
	for _, want := range []bool{false, true} {
		q := NewQueue(p, QueueOptions{UsePriorityQueue: &want})("pod", nil)
		if _, isPriority := q.(priorityqueue.PriorityQueue[reconcile.Request]); isPriority != want {
			t.Errorf("UsePriorityQueue %t makes a %T", want, q)
		}
		q.ShutDown()
	}
	var opts struct{ Log logr.Logger }
	log := funcr.New(func(string, string) {}, funcr.Options{})
	if setLog(&opts, log); opts.Log != log {
		t.Error("the queue has no log")
	}
	setLog(&priorityqueue.Opts[string]{}, log)
	setLog(&struct{ Log string }{}, log)
	var limiter recorded
	q := NewPriorityQueue[int](p, QueueOptions{QueueOptions: probe.QueueOptions{MetricsProvider: &limiter}})("pod", nil)
	defer q.ShutDown()
	for i := range 200 { // client-go's default limiter lets 100 through at once
		q.AddRateLimited(i)
	}
	for range 200 {
		item, _ := q.Get()
		q.Done(item)
	}
	if !limiter.isAsked {
		t.Error("the queue has no metrics of its own")
	}
}

// recorded is a provider of metrics that notes whether it was asked.
type recorded struct {
	workqueue.MetricsProvider
	isAsked bool
}

type none struct{}

func (none) Inc()            {}
func (none) Dec()            {}
func (none) Set(float64)     {}
func (none) Observe(float64) {}

func (r *recorded) NewDepthMetric(string) workqueue.GaugeMetric {
	r.isAsked = true
	return none{}
}
func (r *recorded) NewAddsMetric(string) workqueue.CounterMetric           { return none{} }
func (r *recorded) NewLatencyMetric(string) workqueue.HistogramMetric      { return none{} }
func (r *recorded) NewWorkDurationMetric(string) workqueue.HistogramMetric { return none{} }
func (r *recorded) NewRetriesMetric(string) workqueue.CounterMetric        { return none{} }
func (r *recorded) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric {
	return none{}
}
func (r *recorded) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return none{}
}

// A recording of a priority queue has each key that was taken, and at the end what is in it: nothing waits, nothing is in work.
func TestPriorityQueue(t *testing.T) {
	p := probe.New(probe.Options{})
	lw := &cache.ListWatch{ListFunc: func(metav1.ListOptions) (runtime.Object, error) { return &corev1.PodList{}, nil },
		WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return watch.NewFake(), nil }}
	p.Informer(corev1.SchemeGroupVersion.WithResource("pods"), cache.NewSharedIndexInformer(lw, &corev1.Pod{}, 0, cache.Indexers{}))
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](time.Millisecond, time.Second)
	q := NewPriorityQueue[reconcile.Request](p, QueueOptions{})("pod", limiter)
	if _, ok := q.(priorityqueue.PriorityQueue[reconcile.Request]); !ok {
		t.Fatal("controller-runtime does not know it for a priority queue")
	}
	srv := httptest.NewServer(p.Handler())
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	defer time.AfterFunc(time.Minute, func() { resp.Body.Close() }).Stop()
	in := bufio.NewScanner(resp.Body)
	in.Buffer(nil, 1<<20)
	type line struct {
		K, Key string
		N      int
		F      bool
	}
	queued, working, waiting, kinds := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]int{}
	next := func() line {
		t.Helper()
		if !in.Scan() {
			t.Fatalf("the stream ended: %v; so far %v; %v are queued, %v in work, %v wait", in.Err(), kinds, queued, working, waiting)
		}
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		kinds[l.K]++
		return l
	}
	for next().K != "Restored" {
	}

	const keys, rounds = 6, 300
	var mu sync.Mutex
	taken := 0
	for w := range 3 {
		random := rand.New(rand.NewPCG(7, uint64(w)))
		go func() {
			for {
				item, down := q.Get()
				if down {
					return
				}
				mu.Lock()
				taken++
				mu.Unlock()
				if random.IntN(4) == 0 {
					q.(priorityqueue.PriorityQueue[reconcile.Request]).AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, item)
				} else {
					q.Forget(item)
				}
				q.Done(item)
			}
		}()
	}
	random := rand.New(rand.NewPCG(8, 8))
	for i := range rounds {
		r := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "ns", Name: fmt.Sprint(random.IntN(keys))}}
		switch i % 3 {
		case 0:
			q.AddAfter(r, time.Duration(random.IntN(3))*time.Millisecond)
		default:
			q.Add(r)
		}
	}
	q.Add(reconcile.Request{NamespacedName: types.NamespacedName{Name: "the-last"}})
	// A key that is added in the moment in which it is handed to a worker is reported when it is taken again.
	isOver := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return kinds["WorkTaken"] == taken && q.Len() == 0
	}
	for last := false; !last || len(queued)+len(working)+len(waiting) > 0 || !isOver(); {
		l := next()
		switch l.K {
		case "WorkAdded":
			if queued[l.Key] {
				t.Fatalf("%v was there", l)
			}
			queued[l.Key] = true
		case "WorkTaken":
			if !queued[l.Key] || working[l.Key] {
				t.Fatalf("%v: it was not to be had", l)
			}
			delete(queued, l.Key)
			working[l.Key] = true
		case "WorkDone":
			if !working[l.Key] {
				t.Fatalf("%v: no worker had it", l)
			}
			if delete(working, l.Key); l.F {
				queued[l.Key] = true
			}
			last = last || l.Key == "the-last"
		case "WorkWaiting":
			waiting[l.Key] = true
		case "WorkDue":
			delete(waiting, l.Key)
		}
		if strings.HasPrefix(l.K, "Work") && l.Key == "" {
			t.Fatalf("%v has no key", l)
		}
	}
	q.ShutDown() // workers of a priority queue of 0.20 wait on all the same
	mu.Lock()
	defer mu.Unlock()
	if kinds["WorkTaken"] != taken || taken == 0 || kinds["Reconciled"] != taken || kinds["WorkRateLimited"] == 0 {
		t.Errorf("%d were taken; %v", taken, kinds)
	}
}
