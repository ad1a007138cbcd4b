package connlimit

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

const (
	// defaultGrace is enough for a new client to send its request, on a busy machine too.
	defaultGrace = 50 * time.Millisecond
	// defaultAdmitted suits an audience without a cache in front of the server.
	defaultAdmitted = 10_000
	// defaultStall suits a slow network: 64 KiB in this time are about 3 KB/s.
	defaultStall = 20 * time.Second
	// readRate is how many bytes a second are read from a connection, after a burst of readBurst. It bounds the processor time that a peer costs with
	// many small frames of any protocol: window updates, pings, requests that it resets. A page that reads 80 MB/s sends 512 KiB/s of window updates;
	// a speaker's compressed segments are smaller than that.
	readRate, readBurst = 512 << 10, 512 << 10
	// chunk is how many bytes of an answer must be sent within the stall time.
	chunk = 64 << 10
)

// Options are the limits of a Listener. All but Places have a default.
type Options struct {
	// Places is how many unknown connections may be open: those that no handler has admitted.
	Places int
	// MaxAdmitted is how many connections handlers can admit at one time; 10,000 by default. Those beyond it keep their places.
	MaxAdmitted int
	// Grace is how long a connection always keeps its place; 50 ms by default. It bounds how fast a flood of connections can evict others: Places of
	// them in this time, while the rest wait in the system's queue.
	Grace time.Duration
	// Stall is how long 64 KiB of an answer may take to be sent before the connection is closed; 20 s by default.
	Stall time.Duration
	// OnEviction, if set, is called for each connection that is closed to make room.
	OnEviction func(remote net.Addr)
}

// Listener is a net.Listener that limits unknown connections. Attach it to the http.Server that serves it. Safe for concurrent use.
type Listener struct {
	net.Listener
	options    Options
	done       chan struct{}
	placeFreed chan struct{} // receives a value when a place becomes free

	mu            sync.Mutex
	places        map[*conn]struct{} // the unknown connections
	admittedCount int                // admitted by handlers, and still open
	closed        bool
}

// New limits the connections of ln.
func New(ln net.Listener, options Options) *Listener {
	if options.Grace <= 0 {
		options.Grace = defaultGrace
	}
	if options.MaxAdmitted <= 0 {
		options.MaxAdmitted = defaultAdmitted
	}
	if options.Stall <= 0 {
		options.Stall = defaultStall
	}
	return &Listener{Listener: ln, options: options, done: make(chan struct{}), placeFreed: make(chan struct{}, 1), places: map[*conn]struct{}{}}
}

// connKey is the key of a request's connection in its context.
type connKey struct{}

// Attach makes server report the states of its connections to the listener. Call it before server.Serve, or ServeTLS.
func (l *Listener) Attach(server *http.Server) {
	server.ConnState = func(c net.Conn, state http.ConnState) {
		if c := connOf(c); c != nil {
			c.setState(state)
		}
	}
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, connOf(c))
	}
}

// Admit takes the connection of a request out of the places, so that it is not closed for others. It does nothing if as many have been admitted as
// allowed. A handler calls it for a request that has proved itself, such as by a token.
func Admit(ctx context.Context) {
	c, _ := ctx.Value(connKey{}).(*conn)
	if c == nil {
		return
	}
	l := c.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	if !c.released.Load() && l.admittedCount < l.options.MaxAdmitted {
		l.admittedCount++
		c.released.Store(true)
		c.isAdmitted = true
		c.leavePlaceLocked()
	}
}

// connOf returns the listener's connection inside one of an http.Server, which may be TLS on it.
func connOf(c net.Conn) *conn {
	for c != nil {
		if c, ok := c.(*conn); ok {
			return c
		}
		wrapper, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return nil
		}
		c = wrapper.NetConn()
	}
	return nil
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	keepLittleUnsent(accepted)
	c := &conn{Conn: accepted, listener: l, lastActive: time.Now(), readLimiter: rate.NewLimiter(readRate, readBurst)}
	for {
		l.mu.Lock()
		if l.closed {
			l.mu.Unlock()
			_ = accepted.Close()
			return nil, net.ErrClosed
		}
		if len(l.places) < l.options.Places {
			l.places[c] = struct{}{}
			l.mu.Unlock()
			return c, nil
		}
		victim, wait := l.chooseVictimLocked(time.Now())
		if victim != nil {
			delete(l.places, victim)
			l.places[c] = struct{}{}
			l.mu.Unlock()
			_ = victim.Conn.Close()
			if l.options.OnEviction != nil {
				l.options.OnEviction(victim.RemoteAddr())
			}
			return c, nil
		}
		l.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-l.placeFreed:
		case <-timer.C:
		case <-l.done:
		}
		timer.Stop()
	}
}

