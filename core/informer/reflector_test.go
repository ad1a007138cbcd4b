package informer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// runReflector runs a Reflector until while returns.
func runReflector(t *testing.T, r *Reflector, while func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.RunWithContext(ctx) }()
	synctest.Wait()
	while()
	cancel()
	<-done
}

// versionedStore records the Reflector's versions.
type versionedStore struct {
	Store
	versions []string
}

func (v *versionedStore) UpdateResourceVersion(rv string) { v.versions = append(v.versions, rv) }

func TestReflectorFillsAStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(nil, []reply{initial("5", obj("a", "1")), {}})
		store := &versionedStore{Store: NewStore(MetaNamespaceKeyFunc)}
		r := NewReflectorWithOptions(srv.lw(), &object{}, store, ReflectorOptions{Name: "test"})
		runReflector(t, r, func() {
			srv.send(addedEvent(obj("b", "6")), bookmark("7"))
			synctest.Wait()
		})
		keys := store.ListKeys()
		slices.Sort(keys)
		equal(t, "keys", keys, []string{"ns/a", "ns/b"})
		equal(t, "versions", store.versions, []string{"6", "7"})
		if r.Name() != "test" || r.TypeDescription() != "*v1.PartialObjectMetadata" || r.LastSyncResourceVersion() != "7" {
			t.Errorf("%q %q %q", r.Name(), r.TypeDescription(), r.LastSyncResourceVersion())
		}
	})
}

func TestInternalErrorsAreRetriedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom := reply{events: []watch.Event{errorEvent(errInternal())}}
		srv := newServer([]reply{{list: list("5")}}, []reply{boom, boom, boom, {}})
		r := NewReflectorWithOptions(srv.lw(), nil, NewStore(MetaNamespaceKeyFunc), ReflectorOptions{Release: releases.V131})
		r.MaxInternalErrorRetryDuration = time.Second
		runReflector(t, r, func() {})
		w := `WATCH rv="5" bookmarks timeout=[300,600)`
		equal(t, "requests", srv.requests(), []string{`LIST rv="0" limit=500`, w, w, w, w})
	})
}

func TestPageSizes(t *testing.T) {
	for _, tc := range []struct {
		name      string
		pageSize  int64
		first     reply
		wantFirst []string
		wantNext  string
	}{
		{"default", 0, reply{list: list("5")}, []string{`LIST rv="0" limit=500`}, `LIST rv="5"`},
		{"own page size", 7, reply{list: list("5")}, []string{`LIST rv="0" limit=7`}, `LIST rv="5" limit=7`},
		{"the server pages", 0, reply{list: page("5", "two")}, []string{`LIST rv="0" limit=500`, `LIST rv="" limit=500 continue=two`}, `LIST rv="5" limit=500`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := newServer([]reply{tc.first, {list: list("5")}}, []reply{{events: []watch.Event{errorEvent(errExpired())}}, {}})
				r := NewReflectorWithOptions(srv.lw(), nil, NewStore(MetaNamespaceKeyFunc), ReflectorOptions{Release: releases.V131})
				r.WatchListPageSize = tc.pageSize
				runReflector(t, r, func() { time.Sleep(2 * time.Second) })
				want := append(slices.Clone(tc.wantFirst), `WATCH rv="5" bookmarks timeout=[300,600)`, tc.wantNext, `WATCH rv="5" bookmarks timeout=[300,600)`)
				equal(t, "requests", srv.requests(), want)
			})
		})
	}
}

func TestWatchTimeouts(t *testing.T) {
	for _, tc := range []struct {
		min       time.Duration
		low, high int64
	}{{0, 300, 600}, {time.Minute, 300, 600}, {time.Hour, 3600, 7200}} {
		r := NewReflectorWithOptions(&ListWatch{}, nil, NewStore(MetaNamespaceKeyFunc), ReflectorOptions{MinWatchTimeout: tc.min})
		for range 100 {
			if s := *r.watchTimeout(); s < tc.low || s >= tc.high {
				t.Errorf("min %v: timeout %d", tc.min, s)
			}
		}
	}
}

func TestOddListsAndEvents(t *testing.T) {
	pod := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "p", "resourceVersion": "3"}}}
	table := pod.DeepCopy()
	table.SetAPIVersion("meta.k8s.io/v1")
	table.SetKind("Table")
	other := pod.DeepCopy()
	other.SetKind("Node")
	forReleases(t, func(t *testing.T, release releases.Release) {
		rec := &recorder{}
		w := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 10})
		lw := &ListWatch{
			ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
				l := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "PodList", "metadata": map[string]any{"resourceVersion": "5"}}}
				return l, nil
			},
			WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return w, nil },
		}
		store := NewStore(MetaNamespaceKeyFunc)
		r := NewReflectorWithOptions(withoutWatchList(lw), pod, store, ReflectorOptions{Release: release, Observer: rec})
		if r.TypeDescription() != "/v1, Kind=Pod" {
			t.Errorf("type %q", r.TypeDescription())
		}
		runReflector(t, r, func() {
			w.Add(table)
			w.Add(other)
			w.Add(&metav1.Status{})
			w.Add(pod)
			synctest.Wait()
		})
		equal(t, "keys", store.ListKeys(), []string{"p"})
		if n := len(rec.eventsOf(event.KindEventDropped)); n != 3 {
			t.Errorf("%d events were dropped, want 3", n)
		}
	})

	notAList := &ListWatch{ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) { return &metav1.Status{}, nil }}
	r := NewReflectorWithOptions(notAList, nil, NewStore(MetaNamespaceKeyFunc), ReflectorOptions{Release: releases.V131})
	if err := r.ListAndWatchWithContext(t.Context()); err == nil {
		t.Error("a Status was accepted as a list")
	}
}

