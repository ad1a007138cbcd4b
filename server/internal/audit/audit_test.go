package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"informerscope/server/internal/scrub"
)

func redact(text string) string { return strings.ReplaceAll(text, "hunter2", "[redacted]") }

// lines are the written entries, each of which must be one line of JSON.
func lines(t *testing.T, text string) []Entry {
	t.Helper()
	var out []Entry
	for line := range strings.Lines(text) {
		var e Entry
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&e); err != nil || !strings.HasSuffix(line, "}\n") {
			t.Fatalf("%q: %v", line, err)
		}
		out = append(out, e)
	}
	return out
}

// TestLines: a request has a line when it ends, and a watch also one when it begins, each with the viewer and the resource.
func TestLines(t *testing.T) {
	var out bytes.Buffer
	l := New(&out, redact, func(err error) { t.Error(err) })
	w := httptest.NewRecorder()
	watch := l.Begin(w, Entry{Request: 1, Viewer: 7, Remote: "127.0.0.1:5"})
	Describe(watch, func(e *Entry) {
		e.Context, e.Verb, e.Version, e.Resource, e.Namespace = "kind", "watch", "v1", "pods", "a"
	})
	watch.WriteHeader(http.StatusOK)
	if err := http.NewResponseController(watch).Flush(); err != nil || !w.Flushed {
		t.Errorf("it cannot be flushed: %v", err)
	}
	_, _ = io.WriteString(watch, "the body of hunter2")
	watch.End()
	list := l.Begin(httptest.NewRecorder(), Entry{Request: 2, Viewer: 7})
	Describe(list, func(e *Entry) { e.Verb, e.Context = "list", "hunter2\n\""+strings.Repeat("x", 300) })
	_, _ = io.WriteString(list, "body")
	list.End()
	unanswered := l.Begin(httptest.NewRecorder(), Entry{Request: 3})
	unanswered.End()
	Describe(httptest.NewRecorder(), func(*Entry) { t.Error("what is not audited is described") })
	if lost := l.Close(time.Minute); lost != 0 {
		t.Errorf("%d lost", lost)
	}
	if strings.Contains(out.String(), "hunter2") || strings.Contains(out.String(), "body") {
		t.Errorf("a credential, or a body, in\n%s", &out)
	}
	got := lines(t, out.String())
	if len(got) != 4 {
		t.Fatalf("%d lines:\n%s", len(got), &out)
	}
	for i, want := range []Entry{
		{Stage: Started, Request: 1, Viewer: 7, Remote: "127.0.0.1:5", Context: "kind", Verb: "watch", Version: "v1", Resource: "pods",
			Namespace: "a", Status: 200},
		{Stage: Complete, Request: 1, Viewer: 7, Remote: "127.0.0.1:5", Context: "kind", Verb: "watch", Version: "v1", Resource: "pods",
			Namespace: "a", Status: 200, Bytes: 19},
		{Stage: Complete, Request: 2, Viewer: 7, Context: "[redacted]\n\"" + strings.Repeat("x", 241) + "…", Verb: "list", Status: 200, Bytes: 4},
		{Stage: Complete, Request: 3},
	} {
		e := got[i]
		if e.Time.IsZero() || e.Began.IsZero() || (e.Ended == nil) != (e.Stage == Started) || e.Ended != nil && (e.Ended.Before(e.Began) || e.Millis < 0) {
			t.Errorf("the times of %+v", e)
		}
		e.Time, e.Began, e.Ended, e.Millis = time.Time{}, time.Time{}, nil, 0
		if e != want {
			t.Errorf("%+v, want %+v", e, want)
		}
	}
}

// TestTextsOfViewers: whatever a viewer sends, a line has no character that reverses it or controls a terminal. It has no part of a credential,
// wherever the string is cut, and it is short.
func TestTextsOfViewers(t *testing.T) {
	s := new(scrub.Scrubber)
	const secret = "hunter2-hunter2-hunter2"
	s.Learn("x", []string{secret})
	var out bytes.Buffer
	l := New(&out, s.Line, func(err error) { t.Error(err) })
	l.Add(Entry{Context: "a\u202eb\u2066c\u200bd\u009b31me\x7ff\x1b[2Jg\n{\"stage\":1}\u2028\ufeff\xff", Name: "é界"})
	for n := range maxString + 10 {
		l.Add(Entry{Name: strings.Repeat("a", n) + secret})
	}
	l.Add(Entry{Own: strings.Repeat("token=x", 9<<10)})
	l.Close(time.Minute)
	invisible := func(c rune) bool { return c != '\n' && !unicode.IsGraphic(c) }
	if strings.ContainsFunc(out.String(), invisible) || !strings.Contains(out.String(), "é界") {
		t.Errorf("invisible characters in %.500q", out.String())
	}
	entries := lines(t, out.String())
	if want := `a\u202eb\u2066c\u200bd\u009b31me\u007ff` + "\x1b[2Jg\n{\"stage\":1}" + `\u2028\ufeff` + "\ufffd"; entries[0].Context != want {
		t.Errorf("%q, want %q", entries[0].Context, want)
	}
	for n, e := range entries[1 : maxString+11] {
		if strings.Contains(e.Name, "h") || len(e.Name) > maxString+len("…") {
			t.Errorf("behind %d characters: %q", n, e.Name)
		}
	}
	if e := entries[len(entries)-1]; e.Own != "(64512 bytes)" {
		t.Errorf("%q is written of 64512 bytes", e.Own)
	}
}

// stuck accepts nothing until free is closed.
type stuck struct {
	free chan struct{}
	mu   sync.Mutex
	n    int
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.free
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	return len(p), nil
}

// TestNothingIsLostBeforeTheEnd: requests wait for a log that is stuck, but the end of the program does not.
func TestNothingIsLostBeforeTheEnd(t *testing.T) {
	out := &stuck{free: make(chan struct{})}
	l := New(out, redact, func(err error) { t.Error(err) })
	const all = queueLength + 50
	added := make(chan struct{}, all)
	for range all {
		go func() {
			l.Add(Entry{})
			added <- struct{}{}
		}()
	}
	for range queueLength { // as many as the queue has room for
		<-added
	}
	out.free <- struct{}{}
	close(out.free)
	for range all - queueLength {
		<-added
	}
	if lost := l.Close(time.Minute); lost != 0 || out.n != all {
		t.Errorf("%d lost, %d of %d written", lost, out.n, all)
	}

	out = &stuck{free: make(chan struct{})}
	l = New(out, redact, func(err error) { t.Error(err) })
	var adding sync.WaitGroup
	for range queueLength + 50 {
		adding.Go(func() { l.Add(Entry{}) })
	}
	l.Hurry()
	adding.Wait()
	if lost := l.Close(time.Millisecond); lost != queueLength+50 {
		t.Errorf("%d of %d lost", lost, queueLength+50)
	}
	close(out.free)
	<-l.done
}

type failing struct{ errs []error }

func (f *failing) Write(p []byte) (int, error) {
	err := f.errs[0]
	f.errs = f.errs[1:]
	return len(p), err
}

// TestFailures: fail is called when writing begins to fail, not once a line.
func TestFailures(t *testing.T) {
	full := errors.New("no space left on device")
	var told []error
	l := New(&failing{[]error{full, full, nil, full, nil}}, redact, func(err error) { told = append(told, err) })
	for range 5 {
		l.Add(Entry{})
	}
	if lost := l.Close(time.Minute); lost != 3 || len(told) != 2 {
		t.Errorf("%d lost, told %v", lost, told)
	}
}
