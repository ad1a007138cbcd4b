package levers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/cluster/simcluster"
	"informerscope/core/words/arg"
)

// Reboot is the lever that restarts the API server.
const Reboot = "reboot"

// table has all levers. Each is this entry, its words in the page, and its test.
var table = []Lever{
	{
		Name: "create", Params: []Param{deployment, replicas}, Does: "a new deployment, of three pods without `replicas`", Menu: ClusterMenu,
		pull: func(ctx context.Context, c Target, a Args) (string, error) {
			if a.Name == "" {
				return "", errors.New("give the deployment a name")
			}
			if a.Replicas == 0 {
				a.Replicas = 3
			}
			return fmt.Sprintf("created deployment %s with %d replicas", a.deployment(), a.Replicas), c.CreateDeployment(ctx, a.namespace(), a.Name, a.Replicas)
		},
	}, {
		Name: "scale", Params: []Param{deployment, replicas}, Does: "how many pods it has", Menu: ClusterMenu,
		pull: func(ctx context.Context, c Target, a Args) (string, error) {
			return fmt.Sprintf("scaled deployment %s to %d", a.deployment(), a.Replicas), c.Scale(ctx, a.namespace(), a.Name, a.Replicas)
		},
	}, {
		Name: "restart", Params: []Param{deployment}, Does: "all its pods are made again", Menu: ClusterMenu,
		pull: func(ctx context.Context, c Target, a Args) (string, error) {
			return fmt.Sprintf("restarted deployment %s", a.deployment()), c.RestartDeployment(ctx, a.namespace(), a.Name)
		},
	}, {
		Name: "deleteDeployment", Params: []Param{deployment}, Does: "the deployment, and then its pods", LinkVerb: "drop", LinkMeans: "`deleteDeployment`",
		pull: func(ctx context.Context, c Target, a Args) (string, error) {
			return "deleted deployment " + a.deployment(),
				do(ctx, c, http.MethodDelete, nil, nil, "apis/apps/v1/namespaces", a.namespace(), "deployments", a.Name)
		},
	}, {
		Name: "delete", Params: []Param{pod}, Does: "a pod, without a key a random one", LinkMeans: "without arguments a random pod", Menu: ClusterMenu,
		pull: func(ctx context.Context, c Target, a Args) (string, error) {
			if a.Key == "" && a.Name == "" {
				namespace, name, err := c.DeleteRandomPod(ctx)
				return fmt.Sprintf("deleted pod %s/%s", namespace, name), err
			}
			key := pod.write(a)
			namespace, name, ok := strings.Cut(key, "/")
			if !ok {
				return "", fmt.Errorf("%q is not namespace/name", key)
			}
			return "deleted pod " + key, do(ctx, c, http.MethodDelete, nil, nil, "api/v1/namespaces", namespace, "pods", name)
		},
	}, {
		Name: "drain", Params: []Param{{
			Name: "node", Members: []arg.Spec{{Name: "name", Type: arg.Text, Longest: longestName}}, Link: "name",
			write: func(a Args) string { return a.Name },
			read:  func(a *Args, text string) { a.Name = text },
		}},
		Does: "no more pods come to the node, and its pods are evicted, as by `kubectl drain`; without a name the first node that takes pods",
		Menu: ClusterMenu,
		pull: func(ctx context.Context, c Target, a Args) (string, error) { return drainNode(ctx, c, a.Name) },
	}, {
		Name: "burst", Params: []Param{number}, Does: "n updates of pods at once", Menu: ClusterMenu, Offers: []int{1, 100},
		pull: func(ctx context.Context, c Target, a Args) (string, error) {
			n := min(max(a.N, 1), simcluster.MaxRate)
			did := "updated a pod"
			if n > 1 {
				did = fmt.Sprintf("updated %d pods at once", n)
			}
			return did, c.Burst(ctx, n)
		},
	}, {
		Name: "crowd", Params: []Param{number}, Menu: ClusterMenu, Offers: []int{1000}, Holds: true, Breaks: true,
		Does: "n other clients watch the pods; all lists then share ten seats, and one that finds none gets 429",
		pull: func(ctx context.Context, c Target, a Args) (string, error) {
			return fmt.Sprintf("%d other clients watch the pods", max(a.N, 0)), c.Crowd(ctx, max(a.N, 0))
		},
	}, {
		Name: "compact", Does: "the watch history", Menu: ClusterMenu, Breaks: true, Strikes: "compact",
		pull: func(ctx context.Context, c Target, _ Args) (string, error) { return c.Compact(ctx) },
	}, {
		Name: "failover", Params: []Param{number}, LinkMeans: "0: it has caught up", Menu: FaultMenu, Offers: []int{20},
		Holds: true, Breaks: true, Strikes: "failover",
		Does: "to an API server whose cache is n versions behind, until `failover {n: 0}`",
		pull: func(ctx context.Context, c Target, a Args) (string, error) {
			did := "the API server has caught up"
			if a.N > 0 {
				did = fmt.Sprintf("another API server answers, whose cache is %d versions behind", a.N)
			}
			return did, c.FailOver(ctx, uint64(max(a.N, 0)))
		},
	}, {
		Name: "unsharded", Params: []Param{number}, LinkMeans: "0: it knows shards again", Holds: true,
		Does: "the API server takes no notice of shard selectors, as without the gate ShardedListAndWatch, until `unsharded {n: 0}`; an open watch stays as it is. " +
			"Not in `informerscope sim`",
		pull: func(ctx context.Context, c Target, a Args) (string, error) {
			did := "the API server knows shards again"
			if a.N > 0 {
				did = "the API server takes no notice of shard selectors"
			}
			return did, c.IgnoreShards(ctx, a.N > 0)
		},
	}, {
		Name: "expire", Does: "every watch of pods ends with 410, so that all list again", Menu: FaultMenu, Breaks: true, Strikes: "expire",
		pull: func(ctx context.Context, c Target, _ Args) (string, error) { return c.Expire(ctx) },
	}, {
		Name: "finalizer", Params: []Param{number}, LinkMeans: "0: off every pod", Holds: true,
		Does: "on n pods, which then outlive their deletion, until `finalizer {n: 0}`",
		pull: func(ctx context.Context, c Target, a Args) (string, error) {
			if a.N > 0 {
				return fmt.Sprintf("put a finalizer on pods: %d", a.N), c.AddFinalizers(ctx, a.N)
			}
			return "took the finalizer off every pod", c.RemoveFinalizers(ctx)
		},
	}, {
		Name: "label", Params: []Param{label, pod},
		Does: "sets a label of a pod, such as `tier=backend`, or removes it, as `tier-`; without a key of the first running pod that it changes",
		pull: func(ctx context.Context, c Target, a Args) (string, error) {
			key, err := c.LabelPod(ctx, a.Key, a.Label)
			return fmt.Sprintf("labelled pod %s: %s", key, a.Label), err
		},
	}, {
		Name: "rate", Params: []Param{perSecond}, Does: "events per second",
		pull: func(_ context.Context, c Target, a Args) (string, error) {
			c.SetRate(a.PerSecond)
			return fmt.Sprintf("%g events a second", a.PerSecond), nil
		},
	}, {
		Name: Reboot, LinkMeans: "`restart`", Breaks: true, Strikes: "restart", IsFault: true,
		pull: func(ctx context.Context, c Target, _ Args) (string, error) {
			return "restarted the API server", c.Restart(ctx)
		},
	},
}

