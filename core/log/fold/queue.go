package fold

import (
	"slices"

	"informerscope/core/words/event"
	"informerscope/core/words/persistent"
)

const opCount = int(event.OpBookmark) + 1

// qitem is a delta in a queue.
type qitem struct {
	seq       uint64
	op        event.Op
	tombstone bool
	count     int32
	key, rv   string
}

// deltas are the deltas of one key.
type deltas struct {
	list  []qitem
	epoch uint64 // of the only fold that may append to the list
}

// queue is the RealFIFO (a line of deltas) or the DeltaFIFO (a line of keys, each with its deltas).
type queue struct {
	delta      bool
	line       persistent.Deque[qitem]
	keys       persistent.KeyQueue[deltas]
	batch      []qitem // popped last
	batchEpoch uint64
	batchKey   string
	processing bool
	locked     bool
	synced     bool
	closed     bool
	population int
	pops       int
	runPops    int  // pops since the queue was last empty
	runEnds    bool // the queue is empty: the next pop begins another run
	mix        [opCount]int
	sampled    bool // no events about what enters and leaves: the depth is the last sample
	depth      int
}

func (q *queue) clone() queue {
	c := *q
	c.line = q.line.Clone()
	c.keys = q.keys.Clone()
	return c
}

func (q *queue) len() int {
	if q.sampled {
		return q.depth
	}
	if q.delta {
		return q.keys.Len()
	}
	return q.line.Len()
}

func (q *queue) count(op event.Op, by int) {
	if int(op) < len(q.mix) {
		q.mix[op] += by
	}
}

func (q *queue) apply(epoch uint64, e *event.Entry) {
	switch e.Kind {
	case event.KindQueued:
		queued := e.Queued()
		item := qitem{seq: e.Seq, op: queued.Op, key: queued.Key, rv: queued.RV, count: int32(len(queued.Items)),
			tombstone: queued.Tombstone && queued.Op == event.OpDeleted}
		q.push(epoch, item)
	case event.KindMerged:
		x := e.Merged()
		if !q.delta {
			break
		}
		queuedKey, _ := q.keys.Get(x.Key)
		d := queuedKey.list
		if len(d) < 2 {
			break
		}
		older, newer := d[len(d)-2], d[len(d)-1]
		kept := newer
		gone := older
		if x.KeptOlder {
			kept, gone = older, newer
		}
		q.count(gone.op, -1)
		merged := make([]qitem, len(d)-1)
		copy(merged, d[:len(d)-2])
		merged[len(merged)-1] = kept
		q.keys.Set(epoch, x.Key, deltas{merged, epoch})
	case event.KindPopulated:
		q.population = e.Populated().Count
	case event.KindPopped:
		q.pop(epoch, e.Popped())
	case event.KindProcessed:
		q.processing, q.locked = false, false
		q.population = e.Processed().Population
	case event.KindQueueSynced:
		q.synced = true
	case event.KindQueueClosed:
		q.closed = true
	}
}

func (q *queue) push(epoch uint64, item qitem) {
	if q.line.Len() >= persistent.MaxKept {
		return
	}
	if q.delta {
		d, _ := q.keys.Get(item.key)
		if len(d.list) >= maxDeltas {
			return
		}
		if d.epoch != epoch { // the list may be shared with a clone
			d = deltas{slices.Clip(d.list), epoch}
		}
		d.list = append(d.list, item)
		q.keys.Set(epoch, item.key, d)
	} else {
		q.line.Push(epoch, item)
	}
	q.count(item.op, 1)
}

func (q *queue) pop(epoch uint64, popped event.Popped) {
	q.pops++
	if q.runEnds {
		q.runPops = 0
	}
	q.runPops++
	q.processing, q.locked = true, popped.Locked
	if q.batchEpoch != epoch {
		q.batch, q.batchEpoch = nil, epoch
	}
	q.batch, q.batchKey = q.batch[:0], ""
	if q.delta {
		key := popped.Key
		if d, ok := q.keys.Take(epoch, key); ok {
			q.batch = append(q.batch, d.list...)
			q.batchKey = key
		}
	} else {
		n := min(max(popped.Deltas, 0), q.line.Len())
		for i := range n {
			q.batch = append(q.batch, *q.line.At(i))
		}
		q.line.Drop(n)
	}
	for i := range q.batch {
		q.count(q.batch[i].op, -1)
	}
	q.runEnds = q.len() == 0
}
