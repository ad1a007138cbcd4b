package main

import (
	"context"
	"os/exec"
	"syscall"
	"time"
)

// patience is how long a program that is asked to end may take before it is killed.
const patience = 20 * time.Second

// program is a command in a process group of its own. When ctx is done all of
// the group is asked to end, as by a terminal: the go command would leave the
// tests that it started behind.
func program(ctx context.Context, dir string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = patience
	return cmd
}

// makeProgram is make, which passes SIGTERM on to what it runs.
func makeProgram(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 2 * patience
	return cmd
}
