package clusters

import (
	"bufio"
	"context"
	"net"
	"sync"
	"time"
)

const (
	// readAtOnce is how much of what has come is taken from the system in one read. TLS asks for one record after the other, and a watch's
	// event is a record.
	readAtOnce = 32 << 10
	// longestWait is how long a small write may wait, if nothing comes meanwhile.
	longestWait = 200 * time.Millisecond
	// mostWaiting is how many bytes of them may, and enoughWaiting for how many of them it is worth a system call to send them when something
	// has come: four records, which are written for some eight kilobytes that were read.
	mostWaiting   = 512
	enoughWaiting = 4 * (22 + 13)
)

// mayWait says whether a write is, by its size, a TLS record with one or two of HTTP/2's frames of 13 bytes in it, WINDOW_UPDATE or
// RST_STREAM: these ask for nothing. Records add 22 bytes in TLS 1.3, and 29 or 21 in TLS 1.2.
func mayWait(size int) bool {
	const frame = 13
	switch size {
	case 22 + frame, 22 + 2*frame, 29 + frame, 29 + 2*frame, 21 + frame, 21 + 2*frame:
		return true
	}
	return false
}

// coalescing makes connections of dial whose reads are large and whose smallest writes wait for each other. HTTP/2's client sends two
// frames of 13 bytes for every four kilobytes that it has read, each in a record and a system call of its own; with many watches on one
// connection these are as many as the events.
func coalescing(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return newCoalesced(conn), nil
	}
}

// coalesced is a net.Conn. Writes keep their order, and one that fails late is told to the next.
type coalesced struct {
	net.Conn
	reader *bufio.Reader

	mu      sync.Mutex // held while something is written
	waiting []byte
	timer   *time.Timer
	armed   bool // it fires also if what waited has gone: setting it anew would cost more
	err     error
}

func newCoalesced(conn net.Conn) *coalesced {
	c := &coalesced{Conn: conn, reader: bufio.NewReaderSize(conn, readAtOnce)}
	c.timer = time.AfterFunc(time.Hour, c.late)
	c.timer.Stop()
	return c
}

// Read implements net.Conn. When something has come there is work to do anyway, and if enough waits it goes with it.
func (c *coalesced) Read(p []byte) (int, error) {
	fresh := c.reader.Buffered() == 0
	n, err := c.reader.Read(p)
	if fresh {
		c.mu.Lock()
		if len(c.waiting) >= enoughWaiting && c.err == nil {
			_, _ = c.flush()
		}
		c.mu.Unlock()
	}
	return n, err
}

// Write implements net.Conn.
func (c *coalesced) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, c.err
	}
	waited := len(c.waiting)
	if small := mayWait(len(p)); !small && waited == 0 {
		return c.Conn.Write(p)
	} else if c.waiting = append(c.waiting, p...); small && len(c.waiting) < mostWaiting {
		if !c.armed {
			c.armed = true
			c.timer.Reset(longestWait)
		}
		return len(p), nil
	}
	n, err := c.flush()
	return max(0, min(len(p), n-waited)), err
}

// flush writes what waits. c.mu is held.
func (c *coalesced) flush() (int, error) {
	n, err := c.Conn.Write(c.waiting)
	c.waiting, c.err = c.waiting[:0], err
	return n, err
}

// late is called when something has waited for long enough.
func (c *coalesced) late() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed = false
	if len(c.waiting) > 0 && c.err == nil {
		_, _ = c.flush()
	}
}

// Close implements net.Conn. What waits is of no use to a peer that is left.
func (c *coalesced) Close() error {
	err := c.Conn.Close() // before the lock, which a write that waits for the peer may hold
	c.timer.Stop()
	return err
}
