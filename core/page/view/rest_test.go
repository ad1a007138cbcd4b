package view_test

import (
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/log/trace"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
)

// TestHeartbeat holds how often a view sends a frame while nothing happens.
func TestHeartbeat(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Unix(0, 0))
	rec := trace.NewRecorder(trace.RecorderOptions{Clock: clock})
	v := view.New(rec, clock)
	frames := func(d time.Duration) (n int) {
		for range d / (10 * time.Millisecond) {
			clock.Step(10 * time.Millisecond)
			if v.Frame() != nil {
				n++
			}
		}
		return n
	}
	rec.Emit(0, event.Stored{Kind: event.KindStoreAdded, Key: "default/web", RV: "5", Obj: pod("5")}.Event())
	if v.Frame() == nil || v.Patience() != 0 {
		t.Fatal("an event brings no frame, or the view rests")
	}
	if n := frames(time.Second); n != 10 {
		t.Errorf("%d frames in the first second without news, want 10", n)
	}
	frames(2 * time.Second)
	if n := frames(5 * time.Second); n != 10 || v.Patience() != 125*time.Millisecond {
		t.Errorf("%d frames in five seconds at rest, want 10; patience %v", n, v.Patience())
	}
	rec.Emit(0, event.Event{Kind: event.KindCluster})
	if v.Frame() == nil || v.Patience() != 125*time.Millisecond {
		t.Errorf("the cluster's counts have to wait, or the view does not rest on: patience %v", v.Patience())
	}
	rec.Emit(0, event.Stored{Kind: event.KindStoreAdded, Key: "default/web", RV: "5", Obj: pod("5")}.Event())
	if v.Frame() == nil || v.Patience() != 0 {
		t.Error("the event has to wait, or the view still rests")
	}
	if n := frames(time.Second); n != 10 {
		t.Errorf("%d frames in the second after it, want 10", n)
	}
}
