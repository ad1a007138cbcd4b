package factory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/client/restwatch"
	"informerscope/core/informer"
	"informerscope/core/words/object"
)

// SharedInformerFactory has at most one informer for each resource. All
// methods are safe for concurrent use.
type SharedInformerFactory interface {
	// Start is StartWithContext with a channel that stops the informers.
	Start(stopCh <-chan struct{})
	// StartWithContext starts every informer that was asked for and does not
	// run yet, until ctx is done, and does not wait for them. It may be called
	// again for informers that are new since. After Shutdown it does nothing.
	StartWithContext(ctx context.Context)
	// Shutdown prevents further starts and waits until all informers have ended. The caller must end their contexts. Then Shutdown releases the
	// InformerName.
	Shutdown()
	// WaitForCacheSync is WaitForCacheSyncWithContext with a channel that ends the waiting.
	WaitForCacheSync(stopCh <-chan struct{}) map[schema.GroupVersionResource]bool
	// WaitForCacheSyncWithContext waits until every informer that was started
	// before the call has synced, or ctx is done.
	WaitForCacheSyncWithContext(ctx context.Context) SyncResult
	// ForResource returns the informer of gvr and its lister. Whether the server has the resource shows only once the informer runs.
	ForResource(gvr schema.GroupVersionResource) GenericInformer
	// InformerFor returns the informer of gvr, made by newFunc if there is none
	// yet: the first call, here or of ForResource, decides how it is made.
	InformerFor(gvr schema.GroupVersionResource, newFunc NewInformerFunc) informer.SharedIndexInformer
	// InformerName is what WithInformerName set, nil if nothing.
	InformerName() *informer.InformerName
}

// NewInformerFunc makes an informer with a resync period.
type NewInformerFunc func(client *restwatch.Client, resyncPeriod time.Duration) informer.SharedIndexInformer

// GenericInformer is a shared informer with its lister.
type GenericInformer interface {
	Informer() informer.SharedIndexInformer
	Lister() informer.GenericLister
}

// SyncResult is the result of waiting for a factory's informers.
type SyncResult struct {
	// Err is nil if all have synced, otherwise the cause of the context that ended.
	Err error
	// Synced reports for each started informer whether it has synced.
	Synced map[schema.GroupVersionResource]bool
}

// AsError returns nil if all have synced, else an error that names those that
// have not and wraps Err.
func (r SyncResult) AsError() error {
	if r.Err == nil {
		return nil
	}
	var late []string
	//maporder:free sorted below
	for gvr, synced := range r.Synced {
		if !synced {
			late = append(late, gvr.String())
		}
	}
	slices.Sort(late)
	return fmt.Errorf("failed to sync all caches: %s: %w", strings.Join(late, ", "), r.Err)
}

type sharedInformerFactory struct {
	client        *restwatch.Client
	defaultResync time.Duration
	customResync  map[schema.GroupVersionResource]time.Duration
	namespace     string
	tweak         TweakListOptionsFunc
	transform     informer.TransformFunc
	name          *informer.InformerName
	configure     func(schema.GroupVersionResource, *informer.SharedIndexInformerOptions)

	lock           sync.Mutex
	informers      map[schema.GroupVersionResource]informer.SharedIndexInformer
	isStarted      map[schema.GroupVersionResource]bool
	isShuttingDown bool
	goroutines     sync.WaitGroup
}

// NewSharedInformerFactory returns a factory of informers of all namespaces.
func NewSharedInformerFactory(client *restwatch.Client, defaultResync time.Duration) SharedInformerFactory {
	return NewSharedInformerFactoryWithOptions(client, defaultResync)
}

// NewFilteredSharedInformerFactory returns a factory of informers of one namespace ("" for all). tweak, which may be nil, changes the options of their
// requests.
//
// Deprecated: use NewSharedInformerFactoryWithOptions.
func NewFilteredSharedInformerFactory(client *restwatch.Client, defaultResync time.Duration, namespace string,
	tweak TweakListOptionsFunc) SharedInformerFactory {
	return NewSharedInformerFactoryWithOptions(client, defaultResync, WithNamespace(namespace), WithTweakListOptions(tweak))
}

// NewSharedInformerFactoryWithOptions returns a factory.
func NewSharedInformerFactoryWithOptions(client *restwatch.Client, defaultResync time.Duration, options ...SharedInformerOption) SharedInformerFactory {
	f := &sharedInformerFactory{
		client:        client,
		defaultResync: defaultResync,
		customResync:  map[schema.GroupVersionResource]time.Duration{},
		informers:     map[schema.GroupVersionResource]informer.SharedIndexInformer{},
		isStarted:     map[schema.GroupVersionResource]bool{},
	}
	for _, option := range options {
		option(f)
	}
	return f
}

