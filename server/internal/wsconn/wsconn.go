package wsconn

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// maxWrite is the largest message sent, so that the stall timeout measures progress and not the size of a write.
const maxWrite = 64 << 10

// closeFrameTimeout bounds how long Close may take to send the close frame.
const closeFrameTimeout = 100 * time.Millisecond

// Options configure a Conn. The zero value means the defaults named with each field.
type Options struct {
	// PingInterval is the time between keepalive pings; 20 seconds by default.
	PingInterval time.Duration
	// StallTimeout is how long the peer may neither send nor answer a ping before the connection counts as dead. It is also how long the peer may
	// take to read one message; 5 minutes by default. It is long because a busy browser, or one stopped in its debugger, does not read although it is
	// alive.
	StallTimeout time.Duration
	// MaxMessage is the largest message accepted from the peer, in bytes; 1 MiB by default.
	MaxMessage int64
	// Idle, if set, is called before each ping, and ends the connection if it returns true.
	Idle func() bool
	// OnClose, if set, is called once, when the Conn is closed from this side for any reason.
	OnClose func()
}

// Conn is a net.Conn over a WebSocket. Read and Write may each be called from any goroutine, one at a time; Close and the deadlines from any. Unlike
// with TCP, a deadline that has passed is final: a WebSocket cannot continue in the middle of a message. A write deadline holds for the writes that
// begin after it was set.
type Conn struct {
	ws      *websocket.Conn
	options Options

	readMu  sync.Mutex
	message io.Reader // the rest of the current message
	readErr error     // sticky

	writeMu sync.Mutex

	deadlineMu    sync.Mutex
	readDeadline  time.Time // the caller's; zero means none
	writeDeadline time.Time
	lastSeen      time.Time // when the peer last sent something

	stalled   atomic.Bool
	closeOnce sync.Once
	closed    chan struct{}
	pinger    sync.WaitGroup
}

var _ net.Conn = (*Conn)(nil)

// New wraps ws, which it then owns, and starts the keepalive, which Close ends.
func New(ws *websocket.Conn, options Options) *Conn {
	if options.PingInterval <= 0 {
		options.PingInterval = 20 * time.Second
	}
	if options.StallTimeout <= 0 {
		options.StallTimeout = 5 * time.Minute
	}
	if options.MaxMessage <= 0 {
		options.MaxMessage = 1 << 20
	}
	c := &Conn{ws: ws, options: options, closed: make(chan struct{})}
	ws.SetReadLimit(options.MaxMessage)
	ws.SetPongHandler(func(string) error { c.touch(); return nil })
	c.touch()
	c.pinger.Go(c.ping)
	return c
}

// Read implements net.Conn. A normal close by the peer is io.EOF; anything but binary messages is an error.
func (c *Conn) Read(p []byte) (int, error) {
	c.readMu.Lock()
	defer c.readMu.Unlock()
	if c.readErr != nil {
		return 0, c.readErr
	}
	if len(p) == 0 {
		return 0, nil
	}
	for {
		if c.message == nil {
			kind, message, err := c.ws.NextReader()
			if err != nil {
				return 0, c.failRead(err)
			}
			if kind != websocket.BinaryMessage {
				return 0, c.failRead(errors.New("websocket: got a text message, and only binary ones carry the stream"))
			}
			c.message = message
			c.touch()
		}
		n, err := c.message.Read(p)
		if err == io.EOF {
			c.message, err = nil, nil
		}
		if err != nil {
			return n, c.failRead(err)
		}
		if n > 0 {
			return n, nil
		}
	}
}

// failRead keeps the first read error, as an error of net.Conn: a WebSocket allows no read after an error.
func (c *Conn) failRead(err error) error {
	switch {
	case c.isClosed():
		err = net.ErrClosed
	case websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway, websocket.CloseNoStatusReceived):
		err = io.EOF
	default:
		c.noteStall(err)
	}
	c.readErr = err
	return err
}

