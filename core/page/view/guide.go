package view

import "time"

// Guide returns the moment of the log that a live view shows instead of the log's end. present reports whether that moment is the present; in a recording that
// plays it is not. The View calls it with its lock held, so it must not call the View.
type Guide func() (at time.Duration, present bool)

// Guide sets the function that positions a live view; nil for the log's end. With a guide a view can show a log that arrives in pieces evenly, a moment behind
// its end. The view never moves back for a guide; only Seek does that.
func (v *View) Guide(g Guide) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.guide = g
}

// guidedSeq returns the event at which a live view should be now. v.mu is held.
func (v *View) guidedSeq(pos, head uint64) uint64 {
	if v.guide == nil {
		return head
	}
	at, _ := v.guide()
	return min(max(pos, v.rec.SeqAt(at)), head)
}

// isPresent reports whether the view shows the present: the log's own end, or the moment of its guide. v.mu is held.
func (v *View) isPresent() bool {
	if v.mode != live || v.guide == nil {
		return v.mode == live
	}
	_, now := v.guide()
	return now
}

// liveMoment returns the moment that a live view shows, on the log's clock. v.mu is held.
func (v *View) liveMoment() time.Duration {
	if v.guide == nil {
		return v.rec.Now()
	}
	at, _ := v.guide()
	return max(at, v.fold.At())
}
