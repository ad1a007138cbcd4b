package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// fits says where a value, decoded from JSON, is not of the page's type for a Go type; at is its path. It reads types just as the
// generator does, so what fits is what web/wire/types.js promises.
func fits(t reflect.Type, value any, partial bool, at string) []string {
	wrong := func(want string) []string { return []string{fmt.Sprintf("%s is %s, want %s", at, short(value), want)} }
	if t == anyJSON {
		return nil
	}
	switch t.Kind() {
	case reflect.Bool:
		if _, ok := value.(bool); !ok {
			return wrong("a boolean")
		}
	case reflect.String:
		if _, ok := value.(string); !ok {
			return wrong("a string")
		}
	case reflect.Pointer:
		return fits(t.Elem(), value, partial, at)
	case reflect.Slice, reflect.Array:
		list, ok := value.([]any)
		if !ok || t.Kind() == reflect.Array && len(list) != t.Len() {
			return wrong("a list of " + t.Elem().String())
		}
		var out []string
		for i, v := range list {
			out = append(out, fits(t.Elem(), v, false, fmt.Sprintf("%s[%d]", at, i))...)
		}
		return out
	case reflect.Map:
		m, ok := value.(map[string]any)
		if !ok {
			return wrong("an object by keys")
		}
		var out []string
		for _, k := range slices.Sorted(maps.Keys(m)) {
			out = append(out, fits(t.Elem(), m[k], false, at+"."+k)...)
		}
		return out
	case reflect.Struct:
		if isRow(t) {
			list, ok := value.([]any)
			if !ok || len(list) != t.NumField()-1 {
				return wrong(fmt.Sprintf("a list of %d", t.NumField()-1))
			}
			var out []string
			for i, v := range list {
				out = append(out, fits(t.Field(i+1).Type, v, false, fmt.Sprintf("%s[%d]", at, i))...)
			}
			return out
		}
		m, ok := value.(map[string]any)
		if !ok {
			return wrong("an object")
		}
		return fitsMembers(t, m, partial, at)
	default:
		if _, ok := value.(json.Number); !ok {
			return wrong("a number")
		}
	}
	return nil
}

func fitsMembers(t reflect.Type, m map[string]any, partial bool, at string) (out []string) {
	known := map[string]bool{}
	for _, mem := range membersOf(t) {
		known[mem.name] = true
		v, there := m[mem.name]
		switch {
		case !there && !mem.optional && !partial:
			out = append(out, at+"."+mem.name+" is missing")
		case there && mem.words != nil:
			if word, ok := v.(string); !ok || !slices.Contains(mem.words, word) {
				out = append(out, fmt.Sprintf("%s.%s is %s, want one of %q", at, mem.name, short(v), mem.words))
			}
		case there && !(v == nil && mem.field.Type.Kind() == reflect.Pointer && !mem.optional):
			out = append(out, fits(mem.field.Type, v, mem.partial, at+"."+mem.name)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !known[name] {
			out = append(out, at+"."+name+" is in no type")
		}
	}
	return out
}

// decode is JSON with its numbers as they are written.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

func short(v any) string {
	text, _ := json.Marshal(v)
	return string(text[:min(len(text), 80)])
}
