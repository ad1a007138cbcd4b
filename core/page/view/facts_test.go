package view_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/lab"
	"informerscope/core/lab/selection"
	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

var everyRelease = append(releases.Names(), "1.31,1.37")

// newWholeRecorder returns a Recorder that evicts nothing.
func newWholeRecorder() *trace.Recorder {
	return trace.NewRecorder(trace.RecorderOptions{MaxEvents: 1 << 22, MaxBytes: 1 << 32})
}

// runExperiment runs an experiment with everything that facts describe, in an order that the seed chooses.
func runExperiment(t *testing.T, release string, seed uint64, rec *trace.Recorder) *lab.Lab {
	t.Helper()
	l := lab.New(lab.Options{Recorder: rec})
	t.Cleanup(func() {
		l.Close()
		<-time.After(2 * time.Minute)
	})
	objects, rate := 40, 12.0
	if _, err := l.Select(t.Context(), selection.Change{Objects: &objects, Rate: &rate, Release: &release, Seed: &seed}); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	stages := []string{"store", "pop", "deliver", "take"}
	var extra []int32
	calm := func() {
		for _, s := range stages {
			_ = l.Informer(0).Release(s, 0, 0)
		}
		for _, name := range []string{"refuse", "delay", "noendmark", "nobookmarks"} {
			off := false
			_, _ = l.Informer(0).Fault(name, lab.FaultArgs{On: &off})
		}
	}
	for i := range 90 {
		pass(time.Duration(rng.IntN(700)) * time.Millisecond)
		if i%30 == 20 { // undisturbed, for what takes time: a relist that completes, and a queue that fills
			calm()
			for id := range int32(3) {
				_ = l.Informer(0).Pace(id+1, 0)
			}
			pass(12 * time.Second)
			_, _ = l.Informer(0).Fault("410", lab.FaultArgs{})
			pass(8 * time.Second)
			_ = l.Informer(0).Hold("pop", 0)
			_, _ = l.Cluster("burst", lab.ClusterArgs{N: 60})
			pass(2 * time.Second)
			calm()
			pass(3 * time.Second)
		}
		switch rng.IntN(13) {
		case 0:
			_ = l.Informer(0).Hold(stages[rng.IntN(4)], 0)
		case 1, 2:
			for _, s := range stages {
				_ = l.Informer(0).Release(s, 0, 0)
			}
		case 3:
			_, _ = l.Cluster("burst", lab.ClusterArgs{N: rng.IntN(200) + 1})
		case 4, 5:
			name := []string{"cut", "410", "429", "500", "compact", "restart", "slow"}[rng.IntN(7)]
			_, _ = l.Informer(0).Fault(name, lab.FaultArgs{Count: rng.IntN(3)})
		case 6:
			_, _ = l.Informer(0).Fault([]string{"refuse", "delay", "noendmark", "nobookmarks"}[rng.IntN(4)], lab.FaultArgs{})
		case 7:
			calm()
		case 8:
			if id, err := l.Informer(0).AddListener(lab.ListenerSpec{Name: "extra", PaceMillis: float64(rng.IntN(60)), ResyncMillis: 3000}); err == nil {
				extra = append(extra, id)
			}
		case 9:
			if len(extra) > 0 {
				_ = l.Informer(0).RemoveListener(extra[0])
				extra = extra[1:]
			}
		case 10:
			if rng.IntN(3) == 0 {
				_ = l.Informer(0).Panic(int32(rng.IntN(3) + 1))
			}
		case 11:
			_ = l.Informer(0).Pace(int32(rng.IntN(3)+1), float64(rng.IntN(120)))
		case 12:
			_, _ = l.Cluster("delete", lab.ClusterArgs{})
		}
	}
	return l
}

