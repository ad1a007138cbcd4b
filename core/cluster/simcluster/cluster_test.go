package simcluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	clocktesting "k8s.io/utils/clock/testing"
)

var epoch = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// play advances a cluster on a fake clock as Run does, but in the test's goroutine.
func play(c *Cluster, clk *clocktesting.FakeClock, d, step time.Duration) {
	for ; d > 0; d -= step {
		clk.Step(step)
		c.mu.Lock()
		for c.advance(tasksPerSlice) {
		}
		c.mu.Unlock()
	}
}

type call struct {
	code   int
	header http.Header
	body   string
}

func (a call) get(path string) gjson.Result { return gjson.Get(a.body, path) }

// do sends one request. header alternates names and values.
func do(c *Cluster, method, url, body string, header ...string) call {
	req := httptest.NewRequest(method, url, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	c.ServeHTTP(w, req)
	return call{w.Code, w.Header(), w.Body.String()}
}

func newFake(o Options) (*Cluster, *clocktesting.FakeClock) {
	clk := clocktesting.NewFakeClock(epoch)
	o.Clock = clk
	return New(o), clk
}

func TestSeededStateIsValid(t *testing.T) {
	for _, n := range []int{-1, 1, 60, 1000} {
		c, _ := newFake(Options{Objects: n, Seed: 3})
		if got := c.Stats().Objects["pods"]; got != max(n, 0) {
			t.Errorf("Objects %d: %d pods", n, got)
		}
		for _, r := range c.order {
			for _, s := range r.pool {
				o := s.cur
				if !json.Valid(o.raw) {
					t.Fatalf("%s %s: invalid JSON: %s", r.plural, s.key, o.raw)
				}
				checkIndex(t, r, s)
			}
		}
	}
}

// checkIndex compares the indexed fields of an object with its JSON.
func checkIndex(t *testing.T, r *resource, s *slot) {
	t.Helper()
	want := index(s.cur.raw)
	got := *s.cur
	if len(got.labels) == 0 && len(want.labels) == 0 {
		got.labels = want.labels
	}
	if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", *want); a != b {
		t.Fatalf("%s %s: index\n got %s\nwant %s", r.plural, s.key, a, b)
	}
}

func TestIndexSurvivesLife(t *testing.T) {
	c, clk := newFake(Options{Objects: 80, Seed: 5, Rate: 500})
	if err := c.CreateDeployment("shop", "new-app", 7); err != nil {
		t.Fatal(err)
	}
	play(c, clk, 20*time.Second, 50*time.Millisecond)
	for _, r := range c.order {
		for seq := r.start; seq < r.end; seq++ {
			e := r.event(seq)
			if !json.Valid(e.obj.raw) {
				t.Fatalf("invalid JSON in history: %s", e.obj.raw)
			}
			if got := gjson.GetBytes(e.obj.raw, "metadata.resourceVersion").Uint(); got != e.rev {
				t.Fatalf("%s %s: event %d has version %d", r.plural, e.obj.key(), e.rev, got)
			}
		}
		for _, s := range r.pool {
			checkIndex(t, r, s)
		}
	}
	phases := map[string]int{}
	for _, s := range c.pods.pool {
		phases[s.cur.phase]++
	}
	if phases["Running"] < 60 || phases["Succeeded"] == 0 {
		t.Errorf("phases after 20 s: %v", phases)
	}
}

func TestDeploymentLifecycle(t *testing.T) {
	c, clk := newFake(Options{Objects: -1, Seed: 1})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ready := func() string {
		a := do(c, "GET", "/apis/apps/v1/namespaces/shop/deployments/demo", "")
		return a.get("status.readyReplicas").String() + "/" + a.get("status.replicas").String() + "/" + a.get("status.updatedReplicas").String()
	}
	check(c.CreateDeployment("shop", "demo", 4))
	play(c, clk, 5*time.Second, 100*time.Millisecond)
	if got := ready(); got != "4/4/4" {
		t.Fatalf("after creation: %s", got)
	}
	pod := do(c, "GET", "/api/v1/namespaces/shop/pods?labelSelector=app%3Ddemo", "")
	for _, path := range []string{"spec.nodeName", "status.podIP", "status.hostIP", "metadata.labels.pod-template-hash",
		"metadata.ownerReferences.0.uid", "metadata.managedFields.0.manager", "spec.containers.0.readinessProbe", "metadata.labels.tier"} {
		if !pod.get("items.0." + path).Exists() {
			t.Errorf("a pod has no %s: %s", path, pod.get("items.0").Raw)
		}
	}
	if n := len(pod.get("items.0").Raw); n < 2000 || n > 5000 {
		t.Errorf("a pod is %d bytes", n)
	}
	check(c.Scale("shop", "demo", 6))
	play(c, clk, 5*time.Second, 100*time.Millisecond)
	if got := ready(); got != "6/6/6" {
		t.Fatalf("after scaling up: %s", got)
	}
	before := do(c, "GET", "/api/v1/namespaces/shop/pods", "").get("items.#.metadata.name").String()
	check(c.RestartDeployment("shop", "demo"))
	least := 99
	for range 150 {
		play(c, clk, 100*time.Millisecond, 100*time.Millisecond)
		n := 0
		for _, s := range c.pods.pool {
			if s.pod.stage == stageRunning && s.pod.ready && !s.cur.isDeleting {
				n++
			}
		}
		least = min(least, n)
	}
	if got := ready(); got != "6/6/6" {
		t.Fatalf("after restart: %s", got)
	}
	if least < 5 {
		t.Errorf("a rolling restart of 6 with 25%% unavailable left %d ready", least)
	}
	after := do(c, "GET", "/api/v1/namespaces/shop/pods", "")
	after.get("items.#.metadata.name").ForEach(func(_, v gjson.Result) bool {
		if strings.Contains(before, v.String()) {
			t.Errorf("pod %s outlived the restart", v.String())
		}
		return true
	})
	if rs := do(c, "GET", "/apis/apps/v1/namespaces/shop/replicasets", ""); rs.get("items.#").Int() != 2 {
		t.Errorf("replica sets: %s", rs.get("items.#.metadata.name"))
	}
	check(c.Scale("shop", "demo", 1))
	play(c, clk, 5*time.Second, 100*time.Millisecond)
	if got := ready(); got != "1/1/1" {
		t.Fatalf("after scaling down: %s", got)
	}
	check(c.Do(t.Context(), "DELETE", "/apis/apps/v1/namespaces/shop/deployments/demo", nil, nil))
	play(c, clk, 5*time.Second, 100*time.Millisecond)
	if s := c.Stats(); s.Objects["pods"]+s.Objects["replicasets.apps"]+s.Objects["deployments.apps"] != 0 {
		t.Errorf("left behind: %v", s.Objects)
	}
	if err := c.Scale("shop", "demo", 1); err == nil {
		t.Error("scaling a deleted deployment succeeded")
	}
	if err := c.CreateDeployment("shop", "Bad_Name", 1); err == nil {
		t.Error("a bad name was accepted")
	}
	if err := c.CreateDeployment("shop", "neg", -1); err == nil {
		t.Error("negative replicas were accepted")
	}
}

