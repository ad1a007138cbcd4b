package probe

import (
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"example.org/informerscope/probe/internal/joints"
)

// maxLanes bounds the informers of a Probe.
const maxLanes = 255

// lane is one informer.
type lane struct {
	p    *Probe
	id   uint8
	name string // of a resource, with its group if it has one ("deployments.apps")
	// version is the resource's, "" if it is not known.
	version string
	inf     cache.SharedIndexInformer
	in      *joints.Informer
	kind    string // of its objects, "" if it is not known
	// hasNoGroup is true if the name was made from a type whose package does not tell the group.
	hasNoGroup bool

	// departure is the attachment during which an object left the store, while its new version comes next. Only the index function uses it, under the
	// store's lock.
	departure uint64
	// count is how many objects the index function saw enter the store. It is valid once isCounted is true after an attach.
	count       atomic.Int64
	isCounted   atomic.Bool
	isReplacing atomic.Bool
	isRepeated  atomic.Bool // another informer has the same name

	queue        atomic.Pointer[joints.Queue] // nil until the informer runs
	work         atomic.Pointer[workView]     // the work queue behind it
	unread       unreadKeys
	isRead       atomic.Bool                             // a read of its store was seen while a viewer was attached
	identities   [maxIdentities]atomic.Pointer[identity] // of recent objects, while a viewer is attached
	measurements measurements
	following    following
	requests     requester // guarded by the lock of Probe.wire

	noBodies     string // why bodies of objects are not recorded, "" if they are
	bodiesBroken atomic.Bool

	mu        sync.Mutex
	layersOff map[string]string // layers that are off, and why
	peers     map[uintptr]*timedHandler
	timers    []*timedHandler
}

// Informer makes an informer visible. Call it before the informer runs: of a running one only the store and samples are visible. It returns the same
// informer, wrapped, so that handlers and transforms added later are visible too. Give that to your code instead of the original.
//
// The resource links requests to the informer. Its version may be empty.
//
// With an error the informer is not seen, and is returned as it came. It is nil, there are 255 already, or the resource is none, or another than its type's.
// Status reports what is not seen of the others.
func (p *Probe) Informer(resource schema.GroupVersionResource, inf cache.SharedIndexInformer) (cache.SharedIndexInformer, error) {
	if inf == nil {
		return nil, errors.New("there is no informer: it is nil")
	}
	if err := checkResource(resource); err != nil {
		return inf, err
	}
	if w, ok := inf.(interface{ probeLane() *lane }); ok && w.probeLane().p == p {
		return inf, nil
	}
	if err := target(resource).checkType(joints.Example(inf)); err != nil {
		return inf, err
	}
	l := p.lane(target(resource), false, inf)
	if l == nil {
		return inf, errTooMany(1)
	}
	return l.wrap(addWithOptions), nil
}

func errTooMany(n int) error {
	return fmt.Errorf("%d informers are not seen, because a Probe sees at most %d: use another Probe for them, with a path of its own", n, maxLanes)
}

func (p *Probe) lane(resource target, hasNoGroup bool, inf cache.SharedIndexInformer) *lane {
	if w, ok := inf.(interface{ probeLane() *lane }); ok { // a factory returned it, of this probe or of another
		inf = w.probeLane().inf
	}
	in := joints.Look(inf)
	defer p.assignQueues(false) // after the lock is released
	defer p.followStores()
	p.lanesMu.Lock()
	defer p.lanesMu.Unlock()
	for _, l := range p.lanes {
		if l.inf == inf || in.IsSame(l.in) {
			return l
		}
	}
	if len(p.lanes) >= maxLanes {
		p.leftOut++
		return nil
	}
	l := &lane{p: p, id: uint8(len(p.lanes)), name: resource.name(), version: resource.Version, hasNoGroup: hasNoGroup, inf: inf, in: in,
		layersOff: map[string]string{},
		peers:     map[uintptr]*timedHandler{}}
	for layer, why := range in.Problems {
		l.layersOff[layer] = why
	}
	l.noBodies = l.explainNoBodies()
	if joints.Available {
		l.hookStore()
	}
	l.hookQueue()
	l.hookHandlers()
	for _, other := range p.lanes {
		if other.name == l.name {
			other.isRepeated.Store(true)
			l.isRepeated.Store(true)
		}
	}
	p.lanes = append(p.lanes, l)
	return l
}

