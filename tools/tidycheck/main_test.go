package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestRun uses the go command on modules that need no network, but for one.
func TestRun(t *testing.T) {
	const tidy = "module example.com/a\n\ngo 1.26.0\n"
	const untidy = tidy + "\nrequire example.com/b v1.0.0\n\nreplace example.com/b => ../b\n"
	b := map[string]string{"b/go.mod": "module example.com/b\n\ngo 1.26.0\n", "b/b.go": "package b\n"}
	with := func(files map[string]string) map[string]string {
		for name, text := range b {
			files[name] = text
		}
		return files
	}
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "")
	for name, c := range map[string]struct {
		files map[string]string
		says  []string
		fails string
	}{
		"tidy": {files: with(map[string]string{"a/go.mod": tidy, "a/a.go": "package a\n", "bin/x/go.mod": "no module", "a/testdata/go.mod": "none either"}),
			says: []string{"2 modules are tidy\n"}},
		"unused": {files: with(map[string]string{"a/go.mod": untidy, "a/a.go": "package a\n"}),
			says: []string{"-require example.com/b v1.0.0", "is not tidy: run go mod tidy there\n"}, fails: "1 of 2 modules are not tidy"},
		"another file": {files: with(map[string]string{"a/go.mod": tidy, "a/old.mod": untidy, "a/new.mod": tidy, "a/a.go": "package a\n"}),
			says: []string{"is not tidy: run go mod tidy -modfile=old.mod there\n"}, fails: "1 of 3 modules are not tidy"},
		"no network": {files: map[string]string{"a/go.mod": tidy + "\nrequire example.com/far v1.0.0\n", "a/a.go": "package a\n\nimport _ \"example.com/far\"\n"},
			says: []string{"left out: ", "not in the module cache"}},
		"no modules": {files: map[string]string{"a.go": "package a\n"}, fails: "no module was found"},
		"damaged":    {files: map[string]string{"a/go.mod": "modul x\n"}, fails: "unknown directive"},
	} {
		t.Run(name, func(t *testing.T) {
			root := write(t, c.files)
			var out bytes.Buffer
			err := run(t.Context(), "go", root, &out)
			if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%v, want %q", err, c.fails)
			}
			for _, say := range c.says {
				if !strings.Contains(out.String(), say) {
					t.Errorf("%q is not in %q", say, out.String())
				}
			}
			for path, text := range c.files {
				if now, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path))); err != nil || string(now) != text {
					t.Errorf("%s was changed: %v", path, err)
				}
			}
		})
	}
}
