package informer

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// These tests cover differences between the releases of client-go that no feature gate of 0.37.2 controls.

// withoutWatchList makes every release begin with a LIST.
func withoutWatchList(lw *ListWatch) ListerWatcher {
	return struct {
		*ListWatch
		noWatchList
	}{ListWatch: lw}
}

type noWatchList struct{}

func (noWatchList) IsWatchListSemanticsUnSupported() bool { return true }

// TestPanicOfAPlainInformersHandler checks that a handler's panic leaves RunWithContext at once, while the Reflector still runs, and that no goroutine
// is left when the context ends.
func TestPanicOfAPlainInformersHandler(t *testing.T) {
	defer func(handlers []func(context.Context, any)) { utilruntime.PanicHandlers = handlers }(utilruntime.PanicHandlers)
	utilruntime.PanicHandlers = nil
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := serve(release, "5", obj("a", "1"))
		_, c := NewInformerWithOptions(InformerOptions{ListerWatcher: srv.lw(), ObjectType: &object{}, Release: release,
			Handler: ResourceEventHandlerFuncs{AddFunc: func(any) { panic("no") }}})
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		left := make(chan any, 1)
		go func() {
			defer func() { left <- recover() }()
			c.RunWithContext(ctx)
		}()
		synctest.Wait()
		select {
		case p := <-left:
			if p != "no" {
				t.Errorf("recovered %v", p)
			}
		default:
			t.Error("RunWithContext has not returned")
		}
		if srv.openStreams() != 1 {
			t.Error("the Reflector does not watch any more")
		}
		cancel()
		synctest.Wait() // the bubble fails if a goroutine is left
		if srv.openStreams() != 0 {
			t.Error("a stream was left open")
		}
	})
}

// TestWaitForLogsItsCaller checks that the log lines have the file and line of WaitFor's caller.
func TestWaitForLogsItsCaller(t *testing.T) {
	var out bytes.Buffer
	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&out)))
	ctx, cancel := context.WithCancel(klog.NewContext(t.Context(), logger))
	done := NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true})
	_ = done.Update(obj("a", "1"))
	never := NewRealFIFOWithOptions(RealFIFOOptions{AtomicEvents: true})
	go func() {
		<-done.Done()
		cancel()
	}()
	_, _, line, _ := runtime.Caller(0)
	WaitFor(ctx, "both", done, never)
	want := fmt.Sprintf("releases_test.go:%d]", line+1)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) < 3 {
		t.Errorf("logged %q", lines)
	}
	for _, l := range lines {
		if !strings.Contains(l, want) {
			t.Errorf("%q does not contain %s", l, want)
		}
	}
}

// TestSyncedAfterTheLastObject checks that the informer has synced once the last initial object has been indexed, but not while it is being indexed.
// A handler has synced once it has returned from the last OnAdd. Before 0.36 the queue, the informer and its registrations become synced at one moment.
func TestSyncedAfterTheLastObject(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := newServer([]reply{{list: list("5", obj("a", "1"), obj("b", "2"), obj("c", "3"))}}, nil)
		var r *running
		early := 0
		r = build(t, srv, SharedIndexInformerOptions{Release: release, Indexers: Indexers{"slow": func(any) ([]string, error) {
			time.Sleep(time.Second) // long enough for another goroutine to see a HasSynced that is early
			if IsDone(r.HasSyncedChecker()) || IsDone(r.controller.HasSyncedChecker()) || IsDone(r.reg.HasSyncedChecker()) {
				early++
			}
			return nil, nil
		}}})
		r.listerWatcher = withoutWatchList(srv.lw())
		atLast := ""
		last, err := r.AddEventHandler(ResourceEventHandlerFuncs{AddFunc: func(o any) {
			time.Sleep(time.Minute)
			atLast = fmt.Sprint(name(o), r.HasSynced())
		}})
		if err != nil {
			t.Fatal(err)
		}
		r.run()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		r.check()
		if early != 0 {
			t.Errorf("synced while an initial object was being indexed, %d times", early)
		}
		if !r.HasSynced() || !IsDone(r.HasSyncedChecker()) || !r.GetController().HasSynced() || !r.reg.HasSynced() {
			t.Error("not synced with everything indexed")
		}
		if last.HasSynced() || IsDone(last.HasSyncedChecker()) {
			t.Error("a handler has synced during its first OnAdd")
		}
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		r.check()
		if atLast != "c@3true" || !last.HasSynced() || !IsDone(last.HasSyncedChecker()) {
			t.Errorf("after the last OnAdd (%s): synced %v, checker %v", atLast, last.HasSynced(), IsDone(last.HasSyncedChecker()))
		}
		var lamps []event.Kind
		for _, e := range r.rec.prefix(r.rec.len()) {
			switch e.Kind {
			case event.KindQueueSynced, event.KindInformerSynced:
				lamps = append(lamps, e.Kind)
			case event.KindProcessed:
				if e.Processed().Population == 0 && len(lamps) == 0 {
					lamps = append(lamps, e.Kind)
				}
			}
		}
		if !slices.Equal(lamps, []event.Kind{event.KindProcessed, event.KindQueueSynced, event.KindInformerSynced}) {
			t.Errorf("the order of the events is %v", lamps)
		}
		r.stop()
	})
}

