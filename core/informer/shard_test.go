package informer

import (
	"context"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/apimachinery/pkg/watch"
)

// half is a selector of the objects whose namespace's hash is in the lower half.
var half = sharding.NewSelector(sharding.ShardRangeRequirement{Key: "object.metadata.namespace", Start: "0x0000000000000000", End: "0x8000000000000000"})

// TestShardWatchEndsWithAnEventInHand checks that stopping a sharded watch ends its goroutine, although no reader takes the event that it holds.
func TestShardWatchEndsWithAnEventInHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 2})
		lw := NewShardedListWatch(&ListWatch{WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return source, nil }}, half)
		w, err := lw.Watch(metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		source.Action(watch.Bookmark, obj("", "1"))
		synctest.Wait()
		w.Stop()
		w.Stop()
		synctest.Wait()
		if _, ok := <-w.ResultChan(); ok {
			t.Error("an event came after the stop")
		}
	})
}

// TestShardSelectorOfAnInformer checks that a selector is set before the start, and that without one the source is used as it is.
func TestShardSelectorOfAnInformer(t *testing.T) {
	lw := &ListWatch{}
	if NewShardedListWatch(lw, nil) != ListerWatcher(lw) || NewShardedListWatch(lw, sharding.Everything()) != ListerWatcher(lw) {
		t.Error("a source without a selector was wrapped")
	}
	synctest.Test(t, func(t *testing.T) {
		r := build(t, newServer([]reply{{list: list("5")}}, nil), SharedIndexInformerOptions{})
		if err := r.SetShardSelector(half); err != nil {
			t.Error(err)
		}
		r.run()
		synctest.Wait()
		if err := r.SetShardSelector(half); err == nil {
			t.Error("a running informer took a selector")
		}
		r.stop()
	})
}
