package stories_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
)

// stories are the ids of the stories' files, so that a new one is tested too.
func stories(t *testing.T) []string {
	t.Helper()
	dir, err := layout.E2E()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "..", "stories", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, f := range files {
		ids = append(ids, strings.TrimSuffix(filepath.Base(f), ".yaml"))
	}
	if len(ids) < 6 {
		t.Fatalf("found only the stories %q", ids)
	}
	return ids
}

// said is what the page itself reports of a step, beside the story's sentence.
var said = map[string][]struct {
	step  int
	words string
}{
	"mutate": {{2, "mailer changed it in the store: app=mine"}, {2, "it was cart"}, {3, "received an old object with app=mine"},
		{5, "a handler had changed the object that it read"}},
	"storm": {{2, "lists in the last second"}, {2, "refused"}},
}

// closelyPlayed are the stories whose sentences and numbers TestStories compares with the State at each step. Each has a layout, a language and a pace;
// "" is as a speaker with a clicker, and back again.
var closelyPlayed = map[string]struct{ layout, lang, pace string }{
	"atomic": {"presenter", "zh", ""}, "types": {"stage", "en", ""}, "bookmarks": {"phone", "zh", ""}, "key": {"oldest", "en", ""},
	"410": {"presenter", "en", "hurried"}, "tombstone": {"stage", "zh", "by itself"}, "stale": {"presenter43", "zh", "slow"},
}

// TestStories plays every story from its first step to its last as a speaker with a clicker does, and then goes back. Each step must reach the end
// that its condition on State describes. Going back must show the past and change nothing; every third story goes all the way, the others go a step.
// Some are played closely; the tests of make judges play all so.
// TestTheTour plays the tour.
func TestStories(t *testing.T) {
	t.Parallel()
	srv, files := storyServer(t)
	all := stories(t)
	if testing.Short() {
		all = []string{"late", "types"}
	}
	for i, id := range all {
		if id == "tour" {
			continue
		}
		t.Run(id, func(t *testing.T) {
			t.Parallel() // a story takes minutes, and little processor time
			if how, ok := closelyPlayed[id]; ok && how.pace == "" {
				walk(t, srv, files, id, how.layout, how.lang)
				return
			} else if ok {
				storyPaces[how.pace](openStory(t, srv, files, id, how.layout, how.lang))
				return
			}
			b := browser.StartForTest(t) // a page behind another one is hidden, and a hidden page does not paint
			page := harness.OpenStage(t, b, srv, "&source=sim&seed=3&objects=20&lang=en", 1280, 720)
			n := harness.EvalIn[int](t, page, "informerscope.story('%s').then((s) => s.steps)", id)
			told := func(step int, state string) {
				t.Helper()
				bar := fmt.Sprintf("stage.find('.storybar')?.dataset.step === '%d' && stage.find('.storybar').dataset.state === '%s'", step, state)
				if err := page.WaitFor(harness.Timeout(t, 90*time.Second), bar,
					"stage.find('.storybar')?.dataset.step + ' ' + stage.find('.storybar')?.dataset.state"); err != nil {
					t.Fatalf("step %d of %d: %v", step, n, err)
				}
			}
			keys := func(key string) {
				t.Helper()
				if err := page.Keys(harness.Timeout(t, 30*time.Second), key); err != nil {
					t.Fatal(err)
				}
			}
			// A story continues by itself until a person presses a key.
			if err := page.WaitFor(harness.Timeout(t, 90*time.Second), "stage.find('.storybar')?.dataset.step === '1'",
				"document.querySelector('.storybar').outerHTML"); err != nil {
				t.Fatal(err)
			}
			keys("PageUp")
			for step := 1; step <= n; step++ {
				counts := id == "late" && step == 3
				if counts {
					harness.EvalIn[bool](t, page, watchCaption)
				}
				answer(t, page, step)
				told(step, "told")
				// While time runs, a sentence has another number once a second.
				if counts && !harness.EvalIn[bool](t, page, "__captions.size > 4 && __captions.size <= (performance.now() - __from) / 1000 + 3") {
					t.Errorf("its sentences cannot be read: %s", harness.EvalIn[string](t, page, "`${[...__captions]} in ${performance.now() - __from} ms`"))
				}
				harness.Shot(t, page, fmt.Sprintf("story-%s-%d", id, step))
				// One sentence goes before the next one comes.
				if err := page.WaitFor(harness.Timeout(t, 30*time.Second), "stage.find('.cap .say')?.textContent", "stage.find('.cap .say')?.outerHTML"); err != nil {
					t.Errorf("step %d says nothing: %v", step, err)
				}
				if id == "late" && step == 3 && !harness.EvalIn[bool](t, page,
					"informerscope.state().then((s) => s.listeners.some((l) => l.name === 'auditor' && !l.synced))") {
					t.Error("auditor's lamp is on")
				}
				for _, x := range said[id] {
					if step == x.step && !harness.EvalIn[bool](t, page, "document.body.innerText.includes('%s')", x.words) {
						t.Errorf("step %d does not say %q", step, x.words)
					}
				}
				if step < n {
					passRide(t, page)
					keys("PageDown")
				}
			}
			takeHome(t, page, id)
			last := harness.Await(t, page, time.Minute, "s.seq > 0")
			first := n - 1
			if i%3 == 0 {
				first = 1
			}
			for step := n - 1; step >= first; step-- {
				keys("PageUp")
				told(step, "told")
				// It plays from the step's beginning to its end, which is before later events.
				harness.Await(t, page, time.Minute, "s.seq <= %d && s.view.mode !== 'live'", last.Seq)
			}
			keys("Escape")
			if err := page.WaitFor(harness.Timeout(t, 30*time.Second), "!stage.find('.storybar') && !location.hash.includes('story=')", "location.hash"); err != nil {
				t.Fatal(err)
			}
			if err := page.WaitFor(harness.Timeout(t, 30*time.Second), "informerscope.state().then((s) => s.live)",
				"informerscope.state().then((s) => s.view)"); err != nil {
				t.Fatal(err)
			}
			after := harness.Await(t, page, time.Minute, "s.live")
			if after.Reflector.Relists != last.Reflector.Relists {
				t.Errorf("turning the pages back relisted: %d relists before, %d after", last.Reflector.Relists, after.Reflector.Relists)
			}
			page.ExpectClean(t)
		})
	}
}

