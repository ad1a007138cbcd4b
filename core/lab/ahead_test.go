package lab

import (
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
)

// TestFramesAhead holds the Reflector while many changes come. Since 1.38 the client takes them from the connection up to a bound, and they wait; before, the
// connection keeps them. The log says how many wait, which is what has come and was not delivered.
func TestFramesAhead(t *testing.T) {
	for _, tc := range []struct {
		release string
		waiting int
	}{{"1.38", 212}, {"1.37", 0}, {"1.31", 0}} {
		t.Run(tc.release, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, rec := start(t, selection.Change{Release: &tc.release})
				pass(5 * time.Second)
				if err := l.Informer(0).Hold("store", 0); err != nil {
					t.Fatal(err)
				}
				for range 3 {
					if _, err := l.Cluster("burst", ClusterArgs{N: 100}); err != nil {
						t.Fatal(err)
					}
				}
				pass(5 * time.Second)
				watch := func(s *fold.State) (r fold.WireRequest) {
					for _, r := range s.API.Requests {
						if r.Open {
							return r
						}
					}
					t.Fatal("no watch is open")
					return r
				}
				s := state(rec)
				w := watch(s)
				// One event is in the hands of the stream, and one in those of the Reflector, which reports it when it has it.
				if inside := w.Frames - s.Reflector.Events - s.Reflector.Bookmarks - 1; w.Ahead != tc.waiting || tc.waiting > 0 && w.Ahead != inside {
					t.Errorf("%d frames wait, want %d; %d came and %d events were read", w.Ahead, tc.waiting, w.Frames, s.Reflector.Events+s.Reflector.Bookmarks)
				}
				head, _ := rec.Head()
				restored := fold.NewFold()
				for _, e := range rec.FoldAt(head).Baseline() {
					restored.Apply(&e)
				}
				if again := watch(restored.State()); again.Ahead != w.Ahead {
					t.Errorf("%d frames wait after the log was cut, want %d", again.Ahead, w.Ahead)
				}
				if err := l.Informer(0).Release("store", 0, 0); err != nil {
					t.Fatal(err)
				}
				pass(5 * time.Second)
				if s := state(rec); watch(s).Ahead != 0 || s.World.Apart != 0 {
					t.Errorf("after the release %d frames wait, and the store is %d changes behind", watch(s).Ahead, s.World.Apart)
				}
				if _, err := l.Informer(0).Fault("cut", FaultArgs{}); err != nil {
					t.Fatal(err)
				}
				pass(time.Minute)
				if s := state(rec); watch(s).Ahead != 0 || s.Reflector.Phase != "watching" {
					t.Errorf("after the cut %d frames wait, phase %s", watch(s).Ahead, s.Reflector.Phase)
				}
			})
		})
	}
}
