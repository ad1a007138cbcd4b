package simcluster

import (
	"container/heap"
	"time"
)

// task is a function to run at a time. Tasks with the same due time run in the order in which they were queued.
type task struct {
	dueTime time.Time
	seq     uint64
	run     func()
}

type taskHeap []task

func (h taskHeap) Len() int { return len(h) }
func (h taskHeap) Less(i, j int) bool {
	if h[i].dueTime.Equal(h[j].dueTime) {
		return h[i].seq < h[j].seq
	}
	return h[i].dueTime.Before(h[j].dueTime)
}
func (h taskHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *taskHeap) Push(x any)   { *h = append(*h, x.(task)) }
func (h *taskHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = task{}
	*h = old[:len(old)-1]
	return t
}

// runAfter queues fn to run d after c.now at the cluster's speed, with the lock held.
func (c *Cluster) runAfter(d time.Duration, fn func()) {
	if c.speed != 1 {
		d = time.Duration(float64(d) / c.speed)
	}
	c.taskSeq++
	t := task{dueTime: c.now.Add(d), seq: c.taskSeq, run: fn}
	earliest := len(c.tasks) == 0 || t.dueTime.Before(c.tasks[0].dueTime)
	heap.Push(&c.tasks, t)
	if earliest {
		select {
		case c.kick <- struct{}{}:
		default:
		}
	}
}

// enqueue queues a controller's sync under a key, unless the key is queued already, like a work queue.
func (c *Cluster) enqueue(key string, d time.Duration, fn func()) {
	if c.isStill || c.isSeeding || c.syncKeys[key] {
		return
	}
	c.syncKeys[key] = true
	c.runAfter(d, func() {
		delete(c.syncKeys, key)
		fn()
	})
}

// advance runs at most limit due tasks and reports whether more are due. c.now is each task's due time while it runs.
func (c *Cluster) advance(limit int) bool {
	now := c.clock.Now()
	for n := 0; len(c.tasks) > 0 && !c.tasks[0].dueTime.After(now); n++ {
		if n == limit {
			return true
		}
		t := heap.Pop(&c.tasks).(task)
		c.now = t.dueTime
		t.run()
	}
	if now.After(c.now) {
		c.now = now
	}
	return false
}

// randomBetween returns a random duration in [lo, hi).
func (c *Cluster) randomBetween(lo, hi time.Duration) time.Duration {
	return lo + time.Duration(c.rng.Int64N(int64(hi-lo)))
}
