package relay

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"informerscope/core/words/cause"
	"informerscope/server/internal/scrub"
)

const probeToken = "probe-token-9876543210"

// newProbeFixture is a fixture whose relay is attached to a probe with the given handler.
func newProbeFixture(t *testing.T, token string, handler http.HandlerFunc, change func(*Config)) (*fixture, *httptest.Server) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	p, err := NewProbe(server.URL+"/debug/informerscope/", token)
	if err != nil {
		t.Fatal(err)
	}
	return newFixture(t, kubeconfig(t, nil), func(c *Config) {
		c.Probe = p
		if change != nil {
			change(c)
		}
	}), server
}

// TestProbeStream: lines of the stream pass one by one as they arrive. The request has the server's token and nothing that the viewer sent, and it
// ends when the viewer leaves.
func TestProbeStream(t *testing.T) {
	seen, gone := make(chan *http.Request, 1), make(chan struct{})
	next := make(chan string)
	f, _ := newProbeFixture(t, probeToken, func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Clone(context.Background())
		w.Header().Set("Content-Type", "application/x-ndjson")
		w.Header().Set("Set-Cookie", "session=1")
		for {
			_ = http.NewResponseController(w).Flush()
			select {
			case line := <-next:
				_, _ = io.WriteString(w, line)
			case <-r.Context().Done():
				close(gone)
				return
			}
		}
	}, nil)
	response := f.get("/probe/stream?informers=pods,deployments.apps", "Authorization", "Bearer stolen", "Cookie", "a=b", "X-Forwarded-For", "1.2.3.4")
	if response.StatusCode != http.StatusOK || response.Header.Get("Set-Cookie") != "" {
		t.Fatalf("%d %v", response.StatusCode, response.Header)
	}
	r := <-seen
	if r.URL.Path != "/debug/informerscope/stream" || r.URL.RawQuery != "informers=pods%2Cdeployments.apps" || r.Method != http.MethodGet {
		t.Errorf("the probe was asked for %s %s", r.Method, r.URL)
	}
	if r.Header.Get("Authorization") != "Bearer "+probeToken || r.Header.Get("Cookie") != "" || r.Header.Get("X-Forwarded-For") != "" {
		t.Errorf("the probe got %v", r.Header)
	}
	for _, line := range []string{"{\"format\":\"informerscope-trace\"}\n", "{\"s\":1}\n"} {
		next <- line
		got := make([]byte, len(line))
		if _, err := io.ReadFull(response.Body, got); err != nil || string(got) != line {
			t.Fatalf("%q came for %q: %v", got, line, err)
		}
	}
	_ = response.Body.Close()
	select {
	case <-gone:
	case <-time.After(patience):
		t.Error("the stream goes on upstream though its viewer has left")
	}
	if strings.Contains(f.log.String(), probeToken) {
		t.Error("the probe's token is in the log")
	}
}

// TestProbeRefusals: forbidden requests are not sent to the probe, and answers of other servers do not pass.
func TestProbeRefusals(t *testing.T) {
	asked := 0
	f, _ := newProbeFixture(t, "", func(w http.ResponseWriter, _ *http.Request) { asked++ }, nil)
	for path, code := range map[string]int{
		"/probe/stream?informers=a&informers=b": http.StatusForbidden,
		"/probe/stream?informers=../../secret":  http.StatusForbidden,
		"/probe/stream?informers=a%0d%0aX:1":    http.StatusForbidden,
		"/probe/stream?seconds=3600":            http.StatusForbidden,
		"/probe/?informers=pods":                http.StatusForbidden,
		"/probe/trace":                          http.StatusNotFound,
		"/probe/..%2fpprof":                     http.StatusNotFound,
		"/probe/stream/../../pprof":             http.StatusNotFound,
	} {
		if response, status := f.status(path); response.StatusCode != code {
			t.Errorf("%s: %d %s", path, response.StatusCode, status.Message)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://relay/probe/stream", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := f.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusForbidden || asked != 0 {
		t.Errorf("a POST: %d; the probe was asked %d times", response.StatusCode, asked)
	}
}

// TestProbeNotOffered: without --attach the relay has no probe.
func TestProbeNotOffered(t *testing.T) {
	f := newFixture(t, kubeconfig(t, nil), nil)
	for _, path := range []string{"/probe/", "/probe/stream"} {
		if response, status := f.status(path); response.StatusCode != http.StatusNotFound || !strings.Contains(status.Message, "--attach") {
			t.Errorf("%s: %d %s", path, response.StatusCode, status.Message)
		}
	}
}

// TestProbeAnswers: a redirect is not followed, so the token stays here. Pages, compressed bodies, errors and long headers do not pass. A missing
// process is reported.
func TestProbeAnswers(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the request went to another server: %s %v", r.URL, r.Header)
	}))
	defer elsewhere.Close()
	for _, x := range []struct {
		name    string
		code    int
		says    string
		answers http.HandlerFunc
	}{
		{"redirect", 502, "redirects elsewhere", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) }},
		{"page", 502, "is that a probe's handler", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<script>alert(1)</script>")
		}},
		{"packed", 502, `is compressed (Content-Encoding: "gzip")`, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/x-ndjson")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, "\x1f\x8b")
		}},
		{"token", 502, "--attach-token-file", func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "you sent "+r.Header.Get("Authorization"), http.StatusUnauthorized)
		}},
		{"full", 502, "too many are attached", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "too many are attached already (probe.Options.Viewers)", http.StatusServiceUnavailable)
		}},
		{"headers", 503, "does not answer as it should", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/x-ndjson")
			w.Header().Set("X-Long", strings.Repeat("x", maxHeaderBytes))
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			f, _ := newProbeFixture(t, probeToken, x.answers, nil)
			response, status := f.status("/probe/stream")
			if response.StatusCode != x.code || !strings.Contains(status.Message, x.says) || response.Header.Get(CauseHeader) == "" {
				t.Errorf("%d %s %q", response.StatusCode, response.Header.Get(CauseHeader), status.Message)
			}
			if strings.Contains(status.Message, probeToken) || strings.Contains(status.Message, "<script") {
				t.Errorf("it passes on: %s", status.Message)
			}
		})
	}
	f, server := newProbeFixture(t, "", func(http.ResponseWriter, *http.Request) {}, nil)
	server.Close()
	response, status := f.status("/probe/stream")
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get(CauseHeader) != cause.ProbeGone ||
		!strings.Contains(status.Message, "refuses connections") {
		t.Errorf("%d %s %q", response.StatusCode, response.Header.Get(CauseHeader), status.Message)
	}
}

