package story

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/log/trace/tracetest"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
)

// show paints frames for d, like a page, and compares captions with State. It stops early once ok returns true.
func (s *stage) show(d time.Duration, ok func(*view.StoryState) bool) *view.StoryState {
	s.t.Helper()
	return s.paint(d, 500*time.Millisecond, ok)
}

// turnPast goes past a step that has ended, like a page after the step's ride, if it has one.
func (s *stage) turnPast(d *view.StoryState) {
	s.t.Helper()
	if d.Ride != nil {
		if err := s.player.Ride(); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := s.player.Turn(s.t.Context(), 1); err != nil {
		s.t.Fatal(err)
	}
}

// begin waits until a step can be read. It turns where the step's caption stands, and returns the story after that.
func (s *stage) begin(step int) *view.StoryState {
	s.t.Helper()
	there := func(d *view.StoryState) bool {
		return d.Step == step && !d.Starting && (d.Waits || d.AwaitsPress || d.Done)
	}
	d := s.show(10*time.Minute, there)
	if !there(d) {
		s.t.Fatalf("step %d cannot be read: %+v", step+1, d)
	}
	if d.AwaitsPress {
		if err := s.player.Turn(s.t.Context(), 1); err != nil {
			s.t.Fatal(err)
		}
		d = s.show(time.Second, func(d *view.StoryState) bool { return !d.AwaitsPress })
	}
	return d
}

// turnAtWait turns when a step waits for its reader: the turn does what is asked, or leaves the question.
func (s *stage) turnAtWait(step int) {
	s.t.Helper()
	if d := s.show(time.Minute, func(d *view.StoryState) bool { return d.Step == step && d.Waits }); !d.Waits {
		s.t.Fatalf("step %d does not wait: %+v", step+1, d)
	}
	if err := s.player.Turn(s.t.Context(), 1); err != nil {
		s.t.Fatal(err)
	}
}

// wait is show for a long time in which nothing may happen. The log shows whether something did, so it paints rarely.
func (s *stage) wait(d time.Duration) *view.StoryState {
	s.t.Helper()
	return s.paint(d, d/40, nil)
}

func (s *stage) paint(d, frame time.Duration, ok func(*view.StoryState) bool) *view.StoryState {
	s.t.Helper()
	for until := time.Now().Add(d); ; {
		s.view.Frame()
		st := s.view.State()
		told := s.player.StoryState(s.rec.FoldAt(st.Seq), st)
		if told == nil {
			s.t.Fatal("the story is over")
		}
		if told.Problem != "" {
			s.t.Fatal(told.Problem)
		}
		if ok != nil && ok(told) || !time.Now().Before(until) {
			return told
		}
		time.Sleep(min(frame, time.Until(until)))
	}
}

// claims checks every sentence's claim against the State at each event at which the sentence shows.
func (s *stage) claims() {
	t := s.t
	t.Helper()
	story := s.player.playback.story
	pages := s.player.playback.pages
	head, _ := s.rec.Head()
	if letters := s.player.lettersLocked(s.player.playback); len(letters) != len(story.Letters) {
		t.Errorf("of the letters %v only %v stand for an object", story.Letters, letters)
	}
	s.rec.Read(1, head, func(e *event.Entry) bool {
		if err := tracetest.Foreign(&e.Event); err != nil {
			t.Errorf("event %d: %v", e.Seq, err)
		}
		return !t.Failed()
	})
	fold := s.rec.FoldAt(pages[0].From)
	wrong := 0
	for i, pg := range pages {
		step := &story.Steps[i]
		last := head
		if i+1 < len(pages) {
			last = pages[i+1].From
		}
		// What a step describes is not over before it begins.
		if from := view.StateOf(s.rec.FoldAt(pg.From)); step.Goal != nil && len(step.Calls) > 0 && step.Goal.Holds(from, from) {
			t.Errorf("step %d: %s holds before the step begins", i+1, step.Goal)
		}
		if q := step.Question; q != nil {
			if from := view.StateOf(s.rec.FoldAt(pg.From)); !q.Sentence.Claim.Holds(from, pg.base) {
				t.Errorf("step %d: %q is asked, and is not so: %s", i+1, q.Sentence.Words.EN, q.Sentence.Claim)
			}
			if pg.End != 0 && q.rightAnswer(view.StateOf(s.rec.FoldAt(pg.End)), pg.base) == 0 {
				t.Errorf("step %d: of the answers to %q not exactly one is right at its end", i+1, q.Sentence.Words.EN)
			}
		}
		first := pg.Begin
		if step.speaksFirst() {
			first = pg.From
		}
		for seq := first; seq <= last; seq++ {
			// In a long stretch a sample of moments is checked, and all moments near its ends.
			if near := uint64(40); seq%17 != 0 && seq > pg.Begin+near && seq+near < last && (seq+near < pg.End || seq > pg.End+near) {
				continue
			}
			if seq > fold.Seq() {
				s.rec.Read(fold.Seq()+1, seq, func(e *event.Entry) bool { fold.Apply(e); return true })
			} else if seq < fold.Seq() {
				fold = s.rec.FoldAt(seq)
			}
			sentence := step.sentence(pg.End != 0 && seq >= pg.End)
			st := view.StateOf(fold)
			if sentence.Claim.usesFacts {
				st.SetFacts(fold, fold.At())
			}
			for _, n := range sentence.Numbers {
				if n.Value.eval(st, pg.base).isMissing {
					t.Errorf("step %d, event %d: the number %s is nowhere", i+1, seq, n.Value)
				}
			}
			for _, p := range slices.Concat(sentence.parts[0], sentence.parts[1]) {
				if text := fill([]part{p}, st, pg.base); p.expr != nil && (text == "" || text == "—") {
					t.Errorf("step %d, event %d: the sentence has a gap where %s is to stand", i+1, seq, p.expr)
				}
			}
			if !sentence.Claim.Holds(st, pg.base) {
				if wrong++; wrong < 3 {
					t.Errorf("step %d, event %d (begin %d, end %d, next %d, %.0f ms): %q is said and is not so: %s\nsay %q", i+1, seq, pg.Begin, pg.End, last,
						st.AtMillis, sentence.Words.EN, sentence.Claim, explain(sentence.Claim, st, pg.base))
				}
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d moments at which something is said that is not so", wrong)
	}
}

// explain reports for each part of a claim that is joined with and whether it holds.
func explain(c *Condition, st, base *view.State) string {
	out := ""
	for _, part := range splitAnd(c.String()) {
		if p, err := ParseCondition(part); err == nil && !p.Holds(st, base) {
			out += " not " + part
		}
	}
	return out
}

func splitAnd(src string) (parts []string) {
	depth, from := 0, 0
	for i := 0; i < len(src); i++ {
		switch {
		case src[i] == '(':
			depth++
		case src[i] == ')':
			depth--
		case depth == 0 && len(src) > i+5 && src[i:i+5] == " and ":
			parts, from = append(parts, src[from:i]), i+5
		}
	}
	return append(parts, src[from:])
}

// TestAMotionIsSeen plays every story: what happens in a step in several moments lasts at least 0.6 s on the stage. What happens in one moment or two has no
// length, and a window that is longer than the usual one shows a wait.
func TestAMotionIsSeen(t *testing.T) {
	const least, moments = 600 * time.Millisecond, 3
	for _, story := range library(t) {
		t.Run(story.ID, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, []*Story{story})
				defer s.close()
				playThrough(t, s, story, story.Releases[0], 8*time.Second)
				for i, pg := range s.player.playback.pages {
					var at []time.Duration
					for e := range s.rec.Events(pg.Begin+1, pg.End) {
						if len(at) == 0 || e.At != at[len(at)-1] {
							at = append(at, e.At)
						}
					}
					step := &story.Steps[i]
					if !step.moves() || len(at) < moments || step.window() > usualWindow {
						continue
					}
					motion := at[len(at)-1] - at[0]
					if seen := time.Duration(float64(motion) / step.pace()); seen < least {
						t.Errorf("step %d, %s: what happens in %v is seen for %v: it needs a narrower window", i+1, step.Name.EN, motion, seen)
					}
				}
			})
		})
	}
}

