package lab

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/lab/labtest"
	"informerscope/core/lab/selection"
	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
)

// rows returns the informers at a log's end, by lane.
func rows(rec *trace.Recorder) []facts.FactoryRow {
	head, _ := rec.Head()
	f := rec.FoldAt(head).Factory(0)
	if f == nil {
		return nil
	}
	all := slices.Clone(f.Rows)
	slices.SortFunc(all, func(a, b facts.FactoryRow) int { return a.Lane - b.Lane })
	return all
}

func factoryOf(rec *trace.Recorder) *facts.Factory {
	head, _ := rec.Head()
	return rec.FoldAt(head).Factory(0)
}

// faithful compares the log's state of every lane with what is really inside its informer.
func faithful(t *testing.T, l *Lab, rec *trace.Recorder) {
	t.Helper()
	head, _ := rec.Head()
	fold := rec.FoldAt(head)
	for lane := range fold.Lanes() {
		in, err := l.Inside(lane, func() {})
		if err != nil {
			t.Fatal(err)
		}
		s := fold.LaneState(lane)
		if len(in.Store.Objects) != s.Indexer.Count || in.Reflector.ResourceVersion != s.Reflector.ResourceVersion {
			t.Errorf("lane %d holds %d objects at %q, the log says %d at %q", lane, len(in.Store.Objects), in.Reflector.ResourceVersion,
				s.Indexer.Count, s.Reflector.ResourceVersion)
		}
	}
}

func TestAFactoryHasAnInformerForEachResource(t *testing.T) {
	for _, releases := range []string{"1.37", "1.31,1.37"} {
		t.Run(releases, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, rec := start(t, selection.Change{Resource: ptr("pods, nodes,deployments.apps"), Release: &releases})
				pass(5 * time.Second)
				n := strings.Count(releases, ",") + 1
				head, _ := rec.Head()
				fold := rec.FoldAt(head)
				s := fold.State()
				all := rows(rec)
				if len(s.Lanes) != 3*n || len(all) != 3*n {
					t.Fatalf("%d lanes and %d rows, want %d", len(s.Lanes), len(all), 3*n)
				}
				if fold.Compares() {
					t.Error("several resources are offered as a comparison of releases")
				}
				for i, name := range []string{"pods", "nodes", "deployments.apps"} {
					for j, release := range strings.Split(releases, ",") {
						lane := i*n + j
						r, state := all[lane], s.Lanes[lane]
						if r.Resource != name || r.Release != release || state.Release != release || state.Resource.Resource != strings.TrimSuffix(name, ".apps") {
							t.Errorf("lane %d is %s in %s, and %+v in its state; want %s in %s", lane, r.Resource, r.Release, state.Resource, name, release)
						}
						if want := l.src.cluster.Stats().Objects[name]; r.Count != want || want == 0 || state.API.Objects != want {
							t.Errorf("%s: %d objects, the API server is said to have %d; it has %d", name, r.Count, state.API.Objects, want)
						}
						if !r.Synced || r.Phase != "watching" || r.Requests != 1 || len(state.Listeners) != 3 || r.Ring == nil {
							t.Errorf("%+v", r)
						}
						if !strings.Contains(state.Reflector.LastRequest, "/"+state.Resource.Resource+"?") || len(state.API.Wire) == 0 && state.Reflector.Events > 0 {
							t.Errorf("lane %d asked for %q", lane, state.Reflector.LastRequest)
						}
						if state.Workqueue == nil || state.Workqueue.Reconciles == 0 {
							t.Errorf("the controller of %s reconciled nothing", name)
						}
					}
				}
				f := factoryOf(rec)
				if len(f.Factories) != n || f.Open != 3*n || f.Sentence.ID != "factory.synced" {
					t.Errorf("%+v", f)
				}
				for _, x := range f.Factories {
					if x.Stage != "synced" || x.Synced != 3 || x.Lanes != 3 || len(x.Waiting) > 0 {
						t.Errorf("%+v", x)
					}
				}
				faithful(t, l, rec)
			})
		})
	}
}

