package probe

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// A few facts are in private fields only. Each field is looked up by its name and used only if it has exactly the expected type. So a release that moved,
// renamed or retyped it causes an error that switches one layer off, never a wild pointer.

// fieldPointer returns a pointer to a private field of the struct v.
func fieldPointer[T any](v reflect.Value, name string) (*T, error) {
	f, err := privateField(v, name)
	if err != nil {
		return nil, err
	}
	if want := reflect.TypeOf((*T)(nil)).Elem(); f.Type() != want {
		return nil, fmt.Errorf("%s.%s is a %s in this client-go, not a %s", v.Type(), name, f.Type(), want)
	}
	return (*T)(unsafe.Pointer(f.UnsafeAddr())), nil
}

// privateField returns a private field as if it were a public one.
func privateField(v reflect.Value, name string) (reflect.Value, error) {
	if v.Kind() != reflect.Struct || !v.CanAddr() {
		return reflect.Value{}, fmt.Errorf("%s is not a readable struct", v.Type())
	}
	f := v.FieldByName(name)
	if !f.IsValid() {
		return reflect.Value{}, fmt.Errorf("%s has no field %s in this client-go", v.Type(), name)
	}
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem(), nil
}

const cachePackage = "k8s.io/client-go/tools/cache"

// isCacheType reports whether v points to a struct of client-go's cache package with this name.
func isCacheType(v reflect.Value, name string) bool {
	return v.Kind() == reflect.Pointer && !v.IsNil() && v.Elem().Kind() == reflect.Struct && v.Elem().Type().Name() == name &&
		isCache(v.Elem().Type().PkgPath()+".")
}

// internals points to private fields of one sharedIndexInformer. A nil pointer is a layer that cannot be seen; problems has the reason.
type internals struct {
	startedLock *sync.Mutex
	started     *bool
	controller  *cache.Controller
	transform   *cache.TransformFunc

	storeLock *sync.RWMutex
	items     *map[string]interface{}

	listenersLock *sync.RWMutex
	listeners     reflect.Value // map[*processorListener]bool

	problems map[string]string
}

// unwrap returns client-go's own informer below wrappers that embed the interface.
func unwrap(inf cache.SharedIndexInformer) (reflect.Value, bool) {
	v := reflect.ValueOf(inf)
	for depth := 0; depth < 8; depth++ {
		if isCacheType(v, "sharedIndexInformer") {
			return v.Elem(), true
		}
		if v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer && !v.IsNil() && v.Elem().Kind() == reflect.Interface {
			v = v.Elem()
			continue
		}
		s := v
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			s = v.Elem()
		}
		if s.Kind() != reflect.Struct {
			break
		}
		e := s.FieldByName("SharedIndexInformer")
		if !e.IsValid() || e.Kind() != reflect.Interface || e.IsNil() {
			break
		}
		v = e.Elem()
	}
	return reflect.Value{}, false
}

// exampleOf returns an object of the type that an informer has, nil if that cannot be seen.
func exampleOf(inf cache.SharedIndexInformer) runtime.Object {
	s, ok := unwrap(inf)
	if !ok {
		return nil
	}
	example, err := fieldPointer[runtime.Object](s, "objectType")
	if err != nil {
		return nil
	}
	return *example
}

func look(inf cache.SharedIndexInformer) *internals {
	in := &internals{problems: map[string]string{}}
	s, ok := unwrap(inf)
	if !ok {
		why := fmt.Sprintf("a %T is not client-go's own informer", inf)
		for _, layer := range []string{"listeners", "handlers", "queue", "queued", "count"} {
			in.problems[layer] = why
		}
		return in
	}
	note := func(layers []string, err error) {
		if err != nil {
			for _, l := range layers {
				in.problems[l] = err.Error()
			}
		}
	}
	var err error
	in.startedLock, err = fieldPointer[sync.Mutex](s, "startedLock")
	note([]string{"handlers", "queue", "queued"}, err)
	if err == nil {
		in.started, err = fieldPointer[bool](s, "started")
		note([]string{"handlers"}, err)
	}
	in.controller, err = fieldPointer[cache.Controller](s, "controller")
	note([]string{"queue"}, err)
	in.transform, err = fieldPointer[cache.TransformFunc](s, "transform")
	note([]string{"queued"}, err)
	note([]string{"listeners", "handlers"}, in.findListeners(s))
	note([]string{"count"}, in.findItems(s))
	return in
}

func (in *internals) findListeners(s reflect.Value) error {
	p, err := privateField(s, "processor")
	if err != nil {
		return err
	}
	if !isCacheType(p, "sharedProcessor") {
		return fmt.Errorf("sharedIndexInformer.processor is a %s in this client-go", p.Type())
	}
	lock, err := fieldPointer[sync.RWMutex](p.Elem(), "listenersLock")
	if err != nil {
		return err
	}
	m, err := privateField(p.Elem(), "listeners")
	if err != nil {
		return err
	}
	if m.Kind() != reflect.Map || m.Type().Key().Kind() != reflect.Pointer || m.Type().Key().Elem().Name() != "processorListener" {
		return fmt.Errorf("sharedProcessor.listeners is a %s in this client-go", m.Type())
	}
	in.listenersLock, in.listeners = lock, m
	return nil
}

