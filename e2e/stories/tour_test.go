package stories_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

const (
	storyBar = "stage.find('.storybar')?.dataset"
	card     = "stage.find('dialog.first')"
)

// openTour opens the page at an address with only the given fragment, without a scene, and does not wait.
func openTour(t *testing.T, b *browser.Browser, srv *harness.Server, fragment string, width, height int64) *browser.Page {
	t.Helper()
	page := b.OpenForTest(t, "about:blank", width, height)
	if err := page.OnNewDocument(harness.Timeout(t, 30*time.Second), harness.StageTools(t)); err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(harness.Timeout(t, time.Minute), srv.URL+fragment); err != nil {
		t.Fatal(err)
	}
	return page
}

// rightAnswers are the keys of the right answers to the exam at the tour's end.
var rightAnswers = []string{"2", "3", "1", "3", "2"}

// barOverlaps reports whether the bar of a story lies on a button of the transport.
const barOverlaps = `[...document.querySelectorAll('.tr button')].some((b) => b.checkVisibility({visibilityProperty: true}) &&
	b.getBoundingClientRect().right > document.querySelector('.storybar').getBoundingClientRect().left)`

// openQuiz reports whether a question is open.
const openQuiz = "!!document.querySelector('.quiz:not([hidden])')"

// waitTour waits for an expression.
func waitTour(t *testing.T, page *browser.Page, expression string, args ...any) {
	t.Helper()
	if err := page.WaitFor(harness.Timeout(t, 90*time.Second), fmt.Sprintf(expression, args...),
		"document.querySelector('.storybar')?.outerHTML.slice(0, 300) + stage.find('.cap .say')?.textContent"); err != nil {
		t.Fatal(err)
	}
}

// pressTour clicks the element of a selector, as a person would, once it is there.
func pressTour(t *testing.T, page *browser.Page, selector string) {
	t.Helper()
	waitTour(t, page, "!!stage.find(%s)", harness.Quote(selector))
	if err := page.Click(harness.Timeout(t, 30*time.Second), fmt.Sprintf("stage.find(%s)", harness.Quote(selector))); err != nil {
		t.Fatal(err)
	}
}

