package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/internal/layout"
)

// stories are the ids that the page's own index offers, so that one that is added is told here too.
func stories(t *testing.T) []string {
	t.Helper()
	dir, err := layout.E2E()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "..", "web", "stories", "*.js"))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(`(?m)^  id: '([a-z0-9]+)',$`).FindSubmatch(text); m != nil {
			ids = append(ids, string(m[1]))
		}
	}
	if len(ids) < 6 {
		t.Fatalf("found only the stories %q", ids)
	}
	return ids
}

// TestStories tells every story from its first step to its last as a speaker
// with a clicker does, and then turns the pages back: each step must come to
// the end that its condition on State describes, and going back must show the
// past and do nothing anew.
func TestStories(t *testing.T) {
	srv := startServer(t, "--listen=127.0.0.1:0")
	for _, id := range stories(t) {
		t.Run(id, func(t *testing.T) {
			t.Parallel()                 // a story takes its time, and little of the processor
			b := browser.StartForTest(t) // of its own: a page behind another one is hidden, and a hidden page does not paint
			page := openStage(t, b, srv, "&source=sim&seed=3&objects=20&lang=en", 1280, 720)
			n := evalIn[int](t, page, "informerscope.story('%s').then((s) => s.steps)", id)
			told := func(step int, state string) {
				t.Helper()
				bar := fmt.Sprintf("stage.find('.storybar')?.dataset.step === '%d' && stage.find('.storybar').dataset.state === '%s'", step, state)
				if err := page.WaitFor(within(t, 90*time.Second), bar, "stage.find('.storybar')?.dataset.step + ' ' + stage.find('.storybar')?.dataset.state"); err != nil {
					t.Fatalf("step %d of %d: %v", step, n, err)
				}
			}
			keys := func(key string) {
				t.Helper()
				if err := page.Keys(within(t, 30*time.Second), key); err != nil {
					t.Fatal(err)
				}
			}
			// A story goes on by itself until a person turns a page.
			told(1, "telling")
			keys("PageUp")
			for step := 1; step <= n; step++ {
				told(step, "told")
				shot(t, page, fmt.Sprintf("story-%s-%d", id, step))
				if id == "late" && step == 3 && !evalIn[bool](t, page, "informerscope.state().then((s) => s.listeners.some((l) => l.name === 'auditor' && !l.synced))") {
					t.Error("auditor's lamp is on")
				}
				if step < n {
					keys("PageDown")
				}
			}
			last := await(t, page, time.Minute, "s.seq > 0")
			for step := n - 1; step >= 1; step-- {
				keys("PageUp")
				told(step, "told")
				// It plays from where the step began, which is before anything that came after it.
				await(t, page, time.Minute, "s.seq < %d && s.view.mode !== 'live'", last.Seq)
			}
			keys("Escape")
			if err := page.WaitFor(within(t, 30*time.Second), "!stage.find('.storybar') && !location.hash.includes('story=')", "location.hash"); err != nil {
				t.Fatal(err)
			}
			if err := page.WaitFor(within(t, 30*time.Second), "informerscope.state().then((s) => s.live)", "informerscope.state().then((s) => s.view)"); err != nil {
				t.Fatal(err)
			}
			after := await(t, page, time.Minute, "s.live")
			if after.Reflector.Relists != last.Reflector.Relists {
				t.Errorf("turning the pages back relisted: %d relists before, %d after", last.Reflector.Relists, after.Reflector.Relists)
			}
			page.ExpectClean(t)
		})
	}
}
