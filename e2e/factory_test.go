package e2e

import (
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// pushButton presses the button whose text or name matches.
func pushButton(t *testing.T, p *browser.Page, within, words string) {
	t.Helper()
	find := "[...document.querySelectorAll(" + quoted(within+" button") + ")].find((b) => b.checkVisibility() && !b.disabled && new RegExp(" +
		quoted(words) + ").test(b.getAttribute('aria-label') ?? b.textContent))"
	waitFor(t, p, "!!"+find)
	evalIn[bool](t, p, "("+find+".click(), true)")
}

// TestAFactoryOnThePage chooses three resources in the picker. It puts one row on the stage and takes it back, starts and stops an informer that is
// not shared, and shuts the factory down and begins another. A recording shows all of it again.
func TestAFactoryOnThePage(t *testing.T) {
	srv := startServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	p := openStage(t, b, srv, "&source=sim&seed=7&objects=120&rate=10&lang=en", 1280, 720)
	const rows = "document.querySelectorAll('.factoryv .prow:not([hidden])').length"

	// One press chooses one, as without a factory; a switch chooses several.
	pushButton(t, p, ".top", "^resource: pods")
	pushButton(t, p, ".pop", "several")
	for _, name := range []string{"nodes", "deployments"} {
		pushButton(t, p, ".pop .list", "^"+name)
	}
	pushButton(t, p, ".pop", "Watch 3 together")
	await(t, p, time.Minute, "s.factory?.rows.length === 3 && s.factory.rows.every((r) => r.synced && r.requests === 1 && r.count > 0)")
	waitFor(t, p, rows+" === 3 && document.querySelector('.factoryv').checkVisibility()")
	if hash := evalIn[string](t, p, "location.hash"); !strings.Contains(hash, "resource=pods,nodes,deployments.apps") {
		t.Errorf("the address is %s", hash)
	}
	waitFor(t, p, "document.querySelector('.say').textContent.includes('All informers have synced: 3 informers')")
	shot(t, p, "synced")
	expectWell(t, p)
	for _, theme := range []string{"light", "contrast"} {
		dress(t, p, theme, "zh", 1920, 1080)
		shot(t, p, "synced-"+theme)
		expectWell(t, p)
	}
	dress(t, p, "dark", "en", 1280, 720)

	// A row opens its informer on the stage; Escape goes back.
	pushButton(t, p, ".factoryv", "^nodes 1.37")
	await(t, p, time.Minute, "s.resource.resource === 'nodes' && s.factory.shown === 1")
	waitFor(t, p, "!document.querySelector('.factoryv').checkVisibility() && document.querySelector('.factoryback').checkVisibility()")
	shot(t, p, "opened")
	expectWell(t, p)
	call(t, p, "hold('pop')")
	await(t, p, time.Minute, "s.holds.length === 1 && s.lanes[0].holds.length === 0")
	call(t, p, "release('pop', 0)")
	evalIn[bool](t, p, "(document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true, cancelable: true})), true)")
	waitFor(t, p, "document.querySelector('.factoryv').checkVisibility() && !document.querySelector('.factoryback').checkVisibility()")

	// An informer beside the factory costs a request and a store of its own.
	pushButton(t, p, ".factoryv", "its own$")
	await(t, p, time.Minute, "s.factory.rows.length === 4 && s.factory.rows.some((r) => r.unshared && r.synced && r.requests === 1)")
	waitFor(t, p, rows+" === 4")
	waitFor(t, p, "/not shared: 2 open requests/.test(document.querySelector('.say').textContent)")
	shot(t, p, "unshared")
	expectWell(t, p)

	pushButton(t, p, ".factoryv", "^Shutdown$")
	await(t, p, time.Minute, "s.factory.factories.every((f) => f.stage === 'stopped')")
	waitFor(t, p, "/was shut down/.test(document.querySelector('.say').textContent)")
	shot(t, p, "shutdown")
	pushButton(t, p, ".factoryv", "^Start")
	await(t, p, time.Minute, "s.factory.factories.every((f) => f.stage === 'synced')")

	was := evalIn[int](t, p, "informerscope.state().then((s) => s.factory.rows.length)")
	evalIn[bool](t, p, "(async () => { const {text} = await informerscope.record(); await informerscope.load(text); return true; })()")
	await(t, p, time.Minute, "s.source.kind === 'file' && s.factory?.rows.length === %d", was)
	waitFor(t, p, rows+" === 4 && document.querySelector('.factoryv').checkVisibility()")
	p.ExpectClean(t)
}

// TestAFactorysAPIServer reads the requests that the API server's panel shows for two, three and seven informers. It does so for a small cluster and
// one with 10,000 objects, before the first list, with a fault, and with an informer beside the factory.
func TestAFactorysAPIServer(t *testing.T) {
	srv := startServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	const seven = "pods,nodes,namespaces,deployments.apps,replicasets.apps,leases.coordination.k8s.io,customresourcedefinitions.apiextensions.k8s.io"
	for _, of := range []struct {
		name, fragment string
		rows           int
	}{
		{"two", "&objects=12&resource=pods,nodes", 2},
		{"three", "&objects=10000&resource=pods,nodes,deployments.apps", 3},
		{"seven", "&objects=400&resource=" + seven, 7},
	} {
		t.Run(of.name, func(t *testing.T) {
			p := openStage(t, b, srv, "&source=sim&seed=7&rate=40&lang=en"+of.fragment, 1280, 720)
			await(t, p, time.Minute, "s.factory?.rows.length === %d && s.factory.rows.every((r) => r.synced && r.request?.open)", of.rows)
			look := func(name, told string) {
				t.Helper()
				// The address is updated a little later, and one without the fault would restart the cluster.
				waitFor(t, p, "/[#&]at=/.test(location.hash) && location.hash.includes("+quoted(told)+")")
				for _, dressed := range []struct {
					theme, lang   string
					width, height int64
				}{{"light", "zh", 1920, 1080}, {"dark", "en", 1280, 720}} {
					dress(t, p, dressed.theme, dressed.lang, dressed.width, dressed.height)
					expectWell(t, p)
					shot(t, p, "api-"+of.name+"-"+name+"-"+dressed.theme)
				}
				held := evalIn[truth](t, p, untrue)
				for _, words := range held.Wrong {
					t.Errorf("%s: %s", name, words)
				}
				if held.Compared < of.rows*6 {
					t.Errorf("%s: %d texts were held against the facts", name, held.Compared)
				}
			}
			call(t, p, "pause()")
			look("synced", "")
			if of.rows == 3 {
				// Another list of so many objects would push this moment out of the log.
				call(t, p, "seek(12)")
				look("before", "")
				return
			}
			call(t, p, "live()")
			call(t, p, "unshared(true, 0)")
			await(t, p, time.Minute, "s.factory.api.twice.length === 1 && s.factory.api.twice[0].requests === 2")
			waitFor(t, p, "[...document.querySelectorAll('.factoryv text')].some((e) => /pods 1.37 twice, not shared: 2 open requests/.test(e.textContent))")
			call(t, p, "pause()")
			look("twice", "unshared")
			call(t, p, "live()")
			call(t, p, "fault('refuse', {on: true})")
			call(t, p, "fault('cut')")
			await(t, p, time.Minute, "s.factory.sentence.id === 'factory.trouble' && s.factory.rows.some((r) => r.cause === 'refused' && !r.request.open)")
			call(t, p, "pause()")
			look("refused", "refuse")
		})
	}
}
