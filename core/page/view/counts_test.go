package view_test

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// TestFactsCountWhatStateHas: the counts in facts are State's: sums of the queue and of the rings, the open requests, and each change in one part of the
// ledger.
func TestFactsCountWhatStateHas(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	seen := map[string]int{}
	wanted := []string{"wire", "queue", "store", "open", "drain", "pending", "reflector queue", "api reflector", "indexer listeners"}
	missing := func(what string) bool { return seen[what] == 0 }
	for round := range uint64(6) { // one, and more for rare moments
		if round > 0 && !slices.ContainsFunc(wanted, missing) {
			break
		}
		for i, release := range everyRelease[:4] {
			t.Run(release, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { expectCounts(t, release, uint64(i)+51+100*round, seen) })
			})
		}
	}
	if i := slices.IndexFunc(wanted, missing); i >= 0 {
		t.Errorf("no moment had %q: nothing is shown by this", wanted[i])
	}
}

// expectCounts compares the facts of 300 moments of a log on which everything was done with its State, and notes what occurred.
func expectCounts(t *testing.T, release string, seed uint64, seen map[string]int) {
	t.Helper()
	rec := newWholeRecorder()
	runExperiment(t, release, seed, rec)
	head, _ := rec.Head()
	features, adds := readFeatures(rec, head)
	var times []time.Duration
	rec.Read(1, head, func(e *event.Entry) bool {
		times = append(times, e.At)
		return true
	})
	rng := rand.New(rand.NewPCG(seed, 51))
	v := view.New(rec, clock.RealClock{})
	for n := range 300 {
		seq := uint64(rng.Int64N(int64(head)) + 1)
		if n%2 == 0 { // a moment: while something is held for long, few events come
			after, _ := slices.BinarySearch(times, time.Duration(rng.Int64N(int64(times[head-1])))+1)
			seq = uint64(max(after, 1))
		}
		v.Seek(seq)
		s := v.State()
		countsOf(t, &s.State, s.Facts, seen)
		features.KeepsOrder = s.Queue.Kind == "RealFIFO"
		// What no event shows.
		features.Contexts, features.Resets = release != "1.31", release == "1.37"
		if s.Facts.Features != features {
			t.Fatalf("seq %d: the release is said to have %+v, its log shows %+v", s.Seq, s.Facts.Features, features)
		}
		if got := s.Facts.KeyListener; got != adds && s.Workqueue != nil || got != 0 && s.Workqueue == nil {
			t.Fatalf("seq %d: listener %d is said to add keys; listener %d does in the log", s.Seq, got, adds)
		}
	}
}

// readFeatures returns the features that a log shows, and the listener during whose calls keys are added.
func readFeatures(rec *trace.Recorder, head uint64) (f releases.Features, adds int32) {
	handling := map[int32]string{}
	rec.Read(1, head, func(e *event.Entry) bool {
		switch e.Kind {
		case event.KindQueued:
			f.Atomic = f.Atomic || e.Op() == event.OpReplacedAll
		case event.KindPopped:
			f.PopsBatches = f.PopsBatches || e.Popped().Mode == "batch"
			f.Unlocks = f.Unlocks || !e.Popped().Locked
		case event.KindWireRequest:
			f.ListsByWatch = f.ListsByWatch || strings.Contains(e.WireRequest().URL, "sendInitialEvents=true")
		case event.KindHandling:
			handling[e.Listener()] = e.Key()
		case event.KindHandled:
			delete(handling, e.Listener())
		case event.KindWorkAdded:
			//maporder:free only a call that is alone decides
			for id, key := range handling {
				if len(handling) == 1 && key == e.Key() {
					adds = id
				}
			}
		}
		return true
	})
	return f, adds
}