// watchCaption keeps what the caption says from now on in __captions.
const watchCaption = `(() => {
	globalThis.__captions = new Set();
	globalThis.__from = performance.now();
	const line = document.querySelector(".cap .say");
	new MutationObserver(() => __captions.add(line.textContent)).observe(line, {childList: true, characterData: true, subtree: true});
	return true;
})()`

// answer goes on where a step's caption stands, and does what the step asks of its reader, as a speaker's clicker does: with the key for the next step.
func answer(t *testing.T, page *browser.Page, step int) {
	t.Helper()
	waitTour(t, page, "%s?.step === '%d' && %s.state !== 'telling'", storyData, step, storyData)
	if harness.EvalIn[bool](t, page, "['waits', 'stands'].includes(%s?.state)", storyData) {
		if err := page.Keys(harness.Timeout(t, 30*time.Second), "PageDown"); err != nil {
			t.Fatal(err)
		}
	}
}

// takeHome opens what a finished story offers: a sentence, a few lines of Go, and further reading.
func takeHome(t *testing.T, page *browser.Page, id string) {
	t.Helper()
	if !harness.EvalIn[bool](t, page, "document.querySelector('.storybar .take').click() ?? !!stage.find('.storybar .take')") {
		t.Error("at its end it has nothing to take home")
		return
	}
	if err := page.WaitFor(harness.Timeout(t, 30*time.Second), "stage.find('.pop .go')?.textContent.includes('func ')",
		"document.querySelector('.pop')?.outerHTML"); err != nil {
		t.Fatal(err)
	}
	if harness.EvalIn[bool](t, page, "(({scrollWidth, clientWidth}) => scrollWidth > clientWidth)(stage.find('.pop .go'))") {
		t.Error("a line of the code is cut at the right")
	}
	harness.Shot(t, page, "story-"+id+"-take")
	if err := page.Keys(harness.Timeout(t, 30*time.Second), "Escape"); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitFor(harness.Timeout(t, 30*time.Second), "!stage.find('.pop')", "document.querySelector('.pop')?.outerHTML"); err != nil {
		t.Fatal(err)
	}
}

// TestAStoryIsNeverAheadOfItsPresses presses the key for the next step very fast, from before the story has begun, in Chinese and in presenter mode.
// Each press counts, and the last step's events have happened.
func TestAStoryIsNeverAheadOfItsPresses(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	page := harness.OpenStage(t, b, srv, "&source=sim&seed=3&objects=20&lang=zh&presenter=1", 1280, 720)
	n := harness.EvalIn[int](t, page, `informerscope.story("tombstone").then((s) => s.steps)`)
	at := "(({step, state}) => Number(step ?? 0) + (state === 'told' ? 0.5 : 0))(document.querySelector('.storybar')?.dataset ?? {})"
	deadline := harness.Timeout(t, 90*time.Second)
	for presses := 0; ; presses++ {
		got := harness.EvalIn[float64](t, page, at)
		if got == float64(n)+0.5 {
			break
		}
		if deadline.Err() != nil || presses > 200 || got > float64(presses+1)+0.5 {
			t.Fatalf("after %d presses it shows step %g of %d", presses, got, n)
		}
		if err := page.Keys(harness.Timeout(t, 30*time.Second), "PageDown"); err != nil {
			t.Fatal(err)
		}
	}
	const last = `informerscope.state().then((s) => s.queue.depth === 0 && s.reflector.relists >= 1 && s.indexer.count === s.api.objects && s.holds.length === 0)`
	if err := page.WaitFor(harness.Timeout(t, 90*time.Second), last,
		"informerscope.state().then((s) => JSON.stringify([s.queue.depth, s.reflector.phase, s.holds]))"); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitFor(harness.Timeout(t, 90*time.Second), "document.body.textContent.includes('DeletedFinalStateUnknown')",
		"document.body.textContent.slice(0, 600)"); err != nil {
		t.Fatal(err)
	}
	harness.Shot(t, page, "story-presses")
	page.ExpectClean(t)
}
