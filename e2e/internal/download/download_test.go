package download

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWhatIsWeighedAndCounted(t *testing.T) {
	root := t.TempDir()
	zip := func(text string) string {
		var packed strings.Builder
		w := gzip.NewWriter(&packed)
		_, _ = w.Write([]byte(text)) // into memory
		_ = w.Close()
		return packed.String()
	}
	script := zip(strings.Repeat("all ", 1000))
	for name, text := range map[string]string{
		"informerscope.wasm.gz": zip("wasm"), "informerscope.wasm.br": "packed", "index.html": "<p>\n</p>\n", "app.js": "a\nb\nc\n", "style.css": "p {\n}\n",
		"kit/words-hall.js": "words\n", "kit/i18n.js": "words\n", "wire/types.js": "made\n", "kit/commands.js": "made\n", "wasm_exec.js": "made\n",
		"draw/a.js": "a\n", "embed.go": "package web\n", ".hidden.js": "x\n", "testdata/x.js": "x\n",
		"bundle/app.js.gz": script, "bundle/app.js.br": "packed too", "bundle/app.js.map.gz": script, "bundle/app.js.map.br": "packed",
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
	want := []File{{"app.js", 4000, int64(len(script)), 10}, {"informerscope.wasm", 4, int64(len(zip("wasm"))), 6}}
	if !slices.Equal(files, want) {
		t.Errorf("%v are loaded, want %v", files, want)
	}
	if n, err := Lines(root); err != nil || n != 2+3+2+1 {
		t.Errorf("%d lines, %v", n, err)
	}
	for _, name := range []string{"informerscope.wasm.br", "informerscope.wasm.gz", "bundle/app.js.br"} {
		if err := os.Remove(filepath.Join(root, "web", name)); err != nil {
			t.Fatal(err)
		}
		if _, err := Files(root); err == nil || !strings.Contains(err.Error(), "make packed") {
			t.Errorf("a page without %s: %v", name, err)
		}
	}
}
