package lab

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
	"informerscope/core/words/releases"
)

// TestAHandlerThatMutatesIsSeenByEverybody: one handler mutates an object that it received. The store has the mutated object, another handler receives it as
// the old one, a worker reads it, and the index is unchanged. The log keeps each object as it was at each moment, and a recording shows the same.
func TestAHandlerThatMutatesIsSeenByEverybody(t *testing.T) {
	for _, release := range append(releases.Names(), "1.31,1.37") {
		t.Run(release, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, rec := start(t, selection.Change{Release: &release, Objects: ptr(1), Rate: ptr(0.0)})
				pass(20 * time.Second)
				if err := l.Informer(0).AddIndex("app", "label:app"); err != nil {
					t.Fatal(err)
				}
				ln := l.exp.lanes[0]
				stored := func() *object.Object {
					t.Helper()
					all := ln.informer.GetIndexer().List()
					if len(all) != 1 {
						t.Fatalf("the store has %d objects", len(all))
					}
					return all[0].(*object.Object)
				}
				app := stored().GetLabels()["app"]
				if app == "" || app == mutatedValue {
					t.Fatalf("app=%q", app)
				}
				change := func() {
					t.Helper()
					if _, err := l.Cluster("burst", ClusterArgs{N: 1}); err != nil {
						t.Fatal(err)
					}
					pass(5 * time.Second)
				}
				if on, err := l.Informer(0).Fault("mutate", FaultArgs{}); err != nil || !on {
					t.Fatal(on, err)
				}
				if s := state(rec); s.Indexer.Mutated != 0 || s.Indexer.Mutations == nil {
					t.Errorf("%+v", s.Indexer)
				}
				came, _ := rec.Head()
				change()

				// What really happens.
				if got := stored().GetLabels()["app"]; got != mutatedValue {
					t.Errorf("the store says app=%s", got)
				}
				if got := stored().Original().GetLabels()["app"]; got != app {
					t.Errorf("the API server sent app=%s", got)
				}
				old, err := ln.informer.GetIndexer().IndexKeys("app", app)
				if err != nil || len(old) != 1 {
					t.Errorf("the index has %v under %s: %v", old, app, err)
				}
				if keys, err := ln.informer.GetIndexer().IndexKeys("app", mutatedValue); err != nil || len(keys) != 0 {
					t.Errorf("the index has %v under %s: %v", keys, mutatedValue, err)
				}
				// What is shown.
				s := state(rec)
				if s.Indexer.Mutated != 1 || len(s.Indexer.Mutations) != 1 {
					t.Fatalf("%+v", s.Indexer)
				}
				m := s.Indexer.Mutations[0]
				want := fold.Mutation{Key: old[0], RV: stored().GetResourceVersion(), Listener: 3,
					Label: "app", OldValue: app, Value: mutatedValue, Stale: []string{"app"}, AtMillis: m.AtMillis}
				if !reflect.DeepEqual(m, want) {
					t.Errorf("%+v\nwant %+v", m, want)
				}
				if s.Indexer.Indices["app"][app] != 1 || len(s.Indexer.Indices["app"]) != 1 {
					t.Errorf("%v", s.Indexer.Indices)
				}

				change()
				s = state(rec)
				if p := s.Listeners[0]; p.MetOld != 1 || p.LastMet == nil || p.LastMet.Label != "app" || p.LastMet.Value != mutatedValue {
					t.Errorf("the other handler: %+v, %+v", p, p.LastMet)
				}
				if s.Listeners[2].Mutations != 2 || s.Listeners[2].MetOld+s.Listeners[2].Met != 0 {
					t.Errorf("the handler itself: %+v", s.Listeners[2])
				}
				// Each moment has the object as it was then, and so has the recording.
				head, _ := rec.Head()
				var file bytes.Buffer
				if _, err := l.Record(&file, false); err != nil {
					t.Fatal(err)
				}
				loaded := trace.NewRecorder(trace.RecorderOptions{})
				again := New(Options{Recorder: loaded})
				t.Cleanup(again.Close)
				if _, err := again.Load(&file); err != nil {
					t.Fatal(err)
				}
				labels, mutations := map[string]int{}, 0
				for seq := came; seq <= head; seq++ {
					live, recorded := rec.FoldAt(seq), loaded.FoldAt(seq)
					a, _ := json.Marshal(live.State().Indexer)
					if b, _ := json.Marshal(recorded.State().Indexer); !bytes.Equal(a, b) {
						t.Fatalf("event %d: %s\nthe recording has %s", seq, a, b)
					}
					for lane := range live.Lanes() {
						c, ok := live.Objects(lane).Get(old[0])
						r, ok2 := recorded.Objects(lane).Get(old[0])
						if !ok || !ok2 || !bytes.Equal(c.Obj.(*object.Object).Raw(), r.Obj.(*object.Object).Raw()) {
							t.Fatalf("event %d: %s is %v, and %v in the recording", seq, old[0], c.Obj, r.Obj)
						}
						label := c.Obj.(*object.Object).GetLabels()["app"]
						if (label == mutatedValue) != (c.Mutation != nil) || (c.Mutation != nil) != (r.Mutation != nil) {
							t.Fatalf("event %d: app=%s, %v, %v in the recording", seq, label, c.Mutation, r.Mutation)
						}
						if lane == 0 {
							labels[label]++
						}
					}
					if e := rec.Event(seq); e.Kind == event.KindMutated {
						mutations++
						if earlier, obj := e.Mutated().Old.(*object.Object), e.Mutated().Obj.(*object.Object); earlier.GetLabels()["app"] != app ||
							obj.GetLabels()["app"] != mutatedValue {
							t.Errorf("event %d: %s was %s", seq, obj.Raw(), earlier.Raw())
						}
					} else if e.Kind == event.KindStoreUpdated && e.Stored().Op != event.OpSync && e.Stored().Obj.(*object.Object).GetLabels()["app"] != app {
						t.Errorf("event %d: what was stored was changed afterwards", seq)
					}
				}
				if labels[app] == 0 || labels[mutatedValue] == 0 || mutations != 2*max(len(state(rec).Lanes), 1) {
					t.Errorf("the store was seen with %v, in %d changes", labels, mutations)
				}
				// A log that begins in its middle has it too.
				f := fold.NewFold()
				for _, e := range rec.FoldAt(head).Baseline() {
					f.Apply(&e)
				}
				a, _ := json.Marshal(state(rec).Indexer)
				if b, _ := json.Marshal(f.State().Indexer); !bytes.Equal(a, b) {
					t.Errorf("%s\nrestored %s", a, b)
				}
				if c, _ := f.Objects(0).Get(old[0]); c.Mutation == nil {
					t.Error("what is restored does not say that it was changed")
				}
				// A resync writes nothing, or writes what is there: the mutation stays until a new version arrives.
				pass(65 * time.Second)
				if s := state(rec); s.Indexer.Mutated != 1 || s.Reflector.Resyncs == 0 {
					t.Errorf("%d mutated after %d resyncs", s.Indexer.Mutated, s.Reflector.Resyncs)
				}
				if on, err := l.Informer(0).Fault("mutate", FaultArgs{On: ptr(false)}); err != nil || on {
					t.Fatal(on, err)
				}
				change()
				if s := state(rec); s.Indexer.Mutated != 0 || stored().GetLabels()["app"] != app || len(s.Indexer.Mutations) != 0 {
					t.Errorf("%+v, %s", s.Indexer, stored().Raw())
				}
			})
		})
	}
}

