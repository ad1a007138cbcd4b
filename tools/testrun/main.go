// Command testrun runs the project's checks and tests, and counts them.
//
//	testrun go NAME [-C DIR] [-show REGEXP] [-again N] -- go test ARGS   runs tests
//	testrun check NAME [-C DIR] -- COMMAND ARGS               runs a command that passes or fails, or says that it was left out
//	testrun tier NAME [flags] STEP...                         runs targets of the Makefile, and prints a table
//
// A STEP of a tier is a target of the Makefile whose commands run by "testrun go" and "testrun check". What those count is the step's result, and a
// step that counts nothing has failed. NAME=check is a target without such commands: it is one check, and its exit status decides. A+B runs steps at
// the same time. The table says what ran, how many passed, failed and were left out and why, how long it took, and where to look further.
//
// The last line that testrun prints is always "N passed, N failed, N skipped". It exits with status 1 when anything failed. Its output has no control
// characters.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"sync"
	"syscall"
	"time"
)

// errFailed ends the program with status 1; testrun has printed what failed.
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
	if len(args) < 2 {
		return errors.New("say what to do, and its name: go NAME, check NAME or tier NAME")
	}
	out = &plainWriter{w: out}
	switch verb, name, args := args[0], args[1], args[2:]; verb {
	case "go":
		return runCommand(ctx, name, args, out, runGo)
	case "check":
		return runCommand(ctx, name, args, out, runCheck)
	case "tier":
		return runTier(ctx, name, args, out)
	default:
		return fmt.Errorf("testrun cannot %q: say go, check or tier", verb)
	}
}

// program is a command in a process group of its own. When ctx ends, the whole group gets the signal: the go command would leave the tests that it
// started behind. What has not ended a while later is killed.
func program(ctx context.Context, sig syscall.Signal, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, sig) }
	cmd.WaitDelay = 20 * time.Second
	return cmd
}

// plainWriter takes out the control characters that programs print for a terminal. Several goroutines may write.
type plainWriter struct {
	lock sync.Mutex
	w    io.Writer
}

// controls are escape sequences, and characters that move the cursor.
var controls = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(\x07|\x1b\\\\)|\x1b[@-Z\\\\-_]|[\x00-\x08\x0b-\x1f\x7f]")

func (p *plainWriter) Write(b []byte) (int, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	_, err := p.w.Write(controls.ReplaceAll(b, nil))
	return len(b), err
}
