package cluster_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

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

// TestControllerRuntimeOnTheSimulatedCluster runs a manager of controller-runtime against "informerscope sim": custom resources with a finalizer, a status and
// children that have an owner, a cache, and leader election. It looks at what the reconciler has achieved.
func TestControllerRuntimeOnTheSimulatedCluster(t *testing.T) {
	if !*foreignPrograms {
		t.Skip("make judges runs it: controller-runtime has to be compiled")
	}
	e2e, err := layout.E2E()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	copyFile(t, filepath.Join(e2e, "testdata", "boatyard", "main.go"), filepath.Join(dir, "main.go"))
	harness.Go(t, dir, "mod", "init", "boatyard")
	harness.Go(t, dir, "get", controllerRuntime)
	harness.Go(t, dir, "build", "-mod=mod", "-o", "boatyard", ".")
	c := startJudged(t, "--objects=20", "--rate=0")
	start := func(name string, args ...string) *proc.Process {
		return c.run(name, filepath.Join(dir, "boatyard"), append(args, "--kubeconfig="+c.kubeconfig)...)
	}
	crd := filepath.Join(e2e, "testdata", "kubectl", "crd.yaml")
	c.kubectl("create", "-f", crd)
	c.kubectl("wait", "--for=condition=Established", "crd/boats.example.com", "--timeout=30s")
	boat := func(name string, crew int) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "boat.json")
		text := fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Boat","metadata":{"name":%q},"spec":{"crew":%d}}`, name, crew)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c.kubectl("apply", "-f", file)
	}
	sailors := func(name string) gjson.Result { return c.get("configmaps", "-l", "boat="+name).Get("items") }

	yard := start("boatyard")
	boat("anna", 3)
	c.await("anna has a crew of 3", func() bool {
		is := c.get("boat/anna").Get("status")
		return is.Get("afloat").Bool() && is.Get("crew").Int() == 3 && len(sailors("anna").Array()) == 3
	})
	anna := c.get("boat/anna")
	if got := anna.Get("metadata.finalizers").String(); !strings.Contains(got, `"example.com/boatyard"`) {
		t.Errorf("the finalizers are %s", got)
	}
	for _, s := range sailors("anna").Array() {
		owner := s.Get("metadata.ownerReferences.0")
		if owner.Get("uid").String() != anna.Get("metadata.uid").String() || owner.Get("kind").String() != "Boat" || !owner.Get("controller").Bool() ||
			s.Get("data.port").String() != "Kiel" {
			t.Errorf("a sailor is %s", s.Raw)
		}
	}
	c.kubectl("scale", "boat/anna", "--replicas=1")
	c.await("anna has a crew of 1", func() bool {
		return c.get("boat/anna").Get("status.crew").Int() == 1 && len(sailors("anna").Array()) == 1
	})
	first := sailors("anna").Get("0.metadata.uid").String()
	c.kubectl("delete", "configmap", "anna-0")
	c.await("another sailor has come", func() bool {
		uid := sailors("anna").Get("0.metadata.uid").String()
		return uid != "" && uid != first
	})
	if got := c.get("boat/anna").Get("metadata.generation").Int(); got != 2 {
		t.Errorf("the generation is %d: one was made, and one scaled", got)
	}
	c.kubectl("delete", "boat/anna", "--timeout=50s")
	c.await("the crew has gone with the boat", func() bool { return len(sailors("anna").Array()) == 0 })
	c.kubectl("get", "configmap", "anna-left")
	yard.Stop(10 * time.Second)

	// Of two that elect a leader one works, and the other goes on when the first ends.
	holder := func() string { return c.get("lease/boatyard").Get("spec.holderIdentity").String() }
	one := start("one", "--elect")
	c.await("the first one leads", func() bool { return holder() != "" })
	leader := holder()
	start("two", "--elect")
	boat("bella", 2)
	c.await("bella has a crew of 2", func() bool { return len(sailors("bella").Array()) == 2 })
	if got := holder(); got != leader {
		t.Errorf("the leader is %s, want %s", got, leader)
	}
	one.Stop(30 * time.Second)
	boat("bella", 4)
	c.await("bella has a crew of 4, by the second one", func() bool {
		return len(sailors("bella").Array()) == 4 && holder() != leader && holder() != ""
	})
}

