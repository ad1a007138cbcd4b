package fold

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"informerscope/core/words/event"
)

// worldOf folds events, a millisecond apart, and returns the world after them.
func worldOf(f *Fold, events ...event.Event) World {
	for _, e := range events {
		f.Apply(&event.Entry{Seq: f.Seq() + 1, At: f.At() + time.Millisecond, Event: e})
	}
	return f.LaneState(0).World
}

func written(op event.Op, key, rv string) event.Event {
	return event.ClusterChange{Op: op, Key: key, RV: rv}.Event()
}

func stored(key, rv string) event.Event {
	return event.Stored{Kind: event.KindStoreUpdated, Op: event.OpUpdated, Key: key, RV: rv}.Event()
}

func holding(items ...event.Item) event.Event {
	return event.ClusterObjects{Items: items, Sent: len(items)}.Event()
}

// TestAStoreThatGoesBackIsApart: an API server that is behind answers a list with an older version than the store has had.
func TestAStoreThatGoesBackIsApart(t *testing.T) {
	f := NewFold()
	w := worldOf(f, holding(event.Item{Key: "a", RV: "1"}), stored("a", "1"), written(event.OpUpdated, "a", "7"), stored("a", "7"))
	if w.Apart != 0 || w.OldestMillis != nil {
		t.Fatalf("the store has the version of the cluster, and %+v", w)
	}
	if w = worldOf(f, stored("a", "1")); w.Apart != 1 || w.ApartObjects != 1 || *w.OldestMillis != 3 {
		t.Errorf("the store has an older version, and %+v", w)
	}
	if w = worldOf(f, stored("a", "7")); w.Apart != 0 {
		t.Errorf("the store has it again, and %+v", w)
	}
}

// TestObjectsThatAreNeverSentAreNotApart: nor are those that a selector no longer selects, once they have left the store.
func TestObjectsThatAreNeverSentAreNotApart(t *testing.T) {
	f := NewFold()
	w := worldOf(f, event.ClusterObjects{Items: []event.Item{{Key: "a", RV: "1"}, {Key: "b", RV: "2"}}, Sent: 1}.Event(), stored("a", "1"),
		event.ClusterChange{Op: event.OpUpdated, Key: "b", RV: "3", Unsent: true}.Event())
	if w.Apart != 0 || w.Objects != 2 || w.Unsent != 1 {
		t.Errorf("another shard's object was written, and %+v", w)
	}
	if w = worldOf(f, event.ClusterChange{Op: event.OpUpdated, Key: "a", RV: "4", Unsent: true}.Event()); w.Apart != 1 || w.Unsent != 2 {
		t.Errorf("the selector does not select an object any more, and %+v", w)
	}
	if w = worldOf(f, event.StoreDeleted{Key: "a", RV: "4"}.Event()); w.Apart != 0 || w.Unsent != 2 {
		t.Errorf("it has left the store, and %+v", w)
	}
}

// TestManyChangesOfAnObject: their number stays exact, and those that share an entry arrive together.
func TestManyChangesOfAnObject(t *testing.T) {
	const n = 10 * maxChanges
	f := NewFold()
	w := worldOf(f, holding(event.Item{Key: "a", RV: "1"}), stored("a", "1"))
	var early *Fold
	for i := range n {
		if w = worldOf(f, written(event.OpUpdated, "a", strconv.Itoa(i+2))); w.Apart != i+1 || *w.OldestMillis != 3 {
			t.Fatalf("after %d changes, %+v", i+1, w)
		}
		if i == n/2 {
			early = f.Clone()
		}
	}
	if kept := f.lanes[0].cluster.entries; kept > maxChanges {
		t.Errorf("%d entries are kept", kept)
	}
	if w := worldOf(early, stored("a", strconv.Itoa(n/2+2))); w.Apart != 0 {
		t.Errorf("a copy has all changes of its moment, and %+v", w)
	}
	if w := worldOf(f, stored("a", strconv.Itoa(n))); w.Apart != 1 {
		t.Errorf("all but the newest change have come, and %+v", w)
	}
	if w := worldOf(f, stored("a", strconv.Itoa(n+1))); w.Apart != 0 || f.lanes[0].cluster.entries != 0 || f.lanes[0].cluster.changes != 0 {
		t.Errorf("all have come, and %+v", w)
	}
}

// TestWhatIsStoredHasCome: of an informer without a wire, as of another program's, the log may have the store's events alone.
func TestWhatIsStoredHasCome(t *testing.T) {
	f := NewFold()
	if w := f.LaneState(0).World; w.Known != "" {
		t.Errorf("nothing has come, and the cluster is known as %q", w.Known)
	}
	w := worldOf(f, stored("a", "1"), stored("b", "2"), stored("a", "3"))
	if w.Known != "seen" || w.Objects != 2 || w.Apart != 0 {
		t.Errorf("two objects have come, and %+v", w)
	}
	if w = worldOf(f, event.StoreDeleted{Key: "b", RV: "4"}.Event()); w.Objects != 1 || w.Apart != 0 {
		t.Errorf("one was deleted, and %+v", w)
	}
	w = worldOf(f, event.WatchEvent{Op: event.OpUpdated, Key: "a", RV: "5"}.Event(), event.WatchEvent{Op: event.OpDeleted, Key: "a", RV: "6"}.Event())
	if w.Objects != 0 || w.Apart != 2 || *w.OldestMillis != 5 || *w.CameMillis != 6 {
		t.Errorf("the watch brought two changes, and %+v", w)
	}
	if w = worldOf(f, stored("a", "5")); w.Objects != 0 || w.Apart != 1 {
		t.Errorf("the first of them is stored, and %+v", w)
	}
	restored := NewFold()
	for _, e := range f.Baseline() {
		restored.Apply(&e)
	}
	got, _ := json.Marshal(restored.LaneState(0).World)
	if want, _ := json.Marshal(w); string(got) != string(want) {
		t.Errorf("a baseline says %s, not %s", got, want)
	}
}

// TestADeletionThatAProbeSawIsOver: a probe has the store's version for what leaves the store.
func TestADeletionThatAProbeSawIsOver(t *testing.T) {
	f := NewFold()
	seen := func(op event.Op, rv string) event.Event { return event.WatchEvent{Op: op, Key: "a", RV: rv}.Event() }
	w := worldOf(f, event.Selected{Selection: `{"source":"live","resource":"pods","version":"v1","eras":["1.37"]}`}.Event(),
		event.Restored{State: `{"queue":{"kind":"RealFIFO"},"fidelity":{"queue":{"how":"derived"}}}`}.Event(),
		seen(event.OpAdded, "3"), stored("a", "3"), seen(event.OpDeleted, "5"), seen(event.OpAdded, "6"))
	if w.Apart != 2 {
		t.Fatalf("the watch brought a deletion and another object, and %+v", w)
	}
	if w = worldOf(f, event.StoreDeleted{Key: "a", RV: "3"}.Event()); w.Apart != 1 {
		t.Errorf("it has left the store, the other has not come, and %+v", w)
	}
}
