package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// writers is how many requests are under way at a time: enough to keep two
// cores busy, few enough to leave the API server its own time.
const writers = 16

// PopulatePods creates the namespaces ns-0 to ns-(namespaces-1) where missing,
// and total pods pod-0 to pod-(total-1) spread over them in turn. The pods run
// on nodes node-0 to node-9 that need not exist; no kubelet changes them.
func PopulatePods(ctx context.Context, client kubernetes.Interface, total, namespaces int) error {
	for i := range namespaces {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: NamespaceOf(i, namespaces)}}
		if _, err := client.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating namespace %s: %w", ns.Name, err)
		}
	}
	return Parallel(total, func(i int) error { return CreatePod(ctx, client, NamespaceOf(i, namespaces), i) })
}

// NamespaceOf returns the namespace of pod i of [PopulatePods].
func NamespaceOf(i, namespaces int) string { return fmt.Sprintf("ns-%d", i%namespaces) }

// CreatePod creates the pod pod-<i> in namespace.
func CreatePod(ctx context.Context, client kubernetes.Interface, namespace string, i int) error {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:        fmt.Sprintf("pod-%d", i),
			Namespace:   namespace,
			Labels:      map[string]string{"app": fmt.Sprintf("app-%d", i%7), "tier": "web"},
			Annotations: map[string]string{"example.com/serial": fmt.Sprint(i)},
		},
		Spec: corev1.PodSpec{
			NodeName: fmt.Sprintf("node-%d", i%10),
			Containers: []corev1.Container{{
				Name:  "main",
				Image: "registry.example/app:1",
				Env:   []corev1.EnvVar{{Name: "SERIAL", Value: fmt.Sprint(i)}},
			}},
		},
	}
	if _, err := client.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("creating pod %s/%s: %w", namespace, pod.Name, err)
	}
	return nil
}

// DeletePod deletes the pod pod-<i> of namespace at once: without a kubelet a graceful deletion would never be confirmed.
func DeletePod(ctx context.Context, client kubernetes.Interface, namespace string, i int) error {
	grace := int64(0)
	err := client.CoreV1().Pods(namespace).Delete(ctx, fmt.Sprintf("pod-%d", i), metav1.DeleteOptions{GracePeriodSeconds: &grace})
	if err != nil {
		return fmt.Errorf("deleting pod %s/pod-%d: %w", namespace, i, err)
	}
	return nil
}

// Parallel calls do for 0 to n-1, some at a time, and returns all its errors.
func Parallel(n int, do func(i int) error) error {
	var wg sync.WaitGroup
	errs := make([]error, n)
	slots := make(chan struct{}, writers)
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			errs[i] = do(i)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
