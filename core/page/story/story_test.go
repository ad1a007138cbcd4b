package story

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/lab"
	"informerscope/core/lab/labtest"
	"informerscope/core/log/trace"
	"informerscope/core/page/command"
	"informerscope/core/page/view"
	"informerscope/stories"
)

func TestMain(m *testing.M) {
	labtest.SilenceLogs()
	os.Exit(m.Run())
}

// stage is a page without a browser.
type stage struct {
	t      testing.TB
	rec    *trace.Recorder
	lab    *lab.Lab
	view   *view.View
	player *Player
}

func newStage(t testing.TB, all []*Story) *stage {
	rec := trace.NewRecorder(trace.RecorderOptions{Clock: clock.RealClock{}})
	l := lab.New(lab.Options{Recorder: rec, Idle: synctest.Wait})
	s := &stage{t: t, rec: rec, lab: l, view: view.New(rec, clock.RealClock{})}
	s.player = NewPlayer(&command.Console{Lab: l, View: s.view}, rec, func() []*Story { return all })
	return s
}

func (s *stage) close() {
	s.player.Leave()
	s.lab.Close()
	time.Sleep(time.Minute) // what ignores its context ends
}

// end returns the story at the log's end.
func (s *stage) end() (*view.StoryState, *view.State) {
	head, _ := s.rec.Head()
	f := s.rec.FoldAt(head)
	st := view.StateOf(f)
	return s.player.StoryState(f, st), st
}

func library(t testing.TB) []*Story {
	t.Helper()
	all, err := Load(stories.Packed)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestExplore prints the course of a story, for its author: STORY=id go test -run TestExplore -v ./core/page/story. SHOW has further expressions to print,
// separated by semicolons.
func TestExplore(t *testing.T) {
	id := os.Getenv("STORY")
	if id == "" {
		t.Skip("it prints how a story goes, for who writes one: STORY=id")
	}
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, library(t))
		defer s.close()
		if err := s.player.Begin(context.Background(), id, os.Getenv("ERA"), 0); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < 400; i++ {
			time.Sleep(500 * time.Millisecond)
			d, st := s.end()
			if d == nil {
				t.Fatal("the story is over")
			}
			say := "—"
			if d.Caption != nil {
				say = d.Caption.EN
			}
			l := ""
			lanes := st.Lanes
			if lanes == nil {
				lanes = []*view.State{st}
			}
			for _, st := range lanes {
				l += fmt.Sprintf("\n    %s rv=%s lists=%d watches=%d relists=%d why=%q err=%q bo=%v q=%d %v store=%d rv %s", st.Reflector.Phase,
					st.Reflector.ResourceVersion,
					st.Reflector.Lists, st.Reflector.Watches, st.Reflector.Relists, st.Reflector.Why, st.Reflector.LastError, st.Reflector.Backoffs, st.Queue.Depth,
					st.Queue.Mix, st.Indexer.Count, st.Indexer.ResourceVersion)
				for _, li := range st.Listeners {
					l += fmt.Sprintf(" %s:%d/%d/%d/%d/%v", li.Name, li.Pending, li.Capacity, li.Distributed, li.Handled, li.Synced)
				}
				if w := st.Workqueue; w != nil { // an unshared informer has none
					l += fmt.Sprintf("\n    wq %d %v dirty %d wait %d rec %d fail %d writes %d confl %d %+v", w.Depth, w.Workers, w.DirtyCount, w.WaitingCount,
						w.Reconciles, w.Failures, w.Writes, w.Conflicts, w.LastRead)
				}
			}
			if show := os.Getenv("SHOW"); show != "" {
				for src := range strings.SplitSeq(show, ";") {
					sentence, err := split("{" + src + "}")
					if err != nil {
						t.Fatal(err)
					}
					l += fmt.Sprintf("\n    %s = %s", src, fill(sentence, st, st))
				}
			}
			t.Logf("%6.0fms step %d done %v stands %v %s\n    api rv=%s objects=%d writes=%d %s %s", st.AtMillis, d.Step, d.Done, d.Stands, say, st.API.ResourceVersion,
				st.API.Objects, st.API.Writes, l, d.Problem)
			if d.Problem != "" {
				return
			}
			if d.Waits {
				say += " // asks: " + d.Asks.EN
			}
			if (d.Done || d.Waits || d.Stands) && i%3 == 2 {
				if d.Done && d.Last == len(s.player.playback.story.Steps)-1 {
					return
				}
				if err := s.player.Turn(context.Background(), 1); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
