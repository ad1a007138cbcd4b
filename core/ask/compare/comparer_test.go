package compare_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/lab"
	"informerscope/core/lab/selection"
	"informerscope/core/log/facts"
	"informerscope/core/log/trace"
	"informerscope/core/log/tracefile"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
)

// sideBySide runs several releases on one simulated cluster.
func sideBySide(t *testing.T, releases string, objects int, rate float64) (*lab.Lab, *trace.Recorder) {
	t.Helper()
	rec := trace.NewRecorder(trace.RecorderOptions{})
	l := lab.New(lab.Options{Recorder: rec})
	t.Cleanup(func() {
		l.Close()
		<-time.After(2 * time.Minute)
	})
	if _, err := l.Select(t.Context(), selection.Change{Release: &releases, Objects: &objects, Rate: &rate}); err != nil {
		t.Fatal(err)
	}
	pass(3 * time.Second)
	return l, rec
}

func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func cluster(t *testing.T, l *lab.Lab, verb string, a lab.ClusterArgs) {
	t.Helper()
	_, err := l.Cluster(verb, a)
	do(t, err)
}

type sentID struct{ key, rv string }

// heldChanges are the changes that came while Pop was held. They are computed in the plainest way: from the log's beginning, one event after another, with
// plain slices as queues.
type heldChanges struct {
	from, to uint64
	sent     []sentID
	ops      map[sentID]event.Op
	seqs     map[sentID]uint64
	lanes    []heldLane
	flow     []sentID // taken by both Reflectors, in that order
}

type heldLane struct {
	waits  []sentID
	pops   [][]sentID
	stored []sentID
	given  []sentID
}

func findHeld(rec *trace.Recorder, pos uint64, listener int32) heldChanges {
	var x heldChanges
	lanes := rec.FoldAt(pos).Lanes()
	x.lanes = make([]heldLane, lanes)
	x.ops, x.seqs = map[sentID]event.Op{}, map[sentID]uint64{}
	var order []sentID
	taken := map[sentID]int{}
	lists := map[uint32]bool{} // watches that still answer with a list
	line := make([][]sentID, lanes)
	delta := make([]bool, lanes)
	for i := range delta {
		delta[i] = rec.FoldAt(pos).QueueKind(i) == "DeltaFIFO"
	}
	type in struct {
		lane int
		id   sentID
	}
	seen := map[string]map[in]bool{"reflector": {}, "queued": {}, "stored": {}, "given": {}}
	once := func(what string, lane int, id sentID) bool {
		if _, known := x.ops[id]; !known || seen[what][in{lane, id}] {
			return false
		}
		seen[what][in{lane, id}] = true
		return true
	}
	// A delete may arrive with another version than the one sent, as a tombstone does: it is the first that has not come.
	id := func(e *event.Entry, what string, deleted bool) sentID {
		sent := sentID{e.Key(), e.RV()}
		if op, known := x.ops[sent]; known && (op == event.OpDeleted) == deleted || !deleted {
			return sent
		}
		for _, o := range order {
			if o.key == e.Key() && x.ops[o] == event.OpDeleted && !seen[what][in{int(e.Lane), o}] {
				return o
			}
		}
		return sent
	}
	rec.Read(1, pos, func(e *event.Entry) bool {
		i := int(e.Lane)
		switch e.Kind {
		case event.KindHold:
			if hold := e.Hold(); event.Stage(hold.Stage) == event.StagePop {
				if hold.Held {
					x.from, x.to = e.Seq, 0
				} else {
					x.to = e.Seq
				}
			}
		case event.KindWireRequest:
			lists[e.Req()] = strings.Contains(e.WireRequest().URL, "sendInitialEvents=true")
		case event.KindWireFrame, event.KindWatchEvent:
			if e.Key() == "" {
				if e.Kind == event.KindWireFrame {
					lists[e.Req()] = false
				}
				break
			}
			id := sentID{e.Key(), e.RV()}
			if e.Kind == event.KindWireFrame && lists[e.WireFrame().Req] || e.WatchEvent().TempStore > 0 {
				break
			}
			if _, known := x.ops[id]; !known {
				x.ops[id], x.seqs[id] = e.Op(), e.Seq
				order = append(order, id)
			}
			if e.Kind == event.KindWatchEvent && once("reflector", i, id) {
				if taken[id]++; taken[id] == lanes {
					x.flow = append(x.flow, id)
				}
			}
		case event.KindQueued:
			// A list, a resync or a tombstone brings a version again, or for another reason.
			queued := e.Queued()
			id := id(e, "queued", queued.Op == event.OpDeleted)
			if queued.Op == event.OpSync || (x.ops[id] == event.OpDeleted) != (queued.Op == event.OpDeleted) || !once("queued", i, id) {
				id.rv = ""
			}
			line[i] = append(line[i], id)
		case event.KindPopped:
			popped := e.Popped()
			var took, rest []sentID
			for j, q := range line[i] {
				if delta[i] && q.key == popped.Key || !delta[i] && j < popped.Deltas {
					took = append(took, q)
				} else {
					rest = append(rest, q)
				}
			}
			line[i] = rest
			x.lanes[i].pops = append(x.lanes[i].pops, took)
		case event.KindStoreAdded, event.KindStoreUpdated, event.KindStoreDeleted:
			if id := id(e, "stored", e.Kind == event.KindStoreDeleted); once("stored", i, id) {
				x.lanes[i].stored = append(x.lanes[i].stored, id)
			}
		case event.KindHandling:
			if e.Listener() != listener {
				break
			}
			if id := id(e, "given", e.Op() == event.OpDeleted); once("given", i, id) {
				x.lanes[i].given = append(x.lanes[i].given, id)
			}
		}
		return true
	})
	for i := range line {
		x.lanes[i].waits = line[i]
		if delta[i] { // by key, in the order of the keys
			var sorted []sentID
			for _, q := range line[i] {
				if !slices.ContainsFunc(sorted, func(s sentID) bool { return s.key == q.key }) {
					for _, o := range line[i] {
						if o.key == q.key {
							sorted = append(sorted, o)
						}
					}
				}
			}
			x.lanes[i].waits = sorted
		}
	}
	for _, id := range order {
		if s := x.seqs[id]; s > x.from && (x.to == 0 || s <= x.to) {
			x.sent = append(x.sent, id)
		}
	}
	return x
}

