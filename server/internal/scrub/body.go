package scrub

import (
	"bytes"
	"io"
	"strings"
)

const (
	// minBodyValue is the least length in bytes of a value that is removed from bodies: a shorter one may be an innocent part of an object.
	minBodyValue = 16
	// readSize is how much is read at once, in bytes, for a caller whose buffer is smaller than minBuffer.
	readSize, minBuffer = 32 << 10, 2 << 10
)

// echoes are the values that API servers can repeat in bodies.
type echoes struct {
	values    [][]byte // the longest first
	minBuffer int      // the smallest useful buffer: longer than the beginning of any value
}

func newEchoes(values []string) *echoes {
	e := &echoes{minBuffer: minBuffer}
	for _, value := range values {
		if len(value) >= minBodyValue && !strings.Contains(value, "\n") {
			e.values = append(e.values, []byte(value))
			e.minBuffer = max(e.minBuffer, 2*len(value))
		}
	}
	if e.values == nil {
		return nil
	}
	return e
}

// replace returns data without the values: data itself if it has none.
func (e *echoes) replace(data []byte) []byte {
	for _, value := range e.values {
		if bytes.Contains(data, value[:minBodyValue]) { // bytes looks for a short text several times faster than for a long one
			data = bytes.ReplaceAll(data, value, []byte(Mark))
		}
	}
	return data
}

// partialLen is how many bytes at the end of data may be the beginning of a value that data cuts, at most.
func (e *echoes) partialLen(data []byte) int {
	longest := 0
	for _, value := range e.values {
		for n := min(len(value)-1, len(data)); n > longest; n-- {
			if value[n-1] == data[len(data)-1] && bytes.HasSuffix(data, value[:n]) {
				longest = n
			}
		}
	}
	return longest
}

// Body removes the long values that were sent to API servers from src, because an API server may repeat them in an object or in a watch's ERROR
// event. It holds back only bytes that may be the beginning of such a value, which the end of a line never is.
func (s *Scrubber) Body(src io.ReadCloser) io.ReadCloser {
	if e := s.echoes.Load(); e != nil {
		return &body{ReadCloser: src, echoes: e}
	}
	return src
}

type body struct {
	io.ReadCloser
	echoes  *echoes
	ready   []byte // for the caller, in the body's own buffer
	partial []byte // may be the beginning of a value
	err     error
	chunk   []byte // for callers with small buffers
}

// Read implements io.Reader. Data without a value is read into p and stays there.
func (b *body) Read(p []byte) (int, error) {
	for len(b.ready) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		if len(p) == 0 {
			return 0, nil
		}
		if len(p) < b.echoes.minBuffer {
			if b.chunk == nil {
				b.chunk = make([]byte, max(readSize, b.echoes.minBuffer))
			}
			b.ready, _ = b.fill(b.chunk)
		} else if data, inPlace := b.fill(p); inPlace && len(data) > 0 {
			return len(data), nil
		} else if !inPlace {
			b.ready = data
		}
	}
	n := copy(p, b.ready)
	b.ready = b.ready[n:]
	return n, nil
}

// fill reads once, and returns the clean part of the data; inPlace reports whether that is the beginning of buffer.
func (b *body) fill(buffer []byte) (data []byte, inPlace bool) {
	n := copy(buffer, b.partial)
	b.partial = b.partial[:0]
	var read int
	read, b.err = b.ReadCloser.Read(buffer[n:])
	whole := buffer[:n+read]
	data = b.echoes.replace(whole)
	inPlace = len(data) == 0 || &data[0] == &whole[0]
	if b.err == nil {
		keep := b.echoes.partialLen(data)
		b.partial = append(b.partial, data[len(data)-keep:]...)
		data = data[:len(data)-keep]
	}
	return data, inPlace
}
