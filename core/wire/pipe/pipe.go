// Package pipe connects a client to a server within one program: each connection is a net.Pipe. A bubble of fake time can hold both ends.
package pipe

import (
	"context"
	"net"
	"sync"

	"informerscope/core/wire/faults"
)

// Listener is a net.Listener to which Dial connects.
type Listener struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

// Listen returns a Listener. Close ends it.
func Listen() *Listener {
	return &Listener{conns: make(chan net.Conn), done: make(chan struct{})}
}

// Dial returns the client's end of a net.Pipe, and passes the server's to Accept. After Close the connection is refused.
func (l *Listener) Dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
	case <-ctx.Done():
	}
	_, _ = client.Close(), server.Close()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, faults.RefusalError("pipe")
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener. It leaves open connections alone.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr implements net.Listener.
func (l *Listener) Addr() net.Addr { return addr{} }

type addr struct{}

func (addr) Network() string { return "pipe" }
func (addr) String() string  { return "simulated.cluster" }
