package trace

import (
	"fmt"
)

// Begin forgets everything; the log begins anew with what f holds: its next event has the seq after f's, and before it
// there is f. It is for a log that is followed from its middle on. The Fold is the Recorder's from then on.
func (r *Recorder) Begin(f *Fold) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reset(r.opts.Clock)
	r.origin = f
	r.seq, r.at = f.seq, f.at
	r.endsNow()
}

// Append appends events that were timed elsewhere, and numbers them.
func (r *Recorder) Append(events []Event) error {
	head, _ := r.Head()
	for i := range events {
		events[i].Seq = head + uint64(i) + 1
	}
	return r.Extend(events)
}

// Extend appends events that were numbered and timed elsewhere: the first must be the one after Head, and none may be
// missing, or nothing is appended. The log's clock goes on from the last one's time.
func (r *Recorder) Extend(events []Event) error {
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
	r.endsNow()
	r.wakeLocked()
	r.mu.Unlock()
	for r.behind() {
		r.help()
	}
	return nil
}

// behind says whether more is evicted than should wait for a reader to fold it.
func (r *Recorder) behind() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	bytes := 0
	for _, c := range r.gone {
		bytes += c.bytes
	}
	return len(r.gone) > maxPending || bytes > r.opts.MaxBytes/4
}
