package tools_test

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
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

	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

// packaged is the directory of this machine's archive, made with the program of `make dist` and unpacked, once a run.
var packaged = sync.OnceValues(func() (string, error) {
	root, err := layout.Root()
	if err != nil {
		return "", err
	}
	dir, err := layout.Artifacts("dist")
	if err != nil {
		return "", err
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	for _, args := range [][]string{{"make", "packed"}, {"go", "run", "./tools/dist", "-o", dir, "-version", "v0.0.0-e2e", "-platforms",
		runtime.GOOS + "/" + runtime.GOARCH}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, proc.Tail(out, 40))
		}
	}
	base := fmt.Sprintf("informerscope_v0.0.0-e2e_%s_%s", runtime.GOOS, runtime.GOARCH)
	return filepath.Join(dir, base), untar(filepath.Join(dir, base+".tar.gz"), dir)
})

// untar unpacks an archive of ours as tar does.
func untar(archive, into string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for r := tar.NewReader(unpacked); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		path := filepath.Join(into, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			if err := os.MkdirAll(path, 0o755); err != nil {
				return err
			}
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, data, h.FileInfo().Mode()); err != nil {
			return err
		}
	}
}

// firstLine starts a command that serves, and returns the address that it prints. The command ends with the test.
func firstLine(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	return firstLineAnd(t, cmd, io.Discard)
}

// firstLineAnd is firstLine; later output goes to rest, until the test ends.
func firstLineAnd(t *testing.T, cmd *exec.Cmd, rest io.Writer) string {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = log
	proc.OwnGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines, done := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(done)
		reader := bufio.NewReader(out)
		if line, err := reader.ReadString('\n'); err == nil {
			lines <- strings.TrimSuffix(line, "\n")
		}
		close(lines)
		_, _ = io.Copy(rest, reader)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(10*time.Second, func() {
			t.Error("it does not end at SIGTERM")
			_ = proc.KillGroup(cmd.Process)
		})
		<-done
		if err := cmd.Wait(); err != nil {
			t.Errorf("at SIGTERM it ends with %v", err)
		}
		late.Stop()
		_ = log.Close()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("what it wrote:\n%s", proc.Tail(text, 20))
		}
	})
	select {
	case line := <-lines:
		m := harness.OpenLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("the first line is %q", line)
		}
		return m[1]
	case <-time.After(time.Minute):
		t.Fatal("no line within a minute")
	}
	return ""
}

// TestPlugin puts the archive's kubectl-informerscope on PATH and calls it with the real kubectl.
func TestPlugin(t *testing.T) {
	dir, err := packaged()
	if err != nil {
		t.Fatal(err)
	}
	cp := cluster.StartForTest(t, cluster.Options{})
	home := t.TempDir()
	kubectl := func(args ...string) *exec.Cmd {
		cmd := exec.Command(cp.Bin.Kubectl, args...)
		cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "KUBECONFIG="+cp.Kubeconfig, "KUBECTL_KUBERC=false", "HOME="+home)
		return cmd
	}
	if out, err := kubectl("plugin", "list").CombinedOutput(); err != nil || !strings.Contains(string(out), filepath.Join(dir, "kubectl-informerscope")) {
		t.Errorf("kubectl plugin list: %v\n%s", err, out)
	}
	if out, err := kubectl("informerscope", "--version").CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "informerscope v0.0.0-e2e (") {
		t.Errorf("--version: %v, %s", err, out)
	}
	if out, err := kubectl("informerscope", "--help").CombinedOutput(); err != nil || !strings.Contains(string(out), "Usage: kubectl informerscope [flags]") {
		t.Errorf("--help: %v, %s", err, out)
	}
	// kubectl passes flags to the plugin only after its name.
	if out, err := kubectl("--context", cluster.ContextName, "informerscope").CombinedOutput(); err == nil {
		t.Errorf("a flag before the plugin's name is accepted: %s", out)
	}
	url := firstLine(t, kubectl("informerscope", "--context", cluster.ContextName, "--listen", "127.0.0.1:0"))
	if !strings.HasSuffix(url, "&source=live&context="+cluster.ContextName) {
		t.Errorf("the address is %s", url)
	}
	answers(t, url)
	if out, err := exec.Command(filepath.Join(dir, "informerscope"), "--version").CombinedOutput(); err != nil ||
		!strings.HasPrefix(string(out), "informerscope v0.0.0-e2e (") {
		t.Errorf("the program under its own name: %v, %s", err, out)
	}
}

// answers asks a server for its health at the address that it printed.
func answers(t *testing.T, url string) {
	t.Helper()
	base, _, _ := strings.Cut(url, "/#")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if out, err := exec.CommandContext(ctx, filepath.Join(must(t, packaged), "informerscope"), "--listen", strings.TrimPrefix(base, "http://"), "--check",
		"readyz").CombinedOutput(); err != nil {
		t.Errorf("%s: %v, %s", url, err, out)
	}
}

func must[T any](t *testing.T, f func() (T, error)) T {
	t.Helper()
	v, err := f()
	if err != nil {
		t.Fatal(err)
	}
	return v
}
