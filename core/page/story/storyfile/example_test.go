package storyfile

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"informerscope/core/lab"
	"informerscope/core/log/trace"
	"informerscope/core/page/command"
	"informerscope/core/page/story"
	"informerscope/core/page/view"
)

// TestTheDocumentsExampleIsTold tells the story that docs/stories.md teaches by, to its end.
func TestTheDocumentsExampleIsTold(t *testing.T) {
	utilruntime.ErrorHandlers = nil // they keep the time of the last error, which no bubble of fake time survives
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	text, err := os.ReadFile("../../../../docs/stories.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "```yaml\n")
	example, _, closed := strings.Cut(after, "```\n")
	if !found || !closed {
		t.Fatal("docs/stories.md has no example")
	}
	s, err := Read("held.yaml", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range s.Releases {
		t.Run(release, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := trace.NewRecorder(trace.RecorderOptions{Clock: clock.RealClock{}})
				console := &command.Console{Lab: lab.New(lab.Options{Recorder: rec, Idle: synctest.Wait}), View: view.New(rec, clock.RealClock{})}
				p := story.NewPlayer(console, rec, func() []*story.Story { return []*story.Story{s} })
				if err := p.Begin(t.Context(), s.ID, release, 0); err != nil {
					t.Fatal(err)
				}
				var told *view.StoryState
				for range 100 {
					time.Sleep(time.Second)
					st := console.View.State()
					if told = p.StoryState(rec.FoldAt(st.Seq), st); told == nil || told.Problem != "" {
						t.Fatalf("the story came to %+v", told)
					}
					if told.Last == len(s.Steps)-1 && told.Done {
						break
					}
					if err := p.Turn(t.Context(), 1); err != nil {
						t.Fatal(err)
					}
				}
				if told.Last != len(s.Steps)-1 || told.Caption == nil || !strings.HasPrefix(told.Caption.EN, "The change waits") {
					t.Errorf("the story ends with %+v", told)
				}
				p.Leave()
				console.Lab.Close()
				time.Sleep(time.Minute)
			})
		})
	}
}

// TestWhatStoriesGiveToTakeHomeRuns compiles what each story gives to take home, against the release of client-go that is the judge, and runs what has a test.
func TestWhatStoriesGiveToTakeHomeRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	runTakes(t, filepath.Clean("../../../.."))
}
