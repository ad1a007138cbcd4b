package stories_test

import (
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestAStandingClockStands: where a story lets time stand until its reader goes on, the clock on the page stands too.
func TestAStandingClockStands(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := openTour(t, browser.StartForTest(t), srv, "&tour&lang=en", 1280, 720)
	waitTour(t, p, "%s?.step === '1'", storyBar)
	// The step plays first, so the clock runs for a while.
	clocks := harness.EvalIn[[]string](t, p, `(async () => {
		const frame = () => new Promise(requestAnimationFrame);
		let seen;
		for (let tries = 0; tries < 20; tries++) {
			seen = new Set();
			for (let i = 0; i < 40; i++) {
				await frame();
				seen.add(document.querySelector(".clock").textContent);
			}
			if (seen.size === 1) break;
		}
		return [...seen];
	})()`)
	if len(clocks) != 1 {
		t.Errorf("the clock of a story that stands shows %q", clocks)
	}
}

// TestPageDownTurnsUnderAMenu: a clicker turns to the next step whatever menu hangs over the stage.
func TestPageDownTurnsUnderAMenu(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := openTour(t, browser.StartForTest(t), srv, "&tour&lang=en", 1280, 720)
	waitTour(t, p, "%s?.step === '1'", storyBar)
	const open = `(() => {
		document.querySelector(".top .src").click();
		return !!document.querySelector(".pop");
	})()`
	if !harness.EvalIn[bool](t, p, open) {
		t.Fatal("the menu of sources does not open")
	}
	if err := p.Keys(harness.Timeout(t, 30*time.Second), "PageDown"); err != nil {
		t.Fatal(err)
	}
	waitTour(t, p, "%s?.step === '2'", storyBar)
	if harness.EvalIn[bool](t, p, `!!document.querySelector(".pop")`) {
		t.Error("the menu is still open")
	}
}

// TestKeysPressedWhileThePageLoadsAreKept presses the key for the next step before there is anything to see: the story takes it when it has begun.
func TestKeysPressedWhileThePageLoadsAreKept(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := openTour(t, browser.StartForTest(t), srv, "&story=key&lang=en&presenter=1", 1280, 720)
	if harness.EvalIn[bool](t, p, "!!document.querySelector('.storybar')?.dataset.step") {
		t.Fatal("the story has begun before a key could be pressed")
	}
	pressKey(t, p, "PageDown")
	waitTour(t, p, "%s?.step === '2' && %s.state === 'stands'", storyData, storyData)
	p.ExpectClean(t)
}

// TestAnArrowBeforeTheFirstStepIsForTheStory presses the key for the next event as soon as a story is chosen. There is no event of the story yet. The view
// must not stand still at one of the log before it.
func TestAnArrowBeforeTheFirstStepIsForTheStory(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := openTour(t, browser.StartForTest(t), srv, "&lang=en", 1280, 720)
	harness.Await(t, p, time.Minute, "s.queue.synced")
	harness.EvalIn[bool](t, p, `(async () => {
		const begun = informerscope.story("key");
		while (!location.hash.includes("story=key")) await new Promise((r) => setTimeout(r));
		document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
		await begun;
		return true;
	})()`)
	// The press comes before the story has a step, and is for the story; or after it, and steps to the next event: the computer decides. In both cases the story
	// waits, and its own key goes on.
	waitTour(t, p, "['1', '2'].includes(%s?.step) && ['told', 'stands'].includes(%s.state)", storyData, storyData)
	if err := p.Keys(harness.Timeout(t, 30*time.Second), "PageDown"); err != nil {
		t.Fatal(err)
	}
	waitTour(t, p, "%s?.step === '2' || %s.state !== 'told'", storyData, storyData)
	p.ExpectClean(t)
}
