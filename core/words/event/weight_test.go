package event

import "testing"

// transformed is an object whose size changed since it arrived.
type transformed struct{ held, came int }

func (w *transformed) Weight() (held, came int) { return w.held, w.came }

// TestWhatATransformMadeCountsAsMemory: the log keeps both the object that arrived and the one that a transform made of it.
func TestWhatATransformMadeCountsAsMemory(t *testing.T) {
	queued := func(o *transformed) int {
		e := Queued{Op: OpUpdated, Obj: o}.Event()
		return e.NewBytes()
	}
	if n := queued(&transformed{400, 1000}); n != 400 {
		t.Errorf("an object that a transform made counts with %d bytes, not 400", n)
	}
	if n := queued(&transformed{1000, 1000}); n != 0 {
		t.Errorf("an object that came over the watch, and was counted there, counts again with %d bytes", n)
	}
}
