package relay

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/words/cause"
	"informerscope/server/internal/clusters"
)

// TestRequestsTogetherAreBounded: when all memory is reserved, a request is told to retry later before anything is requested upstream. It succeeds
// when another request has ended.
func TestRequestsTogetherAreBounded(t *testing.T) {
	e := apiserver(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = http.NewResponseController(w).Flush()
		if r.URL.Query().Get("watch") != "" {
			<-r.Context().Done()
		}
	})
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), func(c *Config) { c.MaxStreams = 3 })
	second := f.page()
	watches := []*http.Response{f.get("/clusters/kind/api/v1/pods?watch=1"), f.get("/clusters/kind/api/v1/nodes?watch=1")}
	f.client = second
	watches = append(watches, f.get("/clusters/kind/api/v1/pods?watch=1"))
	response, status := f.status("/clusters/kind/api/v1/pods")
	if response.StatusCode != http.StatusTooManyRequests || status.Reason != metav1.StatusReasonTooManyRequests || response.Header.Get("Retry-After") == "" ||
		!strings.Contains(status.Message, "--max-streams") {
		t.Errorf("the fourth: %d %+v", response.StatusCode, status)
	}
	if response, _ := f.body("/contexts"); response.StatusCode != http.StatusOK {
		t.Errorf("what needs no cluster: %d", response.StatusCode)
	}
	_ = watches[0].Body.Close()
	deadline := time.Now().Add(patience)
	for asking := time.NewTicker(20 * time.Millisecond); ; <-asking.C {
		if response, _ := f.body("/clusters/kind/api/v1/pods"); response.StatusCode == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no room, though one has left")
		}
	}
}

// TestAStalledStreamHoldsNoOthersUp: a watch that its viewer does not read fills its windows and waits. Other requests of this viewer and of others
// continue. Once the viewer reads again, it receives every event.
func TestAStalledStreamHoldsNoOthersUp(t *testing.T) {
	// More than the windows hold: 4 MiB in the page's net/http, and the relay's. The connection itself is always read.
	const events, size = 400, 16 << 10
	e := apiserver(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/api/v1/pods" {
			_, _ = io.WriteString(w, `{"items":["`+strings.Repeat("x", 1<<20)+`"]}`)
			return
		}
		for i := range events {
			if _, err := fmt.Fprintf(w, `{"type":"ADDED","object":{"n":%d,"pad":"%s"}}`+"\n", i, strings.Repeat("y", size)); err != nil {
				return
			}
		}
	})
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), nil)
	var stalled []*http.Response
	for i := range 4 {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://relay/clusters/kind/api/v1/namespaces/n%d/pods?watch=1", i), nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := f.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		stalled = append(stalled, response)
	}
	for _, client := range []*http.Client{f.client, f.page()} {
		f.client = client
		for range 3 {
			if response, body := f.body("/clusters/kind/api/v1/pods"); response.StatusCode != http.StatusOK || len(body) < 1<<20 {
				t.Errorf("beside the stalled ones: %d, %d bytes", response.StatusCode, len(body))
			}
		}
	}
	raw, err := io.ReadAll(stalled[3].Body)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	if len(lines) != events {
		t.Fatalf("%d events of %d", len(lines), events)
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, fmt.Sprintf(`{"type":"ADDED","object":{"n":%d,`, i)) || len(line) < size {
			t.Fatalf("event %d: %.80s", i, line)
		}
	}
}

