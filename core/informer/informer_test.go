package informer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

var everyRelease = slices.Sorted(slices.Values(releases.All()))

// forReleases runs f in a synctest bubble, once for every release.
func forReleases(t *testing.T, f func(t *testing.T, release releases.Release)) {
	for _, release := range everyRelease {
		t.Run(release.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f(t, release) })
		})
	}
}

// serve returns a server that answers the first list of a release, by LIST or by WatchList, and leaves the stream open.
func serve(release releases.Release, rv string, objs ...*object) *server {
	if !release.Behaviour().ListsByWatch {
		return newServer([]reply{{list: list(rv, objs...)}}, nil)
	}
	var events []watch.Event
	for _, o := range objs {
		events = append(events, addedEvent(o))
	}
	return newServer(nil, []reply{{events: append(events, endMark(rv))}, {}})
}

func TestListThenWatch(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := serve(release, "5", objWithApp("a", "1", "x"), objWithApp("b", "2", "y"))
		r := start(t, srv, SharedIndexInformerOptions{Release: release})
		if !WaitFor(t.Context(), "", r.HasSyncedChecker(), r.reg.HasSyncedChecker()) {
			t.Fatal("not synced")
		}
		synctest.Wait() // the handlers may have seen the list before the WATCH is open
		r.check()
		srv.send(modifiedEvent(objWithApp("a", "6", "y")), addedEvent(obj("c", "7")), deletedEvent(obj("b", "8")), bookmark("9"))
		synctest.Wait()
		r.check()
		equal(t, "calls", r.calls.lines(), []string{"add a@1 true", "add b@2 true", "update a@1 -> a@6", "add c@7 false", "delete b@8"})
		if rv := r.LastSyncResourceVersion(); rv != "9" {
			t.Errorf("reflector at %q", rv)
		}
		wantStoreRV := ""
		if release >= releases.V137 {
			wantStoreRV = "9"
		}
		if rv := r.GetStore().LastStoreSyncResourceVersion(); rv != wantStoreRV {
			t.Errorf("store at %q, want %q", rv, wantStoreRV)
		}
		if keys, _ := r.GetIndexer().IndexKeys("app", "y"); !slices.Equal(keys, []string{"ns/a"}) {
			t.Errorf("app=y: %v", keys)
		}
		want := []string{`LIST rv="0" limit=500`, `WATCH rv="5" bookmarks timeout=[300,600)`}
		if release.Behaviour().ListsByWatch {
			want = []string{`WATCH rv="" match=NotOlderThan initial=true bookmarks timeout=[300,600)`}
		}
		equal(t, "requests", srv.requests(), want)
		r.stop()
	})
}

func TestPagedList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer([]reply{
			{list: page("5", "p2", obj("a", "1"))},
			{list: page("5", "p3", obj("b", "2"))},
			{err: errExpired()},
			{list: list("6", obj("a", "1"), obj("b", "2"), obj("c", "6"))},
		}, nil)
		r := start(t, srv, SharedIndexInformerOptions{Release: releases.V133})
		synctest.Wait()
		equal(t, "requests", srv.requests(), []string{
			`LIST rv="0" limit=500`, `LIST rv="" limit=500 continue=p2`, `LIST rv="" limit=500 continue=p3`, `LIST rv="0"`,
			`WATCH rv="6" bookmarks timeout=[300,600)`})
		equal(t, "calls", r.calls.lines(), []string{"add a@1 true", "add b@2 true", "add c@6 true"})
		r.stop()
	})
}

