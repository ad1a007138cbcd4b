package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gotest.tools/gotestsum/testjson"
)

// stepDirectory is the environment variable that names the directory in which the commands of a tier's step leave their groups and logs.
const stepDirectory = "TESTRUN_STEP"

// count is how many tests there were. Subtests count; a test with subtests counts only where it failed by itself.
type count struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

func (c count) sum() int { return c.Passed + c.Failed + c.Skipped }

func (c count) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", c.Passed, c.Failed, c.Skipped)
}

// group is what one package's tests did, or one check.
type group struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	count
	Failures []result `json:"failures,omitempty"`
	Skips    []result `json:"skips,omitempty"`
	// Tests says of each top-level test, as "PACKAGE TEST", whether it ran or skipped itself.
	Tests map[string]bool `json:"tests,omitempty"`
	// Notes are the lines of output that -show asked for.
	Notes []string `json:"notes,omitempty"`
	// Log is the file in the step's directory with the whole output.
	Log string `json:"log,omitempty"`

	path string // the package
}

// result is a test that failed or was left out, and why.
type result struct {
	Test string `json:"test"`
	Why  string `json:"why"`
}

// total is the count of all groups.
func total(groups []*group) (c count) {
	for _, g := range groups {
		c.Passed += g.Passed
		c.Failed += g.Failed
		c.Skipped += g.Skipped
	}
	return c
}

// reportFailure prints why something failed that is no test, and counts it.
func reportFailure(out io.Writer, name, why string) *group {
	fmt.Fprintf(out, "FAIL  %s: %s\n", name, why)
	return &group{Name: name, count: count{Failed: 1}, Failures: []result{{name, why}}}
}

// command is what "testrun go" and "testrun check" run.
type command struct {
	name, dir string
	args      []string
	show      *regexp.Regexp
	again     int
	out, log  io.Writer
}

// runCommand runs one command and leaves its groups where a tier looks for them. Without a tier it prints the count.
func runCommand(ctx context.Context, name string, args []string, out io.Writer, f func(context.Context, command) ([]*group, error)) error {
	c := command{name: name, out: out, log: io.Discard}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.StringVar(&c.dir, "C", "", "the `directory` to run in")
	flags.Func("show", "a `regular expression`: the table keeps the lines of tests that it matches", func(text string) (err error) {
		c.show, err = regexp.Compile(text)
		return err
	})
	flags.IntVar(&c.again, "again", 0, "if at most `n` tests fail, run them again by themselves")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if c.args = flags.Args(); len(c.args) == 0 {
		return fmt.Errorf("%s: give the command after --", name)
	}
	dir, file := os.Getenv(stepDirectory), strings.ReplaceAll(name, "/", "-")+".log"
	if dir != "" {
		log, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		defer log.Close()
		c.log = log
	}
	fmt.Fprintf(out, "%s: %s\n", name, strings.Join(strings.Fields(strings.Join(c.args, " ")), " "))
	groups, err := f(ctx, c)
	if err != nil {
		return err
	}
	for _, g := range groups {
		g.Log = file
	}
	if dir == "" {
		fmt.Fprintln(out, total(groups))
	} else if err := save(dir, groups); err != nil {
		return err
	}
	if total(groups).Failed > 0 {
		return errFailed
	}
	return nil
}

func save(dir string, groups []*group) error {
	text, err := json.Marshal(groups)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, strconv.FormatInt(time.Now().UnixNano(), 10)+".json"), text, 0o644)
}

// load returns what the commands of one step saved, in order.
func load(dir string) (groups []*group, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, file := range files {
		text, readErr := os.ReadFile(file)
		var some []*group
		err = errors.Join(err, readErr, json.Unmarshal(text, &some))
		groups = append(groups, some...)
	}
	return groups, err
}

// runCheck runs a command that passes or fails as a whole, or says in its last line why it was left out: "left out: " and the reason.
func runCheck(ctx context.Context, c command) ([]*group, error) {
	began := time.Now()
	var said bytes.Buffer
	cmd := program(ctx, syscall.SIGINT, c.dir, c.args...)
	cmd.Stdout = io.MultiWriter(c.out, c.log, &said)
	cmd.Stderr = cmd.Stdout
	g := &group{Name: c.name, count: count{Passed: 1}}
	err := cmd.Run()
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	if err != nil {
		fmt.Fprintf(c.out, "FAIL  %s: %v\n", c.name, err)
		g.count, g.Failures = count{Failed: 1}, []result{{c.name, said.String() + err.Error()}}
	} else if why, isLeftOut := strings.CutPrefix(lines[len(lines)-1], "left out: "); isLeftOut {
		g.count, g.Skips = count{Skipped: 1}, []result{{c.name, why}}
	}
	g.Seconds = time.Since(began).Seconds()
	return []*group{g}, nil
}

// runGo runs a go test, and with -again again the few tests that failed. A test that passes then is counted as passed; a note in the table names it.
func runGo(ctx context.Context, c command) ([]*group, error) {
	groups, err := goTest(ctx, c, c.args)
	if failed := total(groups).Failed; failed == 0 || failed > c.again {
		return groups, err
	}
	for _, g := range groups {
		if args := argsAgain(c.args, g); args != nil {
			fmt.Fprintf(c.out, "%s: again, by themselves: %s\n", g.Name, strings.Join(args, " "))
			second, err := goTest(ctx, c, args)
			if err == nil && total(second).Failed == 0 {
				for _, f := range g.Failures {
					g.Notes = append(g.Notes, "unsteady: "+f.Test+" failed, and passed when it ran again by itself; the log has both")
				}
				g.Passed, g.Failed, g.Failures = g.Passed+g.Failed, 0, nil
			}
		}
	}
	return groups, nil
}

