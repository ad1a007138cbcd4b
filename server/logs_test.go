package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// lists is an API server whose lists are empty.
func lists(t *testing.T) *httptest.Server {
	t.Helper()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`)
	}))
	t.Cleanup(api.Close)
	return api
}

// read lists pods as a viewer, and returns the answer.
func (r *running) read() string {
	r.t.Helper()
	response, err := r.page().Get("http://relay/clusters/kind-kind/api/v1/pods")
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(body)
}

// TestLogFormat: with --log-format json every line is JSON, and no line has a credential.
func TestLogFormat(t *testing.T) {
	r := start(t, parse(t, "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig(t, lists(t).URL), "--context", "kind-kind", "--log-format", "json",
		"--log-level", "debug"))
	_ = r.read()
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(r.log.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil || fields["time"] == nil || fields["level"] == nil {
			t.Errorf("not a line of JSON: %q, %v", line, err)
		}
		seen[fields["msg"].(string)] = true
	}
	for _, msg := range []string{"serving", "viewer connected", "request served", "shutting down"} {
		if !seen[msg] {
			t.Errorf("no line says %q:\n%s", msg, r.log)
		}
	}
}

// TestAuditLog: the file of --audit-log gets one line for each request after what it had before, and only its owner may read it. If it cannot be
// written, the server does not start.
func TestAuditLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.log")
	args := []string{"--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig(t, lists(t).URL), "--context", "kind-kind", "--audit-log", file}
	for round := range 2 {
		r := start(t, parse(t, args...))
		body := r.read()
		if _, numbers := r.get("/metrics", nil); !strings.Contains(numbers, "\ninformerscope_audit_lost_total 0\n") {
			t.Errorf("lost lines are not counted:\n%s", numbers)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
		var e map[string]any
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &e); err != nil || len(lines) != round+1 {
			t.Fatalf("round %d: %v in\n%s", round, err, raw)
		}
		if e["verb"] != "list" || e["resource"] != "pods" || e["context"] != "kind-kind" || e["status"] != float64(200) || e["bytes"] != float64(len(body)) ||
			e["viewer"] != float64(1) {
			t.Errorf("the line is %v", e)
		}
		if text := string(raw); strings.Contains(text, r.token) || strings.Contains(text, "upstream") || strings.Contains(text, "PodList") {
			t.Errorf("a token or a body in %s", text)
		}
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	args[len(args)-1] = t.TempDir()
	if err := serve(t.Context(), parse(t, args...), page, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "--audit-log") ||
		!strings.Contains(err.Error(), args[len(args)-1]) {
		t.Errorf("a directory: %v", err)
	}
}

// TestAuditLogThatIsStuck: standard output accepts only the first line. The server still ends, and logs how many lines are lost.
func TestAuditLogThatIsStuck(t *testing.T) {
	r := start(t, parse(t, "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig(t, lists(t).URL), "--context", "kind-kind", "--audit-log", "-"))
	_ = r.read()
	_ = r.read()
	began := time.Now()
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > patience {
		t.Errorf("it took %s to stop", took)
	}
	if !strings.Contains(r.log.String(), "lines of the audit log are lost") {
		t.Errorf("the log does not report the loss:\n%s", r.log)
	}
	if !strings.Contains(r.out(), `"verb":"list"`) { // the line from before it got stuck
		t.Errorf("standard output has\n%s", r.out())
	}
}

// TestReadyKnowsTheUpstream: with a named context the server is ready when that API server answers; without one it asks none.
func TestReadyKnowsTheUpstream(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	path := kubeconfig(t, gone.URL)
	r := start(t, parse(t, "--listen", "127.0.0.1:0", "--kubeconfig", path, "--context", "kind-kind"))
	if response, body := r.get("/readyz", nil); response.StatusCode != 503 || !strings.Contains(body, "[-]context kind-kind failed: ") ||
		!strings.Contains(body, "refuses the connection") {
		t.Errorf("/readyz: %d %s", response.StatusCode, body)
	}
	if response, body := r.get("/healthz", nil); response.StatusCode != 200 || body != "ok\n" {
		t.Errorf("/healthz: %d %s", response.StatusCode, body)
	}
	if !strings.Contains(r.log.String(), "not ready") {
		t.Errorf("the log does not say why:\n%s", r.log)
	}
	r = start(t, parse(t, "--listen", "127.0.0.1:0", "--kubeconfig", path))
	if response, body := r.get("/readyz?verbose", nil); response.StatusCode != 200 || body != "[+]serving ok\nreadyz check passed\n" {
		t.Errorf("without a context: %d %s", response.StatusCode, body)
	}
	r = start(t, parse(t, "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig(t, lists(t).URL), "--context", "kind-kind"))
	if response, body := r.get("/readyz?verbose", nil); response.StatusCode != 200 || !strings.Contains(body, "[+]context kind-kind ok") {
		t.Errorf("a context that answers: %d %s", response.StatusCode, body)
	}
}

// TestTheLastErrorIsJSONToo: with --log-format json the error that keeps the server from starting is a line of JSON.
func TestTheLastErrorIsJSONToo(t *testing.T) {
	args := []string{"--listen", "127.0.0.1:123456", "--log-format", "json", "--kubeconfig", kubeconfig(t, "https://127.0.0.1:1")}
	var out strings.Builder
	err := run(t.Context(), args, io.Discard, &out)
	var logged *loggedError
	var usage *usageError
	if !errors.As(err, &logged) || !errors.As(err, &usage) {
		t.Errorf("%v", err)
	}
	for line := range strings.Lines(out.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Errorf("not a line of JSON: %q", line)
		}
	}
	if !strings.Contains(out.String(), `"level":"ERROR","msg":"the server ends","error":"--listen`) {
		t.Errorf("standard error:\n%s", out.String())
	}
	if err := run(t.Context(), append(args, "--log-format", "text"), io.Discard, io.Discard); err == nil || errors.As(err, &logged) {
		t.Errorf("as text main says it: %v", err)
	}
}

func TestLogFlags(t *testing.T) {
	if s := parse(t); s.logJSON || s.auditLog != "" {
		t.Errorf("by default: %+v", s)
	}
	if s := parse(t, "--log-format", "text"); s.logJSON {
		t.Error("text is JSON")
	}
	env := map[string]string{"INFORMERSCOPE_LOG_FORMAT": "json", "INFORMERSCOPE_AUDIT_LOG": "-"}
	if s, err := parseFlags(nil, func(name string) (string, bool) { v, ok := env[name]; return v, ok }, io.Discard); err != nil || !s.logJSON ||
		s.auditLog != "-" {
		t.Errorf("from the environment: %+v, %v", s, err)
	}
	if _, err := parseFlags([]string{"--log-format", "xml"}, noEnv, io.Discard); err == nil ||
		!strings.Contains(err.Error(), `--log-format: "xml" is neither text nor json`) {
		t.Errorf("another form: %v", err)
	}
}
