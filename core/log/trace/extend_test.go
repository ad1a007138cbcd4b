package trace

import (
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/log/fold"
	"informerscope/core/log/fold/foldtest"
	"informerscope/core/words/event"
)

// TestBeginAndExtend follows a log from its middle: its folds and seqs are those of the whole log.
func TestBeginAndExtend(t *testing.T) {
	s := foldtest.NewSynthetic(3, false)
	for range 9000 {
		s.Step()
	}
	at := 4000
	whole := foldtest.FoldOf(s.Events[:at])
	r := NewRecorder(RecorderOptions{Clock: clocktesting.NewFakePassiveClock(time.Unix(1, 0)), CheckpointEvery: 500, MaxEvents: 3000})
	r.Emit(0, event.Note{Text: "of another log"}.Event())
	gen := r.Generation()
	r.Begin(whole.Clone())
	if r.Generation() == gen || r.First() != uint64(at)+1 {
		t.Fatalf("generation %d, first %d", r.Generation(), r.First())
	}
	if head, when := r.Head(); head != uint64(at) || when != whole.At() || r.Now() != when {
		t.Fatalf("head %d at %v, now %v", head, when, r.Now())
	}
	foldtest.RequireEqual(t, "before the first event", r.FoldAt(uint64(at)), whole)
	for _, bad := range [][]event.Entry{s.Events[at+1 : at+3], s.Events[at-1 : at+1], {s.Events[at], s.Events[at+2]}} {
		if err := r.Extend(bad); err == nil {
			t.Fatalf("events %d to %d continued a log that ends with %d", bad[0].Seq, bad[len(bad)-1].Seq, at)
		}
	}
	if head, _ := r.Head(); head != uint64(at) {
		t.Fatalf("refused events moved the head to %d", head)
	}
	for i := at; i < len(s.Events); i += 700 {
		part := s.Events[i:min(i+700, len(s.Events))]
		if err := r.Extend(part); err != nil {
			t.Fatal(err)
		}
		last := part[len(part)-1]
		if r.Now() != last.At {
			t.Fatalf("now %v after an event at %v", r.Now(), last.At)
		}
		foldtest.RequireEqual(t, "at the head", r.FoldAt(last.Seq), foldtest.FoldOf(s.Events[:last.Seq]))
	}
	for seq := r.First() - 1; seq < uint64(len(s.Events)); seq += 431 {
		foldtest.RequireEqual(t, "after a seek", r.FoldAt(seq), foldtest.FoldOf(s.Events[:seq]))
	}
	if r.First() == uint64(at)+1 {
		t.Error("nothing was evicted: the test wants some")
	}
	r.Reset()
	foldtest.RequireEqual(t, "after a reset", r.FoldAt(0), fold.NewFold())
}