// only returns the ids that are compared.
func only(ids, compared []sentID) (out []sentID) {
	for _, id := range ids {
		if slices.Contains(compared, id) {
			out = append(out, id)
		}
	}
	return out
}

// check compares a comparison with the log.
func check(t *testing.T, rec *trace.Recorder, pos uint64, got *facts.Comparison, paused bool) {
	t.Helper()
	if got == nil {
		t.Fatalf("seq %d: nothing is compared", pos)
	}
	x := findHeld(rec, pos, got.Listener)
	wrong := func(what string, got, want any) {
		t.Helper()
		t.Fatalf("seq %d: %s %v, the log tells %v", pos, what, got, want)
	}
	burst := x.from > 0 && (x.to == 0 || len(x.sent) > 0)
	if got.Burst != burst || got.Held != (x.from > 0 && x.to == 0) {
		wrong("burst and held", []bool{got.Burst, got.Held}, fmt.Sprint(burst, x.from, x.to))
	}
	sent := x.sent
	if !burst {
		if !paused {
			return // which of them are compared depends on the moment
		}
		sent = x.flow[max(0, len(x.flow)-4):]
	} else if got.From != x.from || got.To != x.to || got.Cut {
		wrong("from, to and cut", fmt.Sprint(got.From, got.To, got.Cut), fmt.Sprint(x.from, x.to))
	}
	keys := map[string]bool{}
	for _, id := range sent {
		keys[id.key] = true
	}
	if got.Total != len(sent) || got.Keys != len(keys) || got.More != len(sent)-len(got.Changes) || len(got.Changes) != min(len(sent), 6) {
		wrong("total, keys, more and changes", fmt.Sprint(got.Total, got.Keys, got.More, len(got.Changes)), fmt.Sprint(len(sent), len(keys)))
	}
	named := []sentID{}
	letters := map[string]string{}
	for i, c := range got.Changes {
		id := sentID{c.Key, c.RV}
		if letters[c.Key] == "" {
			letters[c.Key] = string(rune('A' + len(letters)))
		}
		if id != sent[i] || c.N != i+1 || c.Op != x.ops[id].String() || c.Seq != x.seqs[id] || c.Label != fmt.Sprintf("%s%d", letters[c.Key], i+1) {
			wrong(fmt.Sprintf("change %d", i+1), c, sent[i])
		}
		named = append(named, id)
	}
	number := map[sentID]int{}
	for i, id := range sent {
		number[id] = i + 1
	}
	for i, lane := range got.Lanes {
		want := x.lanes[i]
		var waits []sentID
		for _, w := range lane.Waits {
			for _, n := range w.Changes {
				waits = append(waits, named[n-1])
				if w.Letter != "" && letters[named[n-1].key] != w.Letter {
					wrong(fmt.Sprintf("lane %d waits", i), lane.Waits, want.waits)
				}
			}
		}
		if w := only(want.waits, named); !slices.Equal(waits, w) || lane.Waiting != len(only(want.waits, sent)) {
			wrong(fmt.Sprintf("lane %d, %d wait", i, lane.Waiting), waits, w)
		}
		var pops [][]sentID
		taken := 0
		for _, p := range want.pops {
			if p = only(p, sent); len(p) > 0 {
				pops, taken = append(pops, p), taken+len(p)
			}
		}
		if lane.Pops != len(pops) || lane.Taken != taken {
			wrong(fmt.Sprintf("lane %d pops and taken", i), []int{lane.Pops, lane.Taken}, []int{len(pops), taken})
		}
		next := 0
		for j, p := range pops {
			if p = only(p, named); len(p) == 0 {
				continue
			}
			if next >= len(lane.Took) {
				wrong(fmt.Sprintf("lane %d took", i), lane.Took, pops)
			}
			var took []sentID
			for _, n := range lane.Took[next].Changes {
				took = append(took, named[n-1])
			}
			if lane.Took[next].N != j+1 || !slices.Equal(took, p) {
				wrong(fmt.Sprintf("lane %d, pop %d", i, lane.Took[next].N), took, p)
			}
			next++
		}
		for _, steps := range []struct {
			what      string
			got       []facts.ChangeStep
			log       []sentID
			count, by int
		}{
			{"stored", lane.Stored, only(want.stored, sent), lane.StoredCount, lane.StoredLate},
			{"given", lane.Given, only(want.given, sent), lane.GivenCount, lane.GivenLate},
		} {
			what := fmt.Sprintf("lane %d %s", i, steps.what)
			late, newest := 0, 0
			var ids []sentID
			for _, id := range steps.log {
				if number[id] < newest {
					late++
				}
				newest = max(newest, number[id])
			}
			for _, s := range steps.got {
				ids = append(ids, named[s.N-1])
				if steps.log[s.Position-1] != named[s.N-1] {
					wrong(what+" position", s, steps.log)
				}
			}
			if w := only(steps.log, named); !slices.Equal(ids, w) || steps.count != len(steps.log) || steps.by != late {
				wrong(fmt.Sprintf("%s, %d in all, %d late", what, steps.count, steps.by), ids, fmt.Sprint(w, len(steps.log), late))
			}
		}
		for _, s := range lane.Newest {
			var last sentID
			among := sent
			if !burst {
				among = named
			}
			for _, id := range only(want.stored, among) {
				if id.key == s.Key {
					last = id
				}
			}
			if last != (sentID{s.Key, s.RV}) || s.Label != fmt.Sprintf("%s%d", letters[s.Key], number[last]) {
				wrong(fmt.Sprintf("lane %d newest of %s", i, s.Key), s, last)
			}
		}
	}
}

