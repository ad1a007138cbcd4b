package view_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/lab"
)

// TestFramesOfSeveralInformersAddUp: whichever informer shows, whatever begins and ends and wherever the view goes, the page that was sent its
// frames shows the fold of the log up to there, of the one informer in full and of each in its row.
func TestFramesOfSeveralInformersAddUp(t *testing.T) {
	for seed, resource := range []string{"pods", "pods,nodes,deployments.apps"} {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(seed), 7))
			l, rec, v, p := begin(t, 40)
			if _, err := l.Select(t.Context(), lab.Change{Resource: &resource}); err != nil {
				t.Fatal(err)
			}
			shown := map[int]bool{}
			for range 120 {
				pass(time.Duration(rng.IntN(400)) * time.Millisecond)
				head, _ := rec.Head()
				switch rng.IntN(9) {
				case 0:
					v.Seek(uint64(rng.Int64N(int64(head)) + 1))
				case 1:
					v.Step(rng.IntN(60) - 30)
				case 2, 3:
					v.Live()
				case 4, 5:
					_ = v.Show(rng.IntN(5)) // there may be none
				case 6:
					_, _ = l.Informer(rng.IntN(4)).Unshared(nil)
				case 7:
					if rng.IntN(3) == 0 {
						_ = l.Shutdown()
					}
				case 8:
					_ = l.Start()
				}
				for p.take(v) {
				}
				p.check(rec, "namespace")
				if p.logs != 1 {
					t.Fatalf("the page was told of %d logs", p.logs)
				}
				shown[p.lane] = true
				fold := rec.FoldAt(p.view.Seq)
				switch is := fold.Factory(p.lane); {
				case is == nil && (p.lanes != 1 || p.rows != nil || p.lane != 0):
					t.Fatalf("event %d: one informer, and the frame has %d lanes and the rows %+v", p.view.Seq, p.lanes, p.rows)
				case is != nil && (p.lanes != 1 || !reflect.DeepEqual(is.Rows, p.rows)):
					t.Fatalf("event %d: %d lanes, and the rows\n%+v\nthe fold says\n%+v", p.view.Seq, p.lanes, p.rows, is.Rows)
				}
			}
			if len(shown) < 2 {
				t.Errorf("only %v was ever shown", shown)
			}
			if err := v.Show(19); err == nil || !strings.Contains(err.Error(), "there is no informer 19") {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestASentenceIsAboutTheInformerThatShows: what is written of pods does not come over the watch of nodes.
func TestASentenceIsAboutTheInformerThatShows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _, v, _ := begin(t, 40)
		resource := "pods,nodes"
		if _, err := l.Select(t.Context(), lab.Change{Resource: &resource}); err != nil {
			t.Fatal(err)
		}
		flowed := false
		for range 20 {
			pass(500 * time.Millisecond)
			s := v.State()
			for i, lane := range s.Lanes {
				said, most := lane.Facts.Sentence, 0
				for _, li := range lane.Facts.Listeners {
					most = max(most, li.In)
				}
				if said.ID == "flow" && (most == 0 || said.N != most) {
					t.Errorf("%s: %d changes a second, and its listeners took %d", lane.Resource.Resource, said.N, most)
				}
				flowed = flowed || i == 0 && said.ID == "flow"
			}
		}
		if !flowed {
			t.Error("pods never flowed")
		}
	})
}
