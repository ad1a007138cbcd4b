package view

import (
	"slices"

	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
)

// heldChanges returns the changes that wait at held stages outside the queues.
func heldChanges(s *fold.State) []facts.HeldChange {
	out := []facts.HeldChange{}
	for _, h := range s.Holds {
		if !h.Waiting {
			continue
		}
		switch h.Stage {
		case "store":
			// The Reflector notes a version once the change is queued, so the oldest newer frame is the one that it holds. The frames are newest first.
			for _, f := range slices.Backward(s.API.Wire) {
				if f.Key != "" && isBehind(s.Reflector.ResourceVersion, f.RV) {
					out = append(out, facts.HeldChange{Stage: h.Stage, Op: f.Op, Key: f.Key, RV: f.RV})
					break
				}
			}
		case "deliver":
			for i := range s.Listeners {
				l := &s.Listeners[i]
				if l.ID == h.Listener && l.Handling == nil && l.Given != nil {
					out = append(out, facts.HeldChange{Stage: h.Stage, Listener: l.ID, Op: l.Given.Op, Key: l.Given.Key, RV: l.Given.RV})
				}
			}
		}
	}
	return out
}
