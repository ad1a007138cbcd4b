package simcluster

import (
	"net/http"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestDo sends requests while the API server is down, and gets answers and errors.
func TestDo(t *testing.T) {
	c := New(Options{Seed: 7, Objects: 5, Still: true})
	c.Restart(time.Hour)
	const path = "/api/v1/nodes/node-a1"
	var node metav1.PartialObjectMetadata
	patch := map[string]any{"metadata": map[string]any{"labels": map[string]any{"tier": "backend"}}}
	if err := c.Do(t.Context(), http.MethodPatch, path, patch, &node); err != nil || node.Labels["tier"] != "backend" {
		t.Errorf("the patch: %v, %v", err, node.Labels)
	}
	if err := c.Do(t.Context(), http.MethodDelete, path, nil, nil); err != nil {
		t.Error(err)
	}
	if err := c.Do(t.Context(), http.MethodGet, path, nil, &node); !apierrors.IsNotFound(err) {
		t.Errorf("of a node that is gone: %v", err)
	}
	if err := c.Do(t.Context(), http.MethodGet, "/nowhere", nil, nil); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("of a path that is not there: %v", err)
	}
}
