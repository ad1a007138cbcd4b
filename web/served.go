package web

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"time"
)

// withoutComments is a script as a browser gets it: lines that are comments and nothing else are empty, so that every line keeps its number. A
// fifth of the scripts is told to readers and to the type checker. Of a comment that shares a line with code nothing is left out.
// No template literal of the page has a line that begins as a comment does.
func withoutComments(script []byte) []byte {
	out := make([]byte, 0, len(script))
	isComment := false
	for line := range bytes.Lines(script) {
		text := bytes.TrimSpace(line)
		begins := !isComment && bytes.HasPrefix(text, []byte("/*"))
		_, after, ends := bytes.Cut(text, []byte("*/"))
		switch {
		case isComment && ends && len(after) == 0:
			isComment, text = false, nil
		case isComment && ends:
			isComment, text = false, after
			line = append(bytes.Clone(after), '\n')
		case isComment || bytes.HasPrefix(text, []byte("//")), begins && ends && len(after) == 0:
			text = nil
		case begins && !ends:
			isComment, text = true, nil
		}
		if len(text) > 0 {
			out = append(out, line...)
		} else {
			out = append(out, '\n')
		}
	}
	return out
}

// index is the page's document.
const index = "index.html"

// entry is what index.html says of the page's first module.
var entry = []byte(`<link rel="modulepreload" href="app.js">`)

// importLine matches what a module imports, without its comments.
var importLine = regexp.MustCompile(`(?m)^(?:import|export|\}) .*?'(\.[^']+)';$`)

// addModules returns the page's document with a line for each module that the first one imports, itself or through others. A browser finds them
// round by round otherwise, as one module after the other has come.
func addModules(document []byte, fsys fs.FS) ([]byte, error) {
	if !bytes.Contains(document, entry) {
		return document, nil
	}
	lines := bytes.Clone(entry)
	names := []string{"app.js"}
	for i := 0; i < len(names); i++ {
		text, err := fs.ReadFile(fsys, names[i])
		if err != nil {
			return nil, err
		}
		for _, m := range importLine.FindAllSubmatch(withoutComments(text), -1) {
			if name := path.Join(path.Dir(names[i]), string(m[1])); !slices.Contains(names, name) {
				names = append(names, name)
				lines = fmt.Appendf(lines, "\n<link rel=\"modulepreload\" href=\"%s\">", name)
			}
		}
	}
	return bytes.Replace(document, entry, lines, 1), nil
}

// madeFile is a file whose text is not as it lies in the directory.
type madeFile struct {
	*bytes.Reader
	madeInfo
}

// isScript reports whether a file is one of the page's own scripts: the toolchain's keeps its comments, of which one is its licence.
func isScript(name string) bool { return path.Ext(name) == ".js" && path.Base(name) != "wasm_exec.js" }

// isMade reports whether a file is served otherwise than it lies in the directory.
func isMade(name string) bool { return isScript(name) || name == index || name == Program }

// openMade reads a script and leaves its comments out, or the document and adds its modules, or opens the program.
func openMade(fsys fs.FS, name string) (fs.File, error) {
	if name == Program {
		return openProgram(fsys)
	}
	text, err := fs.ReadFile(fsys, name)
	if err == nil && name == index {
		text, err = addModules(text, fsys)
	} else if err == nil {
		text = withoutComments(text)
	}
	if err != nil {
		return nil, err
	}
	return madeFile{bytes.NewReader(text), madeInfo{path.Base(name), int64(len(text))}}, nil
}

// Size of a madeFile is that of its information.
func (m madeFile) Size() int64 { return m.size }

func (m madeFile) Stat() (fs.FileInfo, error) { return m.madeInfo, nil }

func (m madeFile) Close() error { return nil }

// madeEntry is such a file in a directory, of the name and size that it has when it is read.
type madeEntry struct {
	fs.DirEntry
	fsys fs.FS
	name string
}

// Name implements fs.DirEntry.
func (e madeEntry) Name() string { return path.Base(e.name) }

// Info implements fs.DirEntry.
func (e madeEntry) Info() (fs.FileInfo, error) {
	f, err := openMade(e.fsys, e.name)
	if err != nil {
		return nil, err
	}
	return f.Stat()
}

type madeInfo struct {
	name string
	size int64
}

func (m madeInfo) Name() string       { return m.name }
func (m madeInfo) Size() int64        { return m.size }
func (m madeInfo) Mode() fs.FileMode  { return 0o444 }
func (m madeInfo) ModTime() time.Time { return time.Time{} }
func (m madeInfo) IsDir() bool        { return false }
func (m madeInfo) Sys() any           { return nil }

var _ io.ReadSeeker = madeFile{}
