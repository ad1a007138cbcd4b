package tests

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"informerscope/sim/internal/harness"
)

// endWithin is within what time the program ends, whatever goes on.
const endWithin = 15 * time.Second

// TestEnd ends clusters while they are busy: 200 watches are open, and writers write. They end with status 0, and their directories with them.
func TestEnd(t *testing.T) {
	for name, end := range map[string]func(*harness.Cluster) error{
		"SIGTERM":        func(c *harness.Cluster) error { return c.Signal(syscall.SIGTERM) },
		"SIGINT":         func(c *harness.Cluster) error { return c.Signal(syscall.SIGINT) },
		"SIGHUP":         func(c *harness.Cluster) error { return c.Signal(syscall.SIGHUP) },
		"SIGQUIT":        func(c *harness.Cluster) error { return c.Signal(syscall.SIGQUIT) },
		"standard input": (*harness.Cluster).CloseInput,
	} {
		t.Run(name, func(t *testing.T) {
			c := harness.Start(t, "--objects=0")
			checkPrivate(t, c.Kubeconfig)
			conns, err := openWatches(t.Context(), c, "default", 200)
			for _, conn := range conns {
				if conn != nil {
					defer func() { _ = conn.Close() }()
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			l := &ledger{values: map[string]string{}}
			var writers sync.WaitGroup
			defer writers.Wait()
			for writer := range 4 {
				writers.Go(func() { _ = l.write(t.Context(), c, fmt.Sprintf("w%d", writer), "") })
			}
			begun := time.Now()
			if err := end(c); err != nil {
				t.Errorf("it ended with %v", err)
			}
			if took := time.Since(begun); took > endWithin {
				t.Errorf("it ended after %s, want within %s", took, endWithin)
			}
			if left, err := os.ReadDir(c.TempDir()); err != nil || len(left) != 0 {
				t.Errorf("it left %v (%v)", left, err)
			}
			if c.Output() != "" {
				t.Errorf("it printed:\n%s", c.Output())
			}
		})
	}
}

// TestEndWhileStarting ends clusters that are not ready yet: with status 0, without a word, and their directories with them.
func TestEndWhileStarting(t *testing.T) {
	for _, after := range []time.Duration{300 * time.Millisecond, 900 * time.Millisecond, 1500 * time.Millisecond, 2500 * time.Millisecond} {
		t.Run(after.String(), func(t *testing.T) {
			t.Parallel()
			cmd := harness.Command(t, "--objects=5000")
			var out strings.Builder
			cmd.Stderr = &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
			defer late.Stop()
			signal := time.AfterFunc(after, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })
			defer signal.Stop()
			if err := cmd.Wait(); err != nil || out.Len() > 0 {
				t.Errorf("it ended with %v and printed:\n%s", err, out.String())
			}
			run := strings.TrimPrefix(cmd.Env[len(cmd.Env)-1], "TMPDIR=")
			if left, err := os.ReadDir(run); err != nil || len(left) != 0 {
				t.Errorf("it left %v (%v)", left, err)
			}
		})
	}
}

// checkPrivate checks that only its owner can read a kubeconfig.
func checkPrivate(t *testing.T, kubeconfig string) {
	t.Helper()
	for file, want := range map[string]os.FileMode{kubeconfig: 0o600, filepath.Dir(kubeconfig): 0o700 | os.ModeDir} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has the mode %s, want %s", file, info.Mode(), want)
		}
	}
}

// TestPeople starts the program as people do: it prints a line for the shell, and ends with Ctrl-C.
func TestPeople(t *testing.T) {
	cmd := harness.Command(t, "--objects=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("it printed nothing and ended with %v", cmd.Wait())
	}
	kubeconfig, ok := strings.CutPrefix(lines.Text(), "export KUBECONFIG=")
	if !ok {
		t.Errorf("it printed %q", lines.Text())
	}
	checkPrivate(t, kubeconfig)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	for lines.Scan() {
		t.Errorf("it printed more: %q", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if _, err := os.Stat(kubeconfig); !os.IsNotExist(err) {
		t.Errorf("the kubeconfig is still there (%v)", err)
	}
}

// TestRefused starts the program with what it cannot do. It says so in one line.
func TestRefused(t *testing.T) {
	for _, row := range []struct{ flag, want string }{
		{"--profile=storm", `--profile: "storm" is none of crashloop`},
		{"--controllers=deployment,typo", `--controllers: no controller is named "typo"`},
		{"--objects=-1", "--objects: -1 is not between 0 and 100000"},
		{"--rate=NaN", "--rate: NaN is not between 0 and"},
		{"--speed=0", "--speed: 0 is not between 0.01 and 100"},
		{"--typo", "unknown flag: --typo"},
		{"word", `unknown command "word" for "informerscope-sim"`},
	} {
		out, err := harness.Command(t, row.flag).CombinedOutput()
		if err == nil || !strings.HasPrefix(string(out), "informerscope-sim: ") || !strings.Contains(string(out), row.want) || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%s: it ended with %v and printed %q, want %q", row.flag, err, out, row.want)
		}
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 90))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	for directory, want := range map[string]string{long: "TMPDIR: etcd's sockets have paths of", filepath.Join(long, "missing"): "TMPDIR: stat "} {
		cmd := harness.Command(t, "--objects=0")
		cmd.Env = append(cmd.Env, "TMPDIR="+directory)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.HasPrefix(string(out), "informerscope-sim: "+want) {
			t.Errorf("TMPDIR=%s: it ended with %v and printed %q, want %q", directory, err, out, want)
		}
	}
	if left, err := os.ReadDir(long); err != nil || len(left) != 0 {
		t.Errorf("it left %v (%v)", left, err)
	}
}
