package guard

import (
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/server/internal/testkit"
)

// TestTally makes a hundred thousand refusals, and expects a handful of lines that add up to it.
func TestTally(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log testkit.Log
		var counted atomic.Int64
		tally := NewTally(slog.New(slog.NewTextHandler(&log, nil)), func(string) { counted.Add(1) })
		lines := func() int { return strings.Count(log.String(), "\n") }
		tally.Count(slog.LevelWarn, "token", slog.String("remote", "192.0.2.1:5"))
		if got := log.String(); lines() != 1 || !strings.Contains(got, "rule=token") || !strings.Contains(got, "192.0.2.1:5") ||
			!strings.Contains(got, "level=WARN") {
			t.Fatalf("the first of its kind: %q", got)
		}
		var flood sync.WaitGroup
		for range 10 {
			flood.Go(func() {
				for range 10_000 {
					tally.Count(slog.LevelWarn, "token")
				}
			})
		}
		flood.Wait()
		tally.Count(slog.LevelInfo, "host")
		if lines() != 2 {
			t.Fatalf("a flood is logged:\n%s", log.String())
		}
		time.Sleep(tallyEvery)
		synctest.Wait()
		if got := log.String(); lines() != 3 || !strings.Contains(got, `msg="refused again" rule=token times=100000`) {
			t.Fatalf("after a minute:\n%s", got)
		}
		// After a minute without any, the next one is logged at once again.
		time.Sleep(tallyEvery)
		synctest.Wait()
		if lines() != 3 {
			t.Fatalf("a summary without refusals is logged:\n%s", log.String())
		}
		tally.Count(slog.LevelWarn, "token")
		tally.Count(slog.LevelWarn, "token")
		tally.Close()
		if got := log.String(); lines() != 5 || !strings.HasSuffix(got, "rule=token times=1\n") {
			t.Fatalf("at the end:\n%s", got)
		}
		if counted.Load() != 100_004 {
			t.Errorf("%d were counted", counted.Load())
		}
		time.Sleep(2 * tallyEvery)
		synctest.Wait()
		if lines() != 5 {
			t.Error("it goes on after its end")
		}
	})
}
