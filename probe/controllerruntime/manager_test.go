package controllerruntime

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.org/informerscope/probe"
	"example.org/informerscope/probe/internal/joints"
)

func init() { log.SetLogger(logr.Discard()) }

// operator is a manager with one controller: a config map owns a service account of its name, which the reconciler makes, and has an annotation that says so.
type operator struct {
	p   *probe.Probe
	api *apiServer
	client.Client
	reconciles atomic.Int64
	done       sync.Map                // names of those whose owner was updated
	fail       func(name string) error // after the writes; nil: never
}

func start(t *testing.T, fail func(string) error) *operator {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	o := &operator{p: probe.New(probe.Options{}), api: newAPIServer(t), fail: fail}
	cfg := &rest.Config{Host: o.api.URL, QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}
	mgr, err := manager.New(o.p.WrapConfig(cfg), manager.Options{Scheme: scheme, Logger: logr.Discard(),
		Metrics: metricsserver.Options{BindAddress: "0"}, Cache: cache.Options{NewInformer: o.p.NewInformer},
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) {
			m := meta.NewDefaultRESTMapper([]schema.GroupVersion{corev1.SchemeGroupVersion})
			m.Add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNamespace)
			m.Add(corev1.SchemeGroupVersion.WithKind("ServiceAccount"), meta.RESTScopeNamespace)
			return m, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	o.Client = mgr.GetClient()
	skipsNames, priorities := true, false // several managers of one process have a controller of this name; the priority queue of 0.20 never shuts down
	if err := builder.ControllerManagedBy(mgr).
		For(&corev1.ConfigMap{}, builder.WithPredicates(
			Predicate(o.p, "generation", predicate.GenerationChangedPredicate{}),
			Predicate(o.p, "", predicate.NewPredicateFuncs(func(x client.Object) bool { return x.GetName() != "ignored" })))).
		Owns(&corev1.ServiceAccount{}).
		WithOptions(controller.Options{NewQueue: NewQueue(o.p, QueueOptions{UsePriorityQueue: &priorities}), SkipNameValidation: &skipsNames}).
		Complete(Reconciler(o.p, o)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		o.p.Close()
	})
	eventually(t, "both informers sync", func() bool {
		s := o.p.Status()
		return len(s.Informers) == 2 && s.Informers[0].Synced && s.Informers[1].Synced
	})
	return o
}

func (o *operator) Reconcile(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
	defer o.reconciles.Add(1)
	var owner corev1.ConfigMap
	if err := o.Get(ctx, r.NamespacedName, &owner); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	var children corev1.ServiceAccountList
	if err := o.List(ctx, &children, client.InNamespace(r.Namespace)); err != nil {
		return reconcile.Result{}, err
	}
	if !slices.ContainsFunc(children.Items, func(x corev1.ServiceAccount) bool { return x.Name == r.Name }) {
		isController := true
		child := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: r.Name, Namespace: r.Namespace, OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID, Controller: &isController}}}}
		if err := o.Create(ctx, child); err != nil && !apierrors.IsAlreadyExists(err) {
			return reconcile.Result{}, err
		}
	}
	// It remembers what it has updated: its next read may be older than that.
	if _, isSecond := o.done.LoadOrStore(r.Name, true); !isSecond {
		owner.Annotations = map[string]string{"done": canary}
		if err := o.Update(ctx, &owner); err != nil {
			return reconcile.Result{}, err
		}
	}
	if o.fail != nil && r.Name != warm {
		return reconcile.Result{}, o.fail(r.Name)
	}
	return reconcile.Result{}, nil
}

// recording are the lines of a recording so far.
type recording struct {
	mu    sync.Mutex
	lines []logLine
	text  strings.Builder
	leave func()
}

type logLine struct {
	K, Op, Key, RV, SRV, Txt string
	L, LI, M, N              int
	F                        bool
	D                        int64
	Err                      *struct {
		Msg, Reason string
		Code        int
	}
	Items []struct {
		Key, RV string
		IX      []struct {
			I string
			V []string
		}
	}
}

// warm is an object that is reconciled before the recordings of tests: with the first read of each Lister a recording begins again. It is not among their
// lines.
const warm = "warm"

// record records until the test ends.
func (o *operator) record(t *testing.T) *recording {
	t.Helper()
	first := o.open(t)
	o.api.set(warm, "1")
	last := "ListerList"
	if !joints.KnowsGoroutines { // a list is of no run
		last = "ListerRead"
	}
	eventually(t, "both Listers are read", func() bool {
		first.mu.Lock()
		defer first.mu.Unlock()
		return slices.ContainsFunc(first.lines, func(l logLine) bool { return l.K == last })
	})
	first.leave()
	return o.open(t)
}

