package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"informerscope/tools/pagecode"
)

// flow follows one function from its beginning to its end, and knows at each place of which kinds the events that it has can be.
type flow struct {
	program *program
	pkg     *pagecode.Package
	decl    *ast.FuncDecl
	top     ast.Decl  // where it is not a function
	is      *function // nil where it takes no events
	kindOf  map[types.Object]string
	free    bool // it treats all kinds alike, and says why
	telling bool
	handed  bool // a function was handed kinds that it was not known to be handed
	found   []finding
}

// state says of which kinds the events can be that are found by a path (see path); of one that is not in it nothing is known.
type state map[string]kinds

func (s state) copy() state { return maps.Clone(s) }

// join is what is known after one or the other.
func join(a, b state) state {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	out := state{}
	//maporder:free each has a path of its own
	for k, v := range a {
		if w, ok := b[k]; ok {
			out[k] = v.or(w)
		}
	}
	return out
}

func (f *flow) run() {
	f.handed, f.found = false, nil
	if f.decl == nil {
		f.expr(f.top, state{})
		return
	}
	s := state{}
	if f.is != nil {
		fields := []*ast.FieldList{f.decl.Recv, f.decl.Type.Params}
		var names []*ast.Ident
		for i, list := range fields {
			if list == nil || list.NumFields() == 0 {
				if i == 0 {
					names = append(names, nil)
				}
				continue
			}
			for _, field := range list.List {
				if len(field.Names) == 0 {
					names = append(names, nil)
				}
				names = append(names, field.Names...)
			}
		}
		for i, name := range names {
			if name != nil && f.is.params[i] != nil {
				s[f.path(name)] = f.is.takes[i]
			}
		}
	}
	f.block(f.decl.Body.List, s)
}

// path names where an event is found from a function's variables; empty for what is not followed.
func (f *flow) path(x ast.Expr) string {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		obj := f.pkg.Info.Uses[x]
		if obj == nil {
			obj = f.pkg.Info.Defs[x]
		}
		if v, ok := obj.(*types.Var); ok {
			return v.Name() + "@" + strconv.Itoa(int(v.Pos()))
		}
	case *ast.SelectorExpr:
		if base := f.path(x.X); base != "" {
			if x.Sel.Name == "Event" && f.isEvent(x) { // the event that another one embeds is the same
				return base
			}
			return base + "." + x.Sel.Name
		}
	case *ast.StarExpr:
		return f.path(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return f.path(x.X)
		}
	case *ast.IndexExpr:
		if base := f.path(x.X); base != "" {
			if c, ok := f.constant(x.Index); ok {
				return base + "[" + strconv.FormatInt(c, 10) + "]"
			}
			if i := f.path(x.Index); i != "" {
				return base + "[" + i + "]"
			}
		}
	}
	return ""
}

// of says of which kinds an event can be.
func (f *flow) of(x ast.Expr, s state) kinds {
	x = ast.Unparen(x)
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
		x = ast.Unparen(u.X)
	}
	if lit, ok := x.(*ast.CompositeLit); ok {
		for _, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				switch nameOf(kv.Key) {
				case "Kind":
					return f.value(kv.Value, s)
				case "Event":
					return f.of(kv.Value, s)
				}
			}
		}
		return kinds{} // no event yet
	}
	if p := f.path(x); p != "" {
		if is, ok := s[p]; ok {
			return is
		}
	}
	return f.program.all
}

// value says which kinds an expression can be that is a kind.
func (f *flow) value(x ast.Expr, s state) (is kinds) {
	if c, ok := f.constant(x); ok {
		if c >= 0 && c < int64(len(f.program.names)) {
			is.add(c)
		}
		return is
	}
	if p := f.kindPath(x); p != "" {
		if is, ok := s[p]; ok {
			return is
		}
	}
	return f.program.all
}

func (f *flow) constant(x ast.Expr) (int64, bool) {
	if tv, ok := f.pkg.Info.Types[x]; ok && tv.Value != nil && tv.Value.Kind() == constant.Int {
		return constant.Int64Val(tv.Value)
	}
	return 0, false
}

func (f *flow) isEvent(x ast.Expr) bool {
	tv, ok := f.pkg.Info.Types[x]
	return ok && tv.Type != nil && isEventType(tv.Type)
}