func TestSameSeedSameStory(t *testing.T) {
	story := func(seed uint64) string {
		c, clk := newFake(Options{Objects: 100, Seed: seed, Rate: 200})
		play(c, clk, 3*time.Second, 10*time.Millisecond)
		_ = c.CreateDeployment("shop", "x", 5)
		play(c, clk, 3*time.Second, 250*time.Millisecond)
		do(c, "POST", "/api/v1/namespaces/web/configmaps", `{"metadata":{"generateName":"a-"}}`)
		_ = c.RestartDeployment("shop", "x")
		_, _, _ = c.DeleteRandomPod()
		_ = c.Burst(50)
		play(c, clk, 10*time.Second, 100*time.Millisecond)
		var b bytes.Buffer
		for _, r := range c.order {
			for seq := r.start; seq < r.end; seq++ {
				e := r.event(seq)
				fmt.Fprintf(&b, "%d %d %s\n", e.rev, e.typ, e.obj.raw)
			}
		}
		return b.String()
	}
	a, b, other := story(7), story(7), story(8)
	if a != b {
		t.Error("the same seed gave two histories")
	}
	if a == other {
		t.Error("two seeds gave the same history")
	}
	if len(a) < 1e6 {
		t.Errorf("the history is only %d bytes", len(a))
	}
}

func TestRate(t *testing.T) {
	for _, rate := range []float64{0, 0.5, 7, 100, 2000} {
		c, clk := newFake(Options{Objects: 500, Seed: 2, Rate: rate, HistorySize: 64})
		start := c.pods.end
		play(c, clk, 20*time.Second, 20*time.Millisecond)
		got := float64(c.pods.end-start) / 20
		if got < rate*0.75 || got > rate*1.25+0.1 {
			t.Errorf("rate %v gave %v pod events a second", rate, got)
		}
	}
	c, clk := newFake(Options{Objects: 50, Rate: 1000})
	start := c.pods.end
	play(c, clk, time.Hour, time.Hour)
	if n := c.pods.end - start; n > 3000 {
		t.Errorf("an hour's gap made %d events", n)
	}
	c.SetRate(1e9)
	if c.Rate() != MaxRate {
		t.Errorf("Rate() = %v", c.Rate())
	}
	c.SetRate(-1)
	if c.Rate() != 0 {
		t.Errorf("Rate() = %v", c.Rate())
	}
}

func TestNodesHeartbeat(t *testing.T) {
	c, clk := newFake(Options{})
	leases, nodes := c.leases.end, c.nodes.end
	play(c, clk, 2*time.Minute, time.Second)
	if n := c.leases.end - leases; n < 30 {
		t.Errorf("%d lease renewals in two minutes of three nodes", n)
	}
	if n := c.nodes.end - nodes; n < 3 {
		t.Errorf("%d node updates in two minutes of three nodes", n)
	}
}

func TestHundredThousand(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	start := time.Now()
	c, clk := newFake(Options{Objects: 100_000, Seed: 1, Rate: 10_000})
	t.Logf("New: %v", time.Since(start))
	start = time.Now()
	play(c, clk, 2*time.Second, 10*time.Millisecond)
	t.Logf("2 s at 10,000/s: %v, %d pod events, %d writes", time.Since(start), c.pods.end, c.Stats().Writes)
	if c.pods.end < 15_000 {
		t.Errorf("%d pod events in 2 s", c.pods.end)
	}
	start = time.Now()
	req := httptest.NewRequest("GET", "/api/v1/pods", nil)
	w := &discard{header: http.Header{}}
	c.ServeHTTP(w, req)
	t.Logf("LIST: %v, %d bytes", time.Since(start), w.n)
	if w.n < 200e6 {
		t.Errorf("the list is %d bytes", w.n)
	}
}

type discard struct {
	header http.Header
	n      int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(b []byte) (int, error) { d.n += len(b); return io.Discard.Write(b) }
