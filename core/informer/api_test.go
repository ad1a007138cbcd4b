package informer

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// leftOut are the exported names of client-go's tools/cache that do not exist here, with the reason.
var leftOut = map[string]string{
	"Getter":                         "returns *rest.Request; core/client/factory and core/client/restwatch are the way to a server",
	"NewListWatchFromClient":         "takes a Getter",
	"NewFilteredListWatchFromClient": "takes a Getter",
	"FakeCustomStore":                "a fake for tests of client-go's users, of functions only",
	"FakeExpirationPolicy":           "a fake for client-go's own tests",
	"NewFakeExpirationStore":         "a fake for client-go's own tests",
}

// TestExportedAPI reads the sources of client-go's tools/cache and of this package. Every exported name there must exist here, except those in leftOut.
// Functions and methods need the same signature, and interfaces the same methods. Structs need at least the same fields, and constants the same values.
func TestExportedAPI(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "k8s.io/client-go/tools/cache").Output()
	if err != nil {
		t.Fatalf("cannot find client-go: %v", err)
	}
	theirs, ours := exportedAPI(t, strings.TrimSpace(string(out))), exportedAPI(t, ".")
	if len(theirs) < 200 {
		t.Fatalf("only %d names found in client-go", len(theirs))
	}
	same := 0
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		reason := leftOut[strings.Split(name, ".")[0]]
		got, exists := ours[name]
		switch {
		case reason != "" && exists:
			t.Errorf("%s exists, although leftOut contains it", name)
		case reason != "":
		case !exists:
			t.Errorf("%s is missing: %s", name, theirs[name])
		case got != theirs[name]:
			t.Errorf("%s\n ours      %s\n client-go %s", name, got, theirs[name])
		default:
			same++
		}
	}
	for name := range leftOut {
		if _, ok := theirs[name]; !ok {
			t.Errorf("leftOut contains %s, but client-go does not have it", name)
		}
	}
	t.Logf("%d exported names of client-go v0.37.2 are the same here, %d are left out", same, len(leftOut))
}

// exportedAPI maps "Name", "Type.Method" and "Type.Field" to their declarations.
func exportedAPI(t *testing.T, dir string) map[string]string {
	fset := token.NewFileSet()
	api := map[string]string{}
	files, err := fileNames(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(fset, path.Join(dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		r := apiReader{fset, imports(f), api}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				r.function(d)
			case *ast.GenDecl:
				r.declarations(d)
			}
		}
	}
	return api
}

func fileNames(dir string) ([]string, error) {
	cmd := exec.Command("go", "list", "-f", `{{join .GoFiles "\n"}}`, ".")
	cmd.Dir = dir
	out, err := cmd.Output()
	return strings.Fields(string(out)), err
}

// imports maps the local names of a file's imports to their paths.
func imports(f *ast.File) map[string]string {
	m := map[string]string{}
	for _, i := range f.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		name := path.Base(p)
		if regexp.MustCompile(`^v\d+$`).MatchString(name) && !strings.HasPrefix(p, "k8s.io/apimachinery") {
			name = path.Base(path.Dir(p))
		}
		if i.Name != nil {
			name = i.Name.Name
		}
		m[name] = p
	}
	return m
}

type apiReader struct {
	fset    *token.FileSet
	imports map[string]string
	api     map[string]string
}

var emptyInterface = regexp.MustCompile(`interface\s*\{\s*\}`)

// text formats a type with full import paths, and with any for interface{}.
func (r apiReader) text(e ast.Node) string {
	ast.Inspect(e, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				if p, ok := r.imports[x.Name]; ok {
					x.Name = p
				}
			}
		}
		return true
	})
	var b bytes.Buffer
	if err := printer.Fprint(&b, r.fset, e); err != nil {
		panic(err)
	}
	return strings.Join(strings.Fields(emptyInterface.ReplaceAllString(b.String(), "any")), " ")
}

// signature formats a function's type without the names of its parameters.
func (r apiReader) signature(f *ast.FuncType) string {
	return r.typeParams(f.TypeParams) + "(" + r.types(f.Params) + ") (" + r.types(f.Results) + ")"
}

func (r apiReader) typeParams(list *ast.FieldList) string {
	if list == nil {
		return ""
	}
	var s []string
	for _, f := range list.List {
		for _, n := range f.Names {
			s = append(s, n.Name+" "+r.typeOf(f.Type))
		}
	}
	return "[" + strings.Join(s, ", ") + "]"
}

func (r apiReader) types(list *ast.FieldList) string {
	if list == nil {
		return ""
	}
	var s []string
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			s = append(s, r.typeOf(f.Type))
		}
	}
	return strings.Join(s, ", ")
}

func (r apiReader) typeOf(e ast.Expr) string {
	if f, ok := e.(*ast.FuncType); ok {
		return "func" + r.signature(f)
	}
	return r.text(e)
}

func (r apiReader) function(d *ast.FuncDecl) {
	if !d.Name.IsExported() {
		return
	}
	if d.Recv == nil {
		r.api[d.Name.Name] = "func" + r.signature(d.Type)
		return
	}
	recv := d.Recv.List[0].Type
	pointer := ""
	if star, ok := recv.(*ast.StarExpr); ok {
		recv, pointer = star.X, "*"
	}
	if generic, ok := recv.(*ast.IndexExpr); ok {
		recv = generic.X
	}
	if id, ok := recv.(*ast.Ident); ok && id.IsExported() {
		r.api[id.Name+"."+d.Name.Name] = "method of " + pointer + id.Name + r.signature(d.Type)
	}
}

func (r apiReader) declarations(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				r.typeSpec(spec)
			}
		case *ast.ValueSpec:
			for i, n := range spec.Names {
				if !n.IsExported() {
					continue
				}
				what := d.Tok.String()
				if d.Tok == token.CONST {
					if spec.Type != nil {
						what += " " + r.text(spec.Type)
					}
					if i < len(spec.Values) {
						what += " " + r.text(spec.Values[i])
					}
				}
				r.api[n.Name] = what
			}
		}
	}
}

func (r apiReader) typeSpec(spec *ast.TypeSpec) {
	name := spec.Name.Name
	params := r.typeParams(spec.TypeParams)
	switch typ := spec.Type.(type) {
	case *ast.StructType:
		r.api[name] = "struct" + params
		for _, f := range typ.Fields.List {
			names := f.Names
			if names == nil { // embedded
				e := f.Type
				if star, ok := e.(*ast.StarExpr); ok {
					e = star.X
				}
				if id, ok := e.(*ast.Ident); ok {
					names = []*ast.Ident{id}
				}
			}
			for _, n := range names {
				if n.IsExported() {
					r.api[name+"."+n.Name] = fmt.Sprintf("field %s", r.typeOf(f.Type))
				}
			}
		}
	case *ast.InterfaceType:
		var methods []string
		for _, m := range typ.Methods.List {
			if f, ok := m.Type.(*ast.FuncType); ok {
				for _, n := range m.Names {
					methods = append(methods, n.Name+r.signature(f))
				}
			} else {
				methods = append(methods, r.text(m.Type))
			}
		}
		slices.Sort(methods)
		r.api[name] = "interface" + params + "{" + strings.Join(methods, "; ") + "}"
	default:
		assign := " "
		if spec.Assign.IsValid() {
			assign = " = "
		}
		r.api[name] = "type" + params + assign + r.typeOf(typ)
	}
}
