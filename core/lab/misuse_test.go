package lab

import (
	"informerscope/core/words/releases"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/cluster/simcluster"
	"informerscope/core/lab/selection"
)

// TestAReconcileThatAlwaysWritesFeedsItself: while the fault "rewrite" is on, one change of a pod makes its controller write and reconcile without end. A
// controller that writes only differences comes to rest.
func TestAReconcileThatAlwaysWritesFeedsItself(t *testing.T) {
	for _, release := range releases.Names() {
		t.Run(release, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, rec := start(t, selection.Change{Release: &release, Objects: ptr(1), Rate: ptr(0.0)})
				pass(20 * time.Second)
				if on, err := l.Informer(0).Fault("rewrite", FaultArgs{}); err != nil || !on {
					t.Fatal(on, err)
				}
				pass(5 * time.Second)
				rested := state(rec).Workqueue
				if rested.Writes != 0 || rested.Reconciles != 1 {
					t.Fatalf("before a change: %+v", rested)
				}
				do(t, l, "burst", ClusterArgs{N: 1})
				pass(time.Second)
				s := state(rec).Workqueue
				if s.Writes < 100 || s.Reconciles < 100 || s.Failures+s.Conflicts+s.WriteFails+s.Retries != 0 {
					t.Errorf("after a second: %+v", s)
				}
				for key, o := range truth(t, l, podsGVR) {
					if at, err := time.Parse(time.RFC3339Nano, o.GetAnnotations()[simcluster.ObservedTime]); err != nil || time.Since(at) > 20*time.Millisecond {
						t.Errorf("%s was observed at %v, %v", key, at, err)
					}
				}
				if on, err := l.Informer(0).Fault("rewrite", FaultArgs{On: ptr(false)}); err != nil || on {
					t.Fatal(on, err)
				}
				pass(time.Second)
				before := state(rec).Workqueue
				do(t, l, "burst", ClusterArgs{N: 1})
				pass(time.Minute)
				if s := state(rec).Workqueue; s.Writes != before.Writes || s.Reconciles != before.Reconciles+1 {
					t.Errorf("without the fault a change made %d writes, %d reconciles", s.Writes-before.Writes, s.Reconciles-before.Reconciles)
				}
			})
		})
	}
}

// TestAHandlerThatCallsAddRateLimitedWaits: while the fault "ratelimit" is on, a controller that starts takes a hundred keys at once and then ten in a second,
// and a new object comes last.
func TestAHandlerThatCallsAddRateLimitedWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{Objects: ptr(300), Rate: ptr(0.0)})
		pass(20 * time.Second)
		if s := state(rec).Workqueue; s.Reconciles != 300 || s.WaitingCount != 0 {
			t.Fatalf("with Add: %+v", s)
		}
		restart := func() {
			t.Helper()
			if err := l.Shutdown(); err != nil {
				t.Fatal(err)
			}
			pass(time.Second)
			if err := l.Start("", "", ""); err != nil {
				t.Fatal(err)
			}
		}
		if on, err := l.Informer(0).Fault("ratelimit", FaultArgs{}); err != nil || !on {
			t.Fatal(on, err)
		}
		restart()
		pass(time.Second)
		s := state(rec).Workqueue
		if s.Reconciles < 100 || s.Reconciles > 115 || s.WaitingCount < 185 || s.WaitingCount > 200 || s.Failures != 0 {
			t.Errorf("a second after the start: %+v", s)
		}
		do(t, l, "create", ClusterArgs{Name: "newcomer", Replicas: 1})
		pass(18 * time.Second)
		s = state(rec).Workqueue
		if s.Reconciles < 280 || s.Reconciles > 299 {
			t.Errorf("19 s after the start: %+v", s)
		}
		for s.WaitingCount > 1 {
			pass(50 * time.Millisecond)
			s = state(rec).Workqueue
		}
		if len(s.Waiting) != 1 || !strings.HasPrefix(s.Waiting[0].Key, "default/newcomer-") || s.Waiting[0].DueMillis-s.Waiting[0].SetMillis < 18_000 {
			t.Errorf("the last key is %+v", s.Waiting)
		}
		// It stays on in the next experiment, which says so, and not when a link begins.
		if _, err := l.Select(t.Context(), selection.Change{Release: ptr("1.33")}); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if s := state(rec); len(s.Faults) != 1 || s.Faults[0].Name != "ratelimit" || !s.Faults[0].On || s.Workqueue.WaitingCount == 0 {
			t.Errorf("the next experiment: %+v", s.Faults)
		}
		if on, err := l.Informer(0).Fault("ratelimit", FaultArgs{}); err != nil || on {
			t.Fatal(on, err)
		}
		restart()
		pass(3 * time.Second)
		if s := state(rec).Workqueue; s.Reconciles < 300 || s.WaitingCount != 0 {
			t.Errorf("without the fault: %+v", s)
		}
	})
}

// TestALinkEndsABugOfTheControllers: what was on before a link is played is no part of its story, whatever was watched.
func TestALinkEndsABugOfTheControllers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := start(t, selection.Change{Objects: ptr(5), Rate: ptr(0.0)})
		if _, err := l.Informer(0).Fault("rewrite", FaultArgs{}); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Select(t.Context(), selection.Change{Seed: ptr(uint64(3)), Do: ptr("")}); err != nil {
			t.Fatal(err)
		}
		if l.rewrites.Load() {
			t.Error("it is still on")
		}
	})
}
