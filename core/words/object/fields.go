package object

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"
)

// field numbers the members of an object whose positions the scanner records.
type field uint8

const (
	fieldAPIVersion field = iota
	fieldKind
	fieldMetadata
	fieldName
	fieldNamespace
	fieldUID
	fieldResourceVersion

	// The fields from here on are decoded on demand; an Object keeps their spans.
	fieldGenerateName
	fieldSelfLink
	fieldGeneration
	fieldCreationTimestamp
	fieldDeletionTimestamp
	fieldDeletionGracePeriodSeconds
	fieldLabels
	fieldAnnotations
	fieldOwnerReferences
	fieldFinalizers
	fieldManagedFields

	// Get starts at these two, because nearly all paths lead there.
	fieldSpec
	fieldStatus

	fieldCount
	firstLazy = fieldGenerateName
	noField   = fieldCount
)

// fieldInfo holds, for each field, its path in error messages and the type it must have unless it is null.
var fieldInfo = [fieldCount]struct {
	path string
	want jsonType
}{
	fieldAPIVersion:                 {"apiVersion", jsonString},
	fieldKind:                       {"kind", jsonString},
	fieldMetadata:                   {"metadata", jsonObject},
	fieldName:                       {"metadata.name", jsonString},
	fieldNamespace:                  {"metadata.namespace", jsonString},
	fieldUID:                        {"metadata.uid", jsonString},
	fieldResourceVersion:            {"metadata.resourceVersion", jsonString},
	fieldGenerateName:               {"metadata.generateName", jsonString},
	fieldSelfLink:                   {"metadata.selfLink", jsonString},
	fieldGeneration:                 {"metadata.generation", jsonNumber},
	fieldCreationTimestamp:          {"metadata.creationTimestamp", jsonString},
	fieldDeletionTimestamp:          {"metadata.deletionTimestamp", jsonString},
	fieldDeletionGracePeriodSeconds: {"metadata.deletionGracePeriodSeconds", jsonNumber},
	fieldLabels:                     {"metadata.labels", jsonObject},
	fieldAnnotations:                {"metadata.annotations", jsonObject},
	fieldOwnerReferences:            {"metadata.ownerReferences", jsonArray},
	fieldFinalizers:                 {"metadata.finalizers", jsonArray},
	fieldManagedFields:              {"metadata.managedFields", jsonArray},
	// The resource decides the types of these two.
	fieldSpec:   {"spec", jsonAny},
	fieldStatus: {"status", jsonAny},
}

func metadataField(key []byte) field {
	switch string(key) {
	case "name":
		return fieldName
	case "namespace":
		return fieldNamespace
	case "uid":
		return fieldUID
	case "resourceVersion":
		return fieldResourceVersion
	case "generateName":
		return fieldGenerateName
	case "selfLink":
		return fieldSelfLink
	case "generation":
		return fieldGeneration
	case "creationTimestamp":
		return fieldCreationTimestamp
	case "deletionTimestamp":
		return fieldDeletionTimestamp
	case "deletionGracePeriodSeconds":
		return fieldDeletionGracePeriodSeconds
	case "labels":
		return fieldLabels
	case "annotations":
		return fieldAnnotations
	case "ownerReferences":
		return fieldOwnerReferences
	case "finalizers":
		return fieldFinalizers
	case "managedFields":
		return fieldManagedFields
	}
	return noField
}

// span is the position of a value in a document. The zero span means that the field is absent: no value begins at byte 0 of an object. 32 bits halve
// the size of an Object's spans; Parse refuses longer documents.
type span struct{ start, end uint32 }

const maxSize = math.MaxUint32

// fields are the spans of one object's fields.
type fields [fieldCount]span

// at returns the bytes of a field's value, including quotes; nil if the field is absent or null.
func (f *fields) at(b []byte, n field) []byte {
	if s := f[n]; s.end != 0 && b[s.start] != 'n' {
		return b[s.start:s.end]
	}
	return nil
}

