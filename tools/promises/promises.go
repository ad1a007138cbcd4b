package promises

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// section is the title of a section in which everything is a promise.
const section = "Promises"

// Promise is a row of a table whose last column names tests.
type Promise struct {
	Line  int
	Text  string // the cells before the last
	Tests []Test
}

// Test is what a promise is held by.
type Test struct {
	Name string // TestX, FuzzX, or TestX/sub_test
	Path string // of a file or a directory, from the project's root, with slashes
}

// Read finds the promises of a document, and what is wrong with how they are written.
func Read(text string) (promises []Promise, problems []string) {
	problem := func(line int, format string, args ...any) {
		problems = append(problems, fmt.Sprintf("line %d: ", line)+fmt.Sprintf(format, args...))
	}
	var (
		within    bool // a section of promises
		topic     bool // a heading stands in it
		headed    int  // the line of a heading that still needs a table
		table     bool // the lines are rows of a table
		proven    bool // whose last column is headed "test"
		fenced    bool
		delimited bool // the line below the table's head has been seen
	)
	unproven := func() {
		if headed > 0 {
			problem(headed, "nothing is promised below this heading: it needs a table with the columns promise and test")
		}
		headed = 0
	}
	line := 0
	for raw := range strings.SplitSeq(text, "\n") {
		line++
		trimmed := strings.TrimSpace(raw)
		if strings.HasPrefix(trimmed, "```") {
			fenced = !fenced
		}
		if fenced || !strings.HasPrefix(trimmed, "|") {
			table = false
		}
		switch {
		case fenced || trimmed == "":
		case strings.HasPrefix(trimmed, "|"):
			row := cells(trimmed)
			last := row[len(row)-1]
			if !table {
				table, delimited = true, false
				proven = strings.EqualFold(last, "test") || strings.EqualFold(last, "tests")
				if within && !proven {
					problem(line, "a table among promises has to end in a column that is headed test")
				}
				continue
			}
			if !delimited && strings.Trim(trimmed, "|-: ") == "" {
				delimited = true
				continue
			}
			if !proven {
				continue
			}
			promise := Promise{Line: line, Text: strings.Join(row[:len(row)-1], " | ")}
			tests, err := readTests(last)
			if err != nil {
				problem(line, "%q: %v", promise.Text, err)
				continue
			}
			promise.Tests, headed = tests, 0
			promises = append(promises, promise)
		case strings.HasPrefix(trimmed, "#"):
			hashes, title, _ := strings.Cut(trimmed, " ")
			unproven()
			if len(hashes) <= 2 {
				within, topic = len(hashes) == 2 && title == section, false
			} else if within {
				topic, headed = true, line
			}
		case within && topic:
			problem(line, "among promises stands a line that is in no table, and so has no test: %.60q", trimmed)
		}
	}
	unproven()
	return promises, problems
}

// cells are those of a table's row; a bar with a backslash before it is none of the table's.
func cells(row string) []string {
	const bar = "\x00"
	row = strings.ReplaceAll(row, `\|`, bar)
	row = strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|")
	out := strings.Split(row, "|")
	for i, cell := range out {
		out[i] = strings.TrimSpace(strings.ReplaceAll(cell, bar, "|"))
	}
	return out
}

var (
	testName  = regexp.MustCompile("^`((?:Test|Fuzz)[A-Z0-9_][A-Za-z0-9_]*(?:/[^`/]+)*)`")
	fileName  = regexp.MustCompile("^(?:in +)?\\(?`?([A-Za-z0-9._/-]+)`?\\)?")
	separator = regexp.MustCompile(`^[\s,;]*(?:and\s+)?`)
)

// readTests reads a cell such as "`TestA`, `TestB` (server/internal/guard)".
func readTests(cell string) ([]Test, error) {
	var tests []Test
	placed := 0 // how many of them have their path
	for rest := cell; ; {
		rest = rest[len(separator.FindString(rest)):]
		if rest == "" {
			break
		}
		if match := testName.FindStringSubmatch(rest); match != nil {
			tests, rest = append(tests, Test{Name: match[1]}), rest[len(match[0]):]
			continue
		}
		match := fileName.FindStringSubmatch(rest)
		if match == nil || placed == len(tests) {
			return nil, fmt.Errorf("%.60q is neither a test in backticks nor, after one, the file or directory that has it", rest)
		}
		for ; placed < len(tests); placed++ {
			tests[placed].Path = strings.TrimSuffix(match[1], "/")
		}
		rest = rest[len(match[0]):]
	}
	switch {
	case len(tests) == 0:
		return nil, fmt.Errorf("no test is named")
	case placed < len(tests):
		return nil, fmt.Errorf("%s: the file or directory that has it is not named", tests[placed].Name)
	}
	return tests, nil
}

