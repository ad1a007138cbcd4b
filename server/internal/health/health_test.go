package health

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"informerscope/server/internal/clusters"
)

// much is how long a test waits for something before it fails.
const much = 20 * time.Second

const secret = "upstream-bearer-secret"

// apiserver is a fake API server, whose /readyz and /version answer as set.
type apiserver struct {
	*httptest.Server
	asked           atomic.Int64
	mu              sync.Mutex
	readyz, version int
	text            string
	hanging         chan struct{}
}

func newServer(t *testing.T) *apiserver {
	a := &apiserver{readyz: 200, version: 200}
	a.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		code, text, hanging := map[string]int{"/readyz": a.readyz, "/version": a.version}[r.URL.Path], a.text, a.hanging
		a.mu.Unlock()
		if r.URL.Path == "/readyz" {
			a.asked.Add(1)
		}
		if r.Header.Get("Authorization") != "Bearer "+secret || code == 0 {
			t.Errorf("the API server got %s, with %q", r.URL, r.Header.Get("Authorization"))
			code = 500
		}
		if hanging != nil {
			select {
			case <-hanging:
			case <-r.Context().Done():
				panic(http.ErrAbortHandler) // so that no answer arrives while the client is leaving
			}
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}))
	a.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	a.StartTLS() // credentials are sent only over TLS
	t.Cleanup(a.Close)
	return a
}

func (a *apiserver) says(readyz, version int, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.readyz, a.version, a.text = readyz, version, text
}

