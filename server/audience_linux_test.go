package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// storedBroadcast makes a directory for --broadcast-dir with a broadcast whose segments have size bytes. The server serves them without reading them.
func storedBroadcast(t *testing.T, segments, size int) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	const token = "the-audiences-own-token"
	record, err := json.Marshal(map[string]any{"token": token, "id": "a-talk", "first": 1, "segments": segments, "ended": true, "checkpoints": []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "talk.json"), record, 0o600); err != nil {
		t.Fatal(err)
	}
	bytes := make([]byte, size)
	source := rand.NewChaCha8([32]byte{7})
	for n := range segments {
		_, _ = source.Read(bytes)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("segment-%010d.gz", n+1)), bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, "/audience/" + token + "/"
}

// TestMemoryOfSlowFollowers: after a restart, a thousand followers begin to read a segment of 3 MB and then stop reading.
func TestMemoryOfSlowFollowers(t *testing.T) {
	const followers, size = 1000, 3 << 20
	const ceiling = 80 // MiB over what the server with its page takes before they come
	dir, path := storedBroadcast(t, 8, size)
	p := launch(t, "--broadcast", "--broadcast-dir", dir)
	address := strings.TrimPrefix(p.base, "http://")
	before, files := p.memory("VmRSS"), p.count("fd")
	small := net.Dialer{Timeout: patience}
	var slow []net.Conn
	defer func() {
		for _, c := range slow {
			_ = c.Close()
		}
	}()
	for i := range followers {
		c, err := small.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		slow = append(slow, c)
		_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
		if _, err := fmt.Fprintf(c, "GET %ssegments/%d HTTP/1.1\r\nHost: %s\r\n\r\n", path, i%8+1, address); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range slow {
		_ = c.SetReadDeadline(time.Now().Add(patience))
		response, err := http.ReadResponse(bufio.NewReaderSize(c, 512), nil)
		if err != nil || response.StatusCode != http.StatusOK || response.ContentLength != size {
			t.Fatalf("follower %d: %v, %v", i, response, err)
		}
	}
	held, open := p.memory("VmRSS"), p.count("fd")
	began := time.Now()
	response, err := http.Get(p.base + path + "segments/3")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, response.Body); err != nil || n != size {
		t.Errorf("one who reads gets %d bytes, %v", n, err)
	}
	_ = response.Body.Close()
	t.Logf("%d followers who take nothing: %d → %d MiB, %d → %d files; one who reads waits %s; peak %d MiB", followers, before, held, files, open,
		time.Since(began).Round(time.Millisecond), p.memory("VmHWM"))
	if grown := p.memory("VmHWM") - before; grown > ceiling {
		t.Errorf("%d MiB for %d followers", grown, followers)
	}
	if open > files+followers+50 {
		t.Errorf("%d files are open for %d followers", open, followers)
	}
}

// count is the number of entries of a directory of the process; fd has its open files.
func (p *process) count(name string) int {
	p.t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/%s", p.cmd.Process.Pid, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return len(entries)
}
