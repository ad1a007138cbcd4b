package relay

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"informerscope/server/internal/clusters"
)

// TestContextsThatAreNotServed: a context that the server does not serve is refused before a credential plugin runs or an API server is dialled, and
// no answer reveals that it exists.
func TestContextsThatAreNotServed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the credential plugin of this test is a shell script")
	}
	ran := filepath.Join(t.TempDir(), "ran")
	plugin := filepath.Join(t.TempDir(), "login-helper")
	if err := os.WriteFile(plugin, []byte("#!/bin/sh\necho x >> '"+ran+"'\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	served := apiserver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`)
	})
	// Any dial of this listener leaves a connection to accept.
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dialled := make(chan struct{}, 1)
	go func() {
		for {
			conn, err := other.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
			select {
			case dialled <- struct{}{}:
			default:
			}
		}
	}()
	defer func() { _ = other.Close() }()
	exec := map[string]any{"exec": map[string]any{"apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never", "command": plugin}}
	path := kubeconfig(t, map[string]entry{
		"demo":          served,
		"also":          served,
		"prod-payments": {server: "https://" + other.Addr().String()},
		"prod-plugin":   {server: "https://" + other.Addr().String(), user: exec},
	})
	var loader *clusters.Loader
	f := newFixture(t, path, func(c *Config) {
		loader = clusters.NewLoader(path, "demo")
		loader.ServeOnly([]string{"demo", "also", "nowhere"})
		c.Clusters = loader
	})
	for _, name := range []string{"demo", "also"} {
		if response, body := f.body("/clusters/" + name + "/api/v1/pods"); response.StatusCode != http.StatusOK {
			t.Errorf("%s is served and answers %d: %s", name, response.StatusCode, body)
		}
	}
	// A context that the kubeconfig has and one that it lacks are refused with the same message.
	words := map[string]string{}
	for _, name := range []string{"prod-payments", "prod-plugin", "no-such-context", "DEMO", "demo%20", "demo%2F..%2Fprod-payments"} {
		for _, request := range []string{
			"/clusters/" + name + "/api/v1/pods", "/clusters/" + name + "/api/v1/pods?watch=true", "/clusters/" + name + "/api",
			"/clusters/" + name + "/version", "/trouble?context=" + name,
		} {
			response, body := f.body(request)
			if response.StatusCode != http.StatusForbidden || response.Header.Get(RuleHeader) != "context" || !strings.Contains(body, "--contexts") {
				t.Errorf("%s: %d, rule %q, %s", request, response.StatusCode, response.Header.Get(RuleHeader), body)
			}
			words[name] = strings.ReplaceAll(body, name, "NAME")
		}
	}
	if words["prod-payments"] != words["no-such-context"] {
		t.Errorf("the answers tell which contexts exist:\n%s\n%s", words["prod-payments"], words["no-such-context"])
	}
	_, listing := f.body("/contexts")
	var got clusters.Listing
	if err := json.Unmarshal([]byte(listing), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Contexts) != 2 || got.Contexts[0].Name != "also" || got.Contexts[1].Name != "demo" || strings.Contains(listing, "prod-") {
		t.Errorf("the listing is %s", listing)
	}
	if !strings.Contains(got.Error, `"nowhere"`) {
		t.Errorf("a context that is to be served and is not there: %q", got.Error)
	}
	// Named by a flag, but not in the kubeconfig: the message lists only the served contexts.
	if response, body := f.body("/clusters/nowhere/api/v1/pods"); response.StatusCode != http.StatusNotFound || strings.Contains(body, "prod-") ||
		!strings.Contains(body, "also, demo") {
		t.Errorf("%d %s", response.StatusCode, body)
	}
	if _, err := loader.Upstream("prod-plugin"); err == nil {
		t.Error("the loader itself gives a way to what is not served")
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the credential plugin of a context that is not served has run")
	}
	select {
	case <-dialled:
		t.Error("the API server of a context that is not served was dialled")
	default:
	}
}