// TestTheComparisonIsWhatTheLogTells: at any seq, the comparison equals one that is computed from the log's beginning. That holds after a seek forwards or
// backwards, a step, and live.
func TestTheComparisonIsWhatTheLogTells(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	for _, releases := range []string{"1.31,1.37", "1.33,1.35", "1.37,1.31"} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%s, seed %d", releases, seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					rng := rand.New(rand.NewPCG(seed, 2))
					l, rec := sideBySide(t, releases, 20, 15)
					followed := view.New(rec, clock.RealClock{})
					for range 40 {
						switch rng.IntN(8) {
						case 0:
							do(t, l.Informer(0).Hold("pop", 0))
						case 1:
							_ = l.Informer(0).Release("pop", 1+rng.IntN(3), 0) // it may not be held
						case 2:
							_ = l.Informer(0).Release("pop", 0, 0)
						case 3:
							cluster(t, l, "burst", lab.ClusterArgs{N: 1 + rng.IntN(40)})
						case 4:
							cluster(t, l, "delete", lab.ClusterArgs{})
						case 5:
							if rng.IntN(4) == 0 {
								_, err := l.Informer(0).Fault("410", lab.FaultArgs{})
								do(t, err)
								_, err = l.Informer(0).Fault("cut", lab.FaultArgs{})
								do(t, err)
							}
						}
						pass(time.Duration(rng.IntN(900)) * time.Millisecond)
						got := followed.Comparison()
						head, _ := rec.Head()
						check(t, rec, head, got, false)
						if fresh := view.New(rec, clock.RealClock{}).Comparison(); !reflect.DeepEqual(got, fresh) {
							t.Fatalf("seq %d: followed, it is\n%s\nread again\n%s", head, text(got), text(fresh))
						}
					}
					head, _ := rec.Head()
					v := view.New(rec, clock.RealClock{})
					for range 60 {
						seq := uint64(rng.Int64N(int64(head))) + 1
						v.Seek(seq)
						if rng.IntN(2) == 0 {
							v.Step(rng.IntN(9) - 4)
						}
						check(t, rec, v.State().Seq, v.Comparison(), true)
					}
				})
			})
		}
	}
}

