//go:build js && wasm

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hack-pad/safejs"

	"informerscope/core/lab"
	"informerscope/core/page/command"
)

// globalScope is the worker's global scope.
func globalScope() safejs.Value { return safejs.Global() }

// newBytes copies p into a new Uint8Array.
func newBytes(p []byte) (safejs.Value, error) {
	ctor, err := globalScope().Get("Uint8Array")
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
	_, err := globalScope().Call("postMessage", map[string]any{name: value})
	return err
}

// progress returns a function that reports progress to the page, at most ten times a second: see lab.Options.
func progress() func(what string, done, total int) {
	var last time.Time
	return func(what string, done, total int) {
		if now := time.Now(); now.Sub(last) >= 100*time.Millisecond {
			last = now
			_ = post("progress", map[string]any{"stage": what, "loaded": done, "total": total}) // an error does not matter: the next report will do
		}
	}
}

// postFrame sends a frame, and transfers its memory to the page.
func postFrame(frame []byte) error {
	array, err := newBytes(frame)
	if err != nil {
		return err
	}
	buffer, err := array.Get("buffer")
	if err != nil {
		return err
	}
	_, err = globalScope().Call("postMessage", map[string]any{"frame": buffer}, []any{buffer})
	return err
}

// answer sends the result of a call.
func answer(id int, result any, callErr error) error {
	if callErr != nil {
		_, err := globalScope().Call("postMessage", map[string]any{
			"id": id, "error": callErr.Error(), "superseded": errors.Is(callErr, lab.ErrSuperseded),
		})
		return err
	}
	if file, ok := result.(command.File); ok {
		return answerFile(id, file)
	}
	text, err := json.Marshal(result)
	if err != nil {
		return answer(id, nil, fmt.Errorf("the result cannot be sent: %w", err))
	}
	parsed, err := toJS(text)
	if err != nil {
		return answer(id, nil, err)
	}
	_, err = globalScope().Call("postMessage", map[string]any{"id": id, "result": parsed})
	return err
}

// partSize is the size of the pieces in which a file goes to the page.
const partSize = 1 << 20

// parts collects a file in buffers of the browser. Only the piece that is being written is in this program's memory, which never shrinks.
type parts struct {
	list []any // of ArrayBuffer
	buf  []byte
}

// Write implements io.Writer.
func (p *parts) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		k := min(len(b), partSize-len(p.buf))
		p.buf, b = append(p.buf, b[:k]...), b[k:]
		if len(p.buf) == partSize {
			if err := p.flush(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

func (p *parts) flush() error {
	if len(p.buf) == 0 {
		return nil
	}
	array, err := newBytes(p.buf)
	if err != nil {
		return err
	}
	buffer, err := array.Get("buffer")
	if err != nil {
		return err
	}
	p.list, p.buf = append(p.list, buffer), p.buf[:0]
	return nil
}

// answerFile sends a file, and transfers its memory to the page.
func answerFile(id int, file command.File) error {
	p := &parts{buf: make([]byte, 0, partSize)}
	name, err := file.Write(p)
	if err == nil {
		err = p.flush()
	}
	if err != nil {
		return answer(id, nil, err)
	}
	_, err = globalScope().Call("postMessage", map[string]any{"id": id, "result": map[string]any{"name": name, "parts": p.list}}, p.list)
	return err
}

// toJS parses JSON into a JavaScript value.
func toJS(text []byte) (safejs.Value, error) {
	j, err := globalScope().Get("JSON")
	if err != nil {
		return safejs.Value{}, err
	}
	return j.Call("parse", string(text))
}

// fromJS returns a JavaScript value as JSON.
func fromJS(v safejs.Value) ([]byte, error) {
	j, err := globalScope().Get("JSON")
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
