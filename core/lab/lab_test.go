package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/utils/clock"

	"informerscope/core/client/restwatch"
	"informerscope/core/lab/labtest"
	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/wire/faults"
	"informerscope/core/wire/relayclient"
	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

func TestMain(m *testing.M) {
	labtest.SilenceLogs()
	os.Exit(m.Run())
}

func ptr[T any](v T) *T { return &v }

// start runs a Lab on a simulated cluster in fake time.
func start(t *testing.T, change selection.Change) (*Lab, *trace.Recorder) {
	t.Helper()
	rec := trace.NewRecorder(trace.RecorderOptions{})
	l := New(Options{Recorder: rec})
	t.Cleanup(func() {
		l.Close()
		<-time.After(2 * time.Minute) // what ignores its context ends by then
	})
	if change.Objects == nil {
		change.Objects = ptr(30)
	}
	if change.Rate == nil {
		change.Rate = ptr(0.0)
	}
	if _, err := l.Select(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	return l, rec
}

// pass lets d go by, and everything become idle.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func state(rec *trace.Recorder) *fold.State {
	head, _ := rec.Head()
	return rec.FoldAt(head).State()
}

func TestEveryReleaseSyncsWithTheSimulatedCluster(t *testing.T) {
	for _, release := range releases.Names() {
		t.Run(release, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, rec := start(t, selection.Change{Release: &release})
				pass(5 * time.Second)
				s := state(rec)
				if s.Release != release || !s.Queue.Synced || s.Reflector.Phase != "watching" {
					t.Fatalf("release %s, synced %v, phase %s", s.Release, s.Queue.Synced, s.Reflector.Phase)
				}
				if want := l.src.cluster.Stats().Objects["pods"]; s.Indexer.Count != want || want == 0 {
					t.Errorf("the store holds %d pods, the cluster %d", s.Indexer.Count, want)
				}
				if wantKind := map[bool]string{true: "DeltaFIFO", false: "RealFIFO"}[release == "1.31"]; s.Queue.Kind != wantKind {
					t.Errorf("queue %s, want %s", s.Queue.Kind, wantKind)
				}
				if lists := s.Reflector.Lists > 0; lists != (release < "1.35") {
					t.Errorf("%d LIST requests", s.Reflector.Lists)
				}
				if len(s.Listeners) != 3 {
					t.Fatalf("%d listeners", len(s.Listeners))
				}
				for _, li := range s.Listeners {
					if !li.Synced || li.Pending != 0 || li.Handled == 0 {
						t.Errorf("listener %s: synced %v, pending %d, handled %d", li.Name, li.Synced, li.Pending, li.Handled)
					}
				}
				if s.Workqueue == nil || s.Workqueue.Reconciles == 0 {
					t.Error("the controller reconciled nothing")
				}
				if !strings.HasPrefix(s.Reflector.LastRequest, "/api/v1/pods?") || s.Reflector.Bytes == 0 {
					t.Errorf("last request %q, %d bytes", s.Reflector.LastRequest, s.Reflector.Bytes)
				}
			})
		})
	}
}

func TestTwoReleasesRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, rec := start(t, selection.Change{Release: ptr("1.31,1.37")})
		pass(5 * time.Second)
		s := state(rec)
		if len(s.Lanes) != 2 || s.Lanes[0].Queue.Kind != "DeltaFIFO" || s.Lanes[1].Queue.Kind != "RealFIFO" {
			t.Fatalf("lanes: %d", len(s.Lanes))
		}
		if a, b := s.Lanes[0].Indexer.Count, s.Lanes[1].Indexer.Count; a != b || a == 0 {
			t.Errorf("%d and %d objects", a, b)
		}
	})
}

