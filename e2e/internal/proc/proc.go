package proc

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// Process is one running program: started by Start, ended by Stop, and
// by the kernel should this program die first (Linux).
type Process struct {
	name string
	log  string
	cmd  *exec.Cmd
	// Done closes when the program has exited.
	Done <-chan struct{}
	done chan struct{}
	err  error // valid once done has closed
}

// Start starts path with args. Its output is appended to dir/<name>.log, its
// standard output also to stdout unless that is nil.
func Start(name, dir, path string, stdout io.Writer, args ...string) (*Process, error) {
	return StartEnv(name, dir, path, nil, stdout, args...)
}

// StartEnv is [Start] with env, lines as NAME=value, added to the environment.
func StartEnv(name, dir, path string, env []string, stdout io.Writer, args ...string) (*Process, error) {
	p := &Process{name: name, log: filepath.Join(dir, name+".log"), done: make(chan struct{})}
	p.Done = p.done
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "--- %s %q\n", path, args)
	p.cmd = exec.Command(path, args...)
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	if stdout != nil {
		p.cmd.Stdout = io.MultiWriter(out, stdout)
	}
	OwnGroup(p.cmd)
	started := make(chan error, 1)
	go func() {
		// The kernel's parent-death signal follows the thread that forked, not
		// the process: so that thread must stay for as long as the child does.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer out.Close()
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	return p, nil
}

// Stop asks the program to end, kills its group after grace, and returns once
// it is gone. It is safe to call again.
func (p *Process) Stop(grace time.Duration) {
	select {
	case <-p.done:
		return
	default:
	}
	if grace > 0 {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-p.done:
			return
		case <-timer.C:
		}
	}
	_ = KillGroup(p.cmd.Process)
	<-p.done
}

// PID is the program's process, also after it has ended.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Signal sends the process a signal, such as the one that stops it for a while.
func (p *Process) Signal(sig os.Signal) error { return p.cmd.Process.Signal(sig) }

// StopGroup is [Process.Stop], and then kills what is left of the program's
// group: a browser's own processes may outlive the one that started them.
func (p *Process) StopGroup(grace time.Duration) {
	p.Stop(grace)
	_ = KillGroup(p.cmd.Process)
}

// Wait returns nil when ready does, asking again after pauses that grow from
// 10 ms to 250 ms; it gives up when the program exits or ctx ends.
func (p *Process) Wait(ctx context.Context, ready func(context.Context) error) error {
	pause := 10 * time.Millisecond
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		timer := time.NewTimer(pause)
		select {
		case <-p.done:
			timer.Stop()
			return fmt.Errorf("%s exited before it was ready: %v", p.name, p.err)
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("%s is not ready: %w (last answer: %v)", p.name, context.Cause(ctx), err)
		case <-timer.C:
		}
		pause = min(pause*3/2, 250*time.Millisecond)
	}
}

// Log is the path of the file that keeps what the program writes.
func (p *Process) Log() string { return p.log }

// LogTail returns the last n lines that the program wrote.
func (p *Process) LogTail(n int) string {
	return LogTail(p.log, n)
}

// LogTail returns the last n lines of the file log, or why it cannot.
func LogTail(log string, n int) string {
	text, err := os.ReadFile(log)
	if err != nil {
		return err.Error()
	}
	return string(Tail(text, n))
}

// Tail returns the last n lines of out.
func Tail(out []byte, n int) []byte {
	end := len(out)
	for end > 0 && out[end-1] == '\n' {
		end--
	}
	for i := end - 1; i >= 0; i-- {
		if out[i] == '\n' {
			if n--; n == 0 {
				return out[i+1 : end]
			}
		}
	}
	return out[:end]
}

// FreePort asks the system for a free loopback port.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
