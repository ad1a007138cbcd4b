package view

import (
	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
)

const (
	// deepQueue is the depth above which the queue is in focus.
	deepQueue = 40
	// focusMillis is how long a station stays in focus after its problem, in ms: the eye cannot follow a focus that changes faster.
	focusMillis = 3000
)

// focusOf returns the stations in focus, for a layout that shows only some of them: those that have a problem now, or had one a moment ago.
func focusOf(s *fold.State, f *facts.Facts, now float64) []string {
	switch {
	case !f.Sure:
		return []string{"api", "reflector"}
	case s.Reflector.Phase != "watching" || now-s.Reflector.RequestMillis < focusMillis:
		return []string{"reflector", "queue", "indexer"}
	case isHeld(s, "pop"), isHeld(s, "store"), greatestDepth(s, f, now-focusMillis) > deepQueue:
		return []string{"reflector", "queue"}
	case isHeld(s, "take"):
		return []string{"listeners", "controller"}
	}
	return []string{"indexer", "listeners"}
}

// isHeld reports whether a stage is held for at least one listener.
func isHeld(s *fold.State, stage string) bool {
	for i := range s.Holds {
		if s.Holds[i].Stage == stage {
			return true
		}
	}
	return false
}

// greatestDepth returns the greatest depth of the queue since a moment; since is in ms on the log's clock.
func greatestDepth(s *fold.State, f *facts.Facts, since float64) int {
	deepest := s.Queue.Depth
	for i, depth := range f.Depths.Max {
		if f.Depths.FromMillis+f.Depths.StepMillis*float64(i+1) > since {
			deepest = max(deepest, depth)
		}
	}
	return deepest
}
