package take

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
)

// TestEnsureChildCreatesOne calls it again and again, as a controller does whose lister is old. There is one child, and it belongs to the parent.
func TestEnsureChildCreatesOne(t *testing.T) {
	parent := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a", UID: types.UID("1")}}
	client := fake.NewClientset(parent.DeepCopy())
	for range 3 {
		if err := ensureChild(t.Context(), client, parent, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns"}}); err != nil {
			t.Fatal(err)
		}
	}
	pods, err := client.CoreV1().Pods("ns").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(pods.Items) != 2 {
		t.Fatalf("%d pods, %v", len(pods.Items), err)
	}
	for _, pod := range pods.Items {
		if pod.Name != "a" && (pod.Name != "a-child" || !metav1.IsControlledBy(&pod, parent)) {
			t.Errorf("%s of %v", pod.Name, pod.OwnerReferences)
		}
	}
}

// TestEnsureChildLeavesAnothersAlone: a pod of another owner with that name is an error.
func TestEnsureChildLeavesAnothersAlone(t *testing.T) {
	client := fake.NewClientset(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a-child"}})
	parent := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a", UID: types.UID("1")}}
	if err := ensureChild(t.Context(), client, parent, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns"}}); err == nil {
		t.Error("it took the pod of another owner for its child")
	}
}
