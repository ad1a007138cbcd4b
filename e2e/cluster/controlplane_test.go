package cluster_test

import (
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/e2e/cluster"
)

func TestControlPlane(t *testing.T) {
	t.Parallel()
	cp := cluster.StartForTest(t, cluster.Options{})
	ctx := t.Context()
	// A second one beside it does not clash.
	second := cluster.StartForTest(t, cluster.Options{LogDir: t.TempDir()})
	if cp.URL() == second.URL() {
		t.Fatalf("both control planes say they serve %s", cp.URL())
	}
	if _, err := second.Kubectl(ctx, "get", "--raw", "/readyz"); err != nil {
		t.Error(err)
	}
	client := cp.Client()
	if err := cluster.PopulatePods(ctx, cp.Client(), 5, 2); err != nil {
		t.Fatal(err)
	}

	out, err := cp.Kubectl(ctx, "get", "pods", "--all-namespaces", "--no-headers")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out, "\n"); lines != 5 || !strings.Contains(out, "ns-1   pod-3") {
		t.Fatalf("kubectl lists %d pods, want 5:\n%s", lines, out)
	}
	if _, err := cp.Kubectl(ctx, "get", "pods", "no-such-pod"); err == nil || !strings.Contains(err.Error(), "NotFound") {
		t.Fatalf("kubectl of a missing pod says %v, want NotFound", err)
	}

	before, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := cluster.DeletePod(ctx, client, "ns-0", 0); err != nil {
		t.Fatal(err)
	}
	// The deletion is in the history, so a watch from before it has it.
	ev := firstEvent(t, cp, before.ResourceVersion, watch.Deleted)
	if pod, ok := ev.Object.(*corev1.Pod); !ok || pod.Name != "pod-0" {
		t.Fatalf("before compaction the watch from %s has %v %+v, want DELETED pod-0", before.ResourceVersion, ev.Type, ev.Object)
	}

	cp.StopAPIServer()
	if _, err := cp.CompactEtcd(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{}); err == nil {
		t.Fatal("a stopped API server still answers")
	}
	if err := cp.StartAPIServer(ctx); err != nil {
		t.Fatal(err)
	}
	if err := cp.StartAPIServer(ctx); err == nil {
		t.Fatal("starting a running API server gives no error")
	}
	ev = firstEvent(t, cp, before.ResourceVersion, watch.Error)
	if err := apierrors.FromObject(ev.Object); ev.Type != watch.Error || !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
		t.Fatalf("after compaction the watch from %s begins with %v %v, want ERROR 410", before.ResourceVersion, ev.Type, err)
	}

	cp.Close()
	cp.Close()
	if err := cp.StartAPIServer(ctx); err == nil {
		t.Fatal("a closed control plane starts its API server")
	}
	if _, err := os.Stat(cp.Kubeconfig); !os.IsNotExist(err) {
		t.Fatalf("the kubeconfig outlives the control plane: %v", err)
	}
}

// firstEvent watches pods from resourceVersion and returns the first event that
// is of the wanted type or an error. A deletion may come after an update: the API
// server first writes what the deletion changes.
func firstEvent(t *testing.T, cp *cluster.ControlPlane, resourceVersion string, want watch.EventType) watch.Event {
	t.Helper()
	client := cp.Client()
	w, err := client.CoreV1().Pods("").Watch(t.Context(), metav1.ListOptions{ResourceVersion: resourceVersion, TimeoutSeconds: new(int64(20))})
	if err != nil {
		if status, ok := err.(apierrors.APIStatus); ok {
			s := status.Status()
			return watch.Event{Type: watch.Error, Object: &s}
		}
		t.Fatal(err)
	}
	defer w.Stop()
	for ev := range w.ResultChan() {
		if ev.Type == want || ev.Type == watch.Error {
			return ev
		}
	}
	t.Fatalf("the watch from %s closed without an event %s", resourceVersion, want)
	return watch.Event{}
}
