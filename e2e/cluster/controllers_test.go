package cluster_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
)

var foreignPrograms = flag.Bool("foreign", false, "run the tests that compile programs of other projects: controllers")

// controllerRuntime is the release that the controllers are built with.
const controllerRuntime = "sigs.k8s.io/controller-runtime@v0.25.2"

// TestControllerRuntimeOnSimtest runs the test of a controller of controller-runtime as its developer does: in a module of its own, with simtest.
func TestControllerRuntimeOnSimtest(t *testing.T) {
	if !*foreignPrograms {
		t.Skip("make judges runs it: controller-runtime has to be compiled")
	}
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	copyFile(t, filepath.Join(root, "e2e", "testdata", "simtested", "manager_test.go"), filepath.Join(dir, "manager_test.go"))
	edit := []string{"mod", "edit", "-require=" + controllerRuntime, "-require=example.org/informerscope/simtest@v0.0.0"}
	//maporder:free the order of replace lines means nothing
	for path, at := range map[string]string{"informerscope": "", "example.org/informerscope/probe": "probe", "example.org/informerscope/simtest": "simtest"} {
		edit = append(edit, "-replace="+path+"="+filepath.Join(root, at))
	}
	harness.Go(t, dir, "mod", "init", "simtested")
	harness.Go(t, dir, edit...)
	if out := harness.Go(t, dir, "test", "-mod=mod", "-count=1", "-v", "."); !strings.Contains(out, "--- PASS: TestManager") {
		t.Errorf("go test did not run TestManager:\n%s", out)
	}
}

// startSim starts "informerscope sim" on free ports, and returns the kubeconfig of its cluster.
func startSim(t *testing.T, args ...string) (*harness.Server, string) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs informerscope-sim: make verify runs it")
	}
	srv := harness.StartServer(t, append([]string{"sim", "--listen=127.0.0.1:0"}, args...)...)
	found := regexp.MustCompile(`(?m)^export KUBECONFIG=(\S+)$`).FindStringSubmatch(srv.LogTail(40))
	if found == nil {
		t.Fatalf("no kubeconfig in %s", srv.LogTail(40))
	}
	return srv, found[1]
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