// TestAReleaseLetsEachReleaseOnePass: of two informers that are held together each lets as many through as were asked for, and not one of the two.
func TestAReleaseLetsEachReleaseOnePass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{Release: ptr("1.31,1.33")}) // one key or delta a pop
		pass(5 * time.Second)
		if err := l.Informer(0).Hold("pop", 0); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Cluster("burst", ClusterArgs{N: 10}); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		before := state(rec).Lanes
		for n := range 3 {
			if err := l.Informer(0).Release("pop", 1, 0); err != nil {
				t.Fatal(err)
			}
			pass(100 * time.Millisecond)
			for i, lane := range state(rec).Lanes {
				if got := before[i].Queue.Depth - lane.Queue.Depth; got != n+1 {
					t.Errorf("after %d releases of one, lane %d has popped %d", n+1, i, got)
				}
			}
		}
	})
}

func TestFaultsAreRealErrorsAndHeal(t *testing.T) {
	for _, tc := range []struct {
		fault  string
		args   FaultArgs
		during func(*testing.T, *fold.State)
		heal   string
	}{
		{fault: "cut", during: func(t *testing.T, s *fold.State) {
			if s.Reflector.Watches < 2 {
				t.Errorf("%d watches after a cut", s.Reflector.Watches)
			}
		}},
		{fault: "refuse", heal: "refuse", during: func(t *testing.T, s *fold.State) {
			if s.Reflector.Phase != "backoff" || !strings.Contains(s.Reflector.LastError, "refused") {
				t.Errorf("phase %s, error %q", s.Reflector.Phase, s.Reflector.LastError)
			}
		}},
		{fault: "410", during: func(t *testing.T, s *fold.State) {
			if s.Reflector.Relists == 0 {
				t.Error("no relist after 410")
			}
		}},
		{fault: "429", during: func(t *testing.T, s *fold.State) {
			if s.Reflector.Watches < 2 {
				t.Errorf("%d watches after 429", s.Reflector.Watches)
			}
		}},
		{fault: "500", args: FaultArgs{Count: 3}, during: func(t *testing.T, s *fold.State) {
			if s.Reflector.Relists == 0 {
				t.Error("no relist after 500")
			}
		}},
		{fault: "compact", during: func(*testing.T, *fold.State) {}},
		{fault: "restart", during: func(t *testing.T, s *fold.State) {
			if s.Reflector.Watches < 2 && s.Reflector.Relists == 0 {
				t.Error("the restart went unnoticed")
			}
		}},
	} {
		for _, release := range []string{"1.31", "1.37"} {
			t.Run(tc.fault+"/"+release, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l, rec := start(t, selection.Change{Release: &release, Rate: ptr(5.0)})
					pass(5 * time.Second)
					if _, err := l.Informer(0).Fault(tc.fault, tc.args); err != nil {
						t.Fatal(err)
					}
					pass(6 * time.Second)
					tc.during(t, state(rec))
					if tc.heal != "" {
						if on, err := l.Informer(0).Fault(tc.heal, FaultArgs{On: ptr(false)}); on || err != nil {
							t.Fatal(on, err)
						}
					}
					if _, err := l.Cluster("rate", ClusterArgs{}); err != nil { // let it become idle
						t.Fatal(err)
					}
					pass(3 * time.Minute)
					s, stats := state(rec), l.src.cluster.Stats()
					if s.Reflector.Phase != "watching" || s.Indexer.Count != stats.Objects["pods"] {
						t.Errorf("phase %s, %d objects of %d: %s", s.Reflector.Phase, s.Indexer.Count, stats.Objects["pods"], s.Reflector.LastError)
					}
				})
			})
		}
	}
}

func TestNoEndMarkKeepsTheInformerFromSyncing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{})
		pass(time.Second)
		if _, err := l.Informer(0).Fault("noendmark", FaultArgs{}); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Select(t.Context(), selection.Change{Namespace: ptr("shop")}); err != nil {
			t.Fatal(err)
		}
		pass(20 * time.Second)
		s := state(rec)
		if s.Queue.Synced || s.Reflector.Phase != "watch-listing" || s.Reflector.TempStore == 0 {
			t.Errorf("synced %v, phase %s, %d in the temporary store", s.Queue.Synced, s.Reflector.Phase, s.Reflector.TempStore)
		}
		if len(s.Faults) == 0 || !s.Faults[0].On {
			t.Error("the new log does not say that the fault is on")
		}
	})
}

func TestNoBookmarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{})
		pass(2 * time.Second)
		if _, err := l.Informer(0).Fault("nobookmarks", FaultArgs{}); err != nil {
			t.Fatal(err)
		}
		before := state(rec).Reflector.Bookmarks
		pass(time.Minute)
		if s := state(rec); s.Reflector.Bookmarks != before || s.Reflector.Phase != "watching" {
			t.Errorf("%d bookmarks came, phase %s", s.Reflector.Bookmarks-before, s.Reflector.Phase)
		}
		if _, err := l.Informer(0).Fault("nobookmarks", FaultArgs{}); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		if s := state(rec); s.Reflector.Bookmarks == before {
			t.Error("no bookmark came after the fault was taken back")
		}
	})
}

func TestHoldsFillAndReleaseOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{Release: ptr("1.33")}) // one delta a pop
		pass(5 * time.Second)
		if err := l.Informer(0).Hold("pop", 0); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Cluster("burst", ClusterArgs{N: 10}); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		depth := state(rec).Queue.Depth
		if depth < 10 {
			t.Fatalf("depth %d behind a held Pop", depth)
		}
		if err := l.Informer(0).Release("pop", 2, 0); err != nil {
			t.Fatal(err)
		}
		pass(100 * time.Millisecond)
		if s := state(rec); s.Queue.Depth != depth-2 || len(s.Holds) != 1 || !s.Holds[0].Waiting {
			t.Errorf("depth %d after releasing 2 of %d; holds %+v", s.Queue.Depth, depth, s.Holds)
		}
		if err := l.Informer(0).Release("pop", 0, 0); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if s := state(rec); s.Queue.Depth != 0 || len(s.Holds) != 0 {
			t.Errorf("depth %d, holds %+v after releasing all", s.Queue.Depth, s.Holds)
		}
		for _, stage := range []string{"store", "take"} {
			if err := l.Informer(0).Hold(stage, 0); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Informer(0).Hold("deliver", 0); err == nil {
			t.Error("held the delivery of no listener")
		}
		if err := l.Informer(0).Hold("deliver", 2); err != nil {
			t.Fatal(err)
		}
		if err := l.Informer(0).Hold("nowhere", 0); err == nil {
			t.Error("held a stage that is none")
		}
	}) // and every goroutine that waits in a hold ends with the Lab
}

func TestASlowHandlerMakesItsRingGrowAndNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{})
		pass(5 * time.Second)
		if on, err := l.Informer(0).Fault("slow", FaultArgs{}); !on || err != nil {
			t.Fatal(on, err)
		}
		if _, err := l.Cluster("burst", ClusterArgs{N: 1500}); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		s := state(rec)
		for _, li := range s.Listeners {
			if slow := li.Name == "mailer"; slow != (li.Capacity == 2048) || slow != (li.Pending > 1024) {
				t.Errorf("%s: capacity %d, pending %d", li.Name, li.Capacity, li.Pending)
			}
		}
	})
}

func TestListenersComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{})
		pass(3 * time.Second)
		id, err := l.Informer(0).AddListener(ListenerSpec{Name: "late", PaceMillis: 5})
		if err != nil || id != 4 {
			t.Fatal(id, err)
		}
		pass(100 * time.Millisecond)
		s := state(rec)
		if late := s.Listeners[3]; late.Handled > 20 || late.Synced {
			t.Errorf("after 100 ms at 5 ms a call: %+v", late)
		}
		pass(3 * time.Second)
		s = state(rec)
		if late := s.Listeners[3]; late.Handled < s.Indexer.Count || !late.Synced || late.PaceMillis != 5 {
			t.Errorf("late listener: %+v", late)
		}
		if err := l.Informer(0).RemoveListener(id); err != nil {
			t.Fatal(err)
		}
		if err := l.Informer(0).RemoveListener(id); err == nil {
			t.Error("removed a listener twice")
		}
		if err := l.Informer(0).Pace(id, 1); err == nil {
			t.Error("set the pace of a removed listener")
		}
	})
}

func TestAPanickingHandlerIsSeenAndGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{})
		pass(3 * time.Second)
		if err := l.Informer(0).Panic(2); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Cluster("burst", ClusterArgs{N: 3}); err != nil {
			t.Fatal(err)
		}
		pass(3 * time.Second)
		if li := state(rec).Listeners[1]; li.Panics != 1 || !strings.Contains(li.LastPanic, "metrics") || li.Pending != 0 {
			t.Errorf("%+v", li)
		}
		if l.Informer(0).Panic(9) == nil {
			t.Error("a listener that there is not panics")
		}
	})
}

func TestAnIndexAddedWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{})
		pass(3 * time.Second)
		for name, expression := range map[string]string{
			"app": "label:app", "image": "{.spec.containers[*].image}", "first": ".spec.containers[0].name",
			"hash": ".metadata.labels['pod-template-hash']",
		} {
			if err := l.Informer(0).AddIndex(name, expression); err != nil {
				t.Fatalf("%s: %v", expression, err)
			}
		}
		pass(time.Second)
		s := state(rec)
		for _, name := range []string{"app", "image", "first", "hash"} {
			sum := 0
			for value, n := range s.Indexer.Indices[name] {
				if value != noValue {
					sum += n
				}
			}
			if sum < s.Indexer.Count/2 {
				t.Errorf("index %s: %v", name, s.Indexer.Indices[name])
			}
		}
		if l.Informer(0).AddIndex("app", "label:tier") == nil {
			t.Error("an index was added twice under one name")
		}
		if _, err := l.Select(t.Context(), selection.Change{Namespace: ptr("shop")}); err != nil {
			t.Fatal(err)
		}
		pass(3 * time.Second)
		if s := state(rec); len(s.Indexer.Indices["app"]) == 0 {
			t.Error("the next experiment has lost the index")
		}
		var out bytes.Buffer
		if name, err := l.Export(&out); err != nil || !strings.HasSuffix(name, ".trace.json") || !json.Valid(out.Bytes()) {
			t.Errorf("export %s: %v", name, err)
		}
	})
}

func TestPathsOfIndices(t *testing.T) {
	for in, want := range map[string]string{
		"label:app.kubernetes.io/name": `metadata.labels.app\.kubernetes\.io/name`, ".spec.nodeName": "spec.nodeName", "{.a[0].b}": "a.0.b",
		"$.a['x.y']": `a.x\.y`, ".a[*].b": "a.#.b",
		"": "", "spec": "", ".": "", ".a..b": "", "{.a": "", ".a[": "", ".a[x]": "", ".a[?(@.b)]": "", "['']": "", "label:": "", ".a[*]": "",
		".@this": "",
	} {
		got, err := indexPath(in)
		if (err != nil) != (want == "") || got != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
}

// TestARecordingShowsTheSameStates checks both kinds: with whole objects, and with their names only.
func TestARecordingShowsTheSameStates(t *testing.T) {
	for _, namesOnly := range []bool{false, true} {
		t.Run(fmt.Sprintf("names only: %v", namesOnly), func(t *testing.T) { testRecording(t, namesOnly) })
	}
}

func testRecording(t *testing.T, namesOnly bool) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{Rate: ptr(20.0)})
		pass(5 * time.Second)
		if err := l.Informer(0).Hold("store", 0); err != nil { // nothing moves during the comparison
			t.Fatal(err)
		}
		pass(time.Second)
		var file bytes.Buffer
		name, err := l.Record(&file, namesOnly)
		if err != nil || !strings.HasSuffix(name, ".jsonl") {
			t.Fatal(name, err)
		}
		for _, content := range []string{`"spec":`, `"labels":`, `"containers":`, `"podIP":`} {
			if found := strings.Contains(file.String(), content); found == namesOnly {
				t.Errorf("the file has %s: %v", content, found)
			}
		}
		head, _ := rec.Head()
		want := rec.FoldAt(head / 2).State()
		loaded, err := l.Load(bytes.NewReader(file.Bytes()))
		if err != nil || loaded != (Loaded{Events: int(head), NamesOnly: namesOnly}) {
			t.Fatalf("%+v of %d events, error %v", loaded, head, err)
		}
		var again bytes.Buffer
		if _, err := l.Record(&again, false); err != nil {
			t.Fatal(err)
		}
		if marked := strings.Contains(again.String(), `"objects":"names"`); marked != namesOnly {
			t.Errorf("saved again, the recording is marked: %v", marked)
		}
		got := rec.FoldAt(head / 2).State()
		if got.Source.Kind != "file" {
			t.Errorf("source %q", got.Source.Kind)
		}
		got.Source, want.Source = fold.Source{}, fold.Source{}
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		if !bytes.Equal(a, b) {
			t.Errorf("the recording's state differs:\n got %s\nwant %s", a, b)
		}
		if _, err := l.Load(strings.NewReader("no trace")); err == nil {
			t.Error("loaded what is no trace")
		}
		if _, err := l.Select(t.Context(), selection.Change{Source: ptr("sim")}); err != nil {
			t.Fatal(err)
		}
		pass(3 * time.Second)
		if s := state(rec); s.Source.Kind != "sim" || s.Reflector.Phase == "idle" {
			t.Errorf("after a recording: source %q, phase %s", s.Source.Kind, s.Reflector.Phase)
		}
	})
}

func TestCustomResourcesAreFoundByDiscovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{})
		pass(time.Second)
		if _, err := l.src.client().Do(t.Context(), http.MethodPost, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/json", []byte(`{
			"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"foos.samplecontroller.k8s.io"},
			"spec":{"group":"samplecontroller.k8s.io","scope":"Namespaced","names":{"plural":"foos","singular":"foo","kind":"Foo","listKind":"FooList"},
			"versions":[{"name":"v1alpha1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`)); err != nil {
			t.Fatal(err)
		}
		sel, err := l.Select(t.Context(), selection.Change{Resource: ptr("foos.samplecontroller.k8s.io")})
		if err != nil || sel.Version != "v1alpha1" {
			t.Fatalf("%+v, %v", sel, err)
		}
		pass(3 * time.Second)
		if s := state(rec); !s.Queue.Synced || s.Reflector.LastError != "" {
			t.Errorf("synced %v, error %q", s.Queue.Synced, s.Reflector.LastError)
		}
		if _, err := l.Select(t.Context(), selection.Change{Resource: ptr("bars.example.com")}); err == nil || !strings.Contains(err.Error(),
			"bars.example.com") {
			t.Errorf("selected a resource that there is not: %v", err)
		}
		if names, err := l.Namespaces(t.Context()); err != nil || len(names.Items) < 5 || names.Error != "" {
			t.Errorf("namespaces %v, %v", names, err)
		}
	})
}

func TestSelectionsThatCannotBeAreRefused(t *testing.T) {
	l := New(Options{Recorder: trace.NewRecorder(trace.RecorderOptions{})})
	defer l.Close()
	for name, c := range map[string]selection.Change{
		"a source that is none":   {Source: ptr("cloud")},
		"live without a relay":    {Source: ptr("live"), Context: ptr("kind-kind")},
		"live without a context":  {Source: ptr("live")},
		"a release that is none":  {Release: ptr("1.12")},
		"three releases":          {Release: ptr("1.31,1.33,1.37")},
		"no resource":             {Resource: ptr("")},
		"a path for a resource":   {Resource: ptr("pods/../secrets")},
		"a query for a namespace": {Namespace: ptr("a?watch=1")},
		"too many objects":        {Objects: ptr(1_000_000)},
		"a negative rate":         {Rate: ptr(-1.0)},
	} {
		if _, err := l.Select(context.Background(), c); err == nil {
			t.Errorf("%s was not refused", name)
		}
	}
	if _, err := l.Informer(0).Fault("cut", FaultArgs{}); err == nil {
		t.Error("a fault of nothing")
	}
	if _, err := l.Cluster("scale", ClusterArgs{}); err == nil {
		t.Error("scaled nothing")
	}
}

func TestSourcesWithoutARelaySayWhatToDo(t *testing.T) {
	l := New(Options{Recorder: trace.NewRecorder(trace.RecorderOptions{})})
	defer l.Close()
	if s := l.Sources(t.Context()); !s.Sim || !strings.Contains(s.Live.Error, "server") || s.Live.Contexts == nil {
		t.Errorf("%+v", s)
	}
}

