package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/utils/clock"
)

// A stream that is ended from outside gets its ERROR frame between two frames, wherever the chunks were cut.
func TestAnErrorFrameNeverCutsAnotherOne(t *testing.T) {
	stream := []byte("{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}\n{\"type\":\"MODIFIED\",\"object\":{}}\n")
	for cut := 0; cut <= len(stream); cut++ {
		f := New(clock.RealClock{}, func(Strike) {})
		pr, pw := io.Pipe()
		body := f.watch(pr)
		var got []byte
		read := func(n int) {
			buf := make([]byte, n)
			if _, err := io.ReadFull(body, buf); err != nil {
				t.Fatal(err)
			}
			got = append(got, buf...)
		}
		if cut > 0 {
			_, _ = pw.Write(stream[:cut])
			read(cut)
		}
		f.answer(410, 1)
		go func() { _, _ = pw.Write(stream[cut:]) }() // ends with the body
		rest, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, rest...)
		lines := bytes.Split(bytes.TrimSuffix(got, []byte("\n")), []byte("\n"))
		for _, line := range lines {
			if !json.Valid(line) {
				t.Fatalf("cut at %d: a frame is broken: %s", cut, line)
			}
		}
		if !bytes.Contains(lines[len(lines)-1], []byte(`"code":410`)) {
			t.Fatalf("cut at %d: the stream ends with %s", cut, lines[len(lines)-1])
		}
		_ = body.Close()
		_ = pw.Close()
	}
}

func TestWithheldBookmarksLeaveTheOtherFramesWhole(t *testing.T) {
	mark := `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}}` + "\n"
	plain := `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"8"}}}` + "\n"
	other := `{"type":"ADDED","object":{"metadata":{"name":"a","annotations":{"x":"BOOKMARK"}}}}` + "\n"
	for _, tc := range []struct{ fault, want string }{
		{"nobookmarks", other + mark + other}, {"noendmark", other + plain + other}, {"", other + plain + mark + other},
	} {
		for step := 1; step < 40; step++ {
			f := New(clock.RealClock{}, func(Strike) {})
			if tc.fault != "" {
				if _, err := f.Make(tc.fault, Args{}); err != nil {
					t.Fatal(err)
				}
			}
			body := f.watch(io.NopCloser(&slowReader{[]byte(other + plain + mark + other), step}))
			got, err := io.ReadAll(body)
			if err != nil || string(got) != tc.want {
				t.Fatalf("%s, chunks of %d: %v\n%s", tc.fault, step, err, got)
			}
			_ = body.Close()
		}
	}
}

type slowReader struct {
	b    []byte
	step int
}

func (r *slowReader) Read(p []byte) (int, error) {
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.b[:min(r.step, len(r.b))])
	r.b = r.b[n:]
	return n, nil
}

func TestARefusedConnectionIsTheErrorOfTheSystem(t *testing.T) {
	if err := RefusalError("tcp"); !errors.Is(err, syscall.ECONNREFUSED) || !utilnet.IsConnectionRefused(err) {
		t.Errorf("%v", err)
	}
}

// client is an HTTP client with faults on a server that answers a LIST with "list" and a WATCH with one frame, then nothing until
// the request ends. What happens of the faults is in said.
func client(t *testing.T) (f *Faults, c *http.Client, url string, said *[]Strike) {
	t.Helper()
	said = &[]Strike{}
	f = New(clock.RealClock{}, func(s Strike) { *said = append(*said, s) })
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isWatch(r) {
			_, _ = io.WriteString(w, "{\"type\":\"ADDED\",\"object\":{}}\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		_, _ = io.WriteString(w, "list")
	}))
	t.Cleanup(srv.Close)
	transport := &http.Transport{DialContext: f.Dialer((&net.Dialer{}).DialContext)}
	t.Cleanup(transport.CloseIdleConnections)
	return f, &http.Client{Transport: f.Transport(transport)}, srv.URL, said
}

