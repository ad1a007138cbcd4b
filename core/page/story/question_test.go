package story

import (
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/page/view"
)

// TestAQuestionIsAskedBeforeTheStepShowsIt plays each story with a question, in each of its releases. Nothing happens while the question is open, and none of
// the step's calls has been made. At the step's end the right answer is known.
func TestAQuestionIsAskedBeforeTheStepShowsIt(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	all := library(t)
	stories, questions := 0, 0
	for _, story := range all {
		found := false
		for i := range story.Steps {
			found = found || story.Steps[i].Question != nil
		}
		if !found {
			continue
		}
		stories++
		for _, release := range story.Releases {
			t.Run(story.ID+" "+release, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newStage(t, []*Story{story})
					defer s.close()
					if err := s.player.Begin(t.Context(), story.ID, release, 0); err != nil {
						t.Fatal(err)
					}
					for i := range story.Steps {
						if story.Steps[i].Reader != nil {
							s.turnAtWait(i)
						}
						if q := story.Steps[i].Question; q != nil {
							questions++
							d := s.show(time.Minute, func(d *view.StoryState) bool { return d.Step == i && d.Waits })
							if !d.Waits || d.Asks == nil || d.Asks.ZH == "" || d.Caption != nil || d.Done || d.Right != 0 {
								t.Fatalf("step %d asks with %+v", i+1, d)
							}
							before, _ := s.rec.Head()
							d = s.wait(10 * time.Minute)
							if head, _ := s.rec.Head(); head != before || !d.Waits || !d.Stands {
								t.Errorf("step %d: while its question is open the log went from %d to %d: %+v", i+1, before, head, d)
							}
							if err := s.player.Turn(t.Context(), 1); err != nil {
								t.Fatal(err)
							}
						}
						s.begin(i)
						d := s.show(time.Hour, func(d *view.StoryState) bool { return d.Step == i && d.Done })
						if q := story.Steps[i].Question; d.Step != i || !d.Done || (q != nil) != (d.Right > 0) || q != nil && d.Right > len(q.Answers) {
							t.Fatalf("step %d has come to %+v", i+1, d)
						}
						if i < len(story.Steps)-1 {
							s.turnPast(d)
						}
					}
					s.claims()
				})
			})
		}
	}
	if 3*stories < len(all) {
		t.Errorf("%d of %d stories ask something, and one in three should", stories, len(all))
	}
}

// TestExactlyOneAnswerIsRight evaluates a question for States in which no, one and several answers are right.
func TestExactlyOneAnswerIsRight(t *testing.T) {
	q := &Question{}
	for _, src := range []string{"queue.depth == 3", "queue.depth > 100", "synced"} {
		c, err := ParseCondition(src)
		if err != nil {
			t.Fatal(err)
		}
		q.Answers = append(q.Answers, Answer{Condition: c})
	}
	s := sample()
	for _, tt := range []struct {
		depth  int
		synced bool
		want   int
	}{{3, false, 1}, {101, false, 2}, {5, true, 3}, {5, false, 0}, {3, true, 0}} {
		s.Queue.Depth, s.Synced = tt.depth, tt.synced
		if got := q.rightAnswer(s, nil); got != tt.want {
			t.Errorf("with a depth of %d and synced %v answer %d is right, want %d", tt.depth, tt.synced, got, tt.want)
		}
	}
}
