package download

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatIsWeighedAndCounted(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"informerscope.wasm": strings.Repeat("wasm ", 1000), "index.html": "<p>\n</p>\n", "app.js": "a\nb\nc\n", "style.css": "p {\n}\n",
		"words-hall.js": "words\n", "i18n.js": "words\n", "types.js": "made\n", "commands.js": "made\n", "wasm_exec.js": "made\n",
		"stories/one.js": "story\n", "draw/a.js": "a\n", "embed.go": "package web\n", ".hidden.js": "x\n", "a.js.br": "packed",
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
	if len(names) != 11 {
		t.Errorf("%d files are loaded: %v", len(names), files)
	}
	if w := names["informerscope.wasm"]; w.Raw != 5000 || w.Brotli == 0 || w.Brotli > w.Raw/50 || w.Gzip == 0 || w.Gzip > w.Raw/50 {
		t.Errorf("5000 bytes that repeat are %+v", w)
	}
	if n, err := Lines(root); err != nil || n != 2+3+2+1 {
		t.Errorf("%d lines, %v", n, err)
	}
	if err := os.Remove(filepath.Join(root, "web", "informerscope.wasm")); err != nil {
		t.Fatal(err)
	}
	if _, err := Files(root); err == nil || !strings.Contains(err.Error(), "make wasm") {
		t.Errorf("a page that is not built: %v", err)
	}
}
