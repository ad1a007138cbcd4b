package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"flag"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gorilla/websocket"

	"informerscope/server/internal/wsconn"
	"informerscope/web"
)

const patience = 20 * time.Second

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func noEnv(string) (string, bool) { return "", false }

func parse(t *testing.T, args ...string) settings {
	t.Helper()
	s, err := parseFlags(args, noEnv, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var page = fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}, "app.js": {Data: []byte("x")}}

// running is a server under test.
type running struct {
	t           *testing.T
	base, token string
	log         *lockedBuffer
	stop        func() error
}

// start serves until the test ends, and reads the first line on standard output as other programs do.
func start(t *testing.T, s settings) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	r := &running{t: t, log: new(lockedBuffer)}
	done := make(chan error, 1)
	go func() {
		err := serve(ctx, s, page, writer, r.log)
		_ = writer.CloseWithError(io.EOF)
		done <- err
	}()
	r.stop = sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-done:
			return err
		case <-time.After(patience):
			return errors.New("it does not stop")
		}
	})
	line, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil {
		t.Fatalf("no line: %v; %v; %s", err, r.stop(), r.log)
	}
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "informerscope: open ")
	base, fragment, _ := strings.Cut(address, "/#token=")
	r.base, r.token = base, strings.TrimSuffix(fragment, s.scene)
	if !ok || r.token != s.token {
		t.Fatalf("first line %q", line)
	}
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Errorf("stopping: %v", err)
		}
		if strings.Contains(r.log.String(), s.token) {
			t.Errorf("the log has the token:\n%s", r.log)
		}
	})
	return r
}

func (r *running) get(path string, change func(*http.Request)) (*http.Response, string) {
	r.t.Helper()
	request, err := http.NewRequest(http.MethodGet, r.base+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	if change != nil {
		change(request)
	}
	client := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	response, err := client.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return response, string(body)
}

// page is a client of the relay.
func (r *running) page() *http.Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		dialer := websocket.Dialer{Subprotocols: []string{"informerscope.v1", "token." + r.token}, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
		ws, _, err := dialer.DialContext(ctx, "ws"+strings.TrimPrefix(r.base, "http")+"/relay", http.Header{"Origin": {r.base}})
		if err != nil {
			return nil, err
		}
		return wsconn.New(ws, wsconn.Options{}), nil
	}}
	r.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience}
}

func kubeconfig(t *testing.T, server string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	content := "apiVersion: v1\nkind: Config\ncurrent-context: kind-kind\ncontexts:\n- name: kind-kind\n  context: {cluster: c, user: u}\nclusters:\n- name: c\n  cluster: {server: \"" + server + "\"}\nusers:\n- name: u\n  user: {token: upstream}\n"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestServe(t *testing.T) {
	watching, ended := make(chan struct{}), make(chan struct{})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	api := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = http.NewResponseController(w).Flush()
		close(watching)
		<-r.Context().Done()
		close(ended)
	})}
	go func() { _ = api.Serve(ln) }()
	t.Cleanup(func() { _ = api.Close() })

	r := start(t, parse(t, "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig(t, "http://"+ln.Addr().String()), "--context", "kind-kind", "--log-level", "debug"))
	for path, says := range map[string]string{"/": "doctype", "/app.js": "x", "/healthz": "ok", "/readyz": "ok", "/metrics": "informerscope_viewers 0"} {
		response, body := r.get(path, nil)
		if response.StatusCode != 200 || !strings.Contains(body, says) || !strings.Contains(response.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %d %q %v", path, response.StatusCode, body, response.Header)
		}
		// Whoever comes under another name gets nothing, not even a file.
		response, body = r.get(path, func(q *http.Request) { q.Host = "evil.example" })
		if response.StatusCode != 403 || strings.Contains(body, says) && len(says) > 2 {
			t.Errorf("%s for evil.example: %d %q", path, response.StatusCode, body)
		}
	}
	if response, body := r.get("/informerscope.wasm", nil); response.StatusCode != 404 || !strings.Contains(body, "make wasm") || !strings.Contains(r.log.String(), "make wasm") {
		t.Errorf("without wasm: %d %q", response.StatusCode, body)
	}
	if response, _ := r.get("/", func(q *http.Request) { q.Body, q.ContentLength = io.NopCloser(strings.NewReader("x")), 1 }); response.StatusCode != 413 {
		t.Errorf("a body: %d", response.StatusCode)
	}
	if response, _ := r.get("/relay", nil); response.StatusCode != 403 {
		t.Errorf("/relay without anything: %d", response.StatusCode)
	}
	client := r.page()
	response, err := client.Get("http://relay/contexts")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if !strings.Contains(string(body), `"selected":"kind-kind"`) || strings.Contains(string(body), "upstream") {
		t.Errorf("/contexts: %s", body)
	}
	response, err = client.Get("http://relay/clusters/kind-kind/api/v1/pods?watch=true")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	<-watching
	if _, body := r.get("/metrics", nil); !strings.Contains(body, "informerscope_viewers 1") || !strings.Contains(body, "informerscope_streams 1") ||
		!strings.Contains(body, `informerscope_refusals_total{rule="host"} 5`) || strings.Contains(body, r.token) {
		t.Errorf("/metrics: %s", body)
	}
	// Stopping does not wait for a watch.
	began := time.Now()
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > shutdownTimeout {
		t.Errorf("it took %s to stop", took)
	}
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the watch goes on upstream")
	}
	if strings.Contains(r.log.String(), "upstream") {
		t.Errorf("credentials in the log:\n%s", r.log)
	}
}

