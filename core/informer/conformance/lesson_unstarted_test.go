package conformance

import (
	"context"
	"testing"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"informerscope/core/client/factory"
	"informerscope/core/client/restwatch"
	"informerscope/core/informer"
)

// lateFactory is what a test needs of a factory of either library to request an informer after Start.
type lateFactory struct {
	request func(c *small) (synced func() bool, store keyStore)
	start   func(ctx context.Context)
	wait    func(ctx context.Context) int // for so many informers
	end     func()
}

// keyStore is what a test reads of a store of either library.
type keyStore interface {
	ListKeys() []string
	GetByKey(key string) (object any, exists bool, err error)
}

func newLateFactory(mine bool) lateFactory {
	if !mine {
		f := informers.NewSharedInformerFactory(nil, 0)
		return lateFactory{func(c *small) (func() bool, keyStore) {
			i := f.InformerFor(&object{}, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
				return cache.NewSharedIndexInformer(c, &object{}, 0, nil)
			})
			return i.HasSynced, i.GetStore()
		}, f.StartWithContext, func(ctx context.Context) int { return len(f.WaitForCacheSyncWithContext(ctx).Synced) }, f.Shutdown}
	}
	f := factory.NewSharedInformerFactory(nil, 0)
	return lateFactory{func(c *small) (func() bool, keyStore) {
		i := f.InformerFor(nodes, func(*restwatch.Client, time.Duration) informer.SharedIndexInformer {
			return informer.NewSharedIndexInformer(c, &object{}, 0, nil)
		})
		return i.HasSynced, i.GetStore()
	}, f.StartWithContext, func(ctx context.Context) int { return len(f.WaitForCacheSyncWithContext(ctx).Synced) }, f.Shutdown}
}

// testUnstarted requests an informer after Start. It does not run: the factory's WaitForCacheSync does not wait for it, and that of package cache waits without
// end. The next Start starts it.
func testUnstarted(t *testing.T) {
	runBoth(t, `
factory.WaitForCacheSync waited for 0 informers, 0s
cache.WaitForCacheSync, after a day: synced false, 0 objects, 0 LISTs, 0 WATCHes
Start again: synced true, 1 objects, 1 LISTs, 1 WATCHes
factory.WaitForCacheSync waited for 1 informers, 0s`, func(t *testing.T, mine bool, say func(string, ...any)) {
		ctx, cancel := context.WithCancel(t.Context())
		f, c := newLateFactory(mine), newSmall("a")
		defer f.end()
		defer cancel()
		wait := func() {
			began := time.Now()
			say("factory.WaitForCacheSync waited for %d informers, %v", f.wait(ctx), time.Since(began))
		}
		f.start(ctx)
		synced, store := f.request(c)
		wait()
		day, end := context.WithTimeout(ctx, 24*time.Hour)
		defer end()
		say("cache.WaitForCacheSync, after a day: synced %v, %d objects, %s", cache.WaitForCacheSync(day.Done(), synced), len(store.ListKeys()), c.countRequests())
		f.start(ctx)
		sleepAndSettle(time.Second)
		say("Start again: synced %v, %d objects, %s", synced(), len(store.ListKeys()), c.countRequests())
		wait()
	})
}
