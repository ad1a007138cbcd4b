package foldtest

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// FoldOf returns the Fold of events.
func FoldOf(events []event.Entry) *fold.Fold {
	f := fold.NewFold()
	for i := range events {
		f.Apply(&events[i])
	}
	return f
}

// Describe returns everything that a Fold holds, in a comparable form.
func Describe(t testing.TB, f *fold.Fold) string {
	t.Helper()
	var b strings.Builder
	for i := range f.Lanes() {
		s := f.WholeState(i)
		j, err := json.MarshalIndent(s, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		b.Write(j)
		var lines []string
		f.Objects(i).Range(func(c *fold.Cell) bool {
			lines = append(lines, fmt.Sprintf("%s rv=%s obj=%v seq=%d %v", c.Key, c.RV, ObjString(c.Obj), c.Seq, c.Indexed))
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

// RequireEqual reports an error if two Folds hold different things.
func RequireEqual(t testing.TB, what string, got, want *fold.Fold) {
	t.Helper()
	g, w := Describe(t, got), Describe(t, want)
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

// QueueKeys returns the entries of the queue of a lane, as text.
func QueueKeys(f *fold.Fold, lane int) []string {
	var out []string
	f.RangeQueue(lane, func(item fold.QueueItem) bool {
		s := item.Op + " " + item.Key
		if item.Deltas != nil {
			s = item.Key + ":"
			for _, d := range item.Deltas {
				s += " " + d.Op
			}
		}
		out = append(out, s)
		return true
	})
	return out
}

// FoldWithObjects returns a Fold with n objects under two indices.
func FoldWithObjects(n int) *fold.Fold {
	f := fold.NewFold()
	var e event.StoreReplaced
	for i := range n {
		key := fmt.Sprintf("ns-%d/pod-%d", i%50, i)
		e.Items = append(e.Items, event.Item{Key: key, RV: "1", Indexed: Values(i)})
	}
	f.Apply(&event.Entry{Seq: 1, Event: e.Event()})
	f.Apply(&event.Entry{Seq: 2, Event: event.ListenerAdded{Listener: 1, Name: "bench", Capacity: 1024}.Event()})
	return f
}

// WatchEvents returns the events of n updates.
func WatchEvents(n int) []event.Entry {
	var out []event.Entry
	add := func(e event.Event) {
		out = append(out, event.Entry{Seq: uint64(len(out) + 3), At: time.Duration(len(out)) * 12 * time.Microsecond, Event: e})
	}
	for i := range n {
		key := fmt.Sprintf("ns-%d/pod-%d", i%50, i)
		rv := fmt.Sprint(1000 + i)
		op := event.OpUpdated
		add(event.WireFrame{Op: op, Key: key, RV: rv, Bytes: 2000}.Event())
		add(event.WatchEvent{Op: op, Key: key, RV: rv}.Event())
		add(event.Queued{Op: op, Key: key, RV: rv, Length: 1}.Event())
		add(event.ReflectorRV{RV: rv}.Event())
		add(event.Popped{Deltas: 1}.Event())
		add(event.Stored{Kind: event.KindStoreUpdated, Key: key, RV: rv, StoreRV: rv, Indexed: Values(i)}.Event())
		add(event.Distributed{Op: op, Key: key, RV: rv, Listeners: 1}.Event())
		add(event.Processed{Deltas: 1}.Event())
		add(event.Accepted{Op: op, Key: key, RV: rv, Listener: 1, Capacity: 1024}.Event())
		add(event.Delivered{Op: op, Key: key, RV: rv, Listener: 1}.Event())
		add(event.Handling{Op: op, Key: key, RV: rv, Listener: 1}.Event())
		add(event.Handled{Op: op, Key: key, RV: rv, Listener: 1, Took: time.Microsecond}.Event())
	}
	return out
}
