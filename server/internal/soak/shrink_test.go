package soak

import (
	"slices"
	"time"
)

// Shrink removes ops and pages from a failing script while it still fails. The scheduler orders what happens within an instant, so each try gets a
// few chances. It returns the shortest failing script that it found and what it broke, or nothing if not even the whole one failed again.
func Shrink(s *Script, fails func(*Script) []string, patience time.Duration) (*Script, []string) {
	deadline := time.Now().Add(patience)
	try := func(s *Script, chances int) []string {
		for range chances {
			if why := fails(s); len(why) > 0 {
				return why
			}
			if time.Now().After(deadline) {
				break
			}
		}
		return nil
	}
	why := try(s, 20)
	if why == nil {
		return s, nil
	}
	for size := max(len(s.Ops)/2, 1); ; {
		shrunk := false
		for i := 0; i < len(s.Ops) && time.Now().Before(deadline); {
			smaller := *s
			smaller.Ops = slices.Concat(s.Ops[:i], s.Ops[min(i+size, len(s.Ops)):])
			if less := try(&smaller, 3); less != nil {
				s, why, shrunk = &smaller, less, true
			} else {
				i += size
			}
		}
		if size > 1 {
			size /= 2
		} else if !shrunk {
			break
		}
	}
	for i := 0; len(s.Pages) > 1 && i < len(s.Pages) && time.Now().Before(deadline); {
		smaller := *s
		smaller.Pages = slices.Concat(s.Pages[:i], s.Pages[i+1:])
		if less := try(&smaller, 3); less != nil {
			s, why = &smaller, less
		} else {
			i++
		}
	}
	return s, why
}
