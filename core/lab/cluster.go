package lab

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"informerscope/core/action"
	"informerscope/core/faults"
	"informerscope/core/selection"
)

// ClusterArgs are the arguments of Cluster; the verb decides which are needed.
type ClusterArgs struct {
	Namespace string  `json:"namespace"`
	Name      string  `json:"name"`
	Key       string  `json:"key"`
	Replicas  int     `json:"replicas"`
	N         int     `json:"n"`
	PerSecond float64 `json:"perSecond"`
	Label     string  `json:"label"`
}

// clusterVerbs are the verbs of Cluster.
var clusterVerbs = []string{"create", "scale", "restart", "delete", "deleteDeployment", "burst", "compact", "failover", "crowd", "expire", "finalizer", "label",
	"rate"}

// ClusterVerbs returns the verbs of Cluster. The caller owns the list.
func ClusterVerbs() []string { return slices.Clone(clusterVerbs) }

// Cluster changes the simulated cluster and returns a sentence about what it did.
func (l *Lab) Cluster(verb string, a ClusterArgs) (words string, err error) {
	err = l.act(func() (s action.Step, err error) {
		if words, err = l.change(verb, a); l.src == nil || l.src.cluster == nil {
			return s, err
		}
		name := cmp.Or(a.Namespace, "default") + "/" + a.Name
		switch verb { // even a failed action may have changed something
		case "create", "scale":
			return action.New(verb, name, max(a.Replicas, 0)), err
		case "restart":
			return action.New(verb, name), err
		case "deleteDeployment":
			return action.New("drop", name), err
		case "delete":
			if a.Key == "" && a.Name != "" {
				a.Key = name
			}
			return action.New(verb, a.Key), err
		case "burst", "failover", "crowd", "finalizer":
			return action.New(verb, max(a.N, 0)), err
		case "label":
			return action.New(verb, a.Label, a.Key), err
		case "compact", "expire":
			return action.New(verb), err
		case "rate":
			if err == nil {
				return action.New(verb, a.PerSecond), nil
			}
		}
		return s, err
	})
	return words, err
}

// change carries out a verb of Cluster. l.mu is held.
func (l *Lab) change(verb string, a ClusterArgs) (string, error) {
	if l.src == nil || l.src.cluster == nil {
		return "", errors.New("only the simulated cluster can be changed from here: a live cluster is never written to")
	}
	c := l.src.cluster
	if a.Namespace == "" {
		a.Namespace = "default"
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
		err := c.CreateDeployment(a.Namespace, a.Name, a.Replicas)
		if l.exp != nil {
			l.missingNamespace(l.exp.generation)
		}
		return fmt.Sprintf("created deployment %s with %d replicas", name, a.Replicas), err
	case "scale":
		return fmt.Sprintf("scaled deployment %s to %d", name, a.Replicas), c.Scale(a.Namespace, a.Name, a.Replicas)
	case "restart":
		return fmt.Sprintf("restarted deployment %s", name), c.RestartDeployment(a.Namespace, a.Name)
	case "delete":
		if a.Key == "" && a.Name == "" {
			ns, pod, err := c.DeleteRandomPod()
			return fmt.Sprintf("deleted pod %s/%s", ns, pod), err
		}
		ns, pod := a.Namespace, a.Name
		if a.Key != "" {
			var ok bool
			if ns, pod, ok = strings.Cut(a.Key, "/"); !ok {
				return "", fmt.Errorf("%q is not namespace/name", a.Key)
			}
		}
		return fmt.Sprintf("deleted pod %s/%s", ns, pod), c.DeletePod(ns, pod)
	case "deleteDeployment":
		return fmt.Sprintf("deleted deployment %s", name), c.DeleteDeployment(a.Namespace, a.Name)
	case "burst":
		n := min(max(a.N, 1), selection.MaxRate)
		did := "updated a pod"
		if n > 1 {
			did = fmt.Sprintf("updated %d pods at once", n)
		}
		return did, c.Burst(n)
	case "compact":
		l.emitFault(faults.Strike{Name: "compact", Struck: 1})
		c.Compact()
		return "compacted the watch history", nil
	case "failover":
		l.emitFault(faults.Strike{Name: "failover", On: a.N > 0, Struck: 1})
		c.FailOver(uint64(max(a.N, 0)))
		if a.N > 0 {
			return fmt.Sprintf("another API server answers, whose cache is %d versions behind", a.N), nil
		}
		return "the API server has caught up", nil
	case "crowd":
		c.Crowd(max(a.N, 0))
		return fmt.Sprintf("%d other clients watch the pods", max(a.N, 0)), nil
	case "expire":
		l.emitFault(faults.Strike{Name: "expire", Struck: 1})
		c.Expire()
		return "ended every watch of pods with 410 Expired", nil
	case "finalizer":
		if a.N > 0 {
			return fmt.Sprintf("put a finalizer on pods: %d", a.N), c.AddFinalizers(a.N)
		}
		return "took the finalizer off every pod", c.RemoveFinalizers()
	case "label":
		key, err := c.LabelPod(a.Key, a.Label)
		return fmt.Sprintf("labelled pod %s: %s", key, a.Label), err
	case "rate":
		if a.PerSecond < 0 || a.PerSecond > selection.MaxRate {
			return "", fmt.Errorf("the rate must be from 0 to %d events a second", selection.MaxRate)
		}
		c.SetRate(a.PerSecond)
		l.selection.Rate = a.PerSecond
		return fmt.Sprintf("%g events a second", a.PerSecond), nil
	}
	return "", fmt.Errorf("unknown verb %q: choose one of %s", verb, strings.Join(clusterVerbs, ", "))
}
