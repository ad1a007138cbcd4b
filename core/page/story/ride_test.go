package story

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/ask/analysis"
	"informerscope/core/page/view"
)

// rides returns the steps of a story that ride, from 0.
func rides(s *Story) (out []int) {
	for i := range s.Steps {
		if s.Steps[i].Ride != nil {
			out = append(out, i)
		}
	}
	return out
}

// TestTheStepsThatRide goes to each step that rides, in each release of each story. Its object has a complete ride in the log, which is over at the step's
// end, and time stands still during the ride.
func TestTheStepsThatRide(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	var told []string
	for _, story := range library(t) {
		for _, at := range rides(story) {
			told = append(told, story.ID)
			for _, release := range story.Releases {
				t.Run(story.ID+" "+release, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						s := newStage(t, []*Story{story})
						defer s.close()
						if err := s.player.Begin(t.Context(), story.ID, release, at); err != nil {
							t.Fatal(err)
						}
						s.begin(at)
						d := s.show(10*time.Minute, func(d *view.StoryState) bool { return d.Step == at && d.Done })
						if d.Ride == nil || d.Ride.Asked {
							t.Fatalf("at its end it tells %+v", d)
						}
						end := s.player.playback.pages[at].End
						ride, err := s.view.Ride(0, d.Ride.Key)
						if err != nil || !ride.Whole || len(ride.Hops) < 10 {
							t.Fatalf("of %s the log has %d hops, whole %v, %v", d.Ride.Key, len(ride.Hops), ride.Whole, err)
						}
						for _, stage := range []string{"api", "reflector", "queue", "indexer", "listener", "controller"} {
							if !slices.ContainsFunc(ride.Hops, func(h analysis.RideHop) bool { return h.Stage == stage && h.Function != "" }) {
								t.Errorf("the ride of %s has no hop at %s", d.Ride.Key, stage)
							}
						}
						if last := ride.Hops[len(ride.Hops)-1]; last.Kind != "WorkDone" || last.Seq > end {
							t.Errorf("the ride ends with %s at event %d, and the step at %d", last.Kind, last.Seq, end)
						}
						before, _ := s.rec.Head()
						for i, hop := range ride.Hops {
							s.view.Seek(hop.Seq)
							if d := s.wait(time.Minute); d.Ride != nil && hop.Seq < end {
								t.Errorf("at hop %d it tells %+v", i+1, d)
							}
						}
						if head, _ := s.rec.Head(); head != before {
							t.Errorf("while one rides the log goes from %d to %d", before, head)
						}
						s.view.Live()
						if d := s.show(time.Second, nil); d.Ride == nil || d.Step != at {
							t.Errorf("after the ride it tells %+v", d)
						}
						s.claims()
					})
				})
			}
		}
	}
	if !slices.Contains(told, "tour") || len(told) < 2 {
		t.Errorf("there are rides in %q", told)
	}
}

