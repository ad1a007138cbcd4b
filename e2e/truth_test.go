package e2e

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// untrue is a script that holds what is drawn against informerscope.state(): every visible text that says of which member it tells
// (data-of) and how its words are made (data-as, a function of web/format.js) must say that member's value, in the lane that it stands in
// (data-lane) where there are several. What is painted in turns has a moment to come. It gives how many texts were compared, and those that differ.
const untrue = `(async () => {
	const format = await import(new URL("format.js", location.href.replace(/#.*$/, "")).href);
	const member = (of, s) => of.split(/[.\[]/).reduce((v, name) => {
		const by = name.match(/^(\w+)=(.*)\]$/);
		return by ? v?.find?.((x) => String(x[by[1]]) === by[2]) : v?.[name.replace(/\]$/, "")];
	}, s);
	const seen = (el) => el.checkVisibility({opacityProperty: true, visibilityProperty: true}) && el.getBoundingClientRect().width > 0;
	const look = async () => {
		const s = await informerscope.state();
		const wrong = [];
		let compared = 0;
		for (const el of document.querySelectorAll("[data-of]")) {
			const words = [...el.childNodes].filter((n) => n.nodeName !== "title").map((n) => n.textContent).join("");
			if (!words || !el.dataset.of || !seen(el)) continue;
			compared++;
			const lane = el.closest("[data-lane]")?.dataset.lane;
			const value = member(el.dataset.of, lane === undefined ? s : s.lanes[lane]);
			const [as, ...more] = (el.dataset.as ?? "same").split(" ");
			if (as === "fit" || as === "middle") { // a name that is cut where there is no room for it
				const [first, last] = words.split("…");
				if (last === undefined ? words === value : String(value).startsWith(first) && String(value).endsWith(last)) continue;
			} else if (value !== undefined && words === (as === "same" ? String(value) : format[as](value, ...more.map(Number)))) continue;
			wrong.push(el.dataset.of + " as " + el.dataset.as + " is drawn as " + JSON.stringify(words) + ", and it is " + JSON.stringify(value));
		}
		return {compared, wrong, seq: s.seq};
	};
	let found;
	for (let i = 0; i < 50; i++) {
		found = await look();
		if (!found.wrong.length) break;
		await new Promise((r) => setTimeout(r, 100));
	}
	return found;
})()`

type truth struct {
	Compared int      `json:"compared"`
	Wrong    []string `json:"wrong"`
	Seq      uint64   `json:"seq"`
}

// TestEveryLayoutTellsTheTruth holds every number and name that is drawn against the state of the moment, on every layout: where the log was
// stopped, where it is gone to and back, with a queue that is held and a handler that is slow, and in the recording of all that.
func TestEveryLayoutTellsTheTruth(t *testing.T) {
	srv := startServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	const simulated = "&source=sim&seed=7&objects=120&rate=25&lang=en&transform=managedFields"
	for _, layout := range []struct {
		name, fragment string
		width, height  int64
		each           bool // station is opened, one after the other, as on the phone
		least          int  // texts that must have been compared
	}{
		{"stage", "", 1280, 720, false, 10},
		{"presenter", "&presenter=1", 1280, 720, false, 8},
		{"presenter 4 to 3", "&presenter=1", 1024, 768, false, 8},
		{"phone", "", 390, 844, true, 6},
		{"phone presenting", "&presenter=1", 390, 844, false, 5},
		{"two eras", "&era=1.31,1.37", 1280, 720, false, 8},
		{"two eras presenting", "&era=1.31,1.37&presenter=1", 1280, 720, false, 6},
		{"factory", "&resource=pods,nodes,deployments.apps", 1280, 720, false, 20},
		{"factory, one on the stage", "&resource=pods,nodes&lane=0", 1280, 720, false, 10},
		{"embed api", "&embed=api", 640, 480, false, 1},
		{"embed reflector", "&embed=reflector", 640, 480, false, 1},
		{"embed queue", "&embed=queue", 640, 480, false, 1},
		{"embed indexer", "&embed=indexer", 640, 480, false, 1},
		{"embed listeners", "&embed=listeners", 640, 480, false, 1},
		{"embed controller", "&embed=controller", 640, 480, false, 1},
	} {
		t.Run(layout.name, func(t *testing.T) {
			p := b.OpenForTest(t, srv.url+simulated+layout.fragment, layout.width, layout.height)
			await(t, p, 2*time.Minute, "s.queue.synced && s.seq > 300")
			compared := 0
			holds := func(what string) {
				t.Helper()
				got := evalIn[truth](t, p, untrue)
				compared = max(compared, got.Compared)
				for _, wrong := range got.Wrong {
					t.Errorf("%s, event %d: %s", what, got.Seq, wrong)
				}
			}
			look := func(what string) {
				t.Helper()
				await(t, p, time.Minute, "s.view.mode === 'paused' || s.source.kind === 'file'")
				holds(what)
				if !layout.each {
					return
				}
				for _, station := range []string{"api", "reflector", "queue", "indexer", "controller", "listeners"} {
					evalIn[bool](t, p, fmt.Sprintf(`(() => {
						const el = document.querySelector(".phonev .ptap[data-station=%s]");
						if (el.getAttribute("aria-expanded") !== "true") el.dispatchEvent(new MouseEvent("click", {bubbles: true}));
						return true;
					})()`, station))
					waitFor(t, p, fmt.Sprintf(`document.querySelector(".phonev .ptap[data-station=%s]")?.getAttribute("aria-expanded") === "true"`, station))
					holds(what + ", " + station + " open")
				}
			}
			// A queue that waits, a ring that fills, and a watch that breaks.
			call(t, p, "pace(3, 40)")
			call(t, p, "hold('pop')")
			call(t, p, "cluster('burst', {n: 40})")
			await(t, p, time.Minute, "s.queue.depth > 20")
			call(t, p, "pause()")
			look("Pop held")
			call(t, p, "live()")
			call(t, p, "release('pop', 0)")
			call(t, p, "fault('cut')")
			await(t, p, time.Minute, "s.reflector.watches > 1 && s.reflector.phase === 'watching' && s.queue.depth === 0")
			call(t, p, "pause()")
			head := await(t, p, time.Minute, "s.view.mode === 'paused'").Seq
			look("paused")
			random := rand.New(rand.NewPCG(head, uint64(len(layout.name))))
			for range 3 {
				seq := 1 + random.Uint64N(head)
				call(t, p, "seek(%d)", seq)
				await(t, p, time.Minute, "s.seq === %d", seq)
				look("after a seek")
				call(t, p, "step(%d)", 1-2*random.IntN(2))
				look("a step from there")
			}
			evalIn[bool](t, p, `(async () => { const {text} = await informerscope.record(); await informerscope.load(text); return true; })()`)
			await(t, p, time.Minute, "s.source.kind === 'file'")
			for range 2 {
				seq := 1 + random.Uint64N(head)
				call(t, p, "seek(%d)", seq)
				await(t, p, time.Minute, "s.seq === %d", seq)
				look("in the recording")
			}
			if compared < layout.least {
				t.Errorf("%d texts say where they come from, want %d at least", compared, layout.least)
			}
			t.Logf("%d texts at most were compared at a moment", compared)
			p.ExpectClean(t)
		})
	}
}
