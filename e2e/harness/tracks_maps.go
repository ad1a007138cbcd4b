package harness

// WrongMaps is a script that reads both maps, cell by cell, while no time passes: what the page says of each cell that the keyboard comes to. It returns how
// many cells it read, and how they differ from state() and from the keys that the store's index of namespaces has. It reads none where a square stands
// for several objects, where the maps have no room, and on the phone, whose maps name no cell.
const WrongMaps = `(async () => {
	const base = location.href.replace(/#.*$/, "");
	const {middle} = await import(new URL("kit/format.js", base).href);
	const {t} = await import(new URL("kit/i18n.js", base).href);
	const s = await informerscope.state();
	const found = {compared: 0, wrong: [], seq: s.seq};
	const canvas = document.querySelector(".world-store canvas");
	if (document.querySelector("#app.view-phone")) return found;
	if (!canvas?.checkVisibility() || s.fork || !s.world.known || canvas.closest("figure").querySelector("figcaption span").textContent) return found;
	const press = (key) => canvas.dispatchEvent(new KeyboardEvent("keydown", {key, cancelable: true}));
	const at = () => { const {left, top} = document.querySelector(".world-store .world-pointed").style; return left + top; };
	for (let was = null; was !== at();) {
		was = at();
		press("ArrowLeft");
	}
	const marks = Object.fromEntries(["same", "older", "missing", "gone", "unsent", "left"].map((mark) => [mark, []]));
	for (let was = null; was !== at() && document.querySelector(".world-name").checkVisibility();) {
		was = at();
		const words = document.querySelector(".world-name").textContent;
		const mark = Object.keys(marks).find((m) => words.includes(t("worlds.cellLabel", {k: "", m: t("worlds.mark." + m)})));
		if (mark) marks[mark].push(words.split(/, |，/)[0]);
		else found.wrong.push("a cell says " + words);
		found.compared++;
		press("ArrowRight");
	}
	canvas.dispatchEvent(new Event("blur"));
	const {same, older, missing, gone, unsent, left} = marks;
	const agree = (what, drawn, is) => drawn === is || found.wrong.push(what + ": the maps show " + drawn + ", and it is " + is);
	agree("objects of the cluster", same.length + older.length + missing.length + unsent.length + left.length, s.world.objects);
	agree("objects that are not sent", unsent.length + left.length, s.world.unsent);
	// An object whose creation and deletion are both still to come has changes that the store lacks, and stands in neither map.
	const apart = older.length + missing.length + gone.length + left.length;
	if (apart > s.world.apartObjects) found.wrong.push("the maps show " + apart + " objects that differ, and the state has " + s.world.apartObjects);
	const stored = [...same, ...older, ...gone, ...left];
	agree("objects of the store", stored.length, s.indexer.count);
	const values = s.indexer.indices.namespace ? (await informerscope.index("namespace")).values ?? [] : [];
	const keys = (await Promise.all(values.map(({value}) => informerscope.index("namespace", value)))).flatMap((x) => x.keys ?? []);
	if (keys.length) agree("keys of the store", stored.sort().join(), keys.map((k) => middle(k, 26)).sort().join());
	return found;
})()`
