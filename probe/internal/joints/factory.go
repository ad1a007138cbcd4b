//go:build !informerscope_public

package joints

import (
	"fmt"
	"reflect"
	"sync"
)

// Touches: the fields lock and informers of an informer factory that informer-gen generated, or of client-go's dynamic and metadata ones.
// Gives: all informers of a factory with one call.
// Guard: fields.go; informers must be a map. Otherwise Probe.Factory returns an error, and the informers are named one by one.

// FactoryInformer is an informer that a factory has.
type FactoryInformer struct {
	Key   interface{} // a reflect.Type, or a GroupVersionResource
	Value interface{} // an informer, or a generic one

	in reflect.Value
}

// Factory calls use with the informers of a factory, under the factory's lock.
func Factory(factory interface{}, use func(all []FactoryInformer)) error {
	v := reflect.ValueOf(factory)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("a %T is no informer factory", factory)
	}
	lock, err := fieldPointer[sync.Mutex](v.Elem(), "lock")
	if err != nil {
		return err
	}
	m, err := privateField(v.Elem(), "informers")
	if err != nil {
		return err
	}
	if m.Kind() != reflect.Map {
		return fmt.Errorf("%s.informers is a %s", v.Elem().Type(), m.Type())
	}
	lock.Lock()
	defer lock.Unlock()
	var all []FactoryInformer
	for iter := m.MapRange(); iter.Next(); {
		all = append(all, FactoryInformer{iter.Key().Interface(), iter.Value().Interface(), m})
	}
	use(all)
	return nil
}

// Replace makes the factory return another informer from now on, if it can hold that. Call it in Factory.
func (x FactoryInformer) Replace(with interface{}) {
	if v := reflect.ValueOf(with); v.Type().AssignableTo(x.in.Type().Elem()) {
		x.in.SetMapIndex(reflect.ValueOf(x.Key), v)
	}
}