func text(x any) string {
	b, err := json.Marshal(x)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// TestTheComparisonOfARecording: a loaded recording has the same comparison as its log.
func TestTheComparisonOfARecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := sideBySide(t, "1.31,1.37", 30, 20)
		do(t, l.Informer(0).Hold("pop", 0))
		cluster(t, l, "burst", lab.ClusterArgs{N: 300})
		pass(time.Second)
		do(t, l.Informer(0).Release("pop", 0, 0))
		pass(time.Second)
		var file bytes.Buffer
		_, err := l.Record(&file)
		do(t, err)
		again := trace.NewRecorder(trace.RecorderOptions{})
		_, _, warning, err := tracefile.ReadFile(&file, tracefile.ReadOptions{}, again.Append)
		do(t, err)
		do(t, warning)
		rng := rand.New(rand.NewPCG(1, 1))
		head, _ := rec.Head()
		a, b := view.New(rec, clock.RealClock{}), view.New(again, clock.RealClock{})
		for range 40 {
			seq := uint64(rng.Int64N(int64(head))) + 1
			a.Seek(seq)
			b.Seek(seq)
			if x, y := a.Comparison(), b.Comparison(); !reflect.DeepEqual(x, y) {
				t.Fatalf("seq %d: the log tells\n%s\nits recording\n%s", seq, text(x), text(y))
			}
		}
	})
}

