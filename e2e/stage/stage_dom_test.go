package stage_test

import (
	"fmt"
	"testing"
	"time"

	"informerscope/core/log/fold"
	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// stateOf is the state of the page's moment.
func stateOf(t *testing.T, p *browser.Page) fold.State {
	t.Helper()
	return harness.EvalJSON[fold.State](t, p, "(async () => JSON.stringify(await informerscope.state()))()")
}

// seekTo goes to a moment of a log that stands still, and waits until the page has painted it.
func seekTo(t *testing.T, p *browser.Page, seq uint64) {
	t.Helper()
	harness.Call(t, p, "seek(%d)", seq)
	if err := p.WaitFor(harness.Timeout(t, 20*time.Second), fmt.Sprintf("stage.event() === '%d'", seq), "stage.event()"); err != nil {
		t.Fatal(err)
	}
	harness.Settle(t, p)
}

// TestStageShowsState pauses at many moments of an eventful log and compares the rows and the maps with state(), and each text that names its source.
func TestStageShowsState(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, release := range []string{"1.37", "1.31"} {
		t.Run(release, func(t *testing.T) {
			p := harness.OpenStage(t, b, srv, "&source=sim&seed=11&rate=30&lang=en&era="+release, 1280, 720)
			eventful(t, p)
			harness.Pause(t, p)
			head := harness.Await(t, p, 10*time.Second, "s.view.mode === 'paused'").View.Head
			for i := range uint64(24) {
				seq := 2 + (head-2)*i/23
				t.Run(fmt.Sprint(seq), func(t *testing.T) {
					seekTo(t, p, seq)
					harness.ExpectDrawn(t, stateOf(t, p), harness.EvalJSON[harness.Drawn](t, p, "JSON.stringify(stage.drawn())"))
					expectTrue(t, p, 6)
				})
			}
			harness.Shot(t, p, "state-"+release)
			p.ExpectClean(t)
		})
	}
}

// expectTrue compares each text that names its source with the state of a view that stands still; at least so many do.
func expectTrue(t *testing.T, p *browser.Page, least int) {
	t.Helper()
	got := harness.EvalIn[harness.Truth](t, p, harness.FindUntrue)
	if got.Compared < least {
		t.Errorf("%d texts were compared, want %d at least", got.Compared, least)
	}
	for _, wrong := range got.Wrong {
		t.Error(wrong)
	}
}

// eventful makes a log with many kinds of events: a full queue, a slow listener, a relist, a backoff.
func eventful(t *testing.T, p *browser.Page) {
	t.Helper()
	harness.Await(t, p, 20*time.Second, "s.seq > 300")
	harness.Call(t, p, "hold('pop')")
	harness.Await(t, p, 20*time.Second, "s.queue.depth >= 12")
	harness.Call(t, p, "release('pop', 1)")
	harness.Call(t, p, "release('pop', 0)")
	harness.Call(t, p, "hold('deliver', 2)")
	harness.Await(t, p, 20*time.Second, "s.listeners[1].pending > 10")
	harness.Call(t, p, "release('deliver', 0, 2)")
	harness.Call(t, p, "fault('410')")
	harness.Await(t, p, 20*time.Second, "s.reflector.relists > 0 && s.reflector.phase === 'watching'")
	harness.Call(t, p, "fault('refuse', {on: true})")
	harness.Call(t, p, "fault('cut')")
	harness.Await(t, p, 20*time.Second, "s.reflector.phase === 'backoff'")
	harness.Call(t, p, "fault('refuse', {on: false})")
	harness.Await(t, p, 40*time.Second, "s.reflector.phase === 'watching'")
}