func TestExpiredWatchRelists(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := serve(release, "5", obj("a", "1"), obj("gone", "2"))
		r := start(t, srv, SharedIndexInformerOptions{Release: release})
		synctest.Wait()
		srv.lock.Lock()
		if release.Behaviour().ListsByWatch {
			srv.watches = []reply{{err: errExpired()}, {events: []watch.Event{addedEvent(obj("a", "9")), endMark("10")}}, {}}
		} else {
			srv.lists = []reply{{err: errExpired()}, {list: list("10", obj("a", "9"))}}
		}
		srv.lock.Unlock()
		before := len(srv.requests())
		srv.send(errorEvent(errExpired()))
		synctest.Wait()
		if len(srv.requests()) != before {
			t.Error("the relist did not wait for the backoff")
		}
		r.check()
		time.Sleep(2 * time.Second)
		want := []string{`LIST rv="5"`, `LIST rv=""`, `WATCH rv="10" bookmarks timeout=[300,600)`}
		if release.Behaviour().ListsByWatch {
			want = []string{
				`WATCH rv="5" match=NotOlderThan initial=true bookmarks timeout=[300,600)`,
				`WATCH rv="" match=NotOlderThan initial=true bookmarks timeout=[300,600)`}
		}
		equal(t, "requests", srv.requests()[before:], want)
		got := r.calls.lines()[2:]
		slices.Sort(got)
		equal(t, "calls", got, []string{"tombstone ns/gone of gone@2", "update a@1 -> a@9"})
		if len(r.rec.eventsOf(event.KindReflectorError)) != 0 {
			t.Error("an expired watch must not reach the WatchErrorHandler")
		}
		if n := len(r.rec.eventsOf(event.KindUnavailable)); n != 2 {
			t.Errorf("unavailable changed %d times, want on and off", n)
		}
		r.stop()
	})
}

func TestWatchListFallbacks(t *testing.T) {
	const wl = `WATCH rv="" match=NotOlderThan initial=true bookmarks timeout=[300,600)`
	mark := reply{events: []watch.Event{addedEvent(obj("a", "1")), endMark("5")}}
	lst := []reply{{list: list("5", obj("a", "1"))}}
	for _, tc := range []struct {
		name    string
		watches []reply
		wait    time.Duration
		want    []string
	}{
		{"not supported", []reply{{err: errInvalid()}, {}}, 0, []string{wl, `LIST rv="0" limit=500`, `WATCH rv="5" bookmarks timeout=[300,600)`}},
		{"too large on open", []reply{{err: errTooLarge()}, mark, {}}, 0, []string{wl, wl}},
		{"expired in the stream", []reply{{events: []watch.Event{errorEvent(errExpired())}}, mark, {}}, 0, []string{wl, wl}},
		{"refused", []reply{{err: errRefused()}, mark, {}}, 1700 * time.Millisecond, []string{wl, wl}},
		{"429 in the stream", []reply{{events: []watch.Event{errorEvent(err429())}}, mark, {}}, 1700 * time.Millisecond, []string{wl, wl}},
		{"closed after an event without the mark", []reply{{events: []watch.Event{addedEvent(obj("x", "1"))}, close: true}, mark, {}}, 0, []string{wl, wl}},
		{"closed at once", []reply{{close: true}, {}}, 0, []string{wl, `LIST rv="0" limit=500`, `WATCH rv="5" bookmarks timeout=[300,600)`}},
		{"internal error in the stream", []reply{{events: []watch.Event{errorEvent(errInternal())}}, {}}, 0,
			[]string{wl, `LIST rv="0" limit=500`, `WATCH rv="5" bookmarks timeout=[300,600)`}},
		{"expired, then not supported", []reply{{err: errExpired()}, {err: errInvalid()}, {}}, 0,
			[]string{wl, wl, `LIST rv="" limit=500`, `WATCH rv="5" bookmarks timeout=[300,600)`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := newServer(lst, tc.watches)
				r := start(t, srv, SharedIndexInformerOptions{})
				time.Sleep(tc.wait)
				synctest.Wait()
				equal(t, "requests", srv.requests(), tc.want)
				equal(t, "calls", r.calls.lines(), []string{"add a@1 true"})
				r.check()
				r.stop()
			})
		})
	}
}

func TestWatchListOptOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer([]reply{{list: list("5")}}, nil)
		inf := NewSharedIndexInformerWithOptions(withoutWatchList(srv.lw()), &object{}, SharedIndexInformerOptions{})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); inf.RunWithContext(ctx) }()
		synctest.Wait()
		equal(t, "requests", srv.requests(), []string{`LIST rv="0" limit=500`, `WATCH rv="5" bookmarks timeout=[300,600)`})
		cancel()
		<-done
	})
}

func TestMissingEndMarkWaitsForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(nil, []reply{{events: []watch.Event{addedEvent(obj("a", "1"))}}})
		r := start(t, srv, SharedIndexInformerOptions{})
		time.Sleep(time.Hour)
		if len(srv.requests()) != 1 || r.HasSynced() {
			t.Errorf("requests %v, synced %v", srv.requests(), r.HasSynced())
		}
		if got := r.Snapshot().Reflector.Phase; got != PhaseWatchListing {
			t.Errorf("phase %q", got)
		}
		r.stop()
	})
}

func TestWatchEnds(t *testing.T) {
	const rewatch = `WATCH rv="5" bookmarks timeout=[300,600)`
	for _, tc := range []struct {
		name string
		end  reply // what the first WATCH does
		// soon are the requests at once, later those after the backoff
		soon, later []string
		handled     int
	}{
		{"closed after an event", reply{events: []watch.Event{bookmark("5")}, close: true}, []string{rewatch}, nil, 0},
		{"closed at once", reply{close: true}, nil, []string{`LIST rv="5"`}, 0},
		{"410", reply{events: []watch.Event{errorEvent(errExpired())}}, nil, []string{`LIST rv="5"`}, 0},
		{"429", reply{events: []watch.Event{errorEvent(err429())}}, nil, []string{rewatch}, 0},
		{"internal error", reply{events: []watch.Event{errorEvent(errInternal())}}, nil, []string{`LIST rv="5"`}, 0},
		{"open refused", reply{err: errRefused()}, nil, []string{rewatch}, 0},
		{"open 429", reply{err: err429()}, nil, []string{rewatch}, 0},
		{"open forbidden", reply{err: errForbidden()}, nil, []string{`LIST rv="5"`}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := newServer([]reply{{list: list("5")}}, []reply{tc.end, {}})
				r := build(t, srv, SharedIndexInformerOptions{Release: releases.V133})
				var handled []error
				if err := r.SetWatchErrorHandler(func(_ *Reflector, err error) { handled = append(handled, err) }); err != nil {
					t.Fatal(err)
				}
				r.run()
				synctest.Wait()
				equal(t, "requests at once", srv.requests()[2:], tc.soon)
				r.check()
				time.Sleep(1600 * time.Millisecond)
				got := srv.requests()[2+len(tc.soon):]
				equal(t, "requests later", got[:len(tc.later)], tc.later)
				if times := srv.requestTimes(); len(tc.later) > 0 && (times[2] < 800*time.Millisecond || times[2] >= 1600*time.Millisecond) {
					t.Errorf("the first backoff was %v, want [800ms,1.6s)", times[2])
				}
				if len(handled) != tc.handled {
					t.Errorf("WatchErrorHandler: %v", handled)
				}
				r.stop()
			})
		})
	}
}

// TestBackoffGrowsAndResets checks the waits in a long outage: in release 1.37 they start over every two minutes, in earlier releases they stay at the
// maximum.
func TestBackoffGrowsAndResets(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := newServer([]reply{{err: errForbidden()}}, nil)
		r := build(t, srv, SharedIndexInformerOptions{Release: release})
		r.listerWatcher = withoutWatchList(srv.lw())
		r.run()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		r.check()
		backoffs := r.rec.eventsOf(event.KindBackoff)
		base, reset := 800*time.Millisecond, time.Duration(0)
		times := srv.requestTimes()
		for i, b := range backoffs {
			// A wait is computed at the time of the failed request.
			if release >= releases.V137 && times[i]-reset > 2*time.Minute {
				base, reset = 800*time.Millisecond, times[i]
			}
			if b.Backoff().Wait < base || b.Backoff().Wait >= 2*base {
				t.Errorf("backoff %d at %v was %v, want [%v,%v)", i, times[i], b.Backoff().Wait, base, 2*base)
			}
			if i > 0 && times[i]-times[i-1] != backoffs[i-1].Backoff().Wait {
				t.Errorf("request %d came after %v, the backoff was %v", i, times[i]-times[i-1], backoffs[i-1].Backoff().Wait)
			}
			base = min(2*base, 30*time.Second)
		}
		least, most := 15, 21
		if release >= releases.V137 {
			least, most = 29, 40
		}
		if n := len(times); n < least || n > most || r.HasSynced() {
			t.Errorf("%d requests, want %d to %d; synced %v", n, least, most, r.HasSynced())
		}
		r.stop()
	})
}

