package faults

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
)

// DialFunc opens a connection, as http.Transport.DialContext does.
type DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// Dialer wraps dial with the faults of connections: while "refuse" is on nothing is dialed, and "cut" breaks what was.
func (f *Faults) Dialer(dial DialFunc) DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		f.mu.Lock()
		refuse := f.refuse
		f.mu.Unlock()
		if refuse {
			f.say(Strike{Name: "refuse", On: true, Struck: 1})
			return nil, ownError{Refused(network)}
		}
		inner, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		c := &conn{Conn: inner, f: f}
		f.mu.Lock()
		f.made++
		f.conns[c] = f.made
		f.mu.Unlock()
		return c, nil
	}
}

// ownError is an error that a fault made.
type ownError struct{ error }

func (e ownError) Unwrap() error { return e.error }

// Made reports whether a fault made an error of a connection.
func Made(err error) bool { return errors.As(err, new(ownError)) }

// Refused is the error of a dial to a port without a listener.
func Refused(network string) error {
	return &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

// conn is a connection that can be cut: from then on it is as if the peer had reset it.
type conn struct {
	net.Conn
	f *Faults

	mu    sync.Mutex
	reset bool
}

func (c *conn) cut() {
	c.mu.Lock()
	c.reset = true
	c.mu.Unlock()
	_ = c.Close()
}

func (c *conn) wasReset() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reset
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil && c.wasReset() {
		err = ownError{&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}}
	}
	return n, err
}

func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if err != nil && c.wasReset() {
		err = ownError{&net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}}
	}
	return n, err
}

func (c *conn) Close() error {
	c.f.mu.Lock()
	delete(c.f.conns, c)
	c.f.mu.Unlock()
	return c.Conn.Close()
}
