package cluster_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"informerscope/core/log/trace/tracetest"
	"informerscope/core/words/event"
	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// expectAgreement waits until the page's Indexer holds exactly what the API server has, object by object and version by version, with the same
// namespace index. The cluster must be quiet. Where they differ it checks again each time the page's log has grown.
func expectAgreement(t *testing.T, client kubernetes.Interface, p *browser.Page, d time.Duration) {
	t.Helper()
	ctx := harness.Timeout(t, d)
	want, namespaces, err := harness.InCluster(ctx, client)
	if err != nil {
		t.Fatal(err)
	}
	for {
		state, err := p.State(ctx)
		if err != nil {
			t.Fatal(err)
		}
		events, err := harness.Recording(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		trouble := tracetest.Difference(want, harness.InStore(events))
		if trouble == "" {
			break
		}
		if _, err := p.WaitState(ctx, fmt.Sprintf("s.seq > %d", state.Seq)); err != nil {
			t.Fatalf("the Indexer is not what the API server has: %s (%v)", trouble, err)
		}
	}
	s := harness.Await(t, p, 10*time.Second, "s.indexer.count === %d", len(want))
	if got := s.Indexer.Indices["namespace"]; !maps.Equal(got, namespaces) {
		t.Errorf("the namespace index says %v, the API server %v", got, namespaces)
	}
}

// lostDeletions returns the keys of the deletions after seq that reached the listeners without a watch event. Only a relist finds them, and they
// arrive as DeletedFinalStateUnknown.
func lostDeletions(events []event.Entry, seq uint64) []string {
	seen, told := map[string]bool{}, map[string]bool{}
	for i := range events {
		e := &events[i]
		if e.Seq <= seq || e.Op() != event.OpDeleted {
			continue
		}
		switch e.Kind {
		case event.KindWatchEvent:
			seen[e.Key()] = true
		case event.KindDistributed:
			told[e.Key()] = true
		}
	}
	maps.DeleteFunc(told, func(key string, _ bool) bool { return seen[key] })
	return slices.Sorted(maps.Keys(told))
}
