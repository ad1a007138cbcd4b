package relay_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestContextNotServed opens a page on a server that serves one context of two. The other is not in the menu. A page that still asks for it shows
// what is wrong, in both languages, and its cluster gets no request.
func TestContextNotServed(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		http.Error(w, "nobody should be here", http.StatusTeapot)
	}))
	defer other.Close()
	type m = map[string]any
	text, err := json.Marshal(m{
		"apiVersion": "v1", "kind": "Config", "current-context": "production",
		"clusters": []m{{"name": "demo", "cluster": m{"server": "http://127.0.0.1:1"}}, {"name": "production", "cluster": m{"server": other.URL}}},
		"users":    []m{{"name": "u", "user": m{"token": "of-a-test"}}},
		"contexts": []m{
			{"name": "demo", "context": m{"cluster": "demo", "user": "u"}},
			{"name": "production", "context": m{"cluster": "production", "user": "u"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(kubeconfig, text, 0o600); err != nil {
		t.Fatal(err)
	}
	srv := harness.StartServer(t, "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig, "--context", "demo")
	p := browser.StartForTest(t).OpenForTest(t, srv.URL, 1280, 720)
	harness.Await(t, p, 30*time.Second, `s.source.context === "demo" && s.source.cause === "refused"`)
	harness.Call(t, p, `select({source: "live", context: "production", resource: "pods"})`)
	harness.Await(t, p, 30*time.Second, `s.source.context === "production" && s.source.cause === "context-not-served" && s.source.trouble.includes("--contexts")`)
	harness.Shot(t, p, "context-not-served")
	harness.Call(t, p, `select({source: "live", context: "demo", resource: "pods"})`)
	harness.Await(t, p, 30*time.Second, `s.source.context === "demo" && s.source.cause === "refused"`)
	if n := asked.Load(); n != 0 {
		t.Errorf("the cluster of the context that is not served was asked %d times", n)
	}
}
