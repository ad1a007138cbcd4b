package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// event is a line of go test -json.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of build-output
	Test        string
	Elapsed     float64
	Output      string
	FailedBuild string
}

// slowTest is how long a test takes before its end is told: a sign of life.
const slowTest = 5 * time.Second

// results follows the events of one go test.
type results struct {
	out      io.Writer
	log      io.Writer
	show     *regexp.Regexp
	groups   []*group
	packages map[string]*packageResult
	builds   map[string]string // by import path: what the compiler said
}

type packageResult struct {
	*group
	tests map[string]*testResult
	// order is the tests in the order in which they began.
	order []string
	// output is what was printed outside of tests.
	output strings.Builder
	ended  bool
}

type testResult struct {
	parent bool
	action string
	own    strings.Builder // what it printed itself
}

func top(test string) string {
	name, _, _ := strings.Cut(test, "/")
	return name
}

func (r *results) pkg(path string) *packageResult {
	p := r.packages[path]
	if p == nil {
		p = &packageResult{group: &group{What: shortPackage(path), Package: path}, tests: map[string]*testResult{}}
		r.packages[path] = p
		r.groups = append(r.groups, p.group)
	}
	return p
}

func (p *packageResult) test(name string) *testResult {
	t := p.tests[name]
	if t == nil {
		t = &testResult{}
		p.tests[name] = t
		p.order = append(p.order, name)
		for parent := name; strings.Contains(parent, "/"); {
			parent = parent[:strings.LastIndex(parent, "/")]
			if known := p.tests[parent]; known != nil {
				known.parent = true
			}
		}
	}
	return t
}

// take takes one event.
func (r *results) take(e event) {
	if e.Output != "" && r.log != nil {
		_, _ = io.WriteString(r.log, e.Output)
	}
	if e.Action == "build-output" {
		r.builds[e.ImportPath] += e.Output
		return
	}
	if e.Package == "" {
		return
	}
	p := r.pkg(e.Package)
	if e.Test == "" {
		r.takePackage(p, e)
		return
	}
	if e.Action != "run" && p.tests[e.Test] == nil {
		p.output.WriteString(e.Output) // of a test that is over
		return
	}
	t := p.test(e.Test)
	switch e.Action {
	case "output":
		t.own.WriteString(e.Output)
		if r.show != nil && r.show.MatchString(e.Output) {
			note := said(e.Output)
			p.Notes = append(p.Notes, note)
			fmt.Fprintf(r.out, "      %s\n", note)
		}
	case "pass", "fail", "skip":
		t.action = e.Action
		if top(e.Test) == e.Test {
			r.topEnded(p, e, t)
			p.countTree(e.Test)
		}
	}
}

// ofFailed is what a top-level test that failed, or did not end, and its
// subtests of that kind wrote. What the ones that passed wrote is in the log: a
// table of hundreds of rows would hide the row that failed.
func (p *packageResult) ofFailed(root string) string {
	var b strings.Builder
	for _, name := range p.order {
		if t := p.tests[name]; top(name) == root && t.action != "pass" && t.action != "skip" {
			for line := range strings.Lines(t.own.String()) {
				if !strings.HasPrefix(line, "=== ") {
					b.WriteString(line)
				}
			}
		}
	}
	return b.String()
}

// topEnded reports a top-level test that is over.
func (r *results) topEnded(p *packageResult, e event, t *testResult) {
	took := seconds(e.Elapsed)
	switch {
	case e.Action == "fail":
		fmt.Fprintf(r.out, "FAIL  %s %s (%s)\n%s", p.What, e.Test, shown(took), indented(p.ofFailed(e.Test)))
	case took >= slowTest:
		word := "passed"
		if e.Action == "skip" {
			word = "skipped"
		}
		fmt.Fprintf(r.out, "      %s %s: %s (%s)\n", p.What, e.Test, word, shown(took))
	}
}

func (r *results) takePackage(p *packageResult, e event) {
	switch e.Action {
	case "output":
		if strings.HasSuffix(e.Output, "(cached)\n") {
			p.Cached = true
		}
		p.output.WriteString(e.Output)
		return
	case "pass", "fail", "skip":
	default:
		return
	}
	p.ended = true
	p.Seconds = e.Elapsed
	r.closePackage(p, e.Action == "fail", r.builds[e.FailedBuild])
}

// countTree counts a top-level test that is over, by its subtests, and forgets
// it: with -count and -cpu the same name comes again.
func (p *packageResult) countTree(root string) {
	broken := map[string]bool{} // has a failed subtest
	var failures []result
	rest := p.order[:0:0]
	for _, name := range slices.Backward(p.order) {
		if top(name) != root {
			rest = append(rest, name)
			continue
		}
		t := p.tests[name]
		delete(p.tests, name)
		bad := t.action == "fail" || t.action == ""
		if bad {
			for parent := name; strings.Contains(parent, "/"); {
				parent = parent[:strings.LastIndex(parent, "/")]
				broken[parent] = true
			}
		}
		switch {
		case bad && broken[name]: // counted with its subtest
		case bad:
			why := t.own.String()
			if t.action == "" {
				why = "it did not end\n" + why
			}
			p.Failed++
			failures = append(failures, result{name, why})
		case t.parent:
		case t.action == "skip":
			p.Skipped++
			p.Skips = append(p.Skips, result{name, reason(t.own.String())})
		default:
			p.Passed++
		}
		if name == root && t.action == "skip" {
			p.Left = appendNew(p.Left, name)
		} else if name == root {
			p.Ran = appendNew(p.Ran, name)
		}
	}
	slices.Reverse(rest)
	p.order = rest
	slices.Reverse(failures)
	p.Failures = append(p.Failures, failures...)
}

