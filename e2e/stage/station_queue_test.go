package stage_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"informerscope/core/log/fold"
	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// layouts are the layouts for one informer, and how to go from one to the next without a reload.
var layouts = []struct {
	name          string
	width, height int64
	enter         string // the call that enters it
	shown         string // the page's class while it is shown
}{
	{"stage", 1280, 720, "", ""},
	{"presenter", 1280, 720, "p", "view-presenter"},
	{"presenter 4 to 3", 1024, 768, "", "view-presenter"},
	{"phone presenting", 390, 844, "", "view-phone"},
	{"phone", 390, 844, "p", "view-phone"},
}

// eachLayout runs a check in every layout of a page that shows the stage.
func eachLayout(t *testing.T, p *browser.Page, do func(t *testing.T, layout string)) {
	t.Helper()
	for _, l := range layouts {
		if err := p.Resize(harness.Timeout(t, 30*time.Second), l.width, l.height); err != nil {
			t.Fatal(err)
		}
		if l.enter != "" {
			harness.EvalIn[bool](t, p, "document.dispatchEvent(new KeyboardEvent('keydown', {key: %s, bubbles: true}))", harness.Quote(l.enter))
		}
		classes := "[...document.getElementById('app').classList].filter((c) => c.startsWith('view-')).join(' ')"
		if err := p.WaitFor(harness.Timeout(t, 30*time.Second), fmt.Sprintf("%s === %s", classes, harness.Quote(l.shown)), classes); err != nil {
			t.Fatalf("%s: %v", l.name, err)
		}
		harness.Settle(t, p)
		t.Run(l.name, func(t *testing.T) { do(t, l.name) })
	}
}

// seat is a seat of the queue with its key, as it is drawn.
type seat struct {
	Kind     string
	Taken    bool // filled: its change is being popped
	Selected bool
}

// rowOfSeats is the visible row of the queue.
const rowOfSeats = "[...document.querySelectorAll('[data-seats=queue]')].find((g) => g.checkVisibility({visibilityProperty: true}))"

// drawnSeats are the seats of the visible row, from the head on, as JSON.
const drawnSeats = `(() => {
	const row = ` + rowOfSeats + `;
	if (!row) return 'no row of seats shows';
	const shown = [...row.children].filter((g) => g.checkVisibility()).map((g) => [g.querySelector('.ch'), g.querySelector('.selbox')]);
	return JSON.stringify(shown.filter(([ch]) => ch).map(([ch, mark]) => ({
		Kind: /k-(\w+)/.exec(ch.getAttribute('class'))[1], Taken: ch.classList.contains('mv'), Selected: !!mark?.checkVisibility(),
	})));
})()`

// kindOfOp is the mark of a delta type.
func kindOfOp(op string) string {
	switch op {
	case "Added", "Updated", "Deleted":
		return map[string]string{"Added": "add", "Updated": "upd", "Deleted": "del"}[op]
	case "Replaced", "ReplacedAll":
		return "rep"
	case "Sync", "SyncAll":
		return "syn"
	case "Bookmark":
		return "bmk"
	}
	return "key"
}

// seats returns the n seats for a queue: what is being popped, on half of them at most, and what waits behind it.
func seats(q fold.Queue, n int, selected string) []seat {
	delta := q.Kind == "DeltaFIFO"
	taken := q.Batch
	if delta && len(taken) > 1 {
		taken = taken[len(taken)-1:]
	}
	taken = taken[:min(len(taken), (n+1)/2)]
	seats := []seat{}
	for _, it := range taken {
		op := it.Op
		if op == "" && len(it.Deltas) > 0 {
			op = it.Deltas[0].Op
		}
		seats = append(seats, seat{kindOfOp(op), true, selected != "" && it.Key == selected})
	}
	for _, it := range q.Items[:min(len(q.Items), max(1, n-len(taken)))] {
		op := it.Op
		if len(it.Deltas) > 0 {
			op = it.Deltas[len(it.Deltas)-1].Op
		}
		seats = append(seats, seat{kindOfOp(op), false, selected != "" && it.Key == selected})
	}
	return seats
}

