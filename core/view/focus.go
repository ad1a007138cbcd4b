package view

import "informerscope/core/trace"

const (
	// deepQueue is how deep a queue is that is looked at.
	deepQueue = 40
	// lookedAt is how long what was the matter is still looked at, in ms: nobody follows what changes places faster.
	lookedAt = 3000
)

// focusOf are the stations to look at in a moment, for whoever is shown only some of them: those where something is the matter, or was
// just now.
func focusOf(s *trace.State, f *trace.Facts, now float64) []string {
	switch {
	case !f.Sure:
		return []string{"api", "reflector"}
	case s.Reflector.Phase != "watching" || now-s.Reflector.RequestMillis < lookedAt:
		return []string{"reflector", "queue", "indexer"}
	case held(s, "pop"), held(s, "store"), deepestSince(s, f, now-lookedAt) > deepQueue:
		return []string{"reflector", "queue"}
	case held(s, "take"):
		return []string{"listeners", "controller"}
	}
	return []string{"indexer", "listeners"}
}

// held reports whether a stage is held, for any listener.
func held(s *trace.State, stage string) bool {
	for i := range s.Holds {
		if s.Holds[i].Stage == stage {
			return true
		}
	}
	return false
}

// deepestSince is how deep the queue was at most since a moment, in ms of the log.
func deepestSince(s *trace.State, f *trace.Facts, since float64) int {
	deepest := s.Queue.Depth
	for i, depth := range f.Depths.Max {
		if f.Depths.FromMillis+f.Depths.StepMillis*float64(i+1) > since {
			deepest = max(deepest, depth)
		}
	}
	return deepest
}