// open begins a recording, which ends with the test or with leave.
func (o *operator) open(t *testing.T) *recording {
	t.Helper()
	srv := httptest.NewServer(o.p.Handler())
	resp, err := http.Get(srv.URL + "/stream")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	r, ended, begun := &recording{}, make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	go func() {
		defer close(ended)
		for in := bufio.NewReader(resp.Body); ; {
			text, err := in.ReadString('\n')
			if err != nil {
				return // it has left
			}
			var l logLine
			if err := json.Unmarshal([]byte(text), &l); err != nil {
				t.Errorf("%s: %v", text, err)
				return
			}
			r.mu.Lock()
			r.lines = append(r.lines, l)
			r.text.WriteString(text)
			if l.K == "Restored" && l.L == 1 {
				begin()
			}
			r.mu.Unlock()
		}
	}()
	r.leave = sync.OnceFunc(func() {
		_ = resp.Body.Close()
		<-ended
		srv.Close()
	})
	t.Cleanup(r.leave)
	select {
	case <-begun:
	case <-time.After(time.Minute):
		t.Fatal("the recording has no baseline of two informers")
	}
	return r
}

// linesOf returns the lines of a kind.
func (r *recording) linesOf(kind string) (all []logLine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.lines {
		if l.K == kind && l.Key != "ns/"+warm {
			all = append(all, l)
		}
	}
	return all
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tooLate, look := time.After(time.Minute), time.Tick(5*time.Millisecond)
	for !holds() {
		select {
		case <-look:
		case <-tooLate:
			t.Fatalf("still not after a minute: %s", what)
		}
	}
}

