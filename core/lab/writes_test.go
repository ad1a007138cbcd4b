package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/core/ask/analysis"
	"informerscope/core/client/restwatch"
	"informerscope/core/cluster/simcluster"
	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/wire/pipe"
	"informerscope/core/wire/relayclient"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
)

var podsGVR = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// truth returns what the simulated cluster holds, requested without faults.
func truth(t *testing.T, l *Lab, gvr schema.GroupVersionResource) map[string]*object.Object {
	t.Helper()
	list, err := l.src.client().List(t.Context(), gvr, "", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*object.Object{}
	for _, o := range list.Items {
		out[o.GetNamespace()+"/"+o.GetName()] = o
	}
	return out
}

// observedAll fails the test unless every object has the annotation that the controller had to write.
func observedAll(t *testing.T, l *Lab, gvr schema.GroupVersionResource) {
	t.Helper()
	all := truth(t, l, gvr)
	if len(all) == 0 {
		t.Error("there is nothing to observe")
	}
	w := &writer{gvr: gvr}
	for key, o := range all {
		if name, value := w.observation(o); o.GetAnnotations()[name] != value {
			t.Errorf("%s: %s is %q, want %q", key, name, o.GetAnnotations()[name], value)
		}
	}
}

// listWrites returns the write events so far, by kind.
func listWrites(rec *trace.Recorder) (sent, answered []event.Entry) {
	head, _ := rec.Head()
	for e := range rec.Events(rec.First(), head) {
		switch e.Kind {
		case event.KindClusterWrite:
			sent = append(sent, *e)
		case event.KindClusterWritten:
			answered = append(answered, *e)
		}
	}
	return sent, answered
}

func do(t *testing.T, l *Lab, verb string, a ClusterArgs) {
	t.Helper()
	if _, err := l.Cluster(verb, a); err != nil {
		t.Fatal(err)
	}
}

func TestTheControllerWritesAndComesToRest(t *testing.T) {
	for _, releases := range []string{"1.31", "1.37", "1.31,1.37"} {
		t.Run(releases, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, rec := start(t, selection.Change{Release: &releases, Objects: ptr(300)})
				pass(20 * time.Second)
				if s := state(rec).Workqueue; !s.Writing || s.Writes+s.Conflicts+s.WriteFails != 0 || s.Reconciles < 300 {
					t.Fatalf("a cluster that was observed already: %+v", s)
				}
				do(t, l, "create", ClusterArgs{Name: "w", Replicas: 40})
				pass(2 * time.Minute)
				observedAll(t, l, podsGVR)
				before := truth(t, l, podsGVR)
				_, rested := listWrites(rec)
				pass(3 * time.Minute)
				for key, o := range truth(t, l, podsGVR) {
					if b := before[key]; b == nil || b.GetResourceVersion() != o.GetResourceVersion() {
						t.Errorf("%s was written again though nothing happened to it", key)
					}
				}
				sent, answered := listWrites(rec)
				if len(sent) != len(answered) || len(answered) != len(rested) {
					t.Fatalf("%d writes sent, %d answered, %d when it came to rest", len(sent), len(answered), len(rested))
				}
				// Each pod is Pending and then Running: 80 writes succeed, however many controllers try.
				lanes := state(rec).Lanes
				if lanes == nil {
					lanes = []*fold.State{state(rec)}
				}
				writes := 0
				for i, s := range lanes {
					q := s.Workqueue
					writes += q.Writes
					want := [3]int{}
					var last *event.Entry
					for j := range answered {
						e := &answered[j]
						if int(e.Lane) != i {
							continue
						}
						last = e
						switch {
						case e.Err() == nil:
							want[0]++
						case event.StatusCode(e.Err()) == http.StatusConflict:
							want[1]++
						default:
							want[2]++
						}
					}
					if got := [3]int{q.Writes, q.Conflicts, q.WriteFails}; got != want {
						t.Errorf("lane %d: the fold says %v, the log %v", i, got, want)
					}
					if last == nil || q.LastWrite == nil || q.LastWrite.Key != last.Key() || q.LastWrite.RV != last.ClusterWritten().Sent ||
						q.LastWrite.NewRV != last.RV() || q.LastWrite.Open {
						t.Errorf("lane %d: last write %+v, the log's %+v", i, q.LastWrite, last)
					}
				}
				if writes < 41 || writes > 80 {
					t.Errorf("%d writes for 40 new pods", writes)
				}
				// The writes came back over the watch.
				frames := map[string]bool{}
				head, _ := rec.Head()
				for e := range rec.Events(rec.First(), head) {
					if e.Kind == event.KindWireFrame && e.WireFrame().Op == event.OpUpdated {
						frames[e.WireFrame().Key+" "+e.WireFrame().RV] = true
					}
				}
				for _, e := range answered {
					if e.Err() == nil && !frames[e.Key()+" "+e.RV()] {
						t.Errorf("no MODIFIED of %s at %s", e.Key(), e.RV())
					}
				}
			})
		})
	}
}