// TestEveryPairOfReleasesHandsOverInTheOrdersOfItsQueues: totals count all changes and keys, not only the named ones. Each queue pops in its own order: a
// DeltaFIFO all deltas of a key together, a RealFIFO in the order sent.
func TestEveryPairOfReleasesHandsOverInTheOrdersOfItsQueues(t *testing.T) {
	all := []string{"1.31", "1.33", "1.35", "1.37"}
	for i, a := range all {
		for _, b := range all[i:] {
			t.Run(a+","+b, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l, rec := sideBySide(t, a+","+b, 12, 0)
					v := view.New(rec, clock.RealClock{})
					do(t, l.Informer(0).Hold("pop", 0))
					cluster(t, l, "burst", lab.ClusterArgs{N: 300})
					pass(time.Second)
					held := v.Comparison()
					do(t, l.Informer(0).Release("pop", 0, 0))
					pass(5 * time.Second)
					got := v.Comparison()

					x := findHeld(rec, got.To, got.Listener)
					keys := map[string]int{}
					for _, id := range x.sent {
						keys[id.key]++
					}
					if got.Total < 300 || got.Total != len(x.sent) || got.Keys != len(keys) || got.More != got.Total-6 {
						t.Errorf("%d changes of %d keys, %d of them not named; sent were %d of %d", got.Total, got.Keys, got.More, len(x.sent), len(keys))
					}
					if held.Total != got.Total || held.Keys != got.Keys || !held.Held || got.Held {
						t.Errorf("while it is held %d changes of %d keys, then %d of %d", held.Total, held.Keys, got.Total, got.Keys)
					}
					for i, release := range []string{a, b} {
						lane := got.Lanes[i]
						if w := held.Lanes[i]; w.Waiting != got.Total || w.Taken != 0 || len(w.Given) != 0 {
							t.Errorf("%s, held: %d wait, %d are taken, %d given", release, w.Waiting, w.Taken, len(w.Given))
						}
						if lane.Taken != got.Total || lane.GivenCount != got.Total || lane.Waiting != 0 {
							t.Errorf("%s: %d taken, %d given, %d wait, of %d", release, lane.Taken, lane.GivenCount, lane.Waiting, got.Total)
						}
						order := x.sent
						pops := [2]int{1, got.Total} // as it takes them, in batches or one by one
						if release == "1.31" {
							order = nil
							for _, id := range x.sent {
								if !slices.Contains(order, id) {
									for _, o := range x.sent {
										if o.key == id.key {
											order = append(order, o)
										}
									}
								}
							}
							pops = [2]int{len(keys), len(keys)}
						}
						if n := lane.Pops; n < pops[0] || n > pops[1] || release == "1.33" && n != got.Total || release > "1.33" && n == got.Total {
							t.Errorf("%s: taken in %d pops", release, n)
						}
						log := findHeld(rec, v.State().Seq, got.Listener)
						if given := only(log.lanes[i].given, x.sent); !slices.Equal(given, order) {
							t.Errorf("%s gives\n%v, not\n%v", release, given, order)
						}
						late, newest := 0, 0
						for _, id := range order {
							n := slices.Index(x.sent, id)
							if n < newest {
								late++
							}
							newest = max(newest, n)
						}
						if lane.GivenLate != late || lane.StoredLate != late || (late > 0) != (release == "1.31") {
							t.Errorf("%s: %d given late, %d stored late, want %d", release, lane.GivenLate, lane.StoredLate, late)
						}
						for j, s := range lane.Given {
							id := sentID{got.Changes[s.N-1].Key, got.Changes[s.N-1].RV}
							if order[s.Position-1] != id || j > 0 && lane.Given[j-1].Seq >= s.Seq {
								t.Errorf("%s: %v stands at %d", release, id, s.Position)
							}
						}
						overtaken := lane.Overtaking != nil
						named := only(order, func() (ids []sentID) {
							for _, c := range got.Changes {
								ids = append(ids, sentID{c.Key, c.RV})
							}
							return
						}())
						if want := !slices.Equal(named, x.sent[:6]); overtaken != want {
							t.Errorf("%s: overtaking %v, want %v", release, overtaken, want)
						}
					}
					// At every seq of the release the comparison equals the log's.
					for seq := got.To - 3; seq < got.To+120; seq += 7 {
						v.Seek(seq)
						check(t, rec, seq, v.Comparison(), true)
					}
				})
			})
		}
	}
}

