package releases

import (
	"context"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"informerscope/core/informer/conformance/play"
)

// clientGo is client-go as it was released, with its default gates. What its
// API does not share with the other releases is in a file of its own.
func clientGo() *play.Library {
	lib := &play.Library{
		Release: release, SyncedWithoutLock: syncedWithoutLock,
		Shared: func(o play.Options) play.Informer {
			opts := cache.SharedIndexInformerOptions{ResyncPeriod: o.Resync, Indexers: indexersOf(o.Indexers)}
			s := cache.NewSharedIndexInformerWithOptions(source(o), &metav1.PartialObjectMetadata{}, opts)
			if o.Half {
				setHalf(s)
			}
			return shared{s}
		},
		Plain: func(o play.Options, h play.Handler) play.Controller {
			store, c := cache.NewInformerWithOptions(cache.InformerOptions{ListerWatcher: source(o), ObjectType: &metav1.PartialObjectMetadata{}, ResyncPeriod: o.Resync,
				Indexers: indexersOf(o.Indexers), Transform: transformOf(o.Transform), Handler: handler{h}})
			x, _ := store.(cache.Indexer)
			return controller(c, x, store)
		},
		Custom: func(s play.Source, say func(string, any, bool), failure error) play.Controller {
			process := func(deltas []cache.Delta, initial bool) error {
				for _, d := range deltas {
					say(string(d.Type), neutral(d.Object), initial)
				}
				return failure
			}
			cfg := &cache.Config{Queue: queue(play.QueueOptions{Behind: nothing{}, Each: true}), ListerWatcher: s, ObjectType: &metav1.PartialObjectMetadata{},
				Process: func(o any, initial bool) error { return process(o.(cache.Deltas), initial) }}
			batches(cfg, process)
			c := cache.New(cfg)
			return play.Controller{Run: func(ctx context.Context) { runController(ctx, c) }, HasSynced: c.HasSynced}
		},
		Reflector: func(s play.Source, expected any, o play.ReflectorOptions) play.Reflector {
			store := cache.NewStore(cache.MetaNamespaceKeyFunc)
			opts := cache.ReflectorOptions{Name: "r", MinWatchTimeout: o.MinWatchTimeout}
			if o.Clock != nil {
				opts.Clock = o.Clock
			}
			r := cache.NewReflectorWithOptions(s, expected, store, opts)
			r.WatchListPageSize, r.MaxInternalErrorRetryDuration = o.PageSize, o.MaxInternalErrorRetry
			return play.Reflector{Run: func(ctx context.Context) { runReflector(ctx, r) }, Keys: store.ListKeys, Version: r.LastSyncResourceVersion}
		},
		Queue: func(o play.QueueOptions) *play.Queue {
			q := queue(o)
			return &play.Queue{Add: q.Add, Update: q.Update, Delete: q.Delete, Replace: q.Replace, Resync: q.Resync, HasSynced: q.HasSynced,
				Done: func() bool { return isDone(q) }, Close: q.Close, Bookmark: bookmark(q),
				IsClosed: q.(interface{ IsClosed() bool }).IsClosed, Closed: cache.ErrFIFOClosed,
				Pop: func(say func(string, []string, []any, bool) error) error {
					return pop(q, func(how string, deltas []cache.Delta, initial bool) error {
						var kinds []string
						var objects []any
						for _, d := range deltas {
							kinds, objects = append(kinds, string(d.Type)), append(objects, neutral(d.Object))
						}
						return say(how, kinds, objects, initial)
					})
				}}
		},
		Cache: func(index play.IndexFunc) play.Cache {
			return cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, cache.Indexers{"app": index})
		},
		Watch: func(rt http.RoundTripper, initial bool) (watch.Interface, error) {
			client, err := dynamic.NewForConfig(&rest.Config{Host: "http://server", Transport: rt})
			if err != nil {
				return nil, err
			}
			return client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Watch(context.Background(),
				metav1.ListOptions{SendInitialEvents: &initial})
		},
		Transaction: transaction,
		Tombstone:   func(key string, o any) any { return cache.DeletedFinalStateUnknown{Key: key, Obj: o} },
		ExplicitKey: func(s string) any { return cache.ExplicitKey(s) },
		Keys: play.Keys{
			Key: cache.MetaNamespaceKeyFunc, DeletionKey: cache.DeletionHandlingMetaNamespaceKeyFunc,
			ObjectName:   func(o any) (string, error) { n, err := cache.ObjectToName(o); return n.String(), err },
			DeletionName: func(o any) (string, error) { n, err := cache.DeletionHandlingObjectToName(o); return n.String(), err },
			Split:        cache.SplitMetaNamespaceKey,
			Parse:        func(s string) (string, error) { n, err := cache.ParseObjectName(s); return n.String(), err },
		},
		ForeignRegistration: func() play.Registration { return foreign{} },
	}
	return lib
}

