// Package levers changes a simulated cluster by the verbs that the page's menus, its links and the stories use. The cluster is in this process, or in a
// server that the relay reaches.
package levers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"informerscope/core/lab/selection"
)

// Reboot is the verb that restarts the API server. It is a fault and not among Verbs.
const Reboot = "reboot"

// Args are the arguments of Pull; the verb decides which are needed.
type Args struct {
	Namespace string  `json:"namespace"`
	Name      string  `json:"name"`
	Key       string  `json:"key"`
	Replicas  int     `json:"replicas"`
	N         int     `json:"n"`
	PerSecond float64 `json:"perSecond"`
	Label     string  `json:"label"`
}

var verbs = []string{"create", "scale", "restart", "delete", "deleteDeployment", "burst", "compact", "failover", "crowd", "expire", "finalizer", "label",
	"rate"}

// Verbs returns the verbs of Pull, but for Reboot. The caller owns the list.
func Verbs() []string { return slices.Clone(verbs) }

// Target is a cluster that levers act on. Its methods are those of simcluster.Cluster, and their errors are those of the API.
type Target interface {
	CreateDeployment(ctx context.Context, namespace, name string, replicas int) error
	Scale(ctx context.Context, namespace, name string, replicas int) error
	RestartDeployment(ctx context.Context, namespace, name string) error
	DeleteDeployment(ctx context.Context, namespace, name string) error
	DeletePod(ctx context.Context, namespace, name string) error
	DeleteRandomPod(ctx context.Context) (namespace, name string, err error)
	LabelPod(ctx context.Context, key, label string) (string, error)
	AddFinalizers(ctx context.Context, n int) error
	RemoveFinalizers(ctx context.Context) error
	Burst(ctx context.Context, n int) error
	SetRate(rate float64)
	Crowd(ctx context.Context, n int) error
	Compact(ctx context.Context) error
	Expire(ctx context.Context) error
	FailOver(ctx context.Context, versions uint64) error
	Restart(ctx context.Context) error
}

// Pull changes the cluster and returns a sentence about what it did. Even a failed Pull may have changed something.
func Pull(ctx context.Context, c Target, verb string, a Args) (string, error) {
	if a.Namespace == "" {
		a.Namespace = "default"
	}
	if a.Replicas < 0 || a.Replicas > selection.MaxObjects {
		return "", fmt.Errorf("a deployment has from 0 to %d replicas", selection.MaxObjects)
	}
	name := a.Namespace + "/" + a.Name
	switch verb {
	case "create":
		if a.Name == "" {
			return "", errors.New("give the deployment a name")
		}
		if a.Replicas == 0 {
			a.Replicas = 3
		}
		return fmt.Sprintf("created deployment %s with %d replicas", name, a.Replicas), c.CreateDeployment(ctx, a.Namespace, a.Name, a.Replicas)
	case "scale":
		return fmt.Sprintf("scaled deployment %s to %d", name, a.Replicas), c.Scale(ctx, a.Namespace, a.Name, a.Replicas)
	case "restart":
		return fmt.Sprintf("restarted deployment %s", name), c.RestartDeployment(ctx, a.Namespace, a.Name)
	case "delete":
		if a.Key == "" && a.Name == "" {
			ns, pod, err := c.DeleteRandomPod(ctx)
			return fmt.Sprintf("deleted pod %s/%s", ns, pod), err
		}
		ns, pod := a.Namespace, a.Name
		if a.Key != "" {
			var ok bool
			if ns, pod, ok = strings.Cut(a.Key, "/"); !ok {
				return "", fmt.Errorf("%q is not namespace/name", a.Key)
			}
		}
		return fmt.Sprintf("deleted pod %s/%s", ns, pod), c.DeletePod(ctx, ns, pod)
	case "deleteDeployment":
		return fmt.Sprintf("deleted deployment %s", name), c.DeleteDeployment(ctx, a.Namespace, a.Name)
	case "burst":
		n := min(max(a.N, 1), selection.MaxRate)
		did := "updated a pod"
		if n > 1 {
			did = fmt.Sprintf("updated %d pods at once", n)
		}
		return did, c.Burst(ctx, n)
	case "compact":
		return "compacted the watch history", c.Compact(ctx)
	case "failover":
		did := "the API server has caught up"
		if a.N > 0 {
			did = fmt.Sprintf("another API server answers, whose cache is %d versions behind", a.N)
		}
		return did, c.FailOver(ctx, uint64(max(a.N, 0)))
	case "crowd":
		return fmt.Sprintf("%d other clients watch the pods", max(a.N, 0)), c.Crowd(ctx, max(a.N, 0))
	case "expire":
		return "ended every watch of pods with 410 Expired", c.Expire(ctx)
	case "finalizer":
		if a.N > 0 {
			return fmt.Sprintf("put a finalizer on pods: %d", a.N), c.AddFinalizers(ctx, a.N)
		}
		return "took the finalizer off every pod", c.RemoveFinalizers(ctx)
	case "label":
		key, err := c.LabelPod(ctx, a.Key, a.Label)
		return fmt.Sprintf("labelled pod %s: %s", key, a.Label), err
	case "rate":
		if !(a.PerSecond >= 0 && a.PerSecond <= selection.MaxRate) {
			return "", fmt.Errorf("the rate must be from 0 to %d events a second", selection.MaxRate)
		}
		c.SetRate(a.PerSecond)
		return fmt.Sprintf("%g events a second", a.PerSecond), nil
	case Reboot:
		return "restarted the API server", c.Restart(ctx)
	}
	return "", fmt.Errorf("unknown verb %q: choose one of %s", verb, strings.Join(verbs, ", "))
}
