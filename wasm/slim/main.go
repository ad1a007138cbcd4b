// Command slim writes a build overlay that leaves TLS, dialling and
// internationalised host names out of the page.
//
// net/http links crypto/tls, a resolver and the tables of Unicode with
// everything below them, a good part of what a page would have to load, but a
// page never speaks TLS or looks up a name itself: its browser does. In the
// overlay a tls.Conn, the Dialer of net and the
// processing of host names that are not ASCII return an error, and what only
// they could reach panics in place of the cryptography it would do, so that
// the linker drops that. The overlay is made from the sources of the toolchain
// that builds, so nothing of them is kept here; when they are not as expected,
// slim fails and says so rather than build something else.
//
// Usage: go run ./wasm/slim DIR, then go build -overlay DIR/overlay.json.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// doors are the functions, by package, through which a page does not go; methods
// as Type.Method. They return an error.
var doors = map[string][]string{
	"crypto/tls":                   {"Conn.clientHandshake", "Conn.serverHandshake", "Conn.Read", "Conn.Write", "Conn.CloseWrite", "Conn.HandshakeContext"},
	"crypto/hpke":                  {},
	"vendor/golang.org/x/net/idna": {"Profile.process"},
	"net":                          {"Dialer.DialContext", "Dialer.DialTCP", "Dialer.DialUDP", "Dialer.DialIP", "Dialer.DialUnix"},
}

// beyond are the packages that only those doors lead to. A function of a
// package with a door that uses one of them cannot be reached but through it,
// and no variable needs a value from there.
var beyond = map[string]bool{
	"crypto/hpke": true, "crypto/ecdh": true, "crypto/mlkem": true, "crypto/ecdsa": true, "crypto/ed25519": true,
	"crypto/rsa": true, "crypto/elliptic": true, "crypto/fips140": true,
	"golang.org/x/text/secure/bidirule": true, "golang.org/x/text/unicode/bidi": true, "golang.org/x/text/unicode/norm": true,
	"crypto/internal/fips140/mlkem": true, "crypto/internal/fips140/tls13": true, "crypto/internal/fips140/tls12": true,
}

const refusal = "left out of the page (see wasm/slim)"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: slim DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "slim:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	replace := map[string]string{}
	for pkg, closed := range doors {
		found := 0
		// The go command's own word on which files make the package, for js/wasm, for which the page is built.
		list := exec.Command("go", "list", "-f", "{{.Dir}}{{range .GoFiles}}\n{{.}}{{end}}", pkg)
		list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
		list.Stderr = os.Stderr
		output, err := list.Output()
		if err != nil {
			return fmt.Errorf("go list %s: %w", pkg, err)
		}
		lines := strings.Split(strings.TrimSpace(string(output)), "\n")
		src := lines[0]
		for _, base := range lines[1:] {
			file := filepath.Join(src, base)
			text, n, err := silence(file, closed, found == 0)
			if err != nil {
				return err
			}
			if text == nil {
				continue
			}
			found += n
			out := filepath.Join(dir, strings.ReplaceAll(pkg, "/", "_")+"_"+filepath.Base(file))
			if err := os.WriteFile(out, text, 0o644); err != nil {
				return err
			}
			replace[file] = out
		}
		if found != len(closed) {
			return fmt.Errorf("found %d of the %d doors of %s in %s; it is built otherwise than expected", found, len(closed), pkg, src)
		}
	}
	overlay, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644)
}

// silence rewrites a file and drops the imports that nothing in it needs
// then. It returns how many doors it found, or no text when the file can stay
// as it is. The first file of a package with a door declares their error.
func silence(file string, closed []string, first bool) (text []byte, found int, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, 0, err
	}
	far := map[string]bool{} // names under which the file knows the packages beyond
	for _, imp := range f.Imports {
		if path, name := imported(imp); beyond[path] {
			far[name] = true
		}
	}
	changed := false
	for _, d := range f.Decls {
		if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.VAR {
			changed = emptied(gen, far) || changed
			continue
		}
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		switch {
		case slices.Contains(closed, name(fn)):
			results := []ast.Expr{ast.NewIdent("errDoor")}
			switch r := fn.Type.Results; {
			case r.NumFields() == 2:
				zero := "nil"
				if id, ok := r.List[0].Type.(*ast.Ident); ok {
					zero = map[string]string{"string": `""`, "int": "0"}[id.Name]
				}
				if zero == "" {
					zero = "nil"
				}
				results = []ast.Expr{ast.NewIdent(zero), ast.NewIdent("errDoor")}
			case r.NumFields() != 1:
				return nil, 0, fmt.Errorf("%s: %s returns something else than an error", file, fn.Name.Name)
			}
			found++
			fn.Body.List = []ast.Stmt{&ast.ReturnStmt{Results: results}}
		case mentions(fn.Body, far):
			fn.Body.List = []ast.Stmt{&ast.ExprStmt{X: &ast.CallExpr{Fun: ast.NewIdent("panic"), Args: []ast.Expr{&ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(refusal)}}}}}
		default:
			continue
		}
		changed = true
	}
	if !changed {
		return nil, 0, nil
	}
	used := selectors(f)
	for _, d := range f.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			continue
		}
		var kept []ast.Spec
		for _, spec := range gen.Specs {
			if _, name := imported(spec.(*ast.ImportSpec)); name == "_" || used[name] {
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
		return nil, 0, err
	}
	if found > 0 && first {
		out.WriteString("\ntype doorError struct{}\n\nfunc (doorError) Error() string { return " + strconv.Quote(refusal) + " }\n\nvar errDoor error = doorError{}\n")
	}
	return []byte(out.String()), found, nil
}

// emptied takes the value from variables that are made with a package beyond,
// where it is the address of a composite and so says the type.
func emptied(gen *ast.GenDecl, far map[string]bool) (changed bool) {
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

// imported returns the path of an import and the name that the file uses for it.
func imported(imp *ast.ImportSpec) (path, name string) {
	path = strings.Trim(imp.Path.Value, `"`)
	if imp.Name != nil {
		return path, imp.Name.Name
	}
	return path, path[strings.LastIndexByte(path, '/')+1:]
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

// selectors are the plain names that something is selected from.
func selectors(node ast.Node) map[string]bool {
	used := map[string]bool{}
	ast.Inspect(node, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	return used
}
