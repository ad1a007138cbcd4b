package ownwrites

import (
	"context"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/lab/labtest"
)

func TestMain(m *testing.M) {
	labtest.SilenceLogs()
	os.Exit(m.Run())
}

// play runs the laboratory in a bubble.
func play(t *testing.T, seed uint64, lag time.Duration) (r Result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		if r, err = Run(t.Context(), Options{Seed: seed, Lag: lag, Idle: synctest.Wait}); err != nil {
			t.Fatal(err)
		}
	})
	return r
}

// lags are those at which the tests compare.
var lags = []time.Duration{0, 20, 50, 100, 250, 500, 1000, 2000}

// TestLanesEndWithWhatTheUserWants looks at the API servers of the lanes, and not at their stores.
func TestLanesEndWithWhatTheUserWants(t *testing.T) {
	for _, lag := range lags {
		synctest.Test(t, func(t *testing.T) {
			lanes, err := run(t.Context(), Options{Seed: 5, Lag: lag * time.Millisecond, Idle: synctest.Wait}, Load(5))
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range lanes {
				if cluster := l.cluster; len(cluster.live) != parentCount {
					t.Errorf("%s: %d parents have children", l.result.Guard, len(cluster.live))
				}
				for uid, n := range l.cluster.live {
					if n != childCount-1 {
						t.Errorf("a lag of %d ms, %s: %s has %d children in the end", lag, l.result.Guard, uid, n)
					}
				}
			}
		})
	}
}

// TestGuardsPreventDuplicates: with many seeds and lags, only the unguarded lane creates duplicates. No reconcile is held back for longer than an event is on
// its way, and the one worker is busy.
func TestGuardsPreventDuplicates(t *testing.T) {
	var duplicates [2]int // of the unguarded lane, with lags below and above the time between a user's writes
	for seed := range uint64(6) {
		for _, lag := range lags {
			lag *= time.Millisecond
			r := play(t, seed, lag)
			duplicates[min(1, int(lag/longestBetween))] += r.Lanes[0].Duplicates
			for _, l := range r.Lanes {
				if l.Guard == Unguarded {
					if l.Held+l.WaitedMillis != 0 || lag >= 100*time.Millisecond && l.Duplicates == 0 {
						t.Errorf("seed %d, lag %v: the unguarded lane made %d duplicates and held %d back", seed, lag, l.Duplicates, l.Held)
					}
					continue
				}
				most := lag + 2*jitter
				if l.Guard == Store { // the worker may be busy when the key comes back
					most += (childCount + 1) * (requestTime + jitter)
				}
				if most := millis(most); l.Duplicates != 0 || l.WorstMillis > most {
					t.Errorf("seed %d, lag %v, %s: %d duplicates, and a wait of %d ms, at most %d", seed, lag, l.Guard, l.Duplicates, l.WorstMillis, most)
				}
			}
		}
	}
	if duplicates[0] == 0 || duplicates[1] <= duplicates[0] {
		t.Errorf("the unguarded lane made %d duplicates with short lags and %d with long ones", duplicates[0], duplicates[1])
	}
}

func TestLanesAreAlikeUntilTheFirstStaleRead(t *testing.T) {
	r := play(t, 7, 250*time.Millisecond)
	first := r.Lanes[0].First
	if first == nil || first.Duplicates == 0 {
		t.Fatalf("the first stale read of the unguarded lane made no duplicate: %+v", first)
	}
	told := slices.IndexFunc(r.Lanes[0].Timeline, func(r Reconcile) bool { return r.Wrote > 0 })
	for _, l := range r.Lanes[1:] {
		stale := l.First
		if stale == nil || stale.Key != first.Key || stale.At != first.At || stale.Wrote != first.Wrote || stale.Read != first.Read ||
			!reflect.DeepEqual(l.Timeline[:told], r.Lanes[0].Timeline[:told]) {
			t.Errorf("%s differs from the unguarded lane before its first stale read: %+v, %+v", l.Guard, stale, first)
		}
		if wait := stale.WaitedMillis; wait == 0 || wait > 252 || (l.Guard == Store) != (stale.Refusals > 0) || stale.Duplicates != 0 {
			t.Errorf("%s: %+v", l.Guard, stale)
		}
	}
}

func TestSameSeedSameResult(t *testing.T) {
	for _, lag := range []time.Duration{0, 300 * time.Millisecond} {
		if a, b := play(t, 3, lag), play(t, 3, lag); !reflect.DeepEqual(a, b) {
			t.Errorf("a lag of %v: two runs differ\n%+v\n%+v", lag, a, b)
		}
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Lag: -1, Idle: func() {}}, "the lag is from 0 to 2s, not -1ns"},
		{Options{Lag: MaxLag + 1, Idle: func() {}}, "the lag is from 0 to 2s, not 2.000000001s"},
		{Options{}, "the laboratory runs on virtual time"},
	} {
		if _, err := Run(t.Context(), tt.o); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %s", tt.o, err, tt.want)
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		turns := 0
		_, err := Run(ctx, Options{Seed: 1, Lag: time.Second, Idle: func() {
			synctest.Wait()
			if turns++; turns == 40 {
				cancel()
			}
		}})
		if err != context.Canceled {
			t.Errorf("Run returned %v", err)
		}
	})
}