// TestHasSyncedWaitsForTheQueue checks that before 0.36 HasSynced takes the queue's lock, so that it never returns in the middle of processing.
func TestHasSyncedWaitsForTheQueue(t *testing.T) {
	for _, release := range everyRelease {
		t.Run(release.String(), func(t *testing.T) {
			srv := newServer([]reply{{list: list("5", obj("a", "1"))}}, nil)
			indexing, goOn := make(chan struct{}), make(chan struct{})
			inf := NewSharedIndexInformerWithOptions(withoutWatchList(srv.lw()), &object{}, SharedIndexInformerOptions{Release: release,
				Indexers: Indexers{"slow": func(any) ([]string, error) {
					close(indexing)
					<-goOn
					return nil, nil
				}}}).(*sharedIndexInformer)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); inf.RunWithContext(ctx) }()
			<-indexing
			free := false
			switch q := inf.queue.(type) {
			case *DeltaFIFO:
				if free = q.lock.mu.TryLock(); free {
					q.lock.Unlock()
				}
			case *RealFIFO:
				if free = q.lock.mu.TryLock(); free {
					q.lock.Unlock()
				}
			}
			if free != (release >= releases.V137) {
				t.Errorf("the queue's lock is free while an object is indexed: %v", free)
			}
			asks, asked := make(chan struct{}), make(chan bool, 1)
			go func() {
				close(asks)
				asked <- inf.HasSynced()
			}()
			<-asks
			if release >= releases.V137 {
				if <-asked {
					t.Error("synced while the only object is being indexed")
				}
				close(goOn)
			} else {
				for range 1000 {
					runtime.Gosched()
				}
				if len(asked) != 0 {
					t.Error("HasSynced returned while an object was being indexed")
				}
				close(goOn)
				if !<-asked {
					t.Error("not synced after the only object")
				}
			}
			cancel()
			<-done
		})
	}
}

