package informer

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

// ResourceEventHandler receives the changes to the objects of a resource. It must not change the objects, because the store and all other handlers
// share them. OnUpdate may stand for several changes, and is also called if nothing changed (a resync, a relist). OnDelete gets a
// DeletedFinalStateUnknown if the deletion itself was missed.
type ResourceEventHandler interface {
	OnAdd(obj interface{}, isInInitialList bool)
	OnUpdate(oldObj, newObj interface{})
	OnDelete(obj interface{})
}

// ResourceEventHandlerFuncs is a ResourceEventHandler that calls those of its functions that are not nil.
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

// FilteringResourceEventHandler passes to Handler only the objects for which FilterFunc returns true. An object that begins to pass is an add (never of
// the initial list); one that no longer passes is a delete. FilterFunc receives tombstones unchanged, and must not change objects.
type FilteringResourceEventHandler struct {
	FilterFunc func(obj interface{}) bool
	Handler    ResourceEventHandler
}

// OnAdd calls Handler's OnAdd if the object passes the filter.
func (r FilteringResourceEventHandler) OnAdd(obj interface{}, isInInitialList bool) {
	if r.FilterFunc(obj) {
		r.Handler.OnAdd(obj, isInInitialList)
	}
}

// OnUpdate calls Handler's OnUpdate, OnAdd or OnDelete, depending on which of the two objects pass the filter.
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

// OnDelete calls Handler's OnDelete if the object passes the filter.
func (r FilteringResourceEventHandler) OnDelete(obj interface{}) {
	if r.FilterFunc(obj) {
		r.Handler.OnDelete(obj)
	}
}

// nameForHandler returns a handler's name for logs and DoneCheckers: from its functions if it is ResourceEventHandlerFuncs, otherwise from its type.
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

// nameForFuncs returns where all functions are defined, if that is one place, otherwise all their names.
func nameForFuncs(fs ...any) string {
	var names []string
	place, onePlace := "", true
	for _, f := range fs {
		fn := runtime.FuncForPC(reflect.ValueOf(f).Pointer())
		if fn == nil || fn.Name() == "" {
			continue
		}
		names = append(names, fn.Name())
		prefix := fn.Name()
		if i := strings.LastIndexByte(prefix, '.'); i > 0 {
			prefix = prefix[:i]
		}
		onePlace = onePlace && (place == "" || place == prefix)
		if place == "" {
			place = prefix
		}
	}
	if onePlace {
		return place
	}
	return strings.Join(names, "+")
}
