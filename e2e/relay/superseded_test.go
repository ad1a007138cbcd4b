package relay_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestWhatWasSupersededIsNoError makes two selections that need an answer of a cluster that gives none, from a menu and by a link, and another one
// meanwhile. The last one is shown, without an error for the first.
func TestWhatWasSupersededIsNoError(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 100)
	end := make(chan struct{})
	api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-end:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() {
		close(end)
		api.CloseClientConnections()
		api.Close()
	})
	srv := harness.StartServer(t, "--listen=127.0.0.1:0", "--resources=*", "--kubeconfig="+janesKubeconfig(t, api.URL))
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&lang=en", 1280, 720)
	harness.Call(t, p, "select({group: 'example.com', version: 'v1', resource: 'foos'})")
	harness.Await(t, p, time.Minute, "s.resource.resource === 'foos'")
	hangs := func() {
		t.Helper()
		select {
		case <-asked:
		case <-time.After(time.Minute):
			t.Fatal("the cluster is not asked")
		}
	}
	// From now on every toast is kept.
	harness.EvalIn[bool](t, p, `(() => {
		globalThis.toasts = [];
		new MutationObserver((all) => all.forEach((m) => m.addedNodes.forEach((n) => n.classList?.contains("toast") && toasts.push(n.textContent))))
			.observe(document.body, {childList: true, subtree: true});
		return true;
	})()`)

	harness.Use(t, p, harness.Control{Do: []string{"click stage.find('.top .src')", "click stage.seek('.pop .row', /^jane@team/)"}})
	hangs()
	harness.Use(t, p, harness.Control{Do: []string{"click stage.find('.top .seg button', /1.31/)"}, Want: "s.source.kind === 'sim' && s.era === '1.31'"})

	for len(asked) > 0 {
		<-asked
	}
	harness.EvalIn[bool](t, p,
		"(location.hash = location.hash.replace('source=sim', 'source=live&context=jane@team').replace('v1.', '') + '&namespace=team-a', true)")
	hangs()
	harness.Call(t, p, "select({source: 'sim', context: '', resource: 'pods', era: '1.37'})")
	harness.Await(t, p, time.Minute, "s.source.kind === 'sim' && s.era === '1.37' && s.queue.synced && s.indexer.count > 0")
	if said := harness.EvalIn[[]string](t, p, "toasts"); len(said) > 0 {
		t.Errorf("the page said %q", said)
	}
	if hash := harness.EvalIn[string](t, p, "location.hash"); !strings.Contains(hash, "resource=pods") || strings.Contains(hash, "source=live") {
		t.Errorf("the address is %s", hash)
	}
}
