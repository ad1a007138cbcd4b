package trace

import (
	"fmt"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// Begin drops all events and continues the log from f: the next event has the seq after f's, and f is the state before it. It is for following a log from its
// middle. The Recorder owns f from then on.
func (r *Recorder) Begin(f *fold.Fold) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reset(r.opts.Clock)
	r.origin = f
	r.seq, r.at = f.Seq(), f.At()
	r.endsNow()
}

// Append numbers events that were timed elsewhere, and appends them.
func (r *Recorder) Append(events []event.Entry) error { return r.AppendLate(events, 0) }

// AppendLate is Append for events that arrive late, by up to a delay. The log's clock stands for so long after them, so that it does not pass an event that
// is still on its way.
func (r *Recorder) AppendLate(events []event.Entry, delay time.Duration) error {
	head, _ := r.Head()
	for i := range events {
		events[i].Seq = head + uint64(i) + 1
	}
	return r.extend(events, delay)
}

// Extend appends events that were numbered and timed elsewhere. Their seqs must continue Head without a gap, or nothing is appended. The log's clock
// continues from the last one's time.
func (r *Recorder) Extend(events []event.Entry) error { return r.extend(events, 0) }

func (r *Recorder) extend(events []event.Entry, delay time.Duration) error {
	if len(events) == 0 {
		return nil
	}
	sizes := make([]int, len(events))
	for i := range events {
		sizes[i] = events[i].Bytes()
	}
	r.mu.Lock()
	for i := range events {
		if want := r.seq + uint64(i) + 1; events[i].Seq != want {
			head := r.seq
			r.mu.Unlock()
			return fmt.Errorf("event %d does not continue the log, which ends with %d: %d is missing", events[i].Seq, head, want)
		}
	}
	for i := range events {
		e := &events[i]
		r.put(max(e.At, r.at), e.Lane, &e.Event, sizes[i])
	}
	r.endsAfter(delay)
	r.wakeLocked()
	r.mu.Unlock()
	for r.isBehind() {
		r.foldOneChunk()
	}
	return nil
}

// isBehind reports whether too many evicted events wait to be folded.
func (r *Recorder) isBehind() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	bytes := 0
	for _, c := range r.evicted {
		bytes += c.Bytes
	}
	return len(r.evicted) > maxPending || bytes > r.opts.MaxBytes/4
}
