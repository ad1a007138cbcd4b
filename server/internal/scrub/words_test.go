package scrub

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"unicode"
)

func TestWords(t *testing.T) {
	s := new(Scrubber)
	const secret = "hunter2{and}[more]"
	s.Learn("x", []string{secret})
	long := strings.Repeat("a", MaxWords)
	for text, want := range map[string]string{
		"  no such thing \r\n{\"kind\":\"Secret\"}":             "no such thing",
		`x"y {"metadata":{"annotations":{"a":"b"}}}`:            `x"y`,
		`admission denied: map[password:aHVudGVy]`:              "admission denied: map",
		`{"kind":"Secret"}`:                                     "",
		"[]":                                                    "",
		"not with Bearer abcdef0123 {":                          "not with Bearer " + Mark,
		"not with " + secret + " or " + secret + `, in {"a":1}`: "not with " + Mark + " or " + Mark + ", in",
		"dial tcp [::1]:6443: refused, [fe80::1%eth0] too, [1.2.3.4] not [x]": "dial tcp [::1]:6443: refused, [fe80::1%eth0] too, [1.2.3.4] not",
		"[redacted":                        "",
		long + "b":                         long + "…",
		long[3:] + secret:                  long[3:] + "…",
		long[:MaxWords-len(Mark)] + secret: long[:MaxWords-len(Mark)] + Mark,
		long[1:] + "é":                     long[1:] + "…",
		"<html>":                           "",
		"a\x1b[31mb":                       "",
		"a \u202e b":                       "",
		"\xff":                             "",
		"":                                 "",
		"key -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- end": "key " + Mark + " end",
	} {
		if got := s.Words(text); got != want {
			t.Errorf("%.60q\nbecomes %.60q\nwant    %.60q", text, got, want)
		}
	}
	// A credential at a cut passes in no part, wherever it is.
	for i := range MaxWords + 2 {
		if got := s.Words(strings.Repeat("a", i) + secret); strings.ContainsAny(got, "hunt2") && !strings.Contains(got, Mark) {
			t.Fatalf("behind %d characters: %.40q", i, got[i-1:])
		}
	}
}

// TestLinesAreVisible: in no log format does a text reverse a line, control a terminal, or begin another line.
func TestLinesAreVisible(t *testing.T) {
	s := new(Scrubber)
	s.Learn("x", []string{"canary"})
	text := "a\u202eb\u2066c\u200bd\u009b31me\x7ff\x1b[2Jg\nlevel=ERROR h\U000e0041i\u2028j\ufeffk é 界 canary " + strings.Repeat("x", 60<<10)
	for name, to := range map[string]func(*bytes.Buffer) slog.Handler{
		"text": func(out *bytes.Buffer) slog.Handler { return slog.NewTextHandler(out, nil) },
		"json": func(out *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(out, nil) },
	} {
		var out bytes.Buffer
		slog.New(s.Handler(to(&out))).Info(text, "a", text)
		line := strings.TrimSuffix(out.String(), "\n")
		if strings.ContainsFunc(line, func(c rune) bool { return !unicode.IsGraphic(c) }) || strings.Contains(line, "canary") || len(line) > 3*maxLine ||
			!strings.Contains(line, "é 界 "+Mark) || !strings.Contains(line, `u202e`) {
			t.Errorf("%s: %d bytes: %.300q", name, len(line), line)
		}
		if name == "json" && !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %.300s", line)
		}
	}
}
