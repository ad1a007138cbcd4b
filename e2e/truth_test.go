package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// reckon is a script with functions that compare a drawn text or bar with the values that it names as its sources: `wrong` returns the difference, or
// nothing. It reads paths, sums and words as Txt.of in web/dom.js writes them. A path begins at the object `of`. The moment on the log's clock is
// `now`.
const reckon = `
	const base = location.href.replace(/#.*$/, "");
	const format = await import(new URL("format.js", base).href);
	const {t} = await import(new URL("i18n.js", base).href);
	const member = (path, of) => path.split(/[.\[]/).reduce((v, name) => {
		const by = name.match(/^(\w+)=(.*)\]$/);
		return by ? v?.find?.((x) => String(x[by[1]]) === by[2]) : v?.[name.replace(/\]$/, "")];
	}, of);
	const sums = {"+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b, max: Math.max, min: Math.min};
	const value = (sum, of, now) => {
		const one = (word) => word === "now" ? now : /^[\d.]+$/.test(word) ? Number(word) : member(word, of);
		const [first, ...rest] = sum.split(" ");
		let v = one(first);
		for (let i = 0; i < rest.length; i += 2) v = sums[rest[i]](v, one(rest[i + 1]));
		return v;
	};
	const words = (as, v) => {
		const [name, ...more] = as.split(" ");
		return name === "same" ? String(v) : format[name](v, ...more.map(Number));
	};
	const wrongText = (m, of, now) => {
		const [as, ...more] = m.as.split(" ");
		if (as === "t") { // a sentence, with its arguments
			const args = Object.fromEntries(m.of.split("; ").map((arg) => {
				const [, name, how, sum] = arg.match(/^(\w+)=(\w+) (.*)$/);
				return [name, words(how, value(sum, of, now))];
			}));
			const want = t(more[0], args);
			const [head, cut] = m.words.split("…"); // abbreviated for lack of room
			return (cut === undefined ? m.words === want : want.startsWith(head)) ? "" : "it is " + JSON.stringify(want);
		}
		const v = value(m.of, of, now);
		if (as === "fit" || as === "middle") { // a name that is abbreviated for lack of room
			const [first, last] = m.words.split("…");
			if (last === undefined ? m.words === v : String(v).startsWith(first) && String(v).endsWith(last)) return "";
		} else if (v !== undefined) {
			const want = more[0] === "behind" ? t(more[1]) + ", " + words(as, v) : words(m.as, v);
			if (m.words === want) return "";
		}
		return "it is " + JSON.stringify(v);
	};
	// A bar's width is written to a tenth of a unit. The end of an arc, written to a hundredth, gives how far it goes around.
	const wrongShare = (m, of, now) => {
		const part = value(m.part, of, now), all = value(m.whole, of, now);
		const share = Math.max(0, m.curve ? Math.log1p(part / m.curve) / Math.log1p(all / m.curve) : part / all);
		if (m.room) {
			const want = Math.max(m.least, m.room * Math.min(1, share));
			return Math.abs(Number(m.geometry) - want) <= 0.0501 ? "" : "of " + m.room + " it is " + want;
		}
		const [x0, y0, r, , , , sweep, x, y] = m.geometry.match(/-?[\d.]+/g).map(Number);
		const [cx, cy] = sweep ? [x0, y0 + r] : [x0 - r, y0]; // from the top clockwise, or from three o'clock anticlockwise
		const turn = sweep ? Math.atan2(x - cx, cy - y) : Math.atan2(cy - y, x - cx);
		const drawn = (turn / (2 * Math.PI) + 1) % 1;
		const off = Math.abs(drawn - (sweep ? Math.min(share, 0.9999) : Math.min(Math.max(share, 0.012), 0.9999)));
		return Math.min(off, 1 - off) <= 0.01 / r ? "" : "the arc goes around " + drawn.toFixed(4) + ", and it is " + share;
	};
	const wrong = (m, whole, now) => {
		const of = m.lane === null ? whole : whole.lanes[m.lane];
		const what = m.part ? wrongShare(m, of, now) : wrongText(m, of, now);
		return what && (m.station + ": " + (m.part ? m.part + " of " + m.whole + " is drawn as " + m.geometry
			: m.of + " as " + m.as + " is drawn as " + JSON.stringify(m.words)) + ", and " + what);
	};
`

