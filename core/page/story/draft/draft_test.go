package draft_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/lab"
	"informerscope/core/lab/labtest"
	"informerscope/core/log/trace"
	"informerscope/core/page/command"
	"informerscope/core/page/story"
	"informerscope/core/page/story/draft"
	"informerscope/core/page/story/storyfile"
	"informerscope/core/page/view"
	"informerscope/core/words/arg"
	"informerscope/core/words/event"
)

func TestMain(m *testing.M) {
	labtest.SilenceLogs()
	os.Exit(m.Run())
}

// call carries out a command of the lab.
func call(t *testing.T, c *command.Console, name string, args ...any) {
	t.Helper()
	given := make([]arg.Value, len(args))
	for i, a := range args {
		given[i].JSON, _ = json.Marshal(a)
	}
	if _, err := c.Do(context.Background(), name, given); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// record plays a simulated cluster for five minutes, in which do acts after two, and returns the recording.
func record(t *testing.T, release string, do func(t *testing.T, c *command.Console, rec *trace.Recorder)) (recording []byte) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		rec := trace.NewRecorder(trace.RecorderOptions{Clock: clock.RealClock{}})
		c := &command.Console{Lab: lab.New(lab.Options{Recorder: rec, Idle: synctest.Wait}), View: view.New(rec, clock.RealClock{})}
		call(t, c, "select", map[string]any{"source": "sim", "seed": 7, "objects": 30, "rate": 0.5, "era": release})
		time.Sleep(2 * time.Minute)
		do(t, c, rec)
		time.Sleep(3 * time.Minute)
		var b bytes.Buffer
		if _, err := c.Lab.Record(&b, false); err != nil {
			t.Fatal(err)
		}
		recording = b.Bytes()
		c.Lab.Close()
		time.Sleep(time.Minute)
	})
	return recording
}

func relists(t *testing.T, c *command.Console, rec *trace.Recorder) {
	t.Helper()
	rec.Emit(0, event.Note{Text: "the history is {compacted} here"}.Event())
	call(t, c, "fault", "410")
}

func slow(t *testing.T, c *command.Console, _ *trace.Recorder) {
	t.Helper()
	call(t, c, "addListener", map[string]any{"name": "mailer", "paceMillis": 4000})
}

