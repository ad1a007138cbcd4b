package view

import (
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/log/trace"
	"informerscope/core/words/event"
)

func TestAGuidedViewStandsWhereItsGuideSays(t *testing.T) {
	c := clocktesting.NewFakeClock(time.Unix(0, 0))
	rec := trace.NewRecorder(trace.RecorderOptions{Clock: c})
	rec.Emit(0, event.Selected{Selection: `{"source":"broadcast","version":"v1","resource":"pods","eras":["1.37"]}`}.Event())
	for range 9 {
		c.Step(time.Second)
		rec.Emit(0, event.Note{Text: "another second"}.Event())
	}
	v := New(rec, c)
	at, present := 3*time.Second, true
	v.Guide(func() (time.Duration, bool) { return at, present })
	if s := v.State(); s.Seq != 4 || !s.Live || s.View.Mode != "live" || s.View.Behind != 0 {
		t.Errorf("at 3 s: event %d, live %t, %+v", s.Seq, s.Live, s.View)
	}
	at = 2 * time.Second
	if s := v.State(); s.Seq != 4 {
		t.Errorf("a guide that goes back took the view from event 4 to %d", s.Seq)
	}
	at, present = 7*time.Second, false
	if s := v.State(); s.Seq != 8 || s.Live || s.View.Mode != "playing" || s.View.Behind != 2 {
		t.Errorf("a recording at 7 s: event %d, live %t, %+v", s.Seq, s.Live, s.View)
	}
	v.Seek(5)
	at = 9 * time.Second
	if s := v.State(); s.Seq != 5 || s.View.Mode != "paused" {
		t.Errorf("who stands at event 5 was taken to %d, %s", s.Seq, s.View.Mode)
	}
	v.Live()
	at = time.Hour
	if s := v.State(); s.Seq != 10 {
		t.Errorf("a guide beyond the end: event %d", s.Seq)
	}
	v.Guide(nil)
	if s := v.State(); s.Seq != 10 || !s.Live {
		t.Errorf("without a guide: event %d, live %t", s.Seq, s.Live)
	}
}
