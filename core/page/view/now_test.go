package view_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/log/facts"
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

func (x *tale) facts() *facts.Facts { return x.v.State().Facts }

// TestUpToDateAndPassage: the store is up to date only while nothing from the wire is on its way into it. The time that the newest change took is shown while
// its chip may still travel.
func TestUpToDateAndPassage(t *testing.T) {
	x := watchingTale(t)
	up := func(want bool, when string) {
		t.Helper()
		if got := x.facts().UpToDate; got != want {
			t.Errorf("%s the store is said to be up to date: %v", when, got)
		}
	}
	up(true, "at rest")
	if took := x.facts().WireMicros; took != nil {
		t.Errorf("nothing came, and took %v µs", *took)
	}
	x.emit(event.WireFrame{Op: event.OpUpdated, Key: "a", RV: "7", Bytes: 100}.Event())
	up(false, "while a change is on the wire")
	x.emit(event.WatchEvent{Op: event.OpUpdated, Key: "a", RV: "7"}.Event())
	up(false, "before it is queued")
	x.emit(event.Queued{Op: event.OpUpdated, Key: "a", RV: "7", Length: 1}.Event(), event.ReflectorRV{RV: "7"}.Event())
	up(false, "while it waits in the queue")
	if took := x.facts().WireMicros; took == nil || *took != 2000 {
		t.Errorf("a change that took 2 ms is said to have taken %v", took)
	}
	x.emit(event.Popped{Deltas: 1}.Event())
	up(false, "while it is processed")
	x.emit(event.Stored{Kind: event.KindStoreUpdated, Op: event.OpUpdated, Key: "a", RV: "7", StoreRV: "7"}.Event(),
		event.Processed{Deltas: 1}.Event())
	up(true, "once it is in the store")
	x.pass(3 * time.Second)
	x.emit(event.Event{Kind: event.KindNote})
	if took := x.facts().WireMicros; took != nil {
		t.Errorf("three seconds later it still tells of %v µs", *took)
	}
	x.emit(event.Fault{Name: "delay", On: true}.Event())
	up(false, "while what the cluster says comes late")
	x.says("idleDelayed")
	x.emit(event.Fault{Name: "delay"}.Event(), event.Fault{Name: "failover", On: true}.Event())
	up(false, "while an API server answers that is behind the cluster")
	x.says("idleBehind")
	x.emit(event.Fault{Name: "failover"}.Event())
	up(true, "once it has caught up")
	x.emit(event.Fault{Name: "halfopen", On: true, Struck: 1}.Event())
	up(false, "while the watch's connection is half-open")
	x.says("idleHalfOpen")
	x.pass(time.Second)
	x.ask(event.VerbWatch)
	up(true, "once another watch is open")
}

