package conformance

import (
	"context"
	"errors"
	"slices"
	"time"

	clientgo "k8s.io/client-go/tools/cache"

	"informerscope/core/informer"
)

// plain is what NewInformerWithOptions makes of either library: a store and a
// controller, whose process loop calls the one handler itself.
type plain struct {
	handler  *listener
	over     bool
	runs     func(context.Context)
	synced   func() bool
	describe func() string
	index    func(map[string]func(any) ([]string, error)) error
}

var errPlain = errors.New("not for a plain informer")

// plainRegistration is the lamp of a plain informer's handler: the controller's.
type plainRegistration struct{ p *plain }

func (r plainRegistration) HasSynced() bool { return r.p.synced() }

func (p *plain) addHandler(h *listener, _ *time.Duration) (registration, error) {
	if p.handler != nil {
		return nil, errPlain
	}
	p.handler = h
	return plainRegistration{p}, nil
}
func (p *plain) remove(registration, bool) error                            { return errPlain }
func (p *plain) setTransform(func(any) (any, error)) error                  { return errPlain }
func (p *plain) setWatchErrorHandler(func(error)) error                     { return errPlain }
func (p *plain) addIndexers(x map[string]func(any) ([]string, error)) error { return p.index(x) }
func (p *plain) run(ctx context.Context)                                    { p.runs(ctx); p.over = true }
func (p *plain) state() string                                              { return p.describe() }
func (p *plain) stopped() bool                                              { return p.over }

func (p *plain) add(o any, initial bool) {
	if p.handler != nil {
		p.handler.OnAdd(o, initial)
	}
}
func (p *plain) update(old, o any) {
	if p.handler != nil {
		p.handler.OnUpdate(old, o)
	}
}
func (p *plain) gone(o any) {
	if p.handler != nil {
		p.handler.OnDelete(ourTombstone(o))
	}
}

func (w *world) ourPlain(era informer.Era) *plain {
	p := &plain{}
	store, c := informer.NewInformerWithOptions(informer.InformerOptions{ListerWatcher: w.ourSource(), ObjectType: &object{}, ResyncPeriod: w.s.resync, Era: era,
		Indexers: informer.Indexers{"app": appIndex}, Transform: transforms[w.s.shape],
		Handler: informer.ResourceEventHandlerDetailedFuncs{AddFunc: p.add, UpdateFunc: p.update, DeleteFunc: p.gone}})
	x := store.(informer.Indexer)
	p.runs, p.synced = c.RunWithContext, c.HasSynced
	p.describe = func() string {
		return view{c.HasSynced(), informer.IsDone(c.HasSyncedChecker()), c.HasSynced(), c.LastSyncResourceVersion(), c.LastSyncResourceVersion(),
			x.LastStoreSyncResourceVersion(), x.List(), x.ListKeys(), indicesOf([]string{"app"}, x.ListIndexFuncValues, x.IndexKeys)}.String()
	}
	p.index = func(fns map[string]func(any) ([]string, error)) error {
		add := informer.Indexers{}
		for n, f := range fns {
			add[n] = f
		}
		return x.AddIndexers(add)
	}
	return p
}

func (w *world) theirPlain() *plain {
	p := &plain{}
	store, c := clientgo.NewInformerWithOptions(clientgo.InformerOptions{ListerWatcher: w.theirSource(), ObjectType: &object{}, ResyncPeriod: w.s.resync,
		Indexers: clientgo.Indexers{"app": appIndex}, Transform: transforms[w.s.shape],
		Handler: clientgo.ResourceEventHandlerDetailedFuncs{AddFunc: p.add, UpdateFunc: p.update, DeleteFunc: p.gone}})
	x := store.(clientgo.Indexer)
	p.runs, p.synced = c.RunWithContext, c.HasSynced
	p.describe = func() string {
		return view{c.HasSynced(), clientgo.IsDone(c.HasSyncedChecker()), c.HasSynced(), c.LastSyncResourceVersion(), c.LastSyncResourceVersion(),
			x.LastStoreSyncResourceVersion(), x.List(), x.ListKeys(), indicesOf([]string{"app"}, x.ListIndexFuncValues, x.IndexKeys)}.String()
	}
	p.index = func(fns map[string]func(any) ([]string, error)) error {
		add := clientgo.Indexers{}
		for n, f := range fns {
			add[n] = f
		}
		return x.AddIndexers(add)
	}
	return p
}

// makePlain makes a script fit for a plain informer: its handler is called with
// the queue locked, and whoever waits for a mutex holds up the bubble's clock,
// so it must return at once.
func (s *script) makePlain() {
	s.plain = true
	s.early = slices.Clone(s.early)
	s.early = append([]op{handler(spec{name: "plain", resync: -1})}, s.early...)
}
