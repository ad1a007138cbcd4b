package probe

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/cache"
)

// timedHandler is a handler with a clock.
type timedHandler struct {
	h    cache.ResourceEventHandler
	l    *lane
	id   int32
	name string

	broken    atomic.Bool
	calls     atomic.Int64
	durations durations
	isListed  bool // the sampler's: it is among the listeners
}

// hookHandlers puts a clock around the handlers that were added before. It writes a private field of each listener, under the locks that
// the informer's start takes: the listener's goroutine, which is begun after them, is the only one that reads it.
func (l *lane) hookHandlers() {
	in := l.in
	if in.startedLock == nil || in.started == nil || in.listenersLock == nil {
		return
	}
	var broken atomic.Bool
	defer l.contain("handlers", &broken)
	in.startedLock.Lock()
	defer in.startedLock.Unlock()
	in.listenersLock.Lock()
	defer in.listenersLock.Unlock()
	for it := in.listeners.MapRange(); it.Next(); {
		if *in.started {
			l.disable("handlers", "the informer was already running: its earlier handlers are only sampled")
			return
		}
		pl, err := lookListener(it.Key())
		if err != nil {
			l.disable("handlers", err.Error())
			return
		}
		t := l.addTimed(*pl.handler)
		if pl.name != "" {
			t.name = pl.name
		}
		*pl.handler = t
		l.peers[pl.addr] = t
	}
}

// addTimed makes a timed handler; l.mu is held, or nothing else knows l yet.
func (l *lane) addTimed(h cache.ResourceEventHandler) *timedHandler {
	t := &timedHandler{h: h, l: l, id: int32(len(l.timers) + 1), name: handlerName(h)}
	l.timers = append(l.timers, t)
	return t
}

// handlerName is the name of a handler's type, or of the function where it is one that only has functions.
func handlerName(h cache.ResourceEventHandler) string {
	var funcs []interface{}
	switch x := h.(type) {
	case cache.ResourceEventHandlerFuncs:
		funcs = []interface{}{x.AddFunc, x.UpdateFunc, x.DeleteFunc}
	case *cache.ResourceEventHandlerFuncs:
		funcs = []interface{}{x.AddFunc, x.UpdateFunc, x.DeleteFunc}
	case cache.ResourceEventHandlerDetailedFuncs:
		funcs = []interface{}{x.AddFunc, x.UpdateFunc, x.DeleteFunc}
	case cache.FilteringResourceEventHandler:
		return handlerName(x.Handler)
	case *cache.FilteringResourceEventHandler:
		return handlerName(x.Handler)
	}
	for _, f := range funcs {
		if v := reflect.ValueOf(f); v.IsValid() && !v.IsNil() {
			if fn := runtime.FuncForPC(v.Pointer()); fn != nil {
				return plainName(strings.TrimSuffix(fn.Name(), "-fm"))
			}
		}
	}
	return plainName(strings.TrimPrefix(fmt.Sprintf("%T", h), "*"))
}

// plainName is the name of a type, or of the function around functions without a name: "pkg.New" for client-go's own "pkg.New.func1". For a handler
// that has several it is "pkg.New.func1+pkg.New.func2".
func plainName(name string) string {
	name, _, _ = strings.Cut(withoutTypeArguments(name), "+")
	if i := strings.LastIndex(name, ".func"); i > 0 {
		name = name[:i]
	}
	return name
}

