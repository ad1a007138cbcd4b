package view

import (
	"fmt"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/log/trace"
	"informerscope/core/log/tracks"
	"informerscope/core/words/event"
)

// busy is a log of 10,000 objects that change 1,000 times a second; with Pop held the queue only grows.
type busy struct {
	clk  *clocktesting.FakePassiveClock
	rec  *trace.Recorder
	view *View
	n    int
}

const busyObjects = 10_000

func newBusy(b testing.TB) *busy {
	clk := clocktesting.NewFakePassiveClock(time.Unix(0, 0))
	rec := trace.NewRecorder(trace.RecorderOptions{Clock: clk})
	x := &busy{clk: clk, rec: rec, view: New(rec, clk)}
	emit := func(e event.Event) { rec.Emit(0, e) }
	emit(event.Selected{Selection: `{"source":"sim","version":"v1","resource":"pods","eras":["1.37"]}`}.Event())
	emit(event.InformerStarted{Release: "1.37"}.Event())
	for id := range int32(3) {
		emit(event.ListenerAdded{Listener: id + 1, Name: fmt.Sprint("handler-", id), Capacity: 1024}.Event())
	}
	items := make([]event.Item, busyObjects)
	for i := range items {
		items[i] = event.Item{Key: fmt.Sprint("ns/pod-", i), RV: "1",
			Indexed: []event.IndexValues{{Index: "namespace", Values: []string{fmt.Sprint("ns-", i%50)}}}}
	}
	emit(event.StoreReplaced{Items: items, Count: len(items), StoreRV: "1"}.Event())
	emit(event.Event{Kind: event.KindQueueSynced})
	emit(event.ReflectorRV{RV: "1"}.Event())
	if b, ok := b.(*testing.B); ok {
		b.ReportAllocs()
	}
	return x
}

// frame adds the 17 changes of a sixtieth of a second.
func (x *busy) frame(held bool) { x.change(17, held) }

// change adds n changes.
func (x *busy) change(n int, held bool) {
	for range n {
		x.clk.SetTime(x.clk.Now().Add(time.Second / 1000))
		x.n++
		key, rv := fmt.Sprint("ns/pod-", x.n%busyObjects), fmt.Sprint(x.n+1)
		x.rec.Emit(0, event.WireFrame{Op: event.OpUpdated, Key: key, RV: rv, Bytes: 900}.Event())
		x.rec.Emit(0, event.WatchEvent{Op: event.OpUpdated, Key: key, RV: rv}.Event())
		x.rec.Emit(0, event.Queued{Op: event.OpUpdated, Key: key, RV: rv}.Event())
		x.rec.Emit(0, event.ReflectorRV{RV: rv}.Event())
		if held {
			continue
		}
		x.rec.Emit(0, event.Popped{Deltas: 1}.Event())
		x.rec.Emit(0, event.Stored{Kind: event.KindStoreUpdated, Key: key, RV: rv, StoreRV: rv,
			Indexed: []event.IndexValues{{Index: "namespace", Values: []string{fmt.Sprint("ns-", x.n%50)}}}}.Event())
		for id := range int32(3) {
			for _, k := range []event.Kind{event.KindAccepted, event.KindDelivered, event.KindHandling, event.KindHandled} {
				x.rec.Emit(0, event.New(k, event.Members{Listener: id + 1, Op: event.OpUpdated, Key: key, RV: rv}))
			}
		}
		x.rec.Emit(0, event.Processed{Deltas: 1}.Event())
	}
}

// BenchmarkFacts measures a frame's facts, computed and written; BenchmarkFrame measures the whole frame.
func BenchmarkFacts(b *testing.B) {
	for _, held := range []bool{false, true} {
		b.Run(fmt.Sprintf("held=%v", held), func(b *testing.B) {
			x := newBusy(b)
			for range 120 {
				x.frame(held)
			}
			x.view.Frame()
			state := x.view.fold.State()
			l := x.view.lanes[0]
			for b.Loop() {
				clear(l.facts)
				x.view.appendFacts(nil, 0, l, state, true)
			}
		})
	}
}

func BenchmarkFrame(b *testing.B) {
	for _, held := range []bool{false, true} {
		b.Run(fmt.Sprintf("held=%v", held), func(b *testing.B) {
			x := newBusy(b)
			x.view.Frame()
			for b.Loop() {
				b.StopTimer()
				x.frame(held && x.view.fold.QueueLen(0) < 2000)
				b.StartTimer()
				x.view.Frame()
			}
		})
	}
}

// BenchmarkFactsOfNothingNew measures the facts of a lane in which nothing happened.
func BenchmarkFactsOfNothingNew(b *testing.B) {
	x := newBusy(b)
	x.frame(false)
	x.view.Frame()
	state := x.view.fold.State()
	for b.Loop() {
		x.view.appendFacts(nil, 0, x.view.lanes[0], state, false)
	}
}

// BenchmarkPast measures what a frame of 17 changes costs to take in and to write as the past of 8 s in 270 columns, and a jump, which brings the whole window.
func BenchmarkPast(b *testing.B) {
	for _, held := range []bool{false, true} {
		for _, jump := range []bool{false, true} {
			b.Run(fmt.Sprintf("held=%v,jump=%v", held, jump), func(b *testing.B) {
				x := newBusy(b)
				if err := x.view.Window(8000, 270); err != nil {
					b.Fatal(err)
				}
				for range 600 {
					x.frame(held)
				}
				x.view.Frame()
				b.ResetTimer()
				for b.Loop() {
					b.StopTimer()
					x.frame(held)
					b.StartTimer()
					x.view.past.follow(x.rec)
					if jump {
						x.view.past.hasWindow = false
					}
					marshal(x.view.past.take(tracks.Window{Seq: x.view.past.tracks.Seq(), Now: x.rec.Now()}))
				}
			})
		}
	}
}