// drainNode lets no more pods onto a node, and evicts those that it has, but for those of a DaemonSet. An empty name is that of the first node that takes
// pods.
func drainNode(ctx context.Context, c Target, name string) (string, error) {
	if name == "" {
		var nodes metav1.PartialObjectMetadataList
		if err := do(ctx, c, http.MethodGet, nil, &nodes, "api/v1/nodes?fieldSelector=spec.unschedulable%3Dfalse"); err != nil {
			return "", err
		}
		if len(nodes.Items) == 0 {
			return "", errors.New("no node takes pods")
		}
		name = nodes.Items[0].Name
	}
	cordon := map[string]any{"spec": map[string]any{"unschedulable": true}}
	if err := do(ctx, c, http.MethodPatch, cordon, nil, "api/v1/nodes", name); err != nil {
		return "", err
	}
	var pods metav1.PartialObjectMetadataList
	if err := do(ctx, c, http.MethodGet, nil, &pods, "api/v1/pods?fieldSelector=spec.nodeName%3D"+name); err != nil {
		return "", err
	}
	evicted := 0
	for _, p := range pods.Items {
		if owner := metav1.GetControllerOf(&p); owner != nil && owner.Kind == "DaemonSet" || p.DeletionTimestamp != nil {
			continue
		}
		eviction := map[string]any{"apiVersion": "policy/v1", "kind": "Eviction", "metadata": map[string]any{"namespace": p.Namespace, "name": p.Name}}
		err := do(ctx, c, http.MethodPost, eviction, nil, "api/v1/namespaces", p.Namespace, "pods", p.Name, "eviction")
		switch {
		case err == nil:
			evicted++
		case !apierrors.IsNotFound(err): // else it has gone meanwhile
			return "", fmt.Errorf("of node %s: pod %s/%s stays, after %d were evicted: %w", name, p.Namespace, p.Name, evicted, err)
		}
	}
	return fmt.Sprintf("drained node %s of pods: %d", name, evicted), nil
}

// do sends a request to the API. The words after root are segments of its path, such as names that a user gave.
func do(ctx context.Context, c Target, method string, body, answer any, root string, segments ...string) error {
	for _, s := range segments {
		if wrong := path.IsValidPathSegmentName(s); len(wrong) > 0 {
			return fmt.Errorf("%q is no name: %s", s, wrong[0])
		}
		if s == "" {
			return errors.New("a name is missing")
		}
		root += "/" + s
	}
	return c.Do(ctx, method, "/"+root, body, answer)
}
