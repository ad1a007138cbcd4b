package e2e

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"informerscope/core/trace"
	"informerscope/e2e/browser"
)

// drawn is what the stage shows, read from the page.
type drawn struct {
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

// look is the stage as it is drawn now, beside the state that it draws: the view is paused, so both stand still.
func look(t *testing.T, p *browser.Page) (trace.State, drawn) {
	t.Helper()
	s := evalJSON[trace.State](t, p, "(async () => JSON.stringify(await informerscope.state()))()")
	if err := p.WaitFor(within(t, 10*time.Second), fmt.Sprintf("stage.event() === '%d'", s.Seq), "stage.event()"); err != nil {
		t.Fatal(err)
	}
	settle(t, p)
	return s, evalJSON[drawn](t, p, "JSON.stringify(stage.drawn())")
}

// expectDrawn compares what the stage shows with the state.
func expectDrawn(t *testing.T, s trace.State, d drawn) {
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
			says("controller", counted(s.Workqueue.Writes, "write"))
		}
	}
	says("reflector", map[string]string{"watch-listing": "watch"}[s.Reflector.Phase]+strings.TrimPrefix(s.Reflector.Phase, "watch-listing"))
	if s.Reflector.Phase != "backoff" {
		says("reflector", counted(s.Reflector.Events, "event"))
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

// counted is a number followed by its unit, as the page writes it.
func counted[N int | int64 | uint64](n N, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprint(n) + unit
}

// TestStageShowsState pauses at many moments of an eventful log and compares the stage with state().
func TestStageShowsState(t *testing.T) {
	srv := startServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, release := range []string{"1.37", "1.31"} {
		t.Run(release, func(t *testing.T) {
			p := openStage(t, b, srv, "&source=sim&seed=11&rate=30&lang=en&era="+release, 1280, 720)
			eventful(t, p)
			call(t, p, "pause()")
			head := await(t, p, 10*time.Second, "s.view.mode === 'paused'").View.Head
			for i := range uint64(24) {
				seq := 2 + (head-2)*i/23
				t.Run(fmt.Sprint(seq), func(t *testing.T) {
					call(t, p, "seek(%d)", seq)
					s, d := look(t, p)
					expectDrawn(t, s, d)
				})
			}
			shot(t, p, "state-"+release)
			p.ExpectClean(t)
		})
	}
}

// eventful makes a log with many kinds of events: a full queue, a slow listener, a relist, a backoff.
func eventful(t *testing.T, p *browser.Page) {
	t.Helper()
	await(t, p, 20*time.Second, "s.seq > 300")
	call(t, p, "hold('pop')")
	await(t, p, 20*time.Second, "s.queue.depth >= 12")
	call(t, p, "release('pop', 1)")
	call(t, p, "release('pop', 0)")
	call(t, p, "hold('deliver', 2)")
	await(t, p, 20*time.Second, "s.listeners[1].pending > 10")
	call(t, p, "release('deliver', 0, 2)")
	call(t, p, "fault('410')")
	await(t, p, 20*time.Second, "s.reflector.relists > 0 && s.reflector.phase === 'watching'")
	call(t, p, "fault('refuse', {on: true})")
	call(t, p, "fault('cut')")
	await(t, p, 20*time.Second, "s.reflector.phase === 'backoff'")
	call(t, p, "fault('refuse', {on: false})")
	await(t, p, 40*time.Second, "s.reflector.phase === 'watching'")
}
