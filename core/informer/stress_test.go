package informer

import (
	"context"
	"fmt"
	"math/rand"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// TestFoldUnderLoad compares the fold with the informer's state repeatedly, during events, errors, resyncs and relists, while handlers are added and
// removed.
func TestFoldUnderLoad(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		srv := serve(release, "1")
		r := start(t, srv, SharedIndexInformerOptions{Release: release, ResyncPeriod: time.Second})
		synctest.Wait()
		done := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			defer close(done)
			rng := rand.New(rand.NewSource(int64(release)))
			rv := 10
			for i := range 900 {
				rv++
				o := objWithApp(fmt.Sprint("o", rng.Intn(40)), fmt.Sprint(rv), fmt.Sprint("app", rng.Intn(3)))
				switch rng.Intn(5) {
				case 0:
					srv.send(deletedEvent(o))
				case 1:
					srv.send(bookmark(o.ResourceVersion))
				default:
					srv.send(modifiedEvent(o))
				}
				if i%150 != 149 {
					continue
				}
				time.Sleep(time.Second) // resyncs
				srv.lock.Lock()
				srv.lists = []reply{{list: list(fmt.Sprint(rv), obj("o1", "1"), obj("o2", "2"))}}
				if release.Behaviour().ListsByWatch {
					srv.watches = []reply{initial(fmt.Sprint(rv), obj("o1", "1"), obj("o2", "2")), {}}
				}
				srv.lock.Unlock()
				srv.send(errorEvent(errExpired()))
				time.Sleep(time.Minute)
			}
		})
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				case <-time.After(3 * time.Second):
				}
				h := &calls{}
				if i%2 == 0 {
					h.hook = func(string) { time.Sleep(time.Millisecond) }
				}
				reg, err := r.AddEventHandlerWithResyncPeriod(h, time.Second)
				if err != nil {
					t.Error(err)
					return
				}
				if i%200 == 0 {
					continue // stays
				}
				time.Sleep(20 * time.Millisecond)
				if err := r.RemoveEventHandler(reg); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				case <-time.After(31 * time.Second):
				}
				for range 2 {
					r.check()
				}
			}
		})
		// These checks do not sleep, so they run while the others work.
		wg.Go(func() {
			for range 30 {
				r.check()
			}
		})
		wg.Wait()
		synctest.Wait()
		r.check()
		r.stop()
	})
}

// TestProcessPanic checks that an index function's error ends the process loop, which restarts after a second, and that the fold always equals the
// state.
func TestProcessPanic(t *testing.T) {
	defer func(crash bool, handlers []func(context.Context, any)) {
		utilruntime.ReallyCrash, utilruntime.PanicHandlers = crash, handlers
	}(utilruntime.ReallyCrash, utilruntime.PanicHandlers)
	utilruntime.ReallyCrash, utilruntime.PanicHandlers = false, nil
	forReleases(t, func(t *testing.T, release releases.Release) {
		r := build(t, serve(release, "5", obj("a", "1")), SharedIndexInformerOptions{Release: release, Indexers: Indexers{"app": func(o any) ([]string, error) {
			if o.(*object).Name == "bad" {
				return nil, fmt.Errorf("no index")
			}
			return appIndex(o)
		}}})
		r.run()
		synctest.Wait()
		r.srv.send(addedEvent(objWithApp("bad", "6", "x")))
		synctest.Wait()
		r.srv.send(addedEvent(objWithApp("good", "7", "x")))
		synctest.Wait()
		r.check()
		time.Sleep(2 * time.Second)
		r.check()
		equal(t, "calls", r.calls.lines(), []string{"add a@1 true", "add good@7 false"})
		failed := 0
		for _, e := range r.rec.eventsOf(event.KindProcessed) {
			if e.Err() != nil {
				failed++
			}
		}
		if failed != 1 {
			t.Errorf("%d failed KindProcessed, want 1", failed)
		}
		r.stop()
	})
}

// TestListPanic checks that a panic of the ListerWatcher counts as one failed round.
func TestListPanic(t *testing.T) {
	defer func(crash bool, handlers []func(context.Context, any)) {
		utilruntime.ReallyCrash, utilruntime.PanicHandlers = crash, handlers
	}(utilruntime.ReallyCrash, utilruntime.PanicHandlers)
	utilruntime.ReallyCrash, utilruntime.PanicHandlers = false, nil
	synctest.Test(t, func(t *testing.T) {
		srv := newServer([]reply{{panic: true}, {list: list("5", obj("a", "1"))}}, nil)
		r := start(t, srv, SharedIndexInformerOptions{Release: releases.V133})
		time.Sleep(2 * time.Second)
		equal(t, "calls", r.calls.lines(), []string{"add a@1 true"})
		r.stop()
	})
}

// TestStopEverywhere stops an informer at various moments of a busy life. No goroutine may be left (the bubble would not end), and the fold must equal
// the state.
func TestStopEverywhere(t *testing.T) {
	for _, after := range []time.Duration{0, time.Millisecond, time.Second, 5 * time.Second, 90 * time.Second} {
		t.Run(after.String(), func(t *testing.T) {
			forReleases(t, func(t *testing.T, release releases.Release) {
				srv := newServer([]reply{{err: errForbidden()}, {err: err429()}, {list: list("5", obj("a", "1"))}},
					[]reply{{err: errRefused()}, {events: []watch.Event{addedEvent(obj("a", "1"))}}, {close: true}})
				r := start(t, srv, SharedIndexInformerOptions{Release: release, ResyncPeriod: time.Second})
				if after > 0 {
					time.Sleep(after)
				}
				r.stop()
			})
		})
	}
}
