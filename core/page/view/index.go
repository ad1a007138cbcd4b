package view

import (
	"cmp"
	"fmt"
	"slices"
)

// maxIndexed bounds the values or keys of one answer.
const maxIndexed = 500

// IndexValue is a value of an index and the number of objects that have it.
type IndexValue struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// IndexContents is an index at the view's position: its values, or the keys of one value.
type IndexContents struct {
	Index string `json:"index"`
	// Values are sorted by size, largest first, at most 500; Total is their number.
	Values []IndexValue `json:"values,omitempty"`
	// Keys are sorted, at most 500; Total is their number.
	Keys  []string `json:"keys,omitempty"`
	Value string   `json:"value,omitempty"`
	Total int      `json:"total"`
}

// Index returns the values of a lane's index, or if value is not nil the keys of the objects that have it.
func (v *View) Index(lane int, name string, value *string) (*IndexContents, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !slices.Contains(v.fold.IndexNames(lane), name) {
		return nil, fmt.Errorf("there is no index %q at this moment", name)
	}
	x := v.fold.Index(lane, name)
	out := &IndexContents{Index: name}
	if value == nil {
		x.Range(func(value string, n int) bool {
			out.Values = append(out.Values, IndexValue{value, n})
			return true
		})
		out.Total = len(out.Values)
		slices.SortFunc(out.Values, func(a, b IndexValue) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
		})
		out.Values = out.Values[:min(len(out.Values), maxIndexed)]
		return out, nil
	}
	out.Value = *value
	x.Keys(*value, func(key string) bool {
		out.Keys = append(out.Keys, key)
		return true
	})
	out.Total = len(out.Keys)
	slices.Sort(out.Keys)
	out.Keys = out.Keys[:min(len(out.Keys), maxIndexed)]
	return out, nil
}
