package cluster_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
)

const simDeployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, labels: {app: api}}
spec:
  replicas: 2
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec: {containers: [{name: api, image: "nginx:1"}]}
`

// TestKubectlOnTheSimulatedCluster types into the cluster of "informerscope sim" with kubectl, while a page watches it: what kubectl writes reaches the
// page's store.
func TestKubectlOnTheSimulatedCluster(t *testing.T) {
	bin, err := cluster.Binaries(harness.Timeout(t, 10*time.Minute), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	srv, kubeconfig := startSim(t, "--objects=20", "--rate=0")
	page := browser.StartForTest(t).OpenForTest(t, srv.URL, 1280, 720)
	harness.Await(t, page, time.Minute, "s.queue.synced && s.indexer.count === 20")
	file := filepath.Join(t.TempDir(), "api.yaml")
	if err := os.WriteFile(file, []byte(simDeployment), 0o600); err != nil {
		t.Fatal(err)
	}
	kubectl := func(says string, args ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, bin.Kubectl, append([]string{"--kubeconfig=" + kubeconfig}, args...)...)
		cmd.Env = append(os.Environ(), "KUBECONFIG=", "KUBECTL_KUBERC=false", "HOME="+t.TempDir())
		out, err := cmd.CombinedOutput()
		says, fails := strings.CutPrefix(says, "fails: ")
		if (err != nil) != fails || !bytes.Contains(out, []byte(says)) {
			t.Errorf("kubectl %s: %v, %s; want %q", strings.Join(args, " "), err, out, says)
		}
	}
	kubectl("deployment.apps/web created", "create", "deployment", "web", "--image=nginx", "--replicas=5")
	harness.Await(t, page, time.Minute, "s.indexer.count === 25")
	kubectl(`deployment "web" successfully rolled out`, "rollout", "status", "deployment/web", "--timeout=50s")
	kubectl("deployment.apps/web scaled", "scale", "deployment", "web", "--replicas=2")
	harness.Await(t, page, time.Minute, "s.indexer.count === 22")
	kubectl("Scaled up replica set web-", "get", "events", "--field-selector=involvedObject.kind=Deployment")
	kubectl("Scaled up replica set web-", "describe", "deployment", "web")
	kubectl("pod/one created", "run", "one", "--image=nginx")
	kubectl("pod/one labeled", "label", "pod", "one", "tier=test")
	harness.Await(t, page, time.Minute, "s.facts.sentence.id === 'wrote' && s.facts.sentence.name === 'kubectl-label' && s.facts.sentence.key === 'default/one'")
	kubectl(`pod "one" deleted`, "delete", "pod", "one", "--grace-period=0")
	kubectl("configmap/c created", "create", "configmap", "c", "--from-literal=a=b")
	kubectl("namespace/apart created", "create", "namespace", "apart")
	kubectl("deployment.apps/api serverside-applied", "apply", "--server-side", "-f", file)
	kubectl("deployment.apps/api scaled", "scale", "deployment", "api", "--replicas=3")
	kubectl("fails: Apply failed with 1 conflict", "apply", "--server-side", "-f", file)
	kubectl("deployment.apps/api serverside-applied", "apply", "--server-side", "--force-conflicts", "-f", file)
	kubectl("", "diff", "--server-side", "-f", file)
	kubectl("deployment.apps/api image updated", "set", "image", "deployment/api", "api=nginx:2")
	kubectl("service/api exposed", "expose", "deployment", "api", "--port=80")
	kubectl("node/node-a1 cordoned", "cordon", "node-a1")
	kubectl("fails: Error from server", "logs", "deployment/api") // its pods run no containers
	kubectl("yes", "auth", "can-i", "create", "pods")
	kubectl("[*]", "auth", "can-i", "--list")
	kubectl("system:masters", "auth", "whoami")
	kubectl(`fails: User "bob" cannot list resource "pods"`, "get", "pods", "--as=bob")
	kubectl("secret/s created", "create", "secret", "generic", "s", "--from-literal=a=b")
	kubectl("eyJ", "create", "token", "default")
	kubectl("job.batch/j created", "create", "job", "j", "--image=nginx")
	kubectl("FIELD: template <PodTemplateSpec>", "explain", "deployment.spec.template")
	kubectl("terminationGracePeriodSeconds\t<integer>", "explain", "pods", "--recursive")
	kubectl("fails: Metrics API not available", "top", "pods")
	kubectl(`deployment.apps "web" deleted`, "delete", "deployment", "web", "--cascade=foreground")
	kubectl("No resources found", "get", "pods", "--selector=app=web")
	kubectl(`deployment.apps "api" deleted`, "delete", "deployment", "api", "--cascade=orphan")
	kubectl("Running", "get", "pods", "--selector=app=api", "--no-headers")
	kubectl("deployment.apps/api serverside-applied", "apply", "--server-side", "-f", file)
	kubectl(`deployment "api" successfully rolled out`, "rollout", "status", "deployment/api", "--timeout=50s")
	page.ExpectClean(t)
}

// TestAPageChangesTheSimulatedCluster opens two pages on the cluster of "informerscope sim". One changes it by the API server's menu and its faults, and
// both see that. A page that is loaded again finds the cluster as it was.
func TestAPageChangesTheSimulatedCluster(t *testing.T) {
	srv := harness.StartServer(t, "sim", "--listen=127.0.0.1:0", "--objects=20", "--rate=0")
	b := browser.StartForTest(t)
	one, two := b.OpenForTest(t, srv.URL, 1280, 720), b.OpenForTest(t, srv.URL+"&lang=zh", 390, 844)
	for _, p := range []*browser.Page{one, two} {
		harness.Await(t, p, time.Minute, "s.queue.synced && s.indexer.count === 20 && s.source.simulated && s.api.objects === 20")
	}
	click := func(element string) {
		t.Helper()
		harness.WaitFor(t, one, element)
		harness.ClickOn(t, one, element)
	}
	const buttons = "[...document.querySelectorAll('.pop button')]"
	click("document.querySelector('[data-call=cluster]')")
	harness.WaitFor(t, one, buttons+".find((b) => b.textContent === 'create')")
	harness.Shot(t, one, "menu")
	harness.EvalIn[bool](t, one, `((field) => { field.value = 'shop/typed'; return true; })(document.querySelector('.pop input[type=text]'))`)
	click(buttons + ".find((b) => b.textContent === 'create')")
	for _, p := range []*browser.Page{one, two} {
		harness.Await(t, p, time.Minute, "s.indexer.count === 23")
	}
	harness.Shot(t, one, "created")
	harness.Shot(t, two, "phone")
	click("document.querySelector('.src')")
	harness.WaitFor(t, one, "document.querySelector('.pop').textContent.includes('every page, kubectl and controller here shares it')")
	harness.Shot(t, one, "sources")
	harness.Press(t, one, "Escape")
	harness.Call(t, one, "cluster('crowd', {n: 40})")
	for _, p := range []*browser.Page{one, two} {
		harness.Await(t, p, time.Minute, "s.api.crowd?.clients === 40")
	}
	harness.Call(t, one, "fault('compact', {})")
	harness.Await(t, one, time.Minute, "s.faults.some((f) => f.name === 'compact')")
	if err := two.Reload(harness.Timeout(t, time.Minute)); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, two, time.Minute, "s.queue.synced && s.indexer.count === 23")
	one.ExpectClean(t)
	two.ExpectClean(t)
}
