package soak

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// hop is one of the two networks.
type hop int

const (
	pageHop     hop = iota // from pages to the relay
	upstreamHop            // from the relay to the API server
	hops
)

func (h hop) String() string { return [...]string{"page", "upstream"}[h] }

// wireBuffer is how many bytes one direction of a wire holds before a write waits, as in sockets and the network.
const wireBuffer = 128 << 10

// network is the network of a hop: its wires and their faults.
type network struct {
	hop     hop
	accepts chan net.Conn

	mu      sync.Mutex
	wires   []*wire
	dials   int
	refuses bool
	holeEnd chan struct{} // not nil while nothing passes; closed when that ends
	latency time.Duration
}

func newNetwork(h hop) *network { return &network{hop: h, accepts: make(chan net.Conn)} }

// dial makes a wire, whose other end a listener of the network accepts.
func (n *network) dial(ctx context.Context) (net.Conn, error) {
	for {
		n.mu.Lock()
		refuses, holed := n.refuses, n.holeEnd
		n.mu.Unlock()
		if refuses {
			return nil, n.dialError()
		}
		if holed == nil {
			break
		}
		select {
		case <-holed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	w := &wire{network: n}
	w.cond.L = &w.mu
	w.ends[0], w.ends[1] = &end{wire: w, side: 0}, &end{wire: w, side: 1}
	w.halves[0].spare, w.halves[1].spare = -1, -1
	n.mu.Lock()
	n.dials++
	w.name, w.latency = fmt.Sprintf("%s %d", n.hop, n.dials), n.latency
	n.wires = append(n.wires, w)
	n.mu.Unlock()
	select {
	case n.accepts <- w.ends[1]:
		return w.ends[0], nil
	case <-ctx.Done():
		w.reset()
		return nil, ctx.Err()
	case <-time.After(time.Second): // without a listener; one accepts at once
		w.reset()
		return nil, n.dialError()
	}
}

func (n *network) dialError() error {
	return &net.OpError{Op: "dial", Net: "tcp", Addr: addr(n.hop.String()), Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

// openWires are the wires that are not closed, oldest first.
func (n *network) openWires() []*wire {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.wires = slices.DeleteFunc(n.wires, (*wire).isOver)
	return slices.Clone(n.wires)
}

// hole makes the network pass nothing and accept no new wires, until fill.
func (n *network) hole() {
	n.mu.Lock()
	if n.holeEnd == nil {
		n.holeEnd = make(chan struct{})
	}
	n.mu.Unlock()
	for _, w := range n.openWires() {
		w.freeze()
	}
}

// fill ends a hole: what was sent meanwhile arrives.
func (n *network) fill() {
	n.mu.Lock()
	if n.holeEnd != nil {
		close(n.holeEnd)
		n.holeEnd = nil
	}
	n.mu.Unlock()
	for _, w := range n.openWires() {
		w.thaw()
	}
}

// slow gives every wire a latency, existing ones too.
func (n *network) slow(latency time.Duration) {
	n.mu.Lock()
	n.latency = latency
	n.mu.Unlock()
	for _, w := range n.openWires() {
		w.mu.Lock()
		w.latency = latency
		w.mu.Unlock()
	}
}

func (n *network) refuse(isRefusing bool) {
	n.mu.Lock()
	n.refuses = isRefusing
	n.mu.Unlock()
}

// listen accepts dials until the listener is closed. A network has one listener at a time.
func (n *network) listen() net.Listener {
	return &listener{network: n, done: make(chan struct{})}
}

type listener struct {
	network *network
	once    sync.Once
	done    chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case <-l.done:
		return nil, net.ErrClosed
	default:
	}
	select {
	case c := <-l.network.accepts:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *listener) Addr() net.Addr { return addr(l.network.hop.String()) }

type addr string

func (addr) Network() string  { return "tcp" }
func (a addr) String() string { return string(a) }

// wire is a TCP connection: two streams of bytes, each with a buffer.
type wire struct {
	network *network
	name    string
	ends    [2]*end

	mu      sync.Mutex
	cond    sync.Cond
	halves  [2]half // end i reads halves[i]
	frozen  bool
	lost    bool // nothing passes ever again, and an end that remains is not notified
	latency time.Duration
}

// half is one direction.
type half struct {
	packets []packet
	size    int
	spare   int // how many bytes pass until the wire is cut; negative for no limit
	err     error
}

type packet struct {
	data []byte
	at   time.Time // when it arrives
}

func reset(op string) error {
	errno := syscall.ECONNRESET
	if op == "write" {
		errno = syscall.EPIPE
	}
	return &net.OpError{Op: op, Net: "tcp", Err: os.NewSyscallError(op, errno)}
}

// reset cuts the wire: both ends get an error at once, and data on the way is lost.
func (w *wire) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cutLocked(0, 1)
}

// cutLocked resets the given ends.
func (w *wire) cutLocked(sides ...int) {
	for _, side := range sides {
		h := &w.halves[side]
		h.packets, h.size, h.err = nil, 0, reset("read")
		w.ends[side].broken = true
	}
	w.cond.Broadcast()
}

// lose resets end side only, or none if there is no such end. Nothing passes any more.
func (w *wire) lose(side int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.frozen, w.lost = true, true
	if side >= 0 {
		w.cutLocked(side)
	}
}

// cutAfter cuts the wire once n more bytes have arrived at an end.
func (w *wire) cutAfter(side, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.halves[side].spare = n
}

func (w *wire) freeze() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.frozen = true
}

// thaw delivers what was on the way.
func (w *wire) thaw() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.frozen = w.lost
	w.cond.Broadcast()
}

// isOver reports whether nothing will ever pass again.
func (w *wire) isOver() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	done := func(e *end) bool { return e.closed || e.broken }
	return done(w.ends[0]) && done(w.ends[1])
}

