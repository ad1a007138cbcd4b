package simtest

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/kubernetes"
)

// TestWhatEveryClusterHas reads what there is before a test writes anything.
func TestWhatEveryClusterHas(t *testing.T) {
	for _, x := range []struct {
		options Options
		nodes   int
		isBare  bool
	}{{Options{}, 0, true}, {Options{Nodes: 2, Controllers: true}, 2, true}, {Options{Pods: 100}, 3, false}, {Options{Pods: 10, Nodes: 5}, 5, false}} {
		synctest.Test(t, func(t *testing.T) {
			c := Start(t, x.options)
			client := kubernetes.NewForConfigOrDie(c.Config())
			nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
			if err != nil || len(nodes.Items) != x.nodes {
				t.Errorf("%+v: %d nodes, %v", x.options, len(nodes.Items), err)
			}
			namespaces, err := client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, n := range namespaces.Items {
				names = append(names, n.Name)
			}
			every := []string{"default", "kube-node-lease", "kube-public", "kube-system"}
			if got := slices.Equal(names, every); got != x.isBare || !x.isBare && !slices.Contains(names, "kube-system") {
				t.Errorf("%+v: the namespaces are %v", x.options, names)
			}
			service, err := client.CoreV1().Services("default").Get(t.Context(), "kubernetes", metav1.GetOptions{})
			if err != nil || service.Spec.ClusterIP == "" || service.Spec.Ports[0].Port != 443 {
				t.Errorf("%+v: the Service is %+v, %v", x.options, service, err)
			}
			slice, err := client.DiscoveryV1().EndpointSlices("default").Get(t.Context(), "kubernetes", metav1.GetOptions{})
			if err != nil || len(slice.Endpoints) != 1 {
				t.Errorf("%+v: its endpoints are %+v, %v", x.options, slice, err)
			}
		})
	}
}

// TestNodesRunPods creates a pod where there is no node, and where there is one.
func TestNodesRunPods(t *testing.T) {
	for _, nodes := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			c := Start(t, Options{Controllers: true, Nodes: nodes})
			pods := kubernetes.NewForConfigOrDie(c.Config()).CoreV1().Pods("default")
			if _, err := pods.Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			pod, err := pods.Get(t.Context(), "p", metav1.GetOptions{})
			if err != nil || (pod.Status.Phase == corev1.PodRunning) != (nodes > 0) {
				t.Errorf("with %d nodes the pod is %s, %v", nodes, pod.Status.Phase, err)
			}
		})
	}
}

// TestStop ends a cluster that 200 clients watch, of which none reads. Requests then fail as those to an API server that is not there.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Start(t, Options{})
		client := kubernetes.NewForConfigOrDie(c.Config())
		for range 200 {
			watch, err := client.CoreV1().ConfigMaps("").Watch(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer watch.Stop()
		}
		c.Stop()
		c.Stop()
		_, err := client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
		if !utilnet.IsConnectionRefused(err) {
			t.Errorf("after Stop a list gets %v", err)
		}
	})
}
