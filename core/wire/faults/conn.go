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

// Dialer wraps dial with the faults of connections: while "refuse" is on, each dial fails, and "cut" cuts all connections.
func (f *Faults) Dialer(dial DialFunc) DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		f.mu.Lock()
		refuse := f.refuses
		f.mu.Unlock()
		if refuse {
			f.report(Strike{Name: "refuse", On: true, Struck: 1})
			return nil, faultError{RefusalError(network)}
		}
		inner, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		c := &conn{Conn: inner, f: f}
		f.mu.Lock()
		f.lastID++
		f.conns[c] = f.lastID
		f.mu.Unlock()
		return c, nil
	}
}

// faultError is an error that a fault made.
type faultError struct{ error }

func (e faultError) Unwrap() error { return e.error }

// IsFault reports whether a fault made an error of a connection.
func IsFault(err error) bool { return errors.As(err, new(faultError)) }

// RefusalError returns the error of a dial to a port without a listener.
func RefusalError(network string) error {
	return &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

// resetError returns the error of a read from a connection that the peer has reset.
func resetError() error {
	return faultError{&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}}
}

// errLost is the error of a read from a connection that the health check of HTTP/2 has closed. golang.org/x/net/http2 does not export it.
var errLost = faultError{errors.New("http2: client connection lost")}

// conn is a connection that can be cut: from then on it is as if the peer had reset it.
type conn struct {
	net.Conn
	f *Faults

	mu      sync.Mutex
	isReset bool
}

func (c *conn) cut() {
	c.mu.Lock()
	c.isReset = true
	c.mu.Unlock()
	_ = c.Close()
}

func (c *conn) checkReset() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.isReset
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil && c.checkReset() {
		err = resetError()
	}
	return n, err
}

func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if err != nil && c.checkReset() {
		err = faultError{&net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}}
	}
	return n, err
}

func (c *conn) Close() error {
	c.f.mu.Lock()
	delete(c.f.conns, c)
	c.f.mu.Unlock()
	return c.Conn.Close()
}
