package stage_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/core/log/fold"
	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestQueueInside compares the inside of the queue's row with the state, while Pop is held and at moments before it. It names the first ones and says how
// many more there are. Of an empty queue it says that Pop waits.
func TestQueueInside(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, release := range []string{"1.37", "1.31"} {
		t.Run(release, func(t *testing.T) {
			p := harness.OpenStage(t, b, srv, "&source=sim&seed=5&rate=30&lang=en&era="+release, 1280, 720)
			harness.Call(t, p, "hold('pop')")
			harness.Await(t, p, 20*time.Second, "s.queue.depth >= 12")
			harness.Pause(t, p)
			head := harness.Await(t, p, 10*time.Second, "s.view.mode === 'paused'").Seq
			harness.EvalIn[bool](t, p, "(stage.find('[data-station=queue] .row-name').click(), true)")
			full, empty := 0, 0
			for i := range uint64(30) {
				at := head - head/60*i // half of the log, as a faster machine logs more while Pop is held
				seekTo(t, p, at)
				q := stateOf(t, p).Queue
				want := queueLines(q)
				if len(q.Items) > 5 {
					full++
				} else if q.Depth == 0 {
					empty++
				}
				const lines = "[...document.querySelectorAll('.inside li')].filter(stage.visible).map((el) => el.querySelector('span').textContent)"
				if got := harness.EvalIn[[]string](t, p, lines); strings.Join(got, "\n") != strings.Join(want, "\n") {
					t.Errorf("at %d the inside says %q, want %q", at, got, want)
				}
				expectTrue(t, p, 6)
			}
			if full == 0 || empty == 0 {
				t.Errorf("of the moments %d had a full queue and %d an empty one", full, empty)
			}
			harness.Shot(t, p, "inside-"+release)
			p.ExpectClean(t)
		})
	}
}

// queueLines are the lines of a queue's inside.
func queueLines(q fold.Queue) []string {
	if q.Depth == 0 {
		return []string{"It is empty: Pop waits."}
	}
	var lines []string
	for _, item := range q.Items[:min(5, len(q.Items))] {
		line := item.Key
		if line == "" {
			line = fmt.Sprintf("a list of %d", item.Count)
		}
		if r := []rune(line); len(r) > 28 { // the page keeps its head and its end
			line = string(r[:22]) + "…" + string(r[len(r)-5:])
		}
		lines = append(lines, line)
	}
	if q.Depth > 5 {
		lines = append(lines, fmt.Sprintf("and %d more; Pop takes the first", q.Depth-5))
	}
	return lines
}

// TestManyHandlersFold adds handlers until they have no rows of their own: the rest stand in one row. Its number is what waits in
// all of them. A removed one is counted no more.
func TestManyHandlersFold(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=40&rate=20&lang=en", 1280, 720)
	const added = 9 // with the three that are there the page shows no more
	for i := range added {
		harness.Call(t, p, "addListener({name: 'extra-%d', paceMillis: %d})", i, 400+i)
	}
	harness.Await(t, p, 30*time.Second, "s.listeners.length === 3 + %d && s.listeners.slice(3).every((l) => l.pending > 3)", added)
	check := func(name string) {
		t.Helper()
		harness.Pause(t, p)
		harness.Await(t, p, 10*time.Second, "s.view.mode === 'paused'")
		harness.Settle(t, p)
		d := harness.EvalJSON[harness.Drawn](t, p, "JSON.stringify(stage.drawn())")
		s := stateOf(t, p)
		harness.ExpectDrawn(t, s, d)
		own, left := 0, 0
		fold := ""
		for _, row := range d.Rows {
			switch row.Station {
			case "handler":
				own++
			case "fold":
				fold = row.Name
			}
		}
		for _, l := range s.Listeners {
			if !l.Removed {
				left++
			}
		}
		if want := fmt.Sprintf("%d more, %d in all", left-own, left); fold != want || own < 2 {
			t.Errorf("%d handlers have a row of their own, and another row is of %q, want %q", own, fold, want)
		}
		harness.Shot(t, p, name)
		harness.ExpectWell(t, p)
	}
	check("folded")
	harness.Call(t, p, "live()")
	harness.Call(t, p, "removeListener(7)")
	removed := stateOf(t, p).AtMillis
	// While its past shows it has a place.
	harness.Await(t, p, 40*time.Second, "s.listeners.some((l) => l.removed) && s.view.headMillis > %f", removed+9000)
	check("one-removed")
	p.ExpectClean(t)
}
