package redact

import (
	"bytes"
	"io"
)

// Key is the annotation whose string values are replaced, wherever in the document it stands.
const Key = "kubectl.kubernetes.io/last-applied-configuration"

// Replacement is what readers see in place of a value.
const Replacement = "[redacted]"

const quotedReplacement = `"` + Replacement + `"`

// state is where in the JSON text the scanner stands. In JSON a string followed by a colon is a key and nothing else is,
// so nesting need not be tracked.
type state uint8

const (
	outside     state = iota // between strings
	stringStart              // just after an opening quote
	inString                 // in a string that is known not to be Key
	inCandidate              // in a string that has matched Key so far
	inEscape                 // in a candidate, after a backslash
	inHex                    // in a candidate, among the four digits of \uXXXX
	afterKey                 // after Key's closing quote: a colon makes it a key
	afterColon               // a quote makes its value a string, which goes
	inSecret                 // in the value that goes
)

// Redactor scans one stream of JSON (one document, or many one after another, as in a watch) that arrives in chunks cut
// anywhere. The zero value is ready. It is not safe for concurrent use, and never fails: text that is not JSON passes
// through as it is, apart from what looks like Key followed by a colon and a string.
type Redactor struct {
	state    state
	odd      bool // inString, inSecret: what was read so far ends in an odd number of backslashes
	matched  int  // inCandidate and its escapes: how many bytes of Key have been seen
	digits   int  // inHex: how many of the four have been seen
	code     rune // inHex: their value so far
	redacted int64
}

// Count is how many values have been replaced since the beginning of the stream.
func (r *Redactor) Count() int64 { return r.redacted }

// Append appends src to dst, with the values of Key replaced, and returns the extended slice. Everything in src that is
// not such a value is appended at once: no byte waits for the next chunk. dst and src must not overlap.
func (r *Redactor) Append(dst, src []byte) []byte {
	copied := 0 // src[:copied] is in dst, or was dropped
	for i := 0; i < len(src); {
		c := src[i]
		switch r.state {
		case outside:
			quote := bytes.IndexByte(src[i:], '"')
			if quote < 0 {
				i = len(src)
				break
			}
			i += quote + 1
			r.state = stringStart
		case stringStart:
			r.odd, r.matched = false, 0
			if c == Key[0] || c == '\\' {
				r.state = inCandidate
			} else {
				r.state = inString
			}
		case inString:
			var closed bool
			if i, closed = r.skip(src, i); closed {
				r.state = outside
			}
		case inCandidate:
			i++
			switch c {
			case '"':
				r.state = outside
				if r.matched == len(Key) {
					r.state = afterKey
				}
			case '\\':
				r.state = inEscape
			default:
				r.match(rune(c))
			}
		case inEscape:
			i++
			switch c {
			case 'u':
				r.state, r.digits, r.code = inHex, 0, 0
			case '/':
				r.match('/')
			default: // an escape for a character that Key does not have
				r.state = inString
			}
		case inHex:
			digit, ok := unhex(c)
			if !ok { // not JSON; the byte, maybe a closing quote, is looked at again
				r.state = inString
				break
			}
			i++
			r.code = r.code<<4 | digit
			if r.digits++; r.digits == 4 {
				r.match(r.code)
			}
		case afterKey, afterColon:
			switch {
			case c == ' ' || c == '\t' || c == '\n' || c == '\r':
				i++
			case c == ':' && r.state == afterKey:
				i++
				r.state = afterColon
			case c == '"' && r.state == afterColon:
				dst = append(dst, src[copied:i]...)
				dst = append(dst, quotedReplacement...)
				i++
				r.redacted++
				r.state, r.odd = inSecret, false
			default:
				r.state = outside
			}
		case inSecret:
			var closed bool
			if i, closed = r.skip(src, i); closed {
				r.state = outside
				copied = i
			}
		}
	}
	if r.state == inSecret {
		return dst
	}
	return append(dst, src[copied:]...)
}

// match takes one more decoded character of a candidate.
func (r *Redactor) match(c rune) {
	if r.matched < len(Key) && c == rune(Key[r.matched]) {
		r.matched++
		r.state = inCandidate
		return
	}
	r.state = inString
}

// skip goes from src[i], inside a string, to just after the quote that closes it, or to the next quote that does not, or
// to the end of src. A quote closes the string unless an odd number of backslashes stands before it; r.odd carries that
// count's parity over the edge of a chunk.
func (r *Redactor) skip(src []byte, i int) (next int, closed bool) {
	end, found := len(src), false
	if quote := bytes.IndexByte(src[i:], '"'); quote >= 0 {
		end, found = i+quote, true
	}
	run := end
	for run > i && src[run-1] == '\\' {
		run--
	}
	odd := (end-run)&1 == 1
	if run == i && r.odd {
		odd = !odd
	}
	if !found {
		r.odd = odd
		return end, false
	}
	r.odd = false
	return end + 1, !odd
}

func unhex(c byte) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}

// Reader is a body with its values of Key replaced. It reads from the source only when it has nothing left to give, at
// most one chunk ahead, and gives what a chunk held without waiting for the next.
type Reader struct {
	source   io.ReadCloser
	redactor Redactor
	in, out  []byte
	given    int
	err      error
}

// NewReader wraps source and owns it: Close closes it. Not safe for concurrent use, but for Close.
func NewReader(source io.ReadCloser) *Reader {
	return &Reader{source: source, in: make([]byte, 32<<10)}
}

// Read implements io.Reader; errors are the source's own.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for r.given == len(r.out) {
		if r.err != nil {
			return 0, r.err
		}
		n, err := r.source.Read(r.in)
		r.out, r.given, r.err = r.redactor.Append(r.out[:0], r.in[:n]), 0, err
	}
	n := copy(p, r.out[r.given:])
	r.given += n
	return n, nil
}

// Count is how many values have been replaced so far.
func (r *Reader) Count() int64 { return r.redactor.Count() }

// Close closes the source.
func (r *Reader) Close() error { return r.source.Close() }