// TestTheComparisonSaysWhenTheLogHasForgotten: when the log has evicted the beginning of a hold, the comparison is marked as cut and counts the rest, live
// and after a seek.
func TestTheComparisonSaysWhenTheLogHasForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := trace.NewRecorder(trace.RecorderOptions{MaxEvents: 6000, CheckpointEvery: 512})
		l := lab.New(lab.Options{Recorder: rec})
		t.Cleanup(func() {
			l.Close()
			<-time.After(2 * time.Minute)
		})
		releases, objects, rate := "1.31,1.37", 20, 0.0
		_, err := l.Select(t.Context(), selection.Change{Release: &releases, Objects: &objects, Rate: &rate})
		do(t, err)
		pass(3 * time.Second)
		do(t, l.Informer(0).Hold("pop", 0))
		v := view.New(rec, clock.RealClock{})
		was := 0
		for i := range 30 {
			cluster(t, l, "burst", lab.ClusterArgs{N: 100})
			pass(time.Second)
			got := v.Comparison()
			if got.Total == 0 || !got.Burst || !got.Held || !got.Cut && got.Total < was {
				t.Fatalf("after %d bursts: %s", i+1, text(got))
			}
			if got.Cut != (rec.First() > got.From+1) {
				t.Fatalf("the hold is event %d, the log begins with %d, cut is %v", got.From, rec.First(), got.Cut)
			}
			if fresh := view.New(rec, clock.RealClock{}).Comparison(); !reflect.DeepEqual(got, fresh) {
				t.Fatalf("followed it is\n%s\nread again\n%s", text(got), text(fresh))
			}
			was = got.Total
		}
		if got := v.Comparison(); !got.Cut || got.Total >= 3000 || got.From != 0 {
			t.Errorf("after 3,000 changes: %s", text(got))
		}
	})
}

// TestWhatFlowsByIsComparedAFewAtATime: a burst is compared for three minutes after its release. Then a few changes at a time are compared, for long enough
// to be read.
func TestWhatFlowsByIsComparedAFewAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := sideBySide(t, "1.31,1.37", 20, 0)
		v := view.New(rec, clock.RealClock{})
		do(t, l.Informer(0).Hold("pop", 0))
		cluster(t, l, "burst", lab.ClusterArgs{N: 5})
		pass(time.Second)
		do(t, l.Informer(0).Release("pop", 0, 0))
		pass(179 * time.Second)
		if got := v.Comparison(); !got.Burst || got.Total < 5 {
			t.Errorf("179 s later: %s", text(got))
		}
		pass(2 * time.Second)
		if got := v.Comparison(); got.Burst || got.Total == 0 || got.Total > 4 {
			t.Errorf("181 s later: %s", text(got))
		}
		cluster(t, l, "rate", lab.ClusterArgs{PerSecond: 50})
		var last []facts.SentChange
		chosen := 0
		for range 200 { // 20 s
			pass(100 * time.Millisecond)
			got := v.Comparison()
			if !reflect.DeepEqual(got.Changes, last) {
				chosen++
				last = got.Changes
			}
		}
		if chosen < 6 || chosen > 18 {
			t.Errorf("in 20 s the choice was another one %d times", chosen)
		}
		// A hold without changes is no burst.
		cluster(t, l, "rate", lab.ClusterArgs{})
		pass(6 * time.Second)
		do(t, l.Informer(0).Hold("pop", 0))
		do(t, l.Informer(0).Release("pop", 0, 0))
		pass(time.Second)
		if got := v.Comparison(); got.Burst || got.Total != 4 {
			t.Errorf("after an empty hold: %s", text(got))
		}
	})
}

// TestFramesCarryTheComparisonThatChanged: frames carry the comparison when it changes, and null when there is none any more.
func TestFramesCarryTheComparisonThatChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := sideBySide(t, "1.31,1.37", 20, 0)
		v := view.New(rec, clock.RealClock{})
		sent := func() (text string, was bool) {
			var f map[string]json.RawMessage
			do(t, json.Unmarshal(v.Frame(), &f))
			c, ok := f["compare"]
			return string(c), ok
		}
		if c, ok := sent(); !ok || c != text(v.Comparison()) {
			t.Errorf("the first frame has %s", c)
		}
		pass(3 * time.Second)
		sent()
		pass(time.Second)
		if c, ok := sent(); ok {
			t.Errorf("nothing happened, and a frame has %s", c)
		}
		do(t, l.Informer(0).Hold("pop", 0))
		cluster(t, l, "burst", lab.ClusterArgs{N: 300})
		pass(time.Second)
		c, ok := sent()
		if !ok || c != text(v.Comparison()) {
			t.Errorf("after a burst a frame has %s", c)
		}
		if len(c) > 8<<10 {
			t.Errorf("300 changes take %d bytes of a frame", len(c))
		}
		v.Seek(100)
		if c, ok := sent(); !ok || c != text(v.Comparison()) {
			t.Errorf("after a jump a frame has %s", c)
		}
		one := "1.37"
		_, err := l.Select(t.Context(), selection.Change{Release: &one})
		do(t, err)
		pass(time.Second)
		v.Live()
		if c, ok := sent(); !ok || c != "null" {
			t.Errorf("with one release a frame has %s", c)
		}
		pass(time.Second)
		if c, ok := sent(); ok {
			t.Errorf("with one release a second frame has %s", c)
		}
	})
}

