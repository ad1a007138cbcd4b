package view

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/event"
	"informerscope/core/informer"
	"informerscope/core/trace"
)

// compareLog returns a log of two lanes in which Pop is held, with as many changes as it has room for.
func compareLog(b *testing.B, events int) *trace.Recorder {
	b.Helper()
	rec := trace.NewRecorder(trace.RecorderOptions{})
	rec.Emit(0, event.Selected{Selection: `{"source":"sim","resource":"pods","eras":["1.31","1.37"]}`}.Event())
	rec.Emit(0, event.Hold{Stage: int(informer.StagePop), Held: true}.Event())
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

// BenchmarkCompareAnew measures a jump: everything within reach is read.
func BenchmarkCompareAnew(b *testing.B) {
	rec := compareLog(b, compareReach)
	v := New(rec, clock.RealClock{})
	v.Seek(compareReach)
	if c := v.Comparison(); c.Total < 10_000 {
		b.Fatalf("%d changes", c.Total)
	}
	state := v.fold.State()
	b.ReportAllocs()
	for b.Loop() {
		v.comparer.seq = 0
		v.comparison(state)
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/compareReach, "ns/event")
}

// BenchmarkCompareLive measures a frame of a live view, with 100 events in it.
func BenchmarkCompareLive(b *testing.B) {
	rec := compareLog(b, compareReach)
	v := New(rec, clock.RealClock{})
	v.Seek(compareReach / 2)
	v.Comparison()
	events := make([]event.Entry, 0, compareReach/2)
	rec.Read(compareReach/2+1, compareReach, func(e *event.Entry) bool {
		events = append(events, *e)
		return true
	})
	follow, fold := v.comparer, v.fold
	next := len(events)
	b.ReportAllocs()
	for b.Loop() {
		if next+100 > len(events) {
			b.StopTimer()
			v.comparer, next = follow, 0
			v.comparer.changes = readBurst(rec, follow.burst, compareReach/2, fold, follow.changes.listener)
			v.fold = rec.FoldAt(compareReach / 2)
			b.StartTimer()
		}
		for i := range events[next : next+100] {
			v.comparer.watch(&events[next+i])
		}
		next += 100
		v.comparer.append(nil, v.comparer.describe(v.fold, v.comparer.changes.burstHead(maxCompared), 0), false)
	}
	b.ReportMetric(float64(b.Elapsed()/time.Microsecond)/float64(b.N), "µs/frame")
}
