package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A ledger names the tests that "make verify" does not run, or in which it may
// happen that it does not, so that nothing is in no tier unnoticed. Each line
// is PACKAGE TEST HOW WHY; PACKAGE may end in "/..." and TEST may be "*". HOW is
//
//	judges    "make judges" runs it
//	helper    another test runs it in a process of its own, which WHY names
//	optional  a machine may lack what it needs; its skip says so
type entry struct {
	pkg, test, how, why string
	used                bool
}

const judgesTier = "judges"

func readLedger(r io.Reader) ([]*entry, error) {
	var entries []*entry
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		if len(f) < 4 || !slices.Contains([]string{"judges", "helper", "optional"}, f[2]) {
			return nil, fmt.Errorf("line %q: write it as PACKAGE TEST judges|helper|optional WHY", line)
		}
		entries = append(entries, &entry{pkg: f[0], test: f[1], how: f[2], why: strings.Join(f[3:], " ")})
	}
	return entries, lines.Err()
}

func (e *entry) covers(pkg, test string) bool {
	if prefix, all := strings.CutSuffix(e.pkg, "/..."); all {
		if pkg != prefix && !strings.HasPrefix(pkg, prefix+"/") {
			return false
		}
	} else if pkg != e.pkg {
		return false
	}
	return e.test == "*" || e.test == test
}

// written is a test that stands in a file of the repository.
type written struct{ pkg, test string }

// allTests finds every test, fuzz target and runnable example in the files,
// whatever they are built for.
func allTests(root string, files []string) ([]written, error) {
	modules := map[string]string{} // by directory
	var tests []written
	seen := map[written]bool{}
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") || strings.Contains("/"+file, "/testdata/") {
			continue
		}
		pkg, err := importPath(root, path.Dir(file), modules)
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, name := range testNames(parsed) {
			if w := (written{pkg, name}); !seen[w] {
				seen[w] = true
				tests = append(tests, w)
			}
		}
	}
	return tests, nil
}

// importPath is the import path of the package in dir, a path below root.
func importPath(root, dir string, modules map[string]string) (string, error) {
	for at := dir; ; at = path.Dir(at) {
		module, known := modules[at]
		if !known {
			text, err := os.ReadFile(filepath.Join(root, at, "go.mod"))
			if err == nil {
				for line := range strings.Lines(string(text)) {
					if name, ok := strings.CutPrefix(line, "module "); ok {
						module = strings.TrimSpace(name)
					}
				}
			}
			modules[at] = module
		}
		if module != "" {
			return path.Join(module, strings.TrimPrefix(strings.TrimPrefix(dir, at), "/")), nil
		}
		if at == "." || at == "/" {
			return "", fmt.Errorf("%s is in no module", dir)
		}
	}
}

func testNames(f *ast.File) []string {
	var names []string
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Name.Name == "TestMain" {
			continue
		}
		for _, prefix := range []string{"Test", "Fuzz"} {
			rest, ok := strings.CutPrefix(fn.Name.Name, prefix)
			if first, _ := utf8.DecodeRuneInString(rest); ok && (rest == "" || !unicode.IsLower(first)) {
				names = append(names, fn.Name.Name)
			}
		}
	}
	for _, e := range doc.Examples(f) {
		if e.Output != "" || e.EmptyOutput {
			names = append(names, "Example"+e.Name)
		}
	}
	return names
}

// missing says which tests a tier should have run and did not, and which lines
// of the ledger are wrong.
func missing(all []written, ran, left map[written]bool, ledger []*entry, tier string) []string {
	var complaints []string
	for _, w := range all {
		how := ""
		for _, e := range ledger {
			if e.covers(w.pkg, w.test) {
				e.used = true
				how = e.how
				break
			}
		}
		name := w.pkg + " " + w.test
		switch {
		case tier == judgesTier:
			if how == "judges" && !ran[w] {
				complaints = append(complaints, name+" is left to make judges, which did not run it")
			}
		case ran[w] && (how == "judges" || how == "helper"):
			complaints = append(complaints, name+" ran: take its line out of the ledger")
		case ran[w] || how != "":
		case left[w]:
			complaints = append(complaints, name+" left itself out, and no line of the ledger says that it may")
		default:
			complaints = append(complaints, name+" was not run")
		}
	}
	for _, e := range ledger {
		if !e.used {
			complaints = append(complaints, fmt.Sprintf("the ledger's line for %s %s fits no test", e.pkg, e.test))
		}
	}
	return complaints
}

// takeStock is the step that compares what ran with what there is.
func (t *tier) takeStock(out io.Writer) *step {
	s := &step{Name: "nothing is in no tier", Began: time.Now()}
	g := &group{What: s.Name}
	complaints, n, err := t.stock()
	switch {
	case err != nil:
		g = broken(s.Name, err.Error())
	case len(complaints) > 0:
		g = broken(s.Name, strings.Join(complaints, "\n"))
	default:
		g.Passed = 1
		g.Notes = []string{fmt.Sprintf("%d tests stand in the repository", n)}
	}
	if g.Failed > 0 {
		fmt.Fprintf(out, "\nFAIL  %s\n%s", s.Name, indented(g.Failures[0].Why))
	}
	s.Seconds = time.Since(s.Began).Seconds()
	g.Seconds = s.Seconds
	s.Records = []*record{{Name: s.Name, Began: s.Began, Seconds: s.Seconds, Groups: []*group{g}}}
	return s
}

func (t *tier) stock() (complaints []string, n int, err error) {
	f, err := os.Open(t.ledger)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	ledger, err := readLedger(f)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", t.ledger, err)
	}
	list, err := exec.Command("git", "ls-files", "-co", "--exclude-standard", "--deduplicate", "*_test.go").Output()
	if err != nil {
		return nil, 0, fmt.Errorf("git ls-files: %w", err)
	}
	files := slices.DeleteFunc(strings.Fields(string(list)), func(file string) bool {
		_, err := os.Stat(file) // deleted, and not committed yet
		return err != nil
	})
	all, err := allTests(".", files)
	if err != nil {
		return nil, 0, err
	}
	ran, left := map[written]bool{}, map[written]bool{}
	for _, s := range t.Steps {
		for _, r := range s.Records {
			for _, g := range r.Groups {
				for _, name := range g.Ran {
					ran[written{g.Package, name}] = true
				}
				for _, name := range g.Left {
					left[written{g.Package, name}] = true
				}
			}
		}
	}
	return missing(all, ran, left, ledger, t.Name), len(all), nil
}