// TestStopWithABacklog checks that the process loop of 0.31 and 0.33 pops a closed queue until it is empty, and that those of later releases check
// their context first.
func TestStopWithABacklog(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := newServer([]reply{{list: list("5", obj("a", "1"), obj("b", "2"))}},
			[]reply{{events: []watch.Event{modifiedEvent(obj("a", "6")), modifiedEvent(obj("a", "7")), addedEvent(obj("c", "8"))}}})
		g := newGates()
		g.hold(event.StagePop)
		rec, h := &recorder{}, &calls{}
		store, c := NewInformerWithOptions(InformerOptions{ListerWatcher: withoutWatchList(srv.lw()), ObjectType: &object{}, Handler: h,
			Release: release, Observer: rec, Gates: g})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); c.RunWithContext(ctx) }()
		synctest.Wait()
		equal(t, "calls before the stop", h.lines(), nil)
		cancel() // also ends the hold at the gate
		<-done
		var objects []string
		for _, o := range store.List() {
			objects = append(objects, name(o))
		}
		slices.Sort(objects)
		wantStore, wantCalls := []string{"a@7", "b@2", "c@8"}, []string{"add a@1 true", "add b@2 true", "update a@1 -> a@6", "update a@6 -> a@7", "add c@8 false"}
		switch release {
		case releases.V131: // all deltas of a are one item
			wantCalls = []string{"add a@1 true", "update a@1 -> a@6", "update a@6 -> a@7", "add b@2 true", "add c@8 false"}
		case releases.V135, releases.V137, releases.V138: // one batch, one ReplacedAll
			wantStore, wantCalls = []string{"a@1", "b@2"}, wantCalls[:2]
		}
		equal(t, "store", objects, wantStore)
		equal(t, "calls", h.lines(), wantCalls)
		// Before 0.36 HasSynced asks the queue, even after the stop.
		if !c.HasSynced() {
			t.Error("the queue has not synced")
		}
	})
}

// TestSyncedByTheStop checks the HasSynced of releases before 0.36, which asks the queue: an initial list that was processed while the informer stopped
// counts.
func TestSyncedByTheStop(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		g := newGates()
		g.hold(event.StagePop)
		r := start(t, serve(release, "5", obj("a", "1"), obj("b", "2")), SharedIndexInformerOptions{Release: release, Gates: g})
		synctest.Wait()
		r.check()
		r.stop()
		if len(r.GetStore().List()) != 2 {
			t.Fatal("the list was not processed")
		}
		if got := r.HasSynced(); got != IsDone(r.HasSyncedChecker()) || release < releases.V137 && !got {
			t.Errorf("HasSynced %v, checker %v", got, IsDone(r.HasSyncedChecker()))
		}
	})
}

// TestRunWithAClosedStopChannel checks that only release 1.37 begins a round if its context is already done.
func TestRunWithAClosedStopChannel(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := newServer([]reply{{list: list("5", obj("a", "1"))}}, nil)
		r := build(t, srv, SharedIndexInformerOptions{Release: release})
		r.listerWatcher = withoutWatchList(srv.lw())
		stop := make(chan struct{})
		close(stop)
		r.Run(stop)
		r.check()
		synctest.Wait()
		want := 0
		if release >= releases.V137 {
			want = 1
		}
		if n := len(srv.requests()); n != want || !r.IsStopped() || r.HasSynced() {
			t.Errorf("%d requests, want %d; stopped %v, synced %v", n, want, r.IsStopped(), r.HasSynced())
		}
	})
}

// TestVersionFromNowhere checks that before 0.36 the first Added of a WATCH from "" or "0" advances the version, and that the next WATCH starts there.
func TestVersionFromNowhere(t *testing.T) {
	for _, from := range []string{"", "0"} {
		forReleases(t, func(t *testing.T, release releases.Release) {
			srv := newServer([]reply{{list: list(from)}}, []reply{{events: []watch.Event{addedEvent(obj("a", "7")), addedEvent(obj("b", "3"))}}, {}})
			r := build(t, srv, SharedIndexInformerOptions{Release: release})
			r.listerWatcher = withoutWatchList(srv.lw())
			r.run()
			synctest.Wait()
			r.check()
			want := "3"
			if release >= releases.V137 {
				want = from
			}
			if rv := r.LastSyncResourceVersion(); rv != want {
				t.Errorf("at %q, want %q", rv, want)
			}
			srv.end()
			time.Sleep(2 * time.Second)
			synctest.Wait()
			requests := srv.requests()
			if again := requests[len(requests)-1]; !strings.HasPrefix(again, fmt.Sprintf("WATCH rv=%q", want)) {
				t.Errorf("the WATCH after it: %s", again)
			}
			r.stop()
		})
	}
}

