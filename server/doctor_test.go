package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// ill is a recording of three relists in two minutes, whose listener's name tries to change the terminal.
func ill() string {
	sel := `{"source":"probe","group":"","version":"v1","resource":"pods","namespace":"","eras":["1.37"]}`
	quoted, _ := json.Marshal(sel)
	var b strings.Builder
	fmt.Fprintf(&b, `{"format":"informerscope-trace","version":1,"selection":%s,"clientGo":"v0.37.2"}`+"\n", sel)
	fmt.Fprintf(&b, `{"s":1,"t":0,"k":"Selected","txt":%s}`+"\n", quoted)
	b.WriteString(`{"s":2,"t":0,"k":"InformerStarted","era":"1.37"}` + "\n" + `{"s":3,"t":0,"k":"InformerSynced"}` + "\n")
	b.WriteString(`{"s":4,"t":0,"k":"ListenerAdded","li":1,"txt":"mailer\u001b[2J\u0007"}` + "\n")
	for i := range 3 {
		fmt.Fprintf(&b, `{"s":%d,"t":%d,"k":"WatchClosed","req":1,"err":{"msg":"too old resource version","code":410,"reason":"Expired"}}`+"\n", 5+2*i, (i+1)*40e9)
		fmt.Fprintf(&b, `{"s":%d,"t":%d,"k":"ListWatchStarted","txt":"too old resource version"}`+"\n", 6+2*i, (i+1)*40e9)
	}
	b.WriteString(`{"s":11,"t":121000000000,"k":"Handled","li":1,"key":"default/web","err":{"msg":"index\u001b[31m out of range"}}` + "\n")
	return b.String()
}

// healthy is a recording in which nothing is wrong.
func healthy() string { return strings.Join(strings.SplitAfter(ill(), "\n")[:5], "") }

// examine runs the doctor, and returns what it printed and its exit status.
func examine(t *testing.T, args ...string) (stdout string, status int, err error) {
	t.Helper()
	var out bytes.Buffer
	err = run(t.Context(), append([]string{"doctor"}, args...), &out, io.Discard)
	var exit *exitStatus
	var usage *usageError
	switch {
	case err == nil:
	case errors.As(err, &usage):
		status = 2
	case errors.As(err, &exit):
		status = exit.code
	default:
		t.Errorf("%v: an error of another kind: %v", args, err)
	}
	return out.String(), status, err
}

func write0600(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDoctorOfAFile prints findings for people and for programs, and ends with the status that a CI needs.
func TestDoctorOfAFile(t *testing.T) {
	file := write0600(t, "x.trace", ill())
	out, status, _ := examine(t, file)
	if status != 1 {
		t.Errorf("status %d", status)
	}
	order := 0
	for _, part := range []string{"x.trace: 11 events in 121 s", "CRITICAL  A handler panics  (handler-panic)", "pods, since 121.0 s in the log, exact: event 11",
		`Panics of mailer\u001b[2J\u0007: 1.`, "WARNING   The informer lists everything again and again  (relist-loop)", "It relisted 3 times within 80 s",
		"410 Expired", "#story=relists",
		"To see a finding: informerscope --open, drop ", `wrong"`} {
		i := strings.Index(out, part)
		if i < order {
			t.Errorf("%q is not in its place in\n%s", part, out)
		}
		order = max(order, i)
	}
	if strings.ContainsAny(out, "\x1b\x07") {
		t.Errorf("what a recording contains reaches the terminal: %q", out)
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, " ") && len([]rune(line)) > findingWidth+1 {
			t.Errorf("a line of %d columns: %s", len([]rune(line)), line)
		}
	}

	out, status, _ = examine(t, file, "--json")
	var r report
	if err := json.Unmarshal([]byte(out), &r); err != nil || status != 1 || r.Events != 11 || r.Seconds != 121 || len(r.Findings) != 2 ||
		r.Findings[1].Rule != "relist-loop" || r.Findings[1].What.ZH == "" {
		t.Errorf("%v, status %d: %s", err, status, out)
	}

	for _, part := range []string{"\u001b]0;x\u0007", "\u001b[2J", "\u202e", "\u2066", "\u009b", "\u007f", "\nno findings"} {
		name, _ := json.Marshal("pods" + part)
		for _, member := range []string{"resource", "group"} {
			old := map[string]string{"resource": `"resource":"pods"`, "group": `"group":""`}[member]
			now := fmt.Sprintf("%q:%s", member, name)
			quotedWas, _ := json.Marshal(old)
			quotedIs, _ := json.Marshal(now)
			text := strings.ReplaceAll(strings.ReplaceAll(ill(), old, now), string(quotedWas[1:len(quotedWas)-1]), string(quotedIs[1:len(quotedIs)-1]))
			file := write0600(t, "name.trace", text)
			out, status, err := examine(t, file)
			if status != 1 || strings.ContainsFunc(out, func(r rune) bool { return r != '\n' && !unicode.IsGraphic(r) }) || strings.Contains(out, "\nno findings") {
				t.Errorf("%s %q: status %d, %v: %q", member, part, status, err, out)
			}
			if out, _, _ := examine(t, "--json", file); !json.Valid([]byte(out)) || strings.Contains(out, part) {
				t.Errorf("%s %q: %q", member, part, out)
			}
		}
	}

	file = write0600(t, "well.trace", healthy())
	if out, status, err := examine(t, file); status != 0 || err != nil || !strings.Contains(out, "no findings") {
		t.Errorf("%v, status %d: %s", err, status, out)
	}
	if out, status, _ := examine(t, "--json", file); status != 0 || !strings.Contains(out, `"findings": []`) {
		t.Errorf("status %d: %s", status, out)
	}
	if out, _, _ := examine(t, write0600(t, "cut.trace", ill()+`{"s":12,"t":`)); !strings.Contains(out, "the recording is damaged: line 13") {
		t.Errorf("a damaged recording: %s", out)
	}
	for _, damage := range []string{`{"s":5,"t":`, `{"s":5,"t":0,"k":"Unheard"}`, "\x00"} {
		if out, status, err := examine(t, write0600(t, "cut.trace", healthy()+damage)); status != 2 || err == nil || !strings.Contains(out, "no findings") {
			t.Errorf("damaged by %q, without findings: status %d, %v: %s", damage, status, err, out)
		}
	}
}