// TestOneResourceIsNoFactory: one resource alone stays without a Factory, in one release and in two.
func TestOneResourceIsNoFactory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, releases := range []string{"1.37", "1.31,1.37"} {
			_, rec := start(t, selection.Change{Release: &releases})
			pass(3 * time.Second)
			head, _ := rec.Head()
			if factoryOf(rec) != nil || rec.FoldAt(head).Compares() != strings.Contains(releases, ",") {
				t.Errorf("%s: a factory is shown, or no comparison", releases)
			}
			rec.Read(1, head, func(e *event.Entry) bool {
				if e.Kind == event.KindFactory || e.Kind == event.KindLane {
					t.Errorf("event %d tells of a factory: %s", e.Seq, e.Members().Text)
				}
				return true
			})
		}
	})
}

func TestResourcesThatCannotBeAFactory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := start(t, selection.Change{})
		before := l.Selection()
		for resource, want := range map[string]string{
			"pods,nodes,pods": "pods is named twice",
			"pods,deployments.apps,deployments.v1.apps": "deployments.apps is named twice",
			"a,b,c,d,e,f,g,h,i":                         "9 resources are more than the 8",
			"pods,,nodes":                               `"" is not the name of a resource`,
			"pods,po ds":                                `"po ds" is not the name of a resource`,
			"pods,unicorns":                             "the cluster has no resource unicorns that can be listed and watched; take it out of pods,unicorns",
			"pods,unicorns.example.com":                 "the cluster has no resource unicorns.example.com",
		} {
			_, err := l.Select(t.Context(), selection.Change{Resource: &resource})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q in it", resource, err, want)
			}
		}
		if _, err := l.Select(t.Context(), selection.Change{Resource: ptr("pods,nodes"), Group: ptr("apps")}); err == nil {
			t.Error("a group beside several resources is taken")
		}
		if after := l.Selection(); after.Resource != before.Resource || len(after.Resources) > 0 {
			t.Errorf("what was refused changed the selection to %+v", after)
		}
		if _, err := l.Select(t.Context(), selection.Change{Resource: ptr("pods,nodes,deployments.apps,replicasets.apps,services," +
			"configmaps,namespaces,leases.coordination.k8s.io")}); err != nil {
			t.Errorf("eight: %v", err)
		}
		if _, err := l.Select(t.Context(), selection.Change{Resource: ptr("pods")}); err != nil || len(l.Selection().Resources) > 0 {
			t.Errorf("one again: %v, %+v", err, l.Selection())
		}
	})
}

func TestWhatWaitForCacheSyncStillWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{Resource: ptr("pods,nodes,services")})
		pass(time.Second)
		if err := l.Informer(1).Hold("pop", 0); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Select(t.Context(), selection.Change{}); err != nil {
			t.Fatal(err)
		}
		pass(3 * time.Second)
		f := factoryOf(rec)
		if x := f.Factories[0]; x.Stage != "started" || !slices.Equal(x.Waiting, []string{"nodes"}) || x.Synced != 2 || x.Lanes != 3 {
			t.Errorf("%+v", x)
		}
		if f.Rows[0].Resource != "nodes" || !slices.Equal(f.Rows[0].Held, []string{"pop"}) || len(f.Rows[1].Held) > 0 {
			t.Errorf("the first row is %+v", f.Rows[0])
		}
		head, _ := rec.Head()
		fold := rec.FoldAt(head)
		if a, b := fold.LaneState(0), fold.LaneState(1); len(a.Holds) > 0 || len(b.Holds) != 1 || !b.Holds[0].Waiting {
			t.Errorf("pods have the holds %+v, nodes %+v", a.Holds, b.Holds)
		}
		if err := l.Informer(1).Release("pop", 0, 0); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if x := factoryOf(rec).Factories[0]; x.Stage != "synced" || len(x.Waiting) > 0 {
			t.Errorf("%+v", x)
		}
	})
}

