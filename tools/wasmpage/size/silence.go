package size

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	pathpkg "path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// silence rewrites a file and drops the imports that nothing in it needs
// then. It returns how many doors it found and how many idle initialisers, or no text when the file can stay
// as it is. The first file of a package with a door declares their error.
func silence(file string, closed, idle []string, strip, first bool) (text []byte, found, left int, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
	if err != nil {
		return nil, 0, 0, err
	}
	far := map[string]bool{} // names under which the file knows the packages beyond
	for _, imp := range f.Imports {
		if path, name := importOf(imp); farPackages[path] {
			far[name] = true
		}
	}
	changed := false
	gone := map[int]bool{} // declarations to leave out
	for i, d := range f.Decls {
		if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.VAR {
			n := clearValues(gen, idle)
			left += n
			changed = emptyVariables(gen, far) || n > 0 || changed
			continue
		}
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		switch {
		case slices.Contains(closed, name(fn)):
			found++
			fn.Body.List = []ast.Stmt{refuse(fn.Type)}
		case fn.Recv == nil && fn.Name.Name == "init" && slices.Contains(idle, "init"):
			left++
			gone[i] = true
		case strip && fn.Recv == nil && mentions(fn.Type, far):
			gone[i] = true
		case mentions(fn.Body, far):
			fn.Body.List = []ast.Stmt{panicStatement(Hidden)}
		default:
			continue
		}
		changed = true
	}
	if !changed {
		return nil, 0, 0, nil
	}
	var decls []ast.Decl
	for i, d := range f.Decls {
		if !gone[i] {
			decls = append(decls, d)
		}
	}
	f.Decls = decls
	used := selectors(f)
	for _, d := range f.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			continue
		}
		var kept []ast.Spec
		for _, spec := range gen.Specs {
			if _, name := importOf(spec.(*ast.ImportSpec)); name == "_" || used[name] {
				kept = append(kept, spec)
			}
		}
		gen.Specs = kept
	}
	// Loose comments would land between what is left, and build constraints are fulfilled; directives belong to their
	// declarations and stay.
	f.Comments = nil
	var out strings.Builder
	if err := format.Node(&out, fset, f); err != nil {
		return nil, 0, 0, err
	}
	if found > 0 && first {
		out.WriteString("\ntype doorError struct{}\n\nfunc (doorError) Error() string { return " + strconv.Quote(refusal) + " }\n\nvar errDoor error = doorError{}\n")
	}
	return []byte(out.String()), found, left, nil
}

// refuse is the body of a door: it returns an error if that is the last result,
// with zero values before it, and else panics.
func refuse(typ *ast.FuncType) ast.Stmt {
	if typ.Results != nil {
		last := typ.Results.List[len(typ.Results.List)-1]
		if id, ok := last.Type.(*ast.Ident); ok && id.Name == "error" {
			var results []ast.Expr
			for _, field := range typ.Results.List {
				for range max(1, len(field.Names)) {
					results = append(results, &ast.StarExpr{X: &ast.CallExpr{Fun: ast.NewIdent("new"), Args: []ast.Expr{field.Type}}})
				}
			}
			results[len(results)-1] = ast.NewIdent("errDoor")
			return &ast.ReturnStmt{Results: results}
		}
	}
	return panicStatement(refusal)
}

func panicStatement(word string) ast.Stmt {
	return &ast.ExprStmt{X: &ast.CallExpr{Fun: ast.NewIdent("panic"), Args: []ast.Expr{&ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(word)}}}}
}

// emptyVariables takes the value from variables that are made with a package beyond,
// where it is the address of a composite and so says the type.
func emptyVariables(gen *ast.GenDecl, far map[string]bool) (changed bool) {
	for _, spec := range gen.Specs {
		v := spec.(*ast.ValueSpec)
		if len(v.Values) != 1 || !mentions(v.Values[0], far) {
			continue
		}
		addr, ok := v.Values[0].(*ast.UnaryExpr)
		if !ok || addr.Op != token.AND {
			continue
		}
		if lit, ok := addr.X.(*ast.CompositeLit); ok {
			v.Type, v.Values, changed = &ast.StarExpr{X: lit.Type}, nil, true
		}
	}
	return changed
}

// clearValues takes the values from the idle variables, which are functions without arguments and results, and returns how many there are.
func clearValues(gen *ast.GenDecl, idle []string) (n int) {
	for _, spec := range gen.Specs {
		if v := spec.(*ast.ValueSpec); len(v.Names) == 1 && slices.Contains(idle, v.Names[0].Name) {
			v.Type, v.Values = &ast.FuncType{Params: &ast.FieldList{}}, nil
			n++
		}
	}
	return n
}

// name is a function's, with its receiver's type before it if it has one.
func name(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + fn.Name.Name
	}
	return fn.Name.Name
}

// version is how an import path ends that names a major version.
var version = regexp.MustCompile(`/v[0-9]+$`)

// importOf returns the path of an import and the name that the file uses for it.
func importOf(imp *ast.ImportSpec) (path, name string) {
	path = strings.Trim(imp.Path.Value, `"`)
	if imp.Name != nil {
		return path, imp.Name.Name
	}
	return path, pathpkg.Base(version.ReplaceAllString(path, ""))
}

// mentions reports whether a node selects from one of the packages named.
func mentions(node ast.Node, names map[string]bool) bool {
	for name := range selectors(node) {
		if names[name] {
			return true
		}
	}
	return false
}

// selectors are the plain names, but those of variables, that something is
// selected from.
func selectors(node ast.Node) map[string]bool {
	used := map[string]bool{}
	ast.Inspect(node, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && id.Obj == nil {
				used[id.Name] = true
			}
		}
		return true
	})
	return used
}