// argsAgain returns the arguments that run a package's failed tests again; nil if something failed that is no test of a package.
func argsAgain(args []string, g *group) []string {
	var names []string
	for _, f := range g.Failures {
		name, _, _ := strings.Cut(f.Test, "/")
		if _, isKnown := g.Tests[g.path+" "+name]; !isKnown {
			return nil
		}
		names = append(names, name)
	}
	if names == nil {
		return nil
	}
	for strings.Contains(args[len(args)-1], "/") { // the packages
		args = args[:len(args)-1]
	}
	slices.Sort(names)
	return append(slices.Clip(args), "-run", "^("+strings.Join(slices.Compact(names), "|")+")$", g.path)
}

// goTest runs a go test. It prints each package that is over, each test that fails, with its output, and each that takes long.
func goTest(ctx context.Context, c command, args []string) ([]*group, error) {
	at := slices.Index(args, "test")
	if at < 1 {
		return nil, fmt.Errorf("%s: %q is no go test", c.name, args)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := program(ctx, syscall.SIGINT, c.dir, slices.Insert(slices.Clone(args), at+1, "-json")...)
	cmd.Stderr = io.MultiWriter(c.out, c.log)
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	options := testjson.FormatOptions{HideEmptyPackages: true, Icons: "text"}
	h := &handler{c, testjson.NewEventFormatter(c.out, "pkgname-and-test-fails", options), map[string][]string{}}
	tests, err := testjson.ScanTestOutput(testjson.ScanConfig{Stdout: stdout, Handler: h, Stop: cancel, IgnoreNonJSONOutputLines: true})
	err = errors.Join(err, cmd.Wait())
	var groups []*group
	for _, path := range tests.Packages() {
		if g := newGroup(c, path, tests); g.sum() > 0 {
			g.Notes = h.notes[path]
			groups = append(groups, g)
		}
	}
	if err != nil && total(groups).Failed == 0 {
		groups = append(groups, reportFailure(c.out, c.name, err.Error()))
	} else if len(groups) == 0 {
		groups = append(groups, reportFailure(c.out, c.name, "no test ran"))
	}
	return groups, nil
}

// handler gets the events of a go test.
type handler struct {
	command
	formatter testjson.EventFormatter
	notes     map[string][]string // by package
}

func (h *handler) Event(e testjson.TestEvent, tests *testjson.Execution) error {
	fmt.Fprint(h.log, e.Output)
	switch {
	case e.Action == testjson.ActionBuild:
		fmt.Fprint(h.out, e.Output)
	case e.Action == testjson.ActionOutput && e.Test != "" && h.show != nil && h.show.MatchString(e.Output):
		h.notes[e.Package] = append(h.notes[e.Package], logLine(e.Output))
		fmt.Fprintln(h.out, logLine(e.Output))
	case e.Test != "" && (e.Action == testjson.ActionFail || e.Elapsed >= 5):
		action, pkg := strings.ToUpper(string(e.Action)), testjson.RelativePackagePath(e.Package)
		fmt.Fprintf(h.out, "%s  %s %s (%.1fs)\n", action, pkg, e.Test, max(e.Elapsed, 0))
	}
	return h.formatter.Format(e, tests)
}

func (h *handler) Err(text string) error {
	_, err := fmt.Fprintln(io.MultiWriter(h.out, h.log), text)
	return err
}

// newGroup counts the tests of a package.
func newGroup(c command, path string, tests *testjson.Execution) *group {
	p := tests.Package(path)
	g := &group{path: path, Name: c.name + ": " + testjson.RelativePackagePath(path), Seconds: p.Elapsed().Seconds(), Tests: map[string]bool{}}
	parents := map[string]bool{}
	for _, test := range p.TestCases() {
		for up := test.Test.Parent(); up != ""; up = testjson.TestName(up).Parent() {
			parents[up] = true
		}
		if !test.Test.IsSubTest() {
			g.Tests[path+" "+test.Test.Name()] = true
		}
	}
	for _, test := range p.Passed {
		if !parents[test.Test.Name()] {
			g.Passed++
		}
	}
	for _, test := range p.Skipped {
		if !parents[test.Test.Name()] {
			g.Skips = append(g.Skips, result{test.Test.Name(), cmp.Or(logLine(p.Output(test.ID)), "it does not say why")})
		}
		if !test.Test.IsSubTest() {
			g.Tests[path+" "+test.Test.Name()] = false
		}
	}
	for _, test := range testjson.FilterFailedUnique(p.Failed) {
		why := p.Output(test.ID)
		if test.Elapsed < 0 {
			why = "it did not end\n" + why + p.Output(0)
		}
		g.Failures = append(g.Failures, result{test.Test.Name(), why})
	}
	if p.TestMainFailed() && len(p.Failed) == 0 {
		g.Failures = reportFailure(c.out, g.Name, "outside of its tests\n"+strings.Join(tests.Errors(), "")+p.Output(0)).Failures
	}
	g.Skipped, g.Failed = len(g.Skips), len(g.Failures)
	return g
}

// framing is what testing adds to the lines that a test logs.
var framing = regexp.MustCompile(`(?m)^\s*(=== .*|--- .*|[\w.-]+\.go:\d+: )`)

// logLine returns the output of a test on one line.
func logLine(output string) string {
	return strings.Join(strings.Fields(framing.ReplaceAllString(output, "")), " ")
}
