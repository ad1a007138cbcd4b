package lab

import (
	"fmt"
	"testing"

	"informerscope/core/informer"
	"informerscope/core/lab/selection"
	"informerscope/core/log/trace"
)

// BenchmarkOpening opens simulated objects in real time, with the log that a page has: until the cluster stands, and until the informer has them all.
func BenchmarkOpening(b *testing.B) {
	for _, objects := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(objects), func(b *testing.B) {
			for b.Loop() {
				l := New(Options{Recorder: trace.NewRecorder(trace.RecorderOptions{MaxBytes: 64 << 20})})
				if _, err := l.Select(b.Context(), selection.Change{Objects: &objects, Rate: ptr(0.0)}); err != nil {
					b.Fatal(err)
				}
				ln := l.exp.lanes[0]
				if !informer.WaitFor(b.Context(), "", ln.informer.HasSyncedChecker()) {
					b.Fatal("the benchmark ended before the informer had synced")
				}
				if n := len(ln.informer.GetStore().ListKeys()); n != objects {
					b.Fatalf("the store has %d objects, want %d", n, objects)
				}
				b.StopTimer()
				l.Close()
				b.StartTimer()
			}
		})
	}
}
