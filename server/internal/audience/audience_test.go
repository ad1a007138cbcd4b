package audience

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"informerscope/core/log/trace"
	"informerscope/core/log/tracefile"
	"informerscope/core/wire/broadcast"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
)

// speaker is a page that broadcasts.
type speaker struct {
	t    testing.TB
	hall *Hall
	rec  *trace.Recorder
	cut  *broadcast.Cutter
	id   string
	n    int
}

func speak(t testing.TB, hall *Hall, o broadcast.CutterOptions) *speaker {
	t.Helper()
	s := &speaker{t: t, hall: hall, rec: trace.NewRecorder(trace.RecorderOptions{})}
	text, _ := json.Marshal(event.Selection{Source: "sim", Version: "v1", Resource: "pods", Releases: []string{"1.37"}})
	s.rec.Emit(0, event.Selected{Selection: string(text)}.Event())
	s.begin(o)
	return s
}

func (s *speaker) begin(o broadcast.CutterOptions) {
	s.t.Helper()
	id, first, err := s.hall.Begin(true)
	if err != nil {
		s.t.Fatal(err)
	}
	o.First = first
	s.id, s.cut = id, broadcast.NewCutter(s.rec, o)
}

// store emits an object that enters the store.
func (s *speaker) store() {
	s.n++
	raw := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","namespace":"ns","resourceVersion":"%d"},"spec":{"x":"%s"},"status":{"phase":"Running"}}`,
		s.n, s.n, strings.Repeat("x", 100))
	o, err := object.Parse(raw)
	if err != nil {
		s.t.Fatal(err)
	}
	s.rec.Emit(0, event.Stored{Kind: event.KindStoreAdded, Key: fmt.Sprintf("ns/p%d", s.n), RV: fmt.Sprint(s.n), StoreRV: fmt.Sprint(s.n), Obj: o}.Event())
}

// send cuts the new events into a segment and posts it.
func (s *speaker) send() (sent []broadcast.Segment) {
	s.t.Helper()
	for {
		seg, ok, err := s.cut.Cut()
		if err != nil {
			s.t.Fatal(err)
		}
		if !ok {
			return sent
		}
		if err := s.hall.Segment(s.id, seg.N, seg.Bytes); err != nil {
			s.t.Fatal(err)
		}
		if sent = append(sent, seg); !seg.More {
			return sent
		}
	}
}

