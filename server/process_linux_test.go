package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"informerscope/server/internal/clusters"
	"informerscope/server/internal/guard"
	"informerscope/server/internal/wsconn"
)

// These tests run the program as a process, built as it is released, and check its memory and its end. The test's own process has the race detector's
// memory. A ceiling is of VmHWM, the peak resident memory, which includes all that the runtime has not returned.

// process is the server as a process.
type process struct {
	t           *testing.T
	cmd         *exec.Cmd
	base, token string
	end         func() // sends SIGTERM; the test fails if that does not end it
}

// buildDir is the directory in which the program is built, once; TestMain removes it.
var buildDir string

func TestMain(m *testing.M) {
	code := m.Run()
	if buildDir != "" {
		_ = os.RemoveAll(buildDir)
	}
	os.Exit(code)
}

var builtServer = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "informerscope-server-")
	if err != nil {
		return "", err
	}
	buildDir = dir
	out := filepath.Join(dir, "informerscope")
	if text, err := exec.Command("go", "build", "-o", out, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, text)
	}
	return out, nil
})

// launch starts the program and waits until it serves.
func launch(t *testing.T, args ...string) *process {
	t.Helper()
	return launchInto(t, t.Output(), args...)
}

// launchInto is launch with a writer for the log.
func launchInto(t *testing.T, log io.Writer, args ...string) *process {
	t.Helper()
	program, err := builtServer()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: exec.Command(program, append([]string{"--listen", "127.0.0.1:0", "--log-level", "warn"}, args...)...)}
	p.cmd.Env = append(os.Environ(), "GOMEMLIMIT=", "GOGC=", "HTTPS_PROXY=", "HTTP_PROXY=", "ALL_PROXY=")
	p.cmd.Stderr = log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.end = sync.OnceFunc(func() {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("the server ends with %v", err)
		}
		late.Stop()
	})
	t.Cleanup(p.end)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "informerscope: open ")
	p.base, p.token, _ = strings.Cut(address, "/#token=")
	if !ok || p.token == "" {
		t.Fatalf("first line %q", line)
	}
	return p
}

// memory is a line of the process's status in MiB: VmHWM or VmRSS.
func (p *process) memory(name string) int {
	p.t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kib, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			if err != nil {
				p.t.Fatal(err)
			}
			return kib >> 10
		}
	}
	p.t.Fatalf("no %s in %s", name, raw)
	return 0
}

// dial opens a WebSocket as the page does.
func (p *process) dial(ctx context.Context) (net.Conn, error) {
	dialer := websocket.Dialer{Subprotocols: []string{guard.Protocol, "token." + p.token}}
	ws, _, err := dialer.DialContext(ctx, "ws"+strings.TrimPrefix(p.base, "http")+"/relay", http.Header{"Origin": {p.base}})
	if err != nil {
		return nil, err
	}
	return wsconn.New(ws, wsconn.Options{MaxMessage: 16 << 20}), nil
}

// page returns an HTTP client that sends its requests through the relay, as the page does.
func (p *process) page() *http.Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return p.dial(ctx) }}
	p.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 6 * patience}
}

// deaf is a viewer that requests much and then reads nothing, with the largest windows of HTTP/2.
func (p *process) deaf(path func(stream int) string, streams int) (leave func()) {
	p.t.Helper()
	conn, err := p.dial(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	leave = func() { _ = conn.Close() }
	p.t.Cleanup(leave)
	out := bufio.NewWriterSize(conn, 32<<10)
	_, _ = out.WriteString(http2.ClientPreface)
	framer := http2.NewFramer(out, conn)
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	err = framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1})
	if err == nil {
		err = framer.WriteWindowUpdate(0, 1<<31-1-(1<<16-1))
	}
	for i := 0; err == nil && i < streams; i++ {
		block.Reset()
		for _, field := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":authority", "relay"}, {":path", path(i)}, {"accept", "application/json"}} {
			_ = encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]})
		}
		err = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: uint32(2*i + 1), BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true})
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return leave
}