func TestResync(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := serve(release, "5", obj("a", "1"), obj("b", "2"))
		r := build(t, srv, SharedIndexInformerOptions{Release: release, ResyncPeriod: 10 * time.Second})
		never := &calls{}
		if _, err := r.AddEventHandlerWithResyncPeriod(never, 0); err != nil {
			t.Fatal(err)
		}
		r.run()
		time.Sleep(11 * time.Second)
		r.check()
		requests := len(srv.requests())
		got := r.calls.lines()[2:]
		slices.Sort(got)
		equal(t, "calls", got, []string{"resync a@1", "resync b@2"})
		equal(t, "calls without resync", never.lines(), []string{"add a@1 true", "add b@2 true"})
		time.Sleep(10 * time.Second)
		if n := len(r.calls.lines()); n != 6 {
			t.Errorf("%d calls after the second resync, want 6", n)
		}
		if len(srv.requests()) != requests {
			t.Error("a resync sent a request")
		}
		for _, e := range r.rec.eventsOf(event.KindQueued) {
			if atomic := e.Op() == event.OpSyncAll; e.Op() == event.OpSync && release >= releases.V137 || atomic && release < releases.V137 {
				t.Errorf("op %v in release %v", e.Op(), release)
			}
		}
		r.stop()
	})
}

func TestRelistWithoutChange(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := serve(release, "5", obj("a", "1"))
		r := start(t, srv, SharedIndexInformerOptions{Release: release})
		synctest.Wait()
		srv.lock.Lock()
		if release.Behaviour().ListsByWatch {
			srv.watches = []reply{{events: []watch.Event{addedEvent(obj("a", "1")), endMark("7")}}, {}}
		}
		srv.lock.Unlock()
		srv.send(errorEvent(errInternal()))
		time.Sleep(2 * time.Second)
		equal(t, "calls", r.calls.lines(), []string{"add a@1 true", "update a@1 -> a@1"})
		r.stop()
	})
}

func TestSlowListenerGrowsItsRing(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := serve(release, "5")
		r := build(t, srv, SharedIndexInformerOptions{Release: release})
		done := make(chan struct{})
		slow := &calls{hook: func(string) { <-done }}
		if _, err := r.AddEventHandlerWithOptions(slow, HandlerOptions{Name: "slow"}); err != nil {
			t.Fatal(err)
		}
		r.run()
		synctest.Wait()
		for i := range 2000 {
			srv.send(addedEvent(obj(fmt.Sprint("o", i), fmt.Sprint(10+i))))
		}
		synctest.Wait()
		r.check()
		s := r.Snapshot()
		if l := s.Listeners[1]; l.Name != "slow" || l.Capacity != 2048 || l.Pending != 1998 || !l.Waiting || l.Delivered != 1 || l.Handled != 0 || !l.Handling {
			t.Errorf("slow listener: %+v", l)
		}
		if l := s.Listeners[0]; l.Handled != 2000 || l.Capacity != 1024 && l.Capacity != 2048 {
			t.Errorf("fast listener: %+v", l)
		}
		if len(s.Store.Objects) != 2000 {
			t.Errorf("the store holds %d objects", len(s.Store.Objects))
		}
		close(done)
		synctest.Wait()
		equal(t, "calls", slow.lines(), r.calls.lines())
		if l := r.Snapshot().Listeners[1]; l.Capacity != 2048 || l.Pending != 0 {
			t.Errorf("the ring after it drained: %+v", l)
		}
		r.stop()
	})
}

