// Command testrun runs the project's checks and tests. At the end it prints one
// table: what ran, how many passed, failed and were left out and why, how long
// it took, and where to look further.
//
//	testrun go NAME [-C DIR] [-show REGEXP] -- go test ARGS   runs tests
//	testrun check NAME [-C DIR] -- COMMAND ARGS               runs a command that passes or fails, or is left out
//	testrun tier NAME [flags] STEP...                         runs targets of the Makefile, and prints the table
//
// A STEP of a tier is a target of the Makefile whose commands run by "testrun
// go" and "testrun check". What those count is the step's result, and a step
// that counts nothing has failed. NAME=check is a target without such commands:
// it is one check, and its exit status decides. A+B runs steps at the same time.
//
// The last line that testrun prints is always "N passed, N failed, N skipped".
// It exits with status 1 when anything failed. Output that is not for a
// terminal has no control characters.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// errFailed ends the program with status 1; what failed has been said.
var errFailed = errors.New("something failed")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		if !errors.Is(err, errFailed) {
			fmt.Fprintln(os.Stderr, "testrun:", err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("say what to do: go, check or tier")
	}
	out = plain(out)
	switch verb, args := args[0], args[1:]; verb {
	case "go":
		return runCommand(ctx, args, out, runGoTest)
	case "check":
		return runCommand(ctx, args, out, runCheck)
	case "tier":
		return runTier(ctx, args, out)
	default:
		return fmt.Errorf("%q is nothing to do: say go, check or tier", verb)
	}
}

// command is what "testrun go" and "testrun check" run.
type command struct {
	name, dir, show string
	args            []string
}

// String is the command on one line.
func (c command) String() string { return strings.Join(strings.Fields(strings.Join(c.args, " ")), " ") }

func parseCommand(args []string) (command, error) {
	if len(args) == 0 {
		return command{}, errors.New("give a name for what runs")
	}
	c := command{name: args[0]}
	at := slices.Index(args, "--")
	if at < 0 || at == len(args)-1 {
		return c, fmt.Errorf("%s: give the command after --", c.name)
	}
	c.args = args[at+1:]
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.StringVar(&c.dir, "C", "", "the directory to run in")
	flags.StringVar(&c.show, "show", "", "a regular expression: lines of the tests' output to keep in the table")
	if err := flags.Parse(args[1:at]); err != nil {
		return c, err
	}
	if flags.NArg() > 0 {
		return c, fmt.Errorf("%s: %q is no flag; the command goes after --", c.name, flags.Arg(0))
	}
	return c, nil
}

// runCommand runs one command and leaves its record where a tier looks for it.
// Without a tier around it, it says itself how many passed.
func runCommand(ctx context.Context, args []string, out io.Writer, f func(context.Context, command, io.Writer) (*record, error)) error {
	c, err := parseCommand(args)
	if err != nil {
		return err
	}
	r, err := f(ctx, c, out)
	if err != nil {
		return err
	}
	if dir := os.Getenv(stepDirectory); dir != "" {
		if err := r.save(dir); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(out, r.total())
	}
	if r.total().Failed > 0 {
		return errFailed
	}
	return nil
}
