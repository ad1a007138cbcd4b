package analysis

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/core/log/fold/foldtest"
	"informerscope/core/words/event"
)

func journeyOf(events []event.Entry, key string) []string {
	var out []string
	for _, h := range Journey(func(_, _ uint64, fn func(*event.Entry) bool) { foldtest.Iterate(events)(fn) }, key, 0, 1<<60) {
		s := fmt.Sprintf("%d %s %s %s %s", h.Change, h.Stage, h.Kind, h.Op, h.RV)
		if h.Total > 0 {
			s += fmt.Sprintf(" %d/%d", h.Position, h.Total)
		}
		out = append(out, strings.Join(strings.Fields(s), " "))
	}
	return out
}

func TestJourney(t *testing.T) {
	q := func(op event.Op, key, rv string, n int) event.Event {
		return event.Queued{Op: op, Key: key, RV: rv, Length: n}.Event()
	}
	on := func(k event.Kind, op event.Op, key, rv string) event.Event {
		return event.New(k, event.Members{Op: op, Key: key, RV: rv, Listener: 1})
	}
	for _, c := range []struct {
		name   string
		events []event.Event
		want   []string
	}{
		{"RealFIFO, batches", []event.Event{
			foldtest.SelectionEvent("1.37"),
			on(event.KindWireFrame, event.OpUpdated, "a", "7"), on(event.KindWatchEvent, event.OpUpdated, "a", "7"),
			q(event.OpUpdated, "z", "6", 1), q(event.OpUpdated, "y", "6", 2), q(event.OpUpdated, "a", "7", 3), q(event.OpUpdated, "x", "8", 4),
			event.Popped{Deltas: 1}.Event(), event.Processed{Deltas: 1}.Event(),
			event.Popped{Deltas: 2}.Event(), on(event.KindStoreUpdated, event.OpNone, "a", "7"),
			on(event.KindDistributed, event.OpUpdated, "a", "7"), event.Processed{Deltas: 2}.Event(),
			on(event.KindHandled, event.OpUpdated, "a", "7"), on(event.KindWorkAdded, event.OpNone, "a", ""),
			event.Popped{Deltas: 1}.Event(), event.Processed{Deltas: 1}.Event(),
			on(event.KindWatchEvent, event.OpDeleted, "a", "9"), q(event.OpDeleted, "a", "9", 1),
		}, []string{"1 api WireFrame Updated 7", "1 reflector WatchEvent Updated 7", "1 queue Queued Updated 7 3/3", "1 queue Popped 2/2",
			"1 indexer StoreUpdated 7", "1 listener Distributed Updated 7", "1 queue Processed 2/2", "1 listener Handled Updated 7",
			"1 controller WorkAdded", "2 reflector WatchEvent Deleted 9", "2 queue Queued Deleted 9 1/1"}},
		{"a list, then it is gone from the next", []event.Event{
			foldtest.SelectionEvent("1.37"),
			event.Queued{Op: event.OpReplacedAll, RV: "5", Length: 1, Items: []event.Item{{Key: "b", RV: "2"}, {Key: "a", RV: "3"}}}.Event(),
			event.Popped{Deltas: 1}.Event(), event.StoreReplaced{Items: []event.Item{{Key: "b"}, {Key: "a", RV: "3"}}}.Event(),
			event.Processed{Deltas: 1}.Event(),
			event.Queued{Op: event.OpSyncAll, Length: 1}.Event(), event.Popped{Deltas: 1}.Event(), on(event.KindDistributed, event.OpUpdated, "a", "3"),
			event.Processed{Deltas: 1}.Event(),
			event.Queued{Op: event.OpReplacedAll, RV: "8", Length: 1}.Event(), event.Popped{Deltas: 1}.Event(), {Kind: event.KindStoreReplaced},
			event.Processed{Deltas: 1}.Event(),
			event.Queued{Op: event.OpSyncAll, Length: 1}.Event(), event.Popped{Deltas: 1}.Event(), event.Processed{Deltas: 1}.Event(),
		}, []string{"1 queue Queued ReplacedAll 3 1/1", "1 queue Popped 1/1", "1 indexer StoreReplaced 3 0/2", "1 queue Processed 1/1",
			"2 queue Queued SyncAll 1/1", "2 queue Popped 1/1", "2 listener Distributed Updated 3", "2 queue Processed 1/1",
			"3 queue Queued ReplacedAll 8 1/1", "3 queue Popped 1/1", "3 indexer StoreReplaced Deleted", "3 queue Processed 1/1"}},
		{"the next change comes while a handler and a worker are busy with the last", []event.Event{
			foldtest.SelectionEvent("1.37"),
			on(event.KindWatchEvent, event.OpUpdated, "a", "7"), q(event.OpUpdated, "a", "7", 1),
			event.Popped{Deltas: 1}.Event(), on(event.KindStoreUpdated, event.OpNone, "a", "7"), on(event.KindDistributed, event.OpUpdated, "a", "7"),
			event.Processed{Deltas: 1}.Event(), on(event.KindHandling, event.OpUpdated, "a", "7"),
			on(event.KindWatchEvent, event.OpUpdated, "a", "8"), q(event.OpUpdated, "a", "8", 1),
			on(event.KindWorkAdded, event.OpNone, "a", "7"), on(event.KindHandled, event.OpUpdated, "a", "7"),
			on(event.KindWorkTaken, event.OpNone, "a", ""),
			event.Popped{Deltas: 1}.Event(), on(event.KindStoreUpdated, event.OpNone, "a", "8"), on(event.KindDistributed, event.OpUpdated, "a", "8"),
			on(event.KindHandling, event.OpUpdated, "a", "8"), on(event.KindWorkMarkedDirty, event.OpNone, "a", "8"),
			on(event.KindHandled, event.OpUpdated, "a", "8"), on(event.KindReconciled, event.OpNone, "a", ""), on(event.KindWorkDone, event.OpNone, "a", ""),
			on(event.KindWorkTaken, event.OpNone, "a", ""), on(event.KindWorkDone, event.OpNone, "a", ""),
		}, []string{"1 reflector WatchEvent Updated 7", "1 queue Queued Updated 7 1/1", "1 queue Popped 1/1", "1 indexer StoreUpdated 7",
			"1 listener Distributed Updated 7", "1 queue Processed 1/1", "1 listener Handling Updated 7", "2 reflector WatchEvent Updated 8",
			"2 queue Queued Updated 8 1/1", "1 controller WorkAdded 7", "1 listener Handled Updated 7", "1 controller WorkTaken", "2 queue Popped 1/1",
			"2 indexer StoreUpdated 8", "2 listener Distributed Updated 8", "2 listener Handling Updated 8", "2 controller WorkMarkedDirty 8",
			"2 listener Handled Updated 8", "1 controller Reconciled", "1 controller WorkDone", "2 controller WorkTaken", "2 controller WorkDone"}},
		{"DeltaFIFO", []event.Event{
			foldtest.SelectionEvent("1.31"), q(event.OpAdded, "a", "1", 1), q(event.OpAdded, "b", "2", 2),
			event.Popped{Key: "b", Deltas: 1}.Event(), {Kind: event.KindProcessed}, event.Popped{Key: "a", Deltas: 1}.Event(), {Kind: event.KindProcessed},
		}, []string{"1 queue Queued Added 1 1/1", "1 queue Popped 1/1", "1 queue Processed 1/1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			foldtest.Equal(t, "hops", journeyOf(foldtest.Script(c.events...), "a"), c.want)
		})
	}
	var many []event.Event
	for i := range 2000 {
		many = append(many, on(event.KindWatchEvent, event.OpUpdated, "a", fmt.Sprint(i)))
	}
	hops := journeyOf(foldtest.Script(many...), "a")
	if len(hops) != maxHops || hops[len(hops)-1] != "2000 reflector WatchEvent Updated 1999" {
		t.Errorf("%d hops, the last is %s", len(hops), hops[len(hops)-1])
	}
}

