package probe

import (
	"fmt"
	"reflect"
	goruntime "runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// maxLanes is how many informers a Probe has at most.
const maxLanes = 255

// lane is one informer.
type lane struct {
	p    *Probe
	id   uint8
	name string // as the user gave it: a resource, and its group if it has one ("deployments.apps")
	inf  cache.SharedIndexInformer
	in   *internals

	// Only the index function uses it, under the store's lock: an object has left, in this attachment, and the one in its place comes next.
	departure uint64
	// How many objects the index function saw enter the store. counted is false until they were counted after an attach.
	count       atomic.Int64
	isCounted   atomic.Bool
	isReplacing atomic.Bool

	queue        atomic.Pointer[queueView] // found once the informer runs
	work         atomic.Pointer[workView]  // the work queue behind it
	unread       unreadKeys
	identities   [maxIdentities]atomic.Pointer[identity] // objects that were named lately, while somebody is attached
	measurements measurements

	noBodies     string // why no body of an object is told, empty where they are
	bodiesBroken atomic.Bool

	mu        sync.Mutex
	layersOff map[string]string // layers that are not there, and why
	peers     map[uintptr]*timedHandler
	timers    []*timedHandler
}

// Informer lets an informer be seen. It must not run yet; of one that runs already only its store and samples are seen. What it returns
// is the same informer, but handlers and transforms that are added through it are seen too, whenever they are added: give it to your code
// in the informer's place.
//
// The name is the resource, with its group if it has one: "pods", "deployments.apps". By it the informer's requests are known.
func (p *Probe) Informer(name string, inf cache.SharedIndexInformer) cache.SharedIndexInformer {
	if inf == nil {
		return nil
	}
	if w, ok := inf.(interface{ probeLane() *lane }); ok && w.probeLane().p == p {
		return inf
	}
	l := p.lane(name, inf)
	if l == nil {
		return inf
	}
	return l.wrap(addWithOptions)
}

func (p *Probe) lane(name string, inf cache.SharedIndexInformer) *lane {
	if w, ok := inf.(interface{ probeLane() *lane }); ok { // a factory gave it out, to this probe or to another
		inf = w.probeLane().inf
	}
	in := look(inf)
	defer p.assignQueues(false) // once the lock is free
	p.lanesMu.Lock()
	defer p.lanesMu.Unlock()
	for _, l := range p.lanes {
		if l.inf == inf || in.startedLock != nil && l.in.startedLock == in.startedLock {
			return l
		}
	}
	if len(p.lanes) >= maxLanes {
		return nil
	}
	l := &lane{p: p, id: uint8(len(p.lanes)), name: name, inf: inf, in: in, layersOff: map[string]string{}, peers: map[uintptr]*timedHandler{}}
	for layer, why := range in.problems {
		l.layersOff[layer] = why
	}
	l.noBodies = p.opts.explainNoBodies(name)
	l.hookStore()
	l.hookQueue()
	l.hookHandlers()
	p.lanes = append(p.lanes, l)
	return l
}

// Factory lets the informers that a factory has by now be seen. The factory may be client-go's, a dynamic or a metadata one, or one generated for
// another client. Call it after you asked the factory for its informers, and before Start. It returns how many there are. From then on the factory
// gives out what Informer returns, so handlers that are added later are seen too.
func (p *Probe) Factory(factory interface{}) (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the informers of a %T cannot be seen: name them one by one with Probe.Informer", factory)
		}
	}()
	v := reflect.ValueOf(factory)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return 0, fmt.Errorf("a %T is no informer factory: name its informers one by one with Probe.Informer", factory)
	}
	lock, err := fieldPointer[sync.Mutex](v.Elem(), "lock")
	if err != nil {
		return 0, fmt.Errorf("%w: name its informers one by one with Probe.Informer", err)
	}
	m, err := privateField(v.Elem(), "informers")
	if err == nil && m.Kind() != reflect.Map {
		err = fmt.Errorf("%s.informers is a %s", v.Elem().Type(), m.Type())
	}
	if err != nil {
		return 0, fmt.Errorf("%w: name its informers one by one with Probe.Informer", err)
	}
	type entry struct {
		name    string
		key     reflect.Value
		inf     cache.SharedIndexInformer
		generic genericInformer // of a factory that gives out these
	}
	var found []entry
	lock.Lock()
	defer lock.Unlock()
	for it := m.MapRange(); it.Next(); {
		e := entry{name: resourceOf(it.Key()), key: it.Key()}
		switch x := it.Value().Interface().(type) {
		case cache.SharedIndexInformer:
			e.inf = x
		case genericInformer:
			e.inf, e.generic = x.Informer(), x
		default:
			continue
		}
		found = append(found, e)
	}
	sort.Slice(found, func(i, j int) bool { return found[i].name < found[j].name })
	for _, e := range found {
		l := p.lane(e.name, e.inf)
		if l == nil {
			continue
		}
		n++
		if w, ok := e.inf.(interface{ probeLane() *lane }); ok && w.probeLane() == l {
			continue
		}
		var w interface{} = l.wrap(addWithOptions)
		if e.generic != nil {
			w = &watchedGeneric{e.generic, w.(cache.SharedIndexInformer)}
		}
		if v := reflect.ValueOf(w); v.Type().AssignableTo(m.Type().Elem()) {
			m.SetMapIndex(e.key, v)
		}
	}
	return n, nil
}