// TestAbandonedList checks that a List that ignores its context does not delay the stop, and that nothing is reported after it.
func TestAbandonedList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := &recorder{}
		done := make(chan struct{})
		lw := &ListWatch{ListFunc: func(metav1.ListOptions) (runtime.Object, error) {
			<-done
			return nil, errExpired()
		}}
		r := NewReflectorWithOptions(lw, nil, NewStore(MetaNamespaceKeyFunc), ReflectorOptions{Release: releases.V131, Observer: rec})
		runReflector(t, r, func() {})
		n := rec.len()
		if a := rec.eventsOf(event.KindRequestAnswered); len(a) != 1 || !errors.Is(a[0].Err(), context.Canceled) {
			t.Errorf("KindRequestAnswered: %+v", a)
		}
		close(done)
		synctest.Wait()
		if rec.len() != n {
			t.Errorf("events after the stop: %+v", rec.events[n:])
		}
	})
}

// TestOwnController builds a Controller from its parts, with Process and ProcessBatch.
func TestOwnController(t *testing.T) {
	for _, release := range []releases.Release{releases.V133, releases.V135} {
		t.Run(release.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := newServer([]reply{{list: list("5", obj("a", "1"), obj("b", "2"))}}, []reply{{err: errInvalid()}, {}})
				if release == releases.V133 {
					srv.watches = nil
				}
				var got []string
				process := func(o any, initial bool) error {
					for _, d := range o.(Deltas) {
						got = append(got, fmt.Sprint(deltaText(string(d.Type), d.Object), " ", initial))
					}
					return errors.New("ignored")
				}
				store := NewStore(MetaNamespaceKeyFunc)
				batches := 0
				c := New(&Config{
					Queue:         NewRealFIFO(nil, store, nil),
					ListerWatcher: srv.lw(),
					Process:       process,
					ProcessBatch:  func(d []Delta, initial bool) error { batches++; return process(Deltas(d), initial) },
					Release:       release,
				})
				if c.LastSyncResourceVersion() != "" {
					t.Error("a version before the start")
				}
				stop := make(chan struct{})
				done := make(chan struct{})
				go func() { defer close(done); c.Run(stop) }()
				if !WaitFor(t.Context(), "the controller", c.HasSyncedChecker()) {
					t.Fatal("not synced")
				}
				equal(t, "deltas", got, []string{"Replaced a@1 true", "Replaced b@2 true"})
				if wantBatches := map[releases.Release]int{releases.V133: 0, releases.V135: 1}[release]; batches != wantBatches {
					t.Errorf("%d batches", batches)
				}
				// The queue is popped before the Reflector keeps the version of its list.
				synctest.Wait()
				if c.LastSyncResourceVersion() != "5" {
					t.Errorf("version %q", c.LastSyncResourceVersion())
				}
				close(stop)
				<-done
			})
		})
	}
}

func TestPlainInformer(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := serve(release, "5", obj("a", "1"))
		h := &calls{}
		store, c := NewInformerWithOptions(InformerOptions{ListerWatcher: srv.lw(), ObjectType: &object{}, Handler: h, Release: release, ResyncPeriod: time.Minute,
			Transform: func(o any) (any, error) { return o, nil }})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); c.RunWithContext(ctx) }()
		synctest.Wait()
		srv.send(modifiedEvent(obj("a", "6")), addedEvent(obj("b", "7")), deletedEvent(obj("b", "8")))
		synctest.Wait()
		time.Sleep(time.Minute)
		synctest.Wait()
		equal(t, "calls", h.lines(), []string{"add a@1 true", "update a@1 -> a@6", "add b@7 false", "delete b@8", "resync a@6"})
		equal(t, "keys", store.ListKeys(), []string{"ns/a"})
		cancel()
		<-done
	})
}

func TestWaitForGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inf := NewSharedIndexInformer(&ListWatch{}, &object{}, 0, Indexers{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if WaitFor(ctx, "what never comes", inf.HasSyncedChecker()) || IsDone(inf.HasSyncedChecker()) {
			t.Error("an informer that never ran has synced")
		}
	})
}

func TestFilteringHandler(t *testing.T) {
	c := &calls{}
	f := FilteringResourceEventHandler{Handler: c, FilterFunc: func(o any) bool {
		_, tombstone := o.(DeletedFinalStateUnknown)
		return tombstone || o.(*object).Labels["app"] == "x"
	}}
	in, out := objWithApp("in", "1", "x"), obj("out", "2")
	f.OnAdd(in, true)
	f.OnAdd(out, true)
	f.OnUpdate(in, objWithApp("in", "3", "x"))
	f.OnUpdate(in, out)
	f.OnUpdate(out, in)
	f.OnUpdate(out, out)
	f.OnDelete(in)
	f.OnDelete(out)
	f.OnDelete(DeletedFinalStateUnknown{Key: "ns/t"})
	equal(t, "calls", c.lines(), []string{"add in@1 true", "update in@1 -> in@3", "delete in@1", "add in@1 false", "delete in@1", "tombstone ns/t without object"})
}
