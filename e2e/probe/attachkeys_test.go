package probe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestAttachedKeys watches a controller that works on keys. The page shows keys that wait, are processed, are dirty or delayed, and reads of the
// lister. The inspector shows the bodies that the controller allows, and why the others are missing.
func TestAttachedKeys(t *testing.T) {
	program := buildProbed(t, "keyed", readProgram(t, "keyed"), newestClientGo)
	controller, _, _ := startProgram(t, program, "", "127.0.0.1:0")
	srv := harness.StartModules(t, "--listen=127.0.0.1:0", "--attach="+controller+"/debug/informerscope/")
	page := browser.StartForTest(t).OpenForTest(t, "about:blank", 1280, 720)
	if err := page.OnNewDocument(harness.Timeout(t, 30*time.Second), harness.StageTools(t)); err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(harness.Timeout(t, time.Minute), srv.URL+"&resource=configmaps&lang=en"); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, page, time.Minute, "s.source.kind === 'probe' && !s.lanes && s.indexer.count === 10 && s.workqueue")

	change := func(i int) { t.Helper(); tellTo(t, fmt.Sprint(controller, "/change?name=item-", i)) }
	change(9) // fails, and waits an hour
	harness.Await(t, page, time.Minute, "s.workqueue.waiting.length === 1 && s.workqueue.waiting[0].key === 'shop/item-9'")
	tellTo(t, controller+"/hold")
	for _, i := range []int{1, 2} {
		change(i)
		harness.Await(t, page, time.Minute, "s.workqueue.processing.some((x) => x.key === 'shop/item-%d')", i)
	}
	for _, i := range []int{3, 4, 5, 1} {
		change(i)
	}
	harness.Await(t, page, time.Minute, `s.workqueue.queue.join() === 'shop/item-3,shop/item-4,shop/item-5' && s.workqueue.dirtyCount === 4 &&
		s.workqueue.waitingCount === 1 && s.workqueue.lastRead?.key === 'shop/item-2'`)
	harness.Pause(t, page)
	harness.Settle(t, page)
	told := harness.EvalIn[harness.Truth](t, page, harness.FindUntrue)
	for _, wrong := range told.Wrong {
		t.Errorf("on the stage: %s", wrong)
	}
	if told.Compared < 5 {
		t.Errorf("only %d numbers were compared", told.Compared)
	}
	harness.EvalIn[bool](t, page, "(stage.find('.row-name.work').click(), true)")
	harness.WaitUntil(t, page, "stage.find('.inside h2')?.textContent === 'Inside the work queue'")
	drawn := harness.EvalIn[string](t, page, "stage.find('.inside').textContent")
	for _, key := range []string{"item-2", "item-3", "item-9"} {
		if !strings.Contains(drawn, key) {
			t.Errorf("the work queue has no %s inside: %s", key, drawn)
		}
	}
	if said := harness.EvalIn[string](t, page, "document.querySelector('.cap').textContent"); strings.Contains(said, "starts") {
		t.Errorf("the caption says %q of an informer that has synced", said)
	}
	harness.Shot(t, page, "keys")

	// The inspector.
	harness.Call(t, page, "selectObject('shop/item-1')")
	harness.WaitUntil(t, page, `/version: "17"/.test(stage.find(".drawer .diff").textContent)`)
	harness.Settle(t, page)
	if err := page.Click(harness.Timeout(t, 30*time.Second), `stage.find(".drawer [role=tab]", /JSON/)`); err != nil {
		t.Fatal(err)
	}
	harness.WaitUntil(t, page, `/"kind": "ConfigMap"/.test(stage.find(".drawer .diff").textContent) && /"apiVersion": "v1"/.test(stage.find(".drawer .diff").textContent)`)
	harness.Shot(t, page, "body")
	harness.Call(t, page, "live()")
	tellTo(t, controller+"/let")
	harness.Await(t, page, time.Minute, "s.workqueue.depth === 0 && s.workqueue.processing.length === 0")
	harness.Call(t, page, "select({source: 'probe', resource: 'serviceaccounts'})")
	harness.Await(t, page, time.Minute, "s.resource.resource === 'serviceaccounts' && s.indexer.count === 10")
	harness.Call(t, page, "selectObject('shop/item-1')")
	harness.WaitUntil(t, page, `/Options.Objects does not name this informer/.test(stage.find(".drawer .diff").textContent)`)
	harness.Shot(t, page, "no-body")
	page.ExpectClean(t)
}
