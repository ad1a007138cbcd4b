package tracetest

import (
	"fmt"
	"reflect"
	"slices"

	"informerscope/core/informer"
	"informerscope/core/trace"
)

// Foreign returns an error that names the members of an event which are set though its kind lacks them (see trace.Members); nil if there are none.
func Foreign(e *informer.Event) error {
	has, ok := trace.Members(e.Kind)
	if !ok {
		return fmt.Errorf("there is no kind %d", e.Kind)
	}
	v := reflect.ValueOf(e).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if name != "Kind" && !v.Field(i).IsZero() && !slices.Contains(has, name) {
			return fmt.Errorf("%s has %s %v", trace.KindName(e.Kind), name, v.Field(i))
		}
	}
	return nil
}
