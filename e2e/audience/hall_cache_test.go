package audience_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

// nginxProgram is the nginx program, if installed.
func nginxProgram() (string, error) {
	if program := os.Getenv("INFORMERSCOPE_NGINX"); program != "" {
		return exec.LookPath(program)
	}
	if program, err := exec.LookPath("nginx"); err == nil {
		return program, nil
	}
	return exec.LookPath("/usr/sbin/nginx")
}

// TestHallBehindACache runs the lines of docs/dev/broadcast.md. A hundred followers behind nginx cost the server about as much as one, and end with the
// speaker's log, as followers that ask the server itself do.
func TestHallBehindACache(t *testing.T) {
	program, err := nginxProgram()
	if err != nil {
		// e2e/install-browsers.sh fails if CI could have installed it.
		t.Skipf("left out: no nginx here (%v); install it, or name it in INFORMERSCOPE_NGINX", err)
	}
	const followers = 100
	srv := harness.StartServer(t, "--listen", "127.0.0.1:0", "--broadcast")
	base, _, _ := strings.Cut(srv.URL, "/#")
	// Count the requests on their way to the server.
	upstream, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	var segments, others atomic.Int64
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(upstream) }}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	counting := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/segments/") {
			segments.Add(1)
		} else {
			others.Add(1)
		}
		forward.ServeHTTP(w, r)
	})}
	go func() { _ = counting.Serve(ln) }()
	t.Cleanup(func() { _ = counting.Close() })

	address := startNginx(t, program, ln.Addr().String())
	cut, outcome := talkTo(t, srv, followers, 6, func(u string) string { return "http://" + address + strings.TrimPrefix(u, base) })
	asked := segments.Load()
	t.Logf("%d followers sent %d requests; of %d segments %d requests reached the server, of the numbers %d", followers, outcome.Requests,
		cut, asked, others.Load())
	// Each segment is requested once, except when nginx lets a second follower through after a wait that timed out.
	if limit := int64(2*cut + 10); asked > limit {
		t.Errorf("%d requests for %d segments reached the server, want at most %d", asked, cut, limit)
	}
	if outcome.Requests < followers*int64(cut)/2 {
		t.Errorf("the followers sent %d requests for %d segments: this is no test", outcome.Requests, cut)
	}
	// These lines do not publish the relay and the metrics.
	for _, path := range []string{"/relay", "/metrics"} {
		response, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, response.Status)
		}
	}
}

var nginxLines = regexp.MustCompile("(?s)```nginx\n(.*?)```")

// startNginx runs the documented lines on a free port, in front of upstream, and returns the port's address.
func startNginx(t *testing.T, program, upstream string) string {
	t.Helper()
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "dev", "broadcast.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := nginxLines.FindSubmatch(text)
	if m == nil {
		t.Fatal("docs/dev/broadcast.md has no lines for nginx")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	_ = ln.Close()
	lines := strings.ReplaceAll(string(m[1]), "http://127.0.0.1:8080", "http://"+upstream)
	lines = strings.ReplaceAll(lines, "listen 8090;", "listen "+address+";")
	if strings.Count(lines, upstream) != 2 || strings.Count(lines, address) != 1 {
		t.Fatalf("the documented lines are others than this test knows:\n%s", lines)
	}
	dir := t.TempDir()
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;\n" // only root can read the temporary directory
	}
	config := user + "worker_processes 1;\npid nginx.pid;\nerror_log stderr;\nevents { worker_connections 2048; }\nhttp {\naccess_log off;\n"
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		config += fmt.Sprintf("%s_temp_path %s;\n", kind, filepath.Join(dir, kind))
	}
	config += lines + "}\n"
	if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	artifacts, err := layout.Artifacts(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	p, err := proc.Start("nginx", artifacts, program, nil, "-p", dir, "-c", "nginx.conf", "-e", "stderr", "-g", "daemon off;")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.StopGroup(5 * time.Second) })
	if err := p.Wait(harness.Timeout(t, time.Minute), func(ctx context.Context) error {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err == nil {
			err = c.Close()
		}
		return err
	}); err != nil {
		t.Fatalf("%v\n%s", err, p.LogTail(20))
	}
	return address
}
