package probe_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

const newestClientGo = "k8s.io/client-go@v0.37.2"

// A beta of client-go asks for a newer toolchain, and for a module of which only the release before is served.
const (
	betaClientGo  = "k8s.io/client-go@v0.38.0-beta.0"
	betaToolchain = "1.27.0"
	betaModule    = "sigs.k8s.io/structured-merge-diff/v7=sigs.k8s.io/structured-merge-diff/v7@v7.0.0"
)

// readProgram returns the source of a program of testdata.
func readProgram(t *testing.T, name string) string {
	t.Helper()
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(root, "e2e", "testdata", name, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// buildProbed builds a program with a release of a library, the probe and modules of the probe, in a module of its own as a user's would be.
func buildProbed(t *testing.T, name, source, library string, modules ...string) string {
	t.Helper()
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	edit, env := []string{"mod", "edit", "-go=1.22", "-require=" + library}, append(os.Environ(), "GOWORK=off")
	if library == betaClientGo {
		edit, env = append(edit, "-go="+betaToolchain, "-replace="+betaModule), append(env, "GOTOOLCHAIN=go"+betaToolchain)
	}
	for _, m := range append([]string{""}, modules...) {
		path := strings.TrimSuffix("example.org/informerscope/probe/"+m, "/")
		edit = append(edit, "-require="+path+"@v0.0.0", "-replace="+path+"="+filepath.Join(root, "probe", m))
	}
	for _, args := range [][]string{{"mod", "init", name}, edit, {"build", "-mod=mod", "-o", name, "."}} {
		cmd := exec.CommandContext(harness.Timeout(t, 20*time.Minute), "go", args...)
		cmd.Dir = dir
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	return filepath.Join(dir, name)
}

// startProgram starts a program and returns the URL that it prints. The test prints its log if it fails; log has the log when end has ended the program.
func startProgram(t *testing.T, program string, args ...string) (url string, log *bytes.Buffer, end func()) {
	t.Helper()
	cmd := exec.Command(program, args...)
	proc.OwnGroup(cmd)
	log = &bytes.Buffer{}
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() {
		if err := proc.KillGroup(cmd.Process); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the program's log:\n%s", log)
		}
	})
	t.Cleanup(end)
	first, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		end()
		t.Fatalf("the program did not begin: %v\n%s", err, log)
	}
	return strings.TrimSpace(first), log, end
}
