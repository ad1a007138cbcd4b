package page_test

import (
	"strconv"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestARecordingEndsOnTheClock plays a recording of three seconds, and lets it stand at its end: no clock of the page goes beyond it, in any view.
func TestARecordingEndsOnTheClock(t *testing.T) {
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := browser.StartForTest(t).OpenForTest(t, "about:blank", 1280, 720)
	if err := p.OnNewDocument(harness.Timeout(t, 30*time.Second), harness.CatchFiles); err != nil {
		t.Fatal(err)
	}
	if err := p.Navigate(harness.Timeout(t, time.Minute), srv.URL+"&source=sim&seed=7&objects=30&lang=en"); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, p, time.Minute, "s.queue.synced && s.atMillis > 3000")
	harness.Share(t, p, 1)
	harness.WaitUntil(t, p, "__files.texts.length === 1")
	harness.EvalIn[bool](t, p, `(__files.drop("short.jsonl", __files.texts[0]), true)`)
	harness.Await(t, p, time.Minute, "s.source.kind === 'file'")
	// The page is a frame behind the worker: until then its clock is that of the cluster.
	harness.WaitUntil(t, p, `document.querySelector(".src").textContent.includes("recording") &&
		informerscope.state().then((s) => document.querySelector(".clock small").textContent.replace(/\D/g, "") === String(s.seq))`)
	end := harness.EvalIn[string](t, p, "informerscope.state().then((s) => String(s.view.headMillis))")

	const clock = `(() => {
		const [, m, s] = /(\d+):(\d+(?:\.\d+)?)/.exec(document.querySelector('.clock, .pclock').textContent);
		return (60 * m + Number(s)) * 1000;
	})()`
	stands := func(when string, more time.Duration) {
		t.Helper()
		// What the clock says at most in that time.
		most := harness.EvalIn[float64](t, p, `new Promise((done) => {
			const from = performance.now();
			let most = 0;
			const look = () => { most = Math.max(most, `+clock+`); performance.now() - from < `+ms(more)+` ? requestAnimationFrame(look) : done(most); };
			look();
		})`)
		if ended := harness.EvalIn[float64](t, p, end); most > ended+1 || most < ended-1000 {
			t.Errorf("%s its clock went to %v ms, and it ends at %v", when, most, ended)
		}
		if at := harness.EvalIn[float64](t, p, "informerscope.state().then((s) => s.atMillis)"); at > harness.EvalIn[float64](t, p, end) {
			t.Errorf("%s its state is that of %v ms", when, at)
		}
	}
	stands("when it was loaded", 1500*time.Millisecond)
	harness.Call(t, p, "seek(1)")
	harness.Call(t, p, "play(4)")
	harness.WaitUntil(t, p, "informerscope.state().then((s) => s.view.behind === 0)")
	stands("when it was played", 1500*time.Millisecond)
	harness.Call(t, p, "seek(1)")
	harness.Call(t, p, "play(0.5)")
	harness.WaitUntil(t, p, "informerscope.state().then((s) => s.view.behind === 0)")
	stands("when it was played slowly", 1500*time.Millisecond)
	harness.Shot(t, p, "recording-end")
	p.ExpectClean(t)
}

func ms(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
