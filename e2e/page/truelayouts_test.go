package page_test

import (
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestLayoutsWhereRoomIsScarce checks layouts in which something was once cut, covered or illegible.
func TestLayoutsWhereRoomIsScarce(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=120&rate=20&lang=en", 1280, 720)

	// The buttons of a held stage are labelled as far as they have room, and no label is cut.
	for _, stage := range []string{"store", "pop", "deliver", "take"} {
		harness.Call(t, p, "hold(%q)", stage)
	}
	harness.Await(t, p, time.Minute, "s.holds.length === 4 && s.holds.every((h) => h.waiting)")
	harness.Settle(t, p)
	frees := harness.EvalIn[[]string](t, p, `[...document.querySelectorAll('.now-free')].filter((b) => b.checkVisibility())
		.map((b) => (b.scrollWidth > b.clientWidth || b.textContent.includes('…') ? 'cut: ' : '') + b.textContent)`)
	if all := strings.Join(frees, ", "); len(frees) != 12 || strings.Contains(all, "cut: ") || strings.Count(all, "release n") != 4 {
		t.Errorf("the buttons of four held stages are %s", all)
	}
	harness.Shot(t, p, "room-held")
	harness.ExpectWell(t, p)

	// A page zoomed to twice its size is laid out for its room, and remains legible.
	if err := p.Resize(harness.Timeout(t, 30*time.Second), 640, 360); err != nil {
		t.Fatal(err)
	}
	harness.Settle(t, p)
	small := harness.EvalIn[[]string](t, p, `[...document.querySelectorAll('#app svg text, #app button, #app p, #app b')]
		.filter((e) => e.textContent.trim() && e.checkVisibility({visibilityProperty: true}))
		.map((e) => [parseFloat(getComputedStyle(e).fontSize) * (e.getScreenCTM?.().a ?? 1), e.textContent])
		.filter(([px]) => px < 11)
		.map(([px, w]) => px.toFixed(1) + ' px: ' + w)`)
	for _, words := range small {
		t.Errorf("at 640×360 type has %s", words)
	}
	if room := harness.EvalIn[float64](t, p, "document.querySelector('.pscroll').clientHeight"); room < 200 {
		t.Errorf("at 640×360 the stage has %.0f px", room)
	}
	harness.Shot(t, p, "room-640")
	p.ExpectClean(t)
}

// TestTheTimeOfDroppedEventsIsHatched: in presenter mode the line of time is hatched where the log has dropped events, up to the log's first one, and
// nothing of the past is drawn there.
func TestTheTimeOfDroppedEventsIsHatched(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenFake(t, browser.StartForTest(t), srv, "&source=sim&namespace=&lang=en&presenter=1", 1280, 720)
	const strip = `(() => {
		const el = document.querySelector('.tracks-way .forgotten');
		const hatch = el.querySelector('.hatch'), width = Number(hatch.getAttribute('width'));
		const begins = (path) => Number(path.getAttribute('d').match(/^M([\d.]+)/)?.[1] ?? 0);
		const past = [...el.parentNode.querySelectorAll('path.pl')].map(begins);
		return {on: hatch.getBoundingClientRect().width > 0, width, end: Number(hatch.getAttribute('x')) + width,
			line: begins(el.querySelector('.gone-line')), past};
	})()`
	type stripDrawn struct {
		On               bool
		Width, End, Line float64
		Past             []float64
	}
	if is := harness.EvalIn[stripDrawn](t, p, strip); is.On {
		t.Errorf("nothing was forgotten, and %+v is hatched", is)
	}
	harness.EvalIn[bool](t, p, "fake.show({}, {firstMillis: 500, view: {first: 20}})")
	harness.WaitFor(t, p, strip+".on")
	if is := harness.EvalIn[stripDrawn](t, p, strip); is.Width < 20 || is.Line != is.End || len(is.Past) != 2 || is.Past[0] != is.End || is.Past[1] != is.End {
		t.Errorf("the log begins at 500 ms, and its line of time is drawn as %+v", is)
	}
	harness.EvalIn[bool](t, p, "fake.show({}, {view: {first: 1}})")
	harness.WaitFor(t, p, "!"+strip+".on")
	p.ExpectClean(t)
}
