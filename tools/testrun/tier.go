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
	"strings"
	"sync"
	"time"
)

// step is one target of the Makefile in a tier.
type step struct {
	Name    string    `json:"name"`
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	Records []*record `json:"records"`
	// check: the target is one check, and counts by its exit status.
	check bool
	dir   string
}

func (s *step) total() (c count) {
	for _, r := range s.Records {
		c.add(r.total())
	}
	return c
}

// parseSteps reads A, A=check and A+B.
func parseSteps(args []string) (stages [][]*step, err error) {
	seen := map[string]bool{}
	for _, arg := range args {
		var stage []*step
		for _, word := range strings.Split(arg, "+") {
			name, kind, has := strings.Cut(word, "=")
			if name == "" || has && kind != "check" {
				return nil, fmt.Errorf("step %q: write it as NAME, NAME=check or A+B", arg)
			}
			if seen[name] {
				return nil, fmt.Errorf("step %q is there twice", name)
			}
			seen[name] = true
			stage = append(stage, &step{Name: name, check: has})
		}
		stages = append(stages, stage)
	}
	if len(stages) == 0 {
		return nil, errors.New("give the steps of the tier")
	}
	return stages, nil
}

// tier is what is run, and what came of it. It is written to summary.json.
type tier struct {
	Name    string    `json:"name"`
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	count
	Limit     string  `json:"limit,omitempty"`
	Artefacts string  `json:"artefacts"`
	Steps     []*step `json:"steps"`

	out, make string
	limit     time.Duration
	ledger    string
}

func runTier(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("give the tier's name")
	}
	t := &tier{Name: args[0], Began: time.Now()}
	flags := flag.NewFlagSet("tier", flag.ContinueOnError)
	flags.StringVar(&t.Artefacts, "artefacts", "e2e/artifacts", "where the tests leave screenshots and logs; the tier's own are in a directory of its name there")
	flags.StringVar(&t.make, "make", "make", "the make to run targets with")
	flags.DurationVar(&t.limit, "limit", 0, "how long the tier may take, to be told with how long it took")
	flags.StringVar(&t.ledger, "ledger", "", "the file that says which tests this tier does not run, and why; all others must have run")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	stages, err := parseSteps(flags.Args())
	if err != nil {
		return err
	}
	if t.limit > 0 {
		t.Limit = t.limit.String()
	}
	if t.out, err = filepath.Abs(filepath.Join(t.Artefacts, t.Name)); err != nil {
		return err
	}
	if err := os.RemoveAll(t.out); err != nil {
		return err
	}
	for _, stage := range stages {
		t.runStage(ctx, stage, out)
		if ctx.Err() != nil {
			break
		}
	}
	if t.ledger != "" {
		t.Steps = append(t.Steps, t.takeStock(out))
	}
	if ctx.Err() != nil {
		t.Steps = append(t.Steps, &step{Name: "interrupted", Records: []*record{{Name: "interrupted", Groups: []*group{broken("the run", "it was interrupted")}}}})
	}
	return t.finish(out)
}

// runStage runs the steps of a stage at the same time. What the second and
// later ones print is held back until they are over.
func (t *tier) runStage(ctx context.Context, stage []*step, out io.Writer) {
	var wg sync.WaitGroup
	held := make([]bytes.Buffer, len(stage))
	for i, s := range stage {
		t.Steps = append(t.Steps, s)
		w := out
		if i > 0 {
			w = &held[i]
		}
		wg.Go(func() { t.runStep(ctx, s, w) })
	}
	wg.Wait()
	for i := range held {
		_, _ = held[i].WriteTo(out)
	}
}

func (t *tier) runStep(ctx context.Context, s *step, out io.Writer) {
	s.Began = time.Now()
	fmt.Fprintf(out, "\n=== %s: make %s (%s after the start)\n", t.Name, s.Name, shown(time.Since(t.Began)))
	err := t.runTarget(ctx, s, out)
	s.Seconds = time.Since(s.Began).Seconds()
	fail := func(why string) {
		fmt.Fprintf(out, "FAIL  %s: %s\n", s.Name, why)
		s.Records = append(s.Records, &record{Name: s.Name, Began: s.Began, Seconds: s.Seconds, Groups: []*group{broken(s.Name, why)}})
	}
	switch {
	case err != nil && s.total().Failed == 0:
		fail(fmt.Sprintf("make %s: %v", s.Name, err))
	case err == nil && s.check:
		s.Records = append(s.Records, &record{Name: s.Name, Began: s.Began, Seconds: s.Seconds,
			Groups: []*group{{What: s.Name, Seconds: s.Seconds, count: count{Passed: 1}}}})
	case s.total().sum() == 0:
		fail("it ran no test")
	}
	fmt.Fprintf(out, "=== %s: %s in %s\n", s.Name, s.total(), shown(seconds(s.Seconds)))
}

func (t *tier) runTarget(ctx context.Context, s *step, out io.Writer) error {
	s.dir = filepath.Join(t.out, s.Name)
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	cmd := makeProgram(ctx, []string{t.make, "--no-print-directory", s.Name})
	cmd.Env = append(os.Environ(), stepDirectory+"="+s.dir)
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	records, loadErr := loadRecords(s.dir)
	s.Records = records
	return errors.Join(err, loadErr)
}

// finish writes the summary and prints the table.
func (t *tier) finish(out io.Writer) error {
	t.Seconds = time.Since(t.Began).Seconds()
	for _, s := range t.Steps {
		t.add(s.total())
	}
	var table bytes.Buffer
	t.print(&table)
	text, err := json.MarshalIndent(t, "", " ")
	if err == nil {
		err = os.MkdirAll(t.out, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(t.out, "summary.json"), append(text, '\n'), 0o644)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(t.out, "table.txt"), table.Bytes(), 0o644)
	}
	if err != nil {
		fmt.Fprintf(out, "the summary could not be kept: %v\n", err)
	}
	if _, werr := table.WriteTo(out); werr != nil {
		return werr
	}
	if t.Failed > 0 || err != nil {
		return errFailed
	}
	return nil
}
