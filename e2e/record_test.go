package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/informer"
	"informerscope/core/object"
	"informerscope/core/trace"
	"informerscope/core/trace/tracetest"
	"informerscope/e2e/browser"
	"informerscope/e2e/cluster"
)

// recording is informerscope.record() as core/trace reads it.
func recording(ctx context.Context, p *browser.Page) ([]trace.Event, error) {
	text, err := browser.Eval[string](ctx, p, `(async () => (await informerscope.record()).text)()`)
	if err != nil {
		return nil, err
	}
	_, events, warning, err := tracetest.Read(strings.NewReader(text), trace.ReadOptions{
		// As the page reads it, with the weight of objects.
		DecodeObject: func(raw []byte) (any, error) { return object.Parse(raw) },
	})
	if err == nil {
		err = warning
	}
	return events, err
}

// inStore folds a recording to what the Indexer holds: resourceVersions by key.
func inStore(events []trace.Event) map[string]string {
	fold := trace.NewFold()
	for i := range events {
		fold.Apply(&events[i])
	}
	held := map[string]string{}
	fold.Objects(0).Range(func(c *trace.Cell) bool {
		held[c.Key] = c.RV
		return true
	})
	return held
}

// inCluster asks the API server for all pods: resourceVersions by key, and how many there are in each namespace.
func inCluster(ctx context.Context, cp *cluster.ControlPlane) (pods map[string]string, namespaces map[string]int, err error) {
	client, err := cp.Client()
	if err != nil {
		return nil, nil, err
	}
	list, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil, err
	}
	pods, namespaces = map[string]string{}, map[string]int{}
	for _, pod := range list.Items {
		pods[pod.Namespace+"/"+pod.Name] = pod.ResourceVersion
		namespaces[pod.Namespace]++
	}
	return pods, namespaces, nil
}

// expectAgreement waits until the page's Indexer holds exactly what the API server has, object by object and version by version, with the same
// namespace index. The cluster must be quiet. Where they differ it checks again each time the page's log has grown.
func expectAgreement(t *testing.T, cp *cluster.ControlPlane, p *browser.Page, d time.Duration) {
	t.Helper()
	ctx := within(t, d)
	want, namespaces, err := inCluster(ctx, cp)
	if err != nil {
		t.Fatal(err)
	}
	for {
		state, err := p.State(ctx)
		if err != nil {
			t.Fatal(err)
		}
		events, err := recording(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		trouble := tracetest.Difference(want, inStore(events))
		if trouble == "" {
			break
		}
		if _, err := p.WaitState(ctx, fmt.Sprintf("s.seq > %d", state.Seq)); err != nil {
			t.Fatalf("the Indexer is not what the API server has: %s (%v)", trouble, err)
		}
	}
	s := await(t, p, 10*time.Second, "s.indexer.count === %d", len(want))
	if got := s.Indexer.Indices["namespace"]; !maps.Equal(got, namespaces) {
		t.Errorf("the namespace index says %v, the API server %v", got, namespaces)
	}
}

// lostDeletions returns the keys of the deletions after seq that reached the listeners without a watch event. Only a relist finds them, and they
// arrive as DeletedFinalStateUnknown.
func lostDeletions(events []trace.Event, seq uint64) []string {
	seen, told := map[string]bool{}, map[string]bool{}
	for i := range events {
		e := &events[i]
		if e.Seq <= seq || e.Op != informer.OpDeleted {
			continue
		}
		switch e.Kind {
		case informer.KindWatchEvent:
			seen[e.Key] = true
		case informer.KindDistributed:
			told[e.Key] = true
		}
	}
	maps.DeleteFunc(told, func(key string, _ bool) bool { return seen[key] })
	return slices.Sorted(maps.Keys(told))
}

// expired reports whether the Reflector received a 410 after seq.
func expired(events []trace.Event, seq uint64) bool {
	for i := range events {
		e := &events[i]
		if e.Seq > seq && (e.Kind == informer.KindWatchClosed || e.Kind == informer.KindRequestAnswered) && e.Err != nil &&
			(apierrors.IsResourceExpired(e.Err) || apierrors.IsGone(e.Err) || strings.Contains(e.Err.Error(), "too old resource version")) {
			return true
		}
	}
	return false
}
