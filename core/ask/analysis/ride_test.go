package analysis

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"informerscope/core/log/fold/foldtest"
	"informerscope/core/words/event"
)

// rides formats a ride, one hop a line.
func rides(r Ride) []string {
	out := []string{fmt.Sprintf("%s lane %d listener %d whole %v %v µs", r.Key, r.Lane, r.Listener, r.Whole, r.Micros)}
	for _, h := range r.Hops {
		out = append(out, fmt.Sprintf("%d +%v %s %s %s", h.Seq, h.SinceMicros, h.Stage, h.Kind, h.Function))
	}
	return out
}

func TestRideOf(t *testing.T) {
	on := func(k event.Kind, listener int32) event.Event {
		return event.New(k, event.Members{Op: event.OpUpdated, Key: "a", RV: "7", Listener: listener})
	}
	change := []event.Event{
		on(event.KindWireFrame, 0), on(event.KindWatchEvent, 0),
		event.Queued{Op: event.OpUpdated, Key: "a", RV: "7", Length: 1}.Event(), event.Popped{Deltas: 1}.Event(), on(event.KindStoreUpdated, 0),
		on(event.KindDistributed, 0), event.Processed{Deltas: 1}.Event(), on(event.KindAccepted, 1), on(event.KindAccepted, 2),
		on(event.KindHandling, 1), on(event.KindHandled, 1), on(event.KindHandling, 2), on(event.KindWorkAdded, 0), on(event.KindHandled, 2),
	}
	events := append([]event.Event{foldtest.SelectionEvent("1.37")}, change...)
	second := append([]event.Event(nil), change[:5]...)
	for i := range second {
		if second[i].Key() != "" {
			m := second[i].Members()
			m.RV = "8"
			second[i] = event.New(second[i].Kind, m)
		}
	}
	hops := func(events []event.Event) []Hop {
		l := foldtest.Script(events...)
		for i := range l {
			l[i].At = time.Duration(i*i) * time.Microsecond
		}
		return Journey(func(from, to uint64, fn func(*event.Entry) bool) {
			for i := range l {
				fn(&l[i])
			}
		}, "a", 1, uint64(len(l)))
	}
	whole := []string{"a lane 0 listener 2 whole true 195 µs",
		"2 +0 api WireFrame StreamWatcher.receive", "3 +3 reflector WatchEvent handleAnyWatch", "4 +5 queue Queued RealFIFO.addToItems_locked",
		"5 +7 queue Popped RealFIFO.Pop", "6 +9 indexer StoreUpdated threadSafeMap.Update", "7 +11 listener Distributed sharedProcessor.distribute",
		"8 +13 queue Processed processDeltas", "10 +32 listener Accepted processorListener.add", "13 +63 listener Handling ResourceEventHandler.OnUpdate",
		"14 +25 controller WorkAdded Typed.Add", "15 +27 listener Handled ResourceEventHandler.OnUpdate"}
	foldtest.Equal(t, "the change that a handler returned from", rides(RideOf(hops(events), "a", 0, 15, false)), whole)
	// A newer change is under way: the one before it is whole.
	both := append(slices.Clone(events), second...)
	foldtest.Equal(t, "a newer change under way", rides(RideOf(hops(both), "a", 0, 20, false)), whole)
	// Before it began the first change is shown, and nothing if there is none.
	foldtest.Equal(t, "before it began", rides(RideOf(hops(both), "a", 0, 1, false)), whole)
	foldtest.Equal(t, "under way alone", rides(RideOf(hops(append([]event.Event{foldtest.SelectionEvent("1.31")}, second...)), "a", 0, 9, true)), []string{
		"a lane 0 listener 0 whole false 24 µs", "2 +0 api WireFrame StreamWatcher.receive", "3 +3 reflector WatchEvent handleAnyWatch",
		"4 +5 queue Queued DeltaFIFO.queueActionInternalLocked", "5 +7 queue Popped DeltaFIFO.Pop",
		"6 +9 indexer StoreUpdated threadSafeMap.Update"})
	foldtest.Equal(t, "nothing", rides(RideOf(nil, "a", 0, 9, false)), []string{"a lane 0 listener 0 whole false 0 µs"})
	foldtest.Equal(t, "another lane", rides(RideOf(hops(events), "a", 1, 9, false))[:1], []string{"a lane 1 listener 0 whole false 0 µs"})
}

// TestEveryHopHasAFunction: every kind of hop in a journey names a function.
func TestEveryHopHasAFunction(t *testing.T) {
	for k := event.Kind(0); k < 255; k++ {
		j := &journey{key: "a"}
		j.see(&event.Entry{Seq: 1, Event: event.New(k, event.Members{Op: event.OpUpdated, Key: "a", RV: "1", Listener: 1})})
		for _, h := range j.hops {
			if Functions[h.Kind] == "" {
				t.Errorf("%s has no function", h.Kind)
			}
		}
	}
}
