package view

import (
	"time"

	"informerscope/core/log/fold"
)

// focusTime is how long a station stays in focus after its problem: the eye cannot follow a focus that changes faster.
const focusTime = 3 * time.Second

// focus returns the stations in focus, for a layout that shows only some of them: those that have a problem now, or had one a moment ago.
func (x *factInputs) focus() []string {
	s := x.state
	switch {
	case !x.isSure():
		return []string{"api", "reflector"}
	case s.Reflector.Phase != "watching" || fold.Millis(x.moment)-s.Reflector.RequestMillis < fold.Millis(focusTime):
		return []string{"reflector", "queue", "indexer"}
	case isHeld(s, "pop"), isHeld(s, "store"), s.Queue.Depth > fold.DeepQueue, x.isRecent(x.recent.Deep.At, focusTime):
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
