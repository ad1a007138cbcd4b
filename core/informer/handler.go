package informer

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

// ResourceEventHandler is told what happens to the objects of a resource. It
// must not change the objects: the store and every other handler have the same
// ones. OnUpdate may stand for several changes, and is also called when nothing
// changed (a resync, a relist). OnDelete gets a DeletedFinalStateUnknown when
// the deletion itself was missed.
type ResourceEventHandler interface {
	OnAdd(obj interface{}, isInInitialList bool)
	OnUpdate(oldObj, newObj interface{})
	OnDelete(obj interface{})
}

// ResourceEventHandlerFuncs makes a ResourceEventHandler of those functions that are not nil.
type ResourceEventHandlerFuncs struct {
	AddFunc    func(obj interface{})
	UpdateFunc func(oldObj, newObj interface{})
	DeleteFunc func(obj interface{})
}

// OnAdd calls AddFunc.
func (r ResourceEventHandlerFuncs) OnAdd(obj interface{}, _ bool) {
	if r.AddFunc != nil {
		r.AddFunc(obj)
	}
}

// OnUpdate calls UpdateFunc.
func (r ResourceEventHandlerFuncs) OnUpdate(oldObj, newObj interface{}) {
	if r.UpdateFunc != nil {
		r.UpdateFunc(oldObj, newObj)
	}
}

// OnDelete calls DeleteFunc.
func (r ResourceEventHandlerFuncs) OnDelete(obj interface{}) {
	if r.DeleteFunc != nil {
		r.DeleteFunc(obj)
	}
}

// ResourceEventHandlerDetailedFuncs is ResourceEventHandlerFuncs whose AddFunc
// also learns whether the object was in the initial list.
type ResourceEventHandlerDetailedFuncs struct {
	AddFunc    func(obj interface{}, isInInitialList bool)
	UpdateFunc func(oldObj, newObj interface{})
	DeleteFunc func(obj interface{})
}

// OnAdd calls AddFunc.
func (r ResourceEventHandlerDetailedFuncs) OnAdd(obj interface{}, isInInitialList bool) {
	if r.AddFunc != nil {
		r.AddFunc(obj, isInInitialList)
	}
}

// OnUpdate calls UpdateFunc.
func (r ResourceEventHandlerDetailedFuncs) OnUpdate(oldObj, newObj interface{}) {
	if r.UpdateFunc != nil {
		r.UpdateFunc(oldObj, newObj)
	}
}

// OnDelete calls DeleteFunc.
func (r ResourceEventHandlerDetailedFuncs) OnDelete(obj interface{}) {
	if r.DeleteFunc != nil {
		r.DeleteFunc(obj)
	}
}

// FilteringResourceEventHandler shows Handler only the objects that pass
// FilterFunc. An object that begins to pass is an add (never of the initial
// list), one that ceases to is a delete. The filter sees tombstones as they
// are, and must not change objects.
type FilteringResourceEventHandler struct {
	FilterFunc func(obj interface{}) bool
	Handler    ResourceEventHandler
}

// OnAdd passes on an object that passes the filter.
func (r FilteringResourceEventHandler) OnAdd(obj interface{}, isInInitialList bool) {
	if r.FilterFunc(obj) {
		r.Handler.OnAdd(obj, isInInitialList)
	}
}

// OnUpdate passes on an update, an add or a delete, by which of the two objects pass the filter.
func (r FilteringResourceEventHandler) OnUpdate(oldObj, newObj interface{}) {
	now, before := r.FilterFunc(newObj), r.FilterFunc(oldObj)
	switch {
	case now && before:
		r.Handler.OnUpdate(oldObj, newObj)
	case now:
		r.Handler.OnAdd(newObj, false)
	case before:
		r.Handler.OnDelete(oldObj)
	}
}

// OnDelete passes on an object that passes the filter.
func (r FilteringResourceEventHandler) OnDelete(obj interface{}) {
	if r.FilterFunc(obj) {
		r.Handler.OnDelete(obj)
	}
}

// nameForHandler names a handler for logs and DoneCheckers: by its functions
// if it is ResourceEventHandlerFuncs, else by its type.
// Mirrors client-go tools/cache.nameForHandler (v0.37.2).
func nameForHandler(handler ResourceEventHandler) string {
	name := ""
	switch h := handler.(type) {
	case nil:
	case ResourceEventHandlerFuncs:
		name = nameForFuncs(h.AddFunc, h.UpdateFunc, h.DeleteFunc)
	case *ResourceEventHandlerFuncs:
		if h != nil {
			name = nameForFuncs(h.AddFunc, h.UpdateFunc, h.DeleteFunc)
		}
	default:
		t := reflect.TypeOf(handler)
		if t.Kind() == reflect.Pointer && !reflect.ValueOf(handler).IsNil() {
			t = t.Elem()
		}
		if name = t.PkgPath(); name != "" {
			name += "."
		}
		name += t.Name()
	}
	if name == "" {
		name = fmt.Sprintf("%T", handler)
	}
	return name
}

// nameForFuncs is where all functions are defined, if that is one place, else all their names.
func nameForFuncs(fs ...any) string {
	var names []string
	place, onePlace := "", true
	for _, f := range fs {
		fn := runtime.FuncForPC(reflect.ValueOf(f).Pointer())
		if fn == nil || fn.Name() == "" {
			continue
		}
		names = append(names, fn.Name())
		at := fn.Name()
		if i := strings.LastIndexByte(at, '.'); i > 0 {
			at = at[:i]
		}
		onePlace = onePlace && (place == "" || place == at)
		if place == "" {
			place = at
		}
	}
	if onePlace {
		return place
	}
	return strings.Join(names, "+")
}
