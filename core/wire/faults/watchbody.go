package faults

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/tidwall/gjson"
	"k8s.io/utils/clock"

	"informerscope/core/words/object"
)

// watchBody is the body of a watch response with faults. Its goroutine reads the response, so that an ERROR frame can end the stream while nothing
// arrives. Close ends the goroutine.
type watchBody struct {
	f    *Faults
	src  io.ReadCloser
	quit chan struct{} // closed when the reader closes the body

	mu        sync.Mutex
	cond      sync.Cond
	buf       []byte // ready for the reader
	midFrame  bool   // the bytes passed on so far end inside a frame
	lastFrame []byte // the frame that ends the stream, once the current frame is whole
	err       error  // the error that the reader gets after buf
	isDone    bool   // the reader has closed the body, or the stream has ended
	line      []byte // the start of a frame that is held back until it is whole, to decide whether it passes
}

// maxAhead bounds the bytes that a watchBody holds for a slow reader; beyond it the watchBody stops reading.
const maxAhead = 64 << 10

func (f *Faults) watch(src io.ReadCloser) io.ReadCloser {
	b := &watchBody{f: f, src: src, quit: make(chan struct{})}
	b.cond.L = &b.mu
	f.mu.Lock()
	f.lastID++
	f.bodies[b] = f.lastID
	f.lastRead = f.clock.Now()
	f.mu.Unlock()
	go b.pump()
	return b
}

func (b *watchBody) pump() {
	chunk := make([]byte, 32<<10)
	for {
		n, err := b.src.Read(chunk)
		b.f.mu.Lock()
		if b.f.isSilentLocked(b) {
			silence := b.f.silence
			b.f.mu.Unlock()
			select {
			case <-silence:
			case <-b.quit:
				return
			}
			b.f.mu.Lock()
		}
		delay, c := b.f.delay, b.f.clock
		b.f.lastRead = c.Now()
		filter := b.f.noBookmarks || b.f.noEndMark
		b.f.mu.Unlock()
		if delay > 0 && n > 0 {
			select {
			case <-c.After(delay):
			case <-b.quit:
			}
		}
		b.mu.Lock()
		if b.isDone {
			b.mu.Unlock()
			return
		}
		b.pass(chunk[:n], filter)
		if err != nil && !b.isDone {
			b.buf = append(b.buf, b.line...)
			b.finishLocked(err)
		}
		for len(b.buf) > maxAhead && !b.isDone {
			b.cond.Broadcast()
			b.cond.Wait()
		}
		isDone := b.isDone
		b.cond.Broadcast()
		b.mu.Unlock()
		if isDone {
			return
		}
	}
}

// loseAfter ends the stream when t fires, unless its connection is silent no more.
func (b *watchBody) loseAfter(t clock.Timer, silence <-chan struct{}) {
	defer t.Stop()
	select {
	case <-t.C():
		b.fail(errLost)
	case <-silence:
	case <-b.quit:
	}
}

// fail ends the stream with an error, also inside a frame.
func (b *watchBody) fail(err error) {
	b.mu.Lock()
	if !b.isDone {
		b.finishLocked(err)
	}
	b.mu.Unlock()
}

// pass passes p on. An API server ends every frame with a newline, and a
// newline inside a JSON string is escaped, so a newline is a boundary.
func (b *watchBody) pass(p []byte, filter bool) {
	for len(p) > 0 && !b.isDone {
		end := bytes.IndexByte(p, '\n') + 1
		looking := len(b.line) > 0 || (filter && !b.midFrame)
		switch {
		case !looking && b.lastFrame == nil && !filter:
			// In the common case no frame must be examined, and the whole chunk passes.
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
			if !b.withholds(b.line) {
				b.buf = append(b.buf, b.line...)
			}
			b.line = b.line[:0]
		default:
			b.buf = append(b.buf, p[:end]...)
		}
		b.midFrame = false
		p = p[end:]
		if b.lastFrame != nil {
			b.buf = append(b.buf, b.lastFrame...)
			b.finishLocked(io.EOF)
		}
	}
}

// withholds reports whether a fault drops a frame: a bookmark.
func (b *watchBody) withholds(frame []byte) bool {
	typ, obj, err := object.ParseWatchEvent(frame)
	if err != nil || typ != "BOOKMARK" {
		return false
	}
	endMark := gjson.GetBytes(obj, `metadata.annotations.k8s\.io/initial-events-end`).String() == "true"
	b.f.mu.Lock()
	defer b.f.mu.Unlock()
	return endMark && b.f.noEndMark || !endMark && b.f.noBookmarks
}

// finishLocked ends the stream: after buf the reader gets err.
func (b *watchBody) finishLocked(err error) {
	b.err, b.isDone, b.line = err, true, nil
	b.cond.Broadcast()
	b.f.forget(b)
}

func (f *Faults) forget(b *watchBody) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.bodies, b)
	delete(f.silent, b)
}

// end ends the stream with a last frame.
func (b *watchBody) end(frame []byte) {
	b.mu.Lock()
	switch {
	case b.isDone:
	case b.midFrame || len(b.line) > 0:
		b.lastFrame = frame
	default:
		b.buf = append(b.buf, frame...)
		b.finishLocked(io.EOF)
	}
	isDone := b.isDone
	b.mu.Unlock()
	if isDone {
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
	b.buf = append(b.buf[:0], b.buf[n:]...) // a reader usually takes everything, so the buffer is reused
	b.cond.Broadcast()
	return n, nil
}

func (b *watchBody) Close() error {
	b.mu.Lock()
	if b.err == nil {
		b.finishLocked(http.ErrBodyReadAfterClose)
	}
	select {
	case <-b.quit:
	default:
		close(b.quit)
	}
	b.isDone = true
	b.buf = nil
	b.cond.Broadcast()
	b.mu.Unlock()
	return b.src.Close()
}
