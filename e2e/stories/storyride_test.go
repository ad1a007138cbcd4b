package stories_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"informerscope/core/ask/analysis"
	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
)

// rides reports whether a step at its end has a ride, opened or not.
func rides(t *testing.T, page *browser.Page) bool {
	t.Helper()
	harness.Settle(t, page)
	return harness.EvalIn[bool](t, page, "['due', 'on'].includes(document.querySelector('.storybar')?.dataset.ride)")
}

// passRide opens the ride of a step that has come to its end and leaves it, if it has one.
func passRide(t *testing.T, page *browser.Page) {
	t.Helper()
	if !rides(t, page) {
		return
	}
	if harness.EvalIn[bool](t, page, "!stage.find('.ride')") {
		pressKey(t, page, "PageDown")
	}
	waitTour(t, page, "!!stage.find('.ride')")
	pressKey(t, page, "Escape")
	rideIsOver(t, page)
}

func pressKey(t *testing.T, page *browser.Page, key string) {
	t.Helper()
	if err := page.Keys(harness.Timeout(t, 30*time.Second), key); err != nil {
		t.Fatal(err)
	}
}

// rideIsOver waits until the view is back at the end of its step.
func rideIsOver(t *testing.T, page *browser.Page) {
	t.Helper()
	waitTour(t, page, "!stage.find('.ride') && %s?.ride === 'over' && %s.state === 'told'", storyData, storyData)
}

// atHop waits until the shown ride is at a hop, and compares what is drawn with the worker's ride.
func atHop(t *testing.T, page *browser.Page, told rideTold, i int) {
	t.Helper()
	hop := told.Hops[i]
	waitTour(t, page, "informerscope.state().then((s) => s.seq === %d)", int(hop.Seq))
	harness.Settle(t, page)
	got := harness.EvalIn[rideShown](t, page, rideNow)
	station := map[string]string{"api": "API server", "reflector": "Reflector", "queue": "Queue", "indexer": "Indexer", "listener": "Listeners",
		"controller": "Controller"}[hop.Stage]
	if !got.On || got.Now != i || got.Code != hop.Function || got.Station != station {
		t.Errorf("hop %d is %+v, shown as %+v", i+1, hop, got)
	}
	if !strings.HasSuffix(got.Said, ".") && !strings.HasSuffix(got.Said, "。") {
		t.Errorf("hop %d, %s, is no sentence: %q", i+1, hop.Kind, got.Said)
	}
	if len(got.Out) > 0 || got.Cut != "" {
		t.Errorf("hop %d: out of sight: %q, cut: %q", i+1, got.Out, got.Cut)
	}
}

// readRide is the worker's ride that is shown.
func readRide(t *testing.T, page *browser.Page) rideTold {
	t.Helper()
	waitTour(t, page, "!!stage.find('.ride')")
	told := harness.EvalIn[rideTold](t, page, "informerscope.ride(document.querySelector('.ride .ic').title)")
	if !told.Whole || len(told.Hops) < 10 {
		t.Fatalf("it rides %s: whole %v, %d hops", told.Key, told.Whole, len(told.Hops))
	}
	return told
}

// openRide opens the ride of a step at its end, if it has not opened by itself, and is at its first hop.
func openRide(t *testing.T, page *browser.Page) rideTold {
	t.Helper()
	waitTour(t, page, "['due', 'on'].includes(%s?.ride)", storyData)
	if harness.EvalIn[bool](t, page, "!stage.find('.ride')") {
		pressKey(t, page, "PageDown")
	}
	told := readRide(t, page)
	pressKey(t, page, "Home")
	atHop(t, page, told, 0)
	return told
}

