package page_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// pushButton presses the button whose text or name matches.
func pushButton(t *testing.T, p *browser.Page, within, words string) {
	t.Helper()
	find := "[...document.querySelectorAll(" + harness.Quote(within+" button") + ")].find((b) => b.checkVisibility() && !b.disabled && new RegExp(" +
		harness.Quote(words) + ").test(b.getAttribute('aria-label') ?? b.textContent))"
	harness.WaitFor(t, p, "!!"+find)
	harness.EvalIn[bool](t, p, "("+find+".click(), true)")
}

// TestAFactoryOnThePage chooses three resources in the picker. It opens the informer of another row, starts one that is not shared, and shuts the factory
// down and begins another. A recording shows all of it again.
func TestAFactoryOnThePage(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&objects=120&rate=10&lang=en", 1280, 720)
	// The informer that is open has its rows, and each other one has one.
	const others = "[...document.querySelectorAll('.tracks-rows [data-station=informer] .row-name')].filter((b) => b.checkVisibility()).length"

	// One press chooses one, as without a factory; a switch chooses several.
	pushButton(t, p, ".top", "^resource: pods")
	pushButton(t, p, ".pop", "several")
	for _, name := range []string{"nodes", "deployments"} {
		pushButton(t, p, ".pop .list", "^"+name)
	}
	pushButton(t, p, ".pop", "Watch 3 together")
	harness.Await(t, p, time.Minute, "s.factory?.rows.length === 3 && s.factory.rows.every((r) => r.synced && r.requests === 1 && r.count > 0)")
	harness.WaitFor(t, p, others+" === 2 && document.querySelector('.row-head').textContent === 'pods 1.37'")
	if hash := harness.EvalIn[string](t, p, "location.hash"); !strings.Contains(hash, "resource=pods,nodes,deployments.apps") {
		t.Errorf("the address is %s", hash)
	}
	harness.WaitFor(t, p, "document.querySelector('.informers').textContent.includes('factory 1.37: all 3 synced')")
	harness.Shot(t, p, "synced")
	harness.ExpectWell(t, p)
	for _, theme := range []string{"light", "contrast"} {
		harness.SetLook(t, p, theme, "zh", 1920, 1080)
		harness.Shot(t, p, "synced-"+theme)
		harness.ExpectWell(t, p)
	}
	// In presenter mode the rows have larger type; a screen of 4:3 has a shape of its own.
	press := func() {
		if err := p.Press(harness.Timeout(t, 10*time.Second), "p"); err != nil {
			t.Fatal(err)
		}
	}
	press()
	for _, size := range [][2]int64{{1280, 720}, {1024, 768}} {
		harness.SetLook(t, p, "dark", "en", size[0], size[1])
		harness.WaitFor(t, p, others+" === 2 && stage.find('#app.presenting')")
		harness.Shot(t, p, fmt.Sprint("presenter-", size[0]))
		harness.ExpectWell(t, p)
	}
	press()
	harness.SetLook(t, p, "dark", "en", 1280, 720)

	pushButton(t, p, ".tracks-rows", "^nodes 1.37")
	harness.Await(t, p, time.Minute, "s.resource.resource === 'nodes' && s.factory.shown === 1")
	harness.WaitFor(t, p, "document.querySelector('.row-head').textContent === 'nodes 1.37'")
	harness.Shot(t, p, "opened")
	harness.ExpectWell(t, p)
	harness.Call(t, p, "hold('pop')")
	harness.Await(t, p, time.Minute, "s.holds.length === 1 && s.lanes[0].holds.length === 0")
	harness.Call(t, p, "release('pop', 0)")

	// An informer beside the factory costs a request and a store of its own.
	pushButton(t, p, ".informers", "its own$")
	harness.Await(t, p, time.Minute, "s.factory.rows.length === 4 && s.factory.rows.some((r) => r.unshared && r.synced && r.requests === 1)")
	harness.WaitFor(t, p, others+" === 3 && stage.find('.row-name', /^nodes 1.37, not shared/)")
	harness.Shot(t, p, "unshared")
	harness.ExpectWell(t, p)

	pushButton(t, p, ".informers", "^Shutdown$")
	harness.Await(t, p, time.Minute, "s.factory.factories.every((f) => f.stage === 'stopped')")
	harness.WaitFor(t, p, "/was shut down/.test(document.querySelector('.say').textContent)")
	harness.Shot(t, p, "shutdown")
	pushButton(t, p, ".informers", "^Start")
	harness.Await(t, p, time.Minute, "s.factory.factories.every((f) => f.stage === 'synced')")

	before := harness.EvalIn[int](t, p, "informerscope.state().then((s) => s.factory.rows.length)")
	harness.EvalIn[bool](t, p, "(async () => { const {text} = await informerscope.record(); await informerscope.load(text); return true; })()")
	harness.Await(t, p, time.Minute, "s.source.kind === 'file' && s.factory?.rows.length === %d", before)
	harness.WaitFor(t, p, others+" === 3")
	p.ExpectClean(t)
}