// Write implements net.Conn. It blocks while the peer does not read, for at most the stall timeout a message; after an
// error the stream is broken and the Conn should be closed.
func (c *Conn) Write(p []byte) (int, error) {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	written := 0
	for written < len(p) {
		if c.isClosed() {
			return written, net.ErrClosed
		}
		chunk := p[written:min(written+maxWrite, len(p))]
		c.deadlineMu.Lock()
		deadline := earlier(c.writeDeadline, time.Now().Add(c.options.StallTimeout))
		c.deadlineMu.Unlock()
		err := c.ws.SetWriteDeadline(deadline)
		if err == nil {
			err = c.ws.WriteMessage(websocket.BinaryMessage, chunk)
		}
		if err != nil {
			if c.isClosed() {
				err = net.ErrClosed
			}
			c.noteStall(err)
			return written, err
		}
		written += len(chunk)
	}
	return written, nil
}

// Close ends the connection and the keepalive. It sends a close frame if that is possible at once. Reads and writes that wait return net.ErrClosed.
func (c *Conn) Close() error { return c.CloseWith(websocket.CloseNormalClosure, "") }

// CloseWith is Close with a close code of RFC 6455 and a reason for people, which the peer receives.
func (c *Conn) CloseWith(code int, reason string) error {
	err := net.ErrClosed
	c.closeOnce.Do(func() {
		close(c.closed)
		if c.writeMu.TryLock() { // otherwise a write is stuck, and so would be the close frame
			_ = c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), time.Now().Add(closeFrameTimeout))
			c.writeMu.Unlock()
		}
		err = c.ws.Close()
		c.pinger.Wait()
		if c.options.OnClose != nil {
			c.options.OnClose()
		}
	})
	return err
}

// Stalled reports whether the connection broke because the peer read or sent nothing for the stall timeout.
func (c *Conn) Stalled() bool { return c.stalled.Load() }

// noteStall records whether an error means that the peer was silent.
func (c *Conn) noteStall(err error) {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		c.stalled.Store(true)
	}
}

func (c *Conn) isClosed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

// ping keeps proxies from dropping the connection, and detects a peer that is gone.
func (c *Conn) ping() {
	ticker := time.NewTicker(c.options.PingInterval)
	defer ticker.Stop()
	for {
		select {
		case <-c.closed:
			return
		case <-ticker.C:
			if c.options.Idle != nil && c.options.Idle() {
				_ = c.ws.NetConn().Close()
				return
			}
			// A ping that waits behind data does not mean a dead peer; the write before it has its own limit.
			err := c.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(c.options.StallTimeout))
			var timeout net.Error
			if err != nil && !(errors.As(err, &timeout) && timeout.Timeout()) {
				// Reads and writes now fail, and the owner of the Conn closes it.
				_ = c.ws.NetConn().Close()
				return
			}
		}
	}
}

// touch records a sign of life of the peer, and extends the read deadline.
func (c *Conn) touch() {
	c.deadlineMu.Lock()
	defer c.deadlineMu.Unlock()
	c.lastSeen = time.Now()
	_ = c.ws.SetReadDeadline(earlier(c.readDeadline, c.lastSeen.Add(c.options.StallTimeout)))
}

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline implements net.Conn. Zero means none, apart from the stall timeout.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.deadlineMu.Lock()
	defer c.deadlineMu.Unlock()
	c.readDeadline = t
	return c.ws.SetReadDeadline(earlier(t, c.lastSeen.Add(c.options.StallTimeout)))
}

// SetWriteDeadline implements net.Conn. Zero means none, apart from the stall timeout.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.deadlineMu.Lock()
	defer c.deadlineMu.Unlock()
	c.writeDeadline = t
	return nil
}

// earlier returns the earlier of two times; a zero a means never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// LocalAddr implements net.Conn.
func (c *Conn) LocalAddr() net.Addr { return c.ws.LocalAddr() }

// RemoteAddr implements net.Conn.
func (c *Conn) RemoteAddr() net.Addr { return c.ws.RemoteAddr() }
