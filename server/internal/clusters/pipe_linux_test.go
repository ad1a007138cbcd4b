package clusters

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAKubeconfigIsAFile: a pipe, which may never bring anything, is refused at once.
func TestAKubeconfigIsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	l := NewLoader(path, "x")
	if got := l.Contexts(); !strings.Contains(got.Error, path+" is no file") || got.Contexts == nil {
		t.Errorf("%+v", got)
	}
	if _, err := l.Upstream("x"); err == nil || !strings.Contains(err.Error(), "is no file") {
		t.Errorf("%v", err)
	}
	t.Setenv("KUBECONFIG", path+string(filepath.ListSeparator)+write(t, "good", good))
	if got := NewLoader("", "").Contexts(); !strings.Contains(got.Error, path+" is no file") {
		t.Errorf("%+v", got)
	}
}
