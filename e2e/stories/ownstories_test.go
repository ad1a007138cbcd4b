package stories_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
)

// exampleStory is the example story of docs/stories.md.
func exampleStory(t *testing.T) string {
	t.Helper()
	dir, err := layout.E2E()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "..", "docs", "stories.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "```yaml\n")
	example, _, closed := strings.Cut(after, "```\n")
	if !found || !closed {
		t.Fatal("docs/stories.md has no example")
	}
	return example
}

// TestADroppedStoryIsTold drops a story with a mistake on the page, then the corrected one, and plays it to its end.
func TestADroppedStoryIsTold(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=20&lang=en", 1280, 720)
	text := exampleStory(t)
	dir := t.TempDir()
	drop := func(text, says string) {
		t.Helper()
		path := filepath.Join(dir, "held.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := p.Drop(harness.Timeout(t, 30*time.Second), path, browser.Point{X: 640, Y: 380}); err != nil {
			t.Fatal(err)
		}
		if err := p.WaitFor(harness.Timeout(t, 30*time.Second), "document.querySelector('.toast')?.textContent.includes("+harness.Quote(says)+")",
			"document.querySelector('.toast')?.textContent"); err != nil {
			t.Fatal(err)
		}
	}
	drop(strings.Replace(text, "group: store", "group: stove", 1), "held.yaml:3: a group is one of start, store, missed, handlers, workers, "+
		`sync, breaks, order, memory, and not "stove"`)
	harness.Shot(t, p, "1-wrong")
	if harness.EvalIn[bool](t, p, "informerscope.story('held').then(() => true, () => false)") {
		t.Error("a story that cannot be read can be begun")
	}
	drop(text, "“held” has been added")
	harness.Shot(t, p, "2-added")
	tellHeld(t, p)
	p.ExpectClean(t)
}

// TestStoriesOfADirectoryAreTold starts the server with a directory of stories. The chooser has them, the page shows the error in another one, and a
// changed file is used after a reload.
func TestStoriesOfADirectoryAreTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := exampleStory(t)
	write("held.yaml", text)
	write("wrong.yaml", strings.Replace(text, "look: [queue, indexer]", "look: [queu, indexer]", 1))
	srv := harness.StartServer(t, "--listen=127.0.0.1:0", "--stories="+dir)
	b := browser.StartForTest(t)
	p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&objects=20&lang=en", 1280, 720)
	chosen := func(title string) {
		t.Helper()
		if err := p.Keys(harness.Timeout(t, 30*time.Second), "s"); err != nil {
			t.Fatal(err)
		}
		if err := p.WaitFor(harness.Timeout(t, 30*time.Second), "document.querySelector('#story-held b')?.textContent === "+harness.Quote(title),
			"[...document.querySelectorAll('.srow b')].map((x) => x.textContent).join('; ')"); err != nil {
			t.Fatal(err)
		}
	}
	chosen("Held back")
	if err := p.WaitFor(harness.Timeout(t, 30*time.Second), "document.querySelector('.toast')?.textContent.includes('wrong.yaml:8: a station is one of')",
		"document.querySelector('.toast')?.textContent"); err != nil {
		t.Error(err)
	}
	harness.Shot(t, p, "1-chooser")
	if err := p.Keys(harness.Timeout(t, 30*time.Second), "Escape"); err != nil {
		t.Fatal(err)
	}
	tellHeld(t, p)
	write("held.yaml", strings.Replace(text, "Held back", "Held for long", 1))
	q := harness.OpenStage(t, b, srv, "&source=sim&seed=7&objects=20&lang=en", 1280, 720)
	p = q
	chosen("Held for long")
	q.ExpectClean(t)
}

// tellHeld begins the documented story, goes to its next step, and checks its last sentence.
func tellHeld(t *testing.T, p *browser.Page) {
	t.Helper()
	if n := harness.EvalIn[int](t, p, "informerscope.story('held').then((s) => s.steps)"); n != 2 {
		t.Fatalf("it has %d steps, and the file has 2", n)
	}
	told := func(step string) {
		t.Helper()
		bar := "stage.find('.storybar')?.dataset.step === '" + step + "' && stage.find('.storybar').dataset.state === 'told'"
		if err := p.WaitFor(harness.Timeout(t, 90*time.Second), bar, "document.querySelector('.storybar').outerHTML"); err != nil {
			t.Fatal(err)
		}
	}
	told("1")
	pressKey(t, p, "PageDown")
	answer(t, p, 2)
	told("2")
	if err := p.WaitFor(harness.Timeout(t, 60*time.Second), "stage.find('.cap .say')?.textContent.startsWith('The change waits in the queue')",
		"stage.find('.cap .say')?.textContent"); err != nil {
		t.Fatal(err)
	}
	harness.Shot(t, p, "9-held")
}
