package metadata

import (
	"bufio"
	"io"
)

// Form is the form of an answer.
type Form uint8

// The forms of answers.
const (
	Object Form = iota
	List
	Watch
)

// batch is how many bytes of a list are collected while no read has to wait.
const batch = 16 << 10

// Reader returns metadata, and ends with ErrNotMetadata at the first item, or event, that is not. Not safe for concurrent use.
type Reader struct {
	scanner
	form       Form
	stage      stage
	first      bool   // no item yet
	ready      []byte // whole items
	returned   int    // bytes of ready that were returned
	err        error
	seenFields struct{ kind, apiVersion bool } // fields of the list
}

// stage is a Reader's position in the document.
type stage uint8

const (
	before stage = iota // nothing was read
	fields              // in the list, before a field
	items               // in its items, before one
	after               // behind all, where nothing may come
)

// NewReader reads body, which the caller closes.
func NewReader(body io.Reader, form Form) *Reader {
	return &Reader{scanner: scanner{in: bufio.NewReaderSize(body, window)}, form: form, first: true}
}

// Verify reads the first item of a list, or all of an object, and returns an error if that is not metadata. Called before the first Read, it detects
// such an answer before anything of it is sent. For a watch it does nothing.
func (r *Reader) Verify() error {
	for r.form != Watch && r.err == nil && (r.form == Object || r.first && r.stage != after) {
		r.step()
	}
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

// Changed is how many values of annotations were removed so far.
func (r *Reader) Changed() int64 { return r.removals }

// Read implements io.Reader. It returns whole items, and each event of a watch as soon as it has been read.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for r.returned == len(r.ready) {
		if r.err != nil {
			return 0, r.err
		}
		r.ready, r.returned = r.ready[:0], 0
		r.step()
		for r.form == List && r.err == nil && len(r.ready) < batch && r.in.Buffered() > 0 {
			r.step()
		}
	}
	n := copy(p, r.ready[r.returned:])
	r.returned += n
	return n, nil
}

// step reads one more item, field or event. Its output becomes ready only once it is whole and valid.
func (r *Reader) step() {
	r.out = r.out[:0]
	var err error
	switch {
	case r.stage == after:
		err = r.end()
	case r.form == Watch:
		err = r.event()
	case r.form == Object:
		err = r.copy(anObject)
		r.stage = after
	default:
		err = r.list()
	}
	if err != nil {
		r.err = err
		return
	}
	r.ready = append(r.ready, r.out...)
}

// end checks that nothing follows.
func (r *Reader) end() error {
	switch _, err := r.peek(); err {
	case nil:
		return ErrNotMetadata
	case io.EOF:
		return io.EOF
	default:
		return truncationError(err)
	}
}

// list reads one more part of a list: a field, or an item.
func (r *Reader) list() error {
	switch r.stage {
	case before:
		if err := r.take('{'); err != nil {
			return err
		}
		r.stage = fields
		r.out = append(r.out, '{')
		return nil
	case fields:
		name, err := r.name()
		if err != nil {
			return err
		}
		r.out = append(append(append(r.out, '"'), name...), '"', ':')
		if name == "items" {
			return r.items()
		}
		field := aList.fields[name]
		if field == nil {
			return ErrNotMetadata
		}
		r.seenFields.kind = r.seenFields.kind || name == "kind"
		r.seenFields.apiVersion = r.seenFields.apiVersion || name == "apiVersion"
		if err := r.copy(field); err != nil {
			return err
		}
		return r.field()
	default:
		if err := r.copy(anItem); err != nil {
			return err
		}
		r.first = false
		more, err := r.more(']')
		if err != nil {
			return err
		}
		if more {
			r.out = append(r.out, ',')
			return nil
		}
		r.out = append(r.out, ']')
		return r.field()
	}
}

// items enters the items, or passes them if there are none.
func (r *Reader) items() error {
	c, err := r.next()
	if err != nil {
		return err
	}
	if c == 'n' {
		if err := r.copy(aText); err != nil {
			return err
		}
		return r.field()
	}
	if err := r.take('['); err != nil {
		return err
	}
	r.out = append(r.out, '[')
	r.stage = items
	if c, err = r.next(); err != nil || c != ']' {
		return err
	}
	if err := r.take(']'); err != nil {
		return err
	}
	r.out = append(r.out, ']')
	return r.field()
}

// field continues after a field of the list.
func (r *Reader) field() error {
	r.stage = fields
	more, err := r.more('}')
	switch {
	case err != nil:
		return err
	case more:
		r.out = append(r.out, ',')
		return nil
	case !r.seenFields.kind || !r.seenFields.apiVersion:
		return ErrNotMetadata
	}
	r.out = append(r.out, '}')
	r.stage = after
	return nil
}

// event reads one event of a watch.
func (r *Reader) event() error {
	if _, err := r.peek(); err == io.EOF {
		return io.EOF
	} else if err != nil {
		return truncationError(err)
	}
	kind, had := "", false
	r.out = append(r.out, '{')
	err := r.eachElement('{', '}', func() error {
		name, err := r.name()
		if err != nil {
			return err
		}
		switch {
		case name == "type" && kind == "":
			if err := r.string(true); err != nil {
				return err
			}
			if kind = string(r.piece); kind != `"ADDED"` && kind != `"MODIFIED"` && kind != `"DELETED"` && kind != `"BOOKMARK"` && kind != `"ERROR"` {
				return ErrNotMetadata
			}
			r.out = append(append(r.out, `"type":`...), kind...)
			return nil
		case name == "object" && kind != "" && !had: // API servers write the type first: metav1.WatchEvent
			had = true
			r.out = append(r.out, `,"object":`...)
			if kind == `"ERROR"` {
				return r.copy(aStatus)
			}
			return r.copy(anObject)
		}
		return ErrNotMetadata
	})
	if err == nil && !had {
		err = ErrNotMetadata
	}
	r.out = append(r.out, '}', '\n')
	return err
}