// tell plays a story on its recording to its end, back and forth, and checks each claim against State while its sentence shows.
func tell(t *testing.T, d *draft.Draft, recording []byte) {
	t.Helper()
	s, err := storyfile.Read(d.ID+".yaml", d.YAML)
	if err != nil {
		t.Fatalf("%v in\n%s", err, d.YAML)
	}
	if len(s.Steps) != d.Steps || s.Recording != "talk.trace" {
		t.Errorf("the story has %d steps on %q, and %d were proposed", len(s.Steps), s.Recording, d.Steps)
	}
	synctest.Test(t, func(t *testing.T) {
		rec := trace.NewRecorder(trace.RecorderOptions{Clock: clock.RealClock{}})
		c := &command.Console{Lab: lab.New(lab.Options{Recorder: rec, Idle: synctest.Wait}), View: view.New(rec, clock.RealClock{})}
		p := story.NewPlayer(c, rec, func() []*story.Story { return []*story.Story{s} })
		defer func() {
			p.Leave()
			c.Lab.Close()
			time.Sleep(time.Minute)
		}()
		if err := p.Begin(t.Context(), s.ID, "", 0); err == nil || !strings.Contains(err.Error(), "plays on the recording talk.trace") {
			t.Errorf("it begins without its recording: %v", err)
		}
		if err := p.BeginOn(t.Context(), s.ID, 0, recording); err != nil {
			t.Fatalf("%v in\n%s", err, d.YAML)
		}
		// A Turn while the recording is read takes effect afterwards.
		p.Leave()
		begun := make(chan error)
		go func() { begun <- p.BeginOn(t.Context(), s.ID, 0, recording) }()
		for p.Turn(t.Context(), 1) != nil {
			runtime.Gosched()
		}
		if err := <-begun; err != nil {
			t.Fatal(err)
		}
		if d := p.StoryState(rec.FoldAt(c.View.State().Seq), c.View.State()); d == nil || d.Step != min(1, len(s.Steps)-1) {
			t.Errorf("after a press while it began it tells %+v", d)
		}
		if err := p.Turn(t.Context(), -1); err != nil {
			t.Fatal(err)
		}
		shows := func(i int) {
			t.Helper()
			c.View.Frame()
			st := c.View.State()
			told := p.StoryState(rec.FoldAt(st.Seq), st)
			if told == nil || told.Step != i || !told.Done || told.Caption == nil || st.Seq != s.Steps[i].Moment.Seq {
				t.Fatalf("step %d at event %d is told as %+v", i+1, st.Seq, told)
			}
			if !s.Steps[i].Caption.Claim.Holds(st, st) {
				t.Errorf("step %d says %q, and it is not so: %s", i+1, told.Caption.EN, s.Steps[i].Caption.Claim)
			}
		}
		turn := func(n int) {
			t.Helper()
			if err := p.Turn(t.Context(), n); err != nil {
				t.Fatal(err)
			}
		}
		last := len(s.Steps) - 1
		for i := range s.Steps {
			shows(i)
			if i < last {
				turn(1)
			}
		}
		turn(1) // there is no other step
		shows(last)
		for i := last - 1; i >= 0; i-- {
			turn(-1)
			shows(i)
		}
		turn(-1)
		shows(0)
		// Twice before anything is painted, and at a moment that belongs to no step.
		if last > 1 {
			turn(1)
			turn(1)
			shows(2)
		}
		// Another log ends it.
		call(t, c, "select", map[string]any{"source": "sim", "objects": 3})
		if err := p.Turn(t.Context(), 1); err == nil {
			t.Error("a page turns though the recording is not shown any more")
		}
	})
}

// TestARecordingBecomesAStory proposes a story on a recording with a note and a relist, and plays it.
func TestARecordingBecomesAStory(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	for _, release := range []string{"1.37", "1.31", "1.31,1.37"} {
		t.Run(release, func(t *testing.T) {
			recording := record(t, release, relists)
			d, err := draft.New("talk.trace", bytes.NewReader(recording), draft.Options{})
			if err != nil {
				t.Fatal(err)
			}
			text := string(d.YAML)
			for _, want := range []string{"the history is (compacted) here The store holds", "name: {en: \"a relist\"", "reflector.relists == ", "synced"} {
				if !strings.Contains(text, want) {
					t.Errorf("it does not say %q:\n%s", want, text)
				}
			}
			if d.FromWorst {
				t.Error("the steps are the moments of the worst minute, and there are marks")
			}
			tell(t, d, recording)
		})
	}
}

// TestTheWorstMinuteBecomesAStory has a handler that is slow from the second minute on, and no mark for that.
func TestTheWorstMinuteBecomesAStory(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	recording := record(t, "1.37", slow)
	d, err := draft.New("talk.trace", bytes.NewReader(recording), draft.Options{})
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(d.Worst, "\n")
	if !d.FromWorst || !slices.ContainsFunc(d.Worst, func(w string) bool { return strings.Contains(w, "mailer took 4.0 s for one call") }) {
		t.Errorf("the worst minute is not that of the slow handler: %s", words)
	}
	tell(t, d, recording)
	// With a relist in the same recording the marks come first, unless Worst is set.
	recording = record(t, "1.37", relists)
	if d, err = draft.New("talk.trace", bytes.NewReader(recording), draft.Options{Worst: true}); err != nil {
		t.Fatal(err)
	}
	if !d.FromWorst || !strings.Contains(strings.Join(d.Worst, "\n"), "it relisted: ") {
		t.Errorf("it proposes %v", d.Worst)
	}
	tell(t, d, recording)
}

