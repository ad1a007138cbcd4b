package h2

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const (
	// maxReady is how many bytes may wait for the connection before who makes more has to wait for them.
	maxReady = 64 << 10
	// maxAnswers is how many control frames may wait for a peer that asks for them and does not read; net/http allows 10,000.
	maxAnswers = 1000
	// maxWindow is the largest flow-control window of RFC 9113, section 6.9.1.
	maxWindow = 1<<31 - 1
	// initialWindow is the window that both sides begin with, and initialFrame the largest frame.
	initialWindow, initialFrame = 65535, 16 << 10
	// farewell is how long the last word of a connection that ends with an error may take.
	farewell = time.Second
)

// Options are what a connection is served with. All must be set.
type Options struct {
	Handler        http.Handler
	Log            *slog.Logger  // of handlers that panic
	MaxStreams     int           // how many requests may be in progress, and how many handlers may run
	MaxHeaderBytes int           // of one request, as RFC 9113 counts them
	PrefaceTimeout time.Duration // until the peer has shown that it speaks HTTP/2
	IdleTimeout    time.Duration // without any request
}

// conn is one connection. The goroutine of Serve reads; whoever has something to say writes.
type conn struct {
	net     net.Conn
	options Options
	framer  *http2.Framer // reads
	context context.Context
	running sync.WaitGroup // handlers, and what writes answers of the reader's

	mu       sync.Mutex
	err      error // why nothing more is written
	streams  map[uint32]*stream
	handlers int
	highest  uint32 // stream that the peer opened
	idle     *time.Timer

	window  int64 // of the connection, for DATA to the peer
	room    int64 // the same for DATA from the peer
	owed    int   // how much of that has been read and not given back
	initial int64 // of new streams
	frame   int   // the largest that the peer takes

	encoder *hpack.Encoder
	fields  bytes.Buffer // what the encoder wrote last

	ready    *[]byte // frames that nobody has begun to write, or nil
	made     int64   // bytes of frames, since the beginning
	gone     int64   // how many of them have been written
	writing  bool
	turn     sync.Cond // of mu: a write has ended
	answers  int       // control frames in ready
	flushing bool      // a goroutine that writes the reader's answers is under way
}

// Serve speaks HTTP/2 on nc, which it owns, until the peer leaves, is idle for too long or does what the protocol forbids. It returns when
// no handler runs any more. Closing nc ends it at once. Requests have contexts made of ctx, whose own end ends nothing here.
func Serve(ctx context.Context, nc net.Conn, options Options) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c := &conn{
		net: nc, options: options, context: ctx, streams: map[uint32]*stream{},
		window: initialWindow, room: initialWindow, initial: initialWindow, frame: initialFrame,
	}
	c.turn.L = &c.mu
	c.encoder = hpack.NewEncoder(&c.fields)
	reader := bufio.NewReader(nc)
	c.framer = http2.NewFramer(writer{c}, reader)
	c.framer.SetMaxReadFrameSize(initialFrame)
	c.framer.MaxHeaderListSize = uint32(options.MaxHeaderBytes)
	c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.idle = time.AfterFunc(options.IdleTimeout, c.leaveIdle)

	code := c.read(reader)
	c.idle.Stop()
	if code != http2.ErrCodeNo {
		_ = nc.SetWriteDeadline(time.Now().Add(farewell))
		_ = c.control(func(f *http2.Framer) error { return f.WriteGoAway(c.highest, code, nil) })
		_ = c.flush()
	}
	c.end(net.ErrClosed)
	cancel()
	_ = nc.Close()
	c.running.Wait()
}

// read takes frames until the connection ends, and says with which error of the protocol it does.
func (c *conn) read(reader *bufio.Reader) http2.ErrCode {
	_ = c.net.SetReadDeadline(time.Now().Add(c.options.PrefaceTimeout))
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(reader, preface); err != nil {
		return http2.ErrCodeNo
	}
	if string(preface) != http2.ClientPreface {
		return http2.ErrCodeProtocol
	}
	_ = c.control(func(f *http2.Framer) error {
		return f.WriteSettings(
			http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: uint32(c.options.MaxStreams)},
			http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: uint32(c.options.MaxHeaderBytes)})
	})
	for greeted := false; ; {
		frame, err := c.framer.ReadFrame()
		if err == nil && !greeted {
			if _, ok := frame.(*http2.SettingsFrame); !ok {
				return http2.ErrCodeProtocol
			}
			greeted = true
			_ = c.net.SetReadDeadline(time.Time{})
		}
		if err == nil {
			err = c.take(frame)
		}
		if err == nil {
			continue
		}
		if wrong, ok := errors.AsType[http2.StreamError](err); ok {
			c.reset(wrong.StreamID, wrong.Code)
			continue
		}
		if wrong, ok := errors.AsType[http2.ConnectionError](err); ok {
			return http2.ErrCode(wrong)
		}
		if errors.Is(err, http2.ErrFrameTooLarge) {
			return http2.ErrCodeFrameSize
		}
		return http2.ErrCodeNo // the connection broke, or nothing can be written any more
	}
}

