//go:build js && wasm

package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/hack-pad/safejs"
)

// self is the worker's global scope.
func self() safejs.Value { return safejs.Global() }

// newBytes copies p into a new Uint8Array.
func newBytes(p []byte) (safejs.Value, error) {
	ctor, err := self().Get("Uint8Array")
	if err != nil {
		return safejs.Value{}, err
	}
	array, err := ctor.New(len(p))
	if err != nil {
		return safejs.Value{}, err
	}
	_, err = safejs.CopyBytesToJS(array, p)
	return array, err
}

// post sends a message of one member to the page.
func post(name string, value any) error {
	_, err := self().Call("postMessage", map[string]any{name: value})
	return err
}

// progress tells the page, ten times a second at most, how far a simulated cluster is that is being made.
func progress() func(made, of int) {
	var told time.Time
	return func(made, of int) {
		if now := time.Now(); now.Sub(told) >= 100*time.Millisecond {
			told = now
			_ = post("progress", map[string]any{"stage": "first", "loaded": made, "total": of}) // the next one will do as well
		}
	}
}

// postFrame sends a frame; its memory goes to the page with it.
func postFrame(frame []byte) error {
	array, err := newBytes(frame)
	if err != nil {
		return err
	}
	buffer, err := array.Get("buffer")
	if err != nil {
		return err
	}
	_, err = self().Call("postMessage", map[string]any{"frame": buffer}, []any{buffer})
	return err
}

// answer sends what a call gave.
func answer(id int, result any, callErr error) error {
	if callErr != nil {
		_, err := self().Call("postMessage", map[string]any{"id": id, "error": callErr.Error()})
		return err
	}
	text, err := json.Marshal(result)
	if err != nil {
		return answer(id, nil, fmt.Errorf("the result cannot be sent: %w", err))
	}
	parsed, err := toJS(text)
	if err != nil {
		return answer(id, nil, err)
	}
	_, err = self().Call("postMessage", map[string]any{"id": id, "result": parsed})
	return err
}

// toJS parses JSON into a JavaScript value.
func toJS(text []byte) (safejs.Value, error) {
	j, err := self().Get("JSON")
	if err != nil {
		return safejs.Value{}, err
	}
	return j.Call("parse", string(text))
}

// fromJS writes a JavaScript value as JSON.
func fromJS(v safejs.Value) ([]byte, error) {
	j, err := self().Get("JSON")
	if err != nil {
		return nil, err
	}
	text, err := j.Call("stringify", v)
	if err != nil {
		return nil, err
	}
	if text.IsUndefined() {
		return []byte("null"), nil
	}
	s, err := text.String()
	return []byte(s), err
}
