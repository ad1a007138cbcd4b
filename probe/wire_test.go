package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// apiServer answers the requests of a test.
type apiServer struct {
	t      *testing.T
	p      *Probe
	answer func(*http.Request) (*http.Response, error)
}

func (s *apiServer) RoundTrip(r *http.Request) (*http.Response, error) { return s.answer(r) }

const bookmark = `{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"8"}}}` + "\n"

// read reads the bookmark with which each watch begins.
func (s *apiServer) read(watch io.Reader) {
	s.t.Helper()
	if n, err := watch.Read(make([]byte, 512)); err != nil || n != len(bookmark) {
		s.t.Fatal(n, err)
	}
}

// get sends a request and returns the body of its answer, nil for none.
func (s *apiServer) get(target string) io.ReadCloser {
	s.t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := s.p.Transport(s).RoundTrip(&http.Request{Method: http.MethodGet, URL: u})
	if err != nil {
		return nil
	}
	return resp.Body
}

func (s *apiServer) accept() {
	s.answer = func(r *http.Request) (*http.Response, error) {
		in, out := io.Pipe()
		s.t.Cleanup(func() { _ = out.Close() })
		body := struct {
			io.Reader
			io.Closer
		}{io.MultiReader(strings.NewReader(bookmark), in), in}
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body, Request: r}, nil
	}
}

func (s *apiServer) fail(err error) {
	s.answer = func(*http.Request) (*http.Response, error) { return nil, err }
}

func (s *apiServer) status(code int) {
	s.answer = func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: code, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
	}
}

// wireLines returns the lines about requests since the last call, with their waits in ms.
func (r *reading) wireLines() (lines []string) {
	r.t.Helper()
	from := len(r.texts)
	r.drain()
	for _, text := range r.texts[from:] {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			r.t.Fatal(err)
		}
		switch l.Kind {
		case "RequestSent":
			lines = append(lines, fmt.Sprintf("%d %s %s", l.Lane, l.Kind, l.Verb))
		case "RequestAnswered", "WatchClosed":
			s := fmt.Sprintf("%d %s", l.Lane, l.Kind)
			if l.Err != nil {
				s += " " + l.Err.Message
			}
			lines = append(lines, s)
		case "Backoff":
			lines = append(lines, fmt.Sprintf("%d Backoff %d %s, %s", l.Lane, l.Dur/1e6, l.Text, l.Err.Message))
		case "BackoffEnded":
			lines = append(lines, fmt.Sprintf("%d BackoffEnded", l.Lane))
		}
	}
	return lines
}

func probeOf(t *testing.T, names ...string) (*Probe, *apiServer) {
	t.Helper()
	p := New(Options{})
	for _, name := range names {
		p.Informer(gvr(name), cache.NewSharedIndexInformer(newSource(0), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{}))
	}
	s := &apiServer{t: t, p: p}
	s.accept()
	return p, s
}

const watchPods = "https://api/api/v1/pods?watch=true&resourceVersion=7&timeoutSeconds=398"