// TestTheTour takes the tour from #tour to its end, in both languages. It does what each step asks with the control that the page points at, and goes
// to the next step with the bar's own button.
func TestTheTour(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	for _, c := range []struct {
		lang string
		w, h int64
	}{{"en", 1280, 720}, {"zh", 1920, 1080}} {
		t.Run(c.lang, func(t *testing.T) {
			t.Parallel() // it mostly waits for its page
			page := openTour(t, browser.StartForTest(t), srv, "&tour&lang="+c.lang, c.w, c.h)
			waitTour(t, page, "%s?.step === '1'", storyBar)
			n := harness.EvalIn[int](t, page, "document.querySelectorAll('.storybar .dot').length")
			asked, rode, questions := 0, 0, 0
			for step := 1; step <= n; step++ {
				waitTour(t, page, "%s?.step === '%d' && %s.state !== 'telling'", storyBar, step, storyBar)
				if harness.EvalIn[bool](t, page, "%s.state === 'stands'", storyBar) {
					harness.Settle(t, page)
					harness.Shot(t, page, fmt.Sprintf("tour-%s-%02d-stands", c.lang, step))
					pressTour(t, page, ".storybar .key.asked")
				} else if harness.EvalIn[bool](t, page, "%s.state === 'waits'", storyBar) {
					asked++
					harness.Settle(t, page)
					harness.Shot(t, page, fmt.Sprintf("tour-%s-%02d-asks", c.lang, step))
					how := harness.EvalIn[string](t, page, "stage.find('.cap .say').textContent")
					control := harness.EvalIn[string](t, page, "stage.find('.asked')?.dataset.call ?? ''")
					switch quiz := harness.EvalIn[bool](t, page, openQuiz); {
					case quiz:
						if err := page.Keys(harness.Timeout(t, 30*time.Second), rightAnswers[questions]); err != nil {
							t.Fatal(err)
						}
						questions++
					case control == "":
						t.Fatalf("step %d asks %q and points at nothing", step, how)
					default:
						pressTour(t, page, ".asked")
					}
					if control == "cluster" { // the page points at an entry of this menu
						waitTour(t, page, "stage.find('.pop .asked')")
						harness.Shot(t, page, fmt.Sprintf("tour-%s-%02d-menu", c.lang, step))
						pressTour(t, page, ".pop .asked")
					}
				}
				waitTour(t, page, "%s?.step === '%d' && %s.state === 'told'", storyBar, step, storyBar)
				if harness.EvalIn[bool](t, page, "!!stage.find('.pop')") {
					if err := page.Keys(harness.Timeout(t, 30*time.Second), "Escape"); err != nil {
						t.Fatal(err)
					}
				}
				waitTour(t, page, "stage.find('.cap .say')?.textContent.length > 8")
				harness.Settle(t, page)
				harness.Shot(t, page, fmt.Sprintf("tour-%s-%02d", c.lang, step))
				if cut := harness.EvalIn[string](t, page, "((el) => el && el.scrollWidth > el.clientWidth + 1 ? el.textContent : '')(stage.find('.cap .say'))"); cut != "" {
					t.Errorf("step %d: the line has no room for %q", step, cut)
				}
				if over := harness.EvalIn[bool](t, page, barOverlaps); over {
					t.Errorf("step %d: the story's bar covers a button beside it", step)
				}
				if rides(t, page) {
					waitTour(t, page, "!!stage.find('.storybar .key.asked')")
					pressTour(t, page, ".storybar .key.asked")
					if c.lang == "en" {
						rideAlong(t, page, "tour-"+c.lang, func() { pressTour(t, page, ".ride .key.asked") })
					} else {
						passRide(t, page)
					}
					rode++
				}
				if step < n {
					waitTour(t, page, "!!stage.find('.storybar .key.asked')") // after a ride the step has to come back first
					pressTour(t, page, ".storybar .key.asked")
				}
			}
			if rode != 1 {
				t.Errorf("%d changes were ridden", rode)
			}
			if asked < 8 {
				t.Errorf("%d steps asked for something", asked)
			}
			if score := harness.EvalIn[string](t, page, "document.querySelector('.quiz .score')?.textContent"); !strings.HasPrefix(score, "5") {
				t.Errorf("after %d right answers the score is %q", questions, score)
			}
			takeHome(t, page, "tour-"+c.lang)
			if hash := harness.EvalIn[string](t, page, "location.hash"); !strings.Contains(hash, "story=tour") {
				t.Errorf("the address is %s", hash)
			}
			page.ExpectClean(t)
		})
	}
}

