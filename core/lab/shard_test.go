package lab

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
)

// TestShards runs an informer for each of two shards. Together they have every pod, and what the log says of them survives a baseline. Since 1.38 that is so
// with an API server that does not know shards, too: the client drops the others. Before, each informer has every pod then.
func TestShards(t *testing.T) {
	for _, tc := range []struct {
		release   string
		unsharded bool
	}{{"1.37", false}, {"1.38", false}, {"1.37", true}, {"1.38", true}} {
		t.Run(fmt.Sprintf("%s, unsharded: %v", tc.release, tc.unsharded), func(t *testing.T) { testShards(t, tc.release, tc.unsharded) })
	}
}

func testShards(t *testing.T, release string, unsharded bool) {
	synctest.Test(t, func(t *testing.T) {
		l, rec := start(t, selection.Change{Release: &release})
		pass(time.Second)
		if unsharded {
			if _, err := l.Cluster("unsharded", ClusterArgs{N: 1}); err != nil {
				t.Fatal(err)
			}
		}
		head, _ := rec.Head()
		whole := rec.FoldAt(head).LaneState(0)
		for _, bad := range []string{"3/2", "half"} {
			if err := l.SetShard(bad); err == nil || !strings.Contains(err.Error(), "is not a shard") {
				t.Errorf("%q: %v", bad, err)
			}
		}
		if err := l.SetShard("1/2"); err != nil {
			t.Fatal(err)
		}
		if s := rec.FoldAt(head).LaneState(0); s.Shard != "" || s.Indexer.Count != whole.Indexer.Count {
			t.Errorf("an informer that runs has taken the shard %q", s.Shard)
		}
		if err := l.Shutdown(); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if err := l.Start("", "", ""); err != nil {
			t.Fatal(err)
		}
		if err := l.SetShard("2/2"); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Informer(0).SetUnshared(nil); err != nil {
			t.Fatal(err)
		}
		pass(2 * time.Second)
		head, _ = rec.Head()
		f := rec.FoldAt(head)
		factory := f.Factory(0)
		both := whole.Indexer.Count
		if unsharded && release == "1.37" {
			both *= 2
		}
		if a, b := factory.Rows[0], factory.Rows[1]; a.Shard != "1/2" || b.Shard != "2/2" || a.Count+b.Count != both || a.Count == 0 || b.Count == 0 {
			t.Fatalf("shard %q has %d, shard %q has %d, of %d", a.Shard, a.Count, b.Shard, b.Count, whole.Indexer.Count)
		}
		if a := f.LaneState(factory.Rows[0].Lane).Reflector; a.Lists+a.Watches != 1 {
			t.Errorf("the new informer sent %d LISTs and %d WATCHes, want one WatchList", a.Lists, a.Watches)
		}
		if len(factory.API.Twice) != 0 || factory.Sentence.ID == "factory.unshared" {
			t.Errorf("two shards are said to be the same twice: %+v, %+v", factory.API.Twice, factory.Sentence)
		}
		sent := 0
		for _, r := range f.LaneState(factory.Rows[0].Lane).API.Requests {
			if r.Open {
				sent = r.Frames
			}
		}
		if all := sent >= whole.Indexer.Count; all != unsharded {
			t.Errorf("%d frames came for %d of %d pods", sent, factory.Rows[0].Count, whole.Indexer.Count)
		}
		for _, row := range factory.Rows[:2] {
			if w := f.LaneState(row.Lane).World; w.Apart != 0 {
				t.Errorf("shard %s is %d changes behind the cluster, and nothing is held", row.Shard, w.Apart)
			}
		}
		faithful(t, l, rec)
		restored := fold.NewFold()
		for _, e := range f.Baseline() {
			restored.Apply(&e)
		}
		for lane, want := range []string{"1/2", "2/2"} {
			s := f.LaneState(lane)
			if got := restored.LaneState(lane).Shard; s.Shard != want || got != want {
				t.Errorf("lane %d has shard %q, and %q from its baseline, want %s", lane, s.Shard, got, want)
			}
			if !strings.Contains(s.Reflector.LastRequest, "shardSelector=shardRange") {
				t.Errorf("lane %d asks with %s", lane, s.Reflector.LastRequest)
			}
		}
	})
}