// Factory makes the informers that a factory has so far visible, and returns the status of each in the order of their names. With an error, others of them
// are not visible. The factory may be client-go's, a dynamic or a metadata one, or one generated for another client. Call it after you asked the factory for
// its informers, and before Start. From then on the factory returns what Informer returns, so handlers that are added later are visible too.
func (p *Probe) Factory(factory interface{}) (seen []InformerStatus, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the informers of a %T cannot be seen: name them one by one with Probe.Informer", factory)
		}
	}()
	found := joints.Factory(factory, func(all []joints.FactoryInformer) { seen, err = p.seeAll(all) })
	if found != nil {
		return nil, fmt.Errorf("%w: name its informers one by one with Probe.Informer", found)
	}
	return seen, err
}

// seeAll makes a factory's informers visible, and gives the factory what it returns from then on.
func (p *Probe) seeAll(all []joints.FactoryInformer) (seen []InformerStatus, err error) {
	type entry struct {
		joints.FactoryInformer
		target  target
		inf     cache.SharedIndexInformer
		generic genericInformer // set if the factory returns generic informers
	}
	var found []entry
	left := 0
	for _, x := range all {
		e := entry{FactoryInformer: x, target: resourceOf(x.Key)}
		switch x := x.Value.(type) {
		case cache.SharedIndexInformer:
			e.inf = x
		case genericInformer:
			e.inf, e.generic = x.Informer(), x
		default:
			continue
		}
		found = append(found, e)
	}
	sort.Slice(found, func(i, j int) bool { return found[i].target.name() < found[j].target.name() })
	for _, e := range found {
		t, isType := e.Key.(reflect.Type)
		l := p.lane(e.target, isType && !hasGroup(t), e.inf)
		if l == nil {
			left++
			continue
		}
		seen = append(seen, l.status())
		if w, ok := e.inf.(interface{ probeLane() *lane }); ok && w.probeLane() == l {
			continue
		}
		var w interface{} = l.wrap(addWithOptions)
		if e.generic != nil {
			w = &watchedGeneric{e.generic, w.(cache.SharedIndexInformer)}
		}
		e.Replace(w)
	}
	if left > 0 {
		return seen, errTooMany(left)
	}
	return seen, nil
}

// genericInformer mirrors client-go's informers.GenericInformer, whose package imports every API.
type genericInformer interface {
	Informer() cache.SharedIndexInformer
	Lister() cache.GenericLister
}

// watchedGeneric returns the wrapped informer.
type watchedGeneric struct {
	genericInformer
	inf cache.SharedIndexInformer
}

func (g *watchedGeneric) Informer() cache.SharedIndexInformer { return g.inf }

// resourceOf returns the resource of the key under which a factory keeps its informer: a type, or a group, version and resource.
func resourceOf(key interface{}) target {
	switch x := key.(type) {
	case schema.GroupVersionResource:
		return target(x)
	case reflect.Type:
		return resourceOfType(x)
	}
	return target{Resource: fmt.Sprint(key)}
}

// resourceOfType guesses a resource like client-go does: the plural of the type's name, with the group if the type is one of Kubernetes' own. Of another type,
// requests show the group.
func resourceOfType(typ reflect.Type) (t target) {
	typ = elem(typ)
	t.Resource = plural(strings.ToLower(typ.Name()))
	t.Group, _ = groupOfPackage(typ.PkgPath())
	return t
}

// groupOfPackage returns the API group of the types in a package of k8s.io/api; ok is false for another package.
func groupOfPackage(path string) (group string, ok bool) {
	if _, after, vendored := strings.Cut(path, "/vendor/"); vendored {
		path = after
	}
	path, ok = strings.CutPrefix(path, "k8s.io/api/")
	if !ok {
		return "", false
	}
	switch group, _, _ = strings.Cut(path, "/"); group {
	case "core":
		return "", true
	case "apps", "autoscaling", "batch", "extensions", "policy":
		return group, true
	case "rbac":
		return "rbac.authorization.k8s.io", true
	case "flowcontrol":
		return "flowcontrol.apiserver.k8s.io", true
	case "apiserverinternal":
		return "internal.apiserver.k8s.io", true
	}
	return group + ".k8s.io", true
}

