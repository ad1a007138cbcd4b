package clusters

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/server/internal/testkit"

	"informerscope/core/words/cause"
)

// TestAPluginsOutputIsBounded: output as long as a credential passes, and arguments and exit code are unchanged; a plugin that prints more is ended.
func TestAPluginsOutputIsBounded(t *testing.T) {
	log := new(testkit.Log)
	if err := LogPlugins(slog.New(slog.NewTextHandler(log, nil))); err != nil {
		t.Fatal(err)
	}
	said := func(words string) {
		t.Helper()
		for deadline := time.Now().Add(20 * time.Second); !strings.Contains(log.String(), words); {
			if time.Now().After(deadline) {
				t.Fatalf("%q is not in %s", words, log)
			}
		}
	}
	got := make(chan string, 1)
	api := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.Header.Get("Authorization") }))
	defer api.Close()
	spaces := func(n int) string { return fmt.Sprintf("head -c %d /dev/zero | tr '\\0' ' '", n) }
	for name, test := range map[string]struct{ script, token, says, logs string }{
		"large":          {spaces(maxCredential-200) + "; " + credential("large-one"), "large-one", "", ""},
		"too large":      {spaces(maxCredential) + "; " + credential("too-large"), "", "login-helper failed with exit code 1", "printed more than 1024 KiB"},
		"endless":        {"exec yes", "", "login-helper failed with exit code 1", "printed more than 1024 KiB"},
		"fails":          {"echo no login today >&2; exit 7", "", "login-helper failed with exit code 7", "no login today"},
		"is killed":      {"kill -9 $$", "", "login-helper failed with exit code 1", "signal: killed"},
		"leaves a child": {credential("left-alone") + "; sleep 60 &", "left-alone", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := NewLoader(pluginConfig(t, api, test.script), "")
			defer l.Close()
			u, err := l.Upstream("c")
			if err != nil {
				t.Fatal(err)
			}
			_, err = ask(t.Context(), t, u)
			if test.token != "" {
				if err != nil {
					t.Fatal(err)
				}
				if token := <-got; token != "Bearer "+test.token {
					t.Errorf("sent %q", token)
				}
				return
			}
			if id, words := u.Explain(err); id != cause.ExecPlugin || !strings.Contains(words, test.says) || strings.Contains(words, os.Args[0]) {
				t.Errorf("%v: %s: %s", err, id, words)
			}
			said(test.logs)
		})
	}
}

// TestAPluginThatIsNotThereYet: until the plugin is installed the error is client-go's; then it runs with unchanged arguments.
func TestAPluginThatIsNotThereYet(t *testing.T) {
	got := make(chan string, 1)
	api := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.Header.Get("Authorization") }))
	defer api.Close()
	config := pluginConfig(t, api, "")
	raw, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	absent := filepath.Join(t.TempDir(), "helper")
	_, rest, _ := strings.Cut(string(raw), `"command":"`)
	command, _, _ := strings.Cut(rest, `"`)
	text := strings.Replace(strings.Replace(string(raw), command, absent, 1), `"interactiveMode"`, `"args":["-x","","a b"],"interactiveMode"`, 1)
	l := NewLoader(write(t, "config", text), "")
	defer l.Close()
	u, err := l.Upstream("c")
	if err != nil {
		t.Fatal(err)
	}
	_, err = ask(t.Context(), t, u)
	if id, words := u.Explain(err); id != cause.ExecPlugin || !strings.Contains(words, absent+": no such file") {
		t.Errorf("%s: %s", id, words)
	}
	if err := os.WriteFile(absent, []byte("#!/bin/sh\n[ \"$#$1$2$3\" = '3-xa b' ] || exit 9\n"+credential("now-it-is-there")+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if u, err = l.Upstream("c"); err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t.Context(), t, u); err != nil {
		t.Fatal(err)
	}
	if token := <-got; token != "Bearer now-it-is-there" {
		t.Errorf("sent %q", token)
	}
	if second, err := l.Upstream("c"); err != nil || second != u {
		t.Errorf("the way to it is another one: %v", err)
	}
}

// TestLinesOfPluginsAreBounded: lines that are too long, or too many in a minute, are left out, and a line reports that.
func TestLinesOfPluginsAreBounded(t *testing.T) {
	var got []string
	now := time.Unix(0, 0)
	text := "one\r\n\n" + strings.Repeat("x", maxPluginLine) + "\n" + strings.Repeat("y", 5*maxPluginLine) + "\ntwo\n" + strings.Repeat("many\n", 1000)
	eachLine(io.MultiReader(strings.NewReader(text), passing(func() { now = now.Add(time.Minute) }), strings.NewReader("later\nend")),
		func() time.Time { return now }, func(line string) { got = append(got, line) })
	long := "(a line of more than 16 KiB is left out)"
	want := append([]string{"one", long, long, "two"}, strings.Split(strings.TrimSpace(strings.Repeat("many ", maxPluginLines-5)), " ")...)
	want = append(want, "(more lines of this minute are left out)")
	if want = append(want, "later", "end"); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q", got)
	}
}

// passing is an empty reader that calls the function when it is read.
type passing func()

func (f passing) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}
