package probe

import (
	"bytes"
	"encoding/binary"
)

// initialEventsEnd is the annotation of the bookmark that ends the initial events of a WatchList.
const initialEventsEnd = "k8s.io/initial-events-end"

// jsonScanner cuts lines of {"type":…,"object":{…}}. It copies type, name, namespace, resourceVersion and the reason of an error, wherever they are in the
// frame. JSON has no line end inside a string, so the scanner can start in the middle of a frame. Make one with newJSONScanner.
type jsonScanner struct {
	synced bool // it has found the beginning of a frame
	size   int
	depth  int
	inStr  bool
	escape bool
	isName bool // the next string is the name of a member
	keep   bool // this string is copied
	buf    []byte
	last   string // the last name whose value is copied
	meta   bool   // inside object.metadata
	ended  bool
	// isAnswer is true for an object that answers a write: see answerScanner.
	isAnswer bool

	typ, ns, name, rv, reason, uid string
}

func newJSONScanner() *jsonScanner { return &jsonScanner{synced: true, isName: true} }

// maxString bounds a copied string, in bytes.
const maxString = 512

func (s *jsonScanner) reset(synced bool) {
	*s = jsonScanner{synced: synced, buf: s.buf[:0], isName: true}
}

func (s *jsonScanner) feed(b []byte, isRead bool, got func(frame)) {
	if !isRead { // the rest of a frame is not reported; the next frame begins after a line end
		if len(b) > 0 {
			s.reset(b[len(b)-1] == '\n')
		}
		return
	}
	if !s.synced {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			return
		}
		s.reset(true)
		b = b[i+1:]
	}
	for i := 0; i < len(b); {
		if s.inStr {
			i = s.readString(b, i)
			continue
		}
		c := b[i]
		i++
		s.size++
		switch c {
		case '"':
			s.inStr = true
			s.keep = s.depth >= 1 && s.depth <= 4 && (s.isName && (s.depth < 3 || s.meta) || !s.isName && s.isWanted())
			s.buf = s.buf[:0]
		case '{':
			if s.depth == 2 {
				s.meta = s.last == "metadata" || s.isAnswer && s.last == "details" // of a Status
			}
			s.depth++
			s.isName = true
		case '[':
			s.depth++
			s.isName = false
		case '}', ']':
			if s.depth--; s.depth == 2 {
				s.meta = false
			}
		case ',':
			s.isName = true
		case ':':
			s.isName = false
		case '\n':
			if s.isAnswer {
				continue
			}
			if s.typ != "" {
				got(frame{typ: s.typ, key: join(s.ns, s.name), rv: s.rv, reason: s.errorReason(), initialEnd: s.ended, size: s.size})
			}
			s.reset(true)
		}
	}
}

func join(ns, name string) string {
	if ns == "" {
		return name
	}
	return ns + "/" + name
}

func (s *jsonScanner) errorReason() string {
	if s.typ == "ERROR" {
		return s.reason
	}
	return ""
}

// isWanted reports whether the value after the last name is copied.
func (s *jsonScanner) isWanted() bool {
	switch s.depth {
	case 1:
		return s.last == "type"
	case 2:
		return s.last == "reason" && (s.typ == "ERROR" || s.isAnswer)
	case 3:
		return s.meta && (s.last == "name" || s.last == "namespace" || s.last == "resourceVersion" || s.last == "uid" && s.isAnswer)
	}
	return false
}

// readString reads on in a string from b[i], and returns the index after the last byte read.
func (s *jsonScanner) readString(b []byte, i int) int {
	if s.escape {
		s.escape = false
		s.size++
		return i + 1
	}
	j := i
	for j < len(b) && b[j] != '"' && b[j] != '\\' {
		next := bytes.IndexByte(b[j:], '"')
		if next < 0 {
			next = len(b) - j
		}
		if e := bytes.IndexByte(b[j:j+next], '\\'); e >= 0 {
			next = e
		}
		j += next
	}
	if s.keep && len(s.buf) < maxString {
		s.buf = append(s.buf, b[i:j]...)
	}
	s.size += j - i
	if j == len(b) {
		return j
	}
	s.size++
	if b[j] == '\\' {
		s.escape = true
		return j + 1
	}
	s.inStr = false
	if s.keep {
		s.endString()
	} else if s.isName && s.depth <= 4 {
		s.last = ""
	}
	return j + 1
}