// TestAPodArrivesBeforeItsNode: the two informers are independent, and the Factory shows that.
func TestAPodArrivesBeforeItsNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{Resource: ptr("pods,nodes")})
		pass(time.Second)
		if r := rows(rec)[0]; r.Early != nil {
			t.Errorf("all nodes are there, and %+v", r.Early)
		}
		if err := l.Informer(1).Hold("pop", 0); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Select(t.Context(), selection.Change{}); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		early := rows(rec)[0].Early
		if early == nil || early.Pods != rows(rec)[0].Count || early.Nodes == 0 || early.Key == "" || early.Node == "" {
			t.Fatalf("%+v of %d pods", early, rows(rec)[0].Count)
		}
		if s := factoryOf(rec).Sentence; s.ID != "factory.early" || s.N != early.Pods || s.Key != early.Key || s.Name != early.Node {
			t.Errorf("%+v", s)
		}
		if err := l.Informer(1).Release("pop", 0, 0); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if r := rows(rec)[0]; r.Early != nil {
			t.Errorf("the nodes have come, and %+v", r.Early)
		}
	})
}

// TestAnInformerThatIsNotShared: an unshared informer costs its own watch and store, beside one resource and several, and ends.
func TestAnInformerThatIsNotShared(t *testing.T) {
	for _, resource := range []string{"pods", "nodes,pods"} {
		t.Run(resource, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, rec := start(t, selection.Change{Resource: &resource})
				pass(time.Second)
				pods := strings.Count(resource, ",")
				if on, err := l.Informer(pods).SetUnshared(nil); !on || err != nil {
					t.Fatal(on, err)
				}
				pass(2 * time.Second)
				all := rows(rec)
				last := all[len(all)-1]
				head, _ := rec.Head()
				if len(all) != pods+2 || !last.Unshared || last.Resource != "pods" || !last.Synced || last.Requests != 1 || last.Count != all[pods].Count ||
					last.Count == 0 || len(rec.FoldAt(head).LaneState(last.Lane).Listeners) != 1 {
					t.Fatalf("%+v beside %+v", last, all)
				}
				if s := factoryOf(rec).Sentence; s.ID != "factory.unshared" || s.N != 2 || s.M != 2*last.Count {
					t.Errorf("%+v", s)
				}
				if f := factoryOf(rec); f.Open != pods+2 || len(f.API.Twice) != 1 || f.API.Twice[0].Requests != 2 || !last.Twice || !all[pods].Twice {
					t.Errorf("two that are not shared are told as %+v in %+v", f.API, f)
				}
				faithful(t, l, rec)
				if _, err := l.Informer(pods).SetUnshared(ptr(true)); err == nil || !strings.Contains(err.Error(), "already") {
					t.Errorf("a second one: %v", err)
				}
				// Actions on the factory's informer do not apply to it.
				if err := l.Informer(pods).Pace(1, 5); err != nil {
					t.Fatal(err)
				}
				head, _ = rec.Head()
				if s := rec.FoldAt(head).LaneState(last.Lane); s.Listeners[0].PaceMillis != 0 {
					t.Errorf("its handler takes %g ms", s.Listeners[0].PaceMillis)
				}
				if on, err := l.Informer(pods).SetUnshared(nil); on || err != nil {
					t.Fatal(on, err)
				}
				pass(time.Second)
				if r := rows(rec)[last.Lane]; r.Running || r.Requests != 0 || r.Phase != "stopped" {
					t.Errorf("it was ended, and %+v", r)
				}
				if err := l.Informer(last.Lane).Pace(7, 5); err == nil || !strings.Contains(err.Error(), "pods (not shared) has no listener 7") {
					t.Errorf("%v", err)
				}
				if _, err := l.Informer(last.Lane).AddListener(ListenerSpec{Name: "late"}); err == nil || !strings.Contains(err.Error(), "has stopped") {
					t.Errorf("a listener of one that has ended: %v", err)
				}
				// Another one takes its lane.
				if _, err := l.Informer(pods).SetUnshared(nil); err != nil {
					t.Fatal(err)
				}
				pass(time.Second)
				if again := rows(rec); len(again) != len(all) || !again[last.Lane].Synced || again[last.Lane].Requests != 1 {
					t.Errorf("%+v", again)
				}
				faithful(t, l, rec)
			})
		})
	}
}

