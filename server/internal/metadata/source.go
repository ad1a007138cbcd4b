package metadata

import (
	"bufio"
	"fmt"
)

const (
	// maxText bounds a string of the output, as written; the longest is a list's continue token.
	maxText = 16 << 10
	// maxItem bounds the output of an item, or an event, which is held until its end.
	maxItem = 64 << 10
	// window is how much is read at once.
	window = 16 << 10
	// cutMark ends a string that is cut. It is not UTF-8, so no string that passes has it.
	cutMark = 0xff
)

// errTooLarge is the error of an item that cannot be held.
var errTooLarge = fmt.Errorf("%w: an object's metadata is larger than %d KiB", ErrNotMetadata, maxItem>>10)

// source reads JSON for a json.Decoder, which holds each string to its end. So that a long annotation costs little memory, source cuts a string at
// maxText bytes and marks it. It fails when the decoder holds more than maxItem.
type source struct {
	in        *bufio.Reader
	position  func() int64 // the decoder's position
	delivered int64        // bytes that the decoder has got
	inString  bool
	cut       bool // the string was cut
	length    int  // bytes of the string so far, with both quotes
	escape    int  // bytes to the end of an escape sequence
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	if s.delivered-s.position() > maxItem {
		return 0, errTooLarge
	}
	n, err := s.in.Read(p)
	kept := p[:0]
	for _, c := range p[:n] {
		if c, ok := s.filter(c); ok {
			kept = append(kept, c)
		}
	}
	s.delivered += int64(len(kept))
	return len(kept), err
}

// filter returns the byte that takes the place of c, and false if none does.
func (s *source) filter(c byte) (byte, bool) {
	s.length++
	switch {
	case !s.inString:
		s.inString, s.length, s.cut = c == '"', 2, false
	case s.escape > 0:
		if s.escape--; c == 'u' {
			s.escape = 4
		}
		return c, !s.cut
	case c == '"':
		s.inString = false
	default:
		if c == '\\' {
			s.escape = 1
		}
		if s.length > maxText {
			first := !s.cut
			s.cut = true
			return cutMark, first
		}
	}
	return c, true
}
