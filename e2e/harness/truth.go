package harness

// compareScript is a script with functions that compare a drawn text with the values that it names as its sources: `wrong` returns the difference, or
// nothing. It reads paths, sums and words as Txt.bind in web/kit/dom.js writes them. A path begins at the object `of`. The moment on the log's clock is
// `now`.
const compareScript = `
	const base = location.href.replace(/#.*$/, "");
	const format = await import(new URL("kit/format.js", base).href);
	const {t} = await import(new URL("kit/i18n.js", base).href);
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
		return v !== undefined && m.words === words(m.as, v) ? "" : "it is " + JSON.stringify(v);
	};
	const wrong = (m, whole, now) => {
		const of = m.lane === null || !whole.lanes?.length ? whole : whole.lanes[m.lane]; // one informer is the whole state
		const what = wrongText(m, of, now);
		return what && (m.station + ": " + m.of + " as " + m.as + " is drawn as " + JSON.stringify(m.words) + ", and " + what);
	};
`

// FindUntrue is a script that compares what is drawn with informerscope.state() while no time passes. Parts that are painted in turns get a moment. It
// returns how many texts it compared, and those that differ.
const FindUntrue = `(async () => {` + compareScript + `
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

// FindUntrueLive is a script that checks a page whose time runs, after each of the given waits (ms). It reads what is drawn in one task, with the moment
// from which each part says it was painted, and compares it with the page's State and facts of that moment. Nothing may differ, not for one animation
// frame. It keeps these moments in window.moments for
// sameInTheLog.
const FindUntrueLive = `(async (waits) => {` + compareScript + `
	const found = {compared: 0, wrong: [], seq: 0, apart: 0};
	window.moments ??= new Map();
	for (const ms of waits) {
		await new Promise((r) => setTimeout(r, ms));
		const all = informerscope.drawn();
		found.apart += new Set(all.map((d) => d.painted?.seq)).size > 1;
		for (const {painted, marks} of all) {
			if (!painted) {
				found.wrong.push(...marks.map((m) => m.of + " is drawn, and nothing says from which moment"));
				continue;
			}
			const lanes = painted.lanes.map(({state, facts}) => ({...state, facts}));
			const whole = {...lanes[0], lanes, factory: painted.factory, seq: painted.seq, atMillis: painted.atMillis, view: painted.lanes[0].view};
			found.compared += marks.length;
			found.seq = Math.max(found.seq, painted.seq);
			for (const m of marks) {
				const what = wrong(m, whole, painted.now);
				if (what) found.wrong.push("event " + painted.seq + ", " + what);
			}
			window.moments.set(painted.seq, painted);
		}
	}
	return found;
})`

// Truth is what the comparison of a page with its state found.
type Truth struct {
	Compared int      `json:"compared"`
	Wrong    []string `json:"wrong"`
	Seq      uint64   `json:"seq"`
	Apart    int      `json:"apart"` // checks whose parts were of several moments
}
