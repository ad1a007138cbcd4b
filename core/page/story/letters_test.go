package story

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/page/view"
)

// TestALetterStandsForOneObject gives letters to two objects, to none, and to more than one. The past has those of the two, while the story plays.
func TestALetterStandsForOneObject(t *testing.T) {
	all := library(t)
	story := *all[slices.IndexFunc(all, func(s *Story) bool { return s.ID == "burst" })]
	story.Letters = map[string]string{"A": "cart", "B": "frontend", "C": "basket", "D": "-"}
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, []*Story{&story})
		defer s.close()
		if err := s.view.Window(60_000, 1000); err != nil {
			t.Fatal(err)
		}
		if err := s.player.Begin(t.Context(), story.ID, "", 0); err != nil {
			t.Fatal(err)
		}
		d := s.show(time.Minute, func(d *view.StoryState) bool { return !d.Starting })
		if named := slices.Sorted(maps.Values(d.Letters)); !slices.Equal(named, []string{"A", "B"}) {
			t.Errorf("the objects have the letters %v", d.Letters)
		}
		for key, letter := range d.Letters {
			if !strings.Contains(key, story.Letters[letter]) {
				t.Errorf("%s stands for %s", letter, key)
			}
		}
		s.view.Follow("", "") // the next frame has all of the past
		if frame := string(s.view.Frame()); !strings.Contains(frame, `"kind":"letter"`) || !strings.Contains(frame, `"words":"B"`) {
			t.Error("the past has no letters")
		}
		s.player.Leave()
		s.view.Follow("", "")
		if frame := string(s.view.Frame()); !strings.Contains(frame, `"past":{"reset":true`) || strings.Contains(frame, `"kind":"letter"`) {
			t.Error("the story is over, and its letters stay")
		}
	})
}
