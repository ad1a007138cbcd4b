package relay_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestTrouble opens the page on sources that do not work, and expects messages on which a person can act. Then the cluster returns, and the page
// recovers.
func TestTrouble(t *testing.T) {
	t.Parallel()
	expired := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}`))
	}))
	defer expired.Close()
	address, listen := reservePort(t)

	ca := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: expired.Certificate().Raw}))
	kubeconfig := filepath.Join(t.TempDir(), "config")
	type m = map[string]any
	text, err := json.Marshal(m{
		"apiVersion": "v1", "kind": "Config", "current-context": "away",
		"clusters": []m{
			{"name": "away", "cluster": m{"server": "http://" + address}},
			{"name": "expired", "cluster": m{"server": expired.URL, "certificate-authority-data": ca}},
			{"name": "untrusted", "cluster": m{"server": expired.URL}},
		},
		"users": []m{{"name": "u", "user": m{"token": "old"}}, {"name": "helper", "user": m{"exec": m{
			"apiVersion": "client.authentication.k8s.io/v1", "command": "there-is-no-such-helper", "interactiveMode": "Never"}}}},
		"contexts": []m{
			{"name": "away", "context": m{"cluster": "away", "user": "u"}},
			{"name": "expired", "context": m{"cluster": "expired", "user": "u"}},
			{"name": "untrusted", "context": m{"cluster": "untrusted", "user": "u"}},
			{"name": "helperless", "context": m{"cluster": "expired", "user": "helper"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kubeconfig, text, 0o600); err != nil {
		t.Fatal(err)
	}
	srv := harness.StartServer(t, "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig)
	b := browser.StartForTest(t)
	p := b.OpenForTest(t, srv.URL, 1280, 720)
	for context, words := range map[string]string{
		"expired":    "log in again",
		"untrusted":  "certificate",
		"helperless": "there-is-no-such-helper",
		"nowhere":    "nowhere",
	} {
		harness.Call(t, p, `select({source: "live", context: %q, resource: "pods"})`, context)
		harness.Await(t, p, 30*time.Second, `(s.source.trouble ?? "").includes(%q) && s.source.context === %q`, words, context)
		harness.Shot(t, p, context)
	}

	harness.Call(t, p, `select({source: "live", context: "away"})`)
	harness.Await(t, p, 30*time.Second, `(s.source.trouble ?? "").includes("refuse") && s.reflector.phase === "backoff"`)
	harness.Shot(t, p, "away")
	ln, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	back := &httptest.Server{Listener: ln, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") != "" {
			_, _ = w.Write([]byte(`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"default","resourceVersion":"5"}}}
{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"6","annotations":{"k8s.io/initial-events-end":"true"}}}}
`))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	})}}
	back.Start()
	defer func() {
		back.CloseClientConnections() // the watch does not end by itself
		back.Close()
	}()
	harness.Await(t, p, 90*time.Second, `!s.source.trouble && s.indexer.count === 1 && s.reflector.phase === "watching"`)
	harness.Shot(t, p, "back")
	p.ExpectClean(t)

	// A kubeconfig that cannot be read is reported where contexts are chosen, and the page keeps its source.
	if err := os.WriteFile(kubeconfig, []byte("apiVersion: v1\nclusters: {{\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := browser.Eval[string](harness.Timeout(t, 30*time.Second), p, `informerscope.sources().then((s) => s.live.error)`)
	if err != nil || !strings.Contains(said, kubeconfig) {
		t.Errorf("of a broken kubeconfig the page says %q (%v), want its path in it", said, err)
	}
}
