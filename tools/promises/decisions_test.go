package promises

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	// decisions is where the records are, from the project's root.
	decisions = "docs/dev/decisions"
	// mostLines is how long a record may be.
	mostLines = 25
)

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)

// Each record of a decision has its four parts, is short, names what exists, and is in the index once, under its title.
func TestDecisions(t *testing.T) {
	root := filepath.Join("..", "..")
	records, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(decisions), "[0-9]*.md"))
	if err != nil {
		t.Fatal(err)
	}
	if len(records) == 0 {
		t.Fatal("there are no records")
	}
	index := readNames(t, decisions+"/README.md").text
	if links := strings.Count(index, "](0"); links != len(records) {
		t.Errorf("the index has %d records, and there are %d", links, len(records))
	}
	tests := testNames(t, root)
	last := 0
	for _, record := range records { // sorted; a record that was deleted takes its number along
		name := filepath.Base(record)
		number, err := strconv.Atoi(name[:4])
		if err != nil || number <= last || name[4] != '-' {
			t.Errorf("%s: a name that begins with a number of four digits, which no other record has, is expected", name)
		}
		last = number
		text := readNames(t, decisions+"/"+name).text
		title, rest, _ := strings.Cut(text, "\n")
		title, isTitle := strings.CutPrefix(title, "# ")
		if !isTitle || !strings.HasPrefix(title, fmt.Sprintf("%d. ", number)) {
			t.Errorf("%s: the first line is to be its number and its title", name)
		}
		if line := fmt.Sprintf("- [%s](%s)\n", title, name); strings.Count(index, line) != 1 {
			t.Errorf("%s: the index is to have one line %q", name, line)
		}
		for _, part := range []string{"\nStatus: ", "\n## Context\n", "\n## Decision\n", "\n## Consequences\n"} {
			_, after, found := strings.Cut(rest, part)
			if !found {
				t.Errorf("%s: %q is missing, or not in its place", name, part)
				continue
			}
			rest = "\n" + after
		}
		if lines := strings.Count(text, "\n"); lines > mostLines {
			t.Errorf("%s has %d lines, and may have %d", name, lines, mostLines)
		}
		for _, m := range inCode.FindAllStringSubmatch(text, -1) {
			if test := testFunction.FindStringSubmatch("func " + m[1] + "("); test != nil && !tests[m[1]] {
				t.Errorf("%s names %s, which does not exist", name, m[1])
			}
		}
	}
}

// testNames are the tests and fuzz tests of all modules of the project.
func testNames(t *testing.T, root string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "bin" || d.Name() == ".git" || d.Name() == "artifacts"):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range testFunction.FindAllStringSubmatch(string(text), -1) {
			found[m[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
