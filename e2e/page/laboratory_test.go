package page_test

import (
	"fmt"
	"testing"
	"time"

	"informerscope/core/lab/ownwrites"
	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestLaboratory opens the laboratory by its link and turns its knob with the keyboard. What the columns show is what the worker answers for that lag.
func TestLaboratory(t *testing.T) {
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := browser.StartForTest(t).OpenForTest(t, srv.URL+"&laboratory=250", 1280, 720)
	agree := func(lag int) (r ownwrites.Result) {
		t.Helper()
		harness.WaitFor(t, p, fmt.Sprintf(`document.querySelector(".lab output")?.textContent.startsWith("%s") && document.querySelectorAll(".labc").length === 3 &&
			location.hash.includes("laboratory=%d")`, map[int]string{250: "250", 1000: "1,000", 990: "990"}[lag], lag))
		r = harness.EvalIn[ownwrites.Result](t, p, `informerscope.laboratory(%d)`, lag)
		for _, l := range r.Lanes {
			shown := harness.EvalIn[[]int](t, p,
				`[...document.querySelectorAll("[data-guard=%s] .labn b")].map((b) => Number(b.textContent.replace(/\D/g, "")))`, l.Guard)
			if len(shown) != 3 || shown[0] != l.Duplicates || shown[1] != l.Held || shown[2] != l.WaitedMillis {
				t.Errorf("a lag of %d ms, %s: the page shows %v, and the lane has %d, %d, %d", lag, l.Guard, shown, l.Duplicates, l.Held, l.WaitedMillis)
			}
		}
		return r
	}
	if r := agree(250); r.Lanes[0].Duplicates == 0 || r.Lanes[1].Duplicates+r.Lanes[2].Duplicates != 0 || r.Lanes[1].Held == 0 || r.Lanes[2].WaitedMillis == 0 {
		t.Errorf("the lanes are %+v", r.Lanes)
	}
	harness.EvalIn[bool](t, p, `(() => { const k = document.querySelector(".lab input"); k.value = 1000; k.dispatchEvent(new Event("input")); k.focus();
		return true; })()`)
	agree(1000)
	keys := func(key string) {
		t.Helper()
		if err := p.Keys(harness.Timeout(t, time.Minute), key); err != nil {
			t.Fatal(err)
		}
	}
	keys("ArrowLeft")
	agree(990)
	keys("Escape")
	harness.WaitFor(t, p, `!document.querySelector(".lab") && !location.hash.includes("laboratory")`)
	ms := harness.EvalIn[float64](t, p, `(async () => { const at = performance.now(); await informerscope.laboratory(2000); return performance.now() - at; })()`)
	t.Logf("the longest lag took %.0f ms to play", ms)
}
