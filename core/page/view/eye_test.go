package view

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"informerscope/core/log/facts"
	"informerscope/core/words/event"
)

// TestThePageHasTheSameLegs: chips on the page travel as long as their stations wait for them.
func TestThePageHasTheSameLegs(t *testing.T) {
	script, err := os.ReadFile("../../../web/wire/eye.js")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^export const legs = \{ (.*) \};$`).FindSubmatch(script)
	if line == nil {
		t.Fatal("web/wire/eye.js has no legs")
	}
	found := regexp.MustCompile(`(\w+): (\d+)`).FindAllSubmatch(line[1], -1)
	if len(found) != len(legs) {
		t.Fatalf("web/wire/eye.js has %d legs, want %d", len(found), len(legs))
	}
	for i, leg := range legs {
		if millis, _ := strconv.ParseFloat(string(found[i][2]), 64); string(found[i][1]) != leg.path || millis != leg.millis {
			t.Errorf("leg %d of web/wire/eye.js is %s, want %s: %g", i, found[i][0], leg.path, leg.millis)
		}
	}
}

// stationVersions are the versions that a page has for stations, and the newest that the ledger calls stored.
type stationVersions struct{ api, reflector, indexer, stored string }

// atEye brings what a page has to when its chips have come to a moment. It returns how many cells changed, and the events that stations show.
func (x *busy) atEye(t *testing.T, page *stationVersions, eye float64) (cells int, reached *Reached) {
	t.Helper()
	text := x.view.FrameAt(eye)
	if text == nil {
		return 0, nil
	}
	type versioned struct{ ResourceVersion string }
	var frame struct {
		Lanes []struct {
			State struct{ API, Reflector, Indexer *versioned }
			Facts struct{ Ledger *facts.Ledger }
			Cells struct{ Set []json.RawMessage }
		}
		View struct{ Reached *Reached }
	}
	if err := json.Unmarshal(text, &frame); err != nil {
		t.Fatal(err)
	}
	lane := &frame.Lanes[0]
	if l := lane.Facts.Ledger; l != nil {
		page.stored = ""
		if len(l.Store.First) > 0 {
			page.stored = l.Store.First[0].RV
		}
	}
	for _, member := range []struct {
		is  *versioned
		has *string
	}{{lane.State.API, &page.api}, {lane.State.Reflector, &page.reflector}, {lane.State.Indexer, &page.indexer}} {
		if member.is != nil {
			*member.has = member.is.ResourceVersion
		}
	}
	return len(lane.Cells.Set), frame.View.Reached
}

// TestStationsWaitForChips: a change arrives station by station, as its chip does, and so does the change of a cell.
func TestStationsWaitForChips(t *testing.T) {
	x := newBusy(t)
	var page stationVersions
	x.atEye(t, &page, 1000)
	x.change(1, false)
	for _, step := range []struct {
		eye   float64
		shows stationVersions
		cells int
	}{
		{1000, stationVersions{"2", "1", "1", ""}, 0},
		{1000 + 319, stationVersions{"2", "1", "1", ""}, 0},
		{1000 + 320, stationVersions{"2", "2", "1", ""}, 0},
		{1000 + 899, stationVersions{"2", "2", "1", ""}, 0},
		{1000 + 900, stationVersions{"2", "2", "2", "2"}, 1},
		{1000 + 1219, stationVersions{"2", "2", "2", "2"}, 0},
	} {
		cells, _ := x.atEye(t, &page, step.eye)
		if page != step.shows || cells != step.cells {
			t.Errorf("at %g the stations show %v and %d cells change, want %v and %d", step.eye, page, cells, step.shows, step.cells)
		}
	}
	if _, reached := x.atEye(t, &page, 1000+lapMillis); reached != nil {
		t.Errorf("after the whole way the stations show %+v, want nil", reached)
	}
	// A page whose stations do not wait has everything at once.
	x.atEye(t, &page, 5000)
	x.change(1, false)
	x.atEye(t, &page, 5000)
	if cells, _ := x.atEye(t, &page, -1); page != (stationVersions{"3", "3", "3", "3"}) || cells != 1 {
		t.Errorf("a page that does not wait shows %v and %d new cells, want 3 everywhere and 1", page, cells)
	}
}

// TestRatesAreOfTheStationsMoment: a listener that gets twenty changes a second never seems to get fewer, though it shows a moment one second ago.
func TestRatesAreOfTheStationsMoment(t *testing.T) {
	x := newBusy(t)
	frames := 0
	for i := range 160 { // eight seconds
		x.clk.SetTime(x.clk.Now().Add(49 * time.Millisecond))
		x.change(1, false)
		var frame struct {
			Lanes []struct {
				Facts struct{ Listeners []facts.ListenerFacts }
			}
		}
		if err := json.Unmarshal(x.view.FrameAt(1000+50*float64(i)), &frame); err != nil {
			t.Fatal(err)
		}
		for _, l := range frame.Lanes[0].Facts.Listeners {
			if frames++; i >= 80 && (l.In != 20 || l.Out != 20) {
				t.Errorf("after %d ms listener %d gets %d changes a second and handles %d, want 20", 50*i, l.ID, l.In, l.Out)
			}
		}
	}
	if frames == 0 {
		t.Error("no frame had the rates of listeners")
	}
}

// TestAChangeBehindANewIndexWaitsForItsChip: the index shows at once, and what follows in the same frame does not.
func TestAChangeBehindANewIndexWaitsForItsChip(t *testing.T) {
	x := newBusy(t)
	var page stationVersions
	x.atEye(t, &page, 1000)
	x.rec.Emit(0, event.IndexersAdded{Names: "app"}.Event())
	x.change(1, false)
	if x.atEye(t, &page, 1000); page != (stationVersions{"2", "1", "1", ""}) {
		t.Errorf("as the chips set out the stations show %v", page)
	}
	if x.atEye(t, &page, 1000+lapMillis); page != (stationVersions{"2", "2", "2", "2"}) {
		t.Errorf("at the end of its way the stations show %v", page)
	}
}

// TestChangesNeverOvertake: what begins halfway, as a handler's call, waits behind what came before it.
func TestChangesNeverOvertake(t *testing.T) {
	x := newBusy(t)
	var page stationVersions
	x.atEye(t, &page, 1000)
	x.change(1, false)
	x.atEye(t, &page, 1000)
	x.rec.Emit(0, event.New(event.KindHandling, event.Members{Listener: 1, Op: event.OpUpdated, Key: "ns/pod-1", RV: "2"}))
	if _, reached := x.atEye(t, &page, 1100); reached == nil || reached.Listeners >= reached.API || page.indexer != "1" {
		t.Errorf("a call that begins at once makes the stations show %v, %+v", page, reached)
	}
}

// TestRowsWaitForChips: the row of an informer that is not on stage gets its moves, and each of its columns changes as its chip comes there.
func TestRowsWaitForChips(t *testing.T) {
	x := newBusy(t)
	x.rec.Emit(0, event.Selected{
		Selection: `{"source":"sim","resources":[{"version":"v1","resource":"pods"},{"version":"v1","resource":"nodes"}],"eras":["1.37"]}`,
	}.Event())
	x.rec.Emit(1, event.InformerStarted{Release: "1.37"}.Event())
	x.rec.Emit(1, event.ReflectorRV{RV: "1"}.Event())
	var frames, version string
	var moves []RowMoves
	take := func(eye float64) {
		text := x.view.FrameAt(eye)
		if text == nil {
			return
		}
		var frame struct {
			Rows    []RowMoves
			Factory *facts.Factory
		}
		if err := json.Unmarshal(text, &frame); err != nil {
			t.Fatal(err)
		}
		moves = append(moves, frame.Rows...)
		if frame.Factory == nil {
			return
		}
		for _, r := range frame.Factory.Rows {
			if r.Lane == 1 {
				frames, version = frame.Factory.API.ResourceVersion, r.ResourceVersion
			}
		}
	}
	take(1000)
	x.clk.SetTime(x.clk.Now().Add(time.Second))
	for _, e := range []event.Event{
		event.WireFrame{Op: event.OpUpdated, Key: "ns/pod-1", RV: "2", Bytes: 900}.Event(), event.WatchEvent{Op: event.OpUpdated, Key: "ns/pod-1", RV: "2"}.Event(),
		event.Queued{Op: event.OpUpdated, Key: "ns/pod-1", RV: "2"}.Event(), event.ReflectorRV{RV: "2"}.Event(),
	} {
		x.rec.Emit(1, e)
	}
	for _, step := range []struct {
		eye             float64
		frames, version string
	}{{1000, "2", "1"}, {1319, "2", "1"}, {1320, "2", "2"}} {
		take(step.eye)
		if frames != step.frames || version != step.version {
			t.Errorf("at %g the API server is at %q and the Reflector at %q, want %q and %q", step.eye, frames, version, step.frames, step.version)
		}
	}
	var paths []string
	for _, row := range moves {
		for _, m := range row.Moves {
			paths = append(paths, fmt.Sprint(row.Lane, " ", m.Path, " ", m.Key))
		}
	}
	if want := []string{"1 wire ns/pod-1", "1 store ns/pod-1"}; !slices.Equal(paths, want) {
		t.Errorf("the row's moves are %q, want %q", paths, want)
	}
}
