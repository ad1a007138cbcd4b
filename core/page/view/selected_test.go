package view_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/log/fold"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
)

// TestSelectedObjectIsWhereTheWholeStateHasIt compares how far an object has come with the State of the moment, with all of its lists.
func TestSelectedObjectIsWhereTheWholeStateHasIt(t *testing.T) {
	seen := map[string]int{}
	for i, release := range []string{"1.31", "1.37"} {
		synctest.Test(t, func(t *testing.T) {
			rec := newWholeRecorder()
			runExperiment(t, release, uint64(i+61), rec)
			head, _ := rec.Head()
			var keys []string
			rec.Read(1, head, func(e *event.Entry) bool {
				if e.Kind == event.KindQueued && e.Key() != "" {
					keys = append(keys, e.Key())
				}
				return true
			})
			rng := rand.New(rand.NewPCG(uint64(i), 61))
			v := view.New(rec, clock.RealClock{})
			for range 600 {
				key := keys[rng.IntN(len(keys))]
				v.Seek(uint64(rng.Int64N(int64(head)) + 1))
				v.Follow(key, "")
				s := v.State()
				f := rec.FoldAt(s.Seq)
				want := placeIn(f.WholeState(0), key)
				if _, ok := f.Objects(0).Get(key); want == "" && ok {
					want = "store"
				}
				if got := s.Facts.Selected; got == nil || got.Key != key || got.At != want {
					t.Fatalf("seq %d: %s is %+v, want it in %q", s.Seq, key, got, want)
				}
				seen[want]++
			}
		})
	}
	for _, place := range []string{"", "queue", "popped", "store", "handler", "work"} {
		if seen[place] == 0 {
			t.Errorf("no object was in %q: %v", place, seen)
		}
	}
}

// placeIn returns where a State has a key, beside its store.
func placeIn(s *fold.State, key string) string {
	has := func(items []fold.QueueItem) bool {
		return slices.ContainsFunc(items, func(it fold.QueueItem) bool { return it.Key == key })
	}
	switch w := s.Workqueue; {
	case has(s.Queue.Batch):
		return "popped"
	case has(s.Queue.Items):
		return "queue"
	case w != nil && (slices.Contains(w.Queue, key) || slices.ContainsFunc(w.Processing, func(x fold.Worker) bool { return x.Key == key })):
		return "work"
	case slices.ContainsFunc(s.Listeners, func(l fold.Listener) bool { return l.Handling != nil && l.Handling.Key == key }):
		return "handler"
	}
	return ""
}

// TestFrameTellsOfASelectionWhileTheViewIsPaused: the page need not wait for an event to learn how far the object has come that it has just selected.
func TestFrameTellsOfASelectionWhileTheViewIsPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, v, _ := begin(t, 0)
		pass(3 * time.Second)
		v.Pause()
		for v.Frame() != nil {
		}
		v.Follow("default/none", "")
		var f struct {
			Lanes []struct {
				Facts struct {
					Selected *struct{ Key, At string }
				}
			}
		}
		b := v.Frame()
		if err := json.Unmarshal(b, &f); err != nil || len(f.Lanes) == 0 || f.Lanes[0].Facts.Selected == nil || f.Lanes[0].Facts.Selected.Key != "default/none" {
			t.Errorf("the frame after the selection is %s: %v", b, err)
		}
		if v.Follow("", ""); v.Frame() == nil {
			t.Error("no frame says that nothing is selected any more")
		}
		if b := v.Frame(); b != nil {
			t.Errorf("nothing has happened, and a frame comes: %s", b)
		}
	})
}
