package relay

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/cluster/levers"
	"informerscope/core/cluster/simcluster"
	"informerscope/core/lab"
	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/page/view"
	"informerscope/server/internal/wsconn"
)

const doorToken = "token-of-the-door-0123"

// sideDoor is a client of a door that serves a handler. The test fails if a request has anything of the viewer's.
func sideDoor(t *testing.T, handler http.Handler) *SideDoor {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			if name != "User-Agent" && name != "Authorization" && name != "Content-Length" {
				t.Errorf("the door got the header %s: %q", name, r.Header[name])
			}
		}
		if r.Header.Get("Authorization") != "Bearer "+doorToken || r.UserAgent() != "informerscope" {
			t.Errorf("the door got the headers %v", r.Header)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	d, err := NewSideDoor(server.URL, doorToken)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestAPageChangesTheSharedCluster has a page's Lab watch a simulated cluster through the relay. What it pulls changes that cluster, the watch brings the
// change back, and the State has the cluster's counts.
func TestAPageChangesTheSharedCluster(t *testing.T) {
	c := simcluster.New(simcluster.Options{Seed: 7, Still: true})
	f := newFixture(t, kubeconfig(t, map[string]entry{"sim": apiserver(t, c.ServeHTTP)}), func(config *Config) {
		config.Levers = sideDoor(t, levers.Handler(levers.Own(c)))
	})
	rec := trace.NewRecorder(trace.RecorderOptions{Clock: clock.RealClock{}})
	l := lab.New(lab.Options{Recorder: rec, Dial: func(ctx context.Context) (net.Conn, error) {
		ws, err := f.dial(ctx)
		if err != nil {
			return nil, err
		}
		return wsconn.New(ws, wsconn.Options{}), nil
	}})
	t.Cleanup(l.Close)
	live, name, deployments := "live", "sim", "deployments.apps"
	if _, err := l.Select(t.Context(), selection.Change{Source: &live, Context: &name, Resource: &deployments}); err != nil {
		t.Fatal(err)
	}
	v := view.New(rec, clock.RealClock{})
	until := func(what string, holds func(s *fold.State) bool) {
		t.Helper()
		deadline := time.After(patience)
		for {
			changed := rec.Changed()
			if holds(&v.State().State) {
				return
			}
			select {
			case <-changed:
			case <-deadline:
				t.Fatalf("not in time: %s", what)
			}
		}
	}
	until("the store is synced, and the cluster counted", func(s *fold.State) bool {
		return s.Synced && s.Source.Simulated && s.API.Objects == s.Indexer.Count && s.API.Oldest != ""
	})
	before := v.State().Indexer.Count
	words, err := l.Cluster("create", lab.ClusterArgs{Namespace: "shop", Name: "new", Replicas: 2})
	if err != nil || words != "created deployment shop/new with 2 replicas" {
		t.Errorf("%q, %v", words, err)
	}
	until("the new deployment is in the store", func(s *fold.State) bool { return s.Indexer.Count == before+1 && s.API.Objects == before+1 })
	if _, err := l.Cluster("create", lab.ClusterArgs{Namespace: "shop", Name: "new"}); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("the same again: %v", err)
	}
	if _, err := l.Cluster("crowd", lab.ClusterArgs{N: 12}); err != nil {
		t.Error(err)
	}
	until("the crowd is counted", func(s *fold.State) bool { return s.API.Crowd != nil && s.API.Crowd.Clients == 12 })
	if _, err := l.Informer(0).Fault("restart", lab.FaultArgs{}); err != nil || !c.Down() {
		t.Errorf("restart: %v; the cluster is down: %v", err, c.Down())
	}
	until("the restart is in the log", func(s *fold.State) bool { return len(s.Faults) > 0 })
	if _, err := l.Writes(nil, ""); err == nil {
		t.Error("the page's controllers write to a cluster that they share")
	}
}