// TestTheTourIsOfferedOnce opens the page for the first time and again, without and with a scene in its address. It begins at each entry to the tour,
// and continues the tour where it was left.
func TestTheTourIsOfferedOnce(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	scene := openTour(t, b, srv, "&source=sim&seed=3&objects=20", 1280, 720)
	harness.Await(t, scene, time.Minute, "s.queue.synced")
	harness.Settle(t, scene)
	if harness.EvalIn[bool](t, scene, "!!%s", card) {
		t.Error("a link's own scene is under the card of a first visit")
	}
	page := openTour(t, b, srv, "", 1280, 720)
	waitTour(t, page, "!!%s", card)
	pressTour(t, page, "dialog.first [data-do=look]")
	waitTour(t, page, "!%s", card)

	again := openTour(t, b, srv, "", 1280, 720)
	harness.Await(t, again, time.Minute, "s.queue.synced")
	harness.Settle(t, again)
	if harness.EvalIn[bool](t, again, "!!%s", card) {
		t.Error("the second visit is a first one again")
	}
	// The list of keys begins with it.
	if err := again.Keys(harness.Timeout(t, 30*time.Second), "?"); err != nil {
		t.Fatal(err)
	}
	waitTour(t, again, "!!stage.find('.kp [data-do=tour]')")
	harness.Settle(t, again)
	harness.Shot(t, again, "tour-keys")
	pressTour(t, again, ".kp [data-do=tour]")
	waitTour(t, again, "%s?.step === '1'", storyBar)
	for step := 1; step < 5; step++ {
		answer(t, again, step)
		waitTour(t, again, "%s?.step === '%d' && %s.state === 'told'", storyBar, step, storyBar)
		if err := again.Keys(harness.Timeout(t, 30*time.Second), "PageDown"); err != nil {
			t.Fatal(err)
		}
	}
	answer(t, again, 5)
	waitTour(t, again, "%s?.step === '5' && %s.state === 'told'", storyBar, storyBar)
	said := harness.EvalIn[string](t, again, "stage.find('.cap .say').textContent")
	if err := again.Keys(harness.Timeout(t, 30*time.Second), "Escape"); err != nil {
		t.Fatal(err)
	}
	waitTour(t, again, "!%s && !location.hash.includes('story=')", storyBar)
	// The chooser has it first, and shows where it continues.
	if err := again.Keys(harness.Timeout(t, 30*time.Second), "s"); err != nil {
		t.Fatal(err)
	}
	waitTour(t, again, "!!stage.find('.srow')")
	harness.Settle(t, again)
	harness.Shot(t, again, "tour-chooser")
	if first := harness.EvalIn[string](t, again, "document.querySelector('.srow').id + document.querySelector('.srow.foc').textContent"); !strings.HasPrefix(first,
		"story-tour") || !strings.Contains(first, "step 5 of") {
		t.Errorf("the chooser begins with %q", first)
	}
	if err := again.Keys(harness.Timeout(t, 30*time.Second), "Enter"); err != nil {
		t.Fatal(err)
	}
	waitTour(t, again, "%s?.step === '5' && %s.state === 'stands'", storyBar, storyBar) // it is replayed up to there
	answer(t, again, 5)
	waitTour(t, again, "%s?.step === '5' && %s.state === 'told'", storyBar, storyBar)
	waitTour(t, again, "stage.find('.cap .say').textContent === %s", harness.Quote(said))
	for _, p := range []*browser.Page{scene, page, again} {
		p.ExpectClean(t)
	}
}

// TestTheTourInPresenterMode goes through the tour with a clicker: the key for the next step does what a step asks, and the text says so.
func TestTheTourInPresenterMode(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	page := openTour(t, browser.StartForTest(t), srv, "&tour&presenter=1", 1280, 720)
	step := "Number(document.querySelector('.storybar')?.dataset.step ?? 0)"
	state := "document.querySelector('.storybar')?.dataset.state"
	waitTour(t, page, "%s === 1 && %s === 'told'", step, state)
	n := harness.EvalIn[int](t, page, "informerscope.state().then(() => document.querySelectorAll('.storybar .dot').length)")
	rode := 0
	for i := 1; i <= n; i++ {
		waitTour(t, page, "%s === %d && %s !== 'telling'", step, i, state)
		if harness.EvalIn[bool](t, page, "%s === 'stands'", state) {
			pressKey(t, page, "PageDown")
		} else if harness.EvalIn[bool](t, page, "%s === 'waits'", state) {
			waitTour(t, page, openQuiz+" || document.querySelector('.cap').textContent.includes('The next step does it')")
			harness.Settle(t, page)
			harness.Shot(t, page, fmt.Sprintf("tour-presenter-%02d-asks", i))
			if err := page.Keys(harness.Timeout(t, 30*time.Second), "PageDown"); err != nil {
				t.Fatal(err)
			}
		}
		waitTour(t, page, "%s === %d && %s === 'told'", step, i, state)
		harness.Settle(t, page)
		harness.Shot(t, page, fmt.Sprintf("tour-presenter-%02d", i))
		if rides(t, page) {
			down := func() {
				if err := page.Keys(harness.Timeout(t, 30*time.Second), "PageDown"); err != nil {
					t.Fatal(err)
				}
			}
			down()
			rideAlong(t, page, "tour-presenter", down)
			rode++
		}
		if i < n {
			if err := page.Keys(harness.Timeout(t, 30*time.Second), "PageDown"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if rode != 1 {
		t.Errorf("%d changes were ridden", rode)
	}
	page.ExpectClean(t)
}
