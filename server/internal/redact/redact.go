package redact

import (
	"bytes"
	"encoding/json"
	"io"

	"example.org/informerscope/probe/manifests"
)

// Key is the annotation whose string values are replaced, anywhere in the document.
const Key = manifests.AppliedKey

// annotations is the key of the objects that are searched for the copies of other tools.
const annotations = "annotations"

// endOfKey and endOfAnnotations are the targets, the keys at which the scanner stops, without their first quote: bytes.Index looks for the first byte,
// and a quote is the most frequent one. The scanner examines text byte by byte only around a target, or around a backslash, with which they can be
// written in other ways.
var endOfKey, endOfAnnotations = []byte(Key + `"`), []byte(annotations + `"`)

// indexTarget returns where the first target in text may begin, or -1. What stands there may also be the end of a longer string.
func indexTarget(text []byte) int {
	first := bytes.Index(text, endOfAnnotations)
	if first >= 0 {
		text = text[:min(len(text), first+len(endOfKey))]
	}
	if key := bytes.Index(text, endOfKey); key >= 0 && (first < 0 || key < first) {
		first = key
	}
	if first > 0 {
		first--
	}
	return first
}

// Replacement is written in place of a value.
const Replacement = manifests.Replacement

const quotedReplacement = `"` + Replacement + `"`

// state is the scanner's position in the JSON text. In JSON a string followed by a colon is a key and nothing else is, so nesting is tracked only
// inside annotations.
type state uint8

const (
	betweenStrings state = iota // between strings
	stringStart                 // just after an opening quote
	inString                    // in a string that is known to be neither Key nor annotations
	inCandidate                 // in a string that has matched one of the two so far
	inEscape                    // in a candidate, after a backslash
	inHex                       // in a candidate, among the four digits of \uXXXX
	afterKey                    // after the candidate's closing quote: a colon makes it a key
	afterColon                  // after Key a quote begins a string value to replace; after annotations a brace opens them
	inSecret                    // in a value to replace

	inAnnotations // in the annotations, between strings
	inName        // in a string there, which may be a name
	afterName     // after its closing quote: a colon makes it a name
	beforeValue   // a quote begins a string value, which is examined
	inValue       // in that value
)

// Redactor scans one stream of JSON (one document, or many one after another, as in a watch) that arrives in chunks cut anywhere. The zero value is
// ready. It is not safe for concurrent use, and never fails: text that is not JSON passes unchanged, apart from what looks like a value to replace.
type Redactor struct {
	state        state
	back         state  // inSecret: the state after the value
	odd          bool   // in strings: the text so far ends in an odd number of backslashes
	target       string // inCandidate and its escapes: Key or annotations
	matched      int    // inCandidate and its escapes: how many bytes of the target have been seen
	digits       int    // inHex: how many of the four have been seen
	code         rune   // inHex: their value so far
	depth        int    // in the annotations: how many braces and brackets are open
	name         []byte // in the annotations: the last string, or its part so far, as written
	value        []byte // inValue: its part in earlier chunks
	replacements int64
	names        []seenName // of annotations seen before
	nextName     int        // the index of the likely next one

	slow bool // skip nothing; for a test that compares
}

// Count is how many values have been replaced since the beginning of the stream.
func (r *Redactor) Count() int64 { return r.replacements }

// Append appends src to dst, with some values replaced, and returns the extended slice. It replaces the value of Key and, in an object named
// "annotations", each value that is a copy of a manifest, by its name or by its content. No other byte waits for the next chunk, apart from an
// annotation's value that the chunk cuts. dst and src must not overlap.
func (r *Redactor) Append(dst, src []byte) []byte {
	c := chunk{dst: dst, src: src}
	r.scan(&c)
	return append(c.dst, src[c.copied:]...)
}

// filter returns what Append makes of src alone: src itself if it is unchanged, else scratch extended.
func (r *Redactor) filter(scratch, src []byte) []byte {
	c := chunk{dst: scratch[:0], src: src}
	r.scan(&c)
	if c.copied == 0 {
		return src
	}
	return append(c.dst, src[c.copied:]...)
}

// chunk is a part of the stream, on its way from src to dst.
type chunk struct {
	dst, src []byte
	i        int // next byte to look at
	copied   int // src[:copied] is in dst, or was dropped, or is in Redactor.value
}

// copy copies the unchanged text up to the quote at i, and moves behind the quote.
func (c *chunk) copy() {
	c.dst = append(c.dst, c.src[c.copied:c.i]...)
	c.i++
	c.copied = c.i
}

