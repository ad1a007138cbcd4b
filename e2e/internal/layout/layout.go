package layout

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// E2E returns the absolute path of the module informerscope/e2e: the nearest
// directory at or above the working directory that holds its go.mod, or has it
// in a child named e2e. It fails outside a checkout.
func E2E() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		for _, candidate := range []string{dir, filepath.Join(dir, "e2e")} {
			mod, err := os.ReadFile(filepath.Join(candidate, "go.mod"))
			if err == nil && bytes.Contains(mod, []byte("module informerscope/e2e\n")) {
				return candidate, nil
			}
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return "", err
			}
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod of module informerscope/e2e at or above %s: run this inside a checkout of informerscope", start)
		}
	}
}

// Root returns the absolute path of the informerscope module, the parent of
// [E2E].
func Root() (string, error) {
	dir, err := E2E()
	if err != nil {
		return "", err
	}
	return filepath.Dir(dir), nil
}

var unsafeInPath = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// Artifacts creates, and returns the absolute path of, the directory that keeps
// what a run named name leaves behind: e2e/artifacts/<name>, every character
// of name that could upset a file system replaced. INFORMERSCOPE_ARTIFACTS
// puts the artifacts directory elsewhere.
func Artifacts(name string) (string, error) {
	base := os.Getenv("INFORMERSCOPE_ARTIFACTS")
	if base == "" {
		dir, err := E2E()
		if err != nil {
			return "", err
		}
		base = filepath.Join(dir, "artifacts")
	}
	dir, err := filepath.Abs(filepath.Join(base, unsafeInPath.ReplaceAllString(name, "-")))
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o755)
}
