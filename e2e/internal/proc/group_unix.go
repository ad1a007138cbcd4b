//go:build unix && !linux

package proc

import (
	"os"
	"os/exec"
	"syscall"
)

// OwnGroup makes cmd the leader of its own process group.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// KillGroup kills the process and all its descendants in its group.
func KillGroup(p *os.Process) error {
	return syscall.Kill(-p.Pid, syscall.SIGKILL)
}
