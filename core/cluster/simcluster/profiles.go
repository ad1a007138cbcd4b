package simcluster

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Crashes is the annotation of a pod template whose pods' first container exits again and again: its value is "true".
const Crashes = "informerscope.dev/crashes"

const (
	// rolloutPeriod is the time between two rolling updates of the profile "rollout".
	rolloutPeriod = 20 * time.Second
	// nodePeriod is the time between two failures of the profile "nodefailure", and nodeAway how long a kubelet is away.
	nodePeriod = 8 * time.Minute
	nodeAway   = 7 * time.Minute
	// nodeGrace is kube-controller-manager's --node-monitor-grace-period, and nodeToleration the tolerationSeconds of the taint that follows.
	nodeGrace      = 50 * time.Second
	nodeToleration = 300 * time.Second
	// crdPeriod is the time between two steps of the profile "crdstorm": each makes a CRD and crdObjects objects of it, and deletes the oldest beyond maxCRDs.
	crdPeriod  = 3 * time.Second
	crdObjects = 20
	maxCRDs    = 10
	crdGroup   = "storm.example.com"
	// The back-off of a container that exits begins at firstCrash and doubles up to longestCrash, as a kubelet's does. crashUptime is how long it runs.
	firstCrash   = 10 * time.Second
	longestCrash = 300 * time.Second
	crashUptime  = 3 * time.Second

	unreachableTaint = "node.kubernetes.io/unreachable"
)

// profiles are what a cluster does by itself again and again, besides the events of Options.Rate.
var profiles = map[string]func(c *Cluster){
	"steady":      func(*Cluster) {},
	"rollout":     (*Cluster).rollAgain,
	"nodefailure": (*Cluster).failNodes,
	"crashloop":   (*Cluster).crash,
	"crdstorm":    (*Cluster).stormCRDs,
}

