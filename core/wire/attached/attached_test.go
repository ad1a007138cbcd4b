package attached_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"informerscope/core/lab"
	"informerscope/core/lab/labtest"
	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/wire/attached"
	"informerscope/core/words/event"
)

// attachedLab returns a Lab whose relay answers with a probe's stream.
func attachedLab(t *testing.T, o lab.Options, stream http.HandlerFunc) (*lab.Lab, *trace.Recorder) {
	t.Helper()
	dial := labtest.ProbeRelay(t, stream)
	o.Recorder, o.Dial = trace.NewRecorder(trace.RecorderOptions{}), dial
	l := lab.New(o)
	t.Cleanup(l.Close)
	return l, o.Recorder
}

// TestAttachedLogGoesOn: a stream extends the log. New baselines, after a gap or from a process that came back, continue the same log, which has the trouble
// between them. Events of unknown kinds are skipped.
func TestAttachedLogGoesOn(t *testing.T) {
	lines, end := make(chan string), make(chan struct{})
	times := 0
	l, rec := attachedLab(t, lab.Options{}, func(w http.ResponseWriter, r *http.Request) {
		times++
		if times == 2 {
			labtest.Status(w, http.StatusServiceUnavailable, "The attached process at localhost:6060 refuses connections.")
			return
		}
		ends := end
		if times > 1 {
			ends = nil
		}
		_, _ = io.WriteString(w, labtest.ProbeStream(times*2))
		for {
			_ = http.NewResponseController(w).Flush()
			select {
			case line := <-lines:
				_, _ = io.WriteString(w, line)
			case <-ends:
				panic(http.ErrAbortHandler)
			case <-r.Context().Done():
				return
			}
		}
	})
	if _, err := l.Attach(t.Context(), "pods"); err != nil {
		t.Fatal(err)
	}
	s := labtest.WaitUntil(t, rec, "the baseline", func(s *fold.State) bool { return s.Indexer.Count == 2 })
	if s.Source.Kind != event.SourceProbe || s.Source.Context != "mine" || s.Fidelity["queue"].How != "sampled" {
		t.Errorf("%+v %v", s.Source, s.Fidelity)
	}
	lines <- `{"s":3,"t":20,"k":"StoreAdded","key":"default/x","rv":"9"}` + "\n" + `{"s":4,"t":21,"k":"FromTheFuture"}` + "\n"
	labtest.WaitUntil(t, rec, "one more", func(s *fold.State) bool { return s.Indexer.Count == 3 })
	gap := labtest.ProbeStream(5)
	lines <- `{"s":5,"t":22,"k":"Note","txt":"a gap"}` + "\n" + gap[strings.Index(gap, "\n")+1:]
	labtest.WaitUntil(t, rec, "the new baseline", func(s *fold.State) bool { return s.Indexer.Count == 5 })
	before, _ := rec.Head()
	close(end)
	labtest.WaitUntil(t, rec, "the process is gone", func(s *fold.State) bool { return s.Source.Trouble != "" && s.Indexer.Count == 5 })
	// The third answer is of a process that came back; its baseline has no trouble.
	labtest.WaitUntil(t, rec, "it is back", func(s *fold.State) bool { return s.Source.Trouble == "" && s.Indexer.Count == 6 })
	if n := rec.FoldAt(before).State().Indexer.Count; n != 5 {
		t.Errorf("what was before has %d objects now", n)
	}
	var words []string
	head, _ := rec.Head()
	seq := uint64(0)
	for e := range rec.Events(1, head) {
		if seq++; e.Seq != seq {
			t.Fatalf("event %d where %d follows", e.Seq, seq)
		}
		if e.Kind == event.KindTrouble {
			words = append(words, e.Trouble().Explanation)
		}
	}
	if len(words) != 2 || !strings.Contains(words[1], "refuses connections") {
		t.Errorf("what was said: %q", words)
	}
}

// TestAttachedClock: the log's clock does not pass what the stream has reported while the stream is as late as usual. Otherwise a call that has ended would
// look as if it went on.
func TestAttachedClock(t *testing.T) {
	now := clocktesting.NewFakeClock(time.Now())
	dial := labtest.ProbeRelay(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, labtest.ProbeStream(1))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	rec := trace.NewRecorder(trace.RecorderOptions{Clock: now})
	l := lab.New(lab.Options{Recorder: rec, Dial: dial, Clock: now})
	t.Cleanup(l.Close)
	if _, err := l.Attach(t.Context(), "pods"); err != nil {
		t.Fatal(err)
	}
	labtest.WaitUntil(t, rec, "the baseline", func(s *fold.State) bool { return s.Indexer.Count == 1 })
	_, at := rec.Head()
	now.Step(100 * time.Millisecond)
	if is := rec.Now(); is != at {
		t.Errorf("100 ms after an event of %v the log's clock says %v", at, is)
	}
	now.Step(time.Second)
	if is := rec.Now(); is <= at {
		t.Error("the clock stands")
	}
}

// hostileStream is a process that sends begin and then again forever, until its reader leaves. It counts the bytes that it sent.
func hostileStream(begin, again string) (http.HandlerFunc, *atomic.Int64) {
	var sent atomic.Int64
	many := strings.Repeat(again, max(1, (64<<10)/len(again)))
	return func(w http.ResponseWriter, r *http.Request) {
		header, _, _ := strings.Cut(labtest.ProbeStream(0), "\n")
		n, err := io.WriteString(w, header+"\n"+begin)
		for sent.Add(int64(n)); err == nil && r.Context().Err() == nil; sent.Add(int64(n)) {
			n, err = io.WriteString(w, many)
		}
	}, &sent
}

