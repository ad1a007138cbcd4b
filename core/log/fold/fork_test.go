package fold_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// forkedLog writes the log of a fork.
type forkedLog struct {
	entries []event.Entry
	at      time.Duration
}

func newForkedLog(t *testing.T) *forkedLog {
	t.Helper()
	sel, err := json.Marshal(event.Selection{Source: "sim", Version: "v1", Resource: "pods", Releases: []string{"1.37"}, Fork: "1000:fault:cut", ForkMillis: 1000})
	if err != nil {
		t.Fatal(err)
	}
	l := &forkedLog{}
	l.add(0, event.Selected{Selection: string(sel)}.Event())
	for lane := range uint8(2) {
		l.add(lane, event.ListenerAdded{Listener: 1, Name: "printer"}.Event())
	}
	return l
}

func (l *forkedLog) add(lane uint8, e event.Event) {
	l.entries = append(l.entries, event.Entry{Seq: uint64(len(l.entries) + 1), At: l.at, Lane: lane, Event: e})
}

// fold returns the fold of the first n entries.
func (l *forkedLog) fold(n int) *fold.Fold {
	f := fold.NewFold()
	for i := range l.entries[:n] {
		f.Apply(&l.entries[i])
	}
	return f
}

func call(op event.Op, key string) event.Event {
	return event.Handling{Listener: 1, Op: op, Key: key, RV: "7"}.Event()
}

// TestTheLanesOfAForkPart: what both lanes have at one time is equal in any order. The first event that only one has is where they part.
func TestTheLanesOfAForkPart(t *testing.T) {
	l := newForkedLog(t)
	l.at = 500 * time.Millisecond
	l.add(0, call(event.OpAdded, "a")) // before the fork nothing is compared
	l.at = 1000 * time.Millisecond
	l.add(1, event.Fault{Name: "cut", Struck: 1}.Event()) // the act itself
	l.add(0, call(event.OpAdded, "a"))
	l.add(0, call(event.OpAdded, "b"))
	l.add(1, call(event.OpAdded, "b"))
	l.add(1, call(event.OpAdded, "a"))
	l.at = 2000 * time.Millisecond
	l.add(0, call(event.OpUpdated, "a"))
	l.add(1, call(event.OpDeleted, "b"))
	l.add(1, call(event.OpUpdated, "a"))
	parts := len(l.entries) - 1 // the deletion
	l.add(0, event.GateWaiting{Stage: 1, Waiting: true}.Event())
	l.at = 3000 * time.Millisecond
	if x := l.fold(len(l.entries)).Fork(); x.Parting != nil {
		t.Errorf("they part before their time is over: %+v", x.Parting)
	}
	l.add(0, call(event.OpSync, "c"))
	end := len(l.entries)
	want := facts.Parting{Seq: uint64(parts), AtMillis: 2000, Lane: 1, Kind: "Handling", Op: "Deleted", Key: "b", RV: "7", Handler: "printer"}
	calls := [2]facts.Calls{{Added: 2, Updated: 2}, {Added: 2, Updated: 1, Deleted: 1}}
	check := func(name string, f *fold.Fold) {
		t.Helper()
		x := f.Fork()
		if x == nil || x.Parting == nil || *x.Parting != want || x.Instead == nil || x.Instead.Kind != "GateWaiting" || x.Instead.Lane != 0 {
			t.Fatalf("%s: %+v", name, x)
		}
		if h := x.Handlers; len(h) != 1 || h[0].Name != "printer" || h[0].Calls != calls || !h[0].Differ {
			t.Errorf("%s: handlers %+v", name, h)
		}
		if one, two := f.LaneState(0).Faults, f.LaneState(1).Faults; len(one) != 0 || len(two) != 1 {
			t.Errorf("%s: faults %+v and %+v", name, one, two)
		}
	}
	check("folded", l.fold(end))
	for n := range end { // a clone goes on by itself, and its original too
		f := l.fold(n)
		c := f.Clone()
		for i := n; i < end; i++ {
			c.Apply(&l.entries[i])
		}
		check(fmt.Sprint("cloned at ", n), c)
		for i := n; i < end; i++ {
			f.Apply(&l.entries[i])
		}
		check(fmt.Sprint("the original of a clone at ", n), f)
	}
	again := fold.NewFold()
	for _, e := range l.fold(end).Baseline() {
		again.Apply(&e)
	}
	check("from a baseline", again)

	// A log that begins in the middle of a moment.
	middle := fold.NewFold()
	for _, e := range l.fold(parts - 1).Baseline() {
		middle.Apply(&e)
	}
	for i := parts; i < end; i++ {
		middle.Apply(&l.entries[i])
	}
	if x := middle.Fork(); x.Parting != nil {
		t.Errorf("without the beginning of a moment they part at %+v", x.Parting)
	}
}

// TestAMomentOfAForkIsBounded: of a moment with more events than a fold keeps, the first difference is found if it is among those; equal lanes never part.
func TestAMomentOfAForkIsBounded(t *testing.T) {
	for _, missing := range []int{-1, 3} {
		l := newForkedLog(t)
		l.at = 1000 * time.Millisecond
		var first uint64
		for lane := range uint8(2) {
			for i := range 10_000 {
				if lane == 1 && i == missing {
					continue
				}
				l.add(lane, call(event.OpUpdated, fmt.Sprint("key-", i)))
				if i == missing {
					first = uint64(len(l.entries))
				}
			}
		}
		l.at = 2000 * time.Millisecond
		l.add(0, call(event.OpSync, "c"))
		x := l.fold(len(l.entries)).Fork()
		if found := x.Parting != nil; found != (missing >= 0) || found && x.Parting.Seq != first {
			t.Errorf("without key %d they part at %+v", missing, x.Parting)
		}
	}
}

// TestTheStoresOfAForkAreCompared by their keys and versions.
func TestTheStoresOfAForkAreCompared(t *testing.T) {
	l := newForkedLog(t)
	store := func(lane uint8, key, rv string) {
		l.add(lane, event.Stored{Kind: event.KindStoreAdded, Key: key, RV: rv, StoreRV: rv}.Event())
	}
	store(0, "a", "1")
	store(1, "a", "1")
	store(0, "b", "2")
	store(1, "b", "3")
	store(0, "c", "4")
	store(1, "d", "5")
	store(1, "e", "6")
	got := l.fold(len(l.entries)).Fork().Stores
	if got.Counts != [2]int{3, 4} || got.Only != [2]int{1, 2} || got.Other != 1 || got.Map != "=~<>>" || !slices.Equal(got.OnlyKeys[1], []string{"d", "e"}) ||
		!slices.Equal(got.OtherKeys, []string{"b"}) {
		t.Errorf("%+v", got)
	}
	for i := range 2000 {
		store(0, fmt.Sprintf("x%04d", i), "9")
	}
	got = l.fold(len(l.entries)).Fork().Stores
	if got.Only[0] != 2001 || len(got.OnlyKeys[0]) != 24 || got.OnlyKeys[0][0] != "c" || got.Map != "" {
		t.Errorf("of a large store %d keys, %d named, and a map of %d", got.Only[0], len(got.OnlyKeys[0]), len(got.Map))
	}
}