// rideAlong goes from hop to hop of the ride that a step has opened. After the last hop a press leaves it; the step is as before, and its stations
// are highlighted.
func rideAlong(t *testing.T, page *browser.Page, name string, next func()) {
	t.Helper()
	told := readRide(t, page)
	pressKey(t, page, "Home")
	step := harness.EvalIn[string](t, page, "document.querySelector('.storybar').dataset.step")
	for i, hop := range told.Hops {
		atHop(t, page, told, i)
		if shown := harness.EvalIn[string](t, page, "document.querySelector('.storybar').dataset.step"); shown != step {
			t.Errorf("hop %d: the story is at step %s, and the ride is step %s's", i+1, shown, step)
		}
		if i%4 == 0 || i == len(told.Hops)-1 {
			harness.Shot(t, page, fmt.Sprintf("%s-ride-%02d-%s", name, i, hop.Kind))
		}
		next()
	}
	rideIsOver(t, page)
	harness.Settle(t, page)
	if shown := harness.EvalIn[string](t, page, "document.querySelector('.storybar').dataset.step"); shown != step {
		t.Errorf("the press that leaves the ride has turned to step %s from %s", shown, step)
	}
	harness.Shot(t, page, name+"-ride-over")
}

// TestEveryHopHasASentence checks that every kind of hop has a sentence, in both languages.
func TestEveryHopHasASentence(t *testing.T) {
	dir, err := layout.E2E()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "..", "web", "kit", "words-ride.js"))
	if err != nil {
		t.Fatal(err)
	}
	for kind := range analysis.Functions {
		if !regexp.MustCompile(`'ride\.at\.` + kind + `': \['[A-Z].*\.', '.*。'\],`).Match(text) {
			t.Errorf("a hop of the kind %s has no sentence", kind)
		}
	}
}

// dimmed are the stations that recede.
const dimmed = `[...new Set([...document.querySelectorAll('.tracks-rows [data-station]:has(> .row-name.dim)')].map((x) => x.dataset.station))].sort().join()`

