package view_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
)

// TestFramesOfSeveralInformersAddUp: the page that received the frames shows the fold of the log up to the view's position. It has one informer in full and
// each in its row, whichever is on stage, whatever begins and ends, and wherever the view goes.
func TestFramesOfSeveralInformersAddUp(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	for seed, resource := range []string{"pods", "pods,nodes,deployments.apps"} {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(seed), 7))
			l, rec, v, p := begin(t, 40)
			if _, err := l.Select(t.Context(), selection.Change{Resource: &resource}); err != nil {
				t.Fatal(err)
			}
			shown := map[int]bool{}
			seen := map[string]int{}
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
					_, _ = l.Informer(rng.IntN(4)).SetUnshared(nil)
				case 7:
					if rng.IntN(3) == 0 {
						_ = l.Shutdown()
					}
				case 8:
					_ = l.Start("", "", "")
				}
				for p.take(v) {
				}
				p.check(rec)
				if p.logs != 1 {
					t.Fatalf("the page was told of %d logs", p.logs)
				}
				shown[p.lane] = true
				fold := rec.FoldAt(p.view.Seq)
				compareRequests(t, fold, seen)
				switch factory := fold.Factory(p.lane); {
				case factory == nil && (p.lanes != 1 || p.rows != nil || p.lane != 0):
					t.Fatalf("event %d: one informer, and the frame has %d lanes and the rows %+v", p.view.Seq, p.lanes, p.rows)
				case factory != nil && (p.lanes != 1 || !reflect.DeepEqual(factory.Rows, p.rows)):
					t.Fatalf("event %d: %d lanes, and the rows\n%+v\nthe fold says\n%+v", p.view.Seq, p.lanes, p.rows, factory.Rows)
				}
			}
			if seen["open"] == 0 || seen["twice"] == 0 {
				t.Errorf("of what was asked the log showed too little: %v", seen)
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

// compareRequests compares the open requests of a Factory with the States of the lanes, and counts what it compared.
func compareRequests(t *testing.T, f *fold.Fold, seen map[string]int) {
	t.Helper()
	factory := f.Factory(0)
	if factory == nil {
		return
	}
	open := 0
	for _, r := range factory.Rows {
		n := 0
		for _, q := range f.LaneState(r.Lane).API.Requests {
			if q.Open {
				n++
			}
		}
		if n != r.Requests {
			t.Fatalf("%+v has %d open requests", r, n)
		}
		open += n
	}
	if factory.Open != open {
		t.Fatalf("%d requests are said to be open, of %d", factory.Open, open)
	}
	seen["open"] += open
	for _, two := range factory.API.Twice {
		var requests, objects, count int
		for _, r := range factory.Rows {
			if r.Resource == two.Resource && r.Release == two.Release && r.Twice {
				requests, objects, count = requests+r.Requests, objects+r.Count, count+1
			}
		}
		if count != 2 || requests != two.Requests || objects != two.Objects {
			t.Fatalf("%+v, of %+v", two, factory.Rows)
		}
		seen["twice"]++
	}
}

// TestAHeadlineIsAboutItsInformer: writes to pods do not appear in the headline of the informer of nodes.
func TestAHeadlineIsAboutItsInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _, v, _ := begin(t, 40)
		resource := "pods,nodes"
		if _, err := l.Select(t.Context(), selection.Change{Resource: &resource}); err != nil {
			t.Fatal(err)
		}
		flowed := false
		for range 20 {
			pass(500 * time.Millisecond)
			s := v.State()
			for i, lane := range s.Lanes {
				came := 0 // within two seconds
				for _, frame := range lane.API.Wire {
					if frame.Key != "" && lane.AtMillis-frame.AtMillis < 2000 {
						came++
					}
				}
				said := lane.Facts.Headline
				if said.ID == "flow" && said.N > 4*came { // a rate is taken over a quarter of a second at least
					t.Errorf("%s: %d changes a second, and of the newest %d came in two", lane.Resource.Resource, said.N, came)
				}
				flowed = flowed || i == 0 && said.ID == "flow"
			}
		}
		if !flowed {
			t.Error("pods never flowed")
		}
	})
}
