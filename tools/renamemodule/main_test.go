package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A copy of the repository whose modules were renamed builds, and the probe passes its tests under the new name.
func TestRename(t *testing.T) {
	root := filepath.Join("..", "..")
	out, err := exec.Command("git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z", "probe", "docs/probe.md", "README.md", "README.zh.md").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range strings.Split(strings.TrimRight(string(out), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(dir, program string, args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	in(dir, "git", "init", "-q")
	for _, bad := range []string{"", "probe", "https://example.com/x/probe", "example.com/a b", "informerscope/probe"} {
		if _, err := rename(dir, bad); err == nil {
			t.Errorf("%q was taken for a path", bad)
		}
	}
	const to = "example.com/owner/scope/probe"
	changed, err := rename(dir, to)
	if err != nil {
		t.Fatal(err)
	}
	if len(changed) < 8 {
		t.Errorf("only %v changed", changed)
	}
	for _, name := range []string{"README.md", "README.zh.md", "docs/probe.md", "probe/go.mod", "probe/metrics/collector.go", "probe/controllerruntime/queue.go"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ReplaceAll(string(text), to, ""), "informerscope/probe\"") || !strings.Contains(string(text), to) {
			t.Errorf("%s still has the old path, or not the new one", name)
		}
	}
	if is := strings.TrimSpace(in(filepath.Join(dir, "probe"), "go", "list", "-m")); is != to {
		t.Errorf("the module is %s", is)
	}
	for _, module := range []string{"probe", "probe/metrics", "probe/controllerruntime"} {
		in(filepath.Join(dir, module), "go", "vet", "./...")
	}
	in(filepath.Join(dir, "probe"), "go", "test", "-timeout", "5m", "./...")
	if _, err := rename(dir, to); err == nil {
		t.Error("it was renamed to what it is")
	}
}
