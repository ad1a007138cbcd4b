package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "standalone:", err)
		os.Exit(1)
	}
}

func run() error {
	web := flag.String("web", filepath.Join("..", "..", "web"), "the page's directory, with what `make wasm` builds in it")
	out := flag.String("o", filepath.Join("..", "..", "bin", "informerscope.html"), "the file to write")
	bundles := flag.Bool("bundle", false, "write the page as few packed files into the folder bundle of its directory, and no file of its own")
	packs := flag.Bool("brotli", false, "write the program as brotli beside its gzip, and no file of its own: a minute's work")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	switch {
	case *bundles:
		return writeBundle(*web)
	case *packs:
		return packProgram(*web)
	}
	page, err := assemble(*web)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(*out), 0o755); err != nil {
		return err
	}
	// A program that has the old file open keeps it whole.
	next := *out + ".new"
	if err := os.WriteFile(next, page, 0o644); err != nil {
		return err
	}
	if err := os.Rename(next, *out); err != nil {
		return err
	}
	fmt.Printf("%s: %.1f MB, opens from disk\n", *out, float64(len(page))/1e6)
	return nil
}
