package broadcast

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"informerscope/core/log/trace"
	"informerscope/core/words/event"
)

// checkUnchanged checks a segment and changes no text of it.
func checkUnchanged(segment []byte, bodies bool) ([]byte, error) {
	out, _, err := Check(segment, Checks{Bodies: bodies, Text: func(s string) string { return s }})
	return out, err
}

// segmentOf is a segment that restores a log before its event 1, of the lines given.
func segmentOf(t testing.TB, events int, lines string) []byte {
	t.Helper()
	return packLines(t, fmt.Sprintf(`{"format":%q,"version":%d,"n":1,"checkpoint":true,"fresh":true,"end":false,"seq":1,"head":%d,"at":1}`, Format, Version, events)+
		"\n"+lines)
}

// fillText is before, then as many units as a segment of 4 MiB takes, then after.
func fillText(before, unit, after string) string {
	n := (MaxUnpacked - 4096 - len(before) - len(after)) / len(unit)
	return before + strings.TrimSuffix(strings.Repeat(unit, n), ",") + after + "\n"
}

// TestCheckMakesLittle: whatever lists a segment of 4 MiB brings, what is made of them to refuse or to rewrite it is some tens of megabytes.
func TestCheckMakesLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	const ceiling = 256 << 20 // of everything that was allocated, freed or not; pools give back less under the race detector
	list := func(unit string, n int) string { return strings.TrimSuffix(strings.Repeat(unit, n), ",") }
	restored := func(list string) string { return `{"s":0,"t":0,"k":"Restored","txt":"{` + list }
	for what, x := range map[string]struct {
		lines   string
		refused bool
	}{
		"listeners":       {fillText(restored(`\"listeners\":[`), `{},`, `]}"}`), true},
		"some listeners":  {restored(`\"listeners\":[`) + list(`{\"handling\":{},\"lastMet\":{}},`, 1<<14-8) + `]}"}` + "\n", true},
		"states":          {fillText(restored(`\"lanes\":[`), `{},`, `]}"}`), true},
		"nested states":   {fillText(restored(`\"lanes\":[`), `{\"lanes\":[`, `"}`), true},
		"deltas":          {fillText(restored(`\"queue\":{\"items\":[{\"deltas\":[`), `{},`, `]}]}}"}`), true},
		"mutations":       {fillText(restored(`\"indexer\":{\"mutations\":[`), `{},`, `]}}"}`), true},
		"indices":         {fillText(restored(`\"indexer\":{\"indices\":{`), `\"aaaa\":{},`, `}}}"}`), true},
		"resources":       {fillText(`{"s":0,"t":0,"k":"Selected","txt":"{\"resources\":[`, `{},`, `]}"}`), true},
		"sampled":         {fillText(`{"s":1,"t":0,"k":"Sampled","txt":"{\"listeners\":[`, `{},`, `]}"}`), true},
		"items":           {fillText(`{"s":1,"t":0,"k":"StoreReplaced","items":[`, `{},`, `]}`), true},
		"items' objects":  {fillText(`{"s":1,"t":0,"k":"StoreReplaced","items":[`, `{"obj":{}},`, `]}`), true},
		"items in lines":  {fillText("", `{"s":1,"t":0,"k":"StoreReplaced","more":true,"items":[`+list(`{},`, 30_000)+"]}\n", ""), true},
		"index values":    {fillText(`{"s":1,"t":0,"k":"StoreAdded","ix":[`, `{},`, `]}`), true},
		"values":          {fillText(`{"s":1,"t":0,"k":"StoreAdded","ix":[{"i":"a","v":[`, `"",`, `]}]}`), true},
		"members":         {fillText(`{"s":1,"t":0,"k":"StoreAdded","obj":{"id":1,"raw":{`, `"a":0,`, `}}}`), true},
		"an object":       {fillText(`{"s":1,"t":0,"k":"StoreAdded","obj":{"id":1,"raw":{"spec":[`, `[],`, `]}}}`), false},
		"an object, deep": {`{"s":1,"t":0,"k":"StoreAdded","obj":{"id":1,"raw":{"spec":` + strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20) + "}}}\n", true},
		"lines":           {fillText("", "{}\n", ""), true},
	} {
		t.Run(what, func(t *testing.T) {
			segment := segmentOf(t, 1, x.lines)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := checkUnchanged(segment, true)
			runtime.ReadMemStats(&after)
			if (err != nil) != x.refused {
				t.Errorf("%v", err)
			}
			made := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d bytes, %d KiB made: %v", len(segment), made>>10, err)
			if made > ceiling {
				t.Errorf("%d MiB were made of %d bytes", made>>20, len(segment))
			}
		})
	}
}

// TestAFullLogIsWithinTheBounds: the longest lists that a page can have pass.
func TestAFullLogIsWithinTheBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	s := newSpeaker(3, trace.RecorderOptions{})
	s.emitSelected("1.37")
	for i := range 1000 {
		s.rec.Emit(0, event.ListenerAdded{Listener: int32(i + 2), Name: "one of many", Capacity: 1024}.Event())
	}
	s.emitReplaced(0, 20_000, 10)
	for i := range 20_000 {
		key := fmt.Sprintf("ns/p%d", i)
		s.rec.Emit(0, event.Work{Kind: event.KindWorkWaiting, Key: key, Dur: 1 << 40}.Event())
		s.rec.Emit(0, event.Mutated{Key: key, RV: "1", Listener: 1, Stored: true,
			Change: `{"label":"app","was":"a","is":"b"}`, Obj: s.thing(key, 5)}.Event())
	}
	f := NewFollower(trace.NewRecorder(trace.RecorderOptions{}), decodeThing)
	for _, seg := range cutAll(t, NewCutter(s.rec, CutterOptions{History: 1000})) {
		out, err := checkUnchanged(seg.Bytes, true)
		if err != nil {
			t.Fatalf("segment %d: %v", seg.N, err)
		}
		apply(t, f, Segment{Bytes: out})
	}
	head, _ := f.rec.Head()
	if got := f.rec.FoldAt(head).State().Indexer.Mutated; got != 20_000 {
		t.Errorf("%d objects are mutated for a follower", got)
	}
}
