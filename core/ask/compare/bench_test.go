package compare

import (
	"fmt"
	"testing"
	"time"

	"informerscope/core/ask/analysis"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
)

// compareLog returns a log of two lanes in which Pop is held, with as many changes as it has room for.
func compareLog(b *testing.B, events int) *trace.Recorder {
	b.Helper()
	rec := trace.NewRecorder(trace.RecorderOptions{})
	rec.Emit(0, event.Selected{Selection: `{"source":"sim","resource":"pods","eras":["1.31","1.37"]}`}.Event())
	rec.Emit(0, event.Hold{Stage: int(event.StagePop), Held: true}.Event())
	for i := 0; ; i++ {
		key, rv := fmt.Sprintf("shop/pod-%d", i%2000), fmt.Sprint(1000+i)
		for lane := range uint8(2) {
			for _, e := range []event.Event{
				event.WireFrame{Op: event.OpUpdated, Key: key, RV: rv}.Event(),
				event.WatchEvent{Op: event.OpUpdated, Key: key, RV: rv}.Event(),
				event.Queued{Op: event.OpUpdated, Key: key, RV: rv, Length: i + 1}.Event(),
			} {
				if rec.Emit(lane, e) == uint64(events) {
					return rec
				}
			}
		}
	}
}

// heldPop is the moment of a compareLog after an event.
func heldPop(rec *trace.Recorder, seq uint64) Moment {
	at := rec.FoldAt(seq)
	return Moment{Log: rec, Fold: at, State: at.State(), Marks: []analysis.Mark{{Seq: 2, Kind: "hold", Text: "pop", On: true}}}
}

// BenchmarkJump measures a jump: everything within reach is read.
func BenchmarkJump(b *testing.B) {
	m := heldPop(compareLog(b, compareReach), compareReach)
	b.ReportAllocs()
	for b.Loop() {
		if c := new(Comparer).Compare(m); c.Total < 10_000 {
			b.Fatalf("%d changes", c.Total)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/compareReach, "ns/event")
}

// BenchmarkFollow measures a frame of a live view, with 100 events in it.
func BenchmarkFollow(b *testing.B) {
	rec := compareLog(b, compareReach)
	half := heldPop(rec, compareReach/2)
	var events []event.Entry
	rec.Read(compareReach/2+1, compareReach, func(e *event.Entry) bool {
		events = append(events, *e)
		return true
	})
	var c Comparer
	next := len(events)
	b.ReportAllocs()
	for b.Loop() {
		if next+100 > len(events) {
			b.StopTimer()
			c, next = Comparer{}, 0
			c.Compare(half)
			b.StartTimer()
		}
		for i := range events[next : next+100] {
			c.Follow(&events[next+i])
		}
		next += 100
		c.describe(half, c.changes.burstHead(maxCompared), 0)
	}
	b.ReportMetric(float64(b.Elapsed()/time.Microsecond)/float64(b.N), "µs/frame")
}