func open(t testing.TB, o Options) *Hall {
	t.Helper()
	h, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

func serve(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

func get(t testing.TB, url string) (*http.Response, []byte) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, body
}

func newest(t testing.TB, base string) (n Newest) {
	t.Helper()
	response, body := get(t, base+"head")
	if response.StatusCode != http.StatusOK || response.Header.Get("Cache-Control") != cacheBriefly {
		t.Fatalf("%s %v: %s", response.Status, response.Header, body)
	}
	if err := json.Unmarshal(body, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func decode(raw []byte) (any, error) { return object.Parse(raw) }

// follow applies the segments from number one to the newest.
func follow(t testing.TB, base string, from uint64) (*broadcast.Follower, *trace.Recorder) {
	t.Helper()
	rec := trace.NewRecorder(trace.RecorderOptions{})
	f := broadcast.NewFollower(rec, decode)
	for n := from; n <= newest(t, base).Segments; n++ {
		response, body := get(t, fmt.Sprintf("%ssegments/%d", base, n))
		if response.StatusCode != http.StatusOK {
			t.Fatalf("segment %d: %s: %s", n, response.Status, body)
		}
		if _, err := f.Apply(body); err != nil {
			t.Fatalf("segment %d: %v", n, err)
		}
	}
	return f, rec
}

func state(t testing.TB, rec *trace.Recorder) string {
	t.Helper()
	head, _ := rec.Head()
	s := rec.FoldAt(head).State()
	s.Source.Kind = ""
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestFollowersHaveTheSpeakersLog: a follower from the beginning and one from the newest checkpoint have the speaker's log. It also checks the
// headers of segments.
func TestFollowersHaveTheSpeakersLog(t *testing.T) {
	hall := open(t, Options{})
	base := serve(t, hall).URL + Prefix + hall.Token() + "/"
	if n := newest(t, base); n.Segments != 0 || n.Speaking || n.Ended || n.StartedAt != "" {
		t.Fatalf("before anybody spoke: %+v", n)
	}
	s := speak(t, hall, broadcast.CutterOptions{CheckpointBytes: 2000})
	for range 30 {
		for range 5 {
			s.store()
		}
		s.send()
	}
	n := newest(t, base)
	if n.First != 1 || n.Segments != 30 || n.Checkpoint < 2 || !n.Speaking || n.Ended || n.StartedAt == "" {
		t.Fatalf("head %+v", n)
	}
	_, whole := follow(t, base, 1)
	_, late := follow(t, base, n.Checkpoint)
	if want := state(t, s.rec); state(t, whole) != want || state(t, late) != want {
		t.Fatalf("the speaker's state\n%s\nthe followers'\n%s\n%s", want, state(t, whole), state(t, late))
	}
	response, body := get(t, base+"segments/7")
	header := response.Header
	if header.Get("Cache-Control") != cacheForever || header.Get("Content-Type") != "application/octet-stream" || header.Get("Content-Encoding") != "" ||
		header.Get("ETag") == "" || header.Get("Set-Cookie") != "" || header.Get("Vary") != "" {
		t.Errorf("headers %v", header)
	}
	request, _ := http.NewRequest(http.MethodGet, base+"segments/7", nil)
	request.Header.Set("If-None-Match", header.Get("ETag"))
	if second, err := http.DefaultClient.Do(request); err != nil || second.StatusCode != http.StatusNotModified {
		t.Errorf("asked again: %v, %v", second, err)
	}
	if only, err := http.Head(base + "segments/7"); err != nil || only.ContentLength != int64(len(body)) {
		t.Errorf("HEAD: %v, %v", only, err)
	}
	if st := hall.Status(); st.Followers == 0 || st.Bytes == 0 || st.Speaking == "" || st.Segments != 30 || st.Path != "/?audience#audience="+hall.Token() {
		t.Errorf("status %+v", st)
	}
}

// TestNextSegmentIsWaitedFor: many requests wait at once. A cache may share the answer to a wait that timed out, and a request too far ahead is
// refused.
func TestNextSegmentIsWaitedFor(t *testing.T) {
	hall := open(t, Options{Hold: 10 * time.Minute, MaxHeld: 20})
	base := serve(t, hall).URL + Prefix + hall.Token() + "/"
	s := speak(t, hall, broadcast.CutterOptions{})
	var waiting sync.WaitGroup
	bodies := make(chan string, 20)
	for range 20 {
		waiting.Go(func() {
			response, body := get(t, base+"segments/1")
			bodies <- fmt.Sprintf("%d %x", response.StatusCode, body)
		})
	}
	awaitHeld(t, hall, 20)
	if response, body := get(t, base+"segments/1"); response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("one too many: %s %s", response.Status, body)
	}
	s.send()
	waiting.Wait()
	close(bodies)
	awaitHeld(t, hall, 0)
	if response, _ := get(t, base+"segments/3"); response.StatusCode != http.StatusNotFound || response.Header.Get("Cache-Control") != cacheNever {
		t.Errorf("far ahead: %s", response.Status)
	}
	first := <-bodies
	for b := range bodies {
		if b != first || !strings.HasPrefix(first, "200 ") {
			t.Fatalf("one got %.40s, another %.40s", first, b)
		}
	}
	hall.o.Hold = time.Nanosecond
	if response, _ := get(t, base+"segments/2"); response.StatusCode != http.StatusNoContent || response.Header.Get("Cache-Control") != cacheBriefly {
		t.Errorf("a wait in vain: %s %v", response.Status, response.Header)
	}
}

// awaitHeld waits until n requests wait.
func awaitHeld(t testing.TB, h *Hall, n int) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; runtime.Gosched() {
		h.mu.Lock()
		now := h.inProgress
		h.mu.Unlock()
		if now == n {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d requests wait, want %d", now, n)
		}
	}
}

// TestWhoLeavesMakesRoom: a request whose client has left ends, and the end of the server ends all requests.
func TestWhoLeavesMakesRoom(t *testing.T) {
	hall := open(t, Options{Hold: 10 * time.Minute})
	base := serve(t, hall).URL + Prefix + hall.Token() + "/"
	ctx, leave := context.WithCancel(t.Context())
	request, _ := http.NewRequestWithContext(ctx, http.MethodGet, base+"segments/1", nil)
	gone := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(request)
		gone <- err
	}()
	awaitHeld(t, hall, 1)
	leave()
	if err := <-gone; err == nil {
		t.Error("the request was answered")
	}
	awaitHeld(t, hall, 0)
	stayed := make(chan int, 1)
	go func() {
		response, _ := get(t, base+"segments/1")
		stayed <- response.StatusCode
	}()
	awaitHeld(t, hall, 1)
	hall.Close()
	if code := <-stayed; code != http.StatusServiceUnavailable {
		t.Errorf("at the server's end it was answered with %d", code)
	}
}

// TestOnlyTheBroadcastCanBeRead checks tokens, methods and paths.
func TestOnlyTheBroadcastCanBeRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "talk")
	hall := open(t, Options{Dir: dir})
	s := speak(t, hall, broadcast.CutterOptions{})
	s.send()
	server := serve(t, hall)
	token := hall.Token()
	ask := func(method, path string, header http.Header) (int, http.Header, string) {
		t.Helper()
		request, err := http.NewRequest(method, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.URL.Opaque = "//" + request.URL.Host + path // unchanged
		for name, values := range header {
			request.Header[name] = values
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, response.Header, string(body)
	}
	if code, _, _ := ask(http.MethodGet, Prefix+token+"/segments/1", nil); code != http.StatusOK {
		t.Fatalf("the segment itself: %d", code)
	}
	wrong := []string{"", "x", token[:len(token)-1], token + "x", strings.ToLower(token), "%" + fmt.Sprintf("%x", token[0]) + token[1:], s.id}
	var said string
	for _, w := range wrong {
		for _, rest := range []string{"/head", "/segments/1", ""} {
			code, header, body := ask(http.MethodGet, Prefix+w+rest, nil)
			if code != http.StatusNotFound || header.Get("Cache-Control") != cacheNever {
				t.Errorf("token %q%s: %d %v", w, rest, code, header)
			}
			if said == "" {
				said = body
			}
			if body != said {
				t.Errorf("token %q%s is answered %q, another one %q", w, rest, body, said)
			}
		}
	}
	for _, path := range []string{"", "/", "/head/", "/HEAD", "/head?x=1", "/head?", "/segments", "/segments/", "/segments/0",
		"/segments/01", "/segments/+1", "/segments/1/",
		"/segments/-1", "/segments/1.gz", "/segments/0x1", "/segments/1?", "/segments/1?x=2", "/segments/%31", "/segments/../segments/1",
		"/segments/..", "/../relay", "/..%2f..%2ftalk.json",
		"/talk.json", "/segments/../talk.json", "/segments/segment-0000000001.gz", "/segments/99999999999999999999", "/broadcast",
		"/broadcast/begin", "//segments/1", "/segments//1", "/segments/1;x"} {
		code, header, body := ask(http.MethodGet, Prefix+token+path, nil)
		if code != http.StatusNotFound || header.Get("Cache-Control") != cacheNever || strings.Contains(body, token) {
			t.Errorf("%q: %d %v %.80q", path, code, header, body)
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions, http.MethodTrace, "PURGE"} {
		if code, header, _ := ask(method, Prefix+token+"/segments/1", nil); code != http.StatusMethodNotAllowed ||
			header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d %v", method, code, header)
		}
	}
	if _, header, _ := ask(http.MethodGet, Prefix+token+"/head",
		http.Header{"Origin": {"http://elsewhere.example"}}); header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("another page may read it")
	}
}

