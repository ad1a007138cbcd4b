package promises

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDocumentation reads the project's own documents: every promise in them names a test that there is.
func TestDocumentation(t *testing.T) {
	root := filepath.Join("..", "..")
	var documents []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/decisions/*.md", "deploy/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			documents = append(documents, filepath.ToSlash(name))
		}
	}
	counts, problems := Check(root, documents...)
	for _, problem := range problems {
		t.Error(problem)
	}
	must := []string{"docs/security.md"}
	// The table of faults comes with their tests.
	if tests, _ := filepath.Glob(filepath.Join(root, "e2e", "reliability*_test.go")); len(tests) > 0 {
		must = append(must, "docs/reliability.md")
	}
	for _, document := range must {
		if counts[document] == 0 {
			t.Errorf("%s promises nothing: a table with a last column that is headed test is expected", document)
		}
	}
	for document, n := range counts {
		if n > 0 {
			t.Logf("%s: %d promises, each with its test", document, n)
		}
	}
}

func TestRead(t *testing.T) {
	promises, problems := Read(`# Security
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
| Two, with a \| bar. | ` + "`TestB`, `TestC`" + ` (c), and ` + "`FuzzD/a_b` in `d/x_test.go`" + ` |

## Limits
Anything.

| fault | promise | tests |
|---|:-:|---|
| down | it recovers | ` + "`TestE` (`e2e`)" + ` |

` + "```\n| promise | test |\n|-|-|\n| an example | none |\n```\n")
	if len(problems) > 0 {
		t.Errorf("%q", problems)
	}
	want := []Promise{
		{Line: 15, Text: "One.", Tests: []Test{{"TestA", "a/b"}}},
		{Line: 16, Text: "Two, with a | bar.", Tests: []Test{{"TestB", "c"}, {"TestC", "c"}, {"FuzzD/a_b", "d/x_test.go"}}},
		{Line: 23, Text: "down | it recovers", Tests: []Test{{"TestE", "e2e"}}},
	}
	if !slices.EqualFunc(promises, want, func(a, b Promise) bool {
		return a.Line == b.Line && a.Text == b.Text && slices.Equal(a.Tests, b.Tests)
	}) {
		t.Errorf("%+v", promises)
	}
}

func TestWhatIsNoPromise(t *testing.T) {
	const head = "## Promises\n### Doors\n\n| promise | test |\n|-|-|\n"
	const good = "| One. | `TestA` (a) |\n"
	for text, says := range map[string]string{
		head + "| One. | |\n":                                              `line 6: "One.": no test is named`,
		head + "| One. | see the code |\n":                                 "neither a test in backticks",
		head + "| One. | `TestA` |\n":                                      "TestA: the file or directory that has it is not named",
		head + "| One. | (a) `TestA` |\n":                                  "neither a test in backticks",
		head + "| One. | `Testa` (a) |\n":                                  "neither a test in backticks",
		head + good + "\nNothing gets by.\n":                               `line 8: among promises stands a line that is in no table`,
		head + good + "- Nothing gets by.\n":                               `line 7: among promises stands a line that is in no table`,
		head:                                                               "line 2: nothing is promised below this heading",
		"## Promises\n### Doors\n### Windows\n":                            "line 3: nothing is promised below this heading",
		"## Promises\n### Doors\n## Limits\n":                              "line 2: nothing is promised below this heading",
		"## Promises\n### Doors\n| promise | remark |\n|-|-|\n| a | b |\n": "line 3: a table among promises has to end in a column that is headed test",
		"# Any\n| fault | test |\n|-|-|\n| a | none |\n":                   "neither a test in backticks",
	} {
		if _, problems := Read(text); !strings.Contains(strings.Join(problems, "\n"), says) {
			t.Errorf("%q: %q, without %q", text, problems, says)
		}
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a/one_test.go": "package a\nimport \"testing\"\nfunc TestOne(t *testing.T) { t.Run(\"a b\", nil) }\nfunc FuzzOne(f *testing.F) {}\n" +
			"func TestMain(m *testing.M) {}\nfunc TestHelper(t testing.TB) {}\nfunc (x) TestMethod(t *testing.T) {}\ntype x int\n",
		"a/a.go":        "package a\nimport \"testing\"\nfunc TestElsewhere(t *testing.T) {}\n",
		"a/two_test.go": "package a\nvar table = []string{\"c d\"}\n",
		"b/bad_test.go": "package b\nfunc {",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	source := &Source{Root: root}
	for test, says := range map[Test]string{
		{"TestOne", "a"}:                 "",
		{"TestOne", "a/one_test.go"}:     "",
		{"FuzzOne", "a"}:                 "",
		{"TestOne/a_b", "a"}:             "",
		{"TestOne/a_c", "a"}:             `a has nothing that is called "a_c"`,
		{"TestOne/c_d", "a"}:             "",
		{"TestOne/c_d", "a/two_test.go"}: "",
		{"TestOne/a_b", "a/two_test.go"}: `a/two_test.go has nothing that is called "a_b"`,
		{"TestOne", "a/two_test.go"}:     "there is no such test in a/two_test.go",
		{"TestTwo", "a"}:                 "there is no such test in a",
		{"TestMain", "a"}:                "no such test",
		{"TestHelper", "a"}:              "no such test",
		{"TestMethod", "a"}:              "no such test",
		{"TestElsewhere", "a"}:           "no such test",
		{"TestElsewhere", "a/a.go"}:      "a/a.go holds no tests",
		{"TestOne", "c"}:                 "no file or directory c",
		{"TestOne", "../a"}:              "no file or directory ../a",
		{"TestOne", "b"}:                 "bad_test.go",
	} {
		err := source.Find(test)
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%v: %v, want %q", test, err, says)
		}
	}
	if _, problems := Check(root, "docs.md"); len(problems) != 1 {
		t.Errorf("a document that is not there: %q", problems)
	}
}