// TestControllerManagerOnTheSimulatedCluster runs the deployment, replicaset and garbage collector controllers of kube-controller-manager, unchanged, in place
// of those of "informerscope sim".
func TestControllerManagerOnTheSimulatedCluster(t *testing.T) {
	if !*foreignPrograms {
		t.Skip("make judges runs it: kube-controller-manager has to be compiled")
	}
	e2e, err := layout.E2E()
	if err != nil {
		t.Fatal(err)
	}
	dir, controlplane := t.TempDir(), filepath.Join(e2e, "controlplane")
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(harness.Go(t, controlplane, "mod", "download", "-json", "k8s.io/kubernetes")), &module); err != nil {
		t.Fatal(err)
	}
	copyFile(t, filepath.Join(module.Dir, "cmd", "kube-controller-manager", "controller-manager.go"), filepath.Join(dir, "main.go"))
	copyFile(t, filepath.Join(controlplane, "go.mod"), filepath.Join(dir, "go.mod"))
	copyFile(t, filepath.Join(controlplane, "go.sum"), filepath.Join(dir, "go.sum"))
	harness.Go(t, dir, "mod", "edit", "-module=kube-controller-manager")
	// With the flags of the control plane, to reuse its build cache.
	harness.Go(t, dir, "build", "-mod=mod", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", "kube-controller-manager", ".")
	c := startJudged(t, "--objects=0", "--rate=0", "--controllers=none")
	c.run("kube-controller-manager", filepath.Join(dir, "kube-controller-manager"), "--kubeconfig="+c.kubeconfig, "--leader-elect=false", "--secure-port=0",
		"--controllers=deployment-controller,replicaset-controller,garbage-collector-controller", "--kube-api-qps=1000", "--kube-api-burst=1000")
	pods := func(app string) []gjson.Result { return c.get("pods", "-l", "app="+app).Get("items").Array() }
	sets := func(app string) []gjson.Result { return c.get("replicasets", "-l", "app="+app).Get("items").Array() }
	// ready does the kubelet's part, until the Deployment has rolled out.
	ready := func(app string) bool {
		for _, p := range pods(app) {
			if p.Get("status.phase").String() == "Pending" && !p.Get("metadata.deletionTimestamp").Exists() {
				_, _ = c.try("patch", "pod/"+p.Get("metadata.name").String(), "--subresource=status", "--type=merge", "-p", `{"status":{"phase":"Running","conditions":`+
					`[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z"}]}}`)
			}
		}
		d := c.get("deployment/" + app)
		n := d.Get("spec.replicas").Int()
		return d.Get("status.observedGeneration").Int() == d.Get("metadata.generation").Int() && d.Get("status.updatedReplicas").Int() == n &&
			d.Get("status.readyReplicas").Int() == n && d.Get("status.replicas").Int() == n && len(pods(app)) == int(n)
	}

	c.kubectl("create", "deployment", "web", "--image=nginx:1", "--replicas=3")
	c.await("web has its pods", func() bool { return ready("web") })
	rs := sets("web")
	if len(rs) != 1 || rs[0].Get("metadata.ownerReferences.0.name").String() != "web" || rs[0].Get("metadata.ownerReferences.0.kind").String() != "Deployment" {
		t.Fatalf("the ReplicaSets are %v", rs)
	}
	for _, p := range pods("web") {
		if p.Get("metadata.ownerReferences.0.uid").String() != rs[0].Get("metadata.uid").String() {
			t.Errorf("a pod is %s", p.Raw)
		}
	}
	c.kubectl("rollout", "status", "deployment/web", "--timeout=50s")
	c.kubectl("scale", "deployment/web", "--replicas=5")
	c.await("web has 5 pods", func() bool { return ready("web") && len(pods("web")) == 5 })
	c.kubectl("scale", "deployment/web", "--replicas=2")
	c.await("web has 2 pods", func() bool { return ready("web") && len(pods("web")) == 2 })
	c.kubectl("set", "image", "deployment/web", "nginx=nginx:2")
	c.await("web has rolled out", func() bool { return ready("web") && len(sets("web")) == 2 })
	for _, p := range pods("web") {
		if image := p.Get("spec.containers.0.image").String(); image != "nginx:2" {
			t.Errorf("a pod has the image %s", image)
		}
	}
	if history := c.kubectl("rollout", "history", "deployment/web"); !strings.Contains(history, "2 ") {
		t.Errorf("the history is %s", history)
	}
	c.kubectl("rollout", "undo", "deployment/web")
	c.await("web has gone back", func() bool {
		return ready("web") && pods("web")[0].Get("spec.containers.0.image").String() == "nginx:1"
	})
	victim := pods("web")[0].Get("metadata.name").String()
	c.kubectl("delete", "pod", victim)
	c.await("another pod has come", func() bool { return ready("web") && !strings.Contains(fmt.Sprint(pods("web")), victim) })
	if events := c.kubectl("get", "events"); !strings.Contains(events, "ScalingReplicaSet") || !strings.Contains(events, "SuccessfulCreate") {
		t.Errorf("the events are %s", events)
	}

	for _, app := range []string{"fore", "orphan"} {
		c.kubectl("create", "deployment", app, "--image=nginx:1", "--replicas=2")
		c.await(app+" has its pods", func() bool { return ready(app) })
	}
	c.kubectl("delete", "deployment/web", "--cascade=background")
	c.await("all of web has gone", func() bool { return len(sets("web"))+len(pods("web")) == 0 })
	c.kubectl("delete", "deployment/fore", "--cascade=foreground", "--timeout=50s")
	if left := len(sets("fore")) + len(pods("fore")); left != 0 {
		t.Errorf("after a foreground deletion %d objects are left", left)
	}
	c.kubectl("delete", "deployment/orphan", "--cascade=orphan", "--timeout=50s")
	rs = sets("orphan")
	if len(rs) != 1 || rs[0].Get("metadata.ownerReferences").Exists() || len(pods("orphan")) != 2 {
		t.Errorf("after an orphaning deletion there are %v and %d pods", rs, len(pods("orphan")))
	}
}

