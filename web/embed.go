// Package web holds the page: its HTML, styles and ES modules, and the WebAssembly program that `make wasm` puts beside
// them. The Go part of the package is only this embedding, so that the server is one file that can be carried to a stage
// without a network.
package web

import (
	"embed"
	"io/fs"
	"path"
)

// The pattern matches this very file, so the package compiles in a fresh checkout where the artefacts of `make wasm` are
// not there yet. Names that begin with a dot or an underscore stay out, by the rules of go:embed.
//
//go:embed *
var embedded embed.FS

// Files is the page as a read-only file system with index.html at its root. It hides Go sources and what only tests read, which the embedding cannot leave
// out. Scripts have no comments, and index.html names all modules. The program is unpacked as it is read, and its file has
// Packed() *io.SectionReader, which is the program as gzip. It and wasm_exec.js are absent until `make wasm` has built them; who serves the page has to say
// so. The result is safe for concurrent use.
func Files() fs.FS { return Served(embedded) }

// Served is a page whose files are in dir as Files would have them, and as safe as dir for concurrent use.
func Served(dir fs.FS) fs.FS { return pageFS{dir} }

// pageFS hides Go sources, what only tests read and the scripts' comments, names the modules in index.html and unpacks the program; everything else is as
// embedded.
type pageFS struct{ fs fs.FS }

// isHidden reports whether a file is no part of the page. Node.js learns from package.json that the scripts are modules.
func isHidden(name string) bool {
	return path.Ext(name) == ".go" || path.Ext(name) == ".mjs" || path.Base(name) == "package.json"
}

// Open implements fs.FS.
func (p pageFS) Open(name string) (fs.File, error) {
	if isHidden(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if isMade(name) {
		return openMade(p.fs, name)
	}
	return p.fs.Open(name)
}

// ReadDir implements fs.ReadDirFS, so that walking shows what Open would open.
func (p pageFS) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(p.fs, name)
	kept := make([]fs.DirEntry, 0, len(entries))
	for _, entry := range entries {
		file := path.Join(name, entry.Name())
		if isHidden(file) && !entry.IsDir() || file == Program {
			continue
		}
		if file == packedProgram {
			file = Program
		}
		if isMade(file) && !entry.IsDir() {
			entry = madeEntry{entry, p.fs, file}
		}
		kept = append(kept, entry)
	}
	return kept, err
}