func appendNew(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// closePackage ends a package when it is over, or was cut off.
func (r *results) closePackage(p *packageResult, failed bool, build string) {
	for len(p.order) > 0 {
		root := top(p.order[0])
		fmt.Fprintf(r.out, "FAIL  %s %s: it did not end\n%s", p.What, root, indented(p.ofFailed(root)))
		p.countTree(root)
	}
	if failed && p.Failed == 0 {
		why := build + p.output.String()
		p.Failed++
		p.Failures = append(p.Failures, result{"outside of its tests", why})
		fmt.Fprintf(r.out, "FAIL  %s outside of its tests\n%s", p.What, indented(why))
	}
	if p.sum() == 0 {
		return
	}
	word, cached := "ok", ""
	if p.Failed > 0 {
		word = "FAIL"
	}
	if p.Cached {
		cached = ", from go's cache"
	}
	fmt.Fprintf(r.out, "%-5s %s: %s (%s%s)\n", word, p.What, p.count, shown(seconds(p.Seconds)), cached)
}

// atFileLine is how testing begins what a test logs.
var atFileLine = regexp.MustCompile(`(?m)^\s*[\w.-]+\.go:\d+: `)

// said is a line that a test logged, without where.
func said(line string) string {
	return strings.TrimSpace(atFileLine.ReplaceAllString(line, ""))
}

// reason is why a test was skipped: what it logged.
func reason(output string) string {
	var lines []string
	for _, line := range strings.Split(output, "\n") {
		if trimmed := strings.TrimSpace(line); trimmed != "" && !strings.HasPrefix(trimmed, "=== ") && !strings.HasPrefix(trimmed, "--- ") {
			lines = append(lines, said(line))
		}
	}
	if len(lines) == 0 {
		return "it does not say why"
	}
	return strings.Join(lines, " ")
}

func indented(text string) string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return ""
	}
	return "      " + strings.ReplaceAll(text, "\n", "\n      ") + "\n"
}

// read takes a whole stream of events. What is no event, such as a line of a
// program that wrote to the stream, is passed on.
func (r *results) read(stream io.Reader) error {
	lines := bufio.NewReader(stream)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if !bytes.HasPrefix(line, []byte("{")) || json.Unmarshal(line, &e) != nil {
				_, _ = r.out.Write(line)
			} else {
				r.take(e)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	for _, g := range r.groups {
		if p := r.packages[g.Package]; !p.ended {
			r.closePackage(p, true, "the package did not end\n")
		}
	}
	return nil
}

// testArguments is a go test with -json.
func testArguments(args []string) ([]string, error) {
	i := slices.Index(args, "test")
	if i < 1 {
		return nil, fmt.Errorf("%q is no go test", strings.Join(args, " "))
	}
	return slices.Insert(slices.Clone(args), i+1, "-json"), nil
}

// runGoTest runs a go test and reports its progress.
func runGoTest(ctx context.Context, c command, out io.Writer) (*record, error) {
	args, err := testArguments(c.args)
	if err != nil {
		return nil, err
	}
	r := &results{out: out, packages: map[string]*packageResult{}, builds: map[string]string{}}
	if c.show != "" {
		if r.show, err = regexp.Compile(c.show); err != nil {
			return nil, err
		}
	}
	rec := &record{Name: c.name, Command: c.String(), Began: time.Now()}
	if dir := os.Getenv(stepDirectory); dir != "" {
		rec.Log = filepath.Join(dir, strings.ReplaceAll(c.name, "/", "-")+".log")
		log, err := os.Create(rec.Log)
		if err != nil {
			return nil, err
		}
		defer log.Close()
		r.log = log
	}
	fmt.Fprintf(out, "%s: %s\n", c.name, rec.Command)
	cmd := program(ctx, c.dir, args)
	cmd.Stderr = out
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	readErr := r.read(stdout)
	if err := errors.Join(readErr, cmd.Wait()); err != nil {
		rec.Groups = r.groups
		if rec.total().Failed == 0 {
			r.groups = append(r.groups, broken(c.name, err.Error()))
			fmt.Fprintf(out, "FAIL  %s: %v\n", c.name, err)
		}
	}
	rec.Groups = slices.DeleteFunc(r.groups, func(g *group) bool { return g.sum() == 0 })
	if len(rec.Groups) == 0 {
		const why = "no test ran"
		rec.Groups = append(rec.Groups, broken(c.name, why))
		fmt.Fprintf(out, "FAIL  %s: %s\n", c.name, why)
	}
	rec.Seconds = time.Since(rec.Began).Seconds()
	return rec, nil
}

// broken is a group for what failed and is no test.
func broken(what, why string) *group {
	return &group{What: what, count: count{Failed: 1}, Failures: []result{{Test: what, Why: why}}}
}