// TestWritesDoNotStorm: a large cluster is not written to on first sight, and a burst causes only the writes that are needed.
func TestWritesDoNotStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{Objects: ptr(5000)})
		pass(time.Minute)
		if s := state(rec).Workqueue; s.Reconciles < 5000 || s.Writes+s.Conflicts+s.WriteFails != 0 {
			t.Fatalf("%d reconciles, %d writes at the start", s.Reconciles, s.Writes)
		}
		do(t, l, "burst", ClusterArgs{N: 2000})
		pass(time.Minute)
		if s := state(rec).Workqueue; s.Reconciles < 5000+1000 || s.Writes != 0 {
			t.Errorf("%d reconciles, %d writes after a burst that changed no phase", s.Reconciles, s.Writes)
		}
		observedAll(t, l, podsGVR)
	})
}

func TestGenerationsAreObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{Resource: ptr("deployments.apps")})
		gvr := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
		pass(10 * time.Second)
		if s := state(rec).Workqueue; s.Writes != 0 || s.Reconciles == 0 {
			t.Fatalf("%d writes at the start", s.Writes)
		}
		do(t, l, "create", ClusterArgs{Name: "w", Replicas: 2})
		pass(10 * time.Second)
		do(t, l, "scale", ClusterArgs{Name: "w", Replicas: 5})
		pass(time.Minute)
		observedAll(t, l, gvr)
		o := truth(t, l, gvr)["default/w"]
		if o.GetGeneration() != 2 || state(rec).Workqueue.Writes != 2 {
			t.Errorf("generation %d, %d writes", o.GetGeneration(), state(rec).Workqueue.Writes)
		}
		// An object without a generation has nothing to observe.
		if _, err := l.Select(t.Context(), selection.Change{Resource: ptr("leases.coordination.k8s.io")}); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		if s := state(rec).Workqueue; s.Writes != 0 || s.Reconciles == 0 {
			t.Errorf("%d writes, %d reconciles of leases", s.Writes, s.Reconciles)
		}
	})
}

