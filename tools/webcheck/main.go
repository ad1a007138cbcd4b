package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	install := flag.Bool("install", false, "install the compiler if it is not there, and look at nothing")
	flag.Parse()
	if err := run(*install); err != nil {
		fmt.Fprintln(os.Stderr, "webcheck:", err)
		os.Exit(1)
	}
}

func run(install bool) error {
	here := filepath.Join("tools", "webcheck")
	tsc, err := compiler(here)
	if err != nil || install {
		if errors.Is(err, errLeftOut) && install { // the test says so where it would be used
			fmt.Fprintln(os.Stderr, "webcheck:", err)
			return nil
		}
		return err
	}
	found, err := check(tsc, here)
	if err != nil {
		return err
	}
	known, err := readKnownFiles(here)
	if err != nil {
		return err
	}
	wrong := judge(found, known)
	for _, w := range wrong {
		fmt.Println(w)
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%d findings", len(wrong))
	}
	return nil
}
