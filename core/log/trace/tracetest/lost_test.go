package tracetest

import (
	"testing"

	"informerscope/core/words/event"
)

// log returns a log of these events after a selection and three listeners.
func log(events ...event.Event) []event.Entry {
	all := []event.Event{event.Selected{Selection: `{"source":"sim","version":"v1","resource":"pods","eras":["1.37"]}`}.Event(),
		event.InformerStarted{Release: "1.37"}.Event()}
	for id := int32(1); id <= 3; id++ {
		all = append(all, event.ListenerAdded{Listener: id, Name: "handler", Capacity: 1024}.Event())
	}
	var out []event.Entry
	for i, e := range append(all, events...) {
		out = append(out, event.Entry{Seq: uint64(i + 1), Event: e})
	}
	return out
}

// handleAll returns a handled call for each of the listeners.
func handleAll(op event.Op, key, rv string, listeners ...int32) []event.Event {
	var out []event.Event
	for _, id := range listeners {
		out = append(out, event.Handled{Listener: id, Op: op, Key: key, RV: rv}.Event())
	}
	return out
}

func storeEvent(kind event.Kind, key, rv string) event.Event {
	return event.New(kind, event.Members{Key: key, RV: rv})
}

func join(events ...[]event.Event) (out []event.Event) {
	for _, e := range events {
		out = append(out, e...)
	}
	return out
}

// TestLostFindsWhatIsLost: Lost reports each way in which something can be lost, and nothing when nothing is.
func TestLostFindsWhatIsLost(t *testing.T) {
	added, updated, deleted := storeEvent(event.KindStoreAdded, "ns/a", "1"), storeEvent(event.KindStoreUpdated, "ns/a", "2"),
		storeEvent(event.KindStoreDeleted, "ns/a", "2")
	failed := handleAll(event.OpUpdated, "ns/a", "2", 3)
	failed[0] = event.Handled{Listener: 3, Op: event.OpUpdated, Key: "ns/a", RV: "2", Err: errPanic{}}.Event()
	for _, tt := range []struct {
		name   string
		events []event.Event
		want   map[string]string
		says   string
	}{
		{"all is there", join([]event.Event{added}, handleAll(event.OpAdded, "ns/a", "1", 1, 2, 3), []event.Event{updated},
			handleAll(event.OpUpdated, "ns/a", "2", 1, 2, 3)),
			map[string]string{"ns/a": "2"}, ""},
		{"all is gone", join([]event.Event{added}, handleAll(event.OpAdded, "ns/a", "1", 1, 2, 3), []event.Event{deleted},
			handleAll(event.OpDeleted, "ns/a", "2", 1, 2, 3)),
			map[string]string{}, ""},
		{"the store is behind", join([]event.Event{added}, handleAll(event.OpAdded, "ns/a", "1", 1, 2, 3)),
			map[string]string{"ns/a": "2"}, "in the store ns/a is at 1, not 2"},
		{"the store lacks one", nil, map[string]string{"ns/a": "2"}, "in the store ns/a is missing"},
		{"the store has one too many", join([]event.Event{added}, handleAll(event.OpAdded, "ns/a", "1", 1, 2, 3)), map[string]string{},
			"in the store ns/a should be gone"},
		{"one handler was not called", join([]event.Event{added}, handleAll(event.OpAdded, "ns/a", "1", 1, 3)),
			map[string]string{"ns/a": "1"}, "by the last calls of handler 2 ns/a is missing"},
		{"one was not called for the last version", join([]event.Event{added}, handleAll(event.OpAdded, "ns/a", "1", 1, 2, 3),
			[]event.Event{updated}, handleAll(event.OpUpdated, "ns/a", "2", 1, 2)),
			map[string]string{"ns/a": "2"}, "by the last calls of handler 3 ns/a is at 1, not 2"},
		{"one was called and failed", join([]event.Event{added}, handleAll(event.OpAdded, "ns/a", "1", 1, 2, 3),
			[]event.Event{updated}, handleAll(event.OpUpdated, "ns/a", "2", 1, 2), failed),
			map[string]string{"ns/a": "2"}, "by the last calls of handler 3 ns/a is at 1, not 2"},
		{"one was not called for the deletion", join([]event.Event{added}, handleAll(event.OpAdded, "ns/a", "1", 1, 2, 3),
			[]event.Event{deleted}, handleAll(event.OpDeleted, "ns/a", "2", 2, 3)),
			map[string]string{}, "by the last calls of handler 1 ns/a should be gone"},
	} {
		if got := DescribeLost(log(tt.events...), 0, tt.want); got != tt.says {
			t.Errorf("%s: it says %q, want %q", tt.name, got, tt.says)
		}
	}
}

type errPanic struct{}

func (errPanic) Error() string { return "a panic" }
