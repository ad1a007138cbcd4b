package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clientfeatures "k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	clientgo "k8s.io/client-go/tools/cache"

	"informerscope/core/informer"
)

// eras are the releases of client-go that are compared.
var eras = []informer.Era{informer.Era131, informer.Era133, informer.Era135, informer.Era137}

// setEra gives client-go the defaults of an era's release. A gate that is
// locked in v0.37.2 is set in spite of it, which is what features/testing is for.
func setEra(t testing.TB, era informer.Era) {
	t.Helper()
	for _, g := range []struct {
		feature clientfeatures.Feature
		on      bool
	}{
		{clientfeatures.UnlockWhileProcessingFIFO, era == informer.Era137},
		{clientfeatures.AtomicFIFO, era == informer.Era137},
		{clientfeatures.InOrderInformersBatchProcess, era >= informer.Era135},
		{clientfeatures.InOrderInformers, era >= informer.Era133},
		{clientfeatures.WatchListClient, era >= informer.Era135},
	} {
		featurestesting.SetFeatureDuringTest(t, g.feature, g.on)
	}
}

// side is a SharedIndexInformer of either library.
type side interface {
	addHandler(h *listener, resync *time.Duration) (registration, error)
	remove(r registration, wait bool) error
	setTransform(func(any) (any, error)) error
	setWatchErrorHandler(func(error)) error
	addIndexers(map[string]func(any) ([]string, error)) error
	run(ctx context.Context)
	state() string
	stopped() bool
}

// registration is a ResourceEventHandlerRegistration of either library.
type registration interface{ HasSynced() bool }

// view is what an informer shows of itself.
type view struct {
	synced, done, controllerSynced bool
	rv, controllerRV, storeRV      string
	objects                        []any
	keys                           []string
	indices                        map[string]map[string][]string
}

func (v view) String() string {
	var objs []string
	for _, o := range v.objects {
		objs = append(objs, describe(o))
	}
	slices.Sort(objs)
	slices.Sort(v.keys)
	return fmt.Sprintf("synced=%v/%v/%v rv=%s/%s store=%s %v keys=%v indices=%v",
		v.synced, v.done, v.controllerSynced, v.rv, v.controllerRV, v.storeRV, objs, v.keys, v.indices)
}

// describe names a copy of an object: key, version, and how it left the server.
func describe(o any) string {
	m, ok := o.(metav1.Object)
	if !ok {
		return fmt.Sprintf("%T", o)
	}
	s := fmt.Sprintf("%s@%s(%s)", keyOf(m), m.GetResourceVersion(), m.GetAnnotations()[via])
	if n := m.GetLabels()["transformed"]; n != "" {
		s += "t" + n
	}
	return s
}

func keyOf(m metav1.Object) string {
	if m.GetNamespace() == "" {
		return m.GetName()
	}
	return m.GetNamespace() + "/" + m.GetName()
}

func appIndex(o any) ([]string, error) {
	m := o.(metav1.Object)
	app := m.GetLabels()["app"]
	switch {
	case app == "":
		return nil, nil
	case strings.Contains(app, "+"): // an object may have several values
		return strings.Split(app, "+"), nil
	}
	return []string{app}, nil
}

func indicesOf(names []string, values func(string) []string, keys func(string, string) ([]string, error)) map[string]map[string][]string {
	out := map[string]map[string][]string{}
	for _, name := range names {
		out[name] = map[string][]string{}
		for _, v := range values(name) {
			ks, err := keys(name, v)
			if err != nil {
				ks = []string{err.Error()}
			}
			slices.Sort(ks)
			out[name][v] = ks
		}
	}
	return out
}

// listWatch gives both libraries the same server.
type listWatch struct {
	*cluster
	optOut bool
}

func (l *listWatch) ListWithContext(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	return l.cluster.List(ctx, o)
}
func (l *listWatch) WatchWithContext(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	return l.cluster.Watch(ctx, o)
}
func (l *listWatch) List(o metav1.ListOptions) (runtime.Object, error) {
	return l.cluster.List(context.Background(), o)
}
func (l *listWatch) Watch(o metav1.ListOptions) (watch.Interface, error) {
	return l.cluster.Watch(context.Background(), o)
}
func (l *listWatch) IsWatchListSemanticsUnSupported() bool { return l.optOut }

// ourSource and theirSource are the ListerWatcher as each library is given it:
// the same value, or its own ListWatch.
func (w *world) ourSource() informer.ListerWatcher {
	if w.s.bare {
		return &informer.ListWatch{ListWithContextFunc: w.lw.ListWithContext, WatchFuncWithContext: w.lw.WatchWithContext}
	}
	return w.lw
}

