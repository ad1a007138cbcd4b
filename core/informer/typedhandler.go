package informer

import "strings"

// Object is what the typed API needs of an object. Every Kubernetes API type implements it with its ObjectMeta. It is comparable so that a missing
// object can be recognised: it is the zero value, for pointers nil.
type Object interface {
	comparable

	GetName() string
	GetNamespace() string
}

// TypedResourceEventHandler is a ResourceEventHandler for objects of one type.
type TypedResourceEventHandler[T Object] interface {
	OnAdd(obj T, isInInitialList bool)
	OnUpdate(oldObj, newObj T)
	OnDelete(obj DeletedObject[T])
}

// DeletedObject is a deleted object, or a tombstone with or without a last known state. Its methods work in each case, so it can be logged in place of
// the object.
type DeletedObject[T Object] struct {
	// OptionalObj is the object. If FinalStateUnknown is set, it is the last known state, which may be stale, or the zero value if none was known.
	OptionalObj T
	// FinalStateUnknown is the tombstone; nil if the deletion itself was seen.
	FinalStateUnknown *DeletedFinalStateUnknown
}

// GetObjectName returns namespace and name: those of the tombstone's key, or else those of the object. If a key has several slashes, all but the first
// belong to the name.
func (d DeletedObject[T]) GetObjectName() ObjectName {
	var none T
	switch {
	case d.FinalStateUnknown != nil:
		namespace, name, found := strings.Cut(d.FinalStateUnknown.Key, "/")
		if !found {
			return ObjectName{Name: d.FinalStateUnknown.Key}
		}
		return ObjectName{Namespace: namespace, Name: name}
	case d.OptionalObj == none:
		return ObjectName{}
	}
	return ObjectName{Namespace: d.OptionalObj.GetNamespace(), Name: d.OptionalObj.GetName()}
}

// GetName returns the name without the namespace.
func (d DeletedObject[T]) GetName() string { return d.GetObjectName().Name }

// GetNamespace returns the namespace; "" for a cluster-scoped object.
func (d DeletedObject[T]) GetNamespace() string { return d.GetObjectName().Namespace }

// GetKey returns the key under which the object was stored.
func (d DeletedObject[T]) GetKey() string {
	if d.FinalStateUnknown != nil {
		return d.FinalStateUnknown.Key
	}
	return d.GetObjectName().String()
}

// TypedResourceEventHandlerFuncs is a TypedResourceEventHandler that calls those of its functions that are not nil.
type TypedResourceEventHandlerFuncs[T Object] struct {
	AddFunc    func(obj T)
	UpdateFunc func(oldObj, newObj T)
	DeleteFunc func(obj DeletedObject[T])
}

// OnAdd calls AddFunc.
func (r TypedResourceEventHandlerFuncs[T]) OnAdd(obj T, _ bool) {
	if r.AddFunc != nil {
		r.AddFunc(obj)
	}
}

// OnUpdate calls UpdateFunc.
func (r TypedResourceEventHandlerFuncs[T]) OnUpdate(oldObj, newObj T) {
	if r.UpdateFunc != nil {
		r.UpdateFunc(oldObj, newObj)
	}
}

// OnDelete calls DeleteFunc.
func (r TypedResourceEventHandlerFuncs[T]) OnDelete(obj DeletedObject[T]) {
	if r.DeleteFunc != nil {
		r.DeleteFunc(obj)
	}
}

// TypedResourceEventHandlerDetailedFuncs is TypedResourceEventHandlerFuncs whose AddFunc also gets isInInitialList.
type TypedResourceEventHandlerDetailedFuncs[T Object] struct {
	AddFunc    func(obj T, isInInitialList bool)
	UpdateFunc func(oldObj, newObj T)
	DeleteFunc func(obj DeletedObject[T])
}

// OnAdd calls AddFunc.
func (r TypedResourceEventHandlerDetailedFuncs[T]) OnAdd(obj T, isInInitialList bool) {
	if r.AddFunc != nil {
		r.AddFunc(obj, isInInitialList)
	}
}

// OnUpdate calls UpdateFunc.
func (r TypedResourceEventHandlerDetailedFuncs[T]) OnUpdate(oldObj, newObj T) {
	if r.UpdateFunc != nil {
		r.UpdateFunc(oldObj, newObj)
	}
}

// OnDelete calls DeleteFunc.
func (r TypedResourceEventHandlerDetailedFuncs[T]) OnDelete(obj DeletedObject[T]) {
	if r.DeleteFunc != nil {
		r.DeleteFunc(obj)
	}
}

// TypedFilteringResourceEventHandler is a FilteringResourceEventHandler for objects of one type. For a deletion FilterFunc gets OptionalObj, and must
// accept the zero value.
type TypedFilteringResourceEventHandler[T Object] struct {
	FilterFunc func(obj T) bool
	Handler    TypedResourceEventHandler[T]
}

// OnAdd calls Handler's OnAdd if the object passes the filter.
func (r TypedFilteringResourceEventHandler[T]) OnAdd(obj T, isInInitialList bool) {
	if r.FilterFunc(obj) {
		r.Handler.OnAdd(obj, isInInitialList)
	}
}

// OnUpdate calls Handler's OnUpdate, OnAdd or OnDelete, depending on which of the two objects pass the filter.
func (r TypedFilteringResourceEventHandler[T]) OnUpdate(oldObj, newObj T) {
	now, before := r.FilterFunc(newObj), r.FilterFunc(oldObj)
	switch {
	case now && before:
		r.Handler.OnUpdate(oldObj, newObj)
	case now:
		r.Handler.OnAdd(newObj, false)
	case before:
		r.Handler.OnDelete(DeletedObject[T]{OptionalObj: oldObj})
	}
}

// OnDelete calls Handler's OnDelete if OptionalObj passes the filter.
func (r TypedFilteringResourceEventHandler[T]) OnDelete(obj DeletedObject[T]) {
	if r.FilterFunc(obj.OptionalObj) {
		r.Handler.OnDelete(obj)
	}
}

// typedResourceEventHandler makes a ResourceEventHandler of a typed one. As in client-go, it panics for an object of another type. The type has
// client-go's name, because logs and DoneCheckers show it.
type typedResourceEventHandler[T Object] struct {
	handler TypedResourceEventHandler[T]
}

// OnAdd implements ResourceEventHandler.
func (h *typedResourceEventHandler[T]) OnAdd(obj any, isInInitialList bool) {
	h.handler.OnAdd(obj.(T), isInInitialList)
}

// OnUpdate implements ResourceEventHandler.
func (h *typedResourceEventHandler[T]) OnUpdate(oldObj, newObj any) {
	h.handler.OnUpdate(oldObj.(T), newObj.(T))
}

// OnDelete implements ResourceEventHandler.
func (h *typedResourceEventHandler[T]) OnDelete(obj any) {
	var deleted DeletedObject[T]
	if tombstone, ok := obj.(DeletedFinalStateUnknown); ok {
		deleted.FinalStateUnknown, obj = &tombstone, tombstone.Obj
	}
	if obj != nil || deleted.FinalStateUnknown == nil {
		deleted.OptionalObj = obj.(T)
	}
	h.handler.OnDelete(deleted)
}
