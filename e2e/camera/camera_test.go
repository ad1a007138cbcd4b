package camera

import (
	"bytes"
	"context"
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// TestTheSameMomentIsTheSamePicture opens a busy page twice, and looks at it at the same moments.
func TestTheSameMomentIsTheSamePicture(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c, err := Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var first [][]byte
	for again := range 2 {
		s, err := c.Open(ctx, "source=sim&seed=7&rate=20&lang=en", 1280, 720, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if err := s.Pass(ctx, time.Second); err != nil {
				t.Fatal(err)
			}
			got, err := s.Picture(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if again == 0 {
				first = append(first, got)
			} else if !bytes.Equal(got, first[i]) {
				t.Errorf("after %d s the second picture is unlike the first", i+1)
			}
		}
		if first := first[0]; bytes.Equal(first, mustPicture(ctx, t, s)) {
			t.Error("time passes, and the picture is the same")
		}
		s.ExpectClean(t)
		s.Close()
	}
}

// TestTimeStandsStill looks twice at a page of which no time passes between the looks.
func TestTimeStandsStill(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.Open(ctx, "source=sim&seed=7&lang=en", 800, 600, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.WaitUntil(ctx, "(await informerscope.state()).queue.synced", time.Minute); err != nil {
		t.Fatal(err)
	}
	before := mustPicture(ctx, t, s)
	now, err := browser.Eval[float64](ctx, s.Page, "performance.now()")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, mustPicture(ctx, t, s)) {
		t.Error("no time passed, and the picture is another one")
	}
	if later, err := browser.Eval[float64](ctx, s.Page, "performance.now()"); err != nil || later != now {
		t.Errorf("the clock went from %v to %v by itself (%v)", now, later, err)
	}
	if err := s.WaitUntil(ctx, "false", time.Second); err == nil {
		t.Error("what never holds was waited for, and no error came")
	}
}

func mustPicture(ctx context.Context, t *testing.T, s *Scene) []byte {
	t.Helper()
	p, err := s.Picture(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
