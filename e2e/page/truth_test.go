package page_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// sameInTheLog is a script that goes to each of the moments that untrueLive kept. It compares the page's state of then, member by member, with the
// worker's fold of the log up to there. The fold is of the moment of that event, and on the page some time may have passed since. So facts that
// depend on the clock too (byClock) are left out.
const sameInTheLog = `(async () => {
	const byClock = new Set(["focus", "sentence", "headline"]);
	const equal = (a, b) => {
		if (a === b) return true;
		if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
		const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
		return [...keys].every((k) => equal(a[k], b[k]));
	};
	const found = {compared: 0, wrong: [], seq: 0};
	for (const [seq, painted] of window.moments) {
		await informerscope.seek(seq);
		const s = await informerscope.state();
		if (s.seq !== seq) {
			found.wrong.push("event " + seq + " cannot be gone to: " + s.seq);
			continue;
		}
		painted.lanes.forEach(({state, facts}, i) => {
			const worker = s.lanes?.length ? s.lanes[i] : s;
			const same = (what, held, has) => {
				found.compared++;
				if (equal(held, has)) return;
				found.wrong.push("event " + seq + ", lane " + i + ": the page had " + what + " " + JSON.stringify(held) + ", and the worker has " + JSON.stringify(has));
			};
			for (const name of Object.keys(state)) same(name, state[name], worker[name]);
			for (const name of Object.keys(facts)) if (!byClock.has(name)) same("facts." + name, facts[name], worker.facts[name]);
		});
		found.seq = seq;
	}
	window.moments.clear();
	return found;
})()`

