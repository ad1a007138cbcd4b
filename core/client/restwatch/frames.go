package restwatch

import (
	"bytes"
	"fmt"
	"io"

	"informerscope/core/words/object"
)

// frameReader splits a watch stream into frames: JSON objects one after another, with any white space between and inside them.
//
// It only looks for the end of a frame, from strings, escapes and depth. It resumes where it stopped when more bytes arrive, so it looks at each byte
// once, even if a frame comes in a thousand pieces. The decoder checks that a frame is valid JSON. Input that cannot begin an object is an error at
// once, so that it does not pile up in the buffer.
type frameReader struct {
	r     io.Reader
	limit int // longest frame, in bytes

	buf        []byte // the unread part is buf[start:end]
	start, end int
	err        error // the last error of Read
	lineEnd    int   // end of the last line, including its newline

	// The state of the frame that begins at start.
	pos       int // next byte to look at
	depth     int // open objects and arrays
	inString  bool
	isEscaped bool // the byte before pos is a backslash inside a string
}

const (
	initialBuffer = 64 << 10
	// keepBuffer is the largest buffer that is kept for the next frame: one huge object must not occupy its size for the rest of the watch.
	keepBuffer = 1 << 20
)

func newFrameReader(r io.Reader, limit int) *frameReader {
	return &frameReader{r: r, limit: limit, buf: make([]byte, initialBuffer)}
}

// frameError is the error for a stream that is not a sequence of JSON objects, or for a frame that is too long.
type frameError struct{ text string }

func (e *frameError) Error() string { return e.text }

// next returns the next frame, which is valid until the next call. The error is io.EOF if the stream ended between frames, io.ErrUnexpectedEOF if it
// ended inside one, the error of Read if it failed, or a *frameError.
func (f *frameReader) next() ([]byte, error) {
	for {
		if done, err := f.scan(); err != nil {
			return nil, err
		} else if done {
			frame := f.buf[f.start:f.pos]
			f.start = f.pos
			return frame, nil
		}
		if f.err != nil {
			if f.err == io.EOF && f.start < f.end {
				return nil, io.ErrUnexpectedEOF
			}
			return nil, f.err
		}
		f.fill()
	}
}

// guess returns the next line, which is likely to be the next frame: API servers end each frame with a newline and have none inside. The guess saves one pass
// over the bytes. The caller decodes it. If it is one JSON object from end to end, the caller calls takeGuess, otherwise next. The frame is valid until then.
func (f *frameReader) guess() (frame []byte, ok bool) {
	if f.depth != 0 {
		return nil, false
	}
	for f.start < f.end && isSpace(f.buf[f.start]) {
		f.start++
	}
	n := bytes.IndexByte(f.buf[f.start:f.end], '\n')
	if n < 0 || n > f.limit {
		return nil, false
	}
	f.lineEnd = f.start + n + 1
	for n > 0 && isSpace(f.buf[f.start+n-1]) {
		n--
	}
	return f.buf[f.start : f.start+n], true
}

// takeGuess consumes the frame that guess returned.
func (f *frameReader) takeGuess() {
	f.start, f.pos = f.lineEnd, f.lineEnd
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// fill calls Read once. It makes room first: it moves the frame that has begun to the front and, if that fills more than half the buffer, doubles it.
func (f *frameReader) fill() {
	if f.start == f.end {
		f.start, f.end, f.pos = 0, 0, 0
		if len(f.buf) > keepBuffer {
			f.buf = make([]byte, initialBuffer)
		}
	}
	if f.end == len(f.buf) {
		buf := f.buf
		if f.end-f.start > len(f.buf)/2 {
			buf = make([]byte, 2*len(f.buf))
		}
		copy(buf, f.buf[f.start:f.end])
		f.buf = buf
		f.end -= f.start
		f.pos -= f.start
		f.start = 0
	}
	var n int
	n, f.err = f.r.Read(f.buf[f.end:])
	f.end += n
}

// scan continues to look for the end of the frame in the bytes that have arrived.
func (f *frameReader) scan() (done bool, err error) {
	b := f.buf[:f.end]
	if f.depth == 0 {
		for f.start < f.end && isSpace(b[f.start]) {
			f.start++
		}
		f.pos = f.start
		if f.start == f.end {
			return false, nil
		}
		if b[f.start] != '{' {
			return false, &frameError{fmt.Sprintf("a watch frame must be a JSON object, and one begins with %q", b[f.start])}
		}
		f.depth = 1
		f.pos++
	}
	i, depth, inString := f.pos, f.depth, f.inString
	if f.isEscaped && i < len(b) {
		f.isEscaped = false
		i++
	}
loop:
	for i < len(b) {
		if inString {
			if i = object.PlainEnd(b, i); i == len(b) {
				break
			}
			switch b[i] {
			case '"':
				inString = false
				i++
			case '\\':
				i += 2
				if i > len(b) {
					i = len(b)
					f.isEscaped = true
				}
			default:
				return false, &frameError{fmt.Sprintf("a string in a watch frame contains the control character %q", b[i])}
			}
			continue
		}
		switch c := b[i]; c {
		case '"':
			inString = true
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				i++
				done = true
				break loop
			}
		}
		i++
	}
	f.pos, f.depth, f.inString = i, depth, inString
	if f.pos-f.start > f.limit {
		return false, &frameError{fmt.Sprintf("a watch frame is longer than %d bytes", f.limit)}
	}
	return done, nil
}
