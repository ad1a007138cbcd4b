package page_test

import (
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestLayoutsWhereRoomIsScarce checks layouts in which something was once cut, covered or illegible.
func TestLayoutsWhereRoomIsScarce(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=120&rate=20&lang=en", 1280, 720)

	// The buttons of a held stage are labelled as far as they have room, and no label is cut.
	for _, stage := range []string{"'store'", "'pop'", "'deliver', 1", "'take'"} {
		harness.Call(t, p, "hold(%s)", stage)
	}
	harness.Await(t, p, time.Minute, "s.holds.length === 4")
	harness.Settle(t, p)
	frees := harness.EvalIn[[]string](t, p, `[...document.querySelectorAll('.now-free')].filter((b) => b.checkVisibility())
		.map((b) => (b.scrollWidth > b.clientWidth || b.textContent.includes('…') ? 'cut: ' : '') + b.textContent)`)
	if all := strings.Join(frees, ", "); len(frees) != 12 || strings.Contains(all, "cut: ") || strings.Count(all, "one") != 4 {
		t.Errorf("the buttons of four held stages are %s", all)
	}
	harness.Shot(t, p, "room-held")
	harness.ExpectWell(t, p)

	// A page zoomed to twice its size is laid out for its room, and remains legible.
	if err := p.Resize(harness.Timeout(t, 30*time.Second), 640, 360); err != nil {
		t.Fatal(err)
	}
	harness.Settle(t, p)
	small := harness.EvalIn[[]string](t, p, `[...document.querySelectorAll('#app svg text, #app button, #app p, #app b')]
		.filter((e) => e.textContent.trim() && e.checkVisibility({visibilityProperty: true}))
		.map((e) => [parseFloat(getComputedStyle(e).fontSize) * (e.getScreenCTM?.().a ?? 1), e.textContent])
		.filter(([px]) => px < 11)
		.map(([px, w]) => px.toFixed(1) + ' px: ' + w)`)
	for _, words := range small {
		t.Errorf("at 640×360 type has %s", words)
	}
	if room := harness.EvalIn[float64](t, p, "document.querySelector('.pscroll').clientHeight"); room < 200 {
		t.Errorf("at 640×360 the stage has %.0f px", room)
	}
	harness.Shot(t, p, "room-640")
	p.ExpectClean(t)
}
