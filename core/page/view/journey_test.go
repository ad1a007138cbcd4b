package view_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/log/tracks"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
)

// TestAFollowedChangeIsWhereTheLogHasIt follows changes of a calm cluster from row to row. Each stop has the times of the log's events.
func TestAFollowedChangeIsWhereTheLogHasIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, rec, v, _ := begin(t, 4)
		pass(10 * time.Second)
		if err := v.Window(8000, 200); err != nil {
			t.Fatal(err)
		}
		// What each change did, by key and version, as the events have it.
		type visit struct{ came, left, end time.Duration }
		visits := map[string]map[string]*visit{}
		at := func(e *event.Entry, row string) *visit {
			change := e.Key() + "@" + e.RV()
			if visits[change] == nil {
				visits[change] = map[string]*visit{}
			}
			if visits[change][row] == nil {
				visits[change][row] = &visit{came: e.At, left: -1, end: -1}
			}
			return visits[change][row]
		}
		newest, order := map[string]string{}, []string{}
		versions := map[string][]string{}
		var queued []*visit
		head, _ := rec.Head()
		for e := range rec.Events(1, head) {
			switch e.Kind {
			case event.KindClusterChange:
				at(e, "cluster")
				if newest[e.Key()] == "" {
					order = append(order, e.Key())
				}
				newest[e.Key()] = e.RV()
				versions[e.Key()] = append(versions[e.Key()], e.RV())
			case event.KindWatchEvent:
				if e.Op() != event.OpBookmark && e.WatchEvent().TempStore == 0 {
					at(e, "cluster").left = e.At
					at(e, "0.reflector")
				}
			case event.KindQueued:
				at(e, "0.reflector").left = e.At
				queued = append(queued, at(e, "0.queue"))
			case event.KindPopped:
				for range e.Popped().Deltas {
					queued[0].left = e.At
					queued = queued[1:]
				}
			case event.KindStoreAdded, event.KindStoreUpdated, event.KindStoreDeleted:
				at(e, "0.indexer").left = e.At
			case event.KindAccepted:
				at(e, fmt.Sprint("0.handler.", e.Listener()))
			case event.KindHandling:
				at(e, fmt.Sprint("0.handler.", e.Listener())).left = e.At
			case event.KindHandled:
				at(e, fmt.Sprint("0.handler.", e.Listener())).end = e.At
			}
		}
		checked, withWork, older := 0, 0, 0
		follow := func(key, version, want string) *tracks.Journey {
			v.Follow(key, version)
			var f struct {
				Past struct{ Journey *tracks.Journey }
			}
			if err := json.Unmarshal(v.Frame(), &f); err != nil {
				t.Fatal(err)
			}
			j := f.Past.Journey
			if j == nil || j.Key != key || j.RV != want {
				t.Fatalf("the change %q of %s, %s, is followed as %+v", version, key, want, j)
			}
			seen := visits[key+"@"+j.RV]
			for _, stop := range j.Stops {
				if stop.Row == "0.work" {
					withWork++
					continue
				}
				want := seen[stop.Row]
				if want == nil || fold.Millis(want.came) != stop.CameMillis || !isAt(want.left, stop.LeftMillis) || !isAt(want.end, stop.EndMillis) {
					t.Fatalf("%s %s is at %+v, the log has %+v", key, j.RV, stop, want)
				}
				checked++
			}
			if len(j.Stops) < 7 {
				t.Fatalf("%s comes only to %+v", key, j.Stops)
			}
			return j
		}
		for _, key := range order {
			// Each row names the version of what passed it, so that an older change can be followed from there.
			for _, version := range versions[key] {
				j := follow(key, version, version)
				if version != newest[key] {
					older++
				}
				for _, stop := range j.Stops {
					if !namesVersion(v, stop, key, version) {
						t.Errorf("%s does not name %s %s, which came at %g ms", stop.Row, key, version, stop.CameMillis)
					}
				}
			}
			follow(key, "0", newest[key]) // the log has no such version
			j := follow(key, "", newest[key])
			column := int64(j.Stops[2].CameMillis / 40)
			entries, err := v.Entries("0.queue", column)
			if err != nil || len(entries) == 0 || entries[0].CameMillis > float64(column+1)*40 {
				t.Errorf("the queue's column %d has %+v, %v", column, entries, err)
			}
		}
		if checked < 50 || withWork < 5 || older < 5 {
			t.Errorf("%d stops were checked, %d changes came to the work queue, %d were not the newest", checked, withWork, older)
		}
	})
}

// namesVersion reports whether a row has a change of an object at a stop, with its version.
func namesVersion(v *view.View, stop tracks.Stop, key, version string) bool {
	entries, _ := v.Entries(stop.Row, int64(stop.CameMillis/40))
	return slices.ContainsFunc(entries, func(e tracks.Entry) bool { return e.Key == key && e.RV == version && e.CameMillis == stop.CameMillis })
}

// isAt reports whether a stop has a time, and none if it is negative.
func isAt(want time.Duration, millis *float64) bool {
	if want < 0 {
		return millis == nil
	}
	return millis != nil && *millis == fold.Millis(want)
}
