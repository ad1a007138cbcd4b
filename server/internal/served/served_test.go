package served

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestFind looks for the program where there is none, and in a directory of PATH whose name has a space. One in the working directory is not taken.
func TestFind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its programs have an ending")
	}
	dir := filepath.Join(t.TempDir(), "a b")
	file := filepath.Join(dir, Name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, path := range []string{t.TempDir(), "."} {
		t.Setenv("PATH", path)
		if found, err := Find(); err == nil || !strings.Contains(err.Error(), "make sim") {
			t.Errorf("PATH=%s: %q, %v", path, found, err)
		}
	}
	t.Setenv("PATH", dir)
	if found, err := Find(); err != nil || found != file {
		t.Errorf("%s, %v", found, err)
	}
}

// TestLines cuts texts that come in pieces, and a line that is too long.
func TestLines(t *testing.T) {
	var got []string
	l := &lines{emit: func(line string) { got = append(got, line) }}
	long := strings.Repeat("x", maxLine)
	for _, piece := range []string{"a", "b\nc\r\n\n \nd", "", "\n" + long + "y\n", long + "\n", "end"} {
		if n, err := l.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Errorf("%.10q: %d, %v", piece, n, err)
		}
	}
	l.end()
	if want := []string{"ab", "c", "d", long, "y", long, "end"}; !slices.Equal(got, want) {
		t.Errorf("%.300q", got)
	}
	var last tail
	for _, line := range append(got, "z") {
		last.add(line)
	}
	if text := last.String(); !strings.HasPrefix(text, "\n"+long+"\ny\n") || !strings.HasSuffix(text, "\nend\nz") {
		t.Errorf("the last lines begin %.10q and have %d bytes", text, len(text))
	}
}
