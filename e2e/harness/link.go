package harness

// Story is what one page has at a moment: its state without measured times, and the hash of its log up to there.
type Story struct {
	Seq    uint64 `json:"seq"`
	State  string `json:"state"`
	Hash   string `json:"hash"`
	Events int    `json:"events"`
	Lines  []string
}

// Tell is a script that returns the story up to the page's moment. It leaves out what is measured in real time: stamps and durations of the queue and
// of handlers, rates, and the facts derived from them.
const Tell = `(async () => {
	const s = await informerscope.state();
	const measured = new Set(["view", "live", "meanMicros", "handlingSince", "backoffSince", "staleSince", "writesPerSecond", "depths", "focus",
		"in", "out", "slow", "drainMillis", "due", "markSince", "wireMicros", "sentence", "headline", "oldestMillis", "cameMillis",
		"atMillis", "sentMillis", "sinceMillis", "requestMillis", "lastErrorMillis", "dueMillis", "setMillis", "nextResyncMillis"]);
	const clean = (v) => {
		if (Array.isArray(v)) return v.map(clean);
		if (!v || typeof v !== "object") return v;
		// The facts' main listener is chosen with a minimum of time between two choices.
		return Object.fromEntries(Object.keys(v).filter((k) => !measured.has(k) && !(k === "listener" && "listeners" in v)).sort().map((k) => [k, clean(v[k])]));
	};
	const text = (await informerscope.record()).text;
	const lines = [];
	for (const l of text.split("\n").slice(1)) {
		if (!l) continue;
		const e = JSON.parse(l);
		if (e.s > s.seq) break;
		delete e.t;
		if (e.k === "Handled" || e.k === "Processed") delete e.d;
		lines.push(JSON.stringify(e));
	}
	const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(lines.join("\n"))));
	const hash = [...bytes.slice(0, 8)].map((b) => b.toString(16).padStart(2, "0")).join("");
	return {seq: s.seq, state: JSON.stringify(clean(s)), hash, events: lines.length, Lines: %t ? lines : []};
})()`
