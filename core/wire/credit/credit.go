package credit

import (
	"net"
	"slices"
	"sync"
	"time"
)

const (
	// maxHeld is how many bytes of updates are held back: 32 updates, each worth four kilobytes at least.
	maxHeld = 32 * frameBytes
	// maxWait is how long they are held back.
	maxWait = time.Second
	// A WINDOW_UPDATE frame has 13 bytes, of which 4 are its payload (RFC 9113, sections 4.1 and 6.9).
	frameBytes   = 13
	payloadBytes = 4
	updateType   = 8
)

// Conn is the client's end of a connection that speaks HTTP/2 from its first byte on. It writes all frames, in their order; WINDOW_UPDATEs may wait for
// the frames that follow them.
type Conn struct {
	net.Conn

	mu    sync.Mutex // guards all below, and writes
	held  []byte
	timer *time.Timer
	err   error // of the last write
}

// New wraps conn, which it owns.
func New(conn net.Conn) *Conn {
	c := &Conn{Conn: conn}
	c.timer = time.AfterFunc(maxWait, c.flush)
	c.timer.Stop()
	return c
}

// Write implements net.Conn. An error of writing what was held back is the next Write's.
func (c *Conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.held) == 0 {
		c.timer.Reset(maxWait)
	}
	c.held = append(c.held, p...)
	if !isUpdates(p) || len(c.held) >= maxHeld {
		c.flushLocked()
	}
	if c.err != nil {
		return 0, c.err
	}
	return len(p), nil
}

// isUpdates reports whether p is nothing but whole WINDOW_UPDATE frames.
func isUpdates(p []byte) bool {
	if len(p)%frameBytes != 0 {
		return false
	}
	for frame := range slices.Chunk(p, frameBytes) {
		if frame[0] != 0 || frame[1] != 0 || frame[2] != payloadBytes || frame[3] != updateType {
			return false
		}
	}
	return true
}

func (c *Conn) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flushLocked()
}

// flushLocked writes what is held back.
func (c *Conn) flushLocked() {
	c.timer.Stop()
	if len(c.held) > 0 && c.err == nil {
		_, c.err = c.Conn.Write(c.held)
	}
	c.held = c.held[:0]
}

// Close implements net.Conn. What is held back is of no use to a peer that is left.
func (c *Conn) Close() error {
	err := c.Conn.Close() // before the lock, which a write that waits for the peer may hold
	c.timer.Stop()
	return err
}
