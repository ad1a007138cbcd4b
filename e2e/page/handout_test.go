package page_test

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/ledongthuc/pdf"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestHandout prints a story as the browser does, in each language and paper size. It has a picture of each step with its caption, the code at the
// end, and nothing else of the page.
func TestHandout(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	for _, test := range []struct {
		name, lang, story string
		width, height     float64 // of the paper, in inches
		says              []string
		never             string // text of the page that must not be printed
	}{
		{"ring-a4-en", "en", "ring", 210 / 25.4, 297 / 25.4, []string{"In your own controller", "func", "CC BY 4.0"}, "simulated · seed"},
		{"early-letter-zh", "zh", "early", 8.5, 11, []string{"在自己的", "func", "CC BY 4.0"}, "演示"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := browser.StartForTest(t)
			p := harness.OpenStage(t, b, srv, "&source=sim&seed=3&objects=20&lang="+test.lang, 1280, 720)
			harness.EvalIn[bool](t, p, "(globalThis.print = () => { globalThis.printed = (globalThis.printed ?? 0) + 1; }, true)")
			steps := harness.EvalIn[int](t, p, "informerscope.handout('%s').then((h) => h.steps)", test.story)
			if n := harness.EvalIn[int](t, p, "globalThis.printed"); n != 1 {
				t.Errorf("the print dialog was opened %d times", n)
			}
			words := harness.EvalIn[[]string](t, p, "[...document.querySelectorAll('.handout :is(h1, h2, article > p)')].map((x) => x.firstChild?.data).filter(Boolean)")
			han := func(r rune) bool { return unicode.Is(unicode.Han, r) }
			if chinese := strings.ContainsFunc(strings.Join(words, ""), han); chinese != (test.lang == "zh") {
				t.Errorf("in %s the handout says %q", test.lang, words)
			}
			if images := harness.EvalIn[int](t, p, "document.querySelectorAll('.handout img').length"); images != steps {
				t.Errorf("%d pictures of %d steps", images, steps)
			}
			if len(words) < 2*steps {
				t.Errorf("%d steps say only %q", steps, words)
			}
			harness.Shot(t, p, "after")
			data, err := p.Print(harness.Timeout(t, time.Minute), test.width, test.height)
			if err != nil {
				t.Fatal(err)
			}
			keep(t, test.name+".pdf", data)
			text := expectPages(t, data, test.width, test.height)
			for _, w := range append(words, test.says...) {
				// The library that reads the PDF cannot decode its Chinese letters; the test looks for those in the page alone.
				for _, part := range latin.FindAllString(bare(w), -1) {
					if !strings.Contains(text, part) {
						t.Errorf("the paper does not say %q, of %q", part, w)
					}
				}
			}
			if strings.Contains(text, bare(test.never)) {
				t.Errorf("the paper says %q, which is the page's", test.never)
			}
			const asBefore = "!document.querySelector('.handout').childElementCount && !document.documentElement.classList.contains('is-light')"
			if !harness.EvalIn[bool](t, p, asBefore) {
				t.Error("after printing the page is not what it was before")
			}
			p.ExpectClean(t)
		})
	}
}

// latin are the stretches of a text that are not Chinese.
var latin = regexp.MustCompile(`[!-~]+`)

// bare is text without spaces, which a PDF does not mark.
func bare(text string) string { return ligatures.Replace(strings.Join(strings.Fields(text), "")) }

// ligatures are what some fonts have for two or three letters.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl")

// expectPages expects pages of a size with text on each, and returns all text.
func expectPages(t *testing.T, data []byte, width, height float64) string {
	t.Helper()
	doc, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	n := doc.NumPage()
	if n < 2 || n > 8 {
		t.Errorf("the handout has %d pages", n)
	}
	for i := 1; i <= n; i++ {
		page := doc.Page(i)
		box := page.V.Key("MediaBox")
		if w, h := box.Index(2).Float64(), box.Index(3).Float64(); math.Abs(w-width*72) > 2 || math.Abs(h-height*72) > 2 {
			t.Errorf("page %d is %.0f by %.0f points, want %.0f by %.0f", i, w, h, width*72, height*72)
		}
		text, err := page.GetPlainText(nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(bare(text)) < 40 {
			t.Errorf("page %d says only %q", i, text)
		}
		all.WriteString(bare(text))
	}
	return all.String()
}
