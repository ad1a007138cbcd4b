//go:build js && wasm

package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/hack-pad/safejs"

	"informerscope/core/wire/socket"
)

// webSocket is a browser's WebSocket, whose events go to a socket.Conn.
type webSocket struct {
	js    safejs.Value
	funcs []safejs.Func
}

// dialWebSocket opens a WebSocket as a net.Conn, which reports failures like those of a TCP connection.
func dialWebSocket(ctx context.Context, url string, protocols ...string) (net.Conn, error) {
	ctor, err := safejs.Global().Get("WebSocket")
	if err != nil {
		return nil, err
	}
	list := make([]any, len(protocols))
	for i, p := range protocols {
		list[i] = p
	}
	js, err := ctor.New(url, list)
	if err != nil {
		return nil, fmt.Errorf("open a WebSocket to the relay: %w", err)
	}
	w := &webSocket{js: js}
	if err := js.Set("binaryType", "arraybuffer"); err != nil {
		return nil, err
	}
	conn := socket.New(w)
	//maporder:free each is another property
	for name, fn := range map[string]func(safejs.Value){
		"onopen":    func(safejs.Value) { conn.OnOpen() },
		"onmessage": func(event safejs.Value) { conn.OnMessage(messageBytes(event)) },
		"onclose":   func(event safejs.Value) { w.onClose(event, conn) },
		"onerror":   func(safejs.Value) {}, // a close event always follows, with the reason
	} {
		f, err := safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
			if len(args) > 0 {
				fn(args[0])
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		w.funcs = append(w.funcs, f)
		if err := js.Set(name, f.Value()); err != nil {
			return nil, err
		}
	}
	if err := conn.WaitOpen(ctx); err != nil {
		return nil, err
	}
	return conn, nil
}

func messageBytes(event safejs.Value) ([]byte, error) {
	data, err := event.Get("data")
	if err != nil {
		return nil, err
	}
	if data.Type() == safejs.TypeString {
		return nil, errors.New("the relay sent text where bytes belong")
	}
	return bytesOf(data)
}

// bytesOf copies an ArrayBuffer.
func bytesOf(buffer safejs.Value) ([]byte, error) {
	ctor, err := safejs.Global().Get("Uint8Array")
	if err != nil {
		return nil, err
	}
	array, err := ctor.New(buffer)
	if err != nil {
		return nil, err
	}
	n, err := array.Length()
	if err != nil {
		return nil, err
	}
	out := make([]byte, n)
	_, err = safejs.CopyBytesToGo(out, array)
	return out, err
}

// onClose handles the last event.
func (w *webSocket) onClose(event safejs.Value, conn *socket.Conn) {
	code, reason := 0, ""
	if v, err := event.Get("code"); err == nil {
		code, _ = v.Int()
	}
	if v, err := event.Get("reason"); err == nil {
		reason, _ = v.String()
	}
	conn.OnClose(code, reason)
	for _, f := range w.funcs {
		f.Release()
	}
	w.funcs = nil
}

// isOpen is the readyState of a WebSocket on which messages can be sent.
const isOpen = 1

// Send implements socket.Socket. A browser drops what is sent on a WebSocket that is closing, and logs an error to its console. So Send sends nothing then;
// the close event that follows has the reason.
func (w *webSocket) Send(message []byte) error {
	state, err := w.js.Get("readyState")
	if err != nil {
		return err
	}
	if n, err := state.Int(); err != nil || n != isOpen {
		return err
	}
	array, err := newBytes(message)
	if err != nil {
		return err
	}
	_, err = w.js.Call("send", array)
	return err
}

// Close implements socket.Socket.
func (w *webSocket) Close() error {
	_, err := w.js.Call("close")
	return err
}
