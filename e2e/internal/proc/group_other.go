//go:build !unix

package proc

import (
	"os"
	"os/exec"
)

// OwnGroup does nothing: this system has no process groups.
func OwnGroup(*exec.Cmd) {}

// KillGroup kills the process.
func KillGroup(p *os.Process) error { return p.Kill() }