// TestAListIsNoChange: the initial events of a WatchList are a list and not changes, with or without its request in the log.
func TestAListIsNoChange(t *testing.T) {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	v := view.New(rec, clock.RealClock{})
	frame := func(req uint32, op event.Op, key, rv string) event.Event {
		return event.WireFrame{Req: req, Op: op, Key: key, RV: rv}.Event()
	}
	for i, step := range []struct {
		event event.Event
		total int
	}{
		{event.Selected{Selection: `{"source":"sim","resource":"pods","eras":["1.31","1.37"]}`}.Event(), 0},
		{event.Hold{Stage: int(event.StagePop), Held: true}.Event(), 0},
		{event.WireRequest{Req: 7, URL: "/api/v1/pods?sendInitialEvents=true&watch=true"}.Event(), 0},
		{frame(7, event.OpAdded, "shop/a", "10"), 0},
		{frame(7, event.OpBookmark, "", "10"), 0},
		{frame(7, event.OpUpdated, "shop/a", "11"), 1},
		{frame(8, event.OpUpdated, "shop/a", "11"), 1},
		{frame(8, event.OpUpdated, "shop/z", "9"), 1}, // another watch, which is behind
		{frame(8, event.OpAdded, "shop/b", "12"), 2},  // a change, as far as the log shows yet
		{event.WatchEvent{Op: event.OpAdded, Key: "shop/b", RV: "12", TempStore: 1}.Event(), 1},
		{frame(7, event.OpUpdated, "shop/c", "13"), 2},
	} {
		rec.Emit(0, step.event)
		if got := v.Comparison(); got.Total != step.total || len(got.Changes) != step.total || got.Total > 0 && got.Changes[got.Total-1].N != got.Total {
			t.Errorf("step %d: %s, want %d", i, text(got), step.total)
		}
	}
}

// TestANewFactoryHasComparedNothing: the informers of a new factory have taken nothing yet. What those of the earlier factory took is not compared.
func TestANewFactoryHasComparedNothing(t *testing.T) {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	v := view.New(rec, clock.RealClock{})
	emit := func(lane uint8, kind event.Kind, text string) {
		rec.Emit(lane, event.New(kind, event.Members{Op: event.OpUpdated, Key: "shop/a", RV: "11", Text: text, Flag: true}))
	}
	rec.Emit(0, event.Selected{Selection: `{"source":"sim","resource":"pods","eras":["1.31","1.37"]}`}.Event())
	emit(0, event.KindWireFrame, "")
	for lane := range uint8(2) {
		emit(lane, event.KindWatchEvent, "")
	}
	if got := v.Comparison(); got.Total != 1 {
		t.Fatalf("before: %s", text(got))
	}
	head, _ := rec.Head()
	emit(0, event.KindLane, `{"era":"1.31"}`)
	emit(1, event.KindLane, `{"era":"1.37"}`)
	end, _ := rec.Head()
	for _, seq := range []uint64{end, head, end} { // as it happens, and back and forth
		v.Seek(seq)
		want := 0
		if seq == head {
			want = 1
		}
		if got := v.Comparison(); got.Total != want || len(got.Changes) != want {
			t.Errorf("at %d of %d: %s, want %d changes", seq, end, text(got), want)
		}
	}
	live := view.New(rec, clock.RealClock{})
	if got := live.Comparison(); got.Total != 0 {
		t.Errorf("read again: %s", text(got))
	}
}
