package kubeapi

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	appsconfig "k8s.io/client-go/applyconfigurations/apps/v1"
	coreconfig "k8s.io/client-go/applyconfigurations/core/v1"
	metaconfig "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// connect starts a server, and returns a client of it with a context for all that it does.
func connect(t *testing.T) (kubernetes.Interface, context.Context) {
	t.Helper()
	_, config := start(t)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return client, ctx
}

// TestServerSideApply applies configurations of two managers: each owns what it applies. A field of another is a conflict, unless it is forced. What a manager
// no longer applies goes, if it was its alone.
func TestServerSideApply(t *testing.T) {
	client, ctx := connect(t)
	maps := client.CoreV1().ConfigMaps("default")
	apply := func(manager string, force bool, data map[string]string) (*corev1.ConfigMap, error) {
		return maps.Apply(ctx, coreconfig.ConfigMap("c", "default").WithData(data), metav1.ApplyOptions{FieldManager: manager, Force: force})
	}
	if _, err := apply("one", false, map[string]string{"a": "1", "b": "1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := apply("two", false, map[string]string{"c": "2"}); err != nil {
		t.Fatal(err)
	}
	_, err := apply("two", false, map[string]string{"a": "2", "c": "2"})
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `conflict with "one"`) || !strings.Contains(err.Error(), ".data.a") {
		t.Errorf("a field of another manager: %v", err)
	}
	object, err := apply("two", true, map[string]string{"a": "2", "c": "2"})
	if err != nil || object.Data["a"] != "2" {
		t.Fatalf("forced: %v, %v", object, err)
	}
	object, err = apply("one", false, map[string]string{})
	if err != nil || len(object.Data) != 2 || object.Data["b"] != "" {
		t.Errorf("what one gave up: %v, %v", object.Data, err)
	}
	version := object.ResourceVersion
	if object, err = apply("two", false, map[string]string{"a": "2", "c": "2"}); err != nil || object.ResourceVersion != version {
		t.Errorf("an apply that changes nothing made version %s of %s: %v", object.ResourceVersion, version, err)
	}
	managers := []string{}
	for _, e := range object.ManagedFields {
		managers = append(managers, e.Manager+" "+string(e.Operation))
	}
	slices.Sort(managers)
	if want := []string{"one Apply", "two Apply"}; !slices.Equal(managers, want) && !slices.Equal(managers, want[1:]) {
		t.Errorf("the managers are %v", managers)
	}
	if _, err := maps.Patch(ctx, "c", types.ApplyPatchType, []byte(`{"kind":"ConfigMap","apiVersion":"v1"}`), metav1.PatchOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("without a manager: %v", err)
	}
}

// TestApplyAfterCreate creates a Deployment and applies a change of its replicas: kubectl-create owns them, down to the field, and lists have keys.
func TestApplyAfterCreate(t *testing.T) {
	client, ctx := connect(t)
	deployments := client.AppsV1().Deployments("default")
	labels := map[string]string{"app": "web"}
	web := func() *appsconfig.DeploymentApplyConfiguration {
		return appsconfig.Deployment("web", "default").WithSpec(appsconfig.DeploymentSpec().WithReplicas(2).WithSelector(metaconfig.LabelSelector().
			WithMatchLabels(labels)).WithTemplate(coreconfig.PodTemplateSpec().WithLabels(labels).WithSpec(coreconfig.PodSpec().
			WithContainers(coreconfig.Container().WithName("web").WithImage("nginx")))))
	}
	if _, err := deployments.Apply(ctx, web(), metav1.ApplyOptions{FieldManager: "create"}); err != nil {
		t.Fatal(err)
	}
	if _, err := deployments.Patch(ctx, "web", types.MergePatchType, []byte(`{"spec":{"replicas":3}}`), metav1.PatchOptions{FieldManager: "scaler"}); err != nil {
		t.Fatal(err)
	}
	_, err := deployments.Apply(ctx, web(), metav1.ApplyOptions{FieldManager: "create"})
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `"scaler"`) || !strings.Contains(err.Error(), ".spec.replicas") {
		t.Errorf("the scaler's replicas: %v", err)
	}
	// A second container of another manager is beside the first one.
	side := appsconfig.Deployment("web", "default").WithSpec(appsconfig.DeploymentSpec().WithTemplate(coreconfig.PodTemplateSpec().WithSpec(
		coreconfig.PodSpec().WithContainers(coreconfig.Container().WithName("side").WithImage("envoy")))))
	object, err := deployments.Apply(ctx, side, metav1.ApplyOptions{FieldManager: "mesh"})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, c := range object.Spec.Template.Spec.Containers {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"web", "side"}) {
		text, _ := json.Marshal(object.ManagedFields)
		t.Errorf("the containers are %v; %s", names, text)
	}
}
