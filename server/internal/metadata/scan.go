package metadata

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

const (
	// maxText bounds a string of the output, as written; the longest is a list's continue token.
	maxText = 16 << 10
	// maxItem bounds the output of an item, or an event, which is held until its end.
	maxItem = 64 << 10
	// window is how much is read at once.
	window = 16 << 10
	// maxDepth bounds the nesting of values that are removed.
	maxDepth = 64
)

// ErrNotMetadata is the error of an answer that has more than metadata.
var ErrNotMetadata = errors.New("the API server answered with more than metadata, which is not passed on")

// scanner reads JSON and writes what a shape allows to out.
type scanner struct {
	in       *bufio.Reader
	out      []byte
	piece    []byte // the string, or the literal, that was read last
	removals int64  // removed values of annotations
}

// truncationError is the error of an answer that ends too early. It is not for the expected end of a document.
func truncationError(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("the API server's answer broke off: %w", err)
}

// peek returns the next byte that is not white space, without consuming it. Its only error besides the source's own is io.EOF.
func (s *scanner) peek() (byte, error) {
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c, s.in.UnreadByte()
		}
	}
}

// next is peek within a document.
func (s *scanner) next() (byte, error) {
	c, err := s.peek()
	if err != nil {
		return 0, truncationError(err)
	}
	return c, nil
}

// take consumes the byte want, which must be next.
func (s *scanner) take(want byte) error {
	c, err := s.next()
	if err != nil {
		return err
	}
	if c != want {
		return ErrNotMetadata
	}
	_, err = s.in.Discard(1)
	return err
}

