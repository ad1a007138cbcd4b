package page_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestFilesAndLinks saves, exports, opens and drops recordings and follows a link to a moment, with the page's own controls.
func TestFilesAndLinks(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	page := browser.StartForTest(t).OpenForTest(t, "about:blank", 1280, 720)
	if err := page.OnNewDocument(harness.Timeout(t, 30*time.Second), harness.CatchFiles); err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(harness.Timeout(t, time.Minute), srv.URL+"&source=sim&seed=7&objects=120"); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, page, time.Minute, "s.queue.synced && s.indexer.count >= 120")
	harness.Pause(t, page)
	paused := harness.Await(t, page, time.Minute, "s.view.mode === 'paused'")

	harness.WaitUntil(t, page, `document.querySelector(".clock small").textContent.replace(/\D/g, "") === "`+strconv.FormatUint(paused.Seq, 10)+`"`)

	// A link to the moment: the same cluster, and never the token.
	harness.Share(t, page, 0)
	harness.WaitUntil(t, page, `__files.copied !== ""`)
	link := harness.EvalIn[string](t, page, "__files.copied")
	for _, want := range []string{"source=sim", "seed=7", "objects=120", "at="} {
		if !strings.Contains(link, want) {
			t.Errorf("the link %s lacks %s", link, want)
		}
	}
	if strings.Contains(link, "token") {
		t.Errorf("the link gives the token away: %s", link)
	}

	harness.Share(t, page, 1)
	harness.WaitUntil(t, page, "__files.texts.length === 1 && __files.names.length === 1")
	harness.Share(t, page, 3) // 2 saves whole objects
	harness.WaitUntil(t, page, "__files.texts.length === 2 && __files.names.length === 2")
	names := harness.EvalIn[[]string](t, page, "__files.names")
	if !strings.HasSuffix(names[0], ".jsonl") || !strings.HasSuffix(names[1], ".trace.json") {
		t.Errorf("the files are called %q", names)
	}
	if n := harness.EvalIn[int](t, page, "JSON.parse(__files.texts[1]).traceEvents.length"); n < 100 {
		t.Errorf("the export for Perfetto has %d events", n)
	}

	// A damaged recording loads as far as it is valid, with a message; a file that is no recording changes nothing.
	harness.EvalIn[bool](t, page, `(__files.drop("notes.txt", "hello"), true)`)
	harness.WaitUntil(t, page, `__files.said().includes("notes.txt") && __files.said().includes("not a trace file")`)
	if s := harness.Await(t, page, time.Minute, "s.seq > 0"); s.Source.Kind != "sim" {
		t.Errorf("a file that is no recording ended the cluster: source %s", s.Source.Kind)
	}
	// The cut is inside a line: a file that ends with a whole line is a shorter recording, and not a damaged one.
	harness.EvalIn[bool](t, page, `(() => {
		const whole = __files.texts[0];
		__files.drop("torn.jsonl", whole.slice(0, whole.indexOf("\n", whole.length * 0.7) + 20));
		return true;
	})()`)
	harness.WaitUntil(t, page, `/damaged/.test(__files.said())`)
	torn := harness.Await(t, page, time.Minute, "s.source.kind === 'file'")
	if torn.Seq >= paused.View.Head {
		t.Errorf("the torn recording has %d events, the whole one %d", torn.Seq, paused.View.Head)
	}

	// A moment of a recording is shared as a file that opens there.
	harness.EvalIn[bool](t, page, `(__files.drop("whole-at%d.jsonl", __files.texts[0]), true)`, paused.Seq)
	harness.Await(t, page, time.Minute, "s.source.kind === 'file' && s.view.mode === 'paused' && s.seq === %d", paused.Seq)
	harness.Share(t, page, 0)
	harness.WaitUntil(t, page, "__files.names.length === 3")
	if name := harness.EvalIn[string](t, page, "__files.names[2]"); !strings.Contains(name, "-at") {
		t.Errorf("the moment of a recording is saved as %s", name)
	}
	harness.Shot(t, page, "1-recording")

	// The link, pasted over the address, opens there once the log is long enough.
	harness.EvalIn[bool](t, page, `(() => { const q = new URLSearchParams(new URL(__files.copied).hash.slice(1)); q.set("token", new URLSearchParams(location.hash.slice(1)).get("token")); location.hash = q.toString(); return true; })()`)
	harness.Await(t, page, time.Minute, "s.source.kind === 'sim' && s.view.mode === 'paused' && s.seq === %d", paused.Seq)
	harness.Shot(t, page, "2-link")

	// The page explains an address that it cannot follow.
	harness.EvalIn[bool](t, page, `(() => { const q = new URLSearchParams(location.hash.slice(1)); q.set("objects", "many"); location.hash = q.toString(); return true; })()`)
	harness.WaitUntil(t, page, `__files.said().includes("objects=many")`)
	page.ExpectClean(t)
}

// TestKnobs changes the simulated cluster's settings in its menu.
func TestKnobs(t *testing.T) {
	t.Parallel()
	page := openSim(t, "&source=sim&seed=7&objects=100&rate=5", 1280, 720)
	harness.Await(t, page, time.Minute, "s.queue.synced && s.indexer.count >= 100")
	// The page draws a frame later than its worker answers: the button may not be there yet.
	open := func() {
		t.Helper()
		harness.WaitUntil(t, page, `document.querySelector("[name=knob-objects]")
			|| (document.querySelector(".inside [data-call=cluster]") ?? document.querySelector(".row-name.cluster"))?.click()`)
	}
	turn := func(name, value string) string {
		t.Helper()
		return harness.EvalIn[string](t, page, `(() => {
			const el = document.querySelector("[name=knob-%s]");
			el.value = %q;
			el.dispatchEvent(new Event("input"));
			el.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}));
			return document.querySelector(".pop .note.bad")?.textContent ?? "";
		})()`, name, value)
	}
	open()
	for _, bad := range [][2]string{{"objects", "100001"}, {"objects", "-1"}, {"objects", ""}, {"objects", "ten"}, {"rate", "10001"}, {"rate", "1e9"},
		{"rate", "0.5"}, {"seed", "x"}} {
		if said := turn(bad[0], bad[1]); !strings.Contains(said, "not a whole number") {
			t.Errorf("%s set to %q says %q", bad[0], bad[1], said)
		}
		harness.EvalIn[bool](t, page, `(() => { const f = {objects: 100, rate: 5, seed: 7}; for (const k in f) { const el = document.querySelector("[name=knob-" + k + "]"); el.value = f[k]; el.dispatchEvent(new Event("input")); } return true; })()`)
	}
	if said := turn("rate", "40"); said != "" {
		t.Errorf("40 events a second: %s", said)
	}
	harness.Await(t, page, time.Minute, "s.seq > 0 && s.api.writesPerSecond > 15")
	open() // the menu closed over the stage that its number changed
	if said := turn("objects", "1,200"); said != "" {
		t.Errorf("1,200 objects: %s", said)
	}
	harness.Await(t, page, time.Minute, "s.source.kind === 'sim' && s.queue.synced && s.indexer.count >= 1100")
	harness.WaitUntil(t, page, "location.hash.includes('objects=1200') && location.hash.includes('rate=40')")
	page.ExpectClean(t)
}