// aStaleKey brings the lab to a state in which one key waits for a worker, and the store holds an older version of its pod than the cluster.
func aStaleKey(t *testing.T, l *Lab) (key string) {
	t.Helper()
	pass(5 * time.Second)
	for _, err := range []error{l.Informer(0).Hold("take", 0)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	do(t, l, "create", ClusterArgs{Name: "w", Replicas: 1})
	pass(20 * time.Second)
	for k, o := range truth(t, l, podsGVR) {
		if strings.HasPrefix(k, "default/w-") {
			key = k
			if o.Get("status.phase").String() != "Running" || o.GetAnnotations()[simcluster.ObservedPhase] != "" {
				t.Fatalf("the pod before it is observed: %s", o.Raw())
			}
		}
	}
	if key == "" {
		t.Fatal("the deployment has no pod")
	}
	if err := l.Informer(0).Hold("store", 0); err != nil {
		t.Fatal(err)
	}
	ns, name, _ := strings.Cut(key, "/")
	if _, err := l.src.client().Patch(t.Context(), podsGVR, ns, name, []byte(`{"metadata":{"labels":{"touched":"yes"}}}`)); err != nil {
		t.Fatal(err)
	}
	pass(time.Second)
	return key
}

func TestAStaleReadIsAConflictAndHeals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{})
		key := aStaleKey(t, l)
		if err := l.Informer(0).Release("take", 0, 0); err != nil {
			t.Fatal(err)
		}
		pass(200 * time.Millisecond)
		s := state(rec).Workqueue
		// 5, 10, 20, 40, 80 ms: every controller's default rate limiter.
		if s.Conflicts < 4 || s.Conflicts > 6 || s.Writes != 0 || s.WriteFails != 0 || s.Retries != 1 || s.Failures != s.Conflicts {
			t.Fatalf("while the store is stale: %+v", s)
		}
		w := s.LastWrite
		if w.Key != key || w.Code != http.StatusConflict || !strings.Contains(w.Error, "the object has been modified") || w.NewRV != "" ||
			w.Worker < 1 {
			t.Errorf("last write %+v", w)
		}
		if s.LastRead.Behind != 1 {
			t.Errorf("the read was %d versions behind, want 1", s.LastRead.Behind)
		}
		if err := l.Informer(0).Release("store", 0, 0); err != nil {
			t.Fatal(err)
		}
		pass(10 * time.Second)
		if s := state(rec).Workqueue; s.Writes != 1 || s.Retries != 0 || s.LastWrite.NewRV == "" {
			t.Errorf("after the store caught up: %+v", s)
		}
		observedAll(t, l, podsGVR)
		if o := truth(t, l, podsGVR)[key]; o.GetLabels()["touched"] != "yes" {
			t.Error("the conflicting write was lost")
		}
		// The journey has the writes, and so does the export.
		head, _ := rec.Head()
		var hops []string
		for _, h := range analysis.Journey(rec.Read, key, rec.First(), head) {
			if h.Kind == "ClusterWritten" {
				hops = append(hops, h.Text+" "+h.RV+" "+h.Error)
			}
		}
		if len(hops) != s.Conflicts+1 || !strings.Contains(hops[0], "modified") ||
			hops[len(hops)-1] != "PATCH "+state(rec).Workqueue.LastWrite.NewRV+" " {
			t.Errorf("journey: %q", hops)
		}
		var out bytes.Buffer
		if _, err := l.Export(&out); err != nil {
			t.Fatal(err)
		}
		var doc struct {
			TraceEvents []struct {
				Name string
				Ph   string
				Tid  int
				Args map[string]any
			}
		}
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		spans, errs := 0, 0
		for _, e := range doc.TraceEvents {
			if e.Name == "PATCH "+key && e.Ph == "X" && e.Tid > 10000 {
				spans++
				if e.Args["error"] != nil {
					errs++
				}
			}
		}
		if spans != s.Conflicts+1 || errs != s.Conflicts {
			t.Errorf("the export has %d spans of writes, %d with an error", spans, errs)
		}
	})
}

