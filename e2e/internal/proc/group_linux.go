package proc

import (
	"os"
	"os/exec"
	"syscall"
)

// OwnGroup makes cmd the leader of its own process group, and has the kernel
// kill it when the thread that starts it ends.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// KillGroup kills the process and all its descendants in its group.
func KillGroup(p *os.Process) error {
	return syscall.Kill(-p.Pid, syscall.SIGKILL)
}
