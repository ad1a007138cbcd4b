package lab

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/cluster/simcluster"
	"informerscope/core/lab/selection"
)

// TestAControllerThatCreatesReadsAnOldStore: a controller creates a child for a pod that has none in the store. While the store is behind, a generated name
// makes one child after another, and a fixed name makes one.
func TestAControllerThatCreatesReadsAnOldStore(t *testing.T) {
	for _, tt := range []struct {
		children string
		made     func(creates, taken int) bool
	}{
		{"generated", func(creates, taken int) bool { return creates > 2 && taken == 0 }},
		{"fixed", func(creates, taken int) bool { return creates == 1 && taken > 1 }},
	} {
		t.Run(tt.children, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, rec := start(t, selection.Change{Objects: ptr(1), Rate: ptr(0.0)})
				pass(20 * time.Second)
				try := func(err error) {
					t.Helper()
					if err != nil {
						t.Fatal(err)
					}
				}
				if _, err := l.Writes(ptr(true), "random"); err == nil {
					t.Error("children are named at random")
				}
				try(l.Informer(0).Hold("take", 0))
				do(t, l, "burst", ClusterArgs{N: 1})
				pass(time.Second)
				try(l.Informer(0).Hold("pop", 0))
				do(t, l, "burst", ClusterArgs{N: 1})
				pass(time.Second)
				_, err := l.Writes(ptr(true), tt.children)
				try(err)
				try(l.Informer(0).Release("take", 0, 0))
				pass(100 * time.Millisecond)
				s := state(rec)
				if q := s.Workqueue; !tt.made(q.Creates, q.Taken) || q.Writes != 0 || q.Conflicts < 2 || q.WriteFails != 0 || s.Indexer.Count != 1 {
					t.Errorf("while the store is behind: %d created, %d taken, %+v", q.Creates, q.Taken, q)
				}
				made := s.Workqueue.Creates
				try(l.Informer(0).Release("pop", 0, 0))
				pass(time.Minute)
				s = state(rec)
				if q := s.Workqueue; q.Creates != made || q.Retries != 0 || s.Indexer.Count != 1+made {
					t.Errorf("later: %d created, then %d; the store has %d; %+v", made, q.Creates, s.Indexer.Count, q)
				}
				parents := 0
				for key, o := range truth(t, l, podsGVR) {
					if child := o.GetAnnotations()[simcluster.Child]; child != "" {
						parents++
						if !strings.HasPrefix(child, o.GetName()+"-child") {
							t.Errorf("%s names %s", key, child)
						}
					} else if o.GetLabels()[simcluster.ChildOf] == "" {
						t.Errorf("%s names no child, and is none", key)
					}
				}
				if parents != 1 {
					t.Errorf("%d pods name a child", parents)
				}
				if w := s.Workqueue.LastWrite; w == nil || w.Verb != http.MethodPatch {
					t.Errorf("the last write is %+v", w)
				}
			})
		})
	}
}