// TestHeadersFromUpstreamAreBounded: an answer with headers of more than 64 KiB is an error, over HTTP/2 and HTTP/1.1.
func TestHeadersFromUpstreamAreBounded(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		n := map[string]int{"/api/v1/pods": 72 << 10, "/api/v1/nodes": 40 << 10, "/api/v1/services": 300 << 10}[r.URL.Path]
		for i := range n >> 10 {
			w.Header().Set(fmt.Sprintf("X-Padding-%d", i), strings.Repeat("p", 1<<10-20))
		}
		_, _ = io.WriteString(w, "{}")
	}
	for name, e := range map[string]entry{"h2": apiserver(t, handler), "h1": plain(t, handler)} {
		f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), nil)
		for _, resource := range []string{"pods", "services"} {
			response, status := f.status("/clusters/kind/api/v1/" + resource)
			if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get(CauseHeader) != cause.Reset {
				t.Errorf("%s, %s: %d %+v", name, resource, response.StatusCode, status)
			}
			// Over HTTP/2 net/http only reports a protocol error.
			if name == "h1" && !strings.Contains(status.Message, "64 KiB") {
				t.Errorf("%s: %s", name, status.Message)
			}
		}
		if response, body := f.body("/clusters/kind/api/v1/nodes"); response.StatusCode != http.StatusOK || body != "{}" {
			t.Errorf("%s: 40 KiB of headers: %d %s", name, response.StatusCode, body)
		}
	}
}

// TestTheWaitForHeadersEnds: if an API server accepts a request and does not answer, the relay gives up after two minutes.
func TestTheWaitForHeadersEnds(t *testing.T) {
	if clusters.HeaderPatience != 2*time.Minute {
		t.Errorf("docs/dev/security.md says two minutes, not %s", clusters.HeaderPatience)
	}
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, e := range map[string]entry{"h2": apiserver(t, silent), "h1": plain(t, silent)} {
		f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), func(c *Config) { c.Clusters.WaitForHeaders(50 * time.Millisecond) })
		for _, path := range []string{"pods", "pods?watch=true"} {
			response, status := f.status("/clusters/kind/api/v1/" + path)
			if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get(CauseHeader) != cause.Timeout ||
				!strings.Contains(status.Message, "began no answer") {
				t.Errorf("%s, %s: %d %s: %s", name, path, response.StatusCode, response.Header.Get(CauseHeader), status.Message)
			}
		}
	}
}

// TestAPluginThatHangsHoldsNoStreams: five viewers make as many requests as they may for a context whose credential plugin hangs, and leave. Nothing
// of theirs remains.
func TestAPluginThatHangsHoldsNoStreams(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the plugin of this test is a shell script")
	}
	e := apiserver(t, func(http.ResponseWriter, *http.Request) { t.Error("the API server was asked without credentials") })
	e.user = map[string]any{"exec": map[string]any{"apiVersion": "client.authentication.k8s.io/v1", "command": "sh",
		"args": []string{"-c", "while :; do sleep 1; done"}, "interactiveMode": "Never"}}
	const viewers, streams = 5, maxStreams
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), func(c *Config) { c.MaxViewers = viewers })
	var pages []*http.Client
	for range viewers {
		f.client = f.page()
		pages = append(pages, f.client)
		_, _ = f.body("/contexts")
	}
	before, asked := goroutines(), f.config.Metrics.StreamsTotal.Load()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var asking sync.WaitGroup
	for i := range viewers * streams {
		asking.Go(func() {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://relay/clusters/kind/api/v1/namespaces/n%d/pods?watch=1", i), nil)
			if err != nil {
				t.Error(err)
				return
			}
			response, err := pages[i%viewers].Do(request)
			if err == nil { // on a slow machine an answer after 3 s says that the plugin is still running
				_ = response.Body.Close()
			}
		})
	}
	reached := func(what string, reached func() bool) {
		t.Helper()
		for deadline := time.Now().Add(3 * patience); !reached(); runtime.Gosched() {
			if time.Now().After(deadline) {
				stacks := make([]byte, 1<<20)
				t.Fatalf("%s: %d streams, %d goroutines, %d before:\n%s", what, f.config.Metrics.Streams.Load(), goroutines(), before, stacks[:runtime.Stack(stacks, true)])
			}
		}
	}
	reached("all have asked", func() bool { return f.config.Metrics.StreamsTotal.Load()-asked >= viewers*streams })
	t.Logf("%d of %d requests wait when their viewers leave", f.config.Metrics.Streams.Load(), viewers*streams)
	leave()
	asking.Wait()
	reached("no stream remains", func() bool { return f.config.Metrics.Streams.Load() == 0 })
	// Except for the plugin's own: the goroutine that waits for it, and that of os/exec for its output.
	reached("no goroutine remains", func() bool { return goroutines()-before < 12 })
}
