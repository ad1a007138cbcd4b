package trace

import (
	"fmt"
	"testing"
	"time"

	"informerscope/core/event"
)

// filled returns a Fold with n objects under two indices.
func filled(n int) *Fold {
	f := NewFold()
	var e event.StoreReplaced
	for i := range n {
		key := fmt.Sprintf("ns-%d/pod-%d", i%50, i)
		e.Items = append(e.Items, event.Item{Key: key, RV: "1", Indexed: values(i)})
	}
	f.Apply(&event.Entry{Seq: 1, Event: e.Event()})
	f.Apply(&event.Entry{Seq: 2, Event: event.ListenerAdded{Listener: 1, Name: "bench", Capacity: 1024}.Event()})
	return f
}

func values(i int) []event.IndexValues {
	return []event.IndexValues{
		{Index: "namespace", Values: []string{fmt.Sprintf("ns-%d", i%50)}},
		{Index: "node", Values: []string{fmt.Sprintf("node-%d", i%100)}},
	}
}

// watchEvents returns the events that one watch event causes.
func watchEvents(n int) []event.Entry {
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
		add(event.Stored{Kind: event.KindStoreUpdated, Key: key, RV: rv, StoreRV: rv, Indexed: values(i)}.Event())
		add(event.Distributed{Op: op, Key: key, RV: rv, Listeners: 1}.Event())
		add(event.Processed{Deltas: 1}.Event())
		add(event.Accepted{Op: op, Key: key, RV: rv, Listener: 1, Capacity: 1024}.Event())
		add(event.Delivered{Op: op, Key: key, RV: rv, Listener: 1}.Event())
		add(event.Handling{Op: op, Key: key, RV: rv, Listener: 1}.Event())
		add(event.Handled{Op: op, Key: key, RV: rv, Listener: 1, Took: time.Microsecond}.Event())
	}
	return out
}

func BenchmarkApply(b *testing.B) {
	f := filled(10000)
	events := watchEvents(10000)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		f.Apply(&events[i%len(events)])
		i++
	}
}

// BenchmarkApplyAfterClones clones every 4,096 events, as checkpoints do.
func BenchmarkApplyAfterClones(b *testing.B) {
	f := filled(10000)
	events := watchEvents(10000)
	var kept [64]*Fold
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if i%4096 == 0 {
			kept[i/4096%len(kept)] = f.Clone()
		}
		f.Apply(&events[i%len(events)])
		i++
	}
}

func BenchmarkClone(b *testing.B) {
	f := filled(100000)
	b.ReportAllocs()
	for b.Loop() {
		f.Clone()
	}
}

func BenchmarkState(b *testing.B) {
	f := filled(10000)
	b.ReportAllocs()
	for b.Loop() {
		f.State()
	}
}

func BenchmarkStoreReplaced(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		filled(10000)
	}
}

func BenchmarkRecorderAppend(b *testing.B) {
	r := NewRecorder(RecorderOptions{})
	o := r.Lane(0)
	events := watchEvents(1000)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		o.Observe(&events[i%len(events)].Event)
		i++
	}
}

func BenchmarkStepBack(b *testing.B) {
	r := NewRecorder(RecorderOptions{})
	f := filled(10000)
	for i := range f.Baseline() {
		r.Emit(0, f.Baseline()[i].Event)
	}
	for _, e := range watchEvents(15000) {
		r.Emit(0, e.Event)
	}
	head, _ := r.Head()
	r.FoldAt(head)
	b.ReportAllocs()
	for b.Loop() {
		head--
		r.FoldAt(head)
	}
}
