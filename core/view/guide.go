package view

import "time"

// Guide returns the moment of the log that a live view shows instead of the log's end. present reports whether that is the present; in a recording that plays
// it is not. It is called with the View's lock held, and must not call the View.
type Guide func() (at time.Duration, present bool)

// Guide sets the function that positions a live view; nil for the log's end. So a log that arrives in pieces is shown evenly, a moment behind its end. The
// view never goes back for a guide; Seek does that.
func (v *View) Guide(g Guide) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.guide = g
}

// guided returns where a live view should be now. v.mu is held.
func (v *View) guided(pos, head uint64) uint64 {
	if v.guide == nil {
		return head
	}
	at, _ := v.guide()
	return min(max(pos, v.rec.SeqAt(at)), head)
}

// present reports whether the view shows the present: the log's own end, or the moment of its guide. v.mu is held.
func (v *View) present() bool {
	if v.mode != live || v.guide == nil {
		return v.mode == live
	}
	_, now := v.guide()
	return now
}

// liveAt returns the moment that a live view shows, on the log's clock. v.mu is held.
func (v *View) liveAt() time.Duration {
	if v.guide == nil {
		return v.rec.Now()
	}
	at, _ := v.guide()
	return max(at, v.fold.At())
}
