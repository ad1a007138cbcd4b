package stories_test

import (
	"testing"
	"time"

	"informerscope/core/page/view"
	"informerscope/e2e/harness"
)

// storyPaces are paces of a reader: faster than a story can go, without any press, or so slowly that time stands still at each step.
var storyPaces = map[string]func(*walker){"hurried": (*walker).hurry, "by itself": (*walker).watch, "slow": (*walker).linger}

// TestEveryStoryAtEveryPace plays each story at each pace, every second one in presenter mode, in which no story continues by itself. It takes a quarter
// of an hour, and runs in make judges.
func TestEveryStoryAtEveryPace(t *testing.T) {
	if !harness.EveryLayout() {
		t.Skip("make judges tells every story at each pace")
	}
	srv, files := storyServer(t)
	for i, id := range stories(t) {
		for j, pace := range []string{"hurried", "slow", "by itself"} {
			l := []string{"stage", "presenter"}[(i+j)%2]
			if pace == "by itself" {
				if id == "tour" {
					continue // it waits for a press at each step
				}
				l = "stage"
			}
			t.Run(id+" "+pace, func(t *testing.T) {
				t.Parallel()
				storyPaces[pace](openStory(t, srv, files, id, l, []string{"en", "zh"}[i%2]))
			})
		}
	}
}

// hurry presses five times a second until the last step is shown at its end: no step begins without a press, and no press is lost. Each step has come
// to its end all the same, as going back shows.
func (w *walker) hurry() {
	w.t.Helper()
	n := len(w.story.Steps)
	deadline := harness.Timeout(w.t, 3*time.Minute)
	every := time.NewTicker(200 * time.Millisecond)
	defer every.Stop()
	for presses := 0; ; presses++ {
		at := harness.EvalIn[int](w.t, w.page, "Number(%s?.step ?? 0)", storyData)
		if at > presses+1 {
			w.t.Fatalf("after %d presses it shows step %d", presses, at)
		}
		if at == n && harness.EvalIn[string](w.t, w.page, "%s.state", storyData) == "told" {
			break
		}
		if deadline.Err() != nil {
			w.t.Fatalf("after %d presses it shows step %d of %d", presses, at, n)
		}
		pressKey(w.t, w.page, "PageDown")
		<-every.C
	}
	if home := "document.querySelector('section.home:not([hidden])')"; harness.EvalIn[bool](w.t, w.page, "!!%s", home) {
		pressKey(w.t, w.page, "PageUp") // a press beyond the last step opened what to take home
	}
	passRide(w.t, w.page)
	w.says(n-1, false)
	w.back(func(step int) { w.says(step, true) })
	w.page.ExpectClean(w.t)
}

// watch presses nothing: it checks what is drawn again and again while the story continues by itself, at a reader's pace. It only answers questions.
func (w *walker) watch() {
	w.t.Helper()
	last := len(w.story.Steps)
	deadline := harness.Timeout(w.t, 4*time.Minute)
	seen := map[int]bool{}
	for {
		// In one look: the story goes on by itself.
		now := harness.EvalIn[struct {
			Step  int
			State string
		}](w.t, w.page, "(({step, state}) => ({step: Number(step ?? 0), state: state ?? ''}))(%s ?? {})", storyData)
		at, state := now.Step, now.State
		switch {
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
			pressKey(w.t, w.page, "1") // with the key for the next step all later ones would wait for a press
			waitTour(w.t, w.page, "%s.state !== 'waits'", storyData)
		case at == 0:
			harness.Settle(w.t, w.page)
			continue
		}
		seen[at], seen[at+1] = true, seen[at+1] || at+1 == last // the last one may be over at once
		w.rest(at-1, false)
	}
}

// linger waits at each step until time stands still, where a minute more changes nothing: nothing happens, and the caption is true. At the last step
// time goes on.
func (w *walker) linger() {
	w.t.Helper()
	waitTour(w.t, w.page, "%s?.step === '1' && %s.state !== 'telling'", storyData, storyData)
	pressKey(w.t, w.page, "PageUp") // no step begins by itself any more
	for step := range w.story.Steps {
		w.awaitStep(step)
		w.waitStep(step)
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

// stands waits until time stands still, and checks that it does and that the caption is true.
func (w *walker) stands() {
	w.t.Helper()
	deadline := harness.Timeout(w.t, 3*time.Minute)
	if err := w.page.WaitFor(deadline, "lastTold.stands", "JSON.stringify(lastTold)"); err != nil {
		w.t.Fatal(err)
	}
	step := harness.EvalIn[int](w.t, w.page, "lastTold.step")
	before := harness.EvalIn[view.State](w.t, w.page, "informerscope.state()")
	w.says(step, true)
	for range 20 {
		harness.Settle(w.t, w.page)
	}
	if now := harness.EvalIn[view.State](w.t, w.page, "informerscope.state()"); now.View.Head != before.View.Head {
		w.t.Errorf("step %d: time stood still at event %d, and went on to event %d", step+1, before.View.Head, now.View.Head)
	}
	w.says(step, true)
}
