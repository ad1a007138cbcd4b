//go:build !informerscope_public

package joints

import (
	"reflect"
	"runtime"
	"strings"
)

// Touches: the fields handler and queue of internal/source.EventHandler of controller-runtime 0.22 to 0.25, and what wraps a queue there.
// Gives: handlers that have the name of their controller and of the builder's call.
// Guard: fields.go, the name of the type, and a bound on the depth. They are read once, when the handler is added; if they differ, the handler has the name of
// its type.

// SourceOf returns what a handler of controller-runtime is made of; ok is false for another handler.
func SourceOf[Q any](h interface{}) (s Source[Q], ok bool) {
	v := reflect.ValueOf(h)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return s, false
	}
	if name, _, _ := strings.Cut(v.Elem().Type().Name(), "["); name != "EventHandler" {
		return s, false
	}
	made, err := privateField(v.Elem(), "handler")
	if err != nil || made.Kind() != reflect.Interface || made.IsNil() {
		return s, false
	}
	queue, err := privateField(v.Elem(), "queue")
	if err != nil {
		return s, false
	}
	if s.Queue, ok = find[Q](queue, 6); !ok {
		return s, false
	}
	s.Type = made.Elem().Type().String()
	if f := made.Elem(); f.Kind() == reflect.Struct {
		s.CreateFunc = nameOf(f.FieldByName("CreateFunc"))
	}
	return s, true
}

func nameOf(f reflect.Value) string {
	if f.Kind() == reflect.Func && !f.IsNil() {
		if fn := runtime.FuncForPC(f.Pointer()); fn != nil {
			return fn.Name()
		}
	}
	return ""
}

// find looks for a Q in what wraps it.
func find[Q any](v reflect.Value, depth int) (q Q, ok bool) {
	if depth == 0 {
		return q, false
	}
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			return find[Q](v.Elem(), depth)
		}
	case reflect.Pointer:
		if v.IsNil() || v.Elem().Kind() != reflect.Struct {
			return q, false
		}
		if v.CanInterface() {
			if q, ok = v.Interface().(Q); ok {
				return q, true
			}
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
			if q, ok = find[Q](field, depth-1); ok {
				return q, true
			}
		}
	}
	return q, false
}
