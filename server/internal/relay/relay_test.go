package relay

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"informerscope/server/internal/clusters"
	"informerscope/server/internal/guard"
	"informerscope/server/internal/metrics"
	"informerscope/server/internal/redact"
	"informerscope/server/internal/testkit"
	"informerscope/server/internal/wsconn"
)

const (
	token    = "test-token-0123456789"
	upstream = "upstream-bearer-secret"
	// patience is how long a test waits for something before it fails.
	patience = 20 * time.Second
)

// entry is an API server's cluster and user in a kubeconfig under test.
type entry struct {
	server string
	ca     []byte
	user   map[string]any
}

// kubeconfig writes a file with one context, cluster and user for each entry.
func kubeconfig(t testing.TB, entries map[string]entry) string {
	t.Helper()
	var contexts, clustersList, users []any
	for name, e := range entries {
		cluster := map[string]any{"server": e.server}
		if e.ca != nil {
			cluster["certificate-authority-data"] = e.ca
		}
		user := e.user
		if user == nil {
			user = map[string]any{"token": upstream}
		}
		clustersList = append(clustersList, map[string]any{"name": name, "cluster": cluster})
		users = append(users, map[string]any{"name": name, "user": user})
		contexts = append(contexts, map[string]any{"name": name, "context": map[string]any{"cluster": name, "user": name}})
	}
	raw, err := yaml.Marshal(map[string]any{"apiVersion": "v1", "kind": "Config", "contexts": contexts, "clusters": clustersList, "users": users})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// apiserver is a fake API server with TLS and HTTP/2, and its entry in a kubeconfig.
func apiserver(t testing.TB, handler http.HandlerFunc) entry {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	return entry{server: server.URL, ca: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})}
}

// plain is a fake API server without TLS, and so with HTTP/1.1.
func plain(t testing.TB, handler http.HandlerFunc) entry {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return entry{server: server.URL}
}

// fixture is a relay and a page's client for it.
type fixture struct {
	t      testing.TB
	relay  *Relay
	server *httptest.Server
	log    *testkit.Log
	client *http.Client
	config Config
}

func newFixture(t testing.TB, path string, change func(*Config)) *fixture {
	t.Helper()
	f := &fixture{t: t, log: new(testkit.Log)}
	resources, err := guard.ParseResources("*")
	if err != nil {
		t.Fatal(err)
	}
	f.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.relay.ServeHTTP(w, r) }))
	host := f.server.Listener.Addr().String()
	f.config = Config{
		Door:       guard.NewDoor([]string{host}, "http", token),
		Rules:      guard.Rules{Resources: resources},
		Clusters:   clusters.NewLoader(path, ""),
		Metrics:    new(metrics.Set),
		Log:        slog.New(slog.NewTextHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		MaxViewers: 4,
	}
	if change != nil {
		change(&f.config)
	}
	f.relay = New(f.config)
	f.server.Start()
	f.client = f.page()
	t.Cleanup(func() {
		if err := f.relay.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		f.server.Close()
		if log := f.log.String(); strings.Contains(log, token) || strings.Contains(log, upstream) {
			t.Errorf("the log has a token:\n%s", log)
		}
	})
	return f
}

// dial opens a WebSocket as the page does.
func (f *fixture) dial(ctx context.Context) (*websocket.Conn, error) {
	dialer := websocket.Dialer{Subprotocols: []string{guard.Protocol, "token." + token}}
	ws, response, err := dialer.DialContext(ctx, "ws"+strings.TrimPrefix(f.server.URL, "http")+"/relay", http.Header{"Origin": {f.server.URL}})
	if err != nil {
		return nil, err
	}
	if got := response.Header.Get("Sec-WebSocket-Protocol"); got != guard.Protocol {
		return nil, fmt.Errorf("sub-protocol %q", got)
	}
	return ws, nil
}

// page is the client that runs in the browser: net/http, HTTP/2 with prior knowledge, over the WebSocket.
func (f *fixture) page() *http.Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{
		Protocols: protocols,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			ws, err := f.dial(ctx)
			if err != nil {
				return nil, err
			}
			return wsconn.New(ws, wsconn.Options{}), nil
		},
	}
	f.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func (f *fixture) get(path string, headers ...string) *http.Response {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	f.t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://relay"+path, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	response, err := f.client.Do(request)
	if err != nil {
		f.t.Fatalf("GET %s: %v", path, err)
	}
	f.t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func (f *fixture) body(path string, headers ...string) (*http.Response, string) {
	f.t.Helper()
	response := f.get(path, headers...)
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		f.t.Fatalf("GET %s: %v", path, err)
	}
	return response, string(raw)
}

