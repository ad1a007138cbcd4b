package story

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"informerscope/core/trace"
)

// sort is the type of an expression's value.
type sort uint8

const (
	truth sort = iota // true or false
	number
	text
	thing // an object, a list or a map: only a part of it can be compared
)

var sortNames = [...]string{"true or false", "a number", "a text", "something with parts"}

func (s sort) String() string { return sortNames[s] }

// value is the value of an expression. It is missing if a path leads to nothing.
type value struct {
	missing bool
	b       bool
	n       float64
	s       string
	v       reflect.Value // of a thing
}

var missing = value{missing: true}

func truthValue(b bool) value { return value{b: b} }

// scope is where names are looked up: first the list element within any, all and count, then State.
type scope struct {
	outer *scope
	typ   reflect.Type
}

// place is a scope at a moment.
type place struct {
	outer *place
	v     reflect.Value
}

// moment is what an expression is evaluated on.
type moment struct {
	at   *place
	base *place // the State when the step began, nil if unknown
	// steps is how many more elements the evaluation may look at; below 0 it has ended.
	steps *int
}

// step reports whether the evaluation may look at one more element.
func (m moment) step() bool {
	if *m.steps >= 0 {
		*m.steps--
	}
	return *m.steps >= 0
}

// stateType is the type on which conditions are evaluated.
var stateType = reflect.TypeFor[trace.State]()

// members returns the fields of a struct by their JSON names.
func members(t reflect.Type) map[string]int {
	if m, ok := memberCache.Load(t); ok {
		return m.(map[string]int)
	}
	m := map[string]int{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" && t.Field(i).IsExported() {
			m[name] = i
		}
	}
	memberCache.Store(t, m)
	return m
}

var memberCache sync.Map

// names returns the sorted names of a struct's members.
func names(t reflect.Type) string {
	var out []string
	for n := range members(t) {
		out = append(out, n)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// sortOf returns the sort of a type of State.
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

// read returns the value at a place in State.
func read(v reflect.Value) value {
	v, ok := settle(v)
	if !ok {
		return missing
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

// settle follows pointers; it returns false for nil.
func settle(v reflect.Value) (reflect.Value, bool) {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return v, false
		}
		v = v.Elem()
	}
	return v, v.IsValid()
}
