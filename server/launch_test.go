package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"informerscope/server/internal/testkit"
)

const fileToken = "token-of-a-file-0123456789"

// tokenFile writes a token file with the given mode.
func tokenFile(t *testing.T, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // the umask may have removed bits of the mode
		t.Fatal(err)
	}
	return path
}

func TestTokenFile(t *testing.T) {
	if s := parse(t, "--token-file", tokenFile(t, "\n "+fileToken+"\r\n", 0o600)); s.token != fileToken || s.tokenArgument {
		t.Errorf("%+v", s)
	}
	if s := parse(t, "--token-file", tokenFile(t, fileToken, 0o400)); s.token != fileToken {
		t.Errorf("%+v", s)
	}
	refused := map[string]struct {
		args []string
		says []string
	}{
		"missing":   {[]string{"--token-file", filepath.Join(t.TempDir(), "absent")}, []string{"does not exist", "umask 077"}},
		"directory": {[]string{"--token-file", t.TempDir()}, []string{"is a directory"}},
		"empty":     {[]string{"--token-file", tokenFile(t, "\n", 0o600)}, []string{"is empty"}},
		"short":     {[]string{"--token-file", tokenFile(t, "0123456789", 0o600)}, []string{"10 characters", "at least 16"}},
		"odd":       {[]string{"--token-file", tokenFile(t, "two words of a token", 0o600)}, []string{"letters"}},
		"large":     {[]string{"--token-file", tokenFile(t, strings.Repeat("x", 5000), 0o600)}, []string{"larger than"}},
		"both":      {[]string{"--token", fileToken, "--token-file", tokenFile(t, fileToken, 0o600)}, []string{"give one of them"}},
	}
	if runtime.GOOS != "windows" {
		for _, mode := range []os.FileMode{0o640, 0o604, 0o644, 0o660, 0o602, 0o777} {
			path := tokenFile(t, fileToken, mode)
			refused[mode.String()] = struct {
				args []string
				says []string
			}{[]string{"--token-file", path}, []string{"can be read by others", "chmod 600 " + path}}
		}
	}
	for name, test := range refused {
		_, err := parseFlags(test.args, noEnv, io.Discard)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, says := range test.says {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %q does not say %q", name, err, says)
			}
		}
		if strings.Contains(err.Error(), fileToken) {
			t.Errorf("%s: the message has the token: %v", name, err)
		}
	}
}

// TestAShortTokenIsToldSo checks the whole error that the program ends with, as main prints it.
func TestAShortTokenIsToldSo(t *testing.T) {
	for token, says := range map[string]string{
		"abc":                        "--token: 3 characters are too few for a token; give at least 16, or none for a random token",
		"fifteen-letters":            "--token: 15 characters are too few for a token; give at least 16, or none for a random token",
		"$ecret with odd characters": "--token: a token may consist of letters, digits and - . _ ~ only",
	} {
		err := run(t.Context(), []string{"--token", token}, io.Discard, io.Discard)
		if err == nil {
			t.Fatalf("%q is accepted", token)
		}
		if got := message(err); !strings.Contains(got, says) || strings.Contains(got, token) || strings.Contains(got, "redacted") {
			t.Errorf("%q", got)
		}
	}
}

// TestADirectoryThatOthersReadIsToldSo checks the whole error that the program ends with: redaction leaves it as it is.
func TestADirectoryThatOthersReadIsToldSo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its files have no such mode")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	err := run(t.Context(), []string{"--listen", "127.0.0.1:0", "--broadcast", "--broadcast-dir", dir}, io.Discard, io.Discard)
	if err == nil {
		t.Fatal("no error")
	}
	if got := message(err); !strings.Contains(got, "run chmod 700 "+dir+",") || strings.Contains(got, "redacted") {
		t.Errorf("%q", got)
	}
}

