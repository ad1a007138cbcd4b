package simcluster

import (
	"slices"
	"time"
)

// createPod creates a pod from a template, for a replica set or a job, and starts its life.
func (c *Cluster) createPod(namespace string, t *podTemplate, oneShot bool) *slot {
	ns := c.namespaces.byKey[namespace]
	if ns == nil || ns.cur.deleting {
		return nil
	}
	now := c.now.Unix()
	p := &podSim{containers: t.containers, qos: "Burstable", created: now, scheduled: now, started: now, changed: now, oneShot: oneShot}
	_, o := c.appendPod(make([]byte, 0, 3072), namespace, c.freeName(c.pods, namespace, t.generateName), t, p, "", c.rev+1)
	s := c.put(c.pods, o)
	s.pod = p
	c.live(s)
	return s
}

// podWritten updates the simulation of a pod that was created or changed through the API.
func (c *Cluster) podWritten(s *slot, old *object) {
	if old == nil {
		s.pod = c.simOf(s.cur)
		c.live(s)
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

// live schedules a pod's next stage, after the time that the current one takes.
func (c *Cluster) live(s *slot) {
	if c.still {
		return
	}
	p := s.pod
	step := func(d time.Duration, from podStage, fn func()) {
		c.after(d, func() {
			if !s.dead && s.pod == p && p.stage == from {
				fn()
			}
		})
	}
	switch p.stage {
	case stageUnscheduled:
		step(c.between(5*time.Millisecond, 30*time.Millisecond), stageUnscheduled, func() {
			if s.cur.nodeName != "" || len(s.cur.get("spec.schedulingGates").Array()) > 0 {
				return
			}
			node := c.pickNode()
			if node == nil {
				c.after(time.Second, func() {
					if !s.dead && p.stage == stageUnscheduled {
						c.live(s)
					}
				})
				return
			}
			c.bind(s, node.cur.name)
		})
	case stageScheduled:
		step(c.between(30*time.Millisecond, 150*time.Millisecond), stageScheduled, func() {
			p.stage = stageCreating
			c.rewritePod(s, podChange{})
			c.live(s)
		})
	case stageCreating:
		step(c.between(300*time.Millisecond, 1500*time.Millisecond), stageCreating, func() {
			p.stage = stageRunning
			c.ipSeq++
			p.ip = c.ipSeq
			p.started, p.changed = c.now.Unix(), c.now.Unix()
			p.ready = p.oneShot
			c.rewritePod(s, podChange{})
			c.live(s)
		})
	case stageRunning:
		if p.oneShot {
			step(c.between(2*time.Second, 6*time.Second), stageRunning, func() {
				p.stage, p.ready = stageDone, false
				p.exited, p.changed = c.now.Unix(), c.now.Unix()
				c.rewritePod(s, podChange{})
				c.ownerChanged(s.ownerUID)
			})
			return
		}
		if !p.ready {
			step(c.between(200*time.Millisecond, time.Second), stageRunning, func() {
				if p.ready || p.waiting {
					return
				}
				p.ready, p.changed = true, c.now.Unix()
				c.rewritePod(s, podChange{})
				c.ownerChanged(s.ownerUID)
			})
		}
	}
}

// bind places a pod on a node, as the scheduler does.
func (c *Cluster) bind(s *slot, node string) {
	p := s.pod
	p.stage, p.scheduled, p.host = stageScheduled, c.now.Unix(), c.hostIP(node)
	c.rewritePod(s, podChange{bind: node})
	c.live(s)
}

// pickNode returns a random schedulable node; nil if a few tries found none.
func (c *Cluster) pickNode() *slot {
	if len(c.nodeList) == 0 {
		return nil
	}
	for range 8 {
		if s := c.nodeList[c.rng.IntN(len(c.nodeList))]; !s.cur.get("spec.unschedulable").Bool() {
			return s
		}
	}
	return nil
}

// terminatePod begins a graceful deletion. It sets the deletionTimestamp; within the grace period the kubelet reports that the containers have ended,
// and then removes the pod, unless a finalizer holds it.
func (c *Cluster) terminatePod(s *slot, grace int64) {
	p := s.pod
	c.rewritePod(s, podChange{deletion: stamp(c.now.Add(time.Duration(grace) * time.Second)), gracePart: grace})
	owner := s.ownerUID
	c.ownerChanged(owner)
	if grace == 0 {
		return // only finalizers hold the pod
	}
	c.after(min(time.Duration(grace)*time.Second, c.between(300*time.Millisecond, 1500*time.Millisecond)), func() {
		if s.dead {
			return
		}
		if p.stage == stageRunning || p.stage == stageCreating || p.stage == stageScheduled {
			p.stage, p.ready = stageTerminating, false
			p.exited, p.changed = c.now.Unix(), c.now.Unix()
			c.rewritePod(s, podChange{})
		}
		c.after(c.between(50*time.Millisecond, 300*time.Millisecond), func() {
			if s.dead {
				return
			}
			if !s.cur.finalizers {
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
