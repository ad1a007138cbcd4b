package view_test

import (
	"encoding/json"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
)

// TestARecordingHasAnEnd: however long ago a recording was loaded, its end is the moment of its last event, also for a view that plays it.
func TestARecordingHasAnEnd(t *testing.T) {
	for name, at := range map[string][]time.Duration{
		"short": {0, time.Second, 3 * time.Second}, "of one event": {2 * time.Second}, "empty": nil,
	} {
		clk := clocktesting.NewFakePassiveClock(time.Unix(0, 0))
		rec := trace.NewRecorder(trace.RecorderOptions{Clock: clk})
		log := rec.Empty()
		var events []event.Entry
		end := time.Duration(0)
		for i, at := range at {
			events = append(events, event.Entry{Seq: uint64(i + 1), At: at, Event: event.Selected{Selection: `{"source":"file"}`}.Event()})
			end = at
		}
		if err := log.Append(events); err != nil {
			t.Fatal(err)
		}
		rec.Load(log)
		v := view.New(rec, clk)
		clk.SetTime(clk.Now().Add(time.Minute))
		v.State()
		if _, at := v.Moment(); at != end || rec.Now() != end {
			t.Errorf("%s: a minute later its end is shown as %v, and its clock says %v, want %v", name, at, rec.Now(), end)
		}
		if len(at) < 3 {
			continue
		}
		for _, speed := range []float64{1, 0.5, 4} {
			v.Seek(1)
			if err := v.Play(speed); err != nil {
				t.Fatal(err)
			}
			v.Frame()
			for range 8 {
				clk.SetTime(clk.Now().Add(time.Duration(float64(500*time.Millisecond) / speed)))
				var frame struct{ View view.Position }
				if err := json.Unmarshal(v.Frame(), &frame); err != nil {
					t.Fatal(err)
				}
				if at := frame.View.AtMillis; at > fold.Millis(end) {
					t.Errorf("%s: it plays on to %v ms, beyond its end", name, at)
				}
			}
			if got := v.Describe(); got.Mode != "live" || got.Behind != 0 {
				t.Errorf("%s: when it has played at %v, it is %s, %d events from the end", name, speed, got.Mode, got.Behind)
			}
		}
	}
}