func (f *fixture) status(path string, headers ...string) (*http.Response, metav1.Status) {
	f.t.Helper()
	response, body := f.body(path, headers...)
	status := metav1.Status{}
	if err := json.Unmarshal([]byte(body), &status); err != nil || status.Kind != "Status" || status.APIVersion != "v1" ||
		int(status.Code) != response.StatusCode || status.Message == "" {
		f.t.Fatalf("GET %s: %d, not a Status for people: %q (%v)", path, response.StatusCode, body, err)
	}
	return response, status
}

const annotated = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","annotations":{"` + redact.Key + `":"{\"env\":\"hunter2\"}"}}}`

func TestListAndHeaders(t *testing.T) {
	seen := make(chan *http.Request, 1)
	e := apiserver(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Clone(context.Background())
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Audit-Id", "a1")
		w.Header().Set("Warning", `299 - "old"`)
		w.Header().Set("X-Kubernetes-Pf-Flowschema-Uid", "u1")
		w.Header().Set("Set-Cookie", "session=1")
		w.Header().Set("X-Internal", "1")
		w.Header().Set("Trailer", "X-Leak")
		w.WriteHeader(http.StatusEarlyHints)
		_, _ = io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[`+annotated+`]}`)
		w.Header().Set("X-Leak", "1")
	})
	e.server += "/prefix/"
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind/a b": e}), nil)
	response, body := f.body("/clusters/kind%2Fa%20b/api/v1/namespaces/default/pods?limit=5&labelSelector=a%3Db",
		"Authorization", "Bearer stolen", "Cookie", "a=b", "Impersonate-User", "system:admin", "Impersonate-Group", "system:masters",
		"X-Remote-User", "admin", "X-Remote-Group", "system:masters", "X-Forwarded-For", "1.2.3.4", "User-Agent", "page/1", "Accept",
		"application/vnd.kubernetes.protobuf, application/json")
	if response.StatusCode != http.StatusOK || response.ProtoMajor != 2 {
		t.Fatalf("%s %d: %s", response.Proto, response.StatusCode, body)
	}
	if strings.Contains(body, "hunter2") || !strings.Contains(body, `"[redacted]"`) || !json.Valid([]byte(body)) {
		t.Errorf("not redacted: %s", body)
	}
	for name, want := range map[string]string{"Content-Type": "application/json", "Audit-Id": "a1", "Warning": `299 - "old"`,
		"X-Kubernetes-Pf-Flowschema-Uid": "u1",
		"Set-Cookie":                     "", "X-Internal": "", "X-Leak": "", "X-Content-Type-Options": "nosniff"} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("header %s = %q, want %q", name, got, want)
		}
	}
	if len(response.Trailer) > 0 {
		t.Errorf("trailers came through: %v", response.Trailer)
	}
	r := <-seen
	if r.ProtoMajor != 2 || r.URL.Path != "/prefix/api/v1/namespaces/default/pods" || r.URL.RawQuery != "labelSelector=a%3Db&limit=5" {
		t.Errorf("upstream got %s %s", r.Proto, r.URL)
	}
	want := http.Header{"Accept": {"application/json"}, "Accept-Encoding": {"identity"}, "User-Agent": {"page/1"}, "Authorization": {"Bearer " + upstream}}
	for name, values := range r.Header {
		if len(values) != 1 || want.Get(name) != values[0] {
			t.Errorf("upstream got %s: %q", name, values)
		}
	}
	if got := f.config.Metrics.Redactions.Load(); got != 1 {
		t.Errorf("%d redactions counted", got)
	}
	numbers := httptest.NewRecorder()
	f.config.Metrics.ServeHTTP(numbers, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if !strings.Contains(numbers.Body.String(), `informerscope_upstream_request_duration_seconds_count{code="200",verb="list"} 1`) {
		t.Errorf("how long the API server took is not measured:\n%s", numbers.Body)
	}
}

