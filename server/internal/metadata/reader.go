package metadata

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	strictjson "sigs.k8s.io/json"
)

// Form is the form of an answer.
type Form uint8

// The forms of answers.
const (
	Object Form = iota
	List
	Watch
)

const (
	// batch is how many bytes of a list are collected while no read has to wait.
	batch = 16 << 10
	// maxDepth bounds the nesting of values that are removed.
	maxDepth = 64
)

var (
	objectType = metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: "meta.k8s.io/v1"}
	listType   = metav1.TypeMeta{Kind: "PartialObjectMetadataList", APIVersion: "meta.k8s.io/v1"}
	statusType = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
)

// ErrNotMetadata is the error of an answer that has more than metadata.
var ErrNotMetadata = errors.New("the API server answered with more than metadata, which is not passed on")

// Reader returns metadata, and ends with ErrNotMetadata at the first item, or event, that is not. Not safe for concurrent use.
type Reader struct {
	source   *source
	json     *json.Decoder
	form     Form
	out      []byte
	ready    int  // bytes of out that are whole and valid
	returned int  // bytes of out that were returned
	comma    bool // a comma precedes the next element of out
	err      error
	removals int64 // removed values of annotations

	keys    map[string]bool // of the list, so far; nil before it
	inItems bool
	hasItem bool // an item was read
	whole   bool // the object, or list, was read to its end
}

// NewReader reads body, which the caller closes.
func NewReader(body io.Reader, form Form) *Reader {
	in := &source{in: bufio.NewReaderSize(body, window)}
	r := &Reader{source: in, json: json.NewDecoder(in), form: form}
	in.position = r.json.InputOffset
	r.json.UseNumber()
	return r
}

// Verify reads the first item of a list, or all of an object, and returns an error if that is not metadata. Called before the first Read, it detects
// such an answer before anything of it is sent. For a watch it does nothing.
func (r *Reader) Verify() error {
	for r.form != Watch && r.err == nil && (r.form == Object || !r.hasItem && !r.whole) {
		r.step()
	}
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

// Count is how many values of annotations were removed so far.
func (r *Reader) Count() int64 { return r.removals }

// Read implements io.Reader. It returns whole items, and each event of a watch as soon as it has been read.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for r.returned == r.ready {
		if r.err != nil {
			return 0, r.err
		}
		r.out, r.ready, r.returned = r.out[:0], 0, 0
		r.step()
		for r.form == List && r.err == nil && r.ready < batch && r.json.InputOffset() < r.source.delivered {
			r.step()
		}
	}
	n := copy(p, r.out[r.returned:r.ready])
	r.returned += n
	return n, nil
}

// step reads one more item, field or event.
func (r *Reader) step() {
	var err error
	switch mayEnd := r.whole || r.form == Watch; {
	case mayEnd && !r.json.More():
		if _, err = r.json.Token(); err == io.EOF {
			r.err = io.EOF
			return
		}
	case r.whole:
		err = ErrNotMetadata
	case r.form == Watch:
		err = r.copyEvent()
	case r.form == Object:
		r.whole = true
		err = r.copyMetadata(metav1.TypeMeta{})
	default:
		err = r.copyListPart()
	}
	if err == nil {
		r.ready = len(r.out)
		return
	}
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		err = ErrNotMetadata
	} else if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if !errors.Is(err, ErrNotMetadata) {
		err = fmt.Errorf("the API server's answer broke off: %w", err)
	}
	r.err = err
}

// copyListPart copies the list's begin, a field, the begin of the items, an item, their end, or the list's.
func (r *Reader) copyListPart() error {
	if r.inItems && r.json.More() {
		r.separate()
		r.hasItem = true
		return r.copyMetadata(objectType) // the list names the kind of its items
	}
	token, err := r.json.Token()
	if err != nil {
		return err
	}
	key, isKey := token.(string)
	switch {
	case r.inItems:
		r.inItems = false
		r.close(']')
	case r.keys == nil:
		r.keys = map[string]bool{}
		if token != json.Delim('{') {
			return ErrNotMetadata
		}
		r.open('{')
	case !isKey:
		r.whole = true
		r.close('}')
		if !r.keys["kind"] || !r.keys["apiVersion"] {
			return ErrNotMetadata
		}
	case r.keys[key]:
		return ErrNotMetadata
	default:
		r.keys[key] = true
		return r.copyListField(key)
	}
	return nil
}

// copyListField copies a field of the list. Of the items it copies the begin.
func (r *Reader) copyListField(key string) error {
	begin := len(r.out)
	r.writeKey(key)
	if key != "items" {
		if err := r.copyValue(); err != nil {
			return err
		}
		list := metav1.PartialObjectMetadataList{TypeMeta: listType}
		return decode(fmt.Appendf(nil, "{%s}", bytes.TrimPrefix(r.out[begin:], []byte{','})), &list, &list.TypeMeta, listType)
	}
	switch token, err := r.json.Token(); {
	case err != nil:
		return err
	case token == nil:
		r.out = append(r.out, "null"...)
	case token == json.Delim('['):
		r.inItems = true
		r.open('[')
	default:
		return ErrNotMetadata
	}
	return nil
}

