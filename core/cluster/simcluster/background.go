package simcluster

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/labels"
)

const (
	// tickPeriod is the time between two shares of background events, unless the rate is below one event per tickPeriod.
	tickPeriod = 10 * time.Millisecond
	// maxCatchUp limits how much of a gap in time the background makes up for.
	maxCatchUp = time.Second
	// lifeEvents is about how many events the end of one pod and the start of its successor make.
	lifeEvents = 8
	// calmRate is the rate, in events per second, up to which pods come and go more often.
	calmRate = 50
)

// SetRate sets how many pod events per second happen in the background, between 0 and 10,000.
func (c *Cluster) SetRate(rate float64) {
	c.lock()
	defer c.mu.Unlock()
	c.setRate(rate)
}

// Rate returns the background rate in events per second.
func (c *Cluster) Rate() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rate
}

func (c *Cluster) setRate(rate float64) {
	if !(rate > 0) { // NaN as well
		rate = 0
	}
	c.rate = min(rate, MaxRate)
	c.credit = 0
	c.bgSeq++
	if c.rate > 0 {
		c.tick(c.bgSeq, c.now)
	}
}

// tick schedules the next share of the background events.
func (c *Cluster) tick(seq uint64, last time.Time) {
	period := max(tickPeriod, time.Duration(min(float64(time.Second)/c.rate, float64(time.Hour))))
	c.runAfter(period, func() {
		if seq != c.bgSeq {
			return
		}
		// Late ticks would each run at their own time; after a long gap that is a flood. So continue from just before now.
		if now := c.clock.Now(); now.Sub(c.now) > maxCatchUp {
			c.now = now.Add(-maxCatchUp)
		}
		c.credit += c.rate * min(c.now.Sub(last), period+maxCatchUp).Seconds()
		// The period is rounded down to whole nanoseconds; without the tolerance a share of exactly one would be a tick late.
		for c.credit >= 1-1e-6 {
			c.credit -= float64(c.changePod())
		}
		c.tick(seq, c.now)
	})
}

// changePod changes one pod and returns how many events that makes, including later ones.
func (c *Cluster) changePod() int {
	if len(c.pods.pool) == 0 {
		return 1
	}
	what := c.rng.IntN(1000)
	s := c.randomPod()
	// In a quiet cluster pods come and go every few seconds. In a busy one that rate would mostly update the owners' counts.
	jobs, ends := 990, 950
	if c.rate > calmRate {
		jobs, ends = 994, 985
	}
	switch {
	case what >= jobs:
		if c.startJob() {
			return lifeEvents
		}
	case what >= ends && s != nil && c.replicaSets.uids[s.ownerUID] != nil:
		_, _, _ = c.delete(s, deleteOptions{}) // a deletion without preconditions is never refused
		return lifeEvents
	}
	if s == nil {
		return 1
	}
	p := s.pod
	now := c.now.Unix()
	wasReady := p.ready
	switch {
	case p.inBackoff || !p.ready:
		p.inBackoff, p.ready, p.changedAt = false, true, now
		if p.restarts > 0 {
			p.exitedAt = now
		}
	case p.crashes && what >= 500:
		p.restarts++
		p.inBackoff, p.ready, p.exitedAt, p.changedAt = true, false, now, now
	case what >= 975:
		p.restarts++
		p.ready, p.exitedAt, p.changedAt = false, now, now
	case what >= 930:
		p.ready, p.changedAt = false, now
	default:
		p.probedAt = max(p.probedAt+1, c.now.UnixMilli())
	}
	c.rewritePod(s, podChange{})
	if wasReady != p.ready {
		c.enqueueOwner(s.ownerUID)
	}
	return 1
}

// randomPod returns a random running pod that is not being deleted; nil if a few tries found none.
func (c *Cluster) randomPod() *slot {
	if len(c.pods.pool) == 0 {
		return nil
	}
	for range 16 {
		s := c.pods.pool[c.rng.IntN(len(c.pods.pool))]
		if s.pod != nil && s.pod.stage == stageRunning && !s.pod.runsOnce && !s.pod.exits && !s.cur.isDeleting && !c.awayNodes[s.cur.nodeName] {
			return s
		}
	}
	return nil
}

// startJob creates a pod that runs to completion, like one of a CronJob, and deletes it later.
func (c *Cluster) startJob() bool {
	minute := c.now.Unix() / 60
	name := fmt.Sprintf("report-%d", minute)
	ownerUID := c.newUID()
	set := map[string]any{"app": "report", "tier": "batch", "job-name": name, "batch.kubernetes.io/job-name": name}
	t := &podTemplate{
		generateName: name + "-",
		labels:       labels.Set{"app": "report", "tier": "batch", "job-name": name, "batch.kubernetes.io/job-name": name},
		labelsJSON:   mustJSON(set),
		ownerRef: mustJSON(map[string]any{"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": ownerUID,
			"controller": true, "blockOwnerDeletion": true}),
		ownerUID: ownerUID,
		spec: c.completeTemplate(`{"containers":[{"name":"report","image":"registry.example.com/batch/report:1.4.0","command":["/report","--window=1m"],` +
			`"env":[{"name":"JOB_NAME","value":"` + name + `"}],"resources":{"requests":{"cpu":"250m","memory":"256Mi"}},` +
			`"imagePullPolicy":"IfNotPresent","terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],` +
			`"restartPolicy":"Never","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","schedulerName":"default-scheduler",` +
			`"serviceAccountName":"default","securityContext":{}}`),
		containers: []containerRef{{`"report"`, `"registry.example.com/batch/report:1.4.0"`}},
	}
	s := c.createPod("batch", t, true)
	if s == nil {
		return false
	}
	c.runAfter(c.randomBetween(12*time.Second, 18*time.Second), func() {
		if !s.isDead && !s.cur.isDeleting {
			_, _, _ = c.delete(s, deleteOptions{}) // a deletion without preconditions is never refused
		}
	})
	return true
}
