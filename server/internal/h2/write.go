package h2

import (
	"errors"
	"sync"

	"golang.org/x/net/http2"
)

// errNotRead is why a connection ends whose peer asks for answers and does not read them.
var errNotRead = errors.New("the peer asks for more than it reads")

// writer is where the Framer puts frames: among those that are ready. c.mu is held.
type writer struct{ c *conn }

// Write implements io.Writer.
func (w writer) Write(p []byte) (int, error) {
	w.c.add(p)
	return len(p), nil
}

// buffers are for frames that are ready. A connection has one only while there are any, so that viewers of whom nothing is heard hold none.
var buffers = sync.Pool{New: func() any { buffer := make([]byte, 0, 4<<10); return &buffer }}

// add puts bytes of a frame among those that are ready. c.mu is held.
func (c *conn) add(p []byte) {
	if c.ready == nil {
		c.ready = buffers.Get().(*[]byte)
	}
	*c.ready = append(*c.ready, p...)
	c.made += int64(len(p))
}

// flush returns when all that has been made so far has been written. What others made in the meantime goes with it: who finds nobody
// writing writes for all, and who finds somebody waits for the end of that write.
func (c *conn) flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.flushLocked()
}

func (c *conn) flushLocked() error {
	for upto := c.made; c.gone < upto && c.err == nil; {
		if c.writing {
			c.turn.Wait()
			continue
		}
		c.write()
	}
	return c.err
}

// write gives what is ready to the connection. c.mu is held, but not while the connection takes it.
func (c *conn) write() {
	c.writing = true
	for {
		frames, upto := c.ready, c.made
		c.ready, c.answers = nil, 0
		c.mu.Unlock()
		_, err := c.net.Write(*frames)
		*frames = (*frames)[:0]
		buffers.Put(frames)
		c.mu.Lock()
		c.gone = upto
		if err != nil {
			c.fail(err)
			// The reader would go on waiting for a peer that waits for answers. Closing can take a while, and c.mu is held.
			c.running.Go(func() { _ = c.net.Close() })
		}
		if c.answers == 0 || c.err != nil {
			break
		}
		// The reader has left something, and does not wait for it.
	}
	c.writing = false
	c.turn.Broadcast()
}

// control makes a frame of the reader's, which must go on reading and so waits for no write: it goes with the next one, or another
// goroutine writes it.
func (c *conn) control(answer func(*http2.Framer) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.controlLocked(answer)
}

func (c *conn) controlLocked(answer func(*http2.Framer) error) error {
	if c.err != nil {
		return c.err
	}
	if c.answers == maxAnswers {
		c.fail(errNotRead)
		return errNotRead
	}
	if err := answer(c.framer); err != nil {
		return err
	}
	c.answers++
	if !c.writing && !c.flushing {
		c.flushing = true
		c.running.Go(func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.flushing = false
			_ = c.flushLocked()
		})
	}
	return nil
}

// data makes a DATA frame, for which there is room. c.mu is held.
func (c *conn) data(id uint32, ended bool, p []byte) {
	var flags http2.Flags
	if ended {
		flags = http2.FlagDataEndStream
	}
	head := [...]byte{byte(len(p) >> 16), byte(len(p) >> 8), byte(len(p)), byte(http2.FrameData), byte(flags),
		byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id)}
	c.add(head[:])
	c.add(p)
}

// header makes the frames of a response's header. c.mu is held.
func (c *conn) header(id uint32, ended bool) error {
	block := c.fields.Bytes()
	first := block[:min(len(block), c.frame)]
	block = block[len(first):]
	err := c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: first, EndStream: ended, EndHeaders: len(block) == 0})
	for err == nil && len(block) > 0 {
		next := block[:min(len(block), c.frame)]
		block = block[len(next):]
		err = c.framer.WriteContinuation(id, len(block) == 0, next)
	}
	return err
}
