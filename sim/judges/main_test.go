package judges

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"informerscope/sim/internal/harness"
)

var foreign = flag.Bool("foreign", false, "run programs of others, which have to be fetched and compiled")

func TestMain(m *testing.M) {
	flag.Parse()
	harness.Main(m)
}

// patience bounds one program: some compile much.
const patience = 30 * time.Minute

// askForeign skips a test unless -foreign is given.
func askForeign(t *testing.T) {
	t.Helper()
	if !*foreign {
		t.Skip("make sim-foreign runs it: programs of others have to be fetched and compiled")
	}
}

// judge runs a test that -foreign asks for, and says in a line how long it took and what was seen.
func judge(t *testing.T, tool string, try func() (saw string)) {
	t.Helper()
	askForeign(t)
	began := time.Now()
	saw := try()
	result := "as it should"
	if t.Failed() {
		result = "failed"
	}
	t.Logf("judged: %s | %s | %s | %.0f s", tool, saw, result, time.Since(began).Seconds())
}

// run runs a program and returns what it printed on both outputs. The test fails if it ends with another status than 0.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	out, err := try(t, dir, env, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// try is run for a program that may fail.
func try(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out[max(0, len(out)-8<<10):])
	}
	return string(out), err
}

// install compiles a program of a module and returns its file.
func install(t *testing.T, program string) string {
	t.Helper()
	bin := t.TempDir()
	run(t, bin, []string{"GOBIN=" + bin, "GOFLAGS=", "GOWORK=off"}, "go", "install", program)
	files, err := os.ReadDir(bin)
	if err != nil || len(files) != 1 {
		t.Fatalf("go install %s left %v, %v", program, files, err)
	}
	return filepath.Join(bin, files[0].Name())
}

// suite compiles the tests of a directory of testdata, in a module that requires another, and returns the file.
func suite(t *testing.T, name, require string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	run(t, dir, nil, "go", "mod", "init", name)
	run(t, dir, nil, "go", "mod", "edit", "-require="+require)
	run(t, dir, nil, "go", "test", "-mod=mod", "-c", "-o", "suite.test", ".")
	return filepath.Join(dir, "suite.test")
}

// pair is the directory of KUBEBUILDER_ASSETS of one suite, so that the processes of this suite are known by it, with the most memory that they had.
type pair struct {
	dir string

	mu   sync.Mutex
	peak map[string]int // of each program, in KiB
}

// newPair links the assets into a directory, and measures what is started from there until the test ends. Whatever is left then is ended.
func newPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{dir: t.TempDir(), peak: map[string]int{}}
	for _, name := range []string{"etcd", "kube-apiserver", "kubectl"} {
		if err := os.Link(filepath.Join(harness.Assets(t), name), filepath.Join(p.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		for ctx.Err() == nil {
			p.processes()
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		running.Wait()
		for _, pid := range p.processes() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return p
}

// processes are those that run a program of the pair.
func (p *pair) processes() (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		command, err := os.ReadFile(file)
		if err != nil || !bytes.HasPrefix(command, []byte(p.dir+"/")) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		pids = append(pids, pid)
		program, _, _ := bytes.Cut(command[len(p.dir)+1:], []byte{0})
		p.mu.Lock()
		p.peak[string(program)] = max(p.peak[string(program)], statusKB(pid, "VmHWM:"))
		p.mu.Unlock()
	}
	return pids
}

// peakMB is the most memory that an etcd had, and that a kube-apiserver had, together.
func (p *pair) peakMB() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return (p.peak["etcd"] + p.peak["kube-apiserver"]) / 1024
}

// expectNone waits until none of the pair's processes is left.
func (p *pair) expectNone(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		left := p.processes()
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("processes are left: %v", left)
		}
	}
}

func (p *pair) env(more ...string) []string {
	return append(more, "KUBEBUILDER_ASSETS="+p.dir)
}

// statusKB is a number of a process's status on Linux, in KiB.
func statusKB(pid int, field string) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		if words := strings.Fields(line); len(words) == 3 && words[0] == field {
			kb, _ := strconv.Atoi(words[1])
			return kb
		}
	}
	return 0
}

// copyModule copies a module's sources, so that they can be tested and written to.
func copyModule(t *testing.T, module string) string {
	t.Helper()
	var found struct{ Dir string }
	scratch := t.TempDir()
	run(t, scratch, nil, "go", "mod", "init", "scratch")
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = scratch
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	if err != nil {
		t.Fatalf("go mod download %s: %v\n%s", module, err, out)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(found.Dir)); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chmod(file, 0o755) // the module cache has nothing that can be written or run
	}); err != nil {
		t.Fatal(err)
	}
	return dir
}
