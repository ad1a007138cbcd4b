package object

import (
	"encoding/json"
	"fmt"
)

// maxDepth is how deep arrays and objects may nest. It is encoding/json's limit, so that both accept the same documents.
const maxDepth = 10000

// syntaxError is the error for a document that is not valid JSON, with the byte where it is wrong.
type syntaxError struct {
	offset int
	what   string
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.offset, e.what)
}

// scanner walks one JSON document. It never recurses: a js/wasm program runs Go calls on the browser's stack. A document with a few thousand nested
// levels would overflow that stack, and the program could not recover.
type scanner struct {
	b []byte
}

func (s *scanner) fail(i int, what string) error {
	if i >= len(s.b) {
		return &syntaxError{len(s.b), "unexpected end of input"}
	}
	return &syntaxError{i, fmt.Sprintf("%s, found %q", what, s.b[i])}
}

// space returns the index of the first byte at or after i that is not JSON white space.
func (s *scanner) space(i int) int {
	for b := s.b; i < len(b); i++ {
		if c := b[i]; c > ' ' || (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
			break
		}
	}
	return i
}

// str returns the index after the string whose opening quote is at i.
//
// Like encoding/json it accepts any byte from 0x20 up inside a string; only decoding the string checks the UTF-8.
func (s *scanner) str(i int) (int, error) {
	b := s.b
	i++
	for {
		if i = PlainEnd(b, i); i >= len(b) {
			return 0, s.fail(i, "")
		}
		switch b[i] {
		case '"':
			return i + 1, nil
		case '\\':
			i++
			if i >= len(b) {
				return 0, s.fail(i, "")
			}
			switch b[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
				i++
			case 'u':
				for k := 1; k <= 4; k++ {
					if i+k >= len(b) || !isHex(b[i+k]) {
						return 0, s.fail(i+k, "want four hexadecimal digits after \\u")
					}
				}
				i += 5
			default:
				return 0, s.fail(i, "unknown escape in string")
			}
		default:
			return 0, s.fail(i, "control character in string")
		}
	}
}

func isHex(c byte) bool {
	return c-'0' <= 9 || (c|0x20)-'a' <= 5
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// number returns the index after the number that starts at i.
func (s *scanner) number(i int) (int, error) {
	b := s.b
	if b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b) || !isDigit(b[i]):
		return 0, s.fail(i, "want a digit in number")
	case b[i] == '0':
		i++
	default:
		for i < len(b) && isDigit(b[i]) {
			i++
		}
	}
	if i < len(b) && b[i] == '.' {
		i++
		if i >= len(b) || !isDigit(b[i]) {
			return 0, s.fail(i, "want a digit after the decimal point")
		}
		for i < len(b) && isDigit(b[i]) {
			i++
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if i >= len(b) || !isDigit(b[i]) {
			return 0, s.fail(i, "want a digit in exponent")
		}
		for i < len(b) && isDigit(b[i]) {
			i++
		}
	}
	return i, nil
}

// word returns the index after the literal w (true, false or null), which must be at i.
func (s *scanner) word(i int, w string) (int, error) {
	for k := 0; k < len(w); k++ {
		if i+k >= len(s.b) || s.b[i+k] != w[k] {
			return 0, s.fail(i+k, "want the literal "+w)
		}
	}
	return i + len(w), nil
}

// scalar returns the index after the number or literal at i.
func (s *scanner) scalar(i int) (int, error) {
	switch c := s.b[i]; {
	case c == '-' || isDigit(c):
		return s.number(i)
	case c == 't':
		return s.word(i, "true")
	case c == 'f':
		return s.word(i, "false")
	case c == 'n':
		return s.word(i, "null")
	}
	return 0, s.fail(i, "want a value")
}

// key returns the index after the key at i and its colon.
func (s *scanner) key(i int) (int, error) {
	b := s.b
	if i >= len(b) || b[i] != '"' {
		return 0, s.fail(i, "want a key in quotes")
	}
	i, err := s.str(i)
	if err != nil {
		return 0, err
	}
	if i >= len(b) || b[i] != ':' {
		i = s.space(i)
		if i >= len(b) || b[i] != ':' {
			return 0, s.fail(i, "want a colon after the key")
		}
	}
	return i + 1, nil
}

// nest is the containers that are open inside a value.
type nest struct {
	open int
	kind uint64   // one bit per open container, the innermost lowest: 1 means object
	more []uint64 // full words of 64 containers further out
}

func (n *nest) push(kind uint64) {
	if n.open > 0 && n.open&63 == 0 {
		n.more = append(n.more, n.kind)
	}
	n.open++
	n.kind = n.kind<<1 | kind
}

func (n *nest) pop() {
	n.open--
	n.kind >>= 1
	if n.open > 0 && n.open&63 == 0 {
		n.kind, n.more = n.more[len(n.more)-1], n.more[:len(n.more)-1]
	}
}

