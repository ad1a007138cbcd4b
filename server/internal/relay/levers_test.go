package relay

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/fold"
	"informerscope/core/lab"
	"informerscope/core/levers"
	"informerscope/core/selection"
	"informerscope/core/simcluster"
	"informerscope/core/trace"
	"informerscope/core/view"
	"informerscope/server/internal/wsconn"
)

// TestAPageChangesTheSharedCluster has a page's Lab watch a simulated cluster through the relay. What it pulls changes that cluster, the watch brings the
// change back, and the State has the cluster's counts.
func TestAPageChangesTheSharedCluster(t *testing.T) {
	c := simcluster.New(simcluster.Options{Seed: 7, Still: true})
	f := newFixture(t, kubeconfig(t, map[string]entry{"sim": apiserver(t, c.ServeHTTP)}), func(config *Config) { config.Levers = levers.Handler(levers.Own(c)) })
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
			if holds(v.State()) {
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
	with := newFixture(t, kubeconfig(t, map[string]entry{"sim": served}), func(config *Config) { config.Levers = levers.Handler(levers.Own(c)) })
	if _, body := with.body("/contexts"); !strings.Contains(body, `"simulated":true`) {
		t.Errorf("the contexts are %s", body)
	}
	before := c.Stats().ResourceVersion
	for _, body := range []io.Reader{strings.NewReader("{"), strings.NewReader(strings.Repeat(" ", levers.MaxOrder+1) + `{"verb":"compact"}`)} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://relay"+levers.Path, body)
		if err != nil {
			t.Fatal(err)
		}
		response, err := with.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusBadRequest {
			t.Errorf("a bad order: %s", response.Status)
		}
	}
	if after := c.Stats().ResourceVersion; after != before {
		t.Errorf("the cluster went from version %d to %d", before, after)
	}
}
