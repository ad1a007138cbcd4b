package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// TestAttachedKeys watches a controller that works on keys. The page shows keys that wait, are processed, are dirty or delayed, and reads of the
// lister. The inspector shows the bodies that the controller allows, and why the others are missing.
func TestAttachedKeys(t *testing.T) {
	program := buildProbed(t, "keyed", func(source string) string { return source })
	controller, _ := startAttached(t, program, "", "127.0.0.1:0")
	srv := startServer(t, "--listen=127.0.0.1:0", "--attach="+controller+"/debug/informerscope/")
	page := browser.StartForTest(t).OpenForTest(t, "about:blank", 1280, 720)
	if err := page.OnNewDocument(within(t, 30*time.Second), stageTools(t)); err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(within(t, time.Minute), srv.url+"&resource=configmaps&lang=en"); err != nil {
		t.Fatal(err)
	}
	await(t, page, time.Minute, "s.source.kind === 'probe' && !s.lanes && s.indexer.count === 10 && s.workqueue")

	change := func(i int) { t.Helper(); tellTo(t, fmt.Sprint(controller, "/change?name=item-", i)) }
	change(9) // fails, and waits an hour
	await(t, page, time.Minute, "s.workqueue.waiting.length === 1 && s.workqueue.waiting[0].key === 'shop/item-9'")
	tellTo(t, controller+"/hold")
	for _, i := range []int{1, 2} {
		change(i)
		await(t, page, time.Minute, "s.workqueue.processing.some((x) => x.key === 'shop/item-%d')", i)
	}
	for _, i := range []int{3, 4, 5, 1} {
		change(i)
	}
	await(t, page, time.Minute, `s.workqueue.queue.join() === 'shop/item-3,shop/item-4,shop/item-5' && s.workqueue.dirtyCount === 4 &&
		s.workqueue.waitingCount === 1 && s.workqueue.lastRead?.key === 'shop/item-2'`)
	call(t, page, "pause()")
	settle(t, page)
	told := evalIn[truth](t, page, untrue)
	for _, wrong := range told.Wrong {
		t.Errorf("on the stage: %s", wrong)
	}
	if told.Compared < 20 {
		t.Errorf("only %d numbers were compared", told.Compared)
	}
	drawn := evalIn[string](t, page, "[...document.querySelectorAll('[data-station=controller] text')].filter(stage.visible).map((x) => x.textContent).join(' ')")
	for _, key := range []string{"item-1", "item-2", "item-3", "item-9"} {
		if !strings.Contains(drawn, key) {
			t.Errorf("the station has no %s: %s", key, drawn)
		}
	}
	// This program gave the probe no access to its requests: the two stations about requests, and the caption, report that.
	for _, station := range []string{"api", "reflector"} {
		words := evalIn[string](t, page,
			"[...document.querySelectorAll('[data-station=%s] text')].filter(stage.visible).map((x) => x.textContent).join(' ')", station)
		if !strings.Contains(words, "Not seen") || strings.Contains(words, "idle") || strings.Contains(words, "lists") || strings.Contains(words, "objects") {
			t.Errorf("the station %s says %q", station, words)
		}
	}
	if said := evalIn[string](t, page, "document.querySelector('.cap').textContent"); strings.Contains(said, "starts") {
		t.Errorf("the caption says %q of an informer that has synced", said)
	}
	shot(t, page, "keys")

	// The inspector.
	call(t, page, "selectObject('shop/item-1')")
	until(t, page, `/version: "17"/.test(stage.find(".drawer .diff").textContent)`)
	settle(t, page)
	if err := page.Click(within(t, 30*time.Second), `stage.find(".drawer [role=tab]", /JSON/)`); err != nil {
		t.Fatal(err)
	}
	until(t, page, `/"kind": "ConfigMap"/.test(stage.find(".drawer .diff").textContent) && /"apiVersion": "v1"/.test(stage.find(".drawer .diff").textContent)`)
	shot(t, page, "body")
	call(t, page, "live()")
	tellTo(t, controller+"/let")
	await(t, page, time.Minute, "s.workqueue.depth === 0 && s.workqueue.processing.length === 0")
	call(t, page, "select({source: 'probe', resource: 'serviceaccounts'})")
	await(t, page, time.Minute, "s.resource.resource === 'serviceaccounts' && s.indexer.count === 10")
	call(t, page, "selectObject('shop/item-1')")
	until(t, page, `/Options.Objects does not name this informer/.test(stage.find(".drawer .diff").textContent)`)
	shot(t, page, "no-body")
	page.ExpectClean(t)
}
