package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"informerscope/e2e/bench/pipeline"
	"informerscope/e2e/bench/pipeline/clientgo"
	"informerscope/e2e/bench/pipeline/ours"
)

// What the pipeline's ratios should be, client-go's by ours.
const (
	eventTarget   = 2.0
	allocTarget   = 2.0
	tracedTarget  = 1.0
	initialTarget = 2.0
	writersTarget = 100.0
)

// pairing is one measurement of the pipeline on both sides.
type pairing struct {
	name   string
	one    string // what Nanos is for
	task   pipeline.Task
	traced bool // ours is recorded, client-go works as ever
	target float64
	allocs bool // the allocations have a target too
}

// nativePairings are measured natively, wasmPairings in the browser, where
// everything takes longer.
var (
	nativePairings = append(pairings(100_000, 30_000, 100_000, 30_000), pairing{
		name: "writes while ten readers List 10000 objects", one: "write", target: writersTarget,
		task: pipeline.Task{Kind: pipeline.Writers, Objects: 10_000, Readers: 10, Millis: 800},
	})
	wasmPairings = pairings(30_000, 8_000, 30_000, 8_000)
)

func pairings(one, ten, tracedOne, tracedTen int) []pairing {
	events := func(count, listeners int) pipeline.Task {
		return pipeline.Task{Kind: pipeline.Events, Objects: 1000, Count: count, Listeners: listeners}
	}
	all := []pairing{
		{name: "watch event to 1 handler", one: "event", task: events(one, 1), target: eventTarget, allocs: true},
		{name: "watch event to 10 handlers", one: "event", task: events(ten, 10), target: eventTarget, allocs: true},
		{name: "the same, 1 handler, ours recorded", one: "event", task: events(tracedOne, 1), target: tracedTarget, traced: true},
		{name: "the same, 10 handlers, ours recorded", one: "event", task: events(tracedTen, 10), target: tracedTarget, traced: true},
	}
	for _, watchList := range []bool{false, true} {
		name := "LIST"
		if watchList {
			name = "WatchList"
		}
		for _, n := range []int{1_000, 10_000, 100_000} {
			p := pairing{name: fmt.Sprintf("%s of %d objects", name, n), one: "object",
				task: pipeline.Task{Kind: pipeline.Initial, Objects: n, Listeners: 1, WatchList: watchList}}
			if n >= 10_000 {
				p.target = initialTarget
			}
			all = append(all, p)
		}
	}
	return all
}

// runs are the results of one pairing.
type runs struct{ ours, theirs []pipeline.Result }

// measureFunc measures once; ours tells the side.
type measureFunc func(ours bool, t pipeline.Task) (pipeline.Result, error)

// measureNative measures in this process.
func measureNative(mine bool, t pipeline.Task) (pipeline.Result, error) {
	if mine {
		return pipeline.Measure(ours.Start, t)
	}
	return pipeline.Measure(clientgo.Start, t)
}

// alternate measures all pairings in rounds, the two sides in turn, until reps
// rounds are done or the budget is spent; one round is always done.
func alternate(ctx context.Context, what string, ps []pairing, reps int, budget time.Duration, measure measureFunc) ([]runs, int, error) {
	results := make([]runs, len(ps))
	begin := time.Now()
	done := 0
	for ; done < reps && (done == 0 || time.Since(begin) < budget); done++ {
		for i, p := range ps {
			if ctx.Err() != nil {
				return nil, 0, context.Cause(ctx)
			}
			mine := p.task
			mine.Traced = p.traced
			a, err := measure(true, mine)
			if err != nil {
				return nil, 0, fmt.Errorf("informerscope, %s: %w", p.name, err)
			}
			b, err := measure(false, p.task)
			if err != nil {
				return nil, 0, fmt.Errorf("client-go, %s: %w", p.name, err)
			}
			results[i].ours, results[i].theirs = append(results[i].ours, a), append(results[i].theirs, b)
		}
		fmt.Fprintf(os.Stderr, "%s: round %d of %d after %s\n", what, done+1, reps, time.Since(begin).Round(time.Second))
	}
	return results, done, nil
}

// printPipeline prints a line for each pairing, and then how cost and memory grow.
func printPipeline(w io.Writer, ps []pairing, results []runs) {
	nanos := func(r pipeline.Result) float64 { return r.Nanos }
	allocs := func(r pipeline.Result) float64 { return r.Allocs }
	kept := func(r pipeline.Result) float64 { return r.Kept }
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "what\tinformerscope\tclient-go\tratio\ttarget\t")
	for i, p := range ps {
		if p.task.Kind == pipeline.Initial {
			continue
		}
		a, b := medianOf(results[i].ours, nanos), medianOf(results[i].theirs, nanos)
		fmt.Fprintf(t, "%s\t%s/%s\t%s/%s\t%s\t%s\t\n", p.name, nanoText(a), p.one, nanoText(b), p.one, times(b/a), verdict(b/a, p.target))
		if p.allocs {
			a, b := medianOf(results[i].ours, allocs), medianOf(results[i].theirs, allocs)
			fmt.Fprintf(t, "its allocations\t%.1f/%s\t%.1f/%s\t%s\t%s\t\n", a, p.one, b, p.one, times(b/a), verdict(b/a, allocTarget))
		}
	}
	for i, p := range ps {
		if p.task.Kind != pipeline.Initial {
			continue
		}
		a, b := medianOf(results[i].ours, nanos), medianOf(results[i].theirs, nanos)
		target := "growth"
		if p.target > 0 {
			target = verdict(b/a, p.target)
		}
		fmt.Fprintf(t, "%s\t%s/%s\t%s/%s\t%s\t%s\t\n", p.name, nanoText(a), p.one, nanoText(b), p.one, times(b/a), target)
		a, b = medianOf(results[i].ours, kept), medianOf(results[i].theirs, kept)
		fmt.Fprintf(t, "its memory\t%.0f B/%s\t%.0f B/%s\t%s\t\t\n", a, p.one, b, p.one, times(b/a))
	}
	t.Flush()
	fmt.Fprintln(w)
}

func nanoText(n float64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%.0f ns", n)
	case n < 10_000_000:
		return fmt.Sprintf("%.1f µs", n/1e3)
	}
	return fmt.Sprintf("%.1f ms", n/1e6)
}

func medianOf[T any](rs []T, value func(T) float64) float64 {
	xs := make([]float64, 0, len(rs))
	for _, r := range rs {
		xs = append(xs, value(r))
	}
	slices.Sort(xs)
	if n := len(xs); n%2 == 0 {
		return (xs[n/2-1] + xs[n/2]) / 2
	}
	return xs[len(xs)/2]
}
