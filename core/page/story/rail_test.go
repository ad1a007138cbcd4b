package story

import (
	"slices"
	"testing"

	"informerscope/core/lab"
)

// TestTheRailSaysWhereAStoryHappens holds the small rail of the chooser against the steps of the story of the ring and that of the tombstone.
func TestTheRailSaysWhereAStoryHappens(t *testing.T) {
	for _, s := range library(t) {
		rail := s.rail()
		full := 0
		for i, stop := range rail {
			if stop.Station != Stations[i] || stop.Share < 0 || stop.Share > 1 {
				t.Errorf("%s: station %d is %+v", s.ID, i, stop)
			}
			if stop.Share == 1 {
				full++
			}
		}
		if len(rail) != len(Stations) || full == 0 {
			t.Errorf("%s: %+v", s.ID, rail)
		}
		broken := slices.IndexFunc(rail, func(x Stop) bool { return x.Breaks })
		if want, ok := map[string]int{"ring": 4, "tombstone": 0, "mutate": 3, "loop": 5, "stale": -1}[s.ID]; ok && broken != want {
			t.Errorf("%s breaks station %d, want %d", s.ID, broken, want)
		}
		if s.ID == "ring" && (rail[4].Share != 1 || rail[0].Share != 0 || rail[3].Share <= rail[2].Share) {
			t.Errorf("the story of the ring happens at %+v", rail)
		}
	}
	for _, name := range lab.FaultNames() {
		if c := (&Call{Name: "fault", Args: []any{name}}); !slices.Contains(Stations, c.breaks()) {
			t.Errorf("the fault %s breaks %q", name, c.breaks())
		}
	}
}
