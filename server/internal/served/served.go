package served

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	// Name is the name of the program, without a system's ending.
	Name = "informerscope-sim"
	// Context is the name of the context in its kubeconfig.
	Context = "informerscope-sim"
)

const (
	// readyPatience is how long the program may take until the cluster is ready. A hundred thousand objects take most of it.
	readyPatience = 5 * time.Minute
	// progressEvery is how often the log says that it is still awaited.
	progressEvery = 4 * time.Second
	// endPatience is how long it may take to end once its standard input has, before it is killed: its API server gets ten seconds.
	endPatience = 20 * time.Second
	// drainPatience is how long its output is read after its end, if a process that it started keeps that open.
	drainPatience = 2 * time.Second
)

// Find returns the path of the program: beside this one, or on PATH.
func Find() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	directory := filepath.Dir(self)
	for _, file := range []string{filepath.Join(directory, Name), Name} {
		if path, err := exec.LookPath(file); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf(`%s, the program that is the cluster, is neither in %s, beside this program, nor on PATH. In a clone, build it with "make sim", `+
		`or start both with "make run ARGS=sim". From a release, unpack the archive %[1]s of the same version, and put the program beside this one`,
		Name, directory)
}

// Cluster is a program that runs, and its cluster.
type Cluster struct {
	address
	cmd   *exec.Cmd
	stdin io.Closer
	tail  tail
	ended chan struct{} // closed when it has ended, and its output is read
	state error         // how it ended; valid once ended is closed
}

// address is the line of JSON that the program prints when the cluster is ready.
type address struct {
	Kubeconfig string `json:"kubeconfig"`
	Door       string `json:"door"`  // the URL of the side door
	Token      string `json:"token"` // that the door requires
}

// Start starts the program at a path with flags, and returns when its cluster is ready. It fails if ctx ends before. log gets each line of the program's
// standard error, so that the format and the level of the log hold for it too. The caller calls Close.
func Start(ctx context.Context, path string, flags []string, log *slog.Logger) (*Cluster, error) {
	c := &Cluster{cmd: exec.Command(path, append([]string{"--beside"}, flags...)...), ended: make(chan struct{})}
	first := make(chan string, 1)
	stdout := &lines{emit: func(line string) {
		select {
		case first <- line:
		default: // only the first line counts
		}
	}}
	log = log.With("from", Name)
	level := new(slog.LevelVar)
	level.Set(slog.LevelDebug) // until the cluster is ready: if it never is, the error has the lines
	stderr := &lines{emit: func(line string) {
		c.tail.add(line)
		log.Log(context.Background(), level.Level(), line)
	}}
	c.cmd.Stdout, c.cmd.Stderr, c.cmd.SysProcAttr, c.cmd.WaitDelay = stdout, stderr, ownGroup(), drainPatience
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", Name, err)
	}
	go func() {
		defer close(c.ended)
		c.state = c.cmd.Wait()
		stderr.end() // what came last may be no whole line
	}()
	if err := c.awaitReady(ctx, first, log); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	level.Set(slog.LevelInfo)
	return c, nil
}

// awaitReady sets the address.
func (c *Cluster) awaitReady(ctx context.Context, first <-chan string, log *slog.Logger) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyPatience, fmt.Errorf("not ready after %s", readyPatience))
	defer cancel()
	began, progress := time.Now(), time.NewTicker(progressEvery)
	defer progress.Stop()
	for {
		select {
		case line := <-first:
			if err := json.Unmarshal([]byte(line), &c.address); err != nil || c.Kubeconfig == "" || c.Door == "" || c.Token == "" {
				return fmt.Errorf("%s printed %.100q, not the line of JSON with its address: it is of another version than this program, or another program",
					c.cmd.Path, line)
			}
			return nil
		case <-c.ended:
			return c.Err()
		case <-ctx.Done():
			return fmt.Errorf("%s: %w%s", Name, context.Cause(ctx), &c.tail)
		case <-progress.C:
			log.Info("the cluster is starting", "seconds", int(time.Since(began).Seconds()))
		}
	}
}

// Ended is closed when the program has ended; nil if c is nil.
func (c *Cluster) Ended() <-chan struct{} {
	if c == nil {
		return nil
	}
	return c.ended
}

// Err says how the program ended, with the last lines of its standard error. Call it once Ended is closed.
func (c *Cluster) Err() error {
	how := "without an error"
	if c.state != nil {
		how = c.state.Error()
	}
	return fmt.Errorf("%s has ended, %s:%s", Name, how, &c.tail)
}

// Close ends the program and waits for it. It returns an error if the program did not end in order; nil if it had ended before, or c is nil.
func (c *Cluster) Close() error {
	if c == nil {
		return nil
	}
	select {
	case <-c.ended:
		return nil
	default:
	}
	_ = c.stdin.Close()
	late := time.NewTimer(endPatience)
	defer late.Stop()
	select {
	case <-c.ended:
	case <-late.C:
		_ = c.cmd.Process.Kill()
		<-c.ended
		return fmt.Errorf("%s had not ended after %s, and was killed:%s", Name, endPatience, &c.tail)
	}
	if c.state != nil && !errors.Is(c.state, exec.ErrWaitDelay) {
		return c.Err()
	}
	return nil
}
