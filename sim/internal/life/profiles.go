package life

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"informerscope/core/cluster/simcluster"
)

// CrashStages are stages of kwok that let the containers of a pod exit again and again, if it has the annotation simcluster.Crashes.
//
//go:embed crash.yaml
var CrashStages string

// KubeletStopped is the label of a node whose kubelet is gone: kwok is to leave the node alone.
const KubeletStopped = "informerscope/kubelet-stopped"

const (
	rolloutPeriod = 20 * time.Second
	// A kubelet goes every nodePeriod, and is away for nodeAway.
	nodePeriod = 2 * time.Minute
	nodeAway   = time.Minute
	// Every crdPeriod there is a further CRD with crdObjects objects, and at most maxCRDs of them are there.
	crdPeriod  = 3 * time.Second
	crdObjects = 20
	maxCRDs    = 10
	crdGroup   = "storm.example.com"
)

// runProfile does what the profile says until ctx ends. A step that fails is logged; the next one comes all the same.
func (l *Life) runProfile(ctx context.Context) {
	var period time.Duration
	var step func(context.Context, int) error
	switch l.options.Profile {
	case "rollout":
		period, step = rolloutPeriod, l.rollNext
	case "nodefailure":
		period, step = nodePeriod, l.failNext
	case "crashloop":
		period, step = time.Second, l.crashFirst
	case "crdstorm":
		period, step = crdPeriod, l.stormNext
	default:
		return
	}
	ticks := time.NewTicker(max(time.Millisecond, time.Duration(float64(period)/l.options.Speed)))
	defer ticks.Stop()
	for n := 0; ; n++ {
		if err := step(ctx, n); err != nil && ctx.Err() == nil {
			fmt.Fprintf(l.options.Log, "the profile %s: %v\n", l.options.Profile, err)
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// rollNext restarts one deployment after the other, by name.
func (l *Life) rollNext(ctx context.Context, n int) error {
	all, err := l.client.AppsV1().Deployments("").List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil || len(all.Items) == 0 {
		return err
	}
	d := all.Items[n%len(all.Items)]
	return l.RestartDeployment(ctx, d.Namespace, d.Name)
}

// crashFirst gives the first deployment by name pods that exit, once.
func (l *Life) crashFirst(ctx context.Context, _ int) error {
	all, err := l.client.AppsV1().Deployments("").List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil || len(all.Items) == 0 || all.Items[0].Spec.Template.Annotations[simcluster.Crashes] == "true" {
		return err
	}
	return l.annotateTemplate(ctx, all.Items[0].Namespace, all.Items[0].Name, simcluster.Crashes, "true")
}

// failNext takes one kubelet after the other away for a while. The node controller finds that out, and evicts the node's pods.
func (l *Life) failNext(ctx context.Context, n int) error {
	all, err := l.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil || len(all.Items) < 2 {
		return err
	}
	slices.SortFunc(all.Items, func(a, b corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	name := all.Items[n%len(all.Items)].Name
	if err := l.stopKubelet(ctx, name, true); err != nil {
		return err
	}
	back := time.NewTimer(time.Duration(float64(nodeAway) / l.options.Speed))
	defer back.Stop()
	select {
	case <-back.C:
	case <-ctx.Done():
		return nil
	}
	return l.stopKubelet(ctx, name, false)
}

// stopKubelet lets a node's kubelet go, or come back.
func (l *Life) stopKubelet(ctx context.Context, node string, stopped bool) error {
	value := "null"
	if stopped {
		value = `"true"`
	}
	patch := fmt.Sprintf(`{"metadata": {"labels": {%q: %s}}}`, KubeletStopped, value)
	_, err := l.client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

var crdResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// stormNext makes a CRD with some objects, and deletes the oldest beyond maxCRDs.
func (l *Life) stormNext(ctx context.Context, n int) error {
	kind := fmt.Sprintf("Storm%d", n)
	plural := strings.ToLower(kind) + "s"
	definition := map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": plural + "." + crdGroup},
		"spec": map[string]any{"group": crdGroup, "scope": "Namespaced",
			"names": map[string]any{"kind": kind, "listKind": kind + "List", "plural": plural, "singular": strings.ToLower(kind)},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": map[string]any{
				"type": "object", "properties": map[string]any{"spec": map[string]any{"type": "object",
					"properties": map[string]any{"size": map[string]any{"type": "integer"}}}}}}}}}}
	definitions := l.dynamic.Resource(crdResource)
	if old := n - maxCRDs; old >= 0 {
		if err := ignoreGone(definitions.Delete(ctx, fmt.Sprintf("storm%ds.%s", old, crdGroup), metav1.DeleteOptions{})); err != nil {
			return err
		}
	}
	if _, err := definitions.Create(ctx, &unstructured.Unstructured{Object: definition}, metav1.CreateOptions{}); err != nil {
		return err
	}
	objects := l.dynamic.Resource(schema.GroupVersionResource{Group: crdGroup, Version: "v1", Resource: plural}).Namespace(metav1.NamespaceDefault)
	create := func(ctx context.Context, i int) error {
		_, err := objects.Create(ctx, &unstructured.Unstructured{Object: map[string]any{"apiVersion": crdGroup + "/v1", "kind": kind,
			"metadata": map[string]any{"name": fmt.Sprintf("%s-%d", strings.ToLower(kind), i)}, "spec": map[string]any{"size": i}}}, metav1.CreateOptions{})
		return err
	}
	// It is served once it is established, a moment later.
	served := time.NewTicker(100 * time.Millisecond)
	defer served.Stop()
	for tries := 0; ; tries++ {
		err := create(ctx, 0)
		if err == nil {
			break
		}
		if tries == 20 {
			return err
		}
		select {
		case <-served.C:
		case <-ctx.Done():
			return nil
		}
	}
	return write(ctx, numbers(crdObjects)[1:], create)
}
