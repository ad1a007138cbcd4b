//go:build !informerscope_public

package joints

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// Touches: private fields of tools/cache, of client-go from 0.31 on: sharedIndexInformer, sharedProcessor, processorListener with its ring, controller,
// DeltaFIFO, RealFIFO, cache and threadSafeMap.
// Gives: handlers added before the probe; rings; the queue; a transform that was set before; the informer's type; a store that was replaced.
// Guard: fields.go, and the names of the types. What is not as expected is a problem that switches one layer off.

// Available reports that the joints are in the program.
const Available = true

// isCacheType reports whether v points to a struct of client-go's cache package with this name.
func isCacheType(v reflect.Value, name string) bool {
	return v.Kind() == reflect.Pointer && !v.IsNil() && v.Elem().Kind() == reflect.Struct && v.Elem().Type().Name() == name &&
		isCache(v.Elem().Type().PkgPath()+".")
}

// Informer points to private fields of one sharedIndexInformer. A nil pointer is a layer that cannot be seen.
type Informer struct {
	// Problems has, by its name, why a layer cannot be seen.
	Problems map[string]string

	startedLock *sync.Mutex
	started     *bool
	controller  *cache.Controller
	transform   *cache.TransformFunc

	storeLock *sync.RWMutex
	items     *map[string]interface{}

	listenersLock *sync.RWMutex
	listeners     reflect.Value // map[*processorListener]bool
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

// Example returns an object of the type that an informer has, nil if that cannot be seen.
func Example(inf cache.SharedIndexInformer) runtime.Object {
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

// Look finds the fields of an informer.
func Look(inf cache.SharedIndexInformer) *Informer {
	in := &Informer{Problems: map[string]string{}}
	s, ok := unwrap(inf)
	if !ok {
		why := fmt.Sprintf("a %T is not client-go's own informer", inf)
		for _, layer := range []string{"listeners", "handlers", "queue", "queued", "count"} {
			in.Problems[layer] = why
		}
		return in
	}
	note := func(layers []string, err error) {
		if err != nil {
			for _, l := range layers {
				in.Problems[l] = err.Error()
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

func (in *Informer) findListeners(s reflect.Value) error {
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

func (in *Informer) findItems(s reflect.Value) error {
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

// IsSame reports whether both are certainly the same informer.
func (in *Informer) IsSame(other *Informer) bool {
	return in.startedLock != nil && in.startedLock == other.startedLock
}

// Transform returns the informer's transform, nil for none; known is false if it cannot be seen.
func (in *Informer) Transform() (f cache.TransformFunc, known bool) {
	if in.transform == nil || in.startedLock == nil {
		return nil, false
	}
	in.startedLock.Lock()
	defer in.startedLock.Unlock()
	return *in.transform, true
}

// Stored returns the object that the store has under a key. The caller holds the store's lock, as an index function does.
func (in *Informer) Stored(key []byte) (obj interface{}, ok bool) {
	if in.items == nil {
		return nil, false
	}
	obj, ok = (*in.items)[string(key)] // makes no string
	return obj, ok
}

// Len returns the number of objects in the store; known is false if it cannot be seen. The caller holds the store's lock.
func (in *Informer) Len() (n int, known bool) {
	if in.items == nil {
		return 0, false
	}
	return len(*in.items), true
}

// TryLen is Len for a caller without the lock. n is -1 if the lock is not free.
func (in *Informer) TryLen() (n int, known bool) {
	if in.items == nil {
		return 0, false
	}
	if !in.storeLock.TryRLock() {
		return -1, true
	}
	defer in.storeLock.RUnlock()
	return in.Len()
}

// Listeners calls use with the listeners, under the locks that the informer takes to start and to add one. It does nothing if they cannot be seen.
func (in *Informer) Listeners(use func(all []*Listener, isRunning bool, err error)) {
	if in.startedLock == nil || in.started == nil || in.listenersLock == nil {
		return
	}
	in.startedLock.Lock()
	defer in.startedLock.Unlock()
	in.listenersLock.Lock()
	defer in.listenersLock.Unlock()
	all, err := in.findAll()
	use(all, *in.started, err)
}

// TryListeners calls use with the listeners, unless they cannot be seen or their lock is not free.
func (in *Informer) TryListeners(use func(all []*Listener, err error)) {
	if in.listenersLock == nil || !in.listenersLock.TryRLock() {
		return
	}
	defer in.listenersLock.RUnlock()
	use(in.findAll())
}

func (in *Informer) findAll() (all []*Listener, err error) {
	for iter := in.listeners.MapRange(); iter.Next(); {
		x, err := lookListener(iter.Key())
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

// Listener points to private fields of one processorListener.
type Listener struct {
	Name      string // the handler's, "" if client-go has none
	Address   uintptr
	HasSynced func() bool // nil if it cannot be seen. It may wait for a lock

	value   reflect.Value // the *processorListener
	handler *cache.ResourceEventHandler
}

func lookListener(p reflect.Value) (x *Listener, err error) {
	l := p.Elem()
	x = &Listener{value: p, Address: p.Pointer()}
	if x.handler, err = fieldPointer[cache.ResourceEventHandler](l, "handler"); err != nil {
		return nil, err
	}
	if name, err := fieldPointer[string](l, "handlerName"); err == nil {
		x.Name = *name // set before the listener is in the map, never changed
	}
	if s, ok := p.Interface().(interface{ HasSynced() bool }); ok {
		x.HasSynced = s.HasSynced
	}
	return x, nil
}

// Handler returns the listener's handler.
func (x *Listener) Handler() cache.ResourceEventHandler { return *x.handler }

// SetHandler replaces the handler. Only the listener's goroutine reads it, which must not run yet: call it in Listeners.
func (x *Listener) SetHandler(h cache.ResourceEventHandler) { *x.handler = h }

// Ring samples the listener's buffer.
func (x *Listener) Ring() (r Ring, err error) {
	ring, err := privateField(x.value.Elem(), "pendingNotifications")
	if err != nil {
		return r, err
	}
	capacity, err := fieldPointer[int](ring, "n")
	if err != nil {
		return r, err
	}
	r.Capacity = readRacy(capacity)
	// Since 0.36 the length is there for other goroutines to read.
	if pending, err := fieldPointer[atomic.Int64](x.value.Elem(), "pendingNotificationsLength"); err == nil {
		r.Length, r.IsExact = int(pending.Load()), true
		return r, nil
	}
	readable, err := fieldPointer[int](ring, "readable")
	if err == nil {
		r.Length = readRacy(readable)
	}
	return r, err
}

// Queue is the queue of a started informer.
type Queue struct {
	Kind    string
	Release string // that it is of, or the first with such a queue; "" if its entries may be atomic, as in each release since 1.36

	lock  *sync.RWMutex
	items *[]cache.Delta           // RealFIFO
	keys  *[]string                // DeltaFIFO's order
	byKey *map[string]cache.Deltas // DeltaFIFO
}

// TryQueue returns the queue; nil if the informer does not run yet, or if the lock with which it starts is not free.
func (in *Informer) TryQueue() (*Queue, error) {
	if in.startedLock == nil || in.controller == nil || !in.startedLock.TryLock() {
		return nil, nil
	}
	defer in.startedLock.Unlock()
	if *in.controller == nil {
		return nil, nil
	}
	return in.lookQueue()
}

// TryRead returns the number of entries, and calls each with the first of them, at most limit. ok is false if the queue's lock is not free.
func (q *Queue) TryRead(limit int, each func(*cache.Delta)) (depth int, ok bool) {
	if !q.lock.TryRLock() {
		return -1, false
	}
	defer q.lock.RUnlock()
	if q.items != nil {
		for i := 0; i < len(*q.items) && i < limit; i++ {
			each(&(*q.items)[i])
		}
		return len(*q.items), true
	}
	n := 0
	for i := 0; i < len(*q.keys) && n < limit; i++ {
		deltas := (*q.byKey)[(*q.keys)[i]]
		for j := range deltas {
			each(&deltas[j])
			n++
		}
	}
	return len(*q.keys), true
}

func (in *Informer) lookQueue() (*Queue, error) {
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
	out := &Queue{}
	switch {
	case isCacheType(v, "RealFIFO"):
		out.Kind, out.Release = "RealFIFO", "1.33"
		// Public methods distinguish the releases, so that a missing private field is not taken for an older release.
		if _, batches := v.Type().MethodByName("PopBatch"); batches {
			out.Release = "1.35"
		}
		if _, bookmarks := v.Type().MethodByName("Bookmark"); bookmarks {
			atomically, err := fieldPointer[bool](v.Elem(), "emitAtomicEvents") // set when the queue is made
			if err != nil {
				return nil, err
			}
			if *atomically {
				out.Release = "" // no method or field of the queue tells the releases from here on apart
			}
		}
		if out.items, err = fieldPointer[[]cache.Delta](v.Elem(), "items"); err != nil {
			return nil, err
		}
	case isCacheType(v, "DeltaFIFO"):
		out.Kind, out.Release = "DeltaFIFO", "1.31"
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
