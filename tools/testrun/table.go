package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// print prints what ran, what was left out, what failed and where to look. Its
// last line is the count.
func (t *tier) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n%-52s %8s %8s %8s %9s\n", "make "+t.Name, "what ran", "passed", "failed", "skipped", "time")
	for _, s := range t.Steps {
		fmt.Fprintln(w, row(s.Name, s.total(), s.Seconds))
		for _, r := range s.Records {
			for _, g := range r.Groups {
				if len(s.Records) > 1 || len(r.Groups) > 1 {
					fmt.Fprintln(w, row("  "+g.label(r), g.count, g.Seconds))
				}
				for _, note := range g.Notes {
					fmt.Fprintf(w, "    %s\n", note)
				}
			}
		}
	}
	t.printSkips(w)
	t.printFailures(w)
	fmt.Fprintf(w, "\nartefacts\n  %s: each step's whole output, and summary.json\n", relative(t.out))
	fmt.Fprintf(w, "  %s: screenshots, dumps and the logs of every process, by test\n", t.Artefacts)
	took := shown(seconds(t.Seconds))
	if t.limit > 0 {
		fmt.Fprintf(w, "\n%s of the %s that make %s may take on two cores", took, shown(t.limit), t.Name)
		if seconds(t.Seconds) > t.limit {
			fmt.Fprintf(w, ": TOO LONG")
		}
		fmt.Fprintln(w)
	} else {
		fmt.Fprintf(w, "\n%s\n", took)
	}
	fmt.Fprintln(w, t.count)
}

func (g *group) label(r *record) string {
	if g.Package == "" || g.What == r.Name {
		return g.What
	}
	return r.Name + ": " + g.What
}

func row(what string, c count, took float64) string {
	return fmt.Sprintf("%-52s %8d %8d %8d %9s", what, c.Passed, c.Failed, c.Skipped, shown(seconds(took)))
}

// printSkips says what was left out, by reason.
func (t *tier) printSkips(w io.Writer) {
	type why struct{ step, what, reason string }
	var order []why
	tests := map[why][]string{}
	for _, s := range t.Steps {
		for _, r := range s.Records {
			for _, g := range r.Groups {
				for _, skip := range g.Skips {
					k := why{s.Name, g.What, skip.Why}
					if tests[k] == nil {
						order = append(order, k)
					}
					tests[k] = append(tests[k], skip.Test)
				}
			}
		}
	}
	if len(order) == 0 {
		return
	}
	fmt.Fprintln(w, "\nleft out, and why")
	for _, k := range order {
		names := tests[k]
		shownNames := strings.Join(names[:min(len(names), 3)], " ")
		if len(names) > 3 {
			shownNames += fmt.Sprintf(" and %d more", len(names)-3)
		}
		fmt.Fprintf(w, "  %4d  %s: %s: %s (%s)\n", len(names), k.step, k.what, k.reason, shownNames)
	}
}

// failureLines is how many of a failure's first lines, and how many of its last, the table repeats. The first say what failed; the last are
// the logs of what the test started. All of it was printed when it came.
const failureLines = 4

func (t *tier) printFailures(w io.Writer) {
	if t.Failed == 0 {
		return
	}
	fmt.Fprintln(w, "\nfailed")
	for _, s := range t.Steps {
		for _, r := range s.Records {
			for _, g := range r.Groups {
				for _, f := range g.Failures {
					log := ""
					if r.Log != "" {
						log = ", see " + relative(r.Log)
					}
					where := slices.Compact([]string{s.Name, g.What, f.Test})
					fmt.Fprintf(w, "  %s%s\n", strings.Join(where, ": "), log)
					for _, line := range endLines(f.Why, failureLines) {
						fmt.Fprintf(w, "        %.200s\n", line)
					}
				}
			}
		}
	}
}

// endLines returns the first n and the last n lines of a text, without the lines that testing adds.
func endLines(text string, n int) []string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool {
		l = strings.TrimSpace(l)
		return l == "" || strings.HasPrefix(l, "=== ") || strings.HasPrefix(l, "--- ")
	})
	if len(lines) > 2*n {
		lines = slices.Concat(lines[:n], []string{"…"}, lines[len(lines)-n:])
	}
	return lines
}

// relative is a path as seen from the working directory, if that is shorter.
func relative(path string) string {
	if wd, err := filepath.Abs("."); err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil && len(rel) < len(path) {
			return rel
		}
	}
	return path
}
