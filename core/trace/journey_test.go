package trace

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"informerscope/core/informer"
)

func journeyOf(events []Event, key string) []string {
	var out []string
	for _, h := range Journey(func(_, _ uint64, fn func(*Event) bool) { iterate(events)(fn) }, key, 0, 1<<60) {
		s := fmt.Sprintf("%d %s %s %s %s", h.Change, h.Stage, h.Kind, h.Op, h.RV)
		if h.Of > 0 {
			s += fmt.Sprintf(" %d/%d", h.Position, h.Of)
		}
		out = append(out, strings.Join(strings.Fields(s), " "))
	}
	return out
}

func TestJourney(t *testing.T) {
	q := func(op informer.Op, key, rv string, n int) informer.Event {
		return informer.Event{Kind: informer.KindQueued, Op: op, Key: key, RV: rv, N: n}
	}
	on := func(k informer.Kind, op informer.Op, key, rv string) informer.Event {
		return informer.Event{Kind: k, Op: op, Key: key, RV: rv, Listener: 1}
	}
	for _, c := range []struct {
		name   string
		events []informer.Event
		want   []string
	}{
		{"RealFIFO, batches", []informer.Event{
			selected("1.37"),
			on(KindWireFrame, informer.OpUpdated, "a", "7"), on(informer.KindWatchEvent, informer.OpUpdated, "a", "7"),
			q(informer.OpUpdated, "z", "6", 1), q(informer.OpUpdated, "y", "6", 2), q(informer.OpUpdated, "a", "7", 3), q(informer.OpUpdated, "x", "8", 4),
			{Kind: informer.KindPopped, N: 1}, {Kind: informer.KindProcessed, N: 1},
			{Kind: informer.KindPopped, N: 2}, on(informer.KindStoreUpdated, informer.OpNone, "a", "7"),
			on(informer.KindDistributed, informer.OpUpdated, "a", "7"), {Kind: informer.KindProcessed, N: 2},
			on(informer.KindHandled, informer.OpUpdated, "a", "7"), on(KindWorkAdded, informer.OpNone, "a", ""),
			{Kind: informer.KindPopped, N: 1}, {Kind: informer.KindProcessed, N: 1},
			on(informer.KindWatchEvent, informer.OpDeleted, "a", "9"), q(informer.OpDeleted, "a", "9", 1),
		}, []string{"1 api WireFrame Updated 7", "1 reflector WatchEvent Updated 7", "1 queue Queued Updated 7 3/3", "1 queue Popped 2/2",
			"1 indexer StoreUpdated 7", "1 listener Distributed Updated 7", "1 queue Processed 2/2", "1 listener Handled Updated 7",
			"1 controller WorkAdded", "2 reflector WatchEvent Deleted 9", "2 queue Queued Deleted 9 1/1"}},
		{"a list, then it is gone from the next", []informer.Event{
			selected("1.37"),
			{Kind: informer.KindQueued, Op: informer.OpReplacedAll, RV: "5", N: 1, Items: []informer.Item{{Key: "b", RV: "2"}, {Key: "a", RV: "3"}}},
			{Kind: informer.KindPopped, N: 1}, {Kind: informer.KindStoreReplaced, Items: []informer.Item{{Key: "b"}, {Key: "a", RV: "3"}}},
			{Kind: informer.KindProcessed, N: 1},
			{Kind: informer.KindQueued, Op: informer.OpSyncAll, N: 1}, {Kind: informer.KindPopped, N: 1}, on(informer.KindDistributed, informer.OpUpdated, "a", "3"),
			{Kind: informer.KindProcessed, N: 1},
			{Kind: informer.KindQueued, Op: informer.OpReplacedAll, RV: "8", N: 1}, {Kind: informer.KindPopped, N: 1}, {Kind: informer.KindStoreReplaced},
			{Kind: informer.KindProcessed, N: 1},
			{Kind: informer.KindQueued, Op: informer.OpSyncAll, N: 1}, {Kind: informer.KindPopped, N: 1}, {Kind: informer.KindProcessed, N: 1},
		}, []string{"1 queue Queued ReplacedAll 3 1/1", "1 queue Popped 1/1", "1 indexer StoreReplaced 3 0/2", "1 queue Processed 1/1",
			"2 queue Queued SyncAll 1/1", "2 queue Popped 1/1", "2 listener Distributed Updated 3", "2 queue Processed 1/1",
			"3 queue Queued ReplacedAll 8 1/1", "3 queue Popped 1/1", "3 indexer StoreReplaced Deleted", "3 queue Processed 1/1"}},
		{"DeltaFIFO", []informer.Event{
			selected("1.31"), q(informer.OpAdded, "a", "1", 1), q(informer.OpAdded, "b", "2", 2),
			{Kind: informer.KindPopped, Key: "b", N: 1}, {Kind: informer.KindProcessed}, {Kind: informer.KindPopped, Key: "a", N: 1}, {Kind: informer.KindProcessed},
		}, []string{"1 queue Queued Added 1 1/1", "1 queue Popped 1/1", "1 queue Processed 1/1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			equal(t, "hops", journeyOf(script(c.events...), "a"), c.want)
		})
	}
	var many []informer.Event
	for i := range 2000 {
		many = append(many, on(informer.KindWatchEvent, informer.OpUpdated, "a", fmt.Sprint(i)))
	}
	hops := journeyOf(script(many...), "a")
	if len(hops) != maxHops || hops[len(hops)-1] != "2000 reflector WatchEvent Updated 1999" {
		t.Errorf("%d hops, the last is %s", len(hops), hops[len(hops)-1])
	}
}

