package stage_test

import (
	"fmt"
	"image"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// stateful are the states in which the stage is checked, and how to reach them.
var stateful = []struct {
	name, fragment string
	reach          func(t *testing.T, p *browser.Page)
}{
	{"calm", "&source=sim&seed=7", func(t *testing.T, p *browser.Page) { harness.Await(t, p, 20*time.Second, "s.seq > 5200") }},
	{"busy", "&source=sim&seed=7&rate=200", func(t *testing.T, p *browser.Page) {
		harness.Call(t, p, "fault('slow', {on: true})")
		harness.Await(t, p, 20*time.Second, "s.listeners[2].pending > 60")
		harness.Call(t, p, "hold('pop')")
		harness.Await(t, p, 20*time.Second, "s.queue.depth > 60")
		harness.Call(t, p, "addListener({name: 'a listener with a long name', paceMillis: 10})")
		harness.Await(t, p, 20*time.Second, "s.listeners.length === 4")
		harness.EvalIn[bool](t, p, "(stage.find('[data-station=queue] .row-name').click(), true)")
	}},
	{"empty", "&source=sim&seed=7&objects=0&rate=0", func(t *testing.T, p *browser.Page) {
		harness.Await(t, p, 20*time.Second, "s.indexer.count === 0 && s.queue.synced")
	}},
	{"error", "&source=sim&seed=7", func(t *testing.T, p *browser.Page) {
		harness.Call(t, p, "fault('refuse', {on: true})")
		harness.Call(t, p, "fault('cut')")
		harness.Await(t, p, 20*time.Second, "s.reflector.phase === 'backoff' && s.reflector.backoffs.length > 1")
	}},
	{"deltafifo", "&source=sim&seed=7&era=1.31&rate=60", func(t *testing.T, p *browser.Page) {
		harness.Call(t, p, "hold('pop')")
		harness.Await(t, p, 20*time.Second, "s.queue.depth > 30")
	}},
	{"big", "&source=sim&seed=7&objects=10000&rate=200", func(t *testing.T, p *browser.Page) {
		harness.Await(t, p, 30*time.Second, "s.indexer.count > 9000")
		harness.Call(t, p, "hold('deliver', 2)")
		harness.Await(t, p, 20*time.Second, "s.listeners[1].pending > 200")
	}},
}

// TestStageScreens keeps screenshots of the stage, empty, calm, busy, in error and with 10,000 objects, in each theme, size and language. It measures the
// drawing: nothing is cut, overflows or overlaps something else, and all text has the contrast of WCAG AA.
func TestStageScreens(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, state := range stateful {
		t.Run(state.name, func(t *testing.T) {
			p := harness.OpenStage(t, b, srv, state.fragment+"&lang=en", 1280, 720)
			state.reach(t, p)
			harness.Pause(t, p)
			for _, size := range []image.Point{{1280, 720}, {1024, 768}, {1920, 1080}, {3840, 2160}} {
				for _, lang := range []string{"en", "zh"} {
					for _, theme := range themesOf(size, lang) {
						name := fmt.Sprintf("%s-%s-%d", theme, lang, size.X)
						t.Run(name, func(t *testing.T) {
							harness.SetLook(t, p, theme, lang, int64(size.X), int64(size.Y))
							harness.Shot(t, p, filepath.Join(state.name, name))
							harness.ExpectWell(t, p)
						})
					}
				}
			}
			p.ExpectClean(t)
		})
	}
}

// themesOf are the themes that are looked at in a window: all in the usual one, and else one, which is another one for each language.
func themesOf(size image.Point, lang string) []string {
	switch {
	case size.X == 1280:
		return []string{"dark", "light", "contrast", "contrast-light"}
	case lang == "zh":
		return []string{"light"}
	}
	return []string{"dark"}
}

// TestStageViews checks the other views of the same state, as TestStageScreens checks the main one.
func TestStageViews(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, view := range []struct {
		name, fragment, shown string
		size                  image.Point
	}{
		{"two-releases", "&era=1.31,1.37&rate=30", "wide", image.Pt(1280, 720)},
		{"two-releases-presenter", "&era=1.31,1.37&rate=30&presenter=1", "presenting", image.Pt(1280, 720)},
		{"informers", "&resource=pods,nodes,deployments.apps&rate=30", "wide", image.Pt(1280, 720)},
		{"presenter", "&presenter=1&rate=30", "presenting", image.Pt(1280, 720)},
		{"presenter-4-to-3", "&presenter=1&rate=30", "presenting", image.Pt(1024, 768)},
		{"story", "&story=ring", "in-story", image.Pt(1280, 720)},
		{"phone", "&rate=30", "view-phone", image.Pt(390, 844)},
		{"phone-small", "&rate=30", "view-phone", image.Pt(360, 640)},
		{"phone-lanes", "&era=1.31,1.37&rate=30", "view-phone", image.Pt(390, 844)},
		{"phone-presenter", "&story=ring&presenter=1", "view-phone", image.Pt(430, 932)},
	} {
		t.Run(view.name, func(t *testing.T) {
			p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&lang=en"+view.fragment, int64(view.size.X), int64(view.size.Y))
			harness.Await(t, p, 20*time.Second, "s.seq > 1500")
			if strings.Contains(view.fragment, "story") { // time stands until somebody presses
				harness.WaitUntil(t, p, `document.querySelector(".dot.now")?.disabled === false`)
				if err := p.Keys(harness.Timeout(t, 30*time.Second), "PageDown"); err != nil {
					t.Fatal(err)
				}
			}
			for _, held := range []bool{false, true} {
				if held {
					harness.Call(t, p, "hold('pop')")
					harness.Await(t, p, 20*time.Second, "s.queue.depth > 12")
				}
				for _, lang := range []string{"en", "zh"} {
					for _, theme := range []string{"dark", "light", "contrast"} {
						name := fmt.Sprintf("%s-%s-held-%v", theme, lang, held)
						t.Run(name, func(t *testing.T) {
							harness.SetLook(t, p, theme, lang, int64(view.size.X), int64(view.size.Y))
							if !harness.EvalIn[bool](t, p, "document.getElementById('app').classList.contains('%s')", view.shown) {
								t.Fatalf("the view %s is not shown", view.shown)
							}
							harness.Shot(t, p, filepath.Join(view.name, name))
							harness.ExpectWell(t, p)
						})
					}
				}
			}
			p.ExpectClean(t)
		})
	}
}
