package download

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	page "informerscope/web"
)

func TestWhatIsWeighedAndCounted(t *testing.T) {
	root := t.TempDir()
	var program strings.Builder
	w := gzip.NewWriter(&program)
	if _, err := w.Write(bytes.Repeat([]byte("wasm "), 1000)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"informerscope.wasm.gz": program.String(), "index.html": "<p>\n</p>\n", "app.js": "a\nb\nc\n", "style.css": "p {\n}\n",
		"kit/words-hall.js": "words\n", "kit/i18n.js": "words\n", "wire/types.js": "made\n", "kit/commands.js": "made\n", "wasm_exec.js": "made\n",
		"draw/a.js": "a\n", "embed.go": "package web\n", ".hidden.js": "x\n", "a.js.br": "packed",
		"testdata/x.js": "x\n",
	} {
		path := filepath.Join(root, "web", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := Files(root)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]File{}
	for _, f := range files {
		names[filepath.ToSlash(f.Name)] = f
	}
	if len(names) != 9 {
		t.Errorf("%d files are loaded: %v", len(names), files)
	}
	if w := names["informerscope.wasm"]; w.Raw != 5000 || w.Brotli == 0 || w.Brotli > w.Raw/50 || w.Gzip == 0 || w.Gzip > w.Raw/50 {
		t.Errorf("5000 bytes that repeat are %+v", w)
	}
	if n, err := Lines(root); err != nil || n != 2+3+2+1 {
		t.Errorf("%d lines, %v", n, err)
	}
	if err := os.Remove(filepath.Join(root, "web", "informerscope.wasm.gz")); err != nil {
		t.Fatal(err)
	}
	if _, err := Files(root); err == nil || !strings.Contains(err.Error(), "make wasm") {
		t.Errorf("a page that is not built: %v", err)
	}
}

// What is not weighed must not be loaded.
func TestNoScriptImportsDeclarations(t *testing.T) {
	comments := regexp.MustCompile(`(?s)/\*.*?\*/|(?m)^\s*//.*$`)
	scripts := 0
	err := walk(os.DirFS(filepath.Join("..", "..", "..", "web")), func(rel string, text []byte) error {
		if filepath.Ext(rel) != ".js" {
			return nil
		}
		scripts++
		for _, name := range declarations {
			if bytes.Contains(comments.ReplaceAll(text, nil), []byte("/"+name)) {
				t.Errorf("%s imports %s", rel, name)
			}
		}
		return nil
	})
	if err != nil || scripts < 50 {
		t.Errorf("%d scripts: %v", scripts, err)
	}
}

// Scripts lose their comments on the way to a browser, and nothing else: without spaces both are the same.
func TestScriptsDoTheSameWithoutComments(t *testing.T) {
	root := os.DirFS(filepath.Join("..", "..", "..", "web"))
	least := func(rel string, text []byte) string {
		result := api.Transform(string(text), api.TransformOptions{
			Loader: api.LoaderJS, MinifyWhitespace: true, LegalComments: api.LegalCommentsNone, Charset: api.CharsetUTF8,
		})
		if len(result.Errors) > 0 {
			t.Errorf("%s cannot be read: %v", rel, result.Errors)
		}
		return string(result.Code)
	}
	shorter := 0
	err := walk(root, func(rel string, text []byte) error {
		if filepath.Ext(rel) != ".js" {
			return nil
		}
		served, err := fs.ReadFile(page.Served(root), rel)
		if err != nil {
			return err
		}
		if least(rel, served) != least(rel, text) {
			t.Errorf("%s does something else without its comments", rel)
		}
		if was, is := bytes.Count(text, []byte("\n")), bytes.Count(served, []byte("\n")); was != is {
			t.Errorf("%s has %d lines, and is served with %d", rel, was, is)
		}
		if len(served) < len(text) {
			shorter++
		}
		return nil
	})
	if err != nil || shorter < 50 {
		t.Errorf("%d scripts are shorter: %v", shorter, err)
	}
}
