//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"informerscope/server/internal/testkit"
)

// TestFilesOfSecretsAreOnesOwn: a token in a FIFO, or in a file of another user, is refused at once.
func TestFilesOfSecretsAreOnesOwn(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	refused := map[string]string{fifo: "is a directory, a pipe or a device", "/dev/null": "is a directory, a pipe or a device"}
	if os.Geteuid() == 0 { // only root can make a file of another user
		foreign := tokenFile(t, fileToken, 0o600)
		if err := os.Chown(foreign, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		refused[foreign] = "belongs to another user"
	}
	for path, says := range refused {
		for _, args := range [][]string{{"--token-file", path}, {"--attach", "http://localhost:1/", "--attach-token-file", path}} {
			answered := make(chan error, 1)
			go func() {
				_, err := parseFlags(args, noEnv, io.Discard)
				answered <- err
			}()
			select {
			case err := <-answered:
				if err == nil || !strings.Contains(err.Error(), says) {
					t.Errorf("%s: %v", args, err)
				}
			case <-time.After(patience):
				t.Errorf("%s: no answer", args)
			}
		}
	}
	// The same holds for an audit log in a FIFO without a reader.
	ended := make(chan error, 1)
	go func() {
		ended <- serve(t.Context(), parse(t, "--listen", "127.0.0.1:0", "--audit-log", fifo), page, io.Discard, new(testkit.Log))
	}()
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "--audit-log: "+fifo) {
			t.Errorf("an audit log in a FIFO without a reader: %v", err)
		}
	case <-time.After(patience):
		t.Error("opening an audit log in a FIFO without a reader waits")
	}
}
