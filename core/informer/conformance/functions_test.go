package conformance

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"informerscope/core/ask/analysis"
)

// TestFunctionsOfARide checks that the functions which analysis.Functions and the steps of stories name exist in client-go v0.37.2 or in its apimachinery.
func TestFunctionsOfARide(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "k8s.io/client-go/tools/cache", "k8s.io/client-go/util/workqueue",
		"k8s.io/client-go/rest", "k8s.io/apimachinery/pkg/watch").Output()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, dir := range strings.Fields(string(out)) {
		pkgs, err := parser.ParseDir(token.NewFileSet(), dir, func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, pkg := range pkgs {
			ast.Inspect(pkg, func(n ast.Node) bool {
				switch d := n.(type) {
				case *ast.FuncDecl:
					known[receiver(d)+d.Name.Name] = true
				case *ast.TypeSpec:
					if i, ok := d.Type.(*ast.InterfaceType); ok {
						for _, m := range i.Methods.List {
							for _, name := range m.Names {
								known[d.Name.Name+"."+name.Name] = true
							}
						}
					}
				}
				return true
			})
		}
	}
	names := []string{"RealFIFO.PopBatch", "processDeltasInBatch", "ResourceEventHandler.OnAdd", "ResourceEventHandler.OnUpdate", "ResourceEventHandler.OnDelete"}
	for _, name := range analysis.Functions {
		names = append(names, strings.Split(name, "|")...)
	}
	files, err := filepath.Glob("../../../stories/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range functionLine.FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
			steps++
		}
	}
	if steps == 0 {
		t.Error("no step of a story names a function")
	}
	for _, name := range names {
		if name != "ResourceEventHandler" && name != "Reconcile" && !known[name] {
			t.Errorf("client-go has no %s", name)
		}
	}
}

// functionLine is the member of a story's step that names a function.
var functionLine = regexp.MustCompile(`(?m)^    function: (.+)$`)

// receiver returns the name of a method's receiver type with a dot, or "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	return t.(*ast.Ident).Name + "."
}