// TestGrowing: a held queue grows by what arrives, and not at all while nothing arrives, whatever is written elsewhere.
func TestGrowing(t *testing.T) {
	x := watchingTale(t)
	x.emit(event.Hold{Stage: int(event.StagePop), Held: true}.Event())
	x.pass(time.Second)
	x.emit(event.Event{Kind: event.KindNote})
	if got := x.facts().Growing; got != 0 {
		t.Errorf("nothing came, and the queue grows by %v", got)
	}
	x.says("holdPopQuiet")
	for i := range 60 {
		x.pass(99 * time.Millisecond)
		x.emit(event.Queued{Op: event.OpUpdated, Key: "a", RV: "7", Length: i + 1}.Event())
	}
	if got := x.facts().Growing; got < 9 || got > 11 {
		t.Errorf("ten changes a second, and the queue grows by %v", got)
	}
	if said := x.says("holdPopNoRv"); said.N < 9 || said.N > 11 {
		t.Errorf("it says %d", said.N)
	}
	x.pass(5 * time.Second)
	x.emit(event.Cluster{RV: "99", Objects: 3, Writes: 1}.Event(), event.Cluster{RV: "120", Objects: 3, Writes: 20}.Event())
	if got := x.facts().Growing; got != 0 {
		t.Errorf("what came is five seconds old, and the queue grows by %v", got)
	}
	x.says("holdPopQuiet")
	x.emit(event.Hold{Stage: int(event.StagePop)}.Event())
	if got := x.facts().Growing; got != 0 {
		t.Errorf("Pop is not held, and the queue grows by %v", got)
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
	if is := v.Describe(); is.Mode != "playing" || is.Speed != view.MinSpeed {
		t.Errorf("it is %s at %v", is.Mode, is.Speed)
	}
	v.Live()
	if is := v.Describe(); is.Mode != "live" || is.Speed != 1 {
		t.Errorf("it is %s at %v", is.Mode, is.Speed)
	}
}

// TestNextWaits: while the Reflector waits, the facts have its next waits.
func TestNextWaits(t *testing.T) {
	x := watchingTale(t)
	if got := x.facts().NextWaits; len(got) > 0 {
		t.Errorf("it watches, and will wait %v", got)
	}
	x.backoff("watch again", errRefused) // of 4 s: the step of 3.2 s, with its jitter
	if got := x.facts().NextWaits; !slices.Equal(got, []float64{6400, 12800, 25600, 30000}) {
		t.Errorf("after a wait of 4 s come %v", got)
	}
	x.emit(event.Event{Kind: event.KindBackoffEnded})
	x.ask(event.VerbWatch)
	if got := x.facts().NextWaits; len(got) > 0 {
		t.Errorf("it has asked again, and will wait %v", got)
	}
}

// TestMarkSince: a WatchList without its end mark is said to wait for it as soon as client-go warns of that, and no longer than it waits.
func TestMarkSince(t *testing.T) {
	x := newTale(t, "1.37")
	x.round("first list")
	x.ask(event.VerbWatchList)
	asked := x.v.State().Reflector.RequestMillis
	since := func(want float64, when string) {
		t.Helper()
		if got := x.facts().MarkSince; got != want {
			t.Errorf("%s the wait for the end mark began at %v ms, want %v", when, got, want)
		}
	}
	x.emit(event.WatchEvent{Op: event.OpAdded, Key: "a/a", RV: "5", TempStore: 1}.Event())
	x.pass(9 * time.Second)
	since(0, "after nine seconds")
	x.pass(time.Second)
	since(asked, "after ten seconds, in which nothing happened,")
	x.emit(event.WatchEvent{Op: event.OpBookmark, RV: "6", EndMark: true}.Event())
	since(0, "with the mark")
	x.pass(20 * time.Second)
	since(0, "long after the mark")
}

// TestKeyListenerOfAnotherProgram: which handler adds keys to a probed controller's queue is not known.
func TestKeyListenerOfAnotherProgram(t *testing.T) {
	for text, want := range map[string]int32{
		`{"workqueue":{}}`: 1,
		`{}`:               0,
		`{"workqueue":{},"fidelity":{"listeners.ring":{"how":"sampled"}}}`: 0,
	} {
		x := newTale(t, "1.37")
		x.emit(event.Restored{State: text}.Event())
		if got := x.facts().KeyListener; got != want {
			t.Errorf("in %s listener %d is said to add keys, want %d", text, got, want)
		}
	}
}

// TestTheSentenceCountsWhatIsWatched: the cluster takes twenty writes a second, and one of them concerns what the informer watches.
func TestTheSentenceCountsWhatIsWatched(t *testing.T) {
	x := watchingTale(t)
	writes, rv := 0, func(n int) string { return strconv.Itoa(100 + n) }
	for range 12 {
		for range 4 {
			x.pass(240 * time.Millisecond)
			writes += 5
			x.emit(event.Cluster{RV: rv(writes), Oldest: "1", Objects: 3, Writes: writes, Unread: "0"}.Event())
		}
		writes++
		is := rv(writes)
		x.emit(event.WireFrame{Op: event.OpUpdated, Key: "a", RV: is, Bytes: 100}.Event(), event.WatchEvent{Op: event.OpUpdated, Key: "a", RV: is}.Event(),
			event.Queued{Op: event.OpUpdated, Key: "a", RV: is, Length: 1}.Event(), event.ReflectorRV{RV: is}.Event(), event.Popped{Deltas: 1}.Event(),
			event.Stored{Kind: event.KindStoreUpdated, Op: event.OpUpdated, Key: "a", RV: is, StoreRV: is}.Event(), event.Processed{Deltas: 1}.Event())
	}
	if rate := x.facts().WritesPerSecond; rate < 18 || rate > 24 {
		t.Errorf("the cluster takes %v writes a second", rate)
	}
	if said := x.says("flow"); said.N > 2 { // three in two seconds
		t.Errorf("one change a second comes, and it says %d", said.N)
	}
	if lag := x.facts().Lag; *lag.Total != 0 {
		t.Errorf("nothing waits, and the store lacks %d", *lag.Total)
	}
}

// TestLagCountsChanges expects what the Reflector has not read, where the cluster counts it. Else it expects what has arrived, and nothing is claimed while
// more may have come.
func TestLagCountsChanges(t *testing.T) {
	x := watchingTale(t)
	is := func(when string, queued, behind, total int) {
		t.Helper()
		lag := x.facts().Lag
		for i, got := range []*int{lag.Queued, lag.Behind, lag.Total} {
			want := []int{queued, behind, total}[i]
			if got == nil && want >= 0 || got != nil && *got != want {
				t.Errorf("%s: %v of the numbers is not %d", when, i, want)
			}
		}
	}
	const unknown = -1
	is("a quiet watch", 0, 0, 0)
	x.emit(event.WireFrame{Op: event.OpUpdated, Key: "a", RV: "30", Bytes: 100}.Event())
	is("a change that has arrived, 25 versions later", 0, 1, 1)
	x.emit(event.WatchEvent{Op: event.OpUpdated, Key: "a", RV: "30"}.Event(), event.Queued{Op: event.OpUpdated, Key: "a", RV: "30", Length: 1}.Event(),
		event.ReflectorRV{RV: "30"}.Event())
	is("it is queued", 1, 0, 1)
	x.emit(event.WireFrame{Op: event.OpBookmark, RV: "60", Bytes: 100}.Event())
	is("a bookmark is no change", 1, 0, 1)
	x.emit(event.Fault{Name: "halfopen", On: true, Struck: 1}.Event())
	is("a half-open connection", 1, unknown, unknown)
	x.emit(event.Cluster{RV: "90", Oldest: "1", Objects: 3, Writes: 40, Unread: "2"}.Event())
	is("a cluster that counts", 1, 2, 3)
	x.emit(event.WireFrame{Op: event.OpUpdated, Key: "a", RV: "70", Bytes: 100}.Event(), event.WatchEvent{Op: event.OpUpdated, Key: "a", RV: "70"}.Event())
	is("one of them is read", 1, 1, 2)
	x.emit(event.WireFrame{Op: event.OpUpdated, Key: "a", RV: "95", Bytes: 100}.Event())
	is("a newer one arrives", 1, 2, 3)
	x.emit(event.ReflectorRV{RV: "95"}.Event())
	is("it has read all", 1, 0, 1)
	x.emit(event.Cluster{RV: "99", Oldest: "98", Objects: 3, Writes: 44}.Event())
	is("a cluster that has forgotten them", 1, unknown, unknown)
}
