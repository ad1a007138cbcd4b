package page_test

import (
	"strings"
	"testing"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestWordsAreTrueOfTheMoment shows states in which a text was once false: nothing of another moment, or of another number, is shown.
func TestWordsAreTrueOfTheMoment(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenFake(t, browser.StartForTest(t), srv, "&source=sim&namespace=&lang=en", 1280, 720)
	show := func(change string) { t.Helper(); harness.EvalIn[bool](t, p, "fake.show("+change+")") }
	words := func() string { t.Helper(); return harness.EvalIn[string](t, p, "fake.words()") }
	says := func(when, want, not string) {
		t.Helper()
		all := words()
		if want != "" && !strings.Contains(all, want) {
			t.Errorf("%s nothing says %q", when, want)
		}
		if not != "" && strings.Contains(all, not) {
			t.Errorf("%s it says %q", when, not)
		}
	}

	show(`{}, {jump: true}`)
	says("at rest", "lister.Get: current", "growing")
	show(`{queue: {depth: 4, items: [1, 2, 3, 4].map((i) => ({seq: i, op: "Updated", key: "default/a" + i, rv: "535" + i}))},
		holds: [{stage: "pop", waiting: true, sinceMillis: 900, releases: 0}]}, {facts: {upToDate: false, growing: 0}}`)
	says("while Pop is held and nothing comes", "lister.Get: the store is behind", "lister.Get: current")
	says("while Pop is held and nothing comes", "", "growing")
	show(`{}, {facts: {upToDate: false, growing: 0.5}}`)
	says("while little comes", "growing, 0.5/s", "growing, 0/s")
	show(`{queue: {depth: 0, items: []}, holds: []}, {facts: {wireMicros: 212}}`)
	says("while a change is still seen to travel", "took 0.2 ms", "on the wire\nnothing")
	harness.EvalIn[bool](t, p, `fake.show({}, {facts: {wireMicros: null}})`)
	says("when nothing travels", "nothing", "took")

	// The Reflector's line of a release whose store keeps no version: its texts do not overlap, wherever the Reflector is.
	for _, behind := range []string{"0", "1", "40", "4000"} {
		show(`{era: "1.31", indexer: {resourceVersion: ""}, reflector: {resourceVersion: "5315"}}, {facts: {versions: {queued: null, behind: ` + behind +
			`, total: null}}}`)
		touching := harness.EvalIn[[]string](t, p, `(() => {
			const all = [...document.querySelectorAll('#app svg text')].filter((e) => e.textContent && e.checkVisibility({visibilityProperty: true}));
			const line = all.filter((e) => /^(store: no rv|here|cluster|here, cluster.*)$/.test(e.textContent)).map((e) => [e.textContent, e.getBoundingClientRect()]);
			if (!line.some(([w]) => w === 'store: no rv')) return ['nothing says that the store keeps no version'];
			const touch = (a, b) => a.left < b.right + 4 && b.left < a.right + 4 && a.top < b.bottom && b.top < a.bottom;
			return line.flatMap(([w, a], i) => line.slice(i + 1).filter(([, b]) => touch(a, b)).map(([v]) => w + ' and ' + v));
		})()`)
		for _, pair := range touching {
			t.Errorf("%s behind: %s touch", behind, pair)
		}
	}
	show(`{era: "1.37", indexer: {resourceVersion: "5355"}, reflector: {resourceVersion: "5355"}}`)

	// An error's frame has neither a version nor an object.
	show(`{api: {wire: [{seq: 9, op: "", rv: "", bytes: 120, atMillis: 900}, {seq: 8, op: "Added", key: "default/a", rv: "5350", bytes: 900, atMillis: 800}]}}`)
	harness.EvalIn[bool](t, p, `(() => { [...document.querySelectorAll('[role=tab]')].find((e) => /frames/.test(e.textContent)).click(); return true; })()`)
	harness.Settle(t, p)
	frame := harness.EvalIn[[]string](t, p, `(() => {
		const line = [...document.querySelectorAll('#app svg text')].find((e) => e.textContent === 'ERROR' && e.checkVisibility({visibilityProperty: true}));
		const named = [...document.querySelectorAll('#app button')].map((e) => e.getAttribute('aria-label') ?? '').find((w) => w.includes('ERROR'));
		return [line?.previousElementSibling?.getAttribute('href') ?? 'no mark', named ?? 'no name'];
	})()`)
	if frame[0] != "#g-err" || strings.Contains(frame[1], "—") || !strings.HasPrefix(frame[1], "ERROR") {
		t.Errorf("an ERROR frame has the mark %s and is called %q", frame[0], frame[1])
	}
	harness.Shot(t, p, "words-error-frame")

	// The speed beside the play button is that of the shown source.
	speed := func() string { return harness.EvalIn[string](t, p, "document.querySelector('.speed b').textContent") }
	show(`{}, {view: {mode: "playing", speed: 1 / 32, behind: 9}}`)
	if got := speed(); got != "1/32×" {
		t.Errorf("played slowly it says %s", got)
	}
	show(`{}, {view: {mode: "live", speed: 1, behind: 0}}`)
	if got := speed(); got != "1×" {
		t.Errorf("live it says %s", got)
	}

	// The text about a wait, or about quiet, ends with it.
	for _, step := range []struct{ before, after, over string }{
		{`{reflector: {phase: "backoff", backoffSince: 1000, backoffMillis: 100, backoffCause: "too old", resourceVersion: "5355"}}, {jump: true}`,
			`{reflector: {phase: "watch-listing", tempStore: 2}}, {facts: {sure: false, sentence: {id: "rewatchlist", n: 2}}}`, "tries again"},
		{`{reflector: {phase: "watching"}}, {jump: true, facts: {sentence: {id: "idle"}}}`,
			`{api: {writesPerSecond: 4}}, {facts: {sentence: {id: "flow", n: 4}}}`, "nothing changes"},
	} {
		show(step.before)
		if said := harness.EvalIn[string](t, p, "fake.caption()"); !strings.Contains(said, step.over) {
			t.Errorf("after %s it says %q", step.before, said)
		}
		show(step.after)
		if said := harness.EvalIn[string](t, p, "fake.caption()"); strings.Contains(said, step.over) {
			t.Errorf("after %s it still says %q", step.after, said)
		}
	}

	// Numbers that are compared with one another are of one moment, though the parts of the stage are painted in turns.
	apart := harness.EvalIn[[]string](t, p, `(async () => {
		const read = ([of, as]) => document.querySelector('[data-of="' + of + '.resourceVersion"][data-as=' + as + ']')?.textContent.replace(/\D/g, '') ?? 'nothing';
		const seen = new Set();
		const wrong = [];
		let on = true;
		const look = () => {
			const all = [['api', 'bigVersion'], ['reflector', 'bigVersion'], ['indexer', 'version']].map(read);
			seen.add(all[0]);
			if (new Set(all).size > 1) wrong.push(all.join(' '));
			if (on) setTimeout(look);
		};
		await fake.show({api: {resourceVersion: '6000', wire: []}, reflector: {resourceVersion: '6000'}, indexer: {resourceVersion: '6000'}}, {jump: true});
		look();
		for (let rv = 6001; rv < 6040; rv++) {
			const at = {resourceVersion: String(rv)};
			await fake.show({api: at, reflector: at, indexer: at}, {wait: 2, only: ['api', 'reflector', 'indexer']});
		}
		on = false;
		return seen.size < 5 ? ['only ' + [...seen] + ' were seen'] : wrong;
	})()`)
	for _, numbers := range apart {
		t.Errorf("API server, Reflector and Indexer stand at %s", numbers)
	}

	// Chinese as in the Chinese documentation of Kubernetes, not word for word from English.
	odd := harness.EvalIn[[]string](t, p, `(async () => {
		const {keys, setLanguage, t} = await import(new URL("kit/i18n.js", location.href.replace(/#.*$/, "")).href);
		setLanguage("zh");
		const found = keys().filter((k) => !k.startsWith("story.")).map((k) => k + ": " + t(k))
			.filter((w) => /在路上|按住|听说过|迟到者|没人看|已旧|扣下|路程|打开着|一阵|时代|别人|忘掉|响应了错误/.test(w));
		setLanguage("en");
		return found;
	})()`)
	for _, words := range odd {
		t.Error(words)
	}
	p.ExpectClean(t)
}
