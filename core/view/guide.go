package view

import "time"

// Guide says which moment of the log a live view shows in place of the log's end, and whether that moment is the present of
// what the log tells of; a recording that plays is not. It is called with the View's lock held, and must not call the View.
type Guide func() (at time.Duration, present bool)

// Guide lets g say where a live view is, nil for the log's end. A log that comes in pieces is shown evenly that way: the view
// follows a moment before its end. The view never goes back for a guide; Seek does that.
func (v *View) Guide(g Guide) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.guide = g
}

// guided is where a live view should be now. v.mu is held.
func (v *View) guided(pos, head uint64) uint64 {
	if v.guide == nil {
		return head
	}
	at, _ := v.guide()
	return min(max(pos, v.rec.SeqAt(at)), head)
}

// present is whether the view shows the present: that of the log's own end, or of what its guide follows. v.mu is held.
func (v *View) present() bool {
	if v.mode != live || v.guide == nil {
		return v.mode == live
	}
	_, now := v.guide()
	return now
}

// liveAt is the moment that a live view shows, on the log's clock. v.mu is held.
func (v *View) liveAt() time.Duration {
	if v.guide == nil {
		return v.rec.Now()
	}
	at, _ := v.guide()
	return max(at, v.fold.At())
}