func TestWatchIsFlushedFrameByFrame(t *testing.T) {
	// The server sends a frame only after the last one has arrived. If anything buffered it, the test would deadlock until patience ends.
	next, ended := make(chan int), make(chan struct{})
	e := apiserver(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		w.Header().Set("Content-Type", "application/json")
		_ = http.NewResponseController(w).Flush()
		for {
			select {
			case i := <-next:
				fmt.Fprintf(w, `{"type":"ADDED","object":{"n":%d,"pod":%s}}`+"\n", i, annotated)
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	})
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), nil)
	response := f.get("/clusters/kind/api/v1/pods?watch=true") // returns with the headers, before any frame
	frames := json.NewDecoder(response.Body)
	for i := range 5 {
		select {
		case next <- i:
		case <-time.After(patience):
			t.Fatal("the watch did not reach the API server")
		}
		var frame struct {
			Type   string
			Object struct {
				N   int
				Pod struct {
					Metadata struct{ Annotations map[string]string }
				}
			}
		}
		if err := frames.Decode(&frame); err != nil || frame.Object.N != i || frame.Object.Pod.Metadata.Annotations[redact.Key] != redact.Replacement {
			t.Fatalf("frame %d: %+v, %v", i, frame, err)
		}
	}
	// A viewer that leaves ends the watch upstream.
	_ = response.Body.Close()
	await(t, ended, "the end of the watch upstream")
}

func await(t *testing.T, done <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("no %s", what)
	}
}

func TestManyStreamsAtOnce(t *testing.T) {
	const streams = 120
	var arrived sync.WaitGroup
	arrived.Add(streams)
	e := apiserver(t, func(w http.ResponseWriter, r *http.Request) {
		arrived.Done()
		arrived.Wait() // no answer before all requests have arrived
		w.Header().Set("Content-Type", "application/json")
		for range 50 {
			_, _ = io.WriteString(w, `{"type":"ADDED","object":`+annotated+"}\n")
		}
	})
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), nil)
	_, _ = f.body("/contexts") // one connection for all
	var group sync.WaitGroup
	for i := range streams {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			request, _ := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://relay/clusters/kind/api/v1/namespaces/n%d/pods?watch=1", i), nil)
			response, err := f.client.Do(request)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = response.Body.Close() }()
			raw, err := io.ReadAll(response.Body)
			if err != nil || bytes.Count(raw, []byte(redact.Replacement)) != 50 {
				t.Errorf("stream %d: %d bytes, %v", i, len(raw), err)
			}
		})
	}
	group.Wait()
	if got := f.config.Metrics.ViewersTotal.Load(); got != 1 {
		t.Errorf("%d connections were used", got)
	}
}

// closedPort is an address on which nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	return ln.Addr().String()
}

