package web

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"time"
)

// withoutComments is a script as a browser gets it: lines that are comments and nothing else are empty, so that every line keeps its number. A
// fifth of the scripts is told to readers and to the type checker. Of a comment that shares a line with code nothing is left out.
// No template literal of the page has a line that begins as a comment does.
func withoutComments(script []byte) []byte {
	out := make([]byte, 0, len(script))
	inside := false
	for line := range bytes.Lines(script) {
		text := bytes.TrimSpace(line)
		begins := !inside && bytes.HasPrefix(text, []byte("/*"))
		_, after, ends := bytes.Cut(text, []byte("*/"))
		switch {
		case inside && ends && len(after) == 0:
			inside, text = false, nil
		case inside && ends:
			inside, text = false, after
			line = append(bytes.Clone(after), '\n')
		case inside || bytes.HasPrefix(text, []byte("//")), begins && ends && len(after) == 0:
			text = nil
		case begins && !ends:
			inside, text = true, nil
		}
		if len(text) > 0 {
			out = append(out, line...)
		} else {
			out = append(out, '\n')
		}
	}
	return out
}

// script is a file without comments.
type script struct {
	*bytes.Reader
	scriptInfo
}

// isScript reports whether a file is one of the page's own scripts: the toolchain's keeps its comments, of which one is its licence.
func isScript(name string) bool { return path.Ext(name) == ".js" && path.Base(name) != "wasm_exec.js" }

// openScript reads a script and leaves its comments out.
func openScript(fsys fs.FS, name string) (fs.File, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	text = withoutComments(text)
	return script{bytes.NewReader(text), scriptInfo{path.Base(name), int64(len(text))}}, nil
}

// Size of script is that of its information.
func (s script) Size() int64 { return s.size }

func (s script) Stat() (fs.FileInfo, error) { return s.scriptInfo, nil }

func (s script) Close() error { return nil }

// scriptEntry is a script in a directory, of the size that it has when it is read.
type scriptEntry struct {
	fs.DirEntry
	fsys fs.FS
	name string
}

// Info implements fs.DirEntry.
func (e scriptEntry) Info() (fs.FileInfo, error) {
	f, err := openScript(e.fsys, e.name)
	if err != nil {
		return nil, err
	}
	return f.Stat()
}

type scriptInfo struct {
	name string
	size int64
}

func (s scriptInfo) Name() string       { return s.name }
func (s scriptInfo) Size() int64        { return s.size }
func (s scriptInfo) Mode() fs.FileMode  { return 0o444 }
func (s scriptInfo) ModTime() time.Time { return time.Time{} }
func (s scriptInfo) IsDir() bool        { return false }
func (s scriptInfo) Sys() any           { return nil }

var _ io.ReadSeeker = script{}
