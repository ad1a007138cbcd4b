package command

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"k8s.io/utils/clock"

	"informerscope/core/lab"
	"informerscope/core/lab/labtest"
	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/page/view"
	"informerscope/core/wire/attached"
	"informerscope/core/words/event"
)

// attachedLab returns a Lab whose relay answers with a probe's stream.
func attachedLab(t *testing.T, stream http.HandlerFunc) (*Console, *trace.Recorder) {
	t.Helper()
	dial := labtest.ProbeRelay(t, stream)
	rec := trace.NewRecorder(trace.RecorderOptions{})
	l := lab.New(lab.Options{Recorder: rec, Dial: dial})
	t.Cleanup(l.Close)
	return &Console{Lab: l, View: view.New(rec, clock.RealClock{})}, rec
}

// TestAttachedActsOnNothing: an action on another process, or a choice for it, is an error. Attaching to a process that is not there is an error too, and
// leaves the running experiment alone.
func TestAttachedActsOnNothing(t *testing.T) {
	there := false
	c, rec := attachedLab(t, func(w http.ResponseWriter, r *http.Request) {
		if !there {
			labtest.Status(w, http.StatusServiceUnavailable, "The attached process does not answer.")
			return
		}
		_, _ = io.WriteString(w, labtest.ProbeStream(3))
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
	labtest.WaitUntil(t, rec, "it is attached", func(s *fold.State) bool { return s.Indexer.Count == 3 && s.Source.Kind == event.SourceProbe })
	for _, call := range [][]string{
		{"fault", `"cut"`}, {"addListener", `{"name":"x"}`}, {"cluster", `"burst"`, `{"n":3}`}, {"namespaces"}, {"resources"}, {"transform", `"meta"`},
		{"select", `{"era":"1.31"}`}, {"select", `{"namespace":"default"}`}, {"select", `{"source":"probe","seed":3}`},
	} {
		if _, err := c.do(t, call[0], call[1:]...); err == nil {
			t.Errorf("%v is no error", call)
		}
	}
	if _, err := c.do(t, "select", `{"era":"1.31"}`); !errors.Is(err, selection.ErrAttached) {
		t.Errorf("a release: %v", err)
	}
	answer, err := c.do(t, "attached")
	if process, ok := answer.(attached.Process); err != nil || !ok || !process.Offered || len(process.Informers) != 1 || process.Informers[0].Name != "pods" {
		t.Errorf("%+v, %v", answer, err)
	}
	if _, err := c.do(t, "select", `{"source":"sim"}`); err != nil {
		t.Errorf("away from it: %v", err)
	}
}
