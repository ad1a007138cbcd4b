// Package download weighs what the page is made of: the files that a browser loads, packed as a server or a host may send them. It also
// counts the lines that people write and read.
package download

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"

	page "informerscope/web"
)

// Budget is the most that all files may have in brotli.
const Budget = 2_800_000

// File is one file of the page, in bytes: as it is, and as gzip and brotli make it at their best.
type File struct {
	Name              string
	Raw, Gzip, Brotli int
}

// Files weighs all files that the page in root/web loads.
func Files(root string) (files []File, err error) {
	web := filepath.Join(root, "web")
	if _, err := os.Stat(filepath.Join(web, "informerscope.wasm.gz")); err != nil {
		return nil, fmt.Errorf("the page is not built (run make wasm): %w", err)
	}
	err = walk(page.Served(os.DirFS(web)), func(rel string, text []byte) error {
		if slices.Contains(declarations, path.Base(rel)) {
			return nil
		}
		f := File{Name: rel, Raw: len(text)}
		var err error
		if f.Gzip, err = packedSize(text, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestCompression) }); err != nil {
			return err
		}
		f.Brotli, err = packedSize(text, func(w io.Writer) (io.WriteCloser, error) {
			return brotli.NewWriterLevel(w, brotli.BestCompression), nil
		})
		files = append(files, f)
		return err
	})
	return files, err
}

// Lines counts the lines of the page's scripts, styles and its document: without stories, without words in two languages, and without what
// is made by a program.
func Lines(root string) (n int, err error) {
	err = walk(os.DirFS(filepath.Join(root, "web")), func(rel string, text []byte) error {
		if isWritten(rel) {
			n += bytes.Count(text, []byte("\n"))
		}
		return nil
	})
	return n, err
}

func isWritten(rel string) bool {
	name := path.Base(rel)
	switch filepath.Ext(rel) {
	case ".js", ".css", ".html":
	default:
		return false
	}
	switch {
	case strings.HasPrefix(name, "words"), name == "i18n.js":
		return false
	case name == "types.js", name == "commands.js", name == "wasm_exec.js":
		return false
	}
	return true
}

// walk visits every file that the page loads.
func walk(files fs.FS, visit func(rel string, text []byte) error) error {
	return fs.WalkDir(files, ".", func(rel string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() || !isLoaded(name) {
			if d.IsDir() && name != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		text, err := fs.ReadFile(files, rel)
		if err != nil {
			return err
		}
		return visit(rel, text)
	})
}

// declarations are the files with types, which comments alone name: the type checker reads them, and a browser does not.
var declarations = []string{"types.js", "page-types.js"}

// isLoaded reports whether the page loads files of this name: not the Go code that embeds them, nor what only tools and tests read, nor the
// compressed copies of other files.
func isLoaded(name string) bool {
	if strings.HasPrefix(name, ".") || strings.Contains(name, ".test.") {
		return false
	}
	switch filepath.Ext(name) {
	case ".html", ".js", ".mjs", ".css", ".wasm", ".json", ".svg", ".png", ".ico", ".woff2", ".webmanifest", ".jsonl":
		return true
	}
	return false
}

func packedSize(text []byte, open func(io.Writer) (io.WriteCloser, error)) (int, error) {
	var out bytes.Buffer
	w, err := open(&out)
	if err != nil {
		return 0, err
	}
	if _, err := w.Write(text); err != nil {
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	return out.Len(), nil
}