func TestShutdownAndStart(t *testing.T) {
	for _, resource := range []string{"pods", "pods,nodes"} {
		t.Run(resource, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, rec := start(t, selection.Change{Resource: &resource})
				pass(time.Second)
				if err := l.Start("", "", ""); err != nil {
					t.Errorf("Start of a factory that runs: %v", err)
				}
				counts := map[int]int{}
				for _, s := range lanes(rec) {
					counts[len(counts)] = s.Indexer.Count
				}
				if err := l.Shutdown(); err != nil {
					t.Fatal(err)
				}
				pass(time.Second)
				for i, s := range lanes(rec) {
					if s.Running || s.Stage != "stopped" || s.Reflector.Phase != "stopped" || !s.Workqueue.ShuttingDown || s.Indexer.Count != counts[i] {
						t.Errorf("lane %d: running %v, %s, %s, %d objects", i, s.Running, s.Stage, s.Reflector.Phase, s.Indexer.Count)
					}
					for _, r := range s.API.Requests {
						if r.Open {
							t.Errorf("%s is open after Shutdown", r.URL)
						}
					}
				}
				if err := l.Shutdown(); err == nil || !strings.Contains(err.Error(), "already") {
					t.Errorf("a second Shutdown: %v", err)
				}
				if _, err := l.Informer(0).AddListener(ListenerSpec{Name: "late"}); err == nil || !strings.Contains(err.Error(), "has stopped") {
					t.Errorf("a listener of an informer that has ended: %v", err)
				}
				if err := l.Start("", "", ""); err != nil {
					t.Fatal(err)
				}
				pass(2 * time.Second)
				for i, s := range lanes(rec) {
					if !s.Running || !s.Synced || s.Stage != "synced" || s.Reflector.Phase != "watching" || s.Indexer.Count != counts[i] ||
						len(s.Listeners) != 3 || s.Reflector.Relists != 0 {
						t.Errorf("lane %d: running %v, synced %v, %s, %s, %d objects, %d listeners", i, s.Running, s.Synced, s.Stage, s.Reflector.Phase,
							s.Indexer.Count, len(s.Listeners))
					}
				}
				faithful(t, l, rec)
			})
		})
	}
}

// TestAProgramStartsAgainWithAnotherRelease restarts a program that is built with another client-go: its queue is that release's.
func TestAProgramStartsAgainWithAnotherRelease(t *testing.T) {
	for _, resource := range []string{"pods", "pods,nodes"} {
		t.Run(resource, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, rec := start(t, selection.Change{Resource: &resource})
				pass(time.Second)
				if err := l.Start("", "1.31", ""); err == nil || !strings.Contains(err.Error(), "shut it down first") {
					t.Errorf("another release while the program runs: %v", err)
				}
				if err := l.Shutdown(); err != nil {
					t.Fatal(err)
				}
				pass(time.Second)
				if err := l.Start("", "0.31", ""); err == nil || !strings.Contains(err.Error(), "unknown release") {
					t.Errorf("an unknown release: %v", err)
				}
				if err := l.Start("", "1.31", ""); err != nil {
					t.Fatal(err)
				}
				pass(2 * time.Second)
				for i, s := range lanes(rec) {
					if s.Release != "1.31" || s.Queue.Kind != "DeltaFIFO" || !s.Synced || s.Stage != "synced" || s.Reflector.Phase != "watching" || s.Indexer.Count == 0 {
						t.Errorf("lane %d: %s with a %s, synced %v, %s, %s, %d objects", i, s.Release, s.Queue.Kind, s.Synced, s.Stage, s.Reflector.Phase, s.Indexer.Count)
					}
				}
				faithful(t, l, rec)
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		l, _ := start(t, selection.Change{Release: ptr("1.31,1.37")})
		pass(time.Second)
		if err := l.Shutdown(); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if err := l.Start("", "1.33", ""); err == nil || !strings.Contains(err.Error(), "side by side") {
			t.Errorf("one release in place of two: %v", err)
		}
	})
}

// lanes returns the states of all lanes at a log's end.
func lanes(rec *trace.Recorder) []*fold.State {
	s := state(rec)
	if s.Lanes == nil {
		return []*fold.State{s}
	}
	return s.Lanes
}

