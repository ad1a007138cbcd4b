package relay_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// restoredServer is an API server whose watch has brought two pods at version 900, and whose etcd is then restored from a copy with one pod, at version 700.
// The watch stays open.
func restoredServer(t *testing.T, isRestored *atomic.Bool) *httptest.Server {
	t.Helper()
	return startAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		pod := func(name, version string) string {
			return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"team-a","resourceVersion":%q}}`, name, version)
		}
		version, pods := "900", []string{pod("a", "600"), pod("b", "880")}
		if isRestored.Load() {
			version, pods = "700", pods[:1]
		}
		if r.URL.Query().Get("watch") == "" {
			fmt.Fprintf(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":%q},"items":[%s]}`, version, strings.Join(pods, ","))
			return
		}
		keepWatch(w, r, version, pods...)
	})
}

// TestASecondOpinionOnThePage lists a cluster again from the diagnosis: before its etcd is restored, when all is the same, and after.
func TestASecondOpinionOnThePage(t *testing.T) {
	t.Parallel()
	var isRestored atomic.Bool
	srv := harness.StartServer(t, "--listen=127.0.0.1:0", "--kubeconfig="+janesKubeconfig(t, restoredServer(t, &isRestored).URL))
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=live&context=jane@team&namespace=team-a&lang=en", 1280, 720)
	harness.Await(t, p, time.Minute, "s.queue.synced && s.indexer.count === 2")
	ask := func(what, words, onMap string) {
		t.Helper()
		harness.Diagnose(t, p)
		harness.WaitUntil(t, p, `document.querySelector(".dga:not([disabled])")`)
		if err := p.Click(harness.Timeout(t, 30*time.Second), `stage.find(".dg button", /list the cluster again/)`); err != nil {
			t.Fatal(err)
		}
		harness.WaitUntil(t, p, `document.querySelector(".dgq")?.textContent.includes(`+harness.Quote(words)+`)`)
		harness.Shot(t, p, what)
		harness.EvalIn[bool](t, p, `(document.querySelector(".dg .kh .key").click(), true)`)
		harness.WaitUntil(t, p, `document.querySelector(".worlds").textContent.includes(`+harness.Quote(onMap)+`)`)
		harness.Shot(t, p, what+"-map")
	}
	ask("the-same", "a plain list has 2 objects, version 900, and the store has the same", "ago has the same")
	isRestored.Store(true)
	ask("restored", "a plain list has 1 object, version 700; the store differs in 1", "object differs from a list")
	harness.Diagnose(t, p)
	harness.WaitUntil(t, p, `document.querySelector(".dgf[data-rule=store-apart]")?.textContent.includes("Only in the store: 1")`)
	for _, look := range []struct {
		theme, lang   string
		width, height int64
	}{{"light", "zh", 1280, 720}, {"dark", "en", 390, 844}} {
		harness.EvalIn[bool](t, p, `(document.querySelector(".dg .kh .key").click(), true)`)
		harness.SetLook(t, p, look.theme, look.lang, look.width, look.height)
		harness.Diagnose(t, p)
		harness.WaitUntil(t, p, `document.querySelector(".dgf")`)
		harness.Settle(t, p)
		harness.Shot(t, p, fmt.Sprintf("restored-%s-%s-%d", look.theme, look.lang, look.width))
	}
	p.ExpectClean(t)
}
