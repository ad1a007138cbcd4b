package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// entry is a line of a ledger, PACKAGE TEST HOW WHY. A ledger names the tests that a tier does not run, or in which it may happen that it does not, so
// that no test is in no tier unnoticed. TEST may be "*". HOW is
//
//	judges    "make judges" runs it
//	helper    another test runs it in a process of its own, which WHY names
//	optional  a machine may lack what it needs; its skip says so
type entry struct {
	tests, how string // tests is a pattern of "PACKAGE TEST"
	used       bool
}

const judgesTier = "judges"

func readLedger(text string) (entries []*entry, err error) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		if len(f) < 4 || !slices.Contains([]string{"judges", "helper", "optional"}, f[2]) {
			return nil, fmt.Errorf("line %q: write it as PACKAGE TEST judges|helper|optional WHY", line)
		}
		entries = append(entries, &entry{tests: f[0] + " " + f[1], how: f[2]})
	}
	return entries, nil
}

// allTests finds every test and fuzz target in the files, whatever they are built for, as "PACKAGE TEST".
func allTests(files []string) (tests []string, err error) {
	for _, file := range files {
		if strings.Contains("/"+file, "/testdata/") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if errors.Is(err, fs.ErrNotExist) { // deleted, and not committed yet
			continue
		}
		if err != nil {
			return nil, err
		}
		pkg := importPath(path.Dir(file))
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name != "TestMain" && testName.MatchString(fn.Name.Name) {
				tests = append(tests, pkg+" "+fn.Name.Name)
			}
		}
	}
	slices.Sort(tests)
	return slices.Compact(tests), nil
}

// importPath is the import path of the package in dir, a path below the working directory.
func importPath(dir string) string {
	for up := dir; ; up = path.Dir(up) {
		text, err := os.ReadFile(filepath.Join(up, "go.mod"))
		if err == nil || up == "." {
			below, _ := filepath.Rel(up, dir)
			return path.Join(modfile.ModulePath(text), filepath.ToSlash(below))
		}
	}
}

var testName = regexp.MustCompile(`^(Test|Fuzz)($|\P{Ll})`)

// findMissing says which tests a tier should have run and did not, and which lines of the ledger are wrong. ran says of a test that left itself out that it
// did not run.
func findMissing(all []string, ran map[string]bool, ledger []*entry, tier string) (complaints []string) {
	for _, test := range all {
		how := ""
		for _, e := range ledger {
			if fits, _ := path.Match(e.tests, test); fits {
				e.used, how = true, e.how
				break
			}
		}
		_, known := ran[test]
		switch {
		case tier == judgesTier:
			if how == "judges" && !ran[test] {
				complaints = append(complaints, test+" is left to make judges, which did not run it")
			}
		case ran[test] && (how == "judges" || how == "helper"):
			complaints = append(complaints, test+" ran: take its line out of the ledger")
		case ran[test] || how != "":
		case known:
			complaints = append(complaints, test+" left itself out, and no line of the ledger says that it may")
		default:
			complaints = append(complaints, test+" was not run")
		}
	}
	for _, e := range ledger {
		if !e.used {
			complaints = append(complaints, fmt.Sprintf("the ledger's line for %s fits no test", e.tests))
		}
	}
	return complaints
}

// takeStock is the step that compares what ran with the tests in the files.
func (t *tier) takeStock(ledger string, out io.Writer) *step {
	s := &step{Name: "nothing is in no tier"}
	n, err := t.compare(ledger)
	if err != nil {
		s.Groups = []*group{reportFailure(out, s.Name, err.Error())}
	} else {
		s.Groups = []*group{{Name: s.Name, count: count{Passed: 1}, Notes: []string{fmt.Sprintf("%d tests stand in the repository", n)}}}
	}
	s.count = total(s.Groups)
	return s
}

// compare counts the tests in the files; its error says which are in no tier.
func (t *tier) compare(file string) (int, error) {
	text, readErr := os.ReadFile(file)
	ledger, ledgerErr := readLedger(string(text))
	list, listErr := exec.Command("git", "ls-files", "-co", "--exclude-standard", "--deduplicate", "*_test.go").Output()
	if listErr != nil {
		listErr = fmt.Errorf("git ls-files: %w", listErr)
	}
	all, testsErr := allTests(strings.Fields(string(list)))
	if err := errors.Join(readErr, ledgerErr, listErr, testsErr); err != nil {
		return 0, err
	}
	ran := map[string]bool{}
	for _, g := range t.groups() {
		for test, did := range g.Tests {
			ran[test] = ran[test] || did
		}
	}
	if complaints := findMissing(all, ran, ledger, t.Name); len(complaints) > 0 {
		return 0, errors.New(strings.Join(complaints, "\n"))
	}
	return len(all), nil
}