// TestWhatIsDoneToOneInformerIsDoneToNoOther tries all actions on one informer.
func TestWhatIsDoneToOneInformerIsDoneToNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{Resource: ptr("pods,deployments.apps"), Release: ptr("1.31,1.37")})
		pass(2 * time.Second)
		on := l.Informer(2) // deployments, in both releases
		id, err := on.AddListener(ListenerSpec{Name: "late", PaceMillis: 2})
		if _, slow := on.Fault("slow", FaultArgs{}); err != nil || slow != nil {
			t.Fatal(err, slow)
		}
		if err := errors.Join(on.AddIndex("app", "label:app"), on.Pace(1, 7), on.Panic(2), on.Hold("deliver", id)); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		for i, s := range lanes(rec) {
			there := i >= 2
			names, held := map[string]float64{}, len(s.Holds) > 0
			for _, li := range s.Listeners {
				names[li.Name] = li.PaceMillis
			}
			_, late := names["late"]
			_, index := s.Indexer.Indices["app"]
			if late != there || held != there || index != there || (names["printer"] == 7) != (i == 2) || (names["mailer"] > 0) != (i == 2) {
				t.Errorf("lane %d: listeners %v, holds %v, index %v", i, names, s.Holds, index)
			}
		}
		if err := on.RemoveListener(id); err != nil {
			t.Fatal(err)
		}
		if err := l.Informer(9).Pace(1, 1); err == nil || !strings.Contains(err.Error(), "there is no informer 9; there are 4") {
			t.Errorf("%v", err)
		}
		// A hold of an informer that the next selection lacks ends with it.
		if err := on.Hold("pop", 0); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Select(t.Context(), selection.Change{Resource: ptr("pods"), Release: ptr("1.37")}); err != nil {
			t.Fatal(err)
		}
		pass(2 * time.Second)
		if s := state(rec); len(s.Holds) > 0 || !s.Synced {
			t.Errorf("holds %+v, synced %v", s.Holds, s.Synced)
		}
	})
}

// TestARecordingOfAFactoryShowsTheSame records all that a factory can show, loads it whole and from its middle, and compares each lane.
func TestARecordingOfAFactoryShowsTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{Resource: ptr("pods,nodes"), Release: ptr("1.31,1.37"), Rate: ptr(20.0)})
		pass(2 * time.Second)
		if _, err := l.Informer(0).SetUnshared(nil); err != nil {
			t.Fatal(err)
		}
		if err := l.Informer(2).Hold("pop", 0); err != nil {
			t.Fatal(err)
		}
		pass(2 * time.Second)
		head, _ := rec.Head()
		describe := func(f *fold.Fold) string {
			text := fmt.Sprintf("%+v %+v", f.Factory(0).Sentence, f.Factory(0).API)
			for _, r := range f.Factory(0).Rows {
				row, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				text += "\n" + string(row)
			}
			for lane := range f.Lanes() {
				s := f.LaneState(lane)
				text += fmt.Sprintf("\n%s %v %+v %+v %d %s", s.Release, s.Unshared, s.Resource, s.Holds, s.Indexer.Count, s.Reflector.LastRequest)
			}
			return text
		}
		want := describe(rec.FoldAt(head))
		var file bytes.Buffer
		if _, err := l.Record(&file, false); err != nil {
			t.Fatal(err)
		}
		recorded := trace.NewRecorder(trace.RecorderOptions{})
		other := New(Options{Recorder: recorded})
		defer other.Close()
		if read, err := other.Load(bytes.NewReader(file.Bytes())); err != nil || read.Warning != "" {
			t.Fatal(read, err)
		}
		folded := recorded.FoldAt(head)
		if got := describe(folded); got != want {
			t.Errorf("recorded:\n%s\nit was:\n%s", got, want)
		}
		if s := folded.State(); s.Source.Kind != "file" || len(s.Lanes) != 5 {
			t.Errorf("%s, %d lanes", s.Source.Kind, len(s.Lanes))
		}
		// A log whose beginning was evicted begins with all lanes.
		again := fold.NewFold()
		for _, e := range rec.FoldAt(head).Baseline() {
			again.Apply(&e)
		}
		if got := describe(again); got != want {
			t.Errorf("from a baseline:\n%s\nit was:\n%s", got, want)
		}
	})
}