// TestWhatIsNotTrueOfARecordingDoesNotBegin changes a claim, a moment and the recording of a story.
func TestWhatIsNotTrueOfARecordingDoesNotBegin(t *testing.T) {
	recording := record(t, "1.37", relists)
	d, err := draft.New("talk.trace", bytes.NewReader(recording), draft.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(d.YAML)
	claim := offsetAfter(t, text, "indexer.count == ")
	for _, c := range []struct{ text, want string }{
		{text[:claim] + "9" + text[claim:], "is not true at event"},
		{strings.Replace(text, "    at: ", "    at: 9000000", 1), "is not in the recording"},
		{strings.Replace(text, "    at: ", "    from: 100h\n    at: ", 1), "is not in the recording"},
	} {
		s, err := storyfile.Read("talk.yaml", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			rec := trace.NewRecorder(trace.RecorderOptions{Clock: clock.RealClock{}})
			console := &command.Console{Lab: lab.New(lab.Options{Recorder: rec, Idle: synctest.Wait}), View: view.New(rec, clock.RealClock{})}
			p := story.NewPlayer(console, rec, func() []*story.Story { return []*story.Story{s} })
			if err := p.BeginOn(t.Context(), "talk", 0, recording); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it says %v, and not %q", err, c.want)
			}
			if err := p.BeginOn(t.Context(), "talk", 0, []byte("no recording")); err == nil || !strings.Contains(err.Error(), "not a trace file") {
				t.Errorf("what is no recording: %v", err)
			}
			console.Lab.Close()
			time.Sleep(time.Minute)
		})
	}
}

// TestAStepOfARecordingRides gives the third step of a drafted story a ride, half a minute after the first list, when workers have read. It names an object
// that the recording has a ride of.
func TestAStepOfARecordingRides(t *testing.T) {
	recording := record(t, "1.31", relists)
	d, err := draft.New("talk.trace", bytes.NewReader(recording), draft.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ ride, want string }{{"workqueue.lastRead.key", ""}, {`'listeners["nobody"].name'`, "names no object at event"}} {
		at := 0
		for range 3 {
			at += offsetAfter(t, string(d.YAML)[at:], "    at: ")
		}
		at -= len("    at: ")
		s, err := storyfile.Read("talk.yaml", []byte(string(d.YAML)[:at]+"    ride: "+c.ride+"\n"+string(d.YAML)[at:]))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			rec := trace.NewRecorder(trace.RecorderOptions{Clock: clock.RealClock{}})
			console := &command.Console{Lab: lab.New(lab.Options{Recorder: rec, Idle: synctest.Wait}), View: view.New(rec, clock.RealClock{})}
			defer func() {
				console.Lab.Close()
				time.Sleep(time.Minute)
			}()
			p := story.NewPlayer(console, rec, func() []*story.Story { return []*story.Story{s} })
			if err := p.BeginOn(t.Context(), "talk", 2, recording); c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("with the ride %s: %v", c.ride, err)
				}
				return
			} else if err != nil {
				t.Fatal(err)
			}
			told := func() *view.StoryState {
				console.View.Frame()
				st := console.View.State()
				return p.StoryState(rec.FoldAt(st.Seq), st)
			}
			for step, asked := range []bool{false, true} { // the first Turn opens the ride and stays at the step
				d := told()
				if d.Step != 2 || d.Ride == nil || d.Ride.Asked != asked {
					t.Fatalf("after %d pages it tells %+v", step, d)
				}
				if ride, err := console.View.Ride(0, d.Ride.Key); err != nil || len(ride.Hops) == 0 {
					t.Errorf("of %s: %v", d.Ride.Key, err)
				}
				if err := p.Turn(t.Context(), 1); err != nil {
					t.Fatal(err)
				}
			}
			if d := told(); d.Step != 3 || d.Ride != nil {
				t.Errorf("past it, it tells %+v", d)
			}
		})
	}
}

