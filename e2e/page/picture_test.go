package page_test

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
)

// still is the answer of informerscope.picture().
type still struct {
	Name, SVG, PNG string
	At             struct{ X, Y, Width, Height float64 }
}

// TestPicture takes stills of each view and compares them with what the browser shows. The SVG is self-contained. The PNG, drawn from the SVG without
// the page's styles, looks like the page at twice its size.
func TestPicture(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	type view struct {
		name, fragment, says string
		width, height        int64
	}
	for _, test := range harness.Layouts(4, []view{
		{"stage-light-zh", "&theme=light&lang=zh", "Reflector", 1920, 1080},
		{"two-releases", "&era=1.31,1.37", "client-go 1.31: DeltaFIFO", 1280, 720},
		{"phone", "", "Queue", 390, 844},
		{"queue-alone", "&embed=queue", "Queue", 640, 480},
		{"stage", "", "Reflector", 1280, 720},
		{"contrast", "&theme=contrast", "Indexer", 1280, 720},
		{"presenter", "&presenter=1", "Indexer", 1280, 720},
		{"several", "&resource=pods,nodes", "nodes", 1280, 720},
	}) {
		t.Run(test.name, func(t *testing.T) {
			lang := "&lang=en"
			if strings.Contains(test.fragment, "lang=") {
				lang = ""
			}
			p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&objects=200"+lang+test.fragment, test.width, test.height)
			if test.width > 1280 { // the more of the past is hatched, as not in the log, the more thin slanted lines are compared
				harness.Await(t, p, time.Minute, "s.atMillis > 8000")
			}
			harness.Pause(t, p)
			harness.Await(t, p, time.Minute, "s.view.mode === 'paused'")
			harness.Settle(t, p)
			harness.WaitUntil(t, p, standing) // what lights up after a change fades
			harness.Shot(t, p, test.name+"-page")
			got := harness.EvalIn[still](t, p, "informerscope.picture()")
			keep(t, test.name+".svg", []byte(got.SVG))
			expectComplete(t, got.SVG, test.says)
			_, coded, _ := strings.Cut(got.PNG, "data:image/png;base64,")
			data, err := base64.StdEncoding.DecodeString(coded)
			if err != nil || len(data) == 0 {
				t.Fatalf("the PNG is %.40q: %v", got.PNG, err)
			}
			keep(t, test.name+".png", data)
			decoded, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			expectAlike(t, screen(t, test.name+"-page.png"), decoded, got.At.X, got.At.Y, got.At.Width, got.At.Height)
			p.ExpectClean(t)
		})
	}
}

// TestPictureIsSaved saves both kinds of picture with the page's menu.
func TestPictureIsSaved(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	page := browser.StartForTest(t).OpenForTest(t, "about:blank", 1280, 720)
	if err := page.OnNewDocument(harness.Timeout(t, 30*time.Second), harness.CatchFiles); err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(harness.Timeout(t, time.Minute), srv.URL+"&source=sim&seed=7&objects=20&lang=en"); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, page, time.Minute, "s.queue.synced")
	harness.Pause(t, page)
	// What a name of a recording may have, and XML may not.
	harness.EvalIn[any](t, page, `void document.querySelector("#app svg text").append("\u0001\ufffe\ud800")`)
	for i, ending := range []string{".png", ".svg"} {
		harness.Share(t, page, 5+i)
		harness.WaitUntil(t, page, `__files.names.at(-1)?.endsWith("`+ending+`")`)
		harness.WaitUntil(t, page, `/^Saved as informerscope-\d+\`+ending+`, \d+ kB/.test(__files.said())`)
	}
	page.ExpectClean(t)
}

// standing is true once nothing moves or fades any more.
const standing = `new Promise((done) => {
	const is = () => [...document.querySelectorAll("canvas")].map((c) => c.width && c.height ? c.toDataURL() : "").join();
	const was = is();
	requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done(is() === was))));
})`

// artifact is the path of a file in the artifacts of the test, which its subtests share.
func artifact(t *testing.T, name string) string {
	t.Helper()
	test, _, _ := strings.Cut(t.Name(), "/")
	dir, err := layout.Artifacts(test)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}

func keep(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(artifact(t, name), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// screen is a screenshot of this test.
func screen(t *testing.T, name string) image.Image {
	t.Helper()
	data, err := os.ReadFile(artifact(t, name))
	if err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// expectComplete expects well-formed SVG with text and without references to anything outside of itself.
func expectComplete(t *testing.T, svg, says string) {
	t.Helper()
	ids := map[string]bool{}
	var refers []string
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the SVG is not well formed: %v", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range start.Attr {
			switch a.Name.Local {
			case "id":
				ids[a.Value] = true
			case "href":
				refers = append(refers, a.Value)
			case "class", "onclick", "onload":
				t.Errorf("<%s %s=%q> needs the page", start.Name.Local, a.Name.Local, a.Value)
			}
			if strings.Contains(a.Value, "var(") {
				t.Errorf("<%s %s=%q> needs the page's style sheet", start.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
	for _, r := range refers {
		if id, local := strings.CutPrefix(r, "#"); !(local && ids[id]) && !strings.HasPrefix(r, "data:image/png;") {
			t.Errorf("the SVG refers to %.60q, which is not in it", r)
		}
	}
	if !strings.Contains(svg, says) {
		t.Errorf("the SVG does not say %q", says)
	}
}

// expectAlike compares a still with its part of the screen. The still is twice as large, and few pixels may differ in brightness. Letters are
// smoothed differently at twice the size, so each pixel is compared with its most similar neighbour.
func expectAlike(t *testing.T, screen, still image.Image, x, y, w, h float64) {
	t.Helper()
	if got, want := still.Bounds().Size(), image.Pt(int(2*w+.5), int(2*h+.5)); got != want {
		t.Fatalf("the PNG is %v, want %v", got, want)
	}
	light := func(at image.Image, x, y int) int {
		r, g, b, _ := at.At(x, y).RGBA()
		return int(r+g+b) / 3 >> 8
	}
	wrong, all := 0, 0
	for py := 2; py < int(h)-2; py++ {
		for px := 2; px < int(w)-2; px++ {
			half := (light(still, 2*px, 2*py) + light(still, 2*px+1, 2*py) + light(still, 2*px, 2*py+1) + light(still, 2*px+1, 2*py+1)) / 4
			low, high := 255, 0
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					l := light(screen, int(x)+px+dx, int(y)+py+dy)
					low, high = min(low, l), max(high, l)
				}
			}
			all++
			if half < low-40 || half > high+40 {
				wrong++
			}
		}
	}
	t.Logf("%d of %d places differ", wrong, all)
	if wrong*500 > all { // the edges of Chinese letters alone are up to one and a half of a thousand
		t.Errorf("%d of %d places of the still are of another brightness than the page", wrong, all)
	}
}