// TestDoctorOfAProcess records a process with a probe. Only the probe gets its token.
func TestDoctorOfAProcess(t *testing.T) {
	const token = "a-token-of-the-probe"
	var asked string
	probe := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.String()
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = io.WriteString(w, ill())
	}))
	defer probe.Close()
	file := write0600(t, "token", token)
	out, status, err := examine(t, probe.URL+"/debug/informerscope/", "--seconds=3", "--informers=pods,nodes", "--attach-token-file", file)
	if status != 1 || !strings.Contains(out, "relist-loop") || asked != "/debug/informerscope/trace?informers=pods%2Cnodes&seconds=3" {
		t.Errorf("%v, status %d, asked %s: %s", err, status, asked, out)
	}
	t.Setenv("INFORMERSCOPE_ATTACH_TOKEN", token)
	if _, status, err := examine(t, probe.URL); status != 1 || asked != "/trace?seconds=30" {
		t.Errorf("%v, status %d, asked %s", err, status, asked)
	}
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, "a\x1b[2J\x07\u202eb\x9b")
	}))
	defer evil.Close()
	if _, status, err := examine(t, evil.URL); status != 2 || err == nil || !strings.Contains(message(err), "b") ||
		strings.ContainsFunc(message(err), func(r rune) bool { return !unicode.IsGraphic(r) }) {
		t.Errorf("an answer that changes the terminal: status %d, %q", status, message(err))
	}
	t.Setenv("INFORMERSCOPE_ATTACH_TOKEN", "")
	if _, status, err := examine(t, probe.URL); status != 2 || !strings.Contains(err.Error(), "requires a token") {
		t.Errorf("without its token: %v, status %d", err, status)
	}
}

// TestDoctorRefuses what it cannot examine, with status 2 and a sentence that says what to do.
func TestDoctorRefuses(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	for _, tc := range []struct {
		args []string
		says string
	}{
		{nil, "takes one recording, or the URL of a probe, and 0 are given"},
		{[]string{"a", "b"}, "and 2 are given"},
		{[]string{"/nowhere/x.trace"}, "the recording cannot be read"},
		{[]string{t.TempDir()}, "is a directory"},
		{[]string{write0600(t, "x.txt", "hello")}, "not a trace file"},
		{[]string{write0600(t, "empty.trace", strings.SplitAfter(healthy(), "\n")[0])}, "has no events"},
		{[]string{"ftp://x/y"}, "not the http or https URL"},
		{[]string{"http://user:secret@localhost/"}, "must not have a user"},
		{[]string{"http://127.0.0.1:1/"}, "refuses connections"},
		{[]string{other.URL}, "is that a probe's handler?"},
		{[]string{other.URL, "--seconds=0"}, "not between 1 and 3600"},
		{[]string{other.URL, "--informers=a&b"}, "not a list of informers"},
		{[]string{other.URL, "--attach-token-file=/nowhere"}, "does not exist"},
		{[]string{"x.trace", "--jsn"}, "unknown flag"},
	} {
		out, status, err := examine(t, tc.args...)
		if status != 2 || out != "" || err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v: status %d, %v, printed %q", tc.args, status, err, out)
		}
	}
}