// check returns an error that names the first field of a wrong type. It checks only the last value of a repeated key.
func (f *fields) check(b []byte) error {
	for n, s := range f {
		if s.end == 0 {
			continue
		}
		if got := typeOf(b[s.start]); got != fieldInfo[n].want && got != jsonNull && fieldInfo[n].want != jsonAny {
			return fmt.Errorf("%s is %s, not %s", fieldInfo[n].path, article(got), article(fieldInfo[n].want))
		}
	}
	return nil
}

// member records one member of the object that is being walked, if it is one of the fields, and returns the index after its value. depth counts the
// containers open inside that object, including itself.
func (f *fields) member(s *scanner, depth int, key []byte, i int) (int, error) {
	var n field
	switch string(key) {
	case "apiVersion":
		n = fieldAPIVersion
	case "kind":
		n = fieldKind
	case "metadata":
		n = fieldMetadata
		clear(f[fieldName:fieldSpec])
		if i < len(s.b) && s.b[i] == '{' {
			end, err := s.object(i, depth+1, func(key []byte, i int) (int, error) {
				end, err := s.value(i, depth+1)
				if n := metadataField(key); n != noField && err == nil {
					f[n] = span{uint32(i), uint32(end)}
				}
				return end, err
			})
			f[n] = span{uint32(i), uint32(end)}
			return end, err
		}
	case "spec", "status":
		n = fieldSpec
		if key[1] == 't' {
			n = fieldStatus
		}
		if f[n].end != 0 {
			return s.value(i, depth) // gjson takes the first one
		}
	default:
		return s.value(i, depth)
	}
	end, err := s.value(i, depth)
	f[n] = span{uint32(i), uint32(end)}
	return end, err
}

// text decodes a quoted string into new memory.
func text(quoted []byte) string {
	if len(quoted) == 0 {
		return ""
	}
	if !plain(quoted) {
		return unquote(quoted)
	}
	return string(quoted[1 : len(quoted)-1])
}

// plain reports whether a valid JSON string is its own text: it has no escapes and is valid UTF-8.
func plain(quoted []byte) bool {
	for _, c := range quoted {
		if c == '\\' || c >= utf8.RuneSelf {
			return bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted)
		}
	}
	return true
}

// texts decodes three strings into one allocation. An object's name, uid and resourceVersion are read, kept and dropped together, and one allocation of
// some sixty bytes is cheaper than three.
func texts(a, b, c []byte) (string, string, string) {
	if !plain(a) || !plain(b) || !plain(c) {
		return text(a), text(b), text(c)
	}
	inner := func(q []byte) []byte {
		if len(q) == 0 {
			return nil
		}
		return q[1 : len(q)-1]
	}
	a, b, c = inner(a), inner(b), inner(c)
	var all strings.Builder
	all.Grow(len(a) + len(b) + len(c))
	all.Write(a)
	all.Write(b)
	all.Write(c)
	joined := all.String()
	return joined[:len(a)], joined[len(a) : len(a)+len(b)], joined[len(a)+len(b):]
}

// commonStrings caches strings that thousands of objects have in common. A slot holds the last string that hashed to it, so the table never grows, needs no
// lock, and at worst saves nothing.
var commonStrings [256]atomic.Pointer[string]

// maxShared limits what one slot can keep alive. A namespace has at most 63 characters, a group/version at most 317.
const maxShared = 320

// sharedText is text for apiVersion, kind and namespace, whose few values repeat from object to object.
func sharedText(quoted []byte) string {
	if len(quoted) <= 2 || len(quoted) > maxShared || !plain(quoted) {
		return text(quoted)
	}
	raw := quoted[1 : len(quoted)-1]
	hash := uint32(2166136261)
	for _, c := range raw {
		hash = (hash ^ uint32(c)) * 16777619
	}
	slot := &commonStrings[(hash^hash>>16)%uint32(len(commonStrings))]
	if p := slot.Load(); p != nil && *p == unsafe.String(unsafe.SliceData(raw), len(raw)) {
		return *p
	}
	s := string(raw)
	slot.Store(&s)
	return s
}
