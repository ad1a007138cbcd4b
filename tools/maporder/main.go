// Command maporder finds what leaves an order to chance in the code that runs on virtual time. A link to a moment of the
// simulated cluster is exact because the same seed plays the same log. But Go iterates over a map in an order that no seed
// decides. Such code may range over a map only where the order makes no difference.
//
// It reports the following, as packages are built for js/wasm: in those named, or else in those of this module that the page is
// made of.
//
//   - range over a map. Write maps.Copy, maps.DeleteFunc, or slices.Sorted(maps.Keys(m)) in its place where that does;
//   - maps.Keys, maps.Values and maps.All, but within slices.Sorted or maps.Collect;
//   - other iteration in an order of chance: sets' UnsortedList and PopAny, sync.Map.Range, reflect's MapKeys and MapRange;
//   - draws that no seed decides: the functions of math/rand, crypto/rand, maphash.MakeSeed.
//
// Where the order makes no difference, a comment on the line, or on the one before, says why:
//
//	//maporder:free REASON
//
// A comment without a reason, or where nothing was found, is reported too. Which of a select's ready cases goes first is
// chance as well, but the page's runtime takes that away (see tools/wasmpage/determinism), as no code can.
//
// Usage: maporder [PACKAGE...]
package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"

	"informerscope/tools/pagecode"
)

func main() {
	found, err := run(os.Args[1:])
	pagecode.Exit("maporder", found, err)
}

// run looks at packages as they are built for the page; if none is named, at all of this module that the page is made of. It
// returns what it found in the order of files.
func run(patterns []string) (found []string, err error) {
	packages, err := pagecode.Load(patterns)
	if err != nil {
		return nil, err
	}
	for _, p := range packages {
		for _, f := range p.Files {
			found = append(found, inspect(p.Fset, f, p.Info)...)
		}
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
		all = append(all, finding{p.Line, fmt.Sprintf("%s:%d: %s", pagecode.RelativePath(p.Filename), p.Line, words)})
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