// bigAPI is an API server whose answers are large, and a kubeconfig of one context for it.
func bigAPI(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	api := httptest.NewUnstartedServer(handler)
	api.EnableHTTP2 = true
	api.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	api.StartTLS()
	t.Cleanup(api.Close)
	t.Cleanup(api.CloseClientConnections)
	path := filepath.Join(t.TempDir(), "config")
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw})
	content := fmt.Sprintf("apiVersion: v1\nkind: Config\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: %q, "+
		"certificate-authority-data: %q}}]\n"+
		"users: [{name: u, user: {token: a-token-of-some-length-123}}]\n", api.URL, base64.StdEncoding.EncodeToString(ca))
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// endlessWatch is an API server's watch that writes until its peer stops reading. full gets a token from each stream when a write has filled the
// relay's window and waits.
func endlessWatch(full chan<- struct{}) http.HandlerFunc {
	event := []byte(`{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","annotations":{"a":"b"}},"spec":"` +
		strings.Repeat("x", 16<<10) + "\"}}\n")
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for written, counted := 0, false; r.Context().Err() == nil; {
			n, err := w.Write(event)
			if err != nil {
				return
			}
			if written += n; written >= clusters.StreamWindow-2*len(event) && !counted {
				counted = true
				full <- struct{}{}
			}
		}
	}
}

// awaitFull waits until n streams are full and the server has received what is on its way.
func awaitFull(t *testing.T, p *process, full <-chan struct{}, streams int) {
	t.Helper()
	late := time.NewTimer(6 * patience)
	defer late.Stop()
	for i := range streams {
		select {
		case <-full:
		case <-late.C:
			t.Fatalf("%d of %d streams are full", i, streams)
		}
	}
	// The memory of the server no longer grows: the streams hold all that they may.
	for last, same := 0, 0; same < 5; {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
		if now := p.memory("VmRSS"); now <= last {
			same++
		} else {
			last, same = now, 0
		}
	}
}

// TestMemoryOfAViewerWhoReadsNothing: a viewer opens 250 watches of a busy cluster and reads nothing.
func TestMemoryOfAViewerWhoReadsNothing(t *testing.T) {
	const streams, ceiling = 250, 256
	full := make(chan struct{}, 1<<12)
	p := launch(t, "--kubeconfig", bigAPI(t, endlessWatch(full)))
	before := p.memory("VmHWM")
	p.deaf(func(i int) string { return fmt.Sprintf("/clusters/c/api/v1/namespaces/n%d/pods?watch=true", i) }, streams)
	awaitFull(t, p, full, streams)
	if after := p.memory("VmHWM"); after > ceiling {
		t.Errorf("%d MiB, %d before; at most %d", after, before, ceiling)
	} else {
		t.Logf("%d streams of one viewer who reads nothing: %d MiB at most, %d before; the ceiling is %d", streams, after, before, ceiling)
	}
}

// TestMemoryOfManyViewersWhoReadNothing: the memory of the server has a bound for all viewers together, and returns to its start when they leave.
func TestMemoryOfManyViewersWhoReadNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	for _, crowd := range []struct{ viewers, streams, ceiling int }{{16, 50, 768}, {8, 250, 768}} {
		t.Run(fmt.Sprintf("%d viewers, %d streams", crowd.viewers, crowd.streams), func(t *testing.T) {
			full := make(chan struct{}, 1<<12)
			p := launch(t, "--max-viewers", "20", "--kubeconfig", bigAPI(t, endlessWatch(full)))
			page := p.page()
			ask := func() {
				response, err := page.Get("http://relay/contexts")
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = response.Body.Close() }()
				if body, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(body), `"c"`) {
					t.Errorf("/contexts beside them: %s, %v", body, err)
				}
			}
			ask()
			p.awaitRest()
			before, goroutines := p.memory("VmRSS"), p.metric("go_goroutines")
			var leave []func()
			for range crowd.viewers {
				leave = append(leave, p.deaf(func(i int) string { return fmt.Sprintf("/clusters/c/api/v1/namespaces/n%d/pods?watch=true", i) }, crowd.streams))
			}
			awaitFull(t, p, full, min(crowd.viewers*crowd.streams, 1000))
			ask() // a viewer that reads is served beside them
			peak := p.memory("VmHWM")
			for _, leave := range leave {
				leave()
			}
			for deadline := time.Now().Add(6 * patience); p.metric("informerscope_streams") > 0 || p.metric("go_goroutines") > goroutines+20; {
				if time.Now().After(deadline) {
					t.Fatalf("%d streams and %d goroutines remain, %d before", p.metric("informerscope_streams"), p.metric("go_goroutines"), goroutines)
				}
			}
			after, left := p.memory("VmRSS"), p.metric("go_goroutines")
			for deadline := time.Now().Add(6 * patience); after > before+64 && time.Now().Before(deadline); after = p.memory("VmRSS") {
				p.metric("go_goroutines") // the runtime collects as the program works, and returns memory in the background
			}
			t.Logf("%d viewers with %d streams each who read nothing: %d MiB at most, %d before, %d after; %d goroutines before, %d after",
				crowd.viewers, crowd.streams, peak, before, after, goroutines, left)
			if peak > crowd.ceiling || after > before+64 {
				t.Errorf("at most %d MiB, and %d when they have left", crowd.ceiling, before+64)
			}
		})
	}
}

