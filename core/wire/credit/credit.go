package credit

import (
	"encoding/binary"
	"net"
	"slices"
	"sync"
	"time"
)

const (
	// Enough is how much of a window is worth a message: a sixty-fourth of that which Go's client opens for a stream.
	Enough = 64 << 10
	// Longest is how long less than that may wait.
	Longest = time.Second
)

// What RFC 9113 says of a WINDOW_UPDATE frame (sections 4.1 and 6.9).
const (
	headerBytes = 9
	frameBytes  = headerBytes + 4
	updateType  = 8
	idMask      = 1<<31 - 1
	maxWindow   = 1<<31 - 1
)

// Conn is the client's end of a connection that speaks HTTP/2 from its first byte on. Frames keep their order, but for WINDOW_UPDATEs,
// which may come later than they were written, and one in place of several.
type Conn struct {
	net.Conn

	mu    sync.Mutex // held while something is written
	owed  []update   // one for each stream, as they came
	total uint64     // bytes of the one that is owed most
	timer *time.Timer
	armed bool
	err   error // of a write that waited
	out   []byte
}

type update struct {
	stream uint32 // 0 is the connection
	bytes  uint32
}

// New wraps conn, which it owns.
func New(conn net.Conn) *Conn {
	c := &Conn{Conn: conn}
	c.timer = time.AfterFunc(time.Hour, c.late)
	c.timer.Stop()
	return c
}

// Write implements net.Conn. What was owed goes first, and an error of giving it is the next Write's.
func (c *Conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, c.err
	}
	if !c.owe(p) {
		before := len(c.give())
		n, err := c.Conn.Write(append(c.out, p...))
		return max(0, min(len(p), n-before)), err
	}
	if c.total >= Enough {
		c.pay()
	} else if !c.armed {
		c.armed = true
		c.timer.Reset(Longest)
	}
	return len(p), c.err
}

// owe adds up p if it is nothing but whole WINDOW_UPDATE frames.
func (c *Conn) owe(p []byte) bool {
	if len(p) == 0 || len(p)%frameBytes != 0 {
		return false
	}
	for frame := range slices.Chunk(p, frameBytes) {
		if frame[0] != 0 || frame[1] != 0 || frame[2] != frameBytes-headerBytes || frame[3] != updateType || frame[4] != 0 {
			return false
		}
	}
	for frame := range slices.Chunk(p, frameBytes) {
		u := update{binary.BigEndian.Uint32(frame[5:]) & idMask, binary.BigEndian.Uint32(frame[9:]) & maxWindow}
		at := slices.IndexFunc(c.owed, func(o update) bool { return o.stream == u.stream && o.bytes <= maxWindow-u.bytes })
		if at < 0 {
			c.owed = append(c.owed, update{stream: u.stream})
			at = len(c.owed) - 1
		}
		c.owed[at].bytes += u.bytes
		c.total = max(c.total, uint64(c.owed[at].bytes))
	}
	return true
}

// give makes the frames of what is owed, which is nothing then. c.mu is held.
func (c *Conn) give() []byte {
	c.out = c.out[:0]
	for _, u := range c.owed {
		c.out = append(c.out, 0, 0, frameBytes-headerBytes, updateType, 0)
		c.out = binary.BigEndian.AppendUint32(c.out, u.stream)
		c.out = binary.BigEndian.AppendUint32(c.out, u.bytes)
	}
	c.owed, c.total = c.owed[:0], 0
	return c.out
}

// pay writes what is owed. c.mu is held.
func (c *Conn) pay() {
	if len(c.owed) > 0 && c.err == nil {
		_, c.err = c.Conn.Write(c.give())
	}
}

func (c *Conn) late() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed = false
	c.pay()
}

// Close implements net.Conn. What is owed is of no use to a peer that is left.
func (c *Conn) Close() error {
	err := c.Conn.Close() // before the lock, which a write that waits for the peer may hold
	c.timer.Stop()
	return err
}
