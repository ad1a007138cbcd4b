package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// write makes files in a directory of the test's and goes there.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv(stepDirectory, "")
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("MAKEFLAGS", "")
	return dir
}

func runTestrun(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), args, &out)
	return out.String(), err
}

func contains(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return lines[len(lines)-1]
}

const goMod = "module informerscope\n\ngo 1.26.0\n"

const mixed = `package a

import "testing"

func TestPasses(t *testing.T) { t.Log("a note: \x1b[31mred\x1b[0m") }
func TestLeftOut(t *testing.T) { t.Skip("no such", "machine") }
func TestMany(t *testing.T) {
	t.Run("one", func(t *testing.T) {})
	t.Run("two", func(t *testing.T) { t.Error("two went wrong") })
	t.Run("three", func(t *testing.T) { t.Skip("not today") })
	t.Run("four", func(t *testing.T) { t.Run("deep", func(t *testing.T) {}) })
}
func TestParent(t *testing.T) {
	t.Run("fine", func(t *testing.T) { t.Log("the one that is fine says so") })
	t.Error("the parent itself went wrong")
}
`

// TestCounting: subtests count and not their parents, unless a parent fails by
// itself; what fails is printed in full and nothing else; what is left out says why.
func TestCounting(t *testing.T) {
	dir := write(t, map[string]string{"go.mod": goMod, "a/a_test.go": mixed, "d/d.go": "package d\n"})
	step := filepath.Join(dir, "step")
	if err := os.Mkdir(step, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(stepDirectory, step)
	out, err := runTestrun(t, "go", "unit", "-show", "a note", "--", "go", "test", "./...")
	if err == nil {
		t.Error("a run with failures ended well")
	}
	contains(t, out, "a TestMany/two", "two went wrong", "the parent itself went wrong")
	if strings.Contains(out, "the one that is fine says so") {
		t.Error("what a subtest wrote that passed stands among what failed")
	}
	if strings.Contains(out, "\x1b") {
		t.Error("control characters in the output")
	}
	groups, err := load(step)
	if err != nil || len(groups) != 1 {
		t.Fatalf("%v, %v", groups, err)
	}
	g := groups[0]
	if g.count != (count{4, 2, 2}) || g.Failures[0].Test != "TestMany/two" || g.Failures[1].Test != "TestParent" ||
		!slices.Equal(g.Skips, []result{{"TestLeftOut", "no such machine"}, {"TestMany/three", "not today"}}) ||
		!slices.Equal(g.Notes, []string{"a note: \x1b[31mred\x1b[0m"}) || !maps.Equal(g.Tests, map[string]bool{
		"informerscope/a TestPasses": true, "informerscope/a TestMany": true, "informerscope/a TestParent": true, "informerscope/a TestLeftOut": false}) {
		t.Errorf("%s: %+v", g, *g)
	}
	if log, err := os.ReadFile(filepath.Join(step, g.Log)); err != nil || !strings.Contains(string(log), "=== RUN   TestMany/two") {
		t.Errorf("the log: %v\n%s", err, log)
	}
}

const unsteady = `package b

import (
	"errors"
	"os"
	"testing"
)

func TestFine(t *testing.T) {}
func TestUnsteady(t *testing.T) {
	t.Run("once", func(t *testing.T) {
		if !isSecondRun() {
			t.Error("the first time is too slow")
		}
	})
}

func isSecondRun() bool {
	file, err := os.OpenFile("second", os.O_CREATE|os.O_EXCL, 0o644)
	return errors.Is(err, os.ErrExist) || file.Close() != nil
}
`

// TestAgain runs tests that failed again, by themselves. What passes then counts as passed, and is named; what fails twice has failed. If more tests
// failed than may, nothing runs again.
func TestAgain(t *testing.T) {
	dir := write(t, map[string]string{"go.mod": goMod, "a/a_test.go": mixed, "b/b_test.go": unsteady})
	run := func(t *testing.T, again string, packages ...string) (string, []*group) {
		t.Helper()
		step := t.TempDir()
		t.Setenv(stepDirectory, step)
		if err := os.RemoveAll(filepath.Join(dir, "b", "second")); err != nil {
			t.Fatal(err)
		}
		args := slices.Concat([]string{"go", "unit", "-again", again, "--", "go", "test", "-count=1", "-run", "Test"}, packages)
		out, _ := runTestrun(t, args...)
		groups, err := load(step)
		if err != nil {
			t.Fatal(err)
		}
		return out, groups
	}
	out, groups := run(t, "1", "./b")
	if len(groups) != 1 || groups[0].count != (count{2, 0, 0}) || len(groups[0].Failures) > 0 || len(groups[0].Notes) != 1 ||
		!strings.HasPrefix(groups[0].Notes[0], "unsteady: TestUnsteady/once failed, and passed") {
		t.Errorf("%+v\n%s", groups, out)
	}
	contains(t, out, "the first time is too slow", "unit: b: again, by themselves: go test -count=1 -run Test -run ^(TestUnsteady)$ informerscope/b")
	if _, groups = run(t, "3", "./a", "./b"); total(groups) != (count{6, 2, 2}) {
		t.Errorf("two fail again, and one passes: %v", total(groups))
	}
	if out, groups = run(t, "2", "./a", "./b"); total(groups) != (count{5, 3, 2}) || strings.Contains(out, "again, by themselves") {
		t.Errorf("three failed and two may: %v\n%s", total(groups), out)
	}
}

// TestChecks: a check passes, fails, or says in its last line why it is left out.
func TestChecks(t *testing.T) {
	for script, want := range map[string]string{
		"echo fine": "1 passed, 0 failed, 0 skipped",
		"echo 'left out: of one thing'; echo fine":  "1 passed, 0 failed, 0 skipped",
		"echo looked; echo 'left out: no network'":  "0 passed, 0 failed, 1 skipped",
		"echo 'left out: no network'; echo; exit 1": "0 passed, 1 failed, 0 skipped",
	} {
		step := t.TempDir()
		t.Setenv(stepDirectory, step)
		_, _ = runTestrun(t, "check", "a check", "--", "sh", "-c", script)
		groups, err := load(step)
		if err != nil || len(groups) != 1 {
			t.Fatalf("%s: %v, %v", script, groups, err)
		}
		if got := total(groups).String(); got != want {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
		if g := groups[0]; g.Skipped == 1 && (len(g.Skips) != 1 || g.Skips[0] != (result{"a check", "no network"})) {
			t.Errorf("%s: %+v", script, g)
		}
	}
}

// TestNothingIsHidden: whatever goes wrong other than a test that fails counts too.
func TestNothingIsHidden(t *testing.T) {
	for name, c := range map[string]struct {
		test, want string
		args       []string
	}{
		"panic": {test: "import \"testing\"\nfunc TestP(t *testing.T) { panic(\"went off\") }", want: "went off"},
		"exit":  {test: "import (\"os\"; \"testing\")\nfunc TestE(t *testing.T) { os.Exit(3) }", want: "TestE"},
		"exit in main": {test: "import (\"os\"; \"testing\")\nfunc TestMain(m *testing.M) { m.Run(); os.Exit(3) }\nfunc TestE(t *testing.T) {}",
			want: "outside of its tests"},
		"does not build": {test: "import \"testing\"\nfunc TestB(t *testing.T) { undefined() }", want: "undefined: undefined"},
		"hangs":          {test: "import \"testing\"\nfunc TestH(t *testing.T) { select {} }", want: "TestH", args: []string{"-timeout", "1s"}},
		"no test":        {test: "import \"testing\"\nfunc TestN(t *testing.T) {}", want: "no test ran", args: []string{"-run", "Other"}},
		"no package":     {test: "", want: "none: outside of its tests", args: []string{"./none"}},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, map[string]string{"go.mod": goMod, "a_test.go": "package a\n" + c.test})
			out, err := runTestrun(t, append([]string{"go", "unit", "--", "go", "test"}, c.args...)...)
			if err == nil {
				t.Error("it ended well")
			}
			contains(t, out, c.want)
			if last := lastLine(out); !regexp.MustCompile(`^\d+ passed, [1-9]\d* failed, \d+ skipped$`).MatchString(last) {
				t.Errorf("the last line is %q in\n%s", last, out)
			}
		})
	}
}

