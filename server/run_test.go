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
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gorilla/websocket"

	"informerscope/server/internal/testkit"
	"informerscope/server/internal/wsconn"
	"informerscope/web"
)

// patience is how long a test waits before it fails, on a busy machine.
const patience = time.Minute

func noEnv(string) (string, bool) { return "", false }

// parseFlags returns the settings that a command line and an environment lead to.
func parseFlags(args []string, lookup func(string) (string, bool), stderr io.Writer) (s settings, err error) {
	root := newCommand(lookup, func(_ context.Context, checked settings) error {
		s = checked
		return nil
	})
	root.SetErr(stderr)
	root.SetArgs(spell(root, args))
	err = root.Execute()
	return s, err
}

func parse(t *testing.T, args ...string) settings {
	t.Helper()
	s, err := parseFlags(args, noEnv, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// page is the files under test. The large one is of a type that is not compressed, so that every answer has its full size.
var page = fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}, "app.js": {Data: []byte("x")}, "large.gz": {Data: make([]byte, 4<<20)}}

// running is a server under test.
type running struct {
	t           *testing.T
	base, token string
	log         *testkit.Log
	stop        func() error
	out         func() string // what the server has printed on standard output
}

// start serves until the test ends, and reads the first line on standard output as other programs do.
func start(t *testing.T, s settings) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	var printed testkit.Log
	r := &running{t: t, log: new(testkit.Log)}
	done := make(chan error, 1)
	go func() {
		err := serve(ctx, s, page, io.MultiWriter(&printed, writer), r.log)
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
	r.out = printed.String
	line, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil {
		t.Fatalf("no line: %v; %v; %s", err, r.stop(), r.log)
	}
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "informerscope: open ")
	base, fragment, _ := strings.Cut(address, "/#token=")
	r.base, r.token = base, strings.TrimSuffix(fragment, s.sceneKeys)
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

// page returns a client of the relay.
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
	content := "apiVersion: v1\nkind: Config\ncurrent-context: kind-kind\ncontexts:\n- name: kind-kind\n  context: {cluster: c, user: u}\nclusters:\n- name: " +
		"c\n  cluster: {server: \"" + server + "\"}\nusers:\n- name: u\n  user: {token: upstream}\n"
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
		if r.URL.Path != "/api/v1/pods" { // for /readyz
			return
		}
		_ = http.NewResponseController(w).Flush()
		close(watching)
		<-r.Context().Done()
		close(ended)
	})}
	go func() { _ = api.Serve(ln) }()
	t.Cleanup(func() { _ = api.Close() })

	r := start(t, parse(t, "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig(t, "http://"+ln.Addr().String()), "--context", "kind-kind", "--log-level",
		"debug"))
	for path, says := range map[string]string{"/": "doctype", "/app.js": "x", "/healthz": "ok", "/readyz": "ok", "/metrics": "informerscope_viewers 0"} {
		response, body := r.get(path, nil)
		if response.StatusCode != 200 || !strings.Contains(body, says) || !strings.Contains(response.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %d %q %v", path, response.StatusCode, body, response.Header)
		}
		// A request under another host's name gets nothing, not even a file.
		response, body = r.get(path, func(q *http.Request) { q.Host = "evil.example" })
		if response.StatusCode != 403 || strings.Contains(body, says) && len(says) > 2 {
			t.Errorf("%s for evil.example: %d %q", path, response.StatusCode, body)
		}
	}
	if response, body := r.get("/informerscope.wasm", nil); response.StatusCode != 404 || !strings.Contains(body, "make wasm") ||
		!strings.Contains(r.log.String(), "make wasm") {
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
	// The shutdown does not wait for a watch.
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
	if err := serve(t.Context(), s, page, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "127.0.0.1:0") ||
		!strings.Contains(err.Error(), taken) {
		t.Errorf("a port that --listen gives and that is in use: %v", err)
	}
	s.listenExplicit = false // as for the default address
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
	// An address that other machines can reach also needs named contexts.
	err = serve(t.Context(), parse(t, "--listen", "0.0.0.0:0", "--insecure"), page, io.Discard, io.Discard)
	if !errors.As(err, &usage) || !strings.Contains(err.Error(), "--context NAME") || !strings.Contains(err.Error(), "--contexts a,b") {
		t.Errorf("%v", err)
	}
	r := start(t, parse(t, "--listen", "0.0.0.0:0", "--insecure", "--context", "demo"))
	if !strings.Contains(r.log.String(), "WITHOUT TLS") {
		t.Errorf("it does not say so: %s", r.log)
	}
	if response, _ := r.get("/healthz", nil); response.StatusCode != 200 || !strings.HasPrefix(r.base, "http://127.0.0.1:") {
		t.Errorf("%s: %d", r.base, response.StatusCode)
	}
}