func isKind(t types.Type) bool { return t != nil && types.Unalias(t).String() == informerPath+".Kind" }

// kindPath is the path of the event whose kind an expression is, as e.Kind or as a variable that was set to it.
func (f *flow) kindPath(x ast.Expr) string {
	switch x := ast.Unparen(x).(type) {
	case *ast.SelectorExpr:
		if x.Sel.Name == "Kind" && f.member(x) {
			return f.path(x.X)
		}
	case *ast.Ident:
		return f.kindOf[f.pkg.Info.Uses[x]]
	}
	return ""
}

// member says whether a selector is of a member of an event, also of one that stands in another struct.
func (f *flow) member(x *ast.SelectorExpr) bool {
	v, ok := f.pkg.Info.Uses[x.Sel].(*types.Var)
	if !ok || !v.IsField() || v.Pkg() == nil || v.Pkg().Path() != informerPath {
		return false
	}
	event, ok := v.Pkg().Scope().Lookup("Event").(*types.TypeName)
	if !ok {
		return false
	}
	fields := event.Type().Underlying().(*types.Struct)
	for i := range fields.NumFields() {
		if fields.Field(i) == v {
			return true
		}
	}
	return false
}

// narrow is what is known where a condition holds, or does not.
func (f *flow) narrow(cond ast.Expr, s state, holds bool) state {
	switch x := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			return f.narrow(x.X, s, !holds)
		}
	case *ast.BinaryExpr:
		switch {
		case x.Op == token.LAND && holds, x.Op == token.LOR && !holds:
			return f.narrow(x.Y, f.narrow(x.X, s, holds), holds)
		case x.Op == token.LAND, x.Op == token.LOR:
			return join(f.narrow(x.X, s, holds), f.narrow(x.Y, f.narrow(x.X, s, !holds), holds))
		}
		path, than, op := f.kindPath(x.X), x.Y, x.Op
		if path == "" {
			path, than, op = f.kindPath(x.Y), x.X, turned[x.Op]
		}
		c, ok := f.constant(than)
		if path == "" || !ok {
			return s
		}
		var fits kinds
		for k := range int64(len(f.program.names)) {
			if f.program.all.has(k) && constant.Compare(constant.MakeInt64(k), op, constant.MakeInt64(c)) == holds {
				fits.add(k)
			}
		}
		return f.only(path, fits, s)
	}
	return s
}

var turned = map[token.Token]token.Token{token.EQL: token.EQL, token.NEQ: token.NEQ, token.LSS: token.GTR, token.GTR: token.LSS,
	token.LEQ: token.GEQ, token.GEQ: token.LEQ}

func (f *flow) only(path string, fits kinds, s state) state {
	s = s.copy()
	is, ok := s[path]
	if !ok {
		is = f.program.all
	}
	s[path] = is.and(fits)
	return s
}

// block follows statements; it returns nil where their end is not reached.
func (f *flow) block(list []ast.Stmt, s state) state {
	for _, st := range list {
		if s = f.stmt(st, s); s == nil {
			return nil
		}
	}
	return s
}

