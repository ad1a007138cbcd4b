package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// complete returns what a shell gets for a command line whose last argument is being typed: the words to offer, and the directive that ends them.
func complete(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), append([]string{"__completeNoDesc"}, args...), &out, io.Discard); err != nil {
		t.Errorf("%q: %v", args, err)
	}
	return strings.TrimSuffix(strings.ReplaceAll(out.String(), "\n", " "), " ")
}

// completionConfig writes a kubeconfig with three contexts of the API server at address, whose user is as given in YAML. KUBECONFIG names it.
func completionConfig(t *testing.T, address, user string) {
	t.Helper()
	text := "apiVersion: v1\nkind: Config\ncurrent-context: kind-b\nclusters: [{name: c, cluster: {server: " + address + "}}]\nusers: [{name: u, user: " + user +
		"}]\ncontexts:\n"
	for _, name := range []string{"kind-a", "kind-b", "arn:aws:eks:eu/prod"} {
		text += fmt.Sprintf("- {name: %q, context: {cluster: c, user: u}}\n", name)
	}
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", path)
}

// completionServer is an API server with namespaces and resources, some of which have names that no server has. It counts its requests.
func completionServer(t *testing.T, asked *atomic.Int32) *httptest.Server {
	resource := func(name, verbs string) string {
		return fmt.Sprintf(`{"resource":%q,"responseKind":{"kind":"X"},"scope":"Namespaced","verbs":[%s]}`, name, verbs)
	}
	group := func(name string, resources ...string) string {
		return fmt.Sprintf(`{"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":%q},"versions":[{"version":"v1","resources":[%s]}]}]}`, name,
			strings.Join(resources, ","))
	}
	const read = `"get","list","watch"`
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/api":
			_, _ = io.WriteString(w, group("", resource("pods", read), resource("podtemplates", read), resource("bindings", `"create"`), resource("secrets", read)))
		case "/apis":
			_, _ = io.WriteString(w, group("apps", resource("deployments", read), resource("pod$(reboot)", read)))
		case "/api/v1/namespaces":
			_, _ = io.WriteString(w, `{"kind":"NamespaceList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"default"}},`+
				`{"metadata":{"name":"team-a"}},{"metadata":{"name":"team-b"}},{"metadata":{"name":"team; reboot"}}]}`)
		default:
			http.Error(w, "no such path", http.StatusNotFound)
		}
	}))
	t.Cleanup(api.Close)
	return api
}

