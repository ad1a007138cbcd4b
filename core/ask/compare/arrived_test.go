package compare

import (
	"reflect"
	"testing"
	"time"

	"informerscope/core/ask/analysis"
	"informerscope/core/log/facts"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
)

// TestTheComparisonWaitsForItsChips: at each moment after a release, the comparison in which the stations show an earlier moment is that of the earlier moment.
func TestTheComparisonWaitsForItsChips(t *testing.T) {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	rec.Emit(0, event.Selected{Selection: `{"source":"sim","resource":"pods","eras":["1.31","1.37"]}`}.Event())
	for lane := range uint8(2) {
		rec.Emit(lane, event.ListenerAdded{Listener: 1, Name: "printer"}.Event())
	}
	hold := rec.Emit(0, event.Hold{Stage: int(event.StagePop), Held: true}.Event())
	const n = 9 // more than a comparison names
	key := func(i int) string { return []string{"ns/a", "ns/b"}[i%2] }
	rv := func(i int) string { return string(rune('1' + i)) }
	for i := range n {
		for lane := range uint8(2) {
			rec.Emit(lane, event.WireFrame{Op: event.OpUpdated, Key: key(i), RV: rv(i)}.Event())
			rec.Emit(lane, event.WatchEvent{Op: event.OpUpdated, Key: key(i), RV: rv(i)}.Event())
			rec.Emit(lane, event.Queued{Op: event.OpUpdated, Key: key(i), RV: rv(i), Length: i + 1}.Event())
		}
	}
	release := rec.Emit(0, event.Hold{Stage: int(event.StagePop)}.Event())
	pos := release
	for _, i := range []int{1, 0, 2, 3, 4, 5, 6, 7, 8} { // the second lane's order differs
		pos = rec.Emit(1, event.Popped{Deltas: 1, Length: n - 1 - i}.Event())
		rec.Emit(1, event.Stored{Kind: event.KindStoreUpdated, Op: event.OpUpdated, Key: key(i), RV: rv(i)}.Event())
		pos = rec.Emit(1, event.Handling{Listener: 1, Op: event.OpUpdated, Key: key(i), RV: rv(i)}.Event())
	}
	marks := []analysis.Mark{{Seq: hold, Kind: "hold", Text: "pop", On: true}, {Seq: release, Kind: "hold", Text: "pop"}}
	at := func(seq, shown uint64) []facts.LaneComparison {
		m := heldPop(rec, seq)
		m.Marks, m.At, m.Queue, m.Indexer, m.Listeners = marks, time.Second, shown, shown, shown
		return new(Comparer).Compare(m).Lanes
	}
	for shown := release; shown <= pos; shown++ {
		if got, want := at(pos, shown), at(shown, 0); !reflect.DeepEqual(got, want) {
			t.Fatalf("event %d of %d is shown: the lanes are\n%+v, not\n%+v", shown, pos, got, want)
		}
	}
	if all := at(pos, 0)[1]; all.GivenCount != n || all.GivenLate == 0 || all.Waiting != 0 {
		t.Errorf("at the end the second lane has %+v", all)
	}
}
