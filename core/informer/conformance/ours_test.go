package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/client/factory"
	"informerscope/core/client/restwatch"
	"informerscope/core/informer"
	"informerscope/core/informer/conformance/play"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// ours returns core/informer with a release as a library that scripts are played to.
func ours(name play.Release) *play.Library {
	release, err := releases.Parse(string(name))
	if err != nil {
		panic(err)
	}
	return &play.Library{
		Release: name, Mine: true, SyncedWithoutLock: name >= play.E137,
		Shared: func(o play.Options) play.Informer {
			return ourShared(release, o)
		},
		Plain: func(o play.Options, h play.Handler) play.Controller {
			store, c := informer.NewInformerWithOptions(informer.InformerOptions{Release: release, ListerWatcher: ourSource(o), ObjectType: &object{},
				ResyncPeriod: o.Resync,
				Indexers:     ourIndexers(o.Indexers), Transform: informer.TransformFunc(o.Transform), Handler: ourHandler{h}})
			x := store.(informer.Indexer)
			return play.Controller{Run: c.RunWithContext, HasSynced: c.HasSynced, Store: x,
				AddIndexers: func(fns map[string]play.IndexFunc) error { return x.AddIndexers(ourIndexers(fns)) },
				View: func() play.View {
					return play.View{Synced: c.HasSynced(), Done: checkDone(release, c.HasSyncedChecker(), c.HasSynced), ControllerSynced: c.HasSynced(),
						Version: c.LastSyncResourceVersion(), ControllerVersion: c.LastSyncResourceVersion(), StoreVersion: x.LastStoreSyncResourceVersion(),
						Objects: x.List(), Keys: x.ListKeys(), Indices: ourIndices(x)}
				}}
		},
		Custom: func(s play.Source, say func(string, any, bool), failure error) play.Controller {
			process := func(deltas []informer.Delta, initial bool) error {
				for _, d := range deltas {
					say(string(d.Type), ourNeutral(d.Object), initial)
				}
				return failure
			}
			var q informer.Queue = informer.NewRealFIFOWithOptions(informer.RealFIFOOptions{KnownObjects: nothing{}, Release: release})
			if release == releases.V131 {
				q = informer.NewDeltaFIFOWithOptions(informer.DeltaFIFOOptions{KnownObjects: nothing{}, EmitDeltaTypeReplaced: true})
			}
			c := informer.New(&informer.Config{Release: release, Queue: q, ListerWatcher: s, ObjectType: &object{},
				Process: func(o any, initial bool) error { return process(o.(informer.Deltas), initial) }, ProcessBatch: process})
			return play.Controller{Run: c.RunWithContext, HasSynced: c.HasSynced}
		},
		Reflector: func(s play.Source, expected any, o play.ReflectorOptions) play.Reflector {
			store := informer.NewStore(informer.MetaNamespaceKeyFunc)
			opts := informer.ReflectorOptions{Release: release, Name: "r", MinWatchTimeout: o.MinWatchTimeout}
			if o.Clock != nil {
				opts.Clock = o.Clock
			}
			r := informer.NewReflectorWithOptions(s, expected, store, opts)
			r.WatchListPageSize, r.MaxInternalErrorRetryDuration = o.PageSize, o.MaxInternalErrorRetry
			return play.Reflector{Run: r.RunWithContext, Keys: store.ListKeys, Version: r.LastSyncResourceVersion}
		},
		Queue: func(o play.QueueOptions) *play.Queue {
			switch {
			case o.Sync:
				return ourQueue(release, informer.NewDeltaFIFO(informer.MetaNamespaceKeyFunc, nil))
			case release == releases.V131:
				return ourQueue(release, informer.NewDeltaFIFOWithOptions(informer.DeltaFIFOOptions{KnownObjects: o.Behind, EmitDeltaTypeReplaced: true,
					Transformer: o.Transform}))
			case release >= releases.V137 && !o.Each:
				return ourQueue(release, informer.NewRealFIFOWithOptions(informer.RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true,
					EmitDeltaTypeBookmark: true, Transformer: o.Transform, Release: release}))
			}
			return ourQueue(release, informer.NewRealFIFOWithOptions(informer.RealFIFOOptions{KnownObjects: o.Behind, Transformer: o.Transform, Release: release}))
		},
		Cache: func(index play.IndexFunc) play.Cache {
			return informer.NewIndexer(informer.DeletionHandlingMetaNamespaceKeyFunc, informer.Indexers{"app": index}, informer.WithRelease(release))
		},
		Watch: func(rt http.RoundTripper, initial bool) (watch.Interface, error) {
			client := &restwatch.Client{HTTP: &http.Client{Transport: rt}, Base: &url.URL{Scheme: "http", Host: "server"}}
			lw := factory.NewListWatch(client, schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", nil, release)
			return lw.WatchWithContext(context.Background(), metav1.ListOptions{SendInitialEvents: &initial})
		},
		Transaction: func(c play.Cache, kinds []string, objects []any) string {
			var txns []informer.Transaction
			for i, kind := range kinds {
				txns = append(txns, informer.Transaction{Type: informer.TransactionType(kind), Object: objects[i]})
			}
			err := c.(informer.TransactionStore).Transaction(txns...)
			if err == nil {
				return "done"
			}
			return fmt.Sprintf("done %v of %d, %d errors", err.SuccessfulIndices, err.TotalTransactions, len(err.Errors))
		},
		Tombstone:   func(key string, o any) any { return informer.DeletedFinalStateUnknown{Key: key, Obj: o} },
		ExplicitKey: func(s string) any { return informer.ExplicitKey(s) },
		Keys: play.Keys{
			Key: informer.MetaNamespaceKeyFunc, DeletionKey: informer.DeletionHandlingMetaNamespaceKeyFunc,
			ObjectName: func(o any) (string, error) { n, err := informer.ObjectToName(o); return n.String(), err },
			DeletionName: func(o any) (string, error) {
				n, err := informer.DeletionHandlingObjectToName(o)
				return n.String(), err
			},
			Split: informer.SplitMetaNamespaceKey,
			Parse: func(s string) (string, error) { n, err := informer.ParseObjectName(s); return n.String(), err },
		},
		ForeignRegistration: func() play.Registration { return foreignToUs{} },
	}
}

