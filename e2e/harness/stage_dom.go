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

// Drawn is what the stage shows, read from the page in English.
type Drawn struct {
	// Event is the seq beside the clock.
	Event string
	// Rows are the stations from the top.
	Rows []Row
	// Words are the texts right of the rail, by station.
	Words map[string][]string
	// Head is how many objects stand below the maps of "cluster" and "indexer", and how many changes they are "apart", without the commas.
	Head map[string]string
}

// Row is one station's: its name, what a screen reader hears after that, and whether it is held.
type Row struct {
	Station, Name, Says string
	Held                bool
}

// ExpectDrawn compares what the stage shows with the state.
func ExpectDrawn(t *testing.T, s fold.State, d Drawn) {
	t.Helper()
	expect := func(what, got, want string) {
		if got != want {
			t.Errorf("%s is %q, the state says %q", what, got, want)
		}
	}
	stages := map[string]string{"reflector": "store", "queue": "pop", "handler": "deliver", "work": "take"}
	waits := map[string]int{"queue": s.Queue.Waiting, "handler": 0, "fold": 0}
	if s.Workqueue != nil {
		waits["work"] = s.Workqueue.Depth
	}
	var stations, handlers []string
	pending, listeners := 0, map[string]fold.Listener{}
	for _, l := range s.Listeners {
		if !l.Removed {
			pending += l.Pending
			listeners[l.Name] = l
		}
	}
	for _, row := range d.Rows {
		if !slices.Contains(stations, row.Station) {
			stations = append(stations, row.Station)
		}
		n, queues := waits[row.Station]
		var listener int32
		switch row.Station {
		case "cluster":
			rv := cmp.Or(s.API.ResourceVersion, "—")
			want := fmt.Sprintf(": %s, newest version %s", withUnit(s.API.Objects, "object"), rv)
			if s.API.Objects < 0 { // a live cluster does not say how many it has
				want = ": newest version that came " + rv
			}
			expect("the cluster's sentence", row.Says, want)
		case "indexer":
			expect("the Indexer's sentence", row.Says, ": "+withUnit(s.Indexer.Count, "object"))
		case "reflector":
			if want := ", version " + cmp.Or(s.Reflector.ResourceVersion, "—"); !strings.HasSuffix(row.Says, want) {
				t.Errorf("the Reflector's sentence %q does not end with %q", row.Says, want)
			}
			phase := map[string]string{"watch-listing": "lists by watch", "listing": "lists", "backoff": "no watch", "idle": "not started"}
			if want := ": " + cmp.Or(phase[s.Reflector.Phase], s.Reflector.Phase) + ","; !strings.HasPrefix(row.Says, want) {
				t.Errorf("the Reflector's sentence %q does not begin with %q", row.Says, want)
			}
		case "handler":
			l, ok := listeners[row.Name]
			if !ok {
				t.Errorf("there is a row of %s, which the state does not have", row.Name)
			}
			handlers = append(handlers, row.Name)
			n, listener = l.Pending, l.ID
		case "fold":
			for _, name := range handlers {
				pending -= listeners[name].Pending
			}
			n = pending
		}
		if stage := stages[row.Station]; stage != "" {
			held := slices.ContainsFunc(s.Holds, func(h fold.Hold) bool { return h.Stage == stage && h.Listener == listener })
			if row.Held != held {
				t.Errorf("the row of %s shows held %v, the state says %v", row.Name, row.Held, held)
			}
		}
		if !queues {
			continue
		}
		want := ": nothing waits"
		if unit := map[bool]string{true: "key", false: "change"}[row.Station == "work"]; n == 1 {
			want = ": 1 " + unit + " waits"
		} else if n > 1 {
			want = fmt.Sprintf(": %d %ss wait", n, unit)
		}
		if row.Station == "work" && n == 0 && s.Workqueue.WaitingCount > 0 {
			want = fmt.Sprintf(": %d ", s.Workqueue.WaitingCount)
		}
		if !strings.HasPrefix(row.Says, want) {
			t.Errorf("the row of %s says %q, and is to begin with %q", row.Name, row.Says, want)
		}
		number := strconv.Itoa(n)
		if n > 1 && !slices.ContainsFunc(d.Words[row.Station], func(w string) bool {
			return strings.HasPrefix(strings.ReplaceAll(w, ",", ""), number)
		}) {
			t.Errorf("right of the rail %s has %q, and not %s", row.Name, d.Words[row.Station], number)
		}
	}
	for _, station := range []string{"cluster", "reflector", "queue", "indexer"} {
		if !slices.Contains(stations, station) {
			t.Errorf("there is no row of the %s: %q", station, stations)
		}
	}
	if !slices.Contains(stations, "fold") && len(handlers) != len(listeners) {
		t.Errorf("the rows of handlers are %q, the state has %d", handlers, len(listeners))
	}
	expect("the event beside the clock", d.Event, strconv.FormatUint(s.Seq, 10))
	expect("the number below the store's map", d.Head["indexer"], strconv.Itoa(s.Indexer.Count))
	between, cluster := "", ""
	if s.World.Known != "" {
		between, cluster = strconv.Itoa(s.World.Apart), strconv.Itoa(s.World.Objects)
		if s.World.Apart == 0 {
			between = "="
		}
	}
	expect("the number between the maps", d.Head["apart"], between)
	expect("the number below the cluster's map", d.Head["cluster"], cluster)
}

// withUnit is a number followed by its unit, as the page writes it.
func withUnit(n int, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprint(n, " ", unit)
}
