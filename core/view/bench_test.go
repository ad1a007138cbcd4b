package view

import (
	"fmt"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/informer"
	"informerscope/core/trace"
)

// busy is a log of 10,000 objects that change 1,000 times a second; with Pop held the queue only grows.
type busy struct {
	clk  *clocktesting.FakePassiveClock
	rec  *trace.Recorder
	view *View
	n    int
}

const busyObjects = 10_000

func newBusy(b *testing.B) *busy {
	clk := clocktesting.NewFakePassiveClock(time.Unix(0, 0))
	rec := trace.NewRecorder(trace.RecorderOptions{Clock: clk})
	x := &busy{clk: clk, rec: rec, view: New(rec, clk)}
	emit := func(e informer.Event) { rec.Emit(0, e) }
	emit(informer.Event{Kind: trace.KindSelected, Text: `{"source":"sim","version":"v1","resource":"pods","eras":["1.37"]}`})
	emit(informer.Event{Kind: informer.KindInformerStarted, Release: informer.Release137})
	for id := range int32(3) {
		emit(informer.Event{Kind: informer.KindListenerAdded, Listener: id + 1, Text: fmt.Sprint("handler-", id), M: 1024})
	}
	items := make([]informer.Item, busyObjects)
	for i := range items {
		items[i] = informer.Item{Key: fmt.Sprint("ns/pod-", i), RV: "1",
			Indexed: []informer.IndexValues{{Index: "namespace", Values: []string{fmt.Sprint("ns-", i%50)}}}}
	}
	emit(informer.Event{Kind: informer.KindStoreReplaced, Items: items, N: len(items), StoreRV: "1"})
	emit(informer.Event{Kind: informer.KindQueueSynced})
	emit(informer.Event{Kind: informer.KindReflectorRV, RV: "1"})
	b.ReportAllocs()
	return x
}

// frame adds the 17 changes of a sixtieth of a second.
func (x *busy) frame(held bool) {
	for range 17 {
		x.clk.SetTime(x.clk.Now().Add(time.Second / 1000))
		x.n++
		key, rv := fmt.Sprint("ns/pod-", x.n%busyObjects), fmt.Sprint(x.n+1)
		x.rec.Emit(0, informer.Event{Kind: trace.KindWireFrame, Op: informer.OpUpdated, Key: key, RV: rv, N: 900})
		x.rec.Emit(0, informer.Event{Kind: informer.KindWatchEvent, Op: informer.OpUpdated, Key: key, RV: rv})
		x.rec.Emit(0, informer.Event{Kind: informer.KindQueued, Op: informer.OpUpdated, Key: key, RV: rv})
		x.rec.Emit(0, informer.Event{Kind: informer.KindReflectorRV, RV: rv})
		if held {
			continue
		}
		x.rec.Emit(0, informer.Event{Kind: informer.KindPopped, N: 1})
		x.rec.Emit(0, informer.Event{Kind: informer.KindStoreUpdated, Key: key, RV: rv, StoreRV: rv,
			Indexed: []informer.IndexValues{{Index: "namespace", Values: []string{fmt.Sprint("ns-", x.n%50)}}}})
		for id := range int32(3) {
			for _, k := range []informer.Kind{informer.KindAccepted, informer.KindDelivered, informer.KindHandling, informer.KindHandled} {
				x.rec.Emit(0, informer.Event{Kind: k, Listener: id + 1, Op: informer.OpUpdated, Key: key, RV: rv})
			}
		}
		x.rec.Emit(0, informer.Event{Kind: informer.KindProcessed, N: 1})
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
