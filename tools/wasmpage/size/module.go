package size

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"informerscope/tools/wasmpage/toolchain"
)

// originDir is where the module with a package lies, which is downloaded where nothing has needed it yet: the go command does
// that for a package and not for a module.
func originDir(tc *toolchain.Toolchain, pkg string) (string, error) {
	lines, err := tc.List("-f", "{{.Module.Dir}}", pkg)
	if err != nil {
		return "", err
	}
	return lines[0], nil
}

// descriptions is the name of files that describe each field of a type in English, which only a generator of documents reads.
const descriptions = "types_swagger_doc_generated.go"

// copyModule makes dir a copy of what builds of the module in origin.
func copyModule(dir, origin string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return filepath.WalkDir(origin, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" && d.Name() != "go.mod" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if d.Name() == descriptions {
			return nil
		}
		in, err := filepath.Rel(origin, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		out := filepath.Join(dir, in)
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			return err
		}
		return os.WriteFile(out, text, 0o644)
	})
}

// writeModfile writes go.mod and go.sum of the main module in root into dir, with modules replaced by their copies.
func writeModfile(dir, root string, copies map[string]string) error {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	for _, module := range slices.Sorted(maps.Keys(copies)) {
		// What is built names its modules, so the path must not be this machine's where that can be.
		to := copies[module]
		if in, err := filepath.Rel(root, to); err == nil && filepath.IsLocal(in) {
			to = "./" + filepath.ToSlash(in)
		}
		text = fmt.Appendf(text, "\nreplace %s => %s\n", module, strconv.Quote(to))
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o644); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644)
}
