package conformance

import (
	"context"
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	clientgo "k8s.io/client-go/tools/cache"

	"informerscope/core/informer/conformance/play"
)

// theirs returns client-go v0.37.2 as a library that scripts are played to. With its default feature gates it is release 1.37. The older releases are
// compared with older versions of client-go, in e2e/releases.
func theirs() *play.Library {
	return &play.Library{
		Release: play.E137, SyncedWithoutLock: true,
		Shared: func(o play.Options) play.Informer {
			return theirInformer{clientgo.NewSharedIndexInformerWithOptions(theirSource(o), &object{},
				clientgo.SharedIndexInformerOptions{ResyncPeriod: o.Resync, Indexers: theirIndexers(o.Indexers)})}
		},
		Plain: func(o play.Options, h play.Handler) play.Controller {
			store, c := clientgo.NewInformerWithOptions(clientgo.InformerOptions{ListerWatcher: theirSource(o), ObjectType: &object{}, ResyncPeriod: o.Resync,
				Indexers: theirIndexers(o.Indexers), Transform: clientgo.TransformFunc(o.Transform), Handler: theirHandler{h}})
			x := store.(clientgo.Indexer)
			return play.Controller{Run: c.RunWithContext, HasSynced: c.HasSynced, Store: x,
				AddIndexers: func(fns map[string]play.IndexFunc) error { return x.AddIndexers(theirIndexers(fns)) },
				View: func() play.View {
					return play.View{Synced: c.HasSynced(), Done: clientgo.IsDone(c.HasSyncedChecker()), ControllerSynced: c.HasSynced(),
						Version: c.LastSyncResourceVersion(), ControllerVersion: c.LastSyncResourceVersion(), StoreVersion: x.LastStoreSyncResourceVersion(),
						Objects: x.List(), Keys: x.ListKeys(), Indices: theirIndices(x)}
				}}
		},
		Custom: func(s play.Source, say func(string, any, bool), failure error) play.Controller {
			process := func(deltas []clientgo.Delta, initial bool) error {
				for _, d := range deltas {
					say(string(d.Type), theirNeutral(d.Object), initial)
				}
				return failure
			}
			c := clientgo.New(&clientgo.Config{Queue: clientgo.NewRealFIFO(clientgo.MetaNamespaceKeyFunc, nothing{}, nil), ListerWatcher: s, ObjectType: &object{},
				Process: func(o any, initial bool) error { return process(o.(clientgo.Deltas), initial) }, ProcessBatch: process})
			return play.Controller{Run: c.RunWithContext, HasSynced: c.HasSynced}
		},
		Reflector: func(s play.Source, expected any, o play.ReflectorOptions) play.Reflector {
			store := clientgo.NewStore(clientgo.MetaNamespaceKeyFunc)
			opts := clientgo.ReflectorOptions{Name: "r", MinWatchTimeout: o.MinWatchTimeout}
			if o.Clock != nil {
				opts.Clock = o.Clock
			}
			r := clientgo.NewReflectorWithOptions(s, expected, store, opts)
			r.WatchListPageSize, r.MaxInternalErrorRetryDuration = o.PageSize, o.MaxInternalErrorRetry
			return play.Reflector{Run: r.RunWithContext, Keys: store.ListKeys, Version: r.LastSyncResourceVersion}
		},
		Queue: func(o play.QueueOptions) *play.Queue {
			if o.Each {
				return theirQueue(clientgo.NewRealFIFO(clientgo.MetaNamespaceKeyFunc, o.Behind, clientgo.TransformFunc(o.Transform)))
			}
			return theirQueue(clientgo.NewRealFIFOWithOptions(clientgo.RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true, EmitDeltaTypeBookmark: true,
				Transformer: o.Transform}))
		},
		Cache: func(index play.IndexFunc) play.Cache {
			return clientgo.NewIndexer(clientgo.DeletionHandlingMetaNamespaceKeyFunc, clientgo.Indexers{"app": index})
		},
		Watch: func(rt http.RoundTripper, initial bool) (watch.Interface, error) {
			client, err := dynamic.NewForConfig(&rest.Config{Host: "http://server", Transport: rt})
			if err != nil {
				return nil, err
			}
			return client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Watch(context.Background(),
				metav1.ListOptions{SendInitialEvents: &initial})
		},
		Transaction: func(c play.Cache, kinds []string, objects []any) string {
			var txns []clientgo.Transaction
			for i, kind := range kinds {
				txns = append(txns, clientgo.Transaction{Type: clientgo.TransactionType(kind), Object: objects[i]})
			}
			err := c.(clientgo.TransactionStore).Transaction(txns...)
			if err == nil {
				return "done"
			}
			return fmt.Sprintf("done %v of %d, %d errors", err.SuccessfulIndices, err.TotalTransactions, len(err.Errors))
		},
		Tombstone:   func(key string, o any) any { return clientgo.DeletedFinalStateUnknown{Key: key, Obj: o} },
		ExplicitKey: func(s string) any { return clientgo.ExplicitKey(s) },
		Keys: play.Keys{
			Key: clientgo.MetaNamespaceKeyFunc, DeletionKey: clientgo.DeletionHandlingMetaNamespaceKeyFunc,
			ObjectName: func(o any) (string, error) { n, err := clientgo.ObjectToName(o); return n.String(), err },
			DeletionName: func(o any) (string, error) {
				n, err := clientgo.DeletionHandlingObjectToName(o)
				return n.String(), err
			},
			Split: clientgo.SplitMetaNamespaceKey,
			Parse: func(s string) (string, error) { n, err := clientgo.ParseObjectName(s); return n.String(), err },
		},
		ForeignRegistration: func() play.Registration { return foreignToThem{} },
	}
}

