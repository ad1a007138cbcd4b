package lab

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"informerscope/core/cluster/levers"
	"informerscope/core/lab/action"
)

// TestEveryStepThatIsWrittenCanBeRead finds each action.New, because a link must be readable.
func TestEveryStepThatIsWrittenCanBeRead(t *testing.T) {
	written := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, "action/history.go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && isNewAction(call) {
				if verb, ok := call.Args[0].(*ast.BasicLit); ok {
					name, err := strconv.Unquote(verb.Value)
					if err != nil {
						t.Fatal(err)
					}
					note(t, written, name, len(call.Args)-1)
				}
			}
			return true
		})
	}
	for _, v := range levers.All() {
		note(t, written, v.Verb(), len(v.Write(ClusterArgs{})))
	}
	for _, v := range action.Verbs() {
		if !written[v.Name] {
			t.Errorf("nothing writes the verb %s", v.Name)
		}
	}
}

// TestEveryVerbCanBePlayed: a link plays each verb, and no other.
func TestEveryVerbCanBePlayed(t *testing.T) {
	verbs := action.Verbs()
	names := map[string]bool{}
	for _, v := range verbs {
		if names[v.Name] || playsLocked[v.Name] == nil {
			t.Errorf("the verb %q is twice in the table, or cannot be played", v.Name)
		}
		names[v.Name] = true
	}
	if len(playsLocked) != len(verbs) {
		t.Errorf("%d verbs are played, and a link can have %d", len(playsLocked), len(verbs))
	}
}

func isNewAction(call *ast.CallExpr) bool {
	if id, ok := call.Fun.(*ast.Ident); ok {
		return id.Name == "New" && len(call.Args) > 0 // within core/lab/action
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "New" {
		return false
	}
	id, ok := f.X.(*ast.Ident)
	return ok && id.Name == "action"
}

// note notes that a verb is written with n arguments.
func note(t *testing.T, written map[string]bool, name string, n int) {
	t.Helper()
	written[name] = true
	verbs := action.Verbs()
	i := slices.IndexFunc(verbs, func(v action.Verb) bool { return v.Name == name })
	if i < 0 {
		t.Errorf("a step %q is written that no link may have", name)
	} else if n > len(verbs[i].Args) {
		t.Errorf("a step %q is written with %d arguments; its verb has %d", name, n, len(verbs[i].Args))
	}
}