func (f *flow) stmt(st ast.Stmt, s state) state {
	switch st := st.(type) {
	case nil:
	case *ast.BlockStmt:
		return f.block(st.List, s)
	case *ast.LabeledStmt:
		return f.stmt(st.Stmt, s)
	case *ast.ReturnStmt:
		f.expr(st, s)
		return nil
	case *ast.BranchStmt:
		if st.Tok == token.CONTINUE || st.Tok == token.GOTO {
			return nil
		}
	case *ast.ExprStmt:
		f.expr(st, s)
		if c, ok := st.X.(*ast.CallExpr); ok && nameOf(c.Fun) == "panic" {
			return nil
		}
	case *ast.AssignStmt:
		return f.assign(st, s)
	case *ast.DeclStmt:
		f.expr(st, s)
		s = s.copy()
		for _, spec := range st.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				for i, name := range v.Names {
					if !f.isEventVar(name) {
						continue
					}
					s[f.path(name)] = kinds{} // no event yet
					if i < len(v.Values) {
						s[f.path(name)] = f.of(v.Values[i], s)
					}
				}
			}
		}
		return s
	case *ast.IfStmt:
		if s = f.stmt(st.Init, s); s == nil {
			return nil
		}
		f.expr(st.Cond, s)
		then := f.block(st.Body.List, f.narrow(st.Cond, s, true))
		other := f.narrow(st.Cond, s, false)
		if st.Else != nil {
			other = f.stmt(st.Else, other)
		}
		return join(then, other)
	case *ast.ForStmt:
		s = f.stmt(st.Init, s)
		s = f.loses(s, st.Body, st.Post)
		in := s
		if st.Cond != nil {
			f.expr(st.Cond, s)
			in = f.narrow(st.Cond, s, true)
		}
		f.stmt(st.Post, f.block(st.Body.List, in).copy())
		return s
	case *ast.RangeStmt:
		f.expr(st.X, s)
		s = f.loses(s, st.Body)
		for _, v := range []ast.Expr{st.Key, st.Value} {
			if v != nil && f.path(v) != "" {
				s = f.forget(f.path(v), s)
			}
		}
		f.block(st.Body.List, s)
		return s
	case *ast.SwitchStmt:
		return f.switches(st, s)
	case *ast.TypeSwitchStmt:
		s = f.stmt(st.Init, s)
		f.expr(st.Assign, s)
		return f.clauses(st.Body, s)
	case *ast.SelectStmt:
		return f.clauses(st.Body, s)
	default: // sends, calls, counts
		f.expr(st, s)
	}
	return s
}

func (f *flow) isEventVar(name *ast.Ident) bool {
	v, ok := f.pkg.Info.Defs[name].(*types.Var)
	return ok && isEventType(v.Type())
}

// clauses follows what is chosen by anything but a kind.
func (f *flow) clauses(body *ast.BlockStmt, s state) state {
	after := s
	for _, c := range body.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			after = join(after, f.block(c.Body, s))
		case *ast.CommClause:
			if in := f.stmt(c.Comm, s); in != nil {
				after = join(after, f.block(c.Body, in))
			}
		}
	}
	return after
}

func (f *flow) switches(st *ast.SwitchStmt, s state) state {
	s = f.stmt(st.Init, s)
	var path string
	if st.Tag != nil {
		f.expr(st.Tag, s)
		path = f.kindPath(st.Tag)
	}
	rest := s // of which kinds it is where no case before fits
	var after state
	var byDefault []ast.Stmt
	hasDefault := false
	for _, st2 := range st.Body.List {
		c := st2.(*ast.CaseClause)
		if c.List == nil {
			byDefault, hasDefault = c.Body, true
			continue
		}
		var in state
		for _, x := range c.List {
			f.expr(x, rest)
			switch {
			case path != "":
				k, ok := f.constant(x)
				if !ok {
					in = join(in, rest)
					break
				}
				var one kinds
				if one.add(k); f.program.all.and(one) == (kinds{}) {
					f.report(x.Pos(), "%s is not in %s", nameOf(x), table)
				}
				in = join(in, f.only(path, one, rest))
				rest = f.only(path, f.program.all.without(one), rest)
			case st.Tag == nil:
				in = join(in, f.narrow(x, rest, true))
				rest = f.narrow(x, rest, false)
			default:
				in = join(in, rest)
			}
		}
		after = join(after, f.block(c.Body, in))
	}
	if hasDefault {
		return join(after, f.block(byDefault, rest))
	}
	return join(after, rest)
}