func (w *world) theirSource() clientgo.ListerWatcher {
	if w.s.bare {
		return &clientgo.ListWatch{ListWithContextFunc: w.lw.ListWithContext, WatchFuncWithContext: w.lw.WatchWithContext}
	}
	return w.lw
}

type ours struct{ informer.SharedIndexInformer }

func (o ours) addHandler(h *listener, resync *time.Duration) (registration, error) {
	if h.filter != "" {
		return o.AddEventHandlerWithOptions(informer.FilteringResourceEventHandler{FilterFunc: h.passes, Handler: h}, informer.HandlerOptions{ResyncPeriod: resync})
	}
	return o.AddEventHandlerWithOptions(h, informer.HandlerOptions{ResyncPeriod: resync})
}
func (o ours) remove(r registration, wait bool) error {
	if wait {
		return informer.ShutDownEventHandler(o, r.(informer.ResourceEventHandlerRegistration))
	}
	return o.RemoveEventHandler(r.(informer.ResourceEventHandlerRegistration))
}
func (o ours) setTransform(f func(any) (any, error)) error { return o.SetTransform(f) }
func (o ours) setWatchErrorHandler(f func(error)) error {
	return o.SetWatchErrorHandler(func(_ *informer.Reflector, err error) { f(err) })
}
func (o ours) addIndexers(fns map[string]func(any) ([]string, error)) error {
	x := informer.Indexers{}
	for n, f := range fns {
		x[n] = f
	}
	return o.AddIndexers(x)
}
func (o ours) run(ctx context.Context) { o.RunWithContext(ctx) }
func (o ours) stopped() bool           { return o.IsStopped() }
func (o ours) state() string {
	i, c := o.GetIndexer(), o.GetController()
	var names []string
	for n := range i.GetIndexers() {
		names = append(names, n)
	}
	return view{o.HasSynced(), informer.IsDone(o.HasSyncedChecker()), c.HasSynced(), o.LastSyncResourceVersion(), c.LastSyncResourceVersion(),
		o.GetStore().LastStoreSyncResourceVersion(), i.List(), i.ListKeys(), indicesOf(names, i.ListIndexFuncValues, i.IndexKeys)}.String()
}

type theirs struct{ clientgo.SharedIndexInformer }

func (o theirs) addHandler(h *listener, resync *time.Duration) (registration, error) {
	if h.filter != "" {
		return o.AddEventHandlerWithOptions(clientgo.FilteringResourceEventHandler{FilterFunc: func(o any) bool { return h.passes(ourTombstone(o)) }, Handler: theirListener{h}},
			clientgo.HandlerOptions{ResyncPeriod: resync})
	}
	return o.AddEventHandlerWithOptions(theirListener{h}, clientgo.HandlerOptions{ResyncPeriod: resync})
}
func (o theirs) remove(r registration, wait bool) error {
	if wait {
		return clientgo.ShutDownEventHandler(o, r.(clientgo.ResourceEventHandlerRegistration))
	}
	return o.RemoveEventHandler(r.(clientgo.ResourceEventHandlerRegistration))
}
func (o theirs) setTransform(f func(any) (any, error)) error { return o.SetTransform(f) }
func (o theirs) setWatchErrorHandler(f func(error)) error {
	return o.SetWatchErrorHandler(func(_ *clientgo.Reflector, err error) { f(err) })
}
func (o theirs) addIndexers(fns map[string]func(any) ([]string, error)) error {
	x := clientgo.Indexers{}
	for n, f := range fns {
		x[n] = f
	}
	return o.AddIndexers(x)
}
func (o theirs) run(ctx context.Context) { o.RunWithContext(ctx) }
func (o theirs) stopped() bool           { return o.IsStopped() }
func (o theirs) state() string {
	i, c := o.GetIndexer(), o.GetController()
	var names []string
	for n := range i.GetIndexers() {
		names = append(names, n)
	}
	return view{o.HasSynced(), clientgo.IsDone(o.HasSyncedChecker()), c.HasSynced(), o.LastSyncResourceVersion(), c.LastSyncResourceVersion(),
		o.GetStore().LastStoreSyncResourceVersion(), i.List(), i.ListKeys(), indicesOf(names, i.ListIndexFuncValues, i.IndexKeys)}.String()
}

// theirListener turns client-go's tombstones into ours.
type theirListener struct{ *listener }

func (l theirListener) OnDelete(o any) { l.listener.OnDelete(ourTombstone(o)) }

func ourTombstone(o any) any {
	if d, ok := o.(clientgo.DeletedFinalStateUnknown); ok {
		return informer.DeletedFinalStateUnknown{Key: d.Key, Obj: ourTombstone(d.Obj)}
	}
	return o
}