// copyEvent copies one event of a watch. API servers write its type first: metav1.WatchEvent.
func (r *Reader) copyEvent() error {
	kind, hasObject := "", false
	err := r.copyObject(func(key string) error {
		r.writeKey(key)
		begin := len(r.out)
		switch {
		case key == "type" && kind == "":
			if err := r.copyValue(); err != nil {
				return err
			}
			switch kind = string(r.out[begin:]); kind {
			case `"ADDED"`, `"MODIFIED"`, `"DELETED"`, `"BOOKMARK"`, `"ERROR"`:
				return nil
			}
		case key == "object" && kind == `"ERROR"` && !hasObject:
			hasObject = true
			if err := r.copyValue(); err != nil {
				return err
			}
			status := metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: statusType.APIVersion}}
			return decode(r.out[begin:], &status, &status.TypeMeta, statusType)
		case key == "object" && kind != "" && !hasObject:
			hasObject = true
			return r.copyMetadata(metav1.TypeMeta{})
		}
		return ErrNotMetadata
	})
	if err == nil && !hasObject {
		err = ErrNotMetadata
	}
	r.out, r.comma = append(r.out, '\n'), false
	return err
}

// copyMetadata copies one PartialObjectMetadata. A kind or apiVersion that it lacks is taken from base.
func (r *Reader) copyMetadata(base metav1.TypeMeta) error {
	begin := len(r.out)
	err := r.copyObject(func(key string) error {
		r.writeKey(key)
		if key != "metadata" {
			return r.copyValue()
		}
		return r.copyObject(func(key string) error {
			switch key {
			case "managedFields":
				return r.skipValue()
			case "annotations":
				r.writeKey(key)
				return r.copyObject(r.copyAnnotation)
			}
			r.writeKey(key)
			return r.copyValue()
		})
	})
	if err != nil {
		return err
	}
	object := metav1.PartialObjectMetadata{TypeMeta: base}
	return decode(r.out[begin:], &object, &object.TypeMeta, objectType)
}

// copyAnnotation copies a known key without its value.
func (r *Reader) copyAnnotation(key string) error {
	token, err := r.json.Token()
	if err != nil {
		return err
	}
	value, isString := token.(string)
	switch {
	case !isString:
		return ErrNotMetadata
	case key == initialEventsEnd && value == "true":
		r.writeKey(key)
		r.out = append(r.out, `"true"`...)
		return nil
	case knownKeys[key]:
		r.writeKey(key)
		r.out = append(r.out, `"[redacted]"`...)
	}
	r.removals++
	return nil
}

// copyObject copies an object, or null. It calls copyField with each key, which writes the key and copies the value, or skips it.
func (r *Reader) copyObject(copyField func(key string) error) error {
	switch token, err := r.json.Token(); {
	case err != nil:
		return err
	case token == nil:
		r.out = append(r.out, "null"...)
		return nil
	case token != json.Delim('{'):
		return ErrNotMetadata
	}
	r.open('{')
	for {
		token, err := r.json.Token()
		if err != nil {
			return err
		}
		key, isKey := token.(string)
		if !isKey {
			r.close('}')
			return nil
		}
		if err := copyField(key); err != nil {
			return err
		}
		if len(r.out)-r.ready > maxItem {
			return errTooLarge
		}
	}
}

// copyValue copies any value, on one line, since an event of a watch is a line.
func (r *Reader) copyValue() error {
	var value json.RawMessage
	if err := r.json.Decode(&value); err != nil {
		return err
	}
	out := bytes.NewBuffer(r.out)
	err := json.Compact(out, value)
	r.out = out.Bytes()
	return err
}

// skipValue reads any value without storing it.
func (r *Reader) skipValue() error {
	for depth := 0; ; {
		token, err := r.json.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth > maxDepth {
			return ErrNotMetadata
		}
		if depth == 0 {
			return nil
		}
	}
}

// separate writes a comma if the next element is not the first.
func (r *Reader) separate() {
	if r.comma {
		r.out = append(r.out, ',')
	}
	r.comma = true
}

func (r *Reader) writeKey(key string) {
	r.separate()
	quoted, _ := json.Marshal(key)
	r.out = append(append(r.out, quoted...), ':')
}

func (r *Reader) open(bracket byte)  { r.out, r.comma = append(r.out, bracket), false }
func (r *Reader) close(bracket byte) { r.out, r.comma = append(r.out, bracket), true }

// decode decodes an object strictly, and refuses all but the wanted kind.
func decode(object []byte, into any, got *metav1.TypeMeta, want metav1.TypeMeta) error {
	strict, err := strictjson.UnmarshalStrict(object, into)
	if err != nil || len(strict) > 0 || object[0] != '{' || *got != want || !utf8.Valid(object) {
		return ErrNotMetadata
	}
	return nil
}
