//go:build !informerscope_public

package joints

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Touches: memory of a struct of another package.
// Gives: the private fields that informer.go, factory.go and source.go name.
// Guard: each field is looked up by its name and used only if it has exactly the expected type. So a release that moved, renamed or retyped it causes an
// error that switches one layer off, never a wild pointer.

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
