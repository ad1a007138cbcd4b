package story

import (
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/page/view"
)

// asking returns the stories that ask something of their reader.
func asking(t *testing.T) []*Story {
	var out []*Story
	for _, s := range library(t) {
		for i := range s.Steps {
			if s.Steps[i].Reader != nil {
				out = append(out, s)
				break
			}
		}
	}
	if len(out) == 0 {
		t.Fatal("no story asks anything of its reader")
	}
	return out
}

// TestTheReaderIsWaitedFor plays each story that asks for actions. Its reader takes ten minutes for each, and uses the commands of the page's controls.
// Nothing happens meanwhile, and the requested condition does not hold before.
func TestTheReaderIsWaitedFor(t *testing.T) {
	for _, story := range asking(t) {
		t.Run(story.ID, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, []*Story{story})
				defer s.close()
				if err := s.player.Begin(t.Context(), story.ID, "", 0); err != nil {
					t.Fatal(err)
				}
				last := len(story.Steps) - 1
				for i := range story.Steps {
					asks := story.Steps[i].Reader
					if story.Steps[i].Question != nil {
						s.turnAtWait(i)
					}
					if asks != nil {
						d := s.show(time.Minute, func(d *view.StoryState) bool { return d.Step == i && d.Waits })
						if !d.Waits || d.Done || d.Asks == nil || d.Asks.EN != asks.Words.EN || d.Caption == nil {
							t.Fatalf("step %d shows %+v", i+1, d)
						}
						before, _ := s.rec.Head()
						if d := s.wait(10 * time.Minute); !d.Waits || !d.Stands {
							t.Fatalf("step %d has not waited: %+v", i+1, d)
						}
						if head, _ := s.rec.Head(); head != before {
							t.Errorf("step %d: while the reader is waited for the log went from %d to %d", i+1, before, head)
						}
						s.player.mu.Lock()
						if s.player.playback.holdsLocked(asks.Condition, s.player.playback.pages[i].base) {
							t.Errorf("step %d: %s holds before the reader has done anything", i+1, asks.Condition)
						}
						s.player.mu.Unlock()
						if err := s.player.makeCall(t.Context(), s.player.playback, asks.Call); err != nil {
							t.Fatal(err)
						}
					}
					s.begin(i)
					d := s.show(time.Hour, func(d *view.StoryState) bool { return d.Step == i && d.Done })
					if d.Step != i || !d.Done || d.Waits {
						t.Fatalf("step %d has come to %+v", i+1, d)
					}
					if i < last {
						s.turnPast(d)
					}
				}
				s.claims()
			})
		})
	}
}

// TestAReaderMayDoSomethingElse does something else than requested: the step still waits, and the requested action still ends the wait.
func TestAReaderMayDoSomethingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, library(t))
		defer s.close()
		if err := s.player.Begin(t.Context(), "tour", "", 1); err != nil {
			t.Fatal(err)
		}
		s.show(time.Minute, func(d *view.StoryState) bool { return d.Step == 1 && d.Waits })
		if err := s.player.makeCall(t.Context(), s.player.playback, Call{Name: "pace", Args: []any{"mailer", 5.0}, Listener: 0}); err != nil {
			t.Fatal(err)
		}
		if d := s.show(5*time.Second, nil); d.Step != 1 || !d.Waits {
			t.Fatalf("it does not wait any more: %+v", d)
		}
		if err := s.player.makeCall(t.Context(), s.player.playback, s.player.playback.story.Steps[1].Reader.Call); err != nil {
			t.Fatal(err)
		}
		if d := s.show(time.Minute, func(d *view.StoryState) bool { return d.Done }); d.Step != 1 || !d.Done || d.Waits || d.Caption == nil {
			t.Errorf("the answer has brought %+v", d)
		}
	})
}

// TestAStoryIsTakenUpWhereItWasLeft resumes each story at each of its steps. The earlier steps have happened, their requests were carried out, and the story
// continues to its end.
func TestAStoryIsTakenUpWhereItWasLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	for _, story := range library(t) {
		t.Run(story.ID, func(t *testing.T) {
			for at := range story.Steps {
				synctest.Test(t, func(t *testing.T) {
					s := newStage(t, []*Story{story})
					defer s.close()
					if err := s.player.Begin(t.Context(), story.ID, "", at); err != nil {
						t.Fatal(err)
					}
					d := s.show(time.Minute, func(d *view.StoryState) bool { return d.Step == at && !d.Starting })
					if d.Step != at || d.Last != at {
						t.Fatalf("taken up at step %d it shows %+v", at+1, d)
					}
					s.begin(at)
					d = s.show(10*time.Minute, func(d *view.StoryState) bool { return d.Done || d.Waits })
					if d.Step != at || d.Waits != (story.Steps[at].Reader != nil || story.Steps[at].Question != nil) {
						t.Fatalf("taken up at step %d it comes to %+v", at+1, d)
					}
					if d.Waits {
						if err := s.player.Turn(t.Context(), 1); err != nil {
							t.Fatal(err)
						}
						d = s.show(10*time.Minute, func(d *view.StoryState) bool { return d.Done })
					}
					if !d.Done || d.Caption == nil || d.Step != at {
						t.Errorf("taken up at step %d it ends with %+v", at+1, d)
					}
					s.claims()
				})
			}
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, []*Story{story})
				defer s.close()
				for _, at := range []int{-1, len(story.Steps)} {
					if err := s.player.Begin(t.Context(), story.ID, "", at); err == nil {
						t.Errorf("it is taken up at step %d", at)
					}
				}
			})
		})
	}
}
