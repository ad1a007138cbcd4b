package cluster_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

var foreignPrograms = flag.Bool("foreign", false, "run the tests that compile programs of other projects: kubectl, controllers")

// newestKubectl is compared too, by TestNewestKubectlIsAnsweredAlike. The kubectl of e2e/controlplane is the release before it.
const newestKubectl = "v0.37.2"

// TestKubectlIsAnsweredAlike types a script into kubectl twice: against a real kube-apiserver and against "informerscope sim", both without controllers. What
// kubectl prints, and how it ends, is equal apart from uids, versions, times and addresses, or the difference is a row of docs/simcluster.md.
func TestKubectlIsAnsweredAlike(t *testing.T) {
	bin, err := cluster.Binaries(harness.Timeout(t, 10*time.Minute), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	compareKubectl(t, bin.Kubectl)
}

// TestNewestKubectlIsAnsweredAlike does the same with the newest kubectl.
func TestNewestKubectlIsAnsweredAlike(t *testing.T) {
	if !*foreignPrograms {
		t.Skip("make judges runs it: the newest kubectl has to be compiled")
	}
	root, err := layout.E2E()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	copyFile(t, filepath.Join(root, "controlplane", "cmd", "kubectl", "main.go"), filepath.Join(dir, "main.go"))
	harness.Go(t, dir, "mod", "init", "kubectl")
	harness.Go(t, dir, "get", "k8s.io/kubectl@"+newestKubectl, "k8s.io/component-base@"+newestKubectl)
	harness.Go(t, dir, "build", "-mod=mod", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X k8s.io/component-base/version.gitVersion=v1"+newestKubectl[2:],
		"-o", "kubectl", ".")
	compareKubectl(t, filepath.Join(dir, "kubectl"))
}

// typed is what a command of the script printed.
type typed struct{ stdout, stderr, end string }

func compareKubectl(t *testing.T, kubectl string) {
	e2e, err := layout.E2E()
	if err != nil {
		t.Fatal(err)
	}
	files := filepath.Join(e2e, "testdata", "kubectl")
	script, err := os.ReadFile(filepath.Join(files, "script.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, simKubeconfig := startSim(t, "--objects=0", "--rate=0", "--controllers=none")
	typeReal, typeSim := newTypist(t, kubectl, files, cluster.StartForTest(t, cluster.Options{}).Kubeconfig), newTypist(t, kubectl, files, simKubeconfig)
	known := likeDifferences(t, "commands")
	used := map[int]bool{}
	var report strings.Builder
	equal, all := 0, 0
	for command := range strings.Lines(string(script)) {
		command = strings.TrimSpace(command)
		if command == "" || strings.HasPrefix(command, "#") {
			continue
		}
		all++
		var want, is typed
		var both sync.WaitGroup
		both.Go(func() { want = typeReal(command) })
		both.Go(func() { is = typeSim(command) })
		both.Wait()
		if want == is {
			equal++
			continue
		}
		diff := fmt.Sprintf("$ %s\n--- real: %s\n%s%s+++ simulated: %s\n%s%s\n", command, want.end, want.stdout, want.stderr, is.end, is.stdout, is.stderr)
		report.WriteString(diff)
		row := slices.IndexFunc(known, func(re *regexp.Regexp) bool { return re.MatchString(command) })
		if row < 0 {
			t.Errorf("docs/simcluster.md does not name this difference:\n%s", diff)
			continue
		}
		used[row] = true
	}
	for i, re := range known {
		if !used[i] {
			t.Errorf("docs/simcluster.md names a difference that there is not: %s", re)
		}
	}
	if all < 60 {
		t.Errorf("the script has %d commands", all)
	}
	t.Logf("%d of %d commands are answered alike", equal, all)
	dir, err := layout.Artifacts(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "differences.txt"), []byte(report.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// newTypist returns a function that runs a line of the script in the directory of its files, with a kubeconfig of its own whose namespace it makes.
func newTypist(t *testing.T, kubectl, files, kubeconfig string) func(line string) typed {
	t.Helper()
	config, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.Contexts[config.CurrentContext].Namespace = likeNamespace
	home := t.TempDir()
	own := filepath.Join(home, "kubeconfig")
	if err := clientcmd.WriteToFile(*config, own); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kubectl, filepath.Join(home, "kubectl")); err != nil {
		t.Fatal(err)
	}
	run := func(line string) typed {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "sh", "-c", line)
		cmd.Dir = files
		cmd.Env = append(os.Environ(), "KUBECONFIG="+own, "KUBECTL_KUBERC=false", "HOME="+home, "PATH="+home+":"+os.Getenv("PATH"))
		proc.OwnGroup(cmd)
		cmd.Cancel = func() error { return proc.KillGroup(cmd.Process) }
		var stdout, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		end := "ends well"
		if err := cmd.Run(); err != nil {
			end = errors.Join(err, ctx.Err()).Error()
		}
		return typed{plain(stdout.String()), plain(stderr.String()), end}
	}
	if r := run("kubectl create namespace " + likeNamespace); r.end != "ends well" {
		t.Fatal(r)
	}
	return run
}

// noise is what no two clusters have in common, and what it becomes.
var noise = []struct {
	is      *regexp.Regexp
	becomes string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ][\d:.]+(Z| ?[+-]\d\d:?\d\d)`), "TIME"},
	{regexp.MustCompile(`[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]+ [+-]\d{4}`), "TIME"},
	{regexp.MustCompile(`[EWI]\d{4} [\d:.]+ +\d+ `), "LOG "},
	{regexp.MustCompile(`(?i)(resource ?version"?: +"?)\d+`), "${1}VERSION"},
	{regexp.MustCompile(`\bv\d+\.\d+\.\d+[-+.\w]*`), "RELEASE"},
	{regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b`), "ADDRESS"},
	{regexp.MustCompile(`/tmp/\S+`), "FILE"},
	{regexp.MustCompile(`\b\d+[smh](\d+s)?\b`), "AGE"},
	{regexp.MustCompile(`(\S) {2,}`), "$1  "}, // the width of a column
	{regexp.MustCompile(` +\n`), "\n"},
}

// plain returns what kubectl printed without noise.
func plain(text string) string {
	for _, n := range noise {
		text = n.is.ReplaceAllString(text, n.becomes)
	}
	return text
}

// startSim starts "informerscope sim" on free ports, and returns the kubeconfig of its cluster.
func startSim(t *testing.T, args ...string) (*harness.Server, string) {
	t.Helper()
	srv := harness.StartServer(t, append([]string{"sim", "--listen=127.0.0.1:0"}, args...)...)
	found := regexp.MustCompile(`(?m)^export KUBECONFIG=(\S+)$`).FindStringSubmatch(srv.LogTail(40))
	if found == nil {
		t.Fatalf("no kubeconfig in %s", srv.LogTail(40))
	}
	return srv, found[1]
}
