package harness

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	// startPatience is how long a cluster may take until it says that it is ready, endPatience how long it may take to end. They are for a machine that
	// does much else; a test that promises less time measures it.
	startPatience = 2 * time.Minute
	endPatience   = time.Minute
	// kubectlPatience bounds one call of kubectl.
	kubectlPatience = time.Minute
)

// scratch is the directory of this test binary. shared is the cluster that its tests share; Main ends it.
var (
	scratch string
	assets  sync.Mutex // held while the assets are written
	shared  struct {
		sync.Mutex
		*Cluster
	}
)

// Main runs the tests of a package, ends the shared cluster and removes the directory of this test binary. TestMain calls it.
func Main(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "sim-test-"); err == nil {
		err = os.Mkdir(home(), 0o700)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if c := shared.Cluster; c != nil {
		if err := c.Stop(); err != nil {
			fmt.Fprintf(os.Stderr, "the shared cluster: %v\n%s", err, c.Output())
			code = 1
		}
	}
	if err := os.RemoveAll(scratch); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func home() string { return filepath.Join(scratch, "home") }

// Program returns the program's file. The test fails if there is none.
func Program(tb testing.TB) string {
	tb.Helper()
	if scratch == "" {
		tb.Fatal("the package has no TestMain that calls harness.Main")
	}
	file := os.Getenv("INFORMERSCOPE_SIM")
	if file == "" {
		_, source, _, _ := runtime.Caller(0)
		file = filepath.Join(filepath.Dir(source), "../../../bin/informerscope-sim")
	}
	if _, err := os.Stat(file); err != nil {
		tb.Fatalf("run make sim, or set INFORMERSCOPE_SIM: %v", err)
	}
	return file
}

// Assets returns the directory with kube-apiserver, etcd and kubectl. The first call writes it.
func Assets(tb testing.TB) string {
	tb.Helper()
	assets.Lock()
	defer assets.Unlock()
	directory := filepath.Join(scratch, "assets")
	if _, err := os.Stat(directory); err == nil {
		return directory
	}
	if out, err := exec.Command(Program(tb), "assets", directory).CombinedOutput(); err != nil {
		tb.Fatalf("informerscope-sim assets: %v\n%s", err, out)
	}
	return directory
}

// Cluster is a process of informerscope-sim, started with --beside. Its methods are safe for concurrent use.
type Cluster struct {
	// Kubeconfig is the administrator's, with Config and Client made from it: without a limit of requests a second.
	Kubeconfig string
	Config     *rest.Config
	Client     kubernetes.Interface
	// Door and Token are the URL and the token of the side door.
	Door, Token string

	assets string
	run    string
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout *bufio.Reader // only Start reads it
	output output
	ended  chan struct{}
	err    error // how the process ended; valid once ended is closed
}

// Start starts a cluster with these flags beside --beside, and returns when it is ready. It ends with the test.
func Start(tb testing.TB, flags ...string) *Cluster {
	tb.Helper()
	c, err := TryStart(tb, flags...)
	if err != nil {
		tb.Fatalf("%v\n%s", err, c.Output())
	}
	return c
}

// TryStart is Start for a cluster that may end before it is ready, which is the error. The Cluster is not nil.
func TryStart(tb testing.TB, flags ...string) (*Cluster, error) {
	tb.Helper()
	c := &Cluster{ended: make(chan struct{})}
	if err := c.begin(tb, flags); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = c.Stop()
		if tb.Failed() {
			tb.Logf("informerscope-sim %s printed:\n%s", strings.Join(flags, " "), c.Output())
		}
	})
	return c, c.waitReady()
}

// Shared returns the cluster that the tests of this binary share; the first call starts it, without flags but for --objects 0. Tests use namespaces of
// their own.
func Shared(tb testing.TB) *Cluster {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.Cluster == nil {
		c := &Cluster{ended: make(chan struct{})}
		if err := c.begin(tb, []string{"--objects=0"}); err != nil {
			tb.Fatal(err)
		}
		shared.Cluster = c
		if err := c.waitReady(); err != nil {
			tb.Fatalf("%v\n%s", err, c.Output())
		}
	}
	c := shared.Cluster
	select {
	case <-c.ended:
		tb.Fatalf("the shared cluster has ended: %v\n%s", c.err, c.Output())
	default:
	}
	return c
}