// TestWhatIsPrintedWhereItIsKept: standard output that is no terminal gets a given token, with a warning; it never gets a token from a file.
func TestWhatIsPrintedWhereItIsKept(t *testing.T) {
	r := start(t, parse(t, "--listen", "127.0.0.1:0", "--context", "demo"))
	if log := r.log.String(); !strings.Contains(log, "not a terminal: the token in the printed link") || !strings.Contains(log, "--token-file") {
		t.Errorf("it does not say so: %s", log)
	}
	var hosts = []string{"127.0.0.1:8080"}
	path := tokenFile(t, fileToken, 0o600)
	kept := newLinks(parse(t, "--token-file", path, "--context", "demo"), "http", hosts, []string{"192.0.2.1:8080"}, new(bytes.Buffer))
	if kept.firstLink != "http://127.0.0.1:8080/#source=live&context=demo" || kept.remoteLinks[0] != "http://192.0.2.1:8080/#source=live&context=demo" ||
		!strings.Contains(kept.warning, path) || strings.Contains(kept.warning, fileToken) {
		t.Errorf("%+v", kept)
	}
	if kept.ownLink != "http://127.0.0.1:8080/#token="+fileToken+"&source=live&context=demo" {
		t.Errorf("the browser is given %s", kept.ownLink)
	}
	if bare := newLinks(parse(t, "--token-file", path), "http", hosts, nil, new(bytes.Buffer)); bare.firstLink != "http://127.0.0.1:8080/" {
		t.Errorf("%+v", bare)
	}
	// A character device is taken for a terminal, whose output is not stored.
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = device.Close() }()
	seen := newLinks(parse(t, "--token-file", path), "http", hosts, nil, device)
	if seen.firstLink != "http://127.0.0.1:8080/#token="+fileToken || seen.warning != "" {
		t.Errorf("on a terminal: %+v", seen)
	}
	// The same with a running server: neither the output nor the log has the token.
	var out, log testkit.Log
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = serve(t.Context(), parse(t, "--listen", "127.0.0.1:0", "--token-file", path, "--log-level", "debug"), page, &out, &log)
	}()
	for deadline := time.Now().Add(patience); !strings.Contains(log.String(), "msg=serving"); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("it does not serve: %s", log.String())
		}
	}
	if !strings.HasPrefix(out.String(), "informerscope: open http://127.0.0.1:") || strings.Contains(out.String()+log.String(), fileToken) {
		t.Errorf("printed: %s\nlogged: %s", out.String(), log.String())
	}
	t.Cleanup(func() { <-served })
}

// TestATokenOnTheCommandLineIsToldOf: a token on the command line causes a warning, and one in the environment does not.
func TestATokenOnTheCommandLineIsToldOf(t *testing.T) {
	const says = "the token is on the command line"
	if r := start(t, parse(t, "--listen", "127.0.0.1:0", "--token", fileToken)); !strings.Contains(r.log.String(), says) {
		t.Errorf("%s", r.log)
	}
	s, err := parseFlags([]string{"--listen", "127.0.0.1:0"}, func(name string) (string, bool) { return fileToken, name == "INFORMERSCOPE_TOKEN" }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if r := start(t, s); strings.Contains(r.log.String(), says) {
		t.Errorf("%s", r.log)
	}
}

// TestOpenKeepsTheTokenOffTheCommandLine starts a browser that records its arguments and the file that it is given.
func TestOpenKeepsTheTokenOffTheCommandLine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the browser of this test is a shell script that stands in for xdg-open, as Linux has it")
	}
	bin, notes := t.TempDir(), filepath.Join(t.TempDir(), "notes")
	script := "#!/bin/sh\n{ echo \"arguments: $*\"; tr '\\0' ' ' < /proc/$$/cmdline; echo; tr '\\0' '\\n' < /proc/$$/environ; " +
		"stat -c 'file: %a' \"$1\"; stat -c 'directory: %a' \"$(dirname \"$1\")\"; echo \"path: $1\"; echo content:; cat \"$1\"; } > " + notes + ".part 2>&1; mv " +
		notes + ".part " + notes + "\n"
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("INFORMERSCOPE_TOKEN", fileToken)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out, log testkit.Log
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"--listen", "127.0.0.1:0", "--open", "--context", `a&b"c`}, &out, &log)
	}()
	var raw []byte
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		var err error
		if raw, err = os.ReadFile(notes); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no browser: %s", log.String())
		}
	}
	base, _, _ := strings.Cut(strings.TrimPrefix(out.String(), "informerscope: open "), "/#")
	started, content, _ := strings.Cut(string(raw), "content:\n")
	if strings.Contains(started, fileToken) || strings.Contains(started, base) {
		t.Errorf("the browser was started with the token:\n%s", started)
	}
	if !strings.Contains(started, "file: 600\n") || !strings.Contains(started, "directory: 700\n") {
		t.Errorf("others can read it:\n%s", started)
	}
	link := base + "/#token=" + fileToken + "&amp;source=live&amp;context=a%26b%22c"
	if !strings.Contains(content, `<meta http-equiv="refresh" content="0; url=`+link+`">`) || !strings.Contains(content, `<a href="`+link+`"`) {
		t.Errorf("the file leads elsewhere than to %s:\n%s", link, content)
	}
	_, path, _ := strings.Cut(started, "path: ")
	path = strings.TrimSpace(path)
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file is gone while the server runs: %v", err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if strings.Contains(log.String(), fileToken) {
		t.Errorf("the log has the token:\n%s", log.String())
	}
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("the file's directory is left behind: %v", err)
	}
}

