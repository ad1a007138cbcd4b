package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"informerscope/core/log/fold"
)

// Drawn is what the stage shows, read from the page.
type Drawn struct {
	// Head is the main number of each station, without the commas.
	Head map[string]string
	// Words are all texts of a station, top to bottom.
	Words map[string][]string
	// Lamps are a station's lamps, top to bottom: filled or hollow.
	Lamps map[string][]bool
	// Event is the seq beside the clock.
	Event string
	// Keys is how many objects the Indexer's grid reports.
	Keys int
}

// ExpectDrawn compares what the stage shows with the state.
func ExpectDrawn(t *testing.T, s fold.State, d Drawn) {
	t.Helper()
	head := func(station, want string) {
		if got := d.Head[station]; got != want {
			t.Errorf("%s shows %q, the state says %q", station, got, want)
		}
	}
	says := func(station, want string) {
		if !slices.ContainsFunc(d.Words[station], func(w string) bool { return strings.Contains(strings.ReplaceAll(w, ",", ""), want) }) {
			t.Errorf("%s does not say %q: %q", station, want, d.Words[station])
		}
	}
	pending := 0
	for _, l := range s.Listeners {
		if l.Removed {
			continue
		}
		pending += l.Pending
		says("listeners", l.Name)
		says("listeners", fmt.Sprintf("%d handled", l.Handled))
		says("listeners", strconv.Itoa(l.Pending))
	}
	if d.Event != strconv.FormatUint(s.Seq, 10) {
		t.Errorf("the clock says event %s, the state %d", d.Event, s.Seq)
	}
	head("queue", strconv.Itoa(s.Queue.Depth))
	says("queue", s.Queue.Kind)
	says("queue", strconv.Itoa(s.Queue.InitialPopulation))
	head("indexer", strconv.Itoa(s.Indexer.Count))
	if d.Keys != s.Indexer.Count {
		t.Errorf("the Indexer has %d cells, the state %d objects", d.Keys, s.Indexer.Count)
	}
	if s.Indexer.ResourceVersion != "" {
		says("indexer", s.Indexer.ResourceVersion)
	}
	head("listeners", strconv.Itoa(pending))
	if s.Workqueue != nil {
		head("controller", strconv.Itoa(s.Workqueue.Depth))
		if s.Workqueue.Writing {
			says("controller", withUnit(s.Workqueue.Writes, "write"))
		}
	}
	says("reflector", map[string]string{"watch-listing": "watch"}[s.Reflector.Phase]+strings.TrimPrefix(s.Reflector.Phase, "watch-listing"))
	if s.Reflector.Phase != "backoff" {
		says("reflector", withUnit(s.Reflector.Events, "event"))
		head("api", cmp.Or(s.API.ResourceVersion, "—"))
		if s.Reflector.ResourceVersion != "" {
			head("reflector", s.Reflector.ResourceVersion)
		}
	}
	if lamps := d.Lamps["queue"]; len(lamps) != 1 || lamps[0] != s.Queue.Synced {
		t.Errorf("the queue's lamps are %v, the state says synced %v", lamps, s.Queue.Synced)
	}
	if lamps := d.Lamps["listeners"]; len(lamps) == len(s.Listeners) {
		for i, l := range s.Listeners {
			if lamps[i] != l.Synced {
				t.Errorf("the lamp of %s is %v, the state says synced %v", l.Name, lamps[i], l.Synced)
			}
		}
	} else {
		t.Errorf("%d listeners have %d lamps", len(s.Listeners), len(lamps))
	}
}

// withUnit is a number followed by its unit, as the page writes it.
func withUnit[N int | int64 | uint64](n N, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprint(n) + unit
}
