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
	aLink      = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)
)

// built is the directory that the tests make.
const built = "e2e/artifacts"

// foreign are Go packages of others, by the names that documents have for them.
var foreign = map[string]bool{
	"net/http": true, "encoding/json": true, "testing/synctest": true, "go/packages": true, "tools/cache": true, "util/workqueue": true,
	"prometheus/client_golang": true,
}

// names checks what a document names in code, and its links: files, directories and make targets. It counts the files and directories.
type names struct {
	t        *testing.T
	document string // from the project's root
	text     string
	makefile string
	paths    int
}

func readNames(t *testing.T, document string) *names {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(document)))
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	n := &names{t: t, document: document, text: string(text), makefile: string(makefile)}
	for _, m := range inCode.FindAllStringSubmatch(n.text, -1) {
		for _, word := range strings.Fields(m[1]) {
			n.look(strings.TrimSuffix(word, "/..."))
		}
		for _, target := range makeTarget.FindAllStringSubmatch(m[1], -1) {
			if !regexp.MustCompile(`(?m)^` + target[1] + `:`).MatchString(n.makefile) {
				t.Errorf("%s names make %s, which cannot be made", document, target[1])
			}
		}
	}
	for _, m := range aLink.FindAllStringSubmatch(n.text, -1) {
		to := filepath.Join("..", "..", filepath.FromSlash(document), "..", filepath.FromSlash(m[1]))
		if _, err := os.Stat(to); err != nil {
			t.Errorf("%s links to %s, which is not there", document, m[1])
		}
	}
	return n
}

// look checks one name, if it is that of a file or a directory of the project.
func (n *names) look(name string) {
	name = strings.TrimPrefix(name, "./")
	if !aPath.MatchString(name) || strings.HasPrefix(name, built) || foreign[name] {
		return
	}
	first, _, nested := strings.Cut(name, "/")
	if nested && strings.Contains(first, ".") { // golang.org/x/time
		return
	}
	if !nested && filepath.Ext(name) != ".md" { // doc.go, of each package
		return
	}
	n.paths++
	if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(name))); err != nil {
		n.t.Errorf("%s names %s, which is not there", n.document, name)
	}
}

// A newcomer follows the names in CONTRIBUTING.md: each file and directory is there, each target can be made, each test exists.
func TestContributingLeadsSomewhere(t *testing.T) {
	n := readNames(t, "CONTRIBUTING.md")
	for _, m := range inCode.FindAllStringSubmatch(n.text, -1) {
		if strings.HasPrefix(m[1], "Test") {
			found := false
			for _, file := range inCode.FindAllStringSubmatch(n.text, -1) {
				if strings.HasSuffix(file[1], "_test.go") {
					source, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file[1])))
					found = found || err == nil && strings.Contains(string(source), "func "+m[1]+"(")
				}
			}
			if !found {
				t.Errorf("CONTRIBUTING.md names %s, which is in none of the files that it names", m[1])
			}
		}
	}
	// The picture names directories and files too.
	_, picture, _ := strings.Cut(n.text, "```\n")
	picture, _, _ = strings.Cut(picture, "```")
	for _, word := range strings.Fields(picture) {
		if strings.Contains(word, "/") && strings.ToLower(word[:1]) == word[:1] { // HTTP/2 is no directory
			n.look(strings.Trim(word, ","))
		}
	}
	if n.paths < 40 {
		t.Errorf("found %d names of files; CONTRIBUTING.md is read otherwise than it is written", n.paths)
	}
	if lines := strings.Count(n.text, "\n"); lines > 120 {
		t.Errorf("CONTRIBUTING.md has %d lines and is to be one page", lines)
	}
}