// nothing is an empty store behind a queue.
type nothing struct{}

func (nothing) ListKeys() []string                 { return nil }
func (nothing) GetByKey(string) (any, bool, error) { return nil, false, nil }

type foreign struct{}

func (foreign) HasSynced() bool { return false }

func indexersOf(fns map[string]play.IndexFunc) cache.Indexers {
	x := cache.Indexers{}
	for name, f := range fns {
		x[name] = f
	}
	return x
}

func transformOf(f play.TransformFunc) cache.TransformFunc {
	if f == nil {
		return nil
	}
	return cache.TransformFunc(f)
}

// neutral turns the library's tombstones into those of play.
func neutral(o any) any {
	if d, ok := o.(cache.DeletedFinalStateUnknown); ok {
		return play.Tombstone{Key: d.Key, Obj: neutral(d.Obj)}
	}
	return neutralDelta(o)
}

// handler passes on what the library tells.
type handler struct{ play.Handler }

func (h handler) OnDelete(o any) { h.Handler.OnDelete(neutral(o)) }

func controller(c cache.Controller, x cache.Indexer, store cache.Store) play.Controller {
	return play.Controller{
		Run: func(ctx context.Context) { runController(ctx, c) }, HasSynced: c.HasSynced, Store: x,
		AddIndexers: func(fns map[string]play.IndexFunc) error { return x.AddIndexers(indexersOf(fns)) },
		View: func() play.View {
			v := play.View{Synced: c.HasSynced(), Done: isDone(c), ControllerSynced: c.HasSynced(), Version: c.LastSyncResourceVersion(),
				ControllerVersion: c.LastSyncResourceVersion(), StoreVersion: storeVersion(store), Objects: store.List(), Keys: store.ListKeys()}
			if x != nil {
				v.Indices = indices(x)
			}
			return v
		},
	}
}

func indices(x cache.Indexer) map[string]map[string][]string {
	var names []string
	for n := range x.GetIndexers() {
		names = append(names, n)
	}
	return play.Indices(names, x.ListIndexFuncValues, x.IndexKeys)
}

// shared is a SharedIndexInformer.
type shared struct{ cache.SharedIndexInformer }

func (s shared) AddHandler(h play.Handler, filter func(any) bool, resync *time.Duration) (play.Registration, error) {
	var r cache.ResourceEventHandler = handler{h}
	if filter != nil {
		r = cache.FilteringResourceEventHandler{FilterFunc: func(o any) bool { return filter(neutral(o)) }, Handler: r}
	}
	if resync != nil {
		return s.AddEventHandlerWithResyncPeriod(r, *resync)
	}
	return s.AddEventHandler(r)
}

func (s shared) Remove(r play.Registration, wait bool) error {
	if wait {
		return shutDown(s.SharedIndexInformer, r)
	}
	if r == nil {
		return s.RemoveEventHandler(nil)
	}
	return s.RemoveEventHandler(r.(cache.ResourceEventHandlerRegistration))
}

func (s shared) SetTransform(f play.TransformFunc) error {
	return s.SharedIndexInformer.SetTransform(transformOf(f))
}

func (s shared) SetWatchErrorHandler(f func(error)) error {
	return s.SharedIndexInformer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) { f(err) })
}

func (s shared) AddIndexers(fns map[string]play.IndexFunc) error {
	return s.SharedIndexInformer.AddIndexers(indexersOf(fns))
}
func (s shared) Run(ctx context.Context) { runShared(ctx, s.SharedIndexInformer) }
func (s shared) Stopped() bool           { return s.IsStopped() }
func (s shared) Keys() []string          { return s.GetStore().ListKeys() }
func (s shared) Store() play.Cache       { return s.GetIndexer() }

func (s shared) View() play.View {
	x, c := s.GetIndexer(), s.GetController()
	return play.View{Synced: s.HasSynced(), Done: isDone(s), ControllerSynced: c.HasSynced(), Version: s.LastSyncResourceVersion(),
		ControllerVersion: c.LastSyncResourceVersion(), StoreVersion: storeVersion(x), Objects: x.List(), Keys: x.ListKeys(), Indices: indices(x)}
}