// TestNobodyMutatesWithoutMailer: without the `mailer` handler nothing mutates an object.
func TestNobodyMutatesWithoutMailer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{Objects: ptr(1)})
		pass(5 * time.Second)
		if err := l.Informer(0).RemoveListener(3); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Informer(0).Fault("mutate", FaultArgs{}); err == nil {
			t.Error("no error")
		}
		pass(time.Second)
		if s := state(rec); len(s.Faults) != 0 {
			t.Errorf("%+v", s.Faults)
		}
	})
}

// TestAnIndexKeepsTheKeyOfAMutatedObject: after a handler mutated an object, the entry under its former label outlives it. State has at each moment what
// the informer's index has, and so have a recording and a log that begins in its middle.
func TestAnIndexKeepsTheKeyOfAMutatedObject(t *testing.T) {
	for _, release := range releases.Names() {
		t.Run(release, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, rec := start(t, selection.Change{Release: &release, Objects: ptr(1), Rate: ptr(0.0)})
				pass(20 * time.Second)
				indexer := l.exp.lanes[0].informer.GetIndexer()
				app := indexer.List()[0].(*object.Object).GetLabels()["app"]
				must := func(_ any, err error) {
					t.Helper()
					if err != nil {
						t.Fatal(err)
					}
					pass(5 * time.Second)
				}
				index := func(name string) { t.Helper(); must(nil, l.Informer(0).AddIndex(name, "label:app")) }
				scale := func(n int) {
					t.Helper()
					must(l.Cluster("scale", ClusterArgs{Namespace: "shop", Name: app, Replicas: n}))
				}
				mutate := func(on bool) { t.Helper(); must(l.Informer(0).Fault("mutate", FaultArgs{On: &on})) }
				// check compares State with the informer's own indices.
				check := func(when string, strays ...fold.Stray) {
					t.Helper()
					s := state(rec).Indexer
					for name := range indexer.GetIndexers() {
						values := indexer.ListIndexFuncValues(name)
						if len(values) != len(s.Indices[name]) {
							t.Errorf("%s: index %s has the values %v, shown are %v", when, name, values, s.Indices[name])
						}
						for _, v := range values {
							if keys, err := indexer.IndexKeys(name, v); err != nil || len(keys) != s.Indices[name][v] {
								t.Errorf("%s: index %s has %v under %s, shown are %d: %v", when, name, keys, v, s.Indices[name][v], err)
							}
						}
					}
					for i := range s.Strays {
						s.Strays[i].AtMillis = 0
					}
					if s.StrayCount != len(strays) || len(strays) > 0 && !reflect.DeepEqual(s.Strays, strays) {
						t.Errorf("%s: strays %+v, want %+v", when, s.Strays, strays)
					}
					head, _ := rec.Head()
					f := fold.NewFold()
					for _, e := range rec.FoldAt(head).Baseline() {
						f.Apply(&e)
					}
					a, _ := json.Marshal(state(rec).Indexer)
					if b, _ := json.Marshal(f.State().Indexer); !bytes.Equal(a, b) {
						t.Errorf("%s: %s\nrestored %s", when, a, b)
					}
				}
				index("app")
				mutate(true)
				must(l.Cluster("burst", ClusterArgs{N: 1}))
				check("mutated")
				pass(65 * time.Second) // a resync
				check("resynced")
				key := state(rec).Indexer.Mutations[0].Key
				ghost := fold.Stray{Index: "app", Value: app, Key: key, Gone: true}
				scale(0)
				mutate(false)
				check("deleted", ghost)
				if found, err := indexer.ByIndex("app", app); err != nil || len(found) != 1 || found[0] != nil {
					t.Errorf("under %s: %v, %v", app, found, err)
				}
				index("again")
				check("with one more index", ghost)
				scale(1)
				check("another object", ghost)
				var file bytes.Buffer
				if _, err := l.Record(&file, false); err != nil {
					t.Fatal(err)
				}
				loaded := trace.NewRecorder(trace.RecorderOptions{})
				again := New(Options{Recorder: loaded})
				t.Cleanup(again.Close)
				if _, err := again.Load(&file); err != nil {
					t.Fatal(err)
				}
				a, _ := json.Marshal(state(rec).Indexer)
				if b, _ := json.Marshal(state(loaded).Indexer); !bytes.Equal(a, b) {
					t.Errorf("%s\nthe recording has %s", a, b)
				}
				must(l.Informer(0).Fault("410", FaultArgs{}))
				pass(time.Minute)
				if state(rec).Reflector.Relists == 0 {
					t.Error("no relist")
				}
				if parsed, _ := releases.Parse(release); parsed >= releases.V137 { // it replaces the store as a whole
					check("after a relist")
				} else {
					check("after a relist", ghost)
				}
			})
		})
	}
}