// scan appends the result for the chunk's src to its dst, except for the unchanged end from copied on.
func (r *Redactor) scan(c *chunk) {
	for c.i < len(c.src) {
		switch r.state {
		case betweenStrings:
			r.findString(c)
		case stringStart:
			r.odd, r.matched = false, 0
			r.state = inString
			if b := c.src[c.i]; b == Key[0] || b == annotations[0] || b == '\\' {
				r.state = inCandidate
			}
		case inString:
			var closed bool
			if c.i, closed = r.skip(c.src, c.i); closed {
				r.state = betweenStrings
			}
		case inCandidate:
			r.readCandidate(c)
		case inEscape, inHex:
			r.readEscape(c)
		case afterKey, afterColon:
			r.findTargetValue(c)
		case inSecret:
			var closed bool
			if c.i, closed = r.skip(c.src, c.i); closed {
				r.state = r.back
			}
			c.copied = c.i
		case inAnnotations:
			r.findName(c)
		case inName:
			r.readName(c)
		case afterName, beforeValue:
			r.findAnnotationValue(c)
		case inValue:
			r.readValue(c)
		}
	}
}

// findString moves to the next string that may be a target, or into one that is none.
func (r *Redactor) findString(c *chunk) {
	if !r.slow {
		var isInside bool
		if c.i, isInside = skipPlain(c.src, c.i); isInside {
			r.state, r.odd = inString, false
			return
		}
	}
	quote := bytes.IndexByte(c.src[c.i:], '"')
	if quote < 0 {
		c.i = len(c.src)
		return
	}
	c.i += quote + 1
	r.state = stringStart
}

// readCandidate reads a string as long as it matches a target.
func (r *Redactor) readCandidate(c *chunk) {
	for c.i < len(c.src) && r.state == inCandidate {
		b := c.src[c.i]
		c.i++
		switch b {
		case '"':
			r.state = betweenStrings
			if r.matched > 0 && r.matched == len(r.target) {
				r.state = afterKey
			}
		case '\\':
			r.state = inEscape
		default:
			r.match(rune(b))
		}
	}
}

// readEscape reads one byte after a backslash in a candidate.
func (r *Redactor) readEscape(c *chunk) {
	b := c.src[c.i]
	c.i++
	switch {
	case r.state == inHex:
		digit, ok := unhex(b)
		if !ok { // not JSON; the byte, maybe a closing quote, is examined again
			c.i--
			r.state = inString
			return
		}
		r.code = r.code<<4 | digit
		if r.digits++; r.digits == 4 {
			r.match(r.code)
		}
	case b == 'u':
		r.state, r.digits, r.code = inHex, 0, 0
	case b == '/':
		r.match('/')
	default: // an escape for a character that neither target has
		r.state = inString
	}
}

// findTargetValue looks for what follows a target: the value to replace, or the brace of the annotations.
func (r *Redactor) findTargetValue(c *chunk) {
	switch b := c.src[c.i]; {
	case isSpace(b):
		c.i++
	case b == ':' && r.state == afterKey:
		c.i++
		r.state = afterColon
	case b == '"' && r.state == afterColon && r.target == Key:
		c.copy()
		r.drop(c, betweenStrings)
	case b == '{' && r.state == afterColon && r.target == annotations:
		c.i++
		r.state, r.depth = inAnnotations, 1
	default:
		r.state = betweenStrings
	}
}

// findName looks for the next string in the annotations, or for their end.
func (r *Redactor) findName(c *chunk) {
	b := c.src[c.i]
	c.i++
	switch b {
	case '"':
		r.state, r.odd, r.name = inName, false, r.name[:0]
	case '{', '[':
		r.depth++
	case '}', ']':
		if r.depth--; r.depth == 0 {
			r.state = betweenStrings
		}
	}
}

// readName reads a string in the annotations, and keeps at most manifests.MaxName bytes of it and one more.
func (r *Redactor) readName(c *chunk) {
	from, closed := c.i, false
	c.i, closed = r.skip(c.src, c.i)
	if room := manifests.MaxName + 1 - len(r.name); room > 0 {
		r.name = append(r.name, c.src[from:min(c.i, from+room)]...)
	}
	if closed {
		if len(r.name) <= manifests.MaxName {
			r.name = r.name[:len(r.name)-1] // the quote
		}
		r.state = afterName
	}
}

// findAnnotationValue looks for the value that follows a name.
func (r *Redactor) findAnnotationValue(c *chunk) {
	switch b := c.src[c.i]; {
	case isSpace(b):
		c.i++
	case b == ':' && r.state == afterName:
		c.i++
		r.state = beforeValue
	case b == '"' && r.state == beforeValue:
		c.copy()
		if r.replacesRemembered(r.name) {
			r.drop(c, inAnnotations)
		} else {
			r.state, r.odd, r.value = inValue, false, r.value[:0]
		}
	default:
		r.state = inAnnotations
	}
}

// readValue reads the value of an annotation whose name does not decide whether it is replaced.
func (r *Redactor) readValue(c *chunk) {
	from, closed := c.i, false
	c.i, closed = r.skip(c.src, c.i)
	c.copied = c.i
	if len(r.value)+c.i-from > manifests.MaxValue {
		r.drop(c, inAnnotations)
		if closed {
			r.state = inAnnotations
		}
		return
	}
	if !closed {
		r.value = append(r.value, c.src[from:c.i]...)
		return
	}
	value := c.src[from : c.i-1]
	if len(r.value) > 0 {
		r.value = append(r.value, value...)
		value = r.value
	}
	if holdsManifest(value) {
		r.drop(c, inAnnotations)
	} else {
		c.dst = append(append(append(c.dst, '"'), value...), '"')
	}
	r.state = inAnnotations
}