// offsetAfter returns the offset in a text after some words.
func offsetAfter(t *testing.T, text, words string) int {
	t.Helper()
	i := strings.Index(text, words)
	if i < 0 {
		t.Fatalf("%q is not in\n%s", words, text)
	}
	return i + len(words)
}

// TestAFileOfAStoryOnARecording checks what a file may contain, and the errors for what it may not.
func TestAFileOfAStoryOnARecording(t *testing.T) {
	const good = `title: {en: A, zh: B}
lesson: {en: A, zh: B}
group: breaks
recording: a.trace
steps:
  - name: {en: A, zh: B}
    look: [queue]
    from: 2s
    at: 12.5s
    caption: {en: A, zh: B, claim: queue.depth >= 0}
    after: {en: A, zh: B, claim: queue.depth >= 0}
`
	if s, err := storyfile.Read("a.yaml", []byte(good)); err != nil || s.Steps[0].Moment.At != 12500*time.Millisecond || s.Steps[0].Start.String() != "2s" {
		t.Fatalf("%+v %v", s, err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"a.trace", "../a.trace", "the name of a recording is expected here"},
		{"a.trace", "a.yaml", "the name of a recording is expected here"},
		{"recording: a.trace\n", "", `needs "cluster", or "recording"`},
		{"recording: a.trace", "recording: a.trace\neras: [\"1.37\"]", `a story on a recording has no "eras"`},
		{"    at: 12.5s\n", "", `step 1 needs "at"`},
		{"at: 12.5s", "at: soon", "a moment of the recording is expected here"},
		{"at: 12.5s", "at: 0", "a moment of the recording is expected here"},
		{"    at: 12.5s\n", "    at: 3\n    do: [{release: [pop, 1]}]\n", `it has no "do"`},
	} {
		if _, err := storyfile.Read("a.yaml", []byte(strings.Replace(good, c.old, c.new, 1))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v", c.new, c.old, err)
		}
	}
}

func TestADraftNeedsARecordingWithAName(t *testing.T) {
	if _, err := draft.New("my talk.trace", strings.NewReader(""), draft.Options{}); err == nil || !strings.Contains(err.Error(), "call it by letters") {
		t.Error(err)
	}
	if _, err := draft.New("talk.trace", strings.NewReader("x"), draft.Options{}); err == nil || !strings.Contains(err.Error(), "not a trace file") {
		t.Error(err)
	}
	for name, id := range map[string]string{"Talk_2.jsonl.gz": "talk-2", "..trace": "recording", strings.Repeat("a", 60) + ".trace": strings.Repeat("a", 40)} {
		if got := draft.ID(name); got != id {
			t.Errorf("%s is the story %q, want %q", name, got, id)
		}
	}
}

