package fold_test

import (
	"testing"

	"informerscope/core/log/fold"
	"informerscope/core/log/fold/foldtest"
	"informerscope/core/words/event"
)

// TestTheStoreWeighsWhatItHolds follows the sums through every way in which objects come and go.
func TestTheStoreWeighsWhatItHolds(t *testing.T) {
	f := fold.NewFold()
	seq := uint64(0)
	apply := func(e event.Event, held, came int64) {
		t.Helper()
		seq++
		f.Apply(&event.Entry{Seq: seq, Event: e})
		if x := f.State().Indexer; x.Bytes != held || x.CameBytes != came {
			t.Fatalf("after event %d the store weighs %d and %d, not %d and %d", seq, x.Bytes, x.CameBytes, held, came)
		}
	}
	a, b, c := &foldtest.Weighed{Held: 10, Came: 100}, &foldtest.Weighed{Held: 20, Came: 200}, &foldtest.Weighed{Held: 40, Came: 400}
	apply(event.Stored{Kind: event.KindStoreAdded, Key: "a", Obj: a}.Event(), 10, 100)
	apply(event.Stored{Kind: event.KindStoreAdded, Key: "b", Obj: b}.Event(), 30, 300)
	apply(event.Stored{Kind: event.KindStoreUpdated, Key: "a", Obj: c, Old: a}.Event(), 60, 600)
	apply(event.StoreDeleted{Key: "none"}.Event(), 60, 600)
	apply(event.StoreDeleted{Key: "b", Obj: b}.Event(), 40, 400)
	apply(event.StoreReplaced{Items: []event.Item{{Key: "a", Obj: a}, {Key: "x", Obj: b}, {Key: "y"}}}.Event(), 30, 300)
	apply(event.IndexersAdded{Names: "i", Items: []event.Item{{Key: "a"}, {Key: "x"}}}.Event(), 30, 300)
	apply(event.Event{Kind: event.KindStoreReplaced}, 0, 0)
}
