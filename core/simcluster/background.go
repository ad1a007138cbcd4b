package simcluster

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/labels"
)

const (
	// tickPeriod is how often the background makes its events when it makes more than one in that time.
	tickPeriod = 10 * time.Millisecond
	// maxCatchUp bounds the events made for a gap in time.
	maxCatchUp = time.Second
	// lifeEvents is about how many events the end of a pod and the start of the next one make.
	lifeEvents = 8
	// calmRate is up to how many events a second pods come and go more often.
	calmRate = 50
)

// SetRate sets how many pod events a second happen of themselves; it is held between 0 and 10,000.
func (c *Cluster) SetRate(rate float64) {
	c.lock()
	defer c.mu.Unlock()
	c.setRate(rate)
}

// Rate is the background rate in events a second.
func (c *Cluster) Rate() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rate
}

func (c *Cluster) setRate(rate float64) {
	if !(rate > 0) { // also not a number
		rate = 0
	}
	c.rate = min(rate, maxRate)
	c.credit = 0
	c.bgSeq++
	if c.rate > 0 {
		c.tick(c.bgSeq, c.now)
	}
}

// tick queues the next share of the background events.
func (c *Cluster) tick(seq uint64, last time.Time) {
	period := max(tickPeriod, time.Duration(min(float64(time.Second)/c.rate, float64(time.Hour))))
	c.after(period, func() {
		if seq != c.bgSeq {
			return
		}
		// Late ticks would each be played at their own time; after a long gap that is a flood, so begin again near now.
		if now := c.clock.Now(); now.Sub(c.now) > maxCatchUp {
			c.now = now.Add(-maxCatchUp)
		}
		c.credit += c.rate * min(c.now.Sub(last), period+maxCatchUp).Seconds()
		// The period is cut to whole nanoseconds; without this a share of exactly one would come a tick late.
		for c.credit >= 1-1e-6 {
			c.credit -= float64(c.happen())
		}
		c.tick(seq, c.now)
	})
}

// happen makes one thing happen to a pod and returns how many events that is, those to come included.
func (c *Cluster) happen() int {
	if len(c.pods.all) == 0 {
		return 1
	}
	what := c.rng.IntN(1000)
	s := c.randomPod()
	// A quiet cluster has something come and go every few seconds; a busy one would do little else than roll its owners' counts.
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
		_, _, _ = c.delete(s, deleteOptions{}) // without preconditions a deletion cannot be refused
		return lifeEvents
	}
	if s == nil {
		return 1
	}
	p := s.pod
	now := c.now.Unix()
	wasReady := p.ready
	switch {
	case p.waiting || !p.ready:
		p.waiting, p.ready, p.changed = false, true, now
		if p.restarts > 0 {
			p.exited = now
		}
	case p.crashing && what >= 500:
		p.restarts++
		p.waiting, p.ready, p.exited, p.changed = true, false, now, now
	case what >= 975:
		p.restarts++
		p.ready, p.exited, p.changed = false, now, now
	case what >= 930:
		p.ready, p.changed = false, now
	default:
		p.probed = max(p.probed+1, c.now.UnixMilli())
	}
	c.rewritePod(s, podChange{})
	if wasReady != p.ready {
		c.ownerChanged(s.ownerUID)
	}
	return 1
}

// randomPod draws a pod that runs and has been up; nil if a few draws found none.
func (c *Cluster) randomPod() *slot {
	if len(c.pods.all) == 0 {
		return nil
	}
	for range 16 {
		s := c.pods.all[c.rng.IntN(len(c.pods.all))]
		if s.pod != nil && s.pod.stage == stageRunning && !s.pod.oneShot && !s.cur.deleting {
			return s
		}
	}
	return nil
}

// startJob makes a pod that runs to completion, as a CronJob's would, and is cleaned up after it.
func (c *Cluster) startJob() bool {
	minute := c.now.Unix() / 60
	name := fmt.Sprintf("report-%d", minute)
	ownerUID := c.newUID()
	set := map[string]any{"app": "report", "tier": "batch", "job-name": name, "batch.kubernetes.io/job-name": name}
	t := &podTemplate{
		generateName: name + "-",
		labels:       labels.Set{"app": "report", "tier": "batch", "job-name": name, "batch.kubernetes.io/job-name": name},
		labelsJSON:   mustJSON(set),
		owner: mustJSON(map[string]any{"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": ownerUID,
			"controller": true, "blockOwnerDeletion": true}),
		ownerUID: ownerUID,
		spec: `{"containers":[{"name":"report","image":"registry.example.com/batch/report:1.4.0","command":["/report","--window=1m"],` +
			`"env":[{"name":"JOB_NAME","value":"` + name + `"}],"resources":{"requests":{"cpu":"250m","memory":"256Mi"}},` +
			`"imagePullPolicy":"IfNotPresent","terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],` +
			`"restartPolicy":"Never","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","schedulerName":"default-scheduler",` +
			`"serviceAccountName":"default","securityContext":{}}`,
		containers: []containerRef{{`"report"`, `"registry.example.com/batch/report:1.4.0"`}},
	}
	s := c.createPod("batch", t, true)
	if s == nil {
		return false
	}
	c.after(c.between(12*time.Second, 18*time.Second), func() {
		if !s.dead && !s.cur.deleting {
			_, _, _ = c.delete(s, deleteOptions{}) // without preconditions a deletion cannot be refused
		}
	})
	return true
}
