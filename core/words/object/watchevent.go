package object

import (
	"bytes"
	"errors"
	"fmt"
)

// ParseWatchEvent splits a frame of a watch stream, {"type": ..., "object": ...} with its keys in any order, into the type and the JSON of the object.
// The frame must be valid JSON from end to end. object is a view of frame; it is nil if the frame has no object or null. typ is "" if there is no type.
// Neither is an error here. Other keys are ignored.
func ParseWatchEvent(frame []byte) (typ string, object []byte, err error) {
	typ, _, at, err := scanWatchEvent(frame, false)
	if err != nil {
		return "", nil, err
	}
	if at.end == 0 || frame[at.start] == 'n' {
		return typ, nil, nil
	}
	return typ, frame[at.start:at.end:at.end], nil
}

// DecodeWatchEvent reads a frame and its object in a single pass over the bytes. The object gets its own bytes; frame can be reused at once. Unlike
// ParseWatchEvent it requires a type and an object.
func DecodeWatchEvent(frame []byte) (typ string, o *Object, err error) {
	typ, f, at, err := scanWatchEvent(frame, true)
	switch {
	case err != nil:
		return "", nil, err
	case typ == "":
		return "", nil, errors.New(`the watch event has no "type"`)
	case at.end == 0 || frame[at.start] == 'n':
		return "", nil, fmt.Errorf("the watch event of type %s has no \"object\"", typ)
	case frame[at.start] != '{':
		return "", nil, fmt.Errorf("the object of the watch event is %s, not an object", article(typeOf(frame[at.start])))
	}
	if err := f.check(frame); err != nil {
		return "", nil, fmt.Errorf("the object of the watch event: %w", err)
	}
	o = &Object{}
	o.fill(frame, &f, at)
	o.raw = bytes.Clone(o.raw)
	return typ, o, nil
}

// scanWatchEvent walks a frame and returns its type and the position of its object; if inside is set, also the positions of that object's fields.
func scanWatchEvent(frame []byte, inside bool) (typ string, f fields, object span, err error) {
	if len(frame) > maxSize {
		return "", f, span{}, fmt.Errorf("a watch event of %d bytes is more than can be read (%d)", len(frame), uint64(maxSize))
	}
	var typeAt span
	s := scanner{frame}
	_, _, err = s.document(func(key []byte, i int) (int, error) {
		switch string(key) {
		case "type":
			end, err := s.value(i, 1)
			typeAt = span{uint32(i), uint32(end)}
			return end, err
		case "object":
			var end int
			var err error
			f = fields{}
			if inside && i < len(frame) && frame[i] == '{' {
				end, err = s.object(i, 2, func(key []byte, i int) (int, error) { return f.member(&s, 2, key, i) })
			} else {
				end, err = s.value(i, 1)
			}
			object = span{uint32(i), uint32(end)}
			return end, err
		}
		return s.value(i, 1)
	})
	if err != nil {
		return "", f, span{}, err
	}
	if typeAt.end != 0 {
		switch typeOf(frame[typeAt.start]) {
		case jsonString:
			typ = sharedText(frame[typeAt.start:typeAt.end])
		case jsonNull:
		default:
			return "", f, span{}, fmt.Errorf("the type of the watch event is %s, not a string", article(typeOf(frame[typeAt.start])))
		}
	}
	return typ, f, object, nil
}
