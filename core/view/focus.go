package view

import "informerscope/core/trace"

const (
	// deepQueue is the depth above which a queue deserves a look.
	deepQueue = 40
	// lookedAt is how long a station stays in focus after its problem, in ms: the eye cannot follow a focus that changes faster.
	lookedAt = 3000
)

// focusOf returns the stations to look at, for a layout that shows only some of them: those with a problem now or a moment ago.
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

// deepestSince returns the greatest depth of the queue since a moment, in ms of the log.
func deepestSince(s *trace.State, f *trace.Facts, since float64) int {
	deepest := s.Queue.Depth
	for i, depth := range f.Depths.Max {
		if f.Depths.FromMillis+f.Depths.StepMillis*float64(i+1) > since {
			deepest = max(deepest, depth)
		}
	}
	return deepest
}
