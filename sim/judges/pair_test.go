package judges

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/sim/internal/harness"
)

// TestPairWithControllers starts etcd and kube-apiserver with the variables: a Deployment gets pods that run, the recording has it, and the file is whole when
// both have ended.
func TestPairWithControllers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pair.trace")
	t.Run("pair", func(t *testing.T) { // the pair ends with it
		config, _ := startPair(t, "INFORMERSCOPE_CONTROLLERS=all", "INFORMERSCOPE_RECORDING="+file, "INFORMERSCOPE_RECORDING_RESOURCES=pods, deployments.apps")
		deploy(t, newClient(t, config))
	})
	if _, seen := read(t, file, true); !seen["deployments default/web"] {
		t.Errorf("the recording has no Deployment: %v", seen)
	}
}

// deploy makes a Deployment, and waits until its pods run.
func deploy(t *testing.T, client *kubernetes.Clientset) {
	t.Helper()
	labels := map[string]string{"app": "web"}
	web := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "none"}}}}}}
	_, err := client.AppsV1().Deployments("default").Create(t.Context(), web, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		d, err := client.AppsV1().Deployments("default").Get(ctx, "web", metav1.GetOptions{})
		return err == nil && d.Status.ReadyReplicas == 1, err
	}); err != nil {
		t.Fatalf("the Deployment has no pod that runs: %v", err)
	}
}

// TestVariablesThatAreWrong starts kube-apiserver with variables that it cannot use: it ends at once, and says why.
func TestVariablesThatAreWrong(t *testing.T) {
	for variables, want := range map[string]string{
		"INFORMERSCOPE_CONTROLLERS=nothing":                               `no controller is named "nothing"`,
		"INFORMERSCOPE_RECORDING=x":                                       "name resources, such as pods,deployments.apps",
		"INFORMERSCOPE_RECORDING=x INFORMERSCOPE_RECORDING_RESOURCES=a,,": "name resources, such as pods,deployments.apps",
	} {
		t.Run(variables, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, filepath.Join(harness.Assets(t), "kube-apiserver"), "--etcd-servers=http://127.0.0.1:1")
			cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), strings.Fields(variables)...)
			if out, err := cmd.CombinedOutput(); err == nil || ctx.Err() != nil || !strings.Contains(string(out), want) {
				t.Errorf("%v, %v, want an error with %q; it printed:\n%s", err, ctx.Err(), want, out)
			}
		})
	}
}
