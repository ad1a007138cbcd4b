package analysis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/log/fold/foldtest"
	"informerscope/core/words/event"
)

func TestWriteChrome(t *testing.T) {
	s := foldtest.NewSynthetic(4, false)
	for len(s.Events) < 2000 {
		s.Step()
	}
	bad := &event.LoggedError{Message: "gone", Code: 410}
	for _, e := range []event.Event{
		event.RequestSent{Req: 1, Verb: event.VerbList}.Event(), event.RequestAnswered{Req: 1}.Event(),
		event.RequestSent{Req: 2, Verb: event.VerbWatch, Options: &metav1.ListOptions{ResourceVersion: "4"}}.Event(),
		event.WireRequest{Req: 9, URL: "/api"}.Event(), event.WireDone{Req: 9}.Event(),
		event.WatchClosed{Req: 2, Err: bad}.Event(), event.Backoff{Wait: time.Second, Err: bad}.Event(), {Kind: event.KindBackoffEnded},
		event.Fault{Name: "cut", Struck: 1}.Event(), event.WireRequest{Req: 10, URL: "/api?watch=1"}.Event(),
		event.Selected{Selection: "{}"}.Event(), // numbers of requests begin again
		event.WireRequest{Req: 9, URL: "/apis"}.Event(), event.WireRequest{Req: 10, URL: "/open"}.Event(),
		event.RequestSent{Req: 3, Verb: event.VerbWatch}.Event(),
	} {
		s.Emit(e)
	}
	var b bytes.Buffer
	if err := WriteChrome(&b, foldtest.Iterate(s.Events)); err != nil {
		t.Fatal(err)
	}
	seen := checkTraceEvents(t, b.Bytes())
	for _, want := range []string{"M", "X", "C", "i", "b", "e", "LIST", "WATCH", "backoff"} {
		if seen[want] == 0 {
			t.Errorf("no %s: %v", want, seen)
		}
	}
	if seen["WATCH"] != 2 || seen["b"] != 4 {
		t.Errorf("an open span was lost: %v", seen)
	}
}

// checkTraceEvents checks a file against the Trace Event Format as its readers take it. It returns how often each phase and each name of a span occurs.
func checkTraceEvents(t *testing.T, text []byte) map[string]int {
	t.Helper()
	type event struct {
		Name  string         `json:"name"`
		Cat   string         `json:"cat"`
		Phase string         `json:"ph"`
		TS    *float64       `json:"ts"`
		Dur   *float64       `json:"dur"`
		PID   *int           `json:"pid"`
		TID   *int           `json:"tid"`
		ID    string         `json:"id"`
		Scope string         `json:"s"`
		Args  map[string]any `json:"args"`
	}
	var doc struct {
		Unit   string  `json:"displayTimeUnit"`
		Events []event `json:"traceEvents"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	if d.More() || doc.Unit != "ms" {
		t.Errorf("something follows the document, or its unit %q is not ms", doc.Unit)
	}
	type thread struct{ pid, tid int }
	type async struct {
		cat, id string
		pid     int
	}
	seen := map[string]int{}
	processes, threads := map[int]bool{}, map[thread]bool{}
	ends, open, counted := map[thread]float64{}, map[async]event{}, map[string]float64{}
	for i, e := range doc.Events {
		if e.Name == "" || e.TS == nil || *e.TS < 0 || e.PID == nil || e.TID == nil {
			t.Fatalf("event %d lacks what every event has: %+v", i, e)
		}
		seen[e.Phase]++
		th, id := thread{*e.PID, *e.TID}, async{e.Cat, e.ID, *e.PID}
		if e.Phase != "X" && e.Dur != nil || e.Phase != "i" && e.Scope != "" || e.Phase != "b" && e.Phase != "e" && e.ID+e.Cat != "" {
			t.Errorf("event %d has a field of another phase: %+v", i, e)
		}
		if e.Phase != "M" && !processes[th.pid] || (e.Phase == "X" || e.Phase == "i" || e.Phase == "b") && !threads[th] {
			t.Errorf("event %d comes before its process or thread has a name: %+v", i, e)
		}
		switch e.Phase {
		case "M":
			if name, ok := e.Args["name"].(string); !ok || name == "" {
				t.Errorf("no name in %+v", e)
			}
			switch e.Name {
			case "process_name":
				processes[th.pid] = true
			case "thread_name":
				threads[th] = true
			default:
				t.Errorf("metadata %s", e.Name)
			}
		case "X":
			if e.Dur == nil || *e.Dur < 0 {
				t.Fatalf("span without a duration %+v", e)
			}
			if *e.TS+1e-6 < ends[th] {
				t.Errorf("spans of one thread overlap: %+v begins before %v", e, ends[th])
			}
			ends[th] = *e.TS + *e.Dur
			seen[e.Name]++
		case "i":
			if e.Scope != "p" {
				t.Errorf("instant without the scope of its process %+v", e)
			}
		case "b":
			if _, twice := open[id]; twice || id.id == "" || id.cat == "" {
				t.Errorf("asynchronous span without an id of its own %+v", e)
			}
			open[id] = e
		case "e":
			b, ok := open[id]
			if !ok || b.Name != e.Name || *b.TS > *e.TS {
				t.Errorf("the end %+v is not of %+v", e, b)
			}
			delete(open, id)
		case "C":
			key := fmt.Sprint(th.pid, e.Name)
			for _, v := range e.Args {
				if _, ok := v.(float64); !ok {
					t.Errorf("counter of no number %+v", e)
				}
			}
			if len(e.Args) == 0 || *e.TS < counted[key] {
				t.Errorf("counter without a value, or back in time %+v", e)
			}
			counted[key] = *e.TS
		default:
			t.Errorf("phase %s", e.Phase)
		}
	}
	for _, e := range open {
		t.Errorf("never ended: %+v", e)
	}
	return seen
}
