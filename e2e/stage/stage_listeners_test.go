package stage_test

import (
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// listenerFaults lists text that overlaps a ring outside of its middle, and lamps that overlap a handler's box, in the view that is shown. In presenter
// mode it also lists text that stacked chips pass over on their way to a ring.
const listenerFaults = `(() => {
	const root = ['.phonev', '.presv', '#app'].map((of) => document.querySelector(of)).find((el) => el && stage.visible(el));
	const shown = (of) => [...root.querySelectorAll(of)].filter((el) => stage.visible(el));
	const rings = shown('circle.ringbg + circle.ring').map((el) => {
		const m = el.getScreenCTM();
		const at = new DOMPoint(el.cx.baseVal.value, el.cy.baseVal.value).matrixTransform(m);
		return { x: at.x, y: at.y, a: m.a,
			r: (el.r.baseVal.value + parseFloat(getComputedStyle(el).strokeWidth) / 2) * m.a };
	});
	const found = rings.length ? [] : ['no ring is shown'];
	for (const el of shown('svg text')) {
		const words = el.textContent;
		const b = el.getBoundingClientRect();
		// A line's box is higher than its letters are.
		const [top, bottom] = [b.top + b.height * 0.2, b.bottom - b.height * 0.2];
		if (!words || !b.width) continue;
		for (const { x, y, a, r } of rings) {
			if (Math.abs((b.left + b.right) / 2 - x) < 2 && top > y - r && bottom < y + r) continue;
			const dx = Math.max(b.left - x, 0, x - b.right);
			const dy = Math.max(top - y, 0, y - bottom);
			if (Math.hypot(dx, dy) < r) found.push(words + ' lies on a ring');
			// A stack of chips reaches 22 units above its way and 14 below.
			const beside = root.matches('.presv') && el.closest('g')?.querySelector('.ringbg') && b.right < x - r;
			if (beside && top < y + 14 * a && bottom > y - 22 * a) found.push(words + ' lies on the way to a ring');
		}
	}
	const boxes = shown('rect.hbox').map((el) => el.getBoundingClientRect());
	for (const el of shown('circle.lamp')) {
		const b = el.getBoundingClientRect();
		const on = (o) => b.left < o.right && b.right > o.left && b.top < o.bottom && b.bottom > o.top;
		if (boxes.some(on)) found.push('a lamp lies on the box of a handler');
	}
	return found;
})()`

// TestListenersAreClear checks rings, handlers, lamps and their text in the layouts with least room for them, with a listener that is not synced.
func TestListenersAreClear(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, view := range []struct {
		name, fragment string
		width, height  int64
	}{
		{"presenter", "&presenter=1", 1280, 720},
		{"presenter 4:3", "&presenter=1", 1024, 768},
		{"phone", "", 390, 844},
		{"phone small", "", 360, 640},
		{"phone presenter", "&presenter=1", 390, 844},
	} {
		t.Run(view.name, func(t *testing.T) {
			p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&rate=30&lang=en"+view.fragment, view.width, view.height)
			// The listener that is highlighted by default, and one that takes minutes for its first list.
			harness.Call(t, p, "addListener({name: 'auditor', paceMillis: 2000})")
			harness.Await(t, p, 30*time.Second, "s.listeners.length === 4 && s.listeners[3].pending > 5")
			harness.Call(t, p, "removeListener(2)")
			harness.Await(t, p, 30*time.Second, "s.listeners[1].removed")
			handlers := "[...document.querySelectorAll('.presv rect.hbox, .phonev rect.hbox')].some((el) => stage.visible(el))"
			if err := p.WaitFor(harness.Timeout(t, 30*time.Second), handlers, handlers); err != nil {
				t.Fatal(err)
			}
			for _, lang := range []string{"en", "zh"} {
				harness.SetLook(t, p, "dark", lang, view.width, view.height)
				if found := harness.EvalIn[[]string](t, p, listenerFaults); len(found) > 0 {
					t.Errorf("in %s: %q", lang, found)
				}
			}
			p.ExpectClean(t)
		})
	}
}