func (in *internals) findItems(s reflect.Value) error {
	x, err := fieldPointer[cache.Indexer](s, "indexer")
	if err != nil {
		return err
	}
	c := reflect.ValueOf(*x)
	if !isCacheType(c, "cache") {
		return fmt.Errorf("sharedIndexInformer.indexer is a %s in this client-go", c.Type())
	}
	store, err := fieldPointer[cache.ThreadSafeStore](c.Elem(), "cacheStorage")
	if err != nil {
		return err
	}
	m := reflect.ValueOf(*store)
	if !isCacheType(m, "threadSafeMap") {
		return fmt.Errorf("cache.cacheStorage is a %s in this client-go", m.Type())
	}
	lock, err := fieldPointer[sync.RWMutex](m.Elem(), "lock")
	if err != nil {
		return err
	}
	items, err := fieldPointer[map[string]interface{}](m.Elem(), "items")
	if err != nil {
		return err
	}
	in.storeLock, in.items = lock, items
	return nil
}

// peer points to private fields of one processorListener.
type peer struct {
	value    reflect.Value // the *processorListener
	addr     uintptr
	handler  *cache.ResourceEventHandler
	name     string
	pending  *atomic.Int64 // since 0.36: the length of the ring, for other goroutines to read
	readable *int          // of the ring: only the listener's goroutine writes it, without a lock
	capacity *int
	synced   func() bool
}

func lookListener(p reflect.Value) (*peer, error) {
	l := p.Elem()
	out := &peer{value: p, addr: p.Pointer()}
	var err error
	if out.handler, err = fieldPointer[cache.ResourceEventHandler](l, "handler"); err != nil {
		return nil, err
	}
	if name, err := fieldPointer[string](l, "handlerName"); err == nil {
		out.name = plainName(*name) // set before the listener is in the map, never changed
	}
	if s, ok := p.Interface().(interface{ HasSynced() bool }); ok {
		out.synced = s.HasSynced
	}
	return out, nil
}

func (pl *peer) lookRing() error {
	p := pl.value
	ring, err := privateField(p.Elem(), "pendingNotifications")
	if err != nil {
		return err
	}
	if pl.capacity, err = fieldPointer[int](ring, "n"); err != nil {
		return err
	}
	if pl.pending, err = fieldPointer[atomic.Int64](p.Elem(), "pendingNotificationsLength"); err == nil {
		return nil
	}
	pl.readable, err = fieldPointer[int](ring, "readable")
	return err
}

// queueView is the queue of a started informer.
type queueView struct {
	kind    string
	release string
	lock    *sync.RWMutex
	items   *[]cache.Delta           // RealFIFO
	keys    *[]string                // DeltaFIFO's order
	byKey   *map[string]cache.Deltas // DeltaFIFO
}

func (in *internals) lookQueue() (*queueView, error) {
	c := reflect.ValueOf(*in.controller)
	if !isCacheType(c, "controller") {
		return nil, fmt.Errorf("the informer's controller is a %s in this client-go", c.Type())
	}
	cfg, err := privateField(c.Elem(), "config")
	if err != nil {
		return nil, err
	}
	q, err := fieldPointer[cache.Queue](cfg, "Queue")
	if err != nil {
		return nil, err
	}
	v := reflect.ValueOf(*q)
	out := &queueView{}
	switch {
	case isCacheType(v, "RealFIFO"):
		out.kind, out.release = "RealFIFO", "1.33"
		// Public methods distinguish the releases, so that a missing private field is not taken for an older release.
		if _, batches := v.Type().MethodByName("PopBatch"); batches {
			out.release = "1.35"
		}
		if _, bookmarks := v.Type().MethodByName("Bookmark"); bookmarks {
			atomically, err := fieldPointer[bool](v.Elem(), "emitAtomicEvents") // set when the queue is made
			if err != nil {
				return nil, err
			}
			if *atomically {
				// No method or field of the queue tells the releases from here on apart.
				if out.release = releaseOf(version()); minorOf(version()) < 36 {
					out.release = "1.37"
				}
			}
		}
		if out.items, err = fieldPointer[[]cache.Delta](v.Elem(), "items"); err != nil {
			return nil, err
		}
	case isCacheType(v, "DeltaFIFO"):
		out.kind, out.release = "DeltaFIFO", "1.31"
		if out.keys, err = fieldPointer[[]string](v.Elem(), "queue"); err != nil {
			return nil, err
		}
		if out.byKey, err = fieldPointer[map[string]cache.Deltas](v.Elem(), "items"); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("the informer's queue is a %s", v.Type())
	}
	out.lock, err = fieldPointer[sync.RWMutex](v.Elem(), "lock")
	return out, err
}

// readRacy reads a word that another goroutine may write. The word is aligned, so the result is a value that it had; it is a sample without any order.
//
//go:norace
//go:noinline
func readRacy(p *int) int { return *p }