func TestLateAndRemovedHandler(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := serve(release, "5", obj("a", "1"), obj("b", "2"))
		r := start(t, srv, SharedIndexInformerOptions{Release: release})
		synctest.Wait()
		late := &calls{}
		reg, err := r.AddEventHandler(late)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !reg.HasSynced() {
			t.Error("the late handler is not synced")
		}
		r.check()
		srv.send(addedEvent(obj("c", "6")))
		synctest.Wait()
		got := late.lines()
		slices.Sort(got)
		equal(t, "late calls", got, []string{"add a@1 true", "add b@2 true", "add c@6 false"})

		if err := ShutDownEventHandler(r, reg); err != nil {
			t.Fatal(err)
		}
		if err := r.RemoveEventHandler(reg); err != nil {
			t.Errorf("the second removal: %v", err)
		}
		srv.send(deletedEvent(obj("c", "7")))
		synctest.Wait()
		if n := len(late.lines()); n != 3 {
			t.Errorf("the removed handler was called: %v", late.lines())
		}
		r.check()
		if err := r.RemoveEventHandler(nil); err == nil {
			t.Error("a registration of no informer was accepted")
		}
		r.stop()
		if _, err := r.AddEventHandler(late); err == nil {
			t.Error("a handler was added after the stop")
		}
		if err := r.AddIndexers(Indexers{}); err == nil {
			t.Error("indexers were added after the stop")
		}
	})
}

// TestRemovedBeforeStart checks the HasSynced of a removed registration: before 0.36 each call asks the informer; since then it never becomes true.
func TestRemovedBeforeStart(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := serve(release, "5", obj("a", "1"))
		r := build(t, srv, SharedIndexInformerOptions{Release: release})
		early := &calls{}
		reg, _ := r.AddEventHandler(early)
		if err := ShutDownEventHandler(r, reg); err != nil {
			t.Fatal(err)
		}
		r.run()
		synctest.Wait()
		if want := release < releases.V137; reg.HasSynced() != want || IsDone(reg.HasSyncedChecker()) != want || len(early.lines()) != 0 {
			t.Errorf("synced %v, checker %v, want %v; calls %v", reg.HasSynced(), IsDone(reg.HasSyncedChecker()), want, early.lines())
		}
		r.stop()
	})
}

func TestRemovalDiscardsPendingNotifications(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := serve(release, "5", obj("a", "1"), obj("b", "2"), obj("c", "3"), obj("d", "4"))
		r := build(t, srv, SharedIndexInformerOptions{Release: release})
		done := make(chan struct{})
		slow := &calls{hook: func(string) { <-done }}
		reg, _ := r.AddEventHandler(slow)
		r.run()
		synctest.Wait()
		if err := r.RemoveEventHandler(reg); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		r.check()
		close(done)
		synctest.Wait()
		if n := len(slow.lines()); n != 1 {
			t.Errorf("calls %v, want only the one in flight", slow.lines())
		}
		stopped := r.rec.eventsOf(event.KindListenerStopped)
		if len(stopped) != 1 || stopped[0].ListenerStopped().Discarded != 3 {
			t.Errorf("KindListenerStopped: %+v", stopped)
		}
		if reg.HasSynced() {
			t.Error("a handler removed early is synced")
		}
		r.stop()
	})
}

func TestHandlerPanic(t *testing.T) {
	defer func(crash bool, handlers []func(context.Context, any)) {
		utilruntime.ReallyCrash, utilruntime.PanicHandlers = crash, handlers
	}(utilruntime.ReallyCrash, utilruntime.PanicHandlers)
	utilruntime.ReallyCrash, utilruntime.PanicHandlers = false, nil
	for _, observed := range []bool{true, false} {
		t.Run(fmt.Sprint("observed ", observed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := serve(releases.V133, "5", obj("a", "1"), obj("b", "2"))
				r := build(t, srv, SharedIndexInformerOptions{Release: releases.V133})
				if !observed {
					r.sharedIndexInformer = NewSharedIndexInformerWithOptions(srv.lw(), &object{}, SharedIndexInformerOptions{Release: releases.V133}).(*sharedIndexInformer)
				}
				bad := &calls{hook: func(line string) {
					if line == "add a@1 true" {
						panic("handler exploded")
					}
				}}
				reg, _ := r.AddEventHandler(bad)
				r.run()
				time.Sleep(900 * time.Millisecond)
				equal(t, "calls before a second has passed", bad.lines(), []string{"add a@1 true"})
				time.Sleep(200 * time.Millisecond)
				equal(t, "calls", bad.lines(), []string{"add a@1 true", "add b@2 true"})
				if reg.HasSynced() {
					t.Error("synced although an initial add did not return")
				}
				if observed {
					var failed []event.Event
					for _, e := range r.rec.eventsOf(event.KindHandled) {
						if e.Err() != nil {
							failed = append(failed, e)
						}
					}
					if len(failed) != 1 || !errors.Is(failed[0].Err(), errHandlerPanicked) || !strings.Contains(failed[0].Err().Error(), "exploded") {
						t.Errorf("KindHandled with errors: %+v", failed)
					}
					r.stop()
					return
				}
				r.cancel()
				<-r.done
			})
		})
	}
}

