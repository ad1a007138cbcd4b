package life

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"informerscope/core/cluster/simcluster"
)

// noMachine has no process behind the API.
type noMachine struct{ Machine }

func (noMachine) Revision() uint64 { return 0 }

// TestDo sends requests to a simulated API, and gets its answers and errors.
func TestDo(t *testing.T) {
	srv := httptest.NewServer(simcluster.New(simcluster.Options{Seed: 7, Objects: 5, Still: true}))
	defer srv.Close()
	l, err := New(&rest.Config{Host: srv.URL}, noMachine{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const path = "/api/v1/nodes/node-a1"
	var node metav1.PartialObjectMetadata
	patch := map[string]any{"metadata": map[string]any{"labels": map[string]any{"tier": "backend"}}}
	if err := l.Do(t.Context(), http.MethodPatch, path, patch, &node); err != nil || node.Labels["tier"] != "backend" {
		t.Errorf("the patch: %v, %v", err, node.Labels)
	}
	var nodes metav1.PartialObjectMetadataList
	if err := l.Do(t.Context(), http.MethodGet, "/api/v1/nodes?labelSelector=tier", nil, &nodes); err != nil || len(nodes.Items) != 1 {
		t.Errorf("of the nodes: %v, %d", err, len(nodes.Items))
	}
	if err := l.Do(t.Context(), http.MethodDelete, path, nil, nil); err != nil {
		t.Error(err)
	}
	if err := l.Do(t.Context(), http.MethodDelete, path, nil, nil); !apierrors.IsNotFound(err) || err.Error() != `nodes "node-a1" not found` {
		t.Errorf("the second time: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Do(ctx, http.MethodGet, path, nil, nil); err == nil {
		t.Error("it is answered after its context has ended")
	}
}