// begin starts the process.
func (c *Cluster) begin(tb testing.TB, flags []string) (err error) {
	c.assets = Assets(tb)
	c.cmd = Command(tb, append([]string{"--beside"}, flags...)...)
	c.run = strings.TrimPrefix(c.cmd.Env[len(c.cmd.Env)-1], "TMPDIR=")
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	c.stdout, c.cmd.Stderr = bufio.NewReader(out), &c.output
	return c.cmd.Start()
}

// waitReady reads where the cluster is, and waits for the process in the background.
func (c *Cluster) waitReady() error {
	late := time.AfterFunc(startPatience, func() { _ = c.cmd.Process.Kill() })
	defer late.Stop()
	line, readErr := c.stdout.ReadBytes('\n')
	go func() { // ends with the process
		defer close(c.ended)
		_, _ = io.Copy(&c.output, c.stdout)
		c.err = c.cmd.Wait()
	}()
	if readErr != nil {
		<-c.ended
		return fmt.Errorf("informerscope-sim ended before it was ready, or was not ready after %s: %w", startPatience, errors.Join(c.err, readErr))
	}
	if err := json.Unmarshal(line, c); err != nil {
		return fmt.Errorf("informerscope-sim --beside printed %q: %w", line, err)
	}
	var err error
	if c.Config, err = clientcmd.BuildConfigFromFlags("", c.Kubeconfig); err != nil {
		return err
	}
	c.Config.QPS = -1
	c.Client, err = kubernetes.NewForConfig(c.Config)
	return err
}

// Command returns a command of informerscope-sim that has not started, with a HOME of the test binary and a TMPDIR of its own, which is the last variable of
// its environment.
func Command(tb testing.TB, args ...string) *exec.Cmd {
	tb.Helper()
	cmd := exec.Command(Program(tb), args...)
	run, err := os.MkdirTemp(scratch, "run")
	if err != nil {
		tb.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "HOME="+home(), "KUBECONFIG=", "TMPDIR="+run)
	return cmd
}

// Pid is the process's number.
func (c *Cluster) Pid() int { return c.cmd.Process.Pid }

// TempDir is the process's TMPDIR. It is empty when the process has ended.
func (c *Cluster) TempDir() string { return c.run }

// Ended is closed when the process has ended.
func (c *Cluster) Ended() <-chan struct{} { return c.ended }

// Output is what the process has printed, but for the line that says where it is.
func (c *Cluster) Output() string { return c.output.String() }

// CloseInput ends the standard input of the process, and returns how it ended.
func (c *Cluster) CloseInput() error {
	_ = c.stdin.Close()
	return c.wait()
}

// Signal sends the process a signal, and returns how it ended.
func (c *Cluster) Signal(s syscall.Signal) error {
	if err := c.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return c.wait()
}

// Stop sends SIGTERM and returns how the process ended: nil for status 0.
func (c *Cluster) Stop() error { return c.Signal(syscall.SIGTERM) }

// Kill sends SIGKILL, and returns when the process has ended.
func (c *Cluster) Kill() { _ = c.Signal(syscall.SIGKILL) }

// wait returns how the process ended. One that does not end is killed.
func (c *Cluster) wait() error {
	select {
	case <-c.ended:
		return c.err
	case <-time.After(endPatience):
		_ = c.cmd.Process.Kill()
		<-c.ended
		return fmt.Errorf("informerscope-sim had not ended after %s", endPatience)
	}
}

// Kubectl runs kubectl as the administrator, and returns what it printed on both outputs. The error has that too.
func (c *Cluster) Kubectl(args ...string) (string, error) { return c.KubectlWith("", args...) }

// KubectlWith is Kubectl with a standard input.
func (c *Cluster) KubectlWith(stdin string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), kubectlPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(c.assets, "kubectl"), args...)
	cmd.Env = append(os.Environ(), "HOME="+home(), "KUBECONFIG="+c.Kubeconfig, "EDITOR=true")
	cmd.Stdin = strings.NewReader(stdin)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = fmt.Errorf("it had not ended after %s", kubectlPatience)
	}
	if err != nil {
		err = fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

// output is what a process prints. It is safe for concurrent use.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// String is all that was printed.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
