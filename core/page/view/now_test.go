package view_test

import (
	"strconv"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/log/trace"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
)

// watchingTale returns a log whose Reflector watches from version 5 on, with nothing on its way.
func watchingTale(t *testing.T) *tale {
	x := newTale(t, "1.37")
	x.round("first list")
	x.ask(event.VerbWatch)
	x.emit(event.ReflectorRV{RV: "5"}.Event(), event.Event{Kind: event.KindQueueSynced})
	return x
}

// TestNothingChangesOnlyWhileNothingIsOnItsWay: the headline says so only if what left the cluster is in the store, and nothing can be behind it.
func TestNothingChangesOnlyWhileNothingIsOnItsWay(t *testing.T) {
	x := watchingTale(t)
	says := func(id, when string) {
		t.Helper()
		x.pass(3 * time.Second) // a change that passed is said for so long
		if got := x.v.State().Facts.Headline.ID; got != id {
			t.Errorf("%s the headline is %q", when, got)
		}
	}
	says("idle", "at rest")
	x.emit(event.WireFrame{Op: event.OpUpdated, Key: "a", RV: "7", Bytes: 100}.Event())
	says("coming", "while a change is on the wire")
	x.emit(event.WatchEvent{Op: event.OpUpdated, Key: "a", RV: "7"}.Event())
	says("coming", "before it is queued")
	x.emit(event.Queued{Op: event.OpUpdated, Key: "a", RV: "7", Length: 1}.Event(), event.ReflectorRV{RV: "7"}.Event())
	says("coming", "while it waits in the queue")
	x.emit(event.Popped{Deltas: 1}.Event())
	says("coming", "while it is processed")
	x.emit(event.Stored{Kind: event.KindStoreUpdated, Op: event.OpUpdated, Key: "a", RV: "7", StoreRV: "7"}.Event(),
		event.Processed{Deltas: 1}.Event())
	says("idle", "once it is in the store")
	x.emit(event.Fault{Name: "delay", On: true}.Event())
	says("coming", "while what the cluster says comes late")
	x.emit(event.Fault{Name: "delay"}.Event(), event.Fault{Name: "failover", On: true}.Event())
	says("coming", "while an API server answers that is behind the cluster")
	x.emit(event.Fault{Name: "failover"}.Event())
	says("idle", "once it has caught up")
	x.emit(event.Fault{Name: "halfopen", On: true, Struck: 1}.Event())
	says("halfOpen", "while the watch's connection is half-open")
	x.ask(event.VerbWatch)
	says("idle", "once another watch is open")
}

// TestFramesAheadAreThoseOfAReleaseThatDecodesAhead: informers of two releases share the list of requests.
func TestFramesAheadAreThoseOfAReleaseThatDecodesAhead(t *testing.T) {
	for release, want := range map[string]int{"1.38": 212, "1.37": 0} {
		x := newTale(t, release)
		x.emit(event.WireRequest{Req: 1, URL: "/api/v1/pods?watch=true&sendInitialEvents=true"}.Event(), event.WireResponse{Req: 1, Status: 200}.Event(),
			event.WireAhead{Req: 1, Frames: 212}.Event())
		if got := x.v.State().Facts.Ahead; got != want {
			t.Errorf("%s: %d frames are decoded ahead, want %d", release, got, want)
		}
		x.emit(event.WireDone{Req: 1}.Event())
		if got := x.v.State().Facts.Ahead; got != 0 {
			t.Errorf("%s: %d frames of a stream that has ended", release, got)
		}
	}
}

// TestLiveHasNoSpeedOfItsOwn: a live view runs at the speed of events, whatever speed it played at before.
func TestLiveHasNoSpeedOfItsOwn(t *testing.T) {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	rec.Emit(0, event.Event{Kind: event.KindNote})
	v := view.New(rec, clocktesting.NewFakePassiveClock(time.Unix(0, 0)))
	if err := v.Play(view.MinSpeed); err != nil {
		t.Fatal(err)
	}
	if got := v.Describe(); got.Mode != "playing" || got.Speed != view.MinSpeed {
		t.Errorf("it is %s at %v", got.Mode, got.Speed)
	}
	v.Live()
	if got := v.Describe(); got.Mode != "live" || got.Speed != 1 {
		t.Errorf("it is %s at %v", got.Mode, got.Speed)
	}
}

// TestTheHeadlineCountsWhatIsWatched: the cluster takes twenty writes a second, and one of them concerns what the informer watches.
func TestTheHeadlineCountsWhatIsWatched(t *testing.T) {
	x := watchingTale(t)
	writes, rv := 0, func(n int) string { return strconv.Itoa(100 + n) }
	for range 12 {
		for range 4 {
			x.pass(240 * time.Millisecond)
			writes += 5
			x.emit(event.Cluster{RV: rv(writes), Oldest: "1", Objects: 3, Writes: writes, Unread: "0"}.Event())
		}
		writes++
		got := rv(writes)
		x.emit(event.WireFrame{Op: event.OpUpdated, Key: "a", RV: got, Bytes: 100}.Event(), event.WatchEvent{Op: event.OpUpdated, Key: "a", RV: got}.Event(),
			event.Queued{Op: event.OpUpdated, Key: "a", RV: got, Length: 1}.Event(), event.ReflectorRV{RV: got}.Event(), event.Popped{Deltas: 1}.Event(),
			event.Stored{Kind: event.KindStoreUpdated, Op: event.OpUpdated, Key: "a", RV: got, StoreRV: got}.Event(), event.Processed{Deltas: 1}.Event())
	}
	if said := x.says("flow"); said.N > 2 { // three in two seconds
		t.Errorf("one change a second comes, and it says %d", said.N)
	}
}
