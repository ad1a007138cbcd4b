package page_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

var longRun = flag.Duration("flat", time.Minute, "how long each layout runs on virtual time in TestLongRunsAreFlat (an hour in make flat)")

// moment is the memory of a page and its worker at a moment of the log.
type moment struct {
	browser.Kept
	at     time.Duration
	seq    uint64
	worker float64 // live memory of the worker's program after its last garbage collection
	sys    float64 // memory taken from the system
	full   bool    // the log has begun to drop old events
}

func (m moment) String() string {
	return fmt.Sprintf("%6.0f s  event %8d  %5d nodes  %4d listeners  page %5.1f MB  worker %5.1f of %5.1f MB", m.at.Seconds(), m.seq, m.Nodes,
		m.Listeners, m.Heap/1e6, m.worker/1e6, m.sys/1e6)
}

// TestLongRunsAreFlat lets a simulated cluster play as fast as it can in each layout. The page and its worker hold no more memory in the second half
// of the run than in the first.
func TestLongRunsAreFlat(t *testing.T) {
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	type view struct {
		name, fragment, release string
		width, height           int64
	}
	for _, layout := range harness.Layouts(3, []view{
		{"stage", "", "1.37", 1280, 720},
		{"two releases", "", "1.31,1.37", 1280, 720},
		{"factory", "&resource=pods,nodes,deployments.apps", "1.37", 1280, 720},
		{"presenter", "&presenter=1", "1.37", 1280, 720},
		{"phone", "", "1.37", 390, 844},
		{"embed", "&embed=queue", "1.37", 640, 480},
	}) {
		t.Run(layout.name, func(t *testing.T) {
			t.Parallel() // what is kept does not depend on speed
			p := browser.StartForTest(t).OpenForTest(t, srv.URL+"&source=sim&lang=en&era="+layout.release+layout.fragment, layout.width, layout.height)
			harness.Await(t, p, 2*time.Minute, "s.queue.synced")
			// A moment that is never reached: the page plays on without waiting for the clock.
			harness.Call(t, p, "select({seed: 7, objects: 120, rate: 10, do: '', at: 1e12})")
			const samples = 10
			var run []moment
			for i := 1; i <= samples; i++ {
				at := *longRun * time.Duration(i) / samples
				harness.Await(t, p, 20*time.Minute, "s.atMillis >= %d && s.seq > 0", at.Milliseconds())
				run = append(run, sample(t, p))
				t.Log(run[i-1])
			}
			half := len(run) / 2
			for _, tc := range []struct {
				what  string
				value func(moment) float64
				slack float64 // beside a tenth: the number of objects and of events on their way varies
			}{
				{"nodes", func(m moment) float64 { return float64(m.Nodes) }, 60},
				{"listeners", func(m moment) float64 { return float64(m.Listeners) }, 20},
				{"bytes of the page's heap", func(m moment) float64 { return m.Heap }, 1 << 20},
			} {
				first, second := middle(run[:half], tc.value), middle(run[half:], tc.value)
				if second > first*1.1+tc.slack {
					t.Errorf("%.0f %s in the middle of the first half, %.0f of the second", first, tc.what, second)
				}
			}
			// The log grows until it drops its beginning.
			from := 0
			for from < len(run) && !run[from].full {
				from++
			}
			if kept := run[from:]; len(kept) >= 4 {
				half := len(kept) / 2
				worker := func(m moment) float64 { return m.worker }
				first, second := middle(kept[:half], worker), middle(kept[half:], worker)
				if second > first*1.1+4<<20 {
					t.Errorf("the worker's program held %.0f bytes in the first half of what its log was full for, %.0f in the second", first, second)
				}
			} else if *longRun >= time.Hour {
				t.Errorf("the log was full in %d of %d samples alone", len(kept), len(run))
			}
			p.ExpectClean(t)
		})
	}
}

func sample(t *testing.T, p *browser.Page) moment {
	t.Helper()
	kept, err := p.CountKept(harness.Timeout(t, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	now := harness.EvalIn[struct {
		At, Live, Total float64
		Seq, First      uint64
	}](t, p, "informerscope.state().then((s) => ({At: s.atMillis, Seq: s.seq, First: s.view.first, Live: s.view.memory.live, Total: s.view.memory.total}))")
	return moment{kept, time.Duration(now.At * float64(time.Millisecond)), now.Seq, now.Live, now.Total, now.First > 1}
}

// middle is the median: it rises with what is kept, and ignores nodes that were just removed and wait for the browser's garbage collection.
func middle(moments []moment, value func(moment) float64) float64 {
	values := make([]float64, len(moments))
	for i, m := range moments {
		values[i] = value(m)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
