package foldtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"informerscope/core/words/event"
)

// Obj is an object with an identity, a size and JSON of its own.
type Obj struct {
	Name string `json:"name"`
	RV   string `json:"rv"`
}

func (o *Obj) Size() int { return 100 }

func (o *Obj) MarshalJSON() ([]byte, error) {
	return []byte(fmt.Sprintf(`{"name":%q,"rv":%q,"html":"<a&b>"}`, o.Name, o.RV)), nil
}

func DecodeObj(b []byte) (any, error) {
	type plain Obj
	var p plain
	if err := json.Unmarshal(b, &p); err != nil {
		return nil, err
	}
	return (*Obj)(&p), nil
}

// Weighed is an object whose size changed since it arrived.
type Weighed struct{ Held, Came int }

func (w *Weighed) Size() int             { return w.Held }
func (w *Weighed) Weight() (held, c int) { return w.Held, w.Came }

// SelectionEvent returns the event of an experiment with simulated pods in some releases.
func SelectionEvent(releases ...string) event.Event {
	b, _ := json.Marshal(event.Selection{Source: "sim", Version: "v1", Resource: "pods", Releases: releases, Seed: 7})
	return event.Selected{Selection: string(b)}.Event()
}

// Script numbers events and gives them times, 10 ms apart.
func Script(es ...event.Event) []event.Entry {
	out := make([]event.Entry, len(es))
	for i, e := range es {
		out[i] = event.Entry{Seq: uint64(i + 1), At: time.Duration(i+1) * 10 * time.Millisecond, Event: e}
	}
	return out
}

// Values returns the index values of the i-th object.
func Values(i int) []event.IndexValues {
	return []event.IndexValues{
		{Index: "namespace", Values: []string{fmt.Sprintf("ns-%d", i%50)}},
		{Index: "node", Values: []string{fmt.Sprintf("node-%d", i%100)}},
	}
}

// watchEvents returns the events that one watch event causes.
// Iterate returns an iterator of events.
func Iterate(events []event.Entry) func(func(*event.Entry) bool) {
	return func(yield func(*event.Entry) bool) {
		for i := range events {
			if !yield(&events[i]) {
				return
			}
		}
	}
}

// Equal reports an error if two values have different JSON.
func Equal(t *testing.T, what string, got, want any) {
	t.Helper()
	g, w := ObjString(got), ObjString(want)
	if g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

// ObjString returns the JSON of a value.
func ObjString(o any) string {
	if o == nil {
		return ""
	}
	b, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// Sort sorts strings.
func Sort(s []string) []string { slices.Sort(s); return s }