// Start implements SharedInformerFactory.
func (f *sharedInformerFactory) Start(stopCh <-chan struct{}) {
	f.StartWithContext(wait.ContextForChannel(stopCh))
}

// StartWithContext mirrors client-go informers.(*sharedInformerFactory).StartWithContext (v0.37.2).
func (f *sharedInformerFactory) StartWithContext(ctx context.Context) {
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

// Shutdown implements SharedInformerFactory.
func (f *sharedInformerFactory) Shutdown() {
	f.lock.Lock()
	f.isShuttingDown = true
	f.lock.Unlock()
	f.goroutines.Wait()
	f.name.Release()
}

// WaitForCacheSync implements SharedInformerFactory.
func (f *sharedInformerFactory) WaitForCacheSync(stopCh <-chan struct{}) map[schema.GroupVersionResource]bool {
	return f.WaitForCacheSyncWithContext(wait.ContextForChannel(stopCh)).Synced
}

// WaitForCacheSyncWithContext mirrors client-go
// informers.(*sharedInformerFactory).WaitForCacheSyncWithContext (v0.37.2).
func (f *sharedInformerFactory) WaitForCacheSyncWithContext(ctx context.Context) SyncResult {
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
func sortedResources(of map[schema.GroupVersionResource]informer.SharedIndexInformer) []schema.GroupVersionResource {
	//maporder:free no two resources compare as equal
	return slices.SortedFunc(maps.Keys(of), func(a, b schema.GroupVersionResource) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Resource, b.Resource))
	})
}

func (f *sharedInformerFactory) startedInformers() map[schema.GroupVersionResource]informer.SharedIndexInformer {
	f.lock.Lock()
	defer f.lock.Unlock()
	started := make(map[schema.GroupVersionResource]informer.SharedIndexInformer, len(f.isStarted))
	//maporder:free copied into a map
	for gvr := range f.isStarted {
		started[gvr] = f.informers[gvr]
	}
	return started
}

// InformerName implements SharedInformerFactory.
func (f *sharedInformerFactory) InformerName() *informer.InformerName { return f.name }

// InformerFor implements SharedInformerFactory.
func (f *sharedInformerFactory) InformerFor(gvr schema.GroupVersionResource, newFunc NewInformerFunc) informer.SharedIndexInformer {
	f.lock.Lock()
	defer f.lock.Unlock()
	if inf, exists := f.informers[gvr]; exists {
		return inf
	}
	resync, custom := f.customResync[gvr]
	if !custom {
		resync = f.defaultResync
	}
	inf := newFunc(f.client, resync)
	if f.transform != nil {
		// The only error is that the informer runs already: then newFunc has set its transform.
		_ = inf.SetTransform(f.transform)
	}
	f.informers[gvr] = inf
	return inf
}

// ForResource implements SharedInformerFactory.
func (f *sharedInformerFactory) ForResource(gvr schema.GroupVersionResource) GenericInformer {
	inf := f.InformerFor(gvr, func(client *restwatch.Client, resync time.Duration) informer.SharedIndexInformer {
		options := informer.SharedIndexInformerOptions{
			ResyncPeriod:      resync,
			Indexers:          informer.Indexers{informer.NamespaceIndex: informer.MetaNamespaceIndexFunc},
			ObjectDescription: gvr.String(),
			Identifier:        f.name.WithResource(gvr),
		}
		if f.configure != nil {
			f.configure(gvr, &options)
		}
		return informer.NewSharedIndexInformerWithOptions(NewListWatch(client, gvr, f.namespace, f.tweak), &object.Object{}, options)
	})
	return genericInformer{inf, gvr.GroupResource()}
}

type genericInformer struct {
	informer informer.SharedIndexInformer
	resource schema.GroupResource
}

// Informer implements GenericInformer.
func (g genericInformer) Informer() informer.SharedIndexInformer { return g.informer }

// Lister implements GenericInformer.
func (g genericInformer) Lister() informer.GenericLister {
	return informer.NewGenericLister(g.informer.GetIndexer(), g.resource)
}

// NewListWatch returns a ListerWatcher of a resource, in one namespace or, with
// "", in all. tweak, if it is not nil, changes the options of every request.
func NewListWatch(client *restwatch.Client, gvr schema.GroupVersionResource, namespace string, tweak TweakListOptionsFunc) *informer.ListWatch {
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
			return client.Watch(ctx, gvr, namespace, options)
		},
	}
}
