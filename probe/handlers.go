package probe

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"

	"example.org/informerscope/probe/internal/joints"
)

// timedHandler measures the calls of a handler.
type timedHandler struct {
	h    cache.ResourceEventHandler
	l    *lane
	id   int32
	name string

	broken    atomic.Bool
	calls     atomic.Int64
	nextCheck atomic.Int64 // a time.Duration on the probe's clock: calls before it are not checked for changes of their objects
	durations durations
	isListed  bool        // the last sample had its listener; used by the sampler only
	isInside  atomic.Bool // it is in a call that began while nothing was logged
}

// hookHandlers wraps the handlers that were added before. It writes a private field of each listener, under the locks that the informer takes to start.
// Only the listener's goroutine reads the field, and it starts after that.
func (l *lane) hookHandlers() {
	var broken atomic.Bool
	defer l.contain("handlers", &broken)
	l.in.Listeners(func(all []*joints.Listener, isRunning bool, err error) {
		if len(all) > 0 && isRunning {
			l.disable("handlers", "the informer was already running: its earlier handlers are only sampled")
			return
		}
		if err != nil {
			l.disable("handlers", err.Error())
			return
		}
		sortByName(all)
		for _, x := range all {
			t := l.addTimed(x.Handler())
			t.name = x.Name
			x.SetHandler(t)
			l.peers[x.Address] = t
		}
	})
}

// sortByName names listeners after their handlers, and sorts them by that: in the order of client-go's map a listener would have another number after each
// start. The name is the one that client-go has, or that of the handler's type or function.
func sortByName(all []*joints.Listener) {
	for _, x := range all {
		if x.Name = plainName(x.Name); x.Name != "" {
			continue
		}
		if t, ok := x.Handler().(*timedHandler); ok {
			x.Name = t.name
		} else {
			x.Name = handlerName(x.Handler())
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Name < all[j].Name })
}

// addTimed wraps a handler. The caller holds l.mu, unless it alone has l.
func (l *lane) addTimed(h cache.ResourceEventHandler) *timedHandler {
	t := &timedHandler{h: h, l: l, id: int32(len(l.timers) + 1), name: l.sourceName(h)}
	if t.name == "" {
		t.name = handlerName(h)
	} else {
		t.name = l.distinguish(t.name)
	}
	l.timers = append(l.timers, t)
	return t
}

// handlerName returns the name of a handler's type, or of its functions if the type only holds functions.
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
				return plainName(fn.Name())
			}
		}
	}
	return plainName(strings.TrimPrefix(fmt.Sprintf("%T", h), "*"))
}

// distinguish returns the name of a further Watches of the same kind in the same controller: with its number.
func (l *lane) distinguish(name string) string {
	n := 1
	for _, t := range l.timers {
		if t.name == name || strings.HasPrefix(t.name, name+" (") {
			n++
		}
	}
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s (%d)", name, n)
}

// plainName returns the name of a type. For functions without a name it is the function around them: "pkg.New" for client-go's own "pkg.New.func1", or
// "pkg.New.func1+pkg.New.func2" for several.
func plainName(name string) string {
	name, _, _ = strings.Cut(withoutTypeArguments(name), "+")
	name = strings.TrimSuffix(name, "-fm") // the function that is a method's value
	if i := strings.LastIndex(name, ".func"); i > 0 {
		name = name[:i]
	}
	// The compiler puts the function that uses a method's value before the method: "main.main.(*controller).enqueue".
	base := strings.LastIndexByte(name, '/') + 1
	pkg, rest, _ := strings.Cut(name[base:], ".")
	if i := strings.LastIndex(rest, ".("); i >= 0 {
		name = name[:base] + pkg + rest[i:]
	}
	return name
}

// withoutTypeArguments removes the brackets from the name of a type or a function. controller-runtime's handlers have two type arguments with whole
// package paths, which hide the name.
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
		t.isInside.Store(true)
		t.h.OnAdd(obj, initial)
		t.leave()
		return
	}
	c := t.begin(opAdded, nil, obj, initial)
	defer c.end()
	t.h.OnAdd(obj, initial)
	c.returned = true
}

func (t *timedHandler) OnUpdate(old, obj interface{}) {
	if t.isIdle() {
		t.isInside.Store(true)
		t.h.OnUpdate(old, obj)
		t.leave()
		return
	}
	c := t.begin(opUpdated, old, obj, false)
	defer c.end()
	t.h.OnUpdate(old, obj)
	c.returned = true
}

func (t *timedHandler) OnDelete(obj interface{}) {
	if t.isIdle() {
		t.isInside.Store(true)
		t.h.OnDelete(obj)
		t.leave()
		return
	}
	c := t.begin(opDeleted, nil, obj, false)
	defer c.end()
	t.h.OnDelete(obj)
	c.returned = true
}

// leave ends a call that began while nothing was logged. A recording that began meanwhile has it as a call of an unknown object.
func (t *timedHandler) leave() {
	t.isInside.Store(false)
	if t.l.p.attached.Load() && !t.broken.Load() {
		t.l.p.emit(event{kind: evHandled, lane: t.l.id, listener: t.id})
	}
}

// isIdle reports that neither a viewer nor metrics need the time, or that the hook has failed.
func (t *timedHandler) isIdle() bool {
	return !t.l.p.attached.Load() && !t.l.p.measuring.Load() || t.broken.Load()
}

