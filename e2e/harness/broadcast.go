package harness

import (
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// GoOnAir presses what a speaker presses, and returns the audience's link as the menu shows it.
func GoOnAir(t *testing.T, speaker *browser.Page) string {
	t.Helper()
	Press(t, speaker, "a")
	ClickOn(t, speaker, `document.querySelector(".airmenu .key.main")`)
	WaitFor(t, speaker, `document.querySelector(".airmenu .linkfield")?.value.includes("#audience=")`)
	return EvalIn[string](t, speaker, `document.querySelector(".airmenu .linkfield").value`)
}

// Press presses keys on the page.
func Press(t *testing.T, p *browser.Page, keys string) {
	t.Helper()
	if err := p.Press(Timeout(t, 30*time.Second), keys); err != nil {
		t.Fatal(err)
	}
}

// ClickOn waits until an element, given as an expression of the page, is shown, and clicks it.
func ClickOn(t *testing.T, p *browser.Page, element string) {
	t.Helper()
	WaitFor(t, p, element+` && !`+element+`.hidden`)
	if err := p.Click(Timeout(t, 30*time.Second), element); err != nil {
		t.Fatal(err)
	}
}

// WaitFor waits for a condition, an expression of the page, and ends the test after a minute.
func WaitFor(t *testing.T, p *browser.Page, condition string) {
	t.Helper()
	if err := p.WaitFor(Timeout(t, time.Minute), condition, `document.querySelector("#app")?.innerText.slice(0, 2000)`); err != nil {
		t.Fatal(err)
	}
}

// OpenSeat opens a follower's page.
func OpenSeat(t *testing.T, b *browser.Browser, link string, width, height int64) *browser.Page {
	t.Helper()
	p := b.OpenForTest(t, "about:blank", width, height)
	if err := p.Navigate(Timeout(t, time.Minute), link); err != nil {
		t.Fatal(err)
	}
	return p
}
