package page_test

import (
	"fmt"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestUpgrade reads what an upgrade changes, puts two releases side by side from there, and begins a story.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	page := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=12&lang=en", 1280, 720)
	harness.Await(t, page, time.Minute, "s.queue.synced && s.indexer.count > 0")
	open := func() {
		t.Helper()
		harness.EvalIn[bool](t, page, `(stage.find('.top .upgrade').click(), true)`)
		harness.WaitFor(t, page, `document.querySelectorAll(".pop .change").length > 0`)
	}
	choose := func(from, to string) {
		t.Helper()
		harness.EvalIn[bool](t, page, fmt.Sprintf(`(() => {
			const [a, b] = document.querySelectorAll(".pop .ends select");
			[a.value, b.value] = [%q, %q];
			b.dispatchEvent(new Event("change"));
			return true;
		})()`, from, to))
	}
	for _, look := range []struct {
		theme, lang   string
		width, height int64
	}{{"dark", "en", 1280, 720}, {"light", "zh", 1280, 720}} {
		harness.EvalIn[bool](t, page, `(document.querySelector(".pop")?.hidePopover(), true)`)
		harness.SetLook(t, page, look.theme, look.lang, look.width, look.height)
		open()
		choose("1.33", "1.38")
		harness.Settle(t, page)
		harness.Shot(t, page, fmt.Sprintf("%s-%s-%d", look.theme, look.lang, look.width))
		if wide := harness.EvalIn[float64](t, page, `(() => { const l = document.querySelector(".pop .list"); return l.scrollWidth - l.clientWidth; })()`); wide > 1 {
			t.Errorf("%+v: the list is %.0f px wider than its card", look, wide)
		}
	}
	harness.SetLook(t, page, "dark", "en", 1280, 720)
	open()
	choose("1.38", "1.31")
	harness.WaitFor(t, page, `!document.querySelector(".pop .change") && /goes forward/.test(document.querySelector(".pop .count").textContent)`)
	choose("1.35", "1.37")
	harness.WaitFor(t, page, `[...document.querySelectorAll(".pop .change b")].map((b) => b.textContent).join("") === "1.37"`)
	harness.EvalIn[bool](t, page, `(document.querySelector(".pop .ends .key").click(), true)`)
	harness.Await(t, page, time.Minute, "s.lanes?.length === 2 && s.lanes.every((l) => l.queue.synced)")
	if eras := harness.EvalIn[string](t, page, `informerscope.state().then((s) => s.lanes.map((l) => l.era).join())`); eras != "1.35,1.37" {
		t.Errorf("side by side: %q", eras)
	}
	open()
	choose("1.35", "1.37")
	harness.EvalIn[bool](t, page, `(stage.find('.pop .dgs').click(), true)`)
	harness.WaitFor(t, page, `location.hash.includes("story=")`)
}
