package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"informerscope/web"
)

func main() {
	out := flag.String("o", filepath.Join("bin", "site"), "the `directory` to write; it is emptied first")
	flag.Parse()
	err := write(web.Bundle(web.Directory()), *out, os.Stdout)
	if flag.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// entry is the page's own file; a directory without one is not a site of ours.
const entry = "index.html"

// write puts the files of page into the directory out, whose last content goes.
func write(page fs.FS, out string, stdout io.Writer) error {
	files, err := read(page)
	if err != nil {
		return err
	}
	// Only what was written by this program is removed with everything in it.
	if old, err := os.ReadDir(out); err == nil && len(old) > 0 {
		if text, err := os.ReadFile(filepath.Join(out, entry)); err != nil || !bytes.Contains(text, []byte(marks)) {
			return fmt.Errorf("%s is no site that was made here, and is left alone: name an empty directory", out)
		}
		if err := os.RemoveAll(out); err != nil {
			return err
		}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	total := 0
	for name, data := range files {
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
		total += len(data)
	}
	_, err = fmt.Fprintf(stdout, "%s: %d files, %.1f MB, for any static host\n", out, len(files), float64(total)/1e6)
	return err
}

// read is the site's files by their names, with the page told where it is.
func read(page fs.FS) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(page, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(page, name)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the page's files: %w", err)
	}
	for _, name := range []string{entry, "informerscope.wasm"} {
		if files[name] == nil {
			return nil, fmt.Errorf("%s is missing; build the page first: make wasm", name)
		}
	}
	text, err := makeStatic(string(files[entry]))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", entry, err)
	}
	files[entry] = []byte(text)
	return files, nil
}

// marks tells the page, web/app.js, that there is no relay.
const marks = `<meta name="informerscope-relay" content="none">`

// makeStatic is the page's HTML with what its host does not say. The policy comes before everything that it governs.
func makeStatic(text string) (string, error) {
	const charset = "<meta charset=\"utf-8\">\n"
	if strings.Count(text, charset) != 1 {
		return "", fmt.Errorf("want %q once, to put the policy behind it", charset)
	}
	return strings.Replace(text, charset, charset+fmt.Sprintf("<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n%s\n",
		strings.ReplaceAll(web.Policy, `"`, "&quot;"), marks), 1), nil
}
