package harness

import (
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// SetLook gives the page a theme, a language and a size without loading it again.
func SetLook(t *testing.T, p *browser.Page, theme, lang string, width, height int64) {
	t.Helper()
	if err := p.Resize(Timeout(t, 10*time.Second), width, height); err != nil {
		t.Fatal(err)
	}
	EvalIn[bool](t, p, "stage.dress(%s, %s)", Quote(theme), Quote(lang))
	Settle(t, p)
}

// ExpectWell measures the drawing, and that it fits.
func ExpectWell(t *testing.T, p *browser.Page) {
	t.Helper()
	ExpectFits(t, p)
	if found := EvalIn[[]string](t, p, "stage.faults()"); len(found) > 0 {
		t.Errorf("%d things are wrong with the picture:\n  %s", len(found), Abridge(found, 20))
	}
}
