package restwatch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
)

// frameReader cuts a watch stream into frames: one JSON object after another, with or without white space between and inside them.
//
// It only looks for where a frame ends, by strings, escapes and depth, and resumes where it stopped when more bytes arrive, so that a frame that comes
// in a thousand pieces is still looked at once. Whether a frame is JSON is found out by who decodes it; broken input that cannot be
// the beginning of any object is refused at once, so that it does not pile up waiting for an end.
type frameReader struct {
	r     io.Reader
	limit int // longest frame, in bytes

	buf        []byte // holds what was read; the unused part is buf[start:end]
	start, end int
	err        error // what Read said last
	taken      int   // where the last line ends, its newline included

	// The state of the frame that begins at start.
	pos      int // next byte to look at
	depth    int // open objects and arrays
	inString bool
	escaped  bool // the byte before pos is a backslash inside a string
}

const (
	initialBuffer = 64 << 10
	// keepBuffer is the largest buffer kept for the next frame: one huge object must not hold its size for the rest of the watch.
	keepBuffer = 1 << 20
)

func newFrameReader(r io.Reader, limit int) *frameReader {
	return &frameReader{r: r, limit: limit, buf: make([]byte, initialBuffer)}
}

// frameError says that the stream is not a sequence of JSON objects, or that a frame is too long.
type frameError struct{ what string }

func (e *frameError) Error() string { return e.what }

// next returns the next frame; it is good until next is called again. The error is io.EOF when the stream ended between frames,
// io.ErrUnexpectedEOF when it ended inside one, what Read returned when it failed, or a *frameError.
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

// line returns what is likely to be the next frame: API servers end each with a newline, and have none inside. It is only a guess, for one
// pass over the bytes is what it saves: whoever decodes it finds out whether it is one JSON object from end to end, calls take if it is, and next
// otherwise. It is good until then.
func (f *frameReader) line() (frame []byte, ok bool) {
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
	f.taken = f.start + n + 1
	for n > 0 && isSpace(f.buf[f.start+n-1]) {
		n--
	}
	return f.buf[f.start : f.start+n], true
}

// take makes the last line the frame that was read.
func (f *frameReader) take() {
	f.start, f.pos = f.taken, f.taken
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// fill reads once more. It makes room first, by moving the frame begun to the front and, if it fills the buffer, doubling that.
func (f *frameReader) fill() {
	if f.start == f.end {
		f.start, f.end, f.pos = 0, 0, 0
		if len(f.buf) > keepBuffer {
			f.buf = make([]byte, initialBuffer)
		}
	}
	if f.end == len(f.buf) {
		to := f.buf
		if f.end-f.start > len(f.buf)/2 {
			to = make([]byte, 2*len(f.buf))
		}
		copy(to, f.buf[f.start:f.end])
		f.buf = to
		f.end -= f.start
		f.pos -= f.start
		f.start = 0
	}
	var n int
	n, f.err = f.r.Read(f.buf[f.end:])
	f.end += n
}

// scan goes on looking for the end of the frame in the bytes there are.
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
	if f.escaped && i < len(b) {
		f.escaped = false
		i++
	}
loop:
	for i < len(b) {
		if inString {
			for i+8 <= len(b) {
				if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
					i += bits.TrailingZeros64(m) >> 3
					break
				}
				i += 8
			}
			for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
				i++
			}
			if i == len(b) {
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
					f.escaped = true
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

// special marks the first quote, backslash or control character in eight bytes of a string, by the high bit of its byte; marks above the
// lowest one may be false.
func special(w uint64) uint64 {
	const low, high = 0x0101010101010101, 0x8080808080808080
	quote := w ^ (low * '"')
	slash := w ^ (low * '\\')
	return ((quote-low)&^quote | (slash-low)&^slash | (w-low*' ')&^w) & high
}
