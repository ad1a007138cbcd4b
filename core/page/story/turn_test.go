package story

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/page/view"
)

// TestAStepIsReadThenPlayedThenRead plays each story with an impatient reader. A step's caption stands, and nothing happens, until the reader presses. Three
// presses during the motion play it to its end, and never go on: the result stands until the next press.
func TestAStepIsReadThenPlayedThenRead(t *testing.T) {
	for i, story := range library(t) {
		if testing.Short() && i%5 > 0 {
			continue
		}
		t.Run(story.ID, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { playImpatiently(t, story) })
		})
	}
}

func playImpatiently(t *testing.T, story *Story) {
	s := newStage(t, []*Story{story})
	defer s.close()
	if err := s.player.Begin(t.Context(), story.ID, "", 0); err != nil {
		t.Fatal(err)
	}
	turn := func() {
		t.Helper()
		if err := s.player.Turn(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	for i := range story.Steps {
		step := &story.Steps[i]
		d := s.show(10*time.Minute, func(d *view.StoryState) bool { return d.Step == i && (d.AwaitsPress || d.Waits || d.Done) })
		if d.Step != i || d.AwaitsPress != (step.moves() && step.speaksFirst()) || d.AwaitsPress && (d.Caption == nil || d.Caption.EN != step.Caption.say(
			s.view.State(), s.player.playback.pages[i].base).EN) {
			t.Fatalf("step %d begins with %+v", i+1, d)
		}
		if step.moves() && step.EndCaption == nil {
			t.Errorf("step %d has no sentence for its result", i+1)
		}
		if d.AwaitsPress {
			before, _ := s.rec.Head()
			if d := s.wait(time.Hour); !d.AwaitsPress || !d.Stands || d.Pace != 0 {
				t.Fatalf("step %d has not waited: %+v", i+1, d)
			}
			if head, _ := s.rec.Head(); head != before {
				t.Errorf("step %d: while its caption stands the log goes from %d to %d", i+1, before, head)
			}
		}
		if step.moves() {
			turn()
			if d := s.show(time.Millisecond, nil); !d.Done {
				s.player.guard(func() { s.player.playback.presses = 2 }) // two come together with the next one
				turn()
			}
		}
		d = s.show(10*time.Minute, func(d *view.StoryState) bool { return d.Done })
		d = s.wait(10 * time.Minute)
		if d.Step != i || d.Last != i || !d.Done || d.Caption == nil || step.EndCaption != nil && d.Caption.EN == step.Caption.Words.EN {
			t.Fatalf("step %d ends with %+v", i+1, d)
		}
		if i < len(story.Steps)-1 {
			s.turnPast(d)
		}
	}
	s.claims()
}

// TestNoPauseIsLong plays each story at its own pace: from the press on, no more than 1.5 s pass on the page until something happens, or the result is said.
func TestNoPauseIsLong(t *testing.T) {
	const longest, frame = 1500 * time.Millisecond, 50 * time.Millisecond
	for i, story := range library(t) {
		if testing.Short() && i%5 > 0 {
			continue
		}
		t.Run(story.ID, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, []*Story{story})
				defer s.close()
				if err := s.player.Begin(t.Context(), story.ID, "", 0); err != nil {
					t.Fatal(err)
				}
				for i := range story.Steps {
					d := s.begin(i)
					if d.Waits {
						s.turnAtWait(i)
					}
					newsAt, seq := time.Now(), uint64(0)
					d = s.paint(time.Hour, frame, func(d *view.StoryState) bool {
						if head, _ := s.rec.Head(); head != seq {
							newsAt, seq = time.Now(), head
						}
						if time.Since(newsAt) > longest {
							t.Fatalf("step %d: nothing has happened for %v at %+v", i+1, time.Since(newsAt), d)
						}
						return d.Step == i && d.Done
					})
					if i < len(story.Steps)-1 {
						s.turnPast(d)
					}
				}
			})
		})
	}
}

// TestThePaceFollowsTheWindow holds that the window of a step passes in the same time on the page, whatever it is.
func TestThePaceFollowsTheWindow(t *testing.T) {
	for _, window := range []time.Duration{0, view.MinWindow, 100 * time.Millisecond, 8 * time.Second, time.Minute, view.MaxWindow} {
		step := &Step{Window: window}
		if passes := step.window().Seconds() / step.pace(); math.Abs(passes-usualWindow.Seconds()) > 1e-9 {
			t.Errorf("a window of %v passes in %g s", window, passes)
		}
	}
}
