package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// artefacts is where the tests leave screenshots and logs; a tier's own are in a directory of its name.
const artefacts = "e2e/artifacts"

// tier is what "testrun tier" runs, and what came of it. It is written to summary.json.
type tier struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	count
	Steps []*step `json:"steps"`

	dir, make string
}

// step is one target of the Makefile.
type step struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	count
	Groups []*group `json:"groups"`
}

func (t *tier) groups() (groups []*group) {
	for _, s := range t.Steps {
		groups = append(groups, s.Groups...)
	}
	return groups
}

func runTier(ctx context.Context, name string, args []string, out io.Writer) error {
	began := time.Now()
	t := &tier{Name: name}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.StringVar(&t.make, "make", "make", "the `program` that runs targets")
	limit := flags.Duration("limit", 0, "how long the tier may take on two cores; the table says so")
	ledger := flags.String("ledger", "", "the `file` that names the tests that this tier does not run, and says why; all others must run")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("give the steps of the tier")
	}
	var err error
	if t.dir, err = filepath.Abs(filepath.Join(artefacts, name)); err != nil {
		return err
	}
	if err := os.RemoveAll(t.dir); err != nil {
		return err
	}
	for _, stage := range flags.Args() {
		t.runStage(ctx, strings.Split(stage, "+"), out)
	}
	if *ledger != "" {
		t.Steps = append(t.Steps, t.takeStock(*ledger, out))
	}
	t.Seconds, t.count = time.Since(began).Seconds(), total(t.groups())
	return t.finish(out, *limit)
}

// runStage runs the steps of a stage at the same time. What the second and later ones print is held back until they are over.
func (t *tier) runStage(ctx context.Context, words []string, out io.Writer) {
	var wg sync.WaitGroup
	held := make([]bytes.Buffer, len(words))
	for i, word := range words {
		name, isCheck := strings.CutSuffix(word, "=check")
		s := &step{Name: name}
		t.Steps = append(t.Steps, s)
		w := out
		if i > 0 {
			w = &held[i]
		}
		wg.Go(func() { t.runStep(ctx, s, isCheck, w) })
	}
	wg.Wait()
	for i := range held {
		_, _ = held[i].WriteTo(out)
	}
}

func (t *tier) runStep(ctx context.Context, s *step, isCheck bool, out io.Writer) {
	began := time.Now()
	fmt.Fprintf(out, "\n=== %s: make %s, at %s\n", t.Name, s.Name, began.Format(time.TimeOnly))
	dir := filepath.Join(t.dir, s.Name)
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		cmd := program(ctx, syscall.SIGTERM, "", t.make, "--no-print-directory", s.Name)
		cmd.Env = append(os.Environ(), stepDirectory+"="+dir)
		cmd.Stdout, cmd.Stderr = out, out
		err = cmd.Run()
	}
	groups, loadErr := load(dir)
	s.Groups = groups
	err = errors.Join(err, loadErr)
	if err != nil && total(groups).Failed == 0 {
		s.Groups = append(groups, reportFailure(out, s.Name, fmt.Sprintf("make %s: %v", s.Name, err)))
	} else if err == nil && isCheck {
		s.Groups = append(groups, &group{Name: s.Name, count: count{Passed: 1}})
	} else if total(groups).sum() == 0 {
		s.Groups = append(groups, reportFailure(out, s.Name, "it ran no test"))
	}
	s.Seconds, s.count = time.Since(began).Seconds(), total(s.Groups)
	fmt.Fprintf(out, "=== %s: %s in %s\n", s.Name, s.count, formatSeconds(s.Seconds))
}

// finish writes the summary and prints the table.
func (t *tier) finish(out io.Writer, limit time.Duration) error {
	var table bytes.Buffer
	t.print(&plainWriter{w: &table}, limit)
	summary, err := json.MarshalIndent(t, "", " ")
	_, printErr := out.Write(table.Bytes())
	err = errors.Join(err, printErr, os.WriteFile(filepath.Join(t.dir, "summary.json"), summary, 0o644),
		os.WriteFile(filepath.Join(t.dir, "table.txt"), table.Bytes(), 0o644))
	if err == nil && t.Failed > 0 {
		err = errFailed
	}
	return err
}

// print prints what ran, what was left out, what failed and where to look. Its last line is the count.
func (t *tier) print(w io.Writer, limit time.Duration) {
	row := func(name string, c count, took float64) {
		fmt.Fprintf(w, "%-60s %8d %8d %8d %9s\n", name, c.Passed, c.Failed, c.Skipped, formatSeconds(took))
	}
	var skips, failures bytes.Buffer
	fmt.Fprintf(w, "\nmake %s\n%-60s %8s %8s %8s %9s\n", t.Name, "what ran", "passed", "failed", "skipped", "time")
	for _, s := range t.Steps {
		row(s.Name, s.count, s.Seconds)
		for _, g := range s.Groups {
			if len(s.Groups) > 1 {
				row("  "+g.Name, g.count, g.Seconds)
			}
			for _, note := range g.Notes {
				fmt.Fprintf(w, "    %s\n", note)
			}
			g.printSkips(&skips, s.Name)
			for _, f := range g.Failures {
				log := ""
				if g.Log != "" {
					log = ", see " + filepath.Join(artefacts, t.Name, s.Name, g.Log)
				}
				where := slices.Compact([]string{s.Name, g.Name, f.Test})
				fmt.Fprintf(&failures, "  %s%s\n%s", strings.Join(where, ": "), log, endLines(f.Why, 4))
			}
		}
	}
	if skips.Len() > 0 {
		fmt.Fprintf(w, "\nleft out, and why\n%s", &skips)
	}
	if failures.Len() > 0 {
		fmt.Fprintf(w, "\nfailed\n%s", &failures)
	}
	fmt.Fprintf(w, "\nartefacts\n  %s: each step's whole output, and summary.json\n", filepath.Join(artefacts, t.Name))
	fmt.Fprintf(w, "  %s: screenshots, dumps and the logs of every process, by test\n\n%s", artefacts, formatSeconds(t.Seconds))
	if limit > 0 {
		fmt.Fprintf(w, " of the %s that make %s may take on two cores", limit, t.Name)
		if t.Seconds > limit.Seconds() {
			fmt.Fprint(w, ": TOO LONG")
		}
	}
	fmt.Fprintf(w, "\n%s\n", t.count)
}

// printSkips prints a line for each reason why tests of the group were left out, with the first of them.
func (g *group) printSkips(w io.Writer, step string) {
	tests := map[string][]string{}
	for _, skip := range g.Skips {
		tests[skip.Why] = append(tests[skip.Why], skip.Test)
	}
	for _, skip := range g.Skips {
		if names := tests[skip.Why]; names != nil {
			some := strings.Join(names[:min(len(names), 3)], " ")
			fmt.Fprintf(w, "  %4d  %s: %s: %s (%s)\n", len(names), step, g.Name, skip.Why, some)
			delete(tests, skip.Why)
		}
	}
}

// endLines returns the first n and the last n lines of what a test that failed printed. The first say what failed; the last are the logs of what the
// test started.
func endLines(text string, n int) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		line = strings.TrimSpace(line)
		return line == "" || strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ")
	})
	if len(lines) > 2*n {
		lines = slices.Concat(lines[:n], []string{"…"}, lines[len(lines)-n:])
	}
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&b, "        %.200s\n", line)
	}
	return b.String()
}

func formatSeconds(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(100 * time.Millisecond).String()
}
