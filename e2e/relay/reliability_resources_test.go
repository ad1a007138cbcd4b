//go:build linux

package relay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
)

var widgetsGVR = schema.GroupVersionResource{Group: "stage.example.com", Version: "v1alpha1", Resource: "widgets"}

// resourceFaults are faults of the watched resource.
var resourceFaults = []fault{
	{name: "namespace deleted under the watch", run: func(m *matrix) {
		const name = "comes-and-goes"
		m.makeNamespace(name)
		m.ns = name
		defer func() { m.ns = "" }()
		m.begin()
		m.deleteNamespace(name)
		m.says("namespace-missing", fmt.Sprintf("The namespace %q does not exist", name))
		m.nothingLostUnder(harness.LanesOf + ".every((l) => l.queue.synced && l.queue.depth === 0)") // its handlers get a delete for each of its objects
		m.makeNamespace(name)
		m.nothingLost()
	}},
	{name: "custom resource definition deleted and made again", run: func(m *matrix) {
		m.define("v1alpha1", "v1")
		m.gvr = widgetsGVR
		defer func() { m.gvr = podsGVR }()
		m.makeWidgets("first", 5)
		m.begin()
		m.undefine()
		m.says("not-served", "does not serve widgets (404 Not Found)")
		m.define("v1alpha1", "v1")
		m.makeWidgets("second", 3)
		m.nothingLost()
	}},
	{name: "custom resource definition deleted and made again at once", run: func(m *matrix) {
		m.define("v1alpha1", "v1")
		m.gvr = widgetsGVR
		defer func() { m.gvr = podsGVR }()
		m.makeWidgets("gone", 5)
		m.begin()
		m.undefine()
		m.define("v1alpha1", "v1")
		m.makeWidgets("gone", 2) // others of the same names
		m.makeWidgets("new", 2)
		m.nothingLost()
	}},
	{name: "version of a custom resource removed", run: func(m *matrix) {
		m.define("v1alpha1", "v1")
		m.gvr = widgetsGVR
		defer func() { m.gvr = podsGVR }()
		m.makeWidgets("third", 4)
		m.begin()
		m.define("v1")
		m.says("not-served", "does not serve widgets (404 Not Found)")
		m.gvr.Version = "v1"
		m.makeWidgets("fourth", 2)
		m.gvr.Version = "v1alpha1"
		m.define("v1alpha1", "v1")
		m.makeWidgets("fifth", 2)
		m.nothingLost()
		m.undefine()
	}},
}

// makeNamespace makes a namespace with pods in it.
func (m *matrix) makeNamespace(name string) {
	m.t.Helper()
	ctx := harness.Timeout(m.t, time.Minute)
	if _, err := m.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		m.t.Fatal(err)
	}
	for i := range 5 {
		if err := cluster.CreatePod(ctx, m.client, name, i); err != nil {
			m.t.Fatal(err)
		}
	}
}

// deleteNamespace deletes a namespace, and does what kube-controller-manager's namespace controller would: it deletes the content and then finalizes
// it.
func (m *matrix) deleteNamespace(name string) {
	m.t.Helper()
	ctx := harness.Timeout(m.t, time.Minute)
	namespaces := m.client.CoreV1().Namespaces()
	if err := namespaces.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		m.t.Fatal(err)
	}
	for i := range 5 {
		if err := cluster.DeletePod(ctx, m.client, name, i); err != nil {
			m.t.Fatal(err)
		}
	}
	ns, err := namespaces.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		m.t.Fatal(err)
	}
	ns.Spec.Finalizers = nil
	if _, err := namespaces.Finalize(ctx, ns, metav1.UpdateOptions{}); err != nil {
		m.t.Fatal(err)
	}
}

// define creates the widgets' definition, or changes it to serve these versions alone.
func (m *matrix) define(versions ...string) {
	m.t.Helper()
	list := ""
	for _, v := range []string{"v1alpha1", "v1"} {
		serves := false
		for _, name := range versions {
			serves = serves || name == v
		}
		list += fmt.Sprintf("  - {name: %s, served: %v, storage: %v, schema: {openAPIV3Schema: {type: object, "+
			"x-kubernetes-preserve-unknown-fields: true}}}\n", v, serves, v == "v1")
	}
	path := filepath.Join(m.t.TempDir(), "crd.yaml")
	if err := os.WriteFile(path, []byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.stage.example.com}
spec:
  group: stage.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
`+list), 0o600); err != nil {
		m.t.Fatal(err)
	}
	ctx := harness.Timeout(m.t, 2*time.Minute)
	if _, err := m.cp.Kubectl(ctx, "apply", "-f", path); err != nil {
		m.t.Fatal(err)
	}
	if _, err := m.cp.Kubectl(ctx, "wait", "--for=condition=Established", "--timeout=60s", "crd/widgets.stage.example.com"); err != nil {
		m.t.Fatal(err)
	}
}

func (m *matrix) undefine() {
	m.t.Helper()
	if _, err := m.cp.Kubectl(harness.Timeout(m.t, 2*time.Minute), "delete", "--wait=true", "crd/widgets.stage.example.com"); err != nil {
		m.t.Fatal(err)
	}
}

// makeWidgets makes n of them. An established definition may not be served for a moment yet, or may still report that it is terminating.
func (m *matrix) makeWidgets(name string, n int) {
	m.t.Helper()
	client, err := dynamic.NewForConfig(m.cp.Config())
	if err != nil {
		m.t.Fatal(err)
	}
	ctx := harness.Timeout(m.t, time.Minute)
	for i := range n {
		w := &unstructured.Unstructured{Object: map[string]any{"apiVersion": m.gvr.GroupVersion().String(), "kind": "Widget",
			"metadata": map[string]any{"name": fmt.Sprintf("%s-%d", name, i)}, "spec": map[string]any{"size": int64(i)}}}
		for {
			_, err := client.Resource(m.gvr).Namespace(cluster.NamespaceOf(i, matrixNamespaces)).Create(ctx, w, metav1.CreateOptions{})
			if err == nil {
				break
			}
			if ctx.Err() != nil || !apierrors.IsNotFound(err) && !apierrors.IsMethodNotSupported(err) && !apierrors.IsServiceUnavailable(err) {
				m.t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
}
