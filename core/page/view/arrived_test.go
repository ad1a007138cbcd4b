package view

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// foldOf returns the fold of a log that selects this, and has these events in a lane.
func foldOf(t *testing.T, sel event.Selection, events ...event.Entry) *fold.Fold {
	t.Helper()
	text, err := json.Marshal(sel)
	if err != nil {
		t.Fatal(err)
	}
	f := fold.NewFold()
	for i, e := range append([]event.Entry{{Event: event.Selected{Selection: string(text)}.Event()}}, events...) {
		e.Seq, e.At = uint64(i+1), time.Duration(i)*time.Second
		f.Apply(&e)
	}
	return f
}

// TestAForkWaitsForItsChips: the handlers of a fork, and where it parts, are those that the listeners show; its stores are those that the Indexers show.
func TestAForkWaitsForItsChips(t *testing.T) {
	sel := event.Selection{Source: "sim", Version: "v1", Resource: "pods", Releases: []string{"1.37"}, Fork: "0:fault:cut"}
	events := []event.Entry{
		{Event: event.ListenerAdded{Listener: 1, Name: "printer"}.Event()},
		{Event: event.Stored{Kind: event.KindStoreAdded, Op: event.OpAdded, Key: "ns/a", RV: "7"}.Event()},
		{Event: event.Handling{Listener: 1, Op: event.OpAdded, Key: "ns/a", RV: "7"}.Event()},
		{Event: event.Stored{Kind: event.KindStoreAdded, Op: event.OpAdded, Key: "ns/b", RV: "8"}.Event()},
	}
	shown := allAt(foldOf(t, sel, events...), 0)
	shown[atIndexer].Fold = foldOf(t, sel, events[:2]...)
	shown[atListeners].Fold = foldOf(t, sel, events[:1]...)
	got := forkAt(shown[atAPI].Fold, &shown)
	if got.Stores.Counts != [2]int{1, 0} || got.Handlers[0].Calls[0].Added != 0 || got.Parting != nil {
		t.Errorf("the chips have brought one object to the store and none to a handler, and the fork shows %+v", got)
	}
	shown = allAt(shown[atAPI].Fold, 0)
	if got := forkAt(shown[atAPI].Fold, &shown); !reflect.DeepEqual(got, shown[atAPI].Fork()) || got.Handlers[0].Calls[0].Added != 1 || got.Stores.Counts[0] != 2 {
		t.Errorf("all chips have come, and the fork shows %+v", got)
	}
}

// TestADuplicateShowsForAMinute: the duplicate that a run made after an old read shows through the runs after it.
func TestADuplicateShowsForAMinute(t *testing.T) {
	sel := event.Selection{Source: "probe", Version: "v1", Resource: "configmaps", Releases: []string{"1.37"}}
	of := []event.Item{{Key: "", Indexed: []event.IndexValues{{Index: "resource", Values: []string{"configmaps"}}}}}
	events := []event.Entry{{Event: event.ListenerAdded{Listener: 1, Name: "printer"}.Event()}}
	run := func(made, rv string) {
		for _, e := range []event.Event{
			event.Work{Kind: event.KindWorkAdded, Key: "ns/a", N: 1, Op: event.OpUpdated, Object: "ns/a", RV: "7", Worker: 1, Lane: 1}.Event(),
			event.Work{Kind: event.KindWorkTaken, Key: "ns/a", Worker: 1}.Event(), event.ListerList{Worker: 1, Lane: 1}.Event()} {
			events = append(events, event.Entry{Event: e})
		}
		if made != "" {
			answer := slices.Clone(of)
			answer[0].Key = made
			events = append(events, event.Entry{Event: event.ClusterWrite{Key: "ns/a", Verb: http.MethodPost, Worker: 1, Lane: 1, Objects: of}.Event()},
				event.Entry{Event: event.ClusterWritten{Key: "ns/a", Verb: http.MethodPost, Worker: 1, RV: rv, Lane: 1, Objects: answer}.Event()})
		}
		events = append(events, event.Entry{Event: event.Work{Kind: event.KindWorkDone, Key: "ns/a", Worker: 1}.Event()})
	}
	run("ns/a-1", "101")
	run("ns/a-2", "102")
	run("", "")
	shown := allAt(foldOf(t, sel, events...), 0)
	x := factInputs{stationFold: shown[atIndexer], stations: &shown, state: stateAt(0, &shown)}
	if got := x.lens(); got == nil || got.Twice != "ns/a" || got.Duplicate != "ns/a-2" || got.Had != "ns/a-1" ||
		len(got.LastReads) != 1 || got.LastReads[0].Resource != "configmaps" || len(got.LastWrites) != 0 {
		t.Errorf("the controller shows %+v", got)
	}
	shown[atController].Fold = foldOf(t, sel, events[:len(events)-4]...) // the second run has just ended
	if got := x.lens(); len(got.LastReads) != 1 || len(got.LastWrites) != 1 || got.LastWrites[0].Key != "ns/a-2" || got.LastWrites[0].RV != "102" {
		t.Errorf("the second run shows %+v", got)
	}
	if shown[atController].moment += time.Minute; x.lens().Twice != "" {
		t.Errorf("a minute later the controller shows %+v", x.lens())
	}
}

// TestWhatWokeAControllerWaitsForItsChip: what woke a key is that of the run which the controller shows.
func TestWhatWokeAControllerWaitsForItsChip(t *testing.T) {
	sel := event.Selection{Source: "probe", Version: "v1", Resource: "configmaps", Releases: []string{"1.37"}}
	events := []event.Entry{{Event: event.ListenerAdded{Listener: 1, Name: "printer"}.Event()}}
	for _, key := range []string{"ns/a", "ns/b"} {
		events = append(events,
			event.Entry{Event: event.Work{Kind: event.KindWorkAdded, Key: key, N: 1, Op: event.OpUpdated, Object: key, RV: "7", Worker: 1, Lane: 1}.Event()},
			event.Entry{Event: event.Work{Kind: event.KindWorkTaken, Key: key, Worker: 1}.Event()},
			event.Entry{Event: event.Work{Kind: event.KindWorkDone, Key: key, Worker: 1}.Event()})
	}
	shown := allAt(foldOf(t, sel, events...), 0)
	shown[atController].Fold = foldOf(t, sel, events[:4]...)
	x := factInputs{stationFold: shown[atIndexer], stations: &shown, state: stateAt(0, &shown)}
	if got := x.lens(); got == nil || got.Key != "ns/a" || got.Source != "printer" {
		t.Errorf("the controller shows %+v, and the chip of ns/b has not come", got)
	}
}
