package stories_test

import (
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestAReaderSkipsWhatIsKnown chooses the level of a reader of client-go at the tour's first step. The steps after it are those that are new, the address
// and the browser keep the level, and a dot opens a step that was skipped.
func TestAReaderSkipsWhatIsKnown(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	page := openTour(t, b, srv, "&tour&lang=en", 1280, 720)
	press := func(key string) {
		t.Helper()
		if err := page.Keys(harness.Timeout(t, 30*time.Second), key); err != nil {
			t.Fatal(err)
		}
	}
	const (
		news    = "stage.find('.levels .news')?.textContent.startsWith(%s)"
		pressed = "document.querySelector('.levels [aria-pressed=true]')?.dataset.level === '%d'"
	)
	waitTour(t, page, "%s?.step === '1' && "+pressed+" && "+news, storyBar, 1, harness.Quote("17 steps"))
	pressTour(t, page, ".levels [data-level=\"2\"]")
	waitTour(t, page, pressed+" && "+news+" && location.hash.includes('level=2')", 2, harness.Quote("14 steps"))
	press("3")
	waitTour(t, page, pressed+" && "+news+" && location.hash.includes('level=3')", 3, harness.Quote("7 steps"))
	harness.Settle(t, page)
	harness.Shot(t, page, "levels")
	harness.EvalIn[bool](t, page, `(() => {
		const bar = document.querySelector(".storybar");
		window.seen = [bar.dataset.step];
		new MutationObserver(() => seen.at(-1) !== bar.dataset.step && seen.push(bar.dataset.step)).observe(bar, {attributeFilter: ["data-step"]});
		return true;
	})()`)
	press("PageDown")
	waitTour(t, page, "%s?.step === '9' && %s.state === 'stands'", storyBar, storyBar)
	press("PageDown")
	waitTour(t, page, "%s?.step === '9' && ['due', 'on'].includes(%s.ride)", storyBar, storyBar)
	passRide(t, page)
	press("PageDown")
	waitTour(t, page, "%s?.step === '10' && %s.state === 'waits'", storyBar, storyBar)
	if seen := harness.EvalIn[string](t, page, "seen.join()"); seen != "1,9,10" {
		t.Errorf("the steps that showed are %s", seen)
	}
	if n := harness.EvalIn[int](t, page, "document.querySelectorAll('.storybar .dot.skipped').length"); n != 10 {
		t.Errorf("%d dots are those of skipped steps", n)
	}
	harness.Settle(t, page)
	harness.Shot(t, page, "skipped")
	pressTour(t, page, ".storybar .dot:nth-child(5)")
	waitTour(t, page, "%s?.step === '5' && %s.state === 'told' && stage.find('.cap .say')?.textContent.includes('nextCh')", storyBar, storyBar)

	again := openTour(t, b, srv, "&tour&lang=en", 1280, 720)
	waitTour(t, again, "%s?.step === '10' && document.querySelectorAll('.storybar .dot.skipped').length === 10", storyBar)
	for _, p := range []*browser.Page{page, again} {
		p.ExpectClean(t)
	}
}