func TestTroubleBehindTheRelayIsSaidInWords(t *testing.T) {
	for name, tc := range map[string]struct {
		cause   string
		code    int
		message string
		refused bool
		words   string
	}{
		"refused": {cause: "refused", code: 503, message: "the API server of kind-kind at 127.0.0.1:6443 refuses connections",
			refused: true, words: "refuses connections"},
		"bad TLS":      {cause: "tls", code: 502, message: "the certificate of kind-kind has expired", words: "certificate"},
		"unauthorized": {code: 401, message: "Unauthorized", words: "log in again"},
		"forbidden":    {code: 403, message: `pods is forbidden: User "x" cannot list`, words: "pods is forbidden"},
		"fine":         {code: 200, words: ""},
	} {
		t.Run(name, func(t *testing.T) {
			dial := labtest.Relay(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.EscapedPath() != "/clusters/arn:aws%2Fprod/api/v1/pods" {
					t.Errorf("asked for %s", r.URL.EscapedPath())
				}
				w.Header().Set("Content-Type", "application/json")
				if tc.cause != "" {
					w.Header().Set("X-Informerscope-Cause", tc.cause)
				}
				w.WriteHeader(tc.code)
				_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "code": tc.code, "message": tc.message})
			}))
			src := liveSource(dial, "arn:aws/prod", clock.RealClock{}, faults.New(clock.RealClock{}, func(faults.Strike) {}))
			defer src.stop()
			var words string
			client, _ := src.informers()
			c := client(restwatch.Hooks{}, event.Selection{}, func(trouble relayclient.Trouble) { words = trouble.Words })
			_, err := c.Do(t.Context(), http.MethodGet, "/api/v1/pods", "", nil)
			if utilnet.IsConnectionRefused(err) != tc.refused {
				t.Errorf("refused %v: %v", !tc.refused, err)
			}
			if (tc.code == 200) != (err == nil) {
				t.Errorf("error %v", err)
			}
			if !strings.Contains(words, tc.words) || (tc.words == "") != (words == "") {
				t.Errorf("words %q, want %q in them", words, tc.words)
			}
		})
	}
}

func TestARelayThatIsGone(t *testing.T) {
	f := faults.New(clock.RealClock{}, func(faults.Strike) {})
	src := liveSource(func(context.Context) (net.Conn, error) { return nil, faults.RefusalError("websocket") }, "kind-kind", clock.RealClock{}, f)
	defer src.stop()
	var words string
	client, _ := src.informers()
	c := client(restwatch.Hooks{}, event.Selection{}, func(trouble relayclient.Trouble) { words = trouble.Words })
	_, err := c.Do(t.Context(), http.MethodGet, "/api", "", nil)
	if !utilnet.IsConnectionRefused(err) || !strings.Contains(words, "relay") {
		t.Errorf("%v; %q", err, words)
	}
	// A connection that a fault refuses causes no trouble: the relay is well.
	words = ""
	if _, err := f.Make("refuse", FaultArgs{}); err != nil {
		t.Fatal(err)
	}
	client, _ = src.informers()
	c = client(restwatch.Hooks{}, event.Selection{}, func(trouble relayclient.Trouble) { words = trouble.Words })
	_, err = c.Do(t.Context(), http.MethodGet, "/api", "", nil)
	if !utilnet.IsConnectionRefused(err) || words != "" {
		t.Errorf("of a fault of its own: %v; %q", err, words)
	}
	if s := relayclient.AskContexts(t.Context(), func(context.Context) (net.Conn, error) { return nil, faults.RefusalError("websocket") }); s.Error == "" {
		t.Error("no word about a relay that is gone")
	}
}

func TestContextsComeFromTheRelay(t *testing.T) {
	dial := labtest.Relay(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"current":"a","selected":"b","contexts":[{"name":"a","server":"x:6443"},{"name":"b"}]}`)
	}))
	if s := relayclient.AskContexts(t.Context(), dial); len(s.Contexts) != 2 || s.Current != "a" || s.Selected != "b" || s.Error != "" {
		t.Errorf("%+v", s)
	}
}
