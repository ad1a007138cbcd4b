package judges

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const controllerRuntime = "sigs.k8s.io/controller-runtime@v0.25.2"

// TestControllersRunBesideThePair runs a suite that looks at what controllers do: with the variable it happens, without it does not. The pair ends with the
// suite.
func TestControllersRunBesideThePair(t *testing.T) {
	judge(t, "envtest, four things that controllers do", func() string {
		tests := suite(t, "extras", controllerRuntime)
		var saw []string
		for _, controllers := range []string{"", "all"} {
			p := newPair(t)
			began := time.Now()
			out := run(t, filepath.Dir(tests), p.env("INFORMERSCOPE_CONTROLLERS="+controllers), tests, "-test.v")
			if !strings.Contains(out, "--- PASS: TestControllers ") {
				t.Errorf("TestControllers did not run:\n%s", out)
			}
			saw = append(saw, fmt.Sprintf("controllers %q: %.0f s, %d MB", controllers, time.Since(began).Seconds(), p.peakMB()))
			p.expectNone(t)
		}
		return strings.Join(saw, "; ")
	})
}

// TestThePairEndsWithATestThatIsKilled kills a suite, and looks that no process is left.
func TestThePairEndsWithATestThatIsKilled(t *testing.T) {
	judge(t, "envtest, a suite that is killed", func() string {
		tests := suite(t, "extras", controllerRuntime)
		p, temp := newPair(t), t.TempDir()
		ready := filepath.Join(temp, "ready")
		cmd := exec.Command(tests, "-test.run=^TestUntilKilled$")
		cmd.Env = append(os.Environ(), p.env("INFORMERSCOPE_CONTROLLERS=all", "READY="+ready, "TMPDIR="+temp)...)
		ended := begin(t, cmd, ready)
		if n := len(p.processes()); n != 2 {
			t.Errorf("%d processes run from the assets", n)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-ended
		began := time.Now()
		p.expectNone(t)
		if left, _ := filepath.Glob(filepath.Join(temp, "informerscope-sim-*")); len(left) > 0 {
			t.Errorf("directories are left: %v", left)
		}
		return fmt.Sprintf("etcd and kube-apiserver had ended %.1f s later", time.Since(began).Seconds())
	})
}

// begin starts a suite, and returns once it has written the file ready. The channel has how it ended.
func begin(t *testing.T, cmd *exec.Cmd, ready string) <-chan error {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(ready); err == nil {
			return ended
		}
		select {
		case err := <-ended:
			t.Fatalf("the suite ended: %v", err)
		default:
		}
		if time.Now().After(deadline) {
			_ = cmd.Process.Kill()
			t.Fatal("the suite was not ready in time")
		}
	}
}

// TestOperatorOnAnOlderRelease runs the suite of an operator with client-go 0.33.
func TestOperatorOnAnOlderRelease(t *testing.T) {
	judge(t, "an operator on client-go 0.33", func() string {
		return runSuite(t, "operator", "sigs.k8s.io/controller-runtime@v0.21.0", "TestOperator")
	})
}

// TestOperatorOnACluster runs the suite of an operator on a cluster that runs already.
func TestOperatorOnACluster(t *testing.T) {
	judge(t, "envtest with USE_EXISTING_CLUSTER", func() string {
		tests, c := suite(t, "operator", controllerRuntime), cluster(t)
		began := time.Now()
		if out := run(t, filepath.Dir(tests), append(env(t, c), "USE_EXISTING_CLUSTER=true"), tests, "-test.v"); !strings.Contains(out, "--- PASS: TestOperator") {
			t.Errorf("TestOperator did not run:\n%s", out)
		}
		return fmt.Sprintf("the suite passes in %.0f s", time.Since(began).Seconds())
	})
}

// TestWebhooks runs a suite with webhooks that default, validate and convert.
func TestWebhooks(t *testing.T) {
	judge(t, "envtest, webhooks that default, validate and convert", func() string { return runSuite(t, "cronjob", controllerRuntime, "TestWebhooks") })
}

func runSuite(t *testing.T, name, require, test string) string {
	t.Helper()
	tests, p := suite(t, name, require), newPair(t)
	began := time.Now()
	if out := run(t, filepath.Dir(tests), p.env(), tests, "-test.v"); !strings.Contains(out, "--- PASS: "+test) {
		t.Errorf("%s did not run:\n%s", test, out)
	}
	p.expectNone(t)
	return fmt.Sprintf("the suite passes in %.0f s, %d MB", time.Since(began).Seconds(), p.peakMB())
}