// TestSpeakerProtocol checks numbers, repetitions, taking over and the end.
func TestSpeakerProtocol(t *testing.T) {
	now := time.Now()
	hall := open(t, Options{Now: func() time.Time { return now }})
	problem := func(what string, err error, code int) *Problem {
		t.Helper()
		var p *Problem
		if !errors.As(err, &p) || p.Code != code {
			t.Fatalf("%s: %v, want %d", what, err, code)
		}
		return p
	}
	s := speak(t, hall, broadcast.CutterOptions{})
	s.store()
	one := s.send()[0]
	s.store()
	two, _, err := s.cut.Cut()
	if err != nil {
		t.Fatal(err)
	}
	if p := problem("a gap", hall.Segment(s.id, 3, two.Bytes), 409); p.Expected != 2 {
		t.Errorf("expected %d", p.Expected)
	}
	problem("a number that is not its own", hall.Segment(s.id, 2, one.Bytes), 400)
	problem("nonsense", hall.Segment(s.id, 2, []byte("x")), 400)
	problem("a stranger's", hall.Segment("x", 2, two.Bytes), 410)
	problem("nobody's", hall.Segment("", 2, two.Bytes), 410)
	if err := hall.Segment(s.id, 1, one.Bytes); err != nil {
		t.Errorf("a repetition: %v", err)
	}
	problem("a repetition with other bytes", hall.Segment(s.id, 1, two.Bytes), 409)
	if err := hall.Segment(s.id, 2, two.Bytes); err != nil {
		t.Fatal(err)
	}
	_, _, err = hall.Begin(false)
	problem("another page", err, 409)
	now = now.Add(time.Minute) // the page is gone
	id, first, err := hall.Begin(false)
	if err != nil || first != 3 {
		t.Fatalf("%d, %v", first, err)
	}
	problem("who was taken over from", hall.Segment(s.id, 3, two.Bytes), 410)
	problem("its end", hall.End(s.id), 410)
	s.id, s.cut = id, broadcast.NewCutter(s.rec, broadcast.CutterOptions{First: first})
	s.send()
	for range 2 {
		if err := hall.End(id); err != nil {
			t.Fatal(err)
		}
	}
	problem("after the end", hall.Segment(id, 5, two.Bytes), 410)
	base := serve(t, hall).URL + Prefix + hall.Token() + "/"
	n := newest(t, base)
	if !n.Ended || n.Speaking || n.First != 3 || n.Segments != 4 || n.Checkpoint != 3 {
		t.Fatalf("head %+v", n)
	}
	f, rec := follow(t, base, n.First)
	if !f.HasEnded() || state(t, rec) != state(t, s.rec) {
		t.Error("the recording is not what was spoken")
	}
	if response, _ := get(t, base+"segments/5"); response.StatusCode != http.StatusNotFound {
		t.Errorf("after the end: %s", response.Status)
	}
	// The numbers continue under the same token, because caches keep their segments.
	if _, first, err = hall.Begin(false); err != nil || first != 5 {
		t.Fatalf("%d, %v", first, err)
	}
}

