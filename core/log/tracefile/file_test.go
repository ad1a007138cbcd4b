package tracefile

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/ask/analysis"
	"informerscope/core/log/fold"
	"informerscope/core/log/fold/foldtest"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
)

func writeBytes(t testing.TB, events []event.Entry) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteFile(&b, Header{Events: len(events)}, foldtest.Iterate(events)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// everyField returns one event of each kind, with every field set.
func everyField() []event.Entry {
	timeout, send := int64(300), true
	a, b := &foldtest.Obj{Name: "a", RV: "1"}, &foldtest.Obj{Name: "b", RV: "2"}
	ix := []event.IndexValues{{Index: "namespace", Values: []string{"x", "y<z>"}}}
	var out []event.Entry
	for k := range 256 {
		if event.KindName(event.Kind(k)) == "" || event.Kind(k) == event.KindSelected || event.Kind(k) == event.KindRestored {
			continue
		}
		out = append(out, event.Entry{Seq: uint64(len(out) + 1), At: time.Duration(len(out)*1234567 + 1), Lane: uint8(k % 2),
			Event: event.New(event.Kind(k), event.Members{
				Op: event.Op(k % 9), Verb: event.Verb(k % 4), Flag: true, Listener: -3, Req: 4000000000, N: 5, M: -6,
				Dur: 7, Key: "ns/\"quoted\"\n", RV: "8", StoreRV: "9", Text: "<b>中文 & \u2028</b>", Release: "1.33", Obj: a, Old: b,
				Err: &event.LoggedError{Message: "gone", Code: 410, Reason: "Expired", Cause: "compacted"},
				Options: &metav1.ListOptions{LabelSelector: "l", FieldSelector: "f", Watch: true, AllowWatchBookmarks: true, ResourceVersion: "1",
					ResourceVersionMatch: "Exact", TimeoutSeconds: &timeout, Limit: 500, Continue: "c", SendInitialEvents: &send},
				Items:   []event.Item{{Key: "a", RV: "1", Obj: a, Indexed: ix}, {Key: "c", Obj: &foldtest.Obj{Name: "c"}}, {}},
				Indexed: ix,
			})})
	}
	return out
}

func TestFileRoundTripOfEveryField(t *testing.T) {
	events := everyField()
	b := writeBytes(t, events)
	h, got, warning, err := readAll(bytes.NewReader(b), ReadOptions{DecodeObject: foldtest.DecodeObj})
	if err != nil || warning != nil {
		t.Fatal(err, warning)
	}
	if h.Format != FileFormat || h.Version != FileVersion || h.ClientGo != ClientGo || h.Events != len(events) {
		t.Errorf("header %+v", h)
	}
	if len(got) != len(events) {
		t.Fatalf("%d events, want %d", len(got), len(events))
	}
	for i := range got {
		if !reflect.DeepEqual(got[i], events[i]) {
			t.Errorf("event %d:\n got %+v\nwant %+v", i, got[i], events[i])
		}
	}
	if got[0].Members().Obj != got[1].Members().Obj || got[0].Members().Obj != got[1].Members().Items[0].Obj {
		t.Error("one object became several")
	}
	if n := strings.Count(string(b), `"name":"a"`); n != 1 {
		t.Errorf("the object was written %d times", n)
	}
	if event.StatusCode(got[0].Err()) != 410 || event.StatusCode(errors.New("x")) != 0 || event.StatusCode(nil) != 0 {
		t.Error("status code")
	}
	// Objects keep their bytes.
	_, got, _, err = readAll(bytes.NewReader(b), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if raw := string(got[0].Members().Obj.(json.RawMessage)); raw != `{"name":"a","rv":"1","html":"<a&b>"}` {
		t.Errorf("object %s", raw)
	}
}

func TestFileRoundTripOfALog(t *testing.T) {
	for _, delta := range []bool{false, true} {
		s := foldtest.NewSynthetic(8, delta)
		for len(s.Events) < 5000 {
			s.Step()
		}
		b := writeBytes(t, s.Events)
		var packed bytes.Buffer
		gz := gzip.NewWriter(&packed)
		gz.Write(b)
		gz.Close()
		for name, data := range map[string][]byte{"plain": b, "gzip": packed.Bytes()} {
			h, got, warning, err := readAll(bytes.NewReader(data), ReadOptions{DecodeObject: foldtest.DecodeObj})
			if err != nil || warning != nil {
				t.Fatal(name, err, warning)
			}
			if h.Selection.Resource != "pods" || h.Selection.Seed != 7 {
				t.Errorf("selection %+v", h.Selection)
			}
			foldtest.RequireEqual(t, name, foldtest.FoldOf(got), foldtest.FoldOf(s.Events))
		}
		// A truncated gzip returns what could be unpacked.
		_, got, warning, err := readAll(bytes.NewReader(packed.Bytes()[:packed.Len()/2]), ReadOptions{DecodeObject: foldtest.DecodeObj})
		if err != nil || warning == nil || len(got) == 0 {
			t.Errorf("half a gzip: %d events, %v, %v", len(got), warning, err)
		}
		foldtest.RequireEqual(t, "prefix", foldtest.FoldOf(got), foldtest.FoldOf(s.Events[:len(got)]))
	}
}

// TestFileOfAnEvictedLog: the file of a log that lost its beginning ends with the same state.
func TestFileOfAnEvictedLog(t *testing.T) {
	s := foldtest.NewSynthetic(21, false)
	for len(s.Events) < 9000 {
		s.Step()
	}
	r := trace.NewRecorder(trace.RecorderOptions{MaxEvents: 3000})
	for i := range s.Events {
		r.Emit(0, s.Events[i].Event)
	}
	var b bytes.Buffer
	if err := WriteLog(&b, Header{}, r, nil); err != nil {
		t.Fatal(err)
	}
	h, events, warning, err := readAll(&b, ReadOptions{DecodeObject: foldtest.DecodeObj})
	if err != nil || warning != nil {
		t.Fatal(err, warning)
	}
	if h.First != r.First() || h.First == 1 || h.Selection.Resource != "pods" {
		t.Errorf("header %+v", h)
	}
	s.Check(t, foldtest.FoldOf(events))
	q := trace.NewRecorder(trace.RecorderOptions{})
	log := q.Empty()
	if err := log.Append(slices.Clone(events)); err != nil {
		t.Fatal(err)
	}
	q.Load(log)
	s.Check(t, q.FoldAt(1<<50))
	b.Reset()
	if err := WriteLog(&b, Header{}, trace.NewRecorder(trace.RecorderOptions{}), nil); err != nil {
		t.Fatal(err)
	}
	if _, events, warning, err = readAll(&b, ReadOptions{}); len(events) != 0 || warning != nil || err != nil {
		t.Errorf("an empty log: %d events, %v, %v", len(events), warning, err)
	}
}

func TestFileDamage(t *testing.T) {
	head := `{"format":"informerscope-trace","version":1,"events":3}` + "\n"
	line := func(n int) string { return fmt.Sprintf(`{"s":%d,"t":1,"k":"Note","txt":"n"}`, n) + "\n" }
	for _, c := range []struct {
		name, in, warning, err string
		events                 int
	}{
		{"empty", "", "", "empty", 0},
		{"not JSON", "hello\n", "", "first line", 0},
		{"not ours", `{"format":"other"}` + "\n", "", "first line", 0},
		{"newer version", `{"format":"informerscope-trace","version":2}` + "\n", "", "version 2", 0},
		{"damaged gzip", "\x1f\x8bxxxx", "", "gzip", 0},
		{"whole", head + line(1) + line(2) + line(3), "", "", 3},
		{"no line end", head + line(1) + line(2) + strings.TrimSpace(line(3)), "", "", 3},
		{"blank lines", head + "\n" + line(1) + "\r\n" + line(2) + line(3) + "\n\n", "", "", 3},
		{"cut between lines", head + line(1) + line(2), "2 of 3", "", 2},
		{"cut in a line", head + line(1) + line(2)[:9], "line 3 ", "", 1},
		{"garbage", head + line(1) + "garbage\n" + line(3), "line 3 ", "", 1},
		{"no kind", head + line(1) + "{}\n", "line 3 ", "", 1},
		{"unknown kind", head + line(1) + `{"s":2,"k":"Later"}` + "\n" + line(3), "1 events of kinds", "", 2},
		{"wrong type", head + `{"s":"x","k":"Note"}` + "\n", "line 2 ", "", 0},
		{"lane too large", head + `{"s":1,"l":300,"k":"Note"}` + "\n", "line 2 ", "", 0},
		{"unknown era", head + `{"s":1,"k":"Note","era":"9"}` + "\n", "line 2 ", "", 0},
		{"reference to nothing", head + `{"s":1,"k":"Queued","obj":{"id":4}}` + "\n", "object 4", "", 0},
		{"bad object", head + `{"s":1,"k":"Queued","obj":{"id":4,"raw":[]}}` + "\n", "object 4", "", 0},
		{"long line", head + line(1) + `{"s":2,"k":"Note","txt":"` + strings.Repeat("x", 4000) + "\"}\n", "longer than 2000", "", 1},
		{"too many events", head + strings.Repeat(line(1), 30), "more than 20", "", 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, events, warning, err := readAll(strings.NewReader(c.in), ReadOptions{DecodeObject: foldtest.DecodeObj, MaxLine: 2000, MaxEvents: 20})
			for _, x := range []struct {
				what, want string
				got        error
			}{{"error", c.err, err}, {"warning", c.warning, warning}} {
				if (x.want == "") != (x.got == nil) || x.got != nil && !strings.Contains(x.got.Error(), x.want) {
					t.Errorf("%s %v, want %q", x.what, x.got, x.want)
				}
			}
			if len(events) != c.events {
				t.Errorf("%d events, want %d", len(events), c.events)
			}
		})
	}
	if _, _, warning, err := readAll(strings.NewReader(head+strings.Repeat(line(1), 100)), ReadOptions{MaxBytes: 1000}); err != nil || warning == nil {
		t.Errorf("a file that is too large: %v, %v", warning, err)
	}
}

// small returns a log of about n events, with a baseline behind them, to be damaged.
func small(t testing.TB, n int) []byte {
	events := []event.Entry{{Seq: 1, Event: foldtest.SelectionEvent("1.31", "1.37")}}
	s := foldtest.NewSynthetic(3, false)
	for len(s.Events) < n {
		s.Step()
	}
	events = append(events, s.Events[1:]...)
	events = append(events, everyField()[18:20]...)
	events = append(events, foldtest.FoldOf(events).Baseline()...)
	return writeBytes(t, events)
}

func foldAll(b []byte) {
	_, events, _, err := readAll(bytes.NewReader(b), ReadOptions{DecodeObject: foldtest.DecodeObj, MaxLine: 1 << 20, MaxBytes: 1 << 22})
	if err != nil {
		return
	}
	f := fold.NewFold()
	var d analysis.Density
	for i := range events {
		f.Apply(&events[i])
		analysis.Marks(&events[i])
		d.Add(&events[i])
		if i%16 == 0 {
			f = f.Clone()
		}
	}
	f.State()
	f.Baseline()
	analysis.Journey(func(_, _ uint64, fn func(*event.Entry) bool) { foldtest.Iterate(events)(fn) }, "ns/p1", 0, 1<<60)
	var sink bytes.Buffer
	if err := analysis.WriteChrome(&sink, foldtest.Iterate(events)); err != nil {
		panic(err)
	}
}

// TestDamageAtEveryByte: damage never panics, and what is loaded is a prefix.
func TestDamageAtEveryByte(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	b := small(t, 12)
	lines := bytes.Count(b, []byte("\n"))
	for i := range b {
		_, events, warning, err := readAll(bytes.NewReader(b[:i]), ReadOptions{DecodeObject: foldtest.DecodeObj})
		whole := bytes.Count(b[:i], []byte("\n"))
		if err == nil && warning == nil && i < len(b)-1 {
			t.Fatalf("cut at byte %d of %d (%d lines of %d): no warning, %d events", i, len(b), whole, lines, len(events))
		}
	}
	step := 1
	if testing.Short() {
		step = 17
	}
	for _, change := range []byte{'"', '9'} {
		for i := 0; i < len(b); i += step {
			c := slices.Clone(b)
			c[i] = change
			foldAll(c)
		}
	}
}

func FuzzReadFile(f *testing.F) {
	f.Add(small(f, 60))
	f.Add([]byte(`{"format":"informerscope-trace","version":1}` + "\n" + `{"s":1,"t":-5,"k":"Popped","n":-9}`))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(_ *testing.T, b []byte) { foldAll(b) })
}
