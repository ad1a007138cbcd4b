package life

import (
	"context"
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"informerscope/core/cluster/simcluster"
)

// seedName is the configmap in kube-system that says that the cluster has been seeded.
const seedName = "informerscope-seed"

// Seed makes the initial objects, unless the cluster has been seeded before. Controllers make the pods of the deployments later.
func (l *Life) Seed(ctx context.Context) error {
	_, err := l.client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(ctx, seedName, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return err
	}
	if err := write(ctx, numbers(simcluster.Nodes(l.options.Objects)), l.createNode); err != nil {
		return fmt.Errorf("making nodes: %w", err)
	}
	type planned struct{ index, replicas int }
	var plan []planned
	rng := rand.New(rand.NewPCG(l.options.Seed, l.options.Seed))
	for left := l.options.Objects; left > 0; {
		n := simcluster.Replicas(rng, left, l.options.Objects)
		plan = append(plan, planned{len(plan), n})
		left -= n
	}
	namespaces := map[string]bool{}
	for _, p := range plan {
		if namespace, _ := simcluster.DeploymentAt(p.index, 0); !namespaces[namespace] {
			namespaces[namespace] = true
			if err := l.createNamespace(ctx, namespace); err != nil {
				return fmt.Errorf("making namespaces: %w", err)
			}
		}
	}
	if err := write(ctx, plan, func(ctx context.Context, p planned) error {
		namespace, object := simcluster.DeploymentAt(p.index, p.replicas)
		for _, create := range []func(context.Context, string, map[string]any) error{l.createDeployment, l.createService} {
			if err := create(ctx, namespace, object); err != nil && !apierrors.IsAlreadyExists(err) { // as with nodes
				return err
			}
		}
		return nil
	}); err != nil {
		return fmt.Errorf("making deployments: %w", err)
	}
	_, err = l.client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: seedName},
		Data: map[string]string{"seed": fmt.Sprint(l.options.Seed), "objects": fmt.Sprint(l.options.Objects)}}, metav1.CreateOptions{})
	return err
}

func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// createNode makes a node that kwok takes for its own.
func (l *Life) createNode(ctx context.Context, i int) error {
	name := simcluster.NodeName(i)
	size := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("256Gi"),
		corev1.ResourcePods: resource.MustParse("250"), corev1.ResourceEphemeralStorage: resource.MustParse("250Gi")}
	_, err := l.client.CoreV1().Nodes().Create(ctx, &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			corev1.LabelHostname: name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64", "type": "kwok",
			corev1.LabelTopologyZone: fmt.Sprintf("zone-%c", 'a'+i%3)}},
		Status: corev1.NodeStatus{Capacity: size, Allocatable: size},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) { // an earlier launch was killed while it seeded
		return nil
	}
	return err
}

// createService makes the service of a deployment.
func (l *Life) createService(ctx context.Context, namespace string, deployment map[string]any) error {
	name := deployment["metadata"].(map[string]any)["name"].(string) // simcluster made it
	_, err := l.client.CoreV1().Services(namespace).Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Spec: corev1.ServiceSpec{Selector: map[string]string{"app": name},
			Ports: []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromInt32(8080)}}},
	}, metav1.CreateOptions{})
	return err
}