func TestMarks(t *testing.T) {
	gone := &event.LoggedError{Message: "gone", Code: 410}
	for _, c := range []struct {
		e    event.Event
		want string
		code int
	}{
		{event.ListWatchStarted{Why: "first list"}.Event(), "list", 0},
		{event.ListWatchStarted{Why: "gone"}.Event(), "relist", 0},
		{event.ListWatchStarted{Why: "pods is forbidden", First: true}.Event(), "list", 0},
		{event.WatchClosed{Err: fmt.Errorf("wrapped: %w", gone)}.Event(), "error", 410},
		{event.Event{Kind: event.KindWatchClosed}, "", 0},
		{event.RequestAnswered{Err: gone}.Event(), "error", 410},
		{event.Event{Kind: event.KindRequestAnswered}, "", 0},
		{event.Backoff{Err: gone}.Event(), "backoff", 410},
		{event.Event{Kind: event.KindResyncDue}, "resync", 0},
		{event.Event{Kind: event.KindInformerSynced}, "sync", 0},
		{event.Handled{Err: gone}.Event(), "panic", 0},
		{event.Event{Kind: event.KindHandled}, "", 0},
		{event.Fault{Name: "cut", Struck: 1}.Event(), "fault", 0},
		{event.Hold{Stage: 1, Held: true}.Event(), "hold", 0},
		{event.Trouble{Err: gone}.Event(), "trouble", 0},
		{foldtest.SelectionEvent("1.37"), "selected", 0},
		{event.Note{Text: "look"}.Event(), "note", 0},
		{event.Audit{Mark: true, Status: 200, Write: `{"author":"kubectl"}`}.Event(), "write", 0},
		{event.Audit{Mark: true, Status: 403, Write: `{"author":"kubectl"}`}.Event(), "write", 403},
		{event.Audit{Status: 200, Write: `{"author":"kubelet"}`}.Event(), "", 0},
		{event.Audit{Mark: true, Write: `{`}.Event(), "", 0},
		{event.Event{Kind: event.KindQueued}, "", 0},
	} {
		m, ok := Marks(&event.Entry{Seq: 3, At: 1500 * time.Microsecond, Lane: 1, Event: c.e})
		if ok != (c.want != "") || ok && (m.Kind != c.want || m.Code != c.code || m.Seq != 3 || m.AtMillis != 1.5 || m.Lane != 1) {
			t.Errorf("%s: %+v, %v; want %q, %d", event.KindName(c.e.Kind), m, ok, c.want, c.code)
		}
	}
}