// TestControllersVersion checks that GetController's version needs the gate InformerResourceVersion.
func TestControllersVersion(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		r := start(t, serve(release, "5", obj("a", "1")), SharedIndexInformerOptions{Release: release})
		synctest.Wait()
		want := "5"
		if release == releases.V131 || release == releases.V133 {
			want = ""
		}
		if rv := r.GetController().LastSyncResourceVersion(); rv != want || r.LastSyncResourceVersion() != "5" {
			t.Errorf("the controller returns %q, want %q; the informer %q", rv, want, r.LastSyncResourceVersion())
		}
		r.stop()
	})
}

// TestTables checks that releases before 0.36 accept a Table in place of an object, but not in a WatchList of 0.35.
func TestTables(t *testing.T) {
	table := func(name, rv string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "Table",
			"metadata": map[string]any{"name": name, "resourceVersion": rv}}}
	}
	tables := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "Table",
		"metadata": map[string]any{"resourceVersion": "5"}},
		Items: []unstructured.Unstructured{*table("listed", "4")}}
	forReleases(t, func(t *testing.T, release releases.Release) {
		w := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 10})
		lw := &ListWatch{
			ListWithContextFunc:  func(context.Context, metav1.ListOptions) (apiruntime.Object, error) { return tables, nil },
			WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return w, nil },
		}
		store := NewStore(MetaNamespaceKeyFunc)
		r := NewReflectorWithOptions(withoutWatchList(lw), &unstructured.Unstructured{}, store, ReflectorOptions{Release: release})
		var err error
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); err = r.ListAndWatchWithContext(ctx) }()
		synctest.Wait()
		w.Add(table("watched", "6"))
		synctest.Wait()
		cancel()
		<-done
		want := []string{"listed", "watched"}
		if release >= releases.V137 {
			want = nil
		}
		keys := store.ListKeys()
		slices.Sort(keys)
		equal(t, "keys", keys, want)
		if (err != nil) != (release >= releases.V137) {
			t.Errorf("ListAndWatch: %v", err)
		}
	})
	for _, release := range []releases.Release{releases.V135, releases.V137, releases.V138} {
		synctest.Test(t, func(t *testing.T) {
			w := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 10})
			rec := &recorder{}
			store := NewStore(MetaNamespaceKeyFunc)
			r := NewReflectorWithOptions(&ListWatch{WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return w, nil }},
				&unstructured.Unstructured{}, store, ReflectorOptions{Release: release, Observer: rec})
			end := &unstructured.Unstructured{}
			end.SetResourceVersion("7")
			end.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
			runReflector(t, r, func() {
				w.Add(table("initial", "6"))
				w.Action(watch.Bookmark, end)
				w.Add(table("after", "8"))
				synctest.Wait()
			})
			want, dropped := []string{"after"}, 1
			if release >= releases.V137 {
				want, dropped = nil, 2
			}
			equal(t, release.String()+" after a WatchList", store.ListKeys(), want)
			if n := len(rec.eventsOf(event.KindEventDropped)); n != dropped {
				t.Errorf("%v: %d dropped, want %d", release, n, dropped)
			}
		})
	}
}

// TestClockOfTheOuterDelay checks that before 0.36 the wait between two rounds uses ReflectorOptions.Clock.
func TestClockOfTheOuterDelay(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := newServer([]reply{{err: errForbidden()}}, nil)
		c := clocktesting.NewFakeClock(time.Now())
		r := NewReflectorWithOptions(withoutWatchList(srv.lw()), &object{}, NewStore(MetaNamespaceKeyFunc), ReflectorOptions{Release: release, Clock: c})
		runReflector(t, r, func() {
			before := len(srv.requests())
			if release >= releases.V137 {
				time.Sleep(2 * time.Second)
			} else {
				c.Step(2 * time.Second)
			}
			synctest.Wait()
			if before != 1 || len(srv.requests()) != 2 {
				t.Errorf("%d requests, then %d", before, len(srv.requests()))
			}
		})
	})
}

