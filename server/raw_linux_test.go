package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"informerscope/server/internal/testkit"
)

// TestRawRequests sends requests with arbitrary bytes in path, User-Agent and Host, to the server and through the relay. Log and audit log remain
// short lines of valid JSON without invisible characters. The program keeps running, and no API server receives such bytes.
func TestRawRequests(t *testing.T) {
	var mu sync.Mutex
	var upstream []string
	config := bigAPI(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		upstream = append(upstream, r.UserAgent(), r.RequestURI)
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","items":[]}`)
	})
	log, auditFile := new(testkit.Log), filepath.Join(t.TempDir(), "audit")
	p := launchInto(t, log, "--kubeconfig", config, "--log-format", "json", "--log-level", "debug", "--audit-log", auditFile)
	texts := []string{"\x1b]0;x\x07\x1b[2J", "\u202egnp.exe", "\u2066\u200b\ufeff\u2028", "\x9b31m", "\xff\xfe", "a\nlevel=ERROR", "a\r\nX-Forged: 1",
		"\x00", "\x7f", `","level":"ERROR`, "%s%n%v", strings.Repeat("u", 60<<10), strings.Repeat("token=x;", 7<<10), strings.Repeat("\u202e", 20<<10),
		"../../etc", "%e2%80%ae%1b%0a%00", "\U000e0041\U0001f600"}
	address := strings.TrimPrefix(p.base, "http://")
	for _, text := range texts {
		for _, request := range []string{
			"GET / HTTP/1.1\r\nHost: " + address + "\r\nUser-Agent: " + text + "\r\nConnection: close\r\n\r\n",
			"GET /" + text + " HTTP/1.1\r\nHost: " + address + "\r\nConnection: close\r\n\r\n",
			"GET /relay?" + text + " HTTP/1.1\r\nHost: " + address + "\r\nOrigin: " + text +
				"\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Protocol: " + text + "\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: " + text + "\r\n\r\n",
			text + " / HTTP/1.1\r\n\r\n",
		} {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			_ = conn.SetDeadline(time.Now().Add(patience))
			_, _ = io.WriteString(conn, request)
			_ = conn.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		}
	}
	const list = "/clusters/c/api/v1/pods"
	for _, text := range texts {
		for _, field := range [][2]string{{":path", list + text}, {":path", "/clusters/" + text + "/api/v1/pods"}, {":path", "/" + text},
			{":path", list + "?labelSelector=" + text}, {":path", "/trouble?context=" + text}, {"user-agent", text}, {"accept", text}} {
			p.raw(field[0], field[1], list)
		}
	}
	response, err := p.page().Get("http://relay" + list)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("afterwards: %v, %v", response, err)
	}
	p.end()
	audited, err := os.ReadFile(auditFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]string{"log": log.String(), "audit log": string(audited)} {
		lines := 0
		for line := range strings.Lines(out) {
			lines++
			entry := struct{ Level, Msg string }{}
			if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Level == "ERROR" || len(line) > 4<<10 ||
				strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(c rune) bool { return !unicode.IsGraphic(c) }) {
				t.Errorf("%s: %v, %d bytes: %.300q", name, err, len(line), line)
			}
		}
		t.Logf("%s: %d lines, %d bytes", name, lines, len(out))
		if len(out) > 512<<10 || lines == 0 {
			t.Errorf("%d bytes of %s", len(out), name)
		}
	}
	for _, text := range upstream {
		if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' }) {
			t.Errorf("an API server got %d bytes: %.300q", len(text), text)
		}
	}
}

// raw sends one request within the relay, on a connection of its own, with one field unchanged, and waits for its end.
func (p *process) raw(name, value, path string) {
	p.t.Helper()
	conn, err := p.dial(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(patience))
	out := bufio.NewWriterSize(conn, 128<<10)
	_, _ = out.WriteString(http2.ClientPreface)
	framer := http2.NewFramer(out, conn)
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	fields := [][2]string{{":method", "GET"}, {":scheme", "http"}, {":authority", "relay"}, {":path", path}}
	if name == ":path" {
		fields[3][1] = value
	} else {
		fields = append(fields, [2]string{name, value})
	}
	for _, field := range fields {
		_ = encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]})
	}
	err = framer.WriteSettings()
	fragment := block.Bytes()
	first := min(len(fragment), 16<<10)
	if err == nil {
		err = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: fragment[:first], EndStream: true, EndHeaders: first == len(fragment)})
	}
	for fragment = fragment[first:]; err == nil && len(fragment) > 0; {
		n := min(len(fragment), 16<<10)
		err = framer.WriteContinuation(1, n == len(fragment), fragment[:n])
		fragment = fragment[n:]
	}
	if err == nil {
		err = out.Flush()
	}
	for err == nil {
		var frame http2.Frame
		if frame, err = framer.ReadFrame(); err == nil && (frame.Header().Flags.Has(http2.FlagDataEndStream) && frame.Header().StreamID == 1 ||
			frame.Header().Type == http2.FrameRSTStream || frame.Header().Type == http2.FrameGoAway) {
			return
		}
	}
	if network, ok := err.(net.Error); ok && network.Timeout() {
		p.t.Errorf("no answer to %s %.40q", name, value)
	}
}
