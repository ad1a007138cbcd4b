package harness

// compareScript is a script with functions that compare a drawn text or bar with the values that it names as its sources: `wrong` returns the difference, or
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
		const of = m.lane === null || !whole.lanes?.length ? whole : whole.lanes[m.lane]; // one informer is the whole state
		const what = m.part ? wrongShare(m, of, now) : wrongText(m, of, now);
		return what && (m.station + ": " + (m.part ? m.part + " of " + m.whole + " is drawn as " + m.geometry
			: m.of + " as " + m.as + " is drawn as " + JSON.stringify(m.words)) + ", and " + what);
	};
`

// Unstored is a script that returns the classes of the frames that the two maps are to have at a paused moment, sorted: in the cluster's, and in the store's.
const Unstored = `informerscope.state().then(async (s) => {
	const {there, here} = {there: [], here: []};
	for (const e of s.facts.unstored) {
		const stored = await informerscope.object(e.key).then((o) => !o.deleted && o.rv !== '', () => false);
		const kind = {Added: 'f-add', Updated: 'f-upd', Deleted: 'f-del'}[e.op];
		if (stored) here.push(kind);
		if (stored || e.op !== 'Deleted') there.push(stored ? kind : 'f-add');
	}
	return {there: there.sort(), here: here.sort()};
})`

// Framed is a script, a function of a root, that returns the classes of the frames that its two maps show, as Unstored does. A path has all of a kind.
const Framed = `((root) => {
	const shown = (q) => [...root.querySelectorAll(q + ' path')].filter((el) => el.checkVisibility())
		.flatMap((el) => Array(el.getAttribute('d').split('M').length - 1).fill(el.getAttribute('class'))).sort();
	return {there: shown('.frames:not(.behind)'), here: shown('.frames.behind')};
})`

// FindUntrue is a script that compares what is drawn with informerscope.state() while no time passes. Parts that are painted in turns get a moment. It
// returns how many texts and bars it compared, and those that differ.
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
// frame. How far API server, Reflector, queue, Indexer and lister are must be of one moment. It keeps these moments in window.moments for
// sameInTheLog.
const FindUntrueLive = `(async (waits) => {` + compareScript + `
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

// Truth is what the comparison of a page with its state found.
type Truth struct {
	Compared int      `json:"compared"`
	Wrong    []string `json:"wrong"`
	Seq      uint64   `json:"seq"`
	Clocks   []string `json:"clocks"` // texts that run with the clock
	Apart    int      `json:"apart"`  // checks whose parts were of several moments
}