type foreignToUs struct{}

func (foreignToUs) HasSynced() bool                        { return false }
func (foreignToUs) HasSyncedChecker() informer.DoneChecker { return nil }

func ourSource(o play.Options) informer.ListerWatcher {
	if o.Bare {
		s, ok := o.Source.(play.SourceWithContext)
		if !ok {
			return &informer.ListWatch{ListFunc: o.Source.List, WatchFunc: o.Source.Watch}
		}
		return &informer.ListWatch{ListWithContextFunc: s.ListWithContext, WatchFuncWithContext: s.WatchWithContext}
	}
	return o.Source
}

func ourIndexers(fns map[string]play.IndexFunc) informer.Indexers {
	x := informer.Indexers{}
	for name, f := range fns {
		x[name] = f
	}
	return x
}

func ourIndices(x informer.Indexer) map[string]map[string][]string {
	var names []string
	for n := range x.GetIndexers() {
		names = append(names, n)
	}
	return play.Indices(names, x.ListIndexFuncValues, x.IndexKeys)
}

// ourNeutral converts our special objects of deltas to those of package play.
func ourNeutral(o any) any {
	switch d := o.(type) {
	case informer.DeletedFinalStateUnknown:
		return play.Tombstone{Key: d.Key, Obj: ourNeutral(d.Obj)}
	case informer.ReplacedAllInfo:
		return play.ReplacedAll{ResourceVersion: d.ResourceVersion, Objects: d.Objects}
	case informer.SyncAllInfo:
		return play.SyncAll{}
	case informer.BookmarkInfo:
		return play.Bookmark{ResourceVersion: d.ResourceVersion}
	}
	return o
}

type ourHandler struct{ play.Handler }

func (h ourHandler) OnDelete(o any) { h.Handler.OnDelete(ourNeutral(o)) }

func ourQueue(release releases.Release, q informer.Queue) *play.Queue {
	x := &play.Queue{Add: q.Add, Update: q.Update, Delete: q.Delete, Replace: q.Replace, Resync: q.Resync, HasSynced: q.HasSynced, Close: q.Close,
		Done: func() bool { return checkDone(release, q.HasSyncedChecker(), q.HasSynced) }, Bookmark: func(string) error { return nil },
		IsClosed: q.(interface{ IsClosed() bool }).IsClosed, Closed: informer.ErrFIFOClosed}
	if b, ok := q.(informer.ReflectorBookmarkStore); ok {
		x.Bookmark = b.Bookmark
	}
	x.Pop = func(say func(string, []string, []any, bool) error) error {
		tell := func(how string, deltas []informer.Delta, initial bool) error {
			var kinds []string
			var objects []any
			for _, d := range deltas {
				kinds, objects = append(kinds, string(d.Type)), append(objects, ourNeutral(d.Object))
			}
			return say(how, kinds, objects, initial)
		}
		single := func(o any, initial bool) error { return tell("single", o.(informer.Deltas), initial) }
		if release < releases.V135 {
			_, err := q.Pop(single)
			return err
		}
		if release == releases.V135 { // PopBatch had one function, so a single item was a batch too
			single = func(o any, initial bool) error { return tell("batch", o.(informer.Deltas), initial) }
		}
		return q.(informer.QueueWithBatch).PopBatch(func(deltas []informer.Delta, initial bool) error { return tell("batch", deltas, initial) }, single)
	}
	return x
}

