package probe_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
)

// emptyControllers are programs into which the Go code of docs/probe.md is put, at its place. Each names the modules that it imports.
var emptyControllers = map[string]struct{ requires, modules, blocks []string }{
	"client-go": {[]string{"k8s.io/client-go@v0.37.2", "github.com/prometheus/client_golang@v1.23.2"}, []string{"probe", "probe/metrics"},
		[]string{"p := probe.New(", "queue := probe.NewQueue", "registry.MustRegister("}},
	"controller-runtime": {[]string{"sigs.k8s.io/controller-runtime@v0.25.2"}, []string{"probe", "probe/controllerruntime"},
		[]string{"caches := cache.Options{", "generation := "}},
}

var emptyMains = map[string]string{"client-go": `package main

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"example.org/informerscope/probe"
	"example.org/informerscope/probe/metrics"
)

func main() {
	var (
		cfg *rest.Config
		inf cache.SharedIndexInformer
		err error
	)
	factory, mux, registry := informers.NewSharedInformerFactory(nil, 0), http.NewServeMux(), prometheus.NewRegistry()
	CODE
	_, _, _, _ = cfg, seen, err, queue
}
`, "controller-runtime": `package main

import (
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"example.org/informerscope/probe"
	"example.org/informerscope/probe/controllerruntime"
)

func main() {
	p := probe.New(probe.Options{})
	CODE
	_, _, _ = caches, options, generation
}
`}

// TestDocsBuild follows docs/probe.md to the letter in controllers that have nothing else: its commands for the modules that the controller imports, and its
// code.
func TestDocsBuild(t *testing.T) {
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	text := readFile(t, filepath.Join(root, "docs", "probe.md"))
	_, shell, _ := strings.Cut(text, "```sh\n")
	shell, _, _ = strings.Cut(shell, "```")
	var blocks []string
	for _, rest := range strings.Split(text, "```go\n")[1:] {
		block, _, _ := strings.Cut(rest, "```")
		blocks = append(blocks, block)
	}
	for name, x := range emptyControllers {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "controller")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(root, filepath.Join(parent, "informerscope")); err != nil {
				t.Fatal(err)
			}
			var code strings.Builder
			for _, begins := range x.blocks {
				for _, block := range blocks {
					if strings.HasPrefix(block, begins) {
						code.WriteString(block)
					}
				}
			}
			writeFile(t, filepath.Join(dir, "main.go"), strings.Replace(emptyMains[name], "CODE", code.String(), 1))
			run := func(command string) {
				t.Helper()
				cmd := exec.CommandContext(harness.Timeout(t, 20*time.Minute), "sh", "-c", command)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", command, err, out)
				}
			}
			run("go mod init controller")
			for _, module := range x.requires {
				run("go mod edit -require=" + module)
			}
			for line := range strings.Lines(shell) {
				if module, ok := strings.CutPrefix(line, "go mod edit -require=example.org/informerscope/"); ok {
					if module, _, _ = strings.Cut(module, "@"); !slices.Contains(x.modules, module) {
						continue
					}
				}
				run(strings.TrimSpace(line))
			}
			run("go build -o " + os.DevNull + " .")
		})
	}
}