// TestMemoryOfMetadata: 32 lists of Secrets at one time, each with an applied manifest of 100 KB that must not leave the server.
func TestMemoryOfMetadata(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	const lists, secrets, ceiling = 32, 100, 192
	annotation := strings.Repeat(`{\"data\":{\"password\":\"aHVudGVyMg==\"}} `, 100<<10/42)
	var together sync.WaitGroup
	together.Add(lists)
	kubeconfig := bigAPI(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		together.Done()
		together.Wait() // no list is answered before all have been requested
		_, _ = io.WriteString(w, `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"1"},"items":[`)
		for i := range secrets {
			if i > 0 {
				_, _ = io.WriteString(w, ",")
			}
			_, _ = fmt.Fprintf(w, `{"metadata":{"name":"s%d","annotations":{"kapp.k14s.io/original":"%s"}}}`, i, annotation)
		}
		_, _ = io.WriteString(w, "]}")
	})
	p := launch(t, "--kubeconfig", kubeconfig, "--allow-secrets-metadata")
	before := p.memory("VmHWM")
	var group sync.WaitGroup
	clients := []*http.Client{p.page(), p.page(), p.page(), p.page()}
	for _, client := range clients { // one connection for all requests of a client
		response, err := client.Get("http://relay/contexts")
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
	for i := range lists {
		group.Go(func() {
			response, err := clients[i%len(clients)].Get(fmt.Sprintf("http://relay/clusters/c/api/v1/namespaces/n%d/secrets", i))
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = response.Body.Close() }()
			body, err := io.ReadAll(response.Body)
			if err != nil || bytes.Contains(body, []byte("password")) || bytes.Count(body, []byte(`"kapp.k14s.io/original":"[redacted]"`)) != secrets {
				t.Errorf("list %d: %d bytes: %.300s, %v", i, len(body), body, err)
			}
		})
	}
	group.Wait()
	if after := p.memory("VmHWM"); after > ceiling {
		t.Errorf("%d MiB, %d before; at most %d", after, before, ceiling)
	} else {
		t.Logf("%d lists of the metadata of %d Secrets with 100 KB each: %d MiB at most, %d before; the ceiling is %d", lists, secrets, after, before, ceiling)
	}
}

// TestTheProgramEndsWhileAPluginHangs: SIGTERM ends it while 1,250 requests wait for a credential that never comes.
func TestTheProgramEndsWhileAPluginHangs(t *testing.T) {
	const viewers, streams = 5, 250
	dir := t.TempDir()
	running, config := filepath.Join(dir, "running"), filepath.Join(dir, "config")
	content := fmt.Sprintf("apiVersion: v1\nkind: Config\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: "+
		"'https://127.0.0.1:1'}}]\n"+
		"users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: sh, args: ['-c', 'touch %s; while :; do "+
		"sleep 1; done']}}}]\n", running)
	if err := os.WriteFile(config, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	p := launch(t, "--kubeconfig", config)
	for range viewers {
		p.deaf(func(i int) string { return fmt.Sprintf("/clusters/c/api/v1/namespaces/n%d/pods?watch=true", i) }, streams)
	}
	asked := func() bool {
		response, err := http.Get(p.base + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		raw, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		_, err = os.Stat(running)
		return err == nil && bytes.Contains(raw, fmt.Appendf(nil, "\ninformerscope_streams_total %d\n", viewers*streams))
	}
	for deadline := time.Now().Add(3 * patience); !asked(); {
		if time.Now().After(deadline) {
			t.Fatal("not all requests have come")
		}
	}
	began := time.Now()
	p.end()
	t.Logf("%d requests that wait for a credential plugin: the program ends %s after SIGTERM", viewers*streams, time.Since(began).Round(10*time.Millisecond))
}