// countsOf compares the facts of a moment with its State, and notes what occurred.
func countsOf(t *testing.T, s *fold.State, f *facts.Facts, seen map[string]int) {
	t.Helper()
	deltas, pending, open := 0, 0, 0
	for _, n := range s.Queue.Mix {
		deltas += n
	}
	for i := range s.Listeners {
		l := &s.Listeners[i]
		if l.Removed {
			continue
		}
		pending += l.Pending
		j := slices.IndexFunc(f.Listeners, func(x facts.ListenerFacts) bool { return x.ID == l.ID })
		if f.Listeners[j].Behind != (l.Pending > 20) {
			t.Fatalf("seq %d: listener %d is behind: %t, with %d pending", s.Seq, l.ID, f.Listeners[j].Behind, l.Pending)
		}
		if d := f.Listeners[j].DrainMillis; d != 0 {
			seen["drain"]++
			if d != float64(l.Pending)*l.MeanMicros/1e3 {
				t.Fatalf("seq %d: listener %d drains in %g ms, with %d pending at %g µs", s.Seq, l.ID, d, l.Pending, l.MeanMicros)
			}
		}
	}
	for i := range s.API.Requests {
		if s.API.Requests[i].Open {
			open++
		}
	}
	if f.Deltas != deltas || f.Pending != pending || f.Requests.Open != open {
		t.Fatalf("seq %d: %d deltas, %d pending, %d open are said; it has %d, %d, %d", s.Seq, f.Deltas, f.Pending, f.Requests.Open, deltas,
			pending, open)
	}
	foremost := slices.IndexFunc(s.API.Requests, func(r fold.WireRequest) bool { return r.ID == f.Requests.Foremost })
	if len(s.API.Requests) > 0 && (foremost < 0 || open > 0 && !s.API.Requests[foremost].Open) {
		t.Fatalf("seq %d: request %d is said to be the foremost, of %+v", s.Seq, f.Requests.Foremost, s.API.Requests)
	}
	lists := ""
	if r := &s.Reflector; r.Lists > 0 {
		lists = "LIST"
	} else if r.Watches > 0 {
		lists = "WatchList"
	}
	if r := &s.Reflector; f.Requests.Lists != lists {
		t.Fatalf("seq %d: it is said to have listed by %q, after %d LISTs and %d WATCHes", s.Seq, f.Requests.Lists, r.Lists, r.Watches)
	}
	if pending > 0 {
		seen["pending"]++
	}
	if open > 0 {
		seen["open"]++
	}
	expectLedger(t, s, &f.Ledger, seen)
	expectFocus(t, s, f, seen)
}

// expectLedger checks that each frame of the wire is in at most one part of the ledger: sent but not taken, or taken and no longer queued. The frames of a
// list that waits as one ReplacedAll delta wait with it.
func expectLedger(t *testing.T, s *fold.State, l *facts.Ledger, seen map[string]int) {
	t.Helper()
	wire, store, queued, replaces := 0, 0, map[string]bool{}, false
	for _, list := range [][]fold.QueueItem{s.Queue.Batch, s.Queue.Items} {
		for i := range list {
			queued[list[i].RV] = true
			replaces = replaces || list[i].Op == "ReplacedAll"
			for _, d := range list[i].Deltas {
				queued[d.RV] = true
			}
		}
	}
	hidden := s.Queue.Depth > len(s.Queue.Items)
	for i := range s.API.Wire {
		frame := &s.API.Wire[i]
		switch {
		case frame.RV == "":
		case s.Reflector.ResourceVersion != "" && number(t, frame.RV) > number(t, s.Reflector.ResourceVersion):
			wire++
		case replaces && number(t, frame.RV) > number(t, cmp.Or(s.Indexer.ResourceVersion, "0")):
		case !queued[frame.RV]:
			store++
		}
	}
	if l.Wire.Count != wire || l.Store.Count > store || !hidden && l.Store.Count != store {
		t.Fatalf("seq %d: %d on the wire and %d stored are said, of %d and %d", s.Seq, l.Wire.Count, l.Store.Count, wire, store)
	}
	if !hidden && l.Queue.Count < len(s.Queue.Items)+len(s.Queue.Batch) {
		t.Fatalf("seq %d: %d changes are said to be in the queue %s", s.Seq, l.Queue.Count, asJSON(t, s.Queue))
	}
	for name, part := range map[string]*facts.LedgerPart{"wire": &l.Wire, "queue": &l.Queue, "store": &l.Store} {
		sum := 0
		for _, n := range part.Mix {
			sum += n
		}
		if sum != part.Total || len(part.First) > 3 || len(part.First) > part.Count || part.Count > 0 && part.Total > 0 && len(part.First) == 0 {
			t.Fatalf("seq %d: the %s part is %s", s.Seq, name, asJSON(t, part))
		}
		if part.Count > 0 {
			seen[name]++
		}
	}
}

// expectFocus checks the focus while there is a problem.
func expectFocus(t *testing.T, s *fold.State, f *facts.Facts, seen map[string]int) {
	t.Helper()
	var want []string
	switch pop := slices.ContainsFunc(s.Holds, func(h fold.Hold) bool { return h.Stage == "pop" }); {
	case !f.Sure:
		want = []string{"api", "reflector"}
	case s.Reflector.Phase != "watching":
		want = []string{"reflector", "queue", "indexer"}
	case pop && s.AtMillis-s.Reflector.RequestMillis > 3000:
		want = []string{"reflector", "queue"}
	}
	if want != nil && !reflect.DeepEqual(f.Focus, want) {
		t.Fatalf("seq %d: %v are to be looked at, want %v", s.Seq, f.Focus, want)
	}
	if len(f.Focus) == 2 {
		seen[f.Focus[0]+" "+f.Focus[1]]++
	}
}

func number(t *testing.T, rv string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(rv, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