// TestAPodsOwnContextIsNamed: a pod without a kubeconfig has one context, which no flag has to name even off the loopback interface.
func TestAPodsOwnContextIsNamed(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBECONFIG", "")
	t.Setenv("KUBERNETES_SERVICE_HOST", "192.0.2.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "443")
	r := start(t, parse(t, "--listen", "0.0.0.0:0", "--insecure"))
	for name, want := range map[string]int{"in-cluster": http.StatusOK, "another": http.StatusForbidden} {
		response, err := r.page().Get("http://relay/trouble?context=" + name)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %d", name, response.StatusCode)
		}
	}
}

// TestWhatOthersCanOpen opens every address that is printed.
func TestWhatOthersCanOpen(t *testing.T) {
	six := func(ip net.IP) bool { return ip.To4() == nil }
	var own []net.IP
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if network, ok := a.(*net.IPNet); ok && !network.IP.IsLoopback() && !network.IP.IsLinkLocalUnicast() {
			own = append(own, network.IP)
		}
	}
	for _, listen := range []string{"0.0.0.0:0", "[::]:0", ":0"} {
		if ln, err := net.Listen("tcp", listen); err != nil {
			t.Logf("%s cannot be listened on here: %v", listen, err)
			continue
		} else {
			_ = ln.Close()
		}
		r := start(t, parse(t, "--listen", listen, "--insecure", "--contexts=", "--resource", "nodes"))
		printed := r.out()
		spoken := "by IPv4 and IPv6"
		if listen == "0.0.0.0:0" {
			spoken = "by IPv4\n"
		}
		if !strings.Contains(printed, spoken) && !strings.Contains(printed, "by IPv6\n") {
			t.Errorf("%s: it does not say %q:\n%s", listen, spoken, printed)
		}
		opened := 0
		for line := range strings.Lines(printed) {
			address, ok := strings.CutPrefix(strings.TrimSpace(line), "informerscope: from other machines open ")
			if !ok {
				continue
			}
			base, fragment, _ := strings.Cut(address, "/#")
			if fragment != "token="+r.token+"&resource=nodes" {
				t.Errorf("the link is %q", address)
			}
			r.base = base
			if response, _ := r.get("/healthz", nil); response.StatusCode != 200 {
				t.Errorf("%s: %d", base, response.StatusCode)
			}
			opened++
		}
		want := 0
		for _, ip := range own {
			if !six(ip) || listen != "0.0.0.0:0" {
				want++
			}
		}
		if opened != want && strings.Contains(printed, spoken) {
			t.Errorf("%s: %d addresses are printed, this machine has %v", listen, opened, own)
		}
	}
	// The address of an interface is printed as given.
	for _, ip := range own {
		r := start(t, parse(t, "--listen", net.JoinHostPort(ip.String(), "0"), "--insecure", "--contexts="))
		if host, _, _ := net.SplitHostPort(strings.TrimPrefix(r.base, "http://")); host != ip.String() {
			t.Errorf("listening on %s it prints %s", ip, r.base)
		}
	}
}