// TestTalkOutlivesTheServer: the token, the segments and the speaker's place are in files that only their owner can read.
func TestTalkOutlivesTheServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "talk")
	hall := open(t, Options{Dir: dir})
	s := speak(t, hall, broadcast.CutterOptions{CheckpointBytes: 1000})
	for range 10 {
		s.store()
		s.send()
	}
	token := hall.Token()
	hall.Close()
	second := open(t, Options{Dir: dir, Memory: 1})
	if second.Token() != token {
		t.Fatal("the audience's token is another one")
	}
	s.hall = second
	for range 10 {
		s.store()
		s.send()
	}
	base := serve(t, second).URL + Prefix + token + "/"
	_, rec := follow(t, base, 1)
	if state(t, rec) != state(t, s.rec) {
		t.Error("the follower's state is another one")
	}
	if err := second.End(s.id); err != nil {
		t.Fatal(err)
	}
	second.Close()
	recording := open(t, Options{Dir: dir})
	f, rec := follow(t, serve(t, recording).URL+Prefix+token+"/", 1)
	if !f.HasEnded() || state(t, rec) != state(t, s.rec) {
		t.Error("the recording is not what was spoken")
	}
	if runtime.GOOS == "windows" {
		return
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", f.Name(), info.Mode(), err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("a directory that others can read: %v", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // only root can give a directory away
		if err := os.Chown(dir, 12345, -1); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "another user") {
			t.Errorf("a directory of another user: %v", err)
		}
		if err := os.Chown(dir, 0, -1); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, recordFile), []byte(`{"token":""}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged record: %v", err)
	}
}

// TestMemoryIsBounded: without a directory the oldest segments up to a checkpoint are dropped, and the numbers show it.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	const limit = 100_000
	hall := open(t, Options{Memory: limit})
	base := serve(t, hall).URL + Prefix + hall.Token() + "/"
	s := speak(t, hall, broadcast.CutterOptions{CheckpointBytes: 4000})
	for range 300 {
		for range 4 {
			s.store()
		}
		s.send()
		if hall.store.bytes > 2*limit {
			t.Fatalf("%d bytes are kept", hall.store.bytes)
		}
	}
	n := newest(t, base)
	if n.First < 2 {
		t.Fatalf("head %+v: nothing went", n)
	}
	_, rec := follow(t, base, n.First)
	if state(t, rec) != state(t, s.rec) {
		t.Error("the follower's state is another one")
	}
	if response, _ := get(t, base+"segments/1"); response.StatusCode != http.StatusNotFound || response.Header.Get("Cache-Control") != cacheNever {
		t.Errorf("what is not kept: %s", response.Status)
	}
	// Without a second checkpoint nothing can be dropped, so further segments are refused.
	small := open(t, Options{Memory: 2000})
	s = speak(t, small, broadcast.CutterOptions{CheckpointBytes: 1 << 30, CheckpointEvery: time.Hour})
	for range 2000 {
		s.store()
		seg, ok, err := s.cut.Cut()
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if err := small.Segment(s.id, seg.N, seg.Bytes); err != nil {
			var p *Problem
			if !errors.As(err, &p) || p.Code != 507 || !strings.Contains(p.Message, "--broadcast-dir") {
				t.Fatal(err)
			}
			return
		}
	}
	t.Error("everything was kept")
}

// TestSegmentsAreCheckedAnew: if a page sends forbidden data, the audience gets none of it.
func TestSegmentsAreCheckedAnew(t *testing.T) {
	const secret = "canary-credential"
	for _, objects := range []bool{false, true} {
		hall := open(t, Options{Objects: objects, Text: func(s string) string { return strings.ReplaceAll(s, secret, "[redacted]") },
			Object: func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("canary-annotation"), []byte("gone")) }})
		s := speak(t, hall, broadcast.CutterOptions{Bodies: true})
		for i, raw := range []string{
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","annotations":{"x":"canary-annotation"}},"spec":{"x":"canary-body","y":"` + secret + `"}}`,
			`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"b","labels":{"x":"canary-secret"}},"data":{"x":"canary-secret"}}`,
			`{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"c","labels":{"x":"canary-secret"}}}`,
		} {
			o, err := object.Parse([]byte(raw))
			if err != nil {
				t.Fatal(err)
			}
			s.rec.Emit(0, event.Stored{Kind: event.KindStoreAdded, Key: fmt.Sprint(i), Obj: o}.Event())
		}
		s.rec.Emit(0, event.Note{Text: secret}.Event())
		if err := s.cut.Position([]byte(`{"page":{"word":"` + secret + `"}}`)); err != nil {
			t.Fatal(err)
		}
		s.send()
		base := serve(t, hall).URL + Prefix + hall.Token() + "/"
		_, rec := follow(t, base, 1)
		var file bytes.Buffer
		if err := tracefile.WriteLog(&file, tracefile.Header{}, rec, nil); err != nil {
			t.Fatal(err)
		}
		if text := file.String(); strings.Contains(text, secret) || strings.Contains(text, "canary-annotation") || strings.Contains(text, "canary-secret") ||
			strings.Contains(text, "canary-body") != objects {
			t.Errorf("objects=%v: %s", objects, text)
		}
	}
}
