package page_test

import (
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestCadence gives the page's rate controller the animation frames of machines that are idle, full, and idle again.
func TestCadence(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=20", 1280, 720)
	type part struct{ Drawn, Of, Longest int }
	got := harness.EvalJSON[map[string]part](t, p, `import("./stage/cadence.js").then(({Cadence}) => {
		const out = {};
		let c = new Cadence(8);
		let clock = 1000;
		// Every "late"th animation frame begins 9 ms late; 0 for none.
		const play = (name, frames, late, merged) => {
			const p = {Drawn: 0, Of: frames, Longest: 0};
			for (let i = 1, since = 0; i <= frames; i++) {
				clock += 1000 / 60;
				const draws = c.draws(clock, clock + (late && i % late === 0 ? 9 : 0.5), merged);
				since = draws ? 0 : since + 1;
				if (draws) p.Drawn++;
				p.Longest = Math.max(p.Longest, since);
			}
			out[name] = p;
		};
		play("idle", 600, 50, 10000);
		play("full, nothing to follow", 600, 10, 400);
		play("quiet between", 600, 0, 400);
		play("filling up", 600, 10, 10000);
		play("on time, still flooded", 600, 0, 10000);
		play("the eye follows again", 600, 10, 400);
		play("full again", 60, 10, 10000);
		play("followed", 60, 10, 400);
		clock += 60_000; // hidden
		play("shown again", 4, 1, 10000);
		c = new Cadence(2);
		play("two processors", 60, 0, 400);
		play("two processors, flooded", 60, 0, 10000);
		play("two processors, less", 60, 0, 2000);
		play("two processors, over", 60, 0, 1400);
		play("two processors, less again", 60, 0, 2000);
		return JSON.stringify(out);
	})`)
	for name, want := range map[string]struct{ least, most int }{
		"idle":                       {600, 600},
		"full, nothing to follow":    {600, 600},
		"quiet between":              {600, 600},
		"filling up":                 {305, 380},
		"on time, still flooded":     {300, 300},
		"the eye follows again":      {600, 600},
		"full again":                 {30, 30},
		"followed":                   {60, 60},
		"shown again":                {4, 4},
		"two processors":             {60, 60},
		"two processors, flooded":    {30, 30},
		"two processors, less":       {30, 30},
		"two processors, over":       {60, 60},
		"two processors, less again": {60, 60},
	} {
		g, ok := got[name]
		if !ok || g.Drawn < want.least || g.Drawn > want.most {
			t.Errorf("%s: %d of %d animation frames were drawn, want %d to %d", name, g.Drawn, g.Of, want.least, want.most)
		}
		if g.Longest > 1 {
			t.Errorf("%s: %d animation frames in a row were not drawn", name, g.Longest)
		}
	}
}

// TestPausedPageRests pauses a busy page. While the log grows, only the newest event's number changes. To lay out the page again for each new number
// would take a third of a processor, so the worker sends it ten times a second, and the stage is not redrawn.
func TestPausedPageRests(t *testing.T) {
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=240&rate=200", 1280, 720)
	harness.Pause(t, p)
	harness.Await(t, p, time.Minute, "s.view.mode === 'paused' && s.view.head > s.seq + 500")
	harness.Settle(t, p)
	type counts struct {
		Stage, Times int
		Elapsed      float64
		Where        []string
	}
	harness.EvalIn[bool](t, p, `(() => {
		const seen = globalThis.__rest = {Stage: 0, Times: 0, Where: [], From: performance.now()};
		const stage = document.querySelector("svg.stage");
		new MutationObserver((list) => {
			seen.Times++;
			for (const m of list) {
				if (!stage.contains(m.target)) continue;
				seen.Stage++;
				const el = m.target.nodeType === 1 ? m.target : m.target.parentElement;
				if (seen.Where.length < 5) seen.Where.push(el.outerHTML.slice(0, 120));
			}
		}).observe(document.getElementById("app"), {subtree: true, attributes: true, childList: true, characterData: true});
		return true;
	})()`)
	from := harness.EvalIn[float64](t, p, "informerscope.state().then((s) => s.view.head)")
	harness.Await(t, p, time.Minute, "s.view.head > %.0f + 5000", from)
	got := harness.EvalIn[counts](t, p, "({...__rest, Elapsed: performance.now() - __rest.From})")
	if got.Stage > 0 {
		t.Errorf("the stage of a paused page was written %d times: %q", got.Stage, got.Where)
	}
	if most := int(got.Elapsed/100) + 2; got.Times == 0 || got.Times > most {
		t.Errorf("a paused page was written %d times in %.0f ms, want at least once and at most %d times", got.Times, got.Elapsed, most)
	}
}