// value returns the index after the value that starts at or after i. depth is how many containers around it are open.
func (s *scanner) value(i, depth int) (int, error) {
	var (
		b      = s.b
		err    error
		inside nest
	)

value:
	i = s.space(i)
	if i >= len(b) {
		return 0, s.fail(i, "")
	}
	switch b[i] {
	case '"':
		i, err = s.str(i)
	case '{', '[':
		if depth+inside.open >= maxDepth {
			return 0, &syntaxError{i, fmt.Sprintf("nested deeper than %d levels", maxDepth)}
		}
		kind, end := uint64(0), byte(']')
		if b[i] == '{' {
			kind, end = 1, '}'
		}
		inside.push(kind)
		i = s.space(i + 1)
		if i < len(b) && b[i] == end {
			goto close
		}
		if kind == 1 {
			goto key
		}
		goto value
	default:
		i, err = s.scalar(i)
	}
	if err != nil {
		return 0, err
	}

after:
	if inside.open == 0 {
		return i, nil
	}
	i = s.space(i)
	if i >= len(b) {
		return 0, s.fail(i, "")
	}
	if inside.kind&1 == 1 {
		switch b[i] {
		case ',':
			i = s.space(i + 1)
			goto key
		case '}':
			goto close
		}
		return 0, s.fail(i, "want a comma or } after a member")
	}
	switch b[i] {
	case ',':
		i++
		goto value
	case ']':
		goto close
	}
	return 0, s.fail(i, "want a comma or ] after an element")

close:
	i++
	inside.pop()
	goto after

key:
	if i, err = s.key(i); err != nil {
		return 0, err
	}
	goto value
}

// object walks the members of the object whose brace is at i and returns the index after it. For each member it calls visit with the decoded key and
// the index where the value begins; visit must return the index after that value. The key is valid only during the call. depth counts the containers
// open inside the object, including itself.
func (s *scanner) object(i, depth int, visit func(key []byte, i int) (int, error)) (int, error) {
	b := s.b
	if depth > maxDepth {
		return 0, &syntaxError{i, fmt.Sprintf("nested deeper than %d levels", maxDepth)}
	}
	i = s.space(i + 1)
	if i < len(b) && b[i] == '}' {
		return i + 1, nil
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return 0, s.fail(i, "want a key in quotes")
		}
		start := i
		end, err := s.str(i)
		if err != nil {
			return 0, err
		}
		i = s.space(end)
		if i >= len(b) || b[i] != ':' {
			return 0, s.fail(i, "want a colon after the key")
		}
		i = s.space(i + 1)
		if i, err = visit(unquoteKey(b[start:end]), i); err != nil {
			return 0, err
		}
		i = s.space(i)
		if i >= len(b) {
			return 0, s.fail(i, "")
		}
		switch b[i] {
		case ',':
			i = s.space(i + 1)
		case '}':
			return i + 1, nil
		default:
			return 0, s.fail(i, "want a comma or } after a member")
		}
	}
}

// array walks the elements of the array whose bracket is at i and returns the index after it. It calls visit with the number of the element and the
// index where it begins; visit must return the index after it.
func (s *scanner) array(i, depth int, visit func(n, i int) (int, error)) (int, error) {
	b := s.b
	if depth > maxDepth {
		return 0, &syntaxError{i, fmt.Sprintf("nested deeper than %d levels", maxDepth)}
	}
	i = s.space(i + 1)
	if i < len(b) && b[i] == ']' {
		return i + 1, nil
	}
	for n := 0; ; n++ {
		var err error
		if i, err = visit(n, i); err != nil {
			return 0, err
		}
		i = s.space(i)
		if i >= len(b) {
			return 0, s.fail(i, "")
		}
		switch b[i] {
		case ',':
			i = s.space(i + 1)
		case ']':
			return i + 1, nil
		default:
			return 0, s.fail(i, "want a comma or ] after an element")
		}
	}
}

// document walks a document, which must consist of one object and white space around it. It returns where the object begins and ends.
func (s *scanner) document(visit func(key []byte, i int) (int, error)) (start, end int, err error) {
	start = s.space(0)
	if start >= len(s.b) {
		return 0, 0, s.fail(start, "")
	}
	isObject := s.b[start] == '{'
	if isObject {
		end, err = s.object(start, 1, visit)
	} else {
		end, err = s.value(start, 0)
	}
	if err != nil {
		return 0, 0, err
	}
	if rest := s.space(end); rest < len(s.b) {
		return 0, 0, s.fail(rest, "want nothing after the document")
	}
	if !isObject {
		return 0, 0, fmt.Errorf("the document is %s, not an object", article(typeOf(s.b[start])))
	}
	return start, end, nil
}

// unquoteKey returns the text of a quoted key. If the key is plain, which is nearly always so, the text is a view of the input.
func unquoteKey(quoted []byte) []byte {
	if !plain(quoted) {
		return []byte(unquote(quoted))
	}
	return quoted[1 : len(quoted)-1]
}

// unquote decodes a JSON string that is known to be valid. It uses encoding/json, so escapes, lone surrogates and invalid UTF-8 decode the same way.
// Callers handle plain strings themselves, which is faster.
func unquote(quoted []byte) string {
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		// This cannot happen: the scanner has accepted the string, and FuzzObject checks that encoding/json accepts the same.
		return string(quoted[1 : len(quoted)-1])
	}
	return text
}

// jsonType is the type of a JSON value.
type jsonType uint8

const (
	jsonNull jsonType = iota
	jsonBool
	jsonNumber
	jsonString
	jsonArray
	jsonObject
	// jsonAny stands for any of them.
	jsonAny
)

// typeOf returns the type of a valid value from its first byte.
func typeOf(c byte) jsonType {
	switch c {
	case '"':
		return jsonString
	case '{':
		return jsonObject
	case '[':
		return jsonArray
	case 't', 'f':
		return jsonBool
	case 'n':
		return jsonNull
	default:
		return jsonNumber
	}
}

func article(t jsonType) string {
	switch t {
	case jsonString:
		return "a string"
	case jsonObject:
		return "an object"
	case jsonArray:
		return "an array"
	case jsonBool:
		return "a boolean"
	case jsonNull:
		return "null"
	default:
		return "a number"
	}
}