// take does what a frame says.
func (c *conn) take(frame http2.Frame) error {
	switch f := frame.(type) {
	case *http2.MetaHeadersFrame:
		return c.open(f)
	case *http2.DataFrame:
		return c.receive(f)
	case *http2.WindowUpdateFrame:
		return c.widen(f)
	case *http2.SettingsFrame:
		return c.settings(f)
	case *http2.PingFrame:
		if !f.IsAck() {
			return c.control(func(w *http2.Framer) error { return w.WritePing(true, f.Data) })
		}
	case *http2.RSTStreamFrame:
		c.mu.Lock()
		defer c.mu.Unlock()
		if f.StreamID > c.highest || f.StreamID%2 == 0 {
			return http2.ConnectionError(http2.ErrCodeProtocol)
		}
		if st := c.streams[f.StreamID]; st != nil {
			c.forget(st, http2.StreamError{StreamID: f.StreamID, Code: f.ErrCode})
		}
	case *http2.PushPromiseFrame:
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	return nil // GOAWAY of a client, priorities, and what is not known, which RFC 9113 says to ignore
}

// settings takes the peer's.
func (c *conn) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	if f.NumSettings() > 100 || f.HasDuplicates() {
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	c.mu.Lock()
	err := f.ForeachSetting(func(s http2.Setting) error {
		if err := s.Valid(); err != nil {
			return err
		}
		switch s.ID {
		case http2.SettingHeaderTableSize:
			c.encoder.SetMaxDynamicTableSize(min(s.Val, 4096))
		case http2.SettingMaxFrameSize:
			c.frame = int(min(s.Val, maxReady))
		case http2.SettingInitialWindowSize:
			growth := int64(s.Val) - c.initial
			c.initial = int64(s.Val)
			for _, st := range c.streams {
				if st.window += growth; st.window > maxWindow {
					return http2.ConnectionError(http2.ErrCodeFlowControl)
				}
				st.stir()
			}
		}
		return nil
	})
	c.mu.Unlock()
	if err != nil {
		return err
	}
	return c.control((*http2.Framer).WriteSettingsAck)
}

// widen lets more DATA go out.
func (c *conn) widen(f *http2.WindowUpdateFrame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.StreamID == 0 {
		if c.window += int64(f.Increment); c.window > maxWindow {
			return http2.ConnectionError(http2.ErrCodeFlowControl)
		}
		for _, st := range c.streams {
			st.stir()
		}
		return nil
	}
	if f.StreamID > c.highest || f.StreamID%2 == 0 {
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	if st := c.streams[f.StreamID]; st != nil {
		if st.window += int64(f.Increment); st.window > maxWindow {
			return http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeFlowControl}
		}
		st.stir()
	}
	return nil
}

// reset ends a stream from this side.
func (c *conn) reset(id uint32, code http2.ErrCode) {
	c.mu.Lock()
	if id%2 == 1 {
		c.highest = max(c.highest, id) // one whose header was malformed
	}
	if st := c.streams[id]; st != nil {
		c.forget(st, http2.StreamError{StreamID: id, Code: code})
	}
	c.mu.Unlock()
	_ = c.control(func(w *http2.Framer) error { return w.WriteRSTStream(id, code) })
}

// forget takes a stream out, with c.mu held; its handler is told why.
func (c *conn) forget(st *stream, reason error) {
	delete(c.streams, st.id)
	c.drop(st)
	st.closed = true
	st.err = reason
	st.cancel()
	st.stir()
	if len(c.streams) == 0 {
		c.idle.Reset(c.options.IdleTimeout)
	}
}

// leaveIdle ends a connection on which nothing was asked for long.
func (c *conn) leaveIdle() {
	c.mu.Lock()
	busy := len(c.streams) > 0
	c.mu.Unlock()
	if !busy {
		_ = c.net.Close() // the reader ends with it
	}
}

// end makes every write fail from now on.
func (c *conn) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fail(err)
}

// fail is end with c.mu held.
func (c *conn) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.turn.Broadcast()
	for _, st := range c.streams {
		st.cancel()
		st.stir()
	}
}
