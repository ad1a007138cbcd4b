package event

import (
	"io"
	"reflect"
	"testing"
)

// TestEveryKindHasASubject: a kind has a name, a subject and its members, or none of them.
func TestEveryKindHasASubject(t *testing.T) {
	for k, got := range kinds {
		if (got.name != "") != (got.about != AboutNothing) {
			t.Errorf("kind %d, %q, has the subject %d", k, got.name, got.about)
		}
		if got.name == "" && members[k] != nil {
			t.Errorf("kind %d has members and no name", k)
		}
	}
}

// TestAnAccessorReturnsWhatWasPut: each struct that is made into an event comes back whole, and from an event of another kind as its zero value.
func TestAnAccessorReturnsWhatWasPut(t *testing.T) {
	event := reflect.TypeFor[*Event]()
	structs := 0
	for i := range event.NumMethod() {
		accessor := event.Method(i)
		if accessor.Type.NumOut() != 1 || accessor.Type.NumIn() != 1 {
			continue
		}
		carried := accessor.Type.Out(0)
		if _, ok := carried.MethodByName("Event"); !ok {
			continue
		}
		structs++
		x := reflect.New(carried).Elem()
		for j := range x.NumField() {
			fill(t, x.Field(j))
		}
		if kind := x.FieldByName("Kind"); kind.IsValid() {
			for k, written := range kinds {
				var e Event
				kind.Set(reflect.ValueOf(Kind(k)))
				e = x.MethodByName("Event").Call(nil)[0].Interface().(Event)
				got := accessor.Func.Call([]reflect.Value{reflect.ValueOf(&e)})[0]
				if own := reflect.DeepEqual(got.Interface(), x.Interface()); !own && !got.IsZero() {
					t.Errorf("%s of a %s is %+v, not %+v", carried.Name(), written.name, got, x)
				}
			}
			continue
		}
		e := x.MethodByName("Event").Call(nil)[0].Interface().(Event)
		if got := accessor.Func.Call([]reflect.Value{reflect.ValueOf(&e)})[0]; !reflect.DeepEqual(got.Interface(), x.Interface()) {
			t.Errorf("%+v comes back as %+v", x, got)
		}
		for _, name := range members[e.Kind] {
			if reflect.ValueOf(e.raw).FieldByName(name).IsZero() {
				t.Errorf("%s leaves %s empty", carried.Name(), name)
			}
		}
		e.Kind = 255
		if got := accessor.Func.Call([]reflect.Value{reflect.ValueOf(&e)})[0]; !got.IsZero() {
			t.Errorf("%s of another kind is %+v", carried.Name(), got)
		}
	}
	if structs < 50 {
		t.Fatalf("only %d accessors were found", structs)
	}
}

// fill sets a field to something other than its zero value.
func fill(t *testing.T, f reflect.Value) {
	switch f.Kind() {
	case reflect.String:
		f.SetString("x")
	case reflect.Bool:
		f.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		f.SetInt(7)
	case reflect.Uint8, reflect.Uint32:
		f.SetUint(7)
	case reflect.Slice:
		f.Set(reflect.MakeSlice(f.Type(), 1, 1))
	case reflect.Pointer:
		f.Set(reflect.New(f.Type().Elem()))
	case reflect.Interface:
		f.Set(reflect.ValueOf(io.EOF))
	default:
		t.Fatalf("no value for a field of type %s", f.Type())
	}
}
