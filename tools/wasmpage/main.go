package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"informerscope/tools/wasmpage/toolchain"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "wasmpage:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("wasmpage", flag.ExitOnError)
	out := flags.String("o", "", "where informerscope.wasm.gz and wasm_exec.js go")
	work := flags.String("work", filepath.Join("bin", "_page"), "where sources are prepared")
	plain := flags.Bool("plain", false, "build as where no source is as expected")
	names := flags.Bool("names", false, "keep the functions' names, for a profiler; the program is larger")
	strict := flags.Bool("strict", false, "fail rather than build a page that lacks something")
	goroot := flags.String("goroot", "", "build with the toolchain in this directory rather than the one that runs wasmpage")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" || flags.NArg() > 0 || *plain && *strict {
		return errors.New("usage: wasmpage [-strict | -plain] [-names] [-goroot DIR] [-work DIR] -o DIR")
	}
	if *goroot != "" {
		if err := os.Setenv("GOROOT", *goroot); err != nil {
			return err
		}
	}
	tc, err := toolchain.Find(*work)
	if err != nil {
		return err
	}
	built, err := buildPage(tc, *work, *out, page{small: !*plain, steady: !*plain, named: *names})
	if err != nil {
		return err
	}
	if *plain {
		return nil
	}
	if words := built.words(tc.Version); words != "" {
		if *strict {
			return errors.New(words)
		}
		fmt.Fprintln(os.Stderr, words)
	}
	return nil
}
