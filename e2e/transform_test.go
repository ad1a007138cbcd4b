package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// store is the Indexer's weight in state().
type store struct {
	Bytes     int64  `json:"bytes"`
	CameBytes int64  `json:"cameBytes"`
	Transform string `json:"transform"`
}

// TestTransform chooses a TransformFunc in the Indexer's menu. A new informer starts, the panel shows the received and the stored bytes, and the
// address has the transform.
func TestTransform(t *testing.T) {
	srv := startServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	p := openStage(t, b, srv, "&source=sim&seed=7&objects=240&rate=0&lang=en", 1280, 720)
	await(t, p, 2*time.Minute, "s.queue.synced && s.indexer.count > 0 && s.workqueue.depth === 0 && s.reflector.phase === 'watching'")
	now := func() store { return evalIn[store](t, p, "informerscope.state().then((s) => s.indexer)") }
	button := "document.querySelector('.idxb')"
	choose := func(words, is string) {
		t.Helper()
		evalIn[bool](t, p, "("+button+".click(), true)")
		evalIn[bool](t, p, "([...document.querySelectorAll('.pop [role=radio]')].find((r) => r.textContent === %q).click(), true)", words)
		await(t, p, time.Minute, "s.indexer.transform === %q && s.queue.synced && s.indexer.count > 0", is)
		await(t, p, time.Minute, "s.workqueue.depth === 0 && s.workqueue.processing.length === 0")
	}
	off := now()
	if off.Transform != "" || off.Bytes != off.CameBytes || off.Bytes == 0 {
		t.Errorf("without a transform the store is %+v", off)
	}
	shot(t, p, "1-off")
	choose("without managedFields", "managedFields")
	fewer := now()
	shot(t, p, "2-managedFields")
	choose("metadata only", "metadata")
	least := now()
	evalIn[bool](t, p, "("+button+".click(), true)")
	shot(t, p, "3-menu")
	if menu := evalIn[string](t, p, "document.querySelector('.pop').textContent"); !strings.Contains(menu, "starts a new informer") {
		t.Errorf("the menu does not say that a choice starts a new informer: %q", menu)
	}
	if !evalIn[bool](t, p, "document.activeElement === document.querySelector('.pop [aria-checked=true]')") {
		t.Error("the choice that was made has not the focus")
	}
	evalIn[bool](t, p, "(document.querySelector('.pop [aria-checked=true]').click(), true)")
	if !(least.Bytes < fewer.Bytes && fewer.Bytes < fewer.CameBytes) {
		t.Errorf("the store is %+v without managedFields, and %+v with metadata alone", fewer, least)
	}
	if hash := evalIn[string](t, p, "location.hash"); !strings.Contains(hash, "transform=metadata") {
		t.Errorf("the address is %s", hash)
	}
	// What is not in the store is not in the inspector, nor found by an index.
	json := evalIn[string](t, p, `(async () => {
		const {keys} = await informerscope.index("namespace", "shop");
		return JSON.stringify((await informerscope.object(keys[0])).json);
	})()`)
	if strings.Contains(json, `"spec"`) || strings.Contains(json, "managedFields") || !strings.Contains(json, `"kind":"Pod"`) {
		t.Errorf("an object of the store is %s", json)
	}
	got := evalIn[truth](t, p, untrueLive+"([0, 50, 200])")
	if len(got.Wrong) > 0 {
		t.Errorf("drawn is what is not: %q", got.Wrong)
	}
	for _, size := range []struct {
		name, fragment string
		w, h           int64
	}{{"presenter", "&presenter=1", 1280, 720}, {"phone", "", 390, 844}, {"embed", "&embed=indexer", 640, 480}} {
		q := openStage(t, b, srv, "&source=sim&seed=7&objects=240&rate=0&lang=en&transform=metadata"+size.fragment, size.w, size.h)
		await(t, q, 2*time.Minute, "s.queue.synced && s.indexer.count > 0 && s.indexer.transform === 'metadata'")
		if size.name == "phone" {
			evalIn[bool](t, q, `(document.querySelector(".phonev .ptap[data-station=indexer]").dispatchEvent(new MouseEvent("click", {bubbles: true})), true)`)
		}
		waitFor(t, q, `[...document.querySelectorAll("[data-of='indexer.bytes']")].some((el) => el.checkVisibility() && el.getBoundingClientRect().width > 0)`)
		shot(t, q, "4-"+size.name)
		if got := evalIn[truth](t, q, untrueLive+"([0, 50, 200])"); len(got.Wrong) > 0 {
			t.Errorf("%s: drawn is what is not: %q", size.name, got.Wrong)
		}
		q.ExpectClean(t)
	}
	// Two releases use the same transform, and show it; on the phone the menu is with the other controls.
	two := openStage(t, b, srv, "&source=sim&seed=7&objects=240&rate=0&lang=en&era=1.31,1.37&transform=metadata", 1280, 720)
	await(t, two, 2*time.Minute, "s.queue.synced && s.indexer.transform === 'metadata'")
	waitFor(t, two, `[...document.querySelectorAll(".lanesv text")].some((el) => el.textContent === "metadata only")`)
	shot(t, two, "5-two-eras")
	two.ExpectClean(t)
	q := openStage(t, b, srv, "&source=sim&seed=7&objects=240&rate=0&lang=en", 390, 844)
	await(t, q, 2*time.Minute, "s.queue.synced")
	row := func(words string) {
		t.Helper()
		const rows = "[...document.querySelectorAll('.pop button')].find((r) => r.textContent.includes(%q))"
		waitFor(t, q, fmt.Sprintf("!!"+rows, words))
		evalIn[bool](t, q, "("+rows+".click(), true)", words)
	}
	evalIn[bool](t, q, "([...document.querySelectorAll('.phonev button')].find((b) => b.textContent === '•••').click(), true)")
	row("Transform: none")
	waitFor(t, q, "document.querySelectorAll('.pop [role=radio]').length === 3")
	shot(t, q, "6-phone-menu")
	row("metadata only")
	await(t, q, 2*time.Minute, "s.queue.synced && s.indexer.transform === 'metadata'")
	q.ExpectClean(t)
	choose2 := evalIn[bool](t, p, "informerscope.transform('off').then(() => !location.hash.includes('transform'))")
	if !choose2 {
		t.Error("the address still has the transform that was switched off")
	}
	p.ExpectClean(t)
}
