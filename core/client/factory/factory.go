package factory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/client/restwatch"
	"informerscope/core/informer"
	"informerscope/core/words/releases"
)

// SharedInformerFactory has at most one informer for each resource. All methods are safe for concurrent use.
// Mirrors client-go informers.sharedInformerFactory (v0.37.2).
type SharedInformerFactory struct {
	client        *restwatch.Client
	defaultResync time.Duration
	shardSelector sharding.Selector

	lock           sync.Mutex
	informers      map[schema.GroupVersionResource]informer.SharedIndexInformer
	isStarted      map[schema.GroupVersionResource]bool
	isShuttingDown bool
	goroutines     sync.WaitGroup
}

// NewInformerFunc makes an informer with a resync period.
type NewInformerFunc func(client *restwatch.Client, resyncPeriod time.Duration) informer.SharedIndexInformer

// SyncResult is the result of waiting for a factory's informers.
type SyncResult struct {
	// Err is nil if all have synced, otherwise the cause of the context that ended.
	Err error
	// Synced reports for each started informer whether it has synced.
	Synced map[schema.GroupVersionResource]bool
}

// SharedInformerOption configures a factory.
type SharedInformerOption func(*SharedInformerFactory)

// WithShardSelector makes every informer of the factory see only the objects of selector.
func WithShardSelector(selector sharding.Selector) SharedInformerOption {
	return func(f *SharedInformerFactory) { f.shardSelector = selector }
}

// NewSharedInformerFactory returns a factory without informers.
func NewSharedInformerFactory(client *restwatch.Client, defaultResync time.Duration, options ...SharedInformerOption) *SharedInformerFactory {
	f := &SharedInformerFactory{
		client:        client,
		defaultResync: defaultResync,
		informers:     map[schema.GroupVersionResource]informer.SharedIndexInformer{},
		isStarted:     map[schema.GroupVersionResource]bool{},
	}
	for _, option := range options {
		option(f)
	}
	return f
}

// StartWithContext starts every informer that was asked for and does not run yet, until ctx is done, and does not wait for them. It may be called again
// for informers that are new since. After Shutdown it does nothing.
// Mirrors client-go informers.(*sharedInformerFactory).StartWithContext (v0.37.2).
func (f *SharedInformerFactory) StartWithContext(ctx context.Context) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.isShuttingDown {
		return
	}
	for _, gvr := range sortedResources(f.informers) {
		inf := f.informers[gvr]
		if !f.isStarted[gvr] {
			f.isStarted[gvr] = true
			f.goroutines.Go(func() { inf.RunWithContext(ctx) })
		}
	}
}

// Shutdown prevents further starts and waits until all informers have ended. The caller must end their contexts.
func (f *SharedInformerFactory) Shutdown() {
	f.lock.Lock()
	f.isShuttingDown = true
	f.lock.Unlock()
	f.goroutines.Wait()
}

// WaitForCacheSyncWithContext waits until every informer that was started before the call has synced, or ctx is done.
// Mirrors client-go informers.(*sharedInformerFactory).WaitForCacheSyncWithContext (v0.37.2).
func (f *SharedInformerFactory) WaitForCacheSyncWithContext(ctx context.Context) SyncResult {
	started := f.startedInformers()
	checkers := make([]informer.DoneChecker, 0, len(started))
	for _, gvr := range sortedResources(started) {
		checkers = append(checkers, started[gvr].HasSyncedChecker())
	}
	informer.WaitFor(ctx, "", checkers...)
	result := SyncResult{Synced: make(map[schema.GroupVersionResource]bool, len(started))}
	for _, gvr := range sortedResources(started) {
		result.Synced[gvr] = started[gvr].HasSynced()
		if !result.Synced[gvr] {
			result.Err = context.Cause(ctx)
		}
	}
	return result
}

// sortedResources returns the resources of informers, always in the same order.
func sortedResources(informers map[schema.GroupVersionResource]informer.SharedIndexInformer) []schema.GroupVersionResource {
	//maporder:free no two resources compare as equal
	return slices.SortedFunc(maps.Keys(informers), func(a, b schema.GroupVersionResource) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Resource, b.Resource))
	})
}

func (f *SharedInformerFactory) startedInformers() map[schema.GroupVersionResource]informer.SharedIndexInformer {
	f.lock.Lock()
	defer f.lock.Unlock()
	started := make(map[schema.GroupVersionResource]informer.SharedIndexInformer, len(f.isStarted))
	//maporder:free copied into a map
	for gvr := range f.isStarted {
		started[gvr] = f.informers[gvr]
	}
	return started
}

// InformerFor returns the informer of gvr, made by newFunc if there is none yet: the first call decides how it is made.
func (f *SharedInformerFactory) InformerFor(gvr schema.GroupVersionResource, newFunc NewInformerFunc) informer.SharedIndexInformer {
	f.lock.Lock()
	defer f.lock.Unlock()
	if inf, exists := f.informers[gvr]; exists {
		return inf
	}
	inf := newFunc(f.client, f.defaultResync)
	if f.shardSelector != nil {
		_ = inf.SetShardSelector(f.shardSelector) // fails only for an informer that runs, which is not new
	}
	f.informers[gvr] = inf
	return inf
}

// TweakListOptionsFunc changes the options of every LIST and WATCH before it is sent, most often by setting a selector. It may be called concurrently.
type TweakListOptionsFunc func(*metav1.ListOptions)

// NewListWatch returns a ListerWatcher of a resource, in one namespace or, with "", in all, whose client is that of a release. tweak may be nil.
func NewListWatch(client *restwatch.Client, gvr schema.GroupVersionResource, namespace string, tweak TweakListOptionsFunc,
	release releases.Release) *informer.ListWatch {
	open := client.Watch
	if release.Features().DecodesAhead {
		open = client.WatchAhead
	}
	return &informer.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			if tweak != nil {
				tweak(&options)
			}
			list, err := client.List(ctx, gvr, namespace, options)
			if err != nil {
				return nil, err // not a nil *List in an interface
			}
			return list, nil
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			if tweak != nil {
				tweak(&options)
			}
			return open(ctx, gvr, namespace, options)
		},
	}
}
