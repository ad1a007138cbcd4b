package page_test

import (
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// alertOf is the page's sentence about what failed.
const alertOf = `(document.querySelector(".failure[role=alert]")?.textContent ?? "")`

// TestNoPartStopsThePage makes one part of the page after the other throw. The page says so, its clock goes on, and the part comes back once it is tried
// again.
func TestNoPartStopsThePage(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=60&rate=8&lang=en", 1280, 720)
	harness.Await(t, p, time.Minute, "s.queue.synced && s.seq > 300")
	for _, part := range []struct{ name, module, class, method string }{
		{"a row's present", "stage/present.js", "PresentRow", "paint"},
		{"a row's place", "stage/rowparts.js", "RowParts", "place"},
		{"a row's past", "stage/past.js", "Past", "drawRow"},
		{"the past", "stage/past.js", "Past", "draw"},
		{"the motion of an object", "stage/past.js", "Past", "drawJourney"},
		{"inside", "stage/inside.js", "Inside", "paint"},
		{"the worlds", "stage/worlds.js", "Worlds", "paint"},
		{"the worlds' motion", "stage/worlds.js", "Worlds", "draw"},
		{"the overview", "views/foot.js", "Foot", "paint"},
		{"a bar", "bars/topbar.js", "TopBar", "paint"},
		{"the stage", "views/stage.js", "Stage", "paint"},
		{"the frame", "stage/painter.js", "Painter", "take"},
	} {
		harness.EvalIn[bool](t, p, `import("/`+part.module+`").then((module) => {
			const { prototype } = module.`+part.class+`;
			globalThis.__was = [prototype, "`+part.method+`", prototype.`+part.method+`];
			prototype.`+part.method+` = () => { throw new TypeError("broken by hand: `+part.name+`"); };
			return true;
		})`)
		harness.WaitUntil(t, p, alertOf+`.includes("broken by hand: `+part.name+`")`)
		if part.class == "PresentRow" {
			harness.WaitUntil(t, p, `document.getElementById("app").textContent.includes("cannot be drawn")`)
		}
		clock := harness.EvalIn[int64](t, p, "informerscope.state().then((s) => s.seq)")
		harness.Await(t, p, time.Minute, "s.seq > %d", clock+20)
		if part.class != "Painter" && part.class != "Stage" { // without these nothing is painted, until they no longer throw
			harness.EvalIn[bool](t, p, `new Promise((done) => {
				const text = () => document.querySelector(".tr").textContent, was = text();
				const look = () => (text() === was ? requestAnimationFrame(look) : done(true));
				look();
			})`)
		}
		harness.EvalIn[bool](t, p, `(([prototype, method, was]) => { prototype[method] = was; return true; })(globalThis.__was)`)
		if err := p.Click(harness.Timeout(t, 10*time.Second), `document.querySelector(".failure button")`); err != nil {
			t.Fatal(err)
		}
		harness.WaitUntil(t, p, alertOf+` === ""`)
		harness.WaitUntil(t, p, `!document.getElementById("app").textContent.includes("cannot be drawn")`)
	}
	harness.EvalIn[bool](t, p, `(Promise.reject(new Error("left alone")), true)`)
	harness.WaitUntil(t, p, alertOf+`.includes("left alone")`)
	if err := p.EvalInWorker(harness.Timeout(t, 30*time.Second), `setTimeout(() => void Promise.reject(new Error("left alone in the worker")))`); err != nil {
		t.Fatal(err)
	}
	harness.WaitUntil(t, p, alertOf+`.includes("left alone in the worker")`)
	seq := harness.EvalIn[int64](t, p, "informerscope.state().then((s) => s.seq)")
	harness.Await(t, p, time.Minute, "s.seq > %d", seq+20)
	p.ForgetProblems()
}
