package story

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/page/view"
)

// TestAReaderSeesWhatIsNew plays each story with levels for a reader of each level, forwards and back. Every step that is new shows,
// and no other one, at no moment. The claims of all of them are true, as the steps between have happened all the same.
func TestAReaderSeesWhatIsNew(t *testing.T) {
	leveled := 0
	for _, story := range library(t) {
		if len(story.Levels) == 0 {
			continue
		}
		leveled++
		for level := 1; level <= len(story.Levels); level++ {
			t.Run(fmt.Sprint(story.ID, "/", level), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { readAt(t, story, level, 2*time.Second) })
			})
		}
	}
	if leveled == 0 {
		t.Error("no story has levels")
	}
}

func readAt(t *testing.T, story *Story, level int, pace time.Duration) {
	s := newStage(t, []*Story{story})
	defer s.close()
	if err := s.player.Begin(t.Context(), story.ID, story.Releases[0], 0); err != nil {
		t.Fatal(err)
	}
	if err := s.player.SetLevel(level); err != nil {
		t.Fatal(err)
	}
	var want []int
	for i := range story.Steps {
		if story.isNew(i, level) {
			want = append(want, i)
		}
	}
	var shown []int
	see := func(d *view.StoryState) bool {
		if !d.Starting && (len(shown) == 0 || shown[len(shown)-1] != d.Step) {
			shown = append(shown, d.Step)
		}
		return false
	}
	last := len(story.Steps) - 1
	for presses := 0; ; presses++ {
		d := s.show(pace, see)
		if d.Last == last && d.Ended {
			break
		}
		if presses > 400 {
			t.Fatalf("after %d presses the story has come to %+v", presses, d)
		}
		if err := s.player.Turn(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	s.show(time.Minute, see)
	if !slices.Equal(shown, want) {
		t.Errorf("forwards it shows the steps %v, and %v are new", shown, want)
	}
	if n := len(s.player.playback.pages); n != last+1 {
		t.Errorf("%d steps have happened, want %d", n, last+1)
	}
	shown = nil
	for range want[1:] {
		if err := s.player.Turn(t.Context(), -1); err != nil {
			t.Fatal(err)
		}
		if d := s.show(pace, see); d.Caption == nil {
			t.Errorf("back at step %d nothing is said", d.Step+1)
		}
	}
	slices.Reverse(shown)
	if !slices.Equal(shown, want[:len(want)-1]) {
		t.Errorf("back it shows the steps %v of %v", shown, want)
	}
	s.claims()
}

// TestALevelIsChosenOnTheWay: a reader goes back and says what is known already, while a step waits for an action. That step plays by itself, unseen.
func TestALevelIsChosenOnTheWay(t *testing.T) {
	all := library(t)
	story := all[slices.IndexFunc(all, func(s *Story) bool { return s.ID == "tour" })]
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, []*Story{story})
		defer s.close()
		if err := s.player.SetLevel(1); err == nil {
			t.Error("a level without a story")
		}
		if err := s.player.Begin(t.Context(), story.ID, "", 1); err != nil {
			t.Fatal(err)
		}
		if d := s.show(time.Minute, func(d *view.StoryState) bool { return d.Waits }); d.Step != 1 || !d.Waits {
			t.Fatalf("it does not wait: %+v", d)
		}
		for _, level := range []int{0, 4} {
			if err := s.player.SetLevel(level); err == nil {
				t.Errorf("level %d of %d", level, len(story.Levels))
			}
		}
		s.turnAndShow(-1, 0)
		if err := s.player.SetLevel(3); err != nil {
			t.Fatal(err)
		}
		next := slices.IndexFunc(story.Steps[1:], func(st Step) bool { return st.Level == 0 }) + 1
		if d := s.turnAndShow(1, next); d.Level != 3 || d.Last != next {
			t.Errorf("it tells %+v", d)
		}
		s.turnAndShow(-1, 0)
		s.turnAndShow(1, next)
		s.claims()
	})
}

// turnAndShow turns, and waits for a step.
func (s *stage) turnAndShow(n, step int) *view.StoryState {
	s.t.Helper()
	if err := s.player.Turn(s.t.Context(), n); err != nil {
		s.t.Fatal(err)
	}
	if n > 0 {
		s.begin(step)
	}
	d := s.show(time.Minute, func(d *view.StoryState) bool { return d.Step == step && d.Done })
	if d.Step != step || !d.Done {
		s.t.Fatalf("turned by %d, it tells %+v, want step %d", n, d, step+1)
	}
	return d
}

// TestNewIsCounted: the first step, the last one and questions are no news.
func TestNewIsCounted(t *testing.T) {
	s := &Story{Steps: []Step{{}, {Level: 1}, {Level: 2}, {}, {Level: 2, Question: &Question{}}, {Question: &Question{}}, {}}}
	for level, want := range []int{3, 3, 2, 1} {
		if n := s.countNew(level); n != want {
			t.Errorf("to level %d %d steps are new, want %d", level, n, want)
		}
	}
}
