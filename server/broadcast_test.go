package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/wire/broadcast"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
	"informerscope/server/internal/audience"
)

// speaker is a page that broadcasts through the relay.
type speaker struct {
	t      *testing.T
	client *http.Client
	rec    *trace.Recorder
	cut    *broadcast.Cutter
	id     string
	pods   int
}

// post sends a request of the speaker's, and reads its answer.
func post(t *testing.T, client *http.Client, path string, body []byte, into any) int {
	t.Helper()
	response, err := client.Post("http://relay"+path, "application/octet-stream", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if into != nil && json.Unmarshal(text, into) != nil {
		t.Fatalf("%s: %s: %s", path, response.Status, text)
	}
	return response.StatusCode
}

func speak(t *testing.T, r *running) *speaker {
	t.Helper()
	s := &speaker{t: t, client: r.page(), rec: trace.NewRecorder(trace.RecorderOptions{})}
	s.rec.Emit(0, event.Selected{Selection: `{"source":"sim","group":"","version":"v1","resource":"pods","namespace":"","eras":["1.37"]}`}.Event())
	var begun struct {
		ID    string
		First uint64
	}
	if code := post(t, s.client, "/broadcast/begin", []byte(`{"header":{"format":"informerscope-trace"},"take":false}`),
		&begun); code != 200 || begun.ID == "" {
		t.Fatalf("begin: %d %+v", code, begun)
	}
	s.id, s.cut = begun.ID, broadcast.NewCutter(s.rec, broadcast.CutterOptions{First: begun.First, Bodies: true, CheckpointBytes: 4000})
	return s
}

// say makes a pod that the audience sees, and sends it.
func (s *speaker) say(extra string) {
	s.t.Helper()
	s.pods++
	o, err := object.Parse(fmt.Appendf(nil,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","namespace":"ns","resourceVersion":"%d"%s},"status":{"phase":"Running"}}`, s.pods, s.pods, extra))
	if err != nil {
		s.t.Fatal(err)
	}
	s.rec.Emit(0, event.Stored{Kind: event.KindStoreAdded, Key: fmt.Sprintf("ns/p%d", s.pods), RV: fmt.Sprint(s.pods),
		StoreRV: fmt.Sprint(s.pods), Obj: o}.Event())
	if err := s.cut.Position([]byte(`{"seq":1,"mode":"live"}`)); err != nil {
		s.t.Fatal(err)
	}
	seg, ok, err := s.cut.Cut()
	if err != nil || !ok {
		s.t.Fatal(ok, err)
	}
	if code := post(s.t, s.client, fmt.Sprintf("/broadcast/segments?id=%s&n=%d", s.id, seg.N), seg.Bytes, nil); code != 200 {
		s.t.Fatalf("segment %d: %d", seg.N, code)
	}
}

// follower follows by plain HTTP, as an audience's page does.
type follower struct {
	t    *testing.T
	base string // with the token
	rec  *trace.Recorder
	f    *broadcast.Follower
	next uint64
}

func follow(t *testing.T, base string, from uint64) *follower {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	return &follower{t: t, base: base, rec: rec, f: broadcast.NewFollower(rec, func(raw []byte) (any, error) { return object.Parse(raw) }), next: from}
}

// until follows until the log has reached seq, and retries while the server is away.
func (f *follower) until(seq uint64) {
	f.t.Helper()
	for end := time.Now().Add(2 * patience); ; {
		if head, _ := f.rec.Head(); head >= seq {
			return
		}
		if time.Now().After(end) {
			f.t.Fatalf("event %d does not come; segment %d is next", seq, f.next)
		}
		response, err := http.Get(fmt.Sprintf("%ssegments/%d", f.base, f.next))
		if err != nil {
			continue // the server is away
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			continue
		}
		if _, err := f.f.Apply(body); err != nil {
			f.t.Fatalf("segment %d: %v", f.next, err)
		}
		f.next++
	}
}

func (f *follower) keys() (keys []string) {
	head, _ := f.rec.Head()
	f.rec.FoldAt(head).Objects(0).Range(func(c *fold.Cell) bool {
		keys = append(keys, c.Key)
		return true
	})
	return keys
}

// audienceLink is the audience's link that the server printed.
func audienceLink(t *testing.T, r *running) (base, token string) {
	t.Helper()
	for line := range strings.Lines(r.out()) {
		if address, ok := strings.CutPrefix(strings.TrimSpace(line), "informerscope: the audience opens "); ok {
			base, token, ok = strings.Cut(address, "/?audience#audience=")
			if !ok || token == r.token {
				t.Fatalf("the link is %q", address)
			}
			return base + audience.Prefix + token + "/", token
		}
	}
	t.Fatalf("no link is printed:\n%s", r.out())
	return "", ""
}

// TestAudienceSurvivesARestart: after a restart of the server a follower goes on where it was, and so does the speaker. Afterwards the link is a
// recording.
func TestAudienceSurvivesARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "talk")
	s := parse(t, "--listen", "127.0.0.1:0", "--broadcast", "--broadcast-dir", dir, "--token", "a-token-of-the-launch")
	r := start(t, s)
	base, token := audienceLink(t, r)
	page := speak(t, r)
	f := follow(t, base, 1)
	for range 5 {
		page.say("")
	}
	f.until(6)
	followed := make(chan struct{})
	go func() { // it retries while the server is away
		defer close(followed)
		f.until(11)
	}()
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	s.listen = strings.TrimPrefix(r.base, "http://")
	r = start(t, s)
	if second, same := audienceLink(t, r); second != base || same != token {
		t.Fatalf("the audience's link was %s, and is %s", base, second)
	}
	page.client = r.page()
	for range 5 {
		page.say("")
	}
	<-followed
	if t.Failed() {
		return
	}
	if code := post(t, page.client, "/broadcast/end?id="+page.id, nil, nil); code != 200 {
		t.Fatalf("end: %d", code)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	r = start(t, s)
	recording := follow(t, base, 1)
	recording.until(11)
	if a, b := fmt.Sprint(f.keys()), fmt.Sprint(recording.keys()); a != b || len(recording.keys()) != 10 {
		t.Errorf("live %s, recorded %s", a, b)
	}
	if _, body := r.get(strings.TrimPrefix(base, r.base)+"head", nil); !strings.Contains(body, `"ended":true`) {
		t.Errorf("head %s", body)
	}
}

// TestAudienceTokenOpensNothingElse: not the relay, no other method, no path of the speaker's. No canary goes out.
func TestAudienceTokenOpensNothingElse(t *testing.T) {
	const canary = "canary-3f9a"
	r := start(t, parse(t, "--listen", "127.0.0.1:0", "--broadcast", "--kubeconfig", kubeconfig(t, "http://127.0.0.1:1"), "--context", "kind-kind"))
	base, token := audienceLink(t, r)
	page := speak(t, r)
	page.say(`,"annotations":{"x":"` + canary + `"},"labels":{"y":"` + canary + `"}},"spec":{"env":"` + canary + `"`)
	if err := page.cut.Position([]byte(`{"seq":1,"mode":"live","words":"Bearer ` + canary + canary + ` and ` + r.token + `"}`)); err != nil {
		t.Fatal(err)
	}
	page.rec.Emit(0, event.ReflectorError{Err: errors.New("password=" + canary)}.Event())
	page.say("")
	path := strings.TrimPrefix(base, r.base)
	for n := 1; n <= 2; n++ {
		response, body := r.get(fmt.Sprintf("%ssegments/%d", path, n), nil)
		if response.StatusCode != 200 {
			t.Fatalf("segment %d: %s", n, response.Status)
		}
		if response.Header.Get("Content-Security-Policy") == "" || response.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("headers %v", response.Header)
		}
		rec := trace.NewRecorder(trace.RecorderOptions{})
		f := broadcast.NewFollower(rec, func(raw []byte) (any, error) {
			if bytes.Contains(raw, []byte(canary)) {
				t.Errorf("segment %d has the canary: %s", n, raw)
			}
			return object.Parse(raw)
		})
		if n == 1 {
			if _, err := f.Apply([]byte(body)); err != nil {
				t.Fatal(err)
			}
		}
		if text := unzip(t, []byte(body)); strings.Contains(text, canary) || strings.Contains(text, r.token) {
			t.Errorf("segment %d: %s", n, text)
		}
	}
	// The token of the audience's page does not open the relay.
	launch := r.token
	r.token = token
	if _, err := r.page().Get("http://relay/broadcast"); err == nil {
		t.Error("the audience's token opens the relay")
	}
	r.token = launch
	for _, p := range []string{"/broadcast", "/broadcast/begin", "/broadcast/segments?id=" + page.id + "&n=9", "/broadcast/end?id=" +
		page.id, path + "begin", path + "segments"} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut} {
			request, err := http.NewRequest(method, r.base+p, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Bearer "+token)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if response.StatusCode != 404 && response.StatusCode != 405 {
				t.Errorf("%s %s: %s", method, p, response.Status)
			}
		}
	}
	if response, _ := r.get(path+"head", func(q *http.Request) { q.Host = "evil.example" }); response.StatusCode != 403 {
		t.Errorf("another host: %s", response.Status)
	}
	if response, _ := r.get(path+"head", func(q *http.Request) {
		q.Body, q.ContentLength = io.NopCloser(strings.NewReader("x")),
			1
	}); response.StatusCode != 413 {
		t.Errorf("a body: %s", response.Status)
	}
	if response, _ := r.get(audience.Prefix+launch+"/head", nil); response.StatusCode != 404 {
		t.Errorf("the launch's token opens the audience: %s", response.Status)
	}
	if log := r.log.String(); strings.Contains(log, token) || strings.Contains(log, canary) {
		t.Errorf("the log has what it must not:\n%s", log)
	}
	// Within the relay no other path takes another method, and the speaker's paths take only theirs.
	for p, method := range map[string]string{"/broadcast": "POST", "/contexts": "POST", "/rules": "POST", "/clusters/kind-kind/api/v1/pods": "POST",
		"/broadcast/begin": "GET", "/broadcast/segments": "PUT", "/broadcast/end": "DELETE", "/broadcast/other": "POST", "/broadcastx": "POST"} {
		request, err := http.NewRequest(method, "http://relay"+p, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		response, err := page.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode < 400 || response.StatusCode >= 500 {
			t.Errorf("%s %s: %s", method, p, response.Status)
		}
	}
	var status audience.Status
	for p, want := range map[string]int{"/broadcast/segments?id=" + page.id + "&n=x": 400, "/broadcast/segments?id=x&n=3": 410,
		"/broadcast/segments?id=" + page.id + "&n=9": 409, "/broadcast/end?id=x": 410} {
		if code := post(t, page.client, p, []byte("x"), &status); code != want {
			t.Errorf("%s: %d, want %d", p, code, want)
		}
	}
	if code := post(t, page.client, "/broadcast/segments?id="+page.id+"&n=3", make([]byte, broadcast.MaxPacked+1), nil); code != 413 {
		t.Errorf("a segment that is too large: %d", code)
	}
}