// Profiles returns the names that Options.Profile takes, sorted.
func Profiles() []string {
	var names []string
	//maporder:free sorted below
	for name := range profiles {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// repeat runs step every period of the cluster's time, with the number of the step from 0.
func (c *Cluster) repeat(period time.Duration, step func(n int)) {
	n := 0
	var next func()
	next = func() {
		step(n)
		n++
		c.runAfter(period, next)
	}
	c.runAfter(period, next)
}

// rollAgain restarts one deployment after the other, by name.
func (c *Cluster) rollAgain() {
	c.repeat(rolloutPeriod, func(n int) {
		if all := c.deployments.slots(); len(all) > 0 {
			_ = c.restart(all[n%len(all)]) // an object that has just been read is not refused
		}
	})
}

// crash gives the first deployment by name pods that exit.
func (c *Cluster) crash() {
	all := c.deployments.slots()
	if len(all) == 0 {
		return
	}
	s := all[0]
	m := s.cur.mustMap()
	ensureMap(ensureMap(ensureMap(ensureMap(m, "spec"), "template"), "metadata"), "annotations")[Crashes] = "true"
	_ = c.rewrite(s, m, "", "kubectl")
}

// exitAgain lets the container of a running pod exit after a while, and run again after its back-off.
func (c *Cluster) exitAgain(s *slot, p *podSim) {
	runs := func() bool { return !s.isDead && s.pod == p && p.stage == stageRunning }
	c.runAfter(crashUptime, func() {
		if !runs() {
			return
		}
		p.restarts++
		p.inBackoff, p.ready, p.exitedAt, p.changedAt = true, false, c.now.Unix(), c.now.Unix()
		c.rewritePod(s, podChange{})
		c.enqueueOwner(s.ownerUID)
		c.noteEvent(s, "kubelet", "BackOff", "Back-off restarting failed container %s in pod %s", unquote(p.containers[0].name), s.key)
		wait := longestCrash
		if p.restarts < 6 {
			wait = min(firstCrash<<(p.restarts-1), longestCrash)
		}
		c.runAfter(wait, func() {
			if !runs() {
				return
			}
			p.inBackoff, p.ready, p.exitedAt, p.changedAt = false, true, c.now.Unix(), c.now.Unix()
			c.rewritePod(s, podChange{})
			c.enqueueOwner(s.ownerUID)
			c.exitAgain(s, p)
		})
	})
}

// failNodes takes one kubelet away after the other. Its node becomes unreachable, its pods are evicted, and they go when it is back.
func (c *Cluster) failNodes() {
	c.runAfter(nodeGrace/5, func() { c.failNode(0) })
	c.repeat(nodePeriod, func(n int) { c.failNode(n + 1) })
}

func (c *Cluster) failNode(n int) {
	if len(c.nodeList) < 2 {
		return
	}
	node := c.nodeList[n%len(c.nodeList)]
	name := node.cur.name
	c.awayNodes[name] = true
	c.runAfter(nodeGrace, func() {
		c.setReachable(node, false)
		for _, s := range c.podsOn(name) {
			if p := s.pod; p != nil && p.ready {
				p.ready, p.changedAt = false, c.now.Unix()
				c.rewritePod(s, podChange{})
				c.enqueueOwner(s.ownerUID)
			}
		}
	})
	c.runAfter(nodeGrace+nodeToleration, func() {
		for _, s := range c.podsOn(name) {
			if !s.cur.isDeleting {
				c.noteEvent(s, "taint-eviction-controller", "TaintManagerEviction", "Marking for deletion Pod %s", s.key)
				_, _, _ = c.delete(s, deleteOptions{}) // a deletion without preconditions is never refused
			}
		}
	})
	c.runAfter(nodeAway, func() {
		delete(c.awayNodes, name)
		c.setReachable(node, true)
		for _, s := range c.podsOn(name) {
			if s.cur.isDeleting {
				c.stopPod(s)
			} else if s.pod != nil {
				c.schedulePod(s)
			}
		}
	})
}

// podsOn returns the pods of a node, sorted by key.
func (c *Cluster) podsOn(node string) []*slot {
	return c.podsWhere(func(s *slot) bool { return s.cur.nodeName == node })
}

func isUnreachable(node *object) bool {
	return node.get(`spec.taints.#(key=="` + unreachableTaint + `")`).Exists()
}

// setReachable writes a node's Ready condition and taints, as the node lifecycle controller and the kubelet do.
func (c *Cluster) setReachable(node *slot, reachable bool) {
	if node.isDead {
		return
	}
	status, reason, message, manager := "True", "KubeletReady", "kubelet is posting ready status", "kubelet"
	if !reachable {
		status, reason, message, manager = "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", "kube-controller-manager"
		c.noteEvent(node, "node-controller", "NodeNotReady", "Node %s status is now: NodeNotReady", node.cur.name)
	}
	m := node.cur.mustMap()
	for _, x := range anyList(getMap(m, "status")["conditions"]) {
		if cond, ok := x.(map[string]any); ok && cond["type"] == "Ready" {
			cond["status"], cond["reason"], cond["message"], cond["lastTransitionTime"] = status, reason, message, stamp(c.now)
		}
	}
	if e := c.rewrite(node, m, "status", manager); e != nil {
		return
	}
	m = node.cur.mustMap()
	spec := ensureMap(m, "spec")
	taints := slices.DeleteFunc(anyList(spec["taints"]), func(x any) bool {
		taint, _ := x.(map[string]any)
		return taint["key"] == unreachableTaint
	})
	if !reachable {
		for _, effect := range []string{"NoSchedule", "NoExecute"} {
			taints = append(taints, map[string]any{"key": unreachableTaint, "effect": effect, "timeAdded": stamp(c.now)})
		}
	}
	if spec["taints"] = taints; len(taints) == 0 {
		delete(spec, "taints")
	}
	_ = c.rewrite(node, m, "", "kube-controller-manager")
}

// stormCRDs makes CRDs with some objects, and deletes the oldest ones.
func (c *Cluster) stormCRDs() {
	c.repeat(crdPeriod, func(n int) {
		kind := fmt.Sprintf("Storm%d", n)
		plural := strings.ToLower(kind) + "s"
		name := plural + "." + crdGroup
		c.mustCreate(c.crds, "", "kubectl", map[string]any{
			"metadata": map[string]any{"name": name},
			"spec": map[string]any{"group": crdGroup, "scope": "Namespaced",
				"names": map[string]any{"kind": kind, "listKind": kind + "List", "plural": plural, "singular": strings.ToLower(kind)},
				"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "properties": map[string]any{"spec": map[string]any{"type": "object",
						"properties": map[string]any{"size": map[string]any{"type": "integer"}}}}}}}}},
		})
		if r := c.resources[groupResource{crdGroup, plural}]; r != nil {
			for i := range crdObjects {
				c.mustCreate(r, "default", "kubectl", map[string]any{
					"metadata": map[string]any{"name": fmt.Sprintf("%s-%d", strings.ToLower(kind), i)}, "spec": map[string]any{"size": i}})
			}
		}
		if old := c.crds.byKey[fmt.Sprintf("storm%ds.%s", n-maxCRDs, crdGroup)]; old != nil {
			_, _, _ = c.delete(old, deleteOptions{}) // a deletion without preconditions is never refused
		}
	})
}
