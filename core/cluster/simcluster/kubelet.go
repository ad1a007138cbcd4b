package simcluster

import (
	"cmp"
	"slices"
	"time"
)

// createPod creates a pod from a template, for a replica set or a job, and starts its life.
func (c *Cluster) createPod(namespace string, t *podTemplate, oneShot bool) *slot {
	ns := c.namespaces.byKey[namespace]
	if ns == nil || ns.cur.isDeleting {
		return nil
	}
	now := c.now.Unix()
	p := &podSim{containers: t.containers, qos: "Burstable", createdAt: now, scheduledAt: now, startedAt: now, changedAt: now, runsOnce: oneShot,
		exits: t.crashes && len(t.containers) > 0}
	_, o := c.appendPod(make([]byte, 0, 3072), namespace, c.freeName(c.pods, namespace, t.generateName), t, p, "", c.rev+1)
	s := c.put(c.pods, o)
	s.pod = p
	c.schedulePod(s)
	return s
}

// updatePodSim updates the simulation of a pod that was created or changed through the API.
func (c *Cluster) updatePodSim(s *slot, old *object) {
	if old == nil {
		s.pod = c.simOf(s.cur)
		c.schedulePod(s)
		return
	}
	if s.pod == nil {
		return
	}
	if old.phase != s.cur.phase && (s.cur.phase == "Succeeded" || s.cur.phase == "Failed") {
		s.pod.stage = stageDone
	}
	// Equal references are not replaced: new ones would keep the text of the whole spec alive.
	if refs := containersOf(s.cur.get("spec")); len(refs) > 0 && !slices.Equal(refs, s.pod.containers) {
		s.pod.containers = refs
	}
}

// schedulePod schedules a pod's next stage, after the time that the current one takes.
func (c *Cluster) schedulePod(s *slot) {
	if c.isStill {
		return
	}
	p := s.pod
	step := func(d time.Duration, from podStage, fn func()) {
		c.runAfter(d, func() {
			switch {
			case s.isDead || s.pod != p || p.stage != from:
			case !c.awayNodes[s.cur.nodeName]: // else the node's return schedules the pod again
				fn()
			}
		})
	}
	switch p.stage {
	case stageUnscheduled:
		step(c.randomBetween(5*time.Millisecond, 30*time.Millisecond), stageUnscheduled, func() {
			if s.cur.nodeName != "" || len(s.cur.get("spec.schedulingGates").Array()) > 0 {
				return
			}
			node := c.pickNode()
			if node == nil {
				c.runAfter(time.Second, func() {
					if !s.isDead && p.stage == stageUnscheduled {
						c.schedulePod(s)
					}
				})
				return
			}
			c.bind(s, node.cur.name)
		})
	case stageScheduled:
		step(c.randomBetween(30*time.Millisecond, 150*time.Millisecond), stageScheduled, func() {
			p.stage = stageCreating
			c.rewritePod(s, podChange{})
			for _, x := range p.containers {
				c.noteEvent(s, "kubelet", "Pulled", "Container image %s already present on machine", x.image)
			}
			c.schedulePod(s)
		})
	case stageCreating:
		step(c.randomBetween(300*time.Millisecond, 1500*time.Millisecond), stageCreating, func() {
			p.stage = stageRunning
			c.ipSeq++
			p.ip = c.ipSeq
			p.startedAt, p.changedAt = c.now.Unix(), c.now.Unix()
			p.ready = p.runsOnce
			c.rewritePod(s, podChange{})
			for _, x := range p.containers {
				c.noteEvent(s, "kubelet", "Created", "Created container: %s", unquote(x.name))
				c.noteEvent(s, "kubelet", "Started", "Started container %s", unquote(x.name))
			}
			c.schedulePod(s)
		})
	case stageRunning:
		if p.runsOnce {
			step(c.randomBetween(2*time.Second, 6*time.Second), stageRunning, func() {
				p.stage, p.ready = stageDone, false
				p.exitedAt, p.changedAt = c.now.Unix(), c.now.Unix()
				c.rewritePod(s, podChange{})
				c.enqueueOwner(s.ownerUID)
			})
			return
		}
		if !p.ready {
			step(c.randomBetween(200*time.Millisecond, time.Second), stageRunning, func() {
				if p.ready || p.inBackoff {
					return
				}
				p.ready, p.changedAt = true, c.now.Unix()
				c.rewritePod(s, podChange{})
				c.enqueueOwner(s.ownerUID)
				if p.exits {
					c.exitAgain(s, p)
				}
			})
		}
	}
}