// TestAFactorysRows compares what is drawn of two, three and seven informers with the state. It does so for a small cluster and one with 10,000 objects,
// before the first list, with a fault, and with an informer beside the factory.
func TestAFactorysRows(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	const seven = "pods,nodes,namespaces,deployments.apps,replicasets.apps,leases.coordination.k8s.io,customresourcedefinitions.apiextensions.k8s.io"
	for _, tc := range []struct {
		name, fragment string
		rows           int
	}{
		{"two", "&objects=12&resource=pods,nodes", 2},
		{"three", "&objects=10000&resource=pods,nodes,deployments.apps", 3},
		{"seven", "&objects=400&resource=" + seven, 7},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&rate=40&lang=en"+tc.fragment, 1280, 720)
			harness.Await(t, p, time.Minute, "s.factory?.rows.length === %d && s.factory.rows.every((r) => r.synced && r.requests === 1)", tc.rows)
			look := func(name, told string) {
				t.Helper()
				// The address is updated a little later, and one without the fault would restart the cluster.
				harness.WaitFor(t, p, "/[#&]at=/.test(location.hash) && location.hash.includes("+harness.Quote(told)+")")
				for _, dressed := range []struct {
					theme, lang   string
					width, height int64
				}{{"light", "zh", 1920, 1080}, {"dark", "en", 1280, 720}} {
					harness.SetLook(t, p, dressed.theme, dressed.lang, dressed.width, dressed.height)
					harness.ExpectWell(t, p)
					harness.Shot(t, p, "rows-"+tc.name+"-"+name+"-"+dressed.theme)
				}
				held := harness.EvalIn[harness.Truth](t, p, harness.FindUntrue)
				for _, words := range held.Wrong {
					t.Errorf("%s: %s", name, words)
				}
				if held.Compared < tc.rows {
					t.Errorf("%s: %d texts were held against the facts", name, held.Compared)
				}
			}
			harness.Pause(t, p)
			look("synced", "")
			if tc.rows == 3 {
				// Another list of so many objects would push this moment out of the log.
				harness.Call(t, p, "seek(12)")
				look("before", "")
				return
			}
			harness.Call(t, p, "live()")
			harness.Call(t, p, "unshared(true, 0)")
			harness.Await(t, p, time.Minute, "s.factory.api.twice.length === 1 && s.factory.api.twice[0].requests === 2")
			harness.WaitFor(t, p, "stage.find('.row-name', /not shared/)")
			harness.Pause(t, p)
			look("twice", "unshared")
			harness.Call(t, p, "live()")
			harness.Call(t, p, "fault('refuse', {on: true})")
			harness.Call(t, p, "fault('cut')")
			harness.Await(t, p, time.Minute, "s.factory.sentence.id === 'factory.trouble' && s.factory.rows.some((r) => r.cause === 'refused' && r.requests === 0)")
			harness.Pause(t, p)
			look("refused", "refuse")
		})
	}
}
