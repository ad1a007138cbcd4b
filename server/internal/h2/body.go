package h2

import (
	"errors"
	"io"

	"golang.org/x/net/http2"
)

// giveBack is how much of the windows has to be read until the peer is told: a quarter of what they begin with.
const giveBack = initialWindow / 4

// body is what a request carries. At most the windows' bytes of it wait here, and of all requests of a connection together no more either.
type body struct{ st *stream }

// Read implements io.Reader.
func (b body) Read(p []byte) (int, error) {
	st := b.st
	c := st.c
	for {
		c.mu.Lock()
		switch {
		case len(st.received) > 0 && len(p) > 0:
			n := copy(p, st.received)
			st.received = st.received[n:]
			c.taken(st, n)
			c.mu.Unlock()
			return n, nil
		case st.ended && st.missing > 0:
			c.mu.Unlock()
			return 0, io.ErrUnexpectedEOF
		case st.ended:
			c.mu.Unlock()
			return 0, io.EOF
		case len(p) == 0:
			c.mu.Unlock()
			return 0, nil
		}
		err := st.over()
		if err == nil && st.closed {
			err = errors.New("the request's body was closed")
		}
		c.mu.Unlock()
		if err != nil {
			return 0, err
		}
		select {
		case <-st.arrived:
		case <-st.context.Done():
		}
	}
}

// Close implements io.Closer: what is left is dropped.
func (b body) Close() error {
	b.st.c.mu.Lock()
	defer b.st.c.mu.Unlock()
	b.st.closed = true
	b.st.c.drop(b.st)
	return nil
}

// receive takes a piece of a request's body.
func (c *conn) receive(f *http2.DataFrame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	wrong := func(code http2.ErrCode) error {
		c.give(int(f.Length)) // other streams go on
		return http2.StreamError{StreamID: f.StreamID, Code: code}
	}
	if f.StreamID > c.highest || f.StreamID%2 == 0 {
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	if c.room -= int64(f.Length); c.room < 0 {
		return http2.ConnectionError(http2.ErrCodeFlowControl)
	}
	st := c.streams[f.StreamID]
	if st == nil { // it was reset, or answered before its end
		c.give(int(f.Length))
		return nil
	}
	if st.ended {
		return wrong(http2.ErrCodeStreamClosed)
	}
	if st.room -= int64(f.Length); st.room < 0 {
		return wrong(http2.ErrCodeFlowControl)
	}
	data := f.Data()
	if st.declared && int64(len(data)) > st.missing {
		return wrong(http2.ErrCodeProtocol)
	}
	if st.declared {
		st.missing -= int64(len(data))
	}
	st.ended = f.StreamEnded()
	if st.closed {
		c.give(int(f.Length))
	} else {
		st.received = append(st.received, data...)
		c.taken(st, int(f.Length)-len(data)) // padding
	}
	select {
	case st.arrived <- struct{}{}:
	default:
	}
	return nil
}

// taken gives n bytes of a stream's window back, and of the connection's. c.mu is held.
func (c *conn) taken(st *stream, n int) {
	c.give(n)
	if st.owed += n; st.owed >= giveBack && !st.ended && c.err == nil {
		owed := uint32(st.owed)
		st.room += int64(st.owed)
		st.owed = 0
		_ = c.controlLocked(func(w *http2.Framer) error { return w.WriteWindowUpdate(st.id, owed) })
	}
}

// give gives n bytes of the connection's window back. c.mu is held.
func (c *conn) give(n int) {
	if c.owed += n; c.owed >= giveBack && c.err == nil {
		owed := uint32(c.owed)
		c.room += int64(c.owed)
		c.owed = 0
		_ = c.controlLocked(func(w *http2.Framer) error { return w.WriteWindowUpdate(0, owed) })
	}
}

// drop forgets what a stream has received and nobody will read. c.mu is held.
func (c *conn) drop(st *stream) {
	c.give(len(st.received))
	st.received = nil
}
