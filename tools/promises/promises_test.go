package promises

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// promise is a row of a table whose last column names tests.
type promise struct {
	line  int
	text  string // the cells before the last
	tests []test
}

// test is what a promise is held by.
type test struct {
	name string // TestX, FuzzX, or TestX/sub_test
	path string // of a file or a directory, from the project's root, with slashes
}

// TestDocumentation reads the project's own documents: every promise in them names a test that there is.
func TestDocumentation(t *testing.T) {
	root := filepath.Join("..", "..")
	counts := map[string]int{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/dev/*.md", "docs/dev/decisions/*.md", "deploy/*.md"} {
		documents, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range documents {
			text, err := os.ReadFile(document)
			if err != nil {
				t.Fatal(err)
			}
			promises, problems := readPromises(string(text))
			for _, p := range promises {
				for _, test := range p.tests {
					if err := test.find(root); err != nil {
						problems = append(problems, fmt.Sprintf("line %d: %q: %v", p.line, p.text, err))
					}
				}
			}
			for _, problem := range problems {
				t.Errorf("%s: %s", document, problem)
			}
			counts[filepath.Base(document)] = len(promises)
		}
	}
	for _, document := range []string{"security.md", "reliability.md"} {
		if counts[document] == 0 {
			t.Errorf("%s promises nothing: a table with a last column that is headed test is expected", document)
		}
	}
}

// readPromises finds the promises of a document, and what is wrong with how they are written.
func readPromises(text string) (promises []promise, problems []string) {
	var (
		isSection bool // of promises
		hasTopic  bool // a heading stands in it
		inTable   bool
		isProven  bool // the table's last column is headed "test"
		inFence   bool
	)
	for i, line := range strings.Split(text, "\n") {
		problem := func(format string, args ...any) {
			problems = append(problems, fmt.Sprintf("line %d: ", i+1)+fmt.Sprintf(format, args...))
		}
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			inFence = !inFence
		}
		wasTable := inTable
		inTable = !inFence && strings.HasPrefix(line, "|")
		switch {
		case inFence || line == "":
		case inTable:
			row := cells(line)
			text, last := strings.Join(row[:len(row)-1], " | "), row[len(row)-1]
			if !wasTable {
				isProven = strings.EqualFold(last, "test") || strings.EqualFold(last, "tests")
				if isSection && !isProven {
					problem("a table among promises has to end in a column that is headed test")
				}
			} else if isProven && strings.Trim(line, "|-: ") != "" {
				tests, ok := readTests(last)
				if !ok {
					problem("%q: write tests in backticks and, after them, in brackets, the file or directory that has them", text)
				}
				promises = append(promises, promise{i + 1, text, tests})
			}
		case strings.HasPrefix(line, "#"):
			hashes, title, _ := strings.Cut(line, " ")
			hasTopic = len(hashes) > 2
			isSection = hasTopic && isSection || len(hashes) == 2 && title == "Promises"
		case isSection && hasTopic:
			problem("among promises stands a line that is in no table, and so has no test: %.60q", line)
		}
	}
	return promises, problems
}

// cells are those of a table's row; a bar with a backslash before it is none of the table's.
func cells(row string) []string {
	const bar = "\x00"
	row = strings.ReplaceAll(row, `\|`, bar)
	out := strings.Split(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"), "|")
	for i, cell := range out {
		out[i] = strings.TrimSpace(strings.ReplaceAll(cell, bar, "|"))
	}
	return out
}

var (
	// group matches tests and the place that has them.
	group  = regexp.MustCompile("^[\\s,;]*(?:and )?((?:`(?:Test|Fuzz)[A-Z0-9_][^`]*`[\\s,]*(?:and )?)+)\\(`?([\\w./-]+)`?\\)")
	quoted = regexp.MustCompile("`([^`]+)`")
)

// readTests reads a cell such as "`TestA`, `TestB` (server/internal/guard)".
func readTests(cell string) (tests []test, ok bool) {
	for cell != "" {
		m := group.FindStringSubmatch(cell)
		if m == nil {
			return nil, false
		}
		for _, name := range quoted.FindAllStringSubmatch(m[1], -1) {
			tests = append(tests, test{name[1], strings.TrimSuffix(m[2], "/")})
		}
		cell = cell[len(m[0]):]
	}
	return tests, len(tests) > 0
}

// find says why a test is not there; nil if it is.
func (t test) find(root string) error {
	directory, file := filepath.FromSlash(t.path), "*_test.go"
	if filepath.Ext(t.path) == ".go" {
		directory, file = filepath.Split(directory)
	}
	read := func(pattern string) (text string) {
		paths, _ := filepath.Glob(filepath.Join(root, directory, pattern))
		for _, path := range paths {
			if each, err := os.ReadFile(path); err == nil && filepath.IsLocal(directory+".") && strings.HasSuffix(path, "_test.go") {
				text += string(each)
			}
		}
		return text
	}
	text := read(file)
	name, sub, isSub := strings.Cut(t.name, "/")
	all := text
	if isSub { // the table of a test's subtests may lie in another file than the test
		all = read("*_test.go")
	}
	if !regexp.MustCompile(`(?m)^func ` + name + `\(\w+ \*testing\.[TF]\) \{`).MatchString(all) {
		return fmt.Errorf("%s: there is no such test in %s", t.name, t.path)
	}
	for part := range strings.SplitSeq(sub, "/") {
		if isSub && !regexp.MustCompile(`"`+strings.ReplaceAll(regexp.QuoteMeta(part), "_", "[ _]")+`"`).MatchString(text) {
			return fmt.Errorf("%s: %s has nothing that is called %q", t.name, t.path, part)
		}
	}
	return nil
}

func TestRead(t *testing.T) {
	promises, problems := readPromises(`# Security
Prose.

| what | else |
|-|-|
| a table | of other things |

## Promises
An introduction.

### Doors

| promise | test |
|-|-|
| One. | ` + "`TestA`" + ` (a/b) |
| Two, with a \| bar. | ` + "`TestB`, `TestC`" + ` (c), and ` + "`FuzzD/a_b` (d/x_test.go)" + ` |

## Limits
Anything.

| fault | promise | tests |
|---|:-:|---|
| down | it recovers | ` + "`TestE` (e2e)" + ` |

` + "```\n| promise | test |\n|-|-|\n| an example | none |\n```\n")
	if len(problems) > 0 {
		t.Errorf("%q", problems)
	}
	want := []promise{
		{line: 15, text: "One.", tests: []test{{"TestA", "a/b"}}},
		{line: 16, text: "Two, with a | bar.", tests: []test{{"TestB", "c"}, {"TestC", "c"}, {"FuzzD/a_b", "d/x_test.go"}}},
		{line: 23, text: "down | it recovers", tests: []test{{"TestE", "e2e"}}},
	}
	if !slices.EqualFunc(promises, want, func(a, b promise) bool {
		return a.line == b.line && a.text == b.text && slices.Equal(a.tests, b.tests)
	}) {
		t.Errorf("%+v", promises)
	}
}

func TestWhatIsNoPromise(t *testing.T) {
	const head = "## Promises\n### Doors\n\n| promise | test |\n|-|-|\n"
	const good = "| One. | `TestA` (a) |\n"
	for text, says := range map[string]string{
		head + "| One. | |\n":                                              `line 6: "One.": write tests`,
		head + "| One. | see the code |\n":                                 "write tests",
		head + "| One. | `TestA` |\n":                                      "write tests",
		head + "| One. | (a) `TestA` |\n":                                  "write tests",
		head + "| One. | `Testa` (a) |\n":                                  "write tests",
		head + good + "\nNothing gets by.\n":                               `line 8: among promises stands a line that is in no table`,
		head + good + "- Nothing gets by.\n":                               `line 7: among promises stands a line that is in no table`,
		"## Promises\n### Doors\n| promise | remark |\n|-|-|\n| a | b |\n": "line 3: a table among promises has to end in a column that is headed test",
		"# Any\n| fault | test |\n|-|-|\n| a | none |\n":                   "write tests",
	} {
		if _, problems := readPromises(text); !strings.Contains(strings.Join(problems, "\n"), says) {
			t.Errorf("%q: %q, without %q", text, problems, says)
		}
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"one_test.go": "func TestOne(t *testing.T) {\n\tt.Run(\"a b\", nil)\n}\nfunc FuzzOne(f *testing.F) {}\nfunc TestMain(m *testing.M) {}\n" +
			"func TestHelper(t testing.TB) {}\nfunc (x) TestMethod(t *testing.T) {}\n",
		"a.go":        "func TestElsewhere(t *testing.T) {}\n",
		"two_test.go": "var table = []string{\"c d\"}\n",
	} {
		path := filepath.Join(root, "a", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for test, says := range map[test]string{
		{"TestOne", "a"}:                 "",
		{"TestOne", "a/one_test.go"}:     "",
		{"FuzzOne", "a"}:                 "",
		{"TestOne/a_b", "a"}:             "",
		{"TestOne/a_c", "a"}:             `a has nothing that is called "a_c"`,
		{"TestOne/c_d", "a/two_test.go"}: "",
		{"TestOne/a_b", "a/two_test.go"}: `a/two_test.go has nothing that is called "a_b"`,
		{"TestOne", "a/two_test.go"}:     "there is no such test in a/two_test.go",
		{"TestTwo", "a"}:                 "there is no such test in a",
		{"TestMain", "a"}:                "no such test",
		{"TestHelper", "a"}:              "no such test",
		{"TestMethod", "a"}:              "no such test",
		{"TestElsewhere", "a"}:           "no such test",
		{"TestElsewhere", "a/a.go"}:      "no such test",
		{"TestOne", "c"}:                 "no such test",
	} {
		err := test.find(root)
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%v: %v, want %q", test, err, says)
		}
	}
}