func (f *flow) assign(st *ast.AssignStmt, s state) state {
	for _, x := range st.Rhs {
		f.expr(x, s)
	}
	out := s.copy()
	// An event that gets its kind in the same statement as other members is of that kind already.
	for i, l := range st.Lhs {
		if x, ok := ast.Unparen(l).(*ast.SelectorExpr); ok && x.Sel.Name == "Kind" && f.member(x) {
			if p := f.path(x.X); p != "" && len(st.Lhs) == len(st.Rhs) {
				out[p] = f.value(st.Rhs[i], s)
			}
		}
	}
	for i, l := range st.Lhs {
		f.expr(l, out)
		p := f.path(l)
		if p == "" {
			continue
		}
		if id, ok := l.(*ast.Ident); ok {
			obj := f.pkg.Info.Defs[id]
			if obj == nil {
				obj = f.pkg.Info.Uses[id]
			}
			if obj != nil && isKind(obj.Type()) && len(st.Lhs) == len(st.Rhs) {
				f.kindOf[obj] = f.kindPath(st.Rhs[i])
			}
		}
		tv, ok := f.pkg.Info.Types[l]
		isEvent := ok && tv.Type != nil && isEventType(tv.Type)
		if id, isId := l.(*ast.Ident); isId && st.Tok == token.DEFINE {
			isEvent = f.isEventVar(id) || isEvent
		}
		switch {
		case isEvent && len(st.Lhs) == len(st.Rhs):
			out[p] = f.of(st.Rhs[i], s)
		case nameOf(l) != "Kind":
			out = f.forget(p, out)
		}
	}
	return out
}

// forget is what is known after a path was set to something.
func (f *flow) forget(path string, s state) state {
	out := state{}
	//maporder:free each has a path of its own
	for k, v := range s {
		if k != path && !strings.HasPrefix(k, path+".") && !strings.HasPrefix(k, path+"[") && !strings.Contains(k, "["+path+"]") {
			out[k] = v
		}
	}
	return out
}

// loses is what is known at the beginning of any round of a loop: nothing of what it sets.
func (f *flow) loses(s state, parts ...ast.Stmt) state {
	for _, part := range parts {
		if part == nil {
			continue
		}
		ast.Inspect(part, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, l := range n.Lhs {
					x := ast.Unparen(l)
					if sel, ok := x.(*ast.SelectorExpr); ok && f.member(sel) {
						if sel.Sel.Name != "Kind" {
							continue
						}
						x = sel.X
					}
					if p := f.path(x); p != "" {
						s = f.forget(p, s)
					}
				}
			case *ast.IncDecStmt:
				if p := f.path(n.X); p != "" {
					s = f.forget(p, s)
				}
			}
			return true
		})
	}
	return s
}

// expr looks at what is read, made and handed over in a part of the code that has no statements but those of functions in it.
func (f *flow) expr(n ast.Node, s state) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			f.block(n.Body.List, s.copy())
			return false
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				f.expr(n.X, s)
				f.expr(n.Y, f.narrow(n.X, s, n.Op == token.LAND))
				return false
			}
		case *ast.CompositeLit:
			f.literal(n)
		case *ast.SelectorExpr:
			f.selects(n, s)
		case *ast.CallExpr:
			f.calls(n, s)
		}
		return true
	})
}

// selects reports a member that the event has not.
func (f *flow) selects(x *ast.SelectorExpr, s state) {
	name := x.Sel.Name
	if !f.telling || slices.Contains(always, name) || !f.member(x) {
		return
	}
	is := f.of(x.X, s)
	has := f.program.has[name]
	if slices.Contains(overloaded, name) {
		if lacks := is.without(has); lacks != (kinds{}) {
			f.report(x.Pos(), "%s has no %s", f.program.words(lacks), name)
		}
	} else if is != (kinds{}) && is.and(has) == (kinds{}) {
		f.report(x.Pos(), "%s has no %s", f.program.words(is), name)
	}
}

// words names kinds, or some of them where they are many.
func (p *program) words(is kinds) string {
	var names []string
	for k := range int64(len(p.names)) {
		if is.has(k) {
			names = append(names, p.names[k])
		}
	}
	if len(names) > 3 {
		return names[0] + " or another"
	}
	return strings.Join(names, " or ")
}

// calls hands kinds to the function that is called.
func (f *flow) calls(c *ast.CallExpr, s state) {
	id := callee(c)
	if id == nil {
		return
	}
	fn, ok := f.pkg.Info.Uses[id].(*types.Func)
	if !ok {
		return
	}
	to := f.program.byFn[fn.Origin().FullName()]
	if to == nil {
		return
	}
	hand := func(i int, x ast.Expr) {
		if i >= len(to.params) || to.params[i] == nil {
			return
		}
		if is := to.takes[i].or(f.of(x, s)); is != to.takes[i] {
			to.takes[i], f.handed = is, true
		}
	}
	if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		hand(0, sel.X)
	}
	for i, x := range c.Args {
		hand(i+1, x)
	}
}
