package controlplane

import (
	"net"
	"sync"
)

// front is a port of loopback that stays the same while API servers behind it end and start. It hands each connection to the one that serves; while
// none does, it closes the connection.
type front struct {
	net.Listener
	mu     sync.Mutex
	server *handed
	open   map[*conn]bool
	done   sync.WaitGroup
}

// newFront listens on a free port.
func newFront() (*front, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &front{Listener: ln, open: map[*conn]bool{}}
	f.done.Go(f.serve)
	return f, nil
}

func (f *front) serve() {
	for {
		raw, err := f.Accept()
		if err != nil {
			return // the listener is closed
		}
		c := &conn{Conn: raw, front: f}
		f.mu.Lock()
		server := f.server
		f.open[c] = true
		f.mu.Unlock()
		if server == nil || !server.offer(c) {
			_ = c.Close()
		}
	}
}

// point lets further connections go to a server, nil for none.
func (f *front) point(server *handed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.server = server
}

// cut closes every open connection.
func (f *front) cut() {
	f.mu.Lock()
	open := f.open
	f.open = map[*conn]bool{}
	f.mu.Unlock()
	for c := range open {
		_ = c.Close()
	}
}

// end closes the port and its connections, and returns when nothing of it runs.
func (f *front) end() {
	_ = f.Listener.Close()
	f.done.Wait()
	f.cut()
}

// conn is a connection that its front knows until it is closed.
type conn struct {
	net.Conn
	front *front
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.front.mu.Lock()
	delete(c.front.open, c)
	c.front.mu.Unlock()
	return c.Conn.Close()
}

// handed is the listener of one API server: it accepts what fronts hand to it.
type handed struct {
	address net.Addr
	conns   chan net.Conn
	closed  chan struct{}
	close   func()
}

// newHanded returns a listener that says it has this address, at which the API server reaches itself.
func newHanded(address net.Addr) *handed {
	h := &handed{address: address, conns: make(chan net.Conn), closed: make(chan struct{})}
	h.close = sync.OnceFunc(func() { close(h.closed) })
	return h
}

// offer hands over a connection, and reports whether the server took it.
func (h *handed) offer(c net.Conn) bool {
	select {
	case h.conns <- c:
		return true
	case <-h.closed:
		return false
	}
}

// Accept implements net.Listener.
func (h *handed) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (h *handed) Close() error {
	h.close()
	return nil
}

// Addr implements net.Listener.
func (h *handed) Addr() net.Addr { return h.address }
