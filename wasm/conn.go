//go:build js && wasm

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/hack-pad/safejs"
)

// wsConn is a browser's WebSocket as a net.Conn: each Write is one binary
// message, and what arrives is one stream of bytes.
type wsConn struct {
	socket safejs.Value
	funcs  []safejs.Func
	opened chan struct{} // closed when the socket is open or failed

	mu       sync.Mutex
	cond     sync.Cond
	chunks   [][]byte
	err      error // why nothing more comes
	open     bool
	closed   bool // by us
	deadline deadline
}

// dialWebSocket opens a WebSocket. A browser does not say why one cannot be
// opened, so every failure counts as a refused connection.
func dialWebSocket(ctx context.Context, url string, protocols ...string) (net.Conn, error) {
	ctor, err := safejs.Global().Get("WebSocket")
	if err != nil {
		return nil, err
	}
	list := make([]any, len(protocols))
	for i, p := range protocols {
		list[i] = p
	}
	socket, err := ctor.New(url, list)
	if err != nil {
		return nil, fmt.Errorf("open a WebSocket to the relay: %w", err)
	}
	c := &wsConn{socket: socket, opened: make(chan struct{})}
	c.cond.L = &c.mu
	if err := socket.Set("binaryType", "arraybuffer"); err != nil {
		return nil, err
	}
	for name, fn := range map[string]func(safejs.Value){
		"onopen":    func(safejs.Value) { c.onOpen() },
		"onmessage": c.onMessage,
		"onclose":   func(event safejs.Value) { c.onClose(event) },
		"onerror":   func(safejs.Value) {}, // a close always follows, and says as much
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
		c.funcs = append(c.funcs, f)
		if err := socket.Set(name, f.Value()); err != nil {
			return nil, err
		}
	}
	select {
	case <-c.opened:
	case <-ctx.Done():
		_ = c.Close()
		return nil, ctx.Err()
	}
	c.mu.Lock()
	ok := c.open
	c.mu.Unlock()
	if !ok {
		_ = c.Close()
		return nil, &net.OpError{Op: "dial", Net: "websocket", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	return c, nil
}

func (c *wsConn) onOpen() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = true
	close(c.opened)
}

func (c *wsConn) onMessage(event safejs.Value) {
	chunk, err := messageBytes(event)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && c.err == nil {
		c.err = err
	}
	if len(chunk) > 0 {
		c.chunks = append(c.chunks, chunk)
	}
	c.cond.Broadcast()
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

func (c *wsConn) onClose(event safejs.Value) {
	code := 0
	if v, err := event.Get("code"); err == nil {
		code, _ = v.Int()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = io.EOF
		if code != 1000 && code != 1001 {
			c.err = &net.OpError{Op: "read", Net: "websocket", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
		}
	}
	select {
	case <-c.opened:
	default:
		close(c.opened)
	}
	c.cond.Broadcast()
	for _, f := range c.funcs {
		f.Release()
	}
	c.funcs = nil
}

func (c *wsConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.chunks) == 0 {
		switch {
		case c.closed:
			return 0, net.ErrClosed
		case c.err != nil:
			return 0, c.err
		case c.deadline.passed():
			return 0, os.ErrDeadlineExceeded
		}
		c.cond.Wait()
	}
	n := copy(p, c.chunks[0])
	if c.chunks[0] = c.chunks[0][n:]; len(c.chunks[0]) == 0 {
		c.chunks[0] = nil
		c.chunks = c.chunks[1:]
	}
	return n, nil
}

func (c *wsConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	closed, err := c.closed, c.err
	c.mu.Unlock()
	if closed {
		return 0, net.ErrClosed
	}
	if err != nil {
		return 0, &net.OpError{Op: "write", Net: "websocket", Err: os.NewSyscallError("write", syscall.EPIPE)}
	}
	array, err := newBytes(p)
	if err != nil {
		return 0, err
	}
	if _, err := c.socket.Call("send", array); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (c *wsConn) Close() error {
	c.mu.Lock()
	already := c.closed
	c.closed = true
	c.cond.Broadcast()
	c.mu.Unlock()
	if already {
		return nil
	}
	_, err := c.socket.Call("close")
	return err
}

// A browser keeps no addresses for a WebSocket.
func (c *wsConn) LocalAddr() net.Addr  { return wsAddr{} }
func (c *wsConn) RemoteAddr() net.Addr { return wsAddr{} }

func (c *wsConn) SetDeadline(t time.Time) error {
	return c.SetReadDeadline(t)
}

func (c *wsConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline.set(t, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.cond.Broadcast()
	})
	c.cond.Broadcast()
	return nil
}

// SetWriteDeadline does nothing: a browser's send never waits.
func (c *wsConn) SetWriteDeadline(time.Time) error { return nil }

// deadline is a moment that may be moved; its owner's lock guards it.
type deadline struct {
	at    time.Time
	timer *time.Timer
}

func (d *deadline) set(t time.Time, wake func()) {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	if d.at = t; !t.IsZero() {
		d.timer = time.AfterFunc(time.Until(t), wake)
	}
}

func (d *deadline) passed() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }

type wsAddr struct{}

func (wsAddr) Network() string { return "websocket" }
func (wsAddr) String() string  { return "relay" }