// TestAPageIsTurnedForARide calls Turn at a step that rides: before its end, at its end, before and after the page has opened the ride, and back and forth.
func TestAPageIsTurnedForARide(t *testing.T) {
	all := library(t)
	story := all[slices.IndexFunc(all, func(s *Story) bool { return s.ID == "tour" })]
	at := rides(story)[0]
	for _, c := range []struct {
		name string
		do   func(t *testing.T, s *stage, turn func(n int) *view.StoryState)
	}{
		{"at its end", func(t *testing.T, s *stage, turn func(n int) *view.StoryState) {
			turn(1)
			turn(1)
			if d := s.show(time.Minute, nil); d.Step != at || !d.Done || d.Ride == nil || d.Ride.Asked {
				t.Fatalf("it tells %+v", d)
			}
			if d := turn(1); d.Step != at || d.Last != at || d.Ride == nil || !d.Ride.Asked {
				t.Errorf("the turn that asks for the ride brings %+v", d)
			}
			if d := turn(1); d.Step != at+1 {
				t.Errorf("the turn after the ride brings %+v", d)
			}
		}},
		{"opened by the page", func(t *testing.T, s *stage, turn func(n int) *view.StoryState) {
			turn(1)
			turn(1)
			for range 2 { // as often as the page likes
				if err := s.player.Ride(); err != nil {
					t.Fatal(err)
				}
			}
			if d := s.show(time.Minute, nil); d.Step != at || d.Last != at {
				t.Fatalf("it tells %+v", d)
			}
			if d := turn(1); d.Step != at+1 {
				t.Errorf("the turn after the ride brings %+v", d)
			}
			// Going back shows it again, and it does not hold up the next Turn.
			if d := turn(-1); d.Step != at || !d.Done || d.Ride == nil {
				t.Errorf("back at it is told %+v", d)
			}
			if d := turn(1); d.Step != at+1 {
				t.Errorf("forwards again it tells %+v", d)
			}
		}},
		{"early", func(t *testing.T, s *stage, turn func(n int) *view.StoryState) {
			turn(1)
			for range 3 {
				if err := s.player.Turn(t.Context(), 1); err != nil {
					t.Fatal(err)
				}
			}
			if d := s.show(time.Minute, nil); d.Step != at || !d.Done || d.Ride == nil || d.Ride.Asked || d.Last != at {
				t.Fatalf("the early turns bring %+v", d)
			}
			if d := turn(1); d.Step != at || d.Last != at || !d.Ride.Asked {
				t.Fatalf("the turn after its end brings %+v", d)
			}
			if d := s.wait(time.Hour); d.Step != at || d.Last != at {
				t.Fatalf("it goes on without a turn: %+v", d)
			}
			if d := turn(1); d.Step != at+1 {
				t.Errorf("the turn after the ride brings %+v", d)
			}
		}},
		{"back before it", func(t *testing.T, s *stage, turn func(n int) *view.StoryState) {
			turn(1)
			turn(1)
			if d := turn(-1); d.Step != at-1 || d.Ride != nil {
				t.Fatalf("a page back it tells %+v", d)
			}
			if d := turn(1); d.Step != at || d.Ride == nil || d.Ride.Asked {
				t.Errorf("forwards again it tells %+v", d)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, all)
				defer s.close()
				if err := s.player.Ride(); err != ErrNoStory {
					t.Errorf("a ride without a story: %v", err)
				}
				if err := s.player.Begin(t.Context(), story.ID, "", at-1); err != nil {
					t.Fatal(err)
				}
				s.begin(at - 1)
				s.show(10*time.Minute, func(d *view.StoryState) bool { return d.Step == at-1 && d.Done })
				if err := s.player.Ride(); err != nil { // a step without a ride
					t.Fatal(err)
				}
				c.do(t, s, func(n int) *view.StoryState {
					t.Helper()
					if err := s.player.Turn(t.Context(), n); err != nil {
						t.Fatal(err)
					}
					return s.show(time.Minute, nil)
				})
				s.claims()
			})
		})
	}
}

// TestARideThatLeadsNowhere plays a step whose ride names nothing at its end: that is reported as the story's problem.
func TestARideThatLeadsNowhere(t *testing.T) {
	nowhere, err := parse(`listeners["nobody"].name`)
	if err != nil {
		t.Fatal(err)
	}
	all := library(t)
	story := *all[slices.IndexFunc(all, func(s *Story) bool { return s.ID == "tour" })]
	story.Steps = slices.Clone(story.Steps)
	at := rides(&story)[0]
	story.Steps[at].Ride = nowhere
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, []*Story{&story})
		defer s.close()
		if err := s.player.Begin(t.Context(), "tour", "", at); err != nil {
			t.Fatal(err)
		}
		s.show(time.Minute, func(d *view.StoryState) bool { return d.AwaitsPress })
		if err := s.player.Turn(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		want := `its ride listeners["nobody"].name names no object`
		if d, _ := s.end(); d.Ride != nil || d.Step != at || !strings.Contains(d.Problem, want) {
			t.Errorf("it tells %+v", d)
		}
		if err := s.player.Turn(t.Context(), 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a page that is turned says %v", err)
		}
	})
}
