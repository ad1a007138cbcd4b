package page_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestDiagnosis opens the diagnosis of a log with faults, goes to the moment of a finding, and tells its story. A healthy log has no finding.
func TestDiagnosis(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	page := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=60&rate=40&lang=en", 1280, 720)
	harness.Await(t, page, time.Minute, "s.queue.synced && s.indexer.count >= 60")
	harness.Diagnose(t, page)
	// A pod of this cluster crash-loops. While its key waits after a failure no rule finds anything, and the diagnosis does not say that nothing is wrong.
	harness.WaitUntil(t, page, `/Nothing is wrong|No rule finds the cause/.test(document.querySelector(".dg .kh")?.textContent)`)
	harness.Shot(t, page, "healthy")
	harness.EvalIn[bool](t, page, `(document.querySelector(".dg .kh .key").click(), true)`)

	// The page plays these actions as a link's, as fast as it can.
	harness.Call(t, page, `select({source: "sim", seed: 7, objects: 60, rate: 40, at: 15000, do: "2000:listen:mailer:200,2000:fault:mutate:on,2000:panic:1," +
		"3000:fault:410,6000:fault:410,9000:fault:410"})`)
	harness.Await(t, page, time.Minute, "s.seq >= 15000")
	harness.Call(t, page, "live()")
	harness.Await(t, page, 2*time.Minute, "s.atMillis > 45000")
	all := harness.EvalIn[[]struct {
		Rule, Weight, Story string
		Seq                 uint64
	}](t, page, `informerscope.diagnose().then((x) => x.map((f) => ({Rule: f.rule, Weight: f.weight, Story: f.story, Seq: f.seq})))`)
	rules := fmt.Sprint(all)
	for _, rule := range []string{"slow-handler", "mutated-objects", "handler-panic", "relist-loop"} {
		if !strings.Contains(rules, rule) {
			t.Errorf("the diagnosis lacks %s: %s", rule, rules)
		}
	}
	harness.Diagnose(t, page)
	harness.WaitUntil(t, page, `document.querySelectorAll(".dgf").length > 3`)
	for _, look := range []struct {
		theme, lang   string
		width, height int64
	}{{"dark", "en", 1280, 720}, {"light", "zh", 1280, 720}, {"dark", "en", 390, 844}} {
		harness.EvalIn[bool](t, page, `(document.querySelector(".dg .kh .key")?.click(), true)`)
		harness.SetLook(t, page, look.theme, look.lang, look.width, look.height)
		harness.Diagnose(t, page)
		harness.WaitUntil(t, page, `document.querySelectorAll(".dgf").length > 3`)
		harness.Settle(t, page)
		harness.Shot(t, page, fmt.Sprintf("%s-%s-%d", look.theme, look.lang, look.width))
		for _, words := range harness.EvalIn[[]string](t, page, cutOrOver+`(".dg", ".dg :is(.kh b, .kh > span)")`) {
			t.Errorf("%+v: %s", look, words)
		}
		if wide := harness.EvalIn[float64](t, page, `(() => { const l = document.querySelector(".dgl"); return l.scrollWidth - l.clientWidth; })()`); wide > 1 {
			t.Errorf("%+v: the list is %.0f px wider than its card", look, wide)
		}
	}
	harness.EvalIn[bool](t, page, `(document.querySelector(".dg .kh .key")?.click(), true)`)
	harness.SetLook(t, page, "dark", "en", 1280, 720)
	harness.Diagnose(t, page)
	harness.WaitUntil(t, page, `!!document.querySelector("[data-rule=handler-panic] .dgo")`)
	for _, f := range all {
		if f.Rule == "handler-panic" {
			harness.EvalIn[bool](t, page, `(document.querySelector("[data-rule=handler-panic] .dgo").click(), true)`)
			harness.Await(t, page, time.Minute, "s.view.mode === 'paused' && s.seq === %d && s.listeners[0].panics === 1", f.Seq)
		}
	}
	harness.Shot(t, page, "moment")
	harness.Diagnose(t, page)
	harness.WaitUntil(t, page, `!!document.querySelector("[data-rule=slow-handler] .dgs")`)
	harness.EvalIn[bool](t, page, `(document.querySelector("[data-rule=slow-handler] .dgs").click(), true)`)
	harness.WaitUntil(t, page, `new URLSearchParams(location.hash.slice(1)).get("story") === "ring"`)
	page.ExpectClean(t)
}

// TestDiagnosisOpensTheInformer presses a finding about one informer of a factory: it gets the stage, at the finding's moment.
func TestDiagnosisOpensTheInformer(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	page := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&resource=configmaps,pods&seed=7&objects=60&rate=40&lang=en", 1280, 720)
	harness.Await(t, page, time.Minute, "s.lanes?.length === 2 && s.lanes.every((l) => l.synced)")
	harness.EvalIn[bool](t, page, `informerscope.panic(1, 1).then(() => true)`)
	harness.Await(t, page, time.Minute, "s.lanes[1].listeners.some((l) => l.panics > 0)")
	harness.Diagnose(t, page)
	harness.WaitUntil(t, page, `!!document.querySelector("[data-rule=handler-panic] .dgo")`)
	harness.EvalIn[bool](t, page, `(document.querySelector("[data-rule=handler-panic] .dgo").click(), true)`)
	harness.Await(t, page, time.Minute, "s.view.mode === 'paused' && s.resource.resource === 'pods'")
	harness.Shot(t, page, "informer")
	page.ExpectClean(t)
}
