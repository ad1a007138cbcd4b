package faults

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/tidwall/gjson"

	"informerscope/core/object"
)

// watchBody stands between a watch response and its reader. A goroutine of
// its own reads the response, so that an ERROR frame can end the stream while
// nothing arrives; Close ends it.
type watchBody struct {
	f      *Faults
	src    io.ReadCloser
	closed chan struct{} // the reader is gone

	mu       sync.Mutex
	cond     sync.Cond
	buf      []byte // ready for the reader
	midFrame bool   // what was passed on so far ends inside a frame
	last     []byte // a frame to end with, once the frame that is passing is whole
	err      error  // what the reader gets after buf
	done     bool   // the reader is gone, or nothing more is to come
	line     []byte // a frame that is being looked at before it may pass
}

// maxAhead bounds what a watchBody holds for a slow reader; then it stops reading.
const maxAhead = 64 << 10

func (f *Faults) watch(src io.ReadCloser) io.ReadCloser {
	b := &watchBody{f: f, src: src, closed: make(chan struct{})}
	b.cond.L = &b.mu
	f.mu.Lock()
	f.made++
	f.bodies[b] = f.made
	f.mu.Unlock()
	go b.pump()
	return b
}

func (b *watchBody) pump() {
	chunk := make([]byte, 32<<10)
	for {
		n, err := b.src.Read(chunk)
		b.f.mu.Lock()
		delay, c := b.f.delay, b.f.clock
		filter := b.f.noBookmarks || b.f.noEndMark
		b.f.mu.Unlock()
		if delay > 0 && n > 0 {
			select {
			case <-c.After(delay):
			case <-b.closed:
			}
		}
		b.mu.Lock()
		if b.done {
			b.mu.Unlock()
			return
		}
		b.pass(chunk[:n], filter)
		if err != nil && !b.done {
			b.buf = append(b.buf, b.line...)
			b.finish(err)
		}
		for len(b.buf) > maxAhead && !b.done {
			b.cond.Broadcast()
			b.cond.Wait()
		}
		over := b.done
		b.cond.Broadcast()
		b.mu.Unlock()
		if over {
			return
		}
	}
}

// pass hands p on. An API server ends every frame with a newline, and a
// newline inside a JSON string is escaped, so a newline is a boundary.
func (b *watchBody) pass(p []byte, filter bool) {
	for len(p) > 0 && !b.done {
		end := bytes.IndexByte(p, '\n') + 1
		looking := len(b.line) > 0 || (filter && !b.midFrame)
		switch {
		case !looking && b.last == nil && !filter:
			// The common way: nothing to look at, the whole chunk passes.
			b.buf = append(b.buf, p...)
			b.midFrame = p[len(p)-1] != '\n'
			return
		case end == 0:
			if looking {
				b.line = append(b.line, p...)
			} else {
				b.buf = append(b.buf, p...)
				b.midFrame = true
			}
			return
		case looking:
			b.line = append(b.line, p[:end]...)
			if !b.withheld(b.line) {
				b.buf = append(b.buf, b.line...)
			}
			b.line = b.line[:0]
		default:
			b.buf = append(b.buf, p[:end]...)
		}
		b.midFrame = false
		p = p[end:]
		if b.last != nil {
			b.buf = append(b.buf, b.last...)
			b.finish(io.EOF)
		}
	}
}

func (b *watchBody) withheld(frame []byte) bool {
	typ, obj, err := object.ParseWatchEvent(frame)
	if err != nil || typ != "BOOKMARK" {
		return false
	}
	endMark := gjson.GetBytes(obj, `metadata.annotations.k8s\.io/initial-events-end`).String() == "true"
	b.f.mu.Lock()
	defer b.f.mu.Unlock()
	return endMark && b.f.noEndMark || !endMark && b.f.noBookmarks
}

// finish makes err what the reader gets after what is ready. mu is held.
func (b *watchBody) finish(err error) {
	b.err, b.done, b.line = err, true, nil
	b.cond.Broadcast()
	b.f.forget(b)
}

func (f *Faults) forget(b *watchBody) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.bodies, b)
}

// end ends the stream with a last frame.
func (b *watchBody) end(frame []byte) {
	b.mu.Lock()
	switch {
	case b.done:
	case b.midFrame || len(b.line) > 0:
		b.last = frame
	default:
		b.buf = append(b.buf, frame...)
		b.finish(io.EOF)
	}
	over := b.done
	b.mu.Unlock()
	if over {
		_ = b.src.Close()
	}
}

func (b *watchBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.buf) == 0 && b.err == nil {
		b.cond.Wait()
	}
	if len(b.buf) == 0 {
		return 0, b.err
	}
	n := copy(p, b.buf)
	b.buf = append(b.buf[:0], b.buf[n:]...) // a reader takes all as a rule, so the buffer serves again
	b.cond.Broadcast()
	return n, nil
}

func (b *watchBody) Close() error {
	b.mu.Lock()
	if b.err == nil {
		b.finish(http.ErrBodyReadAfterClose)
	}
	select {
	case <-b.closed:
	default:
		close(b.closed)
	}
	b.done = true
	b.buf = nil
	b.cond.Broadcast()
	b.mu.Unlock()
	return b.src.Close()
}