// TestManager: in a manager that runs, the recording has for each reconcile why it ran, what it read and what it wrote. The write's own event is the cause of
// the next one. What predicates throw away is counted by predicate.
func TestManager(t *testing.T) {
	o := start(t, nil)
	r := o.record(t)
	o.api.set("a", "1")
	eventually(t, "it is reconciled for itself and for its child", func() bool {
		return len(r.linesOf("WorkDone")) >= 2 && len(r.linesOf("ClusterWritten")) == 2 &&
			(!joints.KnowsGoroutines || len(r.linesOf("PredicateDropped")) == 1)
	})
	var causes []string
	for _, l := range append(r.linesOf("WorkAdded"), r.linesOf("WorkMarkedDirty")...) {
		causes = append(causes, fmt.Sprintf("%s %s %s %s m%d", l.Key, l.Op, l.Txt, l.RV, l.M))
	}
	writes := r.linesOf("ClusterWritten")
	child, owner := writes[0], writes[1]
	lanes := map[string]int{} // the manager makes them in any order
	for i, x := range o.p.Status().Informers {
		lanes[x.Name] = i + 1
	}
	if want := []string{fmt.Sprint("ns/a Added ns/a ", r.linesOf("WireFrame")[0].RV, " m", lanes["configmaps"]),
		fmt.Sprint("ns/a Added ns/a ", child.RV, " m", lanes["serviceaccounts"])}; joints.KnowsGoroutines && !slices.Equal(causes, want) {
		t.Errorf("causes %q, want %q", causes, want)
	}
	for i, w := range []struct {
		logLine
		resource string
	}{{child, "serviceaccounts"}, {owner, "configmaps"}} {
		if w.Key != "ns/a" || w.LI != 1 || w.M != lanes[w.resource] || w.Err != nil || w.RV == "" || w.D == 0 ||
			len(w.Items) != 1 || w.Items[0].Key != "ns/a" || w.Items[0].IX[0].V[0] != w.resource {
			t.Errorf("write %d: %+v", i, w.logLine)
		}
	}
	if joints.KnowsGoroutines {
		o.checkReadsAndDrops(t, r, owner, lanes["configmaps"])
	}
	for _, l := range r.linesOf("Reconciled") {
		if l.Err != nil || l.D == 0 || l.Key != "ns/a" {
			t.Errorf("a reconcile: %+v", l)
		}
	}
	if err := o.p.Status().Err(); err != nil {
		t.Error(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if strings.Contains(r.text.String(), canary) {
		t.Error("the recording has what an object says")
	}
}

// checkReadsAndDrops checks what the goroutine of a call tells.
func (o *operator) checkReadsAndDrops(t *testing.T, r *recording, owner logLine, lane int) {
	t.Helper()
	for _, l := range r.linesOf("ListerRead") {
		if l.Key != "ns/a" || l.LI != 1 || l.RV == "" {
			t.Errorf("a read: %+v", l)
		}
	}
	if reads, lists := r.linesOf("ListerRead"), r.linesOf("ListerList"); len(reads) < 2 || len(lists) < 2 || lists[0].Txt != "namespace=ns" || lists[0].LI != 1 {
		t.Errorf("reads %+v, lists %+v", reads, lists)
	}
	drop := r.linesOf("PredicateDropped")[0]
	if drop.Txt != "generation" || drop.Key != "ns/a" || drop.RV != owner.RV || drop.Op != "Updated" || drop.L+1 != lane {
		t.Errorf("dropped: %+v; the write made %s", drop, owner.RV)
	}
	o.api.set("ignored", "1")
	eventually(t, "the second predicate throws something away", func() bool { return len(r.linesOf("PredicateDropped")) == 2 })
	if drop = r.linesOf("PredicateDropped")[1]; drop.Txt != "predicate.TypedFuncs" || drop.Key != "ns/ignored" || drop.Op != "Added" {
		t.Errorf("dropped: %+v", drop)
	}
}

// TestReconcilerFails: a reconciler's error has only its type or the API server's reason in the recording, and a panic goes to controller-runtime. A hook that
// fails ends its own layer, and the controller goes on.
func TestReconcilerFails(t *testing.T) {
	var failures atomic.Int64
	o := start(t, func(name string) error {
		if failures.Add(1) > 2 {
			return nil
		}
		switch name {
		case "conflict":
			return apierrors.NewConflict(schema.GroupResource{Resource: "configmaps"}, name, errors.New(canary))
		case "plain":
			return errors.New(canary)
		case "odd":
			return oddError{}
		}
		panic(canary)
	})
	r := o.record(t)
	for i, name := range []string{"conflict", "plain", "odd", "panic"} {
		failures.Store(0)
		before := o.reconciles.Load()
		o.api.set(name, "1")
		eventually(t, name+" is reconciled until it works", func() bool { return failures.Load() > 2 && o.reconciles.Load() >= before+3 })
		eventually(t, name+" is recorded", func() bool {
			return slices.ContainsFunc(r.linesOf("Reconciled"), func(l logLine) bool { return l.Key == "ns/"+name && l.Err == nil })
		})
		var why []string
		for _, l := range r.linesOf("Reconciled") {
			if l.Key == "ns/"+name && l.Err != nil {
				why = append(why, l.Err.Msg+" "+l.Err.Reason)
			}
		}
		want := []string{"Conflict Conflict", "the reconciler returned a *errors.errorString ", "the reconciler returned an error ",
			"the key was added to the rate limiter, to be retried after its delay "}[i]
		others := slices.DeleteFunc(slices.Clone(why), func(cause string) bool { return cause == want })
		// A reconcile that read before its own write came back has a conflict of its own.
		isWhole := len(why)-len(others) == 2 || want == "Conflict Conflict" && len(why) >= 2
		if !isWhole || slices.ContainsFunc(others, func(cause string) bool { return cause != "Conflict Conflict" }) {
			t.Errorf("%s: %q, want twice %q", name, why, want)
		}
	}
	if err := o.p.Status().Err(); err != nil {
		t.Error(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if strings.Contains(r.text.String(), canary) {
		t.Error("the recording has an error's text")
	}
}

// oddError fails when it is asked what it is.
type oddError struct{}

func (oddError) Error() string { return canary }
func (oddError) As(target any) bool {
	if _, isStatus := target.(*apierrors.APIStatus); isStatus {
		panic(canary)
	}
	return false
}

// TestManagerWhileViewersComeAndGo: viewers come and go a thousand times while a controller works. Each object is reconciled, and has its child.
func TestManagerWhileViewersComeAndGo(t *testing.T) {
	o := start(t, nil)
	srv := httptest.NewServer(o.p.Handler())
	defer srv.Close()
	n := 1000
	if testing.Short() {
		n = 50
	}
	attached := 0
	for i := range n {
		ctx, leave := context.WithCancel(context.Background())
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+"/stream", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode == http.StatusOK { // not while earlier ones are still leaving
			_, _ = bufio.NewReader(resp.Body).ReadString('\n')
			attached++
		}
		o.api.set(fmt.Sprint("a", i%100), fmt.Sprint(i))
		leave()
		_ = resp.Body.Close()
	}
	t.Logf("%d of %d viewers attached", attached, n)
	if attached < n/2 {
		t.Errorf("%d of %d viewers attached", attached, n)
	}
	eventually(t, "each has its child", func() bool {
		o.api.mu.Lock()
		defer o.api.mu.Unlock()
		return len(o.api.objects["serviceaccounts"]) == min(n, 100)
	})
	if err := o.p.Status().Err(); err != nil {
		t.Error(err)
	}
}
