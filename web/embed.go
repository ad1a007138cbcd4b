// Package web holds the page: its HTML, styles and ES modules, the WebAssembly program that `make wasm` puts beside them, and the bundle that it makes of the
// others. The Go part of the package is only this embedding, so that the server is one file that can be carried to a stage without a network.
package web

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The pattern matches this very file, so the package compiles in a fresh checkout where the artefacts of `make wasm` are
// not there yet. Names that begin with a dot or an underscore stay out, by the rules of go:embed.
//
//go:embed *
var embedded embed.FS

// Directory is this directory as it was when the program was built.
func Directory() fs.FS { return embedded }

// Bundle is the page of a directory as users get it, with index.html at its root: scripts and styles as `make wasm` has bundled and packed them. It has no
// index.html if that was not done. A file that lies packed is unpacked as it is read, and has Packed() and Brotli() *io.SectionReader, nil for none: the file
// as it lies. The result is as safe as dir for concurrent use.
func Bundle(dir fs.FS) fs.FS { return pageFS{dir, bundle} }

// Modules is the page of a directory as it is written, module by module, for tests and developers; the rest is as for Bundle. It hides Go sources and what
// only tests read.
func Modules(dir fs.FS) fs.FS { return pageFS{dir, "."} }

// bundle is where the bundle lies in the directory.
const bundle = "bundle"

// pageFS is a page whose files are in one folder, with its program, which lies above.
type pageFS struct {
	fs  fs.FS
	top string
}

// isHidden reports whether a file is no part of the page. Node.js learns from package.json that the scripts are modules.
func isHidden(name string) bool {
	return path.Ext(name) == ".go" || path.Ext(name) == ".mjs" || path.Base(name) == "package.json" || name == bundle || strings.HasPrefix(name, bundle+"/")
}

// Open implements fs.FS.
func (p pageFS) Open(name string) (fs.File, error) {
	if isHidden(name) || !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if name == Program {
		return openPacked(p.fs, name)
	}
	lies := path.Join(p.top, name)
	if file, err := openPacked(p.fs, lies); err == nil {
		return file, nil
	}
	return p.fs.Open(lies)
}

// ReadDir implements fs.ReadDirFS, so that walking shows what Open would open.
func (p pageFS) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(p.fs, path.Join(p.top, name))
	if err == nil && name == "." && p.top != "." {
		if program, err := fs.Stat(p.fs, Program+packedEnd); err == nil {
			entries = append(entries, fs.FileInfoToDirEntry(program))
		}
	}
	kept := make([]fs.DirEntry, 0, len(entries))
	for _, entry := range entries {
		file := path.Join(name, entry.Name())
		if isHidden(file) || file == Program || path.Ext(file) == brotliEnd {
			continue
		}
		if whole, isPacked := strings.CutSuffix(file, packedEnd); isPacked {
			entry = packedEntry{entry, p, whole}
		}
		kept = append(kept, entry)
	}
	slices.SortFunc(kept, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return kept, err
}
