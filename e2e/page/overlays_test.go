package page_test

import (
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// cutOrOver is a script that finds text of an open list that leaves its place: it runs over the card or over the text beside it, or is cut.
const cutOrOver = `((card, words) => {
	const box = document.querySelector(card).getBoundingClientRect();
	const pad = parseFloat(getComputedStyle(document.querySelector(card)).paddingRight) - 1;
	const all = [...document.querySelectorAll(words)].filter((e) => {
		const list = e.closest('.sl')?.getBoundingClientRect(); // scrolled out of sight
		const {top, bottom} = e.getBoundingClientRect();
		return e.textContent.trim() && e.checkVisibility({visibilityProperty: true}) && !(list && (top < list.top || bottom > list.bottom));
	}).map((e) => {
		const range = document.createRange();
		range.selectNodeContents(e);
		return {text: e.textContent, e, r: range.getBoundingClientRect()};
	});
	const out = [];
	for (const {text, e, r} of all) {
		if (r.right > box.right - pad || r.left < box.left + pad) out.push(text + ' runs over its card by ' + Math.round(r.right - box.right));
		if (e.tagName !== 'B' && getComputedStyle(e).overflow === 'hidden' && e.scrollWidth > e.clientWidth) out.push(text + ' is cut');
	}
	all.forEach((a, i) => all.slice(i + 1).forEach((b) => {
		const same = a.e.contains(b.e) || b.e.contains(a.e);
		if (!same && a.r.left < b.r.right - 0.5 && b.r.left < a.r.right - 0.5 && a.r.top < b.r.bottom - 2 && b.r.top < a.r.bottom - 2) {
			out.push(a.text + ' runs into ' + b.text);
		}
	}));
	return [all.length ? '' : 'nothing is there to be looked at', ...out].filter(Boolean);
})`

// TestListsHaveRoomForTheirWords opens the list of keys and the chooser of stories: no text of either runs over its card or other text, and no key's
// meaning is cut.
func TestListsHaveRoomForTheirWords(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=40&lang=en", 1280, 720)
	press := func(key string) {
		t.Helper()
		harness.EvalIn[bool](t, p, "(document.body.dispatchEvent(new KeyboardEvent('keydown', {key: %s, bubbles: true, cancelable: true})), true)",
			harness.Quote(key))
	}
	for _, size := range [][2]int64{{1280, 720}, {1920, 1080}, {1024, 768}} {
		for _, lang := range []string{"en", "zh"} {
			harness.SetLook(t, p, "dark", lang, size[0], size[1])
			for _, list := range []struct{ key, card, words string }{
				{"?", ".kp", ".kp :is(h4, .kr > span, .kh b, .kh > span)"},
				{"s", ".sc", ".sc .srow > *, .sc .sk2 > span"},
			} {
				press(list.key)
				harness.WaitFor(t, p, "!!document.querySelector("+harness.Quote(list.words)+")")
				harness.Settle(t, p)
				for _, words := range harness.EvalIn[[]string](t, p, cutOrOver+"(%s, %s)", harness.Quote(list.card), harness.Quote(list.words)) {
					t.Errorf("%d×%d, %s: %s", size[0], size[1], lang, words)
				}
				if size[0] == 1280 {
					harness.Shot(t, p, "list-"+list.card[1:]+"-"+lang)
				}
				harness.Use(t, p, harness.Control{Do: []string{"keys Escape"}})
				harness.WaitFor(t, p, "!document.querySelector("+harness.Quote(list.card)+")")
			}
		}
	}
	p.ExpectClean(t)
}

// TestExplainCardsAreWhole opens the card of each station in two releases: it stays within the stage, and none of its words is cut.
func TestExplainCardsAreWhole(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=40&rate=0&lang=en", 1280, 720)
	const cut = `((card) => {
		const stage = document.querySelector("#app").getBoundingClientRect(), box = card.getBoundingClientRect();
		const out = [...card.querySelectorAll("*")].filter((e) => e.clientWidth && e.scrollWidth > e.clientWidth + 1).map((e) => "cuts " + e.textContent);
		if (box.bottom > stage.bottom || box.right > stage.right || box.left < stage.left) out.push("leaves the stage");
		if (card.scrollHeight > card.clientHeight + 1) out.push("lacks a height of " + (card.scrollHeight - card.clientHeight));
		return out.map((words) => card.querySelector("h2").textContent + " " + words);
	})(document.querySelector("#explain"))`
	for _, era := range []string{"1.31", "1.37"} {
		harness.Call(t, p, "select({era: %q})", era)
		harness.Await(t, p, time.Minute, "s.era === %q && s.queue.synced", era)
		for _, lang := range []string{"en", "zh"} {
			harness.SetLook(t, p, "dark", lang, 1280, 720)
			for range 6 {
				harness.Press(t, p, "i")
				for _, words := range harness.EvalIn[[]string](t, p, cut) {
					t.Errorf("%s, %s: %s", era, lang, words)
				}
				if lang == "en" && era == "1.37" {
					harness.Shot(t, p, "explain")
				}
			}
			harness.Press(t, p, "i")
			harness.WaitFor(t, p, "!stage.find('#explain')")
		}
	}
	p.ExpectClean(t)
}

// TestKeysStayInTheChooser presses a heading of the chooser and types: nothing reaches the page behind it, and Tab goes from one of its parts to the next.
func TestKeysStayInTheChooser(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=12&lang=en", 1280, 720)
	harness.Await(t, p, time.Minute, "s.queue.synced && s.reflector.phase === 'watching'")
	press := func(keys ...string) {
		t.Helper()
		if err := p.Keys(harness.Timeout(t, 30*time.Second), keys...); err != nil {
			t.Fatal(err)
		}
	}
	press("s")
	harness.WaitFor(t, p, "!!stage.find('#story-list [role=option]')")
	if err := p.Click(harness.Timeout(t, 10*time.Second), "document.querySelector('.sl .sg')"); err != nil {
		t.Fatal(err)
	}
	press("4", "1", "0")
	seq := harness.EvalIn[int64](t, p, "informerscope.state().then((s) => s.seq)")
	harness.Await(t, p, time.Minute, "s.seq > %d && s.reflector.watches === 1 && s.faults.every((f) => !f.on && !f.atMillis)", seq)
	seen := map[string]bool{}
	for range 4 {
		press("Tab")
		seen[harness.EvalIn[string](t, p, "document.activeElement.closest('.story-ov') ? document.activeElement.outerHTML.slice(0, 60) : 'outside'")] = true
	}
	if len(seen) < 3 || seen["outside"] {
		t.Errorf("Tab goes to %v", seen)
	}
	press("Escape")
	harness.WaitFor(t, p, "!document.querySelector('.story-ov')")
}
