package tracks

import (
	"sort"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// read is what a reconciler got through the lister.
type read struct {
	stamp
	worker          int32
	behind          int
	key, rv, latest string
}

// reads are in the order of the log.
type reads []read

// addRead notes a read of the lane's own store: the store of another informer stands in another row. Without a watch its informer does not know how old that
// is; the log of a simulated cluster does.
func (l *lane) addRead(s stamp, lane uint8, x event.ListerRead) {
	if x.Lane != 0 && x.Lane-1 != int(lane) {
		return
	}
	latest, behind, ok := l.cluster.lag(x.Key, x.RV)
	if !ok {
		latest, behind = x.Latest, x.Behind
	}
	l.reads = append(l.reads, read{s, x.Worker, behind, x.Key, x.RV, latest})
}

// since returns the reads from a moment on.
func (r reads) since(from time.Duration) reads {
	return r[sort.Search(len(r), func(i int) bool { return r[i].at >= from }):]
}

func (r *reads) forget(before time.Duration) {
	if kept := r.since(before); len(*r)-len(kept) >= 1024 {
		*r = append(reads(nil), kept...)
	}
}

// readSteps is of how many columns a worker has one read: each has a mark, which is as wide. Workers from mostReaders on share theirs. In columns longer than
// nearStep only stale reads stand: all others are as they should be.
const (
	readSteps   = 4
	mostReaders = 16
	nearStep    = time.Millisecond
)

// addReads adds the reads of the window. Of those of one worker that stand too close together it adds the first one that was stale, or else the first.
func (r *Row) addReads(w *Window, all reads) {
	each := readSteps * w.Step
	var places [mostReaders + 1]struct {
		number time.Duration
		span   int // its index, from 1; 0 for none
		others int // reads before it
	}
	shown := all.since(w.start() / each * each)
	for i := range shown {
		x := &shown[i]
		if x.seq > w.Seq {
			break
		}
		place := &places[min(max(x.worker, 0), mostReaders)]
		if number := x.at / each; number != place.number {
			place.number, place.span, place.others = number, 0, 0
		}
		if place.span != 0 {
			kept := &r.Spans[place.span-1]
			if merged := kept.Merged; kept.Behind == 0 && x.behind > 0 {
				*kept = x.span()
				kept.Merged = merged
			}
			kept.Merged++
			continue
		}
		if x.behind == 0 && w.Step > nearStep {
			place.others++
			continue
		}
		r.Spans = append(r.Spans, x.span())
		place.span = len(r.Spans)
		r.Spans[place.span-1].Merged = place.others
	}
}

// span returns the Span of the read alone.
func (x *read) span() Span {
	at := fold.Millis(x.at)
	return Span{Kind: Read, FromMillis: at, ToMillis: &at, N: int(x.worker), Key: x.key, RV: x.rv, Latest: x.latest, Behind: x.behind}
}