// isHeld reports whether the owner of an end still keeps it open.
func (w *wire) isHeld(side int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.ends[side].closed && !w.ends[side].broken
}

// end is a net.Conn.
type end struct {
	wire *wire
	side int

	// The wire's lock guards these.
	closed, broken bool
	read, write    deadline
}

type deadline struct {
	at    time.Time
	timer *time.Timer
}

func (d *deadline) hasPassed() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }

func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
	}
}

func (e *end) wake() {
	e.wire.mu.Lock()
	defer e.wire.mu.Unlock()
	e.wire.cond.Broadcast()
}

func (e *end) Read(p []byte) (int, error) {
	w := e.wire
	w.mu.Lock()
	defer w.mu.Unlock()
	h := &w.halves[e.side]
	for {
		switch now := time.Now(); {
		case e.closed:
			return 0, net.ErrClosed
		case e.broken:
			return 0, h.err
		case e.read.hasPassed():
			return 0, os.ErrDeadlineExceeded
		case w.frozen:
		case len(h.packets) > 0 && !h.packets[0].at.After(now):
			return e.takeLocked(h, p)
		case len(h.packets) > 0:
			timer := time.AfterFunc(h.packets[0].at.Sub(now), e.wake)
			w.cond.Wait()
			timer.Stop()
			continue
		case h.err != nil:
			return 0, h.err
		}
		w.cond.Wait()
	}
}

// takeLocked copies what has arrived to p, and cuts the wire when that is due.
func (e *end) takeLocked(h *half, p []byte) (int, error) {
	first := &h.packets[0]
	n := copy(p, first.data)
	if h.spare >= 0 {
		n = min(n, h.spare)
		if h.spare -= n; h.spare == 0 {
			e.wire.cutLocked(0, 1)
			return n, h.err
		}
	}
	if first.data = first.data[n:]; len(first.data) == 0 {
		h.packets = h.packets[1:]
	}
	h.size -= n
	e.wire.cond.Broadcast()
	return n, nil
}

func (e *end) Write(p []byte) (int, error) {
	w := e.wire
	w.mu.Lock()
	defer w.mu.Unlock()
	other, h := w.ends[1-e.side], &w.halves[1-e.side]
	written := 0
	for {
		switch {
		case e.closed:
			return written, net.ErrClosed
		case e.broken, other.closed && !w.frozen:
			return written, reset("write")
		case e.write.hasPassed():
			return written, os.ErrDeadlineExceeded
		case written == len(p):
			return written, nil
		case h.size < wireBuffer:
			n := min(len(p)-written, wireBuffer-h.size)
			h.packets = append(h.packets, packet{slices.Clone(p[written : written+n]), time.Now().Add(w.latency)})
			h.size += n
			written += n
			w.cond.Broadcast()
			continue
		}
		w.cond.Wait()
	}
}

func (e *end) Close() error {
	w := e.wire
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.closed {
		return net.ErrClosed
	}
	e.closed = true
	e.read.stop()
	e.write.stop()
	if h := &w.halves[1-e.side]; h.err == nil {
		h.err = io.EOF
	}
	w.cond.Broadcast()
	return nil
}

func (e *end) LocalAddr() net.Addr  { return addr(e.wire.name) }
func (e *end) RemoteAddr() net.Addr { return addr(e.wire.name) }

func (e *end) SetDeadline(t time.Time) error {
	_ = e.SetReadDeadline(t)
	return e.SetWriteDeadline(t)
}

func (e *end) SetReadDeadline(t time.Time) error  { return e.set(&e.read, t) }
func (e *end) SetWriteDeadline(t time.Time) error { return e.set(&e.write, t) }

func (e *end) set(d *deadline, t time.Time) error {
	e.wire.mu.Lock()
	defer e.wire.mu.Unlock()
	if e.closed {
		return net.ErrClosed
	}
	d.stop()
	d.timer = nil
	if d.at = t; !t.IsZero() {
		d.timer = time.AfterFunc(time.Until(t), e.wake)
	}
	e.wire.cond.Broadcast()
	return nil
}