// TestLeversOfOtherClusters asks a relay without a simulated cluster for its levers, and one with it for things that it does not serve.
func TestLeversOfOtherClusters(t *testing.T) {
	c := simcluster.New(simcluster.Options{Seed: 7, Still: true})
	served := apiserver(t, c.ServeHTTP)
	without := newFixture(t, kubeconfig(t, map[string]entry{"real": served}), nil)
	if response, _ := without.status(levers.Path); response.StatusCode != http.StatusNotFound {
		t.Errorf("without a simulated cluster: %s", response.Status)
	}
	if _, body := without.body("/contexts"); strings.Contains(body, "simulated") {
		t.Errorf("a real cluster is said to be simulated: %s", body)
	}
	with := newFixture(t, kubeconfig(t, map[string]entry{"sim": served}), func(config *Config) { config.Levers = sideDoor(t, levers.Handler(levers.Own(c))) })
	if _, body := with.body("/contexts"); !strings.Contains(body, `"simulated":true`) {
		t.Errorf("the contexts are %s", body)
	}
	before := c.Stats().ResourceVersion
	for _, bad := range []struct {
		method, path, body string
		code               int
	}{
		{http.MethodPost, levers.Path, "{", http.StatusBadRequest},
		{http.MethodPost, levers.Path, strings.Repeat(" ", levers.MaxOrder+1) + `{"verb":"compact"}`, http.StatusForbidden},
		{http.MethodPost, levers.Path + "?x=1", `{"verb":"compact"}`, http.StatusForbidden},
		{http.MethodPut, levers.Path, `{"verb":"compact"}`, http.StatusForbidden},
		{http.MethodGet, levers.Path, `{"verb":"compact"}`, http.StatusForbidden},
		{http.MethodPost, levers.WritesPath, `{"verb":"compact"}`, http.StatusForbidden},
		{http.MethodDelete, levers.WritesPath, "", http.StatusForbidden},
		{http.MethodGet, levers.WritesPath + "?after=x", "", http.StatusForbidden},
		{http.MethodGet, levers.WritesPath + "?after=1&after=2", "", http.StatusForbidden},
		{http.MethodGet, levers.WritesPath + "?after=1&limit=2", "", http.StatusForbidden},
		{http.MethodPost, levers.Path + "/", `{"verb":"compact"}`, http.StatusNotFound},
		{http.MethodPost, levers.Path + "/../simulation/x", `{"verb":"compact"}`, http.StatusNotFound},
		{http.MethodGet, levers.Path + "/writes/1", "", http.StatusNotFound},
		{http.MethodGet, levers.Path + "%2Fwrites", "", http.StatusNotFound},
	} {
		req, err := http.NewRequestWithContext(t.Context(), bad.method, "http://relay"+bad.path, strings.NewReader(bad.body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := with.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != bad.code {
			t.Errorf("%s %s: %s", bad.method, bad.path, response.Status)
		}
	}
	if after := c.Stats().ResourceVersion; after != before {
		t.Errorf("the cluster went from version %d to %d", before, after)
	}
}

// writesDoor is a door that answers the stream of writes with each chunk that it is given, and tells when a stream has ended.
func writesDoor(t *testing.T, change func(*Config)) (f *fixture, chunks chan string, ended chan struct{}) {
	chunks, ended = make(chan string), make(chan struct{}, maxStreams)
	door := sideDoor(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { ended <- struct{}{} }()
		if r.URL.Path != levers.WritesPath || r.URL.RawQuery != "" && r.URL.RawQuery != "after=7" {
			t.Errorf("the door is asked for %s", r.URL)
		}
		for {
			_ = http.NewResponseController(w).Flush()
			select {
			case chunk := <-chunks:
				_, _ = io.WriteString(w, chunk)
			case <-r.Context().Done():
				return
			}
		}
	}))
	f = newFixture(t, kubeconfig(t, nil), func(config *Config) {
		config.Levers = door
		if change != nil {
			change(config)
		}
	})
	return f, chunks, ended
}

// TestWritesPassLineByLine: each line of the door reaches the viewer before the next one is sent, an empty one too, and nothing of the viewer's but the
// number reaches the door. The stream ends when the viewer leaves, and when the relay closes.
func TestWritesPassLineByLine(t *testing.T) {
	f, chunks, ended := writesDoor(t, nil)
	response := f.get(levers.WritesPath+"?after=7", "Authorization", "Bearer stolen", "Cookie", "a=b", "Origin", "http://x", "X-Forwarded-For", "1.2.3.4")
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "application/x-ndjson" {
		t.Fatalf("%s %v", response.Status, response.Header)
	}
	buffer := make([]byte, 1<<10)
	for _, line := range []string{`{"seq":8,"author":"kubectl"}` + "\n", "\n", `{"seq":9,"author":"kubelet"}` + "\n", "\n", "\n"} {
		chunks <- line
		if _, err := io.ReadFull(response.Body, buffer[:len(line)]); err != nil || string(buffer[:len(line)]) != line {
			t.Fatalf("%q, %v, want %q", buffer[:len(line)], err, line)
		}
	}
	_ = response.Body.Close()
	await(t, ended, "end of the stream when its viewer leaves")
	f.get(levers.WritesPath)
	_ = f.relay.Close()
	await(t, ended, "end of the stream when the relay closes")
}

// TestWritesAreInTheBudget: a stream of writes counts as a request in the budget of memory.
func TestWritesAreInTheBudget(t *testing.T) {
	f, _, ended := writesDoor(t, func(c *Config) { c.MaxStreams = 2 })
	first := f.get(levers.WritesPath)
	f.get(levers.WritesPath)
	for _, path := range []string{levers.WritesPath, levers.Path} {
		if response, _ := f.status(path); response.StatusCode != http.StatusTooManyRequests {
			t.Errorf("%s: %d", path, response.StatusCode)
		}
	}
	_ = first.Body.Close()
	await(t, ended, "end of the first stream")
}