// body is what a GET answers, with its status.
func body(t *testing.T, c *http.Client, url string) (int, string, error) {
	t.Helper()
	resp, err := c.Get(url)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

func TestACutConnectionIsReset(t *testing.T) {
	f, c, url, said := client(t)
	resp, err := c.Get(url + "?watch=true")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Make("cut", Args{}); err != nil {
		t.Fatal(err)
	}
	if _, err = io.ReadAll(resp.Body); !errors.Is(err, syscall.ECONNRESET) || !utilnet.IsConnectionReset(err) || !IsFault(err) {
		t.Errorf("the stream ends with %v", err)
	}
	if want := (Strike{Name: "cut", Struck: 1}); len(*said) != 1 || (*said)[0] != want {
		t.Errorf("told %+v", *said)
	}
	if _, text, err := body(t, c, url); err != nil || text != "list" {
		t.Errorf("the next request got %q, %v", text, err)
	}
}

func TestRefusedUntilSwitchedOff(t *testing.T) {
	f, c, url, _ := client(t)
	if isOn, err := f.Make("refuse", Args{}); err != nil || !isOn {
		t.Fatal(isOn, err)
	}
	if on, _ := f.IsOn("refuse"); !on {
		t.Error("it is off")
	}
	_, _, err := body(t, c, url)
	if !utilnet.IsConnectionRefused(err) || !IsFault(err) {
		t.Errorf("refused with %v", err)
	}
	if isOn, err := f.Make("refuse", Args{}); err != nil || isOn {
		t.Fatal(isOn, err)
	}
	if _, text, err := body(t, c, url); err != nil || text != "list" {
		t.Errorf("afterwards %q, %v", text, err)
	}
}

func TestAnswersAreStatuses(t *testing.T) {
	for name, matches := range map[string]func(error) bool{
		"410": apierrors.IsResourceExpired, "429": apierrors.IsTooManyRequests, "500": apierrors.IsInternalError,
	} {
		t.Run(name, func(t *testing.T) {
			f, c, url, said := client(t)
			if _, err := f.Make(name, Args{Count: 2}); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				_, text, err := body(t, c, url)
				if err != nil {
					t.Fatal(err)
				}
				var status metav1.Status
				if err := json.Unmarshal([]byte(text), &status); err != nil || !matches(&apierrors.StatusError{ErrStatus: status}) {
					t.Errorf("answered %s, %v", text, err)
				}
			}
			if _, text, _ := body(t, c, url); text != "list" {
				t.Errorf("the third request got %q", text)
			}
			// The next write gets it too, but for a 410.
			resp, err := c.Post(url, "text/plain", strings.NewReader("x"))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if ok := resp.StatusCode == http.StatusOK; ok != (name == "410") {
				t.Errorf("a write got %s", resp.Status)
			}
			for _, s := range *said {
				if s.Name != name {
					t.Errorf("told %+v", s)
				}
			}
		})
	}
}

func TestBeginForgetsWhatWasToCome(t *testing.T) {
	f, c, url, _ := client(t)
	for _, name := range []string{"500", "nobookmarks"} {
		if _, err := f.Make(name, Args{}); err != nil {
			t.Fatal(err)
		}
	}
	f.Begin(clock.RealClock{})
	if _, text, _ := body(t, c, url); text != "list" {
		t.Errorf("an answer of before: %q", text)
	}
	if on, _ := f.IsOn("nobookmarks"); !on {
		t.Error("it is off")
	}
}

func TestADelayEndsWithItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New(clock.RealClock{}, func(Strike) {})
		if isOn, err := f.Make("delay", Args{Millis: 700}); err != nil || !isOn {
			t.Fatal(isOn, err)
		}
		came := 0
		rt := f.Transport(&transport{f: New(clock.RealClock{}, func(Strike) {}), base: answering(&came)})
		begun := time.Now()
		get := func(ctx context.Context) error {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://x/", nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = rt.RoundTrip(req)
			return err
		}
		if err := get(t.Context()); err != nil || came != 1 || time.Since(begun) != 700*time.Millisecond {
			t.Errorf("%v after %v; %d requests came", err, time.Since(begun), came)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := get(ctx); !errors.Is(err, context.DeadlineExceeded) || came != 1 {
			t.Errorf("a request that was given up ended with %v; %d came", err, came)
		}
	})
}

// answeringTo answers requests without a network.
type answeringTo func(*http.Request) *http.Response

func (a answeringTo) RoundTrip(req *http.Request) (*http.Response, error) { return a(req), nil }

// answering counts requests and answers each.
func answering(n *int) http.RoundTripper {
	return answeringTo(func(req *http.Request) *http.Response {
		*n++
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: req}
	})
}

