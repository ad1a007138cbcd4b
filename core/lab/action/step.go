package action

import (
	"fmt"
	"strconv"
	"time"

	"informerscope/core/lab/selection"
)

// Step is an action of the user on an experiment on the simulated cluster, or on that cluster.
type Step struct {
	At   time.Duration // since the cluster began
	Seq  uint64        // the log's head then; a link does not have it
	Verb string
	Args []string
}

// New returns a step without a time.
func New(verb string, args ...any) Step {
	s := Step{Verb: verb}
	for _, a := range args {
		s.Args = append(s.Args, fmt.Sprint(a))
	}
	// Trailing arguments that were omitted stay omitted.
	for n := len(s.Args); n > 0 && (s.Args[n-1] == "" || s.Args[n-1] == "0"); n-- {
		s.Args = s.Args[:n-1]
	}
	return s
}

// Arg returns an argument, "" if it was omitted.
func (s Step) Arg(i int) string {
	if i < len(s.Args) {
		return s.Args[i]
	}
	return ""
}

// Int returns an argument that is a whole number, 0 if it was omitted.
func (s Step) Int(i int) int {
	n, _ := strconv.Atoi(s.Arg(i)) // Read has checked it
	return n
}

// Float returns an argument that is a number, 0 if it was omitted.
func (s Step) Float(i int) float64 {
	f, _ := strconv.ParseFloat(s.Arg(i), 64)
	return f
}

// Watched returns the selection of an earlier experiment, as a change.
func (s Step) Watched() selection.Change {
	release, group, version, resource, kind, namespace := s.Arg(0), s.Arg(1), s.Arg(2), s.Arg(3), s.Arg(4), s.Arg(5)
	transform, selector := s.Arg(6), s.Arg(7)
	return selection.Change{
		Release: &release, Group: &group, Version: &version, Resource: &resource, Kind: &kind, Namespace: &namespace, Transform: &transform,
		Selector: &selector,
	}
}
