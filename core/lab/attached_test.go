package lab

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"k8s.io/utils/clock"

	"informerscope/core/trace"
	"informerscope/core/view"
)

// aStream is what a probe with one informer tells: its baseline of so many objects.
func aStream(objects int) string {
	sel := `{\"source\":\"live\",\"context\":\"mine\",\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\",\"namespace\":\"\",\"eras\":[\"1.37\"]}`
	var items []string
	for i := range objects {
		items = append(items, fmt.Sprintf(`{"key":"default/p%d","rv":"%d"}`, i, i+1))
	}
	state := `{\"era\":\"1.37\",\"running\":true,\"synced\":true,\"queue\":{\"kind\":\"RealFIFO\",\"items\":[]},\"listeners\":[],` +
		`\"fidelity\":{\"queue\":{\"how\":\"sampled\"}}}`
	return fmt.Sprintf(`{"format":"informerscope-trace","version":1,"selection":%s,"clientGo":"v0.37.2"}
{"s":1,"t":10,"k":"Selected","txt":"%s"}
{"s":2,"t":10,"k":"Restored","txt":"%s","items":[%s]}
`, strings.ReplaceAll(sel, `\"`, `"`), sel, state, strings.Join(items, ","))
}

// attachedLab is a Lab whose relay has the answers of a probe's stream.
func attachedLab(t *testing.T, stream http.HandlerFunc) (*Console, *trace.Recorder) {
	t.Helper()
	dial := relay(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/probe/stream":
			stream(w, r)
		case "/probe/":
			_, _ = io.WriteString(w, `{"clientGo":"v0.37.2","informers":[{"name":"pods","synced":true,"objects":3}]}`)
		default:
			status(w, http.StatusNotFound, "the relay has no such path")
		}
	}))
	rec := trace.NewRecorder(trace.RecorderOptions{})
	l := New(Options{Recorder: rec, Dial: dial})
	t.Cleanup(l.Close)
	return &Console{Lab: l, View: view.New(rec, clock.RealClock{})}, rec
}

// TestAttachedLogGoesOn: a stream extends the log; a gap's new baseline, and that of a process that came back, go on in the same log, in
// which the trouble between stands; and events of kinds that this program does not know are left out.
func TestAttachedLogGoesOn(t *testing.T) {
	lines, end := make(chan string), make(chan struct{})
	times := 0
	c, rec := attachedLab(t, func(w http.ResponseWriter, r *http.Request) {
		times++
		if times == 2 {
			status(w, http.StatusServiceUnavailable, "The attached process at localhost:6060 refuses connections.")
			return
		}
		ends := end
		if times > 1 {
			ends = nil
		}
		_, _ = io.WriteString(w, aStream(times*2))
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
	if _, err := c.do(t, "select", `{"source":"probe","resource":"pods"}`); err != nil {
		t.Fatal(err)
	}
	s := until(t, rec, "the baseline", func(s *trace.State) bool { return s.Indexer.Count == 2 })
	if s.Source.Kind != SourceProbe || s.Source.Context != "mine" || s.Fidelity["queue"].How != "sampled" {
		t.Errorf("%+v %v", s.Source, s.Fidelity)
	}
	lines <- `{"s":3,"t":20,"k":"StoreAdded","key":"default/x","rv":"9"}` + "\n" + `{"s":4,"t":21,"k":"FromTheFuture"}` + "\n"
	until(t, rec, "one more", func(s *trace.State) bool { return s.Indexer.Count == 3 })
	gap := aStream(5)
	lines <- `{"s":5,"t":22,"k":"Note","txt":"a gap"}` + "\n" + gap[strings.Index(gap, "\n")+1:]
	until(t, rec, "the new baseline", func(s *trace.State) bool { return s.Indexer.Count == 5 })
	before, _ := rec.Head()
	close(end)
	until(t, rec, "the process is gone", func(s *trace.State) bool { return s.Source.Trouble != "" && s.Indexer.Count == 5 })
	// The third answer is of a process that came back; its baseline says that all is well.
	until(t, rec, "it is back", func(s *trace.State) bool { return s.Source.Trouble == "" && s.Indexer.Count == 6 })
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
		if e.Kind == trace.KindTrouble {
			words = append(words, e.Text)
		}
	}
	if len(words) != 2 || !strings.Contains(words[1], "refuses connections") {
		t.Errorf("what was said: %q", words)
	}
}

// TestAttachedActsOnNothing: what would act on another process, or choose for it, is an error; so is a process that is not there, which
// leaves what runs as it was.
func TestAttachedActsOnNothing(t *testing.T) {
	there := false
	c, rec := attachedLab(t, func(w http.ResponseWriter, r *http.Request) {
		if !there {
			status(w, http.StatusServiceUnavailable, "The attached process does not answer.")
			return
		}
		_, _ = io.WriteString(w, aStream(3))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	if _, err := c.do(t, "select", `{"objects":5,"rate":0}`); err != nil {
		t.Fatal(err)
	}
	if _, err := c.do(t, "select", `{"source":"probe"}`); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("a process that is not there: %v", err)
	}
	if sel := c.Lab.Selection(); sel.Source != "sim" {
		t.Errorf("what runs is %+v", sel)
	}
	there = true
	if _, err := c.do(t, "select", `{"source":"probe"}`); err != nil {
		t.Fatal(err)
	}
	until(t, rec, "it is attached", func(s *trace.State) bool { return s.Indexer.Count == 3 && s.Source.Kind == SourceProbe })
	for _, call := range [][]string{
		{"fault", `"cut"`}, {"addListener", `{"name":"x"}`}, {"cluster", `"burst"`, `{"n":3}`}, {"namespaces"}, {"resources"}, {"transform", `"meta"`},
		{"select", `{"era":"1.31"}`}, {"select", `{"namespace":"default"}`}, {"select", `{"source":"probe","seed":3}`},
	} {
		if _, err := c.do(t, call[0], call[1:]...); err == nil {
			t.Errorf("%v is no error", call)
		}
	}
	if _, err := c.do(t, "select", `{"era":"1.31"}`); !errors.Is(err, ErrAttached) {
		t.Errorf("an era: %v", err)
	}
	answer, err := c.do(t, "attached")
	if is, ok := answer.(Attached); err != nil || !ok || !is.Offered || len(is.Informers) != 1 || is.Informers[0].Name != "pods" {
		t.Errorf("%+v, %v", answer, err)
	}
	if _, err := c.do(t, "select", `{"source":"sim"}`); err != nil {
		t.Errorf("away from it: %v", err)
	}
}