// genericInformer is client-go's informers.GenericInformer, whose package has every API.
type genericInformer interface {
	Informer() cache.SharedIndexInformer
	Lister() cache.GenericLister
}

// watchedGeneric gives out an informer that is seen.
type watchedGeneric struct {
	genericInformer
	inf cache.SharedIndexInformer
}

func (g *watchedGeneric) Informer() cache.SharedIndexInformer { return g.inf }

// resourceOf is the name of a resource, from the key under which a factory keeps its informer: a type, or a group, version and resource.
func resourceOf(key reflect.Value) string {
	if key.Kind() == reflect.Struct {
		resource, group := key.FieldByName("Resource"), key.FieldByName("Group")
		if resource.IsValid() && group.IsValid() && resource.Kind() == reflect.String && group.Kind() == reflect.String {
			if group.String() == "" {
				return resource.String()
			}
			return resource.String() + "." + group.String()
		}
	}
	if t, ok := key.Interface().(reflect.Type); ok {
		return resourceOfType(t)
	}
	return fmt.Sprint(key.Interface())
}

// resourceOfType guesses as client-go's own guess does: the plural of the type's name. The group is seen on the wire.
func resourceOfType(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return plural(strings.ToLower(t.Name()))
}

func plural(name string) string {
	switch {
	case name == "endpoints":
		return name
	case strings.HasSuffix(name, "s") || strings.HasSuffix(name, "x") || strings.HasSuffix(name, "ch"):
		return name + "es"
	case strings.HasSuffix(name, "y") && !strings.HasSuffix(name, "ay") && !strings.HasSuffix(name, "ey"):
		return name[:len(name)-1] + "ies"
	}
	return name + "s"
}

func (l *lane) disable(layer, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.layersOff[layer] == "" {
		l.layersOff[layer] = why
	}
}

func (l *lane) offLayers() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]string{}
	for layer, why := range l.layersOff {
		out[layer] = why
	}
	return out
}

func (l *lane) isOff(layer string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.layersOff[layer] != ""
}

// contain ends what went wrong in a hook: its layer is off from now on, and the controller does not notice.
func (l *lane) contain(layer string, broken *atomic.Bool) {
	if r := recover(); r != nil {
		broken.Store(true)
		l.disable(layer, fmt.Sprintf("the probe's own hook failed (%T) and was switched off", r))
	}
}

// indexName is the name of the index that is none: it has no values.
const indexName = "informerscope-probe"

type barrier struct{ l *lane }

// hookStore sees every change of the store, under the store's own lock. The store asks an index function for the values of every object that comes,
// and of every one that goes.
func (l *lane) hookStore() {
	if err := calibrate(); err != nil {
		l.disable("store", err.Error())
		return
	}
	var broken atomic.Bool
	index := func(obj interface{}) ([]string, error) {
		if !l.p.attached.Load() || broken.Load() {
			return nil, nil
		}
		defer l.contain("store", &broken)
		if b, ok := obj.(*barrier); ok {
			if b.l == l {
				l.endReplace()
			}
			return nil, nil
		}
		attachment := l.p.attachment.Load()
		if l.departure == attachment { // the stack would say the same, for a tenth of what all of the probe costs
			l.emitStored(causeNew, obj)
			return nil, nil
		}
		var pcs callers
		goruntime.Callers(2, pcs[:shallow])
		c, known := indexPaths.find(pcs)
		if !known {
			var all callers
			goruntime.Callers(2, all[:])
			c = indexPaths.learn(&all, indexCause)
		}
		if c == causeOld {
			l.departure = attachment
			return nil, nil
		}
		if c == causeUnknown {
			broken.Store(true)
			l.disable("store", "this client-go changes its store in a way that the probe does not know")
			return nil, nil
		}
		l.emitStored(c, obj)
		return nil, nil
	}
	// Of an informer that was made with nil for its Indexers AddIndexers panics, in every release: it writes to that map.
	defer func() {
		if r := recover(); r != nil {
			l.disable("store", "the informer was made with nil Indexers; make it with cache.Indexers{}")
		}
	}()
	if err := l.inf.AddIndexers(cache.Indexers{indexName: index}); err != nil {
		l.disable("store", err.Error())
	}
}

func (l *lane) emitStored(c cause, obj interface{}) {
	if c == causeOther {
		return
	}
	updated := l.departure == l.p.attachment.Load()
	l.departure = 0
	key, rv := l.ident(obj)
	e := event{lane: l.id, key: key, rv: rv}
	switch {
	case c == causeDeleted:
		e.kind = evStoreDeleted
		l.count.Add(-1)
	case c == causeReplaced:
		e.kind = evStoreReplacing
		if !l.isReplacing.Load() {
			l.isReplacing.Store(true)
			l.count.Store(0)
			select {
			case l.p.replaceSignal <- struct{}{}:
			default:
			}
		}
		l.count.Add(1)
	case updated:
		e.kind = evStoreUpdated
	default:
		e.kind = evStoreAdded
		l.count.Add(1)
	}
	if l.work.Load() != nil {
		l.unread.removeStored(key, rv, c == causeReplaced)
	}
	if l.noBodies == "" && c != causeDeleted {
		l.p.emitObject(e, obj)
		return
	}
	l.p.emit(e)
}

