package lab

import (
	"informerscope/core/words/releases"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/lab/selection"
)

// TestAHalfOpenWatchBringsNothingUntilItsHealthCheck: an open watch brings neither changes nor bookmarks, without an error. 45 s after the last frame its
// connection counts as lost, and the Reflector lists again.
func TestAHalfOpenWatchBringsNothingUntilItsHealthCheck(t *testing.T) {
	for _, release := range releases.Names() {
		t.Run(release, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, rec := start(t, selection.Change{Release: &release})
				if _, err := l.Writes(ptr(false), ""); err != nil {
					t.Fatal(err)
				}
				pass(20 * time.Second)
				do(t, l, "burst", ClusterArgs{N: 1})
				pass(time.Second)
				before := state(rec)
				if on, err := l.Informer(0).Fault("halfopen", FaultArgs{}); err != nil || !on {
					t.Fatal(on, err)
				}
				do(t, l, "burst", ClusterArgs{N: 10})
				pass(time.Second)
				if s := state(rec); s.Reflector.Events != before.Reflector.Events {
					t.Errorf("%d events on a half-open connection", s.Reflector.Events-before.Reflector.Events)
				}
				if on, err := l.Informer(0).Fault("halfopen", FaultArgs{On: ptr(false)}); err != nil || on {
					t.Fatal(on, err)
				}
				pass(time.Second)
				if s := state(rec); s.Reflector.Events != before.Reflector.Events+10 {
					t.Errorf("what was held back has not come: %d events", s.Reflector.Events)
				}
				before = state(rec)
				if on, err := l.Informer(0).Fault("halfopen", FaultArgs{}); err != nil || !on {
					t.Fatal(on, err)
				}
				struck := time.Now()
				do(t, l, "burst", ClusterArgs{N: 10})
				pass(43 * time.Second)
				s := state(rec)
				if s.Reflector.Phase != "watching" || s.Reflector.Events != before.Reflector.Events || s.Reflector.Bookmarks != before.Reflector.Bookmarks ||
					s.Reflector.LastError != before.Reflector.LastError || !s.Queue.Synced {
					t.Errorf("after 43 s: %+v", s.Reflector)
				}
				for state(rec).Reflector.LastError == before.Reflector.LastError {
					pass(10 * time.Millisecond)
				}
				if took := time.Since(struck).Round(time.Second); took != 44*time.Second {
					t.Errorf("lost after %v, want 45 s after the last frame, which came 1 s before the fault", took)
				}
				if s := state(rec); !strings.Contains(s.Reflector.LastError, "http2: client connection lost") || s.Reflector.Phase != "backoff" ||
					s.Reflector.BackoffThen != "list and watch again" {
					t.Errorf("lost: %+v", s.Reflector)
				}
				pass(10 * time.Second)
				if s := state(rec); s.Reflector.Phase != "watching" || s.Reflector.Relists != before.Reflector.Relists+1 ||
					s.Reflector.ResourceVersion == before.Reflector.ResourceVersion || !s.Faults[0].On || s.Faults[0].Name != "halfopen" {
					t.Errorf("10 s later: %+v, %+v", s.Reflector, s.Faults)
				}
			})
		})
	}
}
