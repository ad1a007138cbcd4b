package tests

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"informerscope/sim/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

// patience bounds what the cluster's own controllers do.
const patience = time.Minute

// eventually waits until check returns nil. The test fails with the last error.
func eventually(t *testing.T, check func(context.Context) error) {
	t.Helper()
	var last error
	if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		if err := check(ctx); err == nil || ctx.Err() == nil {
			last = err
			return err == nil, nil
		}
		return false, nil // the deadline's own error says nothing
	}); err != nil {
		t.Fatalf("after %s: %v (%v)", patience, last, err)
	}
}

// cluster returns the shared cluster, with one node that has room in the place of those of the start.
func cluster(t *testing.T) *harness.Cluster {
	t.Helper()
	c := harness.Shared(t)
	if err := c.Client.CoreV1().Nodes().DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "type=kwok"}); err != nil {
		t.Fatal(err)
	}
	addNode(t, c, "node-1")
	return c
}

// newNamespace makes a namespace with the default service account, which pods need.
func newNamespace(t *testing.T, c *harness.Cluster) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	made, err := c.Client.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	waitServiceAccount(t, c, made.Name)
	return made.Name
}

func waitServiceAccount(t *testing.T, c *harness.Cluster, namespace string) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		_, err := c.Client.CoreV1().ServiceAccounts(namespace).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

// addNode makes a node with room for pods, if there is none of the name, and waits until it is ready.
func addNode(t *testing.T, c *harness.Cluster, name string) {
	t.Helper()
	room := corev1.ResourceList{"cpu": resource.MustParse("32"), "memory": resource.MustParse("64Gi"), "pods": resource.MustParse("110")}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{Allocatable: room, Capacity: room}}
	if _, err := c.Client.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	waitNode(t, c, name, corev1.ConditionTrue)
}

// waitNode waits until a node is ready and takes pods, or until it is not ready.
func waitNode(t *testing.T, c *harness.Cluster, name string, ready corev1.ConditionStatus) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		node, err := c.Client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, condition := range node.Status.Conditions {
			if condition.Type == corev1.NodeReady && condition.Status == ready && (len(node.Spec.Taints) == 0) == (ready == corev1.ConditionTrue) {
				return nil
			}
		}
		return fmt.Errorf("whether node %s is ready is not %s: %v, taints %v", name, ready, node.Status.Conditions, node.Spec.Taints)
	})
}

// mustKubectl runs kubectl and returns its output.
func mustKubectl(t *testing.T, c *harness.Cluster, args ...string) string {
	t.Helper()
	out, err := c.Kubectl(args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// mustApply applies a manifest.
func mustApply(t *testing.T, c *harness.Cluster, namespace, manifest string) {
	t.Helper()
	if _, err := c.KubectlWith(manifest, "apply", "-n", namespace, "-f", "-"); err != nil {
		t.Fatal(err)
	}
}

// residentMB is the memory of the process that is resident, in MB; 0 where the machine does not say it.
func residentMB(c *harness.Cluster) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Pid()))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmRSS:" {
			kb, _ := strconv.Atoi(fields[1])
			return kb / 1024
		}
	}
	return 0
}