// TestARestIsOver plays the stories with narrow windows: after a step's end time runs on for the seconds of its rest, and then stands.
func TestARestIsOver(t *testing.T) {
	isSlowRest := func(step *Step) bool { return step.Rest > 0 && step.window() < usualWindow }
	for _, story := range library(t) {
		if !slices.ContainsFunc(story.Steps, func(step Step) bool { return isSlowRest(&step) }) {
			continue
		}
		t.Run(story.ID, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, []*Story{story})
				defer s.close()
				if err := s.player.Begin(t.Context(), story.ID, story.Releases[0], 0); err != nil {
					t.Fatal(err)
				}
				for i := range story.Steps {
					step := &story.Steps[i]
					if d := s.begin(i); d.Waits {
						s.turnAtWait(i)
					}
					d := s.show(10*time.Minute, func(d *view.StoryState) bool { return d.Last == i && d.Ended })
					if !d.Ended {
						t.Fatalf("step %d does not end: %+v", i+1, d)
					}
					if isSlowRest(step) {
						most := step.Rest + 2*longestPause
						if d = s.show(most, func(d *view.StoryState) bool { return d.Stands }); !d.Stands {
							t.Errorf("step %d, %s: time does not stand %v after its end, and its rest is %v", i+1, step.Name.EN, most, step.Rest)
						}
					}
					if i+1 < len(story.Steps) {
						s.turnPast(d)
					}
				}
			})
		})
	}
}