// bind places a pod on a node, as the scheduler does.
func (c *Cluster) bind(s *slot, node string) {
	p := s.pod
	p.stage, p.scheduledAt, p.host = stageScheduled, c.now.Unix(), c.hostIP(node)
	c.rewritePod(s, podChange{bind: node})
	c.noteEvent(s, "default-scheduler", "Scheduled", "Successfully assigned %s to %s", s.key, node)
	c.schedulePod(s)
}

// pickNode returns a random schedulable node; nil if a few tries found none.
func (c *Cluster) pickNode() *slot {
	if len(c.nodeList) == 0 {
		return nil
	}
	for range 8 {
		if s := c.nodeList[c.rng.IntN(len(c.nodeList))]; s.nodeFacts().takesPods {
			return s
		}
	}
	return nil
}

// nodeFacts are what the scheduler and the kubelet read of a version of a node for each pod.
type nodeFacts struct {
	version   *object
	takesPods bool
	ip        string
}

// nodeFacts returns the facts of a node's latest version.
func (s *slot) nodeFacts() *nodeFacts {
	if s.node == nil || s.node.version != s.cur {
		ip := s.cur.get(`status.addresses.#(type=="InternalIP").address`).String()
		s.node = &nodeFacts{s.cur, !s.cur.get("spec.unschedulable").Bool() && !isUnreachable(s.cur), cmp.Or(ip, unknownIP)}
	}
	return s.node
}

// terminatePod begins a graceful deletion of base, which is the pod with its finalizers: it sets the deletionTimestamp, and the kubelet stops the pod.
func (c *Cluster) terminatePod(s *slot, base *object, grace int64) {
	c.rewritePod(s, podChange{base: base, deletion: stamp(c.now.Add(time.Duration(grace) * time.Second)), gracePart: grace})
	c.enqueueOwner(s.ownerUID)
	if grace == 0 {
		return // only finalizers hold the pod
	}
	if !c.awayNodes[s.cur.nodeName] {
		for _, x := range s.pod.containers {
			c.noteEvent(s, "kubelet", "Killing", "Stopping container %s", unquote(x.name))
		}
	}
	c.stopPod(s)
}

// stopPod lets the kubelet report, within the grace period, that a pod's containers have ended, and then removes the pod, unless a finalizer holds it. A
// kubelet that is away does so when it is back.
func (c *Cluster) stopPod(s *slot) {
	p := s.pod
	if c.awayNodes[s.cur.nodeName] {
		return
	}
	grace := time.Duration(s.cur.get("metadata.deletionGracePeriodSeconds").Int()) * time.Second
	c.runAfter(min(grace, c.randomBetween(300*time.Millisecond, 1500*time.Millisecond)), func() {
		if s.isDead {
			return
		}
		if p.stage == stageRunning || p.stage == stageCreating || p.stage == stageScheduled {
			p.stage, p.ready = stageTerminating, false
			p.exitedAt, p.changedAt = c.now.Unix(), c.now.Unix()
			c.rewritePod(s, podChange{})
		}
		c.runAfter(c.randomBetween(50*time.Millisecond, 300*time.Millisecond), func() {
			if s.isDead {
				return
			}
			if !s.cur.hasFinalizers {
				c.remove(s)
				return
			}
			// The kubelet is done; the object waits for its finalizers, and the grace period is over.
			m := s.cur.mustMap()
			ensureMap(m, "metadata")["deletionGracePeriodSeconds"] = 0
			if o, err := c.encode(m); err == nil {
				c.put(c.pods, o)
			}
		})
	})
}