// TestTheDocumentsRecordingIsTold plays the example on a recording in docs/stories.md: its output on the way, and at the end.
func TestTheDocumentsRecordingIsTold(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/stories.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "```yaml\ntitle: {en: The day it relisted")
	example, _, closed := strings.Cut(after, "```\n")
	if !found || !closed {
		t.Fatal("docs/stories.md has no story on a recording")
	}
	s, err := storyfile.Read("talk.yaml", []byte("title: {en: The day it relisted"+example))
	if err != nil {
		t.Fatal(err)
	}
	recording := record(t, "1.37", relists)
	synctest.Test(t, func(t *testing.T) {
		rec := trace.NewRecorder(trace.RecorderOptions{Clock: clock.RealClock{}})
		c := &command.Console{Lab: lab.New(lab.Options{Recorder: rec, Idle: synctest.Wait}), View: view.New(rec, clock.RealClock{})}
		p := story.NewPlayer(c, rec, func() []*story.Story { return []*story.Story{s} })
		if err := p.BeginOn(t.Context(), "talk", 0, recording); err != nil {
			t.Fatal(err)
		}
		told := func() *view.StoryState {
			c.View.Frame()
			st := c.View.State()
			return p.StoryState(rec.FoldAt(st.Seq), st)
		}
		if d := told(); d.Caption == nil || d.Caption.EN != "The store holds 30 pods." || d.Ride != nil {
			t.Errorf("it begins with %+v", d)
		}
		turn := func(n int) {
			t.Helper()
			if err := p.Turn(t.Context(), n); err != nil {
				t.Fatal(err)
			}
		}
		// The second step stands at its beginning until the next turn, and one more plays it to its end.
		turn(1)
		time.Sleep(time.Minute)
		if d := told(); !d.AwaitsPress || d.Done || d.Caption == nil || d.Caption.EN != "The watch goes on." {
			t.Errorf("its second step begins with %+v", d)
		}
		turn(1)
		time.Sleep(500 * time.Millisecond)
		if d := told(); d.AwaitsPress || d.Done {
			t.Errorf("turned, it shows %+v", d)
		}
		turn(1)
		if d := told(); !d.Done || d.Step != 1 {
			t.Errorf("turned on the way, it shows %+v", d)
		}
		turn(-1)
		turn(1)
		heard := []string{}
		for range 180 {
			d := told()
			if d.Caption == nil {
				t.Fatalf("after %q nothing is said: %+v", heard, d)
			}
			if !slices.Contains(heard, d.Caption.EN) {
				heard = append(heard, d.Caption.EN)
			}
			time.Sleep(500 * time.Millisecond)
		}
		if want := []string{"The watch goes on.", "Relists so far are 1."}; !slices.Equal(heard, want) {
			t.Errorf("it says %q, want %q", heard, want)
		}
		p.Leave()
		c.Lab.Close()
		time.Sleep(time.Minute)
	})
}

// sampled is a file that measures the heap while it is read.
type sampled struct {
	io.Reader
	n    int
	most uint64
}

// Read implements io.Reader.
func (s *sampled) Read(p []byte) (int, error) {
	if s.n++; s.n%4 == 0 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		s.most = max(s.most, m.HeapAlloc)
	}
	return s.Reader.Read(p[:min(len(p), 4<<10)])
}

// TestOfFilesThatAreMadeToDoHarm: a gzipped file that unpacks to far more than a recording may have costs no more than an ordinary one.
func TestOfFilesThatAreMadeToDoHarm(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	const head = `{"format":"informerscope-trace","version":1,"selection":{"source":"sim","version":"v1","resource":"pods","eras":["1.37"]}}` + "\n"
	packed := func(begin, again string, times int) io.Reader {
		var b bytes.Buffer
		gz, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		_, _ = io.WriteString(gz, begin)
		for range times {
			_, _ = io.WriteString(gz, again)
		}
		gz.Close()
		return &b
	}
	for _, c := range []struct {
		name, says string // says: the error, or the warning
		file       io.Reader
		most       uint64 // MiB
	}{
		{"zeros", "it is not JSON", packed("", strings.Repeat("\x00", 1<<20), 160), 16},
		{"newlines", "more than 8388608 lines", packed(head, strings.Repeat("\n", 1<<20), 9), 16},
		{"notes", "", strings.NewReader(head + strings.Repeat(`{"s":1,"t":1,"k":"Note","txt":"a note"}`+"\n", 300_000)), 96},
	} {
		file := &sampled{Reader: c.file}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		before := m.HeapAlloc
		d, err := draft.New("x.jsonl", file, draft.Options{})
		said := fmt.Sprint(err)
		if err == nil {
			said = d.Warning
		}
		if !strings.Contains(said, c.says) || (err == nil) != (c.says == "") {
			t.Errorf("%s: %v", c.name, said)
		}
		if most := (file.most - min(file.most, before)) >> 20; most > c.most {
			t.Errorf("%s: %d MiB of memory, at most %d should be", c.name, most, c.most)
		} else {
			t.Logf("%s: %d MiB of memory, %s", c.name, most, said)
		}
	}
}