// nothing is an empty store for a queue.
type nothing struct{}

func (nothing) ListKeys() []string                 { return nil }
func (nothing) GetByKey(string) (any, bool, error) { return nil, false, nil }

type foreignToThem struct{}

func (foreignToThem) HasSynced() bool                        { return false }
func (foreignToThem) HasSyncedChecker() clientgo.DoneChecker { return nil }

func theirSource(o play.Options) clientgo.ListerWatcher {
	if o.Bare {
		s := o.Source.(play.SourceWithContext)
		return &clientgo.ListWatch{ListWithContextFunc: s.ListWithContext, WatchFuncWithContext: s.WatchWithContext}
	}
	return o.Source
}

func theirIndexers(fns map[string]play.IndexFunc) clientgo.Indexers {
	x := clientgo.Indexers{}
	for name, f := range fns {
		x[name] = f
	}
	return x
}

func theirIndices(x clientgo.Indexer) map[string]map[string][]string {
	var names []string
	for n := range x.GetIndexers() {
		names = append(names, n)
	}
	return play.Indices(names, x.ListIndexFuncValues, x.IndexKeys)
}

// theirNeutral converts client-go's special objects of deltas to those of package play.
func theirNeutral(o any) any {
	switch d := o.(type) {
	case clientgo.DeletedFinalStateUnknown:
		return play.Tombstone{Key: d.Key, Obj: theirNeutral(d.Obj)}
	case clientgo.ReplacedAllInfo:
		return play.ReplacedAll{ResourceVersion: d.ResourceVersion, Objects: d.Objects}
	case clientgo.SyncAllInfo:
		return play.SyncAll{}
	case clientgo.BookmarkInfo:
		return play.Bookmark{ResourceVersion: d.ResourceVersion}
	}
	return o
}

type theirHandler struct{ play.Handler }

func (h theirHandler) OnDelete(o any) { h.Handler.OnDelete(theirNeutral(o)) }

func theirQueue(q clientgo.Queue) *play.Queue {
	x := &play.Queue{Add: q.Add, Update: q.Update, Delete: q.Delete, Replace: q.Replace, Resync: q.Resync, HasSynced: q.HasSynced, Close: q.Close,
		Done: func() bool { return clientgo.IsDone(q.HasSyncedChecker()) }, Bookmark: func(string) error { return nil },
		IsClosed: q.(interface{ IsClosed() bool }).IsClosed, Closed: clientgo.ErrFIFOClosed}
	if b, ok := q.(clientgo.ReflectorBookmarkStore); ok {
		x.Bookmark = b.Bookmark
	}
	x.Pop = func(say func(string, []string, []any, bool) error) error {
		tell := func(how string, deltas []clientgo.Delta, initial bool) error {
			var kinds []string
			var objects []any
			for _, d := range deltas {
				kinds, objects = append(kinds, string(d.Type)), append(objects, theirNeutral(d.Object))
			}
			return say(how, kinds, objects, initial)
		}
		return q.(clientgo.QueueWithBatch).PopBatch(
			func(deltas []clientgo.Delta, initial bool) error { return tell("batch", deltas, initial) },
			func(o any, initial bool) error { return tell("single", o.(clientgo.Deltas), initial) })
	}
	return x
}

type theirInformer struct{ clientgo.SharedIndexInformer }

func (s theirInformer) AddHandler(h play.Handler, filter func(any) bool, resync *time.Duration) (play.Registration, error) {
	var r clientgo.ResourceEventHandler = theirHandler{h}
	if filter != nil {
		r = clientgo.FilteringResourceEventHandler{FilterFunc: func(o any) bool { return filter(theirNeutral(o)) }, Handler: r}
	}
	return s.AddEventHandlerWithOptions(r, clientgo.HandlerOptions{ResyncPeriod: resync})
}

func (s theirInformer) Remove(r play.Registration, wait bool) error {
	reg, _ := r.(clientgo.ResourceEventHandlerRegistration)
	if wait {
		return clientgo.ShutDownEventHandler(s.SharedIndexInformer, reg)
	}
	return s.RemoveEventHandler(reg)
}

func (s theirInformer) SetTransform(f play.TransformFunc) error {
	return s.SharedIndexInformer.SetTransform(clientgo.TransformFunc(f))
}

func (s theirInformer) SetWatchErrorHandler(f func(error)) error {
	return s.SharedIndexInformer.SetWatchErrorHandler(func(_ *clientgo.Reflector, err error) { f(err) })
}

func (s theirInformer) AddIndexers(fns map[string]play.IndexFunc) error {
	return s.SharedIndexInformer.AddIndexers(theirIndexers(fns))
}
func (s theirInformer) Run(ctx context.Context) { s.RunWithContext(ctx) }
func (s theirInformer) Stopped() bool           { return s.IsStopped() }
func (s theirInformer) Keys() []string          { return s.GetStore().ListKeys() }
func (s theirInformer) Store() play.Cache       { return s.GetIndexer() }

func (s theirInformer) View() play.View {
	x, c := s.GetIndexer(), s.GetController()
	return play.View{Synced: s.HasSynced(), Done: clientgo.IsDone(s.HasSyncedChecker()), ControllerSynced: c.HasSynced(), Version: s.LastSyncResourceVersion(),
		ControllerVersion: c.LastSyncResourceVersion(), StoreVersion: x.LastStoreSyncResourceVersion(), Objects: x.List(), Keys: x.ListKeys(),
		Indices: theirIndices(x)}
}
