// Package operator has a small operator and its suite on envtest: a custom resource with a finalizer, a status and a child.
package operator

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "example.org/operator"

var boat = schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Boat"}

var definition = &apiextensionsv1.CustomResourceDefinition{
	ObjectMeta: metav1.ObjectMeta{Name: "boats.example.org"},
	Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Group: boat.Group, Scope: apiextensionsv1.NamespaceScoped,
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "boats", Kind: boat.Kind},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name: "v1", Served: true, Storage: true,
			Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object",
				Properties: map[string]apiextensionsv1.JSONSchemaProps{
					"spec": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"crew": {Type: "integer"}},
						XValidations: apiextensionsv1.ValidationRules{{Rule: "self.crew > 0", Message: "a boat has a crew"}}},
					"status": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"crew": {Type: "integer"}}},
				}}},
		}},
	},
}

func newBoat(name string, crew int64) *unstructured.Unstructured {
	b := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"crew": crew}}}
	b.SetGroupVersionKind(boat)
	b.SetNamespace("default")
	b.SetName(name)
	return b
}

// reconciler keeps a ConfigMap for each Boat, and removes it before the Boat goes.
type reconciler struct{ client.Client }

func (r reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := newBoat("", 0)
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	if b.GetDeletionTimestamp() != nil {
		if err := client.IgnoreNotFound(r.Delete(ctx, child)); err != nil {
			return ctrl.Result{}, err
		}
		controllerutil.RemoveFinalizer(b, finalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	if controllerutil.AddFinalizer(b, finalizer) {
		return ctrl.Result{}, r.Update(ctx, b)
	}
	crew, _, _ := unstructured.NestedInt64(b.Object, "spec", "crew")
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, child, func() error {
		child.Data = map[string]string{"crew": fmt.Sprint(crew)}
		return controllerutil.SetControllerReference(b, child, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	if err := unstructured.SetNestedField(b.Object, crew, "status", "crew"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Status().Update(ctx, b)
}

func TestOperator(t *testing.T) {
	env := &envtest.Environment{CRDs: []*apiextensionsv1.CustomResourceDefinition{definition}}
	config, err := env.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	})
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := ctrl.NewControllerManagedBy(manager).For(newBoat("", 0)).Owns(&corev1.ConfigMap{}).Complete(reconciler{manager.GetClient()}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	eventually := func(what string, holds func() (bool, error)) {
		t.Helper()
		if err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) { return holds() }); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	if err := c.Create(ctx, newBoat("empty", 0)); !apierrors.IsInvalid(err) {
		t.Errorf("a Boat without a crew: %v", err)
	}
	b := newBoat("ketch", 3)
	if err := c.Create(ctx, b); err != nil {
		t.Fatal(err)
	}
	child, key := &corev1.ConfigMap{}, client.ObjectKeyFromObject(b)
	childHas := func(crew string) func() (bool, error) {
		return func() (bool, error) {
			err := c.Get(ctx, key, child)
			return err == nil && child.Data["crew"] == crew, client.IgnoreNotFound(err)
		}
	}
	eventually("the child is there", childHas("3"))
	eventually("the status is there", func() (bool, error) {
		err := c.Get(ctx, key, b)
		crew, _, _ := unstructured.NestedInt64(b.Object, "status", "crew")
		return crew == 3, err
	})
	if err := c.Patch(ctx, b, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"crew":4}}`))); err != nil {
		t.Fatal(err)
	}
	eventually("the child follows", childHas("4"))
	if err := c.Delete(ctx, child); err != nil {
		t.Fatal(err)
	}
	eventually("the child comes back", childHas("4"))
	if err := c.Delete(ctx, b); err != nil {
		t.Fatal(err)
	}
	eventually("the Boat is gone, and its child", func() (bool, error) {
		return apierrors.IsNotFound(c.Get(ctx, key, b)) && apierrors.IsNotFound(c.Get(ctx, key, child)), nil
	})
}
