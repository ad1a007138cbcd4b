// Command eventmembers finds members of events that their kind has not. An informer.Event is one flat struct, whose members mean something else in
// each kind; which ones a kind has stands in core/trace/members.go. Reported are, in the code that the page is made of:
//
//   - a literal informer.Event{Kind: K, ...} with a constant K that sets another member;
//   - a member of an event that is read or written in a case of a switch over the event's Kind, and that none of the kinds of the case has;
//   - an event of a kind that the table lacks.
//
// Where an event is handed on to a function that is not in the case, the function is not looked at.
//
// Usage: eventmembers [PACKAGE...]
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strconv"
	"strings"

	"informerscope/tools/pagecode"
)

const table = "core/trace/members.go"

func main() {
	found, err := run(table, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "eventmembers:", err)
		os.Exit(2)
	}
	for _, f := range found {
		fmt.Println(f)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
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
	for _, p := range packages {
		l := &looker{carries: carries, p: p}
		for _, f := range p.Files {
			ast.Inspect(f, func(n ast.Node) bool {
				l.look(n)
				return true
			})
		}
		found = append(found, l.found...)
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
			if v, ok := kv.Value.(*ast.BasicLit); ok && v.Kind == token.STRING {
				words, _ := strconv.Unquote(v.Value)
				carries[nameOf(kv.Key)] = strings.Fields(words)
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

type looker struct {
	carries map[string][]string
	p       *pagecode.Package
	found   []string
}

func (l *looker) report(pos token.Pos, format string, args ...any) {
	at := l.p.Fset.Position(pos)
	l.found = append(l.found, fmt.Sprintf("%s:%d: %s", pagecode.Short(at.Filename), at.Line, fmt.Sprintf(format, args...)))
}

// kind is the name of a constant of the type informer.Kind, and whether x is one.
func (l *looker) kind(x ast.Expr) (string, bool) {
	tv, ok := l.p.Info.Types[x]
	if !ok || tv.Value == nil || tv.Type == nil || tv.Type.String() != "informerscope/core/informer.Kind" {
		return "", false
	}
	name := nameOf(x)
	return name, strings.HasPrefix(name, "Kind") && name != "KindNone" && name != "KindExternal"
}

// isEvent says whether x is an event, or points to one.
func (l *looker) isEvent(x ast.Expr) bool {
	tv, ok := l.p.Info.Types[x]
	if !ok {
		return false
	}
	t := tv.Type
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	return slices.Contains([]string{"informerscope/core/informer.Event", "informerscope/core/trace.Event"}, t.String())
}

func (l *looker) look(n ast.Node) {
	switch n := n.(type) {
	case *ast.CompositeLit:
		l.literal(n)
	case *ast.SwitchStmt:
		if tag, ok := n.Tag.(*ast.SelectorExpr); ok && tag.Sel.Name == "Kind" && l.isEvent(tag.X) {
			for _, c := range n.Body.List {
				l.clause(tag.X, c.(*ast.CaseClause))
			}
		}
	}
}

// literal looks at what makes an event of a kind that stands in it.
func (l *looker) literal(lit *ast.CompositeLit) {
	if !l.isEvent(lit) {
		return
	}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok || nameOf(kv.Key) != "Kind" {
			continue
		}
		kind, ok := l.kind(kv.Value)
		if !ok {
			continue
		}
		has, ok := l.carries[kind]
		if !ok {
			l.report(kv.Pos(), "%s is not in %s", kind, table)
			return
		}
		for _, e := range lit.Elts {
			if name := nameOf(e.(*ast.KeyValueExpr).Key); !slices.Contains(has, name) && !slices.Contains(always, name) {
				l.report(e.Pos(), "%s has no %s", kind, name)
			}
		}
	}
}

// clause looks at what is done with an event whose kind is one of a case's.
func (l *looker) clause(event ast.Expr, c *ast.CaseClause) {
	var kinds, has []string
	for _, x := range c.List {
		kind, ok := l.kind(x)
		if !ok {
			return
		}
		kinds = append(kinds, kind)
		if l.carries[kind] == nil {
			l.report(x.Pos(), "%s is not in %s", kind, table)
		}
		has = append(has, l.carries[kind]...)
	}
	if len(kinds) == 0 {
		return
	}
	of, ok := event.(*ast.Ident)
	if !ok {
		return
	}
	for _, s := range c.Body {
		ast.Inspect(s, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := sel.X.(*ast.Ident)
			if !ok || l.p.Info.Uses[x] == nil || l.p.Info.Uses[x] != l.p.Info.Uses[of] {
				return true
			}
			if v, ok := l.p.Info.Uses[sel.Sel].(*types.Var); !ok || !v.IsField() {
				return true
			}
			if name := sel.Sel.Name; !slices.Contains(has, name) && !slices.Contains(always, name) {
				l.report(sel.Pos(), "%s has no %s", strings.Join(kinds, " or "), name)
			}
			return true
		})
	}
}