// untrue is a script that compares what is drawn with informerscope.state() while no time passes. Parts that are painted in turns get a moment. It
// returns how many texts and bars it compared, and those that differ.
const untrue = `(async () => {` + reckon + `
	const look = async () => {
		const s = await informerscope.state();
		// The log grows while the view stands still: how far the view is behind is that of the painted frame.
		const all = informerscope.drawn().map(({painted, marks}) => ({marks, whole: {...s, view: painted?.lanes[0].view ?? s.view}}));
		const wrongs = all.flatMap(({marks, whole}) => marks.map((m) => wrong(m, whole, s.atMillis))).filter(Boolean);
		return {compared: all.reduce((n, d) => n + d.marks.length, 0), wrong: wrongs, seq: s.seq};
	};
	let found;
	for (let i = 0; i < 50; i++) {
		found = await look();
		if (!found.wrong.length) break;
		await new Promise((r) => setTimeout(r, 100));
	}
	return found;
})()`

// untrueLive is a script that checks a page whose time runs, after each of the given waits (ms). It reads what is drawn in one task, with the moment
// from which each part says it was painted, and compares it with the page's State and facts of that moment. Nothing may differ, not for one animation
// frame. How far API server, Reflector, queue, Indexer and lister are must be of one moment. It keeps these moments in window.moments for
// sameInTheLog.
const untrueLive = `(async (waits) => {` + reckon + `
	const found = {compared: 0, wrong: [], seq: 0, clocks: [], apart: 0};
	window.moments ??= new Map();
	for (const ms of waits) {
		await new Promise((r) => setTimeout(r, ms));
		const all = informerscope.drawn();
		found.apart += new Set(all.map((d) => d.painted?.seq)).size > 1;
		const together = all.filter((d) => d.marks.some((m) => m.early || m.station === "api" || m.station === "reflector"));
		if (new Set(together.map((d) => d.painted?.seq)).size > 1) {
			found.wrong.push("numbers that are compared are of the events " + together.map((d) => d.painted?.seq));
		}
		for (const {painted, marks} of all) {
			if (!painted) {
				found.wrong.push(...marks.map((m) => (m.of ?? m.part) + " is drawn, and nothing says from which moment"));
				continue;
			}
			const lanes = painted.lanes.map(({state, facts}) => ({...state, facts}));
			const whole = {...lanes[0], lanes, factory: painted.factory, seq: painted.seq, atMillis: painted.atMillis, view: painted.lanes[0].view};
			found.compared += marks.length;
			found.seq = Math.max(found.seq, painted.seq);
			for (const m of marks) {
				if (/\bnow\b/.test(m.of ?? m.part)) found.clocks.push(m.of ?? m.part);
				const what = wrong(m, whole, painted.now);
				if (what) found.wrong.push("event " + painted.seq + ", " + what);
			}
			window.moments.set(painted.seq, painted);
		}
	}
	found.clocks = [...new Set(found.clocks)];
	return found;
})`

