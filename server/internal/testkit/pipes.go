package testkit

import (
	"net"
	"sync"
	"testing"
	"time"
)

// Pipes is a listener in memory. Unlike sockets it works on a test's virtual time.
type Pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// NewPipes makes a listener without connections.
func NewPipes() *Pipes { return &Pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

// Accept implements net.Listener.
func (p *Pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *Pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

// Addr implements net.Listener; there is no address to dial.
func (p *Pipes) Addr() net.Addr { return &net.UnixAddr{Name: "test", Net: "unix"} }

// Dial returns the client's end of a connection, once the listener has accepted the other.
func (p *Pipes) Dial(t *testing.T) net.Conn {
	t.Helper()
	client, server := net.Pipe()
	select {
	case p.conns <- server:
	case <-time.After(time.Hour):
		t.Fatal("the connection is not accepted")
	}
	return client
}
