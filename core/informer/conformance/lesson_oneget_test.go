package conformance

import (
	"context"
	"fmt"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"
)

// testOneGet reads one object through an informer that the factory does not have yet, as controller-runtime's cache does: it requests the informer, starts it
// and waits for its sync. The informer lists and keeps every object, and the read waits for all of them. The next read is immediate. The informer goes on
// to receive the changes of the others.
func testOneGet(t *testing.T) {
	runBoth(t, `
before: 0 LISTs, 0 WATCHes
the first Get: ns/o7 after 30s; 1 LISTs, 1 WATCHes, 500 objects in the store
the second Get: ns/o7 after 0s; 1 LISTs, 1 WATCHes, 500 objects in the store
fifty others change: the store has 50 new versions
the third Get: ns/o7 after 0s; 1 LISTs, 1 WATCHes, 500 objects in the store`, func(t *testing.T, mine bool, say func(string, ...any)) {
		names := make([]string, 500)
		for i := range names {
			names[i] = fmt.Sprintf("o%d", i)
		}
		c := newSmall(names...)
		c.slow = 30 * time.Second
		ctx, cancel := context.WithCancel(t.Context())
		f := newLateFactory(mine)
		defer f.end()
		defer cancel()
		f.start(ctx)
		sleepAndSettle(time.Minute)
		say("before: %s", c.countRequests())
		var synced func() bool
		var store keyStore
		read := func(key string) *object {
			o, exists, err := store.GetByKey(key)
			if err != nil || !exists {
				t.Fatalf("%s: %v, %v", key, exists, err)
			}
			return o.(*object)
		}
		get := func(which, key string) {
			began := time.Now()
			if store == nil {
				synced, store = f.request(c)
				f.start(ctx)
			}
			if !cache.WaitForCacheSync(ctx.Done(), synced) {
				t.Error("it has not synced")
			}
			o, took := read(key), time.Since(began).Truncate(time.Second)
			say("the %s Get: %s after %v; %s, %d objects in the store", which, keyOf(o), took, c.countRequests(), len(store.ListKeys()))
		}
		get("first", "ns/o7")
		get("second", "ns/o7")
		for _, name := range names[100:150] {
			c.put(name)
		}
		sleepAndSettle(time.Second)
		changed := 0
		for _, name := range names[100:150] {
			if read("ns/"+name).ResourceVersion == c.objects[name].ResourceVersion {
				changed++
			}
		}
		say("fifty others change: the store has %d new versions", changed)
		get("third", "ns/o7")
	})
}
