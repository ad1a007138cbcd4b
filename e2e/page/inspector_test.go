package page_test

import (
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// inspectorNow is what the inspector shows, and how much of it.
const inspectorNow = `(() => {
	const drawer = stage.find(".drawer"), diff = drawer.querySelector(".diff"), hops = drawer.querySelector(".hops");
	const box = (el) => el.getBoundingClientRect();
	const first = box(diff.querySelector(".o, .n"));
	return {
		words: [...diff.children].map((x) => x.textContent), share: box(diff).height / box(drawer).height, version: drawer.querySelector(".sub").textContent,
		seen: first.top >= box(diff).top && first.bottom <= box(diff).bottom, hop: hops.scrollTop + " " + hops.firstElementChild.querySelector("b").textContent,
		covered: ["api", "reflector", "queue", "indexer"].filter((station) => stage.covered(".drawer", station)),
	};
})()`

type inspectorShown struct {
	Words        []string
	Share        float64
	Seen         bool
	Hop, Version string
	Covered      []string
}

// updated is the key of an object of which the log has two versions, and the way of the newer one to a worker.
const updated = `(async () => {
	const {values} = await informerscope.index("namespace");
	for (const {value} of values) {
		for (const key of (await informerscope.index("namespace", value)).keys) {
			const is = await informerscope.object(key);
			if (is.oldJson && is.journey.at(-1)?.kind === "WorkDone") return key;
		}
	}
	return "";
})()`

// TestTheInspectorKeepsASelection: an object changes while a person copies from the inspector.
func TestTheInspectorKeepsASelection(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	page := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=10&rate=0&lang=en", 1280, 720)
	const version = `stage.find(".drawer .sub").textContent`
	change := func() {
		t.Helper()
		before := harness.EvalIn[string](t, page, version)
		harness.Call(t, page, "cluster('burst', {n: 40})")
		harness.WaitUntil(t, page, version+" !== "+harness.Quote(before))
		harness.Await(t, page, time.Minute, "s.queue.depth === 0 && s.reflector.resourceVersion === s.api.resourceVersion") // later ones may move the lines
		harness.Settle(t, page)
	}
	key := harness.EvalIn[string](t, page, `informerscope.index("namespace")
		.then(({values}) => informerscope.index("namespace", values[0].value)).then((is) => is.keys[0])`)
	harness.Call(t, page, "selectObject(%q)", key)
	harness.WaitUntil(t, page, `/rv/.test(`+version+`)`)
	change()
	for _, c := range []struct{ tab, line string }{{"changed", "metadata:"}, {"JSON", `"kind": "Pod",`}} {
		if err := page.Click(harness.Timeout(t, 30*time.Second), `stage.find(".drawer [role=tab]", /`+c.tab+`/)`); err != nil {
			t.Fatal(err)
		}
		line := `[...document.querySelectorAll(".drawer .diff div")].find((x) => x.textContent.trim() === ` + harness.Quote(c.line) + `)`
		harness.WaitUntil(t, page, line)
		ends := harness.EvalIn[[]browser.Point](t, page, `((line) => {
			const range = document.createRange();
			line.scrollIntoView({block: "center"});
			range.selectNodeContents(line);
			const r = range.getBoundingClientRect();
			return [{X: r.left + 1, Y: r.top + r.height / 2}, {X: r.right + 9, Y: r.top + r.height / 2}];
		})(%s)`, line)
		if err := page.Drag(harness.Timeout(t, 30*time.Second), ends[0], ends[1]); err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			if got := harness.EvalIn[string](t, page, "getSelection().toString().trim()"); got != c.line {
				t.Fatalf("%s: after %d changes of the object %q is selected, want %q", c.tab, i, got, c.line)
			}
			change()
		}
	}
	page.ExpectClean(t)
}

// TestTheInspectorShowsWhatChanged: first what changed and the rest folded, with a third of the drawer's height; then the journey from its
// beginning, whose stations are free.
func TestTheInspectorShowsWhatChanged(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	page := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=10&rate=0&lang=en", 1280, 720)
	harness.Call(t, page, "cluster('burst', {n: 1})")
	harness.WaitUntil(t, page, updated)
	harness.Call(t, page, "selectObject(%q)", harness.EvalIn[string](t, page, updated))
	harness.WaitUntil(t, page, `stage.find(".drawer .diff .n") && stage.find(".drawer .hop")`)
	harness.Settle(t, page)
	shown := harness.EvalIn[inspectorShown](t, page, inspectorNow)
	all := strings.Join(shown.Words, "\n")
	for _, part := range []string{"−   resourceVersion: ", "+   resourceVersion: ", " lines"} {
		if !strings.Contains(all, part) || len(shown.Words) > 60 {
			t.Errorf("what changed has no %q, or too much:\n%s", part, all)
		}
	}
	if !shown.Seen || shown.Share < 0.3 {
		t.Errorf("what changed has %.2f of the drawer's height, and its first line is seen: %v", shown.Share, shown.Seen)
	}
	if shown.Hop != "0 API server" || len(shown.Covered) > 0 {
		t.Errorf("the journey is scrolled to %q, and the drawer covers %q", shown.Hop, shown.Covered)
	}
	page.ExpectClean(t)
}

// TestTheInspectorSaysWhy: of a controller that wakes itself by its writes, the inspector has the causes of a reconcile, the loop among them, what it read, and
// what it wrote.
func TestTheInspectorSaysWhy(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	page := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=4&rate=1&lang=en", 1280, 720)
	harness.Call(t, page, "fault('rewrite', {on: true})")
	harness.Call(t, page, "cluster('burst', {n: 40})") // each pod changes once at least, and from then on wakes itself
	key := harness.EvalIn[string](t, page, `informerscope.index("namespace")
		.then(({values}) => informerscope.index("namespace", values[0].value)).then((is) => is.keys[0])`)
	harness.Call(t, page, "selectObject(%q)", key)
	harness.WaitUntil(t, page, `stage.find(".drawer [role=tab]", /why/) && !stage.find(".drawer").getAnimations().length`) // it has moved in
	if err := page.Click(harness.Timeout(t, 30*time.Second), `stage.find(".drawer [role=tab]", /why/)`); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`/woke itself: \d+ of its \d+/`, `/↻ Updated pods .* its own write .* waited/`, `/· read pods .* rv \d+/`, `/→ PATCH .* rv \d+/`,
	} {
		harness.WaitUntil(t, page, `[...document.querySelectorAll(".drawer .diff div")].some((x) => `+line+`.test(x.textContent))`)
	}
	harness.Call(t, page, "pause()")
	harness.Settle(t, page)
	harness.Shot(t, page, "inspector-why")
	page.ExpectClean(t)
}
