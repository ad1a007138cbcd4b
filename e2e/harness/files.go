package harness

import (
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// CatchFiles intercepts the files that the page saves and the text that it copies, and gives the page files as a person would.
const CatchFiles = `(() => {
	const files = globalThis.__files = {names: [], texts: [], copied: ""};
	const anchor = HTMLAnchorElement.prototype.click;
	HTMLAnchorElement.prototype.click = function () {
		if (this.isConnected || !this.download) return anchor.call(this);
		files.names.push(this.download);
	};
	const make = URL.createObjectURL;
	URL.createObjectURL = (blob) => {
		if (blob.type.includes("json")) blob.text().then((t) => files.texts.push(t));
		return make.call(URL, blob);
	};
	Object.defineProperty(navigator, "clipboard", {value: {writeText: async (t) => { files.copied = t; }}});
	files.drop = (name, text) => {
		const data = new DataTransfer();
		data.items.add(new File([text], name));
		for (const kind of ["dragenter", "dragover", "drop"]) {
			document.body.dispatchEvent(new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: data}));
		}
	};
	files.said = () => document.querySelector(".toast")?.textContent ?? "";
	files.messages = [];
	addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
		const now = files.said();
		if (now && now !== files.messages.at(-1)) files.messages.push(now);
	}).observe(document.body, {childList: true, subtree: true}));
})()`

// Share opens the menu of recordings and presses its row i. It shares the moment that is shown, which is a frame behind the worker.
func Share(t *testing.T, p *browser.Page, i int) {
	t.Helper()
	WaitUntil(t, p, `informerscope.state().then((s) => s.live || document.querySelector(".clock small")?.textContent.replace(/\D/g, "") === String(s.seq))`)
	if !EvalIn[bool](t, p, `(() => { document.querySelector(".share").click(); const row = document.querySelectorAll(".pop .row")[%d]; row?.click(); return !!row; })()`, i) {
		t.Fatalf("the menu of recordings has no row %d", i)
	}
}

// Diagnose opens the diagnosis, beside the stories.
func Diagnose(t *testing.T, p *browser.Page) {
	t.Helper()
	EvalIn[bool](t, p, `(document.querySelector(".top .tale").click(), true)`)
	WaitUntil(t, p, `document.querySelector(".story-ov [data-do=diagnose]")`)
	EvalIn[bool](t, p, `(document.querySelector(".story-ov [data-do=diagnose]").click(), true)`)
}

// WaitUntil waits until a script of the page is true.
func WaitUntil(t *testing.T, p *browser.Page, expression string) {
	t.Helper()
	if err := p.WaitFor(Timeout(t, 30*time.Second), expression, "globalThis.__files?.messages.slice(-5).join(' | ')"); err != nil {
		t.Fatal(err)
	}
}
