package take

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

// TestSetReadyWritesOnlyWhatDiffers reconciles again and again. It writes when the condition changes, and never else.
func TestSetReadyWritesOnlyWhatDiffers(t *testing.T) {
	client := fake.NewClientset(&corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}})
	writes := 0
	client.PrependReactor("update", "services", func(action k8stesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "status" {
			t.Errorf("it updates %q", action.GetSubresource())
		}
		writes++
		return false, nil, nil
	})
	get := func() *corev1.Service {
		t.Helper()
		service, err := client.CoreV1().Services("ns").Get(t.Context(), "a", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return service
	}
	var since metav1.Time
	for i, step := range []struct {
		status metav1.ConditionStatus
		writes int
	}{{metav1.ConditionFalse, 1}, {metav1.ConditionFalse, 1}, {metav1.ConditionFalse, 1}, {metav1.ConditionTrue, 2}, {metav1.ConditionTrue, 2}} {
		before := get()
		copied := before.DeepCopy()
		if err := setReady(t.Context(), client, before, metav1.Condition{Type: "Ready", Status: step.status, Reason: "Probed"}); err != nil {
			t.Fatal(err)
		}
		if len(before.Status.Conditions) != len(copied.Status.Conditions) {
			t.Error("it changed the object that it was given")
		}
		conditions := get().Status.Conditions
		if writes != step.writes || len(conditions) != 1 || conditions[0].Status != step.status || time.Since(conditions[0].LastTransitionTime.Time) > time.Minute {
			t.Errorf("reconcile %d: %d writes, want %d; conditions %v", i, writes, step.writes, conditions)
		}
		if step.status == metav1.ConditionFalse && i > 0 && !conditions[0].LastTransitionTime.Equal(&since) {
			t.Errorf("reconcile %d moved the time", i)
		}
		since = conditions[0].LastTransitionTime
	}
}
