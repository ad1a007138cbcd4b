package stage_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// stations are the panels by their area of the 1280×720 grid.
var stations = []struct {
	name string
	box  image.Rectangle
}{
	{"api", image.Rect(8, 44, 126, 564)}, {"reflector", image.Rect(126, 44, 342, 564)}, {"queue", image.Rect(342, 44, 534, 564)},
	{"indexer", image.Rect(534, 44, 810, 564)}, {"listeners", image.Rect(810, 44, 1074, 564)}, {"controller", image.Rect(1074, 44, 1280, 564)},
	{"time", image.Rect(0, 564, 1280, 720)},
}

// stateful are the states in which each panel is checked, and how to reach them.
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

// TestStageScreens keeps screenshots of every panel, empty, calm, busy, in error and with 10,000 objects, in each theme, size and language. It
// measures the drawing: nothing is cut, overflows or overlaps something else, and all text has the contrast of WCAG AA.
func TestStageScreens(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, state := range stateful {
		t.Run(state.name, func(t *testing.T) {
			p := harness.OpenStage(t, b, srv, state.fragment+"&lang=en", 1280, 720)
			state.reach(t, p)
			harness.Pause(t, p)
			for _, size := range []image.Point{{1280, 720}, {1920, 1080}} {
				for _, lang := range []string{"en", "zh"} {
					for _, theme := range []string{"dark", "light", "contrast"} {
						name := fmt.Sprintf("%s-%s-%d", theme, lang, size.X)
						t.Run(name, func(t *testing.T) {
							harness.SetLook(t, p, theme, lang, int64(size.X), int64(size.Y))
							keepPanels(t, p, filepath.Join(state.name, name), size)
							harness.ExpectWell(t, p)
						})
					}
				}
			}
			p.ExpectClean(t)
		})
	}
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
		{"lanes", "&era=1.31,1.37&rate=30", "view-lanes", image.Pt(1280, 720)},
		{"lanes-presenter", "&era=1.31,1.37&rate=30&presenter=1", "pres-lanes", image.Pt(1280, 720)},
		{"presenter", "&presenter=1&rate=30", "view-presenter", image.Pt(1280, 720)},
		{"story", "&story=ring", "in-story", image.Pt(1280, 720)},
		{"phone", "&rate=30", "view-phone", image.Pt(390, 844)},
		{"phone-small", "&rate=30", "view-phone", image.Pt(360, 640)},
		{"phone-lanes", "&era=1.31,1.37&rate=30", "view-phone", image.Pt(390, 844)},
		{"phone-presenter", "&story=ring&presenter=1", "view-phone", image.Pt(430, 932)},
	} {
		t.Run(view.name, func(t *testing.T) {
			p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&lang=en"+view.fragment, int64(view.size.X), int64(view.size.Y))
			harness.Await(t, p, 20*time.Second, "s.seq > 1500")
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

// keepPanels keeps screenshots of the page and of each of its panels.
func keepPanels(t *testing.T, p *browser.Page, name string, size image.Point) {
	t.Helper()
	path, err := p.Screenshot(harness.Timeout(t, 30*time.Second), name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	part, ok := whole.(interface {
		SubImage(image.Rectangle) image.Image
	})
	if !ok || whole.Bounds().Size() != size {
		t.Fatalf("the picture is a %T of %v, want one of %v", whole, whole.Bounds().Size(), size)
	}
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	for _, st := range stations {
		k := size.X
		box := image.Rect(st.box.Min.X*k/1280, st.box.Min.Y*k/1280, st.box.Max.X*k/1280, st.box.Max.Y*k/1280)
		var out bytes.Buffer
		if err := encoder.Encode(&out, part.SubImage(box)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(strings.TrimSuffix(path, ".png")+"."+st.name+".png", out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
