package socket

import (
	"context"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// The close codes of RFC 6455 that are an orderly end.
const (
	closeNormal    = 1000
	closeGoingAway = 1001
)

// Socket is what a Conn needs of a WebSocket.
type Socket interface {
	// Send sends one binary message. It does not wait for anybody, and keeps no hold of the message.
	Send(message []byte) error
	// Close begins to close the WebSocket; Conn.OnClose is to be called once that is done.
	Close() error
}

// Conn is a WebSocket as a net.Conn: each Write is one binary message, and what arrives is one stream of bytes. The owner of the WebSocket calls
// OnOpen, OnMessage and OnClose as its events come, one at a time.
type Conn struct {
	socket Socket
	ready  chan struct{} // closed when the socket is open or failed

	mu       sync.Mutex
	cond     sync.Cond
	chunks   [][]byte
	err      error // why nothing more comes
	open     bool
	closed   bool // by us
	deadline deadline
}

var _ net.Conn = (*Conn)(nil)

// New returns the connection of a WebSocket that is being opened.
func New(s Socket) *Conn {
	c := &Conn{socket: s, ready: make(chan struct{})}
	c.cond.L = &c.mu
	return c
}

// WaitOpen waits until the WebSocket is open. A browser gives no reason when it cannot open a WebSocket, so every failure counts as a refused
// connection. A WebSocket that the other side opens only to close it with a code gives its reason in the first Read.
func (c *Conn) WaitOpen(ctx context.Context) error {
	select {
	case <-c.ready:
	case <-ctx.Done():
		_ = c.Close()
		return ctx.Err()
	}
	c.mu.Lock()
	ok := c.open
	c.mu.Unlock()
	if !ok {
		_ = c.Close()
		return &net.OpError{Op: "dial", Net: "websocket", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	return nil
}

// OnOpen notes that the WebSocket is open.
func (c *Conn) OnOpen() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = true
	close(c.ready)
}

// OnMessage takes a message, which belongs to the Conn from here on, or why it cannot be read.
func (c *Conn) OnMessage(message []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && c.err == nil {
		c.err = err
	}
	if len(message) > 0 {
		c.chunks = append(c.chunks, message)
	}
	c.cond.Broadcast()
}

// OnClose notes that the WebSocket is closed, or could not be opened.
func (c *Conn) OnClose(code int, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = io.EOF
		if code != closeNormal && code != closeGoingAway {
			c.err = &CloseError{Code: code, Reason: reason,
				Err: &net.OpError{Op: "read", Net: "websocket", Err: os.NewSyscallError("read", syscall.ECONNRESET)}}
		}
	}
	select {
	case <-c.ready:
	default:
		close(c.ready)
	}
	c.cond.Broadcast()
}

// Read implements net.Conn.
func (c *Conn) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.chunks) == 0 {
		switch {
		case c.closed:
			return 0, net.ErrClosed
		case c.err != nil:
			return 0, c.err
		case c.deadline.hasPassed():
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

// Write implements net.Conn. It never waits.
func (c *Conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	closed, err := c.closed, c.err
	c.mu.Unlock()
	if closed {
		return 0, net.ErrClosed
	}
	if err != nil {
		return 0, &net.OpError{Op: "write", Net: "websocket", Err: os.NewSyscallError("write", syscall.EPIPE)}
	}
	if err := c.socket.Send(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	c.mu.Lock()
	already := c.closed
	c.closed = true
	c.cond.Broadcast()
	c.mu.Unlock()
	if already {
		return nil
	}
	return c.socket.Close()
}

// LocalAddr implements net.Conn. A browser keeps no addresses for a WebSocket.
func (c *Conn) LocalAddr() net.Addr { return addr{} }

// RemoteAddr implements net.Conn.
func (c *Conn) RemoteAddr() net.Addr { return addr{} }

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error {
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

// SetWriteDeadline implements net.Conn. It does nothing, for a Write never waits.
func (c *Conn) SetWriteDeadline(time.Time) error { return nil }

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

func (d *deadline) hasPassed() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }

type addr struct{}

func (addr) Network() string { return "websocket" }
func (addr) String() string  { return "relay" }

// CloseError is how the other side closed a WebSocket, where that was no orderly end.
type CloseError struct {
	Code   int
	Reason string
	Err    error // as a client with a road of its own would have seen it
}

// Error implements error.
func (e *CloseError) Error() string { return e.Err.Error() }

// Unwrap gives the error of the connection.
func (e *CloseError) Unwrap() error { return e.Err }
