package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTidy runs tidy.sh on modules that need no network, but for one.
func TestTidy(t *testing.T) {
	script, err := filepath.Abs("tidy.sh")
	if err != nil {
		t.Fatal(err)
	}
	const tidy = "module example.com/a\n\ngo 1.26.0\n"
	const untidy = tidy + "\nrequire example.com/b v1.0.0\n\nreplace example.com/b => ../b\n"
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "")
	for name, c := range map[string]struct {
		file, mod, imported, says string
		fails                     bool
	}{
		"tidy":         {"go.mod", tidy, "fmt", "", false},
		"unused":       {"go.mod", untidy, "fmt", "-require example.com/b v1.0.0", true},
		"another file": {"old.mod", untidy, "fmt", "a is not tidy: run go mod tidy -modfile=old.mod there", true},
		"no network":   {"go.mod", tidy + "\nrequire example.com/far v1.0.0\n", "example.com/far", "left out: a needs modules", false},
		"damaged":      {"go.mod", "modul x\n", "fmt", "unknown directive", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			files := map[string]string{"a/go.mod": tidy, "a/a.go": "package a\n\nimport _ \"" + c.imported + "\"\n",
				"b/go.mod": "module example.com/b\n\ngo 1.26.0\n", "b/b.go": "package b\n"}
			files["a/"+c.file] = c.mod
			for file, text := range files {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if out, err := exec.Command("git", "init", "-q").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			out, err := exec.Command(script).CombinedOutput()
			if (err != nil) != c.fails || !strings.Contains(string(out), c.says) || c.says == "" && len(out) > 0 {
				t.Errorf("%v, want %q:\n%s", err, c.says, out)
			}
			if text, err := os.ReadFile("a/" + c.file); err != nil || string(text) != c.mod {
				t.Errorf("%s was changed: %v", c.file, err)
			}
		})
	}
}