func TestTakenPorts(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	taken := ln.Addr().String()
	s := parse(t, "--listen", taken)
	if err := serve(t.Context(), s, page, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "127.0.0.1:0") || !strings.Contains(err.Error(), taken) {
		t.Errorf("a port that was asked for and is taken: %v", err)
	}
	s.listenExplicit = false // as if it were the default
	r := start(t, s)
	if r.base == "http://"+taken {
		t.Errorf("serving on %s", r.base)
	}
	if response, _ := r.get("/healthz", nil); response.StatusCode != 200 {
		t.Errorf("%d", response.StatusCode)
	}
}

func TestOtherThanLoopback(t *testing.T) {
	var usage *usageError
	err := serve(t.Context(), parse(t, "--listen", "0.0.0.0:0"), page, io.Discard, io.Discard)
	if !errors.As(err, &usage) || !strings.Contains(err.Error(), "--insecure") || !strings.Contains(err.Error(), "--tls-cert") {
		t.Errorf("%v", err)
	}
	r := start(t, parse(t, "--listen", "0.0.0.0:0", "--insecure"))
	if !strings.Contains(r.log.String(), "WITHOUT TLS") {
		t.Errorf("it does not say so: %s", r.log)
	}
	if response, _ := r.get("/healthz", nil); response.StatusCode != 200 || !strings.HasPrefix(r.base, "http://127.0.0.1:") {
		t.Errorf("%s: %d", r.base, response.StatusCode)
	}
}

func TestTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert, private := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, private: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := start(t, parse(t, "--listen", "0.0.0.0:0", "--tls-cert", cert, "--tls-key", private, "--kubeconfig", kubeconfig(t, "https://127.0.0.1:1")))
	if !strings.HasPrefix(r.base, "https://") {
		t.Errorf("base %s", r.base)
	}
	if response, _ := r.get("/", nil); response.StatusCode != 200 {
		t.Errorf("%d", response.StatusCode)
	}
	response, err := r.page().Get("http://relay/contexts")
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("over wss: %v, %v", response, err)
	}
	_ = response.Body.Close()
	if err := serve(t.Context(), parse(t, "--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", cert), page, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "--tls-key") {
		t.Errorf("a key that is none: %v", err)
	}
}

