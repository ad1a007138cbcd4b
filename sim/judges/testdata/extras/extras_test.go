// Package extras has a suite on envtest that looks at what kube-controller-manager, kube-scheduler and kubelets do. They run where INFORMERSCOPE_CONTROLLERS
// is set; elsewhere nothing of it may happen.
package extras

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const (
	// patience is how long what is expected may take, quiet how long what is not expected is looked for.
	patience = time.Minute
	quiet    = 4 * time.Second
	// stopTimeout is how long envtest waits for a process to end if the suite sets no other time.
	stopTimeout = 20 * time.Second
)

var pods = corev1.PodTemplateSpec{
	ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
	Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "none"}}},
}

func start(t *testing.T) (*envtest.Environment, *kubernetes.Clientset) {
	t.Helper()
	e := &envtest.Environment{AttachControlPlaneOutput: os.Getenv("ATTACH") != ""}
	config, err := e.Start()
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1 // the tests poll
	return e, kubernetes.NewForConfigOrDie(config)
}

// TestControllers looks at four things that controllers do.
func TestControllers(t *testing.T) {
	e, client := start(t)
	t.Run("parallel", func(t *testing.T) {
		for name, test := range map[string]func(*testing.T, *kubernetes.Clientset){
			"an owner's dependents go": collectGarbage, "a namespace goes": deleteNamespace, "a Deployment gets pods": runDeployment, "a Job ends": runJob,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, client)
			})
		}
	})
	began := time.Now()
	if err := e.Stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > stopTimeout {
		t.Errorf("envtest needed %s to stop", took)
	}
}

// TestUntilKilled starts the pair, says so in the file READY, and waits to be killed.
func TestUntilKilled(t *testing.T) {
	ready := os.Getenv("READY")
	if ready == "" {
		t.Skip("READY names no file")
	}
	_, client := start(t)
	runDeployment(t, client)
	if err := os.WriteFile(ready, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	select {}
}

func collectGarbage(t *testing.T, client *kubernetes.Clientset) {
	ctx, maps := t.Context(), client.CoreV1().ConfigMaps("default")
	owner, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "dependent", OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := maps.Delete(ctx, "owner", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	expect(t, func(ctx context.Context) error {
		_, err := maps.Get(ctx, "dependent", metav1.GetOptions{})
		return expectGone(err)
	})
}

func deleteNamespace(t *testing.T, client *kubernetes.Clientset) {
	ctx := t.Context()
	if _, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "short"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Secrets("short").Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := client.CoreV1().Namespaces().Delete(ctx, "short", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	expect(t, func(ctx context.Context) error {
		_, err := client.CoreV1().Namespaces().Get(ctx, "short", metav1.GetOptions{})
		return expectGone(err)
	})
}

func runDeployment(t *testing.T, client *kubernetes.Clientset) {
	two := int32(2)
	web := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{
		Replicas: &two, Selector: &metav1.LabelSelector{MatchLabels: pods.Labels}, Template: pods}}
	_, err := client.AppsV1().Deployments("default").Create(t.Context(), web, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, func(ctx context.Context) error {
		d, err := client.AppsV1().Deployments("default").Get(ctx, "web", metav1.GetOptions{})
		if err == nil && d.Status.ReadyReplicas != two {
			err = fmt.Errorf("the Deployment has %d replicas that are ready", d.Status.ReadyReplicas)
		}
		return err
	})
}

func runJob(t *testing.T, client *kubernetes.Clientset) {
	template := pods
	template.Labels = nil
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	once := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "once"}, Spec: batchv1.JobSpec{Template: template}}
	_, err := client.BatchV1().Jobs("default").Create(t.Context(), once, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, func(ctx context.Context) error {
		j, err := client.BatchV1().Jobs("default").Get(ctx, "once", metav1.GetOptions{})
		if err == nil && j.Status.CompletionTime == nil {
			err = fmt.Errorf("the Job has not ended: %d active, %d succeeded", j.Status.Active, j.Status.Succeeded)
		}
		return err
	})
}

// expectGone is nil if err says that an object is not there.
func expectGone(err error) error {
	if err == nil {
		return fmt.Errorf("it is still there")
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// expect waits until holds returns nil. Without controllers it looks that it does not.
func expect(t *testing.T, holds func(context.Context) error) {
	t.Helper()
	limit, beside := quiet, os.Getenv("INFORMERSCOPE_CONTROLLERS") != ""
	if beside {
		limit = patience
	}
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, limit, true, func(ctx context.Context) (bool, error) {
		last = holds(ctx)
		return last == nil, nil
	})
	if beside && err != nil {
		t.Errorf("after %s: %v", limit, last)
	}
	if !beside && err == nil {
		t.Error("it happened, though no controller was asked for")
	}
}
