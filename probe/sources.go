package probe

import (
	"reflect"
	"runtime"
	"strings"
)

// All handlers of controller-runtime have one type. Its private fields tell them apart: the handler that the builder or the user made, and the queue of the
// controller. They are read once, when the handler is added; if they differ, the handler has the name of its type.

// sourceName returns the name of a handler of controller-runtime: "pod · For", "pod · Owns ConfigMap", "pod · Watches Node"; otherwise "". A handler of
// Watches that the user wrapped with WithLowPriorityWhenUnchanged counts as that of Owns; a For is a Watches if the controller is not called after its kind.
func (l *lane) sourceName(h interface{}) (name string) {
	defer func() {
		if recover() != nil {
			name = ""
		}
	}()
	v := reflect.ValueOf(h)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct || withoutTypeArguments(v.Elem().Type().Name()) != "EventHandler" {
		return ""
	}
	made, err := privateField(v.Elem(), "handler")
	if err != nil || made.Kind() != reflect.Interface || made.IsNil() {
		return ""
	}
	queue, err := privateField(v.Elem(), "queue")
	if err != nil {
		return ""
	}
	w := findWork(queue, 6)
	if w == nil {
		return ""
	}
	controller, informer := w.names()
	kind := l.kind
	if kind == "" {
		kind = l.name
	}
	how := "Watches " + kind
	switch typ := withoutTypeArguments(made.Elem().Type().String()); {
	case strings.HasSuffix(typ, ".TypedEnqueueRequestForObject") && (l.isNamed(controller, informer) || strings.EqualFold(kind, controller)):
		how = "For"
	case strings.HasSuffix(typ, ".enqueueRequestForOwner"), strings.HasSuffix(typ, ".TypedFuncs") && isWrapped(made.Elem()):
		how = "Owns " + kind
	}
	return controller + " · " + how
}

// isWrapped reports whether funcs are the methods of another handler. Owns wraps its handler so, to lower a priority.
func isWrapped(funcs reflect.Value) bool {
	f := funcs.FieldByName("CreateFunc")
	if !f.IsValid() || f.Kind() != reflect.Func || f.IsNil() {
		return false
	}
	fn := runtime.FuncForPC(f.Pointer())
	return fn != nil && strings.HasSuffix(withoutTypeArguments(fn.Name()), ".TypedEventHandler.Create-fm")
}

// findWork looks for a queue of the probe in what wraps it; nil for none.
func findWork(v reflect.Value, depth int) workView {
	if depth == 0 {
		return nil
	}
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			return findWork(v.Elem(), depth)
		}
	case reflect.Pointer:
		if v.IsNil() || v.Elem().Kind() != reflect.Struct {
			return nil
		}
		if v.Type().Implements(reflect.TypeOf((*workView)(nil)).Elem()) && v.CanInterface() {
			return v.Interface().(workView)
		}
		for i := 0; i < v.Elem().NumField(); i++ {
			f := v.Elem().Type().Field(i)
			if f.Type.Kind() != reflect.Interface && f.Type.Kind() != reflect.Pointer {
				continue
			}
			field, err := privateField(v.Elem(), f.Name)
			if err != nil {
				continue
			}
			if w := findWork(field, depth-1); w != nil {
				return w
			}
		}
	}
	return nil
}
