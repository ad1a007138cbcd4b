package stage_test

import (
	"fmt"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// inkCount counts the pixels that the canvases of a selector have drawn on.
func inkCount(selector string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('%s')].reduce((sum, c) => {
	const p = c.width && c.height ? c.getContext('2d').getImageData(0, 0, c.width, c.height).data : [];
	for (let i = 3; i < p.length; i += 4) sum += p[i] ? 1 : 0;
	return sum;
}, 0)`, selector)
}

// TestMotionIsOfTheLayoutThatShows leaves the stage for presenter mode while events stream, and returns when the log stands still. The events were
// shown in the other layout, so nothing travels over the stage.
func TestMotionIsOfTheLayoutThatShows(t *testing.T) {
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&rate=200&lang=en", 1280, 720)
	press := func(key string) {
		if err := p.Keys(harness.Timeout(t, 10*time.Second), key); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.WaitFor(harness.Timeout(t, 20*time.Second), inkCount(".tokens canvas"), "'nothing travels over the stage'"); err != nil {
		t.Fatal(err)
	}
	press("p")
	if err := p.WaitFor(harness.Timeout(t, 20*time.Second), "document.querySelector('.view-presenter')", "document.body.className"); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, p, 20*time.Second, "s.seq > 6000")
	harness.Pause(t, p)
	harness.Settle(t, p)
	press("p")
	if err := p.WaitFor(harness.Timeout(t, 20*time.Second), "!document.querySelector('.view-presenter')", "document.body.className"); err != nil {
		t.Fatal(err)
	}
	harness.Settle(t, p)
	if n := harness.EvalIn[int](t, p, inkCount(".tokens canvas")); n != 0 {
		t.Errorf("%d pixels of chips that moved while presenter mode showed are on the stage", n)
	}
	p.ExpectClean(t)
}

// TestCountsDoNotCrossTheWordsOfAHold releases stacks of a held Pop: while the text beside the hold is there, the count of each stack is drawn above
// it.
func TestCountsDoNotCrossTheWordsOfAHold(t *testing.T) {
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=3&objects=20&rate=0&lang=en", 1280, 720)
	harness.Call(t, p, "hold('pop')")
	harness.Call(t, p, "cluster('burst', {n: 400})")
	harness.Await(t, p, time.Minute, "s.queue.depth >= 400")
	harness.Settle(t, p)
	harness.WaitFor(t, p, inkCount(".tokens canvas")+" === 0")
	// In each animation frame: the pixels drawn on the text, and those right above it.
	harness.EvalIn[bool](t, p, `(() => {
		const words = [...document.querySelectorAll('svg text')].find((el) => el.textContent === 'held before Pop');
		const box = words.getBoundingClientRect();
		const ink = (x, y, w, h) => [...document.querySelectorAll('.tokens canvas')].reduce((sum, c) => {
			const at = c.getBoundingClientRect();
			if (!c.width || x < at.left || x + w > at.right || y < at.top || y + h > at.bottom) return sum;
			const k = c.width / at.width;
			const p = c.getContext('2d').getImageData((x - at.left) * k, (y - at.top) * k, w * k, h * k).data;
			for (let i = 3; i < p.length; i += 4) sum += p[i] ? 1 : 0;
			return sum;
		}, 0);
		globalThis.crossing = {held: 0, on: 0, above: 0};
		const look = () => {
			if (words.textContent) {
				crossing.held++;
				crossing.on += ink(box.left, box.top + 2, 180, box.height - 4);
				crossing.above += ink(box.left, box.top - 10, 180, 10);
			}
			requestAnimationFrame(look);
		};
		look();
		return true;
	})()`)
	harness.Call(t, p, "release('pop', 40)")
	if err := p.WaitFor(harness.Timeout(t, 30*time.Second), "crossing.above > 0 || crossing.on > 0", "JSON.stringify(crossing)"); err != nil {
		t.Fatal(err)
	}
	harness.Shot(t, p, "counted")
	harness.WaitFor(t, p, inkCount(".tokens canvas")+" === 0")
	if got := harness.EvalIn[map[string]int](t, p, "crossing"); got["on"] > 0 || got["held"] == 0 {
		t.Errorf("over the words of the hold: %v", got)
	}
	p.ExpectClean(t)
}
