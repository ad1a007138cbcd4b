package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// looker looks at the nodes of a file, parents before children.
type looker struct {
	info   *types.Info
	report func(pos token.Pos, words string)
	// sorted are the calls that were met within one that takes the order away.
	sorted map[*ast.CallExpr]bool
}

// chanceCalls maps functions and methods that iterate in random order, or draw without a seed, to what they do.
var chanceCalls = map[string]string{
	"maps.Keys":              "gives a map's keys in an order of chance; sort them: slices.Sorted(maps.Keys(m))",
	"maps.Values":            "gives a map's values in an order of chance; sort them, or walk sorted keys",
	"maps.All":               "gives a map's entries in an order of chance; walk sorted keys",
	"sync.Map.Range":         "iterates in an order of chance",
	"reflect.Value.MapKeys":  "gives a map's keys in an order of chance; sort them",
	"reflect.Value.MapRange": "iterates in an order of chance",
	"hash/maphash.MakeSeed":  "draws what no seed decides, so that what is hashed lies in an order of chance",
}

const setsPackage = "k8s.io/apimachinery/pkg/util/sets."

// constructors are the functions of math/rand that draw no number.
var constructors = []string{"New", "NewSource", "NewPCG", "NewChaCha8", "NewZipf"}

func (l *looker) look(n ast.Node) {
	switch n := n.(type) {
	case *ast.RangeStmt:
		if l.isMap(n.X) {
			l.report(n.Pos(), "ranges over a map, whose order is chance: walk sorted keys, or say in "+directive+" why the order cannot be seen")
		}
	case *ast.CallExpr:
		l.call(n)
	case *ast.SelectorExpr:
		l.draw(n)
	}
}

// isMap reports whether an expression is a map, or of a type parameter that only a map can be.
func (l *looker) isMap(x ast.Expr) bool {
	t := l.info.TypeOf(x)
	if t == nil {
		return false
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		isMap := false
		for i := range p.Underlying().(*types.Interface).NumEmbeddeds() {
			u, ok := p.Underlying().(*types.Interface).EmbeddedType(i).Underlying().(*types.Map)
			isMap = isMap || ok && u != nil
			if union, ok := p.Underlying().(*types.Interface).EmbeddedType(i).(*types.Union); ok {
				for j := range union.Len() {
					_, ok := union.Term(j).Type().Underlying().(*types.Map)
					isMap = isMap || ok
				}
			}
		}
		return isMap
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// callee is the full name of what is called, a method's with its receiver's type: "maps.Keys", "sync.Map.Range".
func (l *looker) callee(fun ast.Expr) string {
	switch x := ast.Unparen(fun).(type) {
	case *ast.IndexExpr:
		return l.callee(x.X)
	case *ast.IndexListExpr:
		return l.callee(x.X)
	case *ast.SelectorExpr:
		return l.namedType(x.Sel)
	case *ast.Ident:
		return l.namedType(x)
	}
	return ""
}

func (l *looker) namedType(id *ast.Ident) string {
	f, ok := l.info.Uses[id].(*types.Func)
	if !ok || f.Pkg() == nil {
		return ""
	}
	if recv := f.Signature().Recv(); recv != nil {
		t := recv.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if named, ok := types.Unalias(t).(*types.Named); ok {
			return f.Pkg().Path() + "." + named.Obj().Name() + "." + f.Name()
		}
	}
	return f.Pkg().Path() + "." + f.Name()
}

func (l *looker) call(n *ast.CallExpr) {
	if l.sorted == nil {
		l.sorted = map[*ast.CallExpr]bool{}
	}
	switch name := l.callee(n.Fun); name {
	case "slices.Sorted", "maps.Collect", "maps.Insert":
		for _, a := range n.Args {
			if inner, ok := ast.Unparen(a).(*ast.CallExpr); ok {
				l.sorted[inner] = true
			}
		}
	case "":
	default:
		words := chanceCalls[name]
		if method, ok := strings.CutPrefix(name, setsPackage); ok && (strings.HasSuffix(method, ".UnsortedList") || strings.HasSuffix(method, ".PopAny")) {
			words = "takes a set's elements in an order of chance; sort them: sets.List"
		}
		if words != "" && !l.sorted[n] {
			l.report(n.Pos(), name+" "+words)
		}
	}
}

// draw reports a use of what draws without a seed, called or handed on.
func (l *looker) draw(n *ast.SelectorExpr) {
	obj := l.info.Uses[n.Sel]
	if obj == nil || obj.Pkg() == nil {
		return
	}
	if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil {
		return
	}
	switch obj.Pkg().Path() {
	case "math/rand", "math/rand/v2":
		if _, ok := obj.(*types.Func); !ok || slices.Contains(constructors, obj.Name()) {
			return
		}
	case "crypto/rand":
	default:
		return
	}
	l.report(n.Pos(), obj.Pkg().Path()+"."+obj.Name()+" draws what no seed decides")
}
