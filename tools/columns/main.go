package main

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// limit is how long a line may be.
const limit = 160

var kinds = []string{".go", ".js", ".ts", ".css", ".html"}

// generatedHead matches what stands at the head of a file that a command makes.
var generatedHead = regexp.MustCompile(`(?m)\A(// @ts-check\n)?// (Code generated .* DO NOT EDIT\.|Made by go run .*)$`)

func main() {
	found, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "columns:", err)
		os.Exit(2)
	}
	for _, line := range found {
		fmt.Println(line)
	}
	if len(found) > 0 {
		fmt.Fprintf(os.Stderr, "columns: %d lines are longer than %d columns\n", len(found), limit)
		os.Exit(1)
	}
}

// run looks at files, or at all of the repository's where none are given, and gives the lines that are too long.
func run(files []string) ([]string, error) {
	if len(files) == 0 {
		out, err := exec.Command("git", "ls-files", "-co", "--exclude-standard", "-z").Output()
		if err != nil {
			return nil, fmt.Errorf("git ls-files: %w", err)
		}
		files = strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	}
	var found []string
	for _, name := range files {
		if !slices.Contains(kinds, filepath.Ext(name)) {
			continue
		}
		src, err := os.ReadFile(name)
		if os.IsNotExist(err) { // git still knows a file that was removed
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, at := range tooLong(name, src) {
			found = append(found, fmt.Sprintf("%s:%d: %d columns", name, at.line, at.columns))
		}
	}
	return found, nil
}

type place struct{ line, columns int }

// tooLong are the lines of a file that are longer than the limit.
func tooLong(name string, src []byte) []place {
	if generatedHead.Match(src) {
		return nil
	}
	var raw map[int]bool
	var found []place
	for i, line := range bytes.Split(src, []byte("\n")) {
		columns := utf8.RuneCount(line)
		if columns <= limit {
			continue
		}
		if raw == nil && filepath.Ext(name) == ".go" {
			raw = rawLines(src)
		}
		if !raw[i+1] {
			found = append(found, place{i + 1, columns})
		}
	}
	return found
}

// rawLines are the lines of a Go file that a raw string lies on.
func rawLines(src []byte) map[int]bool {
	lines := map[int]bool{}
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, func(token.Position, string) {}, 0)
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if kind != token.STRING || !strings.HasPrefix(text, "`") {
			continue
		}
		first := file.Line(pos)
		for i := range strings.Count(text, "\n") + 1 {
			lines[first+i] = true
		}
	}
}
