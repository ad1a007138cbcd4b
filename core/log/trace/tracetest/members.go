package tracetest

import (
	"fmt"
	"reflect"
	"slices"

	"informerscope/core/words/event"
)

// Foreign returns an error that names the members of an event which are set though its kind lacks them (see event.MembersOf); nil if there are none.
func Foreign(e *event.Event) error {
	members, ok := event.MembersOf(e.Kind)
	if !ok {
		return fmt.Errorf("there is no kind %d", e.Kind)
	}
	v := reflect.ValueOf(e.Members())
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if !v.Field(i).IsZero() && !slices.Contains(members, name) {
			return fmt.Errorf("%s has %s %v", event.KindName(e.Kind), name, v.Field(i))
		}
	}
	return nil
}
