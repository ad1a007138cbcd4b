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

// guidedSeqLocked returns the event at which a live view should be now.
func (v *View) guidedSeqLocked(pos, head uint64) uint64 {
	if v.guide == nil {
		return head
	}
	at, _ := v.guide()
	return min(max(pos, v.rec.SeqAt(at)), head)
}

// isPresentLocked reports whether the view shows the present: the log's own end, or the moment of its guide.
func (v *View) isPresentLocked() bool {
	if v.mode != live || v.guide == nil {
		return v.mode == live
	}
	_, now := v.guide()
	return now
}

// liveMomentLocked returns the moment that a live view shows, on the log's clock.
func (v *View) liveMomentLocked() time.Duration {
	if v.guide == nil {
		return v.rec.Now()
	}
	at, _ := v.guide()
	return max(at, v.fold.At())
}