// TestEveryLayoutTellsTheTruth compares every drawn number, name, age and bar with the state of its moment, on every layout. It does so without
// stopping while events stream, while Pop is held, while the Reflector backs off, and while the log plays. It does so where the log stops, after
// seeks, with a held queue and a slow handler, and in a recording of all that.
func TestEveryLayoutTellsTheTruth(t *testing.T) {
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	const simulated = "&source=sim&seed=7&objects=120&rate=25&lang=en&transform=managedFields"
	type truthLayout struct {
		name, fragment string
		width, height  int64
		least          int // how many texts say where they come from
	}
	for _, layout := range harness.Layouts(6, []truthLayout{
		{"stage", "", 1280, 720, 5},
		{"phone", "", 390, 844, 4},
		{"two releases presenting", "&era=1.31,1.37&presenter=1", 1280, 720, 5},
		{"presenting, 4 to 3", "&presenter=1", 1024, 768, 5},
		{"factory", "&resource=pods,nodes,deployments.apps", 1280, 720, 5},
		{"embed queue", "&embed=queue", 640, 480, 1},
		{"two releases", "&era=1.31,1.37", 1280, 720, 5},
		{"presenting", "&presenter=1", 1280, 720, 5},
		{"phone presenting", "&presenter=1", 390, 844, 4},
		{"phone, two releases", "&era=1.31,1.37", 390, 844, 4},
		{"factory, 4 to 3", "&resource=pods,nodes&lane=0", 1024, 768, 5},
		{"embed api", "&embed=api", 640, 480, 1},
		{"embed reflector", "&embed=reflector", 640, 480, 1},
		{"embed indexer", "&embed=indexer", 640, 480, 1},
		{"embed listeners", "&embed=listeners", 320, 240, 1},
		{"embed controller", "&embed=controller", 640, 480, 1},
	}) {
		t.Run(layout.name, func(t *testing.T) {
			t.Parallel() // each has a window of its own: a page in the background paints nothing
			p := browser.StartForTest(t).OpenForTest(t, srv.URL+simulated+layout.fragment, layout.width, layout.height)
			harness.Await(t, p, 2*time.Minute, "s.queue.synced && s.seq > 300")
			compared := 0
			random := rand.New(rand.NewPCG(7, uint64(len(layout.name))))
			apart := 0
			live := func(what string) {
				t.Helper()
				waits := make([]int, 8)
				for i := range waits {
					waits[i] = random.IntN(120)
				}
				got := harness.EvalIn[harness.Truth](t, p, fmt.Sprintf("%s(%s)", harness.FindUntrueLive, strings.ReplaceAll(fmt.Sprint(waits), " ", ", ")))
				if got.Compared == 0 {
					t.Errorf("%s nothing was compared", what)
				}
				apart += got.Apart
				for _, wrong := range got.Wrong {
					t.Errorf("%s: %s", what, wrong)
				}
			}
			holds := func(what string) {
				t.Helper()
				got := harness.EvalIn[harness.Truth](t, p, harness.FindUntrue)
				compared = max(compared, got.Compared)
				for _, wrong := range got.Wrong {
					t.Errorf("%s, event %d: %s", what, got.Seq, wrong)
				}
			}
			cells := 0
			look := func(what string) {
				t.Helper()
				harness.Await(t, p, time.Minute, "s.view.mode === 'paused' || s.source.kind === 'file'")
				holds(what)
				maps := harness.EvalIn[harness.Truth](t, p, harness.WrongMaps)
				cells += maps.Compared
				for _, wrong := range maps.Wrong {
					t.Errorf("%s, event %d: %s", what, maps.Seq, wrong)
				}
			}
			live("while events stream")
			// A queue that waits, a ring that fills, and a watch that breaks.
			harness.Call(t, p, "pace(3, 40)")
			harness.Call(t, p, "hold('pop')")
			harness.Call(t, p, "cluster('burst', {n: 40})")
			harness.Await(t, p, time.Minute, "s.queue.depth > 20")
			live("while Pop is held")
			harness.Pause(t, p)
			look("Pop held")
			harness.Call(t, p, "live()")
			harness.Call(t, p, "release('pop', 0)")
			harness.Call(t, p, "fault('refuse', {on: true})")
			harness.Call(t, p, "fault('cut')")
			harness.Await(t, p, time.Minute, "s.reflector.phase === 'backoff'")
			live("while the Reflector waits")
			harness.Call(t, p, "fault('refuse', {on: false})")
			harness.Await(t, p, time.Minute, "s.reflector.watches > 1 && s.reflector.phase === 'watching' && s.queue.depth === 0")
			harness.Pause(t, p)
			head := harness.Await(t, p, time.Minute, "s.view.mode === 'paused'").Seq
			look("paused")
			for range 3 {
				seq := 1 + random.Uint64N(head)
				harness.Call(t, p, "seek(%d)", seq)
				harness.Await(t, p, time.Minute, "s.seq === %d", seq)
				look("after a seek")
				harness.Call(t, p, "step(%d)", 1-2*random.IntN(2))
				look("a step from there")
			}
			harness.Call(t, p, "seek(%d)", head/2)
			harness.Call(t, p, "play(0.5)")
			live("while the log plays at half its speed")
			harness.Pause(t, p)
			logged := harness.EvalIn[harness.Truth](t, p, sameInTheLog)
			if logged.Compared == 0 {
				t.Error("no moment that was looked at live was compared with the log")
			}
			for _, wrong := range logged.Wrong {
				t.Errorf("afterwards in the log: %.600s", wrong)
			}
			harness.EvalIn[bool](t, p, `(async () => { const {text} = await informerscope.record(); await informerscope.load(text); return true; })()`)
			harness.Await(t, p, time.Minute, "s.source.kind === 'file'")
			for range 2 {
				seq := 1 + random.Uint64N(head)
				harness.Call(t, p, "seek(%d)", seq)
				harness.Await(t, p, time.Minute, "s.seq === %d", seq)
				look("in the recording")
			}
			if compared < layout.least {
				t.Errorf("%d texts say where they come from, want %d at least", compared, layout.least)
			}
			if harness.EvalIn[bool](t, p, "document.querySelector('.worlds').checkVisibility() && !document.querySelector('#app.view-phone')") != (cells > 0) {
				t.Errorf("%d cells of maps were compared", cells)
			}
			t.Logf("%d texts at most were compared at a moment, and %d cells; at %d looks of 32 what was drawn was of several moments; %d members compared with the log",
				compared, cells, apart, logged.Compared)
			p.ExpectClean(t)
		})
	}
}