// TestOutage: while requests fail, the recording reports that the watch has ended and that the Reflector waits, also to a viewer that attaches late. The
// answer to a watch ends the outage.
func TestOutage(t *testing.T) {
	p, s := probeOf(t, "pods")
	r := newReading(t, p)
	defer p.detach()
	equal := func(what string, want ...string) {
		t.Helper()
		if got := r.wireLines(); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s\nwant:\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	watch := s.get(watchPods)
	s.read(watch)
	equal("an open watch", "0 RequestSent WATCH", "0 RequestAnswered")
	s.fail(&url.Error{Op: "Get", Err: syscall.ECONNREFUSED})
	_ = watch.Close()
	s.get(watchPods)
	s.get(watchPods)
	equal("refused", "0 WatchClosed", "0 RequestSent WATCH", "0 RequestAnswered no answer: refused", "0 Backoff 800 watch again, no answer: refused",
		"0 BackoffEnded", "0 RequestSent WATCH", "0 RequestAnswered no answer: refused", "0 Backoff 1600 watch again, no answer: refused")
	for range 5 {
		s.get(watchPods)
	}
	if got := r.wireLines(); !strings.Contains(got[len(got)-1], "Backoff 30000 ") {
		t.Errorf("the longest wait: %q", got[len(got)-1])
	}

	late := &strings.Builder{}
	v := newViewer(p, late, p.informers())
	if err := v.begin(nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"k":"Backoff"`, "no answer: refused", `"cause":"refused"`, `"reflector.backoffMillis":{"how":"derived"`} {
		if text := strings.ReplaceAll(late.String(), `\"`, `"`); !strings.Contains(text, want) {
			t.Errorf("a late viewer does not get %s: %s", want, text)
		}
	}
	if strings.Contains(late.String(), "no request of this informer was seen") {
		t.Error("requests that failed count as unseen")
	}

	s.accept()
	watch = s.get(watchPods)
	equal("back", "0 BackoffEnded", "0 RequestSent WATCH", "0 RequestAnswered")
	_ = watch.Close()
	equal("a short watch", "0 WatchClosed", "0 Backoff 30000 list and watch again, very short watch: no event within a second")
	s.status(http.StatusGone)
	_, _ = io.ReadAll(s.get(watchPods))
	if got := r.wireLines(); !strings.Contains(got[len(got)-1], "list and watch again, Gone") {
		t.Errorf("410: %q", got)
	}
	// What client-go's REST client sends again by itself, ten times.
	for n := 1; n <= 11; n++ {
		then := "Backoff 7000 send the request again, "
		if n == 11 {
			then = "list and watch again, "
		}
		s.answer = func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"7"}}, Body: http.NoBody, Request: r}, nil
		}
		_ = s.get("https://api/api/v1/pods?resourceVersion=0&limit=500").Close()
		if got := r.wireLines(); !strings.Contains(strings.Join(got, "\n"), then) {
			t.Errorf("503 with Retry-After, the %dth time: %q, want %q", n, got, then)
		}
	}
	s.fail(syscall.ECONNRESET)
	s.get("https://api/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan")
	if got := r.wireLines(); !strings.Contains(got[len(got)-1], "Backoff 1000 send the request again, no answer: reset") {
		t.Errorf("a WatchList whose connection is reset: %q", got[len(got)-1])
	}
	s.fail(fmt.Errorf("it stops: %w", errors.ErrUnsupported))
	s.get("https://api/api/v1/pods?resourceVersion=0&limit=500")
	if got := r.wireLines(); !strings.Contains(got[len(got)-1], "list and watch again, no answer: error") {
		t.Errorf("a list: %q", got)
	}
	s.answer = func(r *http.Request) (*http.Response, error) {
		body := io.MultiReader(strings.NewReader("{"), iotest.ErrReader(syscall.ECONNRESET))
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(body), Request: r}, nil
	}
	_, _ = io.ReadAll(s.get("https://api/api/v1/pods?resourceVersion=0&limit=500"))
	if got := r.wireLines(); !strings.Contains(got[len(got)-1], "list and watch again, cut off: reset") {
		t.Errorf("half a list: %q", got)
	}
}

// TestSeveralInformersOfAResource: a request stays with the informer that sent it, for all viewers. A Reflector sends nothing while its watch is open, and
// never changes its selectors.
func TestSeveralInformersOfAResource(t *testing.T) {
	p, s := probeOf(t, "pods", "pods")
	r := newReading(t, p)
	defer p.detach()
	const list, watch = "https://api/api/v1/pods?resourceVersion=0", "https://api/api/v1/pods?watch=true"
	sent := func(what, target string, lane string) io.ReadCloser {
		t.Helper()
		body := s.get(target)
		got := "none"
		for _, l := range r.wireLines() {
			if owner, _, ok := strings.Cut(l, " RequestSent"); ok {
				got = owner
			}
		}
		if got != lane {
			t.Errorf("%s: of informer %s, not %s", what, got, lane)
		}
		return body
	}
	end := func(body io.Closer) { _ = body.Close(); r.wireLines() }
	end(sent("the first list", list, "0"))
	end(sent("a list of the second one", list+"&labelSelector=a%3Db", "1"))
	second := sent("the watch of the second one", watch+"&labelSelector=a%3Db", "1")
	first := sent("the watch of the first one", watch, "0")
	sent("a list of the controller's own", list, "none")
	end(second)
	second = sent("the second watch again", watch+"&labelSelector=a%3Db", "1")
	end(first)
	end(second)
	second = sent("the second watch while no other is open", watch+"&labelSelector=a%3Db", "1")
	if known := p.informers()[0].fidelities(true)["reflector"]; known.How != "derived" || !strings.Contains(known.Why, "several informers") {
		t.Errorf("%+v", known)
	}
	late := &strings.Builder{}
	v := newViewer(p, late, p.informers())
	if err := v.begin(nil); err != nil {
		t.Fatal(err)
	}
	for _, text := range strings.Split(late.String(), "\n") {
		if strings.Contains(text, `"Restored"`) && strings.Contains(text, "labelSelector") != strings.Contains(text, `"l":1`) {
			t.Errorf("a late viewer gives the watch to another informer: %s", text)
		}
	}
	end(second)
}

// TestAWatchOfNobody: a watch beside that of an informer, which no known informer has sent, is in the log as what it is, also for a viewer that attaches late.
func TestAWatchOfNobody(t *testing.T) {
	p, s := probeOf(t, "pods", "nodes")
	r := newReading(t, p)
	defer p.detach()
	defer s.get(watchPods).Close()
	further := s.get(watchPods)
	s.get("https://api/api/v1/pods?watch=true&labelSelector=a%3Db").Close() // of another scope
	s.get("https://api/api/v1/pods?resourceVersion=0").Close()              // of a client that only lists
	late := &strings.Builder{}
	v := newViewer(p, late, p.informers())
	if err := v.begin(nil); err != nil {
		t.Fatal(err)
	}
	s.fail(syscall.ECONNREFUSED)
	s.get(watchPods)
	_ = further.Close()
	var got []string
	r.drain()
	for _, text := range r.texts {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		if l.Req > 1 {
			got = append(got, fmt.Sprintf("%d %s %d %v %v", l.Lane, l.Kind, l.Req, l.Flag, l.Err != nil))
		}
	}
	want := []string{"0 WireRequest 2 true false", "0 WireResponse 2 false false",
		"0 WireRequest 5 true false", "0 WireResponse 5 false true", "0 WireDone 2 false false"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("recorded:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if text := strings.ReplaceAll(late.String(), `\"`, `"`); strings.Count(text, `"unowned":true`) != 1 || !strings.Contains(text, `"phase":"watching"`) {
		t.Errorf("a late viewer gets %s", text)
	}
}
