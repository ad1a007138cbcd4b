//go:build unix

package relay_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// teamServer is an API server, with TLS and HTTP/2, whose user may read the namespace team-a and nothing else.
func teamServer(t *testing.T) *httptest.Server {
	t.Helper()
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/api/v1/namespaces/team-a/pods" && r.URL.Query().Get("watch") != "":
			_, _ = io.WriteString(w, `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"team-a","resourceVersion":"5"}}}
{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"6","annotations":{"k8s.io/initial-events-end":"true"}}}}
`)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case strings.HasPrefix(r.URL.Path, "/api/v1/namespaces/team-a"):
			_, _ = io.WriteString(w, `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"team-a"}}`)
		default:
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Forbidden","code":403,"message":"pods is forbidden: User \"jane\" cannot list resource \"pods\" in API group \"\" at the cluster scope"}`)
		}
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(func() {
		srv.CloseClientConnections() // a watch does not end by itself
		srv.Close()
	})
	return srv
}

// teamKubeconfig names the server by the given address, which may be that of a proxy in front of it.
func teamKubeconfig(t *testing.T, srv *httptest.Server, address string) string {
	t.Helper()
	ca := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}))
	type m = map[string]any
	text, err := json.Marshal(m{"apiVersion": "v1", "kind": "Config", "current-context": "team",
		"clusters": []m{{"name": "prod", "cluster": m{"server": "https://" + address, "certificate-authority-data": ca}},
			{"name": "cleartext", "cluster": m{"server": "http://" + address}}},
		"users": []m{{"name": "jane", "user": m{"token": "t0ken-of-jane"}}},
		"contexts": []m{{"name": "team", "context": m{"cluster": "prod", "user": "jane", "namespace": "team-a"}},
			{"name": "cleartext", "context": m{"cluster": "cleartext", "user": "jane"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func host(url string) string {
	return strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "http://")
}

// refusals is how often the server refused by a rule.
func refusals(t *testing.T, srv *harness.Server, rule string) string {
	t.Helper()
	base, _, _ := strings.Cut(srv.URL, "/#")
	response, err := http.Get(base + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`informerscope_refusals_total\{rule="` + rule + `"\} (\d+)`).FindStringSubmatch(string(body))
	if found == nil {
		return "0"
	}
	return found[1]
}

// TestTroubleOfTheRelay: one server refuses the page's token, one is full, and one has stopped. The page names the right trouble for each.
func TestTroubleOfTheRelay(t *testing.T) {
	t.Parallel()
	api := teamServer(t)
	kubeconfig := teamKubeconfig(t, api, host(api.URL))
	b := browser.StartForTest(t)
	const select1 = `select({source: "live", context: "team", resource: "pods"})`
	const well = `!s.source.trouble && !s.source.cause && s.indexer.count === 1 && s.reflector.phase === "watching"`

	t.Run("another launch's token", func(t *testing.T) {
		srv := harness.StartServer(t, "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig)
		base, _, _ := strings.Cut(srv.URL, "#")
		p := b.OpenForTest(t, base+"#token=0123456789abcdefghij", 1280, 720)
		harness.Call(t, p, select1)
		harness.Await(t, p, 30*time.Second, `s.source.cause === "token" && s.source.trouble.includes("another launch") && s.reflector.phase === "backoff"`)
		before := refusals(t, srv, "token")
		harness.Await(t, p, time.Minute, `s.source.cause === "token" && s.reflector.backoffs.length >= 4`)
		if after := refusals(t, srv, "token"); after != before || before == "0" {
			t.Errorf("the server was asked again with a token that it had refused: %s times, then %s", before, after)
		}
		said, err := browser.Eval[string](harness.Timeout(t, 30*time.Second), p, `informerscope.sources().then((s) => s.live.cause + ": " + s.live.error)`)
		if err != nil || !strings.HasPrefix(said, "token: ") {
			t.Errorf("sources: %q, %v", said, err)
		}
	})

	t.Run("full", func(t *testing.T) {
		srv := harness.StartServer(t, "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig, "--max-viewers", "1")
		first := b.OpenForTest(t, srv.URL, 1280, 720)
		harness.Call(t, first, select1)
		harness.Await(t, first, time.Minute, well)
		second := b.OpenForTest(t, srv.URL, 1280, 720)
		harness.Call(t, second, select1)
		harness.Await(t, second, 30*time.Second, `s.source.cause === "viewers" && s.source.trouble.includes("--max-viewers")`)
	})

	t.Run("stopped", func(t *testing.T) {
		srv := harness.StartServer(t, "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig)
		p := b.OpenForTest(t, srv.URL, 1280, 720)
		harness.Call(t, p, select1)
		harness.Await(t, p, time.Minute, well)
		if err := srv.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		harness.Await(t, p, time.Minute, `s.source.cause === "relay-silent" && s.source.trouble.includes("no sign of life")`)
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("it took %s", took)
		} else {
			t.Logf("known after %s", took.Round(100*time.Millisecond))
		}
		if err := srv.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		harness.Await(t, p, 90*time.Second, well)
	})

	t.Run("another launch", func(t *testing.T) {
		srv := harness.StartServer(t, "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig)
		p := b.OpenForTest(t, srv.URL, 1280, 720)
		harness.Call(t, p, select1)
		harness.Await(t, p, time.Minute, well)
		base, _, _ := strings.Cut(srv.URL, "/#")
		srv.Stop(10 * time.Second)
		harness.Await(t, p, 30*time.Second, `s.source.cause === "relay-gone"`)
		harness.StartServer(t, "--listen", host(base), "--kubeconfig", kubeconfig)
		harness.Await(t, p, 90*time.Second, `s.source.cause === "token"`)
	})
}

// TestTroubleOfANamespace: the context's namespace is the default; all namespaces are forbidden, and the context's is offered.
func TestTroubleOfANamespace(t *testing.T) {
	t.Parallel()
	api := teamServer(t)
	srv := harness.StartServer(t, "--listen", "127.0.0.1:0", "--kubeconfig", teamKubeconfig(t, api, host(api.URL)))
	p := browser.StartForTest(t).OpenForTest(t, srv.URL, 1280, 720)
	harness.Call(t, p, `select({source: "live", context: "team", resource: "pods"})`)
	harness.Await(t, p, time.Minute, `!s.source.trouble && s.indexer.count === 1 && s.resource.namespace === "team-a" && s.source.namespace === "team-a" && s.source.user === "jane" && s.source.cluster === "prod"`)
	harness.Call(t, p, `select({namespace: ""})`)
	harness.Await(t, p, time.Minute, `s.source.cause === "forbidden" && s.source.offer?.namespace === "team-a" && s.source.trouble.includes('User "jane"')`)
	harness.Shot(t, p, "forbidden")
	harness.Call(t, p, `select({source: "live", context: "cleartext", resource: "pods"})`)
	harness.Await(t, p, time.Minute, `s.source.cause === "https-wanted" && s.source.trouble.includes("Client sent an HTTP request to an HTTPS server.")`)
	harness.Shot(t, p, "https-wanted")
}

// freezer is a proxy in front of a server that can stop passing bytes without ending a connection.
type freezer struct {
	ln     net.Listener
	mu     sync.Mutex
	thawed chan struct{} // closed while it is not frozen
}

func newFreezer(t *testing.T, target string) *freezer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &freezer{ln: ln, thawed: make(chan struct{})}
	close(f.thawed)
	t.Cleanup(func() {
		f.freeze(false)
		_ = ln.Close()
	})
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", target)
			if err != nil {
				_ = conn.Close()
				continue
			}
			go f.copy(server, conn)
			go f.copy(conn, server)
		}
	}()
	return f
}

func (f *freezer) copy(to, from net.Conn) {
	defer to.Close()
	chunk := make([]byte, 32<<10)
	for {
		n, err := from.Read(chunk)
		f.mu.Lock()
		thawed := f.thawed
		f.mu.Unlock()
		<-thawed
		if _, werr := to.Write(chunk[:n]); err != nil || werr != nil {
			return
		}
	}
}

func (f *freezer) freeze(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.thawed:
		if on {
			f.thawed = make(chan struct{})
		}
	default:
		if !on {
			close(f.thawed)
		}
	}
}

// TestTroubleOfAFrozenServer: the API server stops answering in the middle of a watch. The page explains it, and the informer gets the error that
// client-go would get.
func TestTroubleOfAFrozenServer(t *testing.T) {
	t.Setenv("HTTP2_READ_IDLE_TIMEOUT_SECONDS", "3") // instead of client-go's 30 and 15
	t.Setenv("HTTP2_PING_TIMEOUT_SECONDS", "2")
	api := teamServer(t)
	before := newFreezer(t, host(api.URL))
	srv := harness.StartServer(t, "--listen", "127.0.0.1:0", "--kubeconfig", teamKubeconfig(t, api, before.ln.Addr().String()))
	p := browser.StartForTest(t).OpenForTest(t, srv.URL, 1280, 720)
	harness.Call(t, p, `select({source: "live", context: "team", resource: "pods"})`)
	harness.Await(t, p, time.Minute, `!s.source.trouble && s.indexer.count === 1`)
	before.freeze(true)
	harness.Await(t, p, time.Minute, `s.source.cause === "frozen" && s.source.trouble.includes("has stopped answering: no sign of life for 5 s") && s.reflector.lastError.includes("client connection lost")`)
	harness.Shot(t, p, "frozen")
	harness.Await(t, p, time.Minute, `s.source.cause === "frozen" && s.source.trouble.includes("no sign of life came for 10 s")`)
	before.freeze(false)
	harness.Await(t, p, 90*time.Second, `!s.source.trouble && s.indexer.count === 1 && s.reflector.phase === "watching"`)
	p.ExpectClean(t)
}
