package story

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/page/view"
)

// TestATurnHasTheStepsEnd calls Turn while a step waits for 30 s. One call leads to the step's last sentence, which stands until the next call; two calls lead
// to the next step.
func TestATurnHasTheStepsEnd(t *testing.T) {
	all := library(t)
	story := all[slices.IndexFunc(all, func(s *Story) bool { return s.ID == "resync" })]
	const waits = 1 // the step in which the resync comes
	for turns := 1; turns <= 2; turns++ {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t, all)
			defer s.close()
			turn := func() {
				t.Helper()
				if err := s.player.Turn(t.Context(), 1); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.player.Begin(t.Context(), story.ID, "", waits); err != nil {
				t.Fatal(err)
			}
			s.show(10*time.Minute, func(d *view.StoryState) bool { return d.Step == waits && d.Waits })
			turn() // its question
			s.show(time.Minute, func(d *view.StoryState) bool { return d.Step == waits && !d.Waits && !d.Ended })
			for range turns {
				turn()
			}
			if turns == 2 {
				s.show(time.Minute, func(d *view.StoryState) bool { return d.Step == waits+1 })
				return
			}
			s.show(time.Minute, func(d *view.StoryState) bool { return d.Step == waits && d.Done })
			if d := s.wait(time.Hour); d.Step != waits || d.Last != waits || d.Caption == nil || !strings.Contains(d.Caption.EN, "40 calls of OnUpdate") {
				t.Fatalf("an hour after one turn it tells %+v", d)
			}
			turn()
			if d := s.show(time.Minute, nil); d.Step != waits+1 {
				t.Errorf("the turn after its end brings %+v", d)
			}
			s.claims()
		})
	}
}