const selectedLine = `{"s":1,"t":10,"k":"Selected","txt":"{\"source\":\"live\",\"version\":\"v1\",\"resource\":\"pods\",\"eras\":[\"1.37\"]}"}` + "\n"

// TestAnAttachedProcessThatFloods: whatever an attached process sends, endlessly and as fast as it can, the page keeps a bounded part. It reports what is
// wrong, lets other work run, and can select something else.
func TestAnAttachedProcessThatFloods(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	note := `{"s":1,"t":1,"k":"Note","txt":"` + strings.Repeat("x", 200) + `"}` + "\n"
	many := func(n int) string { return "{}" + strings.Repeat(",{}", n-1) }
	for _, c := range []struct {
		name, begin, again string
		says               string // the trouble; empty: events arrive, and never end
		most               uint64 // MiB of memory
	}{
		{"a baseline that never ends", selectedLine, note, "attach to fewer informers", 64},
		{"a baseline of long lines", selectedLine, `{"s":1,"t":1,"k":"Note","items":[` + many(500_000) + "]}\n", "attach to fewer informers", 800},
		{"events", strings.SplitAfterN(labtest.ProbeStream(3), "\n", 2)[1], note, "", 96},
		{"objects", strings.SplitAfterN(labtest.ProbeStream(3), "\n", 2)[1],
			`{"s":1,"t":1,"k":"Note","obj":{"id":1,"raw":{"a":"` + strings.Repeat("x", 1<<20) + `"}}}` + "\n", "", 240},
		{"a line that never ends", "", `  `, "white space", 32},
		{"zeros", "", "\x00", "not JSON", 32},
		{"empty lines", "", "\n", "", 64},
		{"a text that never ends", `{"s":1,"k":"Note","txt":"`, "x", "a state has more than", 400},
		{"items that never end", `{"s":1,"k":"Restored","items":[{}`, ",{}", "more than 1048576 entries", 128},
		{"a time that is far away", "", `{"s":1,"t":9223372036854775807,"k":"Note"}` + "\n", "3650 days", 32},
		{"resources", "", `{"s":1,"t":1,"k":"Selected","txt":"{\"resources\":[` + many(300_000) + `]}"}` + "\n", "at most 64 can be followed", 300},
		{"an event that never ends", "", `{"s":1,"t":1,"k":"Restored","more":true,"items":[` + many(1000) + "]}\n", "more than 1048576 items", 600},
	} {
		t.Run(c.name, func(t *testing.T) {
			handler, sent := hostileStream(c.begin, c.again)
			var turns atomic.Int64
			l, rec := attachedLab(t, lab.Options{Yield: func() { turns.Add(1) }}, handler)
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			before := m.HeapAlloc
			if _, err := l.Attach(t.Context(), "pods"); err != nil {
				t.Fatal(err)
			}
			var most uint64
			look := func() {
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc-min(before, m.HeapAlloc))
			}
			if c.says != "" {
				labtest.WaitUntil(t, rec, c.says, func(s *fold.State) bool { look(); return strings.Contains(s.Source.Trouble, c.says) })
			} else {
				for deadline := time.Now().Add(time.Minute); sent.Load() < 48<<20 && time.Now().Before(deadline); {
					look()
					runtime.Gosched()
				}
			}
			bytes := sent.Load()
			simulated, objects, rate := "sim", 3, 0.0
			if _, err := l.Select(t.Context(), selection.Change{Source: &simulated, Objects: &objects, Rate: &rate}); err != nil {
				t.Fatal(err)
			}
			if most>>20 > c.most {
				t.Errorf("%d MiB of memory, at most %d should be", most>>20, c.most)
			}
			if n := turns.Load(); c.says == "" && n < bytes/attached.TurnBytes/2 {
				t.Errorf("%d turns for %d bytes", n, bytes)
			}
			t.Logf("%4d MB were sent, at most %3d MB of memory, %d turns", bytes>>20, most>>20, turns.Load())
		})
	}
}

// TestAnAttachedProcessThatDrips: a process that sends its state a byte at a time is given up after two minutes, and asked again.
func TestAnAttachedProcessThatDrips(t *testing.T) {
	for name, begin := range map[string]string{"before its state": "", "within its state": selectedLine, "within a line": selectedLine + `{"s":2,"k":"Rest`} {
		t.Run(name, func(t *testing.T) {
			header, _, _ := strings.Cut(labtest.ProbeStream(0), "\n")
			asked := make(chan struct{}, 8)
			now := clocktesting.NewFakeClock(time.Now())
			l, rec := attachedLab(t, lab.Options{Clock: now}, func(w http.ResponseWriter, r *http.Request) {
				asked <- struct{}{}
				_, _ = io.WriteString(w, header+"\n"+begin)
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			})
			if _, err := l.Attach(t.Context(), "pods"); err != nil {
				t.Fatal(err)
			}
			<-asked
			for !now.HasWaiters() {
				runtime.Gosched()
			}
			now.Step(attached.BaselinePatience)
			labtest.WaitUntil(t, rec, "it is said", func(s *fold.State) bool { return strings.Contains(s.Source.Trouble, "whole state within 2m0s") })
			for !now.HasWaiters() {
				runtime.Gosched()
			}
			now.Step(attached.LastRedial)
			<-asked
		})
	}
}

// TestManyAttachedInformers: a process with more informers than a menu can list causes an error.
func TestManyAttachedInformers(t *testing.T) {
	dial := labtest.Relay(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"informers":[{}`+strings.Repeat(",{}", 300_000)+`]}`)
	}))
	if is := attached.Ask(t.Context(), dial); !is.Offered || len(is.Informers) != 0 || !strings.Contains(is.Error, "at most 256 can be listed") {
		t.Errorf("%d informers, %q", len(is.Informers), is.Error)
	}
}
