package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"informerscope/tools/pagecode"
)

const (
	informerPath = "informerscope/core/informer"
	tracePath    = "informerscope/core/trace"
)

// kinds is a set of kinds by their numbers.
type kinds [4]uint64

func (s kinds) has(k int64) bool { return s[k/64]>>(k%64)&1 == 1 }
func (s *kinds) add(k int64)     { s[k/64] |= 1 << (k % 64) }
func (s kinds) and(t kinds) kinds {
	for i := range s {
		s[i] &= t[i]
	}
	return s
}
func (s kinds) or(t kinds) kinds {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}
func (s kinds) without(t kinds) kinds {
	for i := range s {
		s[i] &^= t[i]
	}
	return s
}

// program is all code that is looked at, and what is known of its functions.
type program struct {
	carries map[string][]string
	names   [256]string // of the kinds, by number
	all     kinds       // that are in the table
	has     map[string]kinds
	// funcs are the functions that have an event as a parameter, or as their receiver, by their full name.
	funcs []*function
	byFn  map[string]*function
	flows []*flow
}

// function is one that is handed events.
type function struct {
	params []*types.Var // those that are events; nil in between
	takes  []kinds      // what callers hand over, as far as it is known yet
}

// newProgram finds the functions, and those of them whose callers are not all seen: who calls through a value or through an interface is not.
func newProgram(carries map[string][]string, packages []*pagecode.Package) *program {
	p := &program{carries: carries, has: map[string]kinds{}, byFn: map[string]*function{}}
	p.numbers(packages)
	called, open := map[string]bool{}, map[string]bool{}
	interfaces := map[string]bool{}
	for _, pkg := range packages {
		inCall := map[*ast.Ident]bool{}
		for _, file := range pkg.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if id := callee(n); id != nil {
						inCall[id] = true
					}
				case *ast.InterfaceType:
					for _, m := range n.Methods.List {
						for _, name := range m.Names {
							interfaces[name.Name] = true
						}
					}
				}
				return true
			})
		}
		//maporder:free only sets are filled
		for id, obj := range pkg.Info.Uses {
			if fn, ok := obj.(*types.Func); ok {
				if name := fn.Origin().FullName(); inCall[id] {
					called[name] = true
				} else {
					open[name] = true
				}
			}
		}
	}
	for _, pkg := range packages {
		for _, file := range pkg.Files {
			freeFile := slices.ContainsFunc(file.Comments, func(c *ast.CommentGroup) bool { return c.Pos() < file.Package && free(c) })
			for _, decl := range file.Decls {
				f := &flow{program: p, pkg: pkg, free: freeFile, kindOf: map[types.Object]string{}}
				d, ok := decl.(*ast.FuncDecl)
				if !ok {
					f.top = decl
					p.flows = append(p.flows, f)
					continue
				}
				if d.Body == nil {
					continue
				}
				f.decl, f.free = d, f.free || free(d.Doc)
				p.flows = append(p.flows, f)
				fn := pkg.Info.Defs[d.Name].(*types.Func)
				is := p.function(fn)
				if is == nil {
					continue
				}
				f.is = is
				name := fn.FullName()
				p.byFn[name] = is
				if !called[name] || open[name] || interfaces[fn.Name()] {
					for i := range is.takes {
						is.takes[i] = p.all
					}
				}
			}
		}
	}
	return p
}

// free says whether a comment says that its code treats all kinds alike, and why.
func free(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	return slices.ContainsFunc(doc.List, func(c *ast.Comment) bool {
		why, ok := strings.CutPrefix(c.Text, "//eventmembers:any")
		return ok && strings.TrimSpace(why) != ""
	})
}

// numbers learns the numbers of the kinds.
func (p *program) numbers(packages []*pagecode.Package) {
	seen := map[*types.Package]bool{}
	learn := func(of *types.Package) {
		if of == nil || seen[of] || of.Path() != informerPath && of.Path() != tracePath {
			return
		}
		seen[of] = true
		for _, name := range of.Scope().Names() {
			c, ok := of.Scope().Lookup(name).(*types.Const)
			if !ok || c.Type().String() != informerPath+".Kind" || !strings.HasPrefix(name, "Kind") || name == "KindExternal" {
				continue
			}
			if v, ok := constant.Int64Val(c.Val()); ok && v < int64(len(p.names)) {
				p.names[v] = name
				if has, ok := p.carries[name]; ok {
					p.all.add(v)
					for _, m := range has {
						s := p.has[m]
						s.add(v)
						p.has[m] = s
					}
				}
			}
		}
	}
	for _, pkg := range packages {
		//maporder:free what is learned of a package does not depend on when
		for _, obj := range pkg.Info.Uses {
			learn(obj.Pkg())
		}
		//maporder:free what is learned of a package does not depend on when
		for _, obj := range pkg.Info.Defs {
			if obj != nil {
				learn(obj.Pkg())
			}
		}
	}
}

// function is what is to be known of one that takes events, nil of another.
func (p *program) function(fn *types.Func) *function {
	sig := fn.Type().(*types.Signature)
	is := &function{}
	any := false
	add := func(v *types.Var) {
		if v == nil || !isEventType(v.Type()) {
			v = nil
		} else {
			any = true
		}
		is.params = append(is.params, v)
	}
	add(sig.Recv())
	for i := range sig.Params().Len() {
		add(sig.Params().At(i))
	}
	if !any {
		return nil
	}
	is.takes = make([]kinds, len(is.params))
	return is
}

// findings follows the kinds until nothing new is handed to any function, and then says what is wrong.
func (p *program) findings() []finding {
	for changed := true; changed; {
		changed = false
		for _, f := range p.flows {
			f.run()
			changed = changed || f.handed
		}
	}
	var all []finding
	for _, f := range p.flows {
		f.telling = !f.free
		f.run()
		all = append(all, f.found...)
	}
	return all
}

// isEventType says whether a type is an event's, or a pointer to one.
func isEventType(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	s := types.Unalias(t).String()
	return s == informerPath+".Event" || s == tracePath+".Event"
}

// callee is the name of the function that is called, nil where it is none.
func callee(c *ast.CallExpr) *ast.Ident {
	x := ast.Unparen(c.Fun)
	switch i := x.(type) {
	case *ast.IndexExpr:
		x = i.X
	case *ast.IndexListExpr:
		x = i.X
	}
	switch x := x.(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	}
	return nil
}

func (f *flow) report(pos token.Pos, format string, args ...any) {
	if f.telling {
		f.found = append(f.found, finding{f.pkg.Fset, pos, fmt.Sprintf(format, args...)})
	}
}
