package tracks

import (
	"sort"
	"time"

	"informerscope/core/words/event"
)

// pass is a change, or several, that passed a station.
type pass struct {
	stamp
	op  event.Op
	n   int32
	key string
}

// passes are what passed a station in which nothing waits.
type passes []pass

func (p *passes) add(s stamp, op event.Op, n int, key string) {
	if n > 0 {
		*p = append(*p, pass{s, op, int32(n), key})
	}
}

// since returns the passes from a moment on.
func (p passes) since(from time.Duration) passes {
	return p[sort.Search(len(p), func(i int) bool { return p[i].at >= from }):]
}

func (p *passes) forget(before time.Duration) {
	if kept := p.since(before); len(*p)-len(kept) >= 1024 {
		*p = append(passes(nil), kept...)
	}
}

// burstStep is the resolution at which a burst is looked for.
const burstStep = 250 * time.Millisecond

// A burst has at least burstLeast changes in a step, and burstTimes as many as usual.
const (
	burstLeast = 12
	burstTimes = 4
)

// bursts finds changes that came close together.
type bursts struct {
	step    int64
	count   int     // of the step
	first   stamp   // of the step
	last    stamp   // of the step
	usual   float64 // changes a step, over the last seconds
	running *span   // in spans; nil without a burst
	spans   []*span
}

// add counts a change of the cluster.
func (b *bursts) add(s stamp) {
	if step := int64(s.at / burstStep); step != b.step {
		b.close(step)
	}
	if b.count == 0 {
		b.first = s
	}
	b.count++
	b.last = s
}

// close ends the step, and goes on with another one.
func (b *bursts) close(step int64) {
	missing := step - b.step - 1
	high := b.count >= burstLeast && float64(b.count) >= burstTimes*b.usual
	switch {
	case high && b.running == nil:
		b.running = &span{kind: Burst, from: b.first, to: never}
		b.spans = append(b.spans, b.running)
	case b.running != nil && float64(b.count) < max(burstLeast/2, 2*b.usual):
		b.running = nil
	}
	if b.running != nil {
		b.running.n += b.count
		b.running.to = b.last
	} else {
		b.usual += (float64(b.count) - b.usual) / 32
	}
	if missing > 0 {
		b.running = nil
		for range min(missing, 64) {
			b.usual -= b.usual / 32
		}
	}
	b.step, b.count = step, 0
}
