package view_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
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
)

var everyRelease = []string{"1.31", "1.33", "1.35", "1.37", "1.31,1.37"}

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
				if _, err := l.Record(&file); err != nil {
					t.Fatal(err)
				}
				loaded := newWholeRecorder()
				again := lab.New(lab.Options{Recorder: loaded})
				defer again.Close()
				if _, warning, err := again.Load(&file); err != nil || warning != "" {
					t.Fatal(err, warning)
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
				if _, err := l.Record(&file); err != nil {
					t.Fatal(err)
				}
				loaded := newWholeRecorder()
				again := lab.New(lab.Options{Recorder: loaded})
				defer again.Close()
				if _, warning, err := again.Load(&file); err != nil || warning != "" {
					t.Fatal(err, warning)
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
						for j := range want[i].Listeners {
							got[i].Listeners[j].Slow = want[i].Listeners[j].Slow
							got[i].Listeners[j].DrainMillis = want[i].Listeners[j].DrainMillis
						}
						if got[i].Sentence.ID == "slow" || want[i].Sentence.ID == "slow" {
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

// TestFactsForetell: the facts about the next batch and the next request come true.
func TestFactsForetell(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	requests := map[string]int{}
	for i, release := range everyRelease {
		t.Run(release, func(t *testing.T) {
			sizes := map[int]int{}
			for seed := range uint64(2) {
				synctest.Test(t, func(t *testing.T) {
					rec := newWholeRecorder()
					runExperiment(t, release, uint64(i+21)+100*seed, rec)
					foretold(t, rec, sizes, requests)
				})
			}
			if len(sizes) < 4 && release != "1.33" {
				t.Errorf("pops of sizes %v: nothing is shown by this", sizes)
			}
		})
	}
	if len(requests) < 3 {
		t.Errorf("only %v came after a wait: nothing is shown by this", requests)
	}
}

// foretold compares the predictions at each event of a log with what follows, and counts the cases.
func foretold(t *testing.T, rec *trace.Recorder, sizes map[int]int, requests map[string]int) {
	v := view.New(rec, clock.RealClock{})
	f := fold.NewFold()
	seen := map[string]struct{}{}
	waits := map[uint8]*facts.NextRequest{}
	for _, e := range events(rec) {
		if e.Kind == event.KindPopped {
			takes := e.Popped().Deltas
			sizes[takes]++
			if n := f.NextPop(int(e.Lane), seen); n != takes {
				t.Fatalf("seq %d: the next Pop is said to take %d, and takes %d of\n%s", e.Seq, n, takes, asJSON(t, f.State().Queue))
			}
		}
		f.Apply(e)
		switch e.Kind {
		case event.KindBackoff:
			v.Seek(e.Seq)
			if waits[e.Lane] = laneFacts(v)[e.Lane].NextRequest; waits[e.Lane] == nil {
				t.Fatalf("seq %d: the Reflector waits, and no request is foretold", e.Seq)
			}
		case event.KindReflectorStopped:
			delete(waits, e.Lane)
		case event.KindRequestSent:
			requestSent := e.RequestSent()
			next := waits[e.Lane]
			if next == nil {
				break
			}
			delete(waits, e.Lane)
			if next.Verb != requestSent.Verb.String() || next.ResourceVersion != requestSent.Options.ResourceVersion || next.Path != "/api/v1/pods" {
				t.Fatalf("seq %d: %s %q was foretold, and %s %q is sent", e.Seq, next.Verb, next.ResourceVersion, requestSent.Verb, requestSent.Options.ResourceVersion)
			}
			requests[next.Verb]++
			v.Seek(e.Seq)
			if laneFacts(v)[e.Lane].NextRequest != nil {
				t.Fatalf("seq %d: a request is foretold while none is waited for", e.Seq)
			}
		}
	}
}

// TestCurveAndRatesAreThoseOfTheLog: curve and rates equal those computed from the log's beginning.
func TestCurveAndRatesAreThoseOfTheLog(t *testing.T) {
	for i, release := range []string{"1.31", "1.37"} {
		synctest.Test(t, func(t *testing.T) {
			rec := newWholeRecorder()
			runExperiment(t, release, uint64(i+31), rec)
			log := events(rec)
			rng := rand.New(rand.NewPCG(uint64(i), 5))
			v := view.New(rec, clock.RealClock{})
			for range 25 {
				n := rng.IntN(len(log)) + 1
				at := log[n-1].At
				type key struct{ listener, second int64 }
				in, out := map[key]int{}, map[key]int{}
				depth := map[int64]int{}
				now, newest := 0, int64(-1)
				folded := fold.NewFold()
				for _, e := range log[:n] {
					folded.Apply(e)
					k := key{int64(e.Listener()), int64(e.At / time.Second)}
					switch {
					case e.Kind == event.KindAccepted:
						in[k]++
					case e.Kind == event.KindHandled:
						out[k]++
					case e.Kind >= event.KindQueued && e.Kind <= event.KindQueueClosed:
						step := int64(e.At / fold.DepthStep)
						for s := newest + 1; newest >= 0 && s <= step; s++ {
							depth[s] = now
						}
						now = folded.QueueLen(0)
						depth[step] = max(depth[step], now)
						newest = step
					}
				}
				v.Seek(uint64(n))
				f := laneFacts(v)[0]
				for _, l := range f.Listeners {
					k := key{int64(l.ID), int64(at/time.Second) - 1}
					if l.In != in[k] || l.Out != out[k] {
						t.Fatalf("seq %d: listener %d takes %d and handles %d, the log says %d and %d", n, l.ID, l.In, l.Out, in[k], out[k])
					}
				}
				if newest < 0 {
					if len(f.Depths.Max) != 0 {
						t.Fatalf("seq %d: a curve of nothing: %v", n, f.Depths)
					}
					continue
				}
				first := newest - int64(len(f.Depths.Max)) + 1
				if want := float64(first) * 400; f.Depths.FromMillis != want || f.Depths.StepMillis != 400 {
					t.Fatalf("seq %d: the curve begins at %v in steps of %v, not at %v", n, f.Depths.FromMillis, f.Depths.StepMillis, want)
				}
				for j, d := range f.Depths.Max {
					if d != depth[first+int64(j)] {
						t.Fatalf("seq %d: step %d is %d deep, the log says %d", n, j, d, depth[first+int64(j)])
					}
				}
				if _, older := depth[first-1]; older && len(f.Depths.Max) < fold.DepthSteps {
					t.Fatalf("seq %d: of a longer history only %d steps are told", n, len(f.Depths.Max))
				}
			}
		})
	}
}

// TestTheListenerThatMattersIsSteady: the main listener stays for a while, exists, and has a backlog if any listener has had one for long.
func TestTheListenerThatMattersIsSteady(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	for i, release := range everyRelease[:4] {
		synctest.Test(t, func(t *testing.T) {
			rec := newWholeRecorder()
			runExperiment(t, release, uint64(i+41), rec)
			f := fold.NewFold()
			main, since, changes := int32(0), time.Duration(0), 0
			for _, e := range events(rec) {
				f.Apply(e)
				r := f.Recent(0)
				if r.Main == main {
					continue
				}
				gone := slices.ContainsFunc(f.State().Listeners, func(l fold.Listener) bool { return l.ID == main && l.Removed })
				if main != 0 && e.At-since < 4*time.Second && e.Kind != event.KindListenerRemoved && !gone {
					t.Fatalf("seq %d: after %s it is %d, not %d", e.Seq, e.At-since, r.Main, main)
				}
				main, since = r.Main, e.At
				changes++
				j := slices.IndexFunc(f.State().Listeners, func(l fold.Listener) bool { return l.ID == main && !l.Removed })
				if main != 0 && (j < 0 || f.State().Listeners[j].Pending < 4) {
					t.Fatalf("seq %d: listener %d has nothing to tell", e.Seq, main)
				}
			}
			if changes == 0 {
				t.Error("nobody ever had anything to tell: nothing is shown by this")
			}
		})
	}
}