func TestNothingIsStruckWhereNothingIsOpen(t *testing.T) {
	var said []Strike
	f := New(clock.RealClock{}, func(s Strike) { said = append(said, s) })
	for _, name := range []string{"cut", "410"} {
		if _, err := f.Make(name, Args{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range said {
		if s.Struck != 0 || s.On {
			t.Errorf("with nothing open: %+v", s)
		}
	}
	if _, err := f.Make("flood", Args{}); err == nil || !strings.Contains(err.Error(), `no fault "flood"`) {
		t.Errorf("of a fault that there is not: %v", err)
	}
}

// TestForbiddenIsAskedForWhenARequestComes: a watch that is open goes on, a LIST and a WATCH get 403 until it is over, and discovery does not.
func TestForbiddenIsAskedForWhenARequestComes(t *testing.T) {
	f, c, url, _ := client(t)
	get := func(path string) (*http.Response, error) { return c.Get(url + path) }
	open, err := get("/api/v1/pods?watch=true")
	if err != nil {
		t.Fatal(err)
	}
	defer open.Body.Close()
	yes, never := true, false
	if _, err := f.Make("forbidden", Args{On: &yes}); err != nil {
		t.Fatal(err)
	}
	if on, _ := f.IsOn("forbidden"); !on {
		t.Error("it is off")
	}
	frame := make([]byte, len("{\"type\":\"ADDED\""))
	if _, err := io.ReadFull(open.Body, frame); err != nil || string(frame) != "{\"type\":\"ADDED\"" {
		t.Errorf("the open watch: %q, %v", frame, err)
	}
	for path, says := range map[string]string{
		"/api/v1/pods": `cannot list resource \"pods\"`,
		"/api/v1/namespaces/shop/pods?watch=true":           `cannot watch resource \"pods\"`,
		"/clusters/one/apis/apps/v1/deployments":            `cannot list resource \"deployments\"`,
		"/apis/apps/v1/namespaces/shop/deployments?limit=5": `cannot list resource \"deployments\"`,
		"/api/v1/namespaces":                                `cannot list resource \"namespaces\"`,
	} {
		resp, err := get(path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		var status metav1.Status
		if err := json.Unmarshal(body, &status); err != nil {
			t.Fatalf("%s: %v: %s", path, err, body)
		}
		if err := apierrors.FromObject(&status); resp.StatusCode != 403 || !apierrors.IsForbidden(err) || !strings.Contains(string(body), says) {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
	for _, path := range []string{"/api", "/apis", "/api/v1", "/apis/apps/v1", "/version"} {
		if resp, err := get(path); err != nil || resp.StatusCode != 200 {
			t.Errorf("%s: %v, %v", path, resp, err)
		} else {
			_ = resp.Body.Close()
		}
	}
	if _, err := f.Make("forbidden", Args{On: &never}); err != nil {
		t.Fatal(err)
	}
	if resp, err := get("/api/v1/pods"); err != nil || resp.StatusCode != 200 {
		t.Errorf("allowed again: %v, %v", resp, err)
	} else {
		_ = resp.Body.Close()
	}
}

// TestAHalfOpenConnectionIsLost: an open watch falls silent, its ends are not noticed, and the health check ends it 45 s after the last frame, or 15 s after
// the PING that was due. A watch that is opened meanwhile is not silent.
func TestAHalfOpenConnectionIsLost(t *testing.T) {
	for _, tc := range []struct {
		name       string
		idle, lost time.Duration
		by         func(f *Faults, server *io.PipeWriter)
		err        error
	}{
		{name: "at once", lost: 45 * time.Second, err: errLost},
		{name: "10 s after a frame", idle: 10 * time.Second, lost: 35 * time.Second, err: errLost},
		{name: "a PING went well before", idle: 40 * time.Second, lost: 35 * time.Second, err: errLost},
		{name: "the server closes", lost: 45 * time.Second, err: errLost, by: func(_ *Faults, server *io.PipeWriter) { _ = server.Close() }},
		{name: "the server fails", lost: 45 * time.Second, err: errLost, by: func(f *Faults, _ *io.PipeWriter) { _, _ = f.Make("410", Args{}) }},
		{name: "a reset", lost: time.Second, err: syscall.ECONNRESET, by: func(f *Faults, _ *io.PipeWriter) { _, _ = f.Make("cut", Args{}) }},
		{name: "it passes again", lost: time.Second, err: io.EOF, by: func(f *Faults, server *io.PipeWriter) {
			go func() {
				_, _ = server.Write([]byte("{}\n"))
				_ = server.Close()
			}()
			_, _ = f.Make("halfopen", Args{})
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var said []Strike
				f := New(clock.RealClock{}, func(s Strike) { said = append(said, s) })
				pr, pw := io.Pipe()
				body := f.watch(pr)
				<-time.After(tc.idle)
				if isOn, err := f.Make("halfopen", Args{}); err != nil || !isOn {
					t.Fatal(isOn, err)
				}
				if on, _ := f.IsOn("halfopen"); !on || len(said) != 1 || said[0] != (Strike{Name: "halfopen", On: true, Struck: 1}) {
					t.Errorf("on are %v, told %+v", on, said)
				}
				began := time.Now()
				var got []byte
				ended := make(chan error)
				go func() {
					var err error
					if got, err = io.ReadAll(body); err == nil {
						err = io.EOF
					}
					ended <- err
				}()
				<-time.After(time.Second)
				if tc.by != nil {
					tc.by(f, pw)
				}
				if err := <-ended; !errors.Is(err, tc.err) || time.Since(began) != tc.lost {
					t.Errorf("ended after %v with %v", time.Since(began), err)
				}
				if whole := errors.Is(tc.err, io.EOF); whole != (string(got) == "{}\n") || !whole && len(got) > 0 {
					t.Errorf("read %q", got)
				}
				if err := body.Close(); err != nil {
					t.Error(err)
				}
				_ = pw.Close()
			})
		})
	}
	f, c, url, _ := client(t)
	if _, err := f.Make("halfopen", Args{}); err != nil {
		t.Fatal(err)
	}
	resp, err := c.Get(url + "?watch=true")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 10)); err != nil {
		t.Errorf("a new watch: %v", err)
	}
	f.Begin(clock.RealClock{})
	if on, _ := f.IsOn("halfopen"); on {
		t.Error("it is on after Begin")
	}
}
