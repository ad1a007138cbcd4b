package view_test

import (
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/lab"
	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
)

// TestWhatIsPoppedKeepsItsType runs resyncs and lists in older releases. A Sync or Replaced delta reaches the store as such, and its cell shows that. A
// resync does not appear as an update, because nothing was changed.
func TestWhatIsPoppedKeepsItsType(t *testing.T) {
	for _, release := range []string{"1.31", "1.33", "1.35"} {
		t.Run(release, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := newWholeRecorder()
				l := lab.New(lab.Options{Recorder: rec})
				defer func() {
					l.Close()
					<-time.After(2 * time.Minute)
				}()
				objects, rate := 9, 0.0
				if _, err := l.Select(t.Context(), selection.Change{Objects: &objects, Rate: &rate, Release: &release}); err != nil {
					t.Fatal(err)
				}
				v := view.New(rec, clock.RealClock{})
				p := &page{t: t}
				popped := func() map[string]int {
					types := map[string]int{}
					for _, m := range p.moves {
						if m.Path == "pop" {
							types[m.Op] += max(m.N, 1)
						}
					}
					p.moves = nil
					return types
				}
				// The first list may be popped before the first frame; another list brings the same objects, which the store updates.
				pass(3 * time.Second)
				p.take(v)
				popped()
				if _, err := l.Informer(0).Fault("410", lab.FaultArgs{}); err != nil {
					t.Fatal(err)
				}
				if _, err := l.Informer(0).Fault("cut", lab.FaultArgs{}); err != nil {
					t.Fatal(err)
				}
				for i := 0; i < 400 && v.State().Reflector.Relists == 0; i++ {
					pass(200 * time.Millisecond)
					p.take(v)
				}
				pass(time.Second)
				p.take(v)
				if got := popped(); got["Replaced"] < objects || got["Added"]+got["Updated"] > 0 {
					t.Errorf("a list of the same %d objects was popped as %v", objects, got)
				}
				if _, err := l.Informer(0).AddListener(lab.ListenerSpec{Name: "resyncer", ResyncMillis: 30_000}); err != nil {
					t.Fatal(err)
				}
				for i := 0; i < 400 && v.State().Reflector.Resyncs == 0; i++ {
					pass(200 * time.Millisecond)
					p.take(v)
				}
				pass(time.Second)
				p.take(v)
				if got := popped(); got["Sync"] < objects || got["Updated"] > 0 {
					t.Errorf("a resync of %d objects was popped as %v", objects, got)
				}
				head, _ := rec.Head()
				rec.FoldAt(head).Objects(0).Range(func(c *fold.Cell) bool {
					if c.Op != event.OpSync {
						t.Errorf("%s came with a resync and tells of %v", c.Key, c.Op)
					}
					return true
				})
			})
		})
	}
}