// call is one call of a handler.
type call struct {
	t        *timedHandler
	op       op
	key, rv  string
	since    time.Duration // on the probe's clock; 0 if begin failed
	isLogged bool          // begin has logged the call
	returned bool
	scene    *callScene    // nil for none
	obj      interface{}   // nil unless the call is checked for changes of the object
	sum      uint64        // of the object before the call; 0 without a check
	summed   time.Duration // how long that took
}

func (t *timedHandler) begin(o op, old, obj interface{}, initial bool) (c call) {
	c.t, c.op = t, o
	defer t.l.contain("handlers", &t.broken)
	now := time.Since(t.l.p.start)
	if c.isLogged = t.l.p.attached.Load(); c.isLogged {
		c.key, c.rv = t.l.ident(obj)
		if o == opUpdated && versionOf(old) == c.rv {
			c.op, o = opSync, opSync
		}
		if c.scene = t.l.p.scenes.Load().beginCall(joints.Goroutine()); c.scene != nil {
			c.setScene(obj)
		}
		t.l.p.emit(event{at: now, kind: evHandling, lane: t.l.id, listener: t.id, op: o, key: c.key, rv: c.rv, flag: initial})
	}
	if c.isLogged && t.l.noBodies == "" && now >= time.Duration(t.nextCheck.Load()) {
		c.obj, c.sum = obj, checksum(obj)
		c.since = time.Since(t.l.p.start)
		c.summed = c.since - now
		return c
	}
	c.since = now
	return c
}

// setScene notes the call for the entries that it makes in work queues.
func (c *call) setScene(obj interface{}) {
	s := c.scene
	s.lane, s.listener, s.op, s.key, s.rv = c.t.l.id, c.t.id, c.op, c.key, c.rv
	if c.op == opDeleted {
		s.deleted = uidOf(obj)
	}
}

// end logs the end of a call. During a panic it records the panic, and does not recover.
func (c *call) end() {
	if c.scene != nil {
		c.scene.end()
	}
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
		if !c.returned {
			c.t.l.p.hurry()
		}
		c.checkObject()
	}
}

// checkObject logs that the object is not as it was before the call. The checks of a handler take at most about 1 % of a processor.
func (c *call) checkObject() {
	if c.sum == 0 {
		return
	}
	begin := time.Since(c.t.l.p.start)
	sum := checksum(c.obj)
	end := time.Since(c.t.l.p.start)
	c.t.nextCheck.Store(int64(end + 100*(end-begin+c.summed)))
	if sum != 0 && sum != c.sum {
		c.t.l.p.emit(event{kind: evMutated, lane: c.t.l.id, listener: c.t.id, key: c.key, rv: c.rv})
	}
}

// watchedInformer is an informer whose later handlers and transforms are wrapped as well. O is the type of options of this client-go's
// AddEventHandlerWithOptions, which exists since 0.33.
type watchedInformer[O any] struct {
	cache.SharedIndexInformer
	l   *lane
	add adder[O]
}

type adder[O any] func(informerOrOlder, cache.ResourceEventHandler, O) (cache.ResourceEventHandlerRegistration, error)

// informerOrOlder has AddEventHandlerWithOptions in every client-go: the informer's own, which is less deeply embedded, or one that is never called. So
// the same source compiles with releases that lack the method and its type of options.
type informerOrOlder struct {
	cache.SharedIndexInformer
	olderInformer
}

type olderInformer struct{ oldestInformer }

type oldestInformer struct{}

func (oldestInformer) AddEventHandlerWithOptions(cache.ResourceEventHandler, struct{}) (cache.ResourceEventHandlerRegistration, error) {
	return nil, fmt.Errorf("this client-go has no AddEventHandlerWithOptions")
}

// addWithOptions returns the wrapped informer for Probe.Informer.
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

// RunWithContext runs the informer, whose requests then name it: their context is the Reflector's. It exists since client-go 0.33.
func (w *watchedInformer[O]) RunWithContext(ctx context.Context) {
	if r, ok := w.SharedIndexInformer.(interface{ RunWithContext(context.Context) }); ok {
		r.RunWithContext(context.WithValue(ctx, laneKey{}, w.l))
		return
	}
	w.SharedIndexInformer.Run(ctx.Done())
}

func (w *watchedInformer[O]) Run(stop <-chan struct{}) {
	w.RunWithContext(wait.ContextForChannel(stop))
}

// laneKey is the key of an informer in the context of its requests.
type laneKey struct{}

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
	if _, known := w.l.in.Transform(); !known {
		return w.SharedIndexInformer.SetTransform(f)
	}
	return w.SharedIndexInformer.SetTransform(w.l.transform(f))
}

// wrapHandler wraps a handler that is added now. It leaves nil to client-go, which reports it.
func (l *lane) wrapHandler(h cache.ResourceEventHandler) cache.ResourceEventHandler {
	if h == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.addTimed(h)
}

// bindTimer records which timedHandler belongs to a registration. In every release so far the registration is the listener itself.
func (l *lane) bindTimer(r cache.ResourceEventHandlerRegistration, h cache.ResourceEventHandler) {
	t, ok := h.(*timedHandler)
	if !joints.Available {
		return // nothing would ever remove it
	}
	if v := reflect.ValueOf(r); ok && v.Kind() == reflect.Pointer {
		l.mu.Lock()
		l.peers[v.Pointer()] = t
		l.mu.Unlock()
	}
}
