// Package download weighs what the page is made of: the files that a browser loads, packed as the server sends them. It also
// counts the lines that people write and read.
package download

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	page "informerscope/web"
)

// Budget is the most that all files may have in brotli.
const Budget = 2_800_000

// File is one file of the page, in bytes: as it is, and as the server sends it in gzip and in brotli.
type File struct {
	Name              string
	Raw, Gzip, Brotli int64
}

// Files weighs all files that the page in root/web loads, as they lie there.
func Files(root string) (files []File, err error) {
	bundle := page.Bundle(os.DirFS(filepath.Join(root, "web")))
	err = fs.WalkDir(bundle, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) == ".map" { // a browser loads maps for developers alone
			return err
		}
		file, err := bundle.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		info, err := file.Stat()
		if err != nil {
			return err
		}
		packed, ok := file.(interface {
			Packed() *io.SectionReader
			Brotli() *io.SectionReader
		})
		if !ok || packed.Brotli() == nil {
			return fmt.Errorf("%s does not lie packed: %w", name, fs.ErrNotExist)
		}
		files = append(files, File{name, info.Size(), packed.Packed().Size(), packed.Brotli().Size()})
		return nil
	})
	if err == nil && !slices.ContainsFunc(files, func(f File) bool { return f.Name == page.Program }) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("the page is not built (run make packed): %w", err)
	}
	return files, nil
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

// walk visits the files of the page as it is written.
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

// isLoaded reports whether the page has files of this name: not the Go code that embeds them, nor what only tools and tests read, nor what lies packed.
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