// barrier waits until no goroutine writes to the store, which ends a Replace that was going on.
func (l *lane) barrier() {
	var broken atomic.Bool
	defer l.contain("store", &broken)
	if !l.isOff("store") {
		_, _ = l.inf.GetIndexer().Index(indexName, &barrier{l}) // calls settle
	}
}

// endReplace is called while no goroutine writes to the store.
func (l *lane) endReplace() {
	if l.isReplacing.Load() {
		l.isReplacing.Store(false)
		l.p.emit(event{kind: evStoreSettled, lane: l.id})
		l.isCounted.Store(true)
		return
	}
	if l.in.items == nil {
		return
	}
	n := int64(len(*l.in.items))
	if l.isCounted.Load() && n == 0 && l.count.Load() != 0 {
		l.p.emit(event{kind: evStoreEmptied, lane: l.id}) // a Replace with nothing asks for no index
	}
	l.count.Store(n)
	l.isCounted.Store(true)
}

// hookQueue sees every object on its way into the queue, because the queue has every one transformed.
func (l *lane) hookQueue() {
	if l.in.transform == nil || l.in.startedLock == nil {
		return // a transform that is there already must not be lost: the reason is known
	}
	l.in.startedLock.Lock()
	user := *l.in.transform
	l.in.startedLock.Unlock()
	if err := l.inf.SetTransform(l.transform(user)); err != nil {
		l.disable("queued", err.Error())
	}
}

func (l *lane) transform(user cache.TransformFunc) cache.TransformFunc {
	var broken atomic.Bool
	return func(obj interface{}) (interface{}, error) {
		if user != nil {
			var err error
			if obj, err = user(obj); err != nil {
				return obj, err
			}
		}
		if l.p.attached.Load() && !broken.Load() {
			func() {
				defer l.contain("queued", &broken)
				var pcs callers
				goruntime.Callers(3, pcs[:shallow])
				o, known := queuePaths.find(pcs)
				if !known {
					var all callers
					goruntime.Callers(3, all[:])
					o = queuePaths.learn(&all, queueOp)
				}
				if o != opNone { // a WatchList transforms its objects a first time for a store of its own
					key, rv := l.ident(obj)
					if l.work.Load() != nil {
						l.unread.addQueued(key, rv, o)
					}
					l.p.emit(event{kind: evQueued, lane: l.id, op: o, key: key, rv: rv})
				}
			}()
		}
		return obj, nil
	}
}

// identity is an object's key, remembered by the object's place in memory. The queue, the store and each handler need it, and making the key takes
// longer than all else.
type identity struct {
	obj     interface{}
	key, rv string
}

// maxIdentities is how many objects are remembered: a batch of a queue, and more.
const maxIdentities = 256

// ident is what an object is called. An object of an informer does not change.
func (l *lane) ident(obj interface{}) (key, rv string) {
	at := &l.identities[place(obj)%maxIdentities]
	if is := at.Load(); is != nil && sameValue(is.obj, obj) {
		return is.key, is.rv
	}
	key, rv = ident(obj)
	at.Store(&identity{obj, key, rv})
	return key, rv
}

// place is a number for where a value stands in memory.
func place(obj interface{}) uintptr {
	return uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&obj))[1]) >> 5 * 0x9e3779b1 >> 7
}

// sameValue says whether two values have one type and stand at one place, without looking at them.
func sameValue(a, b interface{}) bool {
	return *(*[2]unsafe.Pointer)(unsafe.Pointer(&a)) == *(*[2]unsafe.Pointer)(unsafe.Pointer(&b))
}

func ident(obj interface{}) (key, rv string) {
	if t, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		_, rv = ident(t.Obj)
		return t.Key, rv
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return "", ""
	}
	if key = m.GetName(); m.GetNamespace() != "" {
		key = m.GetNamespace() + "/" + key
	}
	return key, m.GetResourceVersion()
}

// NewInformer makes an informer as cache.NewSharedIndexInformer does, that is seen from its beginning. It is what controller-runtime takes
// as its cache.Options.NewInformer.
func (p *Probe) NewInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration, indexers cache.Indexers) cache.SharedIndexInformer {
	if indexers == nil {
		indexers = cache.Indexers{}
	}
	return p.Informer(resourceOfObject(example), cache.NewSharedIndexInformer(lw, example, resync, indexers))
}

// resourceOfObject guesses the resource of an example: from its kind, where it names one, and else from its type.
func resourceOfObject(example runtime.Object) string {
	if gvk := example.GetObjectKind().GroupVersionKind(); gvk.Kind != "" {
		name := plural(strings.ToLower(gvk.Kind))
		if gvk.Group != "" {
			name += "." + gvk.Group
		}
		return name
	}
	return resourceOfType(reflect.TypeOf(example))
}
