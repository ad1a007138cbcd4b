package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"informerscope/web"
)

// page is a small one.
func page(index string) fstest.MapFS {
	return fstest.MapFS{
		"index.html": {Data: []byte(index)}, "app.js": {Data: []byte("x")}, "stories/a.js": {Data: []byte("y")},
		"informerscope.wasm": {Data: []byte("\x00asm")}, "wasm_exec.js": {Data: []byte("z")},
	}
}

const head = "<!doctype html>\n<head>\n<meta charset=\"utf-8\">\n<script type=\"module\" src=\"app.js\"></script></head>"

// listFiles is every file of a directory.
func listFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestWrite(t *testing.T) {
	out := filepath.Join(t.TempDir(), "deep", "site")
	first := page(head)
	first["old.js"] = &fstest.MapFile{Data: []byte("old")}
	for _, files := range []fstest.MapFS{first, page(head)} {
		if err := write(files, out, io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	if names := listFiles(t, out); !slices.Equal(names, []string{"app.js", "index.html", "informerscope.wasm", "stories/a.js", "wasm_exec.js"}) {
		t.Errorf("it holds %q", names)
	}
	text, err := os.ReadFile(filepath.Join(out, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	policy, script := strings.Index(string(text), `http-equiv="Content-Security-Policy" content="default-src 'none'; `), strings.Index(string(text), "<script")
	if policy < 0 || policy > script || !strings.Contains(string(text), marks) || strings.Contains(string(text), "frame-ancestors") {
		t.Errorf("the page:\n%s", text)
	}

	// What somebody else put there stays.
	if err := os.WriteFile(filepath.Join(out, "index.html"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(page(head), out, io.Discard); err == nil || !strings.Contains(err.Error(), "left alone") {
		t.Errorf("over another's files: %v", err)
	}
	if text, _ := os.ReadFile(filepath.Join(out, "index.html")); string(text) != "mine" {
		t.Error("they are gone")
	}
	if err := write(page(head), t.TempDir(), io.Discard); err != nil {
		t.Errorf("into an empty directory: %v", err)
	}

	missing := page(head)
	delete(missing, "informerscope.wasm")
	if err := write(missing, t.TempDir(), io.Discard); err == nil || !strings.Contains(err.Error(), "make wasm") {
		t.Errorf("without the program: %v", err)
	}
	if err := write(page("<!doctype html>"), t.TempDir(), io.Discard); err == nil || !strings.Contains(err.Error(), "charset") {
		t.Errorf("without a charset: %v", err)
	}
}

// TestRealPage holds that the page, of whose modules a bundle is made, refers to its own files by relative addresses alone, or it would not work under a path.
func TestRealPage(t *testing.T) {
	files := fstest.MapFS{}
	err := fs.WalkDir(web.Modules(web.Directory()), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(web.Modules(web.Directory()), name)
		files[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"informerscope.wasm", "wasm_exec.js"} { // where `make wasm` has not run
		if files[name] == nil {
			files[name] = &fstest.MapFile{}
		}
	}
	site, err := read(files)
	if err != nil {
		t.Fatal(err)
	}
	absolute := regexp.MustCompile(`(?:src|href)="/|(?:from|import|importScripts|fetch|new URL|Worker)\s*\(?\s*['"]/|url\(\s*['"]?/`)
	for name, data := range site {
		if strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".mjs") {
			t.Errorf("%s is in the site", name)
		}
		if strings.HasSuffix(name, ".wasm") {
			continue
		}
		if found := absolute.FindString(string(data)); found != "" {
			t.Errorf("%s has an absolute address: %s", name, found)
		}
	}
	refs := regexp.MustCompile(`(?:src|href)="([^"#]+)"`).FindAllStringSubmatch(string(site["index.html"]), -1)
	if len(refs) < 5 {
		t.Errorf("the page refers to %q only", refs)
	}
	for _, ref := range refs {
		if site[ref[1]] == nil {
			t.Errorf("the page refers to %s, which is not there", ref[1])
		}
	}
}