// TestPublicNames asks a server that is published under other names, as its proxy does and as other clients do.
func TestPublicNames(t *testing.T) {
	s := parse(t, "--listen", "127.0.0.1:0", "--public-url", "https://viewer.example/", "--allowed-hosts", "localhost:9090", "--context", "demo")
	if l := newLinks(s, "http", []string{"127.0.0.1:8080"}, []string{"192.0.2.1:8080"}, io.Discard); !strings.HasPrefix(l.firstLink,
		"https://viewer.example/#token="+s.token+"&") || len(l.remoteLinks) != 0 {
		t.Errorf("the links are %+v", l)
	}
	s.publicURL = false // the test's own client finds the server by its first line
	r := start(t, s)
	local := strings.TrimPrefix(r.base, "http://")
	for _, test := range []struct {
		host, origin string
		files, relay int
	}{
		{"viewer.example", "https://viewer.example", 200, 101},
		{"viewer.example:443", "https://viewer.example", 200, 101},
		{"localhost:9090", "http://localhost:9090", 200, 101},
		{local, r.base, 200, 101},
		{local, "https://viewer.example", 200, 101},
		{"viewer.example", "http://viewer.example", 200, 403},
		{"viewer.example", "https://evil.example", 200, 403},
		{"localhost:9090", "https://localhost:9090", 200, 403},
		{"viewer.example", "", 200, 403},
		{"evil.example", "https://viewer.example", 403, 403},
		{"viewer.example:80", "http://viewer.example:80", 403, 403},
		{"localhost", "http://localhost", 403, 403},
	} {
		if response, _ := r.get("/", func(q *http.Request) { q.Host = test.host }); response.StatusCode != test.files {
			t.Errorf("a file of %s: %d", test.host, response.StatusCode)
		}
		dialer := websocket.Dialer{Subprotocols: []string{"informerscope.v1", "token." + r.token}, HandshakeTimeout: patience,
			NetDialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "tcp", local)
			}}
		header := http.Header{}
		if test.origin != "" {
			header.Set("Origin", test.origin)
		}
		ws, response, err := dialer.Dial("ws://"+test.host+"/relay", header)
		if err == nil {
			_ = ws.Close()
		}
		if response == nil {
			t.Fatal(err)
		}
		if response.StatusCode != test.relay {
			t.Errorf("the relay at %s for %q: %d, want %d", test.host, test.origin, response.StatusCode, test.relay)
		}
	}
}