func TestCauses(t *testing.T) {
	good := apiserver(t, func(w http.ResponseWriter, _ *http.Request) {})
	wrongCA := good
	wrongCA.ca = otherCA(t)
	unverified := entry{server: good.server}
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	reset := apiserver(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	exec := func(command string, args ...string) entry {
		e := good
		e.user = map[string]any{"exec": map[string]any{"apiVersion": "client.authentication.k8s.io/v1", "command": command, "args": args,
			"interactiveMode": "IfAvailable"}}
		return e
	}
	interactive := exec("cat")
	interactive.user["exec"].(map[string]any)["interactiveMode"] = "Always"
	noFile, badProvider := good, good
	noFile.user = map[string]any{"client-certificate": "/nonexistent/cert.pem", "client-key": "/nonexistent/key.pem"}
	badProvider.user = map[string]any{"auth-provider": map[string]any{"name": "gcp"}}
	entries := map[string]entry{
		"down":        {server: "https://" + closedPort(t)},
		"nowhere":     {server: "https://does-not-exist.invalid:6443"},
		"wrong-ca":    wrongCA,
		"unverified":  unverified,
		"plain":       {server: strings.Replace(plain.URL, "http:", "https:", 1)},
		"reset":       reset,
		"exec-fails":  exec("false"),
		"exec-absent": exec("informerscope-no-such-plugin"),
		"exec-junk":   exec("echo", "not json"),
		"exec-asks":   interactive,
		"no-file":     noFile,
		"provider":    badProvider,
	}
	f := newFixture(t, kubeconfig(t, entries), nil)
	for _, test := range []struct {
		context, cause string
		code           int
		says           string
	}{
		{"down", "refused", 503, "Is the cluster running"},
		{"nowhere", "dns", 503, "does-not-exist.invalid"},
		{"wrong-ca", "server-certificate-unknown", 502, "signed by an authority"},
		{"unverified", "server-certificate-unknown", 502, "signed by an authority"},
		{"plain", "plain-http", 502, "plain HTTP"},
		{"reset", "reset", 503, "127.0.0.1"},
		{"exec-fails", "exec-plugin", 502, "failed"},
		{"exec-absent", "exec-plugin", 502, "informerscope-no-such-plugin"},
		{"exec-junk", "exec-plugin", 502, "credential plugin"},
		{"exec-asks", "exec-plugin", 502, "terminal"},
		{"no-file", "kubeconfig", 502, "/nonexistent/cert.pem"},
		{"provider", "credentials", 502, "gcp"},
	} {
		t.Run(test.context, func(t *testing.T) {
			f.t = t
			response, status := f.status("/clusters/" + test.context + "/api/v1/pods")
			if got := response.Header.Get(CauseHeader); got != test.cause || response.StatusCode != test.code || !strings.Contains(status.Message, test.says) {
				t.Errorf("cause %q, code %d: %s", got, response.StatusCode, status.Message)
			}
			if status.Reason != metav1.StatusReasonServiceUnavailable {
				t.Errorf("reason %q", status.Reason)
			}
		})
	}
}

// otherCA is the certificate of an unrelated authority.
func otherCA(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func TestAnswersThatAreNotAnAPIServers(t *testing.T) {
	e := apiserver(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v1/pods": // a token that has expired
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}`)
		case "/api/v1/nodes":
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, "Too many requests, please try again later.\n")
		case "/api/v1/services":
			http.Redirect(w, r, "https://login.example/", http.StatusFound)
		case "/api/v1/events":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<script>alert(1)</script>")
		case "/api/v1/configmaps":
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte{0x1f, 0x8b})
		case "/api/v1/endpoints":
			w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf")
			_, _ = w.Write([]byte("k8s\x00"))
		case "/api/v1/namespaces": // breaks off
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"kind":"NamespaceList","items":[`)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	})
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), nil)
	if response, status := f.status("/clusters/kind/api/v1/pods"); response.StatusCode != 401 || status.Reason != metav1.StatusReasonUnauthorized ||
		response.Header.Get(CauseHeader) != "" {
		t.Errorf("expired credentials: %d %+v", response.StatusCode, status)
	}
	if response, body := f.body("/clusters/kind/api/v1/nodes"); response.StatusCode != 429 || response.Header.Get("Retry-After") != "1" ||
		!strings.Contains(body, "Too many requests") {
		t.Errorf("429: %d %q", response.StatusCode, body)
	}
	for path, says := range map[string]string{"services": "login page", "events": "text/html", "configmaps": "compressed", "endpoints": "protobuf"} {
		if response, status := f.status("/clusters/kind/api/v1/" + path); response.StatusCode != 502 || !strings.Contains(status.Message, says) ||
			response.Header.Get("Location") != "" {
			t.Errorf("%s: %d %+v", path, response.StatusCode, status)
		}
	}
	response := f.get("/clusters/kind/api/v1/namespaces")
	if raw, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("a list that broke off ended well: %q", raw)
	}
}

func TestRefusalsReachNoCluster(t *testing.T) {
	e := apiserver(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("the API server was asked for %s", r.URL) })
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), nil)
	for path, rule := range map[string]string{
		"/clusters/kind/api/v1/secrets":                                    "secrets",
		"/clusters/kind/api/v1/namespaces/a/pods/b/exec":                   "subresource",
		"/clusters/kind/api/v1/pods/%2e%2e/secrets":                        "encoding",
		"/clusters/kind/api/v1/pods?pretty=true":                           "query",
		"/clusters/kind/openapi/v2":                                        "path",
		"/clusters/kind/api/v1/namespaces/a/serviceaccounts/default/token": "subresource",
	} {
		response, status := f.status(path)
		if response.StatusCode != 403 || status.Reason != metav1.StatusReasonForbidden || response.Header.Get(RuleHeader) != rule ||
			!strings.Contains(status.Message, rule) {
			t.Errorf("%s: %d %+v", path, response.StatusCode, status)
		}
	}
	if response, status := f.status("/clusters/prod/api/v1/pods"); response.StatusCode != 404 || status.Reason != metav1.StatusReasonNotFound ||
		!strings.Contains(status.Message, "known: kind") || response.Header.Get(CauseHeader) != "context" {
		t.Errorf("unknown context: %+v", status)
	}
	if response, _ := f.status("/elsewhere"); response.StatusCode != 404 {
		t.Errorf("/elsewhere: %d", response.StatusCode)
	}
	for _, method := range []string{"POST", "DELETE", "HEAD", "PATCH"} {
		request, _ := http.NewRequest(method, "http://relay/clusters/kind/api/v1/pods", nil)
		response, err := f.client.Do(request)
		if err != nil || response.StatusCode != 403 {
			t.Errorf("%s: %v, %v", method, response, err)
		}
		if err == nil {
			_ = response.Body.Close()
		}
	}
	request, _ := http.NewRequest(http.MethodGet, "http://relay/clusters/kind/api/v1/pods", strings.NewReader("body"))
	response, err := f.client.Do(request)
	if err != nil || response.Header.Get(RuleHeader) != "body" {
		t.Errorf("GET with a body: %v, %v", response, err)
	}
	if err == nil {
		_ = response.Body.Close()
	}
	// Listing the contexts or connecting contacts no cluster either.
	if response, body := f.body("/contexts"); response.StatusCode != 200 || !strings.Contains(body, `"kind"`) || strings.Contains(body, upstream) {
		t.Errorf("/contexts: %s", body)
	}
}

