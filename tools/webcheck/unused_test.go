package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	exported = regexp.MustCompile(`(?m)^export (?:async )?(?:function|const|let|class) (\w+)`)
	comment  = regexp.MustCompile(`(?s)/\*.*?\*/`)
	rules    = regexp.MustCompile(`(?s)\{[^{}]*\}`)
	class    = regexp.MustCompile(`\.([a-zA-Z][\w-]*)`)
	word     = regexp.MustCompile(`[\w-]+`)
)

// page reads the files of web/ with an extension, but for what the toolchain puts there.
func page(t *testing.T, ext string) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..", "web")
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "bundle" {
			return fs.SkipDir // made of the others
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ext || d.Name() == "wasm_exec.js" {
			return err
		}
		text, err := os.ReadFile(path)
		files[filepath.ToSlash(path)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("there is no %s in %s", ext, root)
	}
	return files
}

// What a module exports another one or a test imports; else it need not be exported, or there at all.
func TestWhatIsExportedIsUsedElsewhere(t *testing.T) {
	files := page(t, ".js")
	words := map[string]map[string]bool{}
	for _, ext := range []string{".js", ".mjs"} {
		for file, text := range page(t, ext) {
			words[file] = map[string]bool{}
			for _, w := range word.FindAllString(text, -1) {
				words[file][w] = true
			}
		}
	}
	looked := 0
	for file, text := range files {
		for _, m := range exported.FindAllStringSubmatch(text, -1) {
			looked++
			used := false
			for other, otherWords := range words {
				used = used || other != file && otherWords[m[1]]
			}
			if !used {
				t.Errorf("%s exports %s, which no other file of the page names", file, m[1])
			}
		}
	}
	if looked < 100 {
		t.Errorf("found %d exports; the page is written otherwise than this test reads it", looked)
	}
}

// A class in the style sheets is set by somebody: by its name, or by a name's beginning with what is put behind it.
func TestEveryClassOfTheStyleSheetsIsSet(t *testing.T) {
	set := ""
	for _, ext := range []string{".js", ".html"} {
		for _, text := range page(t, ext) {
			set += text + "\n"
		}
	}
	var begun []string // the names' beginnings
	for _, m := range regexp.MustCompile("([\\w-]{2,})(?:\\$\\{|' ?\\+)").FindAllStringSubmatch(set, -1) {
		begun = append(begun, m[1])
	}
	names := map[string]bool{}
	for _, w := range word.FindAllString(set, -1) {
		names[w] = true
	}
	looked := 0
	for file, text := range page(t, ".css") {
		for _, m := range class.FindAllStringSubmatch(rules.ReplaceAllString(comment.ReplaceAllString(text, ""), " "), -1) {
			looked++
			if !names[m[1]] && !slices.ContainsFunc(begun, func(b string) bool { return strings.HasPrefix(m[1], b) }) {
				t.Errorf("%s styles .%s, which nothing on the page is", file, m[1])
			}
		}
	}
	if looked < 100 {
		t.Errorf("found %d classes; the style sheets are written otherwise than this test reads them", looked)
	}
}