func asJSON(t *testing.T, x any) string {
	t.Helper()
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// laneFacts returns the facts of every lane at a view's position.
func laneFacts(v *view.View) []*facts.Facts {
	s := v.State()
	if len(s.Lanes) == 0 {
		return []*facts.Facts{s.Facts}
	}
	var out []*facts.Facts
	for _, lane := range s.Lanes {
		out = append(out, lane.Facts)
	}
	return out
}

// TestFactsAreTheSameWhicheverWayOneComes: the facts at a seq do not depend on how the view got there, and frames carry them.
func TestFactsAreTheSameWhicheverWayOneComes(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	for i, release := range everyRelease {
		t.Run(release, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := newWholeRecorder()
				l := runExperiment(t, release, uint64(i+1), rec)
				rng := rand.New(rand.NewPCG(uint64(i), 3))
				v := view.New(rec, clock.RealClock{})
				p := &page{t: t}
				p.take(v)

				var file bytes.Buffer
				if _, err := l.Record(&file, false); err != nil {
					t.Fatal(err)
				}
				loaded := newWholeRecorder()
				again := lab.New(lab.Options{Recorder: loaded})
				defer again.Close()
				if read, err := again.Load(&file); err != nil || read.Warning != "" {
					t.Fatal(err, read)
				}
				onFile := view.New(loaded, clock.RealClock{})

				head, _ := rec.Head()
				v.Pause()
				for range 40 {
					switch rng.IntN(4) {
					case 0:
						v.Step(rng.IntN(40) - 20)
					case 1:
						v.Step(rng.IntN(4000) - 2000)
					case 2:
						v.Seek(uint64(rng.Int64N(int64(head)) + 1))
					case 3: // play until it is paused
						v.Seek(uint64(rng.Int64N(int64(head)) + 1))
						if err := v.Play(8); err != nil {
							t.Fatal(err)
						}
						for range 5 {
							pass(time.Duration(rng.IntN(300)) * time.Millisecond)
							p.take(v)
						}
						v.Pause()
					}
					p.take(v)
					seq := p.view.Seq
					got := asJSON(t, laneFacts(v))
					fresh := view.New(rec, clock.RealClock{})
					fresh.Seek(seq)
					if want := asJSON(t, laneFacts(fresh)); got != want {
						t.Fatalf("seq %d:\n%s\na view that goes there at once:\n%s", seq, got, want)
					}
					if !sameMembers(p.facts, laneFacts(v)[0]) {
						t.Fatalf("seq %d: the frames say\n%s\nnot\n%s", seq, asJSON(t, p.facts), asJSON(t, laneFacts(v)[0]))
					}
					if seq > head { // it played on, beyond what was recorded
						continue
					}
					onFile.Seek(seq)
					if there := asJSON(t, laneFacts(onFile)); got != there {
						t.Fatalf("seq %d:\n%s\non the recording:\n%s", seq, got, there)
					}
				}
			})
		})
	}
}

// sameMembers compares the facts in frames with facts, member by member.
func sameMembers(sent map[string]json.RawMessage, f *facts.Facts) bool {
	text, err := json.Marshal(f)
	if err != nil {
		return false
	}
	var want map[string]json.RawMessage
	if json.Unmarshal(text, &want) != nil || len(want) != len(sent) {
		return false
	}
	for name, x := range want {
		if string(sent[name]) != string(x) {
			return false
		}
	}
	return true
}

// TestFactsOfARecordingThatBeginsLate: a recording without its beginning has what its first seconds need.
func TestFactsOfARecordingThatBeginsLate(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	for i, release := range everyRelease {
		t.Run(release, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := trace.NewRecorder(trace.RecorderOptions{MaxEvents: 3000, CheckpointEvery: 500})
				l := runExperiment(t, release, uint64(i+11), rec)
				first := rec.First()
				if first < 1000 {
					t.Fatalf("all of the log is kept: it begins with %d", first)
				}
				var file bytes.Buffer
				if _, err := l.Record(&file, false); err != nil {
					t.Fatal(err)
				}
				loaded := newWholeRecorder()
				again := lab.New(lab.Options{Recorder: loaded})
				defer again.Close()
				if read, err := again.Load(&file); err != nil || read.Warning != "" {
					t.Fatal(err, read)
				}
				v, onFile := view.New(rec, clock.RealClock{}), view.New(loaded, clock.RealClock{})
				before := uint64(1 + rec.FoldAt(first).Lanes()) // a KindSelected and a KindRestored each
				for n := range uint64(40) {
					seq := first + n*n*3
					if head, _ := rec.Head(); seq > head {
						break
					}
					v.Seek(seq)
					onFile.Seek(seq - first + 1 + before)
					got, want := laneFacts(onFile), laneFacts(v)
					for i := range want { // single handler calls are not kept, so their duration begins as a mean
						if got[i].Headline.ID == "slow" || want[i].Headline.ID == "slow" {
							got[i].Headline = want[i].Headline
						}
						if want[i].Sentence.ID == "act" && rec.FoldAt(seq).Act().At <= rec.FoldAt(first).At() { // the file does not have what was done before it begins
							got[i].Sentence = want[i].Sentence
						}
					}
					if g, w := asJSON(t, got), asJSON(t, want); g != w {
						t.Fatalf("seq %d:\n%s\non the log itself:\n%s", seq, g, w)
					}
				}
			})
		})
	}
}