func TestSecretsAsMetadata(t *testing.T) {
	const secret = `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"},"data":{"password":"aHVudGVyMg=="}}`
	const meta = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"s","annotations":{"` + redact.Key + `":"hunter2"}}}`
	answers := map[string]string{
		"/api/v1/namespaces/good/secrets": `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1",` +
			`"metadata":{"resourceVersion":"7"},"items":[` + meta + `]}`,
		"/api/v1/namespaces/good/secrets/s": meta,
		"/api/v1/namespaces/good/secrets?watch=true": `{"type":"ADDED","object":` + meta + "}\n" +
			`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410}}` + "\n",
		"/api/v1/namespaces/bad/secrets":            `{"kind":"SecretList","apiVersion":"v1","items":[` + secret + `]}`,
		"/api/v1/namespaces/bad/secrets/s":          secret,
		"/api/v1/namespaces/bad/secrets/t":          strings.Replace(meta, `"metadata"`, `"data":{"a":"aHVudGVyMg=="},"metadata"`, 1),
		"/api/v1/namespaces/bad/secrets/u":          meta + secret,
		"/api/v1/namespaces/bad/secrets?watch=true": `{"type":"ADDED","object":` + meta + "}\n" + `{"type":"ADDED","object":` + secret + "}\n",
	}
	e := apiserver(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata") {
			t.Errorf("%s was asked for as %q", r.URL, r.Header.Get("Accept"))
		}
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/api/v1/namespaces/gone/secrets/s" {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","message":"not there","reason":"NotFound","code":404,"data":"aHVudGVyMg=="}`)
			return
		}
		_, _ = io.WriteString(w, answers[r.URL.RequestURI()])
	})
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), func(c *Config) { c.Rules.SecretsMetadata = true })
	for path := range answers {
		good := strings.Contains(path, "/good/")
		response := f.get("/clusters/kind" + path)
		raw, err := io.ReadAll(response.Body)
		body := string(raw)
		for _, leak := range []string{"hunter2", "aHVudGVyMg==", "password"} {
			if strings.Contains(body, leak) {
				t.Errorf("%s: leaks: %s", path, body)
			}
		}
		switch watch := strings.Contains(path, "watch"); {
		case good && (err != nil || response.StatusCode != 200 || !strings.Contains(body, `"name":"s"`)):
			t.Errorf("%s: %d %v: %s", path, response.StatusCode, err, body)
		case good && watch && !strings.Contains(body, "410"):
			t.Errorf("%s: the error event is lost: %s", path, body)
		case !good && watch && (err == nil || !strings.Contains(body, `"name":"s"`)):
			t.Errorf("%s: the watch ended well: %v, %s", path, err, body)
		case !good && !watch && response.StatusCode != 403:
			t.Errorf("%s: %d %s", path, response.StatusCode, body)
		}
	}
	if response, body := f.body("/clusters/kind/api/v1/namespaces/gone/secrets/s"); response.StatusCode != 404 || strings.Contains(body, "aHVud") ||
		!strings.Contains(body, "not there") {
		t.Errorf("404: %d %s", response.StatusCode, body)
	}
}

func TestDoor(t *testing.T) {
	f := newFixture(t, kubeconfig(t, nil), nil)
	url := "ws" + strings.TrimPrefix(f.server.URL, "http") + "/relay"
	good := []string{guard.Protocol, "token." + token}
	for name, test := range map[string]struct {
		protocols []string
		headers   http.Header
		said      bool // the refusal is a close frame, which the page can read
	}{
		"no token":          {good[:1], http.Header{"Origin": {f.server.URL}}, true},
		"wrong token":       {[]string{guard.Protocol, "token.nottherightone"}, http.Header{"Origin": {f.server.URL}}, true},
		"two tokens":        {append(good, "token.nottherightone"), http.Header{"Origin": {f.server.URL}}, true},
		"no origin":         {good, nil, false},
		"other origin":      {good, http.Header{"Origin": {"http://evil.example"}}, false},
		"null origin":       {good, http.Header{"Origin": {"null"}}, false},
		"other host":        {good, http.Header{"Origin": {f.server.URL}, "Host": {"evil.example"}}, false},
		"rebound":           {good, http.Header{"Origin": {"http://evil.example"}, "Host": {"evil.example"}}, false},
		"no token, evil":    {good[:1], http.Header{"Origin": {"http://evil.example"}}, false},
		"no token, rebound": {good[:1], http.Header{"Origin": {f.server.URL}, "Host": {"evil.example"}}, false},
		"header tokens":     {good[:1], http.Header{"Origin": {f.server.URL}, "Authorization": {"Bearer " + token}, "Cookie": {"token=" + token}}, true},
	} {
		ws, response, err := (&websocket.Dialer{Subprotocols: test.protocols}).Dial(url, test.headers)
		if test.said {
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			// The server ignores what this client sends.
			_ = ws.WriteMessage(websocket.BinaryMessage, []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
			_ = ws.SetReadDeadline(time.Now().Add(patience))
			kind, message, err := ws.ReadMessage()
			if !websocket.IsCloseError(err, CloseToken) || !strings.Contains(err.Error(), "token") {
				t.Errorf("%s: got %d %q, %v", name, kind, message, err)
			}
			_ = ws.Close()
			continue
		}
		if err == nil {
			_ = ws.Close()
			t.Errorf("%s: let in", name)
		} else if response == nil || response.StatusCode != 403 {
			t.Errorf("%s: %v %v", name, response, err)
		}
	}
	// A plain GET with a valid token gets an error that names the missing header.
	request, _ := http.NewRequest(http.MethodGet, f.server.URL+"/relay", nil)
	request.Header = http.Header{"Origin": {f.server.URL}, "Sec-Websocket-Protocol": {strings.Join(good, ", ")}}
	response, err := f.server.Client().Do(request)
	if err != nil || response.StatusCode < 400 || response.StatusCode >= 500 {
		t.Errorf("no upgrade: %v, %v", response, err)
	}
	if err == nil {
		_ = response.Body.Close()
	}
	if got := f.config.Metrics.ViewersTotal.Load(); got != 0 {
		t.Errorf("%d viewers", got)
	}
	var numbers httptest.ResponseRecorder
	numbers.Body = new(bytes.Buffer)
	f.config.Metrics.ServeHTTP(&numbers, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if !strings.Contains(numbers.Body.String(), `informerscope_refusals_total{rule="token"} 4`) {
		t.Errorf("refused tokens are not counted:\n%s", numbers.Body)
	}
}

// TestStrangersAreBounded holds open as many connections with a wrong token as it can. Those beyond the limit get a status, all are closed in time,
// and a viewer with the right token gets in beside them.
func TestStrangersAreBounded(t *testing.T) {
	f := newFixture(t, kubeconfig(t, nil), nil)
	dialer := websocket.Dialer{Subprotocols: []string{guard.Protocol, "token.nottherightone"}}
	var held []*websocket.Conn
	refused := 0
	for range maxStrangers + 3 {
		ws, response, err := dialer.Dial("ws"+strings.TrimPrefix(f.server.URL, "http")+"/relay", http.Header{"Origin": {f.server.URL}})
		if err == nil {
			held = append(held, ws) // never read nor closed
		} else if response != nil && response.StatusCode == http.StatusForbidden {
			refused++
		}
	}
	if len(held) != maxStrangers || refused != 3 {
		t.Errorf("%d were told by a close frame, %d by a status", len(held), refused)
	}
	_, _ = f.body("/contexts")
	for _, ws := range held {
		_ = ws.SetReadDeadline(time.Now().Add(patience))
		for {
			_, err := ws.NetConn().Read(make([]byte, 512))
			if err == io.EOF || errors.Is(err, syscall.ECONNRESET) {
				break
			}
			if err != nil {
				t.Errorf("a stranger is not cut off: %v", err)
				break
			}
		}
		_ = ws.Close()
	}
}

func TestMaxViewers(t *testing.T) {
	f := newFixture(t, kubeconfig(t, nil), func(c *Config) { c.MaxViewers = 1 })
	_, _ = f.body("/contexts")
	ws, err := f.dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.Close() }()
	_ = ws.SetReadDeadline(time.Now().Add(patience))
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseTryAgainLater) || !strings.Contains(err.Error(), "--max-viewers") {
		t.Errorf("the second viewer: %v", err)
	}
	// When the first leaves, there is room.
	f.client.CloseIdleConnections()
	deadline := time.Now().Add(patience)
	for f.config.Metrics.Viewers.Load() > 0 && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	_, _ = f.body("/contexts")
}

func TestNotHTTP2(t *testing.T) {
	f := newFixture(t, kubeconfig(t, nil), nil)
	for name, send := range map[string]func(*websocket.Conn) error{
		"HTTP/1.1": func(ws *websocket.Conn) error {
			return ws.WriteMessage(websocket.BinaryMessage, []byte("GET /contexts HTTP/1.1\r\nHost: relay\r\n\r\n"))
		},
		"text message": func(ws *websocket.Conn) error {
			return ws.WriteMessage(websocket.TextMessage, []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
		},
		"huge message": func(ws *websocket.Conn) error {
			_ = ws.WriteMessage(websocket.BinaryMessage, make([]byte, 2<<20))
			return nil
		},
		"huge header": func(ws *websocket.Conn) error {
			return ws.WriteMessage(websocket.BinaryMessage, append([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), bytes.Repeat([]byte{0xff}, 100)...))
		},
	} {
		ws, err := f.dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := send(ws); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_ = ws.SetReadDeadline(time.Now().Add(patience))
		for err = nil; err == nil; {
			var p []byte
			_, p, err = ws.ReadMessage()
			if bytes.Contains(p, []byte("contexts\":")) {
				t.Errorf("%s: served: %q", name, p)
			}
		}
		if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
			t.Errorf("%s: the connection stays open", name)
		}
		_ = ws.Close()
	}
}

func TestAViewerThatStopsReadingIsCutOff(t *testing.T) {
	ended := make(chan struct{})
	e := apiserver(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		w.Header().Set("Content-Type", "application/json")
		block := []byte(`{"type":"ADDED","object":"` + strings.Repeat("x", 1<<16) + "\"}\n")
		for {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), func(c *Config) { c.StallTimeout = 2 * time.Second })
	response := f.get("/clusters/kind/api/v1/pods?watch=true") // never read
	await(t, ended, "end of the watch")
	if _, err := io.Copy(io.Discard, response.Body); err == nil {
		t.Error("the stream ended well, as if nothing had been lost")
	}
	for end := time.Now().Add(patience); f.config.Metrics.Stalls.Load() == 0; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("the stall is not counted")
		}
	}
}

func TestCloseEndsWatchesAtOnceAndLeavesNothing(t *testing.T) {
	before := goroutines()
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		w.Header().Set("Content-Type", "application/json")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind": {server: server.URL}}), nil)
	response := f.get("/clusters/kind/api/v1/pods?watch=true")
	if err := f.relay.Close(); err != nil {
		t.Error(err)
	}
	await(t, ended, "end of the watch upstream")
	if _, err := io.Copy(io.Discard, response.Body); err == nil {
		t.Error("the watch ended well")
	}
	if ws, err := f.dial(t.Context()); err == nil { // refused with a close frame
		_ = ws.SetReadDeadline(time.Now().Add(patience))
		if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
			t.Errorf("after Close: %v", err)
		}
		_ = ws.Close()
	}
	f.client.CloseIdleConnections()
	server.Close()
	f.server.Close()
	deadline := time.Now().Add(patience)
	for goroutines() > before && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if after := goroutines(); after > before {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines before, %d after:\n%s", before, after, stacks[:runtime.Stack(stacks, true)])
	}
}

// goroutines is the number of goroutines now.
func goroutines() int { return runtime.NumGoroutine() }
