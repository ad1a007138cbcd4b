package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/core/log/tracefile"
	"informerscope/core/page/story/storyfile"
	"informerscope/core/words/event"
)

// recordThreeEvents is a recording of three events, one of which is a note and one a relist.
func recordThreeEvents(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	events := []event.Entry{
		{Seq: 1, At: time.Second, Event: event.ListWatchStarted{Why: "first list", First: true}.Event()},
		{Seq: 2, At: 2 * time.Second, Event: event.Note{Text: "here it began"}.Event()},
		{Seq: 3, At: 3 * time.Second, Event: event.ListWatchStarted{Why: "too old"}.Event()},
	}
	h := tracefile.Header{Selection: event.Selection{Source: "live", Version: "v1", Resource: "pods", Releases: []string{"1.37"}}}
	if err := tracefile.WriteFile(&b, h, func(yield func(*event.Entry) bool) {
		for i := range events {
			if !yield(&events[i]) {
				return
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestStoryFrom drafts a story from a recording, into the recording's directory and into another one. The result is then served.
func TestStoryFrom(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	file := filepath.Join(dir, "Talk.trace")
	if err := os.WriteFile(file, recordThreeEvents(t), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		into string
		args []string
	}{{dir, []string{"story", "from", file}}, {other, []string{"story", "from", file, "-o", other, "--worst"}}} {
		var out bytes.Buffer
		if err := run(t.Context(), c.args, &out, io.Discard); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(c.into, "talk.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := storyfile.Read("talk.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		steps := 3
		if c.into == other {
			steps = 1
		}
		if len(s.Steps) != steps || s.Recording != "Talk.trace" {
			t.Errorf("%v: %d steps on %s", c.args, len(s.Steps), s.Recording)
		}
		if !strings.Contains(out.String(), "the worst minute begins at 3s (10.0 points") || !strings.Contains(out.String(), "it relisted: too old") ||
			!strings.Contains(out.String(), "written: ") {
			t.Errorf("%v prints\n%s", c.args, out.String())
		}
	}
	if err := run(t.Context(), []string{"story", "from", file}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("what has been filled in is overwritten: %v", err)
	}
	// With --stories the server serves the recording, and no other file of that directory.
	if err := os.WriteFile(filepath.Join(other, "another.trace"), []byte("private"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "lost.yaml"), []byte(strings.ReplaceAll(storyOn(t, other), "Talk.trace", "gone.trace")), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, parse(t, "--listen=127.0.0.1:0", "--stories="+other))
	if log := r.log.String(); !strings.Contains(log, "lost.yaml: it plays on the recording gone.trace, which must be in the same directory") {
		t.Errorf("the log does not say what is missing:\n%s", log)
	}
	mine := func(q *http.Request) { q.Header.Set("Authorization", "Bearer "+r.token) }
	for _, change := range []func(q *http.Request){
		nil,
		func(q *http.Request) { q.Header.Set("Authorization", "Bearer ") },
		func(q *http.Request) { q.Header.Set("Authorization", "Bearer "+r.token+"x") },
		func(q *http.Request) { q.Header.Set("Authorization", "Basic "+r.token) },
		func(q *http.Request) {
			mine(q)
			q.Header.Add("Authorization", "Bearer another")
		},
		func(q *http.Request) { q.URL.RawQuery = "token=" + r.token },
	} {
		if response, body := r.get("/stories/recordings/Talk.trace", change); response.StatusCode != http.StatusUnauthorized || strings.Contains(body, r.token) {
			t.Errorf("without the token it is answered with %s: %.100s", response.Status, body)
		}
	}
	if response, body := r.get("/stories/recordings/Talk.trace", mine); response.StatusCode != http.StatusOK || body != string(recordThreeEvents(t)) ||
		response.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s %.100s", response.Status, body)
	}
	for _, path := range []string{"another.trace", "talk.yaml", "gone.trace", "", "../talk.yaml", "%2e%2e/talk.yaml", "Talk.trace/"} {
		if response, body := r.get("/stories/recordings/"+path, mine); response.StatusCode == http.StatusOK {
			t.Errorf("%s is answered with %.100s", path, body)
		}
	}
	elsewhere := func(r *http.Request) { r.Host = "elsewhere.example" }
	if response, _ := r.get("/stories/recordings/Talk.trace", elsewhere); response.StatusCode != http.StatusForbidden {
		t.Errorf("under another name it is answered with %s", response.Status)
	}
}

func storyOn(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "talk.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestStoryFromSaysWhatToDo gives the command what it cannot use.
func TestStoryFromSaysWhatToDo(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("a.trace", string(recordThreeEvents(t)))
	large := write("large.trace", string(recordThreeEvents(t)))
	if err := os.Truncate(large, tracefile.MaxFile+1); err != nil { // a sparse file
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"story"}, "story from FILE"},
		{[]string{"story", "of"}, "story from FILE"},
		{[]string{"story", "from"}, "takes one recording, and 0 are given"},
		{[]string{"story", "from", "a", "b"}, "takes one recording, and 2 are given"},
		{[]string{"story", "from", "--wrong", "a"}, "wrong"},
		{[]string{"story", "from", filepath.Join(dir, "nowhere.trace")}, "the recording cannot be read"},
		{[]string{"story", "from", write("b.trace", "{}")}, "not a trace file"},
		{[]string{"story", "from", write("b c.trace", string(recordThreeEvents(t)))}, "call it by letters"},
		{[]string{"story", "from", large}, "at most 536870912: record a shorter time"},
		{[]string{"story", "from", good, "-o", filepath.Join(dir, "nowhere")}, "give a directory that exists"},
	} {
		if err := run(t.Context(), c.args, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.args, err, c.want)
		}
	}
	for _, args := range [][]string{{"story", "--help"}, {"story", "from", "--help"}} {
		var said bytes.Buffer
		if err := run(t.Context(), args, &said, io.Discard); err != nil || !strings.Contains(said.String(), "Drafts a story from a recording") {
			t.Errorf("%v: %v\n%s", args, err, said.String())
		}
	}
}
