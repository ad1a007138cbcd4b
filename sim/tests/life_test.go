package tests

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/sim/internal/harness"
)

// TestProfiles starts a cluster with each profile, quickly, and sees as a client what the profile says.
func TestProfiles(t *testing.T) {
	t.Parallel()
	restarted := func(ctx context.Context, c *harness.Cluster) error {
		sets, err := c.Client.AppsV1().ReplicaSets("").List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		byOwner := map[string]int{}
		for _, set := range sets.Items {
			if byOwner[set.Namespace+set.OwnerReferences[0].Name]++; byOwner[set.Namespace+set.OwnerReferences[0].Name] > 1 {
				return nil
			}
		}
		return fmt.Errorf("no deployment has a second replica set among %d", len(sets.Items))
	}
	for profile, sees := range map[string]func(context.Context, *harness.Cluster) error{
		"rollout": restarted,
		"crashloop": func(ctx context.Context, c *harness.Cluster) error {
			pods, err := c.Client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			for _, pod := range pods.Items {
				for _, container := range pod.Status.ContainerStatuses {
					if container.RestartCount > 1 {
						return nil // so it ran again after its first exit
					}
				}
			}
			return fmt.Errorf("no container of %d pods has exited twice", len(pods.Items))
		},
		"nodefailure": func(ctx context.Context, c *harness.Cluster) error {
			events, err := c.Client.CoreV1().Events("").List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			for _, e := range events.Items {
				if e.Reason == "TaintManagerEviction" && e.InvolvedObject.Kind == "Pod" {
					return notReady(ctx, c)
				}
			}
			return fmt.Errorf("no pod was evicted, by %d events", len(events.Items))
		},
		"crdstorm": func(ctx context.Context, c *harness.Cluster) error {
			text, err := c.Kubectl("get", "storm1s", "--no-headers", "--output=name")
			if err != nil {
				return fmt.Errorf("%w: %s", err, text)
			}
			return nil
		},
	} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			c := harness.Start(t, "--objects=12", "--rate=2", "--speed=10", "--profile="+profile)
			eventually(t, func(ctx context.Context) error { return sees(ctx, c) })
		})
	}
}

// notReady returns an error if every node is ready.
func notReady(ctx context.Context, c *harness.Cluster) error {
	nodes, err := c.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, node := range nodes.Items {
		for _, condition := range node.Status.Conditions {
			if condition.Type == corev1.NodeReady && condition.Status != corev1.ConditionTrue {
				return nil
			}
		}
	}
	return fmt.Errorf("each of %d nodes is ready", len(nodes.Items))
}

// TestSeed starts a cluster with objects: deployments get as many pods as were asked for, on nodes that are ready, and the same seed names them alike.
func TestSeed(t *testing.T) {
	t.Parallel()
	names := func(c *harness.Cluster) string {
		eventually(t, func(ctx context.Context) error {
			pods, err := c.Client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "status.phase=Running"})
			if err == nil && len(pods.Items) != 40 {
				err = fmt.Errorf("%d of 40 pods run", len(pods.Items))
			}
			return err
		})
		text, err := c.Kubectl("get", "deployments", "-A", "-o", "custom-columns=:.metadata.namespace,:.metadata.name,:.spec.replicas")
		if err != nil {
			t.Fatal(text)
		}
		return text
	}
	first := names(harness.Start(t, "--objects=40", "--seed=3", "--rate=0"))
	if second := names(harness.Start(t, "--objects=40", "--seed=3", "--rate=0")); second != first {
		t.Errorf("the same seed made\n%s\nand\n%s", first, second)
	}
}