// TestProbeIsInTheBudget: a probe's stream counts as a request in the budget of memory.
func TestProbeIsInTheBudget(t *testing.T) {
	f, _ := newProbeFixture(t, "", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}, func(c *Config) { c.MaxStreams = 2 })
	for range 2 {
		if response := f.get("/probe/stream"); response.StatusCode != http.StatusOK {
			t.Fatal(response.Status)
		}
	}
	if response, _ := f.status("/probe/stream"); response.StatusCode != http.StatusTooManyRequests {
		t.Errorf("the third: %d", response.StatusCode)
	}
}

// TestNewProbe: an address that would send the token unencrypted, or to another host than it shows, is an error.
func TestNewProbe(t *testing.T) {
	for _, x := range []struct {
		address, token string
		ok             bool
	}{
		{"http://localhost:6060/debug/informerscope/", "", true},
		{"http://127.0.0.1:6060/debug/informerscope", probeToken, true},
		{"https://controller.example.com/debug/informerscope/", probeToken, true},
		{"http://controller.example.com/debug/informerscope/", probeToken, false},
		{"http://user:pass@localhost:6060/", "", false},
		{"http://localhost:6060/?token=x", "", false},
		{"http://localhost:6060/#x", "", false},
		{"file:///etc/passwd", "", false},
		{"unix:///run/x.sock", "", false},
		{"localhost:6060", "", false},
		{"http://", "", false},
		{"http://local host/", "", false},
		{"", "", false},
	} {
		if _, err := NewProbe(x.address, x.token); (err == nil) != x.ok {
			t.Errorf("%q: %v", x.address, err)
		} else if err != nil && strings.Contains(err.Error(), "pass@") {
			t.Errorf("the words repeat a password: %v", err)
		}
	}
}

// TestProbesTokenIsInNoAnswer: if a probe's message has its token, no part of the token passes, wherever the relay cuts the message.
func TestProbesTokenIsInNoAnswer(t *testing.T) {
	text := ""
	f, _ := newProbeFixture(t, probeToken, func(w http.ResponseWriter, r *http.Request) { http.Error(w, text, http.StatusForbidden) }, nil)
	parts := func(said string) (longest int) {
		for n := range len(probeToken) + 1 {
			if strings.Contains(said, probeToken[:n]) || strings.Contains(said, probeToken[len(probeToken)-n:]) {
				longest = n
			}
		}
		return longest
	}
	for _, length := range []int{256, scrub.MaxWords, maxError} {
		for behind := length - len(probeToken) - 1; behind <= length; behind++ {
			text = strings.Repeat("/", behind) + probeToken
			if response, status := f.status("/probe/stream"); response.StatusCode != http.StatusBadGateway || parts(status.Message) > len("probe") {
				t.Errorf("behind %d characters %d of the token's %d pass: …%s", behind, parts(status.Message), len(probeToken),
					status.Message[max(0, len(status.Message)-40):])
			}
		}
	}
	text = strings.Repeat("x", 200) + ` {"` + probeToken
	if _, status := f.status("/probe/stream"); parts(status.Message) > len("probe") {
		t.Errorf("before a brace: %s", status.Message)
	}
}