// TestPublishedServersServeNamedContexts: a server on the loopback interface with a public name serves only the contexts that flags name.
func TestPublishedServersServeNamedContexts(t *testing.T) {
	config := kubeconfig(t, "https://127.0.0.1:1")
	for _, test := range []struct {
		args     []string
		contexts string
		warns    string
	}{
		{[]string{"--allowed-hosts", "localhost:9090"}, `"name":"kind-kind"`, ""},
		{[]string{"--allowed-hosts", "viewer.example"}, `"contexts":[]`, "serves only named contexts"},
		{[]string{"--allowed-hosts", "https://viewer.example", "--contexts", "kind-kind"}, `"name":"kind-kind"`, ""},
		{[]string{"--allowed-hosts", "viewer.example", "--contexts", "kind-kind"}, `"name":"kind-kind"`, "WITHOUT TLS"},
		{[]string{"--contexts="}, `"contexts":[]`, "serves no context"},
		{[]string{"--contexts", "other"}, `"contexts":[]`, `context \"other\" is not in the kubeconfig`},
	} {
		r := start(t, parse(t, append([]string{"--listen", "127.0.0.1:0", "--kubeconfig", config}, test.args...)...))
		response, err := r.page().Get("http://relay/contexts")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if !strings.Contains(string(body), test.contexts) {
			t.Errorf("%q: %s", test.args, body)
		}
		warned := strings.ReplaceAll(r.log.String(), "standard output is not a terminal", "")
		if test.warns == "" && (strings.Contains(warned, "named") || strings.Contains(warned, "TLS")) || !strings.Contains(warned, test.warns) {
			t.Errorf("%q: %s", test.args, warned)
		}
	}
	// On the loopback interface --context limits the contexts, and --contexts adds to it.
	for args, want := range map[string]int{"--context kind-kind": 200, "--context other": 403, "--context other --contexts kind-kind": 200,
		"--contexts other,kind-kind": 200, "": 200} {
		r := start(t, parse(t, append([]string{"--listen", "127.0.0.1:0", "--kubeconfig", config}, strings.Fields(args)...)...))
		response, err := r.page().Get("http://relay/trouble?context=kind-kind")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %d, want %d", args, response.StatusCode, want)
		}
	}
}

// TestMetricsListener: scrapers and health checks get an address of their own, by any name, without the page.
func TestMetricsListener(t *testing.T) {
	r := start(t, parse(t, "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0"))
	_, rest, _ := strings.Cut(r.log.String(), "a listener of their own\" address=")
	address, _, _ := strings.Cut(rest, "\n")
	apart := &running{t: t, base: "http://" + address, token: r.token}
	for _, test := range []struct {
		srv    *running
		path   string
		code   int
		within string
	}{
		{apart, "/metrics", 200, "informerscope_viewers 0"}, {apart, "/healthz", 200, "ok"}, {apart, "/readyz", 200, "ok"},
		{apart, "/", 404, "/metrics"}, {apart, "/app.js", 404, ""}, {apart, "/relay", 404, ""},
		{r, "/metrics", 404, "--metrics-listen"}, {r, "/healthz", 200, "ok"}, {r, "/readyz", 200, "ok"}, {r, "/", 200, "doctype"},
	} {
		response, body := test.srv.get(test.path, nil)
		if response.StatusCode != test.code || !strings.Contains(body, test.within) {
			t.Errorf("%s%s: %d %.200s", test.srv.base, test.path, response.StatusCode, body)
		}
	}
	if response, body := apart.get("/metrics", func(q *http.Request) { q.Host = "informerscope.monitoring.svc:9090" }); response.StatusCode != 200 ||
		strings.Contains(body, r.token) {
		t.Errorf("by a name of the network: %d", response.StatusCode)
	}
	var said bytes.Buffer
	if err := run(t.Context(), []string{"--metrics-listen", address, "--check", "readyz"}, &said, io.Discard); err != nil || said.String() != "ok\n" {
		t.Errorf("--check there: %v, %q", err, said.String())
	}
	// Idle connections keep no health check out, on either listener.
	attack(t, apart.base).hold(4*probeConnections, func(int) string { return "" })
	attack(t, r.base).hold(2*anonymousConnections, func(int) string { return "" })
	if response, _ := apart.get("/healthz", nil); response.StatusCode != 200 {
		t.Errorf("beside idle connections: %d", response.StatusCode)
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if _, err := http.Get(apart.base + "/healthz"); err == nil {
		t.Error("it goes on after the server's end")
	}
	for _, bad := range []string{"9090", "127.0.0.1:http", "127.0.0.1:99999"} {
		if err := serve(t.Context(), parse(t, "--listen", "127.0.0.1:0", "--metrics-listen", bad), page, io.Discard, io.Discard); err == nil ||
			!strings.Contains(err.Error(), "--metrics-listen") {
			t.Errorf("--metrics-listen %s: %v", bad, err)
		}
	}
}
