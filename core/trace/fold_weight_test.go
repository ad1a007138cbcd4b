package trace

import (
	"testing"

	"informerscope/core/event"
)

// weighed is an object whose size changed since it arrived.
type weighed struct{ held, came int }

func (w *weighed) Size() int             { return w.held }
func (w *weighed) Weight() (held, c int) { return w.held, w.came }

// TestTheStoreWeighsWhatItHolds follows the sums through every way in which objects come and go.
func TestTheStoreWeighsWhatItHolds(t *testing.T) {
	f := NewFold()
	seq := uint64(0)
	apply := func(e event.Event, held, came int64) {
		t.Helper()
		seq++
		f.Apply(&event.Entry{Seq: seq, Event: e})
		if x := f.State().Indexer; x.Bytes != held || x.CameBytes != came {
			t.Fatalf("after event %d the store weighs %d and %d, not %d and %d", seq, x.Bytes, x.CameBytes, held, came)
		}
	}
	a, b, c := &weighed{10, 100}, &weighed{20, 200}, &weighed{40, 400}
	apply(event.Stored{Kind: event.KindStoreAdded, Key: "a", Obj: a}.Event(), 10, 100)
	apply(event.Stored{Kind: event.KindStoreAdded, Key: "b", Obj: b}.Event(), 30, 300)
	apply(event.Stored{Kind: event.KindStoreUpdated, Key: "a", Obj: c, Old: a}.Event(), 60, 600)
	apply(event.StoreDeleted{Key: "none"}.Event(), 60, 600)
	apply(event.StoreDeleted{Key: "b", Obj: b}.Event(), 40, 400)
	apply(event.StoreReplaced{Items: []event.Item{{Key: "a", Obj: a}, {Key: "x", Obj: b}, {Key: "y"}}}.Event(), 30, 300)
	apply(event.IndexersAdded{Names: "i", Items: []event.Item{{Key: "a"}, {Key: "x"}}}.Event(), 30, 300)
	apply(event.Event{Kind: event.KindStoreReplaced}, 0, 0)
}
