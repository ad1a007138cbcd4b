package browser

import (
	"fmt"
	"regexp"
	"slices"
	"sync"
)

// Problem is something that went wrong in a page or in one of its workers.
type Problem struct {
	// Kind is "exception", "console", "log" (the browser's own message, such as a refused policy), "request", "crash", or "outside" (a request to
	// another machine).
	Kind string
	// Where is "page", or "worker" with its address.
	Where string
	Text  string
}

func (p Problem) String() string { return fmt.Sprintf("%s in %s: %s", p.Kind, p.Where, p.Text) }

// Journal keeps the problems and the console of a page. The zero value is empty. Its methods may be called side by side.
type Journal struct {
	mu       sync.Mutex
	problems []Problem
	console  []string
}

// AddProblem keeps a problem once, however often it is repeated.
func (j *Journal) AddProblem(kind, where, text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if problem := (Problem{Kind: kind, Where: where, Text: text}); !slices.Contains(j.problems, problem) {
		j.problems = append(j.problems, problem)
	}
}

// goCrash matches the last output of a Go program in WebAssembly that dies: wasm_exec.js prints standard error with console.log.
var goCrash = regexp.MustCompile(`^(panic: |fatal error: |goroutine \d+ \[)`)

// AddLine keeps a line of the console, printed at a level. An error, a failed assertion, and the end of a Go program are also problems.
func (j *Journal) AddLine(level, where, text string) {
	if level == "error" || level == "assert" || goCrash.MatchString(text) {
		j.AddProblem("console", where, text)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.console = append(j.console, level+" "+text); len(j.console) > 200 {
		j.console = j.console[1:]
	}
}

// Problems returns what went wrong so far, oldest first.
func (j *Journal) Problems() []Problem {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.problems)
}

// ForgetProblems empties Problems and returns what it had.
func (j *Journal) ForgetProblems() []Problem {
	j.mu.Lock()
	defer j.mu.Unlock()
	problems := j.problems
	j.problems = nil
	return problems
}

// Console returns what the page and its workers printed, the last 200 lines.
func (j *Journal) Console() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.console)
}
