// Command eventmembers finds members of events that their kind has not. An informer.Event is one flat struct, whose members mean something else in
// each kind; which ones a kind has stands in core/trace/kinds.go. Reported are, in the code that the page is made of:
//
//   - a literal informer.Event{Kind: K, ...} with a constant K that sets another member;
//   - N, M, Flag, Text or Dur, whose meaning changes most, where the event can be of a kind that has no such member;
//   - another member where the event can be of no kind that has it;
//   - an event of a kind that the table lacks.
//
// Of which kinds an event can be is what the switches and conditions around it say, and where it is a parameter, what all callers hand over (see
// flow). Code that must treat all kinds alike, because it keeps, copies or writes events, says so in a comment of its file or of its function that
// begins with
//
//	//eventmembers:any
//
// and gives the reason.
//
// Usage: eventmembers [PACKAGE...]
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"

	"informerscope/tools/pagecode"
)

const table = "core/trace/kinds.go"

func main() {
	found, err := run(table, os.Args[1:])
	pagecode.Exit("eventmembers", found, err)
}

// run returns what it finds in packages, in the order of files.
func run(table string, patterns []string) (found []string, err error) {
	carries, err := read(table)
	if err != nil {
		return nil, err
	}
	packages, err := pagecode.Load(patterns)
	if err != nil {
		return nil, err
	}
	p := newProgram(carries, packages)
	for _, f := range p.findings() {
		at := f.fset.Position(f.pos)
		found = append(found, fmt.Sprintf("%s:%d: %s", pagecode.Short(at.Filename), at.Line, f.text))
	}
	return found, nil
}

// read returns the members of each kind by its name.
func read(table string) (map[string][]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), table, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	carries := map[string][]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		if kv, ok := n.(*ast.KeyValueExpr); ok {
			if row, ok := kv.Value.(*ast.CompositeLit); ok && len(row.Elts) == 3 {
				if v, ok := row.Elts[2].(*ast.BasicLit); ok && v.Kind == token.STRING {
					words, _ := strconv.Unquote(v.Value)
					carries[nameOf(kv.Key)] = strings.Fields(words)
				}
			}
		}
		return true
	})
	if len(carries) < 50 {
		return nil, fmt.Errorf("%s has %d kinds only", table, len(carries))
	}
	return carries, nil
}

func nameOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// always are the members that every event has.
var always = []string{"Kind", "Seq", "At", "Lane", "Event"}

// overloaded are the members that mean something else in nearly every kind.
var overloaded = []string{"N", "M", "Flag", "Text", "Dur"}

// finding is one thing to report.
type finding struct {
	fset *token.FileSet
	pos  token.Pos
	text string
}

// literal reports what an event is made with that its kind has not.
func (f *flow) literal(lit *ast.CompositeLit) {
	if !f.isEvent(lit) {
		return
	}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok || nameOf(kv.Key) != "Kind" {
			continue
		}
		of, ok := f.constant(kv.Value)
		if !ok || of >= int64(len(f.program.names)) {
			continue
		}
		kind := f.program.names[of]
		has, ok := f.program.carries[kind]
		if !ok {
			if kind != "" && kind != "KindNone" && kind != "KindExternal" {
				f.report(kv.Pos(), "%s is not in %s", kind, table)
			}
			return
		}
		for _, e := range lit.Elts {
			if name := nameOf(e.(*ast.KeyValueExpr).Key); !slices.Contains(has, name) && !slices.Contains(always, name) {
				f.report(e.Pos(), "%s has no %s", kind, name)
			}
		}
	}
}