func (s *jsonScanner) endString() {
	if s.isName {
		switch string(s.buf) { // no copy
		case "type":
			s.last = "type"
		case "metadata":
			s.last = "metadata"
		case "name":
			s.last = "name"
		case "namespace":
			s.last = "namespace"
		case "resourceVersion":
			s.last = "resourceVersion"
		case "reason":
			s.last = "reason"
		case "uid":
			s.last = "uid"
		case "details":
			s.last = "details"
		case initialEventsEnd:
			s.last = ""
			s.ended = s.depth == 4 && s.meta && s.typ == "BOOKMARK"
		default:
			s.last = ""
		}
		return
	}
	v := string(s.buf)
	switch {
	case s.depth == 1:
		s.typ = v
	case s.depth == 2:
		s.reason = v
	case s.last == "name":
		s.name = v
	case s.last == "namespace":
		s.ns = v
	case s.last == "resourceVersion":
		s.rv = v
	case s.last == "uid":
		s.uid = v
	}
	s.last = ""
}

// protoScanner cuts frames that begin with their length, and decodes the beginning of each.
type protoScanner struct {
	header [4]byte
	have   int // bytes of the header so far
	left   int // bytes of the frame to come
	size   int
	head   []byte
	whole  bool // head holds enough of the frame
}

// protoHead is how many bytes of a frame are examined. The type, the name and the resourceVersion are at its beginning.
const protoHead = 1024

func (s *protoScanner) feed(b []byte, isRead bool, got func(frame)) {
	for len(b) > 0 {
		if s.left == 0 {
			n := copy(s.header[s.have:], b)
			s.have += n
			b = b[n:]
			if s.have < len(s.header) {
				return
			}
			s.left = int(binary.BigEndian.Uint32(s.header[:]))
			s.size, s.have, s.head, s.whole = s.left+len(s.header), 0, s.head[:0], isRead
			continue
		}
		n := len(b)
		if n > s.left {
			n = s.left
		}
		if room := protoHead - len(s.head); isRead && s.whole && room > 0 {
			if room > n {
				room = n
			}
			s.head = append(s.head, b[:room]...)
		}
		b = b[n:]
		if s.left -= n; s.left == 0 && isRead && s.whole {
			f := protoFrame(s.head)
			f.size = s.size
			got(f)
		}
	}
}

// eachField calls f for the length-delimited fields of a message. The message may be cut.
func eachField(b []byte, f func(number int, value []byte) bool) {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return
		}
		b = b[n:]
		switch tag & 7 {
		case 0:
			if _, n = binary.Uvarint(b); n <= 0 {
				return
			}
			b = b[n:]
		case 2:
			size, n := binary.Uvarint(b)
			if n <= 0 {
				return
			}
			b = b[n:]
			cut := size > uint64(len(b))
			if cut {
				size = uint64(len(b))
			}
			if !f(int(tag>>3), b[:size]) || cut {
				return
			}
			b = b[size:]
		default:
			return
		}
	}
}

// protoObject returns the kind of an object, and its own message.
func protoObject(b []byte) (kind string, obj []byte) {
	eachField(bytes.TrimPrefix(b, []byte("k8s\x00")), func(n int, v []byte) bool { // Unknown
		switch n {
		case 1: // TypeMeta
			eachField(v, func(n int, v []byte) bool {
				if n == 2 {
					kind = string(v)
				}
				return n < 2
			})
		case 2:
			obj = v
		}
		return n != 2
	})
	return kind, obj
}

// protoFrame decodes a meta/v1 WatchEvent: its type, and the name and version of its object.
func protoFrame(b []byte) (f frame) {
	var raw, obj []byte
	eachField(b, func(n int, v []byte) bool {
		switch n {
		case 1:
			f.typ = string(v)
		case 2: // RawExtension
			eachField(v, func(n int, v []byte) bool {
				if n == 1 {
					raw = v
				}
				return true
			})
		}
		return true
	})
	_, obj = protoObject(raw)
	if f.typ == "ERROR" { // a Status: its reason is field 4
		eachField(obj, func(n int, v []byte) bool {
			if n == 4 {
				f.reason = string(v)
			}
			return n < 4
		})
		return f
	}
	m := readProtoMeta(obj, f.typ == "BOOKMARK")
	f.key, f.rv, f.initialEnd = join(string(m.ns), string(m.name)), string(m.rv), m.initialEnd
	return f
}

// protoMeta is what is read of an object's ObjectMeta in protobuf. Its slices are parts of the message.
type protoMeta struct {
	name, ns, uid, rv []byte
	initialEnd        bool // an annotation ends the initial events
}

// readProtoMeta reads the ObjectMeta of an object, which may be cut. It reads annotations only if they are asked for.
func readProtoMeta(obj []byte, annotations bool) (m protoMeta) {
	eachField(obj, func(n int, v []byte) bool {
		if n != 1 {
			return false
		}
		eachField(v, func(n int, v []byte) bool {
			switch n {
			case 1:
				m.name = v
			case 3:
				m.ns = v
			case 5:
				m.uid = v
			case 6:
				m.rv = v
			case 12:
				m.initialEnd = m.initialEnd || bytes.Contains(v, []byte(initialEventsEnd))
			}
			return n < 6 || annotations && n <= 12
		})
		return false
	})
	return m
}
