package trace

import (
	"testing"

	"informerscope/core/informer"
)

// weighed is an object whose size changed since it arrived.
type weighed struct{ held, came int }

func (w *weighed) Size() int             { return w.held }
func (w *weighed) Weight() (held, c int) { return w.held, w.came }

// TestWhatATransformMadeCountsAsMemory: the log keeps both the object that arrived and the one that a transform made of it.
func TestWhatATransformMadeCountsAsMemory(t *testing.T) {
	queued := func(o *weighed) int {
		return brought(&informer.Event{Kind: informer.KindQueued, Op: informer.OpUpdated, Obj: o})
	}
	if n := queued(&weighed{400, 1000}); n != 400 {
		t.Errorf("an object that a transform made counts with %d bytes, not 400", n)
	}
	if n := queued(&weighed{1000, 1000}); n != 0 {
		t.Errorf("an object that came over the watch, and was counted there, counts again with %d bytes", n)
	}
}

// TestTheStoreWeighsWhatItHolds follows the sums through every way in which objects come and go.
func TestTheStoreWeighsWhatItHolds(t *testing.T) {
	f := NewFold()
	seq := uint64(0)
	apply := func(e informer.Event, held, came int64) {
		t.Helper()
		seq++
		f.Apply(&Event{Seq: seq, Event: e})
		if x := f.State().Indexer; x.Bytes != held || x.CameBytes != came {
			t.Fatalf("after event %d the store weighs %d and %d, not %d and %d", seq, x.Bytes, x.CameBytes, held, came)
		}
	}
	a, b, c := &weighed{10, 100}, &weighed{20, 200}, &weighed{40, 400}
	apply(informer.Event{Kind: informer.KindStoreAdded, Key: "a", Obj: a}, 10, 100)
	apply(informer.Event{Kind: informer.KindStoreAdded, Key: "b", Obj: b}, 30, 300)
	apply(informer.Event{Kind: informer.KindStoreUpdated, Key: "a", Obj: c, Old: a}, 60, 600)
	apply(informer.Event{Kind: informer.KindStoreDeleted, Key: "none"}, 60, 600)
	apply(informer.Event{Kind: informer.KindStoreDeleted, Key: "b", Obj: b}, 40, 400)
	apply(informer.Event{Kind: informer.KindStoreReplaced, Items: []informer.Item{{Key: "a", Obj: a}, {Key: "x", Obj: b}, {Key: "y"}}}, 30, 300)
	apply(informer.Event{Kind: informer.KindIndexersAdded, Text: "i", Items: []informer.Item{{Key: "a"}, {Key: "x"}}}, 30, 300)
	apply(informer.Event{Kind: informer.KindStoreReplaced}, 0, 0)
}
