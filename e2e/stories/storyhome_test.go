package stories_test

import (
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestWhatToTakeHomeCoversTheStage presses beyond the last step of a story in presenter mode. What to take home then lies over rows and maps,
// in a window of either shape, and leaves the dots of the steps.
func TestWhatToTakeHomeCoversTheStage(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, size := range [][2]int64{{1280, 720}, {1024, 768}} {
		p := openTour(t, b, srv, "&source=sim&lang=en&presenter=1&story=410", size[0], size[1])
		const home = "document.querySelector('section.home:not([hidden])')"
		deadline := harness.Timeout(t, 3*time.Minute)
		for every := time.NewTicker(200 * time.Millisecond); !harness.EvalIn[bool](t, p, "!!%s", home); <-every.C {
			if deadline.Err() != nil {
				t.Fatal("the story does not come to what is taken home")
			}
			pressKey(t, p, "PageDown")
		}
		harness.Settle(t, p)
		uncovered := harness.EvalIn[[]string](t, p, `(() => {
			const box = %s.getBoundingClientRect();
			const words = [...document.querySelectorAll('svg.tracks text')].filter((el) => el.textContent && stage.visible(el))
				.map((el) => [el.textContent, el.getBoundingClientRect()]);
			return words.filter(([, r]) => r.top < box.bottom && (r.top < box.top || r.left < box.left || r.right > box.right || r.bottom > box.bottom)
				|| r.top >= box.bottom && r.top < innerHeight * 0.88).map(([text]) => text);
		})()`, home)
		harness.Shot(t, p, "home")
		if len(uncovered) > 0 {
			t.Errorf("at %d × %d, what is taken home does not cover %q", size[0], size[1], uncovered)
		}
		p.ExpectClean(t)
	}
}