func TestFaultsStrikeWritesToo(t *testing.T) {
	for name, tc := range map[string]struct {
		args  FaultArgs
		held  bool
		check func(t *testing.T, s *fold.State, answered []event.Entry)
	}{
		"500": {check: func(t *testing.T, s *fold.State, answered []event.Entry) {
			if event.StatusCode(answered[0].Err()) != 500 || s.Workqueue.WriteFails != 1 {
				t.Errorf("answered %v, %d failed", answered[0].Err(), s.Workqueue.WriteFails)
			}
		}},
		"429": {check: func(t *testing.T, s *fold.State, answered []event.Entry) {
			if !apierrors.IsTooManyRequests(answered[0].Err()) {
				t.Errorf("answered %v", answered[0].Err())
			}
		}},
		"refuse": {held: true, check: func(t *testing.T, s *fold.State, answered []event.Entry) {
			if !strings.Contains(answered[0].Err().Error(), "refused") || s.Workqueue.WriteFails < 3 || s.Workqueue.Writes != 0 {
				t.Errorf("answered %v, %d failed, %d written", answered[0].Err(), s.Workqueue.WriteFails, s.Workqueue.Writes)
			}
		}},
		"delay": {args: FaultArgs{Millis: 700}, held: true, check: func(t *testing.T, s *fold.State, answered []event.Entry) {
			if answered[0].Err() != nil || answered[0].ClusterWritten().Took < 700*time.Millisecond {
				t.Errorf("answered %v after %v", answered[0].Err(), answered[0].ClusterWritten().Took)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, rec := start(t, selection.Change{})
				pass(5 * time.Second)
				if err := l.Informer(0).Hold("take", 0); err != nil {
					t.Fatal(err)
				}
				do(t, l, "create", ClusterArgs{Name: "w", Replicas: 1})
				pass(20 * time.Second)
				if _, err := l.Informer(0).Fault(name, tc.args); err != nil {
					t.Fatal(err)
				}
				pass(5 * time.Second) // time for the Reflector to catch up
				if err := l.Informer(0).Release("take", 0, 0); err != nil {
					t.Fatal(err)
				}
				pass(2 * time.Second)
				_, answered := listWrites(rec)
				if len(answered) == 0 {
					t.Fatal("nothing was written")
				}
				tc.check(t, state(rec), answered)
				if tc.held {
					if _, err := l.Informer(0).Fault(name, FaultArgs{On: ptr(false)}); err != nil {
						t.Fatal(err)
					}
				}
				pass(3 * time.Minute)
				observedAll(t, l, podsGVR)
				if s := state(rec); s.Workqueue.Retries != 0 || s.Reflector.Phase != "watching" {
					t.Errorf("%d keys still fail, phase %s", s.Workqueue.Retries, s.Reflector.Phase)
				}
			})
		})
	}
}

func TestWritesCanBeSwitchedOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{})
		pass(5 * time.Second)
		if on, err := l.Writes(nil, ""); on || err != nil {
			t.Fatal(on, err)
		}
		do(t, l, "create", ClusterArgs{Name: "w", Replicas: 3})
		pass(20 * time.Second)
		if s := state(rec).Workqueue; s.Writing || s.Writes != 0 || s.LastWrite != nil {
			t.Errorf("switched off: %+v", s)
		}
		if _, err := l.Select(t.Context(), selection.Change{Release: ptr("1.33")}); err != nil {
			t.Fatal(err)
		}
		pass(20 * time.Second)
		if s := state(rec).Workqueue; s.Writing || s.Writes != 0 {
			t.Errorf("the next experiment writes: %+v", s)
		}
		if on, err := l.Writes(ptr(true), ""); !on || err != nil {
			t.Fatal(on, err)
		}
		pass(20 * time.Second)
		if s := state(rec).Workqueue; !s.Writing || s.Writes != 3 {
			t.Errorf("switched on: writing %v, %d writes", s.Writing, s.Writes)
		}
		observedAll(t, l, podsGVR)
	})
}

