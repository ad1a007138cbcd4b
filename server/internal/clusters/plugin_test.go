package clusters

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"informerscope/core/words/cause"
)

// pluginConfig is a kubeconfig whose user gets credentials from a shell script.
func pluginConfig(t *testing.T, api *httptest.Server, script string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the plugin of this test is a shell script")
	}
	command := write(t, "login-helper", "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(command, 0o700); err != nil {
		t.Fatal(err)
	}
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw})
	type m = map[string]any
	raw, err := json.Marshal(m{"apiVersion": "v1", "kind": "Config",
		"clusters": []m{{"name": "c", "cluster": m{"server": api.URL, "certificate-authority-data": ca}}},
		"users":    []m{{"name": "u", "user": m{"exec": m{"apiVersion": "client.authentication.k8s.io/v1", "command": command, "interactiveMode": "Never"}}}},
		"contexts": []m{{"name": "c", "context": m{"cluster": "c", "user": "u"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return write(t, "config", string(raw))
}

// credential is what the plugin prints.
func credential(token string) string {
	return fmt.Sprintf(`echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"%s"}}'`, token)
}

func ask(ctx context.Context, t *testing.T, u *Upstream) (int, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.Base.JoinPath("/api").String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := u.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// TestPluginWaitsAreTold: the reported wait ends when the plugin has answered, not with the request.
func TestPluginWaitsAreTold(t *testing.T) {
	api := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer api.Close()
	l := NewLoader(pluginConfig(t, api, "sleep 0.2; "+credential("canary-of-plugin")), "")
	defer l.Close()
	waits := make(chan time.Duration, 8)
	l.OnPluginWait(func(d time.Duration) { waits <- d })
	u, err := l.Upstream("c")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if _, err := ask(t.Context(), t, u); err != nil {
			t.Fatal(err)
		}
		if got := <-waits; i == 0 && got < 200*time.Millisecond {
			t.Errorf("the plugin took 200 ms at least, and %s are told", got)
		}
	}
	if n := l.RunningPlugins(); n != 0 {
		t.Errorf("%d plugins are said to be waited for", n)
	}
}

// TestAPluginThatHangs: one request waits for the plugin, and the others get an answer. A viewer that leaves stops waiting at once, no goroutines
// pile up, and after the plugin has ended everything works.
func TestAPluginThatHangs(t *testing.T) {
	dir := t.TempDir()
	finish, runs := filepath.Join(dir, "finish"), filepath.Join(dir, "runs")
	var got string
	api := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = r.Header.Get("Authorization") }))
	defer api.Close()
	l := NewLoader(pluginConfig(t, api, "echo run >>"+runs+"; while ! [ -e "+finish+" ]; do sleep 0.05; done; "+credential("canary-of-plugin")), "")
	defer l.Close()
	u, err := l.Upstream("c")
	if err != nil {
		t.Fatal(err)
	}
	u.gate.patience, u.gate.courtesy = 2*time.Second, 100*time.Millisecond
	before := runtime.NumGoroutine()

	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := ask(ctx, t, u)
		left <- err
	}()
	for {
		if raw, _ := os.ReadFile(runs); len(raw) > 0 {
			break
		}
		runtime.Gosched()
	}
	for range 20 {
		var waiting *PluginWaiting
		code, err := ask(t.Context(), t, u)
		if err == nil {
			t.Fatalf("answered with %d while the plugin hangs", code)
		}
		if id, words := u.Explain(err); !errors.As(err, &waiting) || id != cause.ExecWaiting || !strings.Contains(words, "Waiting for login-helper") {
			t.Fatalf("beside the one who waits: %v: %s", err, words)
		}
	}
	if n := l.RunningPlugins(); n != 1 {
		t.Errorf("%d plugins are said to be waited for", n)
	}
	leave()
	select {
	case err := <-left:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the viewer who left got %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the viewer who left is kept")
	}
	if n := runtime.NumGoroutine() - before; n > 6 {
		t.Errorf("%d goroutines are left behind by 21 requests", n)
	}
	if raw, _ := os.ReadFile(runs); strings.Count(string(raw), "run") != 1 {
		t.Errorf("the plugin ran beside itself: %q", raw)
	}
	if id, words := u.PluginWait(); id != "" && !strings.Contains(words, "login-helper") {
		t.Errorf("%s: %s", id, words)
	}
	// After a change of the files the gate still has the same hanging plugin.
	l.drop()
	second, err := l.Upstream("c")
	if err != nil || second.gate != u.gate {
		t.Errorf("a second gate for one plugin: %v", err)
	}
	if err := os.WriteFile(finish, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(20 * time.Second)
	for {
		code, err := ask(t.Context(), t, second)
		if code == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("after the plugin has ended: %v", err)
		}
	}
	if got != "Bearer canary-of-plugin" {
		t.Errorf("sent %q", got)
	}
	if text := l.Scrubber().Text("of canary-of-plugin"); strings.Contains(text, "canary") {
		t.Errorf("the plugin's token is written: %s", text)
	}
}

