// Command maporder finds what leaves an order to chance in the code that runs on virtual time. A link to a moment of the
// simulated cluster is exact because the same seed plays the same log. But Go iterates over a map in an order that no seed
// decides. Such code may range over a map only where the order makes no difference. go vet runs it: see `make check`.
//
// It reports the following, but in tests:
//
//   - range over a map. Write maps.Copy, maps.DeleteFunc, or slices.Sorted(maps.Keys(m)) in its place where that does;
//   - maps.Keys, maps.Values and maps.All, but within slices.Sorted, maps.Collect or maps.Insert;
//   - other iteration in an order of chance: sets' UnsortedList and PopAny, sync.Map.Range, reflect's MapKeys and MapRange;
//   - draws that no seed decides: the functions of math/rand, crypto/rand, maphash.MakeSeed.
//
// Where the order makes no difference, a comment on the line, or on the one before, says why:
//
//	//maporder:free REASON
//
// A comment without a reason, or where nothing was found, is reported too. Which of a select's ready cases goes first is
// chance as well, but the page's runtime takes that away (see tools/wasmpage/determinism), as no code can.
package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
	"golang.org/x/tools/go/types/typeutil"
)

var analyzer = &analysis.Analyzer{Name: "maporder", Doc: "find what leaves an order to chance", Run: run}

func main() { unitchecker.Main(analyzer) }

const directive = "//maporder:free"

// reason is why the order on a line cannot be seen, as a comment says.
type reason struct {
	pos  token.Pos
	text string
	used bool
}

// looker looks at the nodes of a file, parents before children.
type looker struct {
	*analysis.Pass
	reasons map[int]*reason // by line
	// sorted are the calls that were met within one that takes the order away.
	sorted map[ast.Expr]bool
}

func run(pass *analysis.Pass) (any, error) {
	for _, f := range pass.Files {
		if strings.HasSuffix(pass.Fset.Position(f.Pos()).Filename, "_test.go") {
			continue
		}
		l := &looker{pass, map[int]*reason{}, map[ast.Expr]bool{}}
		for _, group := range f.Comments {
			for _, c := range group.List {
				if rest, ok := strings.CutPrefix(c.Text, directive); ok {
					l.reasons[pass.Fset.Position(c.Pos()).Line] = &reason{pos: c.Pos(), text: strings.TrimSpace(rest)}
				}
			}
		}
		ast.Inspect(f, l.look)
		for _, r := range l.reasons {
			if r.text == "" {
				pass.Reportf(r.pos, directive+" must say why the order cannot be seen")
			} else if !r.used {
				pass.Reportf(r.pos, directive+" stands where nothing depends on the order of a map")
			}
		}
	}
	return nil, nil
}

func (l *looker) look(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.RangeStmt:
		if isMap(l.TypesInfo.TypeOf(n.X)) {
			l.report(n, "ranges over a map, whose order is chance: walk sorted keys, or say in "+directive+" why the order cannot be seen")
		}
	case *ast.CallExpr:
		l.call(n)
	case *ast.SelectorExpr:
		l.draw(n)
	}
	return true
}

func (l *looker) report(n ast.Node, words string) {
	line := l.Fset.Position(n.Pos()).Line
	for _, at := range []int{line, line - 1} {
		if r := l.reasons[at]; r != nil {
			r.used = true
			return
		}
	}
	l.Reportf(n.Pos(), "%s", words)
}

// isMap reports whether a type is a map, or a type parameter that only a map can be.
func isMap(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		for e := range p.Underlying().(*types.Interface).EmbeddedTypes() {
			if u, ok := e.(*types.Union); ok {
				e = u.Term(0).Type()
			}
			if isMap(e) {
				return true
			}
		}
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// chanceCalls maps functions and methods that iterate in random order, or draw without a seed, to what they do.
var chanceCalls = map[string]string{
	"maps.Keys":                "gives a map's keys in an order of chance; sort them: slices.Sorted(maps.Keys(m))",
	"maps.Values":              "gives a map's values in an order of chance; sort them, or walk sorted keys",
	"maps.All":                 "gives a map's entries in an order of chance; walk sorted keys",
	"(*sync.Map).Range":        "iterates in an order of chance",
	"(reflect.Value).MapKeys":  "gives a map's keys in an order of chance; sort them",
	"(reflect.Value).MapRange": "iterates in an order of chance",
	"hash/maphash.MakeSeed":    "draws what no seed decides, so that what is hashed lies in an order of chance",
}

func (l *looker) call(n *ast.CallExpr) {
	f := typeutil.StaticCallee(l.TypesInfo, n)
	if f == nil {
		return
	}
	words := chanceCalls[f.FullName()]
	switch name := f.Name(); {
	case slices.Contains([]string{"slices.Sorted", "maps.Collect", "maps.Insert"}, f.FullName()):
		for _, a := range n.Args {
			l.sorted[ast.Unparen(a)] = true
		}
	case f.Pkg() != nil && f.Pkg().Path() == "k8s.io/apimachinery/pkg/util/sets" && (name == "UnsortedList" || name == "PopAny"):
		words = "takes a set's elements in an order of chance; sort them: sets.List"
	}
	if words != "" && !l.sorted[n] {
		l.report(n, f.FullName()+" "+words)
	}
}

// draw reports a use of what draws without a seed, called or passed on: a function of math/rand but those that make a source, and all of crypto/rand.
func (l *looker) draw(n *ast.SelectorExpr) {
	obj := l.TypesInfo.Uses[n.Sel]
	if obj == nil || obj.Pkg() == nil {
		return
	}
	f, isFunc := obj.(*types.Func)
	switch path := obj.Pkg().Path(); {
	case isFunc && f.Signature().Recv() != nil:
	case strings.HasPrefix(path, "math/rand") && isFunc && !strings.HasPrefix(f.Name(), "New"), path == "crypto/rand":
		l.report(n, path+"."+obj.Name()+" draws what no seed decides")
	}
}
