package trace

import (
	"testing"

	"informerscope/core/log/fold/foldtest"
)

func BenchmarkRecorderAppend(b *testing.B) {
	r := NewRecorder(RecorderOptions{})
	o := r.Lane(0)
	events := foldtest.WatchEvents(1000)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		o.Observe(&events[i%len(events)].Event)
		i++
	}
}

func BenchmarkStepBack(b *testing.B) {
	r := NewRecorder(RecorderOptions{})
	f := foldtest.FoldWithObjects(10000)
	for i := range f.Baseline() {
		r.Emit(0, f.Baseline()[i].Event)
	}
	for _, e := range foldtest.WatchEvents(15000) {
		r.Emit(0, e.Event)
	}
	head, _ := r.Head()
	r.FoldAt(head)
	b.ReportAllocs()
	for b.Loop() {
		head--
		r.FoldAt(head)
	}
}