// TestQueueSeats compares the row of seats with the queue, in every layout, at moments of a log in which Pop was held and released. It checks the key
// of each seat, what is being popped, and which one is the selected object.
func TestQueueSeats(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, release := range []string{"1.37", "1.31"} {
		t.Run(release, func(t *testing.T) {
			p := harness.OpenStage(t, b, srv, "&source=sim&seed=5&rate=30&lang=en&era="+release, 1280, 720)
			harness.Call(t, p, "hold('pop')")
			harness.Await(t, p, 20*time.Second, "s.queue.depth >= 12")
			harness.Call(t, p, "hold('take')")
			harness.Call(t, p, "release('pop', 2)")
			harness.Call(t, p, "release('pop', 0)")
			harness.Await(t, p, 20*time.Second, "s.queue.depth < 4")
			harness.Pause(t, p)
			head := harness.Await(t, p, 10*time.Second, "s.view.mode === 'paused'").Seq
			moments := momentsOf(t, p, head)
			eachLayout(t, p, func(t *testing.T, layout string) {
				for _, seq := range moments {
					harness.Call(t, p, "seek(%d)", seq)
					s := harness.EvalJSON[fold.State](t, p, "(async () => JSON.stringify(await informerscope.state()))()")
					selected := ""
					if len(s.Queue.Items) > 0 {
						selected = s.Queue.Items[len(s.Queue.Items)-1].Key
					}
					harness.Call(t, p, "selectObject(%s)", harness.Quote(selected))
					n := map[string]int{"stage": 7, "phone": 4}[layout]
					if layout == "stage" && s.Queue.Kind == "DeltaFIFO" {
						n = 5
					}
					if n == 0 {
						// Presenter mode has as many seats as the station is wide, and draws those that are empty.
						n = harness.EvalIn[int](t, p, rowOfSeats+".children.length")
					}
					want, err := json.Marshal(seats(s.Queue, n, selected))
					if err != nil {
						t.Fatal(err)
					}
					if err := p.WaitFor(harness.Timeout(t, 30*time.Second), drawnSeats+" === "+harness.Quote(string(want)), drawnSeats); err != nil {
						t.Errorf("at %d, of %d seats, want %s: %v", seq, n, want, err)
					}
				}
			})
			p.ExpectClean(t)
		})
	}
}

// momentsOf are moments of a log at which its queue is empty, holds some, pops some, and random ones.
func momentsOf(t *testing.T, p *browser.Page, head uint64) []uint64 {
	t.Helper()
	found := harness.EvalIn[[]uint64](t, p, `(async () => {
		const seen = new Map();
		for (let seq = 2; seq <= %d; seq += 1 + Math.floor(%d / 300)) {
			await informerscope.seek(seq);
			const q = (await informerscope.state()).queue;
			const id = [Math.min(q.batch.length, 2), Math.min(q.items.length, 1), q.items.length > 7];
			if (!seen.has(String(id))) seen.set(String(id), seq);
		}
		return [...seen.values()];
	})()`, head, head)
	for range 3 {
		found = append(found, 2+rand.Uint64N(head-1))
	}
	slices.Sort(found)
	t.Logf("the moments are %d", found)
	return found
}

// TestHeldPopOfAnEmptyQueue holds Pop of an empty queue. No layout lists earlier changes under the hold, as if they were held; and none shows that
// Pop waits.
func TestHeldPopOfAnEmptyQueue(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, release := range []string{"1.37", "1.31"} {
		t.Run(release, func(t *testing.T) {
			p := harness.OpenStage(t, b, srv, "&source=sim&seed=5&objects=12&rate=0&lang=en&era="+release, 1280, 720)
			harness.Call(t, p, "cluster('burst', {n: 6})")
			harness.Await(t, p, 20*time.Second, "s.queue.depth === 0 && s.queue.lastBatch.length > 0 && s.queue.lastBatch.some((i) => i.key)")
			harness.Call(t, p, "hold('pop')")
			harness.Await(t, p, 10*time.Second, "s.holds.some((h) => h.stage === 'pop') && s.queue.depth === 0 && !s.queue.batch.length")
			s := harness.EvalJSON[fold.State](t, p, "(async () => JSON.stringify(await informerscope.state()))()")
			var last []string
			for _, it := range s.Queue.LastBatch {
				if it.Key != "" {
					last = append(last, it.Key[len(it.Key)-4:])
				}
			}
			if len(last) == 0 {
				t.Fatalf("what was taken last has no keys: %+v", s.Queue.LastBatch)
			}
			eachLayout(t, p, func(t *testing.T, layout string) {
				if layout == "phone" {
					harness.EvalIn[bool](t, p, "!!stage.find('[data-station=queue][aria-expanded=false]')?.dispatchEvent(new MouseEvent('click', {bubbles: true}))")
					if err := p.WaitFor(harness.Timeout(t, 30*time.Second), "!!stage.find('[data-station=queue][aria-expanded=true]')", "0"); err != nil {
						t.Fatal(err)
					}
				}
				const words = "[...document.querySelectorAll('#app svg text')].filter((e) => e.checkVisibility({visibilityProperty: true})).map((e) => " +
					"[...e.childNodes].filter((n) => n.nodeName !== 'title').map((n) => n.textContent).join(''))"
				held := "(" + words + ").some((w) => /Pop held/.test(w))"
				if err := p.WaitFor(harness.Timeout(t, 30*time.Second), held, words); err != nil {
					t.Fatalf("nothing says that Pop is held: %v", err)
				}
				harness.Shot(t, p, "held-"+release+"-"+strings.ReplaceAll(layout, " ", "-"))
				all := harness.EvalIn[[]string](t, p, words)
				for _, w := range all {
					if strings.Contains(w, "Pop waits") {
						t.Errorf("under the hold stands %q", w)
					}
					if layout == "stage" {
						continue // has the title "popped last" above them, and has the keys of the controller
					}
					for _, key := range last {
						if strings.Contains(w, key) {
							t.Errorf("under the hold stands %q, which was taken before it", w)
						}
					}
				}
			})
			p.ExpectClean(t)
		})
	}
}
