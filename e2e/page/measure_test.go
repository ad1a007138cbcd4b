package page_test

import (
	"testing"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestTextIsMeasured compares the page's sums of character widths with a canvas's width of the whole text. They must not be narrower, or a label
// would be clipped, and wider only by the kerning.
func TestTextIsMeasured(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=20", 1280, 720)
	type text struct {
		Value, Font  string
		Sum, Canvas  float64
		Fitted       string
		FittedCanvas float64
	}
	texts := harness.EvalJSON[[]text](t, p, `import("./kit/measure.js").then(({width, fit}) => {
		const ruler = document.createElement("canvas").getContext("2d");
		const family = getComputedStyle(document.body).fontFamily;
		const exact = (value, font) => { ruler.font = font + " " + family; return ruler.measureText(value).width; };
		return JSON.stringify([
			["web-frontend-7d9c8b6f5d-x2k9q", "12px"], ["resourceVersion 1,204,331 → 1,204,332", "500 14px"], ["Reflector is waiting: 429", "600 18px"],
			["事件队列：持有锁。", "16px"], ["e\u0301te\u0301", "12px"], ["देवनागरी", "14px"], ["", "12px"],
		].map(([Value, Font]) => {
			const Fitted = fit(Value, 60, Font);
			return {Value, Font, Sum: width(Value, Font), Canvas: exact(Value, Font), Fitted, FittedCanvas: exact(Fitted, Font)};
		}));
	})`)
	if len(texts) != 7 {
		t.Fatalf("%d texts were measured, want 7", len(texts))
	}
	for _, x := range texts {
		if x.Sum < x.Canvas-0.1 || x.Sum > x.Canvas*1.03+0.1 {
			t.Errorf("%q in %s is measured as %.2f wide, a canvas says %.2f", x.Value, x.Font, x.Sum, x.Canvas)
		}
		if x.FittedCanvas > 60.1 || x.Canvas > 62 && x.FittedCanvas < 40 {
			t.Errorf("%q in %s is fitted into 60 as %q, which is %.2f", x.Value, x.Font, x.Fitted, x.FittedCanvas)
		}
	}
}