// kubeconfig has one context for each server, by its name.
func kubeconfig(t *testing.T, ca *apiserver, servers map[string]string, user map[string]any) *clusters.Loader {
	t.Helper()
	type m = map[string]any
	if user == nil {
		user = m{"token": secret}
	}
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.Certificate().Raw})
	var contexts, list []m
	for name, server := range servers {
		contexts = append(contexts, m{"name": name, "context": m{"cluster": name, "user": "u"}})
		list = append(list, m{"name": name, "cluster": m{"server": server, "certificate-authority-data": authority}})
	}
	raw, err := json.Marshal(m{"apiVersion": "v1", "kind": "Config", "contexts": contexts, "clusters": list, "users": []m{{"name": "u", "user": user}}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	l := clusters.NewLoader(path, "")
	t.Cleanup(l.Close)
	return l
}

func newChecker(t *testing.T, l *clusters.Loader, contexts ...string) *Checker {
	t.Helper()
	c := New(l, contexts, slog.New(slog.DiscardHandler))
	c.patience = much // for a busy machine; a test of the patience sets it
	c.SetServing()
	t.Cleanup(c.Close)
	return c
}

// answer is the answer of /readyz to a request from an address.
func answer(c *Checker, query, from string) (int, string) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/readyz"+query, nil)
	r.RemoteAddr, r.Host = from, "127.0.0.1:8080"
	c.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

const here, elsewhere = "127.0.0.1:5555", "192.0.2.7:5555"

// TestReady: the server is ready when it serves and its named API servers answer. Otherwise the reason is given, and a recovery is noticed.
func TestReady(t *testing.T) {
	good, other := newServer(t), newServer(t)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing := closed.Addr().String()
	_ = closed.Close()
	l := kubeconfig(t, good, map[string]string{"kind": good.URL, "other": other.URL + "/prefix/..", "down": "https://" + refusing}, nil)
	c := newChecker(t, l, "kind")
	c.interval = 0
	check := func(code int, says ...string) {
		t.Helper()
		got, text := answer(c, "?verbose", here)
		if got != code {
			t.Errorf("%d, want %d: %s", got, code, text)
		}
		for _, word := range says {
			if !strings.Contains(text, word) {
				t.Errorf("%q does not say %q", text, word)
			}
		}
		if strings.Contains(text, secret) {
			t.Errorf("the answer has a credential: %q", text)
		}
	}
	check(200, "[+]serving ok\n", "[+]context kind ok: answered in ", "readyz check passed\n")
	if code, text := answer(c, "", here); code != 200 || text != "ok\n" {
		t.Errorf("%d %q", code, text)
	}
	good.says(500, 200, "[-]etcd failed: Bearer "+secret)
	check(503, "[-]context kind failed: ", good.Listener.Addr().String(), "/readyz with 500", "readyz check failed\n")
	if code, text := answer(c, "", here); code != 503 || !strings.Contains(text, "[-]context kind failed: ") {
		t.Errorf("%d %q", code, text)
	}
	good.says(403, 200, "") // without access it asks for the version
	check(200, "[+]context kind ok")
	good.says(404, 200, "")
	check(200, "[+]context kind ok")
	good.says(403, 403, "")
	check(503, "/version with 403")
	good.says(401, 200, "")
	check(503, "does not accept the credentials", "kubeconfig's user")
	good.says(200, 200, "ok")
	check(200, "[+]context kind ok")
	c.Close()
	check(503, "[-]serving failed: the server takes no requests", "[+]context kind ok")

	c = newChecker(t, l, "kind", "down", "gone")
	check(503, "[+]context kind ok", "[-]context down failed: The API server "+refusing+" refuses the connection", "[-]context gone failed: ", "known: ")
}

// TestWhoIsTold: /readyz needs no token, so it names a cluster and its trouble only to requests from this machine.
func TestWhoIsTold(t *testing.T) {
	server := newServer(t)
	server.says(500, 500, "")
	c := newChecker(t, kubeconfig(t, server, map[string]string{"kind": server.URL}, nil), "kind")
	for _, query := range []string{"", "?verbose"} {
		if code, text := answer(c, query, elsewhere); code != 503 || text != "[+]serving ok\nreadyz check failed\n" {
			t.Errorf("elsewhere%s: %d %q", query, code, text)
		}
		if code, text := answer(c, query, here); code != 503 || !strings.Contains(text, "kind") {
			t.Errorf("here%s: %d %q", query, code, text)
		}
	}
	for what, change := range map[string]func(*http.Request){
		"through a proxy on this machine":    func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.7") },
		"through one that says whose":        func(r *http.Request) { r.Header.Set("X-Real-IP", "192.0.2.7") },
		"through one that says its own name": func(r *http.Request) { r.Header.Set("Via", "1.1 proxy") },
		"through another":                    func(r *http.Request) { r.Header.Set("Forwarded", "for=192.0.2.7") },
		"from a page made to resolve here":   func(r *http.Request) { r.Host = "evil.example:8080" },
		"from one of this machine's network": func(r *http.Request) { r.RemoteAddr = "10.0.0.7:5555" },
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/readyz?verbose", nil)
		r.RemoteAddr, r.Host = here, "localhost:8080"
		change(r)
		if c.ServeHTTP(w, r); w.Code != 503 || strings.Contains(w.Body.String(), "kind") || strings.Contains(w.Body.String(), server.Listener.Addr().String()) {
			t.Errorf("%s: %d %q", what, w.Code, w.Body)
		}
	}
	w := httptest.NewRecorder()
	if c.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/readyz", nil)); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
}

// TestHowOften: an API server is asked once an interval, however many requests arrive; without a named context no cluster is asked.
func TestHowOften(t *testing.T) {
	server := newServer(t)
	l := kubeconfig(t, server, map[string]string{"kind": server.URL, "another": server.URL}, nil)
	c := newChecker(t, l, "kind")
	c.interval = time.Hour
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			if code, text := answer(c, "", here); code != 200 {
				t.Errorf("%d %s", code, text)
			}
		})
	}
	all.Wait()
	if n := server.asked.Load(); n != 1 {
		t.Errorf("200 questions to the server are %d to the API server", n)
	}
	c = newChecker(t, l)
	if code, text := answer(c, "?verbose", here); code != 200 || text != "[+]serving ok\nreadyz check passed\n" || server.asked.Load() != 1 {
		t.Errorf("without a named context: %d %q, the API server was asked %d times", code, text, server.asked.Load())
	}
}

