package trace

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"informerscope/core/event"
)

// obj is an object with an identity, a size and JSON of its own.
type obj struct {
	Name string `json:"name"`
	RV   string `json:"rv"`
}

func (o *obj) Size() int { return 100 }

func (o *obj) MarshalJSON() ([]byte, error) {
	return []byte(fmt.Sprintf(`{"name":%q,"rv":%q,"html":"<a&b>"}`, o.Name, o.RV)), nil
}

func decodeObj(b []byte) (any, error) {
	type plain obj
	var p plain
	if err := json.Unmarshal(b, &p); err != nil {
		return nil, err
	}
	return (*obj)(&p), nil
}

// Everything a Fold holds, in a comparable form.
func dump(t testing.TB, f *Fold) string {
	t.Helper()
	var b strings.Builder
	for i := range f.Lanes() {
		s := f.laneState(i, whole)
		j, err := json.MarshalIndent(s, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		b.Write(j)
		var lines []string
		f.Objects(i).Range(func(c *Cell) bool {
			lines = append(lines, fmt.Sprintf("%s rv=%s obj=%v seq=%d %v", c.Key, c.RV, objString(c.Obj), c.Seq, c.Indexed))
			return true
		})
		for _, name := range f.IndexNames(i) {
			x := f.Index(i, name)
			x.Range(func(v string, n int) bool {
				var keys []string
				x.Keys(v, func(k string) bool { keys = append(keys, k); return true })
				sort.Strings(keys)
				if len(keys) != n || x.Count(v) != n {
					t.Errorf("index %s: %s has %d keys, says %d", name, v, len(keys), n)
				}
				lines = append(lines, fmt.Sprintf("%s=%s: %v", name, v, keys))
				return true
			})
		}
		sort.Strings(lines)
		b.WriteString(strings.Join(lines, "\n"))
	}
	return b.String()
}

func objString(o any) string {
	if o == nil {
		return ""
	}
	b, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func foldOf(events []event.Entry) *Fold {
	f := NewFold()
	for i := range events {
		f.Apply(&events[i])
	}
	return f
}

// script numbers events and gives them times, 10 ms apart.
func script(es ...event.Event) []event.Entry {
	out := make([]event.Entry, len(es))
	for i, e := range es {
		out[i] = event.Entry{Seq: uint64(i + 1), At: time.Duration(i+1) * 10 * time.Millisecond, Event: e}
	}
	return out
}

func same(t testing.TB, what string, got, want *Fold) {
	t.Helper()
	g, w := dump(t, got), dump(t, want)
	if g == w {
		return
	}
	gl, wl := strings.Split(g, "\n"), strings.Split(w, "\n")
	for i := range min(len(gl), len(wl)) {
		if gl[i] != wl[i] {
			t.Fatalf("%s: line %d:\n got %s\nwant %s", what, i, gl[i], wl[i])
		}
	}
	t.Fatalf("%s: %d lines, want %d", what, len(gl), len(wl))
}

func queueKeys(f *Fold, lane int) []string {
	var out []string
	f.RangeQueue(lane, func(it QueueItem) bool {
		s := it.Op + " " + it.Key
		if it.Deltas != nil {
			s = it.Key + ":"
			for _, d := range it.Deltas {
				s += " " + d.Op
			}
		}
		out = append(out, s)
		return true
	})
	return out
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	g, w := objString(got), objString(want)
	if g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

func sorted(s []string) []string { slices.Sort(s); return s }

// readAll reads a file and keeps all of its events.
func readAll(r io.Reader, o ReadOptions) (h Header, events []event.Entry, warning, err error) {
	h, n, warning, err := ReadFile(r, o, func(some []event.Entry) error {
		events = append(events, some...)
		return nil
	})
	if n != len(events) {
		panic(fmt.Sprintf("%d events, and %d were given", n, len(events)))
	}
	for i := range events {
		events[i].Weight = 0
	}
	return h, events, warning, err
}

// load loads a log into a Recorder as if from a file.
func load(r *Recorder, events []event.Entry) {
	log := r.Empty()
	if err := log.Append(slices.Clone(events)); err != nil {
		panic(err)
	}
	r.Load(log)
}