// TestADoorThatMisbehaves: a door that does not answer, that answers without an end, or that is gone costs a viewer a bounded time, and the others nothing.
func TestADoorThatMisbehaves(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	endless := func(w http.ResponseWriter, r *http.Request) {
		for line := strings.Repeat("x", 1<<16); r.Context().Err() == nil; {
			if _, err := io.WriteString(w, line); err != nil {
				return
			}
		}
	}
	half := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"seq":1}`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	for name, x := range map[string]struct {
		door http.HandlerFunc
		path string
		code int // 0 for a stream that breaks off
	}{
		"hangs":           {hang, levers.Path, http.StatusBadGateway},
		"hangs on writes": {hang, levers.WritesPath, http.StatusBadGateway},
		"half an answer":  {half, levers.Path, http.StatusBadGateway},
		"endless answer":  {endless, levers.Path, http.StatusBadGateway},
		"silent":          {half, levers.WritesPath, 0},
		"refuses":         {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) }, levers.Path, http.StatusBadGateway},
		"redirects":       {http.RedirectHandler("http://127.0.0.1:1/", http.StatusFound).ServeHTTP, levers.WritesPath, http.StatusBadGateway},
		"gives its reason": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "etcd is away", http.StatusBadGateway)
		}, levers.Path, http.StatusBadGateway},
	} {
		t.Run(name, func(t *testing.T) {
			door := sideDoor(t, x.door)
			door.patience, door.silence, door.rt.ResponseHeaderTimeout = 500*time.Millisecond, 500*time.Millisecond, 500*time.Millisecond
			f := newFixture(t, kubeconfig(t, nil), func(config *Config) { config.Levers = door })
			response := f.get(x.path)
			body, err := io.ReadAll(response.Body)
			if x.code == 0 {
				if err == nil || response.StatusCode != http.StatusOK {
					t.Errorf("%s, %v: the stream must break off", response.Status, err)
				}
			} else if err != nil || response.StatusCode != x.code || len(body) > 1<<10 || strings.Contains(string(body), doorToken) {
				t.Errorf("%s, %v: %.200s", response.Status, err, body)
			}
			if says := strings.Contains(string(body), "etcd is away"); says != (name == "gives its reason") {
				t.Errorf("%s", body)
			}
			if response, _ := f.body("/contexts"); response.StatusCode != http.StatusOK {
				t.Errorf("afterwards: %s", response.Status)
			}
		})
	}
	t.Run("gone", func(t *testing.T) {
		door, err := NewSideDoor("http://127.0.0.1:1", doorToken)
		if err != nil {
			t.Fatal(err)
		}
		f := newFixture(t, kubeconfig(t, nil), func(config *Config) { config.Levers = door })
		for _, path := range []string{levers.Path, levers.WritesPath} {
			if response, body := f.body(path); response.StatusCode != http.StatusBadGateway || !strings.Contains(body, "the server's log") {
				t.Errorf("%s: %s %s", path, response.Status, body)
			}
		}
	})
}

// TestEndlessLines: a door whose lines have no end holds no memory, and waits while its viewer does not read.
func TestEndlessLines(t *testing.T) {
	var sent atomic.Int64
	line := strings.Repeat("x", 1<<16)
	f := newFixture(t, kubeconfig(t, nil), func(config *Config) {
		config.Levers = sideDoor(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for {
				n, err := io.WriteString(w, line)
				if sent.Add(int64(n)); err != nil {
					return
				}
			}
		}))
	})
	response := f.get(levers.WritesPath)
	if _, err := io.CopyN(io.Discard, response.Body, 64<<20); err != nil {
		t.Fatal(err)
	}
	if _, body := f.body("/contexts"); !strings.Contains(body, "contexts") { // beside the stream that is not read now
		t.Error(body)
	}
	if ahead := sent.Load() - 64<<20; ahead > 32<<20 {
		t.Errorf("the door is %d MiB ahead of its viewer", ahead>>20)
	}
}

// TestNewSideDoor: a door is on this machine.
func TestNewSideDoor(t *testing.T) {
	for address, ok := range map[string]bool{
		"http://127.0.0.1:1234": true, "http://[::1]:1234": true, "http://localhost:1": true, "http://127.0.0.1": false, "http://10.0.0.1:80": false,
		"https://127.0.0.1:1": false, "http://a:b@127.0.0.1:1": false, "unix:///x": false, "": false, "http://127.0.0.1.example.com:1": false,
	} {
		if _, err := NewSideDoor(address, doorToken); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
}
