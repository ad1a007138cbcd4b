// Package pagecode loads packages as they are built for the page, with types, for the tools that look at them.
package pagecode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Package is a package's own files, and what is known of their types.
type Package struct {
	Path  string
	Fset  *token.FileSet
	Files []*ast.File
	Info  *types.Info
}

// listed is what the go command says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	ImportMap               map[string]string
	DepOnly                 bool
}

// Load loads packages as they are built for js/wasm; if none is named, all of this module that the page is made of. Each comes after what it imports.
func Load(patterns []string) (packages []*Package, err error) {
	whole := len(patterns) == 0
	if whole {
		patterns = []string{"informerscope/wasm"}
	}
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,ImportMap,DepOnly", "--"}, patterns...)...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	exports := map[string]string{}
	var targets []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly || whole && strings.HasPrefix(p.ImportPath, "informerscope/") {
			targets = append(targets, p)
		}
	}
	if len(targets) == 0 {
		return nil, fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
	}
	for _, p := range targets {
		is, err := load(p, exports)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		packages = append(packages, is)
	}
	return packages, nil
}

// load type-checks a package's own files against what was compiled of the others.
func load(p listed, exports map[string]string) (*Package, error) {
	is := &Package{Path: p.ImportPath, Fset: token.NewFileSet(),
		Info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}}
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(is.Fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		is.Files = append(is.Files, f)
	}
	conf := types.Config{
		Importer: importer.ForCompiler(is.Fset, "gc", func(path string) (io.ReadCloser, error) {
			if to := p.ImportMap[path]; to != "" {
				path = to
			}
			if exports[path] == "" {
				return nil, fmt.Errorf("nothing was compiled of %s", path)
			}
			return os.Open(exports[path])
		}),
		Sizes: types.SizesFor("gc", "wasm"),
	}
	if _, err := conf.Check(p.ImportPath, is.Fset, is.Files, is.Info); err != nil {
		return nil, err
	}
	return is, nil
}

// RelativePath is a file's name from the working directory on, where it lies below that.
func RelativePath(file string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, file); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return file
}

// Exit prints what a tool found, a line each, and ends it: with 0 where that is nothing, with 1 where it is something, with 2 where the tool failed.
func Exit(tool string, found []string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", tool, err)
		os.Exit(2)
	}
	for _, f := range found {
		fmt.Println(f)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
	os.Exit(0)
}
