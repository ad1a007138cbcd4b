package tracetest

import (
	"testing"

	"informerscope/core/informer"
	"informerscope/core/trace"
)

// log returns a log of these events after a selection and three listeners.
func log(events ...informer.Event) []trace.Event {
	all := []informer.Event{{Kind: trace.KindSelected, Text: `{"source":"sim","version":"v1","resource":"pods","eras":["1.37"]}`},
		{Kind: informer.KindInformerStarted, Release: informer.Release137}}
	for id := int32(1); id <= 3; id++ {
		all = append(all, informer.Event{Kind: informer.KindListenerAdded, Listener: id, Text: "handler", M: 1024})
	}
	var out []trace.Event
	for i, e := range append(all, events...) {
		out = append(out, trace.Event{Seq: uint64(i + 1), Event: e})
	}
	return out
}

// toldAll returns a handled call for each of the listeners.
func toldAll(op informer.Op, key, rv string, listeners ...int32) []informer.Event {
	var out []informer.Event
	for _, id := range listeners {
		out = append(out, informer.Event{Kind: informer.KindHandled, Listener: id, Op: op, Key: key, RV: rv})
	}
	return out
}

func stored(kind informer.Kind, key, rv string) informer.Event {
	return informer.Event{Kind: kind, Key: key, RV: rv}
}

func join(events ...[]informer.Event) (out []informer.Event) {
	for _, e := range events {
		out = append(out, e...)
	}
	return out
}

// TestLostFindsWhatIsLost: Lost reports each way in which something can be lost, and nothing when nothing is.
func TestLostFindsWhatIsLost(t *testing.T) {
	added, updated, deleted := stored(informer.KindStoreAdded, "ns/a", "1"), stored(informer.KindStoreUpdated, "ns/a", "2"),
		stored(informer.KindStoreDeleted, "ns/a", "2")
	failed := toldAll(informer.OpUpdated, "ns/a", "2", 3)
	failed[0].Err = errPanic{}
	for _, tt := range []struct {
		name   string
		events []informer.Event
		want   map[string]string
		says   string
	}{
		{"all is there", join([]informer.Event{added}, toldAll(informer.OpAdded, "ns/a", "1", 1, 2, 3), []informer.Event{updated},
			toldAll(informer.OpUpdated, "ns/a", "2", 1, 2, 3)),
			map[string]string{"ns/a": "2"}, ""},
		{"all is gone", join([]informer.Event{added}, toldAll(informer.OpAdded, "ns/a", "1", 1, 2, 3), []informer.Event{deleted},
			toldAll(informer.OpDeleted, "ns/a", "2", 1, 2, 3)),
			map[string]string{}, ""},
		{"the store is behind", join([]informer.Event{added}, toldAll(informer.OpAdded, "ns/a", "1", 1, 2, 3)),
			map[string]string{"ns/a": "2"}, "in the store ns/a is at 1, not 2"},
		{"the store lacks one", nil, map[string]string{"ns/a": "2"}, "in the store ns/a is missing"},
		{"the store has one too many", join([]informer.Event{added}, toldAll(informer.OpAdded, "ns/a", "1", 1, 2, 3)), map[string]string{},
			"in the store ns/a should be gone"},
		{"one handler was not told", join([]informer.Event{added}, toldAll(informer.OpAdded, "ns/a", "1", 1, 3)),
			map[string]string{"ns/a": "1"}, "as handler 2 was told last ns/a is missing"},
		{"one was not told of the last version", join([]informer.Event{added}, toldAll(informer.OpAdded, "ns/a", "1", 1, 2, 3),
			[]informer.Event{updated}, toldAll(informer.OpUpdated, "ns/a", "2", 1, 2)),
			map[string]string{"ns/a": "2"}, "as handler 3 was told last ns/a is at 1, not 2"},
		{"one was told and failed", join([]informer.Event{added}, toldAll(informer.OpAdded, "ns/a", "1", 1, 2, 3),
			[]informer.Event{updated}, toldAll(informer.OpUpdated, "ns/a", "2", 1, 2), failed),
			map[string]string{"ns/a": "2"}, "as handler 3 was told last ns/a is at 1, not 2"},
		{"one was not told of the end", join([]informer.Event{added}, toldAll(informer.OpAdded, "ns/a", "1", 1, 2, 3),
			[]informer.Event{deleted}, toldAll(informer.OpDeleted, "ns/a", "2", 2, 3)),
			map[string]string{}, "as handler 1 was told last ns/a should be gone"},
	} {
		if got := Lost(log(tt.events...), 0, tt.want); got != tt.says {
			t.Errorf("%s: it says %q, want %q", tt.name, got, tt.says)
		}
	}
}

type errPanic struct{}

func (errPanic) Error() string { return "a panic" }
