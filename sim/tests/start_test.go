package tests

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/sim/internal/harness"
)

// TestStart checks that the cluster says where it is when it is ready, and that its components work: a Deployment gets pods that run.
func TestStart(t *testing.T) {
	c := harness.Start(t, "--objects=0")
	var status int
	c.Client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(t.Context()).StatusCode(&status)
	if status != http.StatusOK {
		t.Errorf("/readyz answered %d at once after the start", status)
	}
	deployments, err := c.Client.AppsV1().Deployments("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(deployments.Items); n != 0 {
		t.Errorf("%d deployments that --objects=0 did not ask for", n)
	}
	namespace := newNamespace(t, c)
	mustKubectl(t, c, "create", "deployment", "web", "-n", namespace, "--image=nginx", "--replicas=3")
	eventually(t, func(ctx context.Context) error {
		d, err := c.Client.AppsV1().Deployments(namespace).Get(ctx, "web", metav1.GetOptions{})
		if err == nil && d.Status.AvailableReplicas != 3 {
			err = fmt.Errorf("%d of 3 pods are available", d.Status.AvailableReplicas)
		}
		return err
	})
	pods, err := c.Client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app=web"})
	if err != nil {
		t.Fatal(err)
	}
	if len(pods.Items) != 3 {
		t.Errorf("%d pods, want 3", len(pods.Items))
	}
	for _, pod := range pods.Items {
		if pod.Status.Phase != "Running" || !strings.HasPrefix(pod.Spec.NodeName, "node-") || pod.Status.PodIP == "" {
			t.Errorf("pod %s is %s on node %q with address %q", pod.Name, pod.Status.Phase, pod.Spec.NodeName, pod.Status.PodIP)
		}
	}
}
