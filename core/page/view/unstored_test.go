package view_test

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"testing/synctest"

	"k8s.io/utils/clock"

	"informerscope/core/page/view"
	"informerscope/core/words/event"
)

// TestAChangeThatAListBroughtIsStored: the watch breaks before the Reflector reads a frame, and a list brings the object as it is in the frame.
func TestAChangeThatAListBroughtIsStored(t *testing.T) {
	x := newTale(t, "1.31")
	x.ask(event.VerbList)
	x.list(1)
	x.syncInformer()
	x.emit(event.WireFrame{Op: event.OpUpdated, Key: "a/a", RV: "12", Bytes: 900}.Event())
	if got := x.v.State().Facts.Unstored; len(got) != 1 || got[0].RV != "12" {
		t.Errorf("while the frame is on its way, %+v are not stored", got)
	}
	x.round("watch failed")
	x.ask(event.VerbList)
	x.emit(event.Queued{Op: event.OpReplaced, Key: "a/a", RV: "12", Length: 1}.Event(), event.Popped{Key: "a/a", Deltas: 1}.Event(),
		event.Stored{Kind: event.KindStoreUpdated, Op: event.OpReplaced, Key: "a/a", RV: "12"}.Event())
	if got := x.v.State().Facts.Unstored; len(got) != 0 {
		t.Errorf("after the list has brought the object, %+v are not stored", got)
	}
}

// TestUnstoredChangesAreNotInTheStore compares facts.Unstored with the objects of the store, at moments of an experiment with holds, faults and relists.
func TestUnstoredChangesAreNotInTheStore(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	seen := map[string]int{}
	for i, release := range []string{"1.31", "1.37"} {
		t.Run(release, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := newWholeRecorder()
				runExperiment(t, release, uint64(i+61), rec)
				head, _ := rec.Head()
				rng := rand.New(rand.NewPCG(uint64(i), 61))
				v := view.New(rec, clock.RealClock{})
				for range 200 {
					seq := uint64(rng.Int64N(int64(head)) + 1)
					v.Seek(seq)
					popped := map[string]bool{} // the store may have what is being processed
					for _, it := range v.State().Queue.Batch {
						popped[it.Key] = true
						for _, d := range it.Deltas {
							popped[d.Key] = true
						}
					}
					listed := map[string]bool{}
					for _, e := range v.State().Facts.Unstored {
						if listed[e.Key] {
							t.Fatalf("seq %d: %s is listed twice", seq, e.Key)
						}
						listed[e.Key] = true
						seen[e.Op]++
						o, err := v.Object(0, e.Key)
						if err != nil || o.Deleted {
							continue // the store does not have the object
						}
						stored, err := strconv.Atoi(o.RV)
						if err != nil {
							t.Fatal(err)
						}
						// A tombstone has the version that the store has.
						comes := int(number(t, e.RV))
						if isNew := comes > stored || comes == stored && e.Op == "Deleted"; !isNew && !popped[e.Key] {
							t.Fatalf("seq %d: %+v is not in the store, whose object has rv %d", seq, e, stored)
						}
					}
				}
			})
		})
	}
	if seen["Updated"] == 0 {
		t.Errorf("the moments had only these unstored changes: %v", seen)
	}
}