// TestReleasesBesideAnInformerThatIsNotShared: two releases share a wire, and each request counts for the informer that sent it.
func TestReleasesBesideAnInformerThatIsNotShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{Resource: ptr("pods"), Release: ptr("1.31,1.37")})
		pass(time.Second)
		if on, err := l.Informer(0).SetUnshared(nil); !on || err != nil {
			t.Fatal(on, err)
		}
		pass(2 * time.Second)
		f := factoryOf(rec)
		if f.Open != 3 {
			t.Errorf("%d requests are open, want 3", f.Open)
		}
		for _, r := range f.Rows {
			if r.Requests != 1 {
				t.Errorf("%+v", r)
			}
		}
	})
}

// TestALiveFactoryTellsWhichInformerIsRefused: an informer that may not list has a trouble of its own.
func TestALiveFactoryTellsWhichInformerIsRefused(t *testing.T) {
	l, rec := liveLab(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/contexts":
			_, _ = io.WriteString(w, teamContexts)
		case strings.HasSuffix(r.URL.Path, "/nodes"):
			labtest.Status(w, 403, `nodes is forbidden: User "dev" cannot list resource "nodes"`)
		case strings.HasSuffix(r.URL.Path, "/pods"):
			emptyPods(w, r, nil)
		default:
			labtest.Status(w, 404, "not here")
		}
	})
	if _, err := l.Select(t.Context(), selection.Change{Source: ptr("live"), Context: ptr("admin"), Resource: ptr("pods,nodes")}); err != nil {
		t.Fatal(err)
	}
	labtest.WaitUntil(t, rec, "pods synced, nodes refused", func(*fold.State) bool {
		r := rows(rec)
		return len(r) == 2 && r[0].Synced && r[1].Cause == "forbidden" && r[1].Phase == "backoff"
	})
	all := rows(rec)
	if all[0].Trouble != "" || !strings.Contains(all[1].Trouble, "nodes") ||
		strings.Contains(all[1].Trouble, "namespace") && !strings.Contains(all[1].Trouble, "no namespaces") {
		t.Errorf("%+v", all)
	}
	if n := all[1].Requests; n != 0 {
		t.Errorf("%d requests of nodes are open", n)
	}
	if s := factoryOf(rec).Sentence; s.ID != "factory.trouble" || s.Name != "nodes" {
		t.Errorf("%+v", s)
	}
}

// TestAFactoryInBackoffIsNotSynced: the caption counts the informers that wait to retry, until their requests succeed again.
func TestAFactoryInBackoffIsNotSynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{Resource: ptr("pods,nodes")})
		pass(2 * time.Second)
		_, answer := l.Informer(0).Fault("500", FaultArgs{Count: 4})
		_, cut := l.Informer(0).Fault("cut", FaultArgs{})
		if answer != nil || cut != nil {
			t.Fatal(answer, cut)
		}
		pass(100 * time.Millisecond)
		f := factoryOf(rec)
		if s := f.Sentence; s.ID != "factory.backoffWhy" || !strings.Contains(s.Why, "Internal error") || s.N != 2 || s.M != 2 {
			t.Errorf("%+v", f)
		}
		pass(2 * time.Minute)
		if f := factoryOf(rec); f.Sentence.ID != "factory.synced" {
			t.Errorf("%+v", f.Sentence)
		}
	})
}

