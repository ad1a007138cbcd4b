package lab

import (
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
)

// TestUnreadAreTheChangesThatCome: while the connection is refused, what the Reflector has not read are the changes of what it watches, and not the writes
// of the whole cluster. Once the cluster can be reached, the watch brings as many.
func TestUnreadAreTheChangesThatCome(t *testing.T) {
	for name, change := range map[string]selection.Change{
		"everything":     {},
		"one namespace":  {Namespace: ptr("shop")},
		"a label":        {Selector: ptr("tier=worker")},
		"two releases":   {Namespace: ptr("shop"), Release: ptr("1.31,1.37")},
		"two resources":  {Namespace: ptr("shop"), Resource: ptr("pods,deployments.apps")},
		"a shard":        {},
		"nothing at all": {Namespace: ptr("shop"), Selector: ptr("app=none")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				change.Rate, change.Objects = ptr(20.0), ptr(120)
				l, rec := start(t, change)
				if _, err := l.Writes(ptr(false), ""); err != nil { // else the page's own workers write once they can
					t.Fatal(err)
				}
				if name == "a shard" {
					err := errors.Join(l.Shutdown(), l.SetShard("1/2"))
					pass(time.Second)
					if err := errors.Join(err, l.Start("", "", "")); err != nil {
						t.Fatal(err)
					}
				}
				pass(8 * time.Second)
				for _, fault := range []struct {
					name string
					on   *bool
				}{{"refuse", ptr(true)}, {"cut", nil}} {
					if _, err := l.Informer(0).Fault(fault.name, FaultArgs{On: fault.on}); err != nil {
						t.Fatal(err)
					}
				}
				pass(6 * time.Second)
				do(t, l, "rate", ClusterArgs{PerSecond: 0})
				pass(20 * time.Second) // controllers come to rest
				head, _ := rec.Head()
				away := rec.FoldAt(head)
				restored := fold.NewFold()
				for _, e := range away.Baseline() {
					restored.Apply(&e)
				}
				if _, err := l.Informer(0).Fault("refuse", FaultArgs{On: ptr(false)}); err != nil {
					t.Fatal(err)
				}
				pass(2 * time.Minute)
				head, _ = rec.Head()
				back := rec.FoldAt(head)
				for lane := range away.Lanes() {
					one, two := away.LaneState(lane).Reflector, back.LaneState(lane).Reflector
					came := two.Events - one.Events
					if one.Unread == nil || *one.Unread != came || two.Relists != one.Relists {
						t.Fatalf("lane %d: %d changes came after %d relists, unread were %s", lane, came, two.Relists-one.Relists, text(one.Unread))
					}
					if two.Unread == nil || *two.Unread != 0 {
						t.Errorf("lane %d: when all had come, unread were %s", lane, text(two.Unread))
					}
					if got := restored.LaneState(lane).Reflector.Unread; got == nil || *got != came {
						t.Errorf("lane %d: a baseline says %s, not %d", lane, text(got), came)
					}
					if (came > 0) == (name == "nothing at all") {
						t.Errorf("lane %d: %d changes of what it watches", lane, came)
					}
				}
			})
		})
	}
}

func text(n *int) string {
	if n == nil {
		return "unknown"
	}
	return strconv.Itoa(*n)
}