// Source looks tests up below a directory. Its zero value but for Root is ready.
type Source struct {
	Root  string
	files map[string]*file
}

// file is what is known of a file with tests.
type file struct {
	tests map[string]bool
	words map[string]bool // the literal strings, as a subtest would be called
}

// Find says why a test is not there; nil if it is.
func (s *Source) Find(test Test) error {
	path := filepath.Join(s.Root, filepath.FromSlash(test.Path))
	info, err := os.Stat(path)
	if err != nil || !filepath.IsLocal(filepath.FromSlash(test.Path)) {
		return fmt.Errorf("%s: there is no file or directory %s", test.Name, test.Path)
	}
	directory := path
	if !info.IsDir() {
		if !strings.HasSuffix(path, "_test.go") {
			return fmt.Errorf("%s: %s holds no tests", test.Name, test.Path)
		}
		directory = filepath.Dir(path)
	}
	paths, err := filepath.Glob(filepath.Join(directory, "*_test.go"))
	if err != nil {
		return err
	}
	name, sub, has := strings.Cut(test.Name, "/")
	there, words := false, map[string]bool{}
	for _, each := range paths {
		f, err := s.file(each)
		if err != nil {
			return err
		}
		// The table of a test's subtests may lie in another file than the test.
		within := info.IsDir() || each == path
		there = there || f.tests[name] && (within || has)
		if within {
			maps.Copy(words, f.words)
		}
	}
	if !there {
		return fmt.Errorf("%s: there is no such test in %s", test.Name, test.Path)
	}
	if has {
		for part := range strings.SplitSeq(sub, "/") {
			if !words[part] {
				return fmt.Errorf("%s: %s has nothing that is called %q", test.Name, test.Path, part)
			}
		}
	}
	return nil
}

func (s *Source) file(path string) (*file, error) {
	if f := s.files[path]; f != nil {
		return f, nil
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &file{tests: map[string]bool{}, words: map[string]bool{}}
	for _, d := range parsed.Decls {
		if function, ok := d.(*ast.FuncDecl); ok && isTest(function) {
			f.tests[function.Name.Name] = true
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				f.words[strings.ReplaceAll(text, " ", "_")] = true
			}
		}
		return true
	})
	if s.files == nil {
		s.files = map[string]*file{}
	}
	s.files[path] = f
	return f, nil
}

// isTest says whether the go command runs a function as a test.
func isTest(f *ast.FuncDecl) bool {
	if f.Recv != nil || f.Type.TypeParams != nil || f.Type.Results != nil || len(f.Type.Params.List) != 1 {
		return false
	}
	pointer, ok := f.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	of, ok := pointer.X.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	kind, ok := of.X.(*ast.Ident)
	return ok && kind.Name == "testing" && (strings.HasPrefix(f.Name.Name, "Test") && of.Sel.Name == "T" || strings.HasPrefix(f.Name.Name, "Fuzz") &&
		of.Sel.Name == "F")
}

// Check reads documents, by their paths from root, and returns how many promises each has, and everything that is wrong: with how they are
// written, and with the tests that they name.
func Check(root string, documents ...string) (counts map[string]int, problems []string) {
	counts = map[string]int{}
	source := &Source{Root: root}
	slices.Sort(documents)
	for _, document := range documents {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(document)))
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		promises, wrong := Read(string(text))
		counts[document] = len(promises)
		for _, p := range promises {
			for _, test := range p.Tests {
				if err := source.Find(test); err != nil {
					wrong = append(wrong, fmt.Sprintf("line %d: %q: %v", p.Line, p.Text, err))
				}
			}
		}
		for _, w := range wrong {
			problems = append(problems, document+": "+w)
		}
	}
	return counts, problems
}