// TestAStoryRides comes to a step with a ride, in each layout and in an older release. The ride opens by itself after the time to read the caption,
// or with a press at once. Presses go along it in both directions and out of it at both ends, and Escape leaves it anywhere. No press is lost and
// none counts twice. Afterwards the step's stations are highlighted again.
func TestAStoryRides(t *testing.T) {
	t.Parallel()
	dir, err := layout.E2E()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "..", "stories", "key.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	own := t.TempDir()
	old := strings.Replace(string(text), `eras: ["1.37", "1.38", "1.35", "1.33", "1.31"]`, `eras: ["1.31"]`, 1)
	if old == string(text) {
		t.Fatal("the story has other releases")
	}
	if err := os.WriteFile(filepath.Join(own, "oldkey.yaml"), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	srv := harness.StartServer(t, "--listen=127.0.0.1:0", "--stories="+own)
	const riding = 2 // the step with a ride
	for _, c := range []struct {
		name, story, fragment string
		w, h                  int64
	}{
		{"stage", "key", "&lang=en", 1280, 720},
		{"light", "key", "&lang=zh&theme=light", 1920, 1080},
		{"presenter", "key", "&lang=en&presenter=1", 1280, 720},
		{"presenter43", "key", "&lang=zh&presenter=1&theme=light", 1024, 768},
		{"phone", "key", "&lang=en", 390, 844},
		{"old", "oldkey", "&lang=en", 1280, 720},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // it mostly waits for its page
			page := openTour(t, browser.StartForTest(t), srv, "&story="+c.story+c.fragment, c.w, c.h)
			at := func(step int, state string) {
				t.Helper()
				waitTour(t, page, "%s?.step === '%d' && %s.state === '%s'", storyData, step, storyData, state)
			}
			at(1, "told")
			pressKey(t, page, "PageUp") // no step begins by itself any more
			pressKey(t, page, "PageDown")
			at(riding, "stands")
			pressKey(t, page, "PageDown")
			at(riding, "told")
			harness.Settle(t, page)
			// On a slow machine the time to read the caption is over by now.
			before := harness.EvalIn[struct{ Ride, Dimmed string }](t, page, "({Ride: %s.ride, Dimmed: %s})", storyData, dimmed)
			harness.Shot(t, page, "ride-"+c.name+"-due")
			if c.name == "stage" { // it opens by itself
				waitTour(t, page, "!!stage.find('.ride')")
			}
			told := openRide(t, page)
			harness.Shot(t, page, "ride-"+c.name)
			// One hop forwards and back, out at its beginning, and the press before it goes to no other step.
			atHop(t, page, told, 0)
			pressKey(t, page, "PageDown")
			atHop(t, page, told, 1)
			pressKey(t, page, "PageUp")
			atHop(t, page, told, 0)
			if shown := harness.EvalIn[string](t, page, dimmed); before.Ride == "due" && (c.name == "stage" || c.name == "presenter") && shown == before.Dimmed {
				t.Errorf("at its first hop %s recede, as before it", shown)
			}
			pressKey(t, page, "PageUp")
			rideIsOver(t, page)
			harness.Settle(t, page)
			if shown := harness.EvalIn[string](t, page, dimmed); before.Ride == "due" && shown != before.Dimmed {
				t.Errorf("after the ride %q recede, and before it %q", shown, before.Dimmed)
			}
			at(riding, "told")
			// It does not open again after a ride, in either direction.
			pressKey(t, page, "PageUp")
			at(1, "told")
			pressKey(t, page, "PageDown")
			at(riding, "told")
			waitTour(t, page, "%s.ride === 'over'", storyData)
			if c.name == "phone" {
				pressKey(t, page, "PageDown")
				at(3, "waits")
				page.ExpectClean(t)
				return
			}
			if !strings.Contains(c.fragment, "presenter") { // choosing the step rides again
				pressTour(t, page, ".storybar .dot.now")
				told = openRide(t, page)
				pressKey(t, page, "End")
				atHop(t, page, told, len(told.Hops)-1)
				pressKey(t, page, "PageDown")
				rideIsOver(t, page)
				pressTour(t, page, ".storybar .dot.now")
				openRide(t, page)
				pressKey(t, page, "PageDown")
				pressKey(t, page, "Escape")
				rideIsOver(t, page)
			}
			pressKey(t, page, "PageDown")
			at(3, "waits")
			page.ExpectClean(t)
		})
	}
	// Presses before the step's end: they play it to its end, and never go past its ride.
	t.Run("early", func(t *testing.T) {
		t.Parallel()
		page := openTour(t, browser.StartForTest(t), srv, "&story=key&lang=en&presenter=1", 1280, 720)
		waitTour(t, page, "%s?.step === '1' && %s.state === 'told'", storyData, storyData)
		harness.EvalIn[bool](t, page, pressesAtOnce, 2)
		told := openRide(t, page)
		atHop(t, page, told, 0)
		// Home and the first key leave it; then all again from the beginning, with a press more.
		pressKey(t, page, "Escape")
		rideIsOver(t, page)
		harness.EvalIn[bool](t, page, "informerscope.story('key').then(() => true)")
		waitTour(t, page, "%s?.step === '1' && %s.state === 'told'", storyData, storyData)
		harness.EvalIn[bool](t, page, pressesAtOnce, 3)
		told = openRide(t, page)
		atHop(t, page, told, 0)
		pressKey(t, page, "Escape")
		rideIsOver(t, page)
		pressKey(t, page, "PageDown")
		waitTour(t, page, "%s?.step === '3' && %s.state === 'waits'", storyData, storyData)
		page.ExpectClean(t)
	})
	// Without a person it rides by itself, from the first hop to the last, and the story continues.
	t.Run("alone", func(t *testing.T) {
		t.Parallel()
		page := openTour(t, browser.StartForTest(t), srv, "&story=key&lang=en", 1280, 720)
		waitTour(t, page, "%s?.step === '2' && !!stage.find('.ride')", storyData)
		told := readRide(t, page)
		waitTour(t, page, "stage.find('.ride .ruler li:nth-child(%d)')?.classList.contains('now')", len(told.Hops))
		waitTour(t, page, "%s?.step === '3' && %s.state === 'waits' && !stage.find('.ride')", storyData, storyData)
		page.ExpectClean(t)
	})
}

const (
	storyData     = "document.querySelector('.storybar')?.dataset"
	pressesAtOnce = `(() => {
		for (let i = 0; i < %d; i++) document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'PageDown', bubbles: true, cancelable: true}));
		return true;
	})()`
)