// TestControllerRuntimesOwnSuites runs the tests of controller-runtime, unchanged. Two of them download an older kube-apiserver for a server without
// aggregated discovery: they are left out.
func TestControllerRuntimesOwnSuites(t *testing.T) {
	judge(t, "controller-runtime's own suites", func() string {
		dir, p := copyModule(t, controllerRuntime), newPair(t)
		began := time.Now()
		out, err := try(t, dir, p.env(), "go", "test", "-json", "-count=1", "-p=1", "-timeout=20m",
			"-skip=^TestApiMachinery$/^aggregatedDiscovery=false$|^TestLazyRestMapperProvider$/^aggregatedDiscovery=false$", "./pkg/...")
		passed, failed := countTests(out)
		if err != nil || len(failed) > 0 {
			t.Errorf("%v\nfailed: %s", err, strings.Join(failed, ", "))
		}
		if passed < 1000 {
			t.Errorf("only %d tests and specs passed", passed)
		}
		return fmt.Sprintf("%d tests and specs pass, %d fail, in %.0f s with the build, %d MB", passed, len(failed), time.Since(began).Seconds(), p.peakMB())
	})
}

var specs = regexp.MustCompile(`Ran (\d+) of \d+ Specs`)

// countTests counts what go test -json says: tests without parts of their own, and specs of ginkgo.
func countTests(out string) (passed int, failed []string) {
	results, inner := map[string]string{}, map[string]bool{}
	for line := range strings.Lines(out) {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal([]byte(line), &e) != nil {
			continue
		}
		if m := specs.FindStringSubmatch(e.Output); m != nil {
			n, _ := strconv.Atoi(m[1])
			passed += n
		}
		if name := e.Package + " " + e.Test; e.Test != "" && (e.Action == "pass" || e.Action == "fail") {
			results[name] = e.Action
			if i := strings.LastIndexByte(name, '/'); strings.Contains(e.Test, "/") {
				inner[name[:i]] = true
			}
		}
	}
	for name, action := range results {
		if action == "fail" {
			failed = append(failed, name)
		} else if !inner[name] {
			passed++
		}
	}
	slices.Sort(failed)
	return passed, failed
}

// TestKubebuilder lets kubebuilder write a project with its own suites: Memcached by its plugin, with a controller that makes a Deployment, and CronJob in two
// versions, both with webhooks.
func TestKubebuilder(t *testing.T) {
	judge(t, "kubebuilder 4.16, Memcached and CronJob with webhooks", func() string {
		kubebuilder, dir, p := install(t, "sigs.k8s.io/kubebuilder/v4@v4.16.0"), t.TempDir(), newPair(t)
		for _, line := range []string{
			"init --domain example.org --repo example.org/project",
			"create api --group cache --version v1alpha1 --kind Memcached --image=memcached:1.6 --plugins=deploy-image/v1-alpha --make=false",
			"create webhook --group cache --version v1alpha1 --kind Memcached --defaulting --programmatic-validation --make=false",
			"create api --group cache --version v1 --kind CronJob --resource --controller --make=false",
			"create webhook --group cache --version v1 --kind CronJob --defaulting --programmatic-validation --make=false",
			"create api --group cache --version v2 --kind CronJob --resource --controller=false --make=false",
			"create webhook --group cache --version v1 --kind CronJob --conversion --spoke v2 --make=false",
		} {
			run(t, dir, nil, kubebuilder, strings.Fields(line)...)
		}
		run(t, dir, nil, "make", "manifests", "generate")
		began := time.Now()
		out, err := try(t, dir, p.env(), "go", "test", "-mod=mod", "-json", "-count=1", "./api/...", "./internal/...")
		passed, failed := countTests(out)
		if err != nil || len(failed) > 0 || passed < 5 {
			t.Errorf("%d pass; failed: %s; %v", passed, strings.Join(failed, ", "), err)
		}
		p.expectNone(t)
		return fmt.Sprintf("%d tests and specs pass, %d fail, in %.0f s with the build, %d MB", passed, len(failed), time.Since(began).Seconds(), p.peakMB())
	})
}
