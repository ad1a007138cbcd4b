package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("o", "web", "the folder of the page")
	flag.Parse()
	if err := run(*out, "."); err != nil {
		fmt.Fprintln(os.Stderr, "webtypes:", err)
		os.Exit(1)
	}
}

// run writes the files into the page's folder; the module that the comments are read from lies in root.
func run(out, root string) error {
	files, err := generateFiles(root)
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(out, name)
		if before, err := os.ReadFile(path); err == nil && bytes.Equal(before, text) {
			continue // its time stays, for make
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generateFiles are the files that webtypes writes, by their path in the page.
func generateFiles(root string) (map[string][]byte, error) {
	types, err := generate(root)
	return map[string][]byte{"wire/types.js": types, "kit/commands.js": generateCommands(), "kit/cause-table.js": generateCauses()}, err
}
