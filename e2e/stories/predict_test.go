package stories_test

import (
	"fmt"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestPredict answers the questions of stories, rightly by key and wrongly by click. The page asks before anything happens, a digit strikes no fault
// while it asks, and the informer decides which answer is marked.
func TestPredict(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	for _, c := range []struct {
		name, story, fragment string
		step                  int // of the question
		w, h                  int64
		choose                int
		right                 int
		byKey                 bool
		score                 string
	}{
		{"key-right", "key", "&lang=en", 3, 1280, 720, 2, 2, true, "1 of 1 right"},
		{"same-wrong", "same", "&lang=zh", 3, 1920, 1080, 1, 3, false, "1 题答对 0 题"},
		{"tombstone-presenter", "tombstone", "&lang=en&presenter=1", 2, 1280, 720, 2, 2, true, "1 of 1 right"},
		{"resync-phone", "resync", "&lang=en", 2, 430, 932, 2, 2, false, "1 of 1 right"},
		{"burst-lanes", "burst", "&lang=en", 2, 1280, 720, 3, 2, true, "0 of 1 right"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // it mostly waits for its page
			page := openTour(t, browser.StartForTest(t), srv, "&story="+c.story+c.fragment, c.w, c.h)
			step := "Number(document.querySelector('.storybar')?.dataset.step ?? 0)"
			state := "document.querySelector('.storybar')?.dataset.state"
			waitTour(t, page, "%s >= 1 && %s !== 'telling'", step, state)
			if err := page.Keys(harness.Timeout(t, 30*time.Second), "PageUp"); err != nil { // no step begins by itself any more
				t.Fatal(err)
			}
			for i := 1; i < c.step; i++ {
				answer(t, page, i)
				waitTour(t, page, "%s === %d && %s === 'told'", step, i, state)
				passRide(t, page)
				if err := page.Keys(harness.Timeout(t, 30*time.Second), "PageDown"); err != nil {
					t.Fatal(err)
				}
			}
			waitTour(t, page, "%s === %d && %s === 'waits'", step, c.step, state)
			waitTour(t, page, "!!stage.find('.quiz [data-answer]')")
			harness.Settle(t, page)
			harness.Shot(t, page, "predict-"+c.name+"-asks")
			before := harness.Await(t, page, time.Minute, "true")
			if c.byKey {
				if err := page.Keys(harness.Timeout(t, 30*time.Second), fmt.Sprint(c.choose)); err != nil {
					t.Fatal(err)
				}
			} else {
				pressTour(t, page, fmt.Sprintf(".quiz [data-answer=\"%d\"]", c.choose))
			}
			waitTour(t, page, "%s === %d && %s === 'told'", step, c.step, state)
			waitTour(t, page, "!!stage.find('.quiz .right')")
			harness.Settle(t, page)
			harness.Shot(t, page, "predict-"+c.name+"-decided")
			if got := harness.EvalIn[int](t, page, "Number(stage.find('.quiz .right').dataset.answer)"); got != c.right {
				t.Errorf("answer %d is marked as right, want %d", got, c.right)
			}
			wrong := 0
			if c.choose != c.right {
				wrong = c.choose
			}
			if got := harness.EvalIn[int](t, page, "Number(stage.find('.quiz .wrong')?.dataset.answer ?? 0)"); got != wrong {
				t.Errorf("answer %d is marked as wrong after %d was chosen", got, c.choose)
			}
			if got := harness.EvalIn[string](t, page, "stage.find('.quiz .score').textContent"); got != c.score {
				t.Errorf("the score is %q, want %q", got, c.score)
			}
			if c.story == "key" {
				after := harness.Await(t, page, time.Minute, "true")
				if after.Reflector.Watches != before.Reflector.Watches {
					t.Error("the answer's key broke the watch: it is a fault's key too")
				}
			}
			page.ExpectClean(t)
		})
	}
}
