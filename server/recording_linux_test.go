package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// pipe makes a pipe with a name.
func pipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.trace")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReadingAPipeEnds with its context: while the pipe has no writer, and between two pieces. What a pipe brings is read.
func TestReadingAPipeEnds(t *testing.T) {
	for _, command := range [][]string{{"doctor"}, {"mcp"}} {
		path := pipe(t)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- run(ctx, append(command, path), io.Discard, io.Discard) }()
		writer, err := os.OpenFile(path, os.O_WRONLY, 0) // waits until the program has opened it
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(writer, healthy()); err != nil {
			t.Error(err)
		}
		cancel()
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "interrupted") {
			t.Errorf("%v: %v", command, err)
		}
		_ = writer.Close()
	}
	path := pipe(t)
	// The program's goroutine may open the pipe before or after this: with a writer open until then, no open of it waits for ever.
	writer, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = writer.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, []string{"doctor", path}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("without a writer: %v", err)
	}
	path = pipe(t) // another: a reader that came late would take what is written for the next one
	go func() { _ = os.WriteFile(path, []byte(ill()), 0) }()
	if out, status, err := examine(t, path); status != 1 || !strings.Contains(out, "11 events") {
		t.Errorf("from a pipe: status %d, %v: %s", status, err, out)
	}
	if err := run(t.Context(), []string{"story", "from", path}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "no file") {
		t.Errorf("a story from a pipe: %v", err)
	}
}
