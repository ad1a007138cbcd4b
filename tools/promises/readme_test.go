package promises

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var linked = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// read returns the text of a document of the project.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What documents link to is there, with its heading. What they let a reader make can be made.
func TestDocumentsLeadSomewhere(t *testing.T) {
	root := filepath.Join("..", "..")
	makefile := read(t, "Makefile")
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/dev/*.md", "docs/dev/decisions/*.md", "deploy/*.md"} {
		paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: no documents, %v", pattern, err)
		}
		for _, path := range paths {
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			name = filepath.ToSlash(name)
			text := read(t, name)
			for _, m := range regexp.MustCompile("(?m)(?:`|^)make ([a-z][a-z0-9-]*)").FindAllStringSubmatch(text, -1) {
				if !regexp.MustCompile(`(?m)^[^\t#=]*\b` + m[1] + `\b[^=]*:`).MatchString(makefile) {
					t.Errorf("%s names make %s, which cannot be made", name, m[1])
				}
			}
			for _, m := range linked.FindAllStringSubmatch(text, -1) {
				path, anchor, _ := strings.Cut(m[1], "#")
				if strings.Contains(path, "://") || strings.Contains(path, "img/") { // make pictures makes them
					continue
				}
				to := name
				if path != "" {
					to = filepath.ToSlash(filepath.Join(filepath.Dir(name), filepath.FromSlash(path)))
				}
				if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(to))); err != nil {
					t.Errorf("%s links to %s, which is not there", name, m[1])
				} else if anchor != "" && !slices.Contains(anchors(read(t, to)), anchor) {
					t.Errorf("%s links to %s, which has no such heading", name, m[1])
				}
			}
		}
	}
}

// The README is short. README.zh.md has the same code.
func TestReadme(t *testing.T) {
	code := map[string][]string{}
	for _, name := range []string{"README.md", "README.zh.md"} {
		text := read(t, name)
		if n := strings.Count(text, "\n"); n > 110 {
			t.Errorf("%s has %d lines; 110 is the most", name, n)
		}
		_, rest, _ := strings.Cut(text, "```")
		for block := range strings.SplitSeq("\n```"+rest, "\n```") {
			if language, lines, ok := strings.Cut(block, "\n"); ok && language != "" {
				if language == "sh" { // comments are in the document's language
					lines = regexp.MustCompile(`(?m)\s*#.*$`).ReplaceAllString(lines, "")
				}
				code[name] = append(code[name], language+"\n"+lines)
			}
		}
	}
	if len(code["README.md"]) < 3 || !slices.Equal(code["README.md"], code["README.zh.md"]) {
		t.Errorf("README.md and README.zh.md differ in their code:\n%q\n%q", code["README.md"], code["README.zh.md"])
	}
}

// anchors are those of a document's headings, as GitHub makes them.
func anchors(text string) (all []string) {
	for _, m := range regexp.MustCompile(`(?m)^#{1,6} (.+)$`).FindAllStringSubmatch(text, -1) {
		kept := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(kept, " ", "-"))
	}
	return all
}
