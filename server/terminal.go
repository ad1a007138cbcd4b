package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
)

// terminal writes text for a terminal. What a terminal would carry out or hide, such as ESC or U+202E, is written as JSON writes it: \u202e. So JSON stays
// the same JSON. A write must have whole characters.
type terminal struct{ out io.Writer }

// Write implements io.Writer.
func (t terminal) Write(p []byte) (int, error) {
	if _, err := io.WriteString(t.out, printable(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// printable is text as terminal writes it.
func printable(text string) string {
	if !strings.ContainsFunc(text, isHidden) && strings.ToValidUTF8(text, "") == text {
		return text
	}
	var b strings.Builder
	for _, r := range text { // a byte that is no UTF-8 comes as U+FFFD
		if !isHidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// isHidden reports whether a terminal shows no glyph for r, and may do something else: control and format characters, and those that turn the direction.
func isHidden(r rune) bool { return !unicode.IsGraphic(r) && r != '\n' && r != '\t' }

// oneLine is text without line ends, which would let a name look like a line of the program's own.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