// events returns the kept events of a log.
func events(rec *trace.Recorder) []*event.Entry {
	var out []*event.Entry
	head, _ := rec.Head()
	rec.Read(rec.First(), head, func(e *event.Entry) bool {
		out = append(out, e)
		return true
	})
	return out
}

// TestFactsAreWhatStateAndLogHave compares the facts of moments of a log on which everything was done with its State and its events.
func TestFactsAreWhatStateAndLogHave(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	seen := map[string]int{}
	for i, release := range releases.All() {
		synctest.Test(t, func(t *testing.T) {
			rec := newWholeRecorder()
			runExperiment(t, release.String(), uint64(i)+51, rec)
			head, _ := rec.Head()
			features := readFeatures(rec, head)
			// What no event shows.
			features.KeepsOrder, features.Contexts, features.Resets = release > releases.V131, release > releases.V131, release >= releases.V137
			features.RepeatsKeys, features.DecodesAhead = release >= releases.V138, release >= releases.V138
			rng := rand.New(rand.NewPCG(uint64(i), 51))
			v := view.New(rec, clock.RealClock{})
			for range 300 {
				v.SeekTime(time.Duration(rng.Int64N(int64(rec.Now()))))
				s := v.State()
				if s.Facts.Features != features {
					t.Fatalf("seq %d: the release is said to have %+v, its log shows %+v", s.Seq, s.Facts.Features, features)
				}
				deltas := 0
				for op, n := range s.Queue.Mix {
					if op != event.OpBookmark.String() { // which is of no object
						deltas += n
					}
				}
				if s.Facts.Deltas != deltas {
					t.Fatalf("seq %d: %d deltas are said, it has %d", s.Seq, s.Facts.Deltas, deltas)
				}
				expectFocus(t, s, seen)
			}
		})
	}
	for _, stations := range []string{"api reflector", "reflector queue", "indexer listeners"} {
		if seen[stations] == 0 {
			t.Errorf("%s were never to be looked at: %v", stations, seen)
		}
	}
}

// readFeatures returns the features that a log shows.
func readFeatures(rec *trace.Recorder, head uint64) (f releases.Features) {
	rec.Read(1, head, func(e *event.Entry) bool {
		switch e.Kind {
		case event.KindQueued:
			f.Atomic = f.Atomic || e.Op() == event.OpReplacedAll
		case event.KindPopped:
			f.PopsBatches = f.PopsBatches || e.Popped().Mode == "batch"
			f.Unlocks = f.Unlocks || !e.Popped().Locked
		case event.KindWireRequest:
			f.ListsByWatch = f.ListsByWatch || strings.Contains(e.WireRequest().URL, "sendInitialEvents=true")
		}
		return true
	})
	return f
}

// expectFocus checks the focus while there is a problem.
func expectFocus(t *testing.T, s *view.State, seen map[string]int) {
	t.Helper()
	var want []string
	switch pop := slices.ContainsFunc(s.Holds, func(h fold.Hold) bool { return h.Stage == "pop" }); {
	case !s.Facts.Sure:
		want = []string{"api", "reflector"}
	case s.Reflector.Phase != "watching":
		want = []string{"reflector", "queue", "indexer"}
	case (pop || s.Queue.Depth > fold.DeepQueue) && s.AtMillis-s.Reflector.RequestMillis > 3000:
		want = []string{"reflector", "queue"}
	}
	if want != nil && !slices.Equal(s.Facts.Focus, want) {
		t.Fatalf("seq %d: %v are to be looked at, want %v", s.Seq, s.Facts.Focus, want)
	}
	seen[strings.Join(s.Facts.Focus, " ")]++
}

// TestADeepQueueStaysInFocus: for three seconds after it was deep.
func TestADeepQueueStaysInFocus(t *testing.T) {
	x := watchingTale(t)
	x.pass(4 * time.Second)
	for i := range fold.DeepQueue + 1 {
		x.emit(event.Queued{Op: event.OpUpdated, Key: fmt.Sprint("a/", i), RV: "7", Length: i + 1}.Event())
	}
	x.emit(event.Popped{Deltas: fold.DeepQueue + 1}.Event())
	isDeep := func(want bool, when string) {
		t.Helper()
		if focus := x.v.State().Facts.Focus; slices.Equal(focus, []string{"reflector", "queue"}) != want {
			t.Errorf("%s %v are to be looked at", when, focus)
		}
	}
	isDeep(true, "when it is empty again")
	x.pass(2900 * time.Millisecond)
	isDeep(true, "until three seconds have passed")
	x.pass(200 * time.Millisecond)
	isDeep(false, "after three seconds")
}