// TestALateInformerHasASelectorOfItsOwn: it lists and watches what matches, and the other informer everything. A later factory has none.
func TestALateInformerHasASelectorOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{Resource: ptr("nodes,pods")})
		begin := func(late, selector string) (pods, nodes *fold.State) {
			t.Helper()
			pass(time.Second)
			if err := l.Shutdown(); err != nil {
				t.Fatal(err)
			}
			pass(time.Second)
			for _, s := range []string{late, ""} {
				if err := l.Start(s, "", selector); err != nil {
					t.Fatal(err)
				}
				selector = ""
			}
			pass(2 * time.Second)
			all := lanes(rec)
			return all[1], all[0]
		}
		pods, nodes := begin("pods", "app=cart")
		few := pods.Indexer.Count
		if few == 0 || few >= pods.API.Objects || !strings.Contains(pods.Reflector.LastRequest, "labelSelector=app%3Dcart") {
			t.Errorf("%d of %d pods after %s", few, pods.API.Objects, pods.Reflector.LastRequest)
		}
		if nodes.Indexer.Count != nodes.API.Objects || strings.Contains(nodes.Reflector.LastRequest, "labelSelector") {
			t.Errorf("%d of %d nodes after %s", nodes.Indexer.Count, nodes.API.Objects, nodes.Reflector.LastRequest)
		}
		faithful(t, l, rec)
		if pods, _ = begin("pods", ""); pods.Indexer.Count != pods.API.Objects {
			t.Errorf("without the selector %d of %d pods", pods.Indexer.Count, pods.API.Objects)
		}
		for _, bad := range [][2]string{{"", "app=cart"}, {"pods", "app in cart"}} {
			if err := l.Start(bad[0], "", bad[1]); err == nil || !strings.Contains(err.Error(), "selector") {
				t.Errorf("start(%q, %q): %v", bad[0], bad[1], err)
			}
		}
	})
}

// TestAnInformerThatIsRequestedAfterStartDoesNotRun: WaitForCacheSync does not wait for it, and its store stays empty. The next Start starts it.
func TestAnInformerThatIsRequestedAfterStartDoesNotRun(t *testing.T) {
	for _, releases := range []string{"1.31", "1.37", "1.31,1.37"} {
		t.Run(releases, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, rec := start(t, selection.Change{Release: &releases, Resource: ptr("pods,nodes")})
				pass(time.Second)
				if err := l.Start("nodes", "", ""); err == nil || !strings.Contains(err.Error(), "has requested the informer of nodes already") {
					t.Errorf("while the factory runs: %v", err)
				}
				if err := l.Shutdown(); err != nil {
					t.Fatal(err)
				}
				pass(time.Second)
				if err := l.Start("services", "", ""); err == nil || !strings.Contains(err.Error(), "has no informer of services") {
					t.Errorf("of a resource that the factory does not have: %v", err)
				}
				if err := l.Start("nodes", "", ""); err != nil {
					t.Fatal(err)
				}
				pass(10 * time.Minute)
				for i, s := range lanes(rec) {
					late := s.Resource.Resource == "nodes"
					if s.Running == late || s.Synced == late || s.Queue.Synced == late || s.Stage != "synced" || (s.Indexer.Count == 0) != late ||
						(s.Reflector.Lists+s.Reflector.Watches == 0) != late || s.Reflector.LastError != "" || len(s.Listeners) != 3 {
						t.Errorf("lane %d: running %v, synced %v, %s, %d objects, %+v", i, s.Running, s.Synced, s.Stage, s.Indexer.Count, s.Reflector)
					}
				}
				if f := factoryOf(rec); f.Sentence.ID != "factory.unstarted" || f.Sentence.Name != "nodes" {
					t.Errorf("said is %+v", f.Sentence)
				}
				if err := l.Start("", "", ""); err != nil {
					t.Fatal(err)
				}
				pass(2 * time.Second)
				for i, s := range lanes(rec) {
					if !s.Running || !s.Synced || s.Stage != "synced" || s.Reflector.Phase != "watching" || s.Indexer.Count == 0 {
						t.Errorf("lane %d after the next Start: running %v, synced %v, %s, %s, %d objects", i, s.Running, s.Synced, s.Stage, s.Reflector.Phase,
							s.Indexer.Count)
					}
				}
				if f := factoryOf(rec); f.Sentence.ID != "factory.synced" {
					t.Errorf("said is %+v", f.Sentence)
				}
				faithful(t, l, rec)
				if err := l.Shutdown(); err != nil {
					t.Fatal(err)
				}
				pass(time.Second)
				for i, s := range lanes(rec) {
					if s.Running || s.Stage != "stopped" {
						t.Errorf("lane %d after Shutdown: running %v, %s", i, s.Running, s.Stage)
					}
				}
			})
		})
	}
}