func TestMarks(t *testing.T) {
	gone := &LoggedError{Message: "gone", Code: 410}
	for _, c := range []struct {
		e    informer.Event
		want string
		code int
	}{
		{informer.Event{Kind: informer.KindListWatchStarted, Text: "first list"}, "list", 0},
		{informer.Event{Kind: informer.KindListWatchStarted, Text: "gone"}, "relist", 0},
		{informer.Event{Kind: informer.KindListWatchStarted, Text: "pods is forbidden", Flag: true}, "list", 0},
		{informer.Event{Kind: informer.KindWatchClosed, Err: fmt.Errorf("wrapped: %w", gone)}, "error", 410},
		{informer.Event{Kind: informer.KindWatchClosed}, "", 0},
		{informer.Event{Kind: informer.KindRequestAnswered, Err: gone}, "error", 410},
		{informer.Event{Kind: informer.KindRequestAnswered}, "", 0},
		{informer.Event{Kind: informer.KindBackoff, Err: gone}, "backoff", 410},
		{informer.Event{Kind: informer.KindResyncDue}, "resync", 0},
		{informer.Event{Kind: informer.KindInformerSynced}, "sync", 0},
		{informer.Event{Kind: informer.KindHandled, Err: gone}, "panic", 0},
		{informer.Event{Kind: informer.KindHandled}, "", 0},
		{informer.Event{Kind: KindFault, Text: "cut", N: 1}, "fault", 0},
		{informer.Event{Kind: KindHold, N: 1, Flag: true}, "hold", 0},
		{informer.Event{Kind: KindTrouble, Err: gone}, "trouble", 0},
		{selected("1.37"), "selected", 0},
		{informer.Event{Kind: KindNote, Text: "look"}, "note", 0},
		{informer.Event{Kind: informer.KindQueued}, "", 0},
	} {
		m, ok := Marks(&Event{Seq: 3, At: 1500 * time.Microsecond, Lane: 1, Event: c.e})
		if ok != (c.want != "") || ok && (m.Kind != c.want || m.Code != c.code || m.Seq != 3 || m.AtMillis != 1.5 || m.Lane != 1) {
			t.Errorf("%s: %+v, %v; want %q, %d", KindName(c.e.Kind), m, ok, c.want, c.code)
		}
	}
}

func TestDensity(t *testing.T) {
	var d Density
	seq := uint64(0)
	add := func(at time.Duration) {
		seq++
		d.Add(&Event{Seq: seq, At: at})
	}
	for _, ms := range []int{0, 10, 249, 250, 1100} {
		add(time.Duration(ms) * time.Millisecond)
	}
	d.Add(&Event{Seq: 5, At: 0}) // again
	d.Add(&Event{Seq: 9, At: -1})
	equal(t, "bins", d.Bins(), []uint32{3, 1, 0, 0, 1})
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