// TestNothingIsSaidThatIsNotSo plays every story in every release, going on every 0.2 s to every 60 s, forwards and backwards. It checks the claim of each
// sentence against the State at each moment at which the sentence shows.
func TestNothingIsSaidThatIsNotSo(t *testing.T) {
	for _, story := range library(t) {
		if testing.Short() {
			t.Run(story.ID, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { tellAt(t, story, story.Releases[0], 8*time.Second) })
			})
			continue
		}
		for _, release := range story.Releases {
			paces := []time.Duration{200 * time.Millisecond, 20 * time.Second}
			if release == story.Releases[0] {
				paces = append(paces, 1500*time.Millisecond, 8*time.Second, time.Minute)
			}
			for _, pace := range paces {
				t.Run(fmt.Sprintf("%s/%s/%v", story.ID, release, pace), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) { tellAt(t, story, release, pace) })
				})
			}
		}
	}
}

// playThrough begins a story and goes on at a pace until it ends. It returns how often it went on.
func playThrough(t *testing.T, s *stage, story *Story, release string, pace time.Duration) (presses int) {
	t.Helper()
	begun := make(chan error, 1)
	go func() { begun <- s.player.Begin(t.Context(), story.ID, release, 0) }()
	if err := <-begun; err != nil {
		t.Fatal(err)
	}
	last := len(story.Steps) - 1
	for ; presses < 400; presses++ {
		if d := s.show(pace, nil); d.Last == last && d.Ended {
			break
		}
		if err := s.player.Turn(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	return presses
}

func tellAt(t *testing.T, story *Story, release string, pace time.Duration) {
	s := newStage(t, []*Story{story})
	defer s.close()
	presses := playThrough(t, s, story, release, pace)
	last := len(story.Steps) - 1
	d := s.show(time.Minute, func(d *view.StoryState) bool { return d.Last == last && d.Done })
	if d.Last != last || !d.Done || d.Caption == nil {
		t.Fatalf("after %d presses the story has come to %+v", presses, d)
	}
	// Each motion has a press before it, and each step but the last one after it.
	least := last
	for i := range story.Steps {
		if story.Steps[i].moves() && (story.Steps[i].Reader == nil || i > 0) {
			least++
		}
	}
	if presses < least {
		t.Errorf("%d presses played the story, which needs %d", presses, least)
	}
	head, _ := s.rec.Head()
	for i := last - 1; i >= 0; i-- {
		if err := s.player.Turn(t.Context(), -1); err != nil {
			t.Fatal(err)
		}
		pg := s.player.playback.pages[i]
		d := s.show(pace, nil)
		st := s.view.State()
		if d.Step != i || d.Caption == nil || st.Seq < pg.Begin || st.Seq > pg.End {
			t.Errorf("back at step %d it shows step %d, %v at event %d of %d to %d", i+1, d.Step+1, d.Caption, st.Seq, pg.Begin, pg.End)
		}
	}
	// No step was carried out again.
	if n := len(s.player.playback.pages); n != last+1 {
		t.Errorf("%d steps have begun, want %d", n, last+1)
	}
	// And forwards again to where it was.
	for i := 1; i <= last; i++ {
		s.show(time.Minute, func(d *view.StoryState) bool { return d.Done })
		if err := s.player.Turn(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if d := s.show(10*time.Millisecond, nil); d.Step != i || d.Caption == nil {
			t.Errorf("forwards again at step %d it shows step %d, %v", i+1, d.Step+1, d.Caption)
		}
	}
	s.claims()
	if again, _ := s.rec.Head(); again < head {
		t.Errorf("the log ended at %d and ends at %d", head, again)
	}
}
