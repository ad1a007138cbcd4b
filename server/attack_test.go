package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"informerscope/server/internal/testkit"
)

// attacker is a client on the network without a token. It keeps its connections open until release.
type attacker struct {
	t       *testing.T
	address string // host:port of the server
	mu      sync.Mutex
	held    []net.Conn
}

func attack(t *testing.T, base string) *attacker {
	a := &attacker{t: t, address: strings.TrimPrefix(base, "http://")}
	t.Cleanup(a.release)
	return a
}

// hold opens n connections, sends what send returns on each, and keeps them open. The server may close some of them.
func (a *attacker) hold(n int, send func(i int) string) {
	a.t.Helper()
	var opening sync.WaitGroup
	next := make(chan int)
	for range 16 {
		opening.Go(func() {
			for i := range next {
				conn, err := net.DialTimeout("tcp", a.address, patience)
				if err != nil {
					a.t.Errorf("connection %d of %d: %v", i, n, err)
					continue
				}
				_, _ = io.WriteString(conn, send(i))
				a.mu.Lock()
				a.held = append(a.held, conn)
				a.mu.Unlock()
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	opening.Wait()
}

// drip sends one more byte on each connection that is held, as slow clients do. Those that the server has closed are skipped.
func (a *attacker) drip() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, conn := range a.held {
		_ = conn.SetWriteDeadline(time.Now().Add(patience))
		_, _ = io.WriteString(conn, "x")
	}
}

func (a *attacker) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, conn := range a.held {
		_ = conn.Close()
	}
	a.held = nil
}

// upgrade is a page's request for a WebSocket, with any token, without the empty line that ends it.
func (a *attacker) upgrade(token string) string {
	return "GET /relay HTTP/1.1\r\nHost: " + a.address + "\r\nOrigin: http://" + a.address + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Protocol: informerscope.v1, token." + token + "\r\n"
}

// guess tries n wrong tokens, several at a time, and returns how many were refused.
func (a *attacker) guess(n int) int {
	a.t.Helper()
	var guessing sync.WaitGroup
	var mu sync.Mutex
	refused := 0
	next := make(chan int)
	for range 16 {
		guessing.Go(func() {
			for i := range next {
				conn, err := net.DialTimeout("tcp", a.address, patience)
				if err != nil {
					a.t.Errorf("guess %d: %v", i, err)
					continue
				}
				_ = conn.SetDeadline(time.Now().Add(patience))
				if _, err = io.WriteString(conn, a.upgrade(fmt.Sprintf("guess%015d", i))+"\r\n"); err == nil {
					var response *http.Response
					reader := bufio.NewReader(conn)
					if response, err = http.ReadResponse(reader, nil); err == nil {
						reason := ""
						if response.StatusCode == http.StatusSwitchingProtocols {
							// Up to eight refusals at a time are close frames, with the code after a header of two bytes.
							frame := make([]byte, 4)
							if _, err := io.ReadFull(reader, frame); err == nil && frame[0] == 0x88 && int(frame[2])<<8|int(frame[3]) == 4401 {
								reason = "token"
							}
						} else if body, _ := io.ReadAll(response.Body); response.StatusCode == http.StatusForbidden &&
							strings.Contains(string(body), "wrong token") {
							reason = "token"
						}
						if reason == "token" {
							mu.Lock()
							refused++
							mu.Unlock()
						}
					}
				}
				if err != nil {
					a.t.Errorf("guess %d: %v", i, err)
				}
				_ = conn.Close()
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	guessing.Wait()
	return refused
}

// getsIn checks that a page with the token becomes a viewer now, that files and health checks are served, and that earlier viewers still work.
func (r *running) getsIn(while string, before *http.Client) {
	r.t.Helper()
	newcomer := r.page()
	for what, client := range map[string]*http.Client{"a new viewer": newcomer, "a viewer from before": before} {
		response, err := client.Get("http://relay/contexts")
		if err != nil {
			r.t.Fatalf("%s, %s: %v", while, what, err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			r.t.Errorf("%s, %s: %d", while, what, response.StatusCode)
		}
	}
	newcomer.CloseIdleConnections()
	for path, says := range map[string]string{"/": "<!doctype html>", "/healthz": "ok"} {
		if response, body := r.get(path, nil); response.StatusCode != http.StatusOK || !strings.Contains(strings.ToLower(body), says) {
			r.t.Errorf("%s, %s: %d", while, path, response.StatusCode)
		}
	}
}

// number reads one of the metrics; a counter that is missing is 0.
func (r *running) number(name string) int {
	r.t.Helper()
	_, body := r.get("/metrics", nil)
	match := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(body)
	if match == nil {
		return 0
	}
	value, err := strconv.ParseFloat(match[1], 64)
	if err != nil {
		r.t.Fatal(err)
	}
	return int(value)
}

// siege attacks the server in one way after the other, all of them held to the end, and checks after each that people get in. The attacker requests
// the file large and does not read it.
func (r *running) siege(connections, guesses int, large string) {
	r.t.Helper()
	before := r.page()
	r.getsIn("at rest", before)
	a := attack(r.t, r.base)
	padding := "X-Padding: " + strings.Repeat("x", 8<<10) + "\r\n"
	for _, wave := range []struct {
		name string
		send func(int) string
	}{
		{"idle connections", func(int) string { return "" }},
		{"half-sent headers", func(int) string { return "GET / HTTP/1.1\r\nHost: " + a.address + "\r\n" + padding }},
		{"half-sent upgrades", func(int) string { return a.upgrade("0123456789abcdef0123") }},
		{"connections kept after an answer", func(int) string { return "GET /healthz HTTP/1.1\r\nHost: " + a.address + "\r\n\r\n" }},
		{"answers that are not read", func(int) string {
			return "GET /" + large + " HTTP/1.1\r\nHost: " + a.address + "\r\n\r\n"
		}},
		{"WebSockets with a wrong token that are not read", func(int) string { return a.upgrade("0123456789abcdef0123") + "\r\n" }},
		{"other names", func(int) string { return "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n" }},
		{"something that is not HTTP", func(int) string { return "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 not HTTP\r\n\r\n" }},
	} {
		began := time.Now()
		a.hold(connections, wave.send)
		a.drip()
		held := time.Now()
		r.getsIn("beside "+strconv.Itoa(connections)+" "+wave.name, before)
		r.t.Logf("%s: held after %s, in after %s", wave.name, held.Sub(began).Round(time.Millisecond), time.Since(held).Round(time.Millisecond))
	}
	// Guesses while all of those are held; people get in during them, too.
	refusals := r.number(`informerscope_refusals_total{rule="token"}`)
	done := make(chan int)
	go func() { done <- a.guess(guesses) }()
	r.getsIn("during guesses", before)
	if refused := <-done; refused != guesses {
		r.t.Errorf("%d of %d wrong tokens were refused as such", refused, guesses)
	}
	if now := r.number(`informerscope_refusals_total{rule="token"}`); now-refusals < guesses {
		r.t.Errorf("%d wrong tokens are counted, there were %d", now-refusals, guesses)
	}
	r.getsIn("after guesses", before)
	a.release()
	r.getsIn("afterwards", before)
}

// TestUnderAttackPeopleGetIn holds more than a thousand connections of each kind without a token: other clients still get in, viewers work on, and
// the log stays short.
func TestUnderAttackPeopleGetIn(t *testing.T) {
	s := parse(t, "--listen", "127.0.0.1:0", "--max-viewers", "4", "--kubeconfig", kubeconfig(t, "http://127.0.0.1:1"))
	r := start(t, s)
	goroutines := runtime.NumGoroutine()
	r.siege(1100, 2000, "large.gz")
	if viewers := r.number("informerscope_viewers_total"); viewers != 1+12 {
		t.Errorf("%d viewers came; the first one had to come again, or a newcomer did", viewers)
	}
	if closed := r.number(`informerscope_refusals_total{rule="connections"}`); closed < 1000 {
		t.Errorf("%d connections had to make room", closed)
	}
	// What the attacker held has left no goroutine running.
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > goroutines+10; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines before, %d after", goroutines, runtime.NumGoroutine())
		}
	}
	// Nor does it delay the shutdown: connections that wait are cut when their time is over.
	a := attack(t, r.base)
	a.hold(100, func(int) string { return "GET / HTTP/1.1\r\n" })
	began := time.Now()
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > shutdownTimeout+patience/2 {
		t.Errorf("it took %s to stop", took)
	}
	log := r.log.String()
	for rule, most := range map[string]int{"token": 8, "connections": 8, "host": 8} {
		if lines := strings.Count(log, "rule="+rule); lines == 0 || lines > most {
			t.Errorf("%d lines tell of the rule %s", lines, rule)
		}
	}
	if lines := strings.Count(log, "\n"); lines > 100 {
		t.Errorf("the log has %d lines:\n%.3000s", lines, log)
	}
	// The lines add up to what was counted.
	sum := strings.Count(log, `once a minute" rule=token`)
	for _, match := range regexp.MustCompile(`rule=token times=(\d+)`).FindAllStringSubmatch(log, -1) {
		n, _ := strconv.Atoi(match[1])
		sum += n
	}
	if sum < 2000 {
		t.Errorf("the log counts %d wrong tokens:\n%s", sum, log)
	}
}

// TestUnderAttackMemoryIsBounded attacks the program as it is built, and reads its peak memory from the system.
func TestUnderAttackMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the most memory that a process held is read from /proc, which Linux has")
	}
	const ceiling = 160 << 20
	program := filepath.Join(t.TempDir(), "informerscope")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--listen", "127.0.0.1:0", "--max-viewers", "4", "--kubeconfig", kubeconfig(t, "http://127.0.0.1:1"))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var log testkit.Log
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "informerscope: open ")
	base, token, whole := strings.Cut(address, "/#token=")
	if err != nil || !ok || !whole {
		t.Fatalf("first line %q, %v; %s", line, err, log.String())
	}
	r := &running{t: t, base: base, token: token}
	r.get("/app.js", nil)
	before := peakMemory(t, cmd.Process.Pid)
	large := "app.js"
	if _, err := os.Stat("../web/informerscope.wasm.gz"); err == nil { // it is built, and so in the program
		large = "informerscope.wasm"
	}
	r.siege(1500, 2000, large)
	peak := peakMemory(t, cmd.Process.Pid)
	t.Logf("the most memory that the server held before the attack: %.1f MiB, and under it: %.1f MiB", float64(before)/(1<<20), float64(peak)/(1<<20))
	if peak > ceiling {
		t.Errorf("the server held %d bytes, more than %d", peak, ceiling)
	}
	cancel()
	if err := cmd.Wait(); err != nil && ctx.Err() == nil {
		t.Error(err)
	}
	if len(log.String()) > 64<<10 {
		t.Errorf("the log has %d bytes:\n%.3000s", len(log.String()), log.String())
	}
	if strings.Contains(log.String(), token) {
		t.Error("the log has the token")
	}
}

// peakMemory is the peak resident memory of a process.
func peakMemory(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`).FindSubmatch(status)
	if match == nil {
		t.Fatalf("no VmHWM in\n%s", status)
	}
	kilobytes, err := strconv.ParseInt(string(match[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// TestViewersAndOthersHaveTheirOwnPlaces: a server that is full of viewers still serves files and health checks, and gives the next viewer the
// reason.
func TestViewersAndOthersHaveTheirOwnPlaces(t *testing.T) {
	r := start(t, parse(t, "--listen", "127.0.0.1:0", "--max-viewers", "2"))
	first, second := r.page(), r.page()
	for _, client := range []*http.Client{first, second} {
		response, err := client.Get("http://relay/contexts")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	attack(t, r.base).hold(anonymousConnections, func(int) string { return "" })
	dialer := websocket.Dialer{Subprotocols: []string{"informerscope.v1", "token." + r.token}, HandshakeTimeout: patience}
	ws, _, err := dialer.Dial("ws"+strings.TrimPrefix(r.base, "http")+"/relay", http.Header{"Origin": {r.base}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.Close() }()
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseTryAgainLater) {
		t.Errorf("a third viewer gets %v", err)
	}
	for _, path := range []string{"/", "/healthz", "/readyz", "/metrics"} {
		if response, _ := r.get(path, nil); response.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", path, response.StatusCode)
		}
	}
}
