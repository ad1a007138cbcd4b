package scrub

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxWords bounds an error's text that leaves the server, in bytes.
	MaxWords = 1 << 10
	// maxLine bounds one text in a line of a log, in bytes.
	maxLine = 4 << 10
)

// address matches an IPv6 address in errors of package net.
var address = regexp.MustCompile(`^\[[0-9A-Fa-f:.]+(?:%[0-9A-Za-z]+)?\]`)

// Plain cleans an error's text that may quote other programs. It removes credentials, and cuts the text before the first brace or bracket, where a
// manifest may begin, and at MaxWords bytes. The text must be complete: a credential that was cut before is not found.
func (s *Scrubber) Plain(text string) string {
	text = s.Text(text)
	for start := 0; ; {
		next := strings.IndexAny(text[start:], "{[")
		if next < 0 {
			return Cut(text, MaxWords)
		}
		start += next
		if strings.HasPrefix(text[start:], Mark) {
			start += len(Mark)
		} else if n := len(address.FindString(text[start:])); n > 0 {
			start += n
		} else {
			return Cut(strings.TrimSpace(text[:start]), MaxWords)
		}
	}
}

// Words is Plain for a text that is entirely another program's: it returns the first line, or "" if it is not text, or HTML.
func (s *Scrubber) Words(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(s.Plain(text)), "\n")
	text = strings.TrimSpace(text)
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) && c != '\t' }) || strings.HasPrefix(text, "<") {
		return ""
	}
	return text
}

// Line prepares a text for a line of a log, without credentials and with at most maxLine bytes. It escapes invisible characters beyond ASCII, because
// they can reverse the line or control a terminal. Log formats escape those of ASCII.
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

// Cut cuts a text without credentials to length bytes, and marks that there was more. It splits neither a character nor a Mark, half of which would
// look like the beginning of a credential.
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