func TestThePatienceWithAPluginEnds(t *testing.T) {
	api := httptest.NewTLSServer(http.NotFoundHandler())
	defer api.Close()
	finish := filepath.Join(t.TempDir(), "finish")
	l := NewLoader(pluginConfig(t, api, "while ! [ -e "+finish+" ]; do sleep 0.05; done; false"), "")
	defer l.Close()
	u, err := l.Upstream("c")
	if err != nil {
		t.Fatal(err)
	}
	u.gate.patience, u.gate.courtesy = 200*time.Millisecond, 10*time.Millisecond
	_, err = ask(t.Context(), t, u)
	var plugin *PluginError
	if id, words := u.Explain(err); !errors.As(err, &plugin) || id != cause.ExecPlugin || !strings.Contains(words, "login-helper") {
		t.Errorf("%v: %s: %s", err, id, words)
	}
	_, err = ask(t.Context(), t, u)
	if id, words := u.Explain(err); id != cause.ExecWaiting || !strings.Contains(words, "no second one is started") {
		t.Errorf("%v: %s: %s", err, id, words)
	}
	if err := os.WriteFile(finish, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for {
		if _, ok := u.gate.waitTime(); !ok {
			break
		}
		runtime.Gosched()
	}
	u.gate.patience = time.Minute // a busy machine may need more than the short patience to start the plugin
	_, err = ask(t.Context(), t, u)
	if id, words := u.Explain(err); id != cause.ExecPlugin || !strings.Contains(words, "exit code 1") {
		t.Errorf("a plugin that fails: %v: %s: %s", err, id, words)
	}
}

// TestARefusedTokenIsToldAtOnce: client-go runs the plugin again before it returns a 401, and this second run hangs.
func TestARefusedTokenIsToldAtOnce(t *testing.T) {
	dir := t.TempDir()
	finish, runs := filepath.Join(dir, "finish"), filepath.Join(dir, "runs")
	api := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer api.Close()
	script := "if [ -e " + runs + " ]; then while ! [ -e " + finish + " ]; do sleep 0.05; done; fi; touch " + runs + "; " + credential("first-token")
	l := NewLoader(pluginConfig(t, api, script), "")
	defer l.Close()
	u, err := l.Upstream("c")
	if err != nil {
		t.Fatal(err)
	}
	u.gate.courtesy = 50 * time.Millisecond
	if code, err := ask(t.Context(), t, u); code != 401 || err != nil {
		t.Fatalf("%d, %v", code, err)
	}
	_, err = ask(t.Context(), t, u)
	if id, _ := u.Explain(err); id != cause.ExecWaiting {
		t.Errorf("while the second run hangs: %v", err)
	}
	if err := os.WriteFile(finish, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for {
		if _, ok := u.gate.waitTime(); !ok {
			break
		}
		runtime.Gosched()
	}
}
