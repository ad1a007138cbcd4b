package story

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"informerscope/core/page/view"
)

// sort is the type of an expression's value.
type sort uint8

const (
	truth sort = iota // true or false
	number
	text
	thing // an object, a list or a map: a condition can compare only parts of it
)

var sortNames = [...]string{"true or false", "a number", "a text", "something with parts"}

func (s sort) String() string { return sortNames[s] }

// value is the value of an expression. It is missing if a path names nothing in State.
type value struct {
	isMissing bool
	b         bool
	n         float64
	s         string
	v         reflect.Value // of a thing
}

var missingValue = value{isMissing: true}

func truthValue(b bool) value { return value{b: b} }

// scope is a type whose members a name may mean: that of the list's elements within any, all and count, then, as outer, State.
type scope struct {
	outer *scope
	typ   reflect.Type
}

// place has the value of a scope's type at a moment.
type place struct {
	outer *place
	v     reflect.Value
}

// moment has the inputs of an evaluation.
type moment struct {
	place *place
	base  *place // the State when the step began, nil if unknown
	// steps is the number of elements that the evaluation may still look at; below 0 it has failed.
	steps *int
}

// step takes one step, and reports whether the evaluation may look at one more element.
func (m moment) step() bool {
	if *m.steps >= 0 {
		*m.steps--
	}
	return *m.steps >= 0
}

// stateType is the type of the outermost scope.
var stateType = reflect.TypeFor[view.State]()

// members returns the indices of a struct's fields by their JSON names.
func members(t reflect.Type) map[string][]int {
	if m, ok := memberCache.Load(t); ok {
		return m.(map[string][]int)
	}
	m := map[string][]int{}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && name != "-" && field.IsExported() {
			m[name] = field.Index
		}
	}
	memberCache.Store(t, m)
	return m
}

var memberCache sync.Map

// memberNames returns the sorted names of a struct's members.
func memberNames(t reflect.Type) string {
	return strings.Join(slices.Sorted(maps.Keys(members(t))), ", ")
}

// sortOf returns the sort of a value whose type is t.
func sortOf(t reflect.Type) sort {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Kind() == reflect.Bool:
		return truth
	case t.Kind() == reflect.String:
		return text
	case t.ConvertibleTo(reflect.TypeFor[float64]()):
		return number
	}
	return thing
}

// readValue returns a part of State as a value.
func readValue(v reflect.Value) value {
	v, ok := deref(v)
	if !ok {
		return missingValue
	}
	switch sortOf(v.Type()) {
	case truth:
		return value{b: v.Bool()}
	case text:
		return value{s: v.String()}
	case number:
		return value{n: v.Convert(reflect.TypeFor[float64]()).Float()}
	}
	return value{v: v}
}

// deref returns the value that pointers lead to, false for nil.
func deref(v reflect.Value) (reflect.Value, bool) {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return v, false
		}
		v = v.Elem()
	}
	return v, v.IsValid()
}
