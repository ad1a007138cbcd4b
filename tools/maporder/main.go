// Command maporder finds what leaves an order to chance in the code that runs on virtual time. A link to a moment of the
// simulated cluster is exact because the same seed plays the same log, and Go iterates over a map in an order that no seed of
// ours decides. Such code may range over a map only where nobody can tell the order.
//
// It reports, in the packages named (by default those of this module that the page is made of), as they are built for js/wasm:
//
//   - range over a map, but for loops that only collect what is sorted right after, sum up, delete, copy into another map
//     under the same key, or look whether there is such an entry;
//   - maps.Keys, maps.Values and maps.All, but within slices.Sorted or maps.Collect;
//   - other iteration in an order of chance: sets' UnsortedList and PopAny, sync.Map.Range, reflect's MapKeys and MapRange;
//   - draws that no seed decides: the functions of math/rand, crypto/rand, maphash.MakeSeed.
//
// Where the order cannot be seen for another reason, a comment on the line, or on the one before, says which:
//
//	//maporder:free REASON
//
// A comment without a reason, or where nothing was found, is reported too. Which of a select's ready cases goes first is
// chance as well, but the page's runtime takes that away (see tools/wasmpage/determinism), as no code can.
//
// Usage: maporder [PACKAGE...]
package main

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
	"slices"
	"strings"
)

func main() {
	found, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "maporder:", err)
		os.Exit(2)
	}
	for _, f := range found {
		fmt.Println(f)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}

// listed is what the go command says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	ImportMap               map[string]string
	DepOnly                 bool
}

// run looks at packages as they are built for the page, or if none is named at all of this module's that the page is made of, and
// returns what it found in the order of files.
func run(patterns []string) (found []string, err error) {
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
		f, err := check(p, exports)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		found = append(found, f...)
	}
	return found, nil
}

// check type-checks a package's own files against what was compiled of the others, and looks at each file.
func check(p listed, exports map[string]string) (found []string, err error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	conf := types.Config{
		Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
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
	if _, err := conf.Check(p.ImportPath, fset, files, info); err != nil {
		return nil, err
	}
	for _, f := range files {
		found = append(found, inspect(fset, f, info)...)
	}
	return found, nil
}

const directive = "//maporder:free"

// inspect returns what is found in a file and not allowed by a comment.
func inspect(fset *token.FileSet, f *ast.File, info *types.Info) (found []string) {
	type reason struct {
		pos  token.Pos
		text string
		used bool
	}
	reasons := map[int]*reason{} // by line
	for _, group := range f.Comments {
		for _, c := range group.List {
			if rest, ok := strings.CutPrefix(c.Text, directive); ok {
				reasons[fset.Position(c.Pos()).Line] = &reason{pos: c.Pos(), text: strings.TrimSpace(rest)}
			}
		}
	}
	type finding struct {
		line int
		text string
	}
	var all []finding
	at := func(pos token.Pos, words string) {
		p := fset.Position(pos)
		all = append(all, finding{p.Line, fmt.Sprintf("%s:%d: %s", short(p.Filename), p.Line, words)})
	}
	report := func(pos token.Pos, words string) {
		line := fset.Position(pos).Line
		for _, l := range []int{line, line - 1} {
			if r := reasons[l]; r != nil {
				r.used = true
				return
			}
		}
		at(pos, words)
	}
	l := &looker{info: info, report: report}
	ast.Inspect(f, func(n ast.Node) bool {
		l.look(n)
		return true
	})
	for _, r := range reasons {
		switch {
		case r.text == "":
			at(r.pos, directive+" must say why the order cannot be seen")
		case !r.used:
			at(r.pos, directive+" stands where nothing depends on the order of a map")
		}
	}
	slices.SortFunc(all, func(a, b finding) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return strings.Compare(a.text, b.text)
	})
	for _, f := range all {
		found = append(found, f.text)
	}
	return found
}

// short is a path as a person in the module's root would write it.
func short(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
