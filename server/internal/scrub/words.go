package scrub

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxWords is how much of the words of an error goes out, in bytes.
	MaxWords = 1 << 10
	// maxLine is how much of one text is written into a line of a log, in bytes.
	maxLine = 4 << 10
)

// address is an IPv6 address as errors of the network have it.
var address = regexp.MustCompile(`^\[[0-9A-Fa-f:.]+(?:%[0-9A-Za-z]+)?\]`)

// Plain is what goes out of an error's text that may quote others: without credentials, and cut before the first brace or bracket, where a manifest
// may begin. It has at most MaxWords bytes. A text has to be whole: a credential that was cut before is not found.
func (s *Scrubber) Plain(text string) string {
	text = s.Text(text)
	for at := 0; ; {
		next := strings.IndexAny(text[at:], "{[")
		if next < 0 {
			return Cut(text, MaxWords)
		}
		at += next
		if strings.HasPrefix(text[at:], Mark) {
			at += len(Mark)
		} else if n := len(address.FindString(text[at:])); n > 0 {
			at += n
		} else {
			return Cut(strings.TrimSpace(text[:at]), MaxWords)
		}
	}
}

// Words is Plain for words that are somebody else's from the first to the last: their first line, or "" if that is no text, or HTML.
func (s *Scrubber) Words(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(s.Plain(text)), "\n")
	text = strings.TrimSpace(text)
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) && c != '\t' }) || strings.HasPrefix(text, "<") {
		return ""
	}
	return text
}

// Line is a text as it is written into a line of a log: without credentials and at most maxLine bytes. Its invisible characters beyond ASCII are
// written as escapes, because they can turn the line around or play a terminal's commands. ASCII's own are escaped by every log's format.
func (s *Scrubber) Line(text string) string {
	text = Cut(s.Text(text), maxLine)
	invisible := func(c rune) bool { return c >= 0x7f && !unicode.IsGraphic(c) }
	if !strings.ContainsFunc(text, invisible) {
		return text
	}
	var out strings.Builder
	for _, c := range text {
		switch {
		case !invisible(c):
			out.WriteRune(c)
		case c > 0xffff:
			fmt.Fprintf(&out, `\U%08x`, c)
		default:
			fmt.Fprintf(&out, `\u%04x`, c)
		}
	}
	return out.String()
}

// Cut is the beginning of a text of which credentials were taken out, at most length bytes and a mark that there was more. It cuts neither a
// character nor a Mark, half of which would look like the beginning of a credential.
func Cut(text string, length int) string {
	if len(text) <= length {
		return text
	}
	for length > 0 && !utf8.RuneStart(text[length]) {
		length--
	}
	if i := strings.LastIndexByte(text[:length], '['); i >= 0 && len(text[i:length]) < len(Mark) && strings.HasPrefix(Mark, text[i:length]) {
		length = i
	}
	return text[:length] + "…"
}
