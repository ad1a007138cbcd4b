package stage_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// distance is how far the Reflector is behind its cluster by the shown layout: the text before "behind", empty without one.
const distance = `(() => {
	const own = (el) => [...el.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE).map((n) => n.data).join('');
	const words = [...document.querySelectorAll('#app svg text, #app svg tspan')].filter(stage.visible).map(own).filter(Boolean).join('\n');
	return (/([—≥\d][\d, ]*)\s*behind\b/.exec(words)?.[1] ?? '').trim();
})()`

// TestDistanceOnEveryLayout compares how far the Reflector is behind, on the stage, in presenter mode and on the phone, with the facts. It does so
// before the first list and while the cluster does not answer. Each shows a number if one is known, and otherwise none does.
func TestDistanceOnEveryLayout(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&rate=30&lang=en", 1280, 720)
	harness.Call(t, p, "fault('refuse', {on: true})")
	harness.Call(t, p, "fault('cut')")
	harness.Await(t, p, 30*time.Second, "s.reflector.phase === 'backoff' && s.facts.lag.behind > 12")
	harness.Pause(t, p)
	down := harness.Await(t, p, 10*time.Second, "s.view.mode === 'paused'").Seq
	const begun = 2

	for _, view := range []struct {
		name          string
		presenting    bool
		width, height int64
	}{
		{"stage", false, 1280, 720}, {"presenter", true, 1280, 720}, {"phone", false, 390, 844},
	} {
		t.Run(view.name, func(t *testing.T) {
			if err := p.Resize(harness.Timeout(t, 10*time.Second), view.width, view.height); err != nil {
				t.Fatal(err)
			}
			if view.presenting != harness.EvalIn[bool](t, p, "location.hash.includes('presenter=1')") {
				if err := p.Press(harness.Timeout(t, 10*time.Second), "p"); err != nil {
					t.Fatal(err)
				}
			}
			for _, seq := range []uint64{begun, down} {
				harness.Call(t, p, "seek(%d)", seq)
				harness.Await(t, p, 10*time.Second, "s.seq === %d", seq)
				harness.Settle(t, p)
				said := harness.EvalIn[string](t, p, distance)
				want := harness.EvalIn[string](t, p, "informerscope.state().then((s) => s.facts.lag.behind?.toLocaleString('en') ?? '')")
				// A dash means that it is unknown.
				if strings.TrimPrefix(said, "—") != want {
					t.Errorf("at %d it says %q, the facts %q", seq, said, want)
				}
			}
			if view.name == "stage" {
				harness.Shot(t, p, fmt.Sprint("distance-", down))
			}
		})
	}
	p.ExpectClean(t)
}

// TestBehindCountsWhatIsWatched: the stage says how many changes of one namespace wait, in both languages, while the cluster's version goes further.
func TestBehindCountsWhatIsWatched(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, lang := range []string{"en", "zh"} {
		p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&namespace=shop&rate=30&lang="+lang, 1280, 720)
		harness.Call(t, p, "hold('pop')")
		harness.Await(t, p, 30*time.Second, "s.facts.lag.queued >= 4")
		harness.Call(t, p, "fault('refuse', {on: true})")
		harness.Call(t, p, "fault('cut')")
		harness.Await(t, p, 30*time.Second, "s.reflector.phase === 'backoff' && s.facts.lag.behind > 6 && s.facts.versions.behind > s.facts.lag.behind")
		harness.Pause(t, p)
		harness.Await(t, p, 10*time.Second, "s.view.mode === 'paused'")
		harness.Settle(t, p)
		want := harness.EvalIn[string](t, p, "informerscope.state().then((s) => s.facts.lag.behind.toLocaleString('en'))")
		if said := harness.EvalIn[string](t, p, distance); lang == "en" && said != want {
			t.Errorf("it says %q, not %q", said, want)
		}
		harness.Shot(t, p, "behind-"+lang)
		p.ExpectClean(t)
	}
}