// chooseVictimLocked returns the connection to evict. Of those without a request in progress it is the one that has been quiet for longest. If there is none,
// it is the one whose answer has made no progress for longest. While all are in their grace it is nil, with the time until one is not.
func (l *Listener) chooseVictimLocked(now time.Time) (victim *conn, wait time.Duration) {
	wait = l.options.Grace
	for c := range l.places {
		age := now.Sub(c.lastActive)
		if age < l.options.Grace {
			wait = min(wait, l.options.Grace-age)
			continue
		}
		switch {
		case victim == nil, victim.busy && !c.busy, victim.busy == c.busy && c.lastActive.Before(victim.lastActive):
			victim = c
		}
	}
	return victim, wait
}

// Close implements net.Listener. Connections stay.
func (l *Listener) Close() error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.done)
	}
	l.mu.Unlock()
	return l.Listener.Close()
}

// UnknownCount is the number of unknown connections.
func (l *Listener) UnknownCount() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.places)
}

// conn is a connection that may have a place.
type conn struct {
	net.Conn
	listener *Listener

	// Under the listener's lock:
	lastActive time.Time // the time of its last activity
	busy       bool      // a request is being answered
	isAdmitted bool      // in admittedCount

	released atomic.Bool // it has left the places; changed under the listener's lock, and read without it by every write

	readLimiter *rate.Limiter // limits Read

	writeMu       sync.Mutex // held while the write deadline is set
	writeDeadline time.Time  // the server's own
}

// setState records the connection's state in the server.
func (c *conn) setState(state http.ConnState) {
	switch state {
	case http.StateHijacked:
		c.listener.mu.Lock()
		defer c.listener.mu.Unlock()
		c.released.Store(true)
		c.leavePlaceLocked()
	case http.StateActive, http.StateIdle:
		c.listener.mu.Lock()
		defer c.listener.mu.Unlock()
		c.busy, c.lastActive = state == http.StateActive, time.Now()
	}
}

// leavePlaceLocked gives up the connection's place.
func (c *conn) leavePlaceLocked() {
	l := c.listener
	if _, ok := l.places[c]; !ok {
		return
	}
	delete(l.places, c)
	select {
	case l.placeFreed <- struct{}{}:
	default:
	}
}

// NetConn returns the connection beneath.
func (c *conn) NetConn() net.Conn { return c.Conn }

// Close implements net.Conn.
func (c *conn) Close() error {
	c.listener.mu.Lock()
	c.leavePlaceLocked()
	if c.isAdmitted {
		c.listener.admittedCount--
		c.isAdmitted = false
	}
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// Read implements net.Conn. Bytes beyond the rate wait in the peer's system; one call waits at most for one read.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p[:min(len(p), readBurst)])
	time.Sleep(c.readLimiter.ReserveN(time.Now(), n).Delay())
	return n, err
}

// Write implements net.Conn. Each chunk must be sent within the stall time, whatever the server's deadline for the whole is.
func (c *conn) Write(p []byte) (int, error) {
	if c.released.Load() {
		return c.Conn.Write(p)
	}
	written := 0
	for {
		part := p[written:min(len(p), written+chunk)]
		if err := c.limitWrite(time.Now().Add(c.listener.options.Stall)); err != nil {
			return written, err
		}
		n, err := c.Conn.Write(part)
		written += n
		if err != nil {
			return written, err
		}
		c.listener.mu.Lock()
		c.lastActive = time.Now()
		c.listener.mu.Unlock()
		if written == len(p) {
			return written, c.limitWrite(time.Time{})
		}
	}
}

// limitWrite sets the write deadline to the server's own or to limit, whichever is earlier.
func (c *conn) limitWrite(limit time.Time) error {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	deadline := c.writeDeadline
	if !limit.IsZero() && (deadline.IsZero() || limit.Before(deadline)) {
		deadline = limit
	}
	return c.Conn.SetWriteDeadline(deadline)
}

// SetWriteDeadline implements net.Conn.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	c.writeDeadline = t
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline implements net.Conn.
func (c *conn) SetDeadline(t time.Time) error {
	if err := c.SetWriteDeadline(t); err != nil {
		return err
	}
	return c.SetReadDeadline(t)
}
