package pipeline_test

import (
	"fmt"
	"testing"

	"informerscope/e2e/bench/pipeline"
	"informerscope/e2e/bench/pipeline/clientgo"
	"informerscope/e2e/bench/pipeline/ours"
)

var libraries = []struct {
	name  string
	start pipeline.Library
}{{"ours", ours.Start}, {"client-go", clientgo.Start}}

// TestMeasurements runs every measurement once, small: that they end, and that
// both stores and indices are whole afterwards, is what they check themselves.
func TestMeasurements(t *testing.T) {
	for _, lib := range libraries {
		for _, task := range []pipeline.Task{
			{Kind: pipeline.Events, Objects: 100, Count: 500, Listeners: 1},
			{Kind: pipeline.Events, Objects: 100, Count: 500, Listeners: 3, Traced: true},
			{Kind: pipeline.Initial, Objects: 500, Listeners: 2},
			{Kind: pipeline.Initial, Objects: 500, Listeners: 2, WatchList: true},
			{Kind: pipeline.Writers, Objects: 100, Readers: 2, Millis: 20},
		} {
			t.Run(fmt.Sprintf("%s/%s", lib.name, task.Kind), func(t *testing.T) {
				r, err := pipeline.Measure(lib.start, task)
				if err != nil {
					t.Fatal(err)
				}
				if r.Nanos <= 0 {
					t.Errorf("took no time: %+v", r)
				}
			})
		}
	}
}

// BenchmarkPipeline is for profiles: go test -bench Pipeline/ours/events-1 -cpuprofile cpu.out.
func BenchmarkPipeline(b *testing.B) {
	for _, lib := range libraries {
		for _, task := range []struct {
			name string
			pipeline.Task
		}{
			{"events-1", pipeline.Task{Kind: pipeline.Events, Objects: 1000, Count: 100_000, Listeners: 1}},
			{"events-10", pipeline.Task{Kind: pipeline.Events, Objects: 1000, Count: 30_000, Listeners: 10}},
			{"traced-1", pipeline.Task{Kind: pipeline.Events, Objects: 1000, Count: 100_000, Listeners: 1, Traced: true}},
			{"traced-10", pipeline.Task{Kind: pipeline.Events, Objects: 1000, Count: 30_000, Listeners: 10, Traced: true}},
			{"list-10000", pipeline.Task{Kind: pipeline.Initial, Objects: 10_000, Listeners: 1}},
			{"list-100000", pipeline.Task{Kind: pipeline.Initial, Objects: 100_000, Listeners: 1}},
			{"watchlist-10000", pipeline.Task{Kind: pipeline.Initial, Objects: 10_000, Listeners: 1, WatchList: true}},
			{"watchlist-100000", pipeline.Task{Kind: pipeline.Initial, Objects: 100_000, Listeners: 1, WatchList: true}},
			{"writers", pipeline.Task{Kind: pipeline.Writers, Objects: 10_000, Readers: 10, Millis: 500}},
		} {
			b.Run(lib.name+"/"+task.name, func(b *testing.B) {
				var sum pipeline.Result
				for b.Loop() {
					r, err := pipeline.Measure(lib.start, task.Task)
					if err != nil {
						b.Fatal(err)
					}
					sum.Nanos += r.Nanos
					sum.Allocs += r.Allocs
					sum.Bytes += r.Bytes
					sum.Kept += r.Kept
				}
				n := float64(b.N)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(sum.Nanos/n, "ns/one")
				b.ReportMetric(sum.Allocs/n, "allocs/one")
				b.ReportMetric(sum.Bytes/n, "B/one")
				b.ReportMetric(sum.Kept/n, "kept/one")
			})
		}
	}
}