// TestAKubeconfigThatCannotBeRead: the log has the reason, and the server starts.
func TestAKubeconfigThatCannotBeRead(t *testing.T) {
	damaged := filepath.Join(t.TempDir(), "damaged")
	if err := os.WriteFile(damaged, []byte("contexts: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	for path, says := range map[string]string{damaged: "cannot be read", filepath.Join(directory, "absent"): "does not exist", directory: "cannot be read"} {
		r := start(t, parse(t, "--listen", "127.0.0.1:0", "--kubeconfig", path))
		if log := r.log.String(); !strings.Contains(log, "WARN") || !strings.Contains(log, path) || !strings.Contains(log, says) {
			t.Errorf("of %s it says: %s", path, log)
		}
		if response, _ := r.get("/", nil); response.StatusCode != 200 {
			t.Errorf("%s: %d", path, response.StatusCode)
		}
	}
	if r := start(t, parse(t, "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig(t, "https://127.0.0.1:1"))); strings.Contains(r.log.String(),
		"WARN msg=\"the kubeconfig") {
		t.Errorf("of a good one: %s", r.log)
	}
}

// TestStoppingWhileAPluginHangs: its caller cannot end the credential plugin, and the shutdown does not wait for it.
func TestStoppingWhileAPluginHangs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the plugin of this test is a shell script")
	}
	dir := t.TempDir()
	running, finish, command := filepath.Join(dir, "running"), filepath.Join(dir, "finish"), filepath.Join(dir, "login-helper")
	if err := os.WriteFile(command, []byte("#!/bin/sh\ntouch "+running+"\nwhile ! [ -e "+finish+" ]; do sleep 0.05; done\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "config")
	content := "apiVersion: v1\nkind: Config\ncontexts:\n- name: c\n  context: {cluster: c, user: u}\nclusters:\n- name: c\n  cluster: {server: " +
		"\"https://127.0.0.1:1\"}\nusers:\n- name: u\n  user:\n    exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: \"" +
		command + "\"}\n"
	if err := os.WriteFile(config, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, parse(t, "--listen", "127.0.0.1:0", "--kubeconfig", config, "--context", "c"))
	answered := make(chan error, 1)
	client := r.page()
	go func() {
		response, err := client.Get("http://relay/clusters/c/api/v1/pods")
		if err == nil {
			_ = response.Body.Close()
		}
		answered <- err
	}()
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		if _, err := os.Stat(running); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the plugin does not run")
		}
	}
	// Meanwhile the relay reports that it waits for the plugin. The ticker keeps this viewer below its rate of requests.
	deadline := time.Now().Add(patience)
	for asking := time.NewTicker(50 * time.Millisecond); ; <-asking.C {
		response, err := client.Get("http://relay/trouble?context=c")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if strings.Contains(string(body), `"cause":"exec-waiting","words":"Waiting for login-helper`) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("of the plugin it says %s", body)
		}
	}
	began := time.Now()
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > shutdownTimeout {
		t.Errorf("it took %s to stop", took)
	}
	if err := <-answered; err == nil {
		t.Error("the request was answered")
	}
	if runtime.GOOS == "linux" {
		// The plugin ends too: otherwise a program that reads the server's standard error to its end would wait for it.
		for deadline := time.Now().Add(patience); ; runtime.Gosched() {
			left := 0
			lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, line := range lines {
				if raw, err := os.ReadFile(line); err == nil && bytes.Contains(raw, []byte(command)) {
					left++
				}
			}
			if left == 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Error("the plugin still runs")
				break
			}
		}
	} else if err := os.WriteFile(finish, nil, 0o600); err != nil {
		t.Error(err)
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
	r := start(t, parse(t, "--listen", "0.0.0.0:0", "--tls-cert", cert, "--tls-key", private, "--contexts", "kind-kind", "--kubeconfig",
		kubeconfig(t, "https://127.0.0.1:1")))
	if !strings.HasPrefix(r.base, "https://") {
		t.Errorf("base %s", r.base)
	}
	if response, _ := r.get("/", nil); response.StatusCode != 200 {
		t.Errorf("%d", response.StatusCode)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(r.base, "https://"), ":")
	var said bytes.Buffer
	if err := run(t.Context(), []string{"--listen", "0.0.0.0:" + port, "--tls-cert", cert, "--tls-key", private, "--check", "healthz"}, &said,
		io.Discard); err != nil || said.String() != "ok\n" {
		t.Errorf("--check over TLS: %v, %q", err, said.String())
	}
	// Connections that never complete the TLS handshake keep no other client out either.
	a := attack(t, "http://127.0.0.1:"+port)
	a.hold(anonymousConnections, func(int) string { return "" })
	a.hold(anonymousConnections, func(int) string { return "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" })
	response, err := r.page().Get("http://relay/contexts")
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("over wss: %v, %v", response, err)
	}
	_ = response.Body.Close()
	if r.number(`informerscope_refusals_total{rule="connections"}`) == 0 {
		t.Error("no connection had to make room")
	}
	if err := serve(t.Context(), parse(t, "--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", cert), page, io.Discard, io.Discard); err == nil ||
		!strings.Contains(err.Error(), "--tls-key") {
		t.Errorf("a key that is none: %v", err)
	}
}

