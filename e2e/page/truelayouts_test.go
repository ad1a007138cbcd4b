package page_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// three are three listeners of which one has not synced, with a controller that writes.
const three = `{listeners: ["printer", "metrics", "mailer"].map((name, i) => ({...fake.base().listeners[0], id: i + 1, name, synced: i !== 1})),
	workqueue: {writing: true, writes: 3, lastWrite: {key: "default/a", verb: "PATCH", worker: 1, rv: "5300", newRV: "5301", atMillis: 900, tookMicros: 90}}}`

// onAnother is a script that lists visible elements of one selector that overlap visible ones of another.
const onAnother = `((one, other) => {
	const shown = (q) => [...document.querySelectorAll(q)].filter((e) => e.checkVisibility({visibilityProperty: true}) && e.getBoundingClientRect().width > 0);
	return shown(one).flatMap((a) => shown(other).filter((b) => {
		const [p, q] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
		return p.left < q.right && q.left < p.right && p.top < q.bottom && q.top < p.bottom;
	}).map((b) => (a.textContent || a.getAttribute('class')) + ' on ' + b.getAttribute('class')));
})`

// TestLayoutsWhereRoomIsScarce checks layouts at sizes in which something was once cut, covered or illegible.
func TestLayoutsWhereRoomIsScarce(t *testing.T) {
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenFake(t, browser.StartForTest(t), srv, "&source=sim&namespace=&lang=en", 1280, 720)
	show := func(change string) { t.Helper(); harness.EvalIn[bool](t, p, "fake.show("+change+")") }
	size := func(width, height int64) {
		t.Helper()
		if err := p.Resize(harness.Timeout(t, 30*time.Second), width, height); err != nil {
			t.Fatal(err)
		}
		harness.Settle(t, p)
	}

	// The buttons of a held stage are labelled as far as they have room, and no label is cut.
	show(`{holds: [{stage: "pop", waiting: true, sinceMillis: 900, releases: 0}, {stage: "store", waiting: true, sinceMillis: 900, releases: 0},
		{stage: "take", waiting: true, sinceMillis: 900, releases: 0}, {stage: "deliver", listener: 1, waiting: true, sinceMillis: 900, releases: 0}]}`)
	cut := harness.EvalIn[[]string](t, p, `[...document.querySelectorAll('#app .sbtn')].filter((b) => b.checkVisibility() && /release|^n|all/.test(b.textContent))
		.filter((b) => b.scrollWidth > b.clientWidth || b.textContent.includes('…')).map((b) => b.textContent)`)
	for _, words := range cut {
		t.Errorf("a button is cut: %q", words)
	}
	if all := harness.EvalIn[string](t, p, "fake.words()"); !strings.Contains(all, "release n") {
		t.Error("no button releases n")
	}
	harness.Shot(t, p, "room-held")
	show(`{holds: []}`)

	// Chips of writes pass behind the text about the last write.
	show(three)
	covered := harness.EvalIn[[]int](t, p, `(async () => {
		const label = [...document.querySelectorAll('#app svg text')].find((e) => /^PATCH/.test(e.textContent)).getBoundingClientRect();
		const over = [...document.querySelectorAll('#app .tokens canvas')];
		let on = 0;
		let beside = 0;
		await fake.show({}, {wait: 1, only: [], moves: [{p: 'write', o: '', k: 'default/a', s: 50}]});
		for (let t0 = performance.now(); performance.now() - t0 < 6000 && (beside === 0 || performance.now() - t0 < 1500);) {
			await new Promise((r) => requestAnimationFrame(r));
			for (const c of over) {
				const box = c.getBoundingClientRect();
				const k = c.width / box.width;
				const drawn = (x, y, w, h) => x + w > 0 && y + h > 0 && x < c.width && y < c.height && c.getContext('2d').getImageData(x, y, w, h).data.some((v) => v);
				const y = (label.top - box.top) * k;
				if (drawn((label.left - box.left) * k, y, label.width * k, label.height * k)) on++;
				if (drawn((label.right + 40 - box.left) * k, y, 300 * k, label.height * k)) beside++;
			}
		}
		return [on, beside];
	})()`)
	if covered[0] > 0 || covered[1] == 0 {
		t.Errorf("chips are drawn over the words in %d animation frames, and beside them in %d", covered[0], covered[1])
	}

	// A page zoomed to twice its size is laid out for its room, and remains legible.
	size(640, 360)
	small := harness.EvalIn[[]string](t, p, `[...document.querySelectorAll('#app svg text, #app button, #app p, #app b')]
		.filter((e) => e.textContent.trim() && e.checkVisibility({visibilityProperty: true}))
		.map((e) => [parseFloat(getComputedStyle(e).fontSize) * (e.getScreenCTM?.().a ?? 1), e.textContent])
		.filter(([px]) => px < 11)
		.map(([px, w]) => px.toFixed(1) + ' px: ' + w)`)
	for _, words := range small {
		t.Errorf("at 640×360 type has %s", words)
	}
	if room := harness.EvalIn[float64](t, p, "document.querySelector('.pscroll').clientHeight"); room < 200 {
		t.Errorf("at 640×360 the rail has %.0f px", room)
	}
	harness.Shot(t, p, "room-640")

	// Presenter mode on a 4:3 screen: what belongs to a ring is beside it, with its name, and no number is inside a worker.
	size(1024, 768)
	harness.EvalIn[bool](t, p, "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'p', bubbles: true}))")
	for _, state := range []struct{ name, change, focus string }{
		{"at rest", `{}`, `["indexer", "listeners"]`},
		{"Pop held", `{holds: [{stage: "pop", waiting: true, sinceMillis: 900, releases: 0}]}`, `["queue", "listeners"]`},
	} {
		show(state.change + ", {jump: true, facts: {focus: " + state.focus + "}}")
		harness.WaitFor(t, p, fmt.Sprintf("(%s).length > 0 && !!document.querySelector('.presv .hbox')", shownWords))
		for _, on := range harness.EvalIn[[]string](t, p, onAnother+"('.presv text.p16', '.presv :is(.ring, .trkr)')") {
			if strings.Contains(on, "synced") {
				t.Errorf("presenter, %s: %s", state.name, on)
			}
		}
		for _, w := range harness.EvalIn[[]string](t, p, "[...document.querySelectorAll('.presv .worker')].map((e) => e.nextElementSibling?.textContent ?? '')") {
			if w == "0" {
				t.Errorf("presenter, %s: a worker is called 0", state.name)
			}
		}
		words := harness.EvalIn[string](t, p, "("+shownWords+").join('\\n')")
		for _, name := range []string{"printer", "metrics", "mailer"} {
			if !strings.Contains(words, name) {
				t.Errorf("presenter, %s: nothing says %s", state.name, name)
			}
		}
		harness.Shot(t, p, "room-presenter-"+strings.ReplaceAll(state.name, " ", "-"))
	}
	show(`{holds: []}, {jump: true, facts: {focus: ["indexer", "listeners"]}}`)

	// Its timeline is hatched where the log has dropped events, up to the log's first one, and nothing of the past is drawn there.
	const strip = `(() => {
		const el = document.querySelector('.presv .forgotten');
		const hatch = el.querySelector('.hatch'), width = Number(hatch.getAttribute('width'));
		const begins = (path) => Number(path.getAttribute('d').match(/^M([\d.]+)/)?.[1] ?? 0);
		const past = [...el.parentNode.querySelectorAll('path.pl')].map(begins);
		return {on: hatch.getBoundingClientRect().width > 0, width, end: Number(hatch.getAttribute('x')) + width,
			line: begins(el.querySelector('.gone-line')), past};
	})()`
	type stripDrawn struct {
		On               bool
		Width, End, Line float64
		Past             []float64
	}
	if is := harness.EvalIn[stripDrawn](t, p, strip); is.On {
		t.Errorf("nothing was forgotten, and %+v is hatched", is)
	}
	show(`{}, {firstMillis: 500, view: {first: 20}}`)
	harness.WaitFor(t, p, strip+".on")
	if is := harness.EvalIn[stripDrawn](t, p, strip); is.Width < 20 || is.Line != is.End || len(is.Past) != 2 || is.Past[0] != is.End || is.Past[1] != is.End {
		t.Errorf("the log begins at 500 ms, and its line of time is drawn as %+v", is)
	}
	harness.Shot(t, p, "room-presenter-forgotten")
	show(`{}, {view: {first: 1}}`)
	harness.WaitFor(t, p, "!"+strip+".on")

	// The phone in presenter mode: a lamp is beside its handler.
	size(390, 844)
	harness.WaitFor(t, p, "!!document.querySelector('.phonev.pres .hbox')")
	for _, on := range harness.EvalIn[[]string](t, p, onAnother+"('.phonev .lamp', '.phonev .hbox')") {
		t.Errorf("phone: %s", on)
	}
	harness.Shot(t, p, "room-phone")

	// A line ends where a clause does, if the number of lines allows it: as wide as the longest clause, in any font.
	for _, c := range []struct{ words, want string }{
		{"Pop is held. The Reflector runs on and the queue grows by 24 a second; the store stays at rv 979.",
			"Pop is held.|The Reflector runs on and the queue grows by 24 a second;|the store stays at rv 979."},
		{"Short.", "Short."},
	} {
		got := harness.EvalIn[string](t, p, fmt.Sprintf(`(async () => {
			const {width, wrapClauses} = await import(new URL("kit/measure.js", location.href.replace(/#.*$/, "")).href);
			const room = Math.max(...%s.split('|').map((line) => width(line, '30px'))) + 1;
			return wrapClauses(%s, room, 3, '30px').join('|');
		})()`, harness.Quote(c.want), harness.Quote(c.words)))
		if got != c.want {
			t.Errorf("%q breaks as %q", c.words, got)
		}
	}
	p.ExpectClean(t)
}

// shownWords are the texts of presenter mode.
const shownWords = `[...document.querySelectorAll('.presv text')]
	.filter((e) => e.checkVisibility({visibilityProperty: true}))
	.map((e) => e.textContent)
	.filter(Boolean)`
