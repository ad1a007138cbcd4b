package probe

import (
	"bytes"
	"encoding/binary"
)

// initialEventsEnd is the annotation of the bookmark that ends the initial events of a WatchList.
const initialEventsEnd = "k8s.io/initial-events-end"

// jsonScanner, as newJSONScanner makes it, cuts lines of {"type":…,"object":{…}}. It copies type,
// name, namespace, resourceVersion and, of an error, its reason, wherever in the frame they stand. Between the strings of JSON a line end
// is no part of a frame, so it can begin in the middle of one.
type jsonScanner struct {
	synced bool // it knows where frames begin
	size   int
	depth  int
	inStr  bool
	escape bool
	isName bool // the next string is a member's name
	keep   bool // the present string is wanted
	buf    []byte
	last   string // the last member's name that was wanted
	meta   bool   // inside object.metadata
	ended  bool

	typ, ns, name, rv, reason string
}

func newJSONScanner() *jsonScanner { return &jsonScanner{synced: true, isName: true} }

// maxString is how long a wanted string can be.
const maxString = 512

func (s *jsonScanner) reset(synced bool) {
	*s = jsonScanner{synced: synced, buf: s.buf[:0], isName: true}
}

func (s *jsonScanner) feed(b []byte, on bool, got func(frame)) {
	if !on { // a frame that is on its way is not reported; the next one is found by the line end before it
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
				s.meta = s.last == "metadata"
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

// isWanted says whether the value after the last name is copied.
func (s *jsonScanner) isWanted() bool {
	switch s.depth {
	case 1:
		return s.last == "type"
	case 2:
		return s.last == "reason" && s.typ == "ERROR"
	case 3:
		return s.meta && (s.last == "name" || s.last == "namespace" || s.last == "resourceVersion")
	}
	return false
}

// readString goes on in a string, and returns where it got to.
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
	}
	s.last = ""
}

// protoScanner cuts frames that begin with their length, and reads the beginning of each.
type protoScanner struct {
	header [4]byte
	have   int // bytes of the header
	left   int // bytes of the frame
	size   int
	head   []byte
	whole  bool // head has the frame's beginning
}

// protoHead is how much of a frame is looked at: type, name and resourceVersion stand at its beginning.
const protoHead = 1024

func (s *protoScanner) feed(b []byte, on bool, got func(frame)) {
	for len(b) > 0 {
		if s.left == 0 {
			n := copy(s.header[s.have:], b)
			s.have += n
			b = b[n:]
			if s.have < len(s.header) {
				return
			}
			s.left = int(binary.BigEndian.Uint32(s.header[:]))
			s.size, s.have, s.head, s.whole = s.left+len(s.header), 0, s.head[:0], on
			continue
		}
		n := len(b)
		if n > s.left {
			n = s.left
		}
		if room := protoHead - len(s.head); on && s.whole && room > 0 {
			if room > n {
				room = n
			}
			s.head = append(s.head, b[:room]...)
		}
		b = b[n:]
		if s.left -= n; s.left == 0 && on && s.whole {
			f := protoFrame(s.head)
			f.size = s.size
			got(f)
		}
	}
}

// eachField goes through the length-delimited fields of a message, of which only the beginning may be there.
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

// protoFrame reads a meta/v1 WatchEvent: its type, and of its object's metadata what names it.
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
	eachField(bytes.TrimPrefix(raw, []byte("k8s\x00")), func(n int, v []byte) bool { // Unknown
		if n == 2 {
			obj = v
		}
		return n != 2
	})
	if f.typ == "ERROR" { // a Status: its reason is field 4
		eachField(obj, func(n int, v []byte) bool {
			if n == 4 {
				f.reason = string(v)
			}
			return n < 4
		})
		return f
	}
	var ns, name string
	eachField(obj, func(n int, v []byte) bool {
		if n == 1 { // ObjectMeta
			eachField(v, func(n int, v []byte) bool {
				switch n {
				case 1:
					name = string(v)
				case 3:
					ns = string(v)
				case 6:
					f.rv = string(v)
				case 12:
					if f.typ == "BOOKMARK" && bytes.Contains(v, []byte(initialEventsEnd)) {
						f.initialEnd = true
					}
				}
				return n <= 12
			})
		}
		return false
	})
	f.key = join(ns, name)
	return f
}