func unzip(t *testing.T, packed []byte) string {
	t.Helper()
	// Check returns the segment with every text that it found in it.
	var all strings.Builder
	_, _, err := broadcast.Check(packed, broadcast.Checks{Bodies: true, Text: func(s string) string { all.WriteString(s + "\n"); return s },
		Object: func(b []byte) []byte { all.Write(b); return b }})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestNoAudienceUnlessAsked: without --broadcast the audience's path does not exist, and no page can broadcast.
func TestNoAudienceUnlessAsked(t *testing.T) {
	r := start(t, parse(t, "--listen", "127.0.0.1:0"))
	if strings.Contains(r.out(), "audience") {
		t.Errorf("printed %s", r.out())
	}
	if response, _ := r.get("/audience/x/head", nil); response.StatusCode != 404 {
		t.Errorf("%s", response.Status)
	}
	client := r.page()
	for _, p := range []string{"begin", "segments?n=1", "end"} {
		if code := post(t, client, "/broadcast/"+p, []byte("{}"), nil); code != 404 {
			t.Errorf("%s: %d", p, code)
		}
	}
	response, err := client.Get("http://relay/broadcast")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var status audience.Status
	if err := json.NewDecoder(response.Body).Decode(&status); err != nil || status.On {
		t.Errorf("%+v %v", status, err)
	}
	for _, args := range [][]string{{"--broadcast-dir", "x"}, {"--broadcast-objects"}, {"--broadcast", "--max-followers", "0"}} {
		if _, err := parseFlags(args, noEnv, io.Discard); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
}