// sameInTheLog is a script that goes to each of the moments that untrueLive kept. It compares the page's state of then, member by member, with the
// worker's fold of the log up to there. The fold is of the moment of that event, and on the page some time may have passed since. So facts that
// depend on the clock too (byClock) are left out.
const sameInTheLog = `(async () => {
	const byClock = new Set(["growing", "wireMicros", "writesPerSecond", "listeners", "focus", "sentence"]);
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

type truth struct {
	Compared int      `json:"compared"`
	Wrong    []string `json:"wrong"`
	Seq      uint64   `json:"seq"`
	Clocks   []string `json:"clocks"` // texts that run with the clock
	Apart    int      `json:"apart"`  // checks whose parts were of several moments
}

// TestEveryLayoutTellsTheTruth compares every drawn number, name, age and bar with the state of its moment, on every layout. It does so without
// stopping while events stream, while Pop is held, while the Reflector backs off, and while the log plays. It does so where the log stops, after
// seeks, with a held queue and a slow handler, and in a recording of all that.
func TestEveryLayoutTellsTheTruth(t *testing.T) {
	srv := startServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	const simulated = "&source=sim&seed=7&objects=120&rate=25&lang=en&transform=managedFields"
	for _, layout := range []struct {
		name, fragment string
		width, height  int64
		each           bool   // open each station in turn, as on the phone
		least          int    // least number of compared texts
		clock          string // a text that runs with the clock and must have been compared
	}{
		{"stage", "", 1280, 720, false, 10, "reflector.backoffSince"},
		{"presenter", "&presenter=1", 1280, 720, false, 8, "reflector.backoffSince"},
		{"presenter 4 to 3", "&presenter=1", 1024, 768, false, 8, "reflector.backoffSince"},
		{"phone", "", 390, 844, true, 6, "reflector.backoffSince"},
		{"phone presenting", "&presenter=1", 390, 844, false, 5, "reflector.backoffSince"},
		{"two releases", "&era=1.31,1.37", 1280, 720, false, 8, "reflector.backoffSince"},
		{"two releases presenting", "&era=1.31,1.37&presenter=1", 1280, 720, false, 6, "reflector.backoffSince"},
		{"factory", "&resource=pods,nodes,deployments.apps", 1280, 720, false, 20, ""},
		{"factory, one on the stage", "&resource=pods,nodes&lane=0", 1280, 720, false, 10, "reflector.backoffSince"},
		{"embed api", "&embed=api", 640, 480, false, 1, ""},
		{"embed reflector", "&embed=reflector", 640, 480, false, 1, "reflector.backoffSince"},
		{"embed queue", "&embed=queue", 640, 480, false, 1, ""},
		{"embed indexer", "&embed=indexer", 640, 480, false, 1, "facts.staleSince"},
		{"embed listeners", "&embed=listeners", 640, 480, false, 1, "listeners.2.handlingSince"},
		{"embed controller", "&embed=controller", 640, 480, false, 1, ""},
	} {
		t.Run(layout.name, func(t *testing.T) {
			p := b.OpenForTest(t, srv.url+simulated+layout.fragment, layout.width, layout.height)
			await(t, p, 2*time.Minute, "s.queue.synced && s.seq > 300")
			compared := 0
			random := rand.New(rand.NewPCG(7, uint64(len(layout.name))))
			var clocks []string
			apart := 0
			live := func(what string) {
				t.Helper()
				waits := make([]int, 8)
				for i := range waits {
					waits[i] = random.IntN(120)
				}
				got := evalIn[truth](t, p, fmt.Sprintf("%s(%s)", untrueLive, strings.ReplaceAll(fmt.Sprint(waits), " ", ", ")))
				if got.Compared == 0 {
					t.Errorf("%s nothing was compared", what)
				}
				clocks = append(clocks, got.Clocks...)
				apart += got.Apart
				for _, wrong := range got.Wrong {
					t.Errorf("%s: %s", what, wrong)
				}
			}
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
			live("while events stream")
			// A queue that waits, a ring that fills, and a watch that breaks.
			call(t, p, "pace(3, 40)")
			call(t, p, "hold('pop')")
			call(t, p, "cluster('burst', {n: 40})")
			await(t, p, time.Minute, "s.queue.depth > 20")
			live("while Pop is held")
			call(t, p, "pause()")
			look("Pop held")
			call(t, p, "live()")
			call(t, p, "release('pop', 0)")
			call(t, p, "fault('refuse', {on: true})")
			call(t, p, "fault('cut')")
			await(t, p, time.Minute, "s.reflector.phase === 'backoff'")
			live("while the Reflector waits")
			call(t, p, "fault('refuse', {on: false})")
			await(t, p, time.Minute, "s.reflector.watches > 1 && s.reflector.phase === 'watching' && s.queue.depth === 0")
			call(t, p, "pause()")
			head := await(t, p, time.Minute, "s.view.mode === 'paused'").Seq
			look("paused")
			for range 3 {
				seq := 1 + random.Uint64N(head)
				call(t, p, "seek(%d)", seq)
				await(t, p, time.Minute, "s.seq === %d", seq)
				look("after a seek")
				call(t, p, "step(%d)", 1-2*random.IntN(2))
				look("a step from there")
			}
			call(t, p, "seek(%d)", head/2)
			call(t, p, "play(0.5)")
			live("while the log plays at half its speed")
			call(t, p, "pause()")
			logged := evalIn[truth](t, p, sameInTheLog)
			if logged.Compared == 0 {
				t.Error("no moment that was looked at live was compared with the log")
			}
			for _, wrong := range logged.Wrong {
				t.Errorf("afterwards in the log: %.600s", wrong)
			}
			if layout.clock != "" && !strings.Contains(strings.Join(clocks, "\n"), layout.clock) {
				t.Errorf("nothing drawn from %s was compared while time ran, only %q", layout.clock, clocks)
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
			t.Logf("%d texts at most were compared at a moment; at %d looks of 32 what was drawn was of several moments; %d members compared with the log",
				compared, apart, logged.Compared)
			p.ExpectClean(t)
		})
	}
}
