package scrub

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestLooks(t *testing.T) {
	var s *Scrubber // has learned no value
	for _, tt := range []struct{ text, want string }{
		{`invalid 'proxy-url' "ftp://user:canary@host:21"`, `invalid 'proxy-url' "ftp://[redacted]@host:21"`},
		{`parse "https://user:can%ary@host": invalid URL escape "%ar"`, `parse "https://[redacted]@host": invalid URL escape "%ar"`},
		{`https://us:er@can@ary@h/x and http://b`, `https://[redacted]@h/x and http://b`},
		{`{"url":"https:\/\/u:canary@h"}`, `{"url":"https:\/\/[redacted]@h"}`},
		{`Authorization: Bearer canary-token`, `Authorization: Bearer [redacted]`},
		{`proxy-authorization Basic dXNlcjpjYW5hcnk=`, `proxy-authorization Basic [redacted]`},
		{`got eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2ln, expired`, `got [redacted], expired`},
		{"key -----BEGIN RSA PRIVATE KEY-----\ncanary\n-----END RSA PRIVATE KEY----- end", "key [redacted] end"},
		{`GET /x?access_token=canary&b=1`, `GET /x?access_token=[redacted]&b=1`},
		{`{"password":"canary"}`, `{"password":"[redacted]"}`},
		{`--client-secret=canary --x`, `--client-secret=[redacted] --x`},
		{`pods is forbidden: User "jane@example.com" cannot list resource "pods" in API group ""`,
			`pods is forbidden: User "jane@example.com" cannot list resource "pods" in API group ""`},
		{`mailto jane@example.com at https://h/x@y`, `mailto jane@example.com at https://h/x@y`},
		{`missing or wrong token; open the address`, `missing or wrong token; open the address`},
		{`secrets "a" not found`, `secrets "a" not found`},
	} {
		if got := s.Text(tt.text); got != tt.want {
			t.Errorf("%q\nbecomes %q\nwant    %q", tt.text, got, tt.want)
		}
	}
}

func TestKnownValues(t *testing.T) {
	s := new(Scrubber)
	s.Learn("a", []string{"canary\"quoted\"", "line one of a key that is long\nline two of a key that is long\n", "short", " padded-value\n"})
	s.Learn("b", []string{"canary"})
	text := fmt.Sprintf(`%q %s %s short padded-value line two of a key that is long`, `canary"quoted"`, "Y2FuYXJ5InF1b3RlZCI=", "canary%22quoted%22")
	got := s.Text(text)
	for _, never := range []string{"canary", "Y2Fu", "padded", "line two"} {
		if strings.Contains(got, never) {
			t.Errorf("%q is in %q", never, got)
		}
	}
	if !strings.Contains(got, "short") {
		t.Errorf("a value that is too short to be told from words was taken out of %q", got)
	}
	s.Learn("b", nil)
	s.Learn("a", nil)
	if got := s.Text("canary"); got != "canary" {
		t.Errorf("what was forgotten is still taken out: %q", got)
	}
}

func TestLog(t *testing.T) {
	s := new(Scrubber)
	s.Learn("x", []string{"canary"})
	var out bytes.Buffer
	log := slog.New(s.Handler(slog.NewTextHandler(&out, nil))).With("a", "canary").WithGroup("g").With("b", errors.New("of canary"))
	log.Info("canary", "c", "canary", "d", struct{ Token string }{"canary"}, slog.Group("e", "f", "canary"), "n", 3, "nothing", nil)
	if strings.Contains(out.String(), "canary") || strings.Count(out.String(), Mark) != 6 || !strings.Contains(out.String(), "g.n=3") {
		t.Errorf("%s", out.String())
	}
}