// judged is the cluster of "informerscope sim", and a kubectl for it.
type judged struct {
	t                   *testing.T
	program, kubeconfig string
}

// startJudged starts "informerscope sim".
func startJudged(t *testing.T, args ...string) *judged {
	t.Helper()
	bin, err := cluster.Binaries(harness.Timeout(t, 10*time.Minute), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	_, kubeconfig := startSim(t, args...)
	return &judged{t, bin.Kubectl, kubeconfig}
}

// try runs kubectl, and returns what it prints.
func (c *judged) try(args ...string) (string, error) {
	c.t.Helper()
	cmd := exec.CommandContext(harness.Timeout(c.t, 2*time.Minute), c.program, append([]string{"--kubeconfig=" + c.kubeconfig}, args...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG=", "KUBECTL_KUBERC=false", "HOME="+filepath.Dir(c.kubeconfig))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out), err
}

// kubectl is try for a command that must succeed.
func (c *judged) kubectl(args ...string) string {
	c.t.Helper()
	out, err := c.try(args...)
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

// get returns an object or a list. It is empty if the object is not there.
func (c *judged) get(args ...string) gjson.Result {
	c.t.Helper()
	return gjson.Parse(c.kubectl(append([]string{"get", "--ignore-not-found", "--output=json"}, args...)...))
}

// await waits until is.
func (c *judged) await(what string, is func() bool) {
	c.t.Helper()
	for end := time.Now().Add(3 * time.Minute); !is(); {
		if time.Now().After(end) {
			all, _ := c.try("get", "all,configmaps,leases", "-A", "-o", "wide")
			c.t.Fatalf("still not after three minutes: %s\n%s", what, all)
		}
	}
}

// run starts a program, which ends with the test.
func (c *judged) run(name, program string, args ...string) *proc.Process {
	t := c.t
	t.Helper()
	dir, err := layout.Artifacts(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(dir, name+".log"))
	p, err := proc.Start(name, dir, program, nil, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Stop(5 * time.Second)
		if t.Failed() {
			t.Logf("the last words of %s:\n%s", name, p.LogTail(20))
		}
	})
	return p
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