// TestAHangingServer: a request waits only a moment, an old answer is valid for a while, the request to the API server ends by itself, and Close does
// not wait.
func TestAHangingServer(t *testing.T) {
	server := newServer(t)
	c := newChecker(t, kubeconfig(t, server, map[string]string{"kind": server.URL}, nil), "kind")
	c.interval = 0
	if code, text := answer(c, "", here); code != 200 {
		t.Fatalf("%d %s", code, text)
	}
	server.mu.Lock()
	server.hanging = make(chan struct{})
	server.mu.Unlock()
	c.patience = time.Millisecond
	if code, text := answer(c, "", here); code != 200 {
		t.Errorf("an answer that is not old: %d %s", code, text)
	}
	c.freshness = 0
	if code, text := answer(c, "", here); code != 503 || !strings.Contains(text, "has not answered for") {
		t.Errorf("an old answer: %d %s", code, text)
	}
	c.Close()
	if code, text := answer(c, "", here); code != 503 {
		t.Errorf("after the end: %d %s", code, text)
	}

	c = newChecker(t, kubeconfig(t, server, map[string]string{"kind": server.URL}, nil), "kind")
	c.patience = time.Millisecond
	if code, text := answer(c, "", here); code != 503 || !strings.Contains(text, "has not answered yet") {
		t.Errorf("never: %d %s", code, text)
	}
	c = newChecker(t, kubeconfig(t, server, map[string]string{"kind": server.URL}, nil), "kind")
	c.timeout = 50 * time.Millisecond
	if code, text := answer(c, "", here); code != 503 || !strings.Contains(text, "does not answer in time") {
		t.Errorf("the question does not end: %d %s", code, text)
	}
	close(server.hanging)
}

// TestAPluginThatHangs: a plugin that hangs is reported as one, and delays no request.
func TestAPluginThatHangs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the plugin of this test is a shell script")
	}
	server := newServer(t)
	plugin, finish := filepath.Join(t.TempDir(), "login-helper"), filepath.Join(t.TempDir(), "finish")
	if err := os.WriteFile(plugin, []byte("#!/bin/sh\nwhile ! [ -e "+finish+" ]; do sleep 0.05; done\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	l := kubeconfig(t, server, map[string]string{"kind": server.URL}, map[string]any{"exec": map[string]any{
		"apiVersion": "client.authentication.k8s.io/v1", "command": plugin, "interactiveMode": "Never"}})
	c := newChecker(t, l, "kind")
	c.timeout = 1500 * time.Millisecond // longer than the silent wait for a plugin
	if code, text := answer(c, "", here); code != 503 || !strings.Contains(text, "Waiting for login-helper") {
		t.Errorf("%d %s", code, text)
	}
	c.Close()
	if err := os.WriteFile(finish, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(much); l.RunningPlugins() > 0; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("the plugin does not end")
		}
	}
}

// TestChangesAreLogged: the log has changes only.
func TestChangesAreLogged(t *testing.T) {
	server := newServer(t)
	c := newChecker(t, kubeconfig(t, server, map[string]string{"kind": server.URL}, nil), "kind")
	c.interval = 0
	var out bytes.Buffer
	c.log = slog.New(slog.NewTextHandler(&out, nil))
	for _, code := range []int{200, 200, 500, 500, 200, 200} {
		server.says(code, code, "")
		_, _ = answer(c, "", here)
	}
	c.Close()
	if text := out.String(); strings.Count(text, "\n") != 2 || !strings.Contains(text, fmt.Sprintf("context=kind reason=%q",
		"the API server "+server.Listener.Addr().String()+
			" answers /readyz with 500 Internal Server Error")) || !strings.Contains(text, "answers again") {
		t.Errorf("the log:\n%s", text)
	}
}
