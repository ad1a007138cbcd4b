package view_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"informerscope/core/words/event"
)

// TestDueTimesCountEveryWaitingKey: State lists the first 24 waiting keys, and the facts count all of them.
func TestDueTimesCountEveryWaitingKey(t *testing.T) {
	x := newTale(t, "1.37")
	if got := x.facts().Due; got != nil {
		t.Errorf("no key waits, and the facts have %+v", got)
	}
	waits := func(key string, d time.Duration) {
		x.emit(event.Work{Kind: event.KindWorkWaiting, Key: key, Dur: d}.Event())
	}
	for i := range 60 {
		waits(fmt.Sprint("a/", i), 1200*time.Millisecond)
	}
	x.emit(event.Work{Kind: event.KindWorkRateLimited, Key: "b/b", N: 3}.Event())
	waits("b/b", 2600*time.Millisecond)
	waits("c/late", time.Hour)
	s := x.v.State()
	got := s.Facts.Due
	if got == nil || got.FromMillis != 1000 || got.StepMillis != 500 || len(got.Keys) != 40 || len(got.Failed) != 40 {
		t.Fatalf("of keys that are due from 1.2 s on the facts have %+v", got)
	}
	want := make([]int, 40)
	want[0], want[3], want[39] = 60, 1, 1
	if !slices.Equal(got.Keys, want) || s.Workqueue.WaitingCount != 62 {
		t.Errorf("%d keys wait, by steps %v, want %v", s.Workqueue.WaitingCount, got.Keys, want)
	}
	for i, failed := range got.Failed {
		if failed != (i == 3) {
			t.Errorf("in step %d a key has failed: %v", i, failed)
		}
	}
	x.pass(time.Second)
	if later := x.facts().Due; asJSON(t, later) != asJSON(t, got) {
		t.Errorf("the heap has not changed, and a second later the facts have %+v", later)
	}
	x.emit(event.Work{Kind: event.KindWorkDue, Key: "c/late"}.Event())
	if got := x.facts().Due; len(got.Keys) != 4 {
		t.Errorf("without the late key there are %d steps", len(got.Keys))
	}
}
