package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/andybalholm/brotli"

	"informerscope/e2e/internal/layout"
)

// size prints what the page downloads, file by file for the large ones, raw and
// as gzip and brotli make it at their best.
func size(w io.Writer) error {
	root, err := layout.Root()
	if err != nil {
		return err
	}
	web := filepath.Join(root, "web")
	if _, err := os.Stat(filepath.Join(web, "informerscope.wasm")); err != nil {
		return fmt.Errorf("the page is not built (run make wasm): %w", err)
	}
	type row struct {
		name         string
		raw, gz, brt int
	}
	total, small := row{name: "all"}, row{name: "all other files"}
	var large []row
	err = filepath.WalkDir(web, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() || !downloaded(name) {
			if d.IsDir() && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(web, path)
		if err != nil {
			return err
		}
		r := row{name: rel, raw: len(text)}
		if r.gz, err = compressed(text, gzipWriter); err != nil {
			return err
		}
		if r.brt, err = compressed(text, brotliWriter); err != nil {
			return err
		}
		sum := &small
		if r.raw >= 100_000 {
			large = append(large, r)
			sum = &row{}
		}
		for _, s := range []*row{&total, sum} {
			s.raw, s.gz, s.brt = s.raw+r.raw, s.gz+r.gz, s.brt+r.brt
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "what the page downloads")
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "file\traw\tgzip -9\tbrotli 11\tbudget\t")
	for _, r := range append(large, small) {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\t\n", r.name, megabytes(r.raw), megabytes(r.gz), megabytes(r.brt))
	}
	word := "yes"
	if total.brt > downloadBudget {
		word = "no"
	}
	fmt.Fprintf(t, "%s\t%s\t%s\t%s\t<= %s: %s\t\n", total.name, megabytes(total.raw), megabytes(total.gz), megabytes(total.brt), megabytes(downloadBudget), word)
	return t.Flush()
}

// downloaded reports whether the page loads files of this name: not the Go code
// that embeds them, nor what only tools and tests read, nor the compressed
// copies of other files.
func downloaded(name string) bool {
	if strings.HasPrefix(name, ".") || strings.Contains(name, ".test.") {
		return false
	}
	switch filepath.Ext(name) {
	case ".html", ".js", ".mjs", ".css", ".wasm", ".json", ".svg", ".png", ".ico", ".woff2", ".webmanifest", ".jsonl":
		return true
	}
	return false
}

func compressed(text []byte, open func(io.Writer) (io.WriteCloser, error)) (int, error) {
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

func gzipWriter(w io.Writer) (io.WriteCloser, error) {
	return gzip.NewWriterLevel(w, gzip.BestCompression)
}

func brotliWriter(w io.Writer) (io.WriteCloser, error) {
	return brotli.NewWriterLevel(w, brotli.BestCompression), nil
}
