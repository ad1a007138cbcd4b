package harness

import (
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// WatchLoading records the values of every progress bar while the page loads, from before the page's first script.
const WatchLoading = `(() => {
	const said = globalThis.__loading = [];
	const look = () => {
		for (const bar of document.querySelectorAll("[role=progressbar], progress")) {
			const now = bar.getAttribute("aria-valuenow") ?? bar.getAttribute("value") ?? bar.getAttribute("aria-valuetext") ?? "";
			if (now !== "" && said[said.length - 1] !== now) said.push(now);
		}
	};
	new MutationObserver(look).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
})()`

// ExpectFits checks that the page needs no scrolling at its present size; on the phone, none sideways.
func ExpectFits(t *testing.T, page *browser.Page) {
	t.Helper()
	size, err := browser.Eval[[]int](Timeout(t, 30*time.Second), page,
		"[document.scrollingElement.scrollWidth, document.querySelector('#app.view-phone') ? 0 : document.scrollingElement.scrollHeight, innerWidth, innerHeight]")
	if err != nil {
		t.Fatal(err)
	}
	if size[0] > size[2] || size[1] > size[3] {
		t.Errorf("the page is %dx%d in a window of %dx%d, want no scrolling", size[0], size[1], size[2], size[3])
	}
}
