package tests

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	admission "k8s.io/api/admission/v1"
	registration "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"informerscope/sim/internal/harness"
)

// TestCustomResource serves a resource of its own: its rule refuses an object in Kubernetes' words, and its column is printed.
func TestCustomResource(t *testing.T) {
	c := cluster(t)
	namespace := newNamespace(t, c)
	mustApply(t, c, namespace, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.test.example.org}
spec:
  group: test.example.org
  scope: Namespaced
  names: {plural: boats, singular: boat, kind: Boat}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns: [{name: Crew, type: integer, jsonPath: .spec.crew}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [crew, seats]
            properties: {crew: {type: integer, minimum: 1}, seats: {type: integer}}
            x-kubernetes-validations: [{rule: self.crew <= self.seats, message: more crew than seats}]
`)
	mustKubectl(t, c, "wait", "--for=condition=Established", "crd/boats.test.example.org", "--timeout=50s")
	boat := func(crew, seats int) string {
		return fmt.Sprintf("apiVersion: test.example.org/v1\nkind: Boat\nmetadata: {name: ark}\nspec: {crew: %d, seats: %d}\n", crew, seats)
	}
	for _, row := range []struct {
		crew, seats int
		want        string
	}{
		{0, 5, "spec.crew: Invalid value: 0: spec.crew in body should be greater than or equal to 1"},
		{9, 5, "more crew than seats"},
		{2, 5, "boat.test.example.org/ark created"},
	} {
		if out, _ := c.KubectlWith(boat(row.crew, row.seats), "apply", "-n", namespace, "-f", "-"); !strings.Contains(out, row.want) {
			t.Errorf("a boat with a crew of %d and %d seats: kubectl printed %q, want %q", row.crew, row.seats, out, row.want)
		}
	}
	if out := mustKubectl(t, c, "get", "boats", "-n", namespace); strings.Join(strings.Fields(out), " ") != "NAME CREW ark 2" {
		t.Errorf("kubectl get boats printed %q", out)
	}
	mustKubectl(t, c, "delete", "crd", "boats.test.example.org", "--timeout=50s")
}

// TestWebhook lets a webhook of the test refuse an object.
func TestWebhook(t *testing.T) {
	c := cluster(t)
	namespace := newNamespace(t, c)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admission.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		review.Response = &admission.AdmissionResponse{UID: review.Request.UID, Allowed: review.Request.Name != "forbidden",
			Result: &metav1.Status{Message: "the webhook of the test says no"}}
		_ = json.NewEncoder(w).Encode(review)
	}))
	t.Cleanup(server.Close)
	webhooks := c.Client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	if _, err := webhooks.Create(t.Context(), &registration.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "test"},
		Webhooks: []registration.ValidatingWebhook{{
			Name: "no.test.example.org", SideEffects: ptr.To(registration.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
			ClientConfig: registration.WebhookClientConfig{URL: ptr.To(server.URL + "/review"),
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace}},
			Rules: []registration.RuleWithOperations{{Operations: []registration.OperationType{registration.Create},
				Rule: registration.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}}}},
		}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = webhooks.Delete(context.Background(), "test", metav1.DeleteOptions{}) })
	eventually(t, func(ctx context.Context) error { // the API server learns of it by a watch
		err := createConfigMap(ctx, c, namespace, "forbidden", metav1.CreateOptions{DryRun: []string{"All"}})
		if err == nil || !strings.Contains(err.Error(), `admission webhook "no.test.example.org" denied the request: the webhook of the test says no`) {
			return fmt.Errorf("the answer is %v", err)
		}
		return nil
	})
	if err := createConfigMap(t.Context(), c, namespace, "allowed", metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
}

func createConfigMap(ctx context.Context, c *harness.Cluster, namespace, name string, o metav1.CreateOptions) error {
	_, err := c.Client.CoreV1().ConfigMaps(namespace).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, o)
	return err
}

// TestOwners checks that what is owned goes with its owner, and that a namespace goes with all that is in it.
func TestOwners(t *testing.T) {
	c := cluster(t)
	namespace := newNamespace(t, c)
	mustKubectl(t, c, "create", "deployment", "web", "-n", namespace, "--image=nginx", "--replicas=2")
	mustKubectl(t, c, "rollout", "status", "deployment/web", "-n", namespace, "--timeout=50s")
	mustKubectl(t, c, "delete", "deployment", "web", "-n", namespace)
	eventually(t, func(ctx context.Context) error {
		sets, err := c.Client.AppsV1().ReplicaSets(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		pods, err := c.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err == nil && len(sets.Items)+len(pods.Items) > 0 {
			err = fmt.Errorf("%d ReplicaSets and %d pods are left", len(sets.Items), len(pods.Items))
		}
		return err
	})
	mustKubectl(t, c, "run", "alone", "-n", namespace, "--image=nginx")
	mustKubectl(t, c, "create", "secret", "generic", "kept", "-n", namespace)
	mustKubectl(t, c, "delete", "namespace", namespace, "--wait=false")
	eventually(t, func(ctx context.Context) error {
		_, err := c.Client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(errors.New("the namespace is still there"), err)
	})
}

// TestQuota checks that a quota refuses the object that is one too many.
func TestQuota(t *testing.T) {
	c := cluster(t)
	namespace := newNamespace(t, c)
	mustKubectl(t, c, "create", "quota", "small", "-n", namespace, "--hard=secrets=1")
	eventually(t, func(ctx context.Context) error {
		quota, err := c.Client.CoreV1().ResourceQuotas(namespace).Get(ctx, "small", metav1.GetOptions{})
		if err == nil && len(quota.Status.Hard) == 0 {
			err = errors.New("the quota has not been counted")
		}
		return err
	})
	mustKubectl(t, c, "create", "secret", "generic", "first", "-n", namespace)
	out, err := c.Kubectl("create", "secret", "generic", "second", "-n", namespace)
	if want := "exceeded quota: small, requested: secrets=1, used: secrets=1, limited: secrets=1"; err == nil || !strings.Contains(out, want) {
		t.Errorf("kubectl printed %q, want %q", out, want)
	}
}

// TestNodeFailure stops a kubelet. Its node is not ready within seconds, and its pods come up elsewhere.
func TestNodeFailure(t *testing.T) {
	c := cluster(t)
	namespace := newNamespace(t, c)
	addNode(t, c, "fails")
	mustApply(t, c, namespace, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: nginx}]
      affinity:
        nodeAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - {weight: 100, preference: {matchFields: [{key: metadata.name, operator: In, values: [fails]}]}}
`)
	mustKubectl(t, c, "rollout", "status", "deployment/web", "-n", namespace, "--timeout=50s")
	elsewhere := func(ctx context.Context) (n int, err error) {
		pods, err := c.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return 0, err
		}
		for _, pod := range pods.Items {
			if pod.Spec.NodeName != "fails" && pod.Status.Phase == corev1.PodRunning {
				n++
			}
		}
		return n, nil
	}
	if n, err := elsewhere(t.Context()); n != 0 || err != nil {
		t.Fatalf("%d pods run on other nodes before the node fails (%v)", n, err)
	}
	mustKubectl(t, c, "label", "node", "fails", "informerscope/kubelet-stopped=")
	waitNode(t, c, "fails", corev1.ConditionUnknown)
	eventually(t, func(ctx context.Context) error {
		n, err := elsewhere(ctx)
		if err == nil && n != 2 {
			err = fmt.Errorf("%d of 2 pods run on other nodes", n)
		}
		return err
	})
	mustKubectl(t, c, "label", "node", "fails", "informerscope/kubelet-stopped-")
	waitNode(t, c, "fails", corev1.ConditionTrue)
	mustKubectl(t, c, "delete", "node", "fails")
}
