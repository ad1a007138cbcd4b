package fold_test

import (
	"testing"

	"informerscope/core/log/fold"
	"informerscope/core/log/fold/foldtest"
)

func BenchmarkApply(b *testing.B) {
	f := foldtest.FoldWithObjects(10000)
	events := foldtest.WatchEvents(10000)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		f.Apply(&events[i%len(events)])
		i++
	}
}

// BenchmarkApplyAfterClones clones every 4,096 events, as checkpoints do.
func BenchmarkApplyAfterClones(b *testing.B) {
	f := foldtest.FoldWithObjects(10000)
	events := foldtest.WatchEvents(10000)
	var kept [64]*fold.Fold
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if i%4096 == 0 {
			kept[i/4096%len(kept)] = f.Clone()
		}
		f.Apply(&events[i%len(events)])
		i++
	}
}

func BenchmarkClone(b *testing.B) {
	f := foldtest.FoldWithObjects(100000)
	b.ReportAllocs()
	for b.Loop() {
		f.Clone()
	}
}

func BenchmarkState(b *testing.B) {
	f := foldtest.FoldWithObjects(10000)
	b.ReportAllocs()
	for b.Loop() {
		f.State()
	}
}

func BenchmarkStoreReplaced(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		foldtest.FoldWithObjects(10000)
	}
}
