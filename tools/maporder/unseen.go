package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// unseen reports whether the order in which a loop went over its map makes no difference: each of its statements does the same in
// any order. It knows few forms. Calls of functions but String methods are in none, since what they do is not seen here.
func (l *looker) unseen(loop *ast.RangeStmt) bool {
	u := &order{looker: l, key: l.object(loop.Key), local: map[types.Object]bool{}}
	for _, x := range []ast.Expr{loop.Key, loop.Value} {
		if obj := l.object(x); obj != nil && loop.Tok == token.DEFINE {
			u.local[obj] = true
		} else if x != nil && !blank(x) {
			return false // what is left in it is the last entry
		}
	}
	if !u.all(loop.Body.List) {
		return false
	}
	for _, list := range u.collected {
		if !l.sortedNext(list, l.followed[loop]) {
			return false
		}
	}
	return true
}

func (l *looker) object(x ast.Expr) types.Object {
	id, ok := x.(*ast.Ident)
	if !ok || id.Name == "_" {
		return nil
	}
	if obj := l.info.Defs[id]; obj != nil {
		return obj
	}
	return l.info.Uses[id]
}

func blank(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}

// sortedNext reports whether a list is sorted by the statement after the loop, by a whole order of its elements.
func (l *looker) sortedNext(list types.Object, next []ast.Stmt) bool {
	if len(next) == 0 {
		return false
	}
	s, ok := next[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := s.X.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || l.object(call.Args[0]) != list {
		// Another list that the same loop made may be sorted first.
		return ok && l.isSort(call) && l.sortedNext(list, next[1:])
	}
	return l.isSort(call)
}

func (l *looker) isSort(call *ast.CallExpr) bool {
	switch l.callee(call.Fun) {
	case "slices.Sort", "sort.Strings", "sort.Ints", "sort.Float64s":
		return true
	}
	return false
}

// order looks at the body of one loop.
type order struct {
	*looker
	key       types.Object
	local     map[types.Object]bool // made again for each entry
	collected []types.Object        // lists that entries were appended to
	answer    string                // what the loop returns early, if it does
	summed    map[types.Object]bool
}

func (u *order) all(list []ast.Stmt) bool {
	for _, s := range list {
		if !u.same(s) {
			return false
		}
	}
	return true
}

// same reports whether a statement does the same in whatever order the entries come.
func (u *order) same(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return u.all(s.List)
	case *ast.BranchStmt:
		return s.Tok == token.CONTINUE && s.Label == nil
	case *ast.IncDecStmt:
		return u.sum(s.X)
	case *ast.IfStmt:
		return (s.Init == nil || u.same(s.Init)) && u.pure(s.Cond) && u.same(s.Body) && (s.Else == nil || u.same(s.Else))
	case *ast.SwitchStmt:
		if s.Init != nil || s.Tag != nil && !u.pure(s.Tag) {
			return false
		}
		for _, c := range s.Body.List {
			if !u.all(c.(*ast.CaseClause).Body) {
				return false
			}
		}
		return true
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		return ok && u.builtin(call) == "delete" && u.isKey(call.Args[1]) && u.pure(call.Args[0])
	case *ast.ReturnStmt:
		return u.answers(s)
	case *ast.AssignStmt:
		return u.assigns(s)
	}
	return false
}

// answers reports whether a return says the same constant as every other in the loop: there is such an entry.
func (u *order) answers(s *ast.ReturnStmt) bool {
	text := "return"
	for _, r := range s.Results {
		tv := u.info.Types[r]
		switch {
		case tv.Value != nil:
			text += " " + tv.Value.ExactString()
		case tv.IsNil():
			text += " nil"
		default:
			return false
		}
	}
	if u.answer == "" {
		u.answer = text
	}
	// A list that is left half made, or a sum, would be another one each time.
	return u.answer == text && len(u.collected) == 0 && len(u.summed) == 0
}

func (u *order) assigns(s *ast.AssignStmt) bool {
	for _, r := range s.Rhs {
		if call, ok := r.(*ast.CallExpr); ok && len(s.Lhs) == 1 && u.builtin(call) == "append" {
			obj := u.object(s.Lhs[0])
			if obj == nil || u.object(call.Args[0]) != obj || u.answer != "" {
				return false
			}
			u.collected = append(u.collected, obj)
			for _, a := range call.Args[1:] {
				if !u.pure(a) {
					return false
				}
			}
			return true
		}
		if !u.pure(r) {
			return false
		}
	}
	switch s.Tok {
	case token.DEFINE:
		for _, x := range s.Lhs {
			u.local[u.object(x)] = true
		}
		return true
	case token.ADD_ASSIGN, token.SUB_ASSIGN, token.OR_ASSIGN, token.AND_ASSIGN, token.XOR_ASSIGN:
		return u.sum(s.Lhs[0])
	case token.ASSIGN:
		for _, x := range s.Lhs {
			at, ok := x.(*ast.IndexExpr)
			if !ok || !u.isMap(at.X) || !u.isKey(at.Index) || !u.pure(at.X) {
				return false
			}
		}
		return true
	}
	return false
}

// sum reports whether a variable holds a whole number, which is the same in whatever order one adds.
func (u *order) sum(x ast.Expr) bool {
	t, ok := u.info.TypeOf(x).Underlying().(*types.Basic)
	if !ok || t.Info()&types.IsInteger == 0 || !u.pure(x) || u.answer != "" {
		return false
	}
	if u.summed == nil {
		u.summed = map[types.Object]bool{}
	}
	u.summed[u.object(x)] = true
	return true
}

// isKey reports whether an expression is the entry's own key, which no other entry has.
func (u *order) isKey(x ast.Expr) bool { return u.key != nil && u.object(x) == u.key }

func (u *order) builtin(call *ast.CallExpr) string {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return ""
	}
	if b, ok := u.info.Uses[id].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// pure reports whether an expression only looks, and at nothing that the loop changes.
func (u *order) pure(x ast.Expr) bool {
	pure := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			// A String method is taken to be what fmt takes it for.
			if f := u.callee(n.Fun); len(n.Args) == 0 && strings.HasSuffix(f, ".String") {
				return true
			}
			if b := u.builtin(n); b != "len" && b != "cap" && b != "min" && b != "max" && !u.info.Types[n.Fun].IsType() {
				pure = false
			}
		case *ast.FuncLit:
			pure = false
		case *ast.UnaryExpr:
			pure = pure && n.Op != token.ARROW
		case *ast.Ident:
			if obj := u.info.Uses[n]; obj != nil && (u.summed[obj] || u.holds(obj)) {
				pure = false
			}
		}
		return pure
	})
	return pure
}

func (u *order) holds(obj types.Object) bool {
	for _, c := range u.collected {
		if c == obj {
			return true
		}
	}
	return false
}