func TestFlags(t *testing.T) {
	if s := parse(t); s.listen != defaultListen || s.listenExplicit || s.maxViewers != 16 || len(s.token) < 20 || s.rules.SecretsMetadata || s.open || s.insecure {
		t.Errorf("defaults: %+v", s)
	}
	if s := parse(t, "--objects", "5000", "--seed", "0", "--rate", "2.5"); s.sceneKeys != "&objects=5000&rate=2.5&seed=0" || parse(t).sceneKeys != "" {
		t.Errorf("the link says %q of the simulated cluster", s.sceneKeys)
	}
	if s := parse(t, "--context", "arn:aws:eks:eu/prod &x"); s.sceneKeys != "&source=live&context=arn%3Aaws%3Aeks%3Aeu%2Fprod+%26x" {
		t.Errorf("the link says %q of the context", s.sceneKeys)
	}
	for want, args := range map[string][]string{
		"&namespace=team-a": {"-n", "team-a"},
		"&namespace=":       {"--namespace="},
		"&source=live&context=c&namespace=team-a&resource=deployments.apps": {"--context", "c", "--namespace", "team-a", "--resource", "deployments.apps"},
	} {
		if s := parse(t, args...); s.sceneKeys != want {
			t.Errorf("%q: the link says %q, want %q", args, s.sceneKeys, want)
		}
	}
	asked := map[string]string{"INFORMERSCOPE_NAMESPACE": "team-b", "INFORMERSCOPE_RESOURCE": "pods", "INFORMERSCOPE_N": "never"}
	if s, err := parseFlags([]string{"-n", "team-a"}, func(name string) (string, bool) { v, ok := asked[name]; return v, ok }, io.Discard); err != nil ||
		s.sceneKeys != "&namespace=team-a&resource=pods" || s.namespace != "team-a" {
		t.Errorf("the link says %q, the namespace is %q, %v", s.sceneKeys, s.namespace, err)
	}
	if a, b := parse(t), parse(t); a.token == b.token {
		t.Error("two launches have the same token")
	}
	env := map[string]string{"INFORMERSCOPE_LISTEN": "127.0.0.1:9999", "INFORMERSCOPE_MAX_VIEWERS": "3", "INFORMERSCOPE_ALLOW_SECRETS_METADATA": "true",
		"INFORMERSCOPE_TOKEN": "environment-token", "INFORMERSCOPE_CONTEXT": ""}
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
		"streams":     {[]string{"--max-streams", "0"}, "--max-streams"},
		"level":       {[]string{"--log-level", "loud"}, "debug, info, warn, error"},
		"resources":   {[]string{"--resources", "Pods"}, "deployments.apps"},
		"secrets":     {[]string{"--resources", "secrets"}, "--allow-secrets-metadata"},
		"short token": {[]string{"--token", "abc"}, "at least 16"},
		"public URL":  {[]string{"--public-url", "https://a.example/x"}, "--public-url"},
		"host names":  {[]string{"--allowed-hosts", "*.example"}, "--allowed-hosts"},
		"contexts":    {[]string{"--contexts", "a,,b"}, "--contexts"},
		"odd token":   {[]string{"--token", "abc def ghi jkl mno"}, "letters"},
		"half TLS":    {[]string{"--tls-cert", "x"}, "together"},
		"namespace":   {[]string{"--namespace", "Team A"}, "not the name of a namespace"},
		"resource":    {[]string{"--resource", "Pods"}, "deployments.apps"},
		"left out":    {[]string{"--resource", "services", "--resources", "pods"}, "--resources"},
		"secret":      {[]string{"--resource", "secrets"}, "--allow-secrets-metadata"},
		"objects":     {[]string{"--objects", "1000000"}, "100000"},
		"rate":        {[]string{"--rate", "NaN"}, "10000"},
	} {
		var usage *usageError
		if _, err := parseFlags(test.args, noEnv, io.Discard); !errors.As(err, &usage) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := parseFlags(nil, func(name string) (string, bool) { return "x", name == "INFORMERSCOPE_MAX_VIEWERS" }, io.Discard); err == nil ||
		!strings.Contains(err.Error(), "INFORMERSCOPE_MAX_VIEWERS") {
		t.Errorf("environment: %v", err)
	}
	for _, bad := range []string{"8080", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:99999", "[::1"} {
		if err := serve(t.Context(), parse(t, "--listen", bad), page, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "--listen") {
			t.Errorf("--listen %s: %v", bad, err)
		}
	}
	var help bytes.Buffer
	if err := run(t.Context(), []string{"--help"}, &help, io.Discard); err != nil {
		t.Errorf("--help: %v", err)
	}
	for _, name := range []string{"listen", "kubeconfig", "context", "open", "token", "namespace", "n", "resource", "allow-secrets-metadata", "resources",
		"max-viewers", "log-level", "tls-cert", "tls-key", "insecure", "version", "check", "probe",
		"contexts", "token-file", "metrics-listen", "public-url", "allowed-hosts"} {
		if !strings.Contains(help.String(), "-"+name) {
			t.Errorf("--help does not know --%s", name)
		}
	}
}

// TestAttachFlags: the probe's token is never given on the command line, and only the owner may read its file.
func TestAttachFlags(t *testing.T) {
	const address = "http://localhost:6060/debug/informerscope/"
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("probe-token-9876543210\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	none := func(string) (string, bool) { return "", false }
	fromEnv := func(name string) (string, bool) {
		return "probe-token-from-the-environment", name == "INFORMERSCOPE_ATTACH_TOKEN"
	}
	s, err := parseFlags([]string{"--attach", address, "--attach-token-file", file}, none, io.Discard)
	if err != nil || s.attach == nil || s.attachToken != "probe-token-9876543210" || !strings.Contains(s.sceneKeys, "source=probe") {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err = parseFlags([]string{"--attach", address}, fromEnv, io.Discard); err != nil || s.attachToken != "probe-token-from-the-environment" {
		t.Errorf("%q, %v", s.attachToken, err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"--attach", address, "--attach-token-file", file}, {"--attach-token-file", file}, {"--attach", address, "--attach-token", "x"},
		{"--attach", "http://me:secret@localhost:6060/"}, {"--attach", address, "--seed", "3"}, {"--attach", "localhost:6060"},
	} {
		if _, err := parseFlags(args, none, io.Discard); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestEmbeddedPageHidesGoAndTests(t *testing.T) {
	for kind, page := range map[string]fs.FS{"bundle": web.Bundle(web.Directory()), "modules": web.Modules(web.Directory())} {
		for _, name := range []string{"embed.go", "package.json", "kit/format.test.mjs", "bundle/app.js", "bundle/app.js.gz", "../web/embed.go"} {
			if _, err := page.Open(name); err == nil {
				t.Errorf("%s: %s is served", kind, name)
			}
		}
		err := fs.WalkDir(page, ".", func(name string, entry fs.DirEntry, err error) error {
			if kind == "bundle" && errors.Is(err, fs.ErrNotExist) {
				return nil // it was not built
			}
			switch path.Ext(name) {
			case ".go", ".mjs", ".gz", ".br":
				t.Errorf("%s: %s is listed", kind, name)
			}
			if name == "package.json" || strings.HasPrefix(name, "bundle") {
				t.Errorf("%s: %s is listed", kind, name)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
