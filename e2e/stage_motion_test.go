package e2e

import (
	"fmt"
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// inked counts the pixels that the canvases of a selector have drawn on.
func inked(selector string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('%s')].reduce((sum, c) => {
	const p = c.width && c.height ? c.getContext('2d').getImageData(0, 0, c.width, c.height).data : [];
	for (let i = 3; i < p.length; i += 4) sum += p[i] ? 1 : 0;
	return sum;
}, 0)`, selector)
}

// TestMotionIsOfTheLayoutThatShows leaves the stage for presenter mode while
// events stream, and comes back to a log that stands still: what happened
// meanwhile was shown elsewhere, so nothing travels over the stage.
func TestMotionIsOfTheLayoutThatShows(t *testing.T) {
	srv := startServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	p := openStage(t, b, srv, "&source=sim&seed=7&rate=200&lang=en", 1280, 720)
	press := func(key string) {
		if err := p.Keys(within(t, 10*time.Second), key); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.WaitFor(within(t, 20*time.Second), inked(".tokens canvas"), "'nothing travels over the stage'"); err != nil {
		t.Fatal(err)
	}
	press("p")
	if err := p.WaitFor(within(t, 20*time.Second), "document.querySelector('.view-presenter')", "document.body.className"); err != nil {
		t.Fatal(err)
	}
	await(t, p, 20*time.Second, "s.seq > 6000")
	call(t, p, "pause()")
	settle(t, p)
	press("p")
	if err := p.WaitFor(within(t, 20*time.Second), "!document.querySelector('.view-presenter')", "document.body.className"); err != nil {
		t.Fatal(err)
	}
	settle(t, p)
	if n := evalIn[int](t, p, inked(".tokens canvas")); n != 0 {
		t.Errorf("%d pixels of chips that moved while presenter mode showed are on the stage", n)
	}
	p.ExpectClean(t)
}
