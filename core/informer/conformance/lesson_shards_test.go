package conformance

import (
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/informer/conformance/play"
)

// sharded is a small cluster that an informer asks for a shard, as with WithTweakListOptions. Like an API server with the feature gate
// ShardedListAndWatch it sends nothing else.
type sharded struct {
	*small
	in sharding.Selector
}

func newSharded(c *small, start, end string) *sharded {
	return &sharded{c, sharding.NewSelector(sharding.ShardRangeRequirement{Key: "object.metadata.uid", Start: start, End: end})}
}

func (c *sharded) List(o metav1.ListOptions) (runtime.Object, error) {
	l, err := c.small.List(o)
	if err != nil {
		return nil, err
	}
	all := l.(*metav1.PartialObjectMetadataList)
	all.Items = slices.DeleteFunc(all.Items, func(x object) bool { return !has(c.in, &x) })
	return all, nil
}

// Watch keeps the shard with which it began.
func (c *sharded) Watch(o metav1.ListOptions) (watch.Interface, error) {
	w, err := c.small.Watch(o)
	if err != nil {
		return nil, err
	}
	in := c.in
	return watch.Filter(w, func(e watch.Event) (watch.Event, bool) { return e, has(in, e.Object) }), nil
}

func has(in sharding.Selector, o runtime.Object) bool {
	ok, err := in.Matches(o)
	return ok && err == nil
}

// testShards runs an informer for each half of the hashes, as two replicas do. Each object is in one store, and each change reaches one of them. When a
// replica has ended, its objects are in no store. A range that grows under an informer that runs brings nothing of that: its next WATCH has the new range,
// and goes on from the last version. Only a new informer lists.
func testShards(t *testing.T) {
	runBoth(t, `
the stores have 5 and 3 of 8 objects, 0 are in both
8 changes: 5 calls and 3 calls
the range grows, and the WATCH begins again: 1 LISTs, 2 WATCHes, 5 objects
one object of the other half changes: 6 objects
a new informer: 8 objects`, func(t *testing.T, mine bool, say func(string, ...any)) {
		lib := theirs()
		if mine {
			lib = ours(play.E137)
		}
		names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
		clusters := [2]*sharded{newSharded(newSmall(names...), "0x0000000000000000", "0x8000000000000000"),
			newSharded(newSmall(names...), "0x8000000000000000", "0x10000000000000000")}
		change := func(name string) {
			for _, c := range clusters {
				c.put(name)
			}
		}
		var calls [2]int
		var stores [2]play.Informer
		for i, c := range clusters {
			stores[i] = run(t, lib.Shared(play.Options{Source: c}), listener{update: func(any) { calls[i]++ }})
		}
		sleepAndSettle(time.Second)
		twice := 0
		for _, key := range stores[0].Keys() {
			if slices.Contains(stores[1].Keys(), key) {
				twice++
			}
		}
		say("the stores have %d and %d of %d objects, %d are in both", len(stores[0].Keys()), len(stores[1].Keys()), len(names), twice)
		for _, name := range names {
			change(name)
		}
		sleepAndSettle(time.Second)
		say("%d changes: %d calls and %d calls", len(names), calls[0], calls[1])

		one := clusters[0]
		one.in = newSharded(nil, "0x0000000000000000", "0x10000000000000000").in
		one.streams[0].Stop()
		sleepAndSettle(time.Minute)
		say("the range grows, and the WATCH begins again: %s, %d objects", one.countRequests(), len(stores[0].Keys()))
		for _, name := range names {
			if !slices.Contains(stores[0].Keys(), "ns/"+name) {
				one.streams[1].Modify(one.objects[name].DeepCopy())
				break
			}
		}
		sleepAndSettle(time.Second)
		say("one object of the other half changes: %d objects", len(stores[0].Keys()))
		next := run(t, lib.Shared(play.Options{Source: newSharded(one.small, "0x0000000000000000", "0x10000000000000000")}))
		sleepAndSettle(time.Second)
		say("a new informer: %d objects", len(next.Keys()))
	})
}

// uidOf returns a UID for a name, always the same.
func uidOf(name string) types.UID { return types.UID(fmt.Sprintf("%s-0123-4567-89ab-cdef", name)) }
