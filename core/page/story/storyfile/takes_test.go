package storyfile

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"informerscope/stories"
)

// packages are what the few lines of a story may use, by the names that everybody gives them.
var packages = map[string]string{
	"apierrors": "k8s.io/apimachinery/pkg/api/errors", "cache": "k8s.io/client-go/tools/cache", "context": "context",
	"corev1": "k8s.io/api/core/v1", "corev1client": "k8s.io/client-go/kubernetes/typed/core/v1", "errors": "errors",
	"meta": "k8s.io/apimachinery/pkg/api/meta", "metav1": "k8s.io/apimachinery/pkg/apis/meta/v1", "time": "time",
	"utilruntime": "k8s.io/apimachinery/pkg/util/runtime",
	"workqueue":   "k8s.io/client-go/util/workqueue", "informers": "k8s.io/client-go/informers", "kubernetes": "k8s.io/client-go/kubernetes",
	"slices": "slices", "wait": "k8s.io/apimachinery/pkg/util/wait", "http": "net/http", "rest": "k8s.io/client-go/rest",
	"fields": "k8s.io/apimachinery/pkg/fields", "corev1lister": "k8s.io/client-go/listers/core/v1",
	"fmt": "fmt", "reflect": "reflect", "tls": "crypto/tls", "utilnet": "k8s.io/apimachinery/pkg/util/net",
}

// runTakes builds the lines of every story, each as a package of its own that exists in an overlay alone. It runs those that have a test in testdata/takes,
// named after the story.
func runTakes(t *testing.T, root string) {
	all, err := ReadAll(stories.Files)
	if err != nil {
		t.Fatal(err)
	}
	if root, err = filepath.Abs(root); err != nil {
		t.Fatal(err)
	}
	overlay := map[string]map[string]string{"Replace": {}}
	var programs []string // the tests, compiled
	dir := t.TempDir()
	build := []string{"build", "-overlay", filepath.Join(dir, "overlay.json")}
	test := []string{"test", "-overlay", filepath.Join(dir, "overlay.json"), "-vet=off", "-c", "-o", dir + string(filepath.Separator)}
	tests, err := filepath.Glob("testdata/takes/*_test.go")
	if err != nil || len(tests) == 0 {
		t.Fatalf("no take has a test: %v", err)
	}
	for _, s := range all {
		body := strings.ReplaceAll(s.Take.Go, "    ", "\t")
		parsed, err := parser.ParseFile(token.NewFileSet(), s.ID, "package take\n"+body, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", s.ID, err)
			continue
		}
		used := map[string]bool{}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && packages[x.Name] != "" {
					used[x.Name] = true
				}
			}
			return true
		})
		source := "package take\n\nimport (\n"
		for _, name := range slices.Sorted(maps.Keys(used)) {
			source += fmt.Sprintf("\t%s %q\n", name, packages[name])
		}
		source += ")\n\n" + body + "\n"
		if _, err := format.Source([]byte(source)); err != nil {
			t.Errorf("%s: %v", s.ID, err)
		}
		file := filepath.Join(dir, s.ID+".go")
		if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay["Replace"][filepath.Join(root, "core/page/story/takes-"+s.ID, "take.go")] = file
		build = append(build, "./core/page/story/takes-"+s.ID)
		if own := filepath.Join("testdata", "takes", s.ID+"_test.go"); slices.Contains(tests, own) {
			test = append(test, "./core/page/story/takes-"+s.ID)
			overlay["Replace"][filepath.Join(root, "core/page/story/takes-"+s.ID, "take_test.go")] = filepath.Join(root, "core/page/story/storyfile", own)
			programs = append(programs, filepath.Join(dir, "takes-"+s.ID+".test"))
		}
	}
	if len(programs) != len(tests) {
		t.Errorf("of %v only %d are tests of a story", tests, len(programs))
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(where, name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Dir = where
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
	}
	run(root, "go", build...)
	run(root, "go", test...)
	for _, program := range programs { // the package's folder is not there, so go test cannot run it
		run(dir, program)
	}
}
