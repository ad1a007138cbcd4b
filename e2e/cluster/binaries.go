package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"

	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

// Bin names the programs of a control plane by their absolute paths.
type Bin struct {
	KubeAPIServer string
	Kubectl       string
	Etcd          string
}

// Binaries returns the programs of the control plane: bin/informerscope-sim under three names, in a directory of the test binary's own, because packages
// are tested at the same time. It is built first where it is missing or old, which takes ten minutes when nothing of it is in go's cache. Safe for
// concurrent use.
var Binaries = sync.OnceValues(func() (Bin, error) {
	root, err := layout.Root()
	if err != nil {
		return Bin{}, err
	}
	program := filepath.Join(root, "bin", "informerscope-sim")
	dir := filepath.Join(root, "bin", "_assets", filepath.Base(os.Args[0]))
	for _, args := range [][]string{{"make", "sim"}, {program, "assets", dir}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			return Bin{}, fmt.Errorf("%s: %w\n%s", args[0], err, proc.Tail(out, 40))
		}
	}
	name := func(program string) string {
		if runtime.GOOS == "windows" {
			program += ".exe"
		}
		return filepath.Join(dir, program)
	}
	return Bin{KubeAPIServer: name("kube-apiserver"), Kubectl: name("kubectl"), Etcd: name("etcd")}, nil
})