// TestPauseAfterAPanic checks the pause of a second after a handler's panic: in 0.31 it begins at once, later when the next notification arrives.
func TestPauseAfterAPanic(t *testing.T) {
	defer func(crash bool, handlers []func(context.Context, any)) {
		utilruntime.ReallyCrash, utilruntime.PanicHandlers = crash, handlers
	}(utilruntime.ReallyCrash, utilruntime.PanicHandlers)
	utilruntime.ReallyCrash, utilruntime.PanicHandlers = false, nil
	for _, observed := range []bool{false, true} {
		forReleases(t, func(t *testing.T, release releases.Release) {
			srv := serve(release, "5", obj("a", "1"))
			options := SharedIndexInformerOptions{Release: release}
			if observed {
				options.Observer = &recorder{}
			}
			inf := NewSharedIndexInformerWithOptions(srv.lw(), &object{}, options)
			t0 := time.Now()
			var times []time.Duration
			if _, err := inf.AddEventHandler(ResourceEventHandlerFuncs{AddFunc: func(o any) {
				times = append(times, time.Since(t0))
				if name(o) == "a@1" {
					panic("no")
				}
			}}); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan struct{})
			go func() { defer close(done); inf.RunWithContext(ctx) }()
			synctest.Wait()
			time.Sleep(10 * time.Second)
			srv.send(addedEvent(obj("b", "6")))
			time.Sleep(10 * time.Second)
			cancel()
			<-done
			want := 11 * time.Second
			if release == releases.V131 {
				want = 10 * time.Second
			}
			if len(times) != 2 || times[1] != want {
				t.Errorf("calls at %v, want the second at %v", times, want)
			}
		})
	}
}

// TestRelistBesideAStuckResync checks that since 0.33 a round of ListAndWatch ends only when its resync has ended, and that in 0.31 the next round does
// not wait for it.
func TestRelistBesideAStuckResync(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := newServer([]reply{{list: list("5", obj("a", "1"))}}, nil)
		stuck, goOn := make(chan struct{}), make(chan struct{})
		store := &stuckStore{Store: NewStore(MetaNamespaceKeyFunc), inResync: stuck, release: goOn}
		r := NewReflectorWithOptions(withoutWatchList(srv.lw()), &object{}, store, ReflectorOptions{Release: release, ResyncPeriod: time.Second})
		runReflector(t, r, func() {
			<-stuck
			srv.send(errorEvent(errExpired()))
			time.Sleep(2 * time.Second)
			want := 2 // LIST, WATCH
			if release == releases.V131 {
				want = 4
			}
			if n := len(srv.requests()); n != want {
				t.Errorf("%d requests beside the resync, want %d: %v", n, want, srv.requests())
			}
			close(goOn)
			time.Sleep(2 * time.Second)
			if n := len(srv.requests()); n != 4 {
				t.Errorf("%d requests after the resync, want 4", n)
			}
		})
	})
}

// stuckStore has a Resync that does not return before goOn is closed.
type stuckStore struct {
	Store
	first             sync.Once
	inResync, release chan struct{}
}

func (s *stuckStore) Resync() error {
	s.first.Do(func() { close(s.inResync) })
	<-s.release
	return nil
}

// TestBookmarksOfAStore checks that a store gets bookmarks only since 0.36, which introduced ReflectorBookmarkStore.
func TestBookmarksOfAStore(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := newServer([]reply{{list: list("5")}}, []reply{{events: []watch.Event{bookmark("7")}}})
		store := &bookmarkStore{Store: NewStore(MetaNamespaceKeyFunc)}
		r := NewReflectorWithOptions(withoutWatchList(srv.lw()), &object{}, store, ReflectorOptions{Release: release})
		runReflector(t, r, func() {
			if rv := r.LastSyncResourceVersion(); rv != "7" {
				t.Errorf("at %q", rv)
			}
		})
		var want []string
		if release >= releases.V137 {
			want = []string{"7"}
		}
		equal(t, "bookmarks", store.bookmarks, want)
	})
}

type bookmarkStore struct {
	Store
	bookmarks []string
}

func (s *bookmarkStore) Bookmark(rv string) error {
	s.bookmarks = append(s.bookmarks, rv)
	return nil
}
