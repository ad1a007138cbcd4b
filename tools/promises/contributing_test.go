package promises

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	inCode     = regexp.MustCompile("`([^`\n]+)`")
	makeTarget = regexp.MustCompile(`\bmake ([a-z][a-z0-9-]*)`)
	aPath      = regexp.MustCompile(`^[\w.-]+(/[\w.-]+)*/?$`)
)

// built are the directories that the tests make.
var built = map[string]bool{"e2e/artifacts": true}

// A newcomer follows the names in CONTRIBUTING.md: each file and directory is there, each target can be made, each test exists.
func TestContributingLeadsSomewhere(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	paths := 0
	look := func(name string) {
		name = strings.TrimPrefix(name, "./")
		if !aPath.MatchString(name) || !strings.Contains(name, "/") && filepath.Ext(name) == "" || built[name] {
			return
		}
		if ext := filepath.Ext(name); !strings.Contains(name, "/") && ext != ".md" { // doc.go, of each package
			return
		}
		paths++
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
			t.Errorf("CONTRIBUTING.md names %s, which is not there", name)
		}
	}
	for _, m := range inCode.FindAllStringSubmatch(string(text), -1) {
		for _, word := range strings.Fields(m[1]) {
			look(strings.TrimSuffix(word, "/..."))
		}
		for _, target := range makeTarget.FindAllStringSubmatch(m[1], -1) {
			if !regexp.MustCompile(`(?m)^` + target[1] + `:`).Match(makefile) {
				t.Errorf("CONTRIBUTING.md names make %s, which cannot be made", target[1])
			}
		}
		if strings.HasPrefix(m[1], "Test") {
			found := false
			for _, file := range inCode.FindAllStringSubmatch(string(text), -1) {
				if strings.HasSuffix(file[1], "_test.go") {
					source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file[1])))
					found = found || err == nil && strings.Contains(string(source), "func "+m[1]+"(")
				}
			}
			if !found {
				t.Errorf("CONTRIBUTING.md names %s, which is in none of the files that it names", m[1])
			}
		}
	}
	// The picture names directories and files too.
	_, picture, _ := strings.Cut(string(text), "```\n")
	picture, _, _ = strings.Cut(picture, "```")
	for _, word := range strings.Fields(picture) {
		if strings.Contains(word, "/") && strings.ToLower(word[:1]) == word[:1] { // HTTP/2 is no directory
			look(strings.Trim(word, ","))
		}
	}
	if paths < 40 {
		t.Errorf("found %d names of files; CONTRIBUTING.md is read otherwise than it is written", paths)
	}
	if n := strings.Count(string(text), "\n"); n > 120 {
		t.Errorf("CONTRIBUTING.md has %d lines and is to be one page", n)
	}
}