// TestCompletion: a shell completes contexts, and namespaces and resources of the context that is chosen.
func TestCompletion(t *testing.T) {
	var asked atomic.Int32
	completionConfig(t, completionServer(t, &asked).URL, "{token: upstream}")
	for _, test := range []struct {
		args string
		want string
	}{
		{"--context ", "arn:aws:eks:eu/prod kind-a kind-b :4"},
		{"--context kind", "kind-a kind-b :4"},
		{"-context kind-b", "kind-b :4"},
		{"--context=k", "kind-a kind-b :4"},
		{"--contexts kind-a,k", "kind-a,kind-b :6"},
		{"--contexts kind-a --context kind-b", "kind-b :4"},
		{"--check ", "healthz readyz :4"},
		{"--log-level d", "debug :4"},
		{"--listen ", ":4"},
		{"--kubeconfig ", ":0"},
		{"--stories ", ":16"},
		{"--max-v", "--max-viewers :4"},
		{"comp", "completion :4"},
		{"completion p", "powershell :4"},
		{"story ", "from :4"},
		{"story from ", ":0"},
		{"--namespace ", ":4"}, // no context is chosen
		{"--resource po", ":4"},
		{"--context kind-z -n ", ":4"},
		{"--max-viewers many --context ", ":0"},
		{"--kubeconfig /does/not/exist --context ", ":4"},
	} {
		if got := complete(t, strings.Split(test.args, " ")...); got != test.want {
			t.Errorf("%q: %s, want %s", test.args, got, test.want)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the API server of no chosen context has %d requests", n)
	}
	for args, want := range map[string]string{
		"--context kind-a --namespace ":                                "default team-a team-b :4",
		"--context kind-a -n=team-":                                    "team-a team-b :4",
		"--context kind-a --resources pods -n ":                        ":4", // as on the page
		"--context kind-a --resource ":                                 "pods podtemplates deployments.apps :4",
		"--context kind-a --allow-secrets-metadata --resource ":        "pods podtemplates secrets deployments.apps :4",
		"--context kind-a --resources *.apps --resource ":              "deployments.apps :4",
		"--context kind-a --resources pods,po":                         "pods,podtemplates :6",
		"--context kind-a --attach http://localhost:6060/ --resource ": ":4",
	} {
		if got := complete(t, strings.Split(args, " ")...); got != want {
			t.Errorf("%q: %s, want %s", args, got, want)
		}
	}
	t.Setenv("INFORMERSCOPE_CONTEXT", "kind-b")
	if got := complete(t, "--namespace", "d"); got != "default :4" {
		t.Errorf("with the context in the environment: %s", got)
	}
}

// TestCompletionIsBounded: neither an API server nor a credential plugin that does not answer stops the shell, and no plugin sees a token of this
// program.
func TestCompletionIsBounded(t *testing.T) {
	stop := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-stop:
		}
	}))
	defer silent.Close()
	defer close(stop)
	began := time.Now()
	completionConfig(t, silent.URL, "{token: upstream}")
	if got := complete(t, "--context", "kind-a", "-n", ""); got != ":4" || time.Since(began) > patience/2 {
		t.Errorf("a silent API server: %s after %v", got, time.Since(began))
	}
	if runtime.GOOS == "windows" {
		t.Skip("the plugin of this test is a shell script")
	}
	dir := t.TempDir()
	plugin, trace := filepath.Join(dir, "login-helper"), filepath.Join(dir, "trace")
	if err := os.WriteFile(plugin, []byte("#!/bin/sh\nenv >"+trace+"\necho 'log in, please' >&2\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("INFORMERSCOPE_TOKEN", fileToken)
	completionConfig(t, "https://127.0.0.1:1", fmt.Sprintf("{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: %q}}", plugin))
	for _, args := range [][]string{{"-n", ""}, {"--context", "k"}, {"--context", "kind-a", "--resources", "pods", "-n", ""}} {
		complete(t, args...)
		if _, err := os.Stat(trace); err == nil {
			t.Fatalf("%q runs the plugin", args)
		}
	}
	began = time.Now()
	if got := complete(t, "--context", "kind-a", "-n", ""); got != ":4" || time.Since(began) > patience/2 {
		t.Errorf("a silent plugin: %s after %v", got, time.Since(began))
	}
	if text, err := os.ReadFile(trace); err != nil || strings.Contains(string(text), fileToken) {
		t.Errorf("the plugin of the chosen context: %v\n%s", err, text)
	}
}

// TestCompletionScripts: there is a script for each shell, and the error for another names those.
func TestCompletionScripts(t *testing.T) {
	for shell, marks := range map[string]string{
		"bash": "complete -o default", "zsh": "#compdef informerscope", "fish": "complete -c informerscope", "powershell": "Register-ArgumentCompleter",
	} {
		var out bytes.Buffer
		if err := run(t.Context(), []string{"completion", shell}, &out, io.Discard); err != nil || !strings.Contains(out.String(), marks) ||
			!strings.Contains(out.String(), "__complete") {
			t.Errorf("%s: %v\n%.300s", shell, err, out.String())
		}
	}
	for _, args := range [][]string{{"completion"}, {"completion", "tcsh"}, {"completion", "bash", "zsh"}} {
		var out bytes.Buffer
		if err := run(t.Context(), args, &out, io.Discard); err == nil || !strings.Contains(err.Error(), "bash, zsh, fish, powershell") || out.Len() > 0 {
			t.Errorf("%q: %v %s", args, err, out.String())
		}
	}
}