func TestDensity(t *testing.T) {
	var d Density
	seq := uint64(0)
	add := func(at time.Duration) {
		seq++
		d.Add(&event.Entry{Seq: seq, At: at})
	}
	for _, ms := range []int{0, 10, 249, 250, 1100} {
		add(time.Duration(ms) * time.Millisecond)
	}
	d.Add(&event.Entry{Seq: 5, At: 0}) // again
	d.Add(&event.Entry{Seq: 9, At: -1})
	foldtest.Equal(t, "bins", d.Bins(), []uint32{3, 1, 0, 0, 1})
	if from, bins := d.From(300 * time.Millisecond); from != 250*time.Millisecond || len(bins) != 4 {
		t.Errorf("From: %v, %v", from, bins)
	}
	if from, bins := d.From(time.Hour); from != 1250*time.Millisecond || bins != nil {
		t.Errorf("From after the end: %v, %v", from, bins)
	}
	add(time.Hour)
	add(2 * time.Hour) // more bins than are kept
	if n := len(d.Bins()); n != maxBins || d.First() != 2*time.Hour-time.Duration(maxBins-1)*DensityBin || d.Bins()[n-1] != 1 {
		t.Errorf("%d bins from %v", n, d.First())
	}
	add(1 << 62) // a damaged time
	if n := len(d.Bins()); n != 1 || d.Seq() != seq {
		t.Errorf("%d bins", n)
	}
}
