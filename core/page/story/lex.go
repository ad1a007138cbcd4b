package story

import (
	"fmt"
	"strings"
)

// ConditionError is an error in a condition, with its place.
type ConditionError struct {
	Column int // from 1, in characters
	Text   string
}

// Error implements error.
func (e *ConditionError) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Text) }

// token is a word of a condition. kind is 'n' for a number, 's' for a text, 'w' for a name, 'o' for an operator and 0 at the end.
type token struct {
	kind   byte
	text   string
	offset int // in bytes
}

// operators, with the longer ones first.
var operators = []string{"==", "!=", ">=", "<=", ">", "<", "+", "-", "*", "/", "(", ")", "[", "]", ".", ","}

// scan splits a condition into words.
func scan(src string) ([]token, error) {
	var out []token
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case isLetter(c):
			from := i
			for i < len(src) && (isLetter(src[i]) || isDigit(src[i])) {
				i++
			}
			out = append(out, token{'w', src[from:i], from})
		case isDigit(c):
			from := i
			for i < len(src) && (isDigit(src[i]) || src[i] == '.' && i+1 < len(src) && isDigit(src[i+1])) {
				i++
			}
			out = append(out, token{'n', src[from:i], from})
		case c == '"' || c == '\'':
			end := strings.IndexByte(src[i+1:], c)
			if end < 0 {
				return nil, failAt(src, i, "this text is not closed with another %c", c)
			}
			out = append(out, token{'s', src[i+1 : i+1+end], i})
			i += end + 2
		default:
			op := ""
			for _, o := range operators {
				if strings.HasPrefix(src[i:], o) {
					op = o
					break
				}
			}
			if op == "" {
				r := []rune(src[i:])[0]
				return nil, failAt(src, i, "%q has no meaning here; a condition has paths, numbers, texts in quotes, "+
					"and, or, not, ==, !=, <, <=, >, >=, +, -, *, / and the functions %s", string(r), strings.Join(functionNames(), ", "))
			}
			out = append(out, token{'o', op, i})
			i += len(op)
		}
	}
	return append(out, token{0, "", len(src)}), nil
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// failAt returns an error at a byte of a condition.
func failAt(src string, at int, format string, args ...any) error {
	return &ConditionError{Column: len([]rune(src[:at])) + 1, Text: fmt.Sprintf(format, args...)}
}