// checkDone returns whether the HasSyncedChecker is done. Before 0.36 there is none, so done returns HasSynced.
func checkDone(release releases.Release, checker informer.DoneChecker, synced func() bool) bool {
	if release < releases.V137 {
		return synced()
	}
	return informer.IsDone(checker)
}

// ourInformer is our SharedIndexInformer, with the fold of its event log if it has an Observer.
type ourInformer struct {
	informer.SharedIndexInformer
	release releases.Release
	rec     *trace.Recorder
	follow  *fold.Fold
}

func ourShared(release releases.Release, o play.Options) *ourInformer {
	s := &ourInformer{release: release}
	opts := informer.SharedIndexInformerOptions{ResyncPeriod: o.Resync, Indexers: ourIndexers(o.Indexers), Release: release}
	if o.Half {
		opts.ShardSelector = sharding.NewSelector(sharding.ShardRangeRequirement(play.HalfShard))
	}
	if !o.Silent {
		s.rec = trace.NewRecorder(trace.RecorderOptions{MaxEvents: 1 << 20, CheckpointEvery: 1 << 20})
		sel, _ := json.Marshal(event.Selection{Source: "sim", Version: "v1", Resource: "pods", Releases: []string{release.String()}})
		s.rec.Emit(0, event.Selected{Selection: string(sel)}.Event())
		s.follow = fold.NewFold()
		opts.Observer = s.rec.Lane(0)
	}
	s.SharedIndexInformer = informer.NewSharedIndexInformerWithOptions(ourSource(o), &object{}, opts)
	return s
}

func (s *ourInformer) AddHandler(h play.Handler, filter func(any) bool, resync *time.Duration) (play.Registration, error) {
	var r informer.ResourceEventHandler = ourHandler{h}
	if filter != nil {
		r = informer.FilteringResourceEventHandler{FilterFunc: func(o any) bool { return filter(ourNeutral(o)) }, Handler: r}
	}
	return s.AddEventHandlerWithOptions(r, informer.HandlerOptions{ResyncPeriod: resync})
}

func (s *ourInformer) Remove(r play.Registration, wait bool) error {
	reg, _ := r.(informer.ResourceEventHandlerRegistration)
	if wait {
		return informer.ShutDownEventHandler(s.SharedIndexInformer, reg)
	}
	return s.RemoveEventHandler(reg)
}

func (s *ourInformer) SetTransform(f play.TransformFunc) error {
	return s.SharedIndexInformer.SetTransform(informer.TransformFunc(f))
}

func (s *ourInformer) SetWatchErrorHandler(f func(error)) error {
	return s.SharedIndexInformer.SetWatchErrorHandler(func(_ *informer.Reflector, err error) { f(err) })
}

func (s *ourInformer) AddIndexers(fns map[string]play.IndexFunc) error {
	return s.SharedIndexInformer.AddIndexers(ourIndexers(fns))
}
func (s *ourInformer) Run(ctx context.Context) { s.RunWithContext(ctx) }
func (s *ourInformer) Stopped() bool           { return s.IsStopped() }
func (s *ourInformer) Keys() []string          { return s.GetStore().ListKeys() }
func (s *ourInformer) Store() play.Cache       { return s.GetIndexer() }

func (s *ourInformer) View() play.View {
	x, c := s.GetIndexer(), s.GetController()
	return play.View{Synced: s.HasSynced(), Done: checkDone(s.release, s.HasSyncedChecker(), s.HasSynced), ControllerSynced: c.HasSynced(),
		Version:           s.LastSyncResourceVersion(),
		ControllerVersion: c.LastSyncResourceVersion(), StoreVersion: x.LastStoreSyncResourceVersion(), Objects: x.List(), Keys: x.ListKeys(), Indices: ourIndices(x)}
}