// string reads a string, with its quotes, as written; if keep is false, it is not stored.
func (s *scanner) string(keep bool) error {
	if err := s.take('"'); err != nil {
		return err
	}
	s.piece = append(s.piece[:0], '"')
	odd := false // the text so far ends in an odd number of backslashes
	for {
		part, err := s.in.ReadSlice('"')
		if err != nil && err != bufio.ErrBufferFull {
			return truncationError(err)
		}
		if keep {
			if s.piece = append(s.piece, part...); len(s.piece) > maxText {
				return ErrNotMetadata
			}
		}
		body := part
		if err == nil {
			body = part[:len(part)-1]
		}
		run := len(body) - len(bytes.TrimRight(body, `\`))
		odd = run&1 == 1 != (odd && run == len(body))
		if err == nil {
			if !odd {
				break
			}
			odd = false
		}
	}
	if keep && !json.Valid(s.piece) {
		return ErrNotMetadata
	}
	return nil
}

// name reads a key and the colon after it.
func (s *scanner) name() (string, error) {
	if err := s.string(true); err != nil {
		return "", err
	}
	var name string
	if bytes.IndexByte(s.piece, '\\') < 0 {
		name = string(s.piece[1 : len(s.piece)-1])
	} else if json.Unmarshal(s.piece, &name) != nil {
		return "", ErrNotMetadata
	}
	return name, s.take(':')
}

// literal reads a number, true, false or null.
func (s *scanner) literal() error {
	s.piece = s.piece[:0]
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			return truncationError(err)
		}
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || c == 'E' || c == '+' || c == '-' || c == '.') {
			if err := s.in.UnreadByte(); err != nil {
				return err
			}
			break
		}
		if s.piece = append(s.piece, c); len(s.piece) > 40 {
			return ErrNotMetadata
		}
	}
	if !json.Valid(s.piece) {
		return ErrNotMetadata
	}
	return nil
}

// eachElement reads an object, or an array, and calls do for each element, which do reads.
func (s *scanner) eachElement(open, shut byte, do func() error) error {
	if err := s.take(open); err != nil {
		return err
	}
	c, err := s.next()
	if err != nil {
		return err
	}
	if c == shut {
		return s.take(shut)
	}
	for {
		if err := do(); err != nil {
			return err
		}
		more, err := s.more(shut)
		if err != nil || !more {
			return err
		}
	}
}

// more reads what follows an element: a comma, or the end.
func (s *scanner) more(shut byte) (bool, error) {
	c, err := s.next()
	if err != nil {
		return false, err
	}
	if c == shut {
		return false, s.take(shut)
	}
	return true, s.take(',')
}

// skip reads any value without storing it.
func (s *scanner) skip() error {
	var objects uint64 // which of the open brackets are braces, the innermost lowest
	depth := 0
	for {
		c, err := s.next()
		if err != nil {
			return err
		}
		switch c {
		case '{', '[':
			if depth++; depth > maxDepth {
				return ErrNotMetadata
			}
			objects <<= 1
			if c == '{' {
				objects |= 1
			}
			_, err = s.in.Discard(1)
		case '}', ']':
			if depth == 0 || (c == '}') != (objects&1 == 1) {
				return ErrNotMetadata
			}
			objects >>= 1
			depth--
			_, err = s.in.Discard(1)
		case '"':
			err = s.string(false)
		case ',', ':':
			if depth == 0 {
				return ErrNotMetadata
			}
			_, err = s.in.Discard(1)
		default:
			err = s.literal()
		}
		if err != nil || depth == 0 {
			return err
		}
	}
}

// copy reads a value and writes what its shape allows.
func (s *scanner) copy(shape *shape) error {
	c, err := s.next()
	if err != nil {
		return err
	}
	if c == 'n' && !shape.present {
		if err := s.literal(); err != nil {
			return err
		}
		return s.write(s.piece)
	}
	switch shape.form {
	case text, exact:
		if err := s.string(true); err != nil {
			return err
		}
		if shape.form == exact && string(s.piece) != `"`+shape.want+`"` {
			return ErrNotMetadata
		}
		return s.write(s.piece)
	case number, flag:
		if err := s.literal(); err != nil {
			return err
		}
		if isFlag := s.piece[0] == 't' || s.piece[0] == 'f'; isFlag != (shape.form == flag) {
			return ErrNotMetadata
		}
		return s.write(s.piece)
	case object:
		return s.object(shape)
	case list:
		first := true
		s.out = append(s.out, '[')
		err := s.eachElement('[', ']', func() error {
			s.comma(&first)
			return s.copy(shape.element)
		})
		s.out = append(s.out, ']')
		return err
	case labels, annotations:
		return s.strings(shape.form == annotations)
	}
	return s.skip()
}

func (s *scanner) object(shape *shape) error {
	first := true
	missing := len(shape.required)
	var seen [2]bool
	s.out = append(s.out, '{')
	err := s.eachElement('{', '}', func() error {
		name, err := s.name()
		if err != nil {
			return err
		}
		field := shape.fields[name]
		if field == nil {
			return ErrNotMetadata
		}
		if field.form == leftOut {
			return s.skip()
		}
		for i, required := range shape.required {
			if name == required && !seen[i] {
				seen[i] = true
				missing--
			}
		}
		s.comma(&first)
		s.out = append(append(append(s.out, '"'), name...), '"', ':')
		return s.copy(field)
	})
	if err == nil && missing > 0 {
		return ErrNotMetadata
	}
	s.out = append(s.out, '}')
	return err
}

// strings reads labels, or annotations.
func (s *scanner) strings(secret bool) error {
	first := true
	s.out = append(s.out, '{')
	err := s.eachElement('{', '}', func() error {
		if err := s.string(true); err != nil {
			return err
		}
		begin := len(s.out)
		if !first {
			s.out = append(s.out, ',')
		}
		s.out = append(append(s.out, s.piece...), ':')
		var name string
		if err := json.Unmarshal(s.piece, &name); err != nil {
			return ErrNotMetadata
		}
		if err := s.take(':'); err != nil {
			return err
		}
		if c, err := s.next(); err != nil {
			return err
		} else if c != '"' {
			return ErrNotMetadata
		}
		if !secret {
			first = false
			return s.copy(aText)
		}
		if name == initialEventsEnd {
			if err := s.string(true); err != nil {
				return err
			}
			if string(s.piece) == `"true"` {
				first = false
				return s.write(s.piece)
			}
		} else if err := s.string(false); err != nil {
			return err
		}
		s.removals++
		if !known[name] {
			s.out = s.out[:begin]
			return nil
		}
		first = false
		return s.write([]byte(`"[redacted]"`))
	})
	s.out = append(s.out, '}')
	return err
}

func (s *scanner) comma(first *bool) {
	if !*first {
		s.out = append(s.out, ',')
	}
	*first = false
}

// write appends to the held item.
func (s *scanner) write(piece []byte) error {
	if s.out = append(s.out, piece...); len(s.out) > maxItem {
		return fmt.Errorf("%w: an object's metadata is larger than %d KiB", ErrNotMetadata, maxItem>>10)
	}
	return nil
}