func TestSetters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := serve(releases.V137, "5", obj("a", "1"))
		r := build(t, srv, SharedIndexInformerOptions{})
		if err := r.SetTransform(func(o any) (any, error) {
			c := o.(*object).DeepCopy()
			c.Labels = map[string]string{"app": "t"}
			return c, nil
		}); err != nil {
			t.Fatal(err)
		}
		r.run()
		synctest.Wait()
		if err := r.SetTransform(nil); err == nil {
			t.Error("SetTransform after the start")
		}
		if err := r.SetWatchErrorHandler(nil); err == nil {
			t.Error("SetWatchErrorHandler after the start")
		}
		r.RunWithContext(t.Context()) // returns at once
		if err := r.AddIndexers(Indexers{"app": appIndex}); err == nil {
			t.Error("a conflicting indexer was added")
		}
		if err := r.AddIndexers(Indexers{"rv": func(o any) ([]string, error) { return []string{o.(metav1.Object).GetResourceVersion()}, nil }}); err != nil {
			t.Error(err)
		}
		r.check()
		if keys, err := r.GetIndexer().IndexKeys("rv", "1"); err != nil || !slices.Equal(keys, []string{"ns/a"}) {
			t.Errorf("the added index: %v %v", keys, err)
		}
		if keys, _ := r.GetIndexer().IndexKeys("app", "t"); len(keys) != 1 {
			t.Errorf("the transformed label is not in the index: %v", keys)
		}
		if _, err := r.GetIndexer().ByIndex("none", ""); err == nil {
			t.Error("ByIndex accepts an index that does not exist")
		}
		r.stop()
	})
}

func TestBurstOrder(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := serve(release, "5")
		g := newGates()
		r := build(t, srv, SharedIndexInformerOptions{Release: release, Gates: g})
		r.run()
		synctest.Wait()
		g.hold(event.StagePop)
		srv.send(addedEvent(obj("a", "6")), addedEvent(obj("b", "7")), modifiedEvent(obj("a", "8")), deletedEvent(obj("never", "9")))
		synctest.Wait()
		r.check()
		if n := len(r.calls.lines()); n > 1 {
			t.Errorf("calls behind the gate: %v", r.calls.lines())
		}
		g.release(event.StagePop)
		synctest.Wait()
		want := []string{"add a@6 false", "add b@7 false", "update a@6 -> a@8", "delete never@9"}
		if release == releases.V131 {
			want = []string{"add a@6 false", "update a@6 -> a@8", "add b@7 false"}
		}
		equal(t, "calls", r.calls.lines(), want)
		r.stop()
	})
}

func TestGatesEndWithTheInformer(t *testing.T) {
	for _, stage := range []event.Stage{event.StageStore, event.StagePop, event.StageDeliver} {
		t.Run(fmt.Sprint(stage), func(t *testing.T) {
			forReleases(t, func(t *testing.T, release releases.Release) {
				g := newGates()
				g.hold(stage)
				r := start(t, serve(release, "5", obj("a", "1"), obj("b", "2")), SharedIndexInformerOptions{Release: release, Gates: g})
				synctest.Wait()
				if n := len(r.calls.lines()); n != 0 {
					t.Errorf("calls behind the gate: %v", r.calls.lines())
				}
				r.check()
				if stage == event.StageDeliver {
					if err := ShutDownEventHandler(r, r.reg); err != nil {
						t.Fatal(err)
					}
					equal(t, "calls", r.calls.lines(), []string{"add a@1 true"})
				}
				r.stop()
			})
		})
	}
}
