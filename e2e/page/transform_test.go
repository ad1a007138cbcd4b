package page_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// store is the Indexer's weight in state().
type store struct {
	Bytes     int64  `json:"bytes"`
	CameBytes int64  `json:"cameBytes"`
	Transform string `json:"transform"`
}

// TestTransform chooses a TransformFunc in the Indexer's inside. A new informer starts, the inside shows what the store weighs, and the address has the
// transform.
func TestTransform(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&objects=240&rate=0&lang=en", 1280, 720)
	harness.Await(t, p, 2*time.Minute, "s.queue.synced && s.indexer.count > 0 && s.workqueue.depth === 0 && s.reflector.phase === 'watching'")
	now := func() store { return harness.EvalIn[store](t, p, "informerscope.state().then((s) => s.indexer)") }
	pushButton(t, p, ".tracks-rows [data-station=indexer]", "^Indexer")
	const button = "[...document.querySelectorAll('.inside button')].find((b) => b.textContent === 'transform')"
	// says waits until the open Indexer's inside says what the store weighs, and how it is transformed.
	says := func(q *browser.Page, words string) {
		t.Helper()
		harness.WaitFor(t, q, fmt.Sprintf(`(async () => {
			const {bytes} = await import(new URL("kit/format.js", location.href.replace(/#.*$/, "")).href), s = await informerscope.state();
			return stage.find(".inside").textContent.includes(bytes(s.indexer.bytes) + " of JSON; transform: %s");
		})()`, words))
	}
	choose := func(words, fields string) {
		t.Helper()
		harness.WaitUntil(t, p, "!!"+button)
		harness.EvalIn[bool](t, p, "("+button+".click(), true)")
		harness.EvalIn[bool](t, p, "([...document.querySelectorAll('.pop [role=radio]')].find((r) => r.textContent === %q).click(), true)", words)
		harness.Await(t, p, time.Minute, "s.indexer.transform === %q && s.queue.synced && s.indexer.count > 0", fields)
		harness.Await(t, p, time.Minute, "s.workqueue.depth === 0 && s.workqueue.processing.length === 0")
	}
	off := now()
	if off.Transform != "" || off.Bytes != off.CameBytes || off.Bytes == 0 {
		t.Errorf("without a transform the store is %+v", off)
	}
	harness.Shot(t, p, "1-off")
	choose("without managedFields", "managedFields")
	fewer := now()
	says(p, "without managedFields")
	harness.Shot(t, p, "2-managedFields")
	choose("metadata only", "metadata")
	least := now()
	says(p, "metadata only")
	harness.EvalIn[bool](t, p, "("+button+".click(), true)")
	harness.Shot(t, p, "3-menu")
	if menu := harness.EvalIn[string](t, p, "document.querySelector('.pop').textContent"); !strings.Contains(menu, "starts a new informer") {
		t.Errorf("the menu does not say that a choice starts a new informer: %q", menu)
	}
	if !harness.EvalIn[bool](t, p, "document.activeElement === document.querySelector('.pop [aria-checked=true]')") {
		t.Error("the choice that was made has not the focus")
	}
	harness.EvalIn[bool](t, p, "(document.querySelector('.pop [aria-checked=true]').click(), true)")
	if !(least.Bytes < fewer.Bytes && fewer.Bytes < fewer.CameBytes) {
		t.Errorf("the store is %+v without managedFields, and %+v with metadata alone", fewer, least)
	}
	if hash := harness.EvalIn[string](t, p, "location.hash"); !strings.Contains(hash, "transform=metadata") {
		t.Errorf("the address is %s", hash)
	}
	// What is not in the store is not in the inspector, nor found by an index.
	json := harness.EvalIn[string](t, p, `(async () => {
		const {keys} = await informerscope.index("namespace", "shop");
		return JSON.stringify((await informerscope.object(keys[0])).json);
	})()`)
	if strings.Contains(json, `"spec"`) || strings.Contains(json, "managedFields") || !strings.Contains(json, `"kind":"Pod"`) {
		t.Errorf("an object of the store is %s", json)
	}
	got := harness.EvalIn[harness.Truth](t, p, harness.FindUntrueLive+"([0, 50, 200])")
	if len(got.Wrong) > 0 {
		t.Errorf("drawn is what is not: %q", got.Wrong)
	}
	for _, size := range []struct {
		name, fragment string
		w, h           int64
	}{{"presenter", "&presenter=1", 1280, 720}, {"phone", "", 390, 844}, {"embed", "&embed=indexer", 640, 480}} {
		q := harness.OpenStage(t, b, srv, "&source=sim&seed=7&objects=240&rate=0&lang=en&transform=metadata"+size.fragment, size.w, size.h)
		harness.Await(t, q, 2*time.Minute, "s.queue.synced && s.indexer.count > 0 && s.indexer.transform === 'metadata'")
		if size.name != "embed" {
			pushButton(t, q, ".tracks-rows [data-station=indexer]", "^Indexer")
		}
		says(q, "metadata only")
		harness.Shot(t, q, "4-"+size.name)
		if got := harness.EvalIn[harness.Truth](t, q, harness.FindUntrueLive+"([0, 50, 200])"); len(got.Wrong) > 0 {
			t.Errorf("%s: drawn is what is not: %q", size.name, got.Wrong)
		}
		q.ExpectClean(t)
	}
	// Two releases use the same transform; on the phone the menu is with the other controls.
	two := harness.OpenStage(t, b, srv, "&source=sim&seed=7&objects=240&rate=0&lang=en&era=1.31,1.37&transform=metadata", 1280, 720)
	harness.Await(t, two, 2*time.Minute, "s.queue.synced && s.indexer.transform === 'metadata'")
	pushButton(t, two, ".tracks-rows [data-station=indexer]", "^Indexer")
	says(two, "metadata only")
	harness.Shot(t, two, "5-two-eras")
	two.ExpectClean(t)
	q := harness.OpenStage(t, b, srv, "&source=sim&seed=7&objects=240&rate=0&lang=en", 390, 844)
	harness.Await(t, q, 2*time.Minute, "s.queue.synced")
	row := func(words string) {
		t.Helper()
		const rows = "[...document.querySelectorAll('.pop button')].find((r) => r.textContent.includes(%q))"
		harness.WaitFor(t, q, fmt.Sprintf("!!"+rows, words))
		harness.EvalIn[bool](t, q, "("+rows+".click(), true)", words)
	}
	harness.EvalIn[bool](t, q, "([...document.querySelectorAll('.phonev button')].find((b) => b.textContent === '•••').click(), true)")
	row("Transform: none")
	harness.WaitFor(t, q, "document.querySelectorAll('.pop [role=radio]').length === 3")
	harness.Shot(t, q, "6-phone-menu")
	row("metadata only")
	harness.Await(t, q, 2*time.Minute, "s.queue.synced && s.indexer.transform === 'metadata'")
	q.ExpectClean(t)
	choose2 := harness.EvalIn[bool](t, p, "informerscope.transform('off').then(() => !location.hash.includes('transform'))")
	if !choose2 {
		t.Error("the address still has the transform that was switched off")
	}
	p.ExpectClean(t)
}