const makefile = `
good:
	@"$(T)" go good -- go test ./a
other:
	@"$(T)" check 'a check' -- true
	@"$(T)" check 'a bad check' -- bash -c 'echo why it is bad; exit 3'
empty:
	@true
alone:
	@true
broken:
	@echo cannot; exit 4
`

// TestTier runs a tier's targets and judges its table, its summary and its last line.
func TestTier(t *testing.T) {
	program := build(t)
	write(t, map[string]string{"go.mod": goMod, "Makefile": makefile,
		"a/a_test.go":      "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\nfunc TestS(t *testing.T) { t.Skip(\"not here\") }\n",
		"tagged/x_test.go": "//go:build never\n\npackage x\n\nimport \"testing\"\n\nfunc TestTagged(t *testing.T) {}\n",
		"ledger":           "informerscope/a TestS optional not everywhere\ninformerscope/gone TestG helper of nothing\n"})
	if out, err := execute(t, "git", "init", "-q", "."); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("T", program)
	out, err := runTestrun(t, "tier", "test", "-limit", "45m", "-ledger", "ledger", "good", "other+alone=check", "empty", "broken")
	if err == nil {
		t.Error("a tier with failures ended well")
	}
	contains(t, out, "why it is bad", "make broken: exit status 2", "empty: it ran no test", "informerscope/tagged TestTagged was not run",
		"the ledger's line for informerscope/gone TestG fits no test", "not here (TestS)", "of the 45m0s that make test may take")
	if last := lastLine(out); last != "3 passed, 4 failed, 1 skipped" {
		t.Errorf("the last line is %q in\n%s", last, out)
	}
	text, err := os.ReadFile("e2e/artifacts/test/summary.json")
	if err != nil {
		t.Fatal(err)
	}
	var summary struct {
		Passed, Failed, Skipped int
		Steps                   []struct{ Name string }
	}
	if err := json.Unmarshal(text, &summary); err != nil {
		t.Fatal(err)
	}
	if summary.Passed != 3 || summary.Failed != 4 || summary.Skipped != 1 || len(summary.Steps) != 6 {
		t.Errorf("%+v", summary)
	}
	table, err := os.ReadFile("e2e/artifacts/test/table.txt")
	if err != nil || !strings.HasSuffix(out, string(table)) {
		t.Errorf("the table kept is not the one printed: %v\n%s", err, table)
	}
	if out, err = runTestrun(t, "tier", "test", "good", "alone=check"); err != nil || lastLine(out) != "2 passed, 0 failed, 1 skipped" {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestLedger: a test that no tier runs is found, and so is a line that is no longer true.
func TestLedger(t *testing.T) {
	all := []string{"m/a TestA", "m/a TestB", "m/j TestJ", "m/a TestH"}
	for _, c := range []struct {
		tier, ran, left, want string
	}{
		{"test", "AB", "H", ""},
		{"test", "A", "H", "m/a TestB was not run"},
		{"test", "A", "BH", "m/a TestB left itself out, and no line of the ledger says that it may"},
		{"test", "ABJ", "", "m/j TestJ ran: take its line out of the ledger"},
		{"judges", "J", "", ""},
		{"judges", "A", "", "m/j TestJ is left to make judges, which did not run it"},
	} {
		ledger, err := readLedger("# words\nm/j * judges too long\nm/a TestH helper of TestA\n")
		if err != nil {
			t.Fatal(err)
		}
		ran := map[string]bool{}
		for _, test := range all {
			if letter := test[len(test)-1:]; strings.Contains(c.ran+c.left, letter) {
				ran[test] = strings.Contains(c.ran, letter)
			}
		}
		if got := strings.Join(findMissing(all, ran, ledger, c.tier), "; "); got != c.want {
			t.Errorf("%s, ran %v: %q, want %q", c.tier, c.ran, got, c.want)
		}
	}
	if _, err := readLedger("m/a TestA sometimes why\n"); err == nil {
		t.Error("a line that says nothing was accepted")
	}
}

// TestStepsHaveRecipes: each step of the Makefile's tiers is a target that runs something, or that needs a file of the page.
func TestStepsHaveRecipes(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	for _, line := range regexp.MustCompile(`(?m)^[A-Z]+_STEPS +[:+]= (.+)$`).FindAllSubmatch(makefile, -1) {
		for step := range strings.SplitSeq(string(line[1]), "+") {
			steps++
			step, _, _ = strings.Cut(step, "=")
			target := regexp.MustCompile(`(?m)^([\w-]+ )*` + step + `( [\w-]+)*:(( .*)?\n\t| .*(web|\$\(PAGE\))/)`)
			if !target.Match(makefile) {
				t.Errorf("%s: no target of this name has a recipe or needs a file of the page", step)
			}
		}
	}
	if steps < 10 {
		t.Errorf("%d steps found", steps)
	}
}

const onOne = `package a

import (
	"runtime"
	"testing"
)

func TestOnOne(t *testing.T) {
	if runtime.GOMAXPROCS(0) == 2 {
		t.Fatal("passes on one processor only")
	}
}
`

// TestStress: what fails now and then is found, with its output kept, and the busy processes end, or make's output would not.
func TestStress(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	program := build(t)
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	prerequisites := regexp.MustCompile(`: (wasm )?\$\(T\).*`)
	write(t, map[string]string{"go.mod": goMod, "Makefile": prerequisites.ReplaceAllString(string(makefile), ":"),
		"a/a_test.go": onOne,
		"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {}\n"})
	out, err := execute(t, "make", "stress", "T="+program, "RACE=", "ROUNDS=2")
	if err == nil {
		t.Error("it ended well")
	}
	// Three numbers of processors, two packages, two rounds; one number fails.
	contains(t, out, "round 2: a: TestOnOne", "passes on one processor only", "\n10 passed, 2 failed, 0 skipped\n")
	log, err := os.ReadFile("e2e/artifacts/stress/stress-rounds/round 2.log")
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(log), "-test.shuffle ", "passes on one processor only")
}

// build builds testrun.
func build(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "testrun")
	if out, err := execute(t, "go", "build", "-o", program, "."); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

func execute(t *testing.T, args ...string) (string, error) {
	t.Helper()
	out, err := program(t.Context(), syscall.SIGTERM, "", args...).CombinedOutput()
	return string(out), err
}