// TestNothingIsWrittenToALiveCluster: the relay receives only GET requests, whatever happens, and an experiment's client on a live cluster cannot send
// anything else.
func TestNothingIsWrittenToALiveCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cluster := simcluster.New(simcluster.Options{Seed: 1, Objects: 20, Rate: 20})
		var mu sync.Mutex
		methods := map[string]int{}
		ln := pipe.Listen()
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		srv := &http.Server{Protocols: &protocols, Handler: http.StripPrefix("/clusters/kind-kind",
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				methods[r.Method]++
				mu.Unlock()
				cluster.ServeHTTP(w, r)
			}))}
		var wg sync.WaitGroup
		wg.Go(func() { _ = srv.Serve(ln) })
		wg.Go(func() { cluster.Run(ctx) })
		t.Cleanup(func() {
			cancel()
			_ = srv.Close()
			wg.Wait()
		})
		rec := trace.NewRecorder(trace.RecorderOptions{})
		l := New(Options{Recorder: rec, Dial: func(ctx context.Context) (net.Conn, error) { return ln.Dial(ctx) }})
		t.Cleanup(func() {
			l.Close()
			<-time.After(2 * time.Minute)
		})
		if _, err := l.Select(ctx, selection.Change{Source: ptr("live"), Context: ptr("kind-kind")}); err != nil {
			t.Fatal(err)
		}
		pass(5 * time.Second)
		if err := cluster.CreateDeployment("default", "w", 5); err != nil { // new pods without the annotation
			t.Fatal(err)
		}
		pass(time.Minute)
		s := state(rec)
		if s.Workqueue == nil || s.Workqueue.Reconciles < 25 || s.Workqueue.Writing ||
			s.Workqueue.Writes+s.Workqueue.Conflicts+s.Workqueue.WriteFails != 0 {
			t.Fatalf("the controller of a live cluster: %+v", s.Workqueue)
		}
		if on, err := l.Writes(ptr(true), ""); on || err == nil || !strings.Contains(err.Error(), "live") {
			t.Errorf("writing was switched on: %v, %v", on, err)
		}
		client, leave := l.src.informers()
		struck := client(restwatch.Hooks{}, event.Selection{}, func(relayclient.Trouble) {})
		defer leave()
		for _, c := range []*restwatch.Client{struck, l.src.client()} {
			if l.src.writer(podsGVR, c) != nil {
				t.Error("a live source gives a writer")
			}
			if _, err := c.Patch(ctx, podsGVR, "default", "x", []byte(`{}`)); err == nil || !strings.Contains(err.Error(), "never written to") {
				t.Errorf("a PATCH: %v", err)
			}
			for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
				if _, err := c.Do(ctx, method, "/api/v1/namespaces/default/pods/x", "application/json", []byte(`{}`)); err == nil ||
					!strings.Contains(err.Error(), "never written to") {
					t.Errorf("a %s: %v", method, err)
				}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if len(methods) != 1 || methods[http.MethodGet] == 0 {
			t.Errorf("the relay was sent %v", methods)
		}
	})
}

// TestFaultsCountWhatTheyStrike: every fault counts what it hits, including an open watch.
func TestFaultsCountWhatTheyStrike(t *testing.T) {
	for _, releases := range []string{"1.37", "1.31,1.37"} {
		for _, name := range []string{"cut", "410", "429", "500", "refuse"} {
			t.Run(releases+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l, rec := start(t, selection.Change{Release: &releases})
					pass(5 * time.Second)
					if _, err := l.Informer(0).Fault(name, FaultArgs{}); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					want := 1 + strings.Count(releases, ",") // each lane's watch
					if f := state(rec).Faults; len(f) != 1 || f[0].Name != name || f[0].Struck < want || name != "refuse" && f[0].Struck != want {
						t.Errorf("faults %+v, want %d strikes", f, want)
					}
				})
			})
		}
	}
}

// TestAReadOfNothingIsBehindADeletionOnly reads keys whose object is not in the store.
func TestAReadOfNothingIsBehindADeletionOnly(t *testing.T) {
	const deleted = "deleted"
	for _, tt := range []struct {
		seen   string
		rv     string
		latest string
		behind int
	}{
		{"", "", "", 0},
		{"1 2", "", "2", 0}, // a list lacked it
		{"1 2 deleted", "", "", 0},
		{"1 2 deleted", "2", "", 1},
		{"1 deleted 4 5", "", "5", 2},
		{"1 deleted 4 5", "4", "5", 1},
		{"2 deleted", "1", "", 2}, // it came with the list
		{"1 2 3 4 5 6 7 8 9", "1", "9", 8},
	} {
		v := newVersions()
		for s := range strings.FieldsSeq(tt.seen) {
			v.note("k", s, s == deleted)
			v.note("k", s, s == deleted) // another lane's stream
		}
		if latest, behind := v.lag("k", tt.rv); latest != tt.latest || behind != tt.behind {
			t.Errorf("after %q a read of %q is %d behind %q, want %d behind %q", tt.seen, tt.rv, behind, latest, tt.behind, tt.latest)
		}
	}
}
