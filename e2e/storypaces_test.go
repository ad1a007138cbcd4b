package e2e

import (
	"fmt"
	"testing"
	"time"

	"informerscope/core/trace"
)

// storyPaces are how pages are turned: faster than a story can go, by nobody, or so slowly that time stands still at each.
var storyPaces = map[string]func(*walker){"hurried": (*walker).hurry, "by itself": (*walker).watch, "slow": (*walker).linger}

// TestStoriesAtThreePaces tells some stories at one pace each; TestEveryStoryAtEveryPace tells all at all of them.
func TestStoriesAtThreePaces(t *testing.T) {
	srv, files := storyServer(t)
	for _, c := range []struct{ id, layout, lang, pace string }{
		{"410", "presenter", "en", "hurried"}, {"tombstone", "stage", "zh", "by itself"}, {"stale", "presenter43", "zh", "slow"},
	} {
		t.Run(c.id+" "+c.pace, func(t *testing.T) {
			t.Parallel()
			storyPaces[c.pace](openStory(t, srv, files, c.id, c.layout, c.lang))
		})
	}
}

// TestEveryStoryAtEveryPace takes a quarter of an hour or so, and make judges tells it. In presenter mode no story goes on by itself, nor does the tour.
func TestEveryStoryAtEveryPace(t *testing.T) {
	if !*everyLayout {
		t.Skip("make judges tells every story at each pace")
	}
	srv, files := storyServer(t)
	for _, l := range []string{"stage", "presenter"} {
		for _, pace := range []string{"hurried", "by itself", "slow"} {
			for i, id := range stories(t) {
				if pace == "by itself" && (l == "presenter" || id == "tour") {
					continue // there somebody turns the pages
				}
				t.Run(fmt.Sprintf("%s %s %s", l, pace, id), func(t *testing.T) {
					t.Parallel()
					storyPaces[pace](openStory(t, srv, files, id, l, []string{"en", "zh"}[i%2]))
				})
			}
		}
	}
}

// hurry presses five times a second until the last page shows what it tells: no page turns without a press, and none is lost. Each step has come to
// its end all the same, which is what turning back shows.
func (w *walker) hurry() {
	w.t.Helper()
	n := len(w.story.Steps)
	deadline := within(w.t, 3*time.Minute)
	every := time.NewTicker(200 * time.Millisecond)
	defer every.Stop()
	for presses := 0; ; presses++ {
		at := evalIn[int](w.t, w.page, "Number(%s?.step ?? 0)", storyData)
		if at > presses+1 {
			w.t.Fatalf("after %d presses it shows step %d", presses, at)
		}
		if at == n && evalIn[string](w.t, w.page, "%s.state", storyData) == "told" {
			break
		}
		if deadline.Err() != nil {
			w.t.Fatalf("after %d presses it shows step %d of %d", presses, at, n)
		}
		pressKey(w.t, w.page, "PageDown")
		<-every.C
	}
	if home := "document.querySelector('section.home:not([hidden])')"; evalIn[bool](w.t, w.page, "!!%s", home) {
		pressKey(w.t, w.page, "PageUp") // a press more than there are pages showed what to take home
	}
	passRide(w.t, w.page)
	w.says(n-1, false)
	w.back()
	w.page.ExpectClean(w.t)
}

// watch turns no page: what is drawn is held again and again while the story goes on by itself, at the pace of who reads. A question it answers.
func (w *walker) watch() {
	w.t.Helper()
	last := len(w.story.Steps)
	deadline := within(w.t, 4*time.Minute)
	seen := map[int]bool{}
	for {
		at := evalIn[int](w.t, w.page, "Number(%s?.step ?? 0)", storyData)
		switch state := evalIn[string](w.t, w.page, "%s?.state ?? ''", storyData); {
		case deadline.Err() != nil:
			w.t.Fatalf("it stays at step %d of %d, %s", at, last, state)
		case at == last && state == "told":
			for step := 1; step <= last; step++ {
				if !seen[step] {
					w.t.Errorf("step %d was never seen", step)
				}
			}
			w.page.ExpectClean(w.t)
			return
		case state == "waits":
			w.asks(at - 1)
			pressKey(w.t, w.page, "1") // to turn the page would be to turn them all
			waitTour(w.t, w.page, "%s.state !== 'waits'", storyData)
		case at == 0:
			settle(w.t, w.page)
			continue
		}
		seen[at], seen[at+1] = true, seen[at+1] || at+1 == last // the last one may be over at once
		w.rest(at-1, false)
	}
}

// linger waits at each step until time stands still, where a minute more is like a moment more: nothing happens, and what is said is so. At the last
// one time goes on.
func (w *walker) linger() {
	w.t.Helper()
	waitTour(w.t, w.page, "%s?.step === '1' && %s.state !== 'telling'", storyData, storyData)
	pressKey(w.t, w.page, "PageUp") // from here on by hand
	for step := range w.story.Steps {
		w.begun(step)
		w.told(step)
		passRide(w.t, w.page)
		w.says(step, false)
		if step == len(w.story.Steps)-1 {
			break
		}
		w.stands()
		pressKey(w.t, w.page, "PageDown")
	}
	w.page.ExpectClean(w.t)
}

// stands waits until time stands still, and holds that it does, and that what is said then is so.
func (w *walker) stands() {
	w.t.Helper()
	deadline := within(w.t, 3*time.Minute)
	if err := w.page.WaitFor(deadline, "lastTold.stands", "JSON.stringify(lastTold)"); err != nil {
		w.t.Fatal(err)
	}
	step := evalIn[int](w.t, w.page, "lastTold.step")
	was := evalIn[trace.State](w.t, w.page, "informerscope.state()")
	w.says(step, true)
	for range 20 {
		settle(w.t, w.page)
	}
	if is := evalIn[trace.State](w.t, w.page, "informerscope.state()"); is.View.Head != was.View.Head {
		w.t.Errorf("step %d: time stood still at event %d, and went on to event %d", step+1, was.View.Head, is.View.Head)
	}
	w.says(step, true)
}
