// Package altered makes toolchains whose sources are not as tools/wasmpage expects them, as a future release's may be, for tests.
package altered

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Change rewrites a file.
type Change func(text string) string

// Chance is a runtime that chooses among a select's ready cases in another statement, so that chance cannot be taken out of it.
var Chance = map[string]Change{
	"src/runtime/select.go": replaceText("j := cheaprandn(uint32(norder + 1))", "j := uint32(cheaprandn(uint32(norder + 1)))"),
}

// Door is a standard library in which a function that is left out of the page has another name.
var Door = map[string]Change{"src/regexp/syntax/parse.go": replaceText("unicodeTable(", "tableOfUnicode(")}

func replaceText(old, new string) Change {
	return func(text string) string { return strings.ReplaceAll(text, old, new) }
}

// Root makes dir, which must not be there yet, a GOROOT like root but with files changed. The rest are links.
func Root(dir, root string, changes ...map[string]Change) error {
	changed := map[string]Change{}
	for _, c := range changes {
		for file, change := range c {
			changed[file] = change
		}
	}
	return mirror(dir, root, "", changed)
}

func mirror(dir, root, in string, changed map[string]Change) error {
	if err := os.Mkdir(filepath.Join(dir, in), 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(root, in))
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(in, e.Name())
		switch {
		case changed[filepath.ToSlash(path)] != nil:
			err = change(filepath.Join(dir, path), filepath.Join(root, path), changed[filepath.ToSlash(path)])
		case hasChangedBelow(filepath.ToSlash(path), changed):
			err = mirror(dir, root, path, changed)
		default:
			err = os.Symlink(filepath.Join(root, path), filepath.Join(dir, path))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func hasChangedBelow(path string, changed map[string]Change) bool {
	for file := range changed {
		if strings.HasPrefix(file, path+"/") {
			return true
		}
	}
	return false
}

func change(to, from string, change Change) error {
	before, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	now := change(string(before))
	if now == string(before) {
		return fmt.Errorf("%s is not as these tests expect it, so it cannot be altered", from)
	}
	return os.WriteFile(to, []byte(now), 0o644)
}