func TestFlags(t *testing.T) {
	if s := parse(t); s.listen != defaultListen || s.listenExplicit || s.maxViewers != 16 || len(s.token) < 20 || s.rules.SecretsMetadata || s.open || s.insecure {
		t.Errorf("defaults: %+v", s)
	}
	if s := parse(t, "--objects", "5000", "--seed", "0", "--rate", "2.5"); s.scene != "&objects=5000&rate=2.5&seed=0" || parse(t).scene != "" {
		t.Errorf("the link says %q of the simulated cluster", s.scene)
	}
	if s := parse(t, "--context", "arn:aws:eks:eu/prod &x"); s.scene != "&source=live&context=arn%3Aaws%3Aeks%3Aeu%2Fprod+%26x" {
		t.Errorf("the link says %q of the context", s.scene)
	}
	if a, b := parse(t), parse(t); a.token == b.token {
		t.Error("two launches have the same token")
	}
	env := map[string]string{"INFORMERSCOPE_LISTEN": "127.0.0.1:9999", "INFORMERSCOPE_MAX_VIEWERS": "3", "INFORMERSCOPE_ALLOW_SECRETS_METADATA": "true", "INFORMERSCOPE_TOKEN": "environment-token", "INFORMERSCOPE_CONTEXT": ""}
	lookup := func(name string) (string, bool) { value, ok := env[name]; return value, ok }
	s, err := parseFlags([]string{"--max-viewers=5"}, lookup, io.Discard)
	if err != nil || s.listen != "127.0.0.1:9999" || !s.listenExplicit || s.maxViewers != 5 || !s.rules.SecretsMetadata || s.token != "environment-token" {
		t.Errorf("%+v, %v", s, err)
	}
	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"unknown":     {[]string{"--nope"}, "nope"},
		"positional":  {[]string{"kind-kind"}, "kind-kind"},
		"number":      {[]string{"--max-viewers", "many"}, "max-viewers"},
		"range":       {[]string{"--max-viewers", "0"}, "--max-viewers"},
		"level":       {[]string{"--log-level", "loud"}, "debug, info, warn, error"},
		"resources":   {[]string{"--resources", "Pods"}, "deployments.apps"},
		"secrets":     {[]string{"--resources", "secrets"}, "--allow-secrets-metadata"},
		"short token": {[]string{"--token", "abc"}, "at least 16"},
		"odd token":   {[]string{"--token", "abc def ghi jkl mno"}, "letters"},
		"half TLS":    {[]string{"--tls-cert", "x"}, "together"},
		"directory":   {[]string{"--kubeconfig", t.TempDir()}, "directory"},
		"objects":     {[]string{"--objects", "1000000"}, "100000"},
		"rate":        {[]string{"--rate", "NaN"}, "10000"},
	} {
		var usage *usageError
		if _, err := parseFlags(test.args, noEnv, io.Discard); !errors.As(err, &usage) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := parseFlags(nil, func(name string) (string, bool) { return "x", name == "INFORMERSCOPE_MAX_VIEWERS" }, io.Discard); err == nil || !strings.Contains(err.Error(), "INFORMERSCOPE_MAX_VIEWERS") {
		t.Errorf("environment: %v", err)
	}
	for _, bad := range []string{"8080", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:99999", "[::1"} {
		if err := serve(t.Context(), parse(t, "--listen", bad), page, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "--listen") {
			t.Errorf("--listen %s: %v", bad, err)
		}
	}
	var help bytes.Buffer
	if err := run(t.Context(), []string{"--help"}, io.Discard, &help); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("--help: %v", err)
	}
	for _, name := range []string{"listen", "kubeconfig", "context", "open", "token", "allow-secrets-metadata", "resources", "max-viewers", "log-level", "tls-cert", "tls-key", "insecure"} {
		if !strings.Contains(help.String(), "-"+name) {
			t.Errorf("--help does not know --%s", name)
		}
	}
}

func TestEmbeddedPageHidesGo(t *testing.T) {
	if _, err := web.Files().Open("embed.go"); err == nil {
		t.Error("Go sources are served")
	}
	entries, err := web.Files().(interface {
		ReadDir(string) ([]os.DirEntry, error)
	}).ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".go") {
			t.Errorf("%s is listed", entry.Name())
		}
	}
}
