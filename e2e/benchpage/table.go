package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// table prints a measurement a line as it is made, its budget beside it.
type table struct {
	out    io.Writer
	missed int
}

func (t *table) head() { t.line("", "measured", "budget", "") }

// row prints what has no budget.
func (t *table) row(what, measured, budget string) { t.line(what, measured, budget, "") }

// judge prints what has one.
func (t *table) judge(what, measured, budget string, met bool) {
	verdict := "met"
	if !met {
		verdict = "MISSED"
		t.missed++
	}
	t.line(what, measured, budget, verdict)
}

func (t *table) line(what, measured, budget, verdict string) {
	fmt.Fprintf(t.out, "%s%s%s%s\n", pad(what, 44), pad(measured, 52), pad(budget, 12), verdict)
}

func (t *table) foot() {
	if t.missed > 0 {
		fmt.Fprintf(t.out, "\n%d of the budget's lines are missed\n", t.missed)
	} else {
		fmt.Fprintln(t.out, "\nthe budget is met")
	}
}

// pad fills s up to n characters, with one space behind it at least.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(1, n-utf8.RuneCountInString(s)))
}