// withoutTypeArguments is the name of a type or a function without what stands in brackets. controller-runtime's handlers have two types there, each
// with the whole path of its package, which hide the name.
func withoutTypeArguments(name string) string {
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch {
		case r == '[':
			depth++
		case r == ']' && depth > 0:
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (t *timedHandler) OnAdd(obj interface{}, initial bool) {
	if t.isIdle() {
		t.h.OnAdd(obj, initial)
		return
	}
	c := t.begin(opAdded, obj, initial)
	defer c.end()
	t.h.OnAdd(obj, initial)
	c.returned = true
}

func (t *timedHandler) OnUpdate(old, obj interface{}) {
	if t.isIdle() {
		t.h.OnUpdate(old, obj)
		return
	}
	c := t.begin(opUpdated, obj, false)
	defer c.end()
	t.h.OnUpdate(old, obj)
	c.returned = true
}

func (t *timedHandler) OnDelete(obj interface{}) {
	if t.isIdle() {
		t.h.OnDelete(obj)
		return
	}
	c := t.begin(opDeleted, obj, false)
	defer c.end()
	t.h.OnDelete(obj)
	c.returned = true
}

// isIdle says that neither a viewer nor metrics need the time, or that the hook has failed.
func (t *timedHandler) isIdle() bool {
	return !t.l.p.attached.Load() && !t.l.p.measuring.Load() || t.broken.Load()
}

// call is one call of a handler.
type call struct {
	t        *timedHandler
	op       op
	key, rv  string
	since    time.Duration // on the probe's clock; 0 where its beginning failed
	isLogged bool          // its beginning was
	returned bool
}

func (t *timedHandler) begin(o op, obj interface{}, initial bool) (c call) {
	c.t, c.op = t, o
	defer t.l.contain("handlers", &t.broken)
	now := time.Since(t.l.p.start)
	if c.isLogged = t.l.p.attached.Load(); c.isLogged {
		c.key, c.rv = t.l.ident(obj)
		t.l.p.emit(event{at: now, kind: evHandling, lane: t.l.id, listener: t.id, op: o, key: c.key, rv: c.rv, flag: initial})
	}
	c.since = now
	return c
}

// end runs on a panic too, which goes on: it does not recover, and only says that there was one.
func (c *call) end() {
	if c.since > 0 {
		now := time.Since(c.t.l.p.start)
		d := now - c.since
		c.t.calls.Add(1)
		if c.t.l.p.measuring.Load() {
			c.t.durations.add(d, !c.returned)
		}
		if !c.isLogged {
			return
		}
		c.t.l.p.emit(event{at: now, kind: evHandled, lane: c.t.l.id, listener: c.t.id, op: c.op, key: c.key, rv: c.rv, dur: d, flag: !c.returned})
	}
}

// watchedInformer is an informer whose handlers and transform are seen whenever they are added. O is what this client-go's
// AddEventHandlerWithOptions takes, which has been there since 0.33.
type watchedInformer[O any] struct {
	cache.SharedIndexInformer
	l   *lane
	add adder[O]
}

type adder[O any] func(informerOrOlder, cache.ResourceEventHandler, O) (cache.ResourceEventHandlerRegistration, error)

// informerOrOlder has AddEventHandlerWithOptions with every client-go: the informer's own, which stands less deep, or else one that is
// never called. So one source fits releases that have the method and releases that have not, whose type of options has no name there.
type informerOrOlder struct {
	cache.SharedIndexInformer
	olderInformer
}

type olderInformer struct{ oldestInformer }

type oldestInformer struct{}

func (oldestInformer) AddEventHandlerWithOptions(cache.ResourceEventHandler, struct{}) (cache.ResourceEventHandlerRegistration, error) {
	return nil, fmt.Errorf("this client-go has no AddEventHandlerWithOptions")
}

// addWithOptions makes the informer that Informer returns.
func addWithOptions(l *lane) cache.SharedIndexInformer {
	return wrapAs(l, informerOrOlder.AddEventHandlerWithOptions)
}

func wrapAs[O any](l *lane, add adder[O]) cache.SharedIndexInformer {
	if w, ok := interface{}(&watchedInformer[O]{l.inf, l, add}).(cache.SharedIndexInformer); ok {
		return w
	}
	l.disable("late handlers", "this client-go's informers have methods that the probe does not know: handlers that are added later are only sampled")
	return l.inf
}

func (l *lane) wrap(make func(*lane) cache.SharedIndexInformer) cache.SharedIndexInformer {
	return make(l)
}

func (w *watchedInformer[O]) probeLane() *lane { return w.l }

func (w *watchedInformer[O]) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	t := w.l.wrapHandler(h)
	r, err := w.SharedIndexInformer.AddEventHandler(t)
	w.l.bindTimer(r, t)
	return r, err
}

func (w *watchedInformer[O]) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, d time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	t := w.l.wrapHandler(h)
	r, err := w.SharedIndexInformer.AddEventHandlerWithResyncPeriod(t, d)
	w.l.bindTimer(r, t)
	return r, err
}

func (w *watchedInformer[O]) AddEventHandlerWithOptions(h cache.ResourceEventHandler, o O) (cache.ResourceEventHandlerRegistration, error) {
	t := w.l.wrapHandler(h)
	r, err := w.add(informerOrOlder{SharedIndexInformer: w.SharedIndexInformer}, t, o)
	w.l.bindTimer(r, t)
	return r, err
}

func (w *watchedInformer[O]) SetTransform(f cache.TransformFunc) error {
	if w.l.in.transform == nil || w.l.in.startedLock == nil {
		return w.SharedIndexInformer.SetTransform(f)
	}
	return w.SharedIndexInformer.SetTransform(w.l.transform(f))
}

// wrapHandler makes a timed handler for one that is added now. A handler that is none is client-go's to complain of.
func (l *lane) wrapHandler(h cache.ResourceEventHandler) cache.ResourceEventHandler {
	if h == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.addTimed(h)
}

// bindTimer ties a registration, which is the listener itself in every release so far, to its clock.
func (l *lane) bindTimer(r cache.ResourceEventHandlerRegistration, h cache.ResourceEventHandler) {
	t, ok := h.(*timedHandler)
	if v := reflect.ValueOf(r); ok && v.Kind() == reflect.Pointer {
		l.mu.Lock()
		l.peers[v.Pointer()] = t
		l.mu.Unlock()
	}
}
