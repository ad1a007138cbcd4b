package page_test

import (
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// noLocks removes Web Locks, as in a browser or page without them.
const noLocks = `Object.defineProperty(Navigator.prototype, "locks", {value: undefined});`

// openKept opens the page with scripts before its own.
func openKept(t *testing.T, srv *harness.Server, before, fragment string) *browser.Page {
	t.Helper()
	p := browser.StartForTest(t).OpenForTest(t, "about:blank", 1280, 720)
	for _, script := range []string{harness.StageTools(t), harness.KeepWorker, before} {
		if err := p.OnNewDocument(harness.Timeout(t, 30*time.Second), script); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Navigate(harness.Timeout(t, time.Minute), srv.URL+fragment); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestWorkerEndsSilently ends the worker without a crash, from the page and from the worker. The page reports it, and starts again on request at the
// event that was shown.
func TestWorkerEndsSilently(t *testing.T) {
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	for _, tt := range []struct{ name, before, kill, words string }{
		{"the browser ends it", "", `__worker.terminate()`, "ended without a message"},
		{"it closes itself", "", "", "ended without a message"},
		{"nobody knows", noLocks, `__worker.terminate()`, "does not answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := openKept(t, srv, tt.before, "&source=sim&seed=7&objects=60&lang=en")
			harness.Await(t, p, time.Minute, "s.queue.synced && s.seq > 500")
			harness.Call(t, p, "cluster('burst', {n: 20})")
			harness.Await(t, p, time.Minute, "s.seq > 700")
			harness.WaitUntil(t, p, "new Promise((resolve) => setTimeout(resolve, 500)).then(() => true)") // the page remembers its content a little later
			if tt.kill == "" {
				if err := p.EvalInWorker(harness.Timeout(t, 30*time.Second), "setTimeout(() => self.close())"); err != nil {
					t.Fatal(err)
				}
			} else {
				harness.EvalIn[bool](t, p, "("+tt.kill+", true)")
			}
			harness.WaitUntil(t, p, harness.Dialog)
			harness.Settle(t, p)
			if said := harness.EvalIn[string](t, p, harness.Dialog+".textContent"); !strings.Contains(said, tt.words) {
				t.Errorf("the page says %q, want %q in it", said, tt.words)
			}
			harness.Shot(t, p, "silent-"+strings.ReplaceAll(tt.name, " ", "-"))
			if tt.before == "" {
				if err := harness.EvalIn[string](t, p, "informerscope.state().then(() => '', (err) => err.message)"); !strings.Contains(err, "stopped") {
					t.Errorf("a call to what has ended says %q", err)
				}
			}
			seq := harness.EvalIn[string](t, p, "stage.event()")
			if err := p.Click(harness.Timeout(t, 10*time.Second), harness.Dialog+".querySelectorAll('button')[1]"); err != nil {
				t.Fatal(err)
			}
			harness.WaitUntil(t, p, "!"+harness.Dialog+" && location.hash.includes('burst')")
			s := harness.Await(t, p, time.Minute, "s.view.mode === 'paused' && s.seq === %s", seq)
			if s.Seq < 700 {
				t.Errorf("it began again at event %d", s.Seq)
			}
			p.ExpectClean(t)
		})
	}
	t.Run("while it loads", func(t *testing.T) {
		for _, before := range []string{"", noLocks} {
			p := openKept(t, srv, before+`globalThis.__made = (w) => w.addEventListener("message", (e) => e.data.progress && w.terminate());`,
				"&source=sim&seed=7&objects=60&lang=en")
			harness.WaitUntil(t, p, harness.Dialog)
			p.ExpectClean(t)
		}
	})
}

// TestBusyWorkerIsNotDead keeps the worker busy for longer than the page waits for a silent one. A page with Web Locks reports only that it is busy,
// and a page without withdraws its report.
func TestBusyWorkerIsNotDead(t *testing.T) {
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	for name, before := range map[string]string{"locks": "", "no locks": noLocks} {
		t.Run(name, func(t *testing.T) {
			p := openKept(t, srv, before+`
				globalThis.__said = [];
				addEventListener("DOMContentLoaded", () => new MutationObserver(() => { const d = document.querySelector("[role=alertdialog]"); if (d) __said.push(d.textContent); }).observe(document.body, {childList: true, subtree: true}));`,
				"&source=sim&seed=7&objects=60&lang=en")
			start := harness.Await(t, p, time.Minute, "s.queue.synced && s.seq > 500")
			// Five seconds are a hundred of the page's.
			if err := p.EvalInWorker(harness.Timeout(t, 30*time.Second),
				"setTimeout(() => { const end = performance.now() + 5000; while (performance.now() < end); })"); err != nil {
				t.Fatal(err)
			}
			if before == "" {
				harness.WaitUntil(t, p, `/busy.*\d+ s/.test(document.querySelector(".say").textContent)`)
			} else {
				harness.WaitUntil(t, p, harness.Dialog)
			}
			harness.Await(t, p, time.Minute, "s.seq > %d && s.live", start.Seq+20)
			harness.Settle(t, p)
			if harness.EvalIn[bool](t, p, "!!"+harness.Dialog) {
				t.Error("a worker that answers is still called dead")
			}
			harness.WaitUntil(t, p, `!document.querySelector(".say").textContent.includes("no answer for")`)
			if n := harness.EvalIn[int](t, p, "__said.length"); before == "" && n > 0 {
				t.Errorf("a busy worker was called dead: %s", harness.EvalIn[string](t, p, "__said[0]"))
			}
			p.ExpectClean(t)
		})
	}
	t.Run("rules", func(t *testing.T) {
		p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=20", 1280, 720)
		got := harness.EvalIn[string](t, p, `import("./wire/pulse.js").then(({Pulse}) => {
			const out = [];
			let tick, long = false;
			const start = (isHeld) => {
				const calls = [];
				const page = {
					ask: () => calls.push("ask"), long: () => long, lost: () => calls.push("lost"), ended: () => {},
					silent: (s) => (s <= 10 || s === 300) && calls.push("silent " + s),
				};
				const p = new Pulse(page, (f) => (tick = f));
				p.isHeld = isHeld;
				out.push(calls);
				return p;
			};
			const ticks = (n) => { while (n-- > 0) tick(); };
			let p = start(false); ticks(4); p.noteNews(); ticks(4); p.noteNews(); ticks(5); p.noteNews(); ticks(5); // asked after five, answered each time
			p = start(false); ticks(5); ticks(29); p.noteNews(); ticks(4); // answered at the last moment
			p = start(false); ticks(36);
			p = start(true); ticks(200);
			long = true; p = start(false); ticks(304);
			p = start(false); ticks(305);
			long = false; p = start(false); p.stop(); ticks(100);
			p = start(false); ticks(20); Object.defineProperty(document, "hidden", {configurable: true, get: () => true}); ticks(500); delete document.hidden; ticks(4);
			return JSON.stringify(out);
		})`)
		want := `[["ask","ask"],["ask","silent 10","silent 0"],["ask","silent 10","lost"],["ask","silent 10"],["ask","silent 10"],["ask","silent 10","silent 300","lost"],[],["ask","silent 10","silent 0"]]`
		if got != want {
			t.Errorf("the calls are\n%s, want\n%s", got, want)
		}
	})
}
