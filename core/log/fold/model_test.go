package fold_test

import (
	"fmt"
	"testing"

	"informerscope/core/log/fold"
	"informerscope/core/log/fold/foldtest"
)

// TestFoldEqualsModel folds random logs, and compares with the models all along.
func TestFoldEqualsModel(t *testing.T) {
	for seed := range uint64(6) {
		s := foldtest.NewSynthetic(seed, seed%2 == 0)
		f := fold.NewFold()
		done := 0
		var clones []*fold.Fold
		var want []string
		for i := range 6000 {
			s.Step()
			for ; done < len(s.Events); done++ {
				f.Apply(&s.Events[done])
			}
			if i%1000 == 999 {
				s.Check(t, f)
			}
			if i%700 == 0 {
				c := f.Clone()
				clones = append(clones, c)
				want = append(want, foldtest.Describe(t, c))
			}
			if t.Failed() {
				t.Fatalf("seed %d, step %d", seed, i)
			}
		}
		for i, c := range clones {
			if foldtest.Describe(t, c) != want[i] {
				t.Errorf("seed %d: clone %d changed with its original", seed, i)
			}
			// Continuing from a clone gives what the original became, and leaves the other clones alone.
			seq := c.Seq()
			for j := range s.Events {
				if s.Events[j].Seq > seq {
					c.Apply(&s.Events[j])
				}
			}
			foldtest.RequireEqual(t, fmt.Sprintf("seed %d: clone %d, caught up", seed, i), c, f)
		}
		foldtest.RequireEqual(t, "the original, after its clones went on", f, foldtest.FoldOf(s.Events))
	}
}

// TestBaselineRestores writes a fold's state as events and folds them.
func TestBaselineRestores(t *testing.T) {
	for _, delta := range []bool{false, true} {
		s := foldtest.NewSynthetic(11, delta)
		for range 3000 {
			s.Step()
		}
		f := foldtest.FoldOf(s.Events)
		g := foldtest.FoldOf(f.Baseline())
		s.Check(t, g)
		// The same events must lead both to the same state.
		from := len(s.Events)
		for range 3000 {
			s.Step()
		}
		for i := from; i < len(s.Events); i++ {
			g.Apply(&s.Events[i])
		}
		s.Check(t, g)
	}
}
