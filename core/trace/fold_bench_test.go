package trace

import (
	"fmt"
	"testing"
	"time"

	"informerscope/core/informer"
)

// filled returns a Fold with n objects under two indices.
func filled(n int) *Fold {
	f := NewFold()
	e := Event{Seq: 1}
	e.Kind = informer.KindStoreReplaced
	for i := range n {
		key := fmt.Sprintf("ns-%d/pod-%d", i%50, i)
		e.Items = append(e.Items, informer.Item{Key: key, RV: "1", Indexed: values(i)})
	}
	f.Apply(&e)
	e = Event{Seq: 2}
	e.Kind, e.Listener, e.M, e.Text = informer.KindListenerAdded, 1, 1024, "bench"
	f.Apply(&e)
	return f
}

func values(i int) []informer.IndexValues {
	return []informer.IndexValues{
		{Index: "namespace", Values: []string{fmt.Sprintf("ns-%d", i%50)}},
		{Index: "node", Values: []string{fmt.Sprintf("node-%d", i%100)}},
	}
}

// watchEvents returns the events that one watch event causes.
func watchEvents(n int) []Event {
	var out []Event
	add := func(e informer.Event) {
		out = append(out, Event{Seq: uint64(len(out) + 3), At: time.Duration(len(out)) * 12 * time.Microsecond, Event: e})
	}
	for i := range n {
		key := fmt.Sprintf("ns-%d/pod-%d", i%50, i)
		rv := fmt.Sprint(1000 + i)
		op := informer.OpUpdated
		add(informer.Event{Kind: KindWireFrame, Op: op, Key: key, RV: rv, N: 2000})
		add(informer.Event{Kind: informer.KindWatchEvent, Op: op, Key: key, RV: rv})
		add(informer.Event{Kind: informer.KindQueued, Op: op, Key: key, RV: rv, N: 1})
		add(informer.Event{Kind: informer.KindReflectorRV, RV: rv})
		add(informer.Event{Kind: informer.KindPopped, N: 1})
		add(informer.Event{Kind: informer.KindStoreUpdated, Key: key, RV: rv, StoreRV: rv, Indexed: values(i)})
		add(informer.Event{Kind: informer.KindDistributed, Op: op, Key: key, RV: rv, N: 1})
		add(informer.Event{Kind: informer.KindProcessed, N: 1})
		add(informer.Event{Kind: informer.KindAccepted, Op: op, Key: key, RV: rv, Listener: 1, M: 1024})
		add(informer.Event{Kind: informer.KindDelivered, Op: op, Key: key, RV: rv, Listener: 1})
		add(informer.Event{Kind: informer.KindHandling, Op: op, Key: key, RV: rv, Listener: 1})
		add(informer.Event{Kind: informer.KindHandled, Op: op, Key: key, RV: rv, Listener: 1, Dur: time.Microsecond})
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
