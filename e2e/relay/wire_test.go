//go:build linux

package relay_test

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"
)

// wire is a proxy between a client and a server that can break as a network does. It passes bytes unread.
type wire struct {
	t      *testing.T
	addr   string
	target string

	mu      sync.Mutex
	ln      *net.TCPListener
	conns   map[net.Conn]bool // both ends of all joined connections
	joints  []*joint
	fillers []net.Conn
	thawed  chan struct{} // closed while bytes pass
}

// joint is one connection through the wire.
type joint struct{ client, server *net.TCPConn }

func newWire(t *testing.T, target string) *wire {
	t.Helper()
	w := &wire{t: t, target: target, conns: map[net.Conn]bool{}, thawed: make(chan struct{})}
	close(w.thawed)
	if err := w.listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.hole(false)
		w.mu.Lock()
		if w.ln != nil {
			_ = w.ln.Close()
		}
		w.mu.Unlock()
		w.cut()
	})
	return w
}

func (w *wire) listen(addr string) error {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.ln, w.addr = ln.(*net.TCPListener), ln.Addr().String()
	w.mu.Unlock()
	go w.accept(ln)
	return nil
}

func (w *wire) accept(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		go w.join(conn.(*net.TCPConn))
	}
}

// join carries bytes between a client and the server until one of them ends.
func (w *wire) join(client *net.TCPConn) {
	w.pass()
	conn, err := net.Dial("tcp", w.target)
	if err != nil {
		reset(client)
		return
	}
	server := conn.(*net.TCPConn)
	j := &joint{client, server}
	w.mu.Lock()
	w.conns[client], w.conns[server] = true, true
	w.joints = append(w.joints, j)
	w.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() { w.copy(server, client) })
	wg.Go(func() { w.copy(client, server) })
	wg.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, client)
	delete(w.conns, server)
}

// pass waits until the wire passes bytes.
func (w *wire) pass() {
	w.mu.Lock()
	thawed := w.thawed
	w.mu.Unlock()
	<-thawed
}

// copy passes on bytes, and the end of the connection; both wait in a hole.
func (w *wire) copy(to, from *net.TCPConn) {
	chunk := make([]byte, 64<<10)
	for {
		n, err := from.Read(chunk)
		w.pass()
		if n > 0 {
			if _, werr := to.Write(chunk[:n]); werr != nil {
				w.endSide(from)
				return
			}
		}
		if err != nil {
			w.endSide(to)
			return
		}
	}
}

// endSide ends a side whose other side has ended, unless the client must not notice.
func (w *wire) endSide(c *net.TCPConn) {
	w.mu.Lock()
	known := w.conns[c]
	w.mu.Unlock()
	if known {
		_ = c.Close()
	}
}

func reset(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}

// cut resets every connection, as a middlebox does that has lost its tables. New ones pass.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		reset(c.(*net.TCPConn))
	}
}

// end ends every connection properly, as a load balancer does that limits their age. New ones pass.
func (w *wire) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		_ = c.Close()
	}
}

// halfOpen ends the servers' side of every connection without the clients' knowledge: what they send is accepted, and nothing comes back. New
// connections pass.
func (w *wire) halfOpen() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, j := range w.joints {
		if !w.conns[j.client] {
			continue
		}
		delete(w.conns, j.client) // over leaves it open
		_ = j.server.Close()
		client := j.client
		go func() {
			_, _ = discard(client)
		}()
		w.t.Cleanup(func() { _ = client.Close() })
	}
	w.joints = nil
}

func discard(c net.Conn) (n int, err error) {
	chunk := make([]byte, 32<<10)
	for {
		m, err := c.Read(chunk)
		if n += m; err != nil {
			return n, err
		}
	}
}

// refuse ends every connection and stops listening, or listens again.
func (w *wire) refuse(on bool) {
	w.t.Helper()
	if on {
		w.mu.Lock()
		_ = w.ln.Close()
		w.ln = nil
		w.mu.Unlock()
		w.cut()
		return
	}
	if err := w.listen(w.addr); err != nil {
		w.t.Fatal(err)
	}
}

// hole makes the network a black hole: neither bytes nor ends of connections pass in any direction. A new connection is never answered, because the
// system drops its beginning when too many wait to be accepted. After the hole, what was sent arrives, as with TCP.
func (w *wire) hole(on bool) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.thawed:
		if !on {
			return
		}
		w.thawed = make(chan struct{})
	default:
		if on {
			return
		}
		for _, c := range w.fillers {
			_ = c.Close()
		}
		w.fillers = nil
		close(w.thawed)
	}
	backlog := 128
	if on {
		backlog = 0
	}
	// accept would go on: end it, and start another one on the same port.
	raw, err := w.ln.SyscallConn()
	if err != nil {
		w.t.Fatal(err)
	}
	if on {
		_ = w.ln.SetDeadline(time.Unix(1, 0)) // ends accept
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = syscall.Listen(int(fd), backlog) }); err != nil || failed != nil {
		w.t.Fatal(errors.Join(err, failed))
	}
	if !on {
		_ = w.ln.SetDeadline(time.Time{})
		go w.accept(w.ln)
		return
	}
	for range 200 {
		c, err := net.DialTimeout("tcp", w.addr, 300*time.Millisecond)
		if err != nil {
			return
		}
		w.fillers = append(w.fillers, c)
	}
	w.t.Fatal(fmt.Sprintf("%s still answers", w.addr))
}