// skipPlain advances from src[i], outside of strings, over text with neither a target nor a backslash. It reports whether it stops inside a string that
// is no target. Without backslashes every quote opens or closes a string, so counting them suffices. It does not enter a string that src cuts, or one
// with a backslash.
func skipPlain(src []byte, i int) (next int, isInside bool) {
	text := src[i:]
	stop := bytes.IndexByte(text, '\\')
	if stop < 0 {
		stop = len(text)
	}
	target := indexTarget(text[:stop])
	if target >= 0 {
		stop = target
	}
	if bytes.Count(text[:stop], quote)%2 == 0 {
		return i + stop, false
	}
	if target >= 0 { // the quote before it closes another string
		return i + stop, true
	}
	return i + bytes.LastIndexByte(text[:stop], '"'), false
}

var quote = []byte{'"'}

// drop writes the replacement of a value whose opening quote was read, and makes the scanner drop the rest of the value.
func (r *Redactor) drop(c *chunk, back state) {
	r.replacements++
	r.state, r.back = inSecret, back
	c.dst = append(c.dst, quotedReplacement...)
}

// maxNames bounds how many names of annotations a stream remembers.
const maxNames = 64

// seenName is the name of an annotation, as written, and whether its values are replaced.
type seenName struct {
	name    string
	replace bool
}

// replacesRemembered is replacesName with a memory. The objects of a watch have the same names in the same order again and again, so it first
// compares the name that followed last time.
func (r *Redactor) replacesRemembered(written []byte) bool {
	for range r.names {
		if r.nextName >= len(r.names) {
			r.nextName = 0
		}
		seen := &r.names[r.nextName]
		r.nextName++
		if seen.name == string(written) {
			return seen.replace
		}
	}
	goes := replacesName(written)
	if len(r.names) < maxNames && len(written) <= manifests.MaxName {
		r.names = append(r.names, seenName{string(written), goes})
		r.nextName = len(r.names)
	}
	return goes
}

// replacesName reports whether an annotation's value is replaced because of its name, given as written. A name that an API server would reject is not
// trusted.
func replacesName(written []byte) bool {
	if len(written) > manifests.MaxName {
		return true
	}
	if bytes.IndexByte(written, '\\') < 0 {
		return manifests.IsAppliedName(string(written))
	}
	var name string
	if json.Unmarshal(append(append([]byte{'"'}, written...), '"'), &name) != nil {
		return true
	}
	return manifests.IsAppliedName(name)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// match takes one more decoded character of a candidate.
func (r *Redactor) match(c rune) {
	if r.matched == 0 {
		r.target = Key
		if c == rune(annotations[0]) {
			r.target = annotations
		}
	}
	if r.matched < len(r.target) && c == rune(r.target[r.matched]) {
		r.matched++
		r.state = inCandidate
		return
	}
	r.state = inString
}

// skip advances from src[i], inside a string, to just after the quote that closes it, or to the next quote that does not, or to the end of src. A
// quote closes the string unless an odd number of backslashes precedes it; r.odd carries the parity over the edge of a chunk.
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

const (
	// smallBuffer is a Reader's first buffer, enough for the events of a watch that arrive one by one.
	smallBuffer = 4 << 10
	// largeBuffer replaces it once a read has filled the small one.
	largeBuffer = 64 << 10
)

// Reader is a body with the values replaced. It reads from the source only when it has nothing left to return, at most one chunk ahead, and returns
// what a chunk has without waiting for the next.
type Reader struct {
	source      io.ReadCloser
	redactor    Redactor
	in, scratch []byte
	out         []byte // what Read has not returned yet
	err         error
}

// NewReader wraps source and owns it: Close closes it. Not safe for concurrent use, but for Close.
func NewReader(source io.ReadCloser) *Reader {
	return &Reader{source: source, in: make([]byte, smallBuffer)}
}

// Next returns the result of one read of the source, which may be empty. It is valid until the next call. Errors are the source's own, and come after
// all data.
func (r *Reader) Next() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	n, err := r.source.Read(r.in)
	r.err = err
	out := r.redactor.filter(r.scratch, r.in[:n])
	if n == len(r.in) && n < largeBuffer {
		r.in = make([]byte, largeBuffer) // out may be in the other one
	}
	if len(out) > 0 && n > 0 && &out[0] != &r.in[0] {
		r.scratch = out[:0]
	}
	return out, nil
}

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(r.out) == 0 {
		var err error
		if r.out, err = r.Next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// Count is how many values have been replaced so far.
func (r *Reader) Count() int64 { return r.redactor.Count() }

// Close closes the source.
func (r *Reader) Close() error { return r.source.Close() }