// hasGroup reports whether the group of a type is known.
func hasGroup(t reflect.Type) bool {
	_, ok := groupOfPackage(elem(t).PkgPath())
	return ok
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

// contain recovers from a panic in a hook and switches the hook's layer off. The controller keeps running.
func (l *lane) contain(layer string, broken *atomic.Bool) {
	if r := recover(); r != nil {
		broken.Store(true)
		l.disable(layer, fmt.Sprintf("the probe's own hook failed (%T) and was switched off", r))
	}
}

// indexName is the name of the probe's index, which never has values.
const indexName = "informerscope-probe"

type barrier struct{ l *lane }

// hookStore adds an index function, through which the probe sees every change of the store under the store's own lock. The store calls it for each object
// that enters or leaves.
func (l *lane) hookStore() {
	if err := joints.Calibrate(); err != nil {
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
		if l.departure == attachment { // the stack would give the same answer, at ten times the cost of the rest of the probe
			l.emitStored(joints.Added, obj)
			return nil, nil
		}
		if l.isReplaced(obj) {
			l.departure = attachment
			return nil, nil
		}
		c := joints.Indexed()
		if c == joints.Outdated {
			l.departure = attachment
			return nil, nil
		}
		if c == joints.Unknown {
			broken.Store(true)
			l.disable("store", "this client-go changes its store in a way that the probe does not know")
			return nil, nil
		}
		l.emitStored(c, obj)
		return nil, nil
	}
	// AddIndexers panics in every release if the informer was made with nil for its Indexers, because it writes to that map.
	defer func() {
		if r := recover(); r != nil {
			l.disable("store", "the informer was made with nil Indexers; make it with cache.Indexers{}")
		}
	}()
	if err := l.inf.AddIndexers(cache.Indexers{indexName: index}); err != nil {
		l.disable("store", err.Error())
	}
}

// isReplaced reports whether the store has already another version of an object. So it is the old one of an update, for which the store calls the index
// function next with the new one. The caller is the index function, under the store's lock. If the answer is false, only the stack says what the store does.
func (l *lane) isReplaced(obj interface{}) bool {
	m, err := meta.Accessor(obj)
	if err != nil || reflect.TypeOf(obj).Kind() != reflect.Pointer {
		return false
	}
	var room [128]byte
	key := room[:0]
	if ns := m.GetNamespace(); ns != "" {
		key = append(append(key, ns...), '/')
	}
	key = append(key, m.GetName()...)
	held, ok := l.in.Stored(key)
	return ok && held != obj
}

func (l *lane) emitStored(c joints.StoreChange, obj interface{}) {
	if c == joints.Same {
		return
	}
	k := evStoreAdded
	if l.departure == l.p.attachment.Load() {
		k = evStoreUpdated
	}
	l.departure = 0
	switch {
	case c == joints.Deleted:
		k = evStoreDeleted
		l.count.Add(-1)
	case c == joints.Replaced:
		k = evStoreReplacing
		if !l.isReplacing.Load() {
			l.isReplacing.Store(true)
			l.count.Store(0)
			select {
			case l.p.replaceSignal <- struct{}{}:
			default:
			}
		}
		l.count.Add(1)
	case k == evStoreAdded:
		l.count.Add(1)
	}
	l.logStored(k, obj)
}

// logStored logs a change of the store.
func (l *lane) logStored(k kind, obj interface{}) {
	key, rv := l.ident(obj)
	if l.isCompared() {
		l.unread.removeStored(key, rv, k == evStoreReplacing)
	}
	e := event{kind: k, lane: l.id, key: key, rv: rv}
	if l.noBodies == "" && k != evStoreDeleted {
		l.p.emitObject(e, obj)
		return
	}
	l.p.emit(e)
}

// barrier waits until no goroutine writes to the store, so that a Replace in progress ends.
func (l *lane) barrier() {
	var broken atomic.Bool
	defer l.contain("store", &broken)
	if !l.isOff("store") {
		_, _ = l.inf.GetIndexer().Index(indexName, &barrier{l}) // calls endReplace
	}
}

// endReplace ends a Replace that the index function has seen, and corrects the count. Call it while no goroutine writes to the store.
func (l *lane) endReplace() {
	if l.isReplacing.Load() {
		l.isReplacing.Store(false)
		l.p.emit(event{kind: evStoreSettled, lane: l.id})
		l.isCounted.Store(true)
		return
	}
	n, known := l.in.Len()
	if !known {
		return
	}
	if l.isCounted.Load() && n == 0 && l.count.Load() != 0 {
		l.p.emit(event{kind: evStoreEmptied, lane: l.id}) // a Replace with an empty list calls no index function
	}
	l.count.Store(int64(n))
	l.isCounted.Store(true)
}

// hookQueue sets a transform, through which the probe sees every object that enters the queue.
func (l *lane) hookQueue() {
	user, known := l.in.Transform()
	if !known {
		return // the user's own transform must stay
	}
	if err := l.inf.SetTransform(l.transform(user)); err != nil {
		l.disable("queued", err.Error())
	}
}

func (l *lane) transform(user cache.TransformFunc) cache.TransformFunc {
	var broken atomic.Bool
	return func(obj interface{}) (out interface{}, err error) {
		if user != nil {
			if obj, err = user(obj); err != nil {
				return obj, err
			}
		}
		if !l.p.attached.Load() || broken.Load() {
			return obj, nil
		}
		out = obj // also after a panic in what follows
		defer l.contain("queued", &broken)
		if o := opOf(joints.Enqueued()); o != opNone { // a WatchList first transforms its objects for a temporary store
			key, rv := l.ident(obj)
			if l.isCompared() {
				l.unread.addQueued(key, rv, o)
			}
			l.p.emit(event{kind: evQueued, lane: l.id, op: o, key: key, rv: rv})
		}
		return obj, nil
	}
}

// identity caches an object's key by the object's address. The queue, the store and each handler need it, and making the key takes longer than the rest of
// a hook.
type identity struct {
	obj     interface{}
	key, rv string
}

// maxIdentities is how many objects are cached: more than a batch of a queue.
const maxIdentities = 256

// ident returns an object's key and version, from the cache if possible: an object of an informer does not change.
func (l *lane) ident(obj interface{}) (key, rv string) {
	v := reflect.ValueOf(obj)
	if v.Kind() != reflect.Pointer {
		return ident(obj)
	}
	slot := &l.identities[v.Pointer()>>5*0x9e3779b1>>7%maxIdentities]
	if known := slot.Load(); known != nil && known.obj == obj {
		return known.key, known.rv
	}
	key, rv = ident(obj)
	slot.Store(&identity{obj, key, rv})
	return key, rv
}

// versionOf returns an object's version, "" for what is no object.
func versionOf(obj interface{}) string {
	if m, err := meta.Accessor(obj); err == nil {
		return m.GetResourceVersion()
	}
	return ""
}

// uidOf returns the UID of an object that was deleted.
func uidOf(obj interface{}) string {
	if t, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = t.Obj
	}
	if m, err := meta.Accessor(obj); err == nil {
		return string(m.GetUID())
	}
	return ""
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

// NewInformer makes an informer like cache.NewSharedIndexInformer, visible from its beginning. Its signature is that of controller-runtime's
// cache.Options.NewInformer.
func (p *Probe) NewInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration, indexers cache.Indexers) cache.SharedIndexInformer {
	if indexers == nil {
		indexers = cache.Indexers{}
	}
	inf := cache.NewSharedIndexInformer(lw, example, resync, indexers)
	hasNoGroup := example.GetObjectKind().GroupVersionKind().Kind == "" && !hasGroup(reflect.TypeOf(example))
	if l := p.lane(resourceOfObject(example), hasNoGroup, inf); l != nil {
		if l.kind = example.GetObjectKind().GroupVersionKind().Kind; l.kind == "" {
			l.kind = elem(reflect.TypeOf(example)).Name()
		}
		return l.wrap(addWithOptions)
	}
	return inf
}

// resourceOfObject guesses the resource of an example: from its kind, if set, otherwise from its type.
func resourceOfObject(example runtime.Object) target {
	if gvk := example.GetObjectKind().GroupVersionKind(); gvk.Kind != "" {
		return target{gvk.Group, gvk.Version, plural(strings.ToLower(gvk.Kind))}
	}
	return resourceOfType(reflect.TypeOf(example))
}
