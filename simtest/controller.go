package simtest

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
)

// Factory makes the informers that a typed factory of client-go, or one that client-gen made, has so far a part of the recording, and their reads a part of
// AssertReadsOwnWrites. Call it after you asked the factory for its informers and before Start; from then on the factory returns the observed informers.
func (c *Cluster) Factory(factory any) {
	c.t.Helper()
	v := reflect.ValueOf(factory)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		c.t.Fatalf("simtest: Factory: a %T is no informer factory: give its informers one by one to Informer", factory)
	}
	all, isMap := privateField(v.Elem(), "informers").(*map[reflect.Type]cache.SharedIndexInformer)
	lock, isLock := privateField(v.Elem(), "lock").(*sync.Mutex)
	if !isMap || !isLock {
		c.t.Fatalf("simtest: Factory: a %T is not like client-go's typed informer factory: give its informers one by one to Informer", factory)
	}
	if _, err := c.probe.Factory(factory); err != nil { // it knows the types whose group only requests show
		c.t.Fatalf("simtest: Factory: %v", err)
	}
	lock.Lock()
	defer lock.Unlock()
	//maporder:free each informer is a lane of its own
	for typ, inf := range *all {
		var resource schema.GroupVersionResource
		if example, ok := reflect.New(typ.Elem()).Interface().(runtime.Object); ok {
			resource, _ = resourceOf(example)
		}
		inf = c.Informer(resource, inf)
		inf.(*informer).typ = typ
		(*all)[typ] = inf
	}
}

// privateField returns a pointer to a private field, as if the field were public; nil if there is none of that name.
func privateField(v reflect.Value, name string) any {
	f := v.FieldByName(name)
	if !f.IsValid() {
		return nil
	}
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Interface()
}

// Informer is Factory for one informer, of this resource. Give the controller the informer that Informer returns, and listers on that one's GetIndexer.
func (c *Cluster) Informer(resource schema.GroupVersionResource, inf cache.SharedIndexInformer) cache.SharedIndexInformer {
	c.t.Helper()
	if observed, ok := inf.(*informer); ok && observed.c == c {
		return inf
	}
	inf, err := c.probe.Informer(resource, inf)
	if err != nil {
		c.t.Fatalf("simtest: Informer: %v", err)
	}
	c.recorder.informers.Add(1)
	return &informer{SharedIndexInformer: inf, c: c, resource: resource.GroupResource()}
}

// NewInformer makes an informer that is observed from its beginning. Set it as controller-runtime's cache.Options.NewInformer.
func (c *Cluster) NewInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration, indexers cache.Indexers) cache.SharedIndexInformer {
	inf := c.probe.NewInformer(lw, example, resync, indexers)
	c.recorder.informers.Add(1)
	resource, isKnown := resourceOf(example)
	if !isKnown {
		resource = schema.GroupVersionResource{} // a guess could be another group's
	}
	return &informer{inf, c, resource.GroupResource(), reflect.TypeOf(example)}
}

// resourceOf returns the resource of an object, or a guess by the name of its type.
func resourceOf(example runtime.Object) (resource schema.GroupVersionResource, isKnown bool) {
	kind := example.GetObjectKind().GroupVersionKind()
	if kind.Empty() {
		kinds, _, err := scheme.Scheme.ObjectKinds(example)
		if err != nil {
			kind.Kind = reflect.TypeOf(example).Elem().Name()
			resource, _ = meta.UnsafeGuessKindToResource(kind)
			return resource, false
		}
		kind = kinds[0]
	}
	resource, _ = meta.UnsafeGuessKindToResource(kind)
	return resource, true
}

// informer is an informer of the controller. Reads of its store are logged.
type informer struct {
	cache.SharedIndexInformer
	c        *Cluster
	resource schema.GroupResource // empty if it is not known
	typ      reflect.Type         // of its objects, nil if it is not known
}

func (i *informer) GetIndexer() cache.Indexer {
	return &indexer{i.SharedIndexInformer.GetIndexer(), i.c, i.resource, i.typ}
}

func (i *informer) GetStore() cache.Store { return i.GetIndexer() }

// indexer is the store of an informer of the controller.
type indexer struct {
	cache.Indexer
	c        *Cluster
	resource schema.GroupResource
	typ      reflect.Type
}

func (x *indexer) Get(obj any) (item any, exists bool, err error) {
	since := x.c.log.now()
	item, exists, err = x.Indexer.Get(obj)
	if key, keyErr := cache.MetaNamespaceKeyFunc(obj); err == nil && keyErr == nil {
		x.log(since, key, item, exists)
	}
	return item, exists, err
}

func (x *indexer) GetByKey(key string) (item any, exists bool, err error) {
	since := x.c.log.now()
	item, exists, err = x.Indexer.GetByKey(key)
	if err == nil {
		x.log(since, key, item, exists)
	}
	return item, exists, err
}

func (x *indexer) log(since int, key string, item any, exists bool) {
	if exists {
		x.c.log.addReads(x.c.probe, since, item)
		x.c.addGhosts(since, x.resource, item)
		return
	}
	x.c.log.reads.Add(1)
	if x.resource.Resource == "" {
		return
	}
	namespace, name, isNamespaced := strings.Cut(key, "/")
	if !isNamespaced {
		namespace, name = "", key
	}
	x.c.addMiss(since, object{x.resource, namespace, name})
}

func (x *indexer) List() []any {
	since := x.c.log.now()
	items := x.Indexer.List()
	x.logList(since, items, func(any) bool { return true })
	return items
}

// logList logs a read of all objects that belong to something.
func (x *indexer) logList(since int, items []any, belongs func(object any) bool) {
	x.c.log.addReads(x.c.probe, since, items...)
	if x.resource.Resource == "" {
		return
	}
	x.c.addGhosts(since, x.resource, items...)
	listed := map[types.UID]bool{}
	for _, item := range items {
		if m, err := meta.Accessor(item); err == nil {
			listed[m.GetUID()] = true
		}
	}
	for _, w := range x.c.log.newestOf(x.resource, since) {
		if w.isGone || listed[w.uid] {
			continue
		}
		if o, ok := w.decode(x.sample(items)); ok && belongs(o) {
			x.c.addMiss(since, w.object)
		}
	}
}

// sample returns the type of the informer's objects, nil if nothing tells it.
func (x *indexer) sample(items []any) reflect.Type {
	if x.typ == nil && len(items) > 0 {
		return reflect.TypeOf(items[0])
	}
	return x.typ
}

// inIndex returns whether an object has one of some values in an index.
func (x *indexer) inIndex(name string, values ...string) func(any) bool {
	return func(object any) bool {
		index := x.GetIndexers()[name]
		if index == nil {
			return false
		}
		filed, err := index(object)
		return err == nil && slices.ContainsFunc(filed, func(v string) bool { return slices.Contains(values, v) })
	}
}

func (x *indexer) Index(name string, obj any) ([]any, error) {
	since := x.c.log.now()
	items, err := x.Indexer.Index(name, obj)
	if index := x.GetIndexers()[name]; err == nil && index != nil {
		values, _ := index(obj)
		x.logList(since, items, x.inIndex(name, values...))
	}
	return items, err
}

func (x *indexer) ByIndex(name, value string) ([]any, error) {
	since := x.c.log.now()
	items, err := x.Indexer.ByIndex(name, value)
	if err == nil {
		x.logList(since, items, x.inIndex(name, value))
	}
	return items, err
}
